//! Sine, cosine and tangent: those of `n π/256 + r`, by the theorems of sums.

use super::double::{Double, nearest, power_of_two, reduced};

/// π.
pub(super) const HALF_TURN: Double =
    Double { high: std::f64::consts::PI, low: 1.224_646_799_147_353_207_2e-16 };

/// Entries of the table in a quarter turn.
const PARTS: usize = 128;

/// Larger angles are reduced by [`reduced_far`]: multiples of the parts below would not be exact.
const FAR: f64 = 1e4;

/// π/256 in parts of 33, 33 and 53 bits.
const PART: [f64; 3] = [
    4.908_738_521_044_142_544_27e-2 / 4.0,
    1.899_093_908_219_989_367_69e-12 / 4.0,
    6.319_582_027_487_345_723_57e-23 / 4.0,
];

/// 2/π · 2⁻⁶⁴ in binary, behind the point: its first word is zero, so that every angle finds digits from its place on.
const TWO_OVER_PI: [u64; 20] = [
    0x0000_0000_0000_0000,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// Sines of k π/256.
static SINES: [Double; PARTS + 1] = {
    let mut table = [Double::of(0.0); PARTS + 1];
    let mut k = 0;
    while k <= PARTS / 2 {
        let part = k as f64 / (2 * PARTS) as f64;
        let angle = HALF_TURN.times(Double::of(part));
        table[k] = angle.times(series(angle, 2.0));
        table[PARTS - k] = series(angle, 1.0);
        k += 1;
    }
    table
};

/// 1 − x²/(k (k + 1)) + x⁴/(k (k + 1) (k + 2) (k + 3)) − …, which is the cosine for k = 1, and sin x / x for k = 2.
const fn series(x: Double, k: f64) -> Double {
    let square = x.times(x);
    let mut sum = Double::of(1.0);
    let mut factor = k + 26.0;
    while factor >= k {
        let next = square.times(sum).over(Double::of(factor * (factor + 1.0)));
        sum = Double::of(1.0).minus(next);
        factor -= 2.0;
    }
    sum
}

/// −1/3!, 1/5!, …
const SINE: [f64; 3] = [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5_040.0];

/// −1/2!, 1/4!, −1/6!, …
const COSINE: [f64; 3] = [-0.5, 1.0 / 24.0, -1.0 / 720.0];

/// An angle of which sine and cosine are wanted: `quarters` quarter turns, and what belongs to the rest.
struct Turned {
    quarters: i64,
    /// Sine and cosine of the multiple of π/256.
    sine: &'static Double,
    cosine: &'static Double,
    /// Sine of the rest, and cosine less one.
    along: Double,
    across: f64,
}

impl Turned {
    /// For a finite angle.
    #[inline(always)]
    fn new(angle: f64) -> Turned {
        let (n, r) = if angle.abs() < FAR {
            let per_part = 2.0 * PARTS as f64 * std::f64::consts::FRAC_1_PI;
            let (n, whole) = nearest(angle * per_part);
            (whole, reduced(angle, n, PART))
        } else {
            reduced_far(angle)
        };
        let k = n as usize % PARTS;
        let z = r.high * r.high;
        let [a, b, c] = SINE;
        let along = Double { high: r.high, low: r.low + r.high * z * (a + z * (b + z * c)) };
        let [a, b, c] = COSINE;
        let across = z * (a + z * (b + z * c)) - r.high * r.low;
        let (sine, cosine) = (&SINES[k], &SINES[PARTS - k]);
        Turned { quarters: n >> PARTS.trailing_zeros(), sine, cosine, along, across }
    }

    /// The sine of the angle within its quarter.
    #[inline(always)]
    fn sine(&self) -> Double {
        turned(self.sine, self.cosine, self.across, self.along)
    }

    #[inline(always)]
    fn cosine(&self) -> Double {
        let along = Double { high: -self.along.high, low: -self.along.low };
        turned(self.cosine, self.sine, self.across, along)
    }

    /// The sine of the angle in its quarter, `ahead` quarters further.
    #[inline(always)]
    fn sine_ahead(&self, ahead: i64) -> f64 {
        let quarter = self.quarters + ahead;
        let part = if quarter & 1 == 0 { self.sine() } else { self.cosine() };
        if quarter & 2 == 0 { part.rounded() } else { -part.rounded() }
    }
}

/// `p + (p across + q along)`, where `across` is below 2⁻¹⁵.
#[inline(always)]
fn turned(p: &Double, q: &Double, across: f64, along: Double) -> Double {
    let first = Double::product(q.high, along.high);
    let sum = Double::sum(p.high, first.high);
    let low = p.high * across + (q.high * along.low + q.low * along.high);
    Double::joined(sum.high, sum.low + ((first.low + p.low) + low))
}

/// The multiple of π/256 next to a large angle, up to whole turns, and the rest.
///
/// The angle is an integer times a power of two. Of its product with 2/π, digits of four and more do not matter, and 190
/// behind the point are kept (Payne and Hanek, *Radian reduction for trigonometric functions*, 1983).
#[cold]
fn reduced_far(angle: f64) -> (i64, Double) {
    let bits = angle.to_bits();
    let digits = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // angle = digits 2^(exponent − 1075); the digits of 2/π whose weight in the product is 2 and less.
    let exponent = (bits >> 52 & 0x7ff) as usize;
    let first = exponent + 64 - 1075 - 2;
    let word = |k: usize| {
        let (place, shift) = (first / 64 + k, first % 64);
        let pair = u128::from(TWO_OVER_PI[place]) << 64 | u128::from(TWO_OVER_PI[place + 1]);
        (pair << shift >> 64) as u64
    };
    let low = digits * u128::from(word(2));
    let middle = digits * u128::from(word(1)) + (low >> 64);
    let high = (digits as u64).wrapping_mul(word(0)).wrapping_add((middle >> 64) as u64);
    let [middle, low] = [middle as u64, low as u64];

    // Two digits before the point and seven behind it count parts; the others are the rest, about zero.
    let ahead = |a: u64, b: u64| a << 9 | b >> 55;
    let rest = ((u128::from(ahead(high, middle)) << 64) | u128::from(ahead(middle, low))) as i128;
    let parts = (high >> 55) as i64 + i64::from(rest < 0);
    let nearest = rest as f64;
    let missing = (rest - nearest as i128) as f64;
    // 2⁻¹²⁸ π/256.
    let unit = 1.0 / power_of_two(136);
    let rest = Double { high: nearest, low: missing }
        .times(Double { high: HALF_TURN.high * unit, low: HALF_TURN.low * unit });
    if angle < 0.0 { (-parts, Double { high: -rest.high, low: -rest.low }) } else { (parts, rest) }
}

/// Sine and cosine.
pub fn sin_cos(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    // The zero keeps its sign.
    if x == 0.0 {
        return (x, 1.0);
    }
    let turned = Turned::new(x);
    (turned.sine_ahead(0), turned.sine_ahead(1))
}

/// The sine.
pub fn sin(x: f64) -> f64 {
    match x {
        0.0 => x,
        _ if x.is_finite() => Turned::new(x).sine_ahead(0),
        _ => f64::NAN,
    }
}

/// The cosine.
pub fn cos(x: f64) -> f64 {
    if x.is_finite() { Turned::new(x).sine_ahead(1) } else { f64::NAN }
}

/// The tangent.
pub fn tan(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { x } else { f64::NAN };
    }
    let turned = Turned::new(x);
    let (s, c) = (turned.sine(), turned.cosine());
    if turned.quarters & 1 == 0 { s.over(c).rounded() } else { -c.over(s).rounded() }
}
