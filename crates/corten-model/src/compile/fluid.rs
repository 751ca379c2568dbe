//! Coefficients of the ellipsoidal fluid model (`geom_fluid`).
//!
//! Virtual mass and inertia of an ellipsoid in potential flow, from the integrals
//! κ = abc ∫₀^∞ dλ / √((a²+λ)³ (b²+λ)(c²+λ)); see Lamb, Hydrodynamics (1932), §114–115. The
//! integral is taken by 15-point Gauss–Kronrod quadrature after the substitution
//! λ = x³ / (1 − x)², with nodes and weights to eight digits as MuJoCo uses them.

use std::f64::consts::PI;

use corten_math::Vec3;
use corten_math::real::powf;

use super::pose::EPS;
use crate::enums::GeomType;

const WEIGHT: [f64; 15] = [
    0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107,
    0.10221647, 0.09517529, 0.08450236, 0.07032663, 0.05239501, 0.03154605, 0.01146766,
];
/// λ at the nodes.
const LAMBDA: [f64; 15] = [
    7.865151709349917e-08,
    1.7347976913907274e-05,
    0.0003548008144506193,
    0.002846636252924549,
    0.014094260903596077,
    0.053063261727396636,
    0.17041978741317773,
    0.5,
    1.4036301548686991,
    3.9353484827022642,
    11.644841677041734,
    39.53187807410903,
    177.5711362220801,
    1429.4772912937397,
    54087.416549217705,
];
/// dλ/dx at the nodes.
const SLOPE: [f64; 15] = [
    5.538677720489877e-05,
    0.002080868285293228,
    0.016514126520723166,
    0.07261900344370877,
    0.23985243401862602,
    0.6868318249020725,
    1.8551129519182894,
    5.0,
    14.060031152313941,
    43.28941239611009,
    156.58546376397112,
    747.9826085305024,
    5827.4042950027115,
    116754.0197944512,
    25482945.327264845,
];

/// κ of the first axis; symmetric in the other two.
fn kappa(a: f64, b: f64, c: f64) -> f64 {
    let (ia, ib, ic) = (1.0 / (a * a), 1.0 / (b * b), 1.0 / (c * c));
    // Lengths are scaled out, so that the nodes fit ellipsoids of any size.
    let scale = powf(a * a * a * b * c, 0.4);
    let mut sum = 0.0;
    for i in 0..15 {
        let l = scale * LAMBDA[i];
        let denominator =
            (1.0 + l * ia) * ((1.0 + l * ia) * (1.0 + l * ib) * (1.0 + l * ic)).sqrt();
        sum += scale * SLOPE[i] / denominator * WEIGHT[i];
    }
    sum * ia
}

/// Interaction flag, the five coefficients of the author, virtual mass, virtual inertia.
pub(super) fn coefficients(kind: GeomType, size: Vec3, author: [f64; 5]) -> [f64; 12] {
    let d = match kind {
        GeomType::Sphere => Vec3::splat(size[0]),
        GeomType::Capsule => Vec3::new(size[0], size[0], size[1] + size[0]),
        GeomType::Cylinder => Vec3::new(size[0], size[0], size[1]),
        _ => size,
    };
    let volume = 4.0 / 3.0 * PI * d[0] * d[1] * d[2];
    let k: [f64; 3] = std::array::from_fn(|i| kappa(d[i], d[(i + 1) % 3], d[(i + 2) % 3]));
    let mut out = [0.0; 12];
    out[0] = 1.0;
    out[1..6].copy_from_slice(&author);
    for i in 0..3 {
        out[6 + i] = volume * k[i] / (2.0 - k[i]).max(EPS);
        // Numerator and denominator vanish together for equal axes, with equal signs.
        let (p, q) = ((i + 1) % 3, (i + 2) % 3);
        let (pp, qq) = (d[p] * d[p], d[q] * d[q]);
        let factor = (pp - qq) * (pp - qq) * (k[q] - k[p]).abs()
            / (2.0 * (pp - qq) + (pp + qq) * (k[p] - k[q])).abs().max(EPS);
        out[9 + i] = volume * factor / 5.0;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_carries_half_its_volume_and_no_rotation() {
        let c = coefficients(GeomType::Sphere, Vec3::new(0.2, 0.0, 0.0), [0.0; 5]);
        let volume = 4.0 / 3.0 * PI * 0.008;
        for i in 0..3 {
            assert!((c[6 + i] / volume - 0.5).abs() < 1e-5);
            assert_eq!(c[9 + i], 0.0);
        }
    }

    /// κ of spheroids in closed form (Lamb, Hydrodynamics, §114), at the accuracy of 15 nodes.
    #[test]
    fn spheroids_agree_with_closed_forms() {
        assert!((kappa(1.0, 1.0, 1.0) - 2.0 / 3.0).abs() < 1e-5);
        // Semi-axes 1, 1, 3 along the long one, and 3, 3, 1 along the short one.
        let e = (8.0f64 / 9.0).sqrt();
        let prolate = 2.0 * (1.0 - e * e) / (e * e * e) * (e.atanh() - e);
        let oblate = 2.0 / (e * e * e) * (e - (1.0 - e * e).sqrt() * e.asin());
        assert!((kappa(3.0, 1.0, 1.0) - prolate).abs() < 1e-5);
        assert!((kappa(1.0, 3.0, 3.0) - oblate).abs() < 1e-5);
        // The three values of any ellipsoid add up to two.
        let sum = kappa(0.3, 0.1, 0.2) + kappa(0.1, 0.2, 0.3) + kappa(0.2, 0.3, 0.1);
        assert!((sum - 2.0).abs() < 1e-5);
        assert_eq!((LAMBDA[7], SLOPE[7]), (0.5, 5.0));
        // The weights are given to eight digits.
        assert!((WEIGHT.iter().sum::<f64>() - 1.0).abs() < 2e-8);
    }

    /// A long ellipsoid moves along its axis almost freely and drags its full volume across.
    #[test]
    fn slender_ellipsoids_approach_the_cylinder() {
        let c = coefficients(GeomType::Ellipsoid, Vec3::new(0.01, 0.01, 1.0), [0.0; 5]);
        let volume = 4.0 / 3.0 * PI * 1e-4;
        assert!((c[6] / volume - 1.0).abs() < 0.01);
        assert!(c[8] / volume < 0.01);
    }
}
