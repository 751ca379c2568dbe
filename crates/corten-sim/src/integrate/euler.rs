//! Semi-implicit Euler, with joint damping implicit in velocity.
//!
//! With damping `B = diag(dof_damping)` the new velocity solves
//! `M (v⁺ − v) = h (f(v) − B (v⁺ − v))`, that is `(M + hB) a = f`: the same sparsity as `M`.

use corten_model::enums::DisableBit;

use super::{Factor, Scheme, advance_state, damped_acceleration};
use crate::awake::Selection;
use crate::data::smooth::dispatch_sleep;
use crate::{Data, Model, awake};

/// Semi-implicit Euler (`mj_Euler`).
pub fn euler(m: &Model, d: &mut Data) {
    euler_with(m, d, Factor::Compute);
}

pub(crate) fn euler_with(m: &Model, d: &mut Data, factor: Factor) {
    if is_damped(m, awake::dofs!(m, d)) {
        dispatch_sleep!(damped_acceleration(m, d, factor, |k| m.dof_damping[k]));
    } else {
        for dofs in awake::dofs!(m, d).ranges() {
            d.scratch.step_acc[dofs.clone()].copy_from_slice(&d.qacc[dofs]);
        }
    }
    advance_state(m, d, Scheme::SemiImplicit);
}

/// Whether damping is implicit.
pub(crate) fn is_damped(m: &Model, dofs: Selection<'_>) -> bool {
    !m.opt.disabled(DisableBit::EulerDamp)
        && !m.opt.disabled(DisableBit::Damper)
        && dofs.ranges().any(|dofs| m.dof_damping[dofs].iter().any(|&b| b > 0.0))
}
