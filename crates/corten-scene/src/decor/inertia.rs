//! Boxes or ellipsoids with the inertia of bodies.

use corten_math::real::powf;
use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::{GeomType, ObjType};

use super::{Painter, label, material};
use crate::enums::{Label, VisFlag};

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::Inertia) {
        return;
    }
    let ellipsoid = p.m.vis.global.ellipsoidinertia == 1;
    for i in 1..p.m.nbody {
        if p.m.body_mass[i] <= MIN_VAL || !p.wants(p.category(i as i32)) {
            continue;
        }
        let size = half_sizes(p, i, ellipsoid);
        let kind = if ellipsoid { GeomType::Ellipsoid } else { GeomType::Box };
        let mut geom = p.decor(ObjType::Body, i);
        let (pos, mat, rgba) = (p.d.xipos[i], p.d.ximat[i], p.m.vis.rgba.inertia);
        geom.init(kind.raw(), Some(size), Some(pos), Some(mat), Some(rgba));
        let selected = p.pert.select == i as i32;
        if selected {
            material::glow(p, &mut geom);
        }
        if p.opt.labels(Label::Body) || (p.opt.labels(Label::Selection) && selected) {
            geom.set_label(&label::name(p, ObjType::Body, i));
        }
        p.push(geom);
    }
}

/// Half sizes of a shape of uniform density: the moment about one axis is the mass times the sum of
/// the other two squared half sizes, over 3 for a box and over 5 for an ellipsoid. Scaled to the
/// density of water if asked for.
fn half_sizes(p: &Painter<'_>, body: usize, ellipsoid: bool) -> Vec3 {
    let (mass, moments) = (p.m.body_mass[body], p.m.body_inertia[body]);
    let sum = moments[0] + moments[1] + moments[2];
    let shape = if ellipsoid { 5f64 } else { 3f64 };
    let half = |k: usize| ((sum - 2.0 * moments[k]) / (2.0 * mass)).sqrt() * shape.sqrt();
    let size = Vec3([half(0), half(1), half(2)]);
    if !p.has(VisFlag::SclInertia) {
        return size;
    }
    let unit = if ellipsoid { 4.0 / 3.0 * std::f64::consts::PI } else { 8.0 };
    let density = mass / (unit * size[0] * size[1] * size[2]).max(MIN_VAL);
    size * powf(density * 0.001, 1.0 / 3.0)
}
