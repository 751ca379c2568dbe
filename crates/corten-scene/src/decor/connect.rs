//! Centres of mass, and the skeleton: lines between joints and centres of mass.

use corten_math::Vec3;
use corten_model::enums::{GeomType, ObjType};

use super::{At, Painter};
use crate::enums::VisFlag;
use crate::geom::{Connector, float3};

/// A sphere at the centre of mass of each tree.
pub fn centres_of_mass(p: &mut Painter<'_>) {
    if !p.has(VisFlag::Com) {
        return;
    }
    for i in 1..p.m.nbody {
        if p.m.body_rootid[i] != i as i32 {
            continue;
        }
        let mut geom = p.decor(ObjType::Unknown, i);
        geom.kind = GeomType::Sphere.raw();
        geom.size = [(p.unit * f64::from(p.m.vis.scale.com)) as f32; 3];
        geom.pos = float3(p.d.subtree_com[i]);
        geom.rgba = p.m.vis.rgba.com;
        p.push(geom);
    }
}

/// From the centre of mass of a body over its joints, last first, to that of its parent.
pub fn joints(p: &mut Painter<'_>) {
    if !p.has(VisFlag::AutoConnect) {
        return;
    }
    for i in 1..p.m.nbody {
        let parent = p.m.body_parentid[i];
        let Some(end) = p.d.xipos.at(parent).copied().filter(|_| parent != 0) else { continue };
        let mut at = p.d.xipos[i];
        let anchors = p.d.xanchor.span(p.m.body_jntadr[i], p.m.body_jntnum[i]);
        for anchor in anchors.iter().rev().copied().chain([end]) {
            link(p, i, [at, anchor]);
            at = anchor;
        }
    }
}

fn link(p: &mut Painter<'_>, body: usize, ends: [Vec3; 2]) {
    let width = p.unit * f64::from(p.m.vis.scale.connect);
    let rgba = p.m.vis.rgba.connect;
    p.push_connector(p.decor(ObjType::Unknown, body), Connector::Capsule, width, ends, rgba);
}
