//! Logarithm and power: `ln x = n ln 2 − ln c + ln (1 + r)`, where `c` is about `2ⁿ/x` and has few digits, so that
//! `r = c x 2⁻ⁿ − 1` is known exactly.

use super::double::{Double, power_of_two};
use super::exponential::{LN_2, exp_of};

/// Numbers between √½ and √2 in steps of 1/128.
const STEPS: f64 = 128.0;
const FIRST: usize = 90;
const ENTRIES: usize = 93;

/// The reciprocals of such numbers, of 16 digits, and minus their logarithms.
static TABLE: [(f64, Double); ENTRIES] = {
    let mut table = [(1.0, Double::of(0.0)); ENTRIES];
    let mut k = 0;
    while k < ENTRIES {
        let c = ((STEPS * 65536.0) as usize / (FIRST + k)) as f64 / 65536.0;
        table[k] = (c, series(c));
        k += 1;
    }
    table
};

/// −ln c = −2 (s + s³/3 + s⁵/5 + …) with s = (c − 1) / (c + 1).
const fn series(c: f64) -> Double {
    let s = Double::of(c - 1.0).over(Double::of(c + 1.0));
    let square = s.times(s);
    let mut sum = Double::of(0.0);
    let mut k = 53;
    while k > 0 {
        sum = Double::of(1.0).over(Double::of(k as f64)).plus(square.times(sum));
        k -= 2;
    }
    sum.times(s).times(Double::of(-2.0))
}

/// 1/3, as the nearest number and what is missing.
const THIRD: Double = Double::of(1.0).over(Double::of(3.0));

/// −1/4, 1/5, …, −1/10
const SERIES: [f64; 7] =
    [-1.0 / 4.0, 1.0 / 5.0, -1.0 / 6.0, 1.0 / 7.0, -1.0 / 8.0, 1.0 / 9.0, -1.0 / 10.0];

/// The natural logarithm of a positive, finite number.
#[inline(always)]
fn ln_of(x: f64) -> Double {
    let (x, shift) = if x < f64::MIN_POSITIVE { (x * power_of_two(54), 54) } else { (x, 0) };
    // x = 2ⁿ m with m from √½ to √2.
    const HALF_ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let n = (x.to_bits().wrapping_sub(HALF_ROOT) as i64) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub((n as u64) << 52));
    let (c, ln_c) = &TABLE[(m * STEPS + 0.5) as usize - FIRST];

    let product = Double::product(m, *c);
    let Double { high: r, low: tail } = Double::joined(product.high - 1.0, product.low);
    let square = Double::product(r, r);
    let square = Double { high: square.high, low: square.low + 2.0 * r * tail };
    let cube = square.times(Double::of(r)).times(THIRD);
    let [a, b, c, d, e, f, g] = SERIES;
    let fourth = square.high * square.high;
    let rest = fourth * (a + r * (b + r * (c + r * (d + r * (e + r * (f + r * g))))));

    let n = (n - shift) as f64;
    let whole = Double::product(n, LN_2.high);
    let whole = Double { high: whole.high, low: whole.low + n * LN_2.low }.plus(*ln_c);
    let half = Double { high: -0.5 * square.high, low: -0.5 * square.low };
    let small = half.plus(Double { high: cube.high, low: cube.low + rest });
    whole.plus(Double { high: r, low: tail }.plus(small))
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    match x {
        _ if x > 0.0 && x < f64::INFINITY => ln_of(x).rounded(),
        0.0 => f64::NEG_INFINITY,
        _ if x < 0.0 => f64::NAN,
        _ => x,
    }
}

/// `x` to the power of `y`.
pub fn powf(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if y == 1.0 || x.is_nan() || y.is_nan() {
        return x * y;
    }
    let whole = y.trunc() == y;
    let odd = whole && (y * 0.5).trunc() != y * 0.5;
    if x < 0.0 && !whole && x.is_finite() && y.is_finite() {
        return f64::NAN;
    }
    let sign = if odd { 1f64.copysign(x) } else { 1.0 };
    let size = x.abs();
    if size == 1.0 {
        return sign;
    }
    if size == 0.0 || size.is_infinite() || y.is_infinite() {
        let grows = (size > 1.0) == (y > 0.0);
        return if grows { sign * f64::INFINITY } else { sign * 0.0 };
    }
    if y == 2.0 {
        return x * x;
    }
    let ln = ln_of(size);
    // Beyond, the result is infinite or zero.
    if !((y * ln.high).abs() < 800.0) {
        return sign * exp_of(Double::of(y * ln.high));
    }
    let power = Double::product(y, ln.high);
    sign * exp_of(Double::joined(power.high, power.low + y * ln.low))
}
