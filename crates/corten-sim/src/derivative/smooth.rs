//! `qDeriv`: the derivative of smooth forces by velocities.
//!
//! Writes `qDeriv`, with the sparsity `D` of the model. Answers to `mjd_smooth_vel`.
//!
//! Fluid and bias forces are sums over bodies of spatial forces, projected onto the dofs that move
//! the body. Let `s_k = cdof_k`, and let `v_i`, `I_i` be velocity and inertia of body `i`.
//!
//! *Bias.* The velocity of body `i` is `Σ s_p q̇_p` over its chain, so `∂v_i/∂q̇_p = s_p`. Its
//! velocity-dependent acceleration is `a_i = Σ ṡ_j q̇_j` with `ṡ_j = v × s_j`, where `v` is the
//! velocity just before joint `j`. Hence `∂a_i/∂q̇_p = ṡ_p + Σ_j (s_p × s_j) q̇_j` over the dofs `j`
//! of the chain after the joint of `p`, and that sum is `s_p × (v_i − w_p)`, with `w_p` the velocity
//! just after the joint of `p`. With `c_p = ṡ_p + w_p × s_p` the force `f_i = I_i a_i + v_i ×* I_i v_i`
//! has the derivative
//!
//! ```text
//! ∂f_i/∂q̇_p = I_i c_p + G_i s_p,    G_i x = I_i (x × v_i) + x ×* (I_i v_i) + v_i ×* (I_i x).
//! ```
//!
//! *Fluid.* `∂f_i/∂q̇_p = B_i s_p` with the local derivative `B_i` of the fluid model.
//!
//! In both, what depends on the body is a matrix that does not know about dofs. Summed over
//! subtrees like composite inertias, `B^c_k = Σ (B_i − G_i)` and `I^c_k`, they give for every dof `k`
//! and ancestor `p`
//!
//! ```text
//! ∂f_k/∂q̇_p = s_k · (B^c_k s_p − I^c_k c_p),    ∂f_p/∂q̇_k = s_p · (B^c_k s_k − I^c_k c_k),
//! ```
//!
//! at the cost of a mass matrix, whatever the depth of the tree. The first factor is transposed
//! onto `s_k`, so that each entry is one dot product.

use corten_math::hint::rarely;
use corten_math::memory::{self, Grow};
use corten_math::{Inertia, Mat3, Mat6, Spatial, Vec3, wide};
use corten_model::enums::{
    Bias, DisableBit, Dynamics, Gain, Integrator, JointType, ObjType, SleepState,
};

use super::fluid;
use crate::awake::Selection;
use crate::extend::Slopes;
use crate::prepared::structure::{POINT, Structure};
use crate::stage::actuation::{self, muscle::Muscle};
use crate::stage::flex;
use crate::stage::passive::fluid as medium;
use crate::stage::transmission::ScalarJoint;
use crate::{Data, Model, awake, sleep, support};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// `B − G` of every body, then of its subtree.
    composite: Vec<Mat6>,
    /// `c` of every dof.
    rate: Vec<Spatial>,
}

/// `qDeriv`: derivative of `qfrc_actuator + qfrc_passive`, and of `−qfrc_bias` if asked for.
pub fn smooth_velocity(m: &Model, d: &mut Data, with_bias: bool) {
    if d.prepared.structure.square.size() != m.nv {
        return;
    }
    match awake::dofs!(m, d).list() {
        None => d.qDeriv.fill(0.0),
        Some(list) => {
            for &k in list {
                let row = d.prepared.structure.square.row(k as usize);
                d.qDeriv[row].fill(0.0);
            }
        }
    }
    actuators(m, d);
    passive_velocity(m, d);
    if with_bias {
        bias_velocity(m, d);
    }
}

/// Adds the derivative of `−qfrc_bias` (`mjd_rne_vel`).
pub fn bias_velocity(m: &Model, d: &mut Data) {
    body_terms(m, d, false, true);
}

/// Adds the derivative of passive forces (`mjd_passive_vel`).
pub fn passive_velocity(m: &Model, d: &mut Data) {
    let dampers = !m.opt.disabled(DisableBit::Damper);
    if !dampers && m.opt.disabled(DisableBit::Spring) {
        return;
    }
    if m.opt.viscosity > 0.0 || m.opt.density > 0.0 {
        body_terms(m, d, true, false);
    }
    if !dampers {
        return;
    }
    let s = &d.prepared.structure;
    for k in awake::dofs!(m, d).iter() {
        d.qDeriv[s.square.diagonal_entry(k)] -= m.dof_damping[k];
    }
    if m.nflex > 0 {
        flex::add_damping(m, d);
    }
    let s = &d.prepared.structure;
    let filter = sleep::filters(m, d);
    for i in 0..m.ntendon {
        let damping = m.tendon_damping[i];
        if damping == 0.0 || filter && sleep::state(m, d, ObjType::Tendon, i) == SleepState::Asleep
        {
            continue;
        }
        let row = support::tendon_row(d, i);
        s.square.add_rank_one(&mut d.qDeriv, &d.ten_J[row.clone()], &d.ten_J_colind[row], -damping);
    }
}

