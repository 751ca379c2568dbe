//! Velocities and accelerations of objects with a frame.

use corten_math::{Mat3, Quat, Spatial, Vec3};
use corten_model::enums::{ObjType, SameFrame};

use crate::{Data, Model};

/// Body, position and orientation of an object.
pub(crate) struct Frame<'a> {
    pub body: usize,
    pub pos: Vec3,
    pub mat: &'a Mat3,
}

/// The frame of an object; `None` for kinds without one, and for objects that do not exist.
pub(crate) fn object_frame<'a>(
    m: &Model,
    d: &'a Data,
    kind: ObjType,
    id: usize,
) -> Option<Frame<'a>> {
    let (body, pos, mat) = match kind {
        ObjType::Body => (id, d.xipos.get(id)?, d.ximat.get(id)?),
        ObjType::Xbody => (id, d.xpos.get(id)?, d.xmat.get(id)?),
        ObjType::Geom => {
            (*m.geom_bodyid.get(id)? as usize, d.geom_xpos.get(id)?, d.geom_xmat.get(id)?)
        }
        ObjType::Site => {
            (*m.site_bodyid.get(id)? as usize, d.site_xpos.get(id)?, d.site_xmat.get(id)?)
        }
        ObjType::Camera => {
            (*m.cam_bodyid.get(id)? as usize, d.cam_xpos.get(id)?, d.cam_xmat.get(id)?)
        }
        _ => return None,
    };
    (body < m.nbody).then_some(Frame { body, pos: *pos, mat })
}

/// A spatial motion of the object's body, measured at the object; in its own axes if `local`.
fn at_object(d: &Data, frame: &Frame<'_>, motion: &Spatial, local: bool) -> Spatial {
    let root = d.prepared.structure.bodies[frame.body].root as usize;
    let motion = motion.motion_at(frame.pos, d.subtree_com[root]);
    if local { motion.in_frame(frame.mat) } else { motion }
}

/// Velocity of an object: angular, then linear, measured at it; in its own axes if `local`
/// (`mj_objectVelocity`).
pub fn object_velocity(
    m: &Model,
    d: &Data,
    kind: ObjType,
    id: usize,
    local: bool,
) -> Option<Spatial> {
    let frame = object_frame(m, d, kind, id)?;
    if m.body_weldid[frame.body] == 0 {
        return Some(Spatial::ZERO);
    }
    Some(at_object(d, &frame, &d.cvel[frame.body], local))
}

/// Acceleration of an object, gravity included as an upward acceleration; needs `cacc`
/// (`mj_objectAcceleration`).
pub fn object_acceleration(
    m: &Model,
    d: &Data,
    kind: ObjType,
    id: usize,
    local: bool,
) -> Option<Spatial> {
    let frame = object_frame(m, d, kind, id)?;
    if m.body_weldid[frame.body] == 0 {
        return Some(Spatial::ZERO);
    }
    let acc = at_object(d, &frame, &d.cacc[frame.body], local);
    let vel = at_object(d, &frame, &d.cvel[frame.body], local);
    // From the spatial acceleration to that of the point which moves with the body.
    Some(Spatial::new(acc.rot(), acc.lin() + vel.rot().cross(vel.lin())))
}

/// World pose of a frame given relative to a body; `same` tells which frame of the body it
/// coincides with (`mj_local2Global`).
pub fn local_to_global(
    d: &Data,
    pos: Vec3,
    quat: Quat,
    body: usize,
    same: SameFrame,
) -> (Vec3, Mat3) {
    let xpos = match same {
        SameFrame::Body => d.xpos[body],
        SameFrame::Inertia => d.xipos[body],
        _ => d.xmat[body] * pos + d.xpos[body],
    };
    let xmat = match same {
        SameFrame::None => (d.xquat[body] * quat).to_mat(),
        SameFrame::Body | SameFrame::BodyRot => d.xmat[body],
        SameFrame::Inertia | SameFrame::InertiaRot => d.ximat[body],
    };
    (xpos, xmat)
}

/// Sum of all body masses (`mj_getTotalmass`).
pub fn total_mass(m: &Model) -> f64 {
    m.body_mass.iter().skip(1).sum()
}
