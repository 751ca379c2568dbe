//! Sine and cosine of many angles at once, and the arc cosine of several numbers side by side.
//!
//! Plain arithmetic in a fixed order: the same bits on every processor, and loops that fill its
//! registers. The leading terms are carried with their rounding errors (Dekker, *A floating-point
//! technique for extending the available precision*, 1971), so that results are correctly rounded
//! but for a few in a thousand.

use crate::array;
use crate::{Mask, Number, real};

/// Larger angles are left to the scalar functions: the reduction below would lose digits.
const LARGEST: f64 = 1e5;

/// π/2 in three parts of 33, 33 and 53 bits: multiples of the first two by small integers are exact.
const HALF_PI: [f64; 3] = [
    1.570_796_326_734_125_614_17,
    6.077_100_506_303_965_976_60e-11,
    2.022_266_248_795_950_732_4e-21,
];

/// 1.5 · 2⁵²: adding it rounds to an integer, which then stands in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// 2²⁷ + 1, which splits a number into halves whose products are exact.
const SPLIT: f64 = 134_217_729.0;

/// −1/3!, as the nearest number and what is missing.
const SIN_3: [f64; 2] = [-0.166_666_666_666_666_66, -9.251_858_538_542_97e-18];

/// 1/5!, −1/7!, …
const SIN: [f64; 6] = [
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
];

/// 1/4!, −1/6!, …
const COS: [f64; 7] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// Sines and cosines of angles, of which `angle` tells each. They go from there to wide registers
/// without a detour through memory.
#[inline(always)]
pub fn sin_cos_all(angle: impl Fn(usize) -> f64, sin: &mut [f64], cos: &mut [f64]) {
    let (sin, sin_rest) = sin.as_chunks_mut::<4>();
    let (cos, cos_rest) = cos.as_chunks_mut::<4>();
    let first = 4 * sin.len();
    for (i, (sin, cos)) in sin.iter_mut().zip(cos).enumerate() {
        (*sin, *cos) = sin_cos_four(array::from_fn(|k| angle(4 * i + k)));
    }
    let given = match sin_rest.len() {
        0 => return,
        1 => [angle(first), 0.0, 0.0, 0.0],
        2 => [angle(first), angle(first + 1), 0.0, 0.0],
        _ => [angle(first), angle(first + 1), angle(first + 2), 0.0],
    };
    let (sines, cosines) = sin_cos_four(given);
    match (sin_rest, cos_rest) {
        ([s], [c]) => ([*s, ..], [*c, ..]) = (sines, cosines),
        ([s, s1], [c, c1]) => ([*s, *s1, ..], [*c, *c1, ..]) = (sines, cosines),
        ([s, s1, s2], [c, c1, c2]) => {
            ([*s, *s1, *s2, ..], [*c, *c1, *c2, ..]) = (sines, cosines);
        }
        _ => {}
    }
}

#[inline(always)]
fn sin_cos_four(angles: [f64; 4]) -> ([f64; 4], [f64; 4]) {
    let (mut sin, mut cos) = ([0.0; 4], [0.0; 4]);
    for k in 0..4 {
        (sin[k], cos[k]) = sin_cos(angles[k]);
    }
    // Not the largest of them: it would be lost next to NaN.
    let mut moderate = true;
    for k in 0..4 {
        moderate &= angles[k].abs() < LARGEST;
    }
    if !moderate {
        // Each by itself: what an angle gives does not depend on its neighbours.
        for k in 0..4 {
            if !(angles[k].abs() < LARGEST) {
                (sin[k], cos[k]) = real::sin_cos(angles[k]);
            }
        }
    }
    (sin, cos)
}

