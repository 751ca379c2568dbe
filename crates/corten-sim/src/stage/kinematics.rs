//! Poses of bodies and of everything attached to them.
//!
//! Reads `qpos`, mocap poses and the frames of the model; writes `xpos xquat xmat xipos ximat`,
//! `xanchor xaxis`, and the poses of geoms, sites, cameras and lights. Answers to `mj_kinematics`
//! and `mj_camlight`.
//!
//! Orientations are carried down the tree as quaternions, normalised at every body, and turned
//! into matrices once.

mod attachments;

use corten_math::{Mat3, Number, Quat, Vec3, sin_cos_all, wide};
use corten_model::enums::{CamLightMode, JointType, SleepState};

use super::point;
use crate::awake::Selection;
use crate::chain::index;
use crate::data::smooth::{Smooth, SmoothState, dispatch_sleep};
use crate::prepared::structure::{Body, Joint};
use crate::{Data, Model, sleep};

/// Body, joint, geom and site poses.
pub fn kinematics(m: &Model, d: &mut Data) {
    dispatch_sleep!(kinematics_kernel(m, d));
}

wide! {
    /// [`kinematics`] of any worlds.
    pub(crate) fn kinematics_kernel[W: SmoothState](m: &Model, state: &mut W) {
        if m.nbody > 0 {
            bodies(m, state.smooth::<Simd>(m));
            state.wake(m);
        }
        attachments::attachments::<Simd, _>(m, state.smooth::<Simd>(m));
    }

    /// Poses of bodies, joints and inertial frames.
    pub(crate) fn body_frames_kernel[W: SmoothState](m: &Model, state: &mut W) {
        if m.nbody > 0 {
            bodies(m, state.smooth::<Simd>(m));
            attachments::inertial_frames(m, &mut state.smooth::<Simd>(m));
        }
    }

    /// Poses of geoms and sites, given [`body_frames_kernel`].
    pub(crate) fn geoms_and_sites_kernel[W: SmoothState](m: &Model, state: &mut W) {
        attachments::geoms_and_sites(m, &mut state.smooth::<Simd>(m));
    }
}

/// Poses of bodies, anchors and axes of joints.
#[inline(always)]
fn bodies<T: Number>(m: &Model, mut v: Smooth<'_, T>) {
    v.xpos[0] = Vec3::of(Vec3::ZERO);
    v.xquat[0] = Quat::of(Quat::IDENTITY);
    v.xmat[0] = Mat3::of(Mat3::IDENTITY);
    v.xipos[0] = Vec3::of(Vec3::ZERO);
    v.ximat[0] = Mat3::of(Mat3::IDENTITY);

    let s = v.structure;
    let [half_sin, half_cos] = &mut v.half_angle;
    {
        let angle = |k: usize| {
            let q = s.hinges[k / T::LANES] as usize;
            0.5 * (v.qpos[q].lane(k % T::LANES) - m.qpos0[q])
        };
        let count = s.hinges.len();
        let sin: &mut [f64] = bytemuck::cast_slice_mut(&mut half_sin[..count]);
        let cos: &mut [f64] = bytemuck::cast_slice_mut(&mut half_cos[..count]);
        sin_cos_all(angle, sin, cos);
    }

    let (n, njnt) = (m.nbody, s.joints.len());
    let (xpos, xquat, xmat) = (&mut v.xpos[..n], &mut v.xquat[..n], &mut v.xmat[..n]);
    let (body_pos, body_quat, mocapid) =
        (&m.body_pos[..n], &m.body_quat[..n], &m.body_mocapid[..n]);
    let mut joints = Joints {
        m,
        joints: &s.joints,
        qpos: v.qpos,
        half_angle: [half_sin, half_cos],
        axes: &m.jnt_axis[..njnt],
        anchors: &m.jnt_pos[..njnt],
        xanchor: &mut v.xanchor[..njnt],
        xaxis: &mut v.xaxis[..njnt],
    };
    let sleeping = v.sleeping;
    let nodes = &s.bodies[..n];
    // Sleepers, too, where they may have been moved.
    let all = Selection::all(n).without_world();
    let all = match &v.sleepers {
        _ if !sleeping => v.jointed,
        Some((lists, memory)) => lists.posed(memory, bytemuck::cast_slice(v.qpos)).unwrap_or(all),
        None => all,
    };
    let mut moved = false;
    for i in all.iter() {
        let node = &nodes[i];
        if sleeping && v.body_awake[i] == SleepState::Static.raw() {
            continue;
        }
        let (pos, quat) = match joints.free(node) {
            Some(pose) => pose,
            None => {
                let (mut pos, mut quat) = (Vec3::of(body_pos[i]), Quat::of(body_quat[i]));
                if mocapid[i] >= 0
                    && let Some(p) = v.mocap_pos.get(mocapid[i] as usize)
                    && let Some(q) = v.mocap_quat.get(mocapid[i] as usize)
                {
                    (pos, quat) = (*p, q.normalized());
                }
                let parent = node.parent as usize;
                if parent != 0 {
                    pos = xmat[parent] * pos + xpos[parent];
                    quat = xquat[parent] * quat;
                }
                joints.apply(node, pos, quat)
            }
        };
        if sleeping && v.body_awake[i] == SleepState::Asleep.raw() && !node.joints().is_empty() {
            if pos == xpos[i] && quat == xquat[i] {
                continue;
            }
            // The user has moved a sleeping body: mark its tree for waking.
            if let Some(tree) = v.tree_awake.get_mut(m.body_treeid[i] as usize) {
                *tree = 1;
                moved = true;
            }
        }
        xpos[i] = pos;
        xquat[i] = quat;
        xmat[i] = quat.to_mat();
    }
    if let Some((_, memory)) = &mut v.sleepers {
        memory.moved |= moved;
        if all.list().is_none() {
            memory.remember(bytemuck::cast_slice(v.qpos));
        }
    }
    point::poses(m, &mut v);
}

