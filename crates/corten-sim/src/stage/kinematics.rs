//! Poses of bodies and of everything attached to them.
//!
//! Reads `qpos`, mocap poses and the frames of the model; writes `xpos xquat xmat xipos ximat`,
//! `xanchor xaxis`, and the poses of geoms, sites, cameras and lights. Answers to `mj_kinematics`
//! and `mj_camlight`.
//!
//! Orientations are carried down the tree as quaternions, normalised at every body, and turned
//! into matrices once.

use corten_math::{Mat3, Quat, Vec3};
use corten_model::Model;
use corten_model::enums::{CamLightMode, JointType, SameFrame, SleepState};

use crate::{Data, awake, sleep};

/// Body, joint, geom and site poses.
pub fn kinematics(m: &Model, d: &mut Data) {
    bodies(m, d);
    if sleep::wake(m, d) {
        sleep::update(m, d);
    }
    attachments(m, d);
}

/// Poses of bodies, anchors and axes of joints.
fn bodies(m: &Model, d: &mut Data) {
    if m.nbody == 0 {
        return;
    }
    d.xpos[0] = Vec3::ZERO;
    d.xquat[0] = Quat::IDENTITY;
    d.xmat[0] = Mat3::IDENTITY;
    d.xipos[0] = Vec3::ZERO;
    d.ximat[0] = Mat3::IDENTITY;

    let sleeping = sleep::enabled(m);
    for i in 1..m.nbody {
        if sleeping && d.body_awake[i] == SleepState::Static.raw() {
            continue;
        }
        let (pos, quat) = body_pose(m, d, i);
        if sleeping && d.body_awake[i] == SleepState::Asleep.raw() && m.body_jntnum[i] != 0 {
            if pos == d.xpos[i] && quat == d.xquat[i] {
                continue;
            }
            // The user has moved a sleeping body: mark its tree for waking.
            if let Some(tree) = d.tree_awake.get_mut(m.body_treeid[i] as usize) {
                *tree = 1;
            }
        }
        d.xpos[i] = pos;
        d.xquat[i] = quat;
        d.xmat[i] = quat.to_mat();
    }
}

/// The pose of one body, from its parent's; sets anchors and axes of its joints.
#[inline]
fn body_pose(m: &Model, d: &mut Data, i: usize) -> (Vec3, Quat) {
    let s = &*d.scratch.structure;
    let node = &s.bodies[i];
    let joints = node.joints();

    if let [joint] = &s.joints[joints.clone()]
        && joint.kind == JointType::Free
    {
        let q = &d.qpos[joint.qpos()..joint.qpos() + 7];
        let pos = Vec3::from_slice(q);
        d.xanchor[joints.start] = pos;
        d.xaxis[joints.start] = m.jnt_axis[joints.start];
        return (pos, Quat::from_slice(&q[3..]).normalized());
    }

    let mocap = usize::try_from(m.body_mocapid[i]).ok().filter(|&k| k < m.nmocap);
    let (local_pos, local_quat) = match mocap {
        Some(k) => (d.mocap_pos[k], d.mocap_quat[k].normalized()),
        None => (m.body_pos[i], m.body_quat[i]),
    };
    let parent = node.parent as usize;
    let (mut pos, mut quat) = if parent == 0 {
        (local_pos, local_quat)
    } else {
        (d.xmat[parent] * local_pos + d.xpos[parent], d.xquat[parent] * local_quat)
    };

    for j in joints {
        let joint = s.joints[j];
        let axis = quat.rotate(m.jnt_axis[j]);
        let anchor = if m.jnt_pos[j] == Vec3::ZERO { pos } else { quat.rotate(m.jnt_pos[j]) + pos };
        let q = joint.qpos();
        let rotation = match joint.kind {
            JointType::Slide => {
                pos += axis * (d.qpos[q] - m.qpos0[q]);
                None
            }
            JointType::Ball => Some(Quat::from_slice(&d.qpos[q..q + 4]).normalized()),
            JointType::Hinge => Some(Quat::from_axis_angle(m.jnt_axis[j], d.qpos[q] - m.qpos0[q])),
            // A free joint is alone on its body.
            JointType::Free => None,
        };
        if let Some(rotation) = rotation {
            quat = quat * rotation;
            // The anchor stays in place while the body turns about it.
            if m.jnt_pos[j] != Vec3::ZERO {
                pos = anchor - quat.rotate(m.jnt_pos[j]);
            }
        }
        d.xanchor[j] = anchor;
        d.xaxis[j] = axis;
    }
    (pos, quat.normalized())
}

/// Poses of inertial frames, geoms and sites.
fn attachments(m: &Model, d: &mut Data) {
    let filter = sleep::filters(m, d);
    for i in awake::bodies!(m, d).iter() {
        let frame = BodyFrame::of(&d.xpos, &d.xquat, &d.xmat, i);
        let same = m.body_sameframe[i];
        d.xipos[i] = frame.position(same, m.body_ipos[i], Vec3::ZERO);
        d.ximat[i] = frame.orientation(same, m.body_iquat[i], &Mat3::IDENTITY);
    }

    let s = &*d.scratch.structure;
    let selected = awake::select(filter, &d.body_awake_ind, d.nbody_awake, m.nbody);
    for i in selected.iter() {
        let geoms = s.bodies[i].geoms();
        if geoms.is_empty() || filter && d.body_awake[i] != SleepState::Awake.raw() {
            continue;
        }
        let frame = BodyFrame::of(&d.xpos, &d.xquat, &d.xmat, i);
        let (xipos, ximat) = (d.xipos[i], d.ximat[i]);
        for g in geoms {
            let same = m.geom_sameframe[g];
            d.geom_xpos[g] = frame.position(same, m.geom_pos[g], xipos);
            d.geom_xmat[g] = frame.orientation(same, m.geom_quat[g], &ximat);
        }
    }

    for k in 0..m.nsite {
        let i = m.site_bodyid[k] as usize;
        if i >= m.nbody || filter && d.body_awake[i] != SleepState::Awake.raw() {
            continue;
        }
        let frame = BodyFrame::of(&d.xpos, &d.xquat, &d.xmat, i);
        let same = m.site_sameframe[k];
        d.site_xpos[k] = frame.position(same, m.site_pos[k], d.xipos[i]);
        d.site_xmat[k] = frame.orientation(same, m.site_quat[k], &d.ximat[i]);
    }
}

