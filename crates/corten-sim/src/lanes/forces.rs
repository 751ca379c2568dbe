//! Forces of joints and of actuators on them, and the acceleration without constraints, in lanes.
//!
//! For models without other smooth forces than these. The operations are those of the stages
//! (`passive`, `transmission`, `actuation`, `acceleration`), in the same order; fields that only
//! users read are left out.

use corten_math::{Wide, wide};
use corten_model::enums::{Bias, DisableBit, Dynamics, Gain, JointType, Transmission};

use crate::data::smooth::Lanes;
use crate::prepared::structure::{Joint, Structure};
use crate::stage::acceleration;
use crate::stage::passive::fluid;
use crate::{Data, Model, check};

/// Whether all smooth forces of a model are springs and dampers of joints, and actuators on hinges
/// and slides whose force is linear.
pub(super) fn cover(m: &Model, s: &Structure) -> bool {
    use DisableBit::{Actuation, ClampCtrl, Damper, Spring};
    let zero = |x: &[f64]| x.iter().all(|&x| x == 0.0);
    let mut springs = s.joints.iter().zip(&m.jnt_stiffness);
    ![Actuation, ClampCtrl, Damper, Spring].iter().any(|&flag| m.opt.disabled(flag))
        && m.opt.disableactuator == 0
        && m.na == 0
        && m.ngravcomp == 0
        && !fluid::present(m)
        && zero(&m.tendon_stiffness)
        && zero(&m.tendon_damping)
        && springs.all(|(joint, &stiffness)| stiffness == 0.0 || is_scalar(joint))
        && (0..m.nu).all(|i| is_linear(m, s, i))
}

fn is_scalar(joint: &Joint) -> bool {
    matches!(joint.kind, JointType::Hinge | JointType::Slide)
}

fn is_linear(m: &Model, s: &Structure, i: usize) -> bool {
    const JOINTS: [i32; 2] = [Transmission::Joint.raw(), Transmission::JointInParent.raw()];
    const BIASES: [i32; 2] = [Bias::None.raw(), Bias::Affine.raw()];
    m.actuator_gaintype[i] == Gain::Fixed.raw()
        && m.actuator_dyntype[i] == Dynamics::None.raw()
        && BIASES.contains(&m.actuator_biastype[i])
        && JOINTS.contains(&m.actuator_trntype[i])
        && m.actuator_plugin[i] < 0
        && target(m, s, i).is_some_and(is_scalar)
}

/// The joint of an actuator.
#[inline(always)]
fn target<'a>(m: &Model, s: &'a Structure, actuator: usize) -> Option<&'a Joint> {
    s.joints.get(m.actuator_trnid[actuator][0] as usize)
}

/// Whether the inputs of a world are those that lanes expect: sane controls, no forces on bodies.
pub(super) fn accept(d: &Data) -> bool {
    d.ctrl.iter().all(|u| u.abs() <= check::MAX_VAL) && !acceleration::has_applied_forces(d)
}

wide! {
    /// `qfrc_smooth` and `qacc_smooth`, from the state, `ctrl`, `qfrc_applied` and the factor of `M`.
    pub(super) fn smooth_acceleration(m: &Model, l: &mut Lanes) {
        let s = &l.prepared.structure;
        let qpos: &[Simd] = bytemuck::cast_slice(&l.qpos);
        let [qvel, bias, applied, ctrl]: [&[Simd]; 4] =
            [&l.qvel, &l.qfrc_bias, &l.qfrc_applied, &l.ctrl].map(|x| bytemuck::cast_slice(x));
        let [passive, actuator, smooth]: [&mut [Simd]; 3] =
            [&mut l.qfrc_passive, &mut l.qfrc_actuator, &mut l.qfrc_smooth]
                .map(|x| bytemuck::cast_slice_mut(x));
        joints(m, s, qpos, qvel, passive);
        actuators(m, s, ctrl, qpos, qvel, actuator);
        let inner = passive.iter().zip(bias);
        let outer = applied.iter().zip(actuator);
        for (f, ((passive, bias), (applied, actuator))) in smooth.iter_mut().zip(inner.zip(outer)) {
            *f = *passive - *bias + *applied + *actuator;
        }
        l.qacc_smooth.copy_from_slice(&l.qfrc_smooth);
        s.mass.solve(&l.qLD, &l.qLDiagInv, &mut l.qacc_smooth);
    }
}

