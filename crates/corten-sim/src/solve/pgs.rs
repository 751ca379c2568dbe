//! Projected Gauss-Seidel: one constraint at a time, on the dual problem.
//!
//! A scalar row moves to its minimum and is clamped to its bounds. An elliptic contact first
//! scales its force along itself, or finds a normal force if it has none, then finds the friction
//! for that normal force ([`super::qcqp`]). Answers to `mj_solPGS`.
//!
//! Residuals of a block are computed together; a row that moves carries on to the next rows of its
//! block by the small matrix that couples them, and to other blocks once the block is done.

use super::dual::{self, Dual, DualBlock, Full, Parts, by_rank};
use super::primal::{Iterate, Record};
use super::problem::{Limits, Problem};
use super::qcqp;
use super::row_cost::project;
use super::rows::{Cone, Kind};
use crate::SolverStat;
use corten_math::{MIN_VAL, Wide, wide};

/// Cost increase above which an update is undone.
const WORSE: f64 = 1e-10;

/// Improves `x.force`; returns the number of iterations.
pub fn solve(
    p: &Problem<'_>,
    limits: &Limits,
    dual: &mut Dual,
    x: &mut Iterate<'_>,
    record: Record<'_>,
) -> usize {
    let mut diagonal = std::mem::take(&mut dual.diagonal);
    find_diagonal(p, dual, &mut diagonal);
    let iterations = if dual.is_small() {
        dual.fill(&p.rows);
        sweeps(p, limits, dual, x, record, |iteration, dual, x| {
            if iteration == 0 {
                dual.find_residuals(&p.rows, x.jar, x.force);
            }
            sweep_full(p, &diagonal, &mut dual.full, x.force)
        })
    } else {
        sweeps(p, limits, dual, x, record, |_, dual, x| sweep(p, &diagonal, dual, x.jar, x.force))
    };
    dual.diagonal = diagonal;
    iterations
}

