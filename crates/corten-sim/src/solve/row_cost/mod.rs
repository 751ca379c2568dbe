//! The convex costs of constraint rows: each formula once, for one row or four side by side.
//!
//! With the residual `x = J·qacc − aref` and `v` its rate along a line of search:
//!
//! | kind | cost `s(x)` | curvature `s″(x)` | states |
//! |---|---|---|---|
//! | [`Quadratic`]: equality | `½ D x²` | `D` | quadratic |
//! | [`Friction`]: friction loss | `½ D x²` inside `±R·f`, then `f(±x − ½R f)` | `D` inside, else 0 | quadratic, linear |
//! | [`Unilateral`]: limit, frictionless contact, pyramid edge | `½ D x²` for `x < 0`, else 0 | `D` for `x < 0`, else 0 | quadratic, satisfied |
//! | [`Elliptic`]: all rows of an elliptic contact | see [`elliptic`] | a matrix | satisfied, quadratic, cone |
//!
//! A row's force is `−s′(x)`. Dual solvers see the same costs as bounds on forces: [`project`],
//! [`state_of_force`].

mod elliptic;

use corten_math::{Mask, Number};
use corten_model::enums::ConstraintState;

pub use elliptic::{ConeHessian, Elliptic, EllipticLine};

use super::rows::{Jacobian, Kind};

pub const SATISFIED: i32 = ConstraintState::Satisfied.raw();
pub const QUADRATIC: i32 = ConstraintState::Quadratic.raw();
pub const LINEAR_NEG: i32 = ConstraintState::LinearNeg.raw();
pub const LINEAR_POS: i32 = ConstraintState::LinearPos.raw();
pub const CONE: i32 = ConstraintState::Cone.raw();

/// The cost of a single row.
pub trait RowCost<T: Number>: Copy {
    /// Minus twice the cost, which is force times residual where the cost is quadratic, and the force.
    fn value(self, x: T) -> (T, T);

    /// Second derivative of the cost.
    fn curvature(self, x: T) -> T;

    /// On a line on which the residual is `x` and changes by `v`: minus twice the cost, minus its
    /// slope, and its curvature.
    #[inline(always)]
    fn along(self, x: T, v: T) -> [T; 3] {
        let (value, force) = self.value(x);
        [value, force * v, self.curvature(x) * v * v]
    }
}

/// `½ D x²`.
#[derive(Clone, Copy)]
pub struct Quadratic<T> {
    pub d: T,
}

impl<T: Number> RowCost<T> for Quadratic<T> {
    #[inline(always)]
    fn value(self, x: T) -> (T, T) {
        let force = -self.d * x;
        (force * x, force)
    }

    #[inline(always)]
    fn curvature(self, _: T) -> T {
        self.d
    }
}

impl Quadratic<f64> {
    /// Coefficients of 1, α and α² of the cost at `x + α v`.
    #[inline(always)]
    pub fn polynomial(self, x: f64, v: f64) -> [f64; 3] {
        let [value, slope, curvature] = self.along(x, v);
        [-0.5 * value, -slope, 0.5 * curvature]
    }
}

/// Friction loss: quadratic within `± bound`, then linear with the force `∓ loss` (Huber's cost).
#[derive(Clone, Copy)]
pub struct Friction<T> {
    d: T,
    loss: T,
    /// `R·loss`.
    bound: T,
}

impl<T: Number> Friction<T> {
    #[inline(always)]
    pub fn new([d, r, loss]: [T; 3]) -> Friction<T> {
        Friction { d, loss, bound: r * loss }
    }

    /// Whether `x` is at or beyond the lower and the upper bound.
    #[inline(always)]
    fn beyond(self, x: T) -> [T::Mask; 2] {
        [x.le(-self.bound), self.bound.le(x)]
    }
}

impl<T: Number> RowCost<T> for Friction<T> {
    #[inline(always)]
    fn value(self, x: T) -> (T, T) {
        let Friction { d, loss, bound } = self;
        let [low, high] = self.beyond(x);
        let quadratic = Quadratic { d }.value(x);
        let distance = T::select(low, -x, x);
        let linear = bound * loss - loss * (distance + distance);
        let force = T::select(high, -loss, quadratic.1);
        (T::select(low.or(high), linear, quadratic.0), T::select(low, loss, force))
    }

    #[inline(always)]
    fn curvature(self, x: T) -> T {
        let [low, high] = self.beyond(x);
        T::select(low.or(high), T::splat(0.0), self.d)
    }
}

impl Friction<f64> {
    #[inline(always)]
    pub fn state(self, x: f64) -> i32 {
        let state = if x >= self.bound { LINEAR_POS } else { QUADRATIC };
        if x <= -self.bound { LINEAR_NEG } else { state }
    }
}

/// `½ D x²` for `x < 0`.
#[derive(Clone, Copy)]
pub struct Unilateral<T> {
    pub d: T,
}

impl<T: Number> RowCost<T> for Unilateral<T> {
    #[inline(always)]
    fn value(self, x: T) -> (T, T) {
        let zero = T::splat(0.0);
        let force = T::select(x.lt(zero), -self.d * x, zero);
        (force * x, force)
    }

    #[inline(always)]
    fn curvature(self, x: T) -> T {
        let zero = T::splat(0.0);
        T::select(x.lt(zero), self.d, zero)
    }
}

impl Unilateral<f64> {
    /// NaN counts as violated, so that it shows.
    #[inline(always)]
    pub fn state(x: f64) -> i32 {
        if x >= 0.0 { SATISFIED } else { QUADRATIC }
    }
}

