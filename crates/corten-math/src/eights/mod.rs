//! Eight at once: single-precision numbers, whole numbers, and truth values.
//!
//! One AVX register each inside of kernels where the processor has them (see [`wide!`](crate::wide)),
//! two SSE registers on other x86-64, arrays elsewhere. Each operation rounds once, so that all give the
//! same bits.

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Sub};

use crate::{Four, Wide};

#[cfg(any(test, not(target_arch = "x86_64")))]
mod array;
#[cfg(target_arch = "x86_64")]
mod sse;

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use array::Arrays as Baseline;
#[cfg(target_arch = "x86_64")]
pub(crate) use sse::Pairs as Baseline;

const LANES: usize = 8;

/// What holds eight numbers, and computes with them.
#[doc(hidden)]
pub trait Eights: Copy + Debug {
    type Floats: Copy + Debug;
    type Ints: Copy + Debug;

    fn splat(x: f32) -> Self::Floats;
    fn load(x: &[f32; LANES]) -> Self::Floats;
    fn store(a: Self::Floats) -> [f32; LANES];
    fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn sub(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn mul(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn div(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn min(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn max(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn ge(a: Self::Floats, b: Self::Floats) -> Self::Ints;
    fn lt(a: Self::Floats, b: Self::Floats) -> Self::Ints;
    fn same(a: Self::Floats, b: Self::Floats) -> Self::Ints;
    fn largest(a: Self::Floats) -> f32;
    fn truncated(a: Self::Floats) -> Self::Ints;
    fn numbers(a: Self::Ints) -> Self::Floats;
    fn bits(a: Self::Floats) -> Self::Ints;
    fn from_bits(a: Self::Ints) -> Self::Floats;

    fn splat_int(x: i32) -> Self::Ints;
    fn load_int(x: &[i32; LANES]) -> Self::Ints;
    fn store_int(a: Self::Ints) -> [i32; LANES];
    fn add_int(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn sub_int(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn mul_int(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn and(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn or(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn equal(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn gt(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn choose(mask: Self::Ints, yes: Self::Ints, no: Self::Ints) -> Self::Ints;
    fn shifted<const PLACES: i32>(a: Self::Ints) -> Self::Ints;
    fn raised<const PLACES: i32>(a: Self::Ints) -> Self::Ints;
    fn signs(a: Self::Ints) -> u32;

    #[inline(always)]
    fn gather_int(from: &[i32], at: Self::Ints) -> Self::Ints {
        let mut out = Self::store_int(at);
        for at in &mut out {
            *at = usize::try_from(*at).ok().and_then(|at| from.get(at)).copied().unwrap_or(0);
        }
        Self::load_int(&out)
    }
}

/// Eight numbers.
#[derive(Clone, Copy, Debug)]
pub struct F32x8<S: Wide = Four>(<S::Eights as Eights>::Floats);

/// Eight whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct I32x8<S: Wide = Four>(<S::Eights as Eights>::Ints);

/// Eight truth values: all bits of a lane are set, or none.
#[derive(Clone, Copy, Debug)]
pub struct Mask32x8<S: Wide = Four>(<S::Eights as Eights>::Ints);

macro_rules! operations {
    ($($type:ident $trait:ident $name:ident $call:ident;)*) => {$(
        impl<S: Wide> $trait for $type<S> {
            type Output = $type<S>;
            #[inline(always)]
            fn $name(self, other: $type<S>) -> $type<S> {
                $type(S::Eights::$call(self.0, other.0))
            }
        }
    )*};
}

operations! {
    F32x8 Add add add;
    F32x8 Sub sub sub;
    F32x8 Mul mul mul;
    F32x8 Div div div;
    I32x8 Add add add_int;
    I32x8 Sub sub sub_int;
    I32x8 Mul mul mul_int;
    I32x8 BitAnd bitand and;
    I32x8 BitOr bitor or;
    Mask32x8 BitAnd bitand and;
    Mask32x8 BitOr bitor or;
}

impl F32x8 {
    /// Numbers side by side.
    pub const LANES: usize = LANES;
}

impl<S: Wide> F32x8<S> {
    /// One number in all lanes.
    #[inline(always)]
    pub fn splat(x: f32) -> F32x8<S> {
        F32x8(S::Eights::splat(x))
    }

    /// From memory.
    #[inline(always)]
    pub fn load(x: &[f32; LANES]) -> F32x8<S> {
        F32x8(S::Eights::load(x))
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self) -> [f32; LANES] {
        S::Eights::store(self.0)
    }

    /// Numbers from these places of memory; zero where there is none.
    #[inline(always)]
    pub fn gather(from: &[f32], at: I32x8<S>) -> F32x8<S> {
        I32x8::gather(bytemuck::cast_slice(from), at).as_bits()
    }

    /// Zero to seven.
    #[inline(always)]
    pub fn count() -> F32x8<S> {
        F32x8::load(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    }

    /// The smaller; `other` where one is NaN.
    #[inline(always)]
    pub fn min(self, other: F32x8<S>) -> F32x8<S> {
        F32x8(S::Eights::min(self.0, other.0))
    }

    /// The larger; `other` where one is NaN.
    #[inline(always)]
    pub fn max(self, other: F32x8<S>) -> F32x8<S> {
        F32x8(S::Eights::max(self.0, other.0))
    }

    /// Within zero and one; zero where it is NaN.
    #[inline(always)]
    pub fn unit(self) -> F32x8<S> {
        self.max(F32x8::splat(0.0)).min(F32x8::splat(1.0))
    }

    /// Magnitudes.
    #[inline(always)]
    pub fn abs(self) -> F32x8<S> {
        (self.bits() & I32x8::splat(i32::MAX)).as_bits()
    }

    /// Where it is at least as large as the other.
    #[inline(always)]
    pub fn ge(self, other: F32x8<S>) -> Mask32x8<S> {
        Mask32x8(S::Eights::ge(self.0, other.0))
    }

    /// Where both are the same.
    #[inline(always)]
    pub fn equal(self, other: F32x8<S>) -> Mask32x8<S> {
        Mask32x8(S::Eights::same(self.0, other.0))
    }

    /// The largest of the lanes; any of them if one is NaN.
    #[inline(always)]
    pub fn largest(self) -> f32 {
        S::Eights::largest(self.0)
    }

    /// Where it is smaller than the other.
    #[inline(always)]
    pub fn lt(self, other: F32x8<S>) -> Mask32x8<S> {
        Mask32x8(S::Eights::lt(self.0, other.0))
    }

    /// Without what is after the point; numbers must fit 31 bits.
    #[inline(always)]
    pub fn truncated(self) -> I32x8<S> {
        I32x8(S::Eights::truncated(self.0))
    }

    /// The largest whole numbers that are no larger; numbers must fit 31 bits.
    #[inline(always)]
    pub fn floor(self) -> F32x8<S> {
        let cut = self.truncated().numbers();
        cut - F32x8::splat(1.0).only(self.lt(cut))
    }

    /// The numbers' bits.
    #[inline(always)]
    pub fn bits(self) -> I32x8<S> {
        I32x8(S::Eights::bits(self.0))
    }

    /// The numbers where the mask holds, zero elsewhere.
    #[inline(always)]
    pub fn only(self, mask: Mask32x8<S>) -> F32x8<S> {
        self.bits().only(mask).as_bits()
    }
}

impl<S: Wide> I32x8<S> {
    /// One number in all lanes.
    #[inline(always)]
    pub fn splat(x: i32) -> I32x8<S> {
        I32x8(S::Eights::splat_int(x))
    }

    /// From memory.
    #[inline(always)]
    pub fn load(x: &[i32; LANES]) -> I32x8<S> {
        I32x8(S::Eights::load_int(x))
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self) -> [i32; LANES] {
        S::Eights::store_int(self.0)
    }

    /// Numbers from these places of memory; zero where there is none.
    #[inline(always)]
    pub fn gather(from: &[i32], at: I32x8<S>) -> I32x8<S> {
        I32x8(S::Eights::gather_int(from, at.0))
    }

    /// As floating-point numbers.
    #[inline(always)]
    pub fn numbers(self) -> F32x8<S> {
        F32x8(S::Eights::numbers(self.0))
    }

    /// The numbers that have these bits.
    #[inline(always)]
    pub fn as_bits(self) -> F32x8<S> {
        F32x8(S::Eights::from_bits(self.0))
    }

    /// Bits moved to lower places; zeros come in.
    #[inline(always)]
    pub fn shifted<const PLACES: i32>(self) -> I32x8<S> {
        I32x8(S::Eights::shifted::<PLACES>(self.0))
    }

    /// Bits moved to higher places; zeros come in.
    #[inline(always)]
    pub fn raised<const PLACES: i32>(self) -> I32x8<S> {
        I32x8(S::Eights::raised::<PLACES>(self.0))
    }

    /// Where it is not negative.
    #[inline(always)]
    pub fn natural(self) -> Mask32x8<S> {
        self.gt(I32x8::splat(-1))
    }

    /// Where both are the same.
    #[inline(always)]
    pub fn equal(self, other: I32x8<S>) -> Mask32x8<S> {
        Mask32x8(S::Eights::equal(self.0, other.0))
    }

    /// Where it is larger than the other.
    #[inline(always)]
    pub fn gt(self, other: I32x8<S>) -> Mask32x8<S> {
        Mask32x8(S::Eights::gt(self.0, other.0))
    }

    /// The numbers where the mask holds, zero elsewhere.
    #[inline(always)]
    pub fn only(self, mask: Mask32x8<S>) -> I32x8<S> {
        I32x8(S::Eights::and(self.0, mask.0))
    }
}

impl<S: Wide> Mask32x8<S> {
    /// One bit per lane, the first lowest.
    #[inline(always)]
    pub fn lanes(self) -> u32 {
        S::Eights::signs(self.0)
    }

    /// `yes` where it holds, `no` elsewhere.
    #[inline(always)]
    pub fn choose(self, yes: F32x8<S>, no: F32x8<S>) -> F32x8<S> {
        self.choose_int(yes.bits(), no.bits()).as_bits()
    }

    /// `yes` where it holds, `no` elsewhere.
    #[inline(always)]
    pub fn choose_int(self, yes: I32x8<S>, no: I32x8<S>) -> I32x8<S> {
        I32x8(S::Eights::choose(self.0, yes.0, no.0))
    }
}

#[cfg(test)]
mod tests {
    use super::array::Arrays;
    use super::*;
    use crate::{Random, wide};

    /// Compares with arrays, whatever holds the numbers.
    fn agree<S: Wide>(x: [f32; 8], y: [f32; 8]) {
        let (a, b) = (F32x8::<S>::load(&x), F32x8::<S>::load(&y));
        assert_eq!((a + b).store(), Arrays::add(x, y));
        assert_eq!((a - b).store(), Arrays::sub(x, y));
        assert_eq!((a * b).store(), Arrays::mul(x, y));
        assert_eq!((a / F32x8::splat(3.0)).store(), Arrays::div(x, Arrays::splat(3.0)));
        assert_eq!(a.store(), Arrays::store(Arrays::load(&x)));
        let only = Arrays::from_bits(Arrays::and(Arrays::bits(x), Arrays::lt(x, y)));
        assert_eq!(a.only(a.lt(b)).store(), only);
        assert_eq!(a.min(b).store(), Arrays::min(x, y));
        assert_eq!(a.max(b).store(), Arrays::max(x, y));
        assert_eq!(a.abs().store(), x.map(f32::abs));
        assert_eq!(a.largest(), Arrays::largest(x));
        assert_eq!(a.equal(b).lanes(), Arrays::signs(Arrays::same(x, y)));
        assert_eq!(a.floor().store(), x.map(f32::floor));
        assert_eq!(a.ge(b).lanes(), Arrays::signs(Arrays::ge(x, y)));
        assert_eq!(a.lt(b).lanes(), Arrays::signs(Arrays::lt(x, y)));
        assert_eq!(a.bits().shifted::<9>().store(), Arrays::shifted::<9>(Arrays::bits(x)));
        assert_eq!(a.bits().raised::<9>().store(), Arrays::raised::<9>(Arrays::bits(x)));
        let (i, j) = (a.truncated(), b.truncated());
        let (k, l) = (Arrays::truncated(x), Arrays::truncated(y));
        assert_eq!(I32x8::<S>::load(&k).store(), Arrays::store_int(Arrays::load_int(&k)));
        assert_eq!(I32x8::<S>::splat(k[0]).store(), Arrays::splat_int(k[0]));
        assert_eq!((i + j).store(), Arrays::add_int(k, l));
        assert_eq!((i - j).numbers().store(), Arrays::numbers(Arrays::sub_int(k, l)));
        assert_eq!(
            (a.bits() * b.bits()).store(),
            Arrays::mul_int(Arrays::bits(x), Arrays::bits(y))
        );
        assert_eq!((i | j).store(), Arrays::or(k, l));
        assert_eq!(i.natural().lanes(), Arrays::signs(k.map(|k| -i32::from(k >= 0))));
        assert_eq!(i.equal(j).lanes(), Arrays::signs(Arrays::equal(k, l)));
        assert_eq!(i.gt(j).choose_int(i, j).store(), Arrays::choose(Arrays::gt(k, l), k, l));
        assert_eq!(a.lt(b).choose(a, b).store(), Arrays::min(x, y));
        // Some places are before the numbers, some after them.
        assert_eq!(I32x8::gather(&l[..3], i).store(), Arrays::gather_int(&l[..3], k));
        assert_eq!(F32x8::gather(&[], i).store(), [0.0; 8]);
    }

    wide! {
        fn agree_here(x: [f32; 8], y: [f32; 8]) {
            agree::<Simd>(x, y);
        }
    }

    #[test]
    fn registers_and_arrays_agree() {
        let mut random = Random(5);
        for _ in 0..200 {
            let mut eight =
                || -> [f32; 8] { std::array::from_fn(|_| (random.below(65) as f32 - 32.0) / 8.0) };
            let (x, y) = (eight(), eight());
            agree::<Four>(x, y);
            agree_here(x, y);
        }
    }
}
