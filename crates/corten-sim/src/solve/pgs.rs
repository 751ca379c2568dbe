//! Projected Gauss-Seidel: one constraint at a time, on the dual problem.
//!
//! A scalar row moves to its minimum and is clamped to its bounds. An elliptic contact first
//! scales its force along itself, or finds a normal force if it has none, then finds the friction
//! for that normal force ([`super::qcqp`]). Answers to `mj_solPGS`.

use super::dual::{self, Dual};
use super::primal::Iterate;
use super::problem::{Limits, Problem};
use super::qcqp;
use super::row_cost::project;
use super::rows::{Block, Cone, Kind, MAX_RANK};
use crate::SolverStat;
use corten_math::MIN_VAL;

/// Cost increase above which an update is undone.
const WORSE: f64 = 1e-10;

/// Improves `x.force`; returns the number of iterations.
pub fn solve(
    p: &Problem<'_>,
    limits: &Limits,
    dual: &mut Dual,
    x: &mut Iterate<'_>,
    record: impl FnMut(usize, SolverStat),
) -> usize {
    sweeps(p, limits, dual, x, record, |_, dual, x| {
        let mut improvement = 0.0;
        for b in p.rows.jacobian.blocks {
            if b.kind == Kind::Elliptic {
                let cone = &p.rows.jacobian.cones[b.cone as usize];
                improvement -= elliptic(p, dual, b, cone, x);
            } else {
                for i in b.rows() {
                    improvement -= scalar(p, dual, b.kind, i, x);
                }
            }
        }
        improvement
    })
}

/// Repeats a sweep over all rows, which is given its number and returns by how much the cost falls,
/// until that is below the tolerance; returns how often.
pub fn sweeps(
    p: &Problem<'_>,
    limits: &Limits,
    dual: &mut Dual,
    x: &mut Iterate<'_>,
    mut record: impl FnMut(usize, SolverStat),
    mut sweep: impl FnMut(usize, &mut Dual, &mut Iterate<'_>) -> f64,
) -> usize {
    dual.set_forces(x.force);
    dual::states(&p.rows, x.force, x.state);
    let mut iteration = 0;
    while iteration < limits.iterations && !limits.is_cancelled(p.rows.len()) {
        let improvement = p.scale * sweep(iteration, dual, x);
        record(iteration, sweep_stat(p, dual, x, improvement));
        iteration += 1;
        if improvement < limits.tolerance || improvement.is_nan() {
            break;
        }
    }
    dual::accelerations(p, limits, x);
    iteration
}

/// Updates the states after a sweep and describes it.
fn sweep_stat(
    p: &Problem<'_>,
    dual: &mut Dual,
    x: &mut Iterate<'_>,
    improvement: f64,
) -> SolverStat {
    dual.state_old.clear();
    dual.state_old.extend_from_slice(x.state);
    let active = dual::states(&p.rows, x.force, x.state);
    let changed = dual.state_old.iter().zip(x.state.iter()).filter(|(a, b)| a != b).count();
    SolverStat {
        improvement,
        nactive: active as i32,
        nchange: changed as i32,
        ..SolverStat::default()
    }
}

fn scalar(p: &Problem<'_>, dual: &mut Dual, kind: Kind, i: usize, x: &mut Iterate<'_>) -> f64 {
    let r = p.rows.r[i];
    let diagonal = dual.within(i, i) + r;
    let residual = x.jar[i] + dual.product(i) + r * x.force[i];
    let old = x.force[i];
    let free = old - residual / diagonal;
    let new = project(kind, p.rows.frictionloss[i], free);
    let delta = new - old;
    let change = 0.5 * delta * delta * diagonal + delta * residual;
    if change > WORSE {
        return 0.0;
    }
    x.force[i] = new;
    dual.add(i, delta);
    change
}

fn elliptic(
    p: &Problem<'_>,
    dual: &mut Dual,
    block: &Block,
    cone: &Cone,
    x: &mut Iterate<'_>,
) -> f64 {
    let range = block.rows();
    let (first, dim) = (range.start, range.len());
    let mut a = [[0.0; MAX_RANK]; MAX_RANK];
    let mut residual = [0.0; MAX_RANK];
    let mut old = [0.0; MAX_RANK];
    for k in 0..dim {
        let i = first + k;
        for j in 0..=k {
            a[k][j] = dual.within(i, first + j);
            a[j][k] = a[k][j];
        }
        a[k][k] += p.rows.r[i];
        residual[k] = x.jar[i] + dual.product(i) + p.rows.r[i] * x.force[i];
        old[k] = x.force[i];
    }
    let mut f = old;
    if f[0] < MIN_VAL {
        f = [0.0; MAX_RANK];
        f[0] = (old[0] - residual[0] / a[0][0]).max(0.0);
    } else {
        let along: f64 = (0..dim).map(|k| f[k] * residual[k]).sum();
        let curvature: f64 =
            (0..dim).map(|k| f[k] * (0..dim).map(|j| a[k][j] * f[j]).sum::<f64>()).sum();
        if curvature >= MIN_VAL {
            // A force that would turn around ends at zero.
            let step = (-along / curvature).max(-1.0);
            for k in 0..dim {
                f[k] += step * old[k];
            }
        }
    }
    if f[0] < MIN_VAL {
        f[1..].fill(0.0);
    } else {
        let n = dim - 1;
        let mut block_a = [[0.0; qcqp::MAX]; qcqp::MAX];
        let mut block_b = [0.0; qcqp::MAX];
        for k in 0..n {
            block_a[k][..n].copy_from_slice(&a[k + 1][1..dim]);
            let friction: f64 = (0..n).map(|j| block_a[k][j] * old[j + 1]).sum();
            block_b[k] = residual[k + 1] - friction + a[k + 1][0] * (f[0] - old[0]);
        }
        let friction = friction_force(&block_a, &block_b[..n], cone, f[0]);
        f[1..dim].copy_from_slice(&friction[..n]);
    }
    commit(dual, &a, &residual[..dim], first, &old, &f, x.force)
}

/// Friction that minimises the cost for a given normal force.
pub fn friction_force(
    a: &[[f64; qcqp::MAX]; qcqp::MAX],
    b: &[f64],
    cone: &Cone,
    normal: f64,
) -> [f64; qcqp::MAX] {
    let n = b.len();
    let mu = &cone.friction[..n];
    let (mut x, active) = qcqp::solve(a, b, mu, normal);
    if active {
        // Exactly onto the cone.
        let size: f64 = (0..n).map(|j| x[j] * x[j] / (mu[j] * mu[j])).sum();
        let scale = (normal * normal / size.max(MIN_VAL)).sqrt();
        for x in &mut x[..n] {
            *x *= scale;
        }
    }
    x
}

/// Accepts the new forces of the rows from `first` on unless the cost grows; returns the change
/// of cost.
pub fn commit<const N: usize>(
    dual: &mut Dual,
    a: &[[f64; N]; N],
    residual: &[f64],
    first: usize,
    old: &[f64; N],
    new: &[f64; N],
    force: &mut [f64],
) -> f64 {
    let n = residual.len();
    let mut change = 0.0;
    for k in 0..n {
        let delta = new[k] - old[k];
        let curvature: f64 = (0..n).map(|j| a[k][j] * (new[j] - old[j])).sum();
        change += 0.5 * delta * curvature + delta * residual[k];
    }
    if change > WORSE {
        return 0.0;
    }
    for k in 0..n {
        force[first + k] = new[k];
        dual.add(first + k, new[k] - old[k]);
    }
    change
}
