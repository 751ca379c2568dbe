//! The cost of an elliptic contact, as a function of all its rows.
//!
//! The rows are first scaled to a circular cone, `u₀ = μ x₀`, `uⱼ = μⱼ xⱼ`, with normal part `N = u₀`
//! and tangential part `T = |u₁…|`. Above the cone (`N ≥ μT`) there is no cost; below its dual
//! (`μN + T ≤ 0`) each row is quadratic; between them the cost is `½ Dₘ (N − μT)²` with
//! `Dₘ = D₀/(μ²(1 + μ²))`, which joins both smoothly.

use corten_math::real;

use super::{CONE, QUADRATIC, Quadratic, RowCost, SATISFIED};
use crate::solve::rows::{Cone, MAX_RANK};

/// Second derivative by the rows; only the first `dim` rows and columns are used.
pub type ConeHessian = [[f64; MAX_RANK]; MAX_RANK];

/// An elliptic contact: its cone, and `D` of its rows.
#[derive(Clone, Copy)]
pub struct Elliptic<'a> {
    pub cone: &'a Cone,
    pub d: &'a [f64],
}

/// Where a residual lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zone {
    Satisfied,
    Quadratic,
    Middle,
}

impl Zone {
    #[inline(always)]
    fn of(mu: f64, normal: f64, tangential: f64) -> Zone {
        if normal >= mu * tangential {
            Zone::Satisfied
        } else if mu * normal + tangential <= 0.0 {
            Zone::Quadratic
        } else {
            Zone::Middle
        }
    }
}

/// A residual in the space where the cone is circular.
struct Scaled {
    u: [f64; MAX_RANK],
    normal: f64,
    tangential: f64,
}

impl Elliptic<'_> {
    #[inline(always)]
    fn scaled(&self, x: &[f64]) -> Scaled {
        let mut u = [0.0; MAX_RANK];
        u[0] = self.cone.mu * x[0];
        let mut sum = 0.0;
        for j in 1..x.len() {
            u[j] = self.cone.friction[j - 1] * x[j];
            sum += u[j] * u[j];
        }
        Scaled { normal: u[0], tangential: sum.sqrt(), u }
    }

    /// `Dₘ`.
    #[inline(always)]
    fn stiffness(&self) -> f64 {
        let mu = self.cone.mu;
        self.d[0] / (mu * mu * (1.0 + mu * mu))
    }

    /// Cost and state; fills the forces.
    #[inline(always)]
    pub fn value(&self, x: &[f64], force: &mut [f64]) -> (f64, i32) {
        let Scaled { u, normal, tangential } = self.scaled(x);
        let mu = self.cone.mu;
        match Zone::of(mu, normal, tangential) {
            Zone::Satisfied => {
                force.fill(0.0);
                (0.0, SATISFIED)
            }
            Zone::Quadratic => {
                let mut cost = 0.0;
                for ((x, &d), force) in x.iter().zip(self.d).zip(force) {
                    let (value, f) = Quadratic { d }.value(*x);
                    *force = f;
                    cost -= 0.5 * value;
                }
                (cost, QUADRATIC)
            }
            Zone::Middle => {
                let (dm, gap) = (self.stiffness(), normal - mu * tangential);
                force[0] = -dm * gap * mu;
                for j in 1..x.len() {
                    force[j] = -force[0] / tangential * u[j] * self.cone.friction[j - 1];
                }
                (0.5 * dm * gap * gap, CONE)
            }
        }
    }

    /// Second derivative of the cost in the middle zone.
    ///
    /// In the scaled space it is `Dₘ` times `[1, −μ uᵀ/T; −μ u/T, μN/T³ u uᵀ + (μ² − μN/T) 1]`.
    #[inline(always)]
    pub fn hessian(&self, x: &[f64]) -> ConeHessian {
        let mu = self.cone.mu;
        let dim = x.len();
        let Scaled { u, normal, tangential } = self.scaled(x);
        let dm = self.stiffness();
        let outer = mu * normal / (tangential * tangential * tangential);
        let diagonal = mu * mu - mu * normal / tangential;
        let factor = |j: usize| if j == 0 { mu } else { self.cone.friction[j - 1] };
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

    /// The cost along the line `x + α v`.
    #[inline(always)]
    pub fn line(&self, x: &[f64], v: &[f64]) -> EllipticLine {
        let mu = self.cone.mu;
        let mut line = EllipticLine {
            polynomial: Quadratic { d: self.d[0] }.polynomial(x[0], v[0]),
            mu,
            u0: x[0] * mu,
            v0: v[0] * mu,
            uu: 0.0,
            uv: 0.0,
            vv: 0.0,
            dm: self.stiffness(),
        };
        for (j, friction) in (1..x.len()).zip(self.cone.friction) {
            let terms = Quadratic { d: self.d[j] }.polynomial(x[j], v[j]);
            for (sum, term) in line.polynomial.iter_mut().zip(terms) {
                *sum += term;
            }
            let (u, v) = (x[j] * friction, v[j] * friction);
            line.uu += u * u;
            line.uv += u * v;
            line.vv += v * v;
        }
        line
    }

    /// The state that the forces of the rows imply.
    pub fn state_of_force(&self, force: &[f64]) -> i32 {
        let Cone { mu, friction } = self.cone;
        let normal = force[0] / mu;
        let tangential = force[1..]
            .iter()
            .zip(friction)
            .map(|(f, mu)| real::powi(f / mu, 2))
            .sum::<f64>()
            .sqrt();
        if mu * normal >= tangential {
            SATISFIED
        } else if normal + mu * tangential <= 0.0 {
            QUADRATIC
        } else {
            CONE
        }
    }
}