/// Adds the derivative of actuator forces (`mjd_actuator_vel`).
pub fn actuators(m: &Model, d: &mut Data) {
    if m.opt.disabled(DisableBit::Actuation) {
        return;
    }
    let filter = sleep::filters(m, d);
    let s = &d.prepared.structure;
    for i in 0..m.nu {
        if actuation::is_disabled(m, i)
            || filter && sleep::state(m, d, ObjType::Actuator, i) == SleepState::Asleep
        {
            continue;
        }
        let slope = force_by_velocity(m, d, i);
        if slope == 0.0 {
            continue;
        }
        let start = d.moment_rowadr[i] as usize;
        let row = start..start + d.moment_rownnz[i] as usize;
        let (moment, columns) = (&d.actuator_moment[row.clone()], &d.moment_colind[row]);
        s.square.add_rank_one(&mut d.qDeriv, moment, columns, slope);
    }
}

/// Derivative of an actuator's bias by its own velocity, unless it is the user's.
fn bias_by_velocity(m: &Model, i: usize) -> f64 {
    if m.actuator_biastype[i] == Bias::Affine.raw() { m.actuator_biasprm[i][2] } else { 0.0 }
}

/// `−qDeriv` without bias, which is diagonal and the same in all states, for a model whose forces
/// depend on velocities by dampers of joints and by direct actuators on these hinges and slides.
pub(crate) fn constant_damping(m: &Model, joints: &[ScalarJoint]) -> Vec<f64> {
    let mut slopes: Vec<f64> = memory::zeroed(m.nv);
    for (i, joint) in joints.iter().enumerate() {
        let gear = m.actuator_gear[i][0];
        slopes[joint.dof as usize] += bias_by_velocity(m, i) * gear * gear;
    }
    m.dof_damping.iter().zip(slopes).map(|(damping, slope)| damping - slope).collect()
}

/// Derivatives of an actuator's gain and bias by its own velocity.
pub(super) fn slopes(m: &Model, d: &Data, i: usize) -> Slopes {
    let user = || d.hooks.get().map_or_else(Slopes::default, |hook| hook.slopes(m, d, i));
    let bias = match Bias::from_raw(m.actuator_biastype[i]) {
        Some(Bias::User) => user().bias,
        _ => bias_by_velocity(m, i),
    };
    let prm = &m.actuator_gainprm[i];
    let gain = match Gain::from_raw(m.actuator_gaintype[i]) {
        Some(Gain::Affine) => prm[2],
        Some(Gain::Muscle) => Muscle::new(prm).gain_by_velocity(
            d.actuator_length[i],
            d.actuator_velocity[i],
            m.actuator_lengthrange[i],
            m.actuator_acc0[i],
        ),
        Some(Gain::User) => user().gain,
        _ => 0.0,
    };
    Slopes { gain, bias }
}

/// Derivative of an actuator's force by its own velocity.
fn force_by_velocity(m: &Model, d: &Data, i: usize) -> f64 {
    if rarely(m.actuator_plugin[i] >= 0) {
        return m.extensions().force_by_velocity(m, d, i);
    }
    if rarely(!m.extensions().is_empty())
        && let Some(slope) = actuation::gain_by_velocity(m, d, i)
    {
        return slope + slopes(m, d, i).bias;
    }
    let Slopes { gain, bias } = slopes(m, d, i);
    if gain == 0.0 {
        return bias;
    }
    let input = if m.actuator_dyntype[i] == Dynamics::None.raw() {
        d.ctrl[i]
    } else {
        let last = m.actuator_actadr[i] + m.actuator_actnum[i] - 1;
        usize::try_from(last).ok().and_then(|k| d.act.get(k)).copied().unwrap_or(0.0)
    };
    bias + gain * input
}

