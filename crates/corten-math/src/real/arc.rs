//! Arc functions, all of them angles of a point: `atan (a/b) = atan t + atan ((a − t b) / (b + t a))` with `t` a multiple
//! of 1/64 next to `a/b`.

use super::circle::HALF_TURN;
use super::double::{Double, nearest, power_of_two};

/// Entries of the table between zero and one.
const PARTS: usize = 64;

/// Arc tangents of k/64.
static ARCS: [Double; PARTS + 1] = {
    let mut table = [Double::of(0.0); PARTS + 1];
    let mut k = 0;
    while k < PARTS {
        let both = (k * (k + 1)) as f64 / (PARTS * PARTS) as f64;
        let step = Double::of(1.0 / PARTS as f64).over(Double::of(1.0 + both));
        table[k + 1] = table[k].plus(series(step));
        k += 1;
    }
    table
};

/// x − x³/3 + x⁵/5 − …, for small numbers.
const fn series(x: Double) -> Double {
    let square = x.times(x);
    let mut sum = Double::of(0.0);
    let mut k = 19;
    while k > 0 {
        sum = Double::of(1.0).over(Double::of(k as f64)).minus(square.times(sum));
        k -= 2;
    }
    x.times(sum)
}

/// −1/3, 1/5, …
const SERIES: [f64; 5] = [-1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0];

/// The arc tangent of `a/b` for `0 ≤ a ≤ b`, both of moderate size.
#[inline(always)]
fn arc(a: Double, b: Double) -> Double {
    let (k, whole) = nearest(a.high / b.high * PARTS as f64);
    let t = Double::of(k * (1.0 / PARTS as f64));
    let Double { high: u, low: tail } = a.minus(t.times(b)).over(b.plus(t.times(a)));
    let [p, q, r, s, v] = SERIES;
    let square = u * u;
    let cubic = u * (square * (p + square * (q + square * (r + square * (s + square * v)))));
    let rest = Double::joined(u, cubic + (tail - tail * square));
    ARCS[whole as usize].plus(rest)
}

/// The angle between the first axis and a point, from 0 to π, for `y ≥ 0`.
#[inline(always)]
fn angle(y: Double, x: Double) -> Double {
    let size = if x.high < 0.0 { Double { high: -x.high, low: -x.low } } else { x };
    let from_axis = if y.high <= size.high {
        arc(y, size)
    } else {
        Double { high: 0.5 * HALF_TURN.high, low: 0.5 * HALF_TURN.low }.minus(arc(size, y))
    };
    if x.high < 0.0 { HALF_TURN.minus(from_axis) } else { from_axis }
}

/// The angle of the point `(x, y)`.
pub fn atan2(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return x + y;
    }
    // Points at infinity and at zero lie on an axis or between two.
    let (mut a, mut b) = (y.abs(), x);
    if a.is_infinite() && b.is_infinite() {
        (a, b) = (1.0, 1f64.copysign(b));
    } else if b.is_infinite() || a == 0.0 {
        (a, b) = (0.0, 1f64.copysign(b));
    } else if a.is_infinite() || b == 0.0 {
        (a, b) = (1.0, 0.0);
    }
    // A point so near to an axis that its angle is the quotient.
    const NEAR: f64 = 1e-20;
    let ratio = a / b.abs();
    if ratio < NEAR && b > 0.0 {
        return ratio.copysign(y);
    }
    let turned = if ratio < NEAR {
        HALF_TURN
    } else if ratio > 1.0 / NEAR {
        Double { high: 0.5 * HALF_TURN.high, low: 0.5 * HALF_TURN.low }
    } else {
        let large = a.max(b.abs());
        let scale = match large {
            _ if large > 1e150 => 1.0 / power_of_two(600),
            _ if large < 1e-150 => power_of_two(600),
            _ => 1.0,
        };
        angle(Double::of(a * scale), Double::of(b * scale))
    };
    turned.rounded().copysign(y)
}

/// The arc tangent.
pub fn atan(x: f64) -> f64 {
    atan2(x, 1.0)
}

/// √(1 − x²).
#[inline(always)]
fn other_side(x: f64) -> Double {
    let square = Double::sum(1.0, -x).times(Double::sum(1.0, x));
    if square.high > 0.0 { square.sqrt() } else { Double::of(0.0) }
}

/// The arc sine; not a number outside of −1 to 1.
pub fn asin(x: f64) -> f64 {
    let size = x.abs();
    // Also where x is none.
    if !(size <= 1.0) {
        return f64::NAN;
    }
    // x³/6 is below half of the last place.
    if size < 1e-8 {
        return x;
    }
    angle(Double::of(size), other_side(x)).rounded().copysign(x)
}

/// The arc cosine; not a number outside of −1 to 1.
pub fn acos(x: f64) -> f64 {
    if !(x.abs() <= 1.0) {
        return f64::NAN;
    }
    angle(other_side(x), Double::of(x)).rounded()
}