/// An elliptic contact along a line, in terms that are cheap to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct EllipticLine {
    /// The sum of the rows where each is quadratic: coefficients of 1, α and α².
    polynomial: [f64; 3],
    mu: f64,
    /// Normal part and its slope in the scaled space of the cone.
    u0: f64,
    v0: f64,
    /// Products of the tangential parts.
    uu: f64,
    uv: f64,
    vv: f64,
    dm: f64,
}

impl EllipticLine {
    /// Adds the cost at `alpha`: to the polynomial where it is one, else cost, slope and curvature to
    /// the sums.
    #[inline(always)]
    pub fn add_to(&self, alpha: f64, polynomial: &mut [f64; 3], sums: &mut [f64; 3]) {
        let EllipticLine { mu, v0, uv, vv, dm, .. } = *self;
        let normal = self.u0 + alpha * v0;
        let squared = self.uu + alpha * (2.0 * uv + alpha * vv);
        // Rounding may leave less than nothing.
        let tangential = if squared <= 0.0 { 0.0 } else { squared.sqrt() };
        match Zone::of(mu, normal, tangential) {
            Zone::Satisfied => {}
            Zone::Quadratic => {
                for k in 0..3 {
                    polynomial[k] += self.polynomial[k];
                }
            }
            Zone::Middle => {
                // Derivatives of the tangential part, and of the gap.
                let t1 = (uv + alpha * vv) / tangential;
                let t2 = vv / tangential - (uv + alpha * vv) * t1 / squared;
                let gap = normal - mu * tangential;
                let gap1 = v0 - mu * t1;
                sums[0] += 0.5 * dm * gap * gap;
                sums[1] += dm * gap * gap1;
                sums[2] += dm * (gap1 * gap1 - gap * mu * t2);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRICTION: [f64; 5] = [0.7, 0.4, 0.0, 0.0, 0.0];

    /// R₁ = R₀/2, R₂ μ₂² = R₁ μ₁², as the rows of a contact are made.
    fn contact(f: impl FnOnce(Elliptic<'_>)) {
        let [mu1, mu2, ..] = FRICTION;
        let d = [0.01, 0.005, 0.005 * mu1 * mu1 / (mu2 * mu2)].map(|r| 1.0 / r);
        f(Elliptic { cone: &Cone { mu: mu1 * 0.5f64.sqrt(), friction: FRICTION }, d: &d });
    }

    fn value(contact: Elliptic<'_>, x: [f64; 3]) -> (f64, i32, [f64; 3]) {
        let mut force = [0.0; 3];
        let (cost, state) = contact.value(&x, &mut force);
        (cost, state, force)
    }

    #[test]
    fn cost_is_continuous_with_its_force_as_derivative() {
        contact(|contact| {
            // From below the dual cone to above the cone, along a straight line.
            let at = |t: f64| [-4.0 + 6.0 * t, 0.9, -0.4];
            let mut states = Vec::new();
            let h = 1e-6;
            for step in 0..1000 {
                let t = f64::from(step) * 1e-3;
                let cost = |t: f64| value(contact, at(t)).0;
                let (here, state, force) = value(contact, at(t));
                if states.last() != Some(&state) {
                    states.push(state);
                }
                assert!((cost(t + 1e-9) - here).abs() < 1e-4);
                let slope = (cost(t + h) - cost(t - h)) / (2.0 * h);
                assert!((slope + 6.0 * force[0]).abs() < 1e-2, "{t} {slope} {force:?}");
            }
            assert_eq!(states, [QUADRATIC, CONE, SATISFIED]);
        });
    }

    #[test]
    fn hessian_is_the_derivative_of_the_force() {
        contact(|contact| {
            let x = [0.1, 0.9, -0.4];
            let hessian = contact.hessian(&x);
            let h = 1e-6;
            for j in 0..3 {
                let moved = |s: f64| {
                    let mut x = x;
                    x[j] += s;
                    value(contact, x).2
                };
                let (up, down) = (moved(h), moved(-h));
                for k in 0..3 {
                    let slope = -(up[k] - down[k]) / (2.0 * h);
                    assert!((slope - hessian[k][j]).abs() < 1e-5, "{k} {j}");
                }
            }
        });
    }

    #[test]
    fn the_line_has_the_cost_of_its_points() {
        contact(|contact| {
            let (x, v) = ([-4.0, 0.9, -0.4], [6.0, 0.3, 0.2]);
            let line = contact.line(&x, &v);
            for step in 0..100 {
                let alpha = f64::from(step) * 1e-2;
                let (mut polynomial, mut sums) = ([0.0; 3], [0.0; 3]);
                line.add_to(alpha, &mut polynomial, &mut sums);
                let [a, b, c] = polynomial;
                let (cost, _, force) = value(contact, [0, 1, 2].map(|k| x[k] + alpha * v[k]));
                let slope: f64 = -(0..3).map(|k| force[k] * v[k]).sum::<f64>();
                assert!(
                    (sums[0] + a + alpha * (b + alpha * c) - cost).abs() < 1e-9 * cost.max(1.0)
                );
                assert!(
                    (sums[1] + b + 2.0 * alpha * c - slope).abs() < 1e-9 * slope.abs().max(1.0)
                );
            }
        });
    }
}
