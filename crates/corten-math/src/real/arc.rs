//! Arc functions, by their series about the nearest multiple of 1/64, whose coefficients are in tables.
//!
//! Angles of points are arc tangents of a quotient of at most one. Arc sines beyond one half are those of √((1 − x)/2), which is the
//! sine of half of the angle that is missing to a quarter turn.

use super::circle::HALF_TURN;
use super::double::{Double, nearest, power_of_two};

/// Entries of the tables between zero and one.
const PARTS: usize = 64;

/// Terms of the series behind the first two: the next would be below 2⁻⁷⁰.
const TERMS: usize = 10;

/// A function about a multiple of 1/64.
#[derive(Clone, Copy)]
struct Piece {
    value: Double,
    slope: Double,
    rest: [f64; TERMS],
}

impl Piece {
    const NONE: Piece =
        Piece { value: Double::of(0.0), slope: Double::of(0.0), rest: [0.0; TERMS] };

    /// From the value and the coefficients of the derivative's series.
    const fn new(value: Double, slopes: [Double; TERMS + 1]) -> Piece {
        let mut rest = [0.0; TERMS];
        let mut n = 0;
        while n < TERMS {
            rest[n] = slopes[n + 1].over(Double::of((n + 2) as f64)).rounded();
            n += 1;
        }
        Piece { value, slope: slopes[0], rest }
    }

    /// The function's value where the argument is larger by `h`.
    #[inline(always)]
    fn at(&self, Double { high: h, low: tail }: Double) -> Double {
        let [a, b, c, d, e, f, g, i, j, k] = self.rest;
        let rest = f + h * (g + h * (i + h * (j + h * k)));
        let rest = a + h * (b + h * (c + h * (d + h * (e + h * rest))));
        let first = Double::product(self.slope.high, h);
        let low = first.low + (self.slope.low * h + self.slope.high * tail + h * h * rest);
        let sum = Double::sum(self.value.high, first.high);
        Double::joined(sum.high, sum.low + (self.value.low + low))
    }
}

/// The arc tangent about k/64. Its derivative y is 1/(1 + x²): about p, (1 + p² + 2 p h + h²) y = 1.
static TANGENTS: [Piece; PARTS + 1] = {
    let mut table = [Piece::NONE; PARTS + 1];
    let mut value = Double::of(0.0);
    let mut k = 0;
    while k <= PARTS {
        let p = k as f64 / PARTS as f64;
        let scale = Double::of(1.0).over(Double::of(1.0 + p * p));
        let mut slopes = [scale; TERMS + 1];
        slopes[1] = scale.times(scale).times(Double::of(-2.0 * p));
        let mut n = 2;
        while n <= TERMS {
            let before = slopes[n - 1].times(Double::of(2.0 * p)).plus(slopes[n - 2]);
            slopes[n] = before.times(scale).times(Double::of(-1.0));
            n += 1;
        }
        table[k] = Piece::new(value, slopes);
        // The difference to the next entry is an arc tangent, too.
        let both = (k * (k + 1)) as f64 / (PARTS * PARTS) as f64;
        let step = Double::of(1.0 / PARTS as f64).over(Double::of(1.0 + both));
        value = value.plus(small_arc_tangent(step));
        k += 1;
    }
    table
};

/// x − x³/3 + x⁵/5 − …
const fn small_arc_tangent(x: Double) -> Double {
    let square = x.times(x);
    let mut sum = Double::of(0.0);
    let mut k = 19;
    while k > 0 {
        sum = Double::of(1.0).over(Double::of(k as f64)).minus(square.times(sum));
        k -= 2;
    }
    x.times(sum)
}

/// The arc sine about k/64, up to one half. Its derivative y is 1/√(1 − x²): (1 − x²) y' = x y.
static SINES: [Piece; PARTS / 2 + 1] = {
    let mut table = [Piece::NONE; PARTS / 2 + 1];
    let mut k = 0;
    while k <= PARTS / 2 {
        let p = k as f64 / PARTS as f64;
        let square = Double::of(1.0 - p * p);
        let first = inverse_root(square);
        let mut slopes = [first; TERMS + 1];
        let mut before = Double::of(0.0);
        let mut n = 0;
        while n < TERMS {
            let m = n as f64;
            let sum = slopes[n].times(Double::of(p * (2.0 * m + 1.0)));
            let sum = sum.plus(before.times(Double::of(m)));
            before = slopes[n];
            slopes[n + 1] = sum.over(square.times(Double::of(m + 1.0)));
            n += 1;
        }
        table[k] = Piece::new(arc_sine(p), slopes);
        k += 1;
    }
    table
};