/// Without branches, so that a loop over it becomes vector code.
#[inline(always)]
fn sin_cos(angle: f64) -> (f64, f64) {
    // angle = n π/2 + x + tail, |x| ≤ π/4.
    let rounded = angle * std::f64::consts::FRAC_2_PI + ROUND;
    let quadrant = rounded.to_bits();
    let n = rounded - ROUND;
    let first = angle - n * HALF_PI[0];
    let (second, third) = (n * HALF_PI[1], n * HALF_PI[2]);
    let y = first - second;
    let missing = (first - y) - second - third;
    let x = y + missing;
    let tail = (y - x) + missing;

    // z = x², with its error.
    let (high, low) = halves(x);
    let z = x * x;
    let z_error = ((high * high - z) + 2.0 * high * low) + low * low;

    // x³ with its error, times −1/3! + z/5! − …, with its error.
    let (z_high, z_low) = halves(z);
    let cube = x * z;
    let cube_error = (((high * z_high - cube) + high * z_low) + low * z_high) + low * z_low;
    let cube_error = cube_error + x * z_error;
    let series = SIN[4] + z * SIN[5];
    let series = SIN[3] + z * series;
    let series = SIN[2] + z * series;
    let series = SIN[1] + z * series;
    let series = z * (SIN[0] + z * series);
    let factor = SIN_3[0] + series;
    let factor_error = ((SIN_3[0] - factor) + series) + SIN_3[1];
    let (factor_high, factor_low) = halves(factor);
    let (cube_high, cube_low) = halves(cube);
    let change = cube * factor;
    let change_error = (((cube_high * factor_high - change) + cube_high * factor_low)
        + cube_low * factor_high)
        + cube_low * factor_low;
    let change_error = change_error + cube * factor_error + cube_error * factor;
    let sum = x + change;
    let half_z = 0.5 * z;
    let sin = sum + ((change - (sum - x)) + (change_error + tail * (1.0 - half_z)));

    // 1 − z/2 with its error, plus z²/4! − …
    let series = COS[5] + z * COS[6];
    let series = COS[4] + z * series;
    let series = COS[3] + z * series;
    let series = COS[2] + z * series;
    let series = COS[1] + z * series;
    let series = COS[0] + z * series;
    let sum = 1.0 - half_z;
    let error = (1.0 - sum) - half_z;
    let cos = sum + (z * z * series + (error - (0.5 * z_error + x * tail)));

    // Odd quadrants exchange the two; signs follow.
    let (s, c) = (sin.to_bits(), cos.to_bits());
    let exchange = (s ^ c) & 0_u64.wrapping_sub(quadrant & 1);
    let sin_sign = (quadrant & 2) << 62;
    let cos_sign = (quadrant.wrapping_add(1) & 2) << 62;
    (f64::from_bits((s ^ exchange) ^ sin_sign), f64::from_bits((c ^ exchange) ^ cos_sign))
}

/// Numerator of (asin(√z)/√z − 1) / z as a ratio of polynomials for z ≤ 1/4, that of fdlibm (Sun
/// Microsystems, 1993), whose error is below 2⁻⁵⁸.
const ASIN_P: [f64; 6] = [
    1.666_666_666_666_666_574_15e-1,
    -3.255_658_186_224_009_154_05e-1,
    2.012_125_321_348_629_258_81e-1,
    -4.005_553_450_067_941_140_27e-2,
    7.915_349_942_898_145_321_76e-4,
    3.479_331_075_960_211_675_70e-5,
];

/// Its denominator, but for the leading one.
const ASIN_Q: [f64; 4] = [
    -2.403_394_911_734_414_218_78,
    2.020_945_760_233_505_694_71,
    -6.882_839_716_054_532_930_30e-1,
    7.703_815_055_590_193_527_91e-2,
];

/// π/2 as the nearest number and what is missing.
const PI_2: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766_035_87e-17];

/// Arc cosine, without branches; off by one unit in the last place at most. NaN outside of
/// −1 to 1.
///
/// In the middle it is π/2 − asin x; towards the ends asin √((1 − |x|)/2) is half the angle to the
/// nearer end, so that the series is taken for small numbers only.
#[inline(always)]
pub fn acos<T: Number>(x: T) -> T {
    let (zero, half, one) = (T::splat(0.0), T::splat(0.5), T::splat(1.0));
    let of = T::splat;
    let size = x.abs();
    let outer = half.lt(size);
    let z = T::select(outer, (one - size) * half, x * x);
    let s = T::select(outer, z.sqrt(), x);
    let zz = z * z;
    let [p, q] = [&ASIN_P[..], &ASIN_Q[..]];
    let numerator = (of(p[0]) + of(p[1]) * z)
        + ((of(p[2]) + of(p[3]) * z) + (of(p[4]) + of(p[5]) * z) * zz) * zz;
    let denominator = (one + of(q[0]) * z) + ((of(q[1]) + of(q[2]) * z) + of(q[3]) * zz) * zz;
    let change = s * (z * numerator / denominator);
    let from_middle = of(PI_2[0]) - (s - (of(PI_2[1]) - change));
    let angle = T::select(outer.and(zero.lt(x)), s + change, from_middle);
    T::select(outer, angle + angle, angle)
}

