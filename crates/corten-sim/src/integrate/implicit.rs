//! Integrators that are implicit in velocity.
//!
//! With `D = ∂f/∂v` of the smooth forces, the new velocity solves `(M − hD) a = f`. The full
//! method keeps all of `D` and factors an unsymmetric matrix; the fast one leaves out the
//! derivative of Coriolis forces and keeps the lower triangle, so that the matrix has the
//! sparsity, and the cost, of `M`.

use corten_model::enums::Integrator;

use super::{Factor, Scheme, advance_state, solve_damped, total_force_kernel};
use crate::data::smooth::dispatch_sleep;
use crate::{Data, Model, awake, derivative};

/// Implicit in velocity, fully or fast according to the options (`mj_implicit`).
pub fn implicit(m: &Model, d: &mut Data) {
    implicit_with(m, d, Factor::Compute);
}

pub(crate) fn implicit_with(m: &Model, d: &mut Data, factor: Factor) {
    let full = m.opt.integrator == Integrator::Implicit;
    if factor == Factor::Compute {
        derivative::smooth_velocity(m, d, full);
        if full {
            factor_full(m, d);
        } else {
            factor_fast(m, d);
        }
    }
    dispatch_sleep!(total_force_kernel(m, d));
    if full {
        let pattern = &d.prepared.structure.square;
        let x = &mut d.scratch.step_acc;
        match awake::dofs!(m, d).list() {
            None => pattern.solve(&d.qLU, x),
            Some(list) => pattern.solve_rows(&d.qLU, x, list),
        }
    } else {
        dispatch_sleep!(solve_damped(m, d));
    }
    advance_state(m, d, Scheme::SemiImplicit);
}

/// `qLU`: the factors of `M − h qDeriv`.
fn factor_full(m: &Model, d: &mut Data) {
    let h = m.opt.timestep;
    let s = &d.prepared.structure;
    for (x, derivative) in d.qLU.iter_mut().zip(&d.qDeriv) {
        *x = -h * derivative;
    }
    for i in 0..s.square.size().min(s.mass.size()) {
        for (x, &j) in d.M[s.mass.row(i)].iter().zip(s.mass.columns(i)) {
            let (lower, upper) = s.square.pair(i, j as usize);
            d.qLU[lower] += x;
            if lower != upper {
                d.qLU[upper] += x;
            }
        }
    }
    match awake::dofs!(m, d).list() {
        None => s.square.factor(&mut d.qLU),
        Some(list) => s.square.factor_rows(&mut d.qLU, list),
    }
}

/// `qH`: the factor of the lower triangle of `M − h qDeriv`, as a symmetric matrix.
fn factor_fast(m: &Model, d: &mut Data) {
    let h = m.opt.timestep;
    let s = &d.prepared.structure;
    for i in 0..s.square.size().min(s.mass.size()) {
        for (k, &j) in s.mass.row(i).zip(s.mass.columns(i)) {
            let (lower, _) = s.square.pair(i, j as usize);
            d.qH[k] = d.M[k] - h * d.qDeriv[lower];
        }
    }
    for dofs in awake::dofs!(m, d).ranges() {
        s.mass.factor_range(dofs, &mut d.qH, &mut d.qHDiagInv);
    }
}