/// Repeats a sweep over all rows, which is given its number and returns by how much the cost falls,
/// until that is below the tolerance; returns how often.
pub fn sweeps(
    p: &Problem<'_>,
    limits: &Limits,
    dual: &mut Dual,
    x: &mut Iterate<'_>,
    record: Record<'_>,
    mut sweep: impl FnMut(usize, &mut Dual, &mut Iterate<'_>) -> f64,
) -> usize {
    dual.set_forces(&p.rows.jacobian, x.force);
    dual::states(&p.rows, x.force, x.state);
    let mut iteration = 0;
    while iteration < limits.iterations && !limits.is_cancelled(p.rows.len()) {
        let improvement = p.scale * sweep(iteration, dual, x);
        let [active, changed] = dual::states(&p.rows, x.force, x.state);
        let stat = SolverStat {
            improvement,
            nactive: active as i32,
            nchange: changed as i32,
            ..SolverStat::default()
        };
        record(iteration, stat);
        iteration += 1;
        if improvement < limits.tolerance || improvement.is_nan() {
            break;
        }
    }
    dual::accelerations(p, limits, x);
    iteration
}

fn find_diagonal(p: &Problem<'_>, dual: &Dual, diagonal: &mut Vec<[f64; 2]>) {
    diagonal.clear();
    let jacobian = &p.rows.jacobian;
    for (block, b) in jacobian.blocks.iter().enumerate() {
        for i in b.rows() {
            let sum = dual.weight(jacobian, block, i);
            diagonal.push([sum + p.rows.r[i], 1.0 / (sum + p.rows.r[i])]);
        }
    }
}

wide! {
    /// Moves every row once; returns by how much the cost falls.
    fn sweep(
        p: &Problem<'_>,
        diagonal: &[[f64; 2]],
        dual: &mut Dual,
        b: &[f64],
        force: &mut [f64],
    ) -> f64 {
        let mut improvement = 0.0;
        let jacobian = &p.rows.jacobian;
        let (blocks, mut parts) = dual.parts();
        for (block, dual) in jacobian.blocks.iter().zip(blocks) {
            let range = block.rows();
            let row = BlockRows {
                b: &b[range.clone()],
                r: &p.rows.r[range.clone()],
                diagonal: &diagonal[range.clone()],
                force: &mut force[range.clone()],
            };
            let change = match block.kind {
                Kind::Elliptic => {
                    let cone = &jacobian.cones[block.cone as usize];
                    match block.rank {
                        3 => elliptic::<Simd, 3, 2>(&mut parts, dual, cone, row),
                        4 => elliptic::<Simd, 4, 3>(&mut parts, dual, cone, row),
                        _ => elliptic::<Simd, 6, 5>(&mut parts, dual, cone, row),
                    }
                }
                Kind::Pyramid => {
                    let friction = &jacobian.cones[block.cone as usize].friction;
                    match block.rank {
                        3 => pyramid::<Simd, 3>(&mut parts, dual, friction, row),
                        4 => pyramid::<Simd, 4>(&mut parts, dual, friction, row),
                        _ => pyramid::<Simd, 6>(&mut parts, dual, friction, row),
                    }
                }
                kind => {
                    let losses = &p.rows.frictionloss[range];
                    by_rank!(block.rank, single::<Simd>(&mut parts, dual, kind, losses, row))
                }
            };
            improvement -= change;
        }
        improvement
    }

    /// The same with few rows, of which all residuals are kept.
    fn sweep_full(p: &Problem<'_>, diagonal: &[[f64; 2]], full: &mut Full, force: &mut [f64]) -> f64 {
        let rows = &p.rows;
        let mut improvement = 0.0;
        for i in rows.equalities() {
            improvement -= full.advance::<Simd>(i, diagonal[i], &mut force[i], |force| force);
        }
        for i in rows.frictions() {
            let loss = rows.frictionloss[i];
            let admissible = |force: f64| project(Kind::Friction, loss, force);
            improvement -= full.advance::<Simd>(i, diagonal[i], &mut force[i], admissible);
        }
        let push = |force: f64| project(Kind::Inequality, 0.0, force);
        for i in rows.inequalities() {
            improvement -= full.advance::<Simd>(i, diagonal[i], &mut force[i], push);
        }
        for block in rows.cone_blocks() {
            let range = block.rows();
            if block.kind != Kind::Elliptic {
                for i in range {
                    improvement -= full.advance::<Simd>(i, diagonal[i], &mut force[i], push);
                }
                continue;
            }
            let cone = &rows.jacobian.cones[block.cone as usize];
            let (first, force) = (range.start, &mut force[range]);
            improvement -= match block.rank {
                3 => full.elliptic::<Simd, 3, 2>(first, cone, force),
                4 => full.elliptic::<Simd, 4, 3>(first, cone, force),
                _ => full.elliptic::<Simd, 6, 5>(first, cone, force),
            };
        }
        improvement
    }
}

/// The move of one row to the admissible force next to its minimum.
struct Move {
    force: f64,
    by: f64,
    /// By how much the cost changes.
    cost: f64,
}

/// `None` if the cost would grow.
#[inline(always)]
fn move_row(
    old: f64,
    residual: f64,
    [diagonal, inverse]: [f64; 2],
    admissible: impl Fn(f64) -> f64,
) -> Option<Move> {
    let force = admissible(old - residual * inverse);
    let by = force - old;
    let cost = by * (0.5 * by * diagonal + residual);
    (!(cost > WORSE)).then_some(Move { force, by, cost })
}

impl Full {
    /// Moves one row; returns by how much the cost changes.
    #[inline(always)]
    fn advance<S: Wide>(
        &mut self,
        row: usize,
        diagonal: [f64; 2],
        force: &mut f64,
        admissible: impl Fn(f64) -> f64,
    ) -> f64 {
        let residual = self.residual[row / 4][row % 4];
        let Some(moved) = move_row(*force, residual, diagonal, admissible) else { return 0.0 };
        *force = moved.force;
        self.add::<S>(row, moved.by);
        moved.cost
    }

    /// Accounts for a change of the force of a row.
    #[inline(always)]
    fn add<S: Wide>(&mut self, row: usize, change: f64) {
        if change == 0.0 {
            return;
        }
        let change = S::splat(change);
        let stride = self.residual.len();
        for (y, a) in self.residual.iter_mut().zip(&self.matrix[row * stride..][..stride]) {
            *y = (S::load(*y) + S::load(*a) * change).store();
        }
    }

    /// Moves the rows of an elliptic contact from `first` on; returns by how much the cost changes.
    #[inline(always)]
    fn elliptic<S: Wide, const R: usize, const N: usize>(
        &mut self,
        first: usize,
        cone: &Cone,
        force: &mut [f64],
    ) -> f64 {
        let (mut a, mut residual) = ([[0.0; R]; R], [0.0; R]);
        let stride = self.residual.len();
        for k in 0..R {
            let row = self.matrix[(first + k) * stride..].as_flattened();
            a[k].copy_from_slice(&row[first..first + R]);
            residual[k] = self.residual[(first + k) / 4][(first + k) % 4];
        }
        let Some((deltas, change)) = contact::<R, N>(&a, &residual, cone, force) else {
            return 0.0;
        };
        for k in 0..R {
            self.add::<S>(first + k, deltas[k]);
        }
        change
    }
}

/// The constraint rows of a block.
struct BlockRows<'a> {
    b: &'a [f64],
    r: &'a [f64],
    diagonal: &'a [[f64; 2]],
    force: &'a mut [f64],
}

