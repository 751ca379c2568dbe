//! Numbers that kernels compute with: one, or four side by side.
//!
//! A kernel that is generic over [`Number`] is compiled for `f64`, and for any [`Wide`]: [`Four`] and
//! the registers of the processor. Every operation of these rounds as that of `f64` does, lane by
//! lane, and none is contracted: all versions of a kernel give the same bits.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::Pod;

use crate::Four;
use crate::eights::Eights;
use crate::tree::Factored;

/// A real number, or several that go through the same operations.
pub trait Number:
    Copy
    + Debug
    + Default
    + PartialEq
    + Pod
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// How many numbers.
    const LANES: usize;
    /// A truth value for each.
    type Mask: Mask;

    /// The same number in every lane.
    fn splat(x: f64) -> Self;
    /// What `number` tells for each lane.
    fn from_lanes(number: impl Fn(usize) -> f64) -> Self;
    /// What `record` tells for each lane: four numbers that lie side by side.
    fn from_records(record: impl Fn(usize) -> [f64; 4]) -> [Self; 4];
    /// Objects of `N` numbers, one for each lane: `at` tells which.
    fn gather<const N: usize>(from: &[[f64; N]], at: impl Fn(usize) -> usize) -> [Self; N];
    /// The lanes from the beginning of a slice.
    fn from_slice(from: &[f64]) -> Self;
    /// Writes the lanes to the beginning of a slice.
    fn put(self, to: &mut [f64]);
    /// One of the lanes.
    fn lane(self, k: usize) -> f64;
    /// Writes one lane.
    fn set_lane(&mut self, k: usize, x: f64);
    /// The square root.
    fn sqrt(self) -> Self;
    /// The magnitude.
    fn abs(self) -> Self;
    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`.
    fn le(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The larger of two; the first if either is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(self.lt(other), other, self)
    }

    /// The smaller of two; the first if either is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(other.lt(self), other, self)
    }

    /// The nearest number from 0 to 1.
    #[inline(always)]
    fn clamp_unit(self) -> Self {
        let (zero, one) = (Self::splat(0.0), Self::splat(1.0));
        Self::select(self.lt(zero), zero, Self::select(one.lt(self), one, self))
    }
}

/// Four numbers in lanes: [`Four`], or a register of the processor with the same layout. The latter
/// exists only inside of kernels, see [`wide!`](crate::wide).
pub trait Wide: Number {
    /// What [`F32x8`](crate::F32x8) and its kin consist of.
    #[doc(hidden)]
    type Eights: Eights;

    /// From memory.
    fn load(x: [f64; 4]) -> Self;
    /// To memory.
    fn store(self) -> [f64; 4];
    /// Exchanges rows and columns.
    fn transposed(rows: [Self; 4]) -> [Self; 4];

    /// The sum of the lanes, in the order that all sums of the engine have.
    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d] = self.store();
        (a + c) + (b + d)
    }
}

/// Numbers as they are stored: those of one world, or [`Four`] of four worlds.
pub trait Stored: Pod {
    /// What kernels compute with, a number or a register.
    type Number<S: Wide>: Factored;
}

impl Stored for f64 {
    type Number<S: Wide> = f64;
}

impl Stored for Four {
    type Number<S: Wide> = S;
}

/// A truth value for each lane.
pub trait Mask: Copy {
    /// Whether one of them holds.
    fn any(self) -> bool;
    /// Whether each of them holds.
    fn all(self) -> bool;
    /// That of one lane.
    fn lane(self, k: usize) -> bool;
    /// All of them, the first in the lowest bit.
    fn bits(self) -> u32;
    /// Where both are set.
    fn and(self, other: Self) -> Self;
    /// Where one is set.
    fn or(self, other: Self) -> Self;
    /// `self` where `other` does not hold.
    fn and_not(self, other: Self) -> Self;
}

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }

    #[inline(always)]
    fn all(self) -> bool {
        self
    }

    #[inline(always)]
    fn lane(self, _: usize) -> bool {
        self
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn and(self, other: bool) -> bool {
        self & other
    }

    #[inline(always)]
    fn or(self, other: bool) -> bool {
        self | other
    }

    #[inline(always)]
    fn and_not(self, other: bool) -> bool {
        self & !other
    }
}

impl Number for f64 {
    const LANES: usize = 1;
    type Mask = bool;

    #[inline(always)]
    fn splat(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn from_lanes(number: impl Fn(usize) -> f64) -> f64 {
        number(0)
    }

    #[inline(always)]
    fn from_records(record: impl Fn(usize) -> [f64; 4]) -> [f64; 4] {
        record(0)
    }

    #[inline(always)]
    fn gather<const N: usize>(from: &[[f64; N]], at: impl Fn(usize) -> usize) -> [f64; N] {
        from[at(0)]
    }

    #[inline(always)]
    fn from_slice(from: &[f64]) -> f64 {
        from[0]
    }

    #[inline(always)]
    fn put(self, to: &mut [f64]) {
        to[0] = self;
    }

    #[inline(always)]
    fn lane(self, _: usize) -> f64 {
        self
    }

    #[inline(always)]
    fn set_lane(&mut self, _: usize, x: f64) {
        *self = x;
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }

    #[inline(always)]
    fn lt(self, other: f64) -> bool {
        self < other
    }

    #[inline(always)]
    fn le(self, other: f64) -> bool {
        self <= other
    }

    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::wide! {
        /// Runs the checks of this module with the registers of the processor.
        fn check_registers() {
            compute_as_one_number_does::<Simd>();
            records_become_lanes::<Simd>();
        }
    }

    #[test]
    fn registers_have_the_lanes_of_each_number() {
        check_registers();
    }

    #[test]
    fn arrays_have_the_lanes_of_each_number() {
        compute_as_one_number_does::<Four>();
        records_become_lanes::<Four>();
    }

    fn compute_as_one_number_does<S: Wide>() {
        let a = [1.5, -0.1, f64::NAN, -0.0];
        let b = [0.3, 7.0, 2.0, f64::INFINITY];
        let (x, y) = (S::load(a), S::load(b));
        // The sign of NaN has no meaning.
        let one = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
        let bits = |x: S| x.store().map(one);
        let each = |f: fn(f64, f64) -> f64| {
            let mut r = [0; 4];
            for k in 0..4 {
                r[k] = one(f(a[k], b[k]));
            }
            r
        };
        assert_eq!(bits(x + y), each(|a, b| a + b));
        assert_eq!(bits(x - y), each(|a, b| a - b));
        assert_eq!(bits(x * y), each(|a, b| a * b));
        assert_eq!(bits(x / y), each(|a, b| a / b));
        assert_eq!(bits(-x), each(|a, _| -a));
        assert_eq!(bits(x.abs()), each(|a, _| a.abs()));
        assert_eq!(bits(y.sqrt()), each(|_, b| b.sqrt()));
        let chosen = S::select(x.lt(y), x, y);
        assert_eq!(bits(chosen), each(|a, b| if a < b { a } else { b }));
        assert!(x.lt(y).any() && !x.lt(x).any());
        assert!(!x.lt(y).all() && y.le(y).all());
        let lanes = |mask: S::Mask| [0, 1, 2, 3].map(|k| mask.lane(k));
        let (below, at_most) = (x.lt(y), x.le(x));
        assert_eq!(lanes(below), [false, true, false, true]);
        assert_eq!(below.bits(), 0b1010);
        assert_eq!(lanes(at_most), [true, true, false, true]);
        assert_eq!(lanes(below.and(at_most)), [false, true, false, true]);
        assert_eq!(lanes(at_most.and_not(below)), [true, false, false, false]);
        assert_eq!(lanes(below.or(at_most)), [true, true, false, true]);
        assert_eq!(bits(x.max(y)), each(|a, b| if a < b { b } else { a }));
        assert_eq!(bits(x.clamp_unit()), each(|a, _| a.clamp(0.0, 1.0)));
    }

    fn records_become_lanes<S: Wide>() {
        let record = |k: usize| [0, 1, 2, 3].map(|i| (10 * k + i) as f64);
        let fields = S::from_records(record);
        for (i, field) in fields.into_iter().enumerate() {
            assert_eq!(field, S::from_lanes(|k| (10 * k + i) as f64));
        }
        let mut lanes = [0.0; 5];
        fields[1].put(&mut lanes[1..]);
        assert_eq!(lanes, [0.0, 1.0, 11.0, 21.0, 31.0]);
        assert_eq!(S::from_slice(&lanes[1..]), fields[1]);
        let records = [0, 1, 2, 3, 4].map(record);
        assert_eq!(S::gather(&records, |k| k), fields);
        assert_eq!(f64::gather(&records, |k| k + 4), record(4));
        assert_eq!(f64::from_records(record)[2], fields[2].lane(0));
        let mut changed = fields[2];
        changed.set_lane(1, 7.0);
        assert_eq!((changed.lane(0), changed.lane(1)), (fields[2].lane(0), 7.0));
    }
}
