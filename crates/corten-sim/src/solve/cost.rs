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

use corten_math::{Mask, Number, Wide, wide};
use corten_model::enums::ConstraintState;

use super::problem::Rows;
use super::problem::inlined::{padded, write};
use super::rows::{Cone, Kind, MAX_RANK};

pub const SATISFIED: i32 = ConstraintState::Satisfied.raw();
pub const QUADRATIC: i32 = ConstraintState::Quadratic.raw();
pub const LINEAR_NEG: i32 = ConstraintState::LinearNeg.raw();
pub const LINEAR_POS: i32 = ConstraintState::LinearPos.raw();
pub const CONE: i32 = ConstraintState::Cone.raw();

/// Second derivative of an elliptic contact's cost by its rows; only the first `dim` rows and
/// columns are used.
pub type ConeHessian = [[f64; MAX_RANK]; MAX_RANK];

/// What [`update`] found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Update {
    pub cost: f64,
    /// Rows that are not satisfied.
    pub active: i32,
    /// Rows whose state is not what it was.
    pub changed: i32,
    /// Rows that became or ceased to be quadratic, and all rows of cones in the middle zone:
    /// those in which the Hessian differs.
    pub hessian: i32,
    /// Whether a contact left the middle zone of its cone, which takes its share of the Hessian away
    /// even if that counts as no update.
    pub left_cone: bool,
}

impl Update {
    #[inline]
    fn count(&mut self, old: i32, new: i32) {
        self.active += i32::from(new != SATISFIED);
        self.changed += i32::from(new != old);
        self.hessian += i32::from((old == QUADRATIC) != (new == QUADRATIC));
        self.hessian += i32::from(new == CONE);
        self.left_cone |= old == CONE && new != CONE;
    }
}

wide! {
    /// Forces and states at the residual `x`; `state` holds the previous states.
    pub fn update(rows: &Rows<'_>, x: &[f64], force: &mut [f64], state: &mut [i32]) -> Update {
        let mut found = Update::default();
        for i in rows.equalities() {
            force[i] = -rows.d[i] * x[i];
            found.cost -= 0.5 * force[i] * x[i];
            found.count(state[i], QUADRATIC);
            state[i] = QUADRATIC;
        }
        let range = rows.frictions();
        if !range.is_empty() {
            let given = [rows.d, rows.r, rows.frictionloss].map(|v| &v[range.clone()]);
            frictions::<Simd>(
                given,
                &x[range.clone()],
                &mut force[range.clone()],
                &mut state[range],
                &mut found,
            );
        }
        let range = rows.inequalities();
        inequalities(
            &rows.d[range.clone()],
            &x[range.clone()],
            &mut force[range.clone()],
            &mut state[range],
            &mut found,
        );
        for b in rows.cone_blocks() {
            let range = b.rows();
            let (d, x) = (&rows.d[range.clone()], &x[range.clone()]);
            let (force, state) = (&mut force[range.clone()], &mut state[range]);
            if b.kind == Kind::Elliptic {
                let cone = &rows.jacobian.cones[b.cone as usize];
                let (cost, new) = elliptic(cone, d, x, force);
                found.cost += cost;
                for s in state {
                    found.count(*s, new);
                    *s = new;
                }
            } else {
                inequalities(d, x, force, state, &mut found);
            }
        }
        found
    }
}

/// The cost at the residual `x`.
pub fn total(rows: &Rows<'_>, x: &[f64]) -> f64 {
    let mut cost = 0.0;
    for i in rows.equalities() {
        cost += 0.5 * rows.d[i] * x[i] * x[i];
    }
    for i in rows.frictions() {
        cost += friction([rows.d[i], rows.r[i], rows.frictionloss[i]], x[i]).0;
    }
    let range = rows.inequalities();
    cost += inequality_cost(&rows.d[range.clone()], &x[range]);
    for b in rows.cone_blocks() {
        let (d, x) = (&rows.d[b.rows()], &x[b.rows()]);
        cost += if b.kind == Kind::Elliptic {
            elliptic(&rows.jacobian.cones[b.cone as usize], d, x, &mut [0.0; MAX_RANK]).0
        } else {
            inequality_cost(d, x)
        };
    }
    cost
}