/// Positions of joints, and where their anchors and axes go.
struct Joints<'a, T> {
    m: &'a Model,
    joints: &'a [Joint],
    qpos: &'a [T],
    /// Sine and cosine of half the angle of each hinge.
    half_angle: [&'a [T]; 2],
    axes: &'a [Vec3],
    anchors: &'a [Vec3],
    xanchor: &'a mut [Vec3<T>],
    xaxis: &'a mut [Vec3<T>],
}

impl<T: Number> Joints<'_, T> {
    /// The pose of a body that has a free joint.
    #[inline(always)]
    fn free(&mut self, node: &Body) -> Option<(Vec3<T>, Quat<T>)> {
        if !node.free {
            return None;
        }
        let j = node.joints().start;
        let q = self.qpos[self.joints[j].qpos()..].first_chunk::<7>()?;
        let pos = Vec3([q[0], q[1], q[2]]);
        self.xanchor[j] = pos;
        self.xaxis[j] = Vec3::of(self.axes[j]);
        Some((pos, Quat([q[3], q[4], q[5], q[6]]).normalized()))
    }

    /// Moves a body from its pose relative to the parent by its joints, one after the other.
    #[inline(always)]
    fn apply(&mut self, node: &Body, mut pos: Vec3<T>, mut quat: Quat<T>) -> (Vec3<T>, Quat<T>) {
        for j in node.joints() {
            let joint = &self.joints[j];
            let off_centre = !self.anchors[j].is_zero();
            let (local_axis, local_anchor) = (Vec3::of(self.axes[j]), Vec3::of(self.anchors[j]));
            let axis = quat.rotate(local_axis);
            let mut anchor = pos;
            if off_centre {
                anchor += quat.rotate(local_anchor);
            }
            let q = joint.qpos();
            match joint.kind {
                JointType::Hinge => {
                    let hinge = joint.hinge as usize;
                    let (sin, cos) = (self.half_angle[0][hinge], self.half_angle[1][hinge]);
                    let [x, y, z] = local_axis.0;
                    quat = quat * Quat([cos, x * sin, y * sin, z * sin]);
                }
                JointType::Ball => {
                    quat = quat * Quat::from_slice(&self.qpos[q..q + 4]).normalized();
                }
                JointType::Slide => pos += axis * (self.qpos[q] - T::splat(self.m.qpos0[q])),
                // A free joint is alone on its body.
                JointType::Free => {}
            }
            // The anchor stays in place while the body turns about it.
            if off_centre && joint.kind != JointType::Slide {
                pos = anchor - quat.rotate(local_anchor);
            }
            self.xanchor[j] = anchor;
            self.xaxis[j] = axis;
        }
        (pos, quat.normalized())
    }
}

