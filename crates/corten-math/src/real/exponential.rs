//! The exponential function: `exp x = 2^(n/64) exp r` with `|r| ≤ ln 2 / 128`.

use super::double::{Double, nearest, power_of_two, reduced};

pub(super) const LN_2: Double =
    Double { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_558e-17 };

/// Entries of the table.
const PARTS: usize = 64;

/// ln 2 / 64 in parts of 32, 33 and 53 bits.
const PART: [f64; 3] = [
    1.083_042_469_326_755_963_27e-2,
    2.981_585_826_740_813_750_45e-12,
    2.444_797_122_709_199_848_26e-22,
];

/// 2^(k/64).
static POWERS: [Double; PARTS] = {
    let mut table = [Double::of(1.0); PARTS];
    let mut k = 1;
    while k < PARTS {
        table[k] = series(LN_2.times(Double::of(k as f64 / PARTS as f64)));
        k += 1;
    }
    table
};

/// 1 + x + x²/2! + …, for numbers below one.
const fn series(x: Double) -> Double {
    let mut sum = Double::of(1.0);
    let mut k = 30;
    while k > 0 {
        sum = Double::of(1.0).plus(x.times(sum).over(Double::of(k as f64)));
        k -= 1;
    }
    sum
}

/// 1/2!, 1/3!, …
const SERIES: [f64; 6] =
    [1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5_040.0];

/// The exponential function.
pub fn exp(x: f64) -> f64 {
    exp_of(Double::of(x))
}

/// The exponential function of a number of twice the precision.
pub(super) fn exp_of(x: Double) -> f64 {
    // Beyond, every result is infinite or rounds to zero.
    if !(x.high < 710.0 && x.high > -746.0) {
        return match x.high {
            x if x.is_nan() => x,
            x if x > 0.0 => f64::INFINITY,
            _ => 0.0,
        };
    }
    let (n, whole) = nearest(x.high * (PARTS as f64 * std::f64::consts::LOG2_E));
    let rest = reduced(x.high, n, PART);
    let Double { high: r, low: tail } = Double::joined(rest.high, rest.low + x.low);

    // exp(r + tail) − 1 = r + small.
    let [a, b, c, d, e, f] = SERIES;
    let small = tail * (1.0 + r) + r * r * (a + r * (b + r * (c + r * (d + r * (e + r * f)))));
    let power = &POWERS[whole as usize % PARTS];
    let first = Double::product(power.high, r);
    let sum = Double::joined(power.high, first.high);
    let low = sum.low + (first.low + (power.high * small + power.low * (1.0 + r)));
    scaled(sum.high, low, whole.div_euclid(PARTS as i64))
}

/// `(high + low) 2ⁿ` for a sum about one, rounded once.
#[inline(always)]
fn scaled(high: f64, low: f64, n: i64) -> f64 {
    let (first, second) = (power_of_two(n / 2), power_of_two(n - n / 2));
    if n > -1022 || n == -1022 && high >= 1.0 {
        return (high + low) * first * second;
    }
    // The last place of results that are not normal is 2⁻¹⁰⁷⁴: digits below are rounded off by a sum with
    // 2⁵² of it.
    let unit = power_of_two(52 - 1074 - n);
    let sum = Double::sum(unit, high);
    ((sum.high + (sum.low + low)) - unit) * first * second
}
