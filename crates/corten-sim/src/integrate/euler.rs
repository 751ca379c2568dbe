//! Semi-implicit Euler, with joint damping implicit in velocity.
//!
//! With damping `B = diag(dof_damping)` the new velocity solves
//! `M (v⁺ − v) = h (f(v) − B (v⁺ − v))`, that is `(M + hB) a = f`: the same sparsity as `M`.

use corten_model::enums::DisableBit;

use super::{Factor, advance_state, total_force};
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
        let pattern = &d.prepared.structure.mass;
        match awake::dofs!(m, d).list() {
            None => pattern.solve(&d.qH, &d.qHDiagInv, &mut qacc),
            Some(list) => pattern.solve_rows(&d.qH, &d.qHDiagInv, &mut qacc, list),
        }
    } else {
        qacc.clone_from(&d.qacc);
    }
    advance_state(m, d, None, &qacc, None);
    d.scratch.integrate.qacc = qacc;
}

pub(crate) fn damped(m: &Model, d: &Data) -> bool {
    !m.opt.disabled(DisableBit::EulerDamp)
        && !m.opt.disabled(DisableBit::Damper)
        && match awake::dofs!(m, d).list() {
            None => m.dof_damping.iter().any(|&b| b > 0.0),
            Some(list) => list.iter().any(|&k| m.dof_damping[k as usize] > 0.0),
        }
}

/// `qH`: the factor of `M + hB`.
fn factor_damped(m: &Model, d: &mut Data) {
    let h = m.opt.timestep;
    let pattern = &d.prepared.structure.mass;
    match awake::dofs!(m, d).list() {
        None => {
            let factor = &mut d.qH[..];
            factor.copy_from_slice(&d.M);
            for (entry, b) in pattern.diagonal_entries().zip(&m.dof_damping) {
                factor[entry] += h * b;
            }
            pattern.factor(&mut d.qH, &mut d.qHDiagInv);
        }
        Some(list) => {
            for i in list.iter().map(|&i| i as usize) {
                let row = pattern.row(i);
                d.qH[row.clone()].copy_from_slice(&d.M[row]);
                d.qH[pattern.diagonal_entry(i)] += h * m.dof_damping[i];
            }
            pattern.factor_rows(&mut d.qH, &mut d.qHDiagInv, list);
        }
    }
}
