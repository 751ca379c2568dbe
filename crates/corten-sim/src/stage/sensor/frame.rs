//! Position, orientation, velocity and acceleration of anything that has a frame.

use corten_math::{Mat3, Quat, Spatial, Vec3};
use corten_model::Model;
use corten_model::enums::ObjType;

use crate::Data;
use crate::chain::{self, index};

/// The pose of an object in the world, and the body that carries it.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub pos: Vec3,
    pub mat: Mat3,
    pub quat: Quat,
    pub body: usize,
}

/// The frame of a body (`Xbody`), body inertia (`Body`), geom, site or camera; `None` for other
/// types, or if there is no such object.
pub fn frame(m: &Model, d: &Data, kind: ObjType, id: i32) -> Option<Frame> {
    let attached = |bodies: &[i32], quats: &[Quat], pos: &[Vec3], mat: &[Mat3]| {
        let id = index(id, bodies.len())?;
        let body = index(bodies[id], m.nbody)?;
        Some(Frame { pos: pos[id], mat: mat[id], quat: d.xquat[body] * quats[id], body })
    };
    match kind {
        ObjType::Xbody => {
            let body = index(id, m.nbody)?;
            Some(Frame { pos: d.xpos[body], mat: d.xmat[body], quat: d.xquat[body], body })
        }
        ObjType::Body => {
            let body = index(id, m.nbody)?;
            let quat = d.xquat[body] * m.body_iquat[body];
            Some(Frame { pos: d.xipos[body], mat: d.ximat[body], quat, body })
        }
        ObjType::Geom => attached(&m.geom_bodyid, &m.geom_quat, &d.geom_xpos, &d.geom_xmat),
        ObjType::Site => attached(&m.site_bodyid, &m.site_quat, &d.site_xpos, &d.site_xmat),
        ObjType::Camera => attached(&m.cam_bodyid, &m.cam_quat, &d.cam_xpos, &d.cam_xmat),
        _ => None,
    }
}

/// Velocity at the origin of a frame, in world axes.
pub fn velocity(m: &Model, d: &Data, at: &Frame) -> Spatial {
    if m.body_weldid[at.body] == 0 {
        return Spatial::ZERO;
    }
    d.cvel[at.body].motion_at(at.pos, chain::reference(m, d, at.body as i32))
}

/// Acceleration at the origin of a frame, as an observer at rest sees it, in world axes; needs
/// the body accelerations `cacc`.
///
/// The spatial acceleration refers to a frame that is fixed in space; a point that moves through
/// it has the additional acceleration ω × v.
pub fn acceleration(m: &Model, d: &Data, at: &Frame) -> Spatial {
    if m.body_weldid[at.body] == 0 {
        return Spatial::ZERO;
    }
    let reference = chain::reference(m, d, at.body as i32);
    let acceleration = d.cacc[at.body].motion_at(at.pos, reference);
    let velocity = velocity(m, d, at);
    let turning = velocity.rot().cross(velocity.lin());
    Spatial::new(acceleration.rot(), acceleration.lin() + turning)
}
