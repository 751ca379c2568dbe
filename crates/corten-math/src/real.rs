//! The only door to transcendental functions.
//!
//! Everything in the engine that is not exactly rounded by IEEE 754 goes through here. The functions
//! are made of plain arithmetic in a fixed order, ours (`trig`) or those of the crate `libm`,
//! so that they give the same bits on every platform; the operating system's differ from version to
//! version. `sqrt` is exact and therefore used directly.

use crate::trig;

macro_rules! unary {
    ($($name:ident: $function:path),*) => {$(
        #[doc = concat!("The function `", stringify!($name), "`.")]
        #[inline]
        pub fn $name(x: f64) -> f64 {
            $function(x)
        }
    )*};
}

unary!(
    tan: libm::tan,
    asin: libm::asin,
    acos: trig::acos,
    atan: libm::atan,
    exp: libm::exp,
    ln: libm::log
);

/// The function `sin`.
#[inline]
pub fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

/// The function `cos`.
#[inline]
pub fn cos(x: f64) -> f64 {
    sin_cos(x).1
}

/// Sine and cosine.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() < trig::LARGEST { trig::sin_cos(x) } else { libm::sincos(x) }
}

/// The angle of the point `(x, y)`.
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// `x` to the power of `y`.
#[inline]
pub fn powf(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// √(x² + y²) without overflow on the way.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the functions of the operating system: within two units in the last place.
    #[test]
    fn agree_with_the_standard_library() {
        let near = |what: &str, x: f64, a: f64, b: f64| {
            let close = (a - b).abs() <= 2.0 * f64::EPSILON * b.abs().max(f64::MIN_POSITIVE);
            assert!(close || a.is_nan() && b.is_nan() || a == b, "{what}({x}): {a} {b}");
        };
        for k in -4000..=4000 {
            let x = f64::from(k) * 0.007_3;
            let unit = f64::from(k) / 4000.0;
            near("exp", x, exp(x), x.exp());
            near("ln", x, ln(x), x.ln());
            near("atan", x, atan(x), x.atan());
            near("asin", unit, asin(unit), unit.asin());
            near("acos", unit, acos(unit), unit.acos());
            near("atan2", x, atan2(x, 1.7), x.atan2(1.7));
            near("atan2", x, atan2(unit, -x), unit.atan2(-x));
            near("powf", x, powf(x.abs(), 2.3), x.abs().powf(2.3));
            near("hypot", x, hypot(x, 3.1), x.hypot(3.1));
            // Next to a zero the units are those of the reduction.
            assert!((tan(x) - x.tan()).abs() <= 4e-16 * x.tan().abs().max(1.0), "tan({x})");
            assert!((sin(x) - x.sin()).abs() <= 2e-16 && (cos(x) - x.cos()).abs() <= 2e-16, "{x}");
        }
        let (s, c) = sin_cos(1e22);
        near("sin", 1e22, s, -0.852_200_849_767_188_8);
        near("cos", 1e22, c, 0.523_214_785_395_138_9);
        assert!(sin_cos(f64::NAN).0.is_nan() && sin_cos(f64::INFINITY).1.is_nan());
    }

    /// A few results with their bits, which hold on every platform.
    #[test]
    fn bits_are_pinned() {
        let mut sum = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |x: f64| sum = (sum ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3);
        for k in 1..2000 {
            let x = f64::from(k) * 0.013_7;
            let (s, c) = sin_cos(x * 997.0);
            let (angle, large) = (atan2(x - 9.0, 3.0), sin_cos(1e9 * x).0);
            for y in [s, c, tan(x), exp(-x), ln(x), atan(x), angle, powf(x, 1.7), hypot(x, 2.0)] {
                add(y);
            }
            for y in [asin(s), acos(c), large] {
                add(y);
            }
        }
        assert_eq!(sum, 0xe414_9b1f_8ba7_93af);
    }
}