/// Curvature of the cost of a single row by its state.
#[inline(always)]
pub fn weight(d: f64, state: i32) -> f64 {
    if state == QUADRATIC { d } else { 0.0 }
}

/// Curvature of the cost of a block by its `R` stored rows, from that by its constraint rows. The edges
/// of a pyramid are `v₀ ± μₖ vₖ` in terms of what is stored; other rows are stored as they are.
#[inline(always)]
pub fn block_weights<const R: usize>(
    kind: Kind,
    cone: u32,
    jacobian: &Jacobian<'_>,
    rows: impl Iterator<Item = f64>,
) -> [[f64; R]; R] {
    let mut rows = rows;
    let mut w = [[0.0; R]; R];
    if R > 1 && kind == Kind::Pyramid {
        let friction = &jacobian.cones[cone as usize].friction;
        for k in 1..R {
            let (Some(plus), Some(minus)) = (rows.next(), rows.next()) else { break };
            let mu = friction[k - 1];
            w[0][0] += plus + minus;
            w[0][k] = mu * (plus - minus);
            w[k][0] = w[0][k];
            w[k][k] = mu * mu * (plus + minus);
        }
    } else {
        for (k, weight) in (0..R).zip(rows) {
            w[k][k] = weight;
        }
    }
    w
}

/// The admissible force of a single row that is closest to `force`.
#[inline]
pub fn project(kind: Kind, frictionloss: f64, force: f64) -> f64 {
    match kind {
        Kind::Equality => force,
        Kind::Friction => clamp(force, frictionloss),
        Kind::Inequality | Kind::Pyramid | Kind::Elliptic => force.max(0.0),
    }
}

/// Within `±bound`.
#[inline]
pub fn clamp(x: f64, bound: f64) -> f64 {
    if x < -bound {
        -bound
    } else if x > bound {
        bound
    } else {
        x
    }
}

/// The state of a single row that a force implies.
#[inline]
pub fn state_of_force(kind: Kind, frictionloss: f64, force: f64) -> i32 {
    match kind {
        Kind::Equality => QUADRATIC,
        Kind::Friction if force <= -frictionloss => LINEAR_POS,
        Kind::Friction if force >= frictionloss => LINEAR_NEG,
        Kind::Friction => QUADRATIC,
        Kind::Inequality | Kind::Pyramid | Kind::Elliptic if force <= 0.0 => SATISFIED,
        Kind::Inequality | Kind::Pyramid | Kind::Elliptic => QUADRATIC,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corten_math::Four;

    /// Force and curvature are derivatives of the cost, the line has the chain rule's terms, and
    /// four rows have the bits of one.
    fn check<A: RowCost<f64>, B: RowCost<Four>>(one: A, four: B, smooth: impl Fn(f64) -> bool) {
        let h = 1e-6;
        let xs: Vec<f64> = (-20..20).map(|k| 0.1 * f64::from(k) + 0.013).collect();
        for &x in xs.iter().filter(|&&x| smooth(x)) {
            let cost = |x: f64| -0.5 * one.value(x).0;
            let force = |x: f64| one.value(x).1;
            assert!((force(x) + (cost(x + h) - cost(x - h)) / (2.0 * h)).abs() < 1e-5, "{x}");
            let curvature = -(force(x + h) - force(x - h)) / (2.0 * h);
            assert!((one.curvature(x) - curvature).abs() < 1e-5, "{x}");
            let [value, slope, bend] = one.along(x, 2.0);
            assert_eq!(value, one.value(x).0);
            assert_eq!(slope, 2.0 * force(x));
            assert_eq!(bend, 4.0 * one.curvature(x));
        }
        for x in xs.as_chunks::<4>().0 {
            let along = four.along(Four(*x), Four::splat(2.0));
            for (k, &x) in x.iter().enumerate() {
                assert_eq!(along.map(|term| term.0[k]), one.along(x, 2.0));
            }
        }
    }

    #[test]
    fn forces_and_curvatures_are_derivatives() {
        check(Quadratic { d: 4.0 }, Quadratic { d: Four::splat(4.0) }, |_| true);
        check(Unilateral { d: 4.0 }, Unilateral { d: Four::splat(4.0) }, |x| x.abs() > 1e-3);
        let parameters = [4.0, 0.25, 3.0];
        let four = Friction::new(parameters.map(Four::splat));
        check(Friction::new(parameters), four, |x| (x.abs() - 0.75).abs() > 1e-3);
    }

    #[test]
    fn states_follow_from_the_residual_and_from_the_force() {
        let friction = Friction::new([4.0, 0.25, 3.0]);
        for (x, state) in
            [(-0.8, LINEAR_NEG), (-0.7, QUADRATIC), (0.7, QUADRATIC), (0.8, LINEAR_POS)]
        {
            assert_eq!(friction.state(x), state);
            assert_eq!(state_of_force(Kind::Friction, 3.0, friction.value(x).1), state);
        }
        for x in [-0.5, 0.5] {
            let force = Unilateral { d: 4.0 }.value(x).1;
            assert_eq!(Unilateral::state(x), state_of_force(Kind::Inequality, 0.0, force));
        }
        assert_eq!(Unilateral::state(f64::NAN), QUADRATIC);
        assert_eq!(project(Kind::Friction, 3.0, 5.0), 3.0);
        assert_eq!(project(Kind::Friction, 3.0, -5.0), -3.0);
        assert_eq!(project(Kind::Pyramid, 0.0, -5.0), 0.0);
        assert_eq!(project(Kind::Equality, 0.0, -5.0), -5.0);
    }
}