/// The frame of a body in the world.
struct BodyFrame<'a> {
    pos: Vec3,
    quat: Quat,
    mat: &'a Mat3,
}

impl<'a> BodyFrame<'a> {
    #[inline]
    fn of(xpos: &[Vec3], xquat: &[Quat], xmat: &'a [Mat3], body: usize) -> BodyFrame<'a> {
        BodyFrame { pos: xpos[body], quat: xquat[body], mat: &xmat[body] }
    }

    /// World position of a local point; `same` tells which frame it coincides with.
    #[inline]
    fn position(&self, same: u8, local: Vec3, inertial: Vec3) -> Vec3 {
        match SameFrame::from_raw(same.into()) {
            Some(SameFrame::Body) => self.pos,
            Some(SameFrame::Inertia) => inertial,
            _ => *self.mat * local + self.pos,
        }
    }

    /// World orientation of a local frame; `same` tells which frame it is aligned with.
    #[inline]
    fn orientation(&self, same: u8, local: Quat, inertial: &Mat3) -> Mat3 {
        match SameFrame::from_raw(same.into()) {
            Some(SameFrame::Body | SameFrame::BodyRot) => *self.mat,
            Some(SameFrame::Inertia | SameFrame::InertiaRot) => *inertial,
            _ => (self.quat * local).to_mat(),
        }
    }
}

/// Camera and light poses.
pub fn cameras_and_lights(m: &Model, d: &mut Data) {
    let filter = sleep::filters(m, d);
    let valid = |body: i32| usize::try_from(body).ok().filter(|&b| b < m.nbody);
    for k in 0..m.ncam {
        let Some(body) = valid(m.cam_bodyid[k]) else { continue };
        let target = valid(m.cam_targetbodyid[k]);
        if filter && at_rest(d, body, target) {
            continue;
        }
        let frame = BodyFrame::of(&d.xpos, &d.xquat, &d.xmat, body);
        let mut pos = frame.position(0, m.cam_pos[k], Vec3::ZERO);
        let mut mat = frame.orientation(0, m.cam_quat[k], &Mat3::IDENTITY);
        match CamLightMode::from_raw(m.cam_mode[k]) {
            Some(CamLightMode::Track) => {
                mat = m.cam_mat0[k];
                pos = d.xpos[body] + m.cam_pos0[k];
            }
            Some(CamLightMode::TrackCom) => {
                mat = m.cam_mat0[k];
                pos = d.subtree_com[body] + m.cam_poscom0[k];
            }
            Some(CamLightMode::TargetBody) => {
                if let Some(target) = target {
                    mat = looking_at(pos, d.xpos[target]);
                }
            }
            Some(CamLightMode::TargetBodyCom) => {
                if let Some(target) = target {
                    mat = looking_at(pos, d.subtree_com[target]);
                }
            }
            _ => {}
        }
        d.cam_xpos[k] = pos;
        d.cam_xmat[k] = mat;
    }

    for k in 0..m.nlight {
        let Some(body) = valid(m.light_bodyid[k]) else { continue };
        let target = valid(m.light_targetbodyid[k]);
        if filter && at_rest(d, body, target) {
            continue;
        }
        let frame = BodyFrame::of(&d.xpos, &d.xquat, &d.xmat, body);
        let mut pos = frame.position(0, m.light_pos[k], Vec3::ZERO);
        let mut dir = frame.quat.rotate(m.light_dir[k]);
        match CamLightMode::from_raw(m.light_mode[k]) {
            Some(CamLightMode::Track) => {
                dir = m.light_dir0[k];
                pos = d.xpos[body] + m.light_pos0[k];
            }
            Some(CamLightMode::TrackCom) => {
                dir = m.light_dir0[k];
                pos = d.subtree_com[body] + m.light_poscom0[k];
            }
            Some(CamLightMode::TargetBody) => {
                if let Some(target) = target {
                    dir = d.xpos[target] - pos;
                }
            }
            Some(CamLightMode::TargetBodyCom) => {
                if let Some(target) = target {
                    dir = d.subtree_com[target] - pos;
                }
            }
            _ => {}
        }
        d.light_xpos[k] = pos;
        d.light_xdir[k] = dir.normalized().0;
    }
}

/// Whether neither the carrier nor the target can have moved.
fn at_rest(d: &Data, body: usize, target: Option<usize>) -> bool {
    let awake = |b: usize| d.body_awake[b] == SleepState::Awake.raw();
    !awake(body) && !target.is_some_and(awake)
}

/// Orientation of a camera at `pos` that looks at `target`: it looks along −z, its x axis is
/// horizontal.
fn looking_at(pos: Vec3, target: Vec3) -> Mat3 {
    let (z, _) = (pos - target).normalized();
    let (x, _) = Vec3::Z.cross(z).normalized();
    let (y, _) = z.cross(x).normalized();
    Mat3::from_columns(x, y, z)
}
