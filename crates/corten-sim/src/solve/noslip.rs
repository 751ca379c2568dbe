//! Removes the slip that regularisation allows: a Gauss-Seidel pass over friction forces only,
//! with `R` taken out of the cost, after the main solver. Answers to `mj_solNoSlip`.
//!
//! Normal forces stay. A pair of opposite pyramid edges keeps its sum and moves its difference;
//! elliptic contacts solve for all friction directions at once.

use super::dual::Dual;
use super::pgs::{commit, friction_force, sweeps};
use super::primal::Iterate;
use super::problem::{Limits, Problem};
use super::qcqp;
use super::row_cost::clamp;
use super::rows::{Block, Kind};
use crate::SolverStat;
use corten_math::MIN_VAL;

/// Smallest diagonal entry of a contact's block once `R` is gone.
const MIN_DIAGONAL: f64 = 1e-10;

/// Improves the friction forces; returns the number of iterations.
pub fn solve(
    p: &Problem<'_>,
    limits: &Limits,
    dual: &mut Dual,
    x: &mut Iterate<'_>,
    record: impl FnMut(usize, SolverStat),
) -> usize {
    sweeps(p, limits, dual, x, record, |iteration, dual, x| {
        let mut improvement = 0.0;
        if iteration == 0 {
            // The cost without R is lower from the start.
            for (f, r) in x.force.iter().zip(p.rows.r) {
                improvement += 0.5 * f * f * r;
            }
        }
        for b in p.rows.jacobian.blocks {
            let range = b.rows();
            match b.kind {
                Kind::Friction => {
                    for i in range {
                        improvement -= dry_friction(p, dual, i, x);
                    }
                }
                Kind::Pyramid => {
                    for i in range.step_by(2) {
                        improvement -= edge_pair(dual, i, x);
                    }
                }
                Kind::Elliptic => improvement -= elliptic(p, dual, b, x),
                Kind::Equality | Kind::Inequality => {}
            }
        }
        improvement
    })
}

fn dry_friction(p: &Problem<'_>, dual: &mut Dual, i: usize, x: &mut Iterate<'_>) -> f64 {
    let diagonal = dual.within(i, i).max(MIN_VAL);
    let residual = x.jar[i] + dual.product(i);
    let new = clamp(x.force[i] - residual / diagonal, p.rows.frictionloss[i]);
    let delta = new - x.force[i];
    x.force[i] = new;
    dual.add(i, delta);
    0.5 * delta * delta * diagonal + delta * residual
}

/// The block of `A` for rows `first..first + n`, and their residuals without `R`.
fn block(
    x: &Iterate<'_>,
    dual: &Dual,
    first: usize,
    n: usize,
) -> ([[f64; qcqp::MAX]; qcqp::MAX], [f64; qcqp::MAX]) {
    let mut a = [[0.0; qcqp::MAX]; qcqp::MAX];
    let mut residual = [0.0; qcqp::MAX];
    for k in 0..n {
        for j in 0..=k {
            a[k][j] = dual.within(first + k, first + j);
            a[j][k] = a[k][j];
        }
        a[k][k] = a[k][k].max(MIN_DIAGONAL);
        residual[k] = x.jar[first + k] + dual.product(first + k);
    }
    (a, residual)
}

fn edge_pair(dual: &mut Dual, first: usize, x: &mut Iterate<'_>) -> f64 {
    let (a, residual) = block(x, dual, first, 2);
    let mut old = [0.0; qcqp::MAX];
    old[..2].copy_from_slice(&x.force[first..first + 2]);
    let offset = |k: usize| residual[k] - a[k][0] * old[0] - a[k][1] * old[1];
    // With forces mid ± y, the cost is ½ k₁ y² + k₀ y.
    let mid = 0.5 * (old[0] + old[1]);
    let k1 = a[0][0] + a[1][1] - a[0][1] - a[1][0];
    let k0 = mid * (a[0][0] - a[1][1]) + offset(0) - offset(1);
    let y = if k1 < MIN_VAL { 0.0 } else { clamp(-k0 / k1, mid) };
    let mut new = [0.0; qcqp::MAX];
    (new[0], new[1]) = (mid + y, mid - y);
    commit(dual, &a, &residual[..2], first, &old, &new, x.force)
}

fn elliptic(p: &Problem<'_>, dual: &mut Dual, b: &Block, x: &mut Iterate<'_>) -> f64 {
    let range = b.rows();
    let (first, n) = (range.start + 1, range.len() - 1);
    let normal = x.force[range.start];
    let (a, residual) = block(x, dual, first, n);
    let mut old = [0.0; qcqp::MAX];
    old[..n].copy_from_slice(&x.force[first..first + n]);
    let mut new = [0.0; qcqp::MAX];
    if normal >= MIN_VAL {
        let mut free = [0.0; qcqp::MAX];
        for k in 0..n {
            free[k] = residual[k] - (0..n).map(|j| a[k][j] * old[j]).sum::<f64>();
        }
        new = friction_force(&a, &free[..n], &p.rows.jacobian.cones[b.cone as usize], normal);
    }
    commit(dual, &a, &residual[..n], first, &old, &new, x.force)
}