/// The states at the residual `x`.
pub fn states(rows: &Rows<'_>, x: &[f64], state: &mut [i32]) {
    state[rows.equalities()].fill(QUADRATIC);
    for i in rows.frictions() {
        state[i] = friction_state(rows.r[i] * rows.frictionloss[i], x[i]);
    }
    let inequalities = |x: &[f64], state: &mut [i32]| {
        for (state, x) in state.iter_mut().zip(x) {
            *state = inequality_state(*x);
        }
    };
    let range = rows.inequalities();
    inequalities(&x[range.clone()], &mut state[range]);
    for b in rows.cone_blocks() {
        let (x, state) = (&x[b.rows()], &mut state[b.rows()]);
        if b.kind == Kind::Elliptic {
            let cone = &rows.jacobian.cones[b.cone as usize];
            state.fill(elliptic(cone, &rows.d[b.rows()], x, &mut [0.0; MAX_RANK]).1);
        } else {
            inequalities(x, state);
        }
    }
}

/// Not a number counts as violated, so that it shows.
#[inline(always)]
fn inequality_state(x: f64) -> i32 {
    if x >= 0.0 { SATISFIED } else { QUADRATIC }
}

/// Rows that go through at once.
const LANES: usize = 4;

/// The product is taken in any case: a branch would keep rows from going through together.
#[inline(always)]
fn inequality_force(d: f64, x: f64) -> f64 {
    let force = -d * x;
    if x < 0.0 { force } else { 0.0 }
}

/// Sums over rows, in lanes.
#[derive(Default)]
struct Sums {
    cost: [f64; LANES],
    /// A count, as numbers that go along with those of the cost.
    active: [f64; LANES],
    changed: [i32; LANES],
}

impl Sums {
    /// Four rows, given their old states: their forces and states. Without branches, so that they go
    /// through at once.
    #[inline(always)]
    fn add(
        &mut self,
        d: &[f64; LANES],
        x: &[f64; LANES],
        old: &[i32; LANES],
    ) -> ([f64; LANES], [i32; LANES]) {
        let force: [f64; LANES] = std::array::from_fn(|k| inequality_force(d[k], x[k]));
        let state = x.map(inequality_state);
        for k in 0..LANES {
            self.cost[k] += force[k] * x[k];
            self.active[k] += if x[k] >= 0.0 { 0.0 } else { 1.0 };
            self.changed[k] += i32::from(state[k] != old[k]);
        }
        (force, state)
    }
}

#[inline(always)]
fn inequalities(d: &[f64], x: &[f64], force: &mut [f64], state: &mut [i32], found: &mut Update) {
    let mut sums = Sums::default();
    let ((d, d_rest), (x, x_rest)) = (d.as_chunks::<LANES>(), x.as_chunks::<LANES>());
    let (force, force_rest) = force.as_chunks_mut::<LANES>();
    let (state, state_rest) = state.as_chunks_mut::<LANES>();
    for (((d, x), force), state) in d.iter().zip(x).zip(force).zip(state) {
        (*force, *state) = sums.add(d, x, state);
    }
    if !x_rest.is_empty() {
        // Zeros are satisfied, and stay so.
        let old = padded(state_rest);
        let (force, state) = sums.add(&padded(d_rest), &padded(x_rest), &old);
        write(&force, force_rest);
        write(&state, state_rest);
    }
    let Sums { cost, active, changed } = sums;
    found.cost -= 0.5 * ((cost[0] + cost[2]) + (cost[1] + cost[3]));
    found.active += active.iter().sum::<f64>() as i32;
    let changed = changed.iter().sum::<i32>();
    found.changed += changed;
    found.hessian += changed;
}

wide! {
    fn inequality_cost(d: &[f64], x: &[f64]) -> f64 {
        let mut cost = [0.0; LANES];
        let ((d, d_rest), (x, x_rest)) = (d.as_chunks::<LANES>(), x.as_chunks::<LANES>());
        for (d, x) in d.iter().zip(x) {
            for k in 0..LANES {
                cost[k] += inequality_force(d[k], x[k]) * x[k];
            }
        }
        if !x_rest.is_empty() {
            let (d, x) = (padded(d_rest), padded(x_rest));
            for k in 0..LANES {
                cost[k] += inequality_force(d[k], x[k]) * x[k];
            }
        }
        -0.5 * ((cost[0] + cost[2]) + (cost[1] + cost[3]))
    }
}

