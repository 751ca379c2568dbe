//! Derivatives of quaternion arithmetic, in the tangent space.

use corten_math::real::{sin_cos, tan};
use corten_math::{Mat3, Quat, Vec3};

/// Half angle below which `x / tan x` is one to all digits.
const TINY_HALF_ANGLE: f64 = 6e-8;

/// Length of a rotation vector below which the coefficients of [`quat_integrate`] are taken from
/// their Taylor series; eight terms are exact to all digits there.
const SMALL_ROTATION: f64 = 1.0 / 32.0;

/// Derivatives of `a × b` by `a` and by `b`: `−[b]×` and `[a]×`.
pub fn cross(a: Vec3, b: Vec3) -> (Mat3, Mat3) {
    (b.skew() * -1.0, a.skew())
}

/// Derivatives of the difference `qa ⊖ qb` by `qa` and by `qb` (`mjd_subQuat`).
pub fn sub_quat(qa: Quat, qb: Quat) -> (Mat3, Mat3) {
    let (axis, angle) = qa.difference(qb).normalized();
    let half = 0.5 * angle;
    let k = axis.skew();
    let quadratic = 1.0 - if half < TINY_HALF_ANGLE { 1.0 } else { half / tan(half) };
    let by_a = Mat3::IDENTITY + k * half + k * k * quadratic;
    (by_a, by_a.transpose() * -1.0)
}

/// Derivatives of `q ⊕ scale·vel` by `q`, by `vel·scale`, and by `scale` (`mjd_quatIntegrate`).
///
/// The rotation vector `s = scale·vel` has the exponential `exp(−[s]×)` as derivative by `q` and
/// the right Jacobian of SO(3) as derivative by `s` (Solà, Deray, Atchuthan 2018, *A micro Lie
/// theory for state estimation in robotics*, eq. 143 and 145).
pub fn quat_integrate(vel: Vec3, scale: f64) -> (Mat3, Mat3, Vec3) {
    let s = vel * scale;
    let xx = s.norm_squared();
    let x = xx.sqrt();
    let (sin, cos) = sin_cos(x);
    // sin x / x, (1 − cos x) / x², (x − sin x) / x³.
    let (b, c, d) = if x > SMALL_ROTATION {
        let b = sin / x;
        (b, (1.0 - cos) / xx, (1.0 - b) / xx)
    } else {
        (
            1.0 + xx / 6.0 * (xx / 20.0 * (1.0 - xx / 42.0) - 1.0),
            (1.0 + xx / 12.0 * (xx / 30.0 * (1.0 - xx / 56.0) - 1.0)) / 2.0,
            (1.0 + xx / 20.0 * (xx / 42.0 * (1.0 - xx / 72.0) - 1.0)) / 6.0,
        )
    };
    let cross = s.skew() * -1.0;
    let outer = Mat3::from_rows(s * s[0], s * s[1], s * s[2]);
    let by_quat = Mat3::IDENTITY * cos + cross * b + outer * c;
    let by_vel = Mat3::IDENTITY * b + cross * c + outer * d;
    (by_quat, by_vel, by_vel * vel)
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f64 = 1e-6;

    fn unit(j: usize, x: f64) -> Vec3 {
        let mut v = Vec3::ZERO;
        v[j] = x;
        v
    }

    /// Differences in the tangent space at the result.
    #[test]
    fn integration_agrees_with_differences() {
        let q = Quat([0.9, 0.1, -0.3, 0.2]).normalized();
        for vel in [Vec3::new(0.7, -1.2, 0.4), Vec3::new(0.01, 0.02, -0.03)] {
            let (by_quat, by_vel, by_scale) = quat_integrate(vel, 0.5);
            let result = q.integrated(vel, 0.5);
            for j in 0..3 {
                let a = q.integrated(unit(j, H), 1.0).integrated(vel, 0.5).difference(result);
                let b = q.integrated(vel + unit(j, H / 0.5), 0.5).difference(result);
                for i in 0..3 {
                    assert!((a[i] / H - by_quat[(i, j)]).abs() < 1e-5);
                    assert!((b[i] / H - by_vel[(i, j)]).abs() < 1e-5);
                }
            }
            let c = q.integrated(vel, 0.5 + H).difference(result);
            for i in 0..3 {
                assert!((c[i] / H - by_scale[i]).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn cross_products_agree_with_differences() {
        let (a, b) = (Vec3::new(0.3, -1.1, 0.7), Vec3::new(-0.2, 0.5, 1.3));
        let (by_a, by_b) = cross(a, b);
        for j in 0..3 {
            let difference_a = (a + unit(j, H)).cross(b) - a.cross(b);
            let difference_b = a.cross(b + unit(j, H)) - a.cross(b);
            for i in 0..3 {
                assert!((difference_a[i] / H - by_a[(i, j)]).abs() < 1e-9);
                assert!((difference_b[i] / H - by_b[(i, j)]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn difference_agrees_with_differences() {
        let qa = Quat([0.9, 0.1, -0.3, 0.2]).normalized();
        for qb in [Quat([0.3, 0.8, 0.1, -0.2]).normalized(), qa] {
            let (by_a, by_b) = sub_quat(qa, qb);
            let result = qa.difference(qb);
            for j in 0..3 {
                let a = qa.integrated(unit(j, H), 1.0).difference(qb) - result;
                let b = qa.difference(qb.integrated(unit(j, H), 1.0)) - result;
                for i in 0..3 {
                    assert!((a[i] / H - by_a[(i, j)]).abs() < 1e-5);
                    assert!((b[i] / H - by_b[(i, j)]).abs() < 1e-5);
                }
            }
        }
    }
}
