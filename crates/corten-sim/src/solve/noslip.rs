//! Removes the slip that regularisation allows: a Gauss-Seidel pass over friction forces only,
//! with `R` taken out of the cost, after the main solver. Answers to `mj_solNoSlip`.
//!
//! Normal forces stay. A pair of opposite pyramid edges keeps its sum and moves its difference;
//! elliptic contacts solve for all friction directions at once.

use super::dual::{Dual, DualBlock, Parts};
use super::pgs::{accepted, friction_force, sweeps};
use super::primal::{Iterate, Record};
use super::problem::{Limits, Problem};
use super::row_cost::clamp;
use super::rows::{Cone, Kind};
use corten_math::{MIN_VAL, Wide, wide};

/// Smallest diagonal entry of a contact's block once `R` is gone.
const MIN_DIAGONAL: f64 = 1e-10;

/// Improves the friction forces; returns the number of iterations.
pub fn solve(
    p: &Problem<'_>,
    limits: &Limits,
    dual: &mut Dual,
    x: &mut Iterate<'_>,
    record: Record<'_>,
) -> usize {
    sweeps(p, limits, dual, x, record, |iteration, dual, x| {
        let mut improvement = 0.0;
        if iteration == 0 {
            // The cost without R is lower from the start.
            for (f, r) in x.force.iter().zip(p.rows.r) {
                improvement += 0.5 * f * f * r;
            }
        }
        improvement + sweep(p, dual, x.jar, x.force)
    })
}

wide! {
    /// Moves every friction force once; returns by how much the cost falls.
    fn sweep(p: &Problem<'_>, dual: &mut Dual, b: &[f64], force: &mut [f64]) -> f64 {
        let mut improvement = 0.0;
        let jacobian = &p.rows.jacobian;
        let (blocks, mut parts) = dual.parts();
        for (block, dual) in jacobian.blocks.iter().zip(blocks) {
            let range = block.rows();
            let rows = BlockRows { b: &b[range.clone()], force: &mut force[range.clone()] };
            let cone = || &jacobian.cones[block.cone as usize];
            let change = match (block.kind, block.rank) {
                (Kind::Friction, _) => {
                    dry_friction::<Simd>(&mut parts, dual, p.rows.frictionloss[range.start], rows)
                }
                (Kind::Pyramid, 3) => pyramid::<Simd, 3>(&mut parts, dual, cone(), rows),
                (Kind::Pyramid, 4) => pyramid::<Simd, 4>(&mut parts, dual, cone(), rows),
                (Kind::Pyramid, _) => pyramid::<Simd, 6>(&mut parts, dual, cone(), rows),
                (Kind::Elliptic, 3) => elliptic::<Simd, 3, 2>(&mut parts, dual, cone(), rows),
                (Kind::Elliptic, 4) => elliptic::<Simd, 4, 3>(&mut parts, dual, cone(), rows),
                (Kind::Elliptic, _) => elliptic::<Simd, 6, 5>(&mut parts, dual, cone(), rows),
                (Kind::Equality | Kind::Inequality, _) => 0.0,
            };
            improvement -= change;
        }
        improvement
    }
}

/// The constraint rows of a block.
struct BlockRows<'a> {
    b: &'a [f64],
    force: &'a mut [f64],
}

/// The one row of a joint, a tendon or a degree of freedom.
#[inline(always)]
fn dry_friction<S: Wide>(
    parts: &mut Parts<'_>,
    block: &DualBlock,
    loss: f64,
    rows: BlockRows<'_>,
) -> f64 {
    let [product] = parts.products::<S, 1>(block);
    let diagonal = parts.gram::<1>(block)[0][0].max(MIN_VAL);
    let residual = rows.b[0] + product;
    let new = clamp(rows.force[0] - residual / diagonal, loss);
    let delta = new - rows.force[0];
    rows.force[0] = new;
    parts.add::<S, 1>(block, &[delta]);
    0.5 * delta * delta * diagonal + delta * residual
}

/// Pairs of opposite edges, normal ± friction.
#[inline(always)]
fn pyramid<S: Wide, const R: usize>(
    parts: &mut Parts<'_>,
    block: &DualBlock,
    cone: &Cone,
    rows: BlockRows<'_>,
) -> f64 {
    let mut products = parts.products::<S, R>(block);
    let gram = parts.gram::<R>(block);
    let (mut deltas, mut change) = ([0.0; R], 0.0);
    for k in 1..R {
        let first = 2 * (k - 1);
        let mu = cone.friction[k - 1];
        let (normal, cross, tangent) = (gram[0][0], mu * gram[0][k], mu * mu * gram[k][k]);
        let plus = (normal + tangent + 2.0 * cross).max(MIN_DIAGONAL);
        let minus = (normal + tangent - 2.0 * cross).max(MIN_DIAGONAL);
        let a = [[plus, normal - tangent], [normal - tangent, minus]];
        let along = mu * products[k];
        let residual =
            [rows.b[first] + products[0] + along, rows.b[first + 1] + products[0] - along];
        let old = [rows.force[first], rows.force[first + 1]];
        let offset = |k: usize| residual[k] - a[k][0] * old[0] - a[k][1] * old[1];
        // With forces mid ± y, the cost is ½ k₁ y² + k₀ y.
        let mid = 0.5 * (old[0] + old[1]);
        let k1 = a[0][0] + a[1][1] - a[0][1] - a[1][0];
        let k0 = mid * (a[0][0] - a[1][1]) + offset(0) - offset(1);
        let y = if k1 < MIN_VAL { 0.0 } else { clamp(-k0 / k1, mid) };
        let new = [mid + y, mid - y];
        let Some((delta, by)) = accepted(&a, &residual, &old, &new) else { continue };
        change += by;
        rows.force[first..first + 2].copy_from_slice(&new);
        let (normal, tangent) = (delta[0] + delta[1], mu * (delta[0] - delta[1]));
        deltas[0] += normal;
        deltas[k] = tangent;
        for j in 0..R {
            products[j] += gram[0][j] * normal + gram[k][j] * tangent;
        }
    }
    parts.add::<S, R>(block, &deltas);
    change
}

/// A contact of which `N` rows are friction.
#[inline(always)]
fn elliptic<S: Wide, const R: usize, const N: usize>(
    parts: &mut Parts<'_>,
    block: &DualBlock,
    cone: &Cone,
    rows: BlockRows<'_>,
) -> f64 {
    let products = parts.products::<S, R>(block);
    let gram = parts.gram::<R>(block);
    let normal = rows.force[0];
    let (mut a, mut residual, mut old) = ([[0.0; N]; N], [0.0; N], [0.0; N]);
    for k in 0..N {
        for j in 0..N {
            a[k][j] = gram[k + 1][j + 1];
        }
        a[k][k] = a[k][k].max(MIN_DIAGONAL);
        residual[k] = rows.b[k + 1] + products[k + 1];
        old[k] = rows.force[k + 1];
    }
    let mut new = [0.0; N];
    if normal >= MIN_VAL {
        let mut free = residual;
        for k in 0..N {
            for j in 0..N {
                free[k] -= a[k][j] * old[j];
            }
        }
        new = friction_force(&a, &free, cone, normal);
    }
    let Some((delta, change)) = accepted(&a, &residual, &old, &new) else { return 0.0 };
    rows.force[1..].copy_from_slice(&new);
    let mut deltas = [0.0; R];
    deltas[1..].copy_from_slice(&delta);
    parts.add::<S, R>(block, &deltas);
    change
}
