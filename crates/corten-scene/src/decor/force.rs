//! Forces that are applied to bodies, as arrows.

use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::ObjType;

use super::Painter;
use crate::enums::VisFlag;
use crate::geom::Connector;

pub fn add(p: &mut Painter<'_>) {
    if !p.has(VisFlag::PertForce) {
        return;
    }
    for i in 1..p.m.nbody {
        // Applied forces have the force first.
        let force = Vec3::from_slice(&p.d.xfrc_applied[i].0);
        if force.norm() <= MIN_VAL {
            continue;
        }
        let from = p.d.xipos[i];
        let to = from + force * length_per_force(p);
        let width = f64::from(p.m.vis.scale.forcewidth) * p.unit;
        let rgba = p.m.vis.rgba.force;
        p.push_connector(p.decor(ObjType::Unknown, i), Connector::Arrow, width, [from, to], rgba);
    }
}

/// Length of an arrow per force.
pub fn length_per_force(p: &Painter<'_>) -> f64 {
    f64::from(p.m.vis.map.force) / p.m.stat.meanmass
}