impl BlockRows<'_> {
    /// Moves row `i`, given `(A f)ᵢ`; returns by how much its force and the cost change.
    #[inline(always)]
    fn advance(&mut self, i: usize, product: f64, admissible: impl Fn(f64) -> f64) -> [f64; 2] {
        let old = self.force[i];
        let residual = self.b[i] + product + self.r[i] * old;
        let moved = move_row(old, residual, self.diagonal[i], admissible);
        let Some(moved) = moved else { return [0.0; 2] };
        self.force[i] = moved.force;
        [moved.by, moved.cost]
    }
}

/// Rows that stand for themselves.
#[inline(always)]
fn single<S: Wide, const R: usize>(
    parts: &mut Parts<'_>,
    block: &DualBlock,
    kind: Kind,
    losses: &[f64],
    mut rows: BlockRows<'_>,
) -> f64 {
    let mut products = parts.products::<S, R>(block);
    let gram = parts.gram::<R>(block);
    let (mut deltas, mut change) = ([0.0; R], 0.0);
    for i in 0..R {
        let loss = losses[i];
        let [delta, by] = rows.advance(i, products[i], |force| project(kind, loss, force));
        deltas[i] = delta;
        change += by;
        for j in i + 1..R {
            products[j] += gram[i][j] * delta;
        }
    }
    parts.add::<S, R>(block, &deltas);
    change
}

/// Edges of a pyramid, normal ± friction, two for each friction direction.
#[inline(always)]
fn pyramid<S: Wide, const R: usize>(
    parts: &mut Parts<'_>,
    block: &DualBlock,
    friction: &[f64; 5],
    mut rows: BlockRows<'_>,
) -> f64 {
    let mut products = parts.products::<S, R>(block);
    let gram = parts.gram::<R>(block);
    let (mut deltas, mut change) = ([0.0; R], 0.0);
    for k in 1..R {
        for (side, mu) in [friction[k - 1], -friction[k - 1]].into_iter().enumerate() {
            let edge = 2 * (k - 1) + side;
            let product = products[0] + mu * products[k];
            let [delta, by] =
                rows.advance(edge, product, |force| project(Kind::Pyramid, 0.0, force));
            if delta != 0.0 {
                let along = mu * delta;
                deltas[0] += delta;
                deltas[k] += along;
                for j in 0..R {
                    products[j] += gram[0][j] * delta + gram[k][j] * along;
                }
            }
            change += by;
        }
    }
    parts.add::<S, R>(block, &deltas);
    change
}

