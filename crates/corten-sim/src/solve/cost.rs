//! Cost of the rows, and the forces and states that follow from it.
//!
//! With `x = J·qacc − aref`, a row's force is minus the derivative of its cost:
//!
//! | kind | cost | state |
//! |---|---|---|
//! | equality | `½ D x²` | quadratic |
//! | friction | `½ D x²` inside `±R·f`, then `f(±x − ½R f)` | quadratic, linear |
//! | inequality | `½ D x²` for `x < 0`, else 0 | quadratic, satisfied |
//!
//! An elliptic contact first scales its rows to a circular cone, `u₀ = μ x₀`, `uⱼ = μⱼ xⱼ`, with
//! normal part `N = u₀` and tangential part `T = |u₁…|`. Above the cone (`N ≥ μT`) there is no
//! cost; below its dual (`μN + T ≤ 0`) each row is quadratic; between them the cost is
//! `½ Dₘ (N − μT)²` with `Dₘ = D₀/(μ²(1 + μ²))`, which joins both smoothly.
//! Answers to `mj_constraintUpdate`.

use corten_model::enums::ConstraintState;

use super::problem::RowParams;
use super::rows::{Block, Cone, Jacobian, Kind, MAX_RANK};

pub const SATISFIED: i32 = ConstraintState::Satisfied.raw();
pub const QUADRATIC: i32 = ConstraintState::Quadratic.raw();
pub const LINEAR_NEG: i32 = ConstraintState::LinearNeg.raw();
pub const LINEAR_POS: i32 = ConstraintState::LinearPos.raw();
pub const CONE: i32 = ConstraintState::Cone.raw();

/// Second derivative of an elliptic contact's cost by its rows; only the first `dim` rows and
/// columns are used.
pub type ConeHessian = [[f64; MAX_RANK]; MAX_RANK];

/// Forces and states at the residual `x`; returns the total cost.
pub fn update(
    rows: &Jacobian<'_>,
    p: &RowParams<'_>,
    x: &[f64],
    force: &mut [f64],
    state: &mut [i32],
) -> f64 {
    let mut cost = 0.0;
    for b in rows.blocks {
        let range = b.rows();
        match b.kind {
            Kind::Equality => {
                for i in range {
                    force[i] = -p.d[i] * x[i];
                    state[i] = QUADRATIC;
                    cost += 0.5 * p.d[i] * x[i] * x[i];
                }
            }
            Kind::Friction => {
                for i in range {
                    cost += friction(p, i, x[i], &mut force[i], &mut state[i]);
                }
            }
            Kind::Inequality | Kind::Pyramid => {
                for i in range {
                    if x[i] >= 0.0 {
                        force[i] = 0.0;
                        state[i] = SATISFIED;
                    } else {
                        force[i] = -p.d[i] * x[i];
                        state[i] = QUADRATIC;
                        cost += 0.5 * p.d[i] * x[i] * x[i];
                    }
                }
            }
            Kind::Elliptic => {
                let cone = &rows.cones[b.cone as usize];
                let (x, d) = (&x[range.clone()], &p.d[range.clone()]);
                let (c, s) = elliptic(cone, d, x, &mut force[range.clone()]);
                state[range].fill(s);
                cost += c;
            }
        }
    }
    cost
}

fn friction(p: &RowParams<'_>, i: usize, x: f64, force: &mut f64, state: &mut i32) -> f64 {
    let loss = p.frictionloss[i];
    let bound = p.r[i] * loss;
    if x <= -bound {
        (*force, *state) = (loss, LINEAR_NEG);
        -0.5 * bound * loss - loss * x
    } else if x >= bound {
        (*force, *state) = (-loss, LINEAR_POS);
        -0.5 * bound * loss + loss * x
    } else {
        (*force, *state) = (-p.d[i] * x, QUADRATIC);
        0.5 * p.d[i] * x * x
    }
}

/// Residual of an elliptic contact in the space where the cone is circular.
struct Scaled {
    u: [f64; MAX_RANK],
    normal: f64,
    tangential: f64,
}

fn scaled(cone: &Cone, x: &[f64]) -> Scaled {
    let mut u = [0.0; MAX_RANK];
    u[0] = cone.mu * x[0];
    let mut sum = 0.0;
    for j in 1..x.len() {
        u[j] = cone.friction[j - 1] * x[j];
        sum += u[j] * u[j];
    }
    Scaled { normal: u[0], tangential: sum.sqrt(), u }
}

