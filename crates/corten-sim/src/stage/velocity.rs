//! Spatial velocities and bias forces.
//!
//! `body_velocities` reads `cdof qvel`, writes `cvel cdof_dot` (`mj_comVel`). `bias_force` writes
//! `qfrc_bias`, the force that keeps accelerations zero: Coriolis, centrifugal, gravitational. It
//! is the recursive Newton-Euler algorithm (Featherstone, *Rigid Body Dynamics Algorithms*, §5.3)
//! with all quantities about one point per tree, so that parents and children add up directly
//! (`mj_rne`). Gravity enters as an upward acceleration of the world.

use corten_math::{Spatial, Vec3};
use corten_model::Model;
use corten_model::enums::{DisableBit, JointType};

use crate::{Data, awake};

/// `cvel` and `cdof_dot`.
pub fn body_velocities(m: &Model, d: &mut Data) {
    if m.nbody == 0 {
        return;
    }
    let s = &*d.scratch.structure;
    d.cvel[0] = Spatial::ZERO;
    for i in awake::bodies!(m, d).iter() {
        let node = &s.bodies[i];
        let mut vel = d.cvel[node.parent as usize];
        for joint in &s.joints[node.joints()] {
            let k = joint.dof();
            match joint.kind {
                // A dof of its own has no effect on its axis: the motion before it may be used.
                JointType::Hinge | JointType::Slide => {
                    let axis = d.cdof[k];
                    d.cdof_dot[k] = vel.cross_motion(&axis);
                    vel += axis * d.qvel[k];
                }
                JointType::Ball => {
                    spherical(&mut vel, &d.cdof[k..k + 3], &mut d.cdof_dot[k..k + 3], &d.qvel[k..]);
                }
                JointType::Free => {
                    d.cdof_dot[k..k + 3].fill(Spatial::ZERO);
                    let linear = vel.lin() + Vec3::from_slice(&d.qvel[k..]);
                    vel = Spatial::new(vel.rot(), linear);
                    let k = k + 3;
                    spherical(&mut vel, &d.cdof[k..k + 3], &mut d.cdof_dot[k..k + 3], &d.qvel[k..]);
                }
            }
        }
        d.cvel[i] = vel;
    }
}

/// The three axes of a spherical joint turn with the parent, then move the body together.
#[inline]
fn spherical(vel: &mut Spatial, axes: &[Spatial], rates: &mut [Spatial], qvel: &[f64]) {
    for (rate, axis) in rates.iter_mut().zip(axes) {
        *rate = vel.cross_motion(axis);
    }
    for (axis, &q) in axes.iter().zip(qvel) {
        *vel += *axis * q;
    }
}

/// Coriolis, centrifugal and gravitational forces.
pub fn bias_force(m: &Model, d: &mut Data) {
    let mut force = std::mem::take(&mut d.qfrc_bias);
    newton_euler(m, d, false, &mut force);
    d.qfrc_bias = force;
}

/// Generalised forces that produce the acceleration `qacc`, or zero acceleration (`mj_rne`).
pub fn newton_euler(m: &Model, d: &mut Data, with_acceleration: bool, force: &mut [f64]) {
    if m.nbody == 0 {
        return;
    }
    let s = &*d.scratch.structure;
    let (acc, frc) = (&mut d.scratch.body_acc, &mut d.scratch.body_frc);
    acc[0] = world_acceleration(m);
    frc[0] = Spatial::ZERO;
    for i in awake::bodies!(m, d).iter() {
        let node = &s.bodies[i];
        let mut a = acc[node.parent as usize];
        for k in node.dofs() {
            a += d.cdof_dot[k] * d.qvel[k];
        }
        if with_acceleration {
            for k in node.dofs() {
                a += d.cdof[k] * d.qacc[k];
            }
        }
        acc[i] = a;
        let inertia = &d.cinert[i];
        frc[i] = inertia.mul(&a) + d.cvel[i].cross_force(&inertia.mul(&d.cvel[i]));
    }
    for i in awake::children!(m, d).iter().rev() {
        let parent = s.bodies[i].parent as usize;
        if parent > 0 {
            let f = frc[i];
            frc[parent] += f;
        }
    }
    for k in awake::dofs!(m, d).iter() {
        force[k] = d.cdof[k].dot(&frc[s.dof_body[k] as usize]);
    }
}

/// Acceleration of the world that acts like gravity.
pub(crate) fn world_acceleration(m: &Model) -> Spatial {
    if m.opt.disabled(DisableBit::Gravity) {
        Spatial::ZERO
    } else {
        Spatial::new(Vec3::ZERO, -m.opt.gravity)
    }
}
