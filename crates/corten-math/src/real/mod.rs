//! The only door to transcendental functions.
//!
//! IEEE 754 rounds sums, products, quotients and square roots exactly, and those are used directly.
//! Everything else goes through here. The operating systems' functions differ in their last bits from
//! one to the next; these are plain arithmetic in a fixed order, so that they give the same bits on
//! every platform.
//!
//! They compute with about 68 bits (`double`) before they round to 53: the results are the correctly
//! rounded ones but for a few in a hundred thousand.
//! Each reduces its argument to a small one by a table, whose entries the compiler computes from a series,
//! and takes a short series for the rest:
//!
//! | functions | table | rest |
//! |---|---|---|
//! | sine, cosine, tangent (`circle`) | sines of multiples of π/256 | sum of angles |
//! | arc functions (`arc`) | series about multiples of 1/64 | their argument |
//! | exponential (`exponential`) | 2^(k/64) | product |
//! | logarithm, power (`logarithm`) | logarithms of 1/k | sum |

mod arc;
mod circle;
mod double;
mod exponential;
mod logarithm;
#[cfg(test)]
mod tests;

pub use arc::{acos, asin, atan, atan2};
pub use circle::{cos, sin, sin_cos, tan};
pub use exponential::exp;
pub use logarithm::{ln, powf};

use double::Double;

/// √(x² + y²), also where the squares are out of range.
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let large = x.max(y);
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    let scale = match large {
        _ if large > 1e150 => 1.0 / double::power_of_two(600),
        _ if large < 1e-150 => double::power_of_two(600),
        _ => 1.0,
    };
    let (x, y) = (x * scale, y * scale);
    let square = Double::product(x, x).plus(Double::product(y, y));
    if square.high == 0.0 { 0.0 } else { square.sqrt().rounded() / scale }
}

/// `x` to the power of an integer, by squaring.
#[inline]
pub const fn powi(x: f64, n: i32) -> f64 {
    let (mut left, mut square, mut power) = (n.unsigned_abs(), x, 1.0);
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        left >>= 1;
        if left > 0 {
            square *= square;
        }
    }
    if n < 0 { 1.0 / power } else { power }
}