/// Cost and state of an elliptic contact; fills its forces.
fn elliptic(cone: &Cone, d: &[f64], x: &[f64], force: &mut [f64]) -> (f64, i32) {
    let mu = cone.mu;
    let Scaled { u, normal, tangential } = scaled(cone, x);
    if normal >= mu * tangential || (tangential <= 0.0 && normal >= 0.0) {
        force.fill(0.0);
        return (0.0, SATISFIED);
    }
    if mu * normal + tangential <= 0.0 || (tangential <= 0.0 && normal < 0.0) {
        let mut cost = 0.0;
        for j in 0..x.len() {
            force[j] = -d[j] * x[j];
            cost += 0.5 * d[j] * x[j] * x[j];
        }
        return (cost, QUADRATIC);
    }
    let dm = d[0] / (mu * mu * (1.0 + mu * mu));
    let gap = normal - mu * tangential;
    force[0] = -dm * gap * mu;
    for j in 1..x.len() {
        force[j] = -force[0] / tangential * u[j] * cone.friction[j - 1];
    }
    (0.5 * dm * gap * gap, CONE)
}

/// Second derivative of the cost of an elliptic contact in the middle zone.
///
/// In the scaled space it is `Dₘ` times `[1, −μ uᵀ/T; −μ u/T, μN/T³ u uᵀ + (μ² − μN/T) 1]`.
pub fn cone_hessian(cone: &Cone, d: &[f64], x: &[f64]) -> ConeHessian {
    let mu = cone.mu;
    let dim = x.len();
    let Scaled { u, normal, tangential } = scaled(cone, x);
    let dm = d[0] / (mu * mu * (1.0 + mu * mu));
    let outer = mu * normal / (tangential * tangential * tangential);
    let diagonal = mu * mu - mu * normal / tangential;
    let factor = |j: usize| if j == 0 { mu } else { cone.friction[j - 1] };
    let mut h = [[0.0; MAX_RANK]; MAX_RANK];
    for k in 0..dim {
        for j in k..dim {
            let raw = match (k, j) {
                (0, 0) => 1.0,
                (0, _) => -mu / tangential * u[j],
                _ => outer * u[j] * u[k] + if j == k { diagonal } else { 0.0 },
            };
            h[k][j] = raw * dm * factor(k) * factor(j);
            h[j][k] = h[k][j];
        }
    }
    h
}

/// How many rows are active, and how many belong to contacts in the middle zone of their cone.
pub fn count(blocks: &[Block], state: &[i32]) -> (usize, usize) {
    let (mut active, mut cone) = (0, 0);
    for b in blocks {
        for &s in &state[b.rows()] {
            active += usize::from(s != SATISFIED);
            cone += usize::from(s == CONE);
        }
    }
    (active, cone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(x: [f64; 3]) -> (f64, i32, [f64; 3]) {
        // R₁ = R₀/2, R₂ μ₂² = R₁ μ₁², as the rows of a contact are made.
        let (mu1, mu2) = (0.7, 0.4);
        let r = [0.01, 0.005, 0.005 * mu1 * mu1 / (mu2 * mu2)];
        let cone = Cone { mu: mu1 * 0.5f64.sqrt(), friction: [mu1, mu2, 0.0, 0.0, 0.0] };
        let mut force = [0.0; 3];
        let (cost, state) = elliptic(&cone, &r.map(|r| 1.0 / r), &x, &mut force);
        (cost, state, force)
    }

    #[test]
    fn cone_cost_is_continuous_with_its_force_as_derivative() {
        // From below the dual cone to above the cone, along a straight line.
        let at = |t: f64| [-4.0 + 6.0 * t, 0.9, -0.4];
        let mut states = Vec::new();
        let h = 1e-6;
        for step in 0..1000 {
            let t = f64::from(step) * 1e-3;
            let (cost, state, force) = contact(at(t));
            if states.last() != Some(&state) {
                states.push(state);
            }
            assert!((contact(at(t + 1e-9)).0 - cost).abs() < 1e-4);
            let slope = (contact(at(t + h)).0 - contact(at(t - h)).0) / (2.0 * h);
            assert!((slope + 6.0 * force[0]).abs() < 1e-2, "{t} {slope} {force:?}");
        }
        assert_eq!(states, [QUADRATIC, CONE, SATISFIED]);
    }

    #[test]
    fn cone_hessian_is_the_derivative_of_the_force() {
        let x = [0.1, 0.9, -0.4];
        let (mu1, mu2) = (0.7, 0.4);
        let cone = Cone { mu: mu1 * 0.5f64.sqrt(), friction: [mu1, mu2, 0.0, 0.0, 0.0] };
        let hessian = cone_hessian(&cone, &[100.0, 200.0, 65.0], &x);
        let h = 1e-6;
        for j in 0..3 {
            let moved = |s: f64| {
                let mut x = x;
                x[j] += s;
                contact(x).2
            };
            let (up, down) = (moved(h), moved(-h));
            for k in 0..3 {
                let slope = -(up[k] - down[k]) / (2.0 * h);
                assert!((slope - hessian[k][j]).abs() < 1e-5, "{k} {j}");
            }
        }
    }
}
