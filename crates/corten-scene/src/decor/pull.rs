//! What the mouse pulls and turns, and the point that is selected.

use corten_math::Vec3;
use corten_model::enums::{GeomType, ObjType};

use super::{At, Painter, color};
use crate::enums::{Label, PerturbBit, VisFlag};
use crate::geom::{Connector, float3};

pub fn add(p: &mut Painter<'_>) {
    let body = p.pert.select;
    if !p.has(VisFlag::PertObj) || body <= 0 || body as usize >= p.m.nbody {
        return;
    }
    let active = p.pert.active | p.pert.active2;
    if active & PerturbBit::Translate.raw() != 0 {
        translation(p, body as usize);
    }
    if active & PerturbBit::Rotate.raw() != 0 {
        rotation(p, body as usize);
    }
}

/// Colour by the devices that do this.
fn rgba(p: &Painter<'_>, base: [f32; 4], bit: PerturbBit) -> [f32; 4] {
    let by = |active: i32| active & bit.raw() != 0;
    color::perturbation(base, by(p.pert.active), by(p.pert.active2))
}

/// A rod from the selected point to where it shall go, with a sphere at its end.
fn translation(p: &mut Painter<'_>, body: usize) {
    let Some(point) = p.selected() else { return };
    let width = p.unit * f64::from(p.m.vis.scale.constraint);
    let rgba = rgba(p, p.m.vis.rgba.constraint, PerturbBit::Translate);
    let goal = p.pert.refselpos;
    let rod = p.decor(ObjType::Unknown, body);
    p.push_connector(rod, Connector::Capsule, width, [point, goal], rgba);
    let place = (goal, p.pert.refquat.to_mat());
    let end = p.decor(ObjType::Unknown, body);
    p.push_shape(end, GeomType::Sphere, Vec3::splat(2.0 * width), place, rgba);
}

/// The body's bounding box, turned where it shall go.
fn rotation(p: &mut Painter<'_>, body: usize) {
    let rgba = rgba(p, p.m.vis.rgba.inertia, PerturbBit::Rotate);
    let bounds = (p.m.body_bvhnum[body] > 0).then(|| p.m.bvh_aabb.at(p.m.body_bvhadr[body]));
    let (centre, size) = match bounds.flatten() {
        Some(bounds) => (Vec3::from_slice(bounds), Vec3::from_slice(&bounds[3..])),
        None => (Vec3::ZERO, Vec3::splat(p.unit)),
    };
    let pos = p.d.ximat[body] * centre + p.d.xipos[body];
    let place = (pos, p.pert.refquat.to_mat());
    p.push_shape(p.decor(ObjType::Unknown, body), GeomType::Box, size, place, rgba);
}

pub fn selected_point(p: &mut Painter<'_>) {
    if p.pert.select <= 0 || !p.has(VisFlag::Select) {
        return;
    }
    let Some(point) = p.selected() else { return };
    let mut geom = p.decor(ObjType::Unknown, p.pert.select as usize);
    geom.kind = GeomType::Sphere.raw();
    geom.size = [(p.unit * f64::from(p.m.vis.scale.selectpoint)) as f32; 3];
    geom.pos = float3(point);
    geom.rgba = p.m.vis.rgba.selectpoint;
    if p.opt.labels(Label::SelPnt) {
        let numbers = |v: Vec3| v.0.map(|x| format!("{x:.3}")).join(" ");
        geom.set_label(&format!("{} (local {})", numbers(point), numbers(p.pert.localpos)));
    }
    p.push(geom);
}