#[inline(always)]
fn elliptic<S: Wide, const R: usize, const N: usize>(
    parts: &mut Parts<'_>,
    block: &DualBlock,
    cone: &Cone,
    rows: BlockRows<'_>,
) -> f64 {
    let products = parts.products::<S, R>(block);
    let (mut a, mut residual) = (*parts.gram::<R>(block), [0.0; R]);
    for k in 0..R {
        a[k][k] += rows.r[k];
        residual[k] = rows.b[k] + products[k] + rows.r[k] * rows.force[k];
    }
    let moved = contact::<R, N>(&a, &residual, cone, rows.force);
    let Some((deltas, change)) = moved else { return 0.0 };
    parts.add::<S, R>(block, &deltas);
    change
}

/// Moves all rows of an elliptic contact, `N` of them friction, given `A + R` between them and their
/// residuals; returns by how much forces and cost change, unless the cost would grow.
#[inline(always)]
fn contact<const R: usize, const N: usize>(
    a: &[[f64; R]; R],
    residual: &[f64; R],
    cone: &Cone,
    force: &mut [f64],
) -> Option<([f64; R], f64)> {
    let mut old = [0.0; R];
    old.copy_from_slice(force);
    let mut f = old;
    if f[0] < MIN_VAL {
        f = [0.0; R];
        f[0] = (old[0] - residual[0] / a[0][0]).max(0.0);
    } else {
        let (mut along, mut curvature) = (0.0, 0.0);
        for k in 0..R {
            along += f[k] * residual[k];
            let mut product = 0.0;
            for j in 0..R {
                product += a[k][j] * f[j];
            }
            curvature += f[k] * product;
        }
        if curvature >= MIN_VAL {
            // A force that would turn around ends at zero.
            let step = (-along / curvature).max(-1.0);
            for k in 0..R {
                f[k] += step * old[k];
            }
        }
    }
    if f[0] < MIN_VAL {
        f[1..].fill(0.0);
    } else {
        let (mut block_a, mut block_b) = ([[0.0; N]; N], [0.0; N]);
        for k in 0..N {
            let mut friction = 0.0;
            for j in 0..N {
                block_a[k][j] = a[k + 1][j + 1];
                friction += a[k + 1][j + 1] * old[j + 1];
            }
            block_b[k] = residual[k + 1] - friction + a[k + 1][0] * (f[0] - old[0]);
        }
        let friction = friction_force(&block_a, &block_b, cone, f[0]);
        f[1..].copy_from_slice(&friction);
    }
    let (deltas, change) = accepted(a, residual, &old, &f)?;
    force.copy_from_slice(&f);
    Some((deltas, change))
}

/// Friction that minimises the cost for a given normal force.
#[inline(always)]
pub fn friction_force<const N: usize>(
    a: &[[f64; N]; N],
    b: &[f64; N],
    cone: &Cone,
    normal: f64,
) -> [f64; N] {
    let mu: &[f64; N] = cone.friction.first_chunk().unwrap_or(&[0.0; N]);
    let (mut x, active) = qcqp::solve(a, b, mu, normal);
    if active {
        // Exactly onto the cone.
        let mut size = 0.0;
        for j in 0..N {
            size += x[j] * x[j] / (mu[j] * mu[j]);
        }
        let scale = (normal * normal / size.max(MIN_VAL)).sqrt();
        for x in &mut x {
            *x *= scale;
        }
    }
    x
}

/// By how much forces and cost change, unless the cost would grow.
#[inline(always)]
pub fn accepted<const N: usize>(
    a: &[[f64; N]; N],
    residual: &[f64; N],
    old: &[f64; N],
    new: &[f64; N],
) -> Option<([f64; N], f64)> {
    let (mut delta, mut change) = ([0.0; N], 0.0);
    for k in 0..N {
        delta[k] = new[k] - old[k];
    }
    for k in 0..N {
        let mut curvature = 0.0;
        for j in 0..N {
            curvature += a[k][j] * delta[j];
        }
        change += 0.5 * delta[k] * curvature + delta[k] * residual[k];
    }
    (!(change > WORSE)).then_some((delta, change))
}