/// The sum of springs, dampers and, for the sign of zero, a fluid that is absent.
#[inline(always)]
fn joints<S: Wide>(m: &Model, s: &Structure, qpos: &[S], qvel: &[S], force: &mut [S]) {
    force.fill(S::splat(0.0));
    for (joint, &stiffness) in s.joints.iter().zip(&m.jnt_stiffness) {
        if stiffness != 0.0 {
            let q = joint.qpos();
            force[joint.dof()] = S::splat(-stiffness) * (qpos[q] - S::splat(m.qpos_spring[q]));
        }
    }
    for (f, (v, damping)) in force.iter_mut().zip(qvel.iter().zip(&m.dof_damping)) {
        *f = *f + S::splat(-damping) * *v + S::splat(0.0);
    }
}

/// `qfrc_actuator`.
#[inline(always)]
fn actuators<S: Wide>(
    m: &Model,
    s: &Structure,
    ctrl: &[S],
    qpos: &[S],
    qvel: &[S],
    force: &mut [S],
) {
    force.fill(S::splat(0.0));
    for (i, &u) in ctrl.iter().enumerate() {
        let Some(joint) = target(m, s, i) else { continue };
        let gear = S::splat(m.actuator_gear[i][0]);
        let limited = m.actuator_ctrllimited[i] != 0;
        let u = if limited { clip(u, m.actuator_ctrlrange[i]) } else { u };
        let mut bias = S::splat(0.0);
        if m.actuator_biastype[i] == Bias::Affine.raw() {
            let [constant, by_length, by_velocity, ..] = m.actuator_biasprm[i];
            let [constant, by_length, by_velocity] =
                [S::splat(constant), S::splat(by_length), S::splat(by_velocity)];
            let (length, velocity) = (qpos[joint.qpos()] * gear, gear * qvel[joint.dof()]);
            bias = constant + by_length * length + by_velocity * velocity;
        }
        let mut f = S::splat(m.actuator_gainprm[i][0]) * u + bias;
        if m.actuator_forcelimited[i] != 0 {
            f = clip(f, m.actuator_forcerange[i]);
        }
        force[joint.dof()] += gear * f;
    }
    for (j, &limited) in m.jnt_actfrclimited.iter().enumerate() {
        if limited != 0
            && let Some(joint) = s.joints.get(j)
        {
            let f = &mut force[joint.dof()];
            *f = clip(*f, m.jnt_actfrcrange[j]);
        }
    }
}

#[inline(always)]
fn clip<S: Wide>(x: S, range: [f64; 2]) -> S {
    let [low, high] = [S::splat(range[0]), S::splat(range[1])];
    S::select(x.lt(low), low, S::select(high.lt(x), high, x))
}

wide! {
    /// Adds `−h` times the derivative of these forces by velocities to the diagonal of `qH`: what
    /// `implicitfast` needs, as every actuator moves a single degree of freedom.
    pub(super) fn subtract_velocity_derivative(m: &Model, l: &mut Lanes) {
        let s = &l.prepared.structure;
        let slope = &mut l.slope;
        slope.fill(0.0);
        for i in 0..m.nu {
            if m.actuator_biastype[i] == Bias::Affine.raw()
                && let Some(joint) = target(m, s, i)
            {
                let gear = m.actuator_gear[i][0];
                slope[joint.dof()] += m.actuator_biasprm[i][2] * gear * gear;
            }
        }
        for (k, (slope, damping)) in slope.iter().zip(&m.dof_damping).enumerate() {
            let entry: &mut Simd = bytemuck::cast_mut(&mut l.qH[s.mass.diagonal_entry(k)]);
            *entry -= Simd::splat(m.opt.timestep * (slope - damping));
        }
    }
}
