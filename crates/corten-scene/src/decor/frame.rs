//! Frames of bodies, geoms and sites: three cylinders in red, green and blue.

use corten_math::{Mat3, Vec3};
use corten_model::enums::ObjType;

use super::{Painter, material};
use crate::enums::{Frame, VisFlag};
use crate::geom::Connector;
use crate::option::group_shown;

/// Adds a frame, `scale` times as large as usual.
pub fn push(p: &mut Painter<'_>, id: usize, pos: Vec3, mat: Mat3, scale: f64) {
    let length = f64::from(p.m.vis.scale.framelength) * p.unit * scale;
    let width = f64::from(p.m.vis.scale.framewidth) * p.unit * scale;
    for k in 0..3 {
        let mut rgba = [0.0, 0.0, 0.0, 1.0];
        rgba[k] = 0.9;
        let ends = [pos, pos + mat.col(k) * length];
        p.push_connector(p.decor(ObjType::Unknown, id), Connector::Cylinder, width, ends, rgba);
    }
}

pub fn of_geoms(p: &mut Painter<'_>) {
    if !p.opt.frames(Frame::Geom) {
        return;
    }
    for i in 0..p.m.ngeom {
        let visible = p.wants(p.category(p.m.geom_bodyid[i]))
            && group_shown(&p.opt.geomgroup, p.m.geom_group[i])
            && material::opacity(p, p.m.geom_matid[i], p.m.geom_rgba[i]) != 0.0;
        if visible {
            push(p, i, p.d.geom_xpos[i], p.d.geom_xmat[i], 1.0);
        }
    }
}

pub fn of_sites(p: &mut Painter<'_>) {
    if !p.opt.frames(Frame::Site) {
        return;
    }
    for i in 0..p.m.nsite {
        let visible = p.wants(p.category(p.m.site_bodyid[i]))
            && group_shown(&p.opt.sitegroup, p.m.site_group[i])
            && material::opacity(p, p.m.site_matid[i], p.m.site_rgba[i]) != 0.0;
        if visible {
            push(p, i, p.d.site_xpos[i], p.d.site_xmat[i], 1.0);
        }
    }
}

/// The world's frame, twice as large, or those of the other bodies; inertial frames if these are shown.
pub fn of_bodies(p: &mut Painter<'_>) {
    let bodies = if p.opt.frames(Frame::World) {
        0..1
    } else if p.opt.frames(Frame::Body) {
        1..p.m.nbody
    } else {
        return;
    };
    for i in bodies {
        if i > 0 && !p.wants(p.category(i as i32)) {
            continue;
        }
        let (pos, mat) = if p.has(VisFlag::Inertia) {
            (p.d.xipos[i], p.d.ximat[i])
        } else {
            (p.d.xpos[i], p.d.xmat[i])
        };
        push(p, i, pos, mat, if i == 0 { 2.0 } else { 1.0 });
    }
}