/// Rows of dry friction, given `D`, `R` and `frictionloss`.
#[inline(always)]
fn frictions<S: Wide>(
    given: [&[f64]; 3],
    x: &[f64],
    force: &mut [f64],
    state: &mut [i32],
    found: &mut Update,
) {
    let count = x.len();
    let mut sum = S::splat(0.0);
    let whole = given.map(|v| v.as_chunks::<LANES>().0);
    let fours = force.as_chunks_mut::<LANES>().0;
    for (i, (x, to)) in x.as_chunks::<LANES>().0.iter().zip(fours).enumerate() {
        let [d, r, loss] = [S::load(whole[0][i]), S::load(whole[1][i]), S::load(whole[2][i])];
        let (cost, force) = friction([d, r, loss], S::load(*x));
        sum += cost;
        *to = force.store();
    }
    let mut cost = sum.store();
    for i in count / LANES * LANES..count {
        let (c, f) = friction(given.map(|v| v[i]), x[i]);
        cost[i % LANES] += c;
        force[i] = f;
    }
    let [_, r, loss] = given.map(|v| &v[..count]);
    let (mut changed, mut hessian) = (0, 0);
    for (i, state) in state[..count].iter_mut().enumerate() {
        let (old, new) = (*state, friction_state(r[i] * loss[i], x[i]));
        changed += i32::from(new != old);
        hessian += i32::from((old == QUADRATIC) != (new == QUADRATIC));
        *state = new;
    }
    found.cost += (cost[0] + cost[2]) + (cost[1] + cost[3]);
    found.active += count as i32;
    found.changed += changed;
    found.hessian += hessian;
}

/// Cost and force of rows of dry friction, given `D`, `R` and `frictionloss`.
#[inline(always)]
fn friction<T: Number>([d, r, loss]: [T; 3], x: T) -> (T, T) {
    let (half, bound) = (T::splat(0.5), r * loss);
    let (low, high) = (x.le(-bound), bound.le(x));
    let beyond = -half * bound * loss + loss * T::select(low, -x, x);
    let cost = T::select(low.or(high), beyond, half * d * x * x);
    let inner = T::select(high, -loss, -d * x);
    (cost, T::select(low, loss, inner))
}

#[inline(always)]
fn friction_state(bound: f64, x: f64) -> i32 {
    let state = if x >= bound { LINEAR_POS } else { QUADRATIC };
    if x <= -bound { LINEAR_NEG } else { state }
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

#[cfg(test)]
mod tests {
    use corten_math::Four;

    use super::super::line_search;
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

    /// Dry friction: forces are slopes of the cost, the line search agrees, and so do lanes.
    #[test]
    fn friction_joins_its_pieces_and_its_lanes() {
        let (given, h) = ([4.0, 0.25, 3.0], 1e-6);
        let xs: Vec<f64> = (-20..=20).map(|k| 0.1 * f64::from(k) + 0.013).collect();
        for &x in &xs {
            let (cost, force) = friction(given, x);
            let slope = (friction(given, x + h).0 - friction(given, x - h).0) / (2.0 * h);
            assert!((force + slope).abs() < 1e-5, "{x}");
            let expected = if x.abs() < 0.75 {
                QUADRATIC
            } else {
                [LINEAR_NEG, LINEAR_POS][usize::from(x > 0.0)]
            };
            assert_eq!(friction_state(0.75, x), expected);
            let along = line_search::friction([x - 0.5 * 2.0, 2.0, 4.0, 0.25, 3.0], 0.5);
            let curvature = if expected == QUADRATIC { 4.0 * 4.0 } else { 0.0 };
            for (found, expected) in along.into_iter().zip([cost, -2.0 * force, curvature]) {
                assert!((found - expected).abs() < 1e-12, "{x}");
            }
        }
        for four in xs.as_chunks::<4>().0 {
            let (cost, force) = friction(given.map(Four::splat), Four(*four));
            let along = line_search::friction(
                [
                    Four(*four),
                    Four::splat(2.0),
                    Four::splat(4.0),
                    Four::splat(0.25),
                    Four::splat(3.0),
                ],
                0.3,
            );
            for (k, &x) in four.iter().enumerate() {
                assert_eq!((cost.0[k], force.0[k]), friction(given, x));
                let one = line_search::friction([x, 2.0, 4.0, 0.25, 3.0], 0.3);
                assert_eq!(along.map(|lanes| lanes.0[k]), one);
            }
        }
    }

    #[test]
    fn leaving_a_cone_changes_the_hessian() {
        for new in [SATISFIED, QUADRATIC, CONE] {
            let mut found = Update::default();
            found.count(CONE, new);
            assert!(found.left_cone || found.hessian > 0, "{new}");
        }
        let mut found = Update::default();
        found.count(SATISFIED, SATISFIED);
        assert!(!found.left_cone && found.hessian == 0);
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
