//! Arithmetic of configurations: positions live on a manifold, whose tangent are velocities.

use corten_math::{Number, Quat, Vec3};
use corten_model::enums::JointType;

use crate::Model;
use crate::awake::Selection;
use crate::prepared::structure::{Joint, Structure, model_joint};

/// `qpos ← qpos ⊕ dt·qvel` (`mj_integratePos`).
pub fn integrate_pos(m: &Model, qpos: &mut [f64], qvel: &[f64], dt: f64) {
    for joint in (0..m.njnt).filter_map(|j| model_joint(m, j)) {
        integrate_joint(&joint, qpos, qvel, dt);
    }
}

/// [`integrate_pos`] for the joints of some bodies.
#[inline(always)]
pub(crate) fn integrate_joints<T: Number>(
    s: &Structure,
    bodies: Selection<'_>,
    qpos: &mut [T],
    qvel: &[T],
    dt: f64,
) {
    if bodies.list().is_none() {
        for joint in &s.joints {
            integrate_joint(joint, qpos, qvel, dt);
        }
        return;
    }
    for i in bodies.iter() {
        for joint in &s.joints[s.bodies[i].joints()] {
            integrate_joint(joint, qpos, qvel, dt);
        }
    }
}

#[inline(always)]
fn integrate_joint<T: Number>(joint: &Joint, qpos: &mut [T], qvel: &[T], dt: f64) {
    let h = T::splat(dt);
    let (q, k) = (joint.qpos(), joint.dof());
    match joint.kind {
        JointType::Hinge | JointType::Slide => qpos[q] += h * qvel[k],
        JointType::Ball => turn(&mut qpos[q..q + 4], &qvel[k..], dt),
        JointType::Free => {
            for (x, v) in qpos[q..q + 3].iter_mut().zip(&qvel[k..]) {
                *x += h * *v;
            }
            turn(&mut qpos[q + 3..q + 7], &qvel[k + 3..], dt);
        }
    }
}

#[inline(always)]
fn turn<T: Number>(quat: &mut [T], vel: &[T], dt: f64) {
    let turned = Quat::from_slice(quat).integrated(Vec3::from_slice(vel), dt);
    quat.copy_from_slice(&turned.0);
}

/// The velocity that leads from `qpos1` to `qpos2` in `dt` (`mj_differentiatePos`).
pub fn differentiate_pos(m: &Model, qvel: &mut [f64], dt: f64, qpos1: &[f64], qpos2: &[f64]) {
    for joint in (0..m.njnt).filter_map(|j| model_joint(m, j)) {
        let (mut q, mut k) = (joint.qpos(), joint.dof());
        if joint.kind != JointType::Ball {
            let n = if joint.kind == JointType::Free { 3 } else { 1 };
            for i in 0..n {
                qvel[k + i] = (qpos2[q + i] - qpos1[q + i]) / dt;
            }
            (q, k) = (q + n, k + n);
        }
        if matches!(joint.kind, JointType::Ball | JointType::Free) {
            let from = Quat::from_slice(&qpos1[q..]);
            let turn = Quat::from_slice(&qpos2[q..]).difference(from) * (1.0 / dt);
            qvel[k..k + 3].copy_from_slice(&turn.0);
        }
    }
}

/// Normalises every quaternion of a configuration (`mj_normalizeQuat`).
pub fn normalize_quat(m: &Model, qpos: &mut [f64]) {
    for joint in (0..m.njnt).filter_map(|j| model_joint(m, j)) {
        let q = match joint.kind {
            JointType::Ball => joint.qpos(),
            JointType::Free => joint.qpos() + 3,
            JointType::Hinge | JointType::Slide => continue,
        };
        let unit = Quat::from_slice(&qpos[q..]).normalized();
        qpos[q..q + 4].copy_from_slice(&unit.0);
    }
}
