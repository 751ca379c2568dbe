//! Euler, with joint springs and joint dampers implicit in velocity. Not in MuJoCo.
//!
//! With `B = diag(damping)` and `K = diag(stiffness)` of the joints, and forces and springs taken at
//! the end of the step, where positions have moved by `h v⁺`, the new velocity solves
//! `(M + hB + h²K) v⁺ = M v + h fₑ − h K (q − q₀)` with all other forces in `fₑ`. In terms of the
//! acceleration over the step and of the force `f = fₑ − K (q − q₀) − B v`, that is
//!
//! ```text
//! (M + hB + h²K) a = f − hK v,
//! ```
//!
//! the sparsity of `M`, and positive definite whenever `M` is: stable for any stiffness and step.
//! The springs of ball and free joints count as linear in their three rotations, which leaves out
//! how they turn with each other. Tendons stay explicit.

use corten_model::enums::DisableBit;

use super::{Factor, Scheme, advance_state, factor_damped, solve_damped, total_force_kernel};
use crate::data::smooth::dispatch_sleep;
use crate::{Data, Model};

/// Implicit joint springs and dampers (`integrator="implicitspringdamper"`).
pub fn spring_damper(m: &Model, d: &mut Data) {
    spring_damper_with(m, d, Factor::Compute);
}

pub(crate) fn spring_damper_with(m: &Model, d: &mut Data, factor: Factor) {
    let h = m.opt.timestep;
    if factor == Factor::Compute {
        let implicit = |k: usize| damping(m, k) + h * stiffness(m, k);
        dispatch_sleep!(factor_damped(m, d, implicit));
    }
    dispatch_sleep!(total_force_kernel(m, d));
    for (k, f) in d.scratch.step_acc.iter_mut().enumerate() {
        *f -= h * stiffness(m, k) * d.qvel[k];
    }
    dispatch_sleep!(solve_damped(m, d));
    advance_state(m, d, Scheme::SemiImplicit);
}

/// Implicit damping of a dof.
pub(crate) fn damping(m: &Model, dof: usize) -> f64 {
    if m.opt.disabled(DisableBit::Damper) { 0.0 } else { m.dof_damping[dof] }
}

/// Implicit stiffness of a dof: that of its joint.
pub(crate) fn stiffness(m: &Model, dof: usize) -> f64 {
    if m.opt.disabled(DisableBit::Spring) {
        return 0.0;
    }
    let joint = m.dof_jntid.get(dof).and_then(|&j| usize::try_from(j).ok());
    joint.and_then(|j| m.jnt_stiffness.get(j)).copied().unwrap_or(0.0)
}
