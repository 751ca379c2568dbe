//! How soft a constraint is: impedance and reference of a row from `solref` and `solimp`.
//!
//! A row asks for the acceleration `aref = −B·vel − K·imp·(pos − margin)` and gets it to the
//! degree `imp ∈ (0, 1)`, which grows with the violation. With `A` the (approximate) inverse
//! inertia seen by the row, `R = (1 − imp)/imp · A` is its regularisation. Answers to MuJoCo's
//! `mj_makeImpedance`; the formulas are those of the manual's chapter *Solver parameters*.

use corten_math::{MIN_VAL, real};
use corten_model::enums::DisableBit;

use crate::Model;

/// Bounds of an impedance: rows neither vanish nor become rigid.
const MIN_IMPEDANCE: f64 = 1e-4;
const MAX_IMPEDANCE: f64 = 0.9999;

/// What replaces a `solref` whose two numbers have different signs.
const DEFAULT_REFERENCE: [f64; 2] = [0.02, 1.0];

/// Impedance parameters within their valid range.
#[derive(Clone, Copy, Debug)]
pub struct Impedance {
    low: f64,
    high: f64,
    width: f64,
    midpoint: f64,
    power: f64,
    /// Factors of the power curves below and above the midpoint.
    below: f64,
    above: f64,
}

impl Impedance {
    pub fn new(solimp: [f64; 5]) -> Impedance {
        let valid = |x: f64| x.clamp(MIN_IMPEDANCE, MAX_IMPEDANCE);
        let (midpoint, exponent) = (valid(solimp[3]), solimp[4].max(1.0));
        // The two curves meet at the midpoint with equal slope.
        let factor = |part: f64| 1.0 / power(part, exponent - 1.0);
        Impedance {
            low: valid(solimp[0]),
            high: valid(solimp[1]),
            width: solimp[2].max(0.0),
            midpoint,
            power: exponent,
            below: factor(midpoint),
            above: factor(1.0 - midpoint),
        }
    }

    /// Impedance at a distance, and its derivative.
    #[inline]
    pub fn at(&self, distance: f64) -> (f64, f64) {
        let (low, high) = (self.low, self.high);
        if low == high || self.width <= MIN_VAL {
            return (0.5 * (low + high), 0.0);
        }
        let x = (distance / self.width).abs();
        if x >= 1.0 {
            return (high, 0.0);
        }
        if x <= 0.0 {
            return (low, 0.0);
        }
        let p = self.power;
        let (y, slope) = if p == 1.0 {
            (x, 1.0)
        } else if x <= self.midpoint {
            let a = self.below;
            (a * power(x, p), p * a * power(x, p - 1.0))
        } else {
            let b = self.above;
            (1.0 - b * power(1.0 - x, p), p * b * power(1.0 - x, p - 1.0))
        };
        let sign = if distance < 0.0 { -1.0 } else { 1.0 };
        (low + y * (high - low), slope * sign * (high - low) / self.width)
    }

    /// Stiffness and damping of the reference acceleration. Rows of friction have no position
    /// to restore, hence no stiffness.
    pub fn gains(&self, reference: [f64; 2], friction: bool) -> (f64, f64) {
        let [first, second] = reference;
        let stiffness = if friction {
            0.0
        } else if first > 0.0 {
            let scaled = self.high * self.high * first * first * second * second;
            1.0 / scaled.max(MIN_VAL)
        } else {
            -first / (self.high * self.high).max(MIN_VAL)
        };
        let damping = if second > 0.0 {
            2.0 / (self.high * first).max(MIN_VAL)
        } else {
            -second / self.high.max(MIN_VAL)
        };
        (stiffness, damping)
    }
}

fn power(x: f64, p: f64) -> f64 {
    if p == 1.0 {
        x
    } else if p == 2.0 {
        x * x
    } else {
        real::powf(x, p)
    }
}

/// A `solref` that is safe to integrate: one format, and a time constant of at least two steps.
pub fn safe_reference(m: &Model, solref: [f64; 2], replacement: [f64; 2]) -> [f64; 2] {
    let mut solref = if (solref[0] > 0.0) == (solref[1] > 0.0) { solref } else { replacement };
    if solref[0] > 0.0 && !m.opt.disabled(DisableBit::RefSafe) {
        solref[0] = solref[0].max(2.0 * m.opt.timestep);
    }
    solref
}

/// [`safe_reference`] with MuJoCo's default as replacement.
pub fn reference(m: &Model, solref: [f64; 2]) -> [f64; 2] {
    safe_reference(m, solref, DEFAULT_REFERENCE)
}

/// Regularisation of a row whose inverse inertia is about `inverse_inertia`.
pub fn regularization(impedance: f64, inverse_inertia: f64) -> f64 {
    ((1.0 - impedance) * inverse_inertia / impedance).max(MIN_VAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impedance_is_continuous_and_its_derivative_agrees() {
        let imp = Impedance::new([0.2, 0.8, 0.01, 0.3, 3.0]);
        assert_eq!(imp.at(0.0), (0.2, 0.0));
        assert_eq!(imp.at(-0.02), (0.8, 0.0));
        let h = 1e-7;
        for x in [-0.009, -0.0031, -0.0029, 0.001, 0.004] {
            let slope = (imp.at(x + h).0 - imp.at(x - h).0) / (2.0 * h);
            assert!((slope - imp.at(x).1).abs() < 1e-5 * slope.abs(), "{x}");
        }
    }

    #[test]
    fn standard_and_direct_references_agree() {
        // K = 1/(dmax² tc² ζ²), B = 2/(dmax tc), and the direct form that gives the same.
        let imp = Impedance::new([0.9, 0.95, 0.001, 0.5, 2.0]);
        let (k, b) = imp.gains([0.02, 0.5], false);
        let (k2, b2) = imp.gains([-1.0 / (0.02f64 * 0.5).powi(2), -2.0 / 0.02], false);
        assert!((k - k2).abs() < 1e-9 * k && (b - b2).abs() < 1e-12 * b);
    }
}
