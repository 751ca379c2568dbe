//! The only door to transcendental functions.
//!
//! Everything in the engine that is not exactly rounded by IEEE 754 goes through here, so that
//! one implementation can be pinned per platform without touching a caller. `sqrt` is exact and
//! therefore used directly.

macro_rules! unary {
    ($($name:ident),*) => {$(
        #[doc = concat!("The function `", stringify!($name), "`.")]
        #[inline]
        pub fn $name(x: f64) -> f64 {
            x.$name()
        }
    )*};
}

unary!(sin, cos, tan, asin, acos, atan, exp, ln);

/// Sine and cosine.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    x.sin_cos()
}

/// The angle of the point `(x, y)`.
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

/// `x` to the power of `y`.
#[inline]
pub fn powf(x: f64, y: f64) -> f64 {
    x.powf(y)
}
