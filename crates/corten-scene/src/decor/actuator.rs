//! Actuators: what they act on, coloured by control or activation.

use corten_math::{MIN_VAL, Mat3, Vec3};
use corten_model::enums::{GeomType, JointType, ObjType, Transmission};
use corten_sim::stage::actuation::is_disabled;

use super::{At, Painter, label, material, tendon};
use crate::enums::{Label, VisFlag};
use crate::geom::{Connector, Geom};
use crate::option::group_shown;

/// Sites and geoms that an actuator acts on are shown larger by this factor, to cover them.
const INFLATION: f64 = 1.05;

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::Actuator) {
        return;
    }
    for i in 0..p.m.nu {
        if !group_shown(&p.opt.actuatorgroup, p.m.actuator_group[i]) || is_disabled(p.m, i) {
            continue;
        }
        let rgba = color(p, i);
        let target = p.m.actuator_trnid[i][0];
        match Transmission::from_raw(p.m.actuator_trntype[i]) {
            Some(Transmission::Joint | Transmission::JointInParent) => {
                on_joint(p, i, target, rgba);
            }
            Some(Transmission::Site) => {
                on_site(p, i, target, rgba);
            }
            Some(Transmission::Body) => {
                on_body(p, i, target, rgba);
            }
            Some(Transmission::Tendon) => on_tendon(p, i, target, rgba),
            _ => {}
        }
    }
}

/// From the negative through the neutral to the positive colour, over the range of the control.
fn color(p: &Painter<'_>, i: usize) -> [f32; 4] {
    let m = p.m;
    let activation = p.has(VisFlag::Activation);
    let [min, max] = if m.actuator_ctrllimited[i] != 0 {
        m.actuator_ctrlrange[i]
    } else if activation && m.actuator_actlimited[i] != 0 {
        m.actuator_actrange[i]
    } else {
        [-1.0, 1.0]
    };
    let [mut low, middle, mut high] = if min >= 0.0 {
        [-1.0, min, max]
    } else if max <= 0.0 {
        [min, max, 1.0]
    } else {
        [min, 0.0, max]
    };
    if middle - low < MIN_VAL {
        low = middle - MIN_VAL;
    }
    if high - middle < MIN_VAL {
        high = middle + MIN_VAL;
    }
    let last = m.actuator_actadr[i].saturating_add(m.actuator_actnum[i] - 1);
    let value = match p.d.act.at(last) {
        Some(act) if activation && m.actuator_dyntype[i] != 0 => *act,
        _ => p.d.ctrl[i],
    };
    let value = value.max(low).min(high);
    let (negative, positive) = if value <= middle {
        (((middle - value) / (middle - low).max(MIN_VAL)) as f32, 0.0)
    } else {
        (0.0, ((value - middle) / (high - middle).max(MIN_VAL)) as f32)
    };
    let colors = &m.vis.rgba;
    std::array::from_fn(|k| {
        negative * colors.actuatornegative[k]
            + (1.0 - negative - positive) * colors.actuator[k]
            + positive * colors.actuatorpositive[k]
    })
}

fn on_joint(p: &mut Painter<'_>, i: usize, joint: i32, rgba: [f32; 4]) -> Option<()> {
    let kind = JointType::from_raw(*p.m.jnt_type.at(joint)?)?;
    let scale = &p.m.vis.scale;
    let length = f64::from(scale.actuatorlength) * p.unit;
    let width = f64::from(scale.actuatorwidth) * p.unit;
    let half = f64::from(scale.jointlength) * p.unit * 0.33;
    let (anchor, axis) = (*p.d.xanchor.at(joint)?, *p.d.xaxis.at(joint)?);
    let mut geom = p.decor(ObjType::Actuator, i);
    match kind {
        JointType::Slide => geom.connect(Connector::Arrow, width, anchor, anchor + axis * length),
        JointType::Hinge => geom.connect(Connector::Arrow1, width, anchor, anchor + axis * length),
        JointType::Ball | JointType::Free => {
            let shape = if kind == JointType::Ball { GeomType::Sphere } else { GeomType::Box };
            let mat = *p.d.xmat.at(*p.m.jnt_bodyid.at(joint)?)?;
            geom.init(shape.raw(), Some(Vec3::splat(half)), Some(anchor), Some(mat), None);
        }
    }
    finish(p, geom, i, rgba);
    Some(())
}

fn on_site(p: &mut Painter<'_>, i: usize, site: i32, rgba: [f32; 4]) -> Option<()> {
    let (kind, size) = (*p.m.site_type.at(site)?, *p.m.site_size.at(site)?);
    let place = (*p.d.site_xpos.at(site)?, *p.d.site_xmat.at(site)?);
    let geom = inflated(p.decor(ObjType::Actuator, i), kind, size, place);
    finish(p, geom, i, rgba);
    Some(())
}

/// The body's geoms that are no meshes and so on.
fn on_body(p: &mut Painter<'_>, i: usize, body: i32, rgba: [f32; 4]) -> Option<()> {
    let first = usize::try_from(*p.m.body_geomadr.at(body)?).ok()?;
    let count = usize::try_from(*p.m.body_geomnum.at(body)?).ok()?;
    for k in first..first.saturating_add(count).min(p.m.ngeom) {
        let kind = p.m.geom_type[k];
        use GeomType::{HField, Mesh, Plane, Sdf};
        if matches!(GeomType::from_raw(kind), Some(Plane | HField | Mesh | Sdf)) {
            continue;
        }
        let place = (p.d.geom_xpos[k], p.d.geom_xmat[k]);
        let geom = inflated(p.decor(ObjType::Actuator, i), kind, p.m.geom_size[k], place);
        p.push(Geom { rgba, ..geom });
    }
    Some(())
}

fn inflated(mut geom: Geom, kind: i32, size: Vec3, (pos, mat): (Vec3, Mat3)) -> Geom {
    geom.init(kind, Some(size * INFLATION), Some(pos), Some(mat), None);
    geom
}

/// The tendon's path, thicker.
fn on_tendon(p: &mut Painter<'_>, i: usize, target: i32, rgba: [f32; 4]) {
    let Some(tendon) = usize::try_from(target).ok().filter(|t| *t < p.m.ntendon) else { return };
    let factor = f64::from(p.m.vis.map.actuatortendon);
    for segment in tendon::segments(p, tendon) {
        let mut geom = p.decor(ObjType::Actuator, i);
        let [from, to] = segment.ends;
        geom.connect(Connector::Capsule, segment.width * factor, from, to);
        material::apply(p, &mut geom, p.m.tendon_matid[tendon], p.m.tendon_rgba[tendon]);
        geom.rgba = rgba;
        if segment.first {
            label::put(p, &mut geom, Label::Actuator, ObjType::Actuator, i);
        }
        p.push(geom);
    }
}

fn finish(p: &mut Painter<'_>, geom: Geom, i: usize, rgba: [f32; 4]) {
    let mut geom = Geom { rgba, ..geom };
    label::put(p, &mut geom, Label::Actuator, ObjType::Actuator, i);
    p.push(geom);
}
