//! Semi-implicit Euler, with joint damping implicit in velocity.
//!
//! With damping `B = diag(dof_damping)` the new velocity solves
//! `M (v⁺ − v) = h (f(v) − B (v⁺ − v))`, that is `(M + hB) a = f`: the same sparsity as `M`.

use corten_model::enums::DisableBit;

use super::{Factor, advance_state, solve_awake, total_force};
use crate::{Data, Model, awake};

/// Semi-implicit Euler (`mj_Euler`).
pub fn euler(m: &Model, d: &mut Data) {
    euler_with(m, d, Factor::Compute);
}

pub(crate) fn euler_with(m: &Model, d: &mut Data, factor: Factor) {
    let mut qacc = std::mem::take(&mut d.scratch.integrate.qacc);
    if damped(m, d) {
        if factor == Factor::Compute {
            factor_damped(m, d);
        }
        total_force(m, d, &mut qacc);
        solve_awake(m, d, &mut qacc);
    } else {
        qacc.clone_from(&d.qacc);
    }
    advance_state(m, d, None, &qacc, None);
    d.scratch.integrate.qacc = qacc;
}

pub(crate) fn damped(m: &Model, d: &Data) -> bool {
    !m.opt.disabled(DisableBit::EulerDamp)
        && !m.opt.disabled(DisableBit::Damper)
        && awake::dofs!(m, d).ranges().any(|dofs| m.dof_damping[dofs].iter().any(|&b| b > 0.0))
}

/// `qH`: the factor of `M + hB`.
fn factor_damped(m: &Model, d: &mut Data) {
    let h = m.opt.timestep;
    let pattern = &d.prepared.structure.mass;
    for dofs in awake::dofs!(m, d).ranges() {
        let entries = pattern.entries_of(dofs.clone());
        d.qH[entries.clone()].copy_from_slice(&d.M[entries]);
        for (entry, b) in pattern.diagonal_entries(dofs.clone()).zip(&m.dof_damping[dofs.clone()]) {
            d.qH[entry] += h * b;
        }
        pattern.factor_range(dofs, &mut d.qH, &mut d.qHDiagInv);
    }
}