/// The frame of a body in the world.
struct BodyFrame<'a, T = f64> {
    pos: &'a Vec3<T>,
    quat: &'a Quat<T>,
    mat: &'a Mat3<T>,
}

impl<'a> BodyFrame<'a> {
    #[inline]
    fn of(xpos: &'a [Vec3], xquat: &'a [Quat], xmat: &'a [Mat3], body: usize) -> BodyFrame<'a> {
        BodyFrame { pos: &xpos[body], quat: &xquat[body], mat: &xmat[body] }
    }
}

impl<T: Number> BodyFrame<'_, T> {
    #[inline(always)]
    fn position(&self, local: &Vec3) -> Vec3<T> {
        *self.mat * Vec3::of(*local) + *self.pos
    }

    #[inline(always)]
    fn orientation(&self, local: &Quat) -> Mat3<T> {
        (*self.quat * Quat::of(*local)).to_mat()
    }
}

/// Camera and light poses.
pub fn cameras_and_lights(m: &Model, d: &mut Data) {
    if m.ncam + m.nlight == 0 {
        return;
    }
    let filter = sleep::filters(m, d);
    for k in 0..m.ncam {
        camera(m, d, k, filter);
    }
    for k in 0..m.nlight {
        light(m, d, k, filter);
    }
}

// By itself, as lights: the loop would load what any mode may need.
#[inline(never)]
fn camera(m: &Model, d: &mut Data, k: usize, filter: bool) {
    let Some(body) = index(m.cam_bodyid[k], m.nbody) else { return };
    let target = index(m.cam_targetbodyid[k], m.nbody);
    if filter && at_rest(d, body, target) {
        return;
    }
    let (pos, mat) = (&mut d.cam_xpos[k], &mut d.cam_xmat[k]);
    let frame = BodyFrame::of(&d.xpos, &d.xquat, &d.xmat, body);
    match (CamLightMode::from_raw(m.cam_mode[k]), target) {
        (Some(CamLightMode::Track), _) => {
            *pos = d.xpos[body] + m.cam_pos0[k];
            *mat = m.cam_mat0[k];
        }
        (Some(CamLightMode::TrackCom), _) => {
            *pos = d.subtree_com[body] + m.cam_poscom0[k];
            *mat = m.cam_mat0[k];
        }
        (Some(CamLightMode::TargetBody), Some(target)) => {
            *pos = frame.position(&m.cam_pos[k]);
            *mat = looking_at(*pos, d.xpos[target]);
        }
        (Some(CamLightMode::TargetBodyCom), Some(target)) => {
            *pos = frame.position(&m.cam_pos[k]);
            *mat = looking_at(*pos, d.subtree_com[target]);
        }
        _ => {
            *pos = frame.position(&m.cam_pos[k]);
            *mat = frame.orientation(&m.cam_quat[k]);
        }
    }
}

#[inline(never)]
fn light(m: &Model, d: &mut Data, k: usize, filter: bool) {
    let Some(body) = index(m.light_bodyid[k], m.nbody) else { return };
    let mode = m.light_mode[k];
    if body == 0 && mode == CamLightMode::Fixed.raw() && !filter {
        // The frame of the world leaves everything as it is.
        d.light_xpos[k] = m.light_pos[k] + Vec3::ZERO;
        d.light_xdir[k] = m.light_dir[k].normalized().0;
        return;
    }
    let target = index(m.light_targetbodyid[k], m.nbody);
    if filter && at_rest(d, body, target) {
        return;
    }
    let (pos, dir) = match (CamLightMode::from_raw(mode), target) {
        (Some(CamLightMode::Track), _) => (d.xpos[body] + m.light_pos0[k], m.light_dir0[k]),
        (Some(CamLightMode::TrackCom), _) => {
            (d.subtree_com[body] + m.light_poscom0[k], m.light_dir0[k])
        }
        (mode, target) => {
            let frame = BodyFrame::of(&d.xpos, &d.xquat, &d.xmat, body);
            let pos = frame.position(&m.light_pos[k]);
            let dir = match (mode, target) {
                (Some(CamLightMode::TargetBody), Some(target)) => d.xpos[target] - pos,
                (Some(CamLightMode::TargetBodyCom), Some(target)) => d.subtree_com[target] - pos,
                _ => frame.quat.rotate(m.light_dir[k]),
            };
            (pos, dir)
        }
    };
    d.light_xpos[k] = pos;
    d.light_xdir[k] = dir.normalized().0;
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
