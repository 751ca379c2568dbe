//! Against the standard library, whose results are not the nearest ones in about one of a thousand.

use super::*;
use crate::Random;

/// Distance in units of the last place.
fn ulps(a: f64, b: f64) -> u64 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0;
    }
    (a.to_bits() as i64).abs_diff(b.to_bits() as i64)
}

/// A function of ours and of the standard library, and arguments for it.
type Pair = (fn(f64, f64) -> f64, fn(f64, f64) -> f64, fn(&mut Random) -> [f64; 2]);

/// A number of either sign and of any size between two powers of ten.
fn any_size(random: &mut Random, low: f64, high: f64) -> f64 {
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    sign * 10f64.powf(random.between(low, high))
}

const PAIRS: [(&str, Pair); 19] = [
    ("sin", (|x, _| sin(x), |x, _| x.sin(), |r| [r.between(-7.0, 7.0), 0.0])),
    ("sin", (|x, _| sin(x), |x, _| x.sin(), |r| [any_size(r, -20.0, 300.0), 0.0])),
    ("cos", (|x, _| cos(x), |x, _| x.cos(), |r| [r.between(-7.0, 7.0), 0.0])),
    ("cos", (|x, _| cos(x), |x, _| x.cos(), |r| [any_size(r, -20.0, 300.0), 0.0])),
    ("tan", (|x, _| tan(x), |x, _| x.tan(), |r| [r.between(-7.0, 7.0), 0.0])),
    ("tan", (|x, _| tan(x), |x, _| x.tan(), |r| [any_size(r, -20.0, 300.0), 0.0])),
    ("asin", (|x, _| asin(x), |x, _| x.asin(), |r| [r.between(-1.0, 1.0), 0.0])),
    ("acos", (|x, _| acos(x), |x, _| x.acos(), |r| [r.between(-1.0, 1.0), 0.0])),
    ("acos", (|x, _| acos(x), |x, _| x.acos(), |r| [1.0 - any_size(r, -16.0, -1.0).abs(), 0.0])),
    ("atan", (|x, _| atan(x), |x, _| x.atan(), |r| [any_size(r, -30.0, 30.0), 0.0])),
    ("atan2", (atan2, f64::atan2, |r| [r.between(-1.0, 1.0), r.between(-1.0, 1.0)])),
    ("atan2", (atan2, f64::atan2, |r| [any_size(r, -300.0, 300.0), any_size(r, -300.0, 300.0)])),
    ("exp", (|x, _| exp(x), |x, _| x.exp(), |r| [r.between(-750.0, 711.0), 0.0])),
    ("exp", (|x, _| exp(x), |x, _| x.exp(), |r| [any_size(r, -20.0, 1.0), 0.0])),
    ("ln", (|x, _| ln(x), |x, _| x.ln(), |r| [any_size(r, -323.0, 308.0).abs(), 0.0])),
    ("ln", (|x, _| ln(x), |x, _| x.ln(), |r| [1.0 + any_size(r, -16.0, -1.0), 0.0])),
    ("powf", (powf, f64::powf, |r| [r.between(0.0, 10.0), r.between(-3.0, 5.0)])),
    ("powf", (powf, f64::powf, |r| [any_size(r, -150.0, 150.0).abs(), r.between(-3.0, 3.0)])),
    ("hypot", (hypot, f64::hypot, |r| [any_size(r, -300.0, 300.0), any_size(r, -300.0, 300.0)])),
];

#[test]
fn round_as_the_standard_library_does_but_for_a_few_in_a_thousand() {
    let mut random = Random(1);
    for (name, (ours, theirs, draw)) in PAIRS {
        let (count, mut different) = (20_000, 0);
        for _ in 0..count {
            let [x, y] = draw(&mut random);
            let (a, b) = (ours(x, y), theirs(x, y));
            assert!(ulps(a, b) <= 1, "{name}({x:e}, {y:e}): {a:e}, not {b:e}");
            different += usize::from(ulps(a, b) != 0);
        }
        assert!(different * 200 < count, "{name}: {different} of {count}");
    }
}

/// Zeros, infinities, what is not a number, the ends of the range, whole and odd exponents.
#[test]
fn special_arguments_are_those_of_the_standard_library() {
    let given = [
        0.0,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        5e-324,
        1e-310,
        f64::MIN_POSITIVE,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        709.782_712_893_384,
        709.782_712_893_385,
        745.133_219_101_941_1,
        745.133_219_101_941_2,
        9_007_199_254_740_993.0,
    ];
    let same = |a: f64, b: f64| {
        let zero = a == 0.0 || b == 0.0;
        ulps(a, b) <= 1 && (!zero || a.to_bits() == b.to_bits())
    };
    for x in given.into_iter().flat_map(|x| [x, -x]) {
        for y in given.into_iter().flat_map(|y| [y, -y]) {
            for (name, (ours, theirs, _)) in PAIRS {
                let (a, b) = (ours(x, y), theirs(x, y));
                assert!(same(a, b), "{name}({x:e}, {y:e}): {a:e}, not {b:e}");
            }
        }
        for n in -7..=7 {
            assert!(ulps(powi(x, n), x.powi(n)) <= 1, "{x} {n}");
        }
    }
}

/// Correctly rounded, by a computation with 700 digits: next to zeros of the sine, and where digits cancel.
#[test]
fn hard_arguments() {
    assert_eq!(sin(std::f64::consts::PI), 1.224_646_799_147_353_2e-16);
    assert_eq!(cos(std::f64::consts::FRAC_PI_2), 6.123_233_995_736_766e-17);
    // The double that is nearest to a multiple of π/2, in units of itself.
    assert_eq!(cos(6_381_956_970_095_103.0 * 2f64.powi(797)), -4.687_165_924_254_628e-19);
    assert_eq!(sin_cos(1e22), (-0.852_200_849_767_188_8, 0.523_214_785_395_139));
    assert_eq!(acos(1.0 - f64::EPSILON / 2.0), 1.490_116_119_384_765_6e-8);
    assert_eq!(exp(-745.0), 5e-324);
    assert_eq!(ln(1.0 + f64::EPSILON), 2.220_446_049_250_312_8e-16);
    assert_eq!(powf(1.0 + f64::EPSILON, 1e16), 9.211_438_704_993_53);
}

/// The bits of twenty thousand results, which hold on every platform.
#[test]
fn bits_are_pinned() {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |x: f64| sum = (sum ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3);
    for k in 1..2000 {
        let x = f64::from(k) * 0.013_7;
        let (s, c) = sin_cos(x * 997.0);
        for y in [s, c, tan(x), exp(-x), ln(x), atan(x), powf(x, 1.7), hypot(x, 2.0), powi(x, 5)] {
            add(y);
        }
        for y in [asin(s), acos(c), atan2(x - 9.0, 3.0), sin(1e9 * x), cos(1e-3 * x)] {
            add(y);
        }
    }
    assert_eq!(sum, 0xe1c1_2d3f_e029_2fa6);
}