/// Adds the derivatives of fluid forces, of bias forces, or of both.
fn body_terms(m: &Model, d: &mut Data, fluid: bool, bias: bool) {
    d.scratch.derivative.composite.grow_resize(m.nbody, Mat6::ZERO);
    d.scratch.derivative.rate.grow_resize(m.nv, Spatial::ZERO);
    let symmetric = m.opt.integrator == Integrator::ImplicitFast;
    let prepared = d.prepared.clone();
    let s = &prepared.structure;
    let filter = sleep::filters(m, d);
    // Bias forces of points do not depend on velocities.
    let apart = !filter && !s.points.is_empty();
    if apart && fluid {
        point_fluid(m, d, s, symmetric);
    }
    let bodies = if apart { Selection::of(&s.not_points) } else { awake::bodies!(m, d) };
    for i in bodies.iter() {
        let mut own = Mat6::ZERO;
        if fluid {
            let com = d.subtree_com[s.bodies[i].root as usize];
            medium::for_each_part(m, d, i, |part| {
                let local = fluid::local_derivative(m, &part, symmetric);
                own += local.to_world(part.frame, part.pos - com);
            });
        }
        if bias {
            own = own - bias_matrix(&d.cinert[i], &d.cvel[i]);
        }
        d.scratch.derivative.composite[i] = own;
    }

    let Scratch { composite, rate } = &mut d.scratch.derivative;
    if bias {
        for i in bodies.iter() {
            let above = d.cvel[s.bodies[i].parent as usize];
            axis_rates(s, i, above, [&d.cdof, &d.cdof_dot], &d.qvel, rate);
        }
    }
    // What points hang on does not move.
    let children = if apart { bodies } else { awake::children!(m, d) };
    for i in children.iter().rev() {
        let parent = s.bodies[i].parent as usize;
        if parent > 0 && !(filter && d.body_awake[i] == SleepState::Asleep.raw()) {
            let own = composite[i];
            composite[parent] += own;
        }
    }

    for k in bodies.iter().flat_map(|i| s.bodies[i].dofs()) {
        let body = s.dof_body[k] as usize;
        let axis = &d.cdof[k];
        let mut column = composite[body].mul(axis);
        let row = composite[body].tmul(axis);
        let momentum = if bias {
            column -= d.crb[body].mul(&rate[k]);
            d.crb[body].mul(axis)
        } else {
            Spatial::ZERO
        };
        for &p in s.ancestors(k) {
            let p = p as usize;
            let Some((lower, upper)) = s.square.find(k, p) else { continue };
            let mut x = d.cdof[p].dot(&row);
            if bias {
                x -= rate[p].dot(&momentum);
            }
            d.qDeriv[lower] += x;
            if p != k {
                d.qDeriv[upper] += d.cdof[p].dot(&column);
            }
        }
    }
}

/// Adds the derivatives of fluid forces on points: the linear part of that in their own frame.
fn point_fluid(m: &Model, d: &mut Data, s: &Structure, symmetric: bool) {
    for (k, body) in
        s.points.iter().flat_map(|run| run.dofs().step_by(POINT).zip(run.bodies.clone()))
    {
        let mut own = [[0.0; POINT]; POINT];
        medium::for_each_part(m, d, body, |part| {
            let Mat6(local) = fluid::local_derivative(m, &part, symmetric);
            let row = |i: usize| Vec3([local[i][3], local[i][4], local[i][5]]);
            let linear = Mat3::from_rows(row(3), row(4), row(5));
            let linear = *part.frame * linear * part.frame.transpose();
            for (i, row) in own.iter_mut().enumerate() {
                row.iter_mut().enumerate().for_each(|(j, x)| *x += linear[(i, j)]);
            }
        });
        for i in 0..POINT {
            for j in 0..=i {
                let Some((lower, upper)) = s.square.find(k + i, k + j) else { continue };
                d.qDeriv[lower] += own[i][j];
                if i != j {
                    d.qDeriv[upper] += own[j][i];
                }
            }
        }
    }
}

wide! {
    /// `G` of a body with this inertia and velocity.
    fn bias_matrix(inertia: &Inertia, v: &Spatial) -> Mat6 {
        let (inertia, v) = (Inertia::<Simd>::of(*inertia), Spatial::<Simd>::of(*v));
        let momentum = inertia.mul(&v);
        Mat6::of_fours::<Simd>(|x| {
            inertia.mul(&x.cross_motion(&v)) + x.cross_force(&momentum) + v.cross_force(&inertia.mul(x))
        })
    }
}

/// `c = ṡ + w × s` of the dofs of one body, whose parent moves with `vel`.
fn axis_rates(
    s: &Structure,
    body: usize,
    mut vel: Spatial,
    [cdof, cdof_dot]: [&[Spatial]; 2],
    qvel: &[f64],
    rate: &mut [Spatial],
) {
    let mut advance = |k: usize, n: usize| {
        for p in k..k + n {
            vel += cdof[p] * qvel[p];
        }
        for p in k..k + n {
            rate[p] = cdof_dot[p] + vel.cross_motion(&cdof[p]);
        }
    };
    for joint in &s.joints[s.bodies[body].joints()] {
        let k = joint.dof();
        match joint.kind {
            JointType::Hinge | JointType::Slide => advance(k, 1),
            JointType::Ball => advance(k, 3),
            JointType::Free => {
                advance(k, 3);
                advance(k + 3, 3);
            }
        }
    }
}