/// 1/√x for numbers from ¾ to one, by Newton's method.
const fn inverse_root(x: Double) -> Double {
    let mut root = Double::of(1.0);
    let mut k = 0;
    while k < 9 {
        let error = Double::of(3.0).minus(x.times(root).times(root));
        root = root.times(error).times(Double::of(0.5));
        k += 1;
    }
    root
}

/// x + x³/(2·3) + 1·3 x⁵/(2·4·5) + …, for numbers up to one half.
const fn arc_sine(x: f64) -> Double {
    let x = Double::of(x);
    let square = x.times(x);
    let (mut sum, mut term, mut k) = (x, x, 1.0);
    while k < 110.0 {
        term = term.times(square).times(Double::of(k * k)).over(Double::of((k + 1.0) * (k + 2.0)));
        sum = sum.plus(term);
        k += 2.0;
    }
    sum
}

/// A quarter turn.
const QUARTER: Double = Double { high: 0.5 * HALF_TURN.high, low: 0.5 * HALF_TURN.low };

/// The arc tangent of `a/b` for `0 ≤ a ≤ b`, both of moderate size.
#[inline(always)]
fn arc_tangent(a: f64, b: f64) -> Double {
    let t = Double::of(a).over(Double::of(b));
    let (k, whole) = nearest(t.high * PARTS as f64);
    let h = Double::joined(t.high - k * (1.0 / PARTS as f64), t.low);
    TANGENTS[whole as usize].at(h)
}

/// The angle between the first axis and a point, from 0 to π, for `y ≥ 0`.
#[inline(always)]
fn angle(y: f64, x: f64) -> Double {
    let size = x.abs();
    let from_axis =
        if y <= size { arc_tangent(y, size) } else { QUARTER.minus(arc_tangent(size, y)) };
    if x < 0.0 { HALF_TURN.minus(from_axis) } else { from_axis }
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
        QUARTER
    } else {
        let large = a.max(b.abs());
        let scale = match large {
            _ if large > 1e150 => 1.0 / power_of_two(600),
            _ if large < 1e-150 => power_of_two(600),
            _ => 1.0,
        };
        angle(a * scale, b * scale)
    };
    turned.rounded().copysign(y)
}

/// The arc tangent.
pub fn atan(x: f64) -> f64 {
    atan2(x, 1.0)
}

/// The arc sine of a number from 0 to one half.
#[inline(always)]
fn small_arc_sine(x: Double) -> Double {
    let (k, whole) = nearest(x.high * PARTS as f64);
    let h = Double::joined(x.high - k * (1.0 / PARTS as f64), x.low);
    SINES[whole as usize].at(h)
}

/// The arc cosine of a number from one half to one.
#[inline(always)]
fn small_arc_cosine(x: f64) -> Double {
    let square = 0.5 * (1.0 - x);
    let root = if square > 0.0 { Double::of(square).sqrt() } else { Double::of(0.0) };
    let half = small_arc_sine(root);
    Double { high: 2.0 * half.high, low: 2.0 * half.low }
}

/// The arc sine; not a number outside of −1 to 1.
pub fn asin(x: f64) -> f64 {
    let size = x.abs();
    // Also where x is none.
    if !(size <= 1.0) {
        return f64::NAN;
    }
    let angle = if size <= 0.5 {
        small_arc_sine(Double::of(size))
    } else {
        QUARTER.minus(small_arc_cosine(size))
    };
    angle.rounded().copysign(x)
}

/// The arc cosine; not a number outside of −1 to 1.
pub fn acos(x: f64) -> f64 {
    let size = x.abs();
    if !(size <= 1.0) {
        return f64::NAN;
    }
    let (near, far) = if size <= 0.5 {
        let angle = small_arc_sine(Double::of(size));
        (QUARTER.minus(angle), QUARTER.plus(angle))
    } else {
        let angle = small_arc_cosine(size);
        (angle, HALF_TURN.minus(angle))
    };
    if x < 0.0 { far.rounded() } else { near.rounded() }
}