/// A number as a sum of two with half its digits each.
#[inline(always)]
fn halves(x: f64) -> (f64, f64) {
    let scaled = x * SPLIT;
    let high = scaled - (scaled - x);
    (high, x - high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Four;

    /// Distance in units of the last place.
    fn ulps(a: f64, b: f64) -> u64 {
        (a.to_bits() as i64).abs_diff(b.to_bits() as i64)
    }

    #[test]
    fn differs_from_the_scalar_functions_by_one_unit_at_most() {
        for range in [1e-3, 0.5, 1.6, 10.0, 1e4] {
            let n = 40_001;
            let angles: Vec<f64> =
                (0..n).map(|k| range * (2.0 * k as f64 / (n - 1) as f64 - 1.0)).collect();
            let (mut sin, mut cos) = (vec![0.0; n], vec![0.0; n]);
            sin_cos_all(|k| angles[k], &mut sin, &mut cos);
            let mut different = 0;
            for ((x, s), c) in angles.iter().zip(&sin).zip(&cos) {
                let (s0, c0) = real::sin_cos(*x);
                // Next to a zero the units are those of the reduction's tail.
                let near = |a: f64, b: f64| ulps(a, b) <= 1 || (a - b).abs() < 1e-21;
                assert!(near(*s, s0) && near(*c, c0), "{x}: {s} {s0} {c} {c0}");
                different += usize::from(*s != s0) + usize::from(*c != c0);
            }
            assert!(different * 25 < n, "{different} of {} at {range}", 2 * n);
        }
    }

    #[test]
    fn neighbours_do_not_matter() {
        let given = [0.3, 1e11, f64::NAN, -2.0, f64::INFINITY, -1e300, 7e5, 0.0];
        let bits = |x: f64| if x.is_nan() { 1 } else { x.to_bits() };
        let alone = given.map(|x| {
            let (mut sin, mut cos) = ([0.0], [0.0]);
            sin_cos_all(|_| x, &mut sin, &mut cos);
            [bits(sin[0]), bits(cos[0])]
        });
        for start in 0..given.len() {
            for stride in [1, 3, 5, 7] {
                let place = |k: usize| (start + stride * k) % given.len();
                let (mut sin, mut cos) = ([0.0; 8], [0.0; 8]);
                sin_cos_all(|k| given[place(k)], &mut sin, &mut cos);
                for k in 0..8 {
                    assert_eq!(
                        [bits(sin[k]), bits(cos[k])],
                        alone[place(k)],
                        "{}",
                        given[place(k)]
                    );
                }
            }
        }
    }

    #[test]
    fn arc_cosine_differs_from_the_scalar_function_by_one_unit_at_most() {
        let n = 200_001;
        let even = (0..n).map(|k| 2.0 * k as f64 / (n - 1) as f64 - 1.0);
        // Next to the ends, the middle, and where the formula changes.
        let centers = [-1.0, -0.5, 0.0, 0.5, 1.0];
        let close = (0..2000).flat_map(|k| {
            let step = 0.97_f64.powi(k / 2) * if k % 2 == 0 { 0.1 } else { -0.1 };
            centers.map(|center| (center + step).clamp(-1.0, 1.0))
        });
        let mut different = 0;
        for x in even.chain(close) {
            let (ours, theirs) = (acos(x), real::acos(x));
            assert!(ulps(ours, theirs) <= 1, "{x}: {ours} {theirs}");
            different += usize::from(ours != theirs);
        }
        assert!(different * 5 < n, "{different}");
        assert_eq!([acos(1.0), acos(0.0), acos(-1.0)], [1.0, 0.0, -1.0].map(real::acos));
        assert!([1.0 + f64::EPSILON, -2.0, f64::NAN].iter().all(|&x| acos(x).is_nan()));
    }

    #[test]
    fn arc_cosines_side_by_side_are_those_of_each() {
        for x in [[-1.0, -0.7, -0.5, -1e-9], [0.0, 0.3, 0.5, 0.500001], [0.9, 1.0, 1e-300, -0.2]] {
            assert_eq!(acos(Four(x)).0, x.map(acos));
        }
    }

    #[test]
    fn special_angles_are_exact() {
        let angles = [0.0, -0.0, f64::NAN, f64::INFINITY, 1e300];
        let (mut sin, mut cos) = ([0.0; 5], [0.0; 5]);
        sin_cos_all(|k| angles[k], &mut sin, &mut cos);
        assert_eq!((sin[0], cos[0], sin[1], cos[1]), (0.0, 1.0, 0.0, 1.0));
        assert!(sin[2].is_nan() && cos[3].is_nan());
        assert_eq!((sin[4], cos[4]), real::sin_cos(1e300));
    }
}
