//! Numbers of twice the precision: a sum of two, of which the second is what the first misses.
//!
//! Dekker, *A floating-point technique for extending the available precision*, 1971.

/// 2²⁷ + 1, which splits a number into halves whose products are exact.
const SPLIT: f64 = 134_217_729.0;

/// 1.5 · 2⁵²: adding it rounds to an integer, which then stands in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// `high + low`, with `low` below the last place of `high`, or a few of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Double {
    pub(super) high: f64,
    pub(super) low: f64,
}

impl Double {
    #[inline(always)]
    pub(super) const fn of(x: f64) -> Double {
        Double { high: x, low: 0.0 }
    }

    /// The exact sum.
    #[inline(always)]
    pub(super) const fn sum(a: f64, b: f64) -> Double {
        let high = a + b;
        let part = high - a;
        Double { high, low: (a - (high - part)) + (b - part) }
    }

    /// The exact sum, where `large` has the larger exponent, or both are of a kind.
    #[inline(always)]
    pub(super) const fn joined(large: f64, small: f64) -> Double {
        let high = large + small;
        Double { high, low: small - (high - large) }
    }

    /// The exact product.
    #[inline(always)]
    pub(super) const fn product(a: f64, b: f64) -> Double {
        let ((p, q), (r, s)) = (halves(a), halves(b));
        let high = a * b;
        Double { high, low: (((p * r - high) + p * s) + q * r) + q * s }
    }

    #[inline(always)]
    pub(super) const fn plus(self, other: Double) -> Double {
        let sum = Double::sum(self.high, other.high);
        Double::joined(sum.high, sum.low + (self.low + other.low))
    }

    #[inline(always)]
    pub(super) const fn minus(self, other: Double) -> Double {
        self.plus(Double { high: -other.high, low: -other.low })
    }

    #[inline(always)]
    pub(super) const fn times(self, other: Double) -> Double {
        let product = Double::product(self.high, other.high);
        let low = product.low + (self.high * other.low + self.low * other.high);
        Double::joined(product.high, low)
    }

    #[inline(always)]
    pub(super) const fn over(self, other: Double) -> Double {
        let quotient = self.high / other.high;
        let back = Double::product(quotient, other.high);
        let rest = ((self.high - back.high) - back.low) + (self.low - quotient * other.low);
        Double::joined(quotient, rest / other.high)
    }

    /// The square root of a positive number.
    #[inline(always)]
    pub(super) fn sqrt(self) -> Double {
        let root = self.high.sqrt();
        let back = Double::product(root, root);
        let rest = ((self.high - back.high) - back.low) + self.low;
        Double::joined(root, rest / (2.0 * root))
    }

    #[inline(always)]
    pub(super) const fn rounded(self) -> f64 {
        self.high + self.low
    }
}

/// A number as a sum of two with half its digits each.
#[inline(always)]
const fn halves(x: f64) -> (f64, f64) {
    let scaled = x * SPLIT;
    let high = scaled - (scaled - x);
    (high, x - high)
}

/// 2ⁿ of a normal number.
#[inline(always)]
pub(super) const fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// The nearest integer of a number below 2⁵⁰, as both kinds.
#[inline(always)]
pub(super) const fn nearest(x: f64) -> (f64, i64) {
    let rounded = x + ROUND;
    (rounded - ROUND, (rounded.to_bits() as i64) << 13 >> 13)
}

/// `x − n period`, for a period in three parts, of which multiples of the first two by `n` are exact.
#[inline(always)]
pub(super) const fn reduced(x: f64, n: f64, period: [f64; 3]) -> Double {
    let rest = Double::sum(x - n * period[0], -n * period[1]);
    Double::joined(rest.high, rest.low - n * period[2])
}
