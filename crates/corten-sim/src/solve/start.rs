//! Where a search starts: at the acceleration of the last step or at the unconstrained one,
//! whichever costs less. Answers to MuJoCo's `warmstart`.

use corten_model::enums::DisableBit;

use super::dual::Dual;
use super::primal::Method;
use super::problem::{Limits, Problem};
use super::{Whole, cost, finite, problem, residual, residual_pair};
use crate::Model;
use crate::stage::constraint::is_sparse;

/// Chooses between the last step's acceleration and the unconstrained one, by cost, for `qacc`;
/// leaves `jar` and `ma` to match. With `load`, the whole problem is loaded for a method, whose
/// products are then used; `false` if it is too large.
pub fn start(m: &Model, whole: &mut Whole<'_>, load: Option<Method>, limits: &Limits) -> bool {
    let Whole { problem, aref, residuals, qacc, ma, jar, primal, .. } = whole;
    let (free, warm) = (problem.qacc_smooth, whole.warmstart);
    primal.begin();
    if let Some(method) = load
        && !primal.load(problem, method, m.nv, limits.max_nonzeros)
    {
        return false;
    }
    let mut products = |x: &[f64], jar: &mut [f64], ma: Option<&mut [f64]>| {
        if let Some(method) = load {
            return primal.products(problem, method, aref, x, jar, ma);
        }
        residual(&problem.rows.jacobian, x, aref, jar);
        if let Some(ma) = ma {
            problem.inertia.mul(x, ma);
        }
    };
    let unconstrained = m.opt.disabled(DisableBit::WarmStart) || {
        if load.is_some() {
            products(free, residuals, None);
            products(warm, jar, Some(ma));
        } else {
            residual_pair(&problem.rows.jacobian, [free, warm], aref, [residuals, jar]);
            problem.inertia.mul(warm, ma);
        }
        let gauss = problem::gauss(ma, problem.qfrc_smooth, warm, free);
        // The public states stay those of the unconstrained acceleration when islands are solved, as
        // in MuJoCo.
        let of_free = if whole.has_islands {
            cost::total_and_states(&problem.rows, residuals, whole.state)
        } else {
            cost::total(&problem.rows, residuals)
        };
        cost::total(&problem.rows, jar) + gauss > of_free
    };
    if unconstrained {
        products(free, residuals, Some(ma));
        jar.copy_from_slice(residuals);
    }
    qacc.copy_from_slice(if unconstrained { free } else { warm });
    whole.release_others();
    true
}

/// Chooses between the forces of the last step's acceleration and none.
pub fn start_dual(m: &Model, whole: &mut Whole<'_>) {
    let Whole { problem, aref, residuals, qacc, jar, force, state, dual, .. } = whole;
    let (free, warm) = (problem.qacc_smooth, whole.warmstart);
    if m.opt.disabled(DisableBit::WarmStart) {
        residual(&problem.rows.jacobian, free, aref, residuals);
        force.fill(0.0);
        qacc.copy_from_slice(free);
        return;
    }
    residual_pair(&problem.rows.jacobian, [free, warm], aref, [residuals, jar]);
    qacc.copy_from_slice(warm);
    cost::update(&problem.rows, jar, force, state);
    // Dense products take NaN to every row.
    let spreads = !is_sparse(m);
    if spreads && !(finite(warm) && finite(free)) {
        force.fill(f64::NAN);
    }
    if dual_cost(problem, residuals, dual, force) > 0.0 {
        force.fill(0.0);
    }
    whole.release_others();
}

/// `½ fᵀ(A + R) f + bᵀ f`.
fn dual_cost(problem: &Problem<'_>, b: &[f64], dual: &mut Dual, force: &[f64]) -> f64 {
    dual.set_forces(&problem.rows.jacobian, force);
    let mut cost = 0.5 * dual.norm();
    for (i, f) in force.iter().enumerate() {
        cost += f * b[i] + 0.5 * problem.rows.r[i] * f * f;
    }
    cost
}
