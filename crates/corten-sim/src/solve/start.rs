//! Where a search starts: at the acceleration of the last step or at the unconstrained one,
//! whichever costs less. Answers to MuJoCo's `warmstart`.

use corten_model::enums::DisableBit;

use super::dual::Dual;
use super::{Whole, Work, cost, finite, problem, residual, take_rows, whole_rows};
use crate::stage::constraint::{Constraints, is_sparse};
use crate::{Data, Model};

/// Chooses between the last step's acceleration and the unconstrained one, by cost, for `qacc`;
/// leaves `work.jar` and `work.ma` to match. With `load`, the whole problem is loaded for Newton's
/// method, whose products are then used.
pub fn start(m: &Model, whole: &mut Whole<'_>, work: &mut Work, load: bool) {
    let Whole { problem, aref, residuals, qacc, .. } = whole;
    let (free, warm) = (problem.qacc_smooth, whole.warmstart);
    work.jar.resize(aref.len(), 0.0);
    work.ma.resize(m.nv, 0.0);
    let primal = &mut work.primal;
    primal.begin();
    if load {
        primal.load(problem, m.nv);
    }
    let mut products = |x: &[f64], jar: &mut [f64], ma: Option<&mut [f64]>| {
        if load {
            return primal.products(problem, aref, x, jar, ma);
        }
        residual(&problem.rows.jacobian, x, aref, jar);
        if let Some(ma) = ma {
            problem.inertia.mul(x, ma);
        }
    };
    let unconstrained = m.opt.disabled(DisableBit::WarmStart) || {
        products(free, residuals, None);
        products(warm, &mut work.jar, Some(&mut work.ma));
        let gauss = problem::gauss(&work.ma, problem.qfrc_smooth, warm, free);
        let total = |x: &[f64]| cost::total(&problem.rows, x);
        total(&work.jar) + gauss > total(residuals)
    };
    if unconstrained {
        products(free, residuals, Some(&mut work.ma));
        work.jar.copy_from_slice(residuals);
    }
    // The public states stay those of the unconstrained acceleration when islands are solved, as
    // in MuJoCo.
    if whole.has_islands && !m.opt.disabled(DisableBit::WarmStart) {
        cost::states(&problem.rows, residuals, whole.state);
    }
    qacc.copy_from_slice(if unconstrained { free } else { warm });
    for &dof in whole.others {
        qacc[dof as usize] = free[dof as usize];
    }
}

/// Outside all islands there is nothing to solve.
fn release_others(d: &mut Data) {
    if d.nisland > 0 {
        for &dof in &d.map_idof2dof[d.nidof..] {
            d.qacc[dof as usize] = d.qacc_smooth[dof as usize];
        }
    }
}

/// Chooses between the forces of the last step's acceleration and none.
pub fn start_dual(m: &Model, d: &mut Data, rows: &Constraints, work: &mut Work) {
    if m.opt.disabled(DisableBit::WarmStart) {
        d.efc_force.fill(0.0);
        d.qacc.copy_from_slice(&d.qacc_smooth);
        return;
    }
    d.qacc.copy_from_slice(&d.qacc_warmstart);
    work.jar.resize(d.nefc, 0.0);
    residual(&rows.jacobian(), &d.qacc_warmstart, &d.efc_aref, &mut work.jar);
    let (mut force, mut state) = take_rows(d);
    cost::update(&whole_rows(d, rows), &work.jar, &mut force, &mut state);
    // Dense products take what is not a number to every row.
    let numbers = finite(&d.qacc_warmstart) && finite(&d.qacc_smooth);
    if !is_sparse(m) && !numbers {
        force.fill(f64::NAN);
    }
    let mut dual = std::mem::take(&mut d.scratch.solver.dual);
    if dual_cost(d, &mut dual, &force) > 0.0 {
        force.fill(0.0);
    }
    d.scratch.solver.dual = dual;
    (d.efc_force, d.efc_state) = (force, state);
    release_others(d);
}

/// `½ fᵀ(A + R) f + bᵀ f`.
fn dual_cost(d: &Data, dual: &mut Dual, force: &[f64]) -> f64 {
    dual.set_forces(force);
    let mut cost = 0.5 * problem::dot(&dual.u, &dual.u);
    for (i, f) in force.iter().enumerate() {
        cost += f * d.efc_b[i] + 0.5 * d.efc_R[i] * f * f;
    }
    cost
}
