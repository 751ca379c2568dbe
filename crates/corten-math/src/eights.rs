//! Eight at once: single-precision numbers, whole numbers, and truth values.
//!
//! Two SSE registers each, which every x86-64 has; arrays elsewhere. Each operation rounds once, so
//! that both give the same bits.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Sub};

#[cfg(not(target_arch = "x86_64"))]
use array as imp;
#[cfg(target_arch = "x86_64")]
use sse as imp;

const LANES: usize = 8;

/// Eight numbers.
#[derive(Clone, Copy, Debug)]
pub struct F32x8(imp::Floats);

/// Eight whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct I32x8(imp::Ints);

/// Eight truth values: all bits of a lane are set, or none.
#[derive(Clone, Copy, Debug)]
pub struct Mask32x8(imp::Ints);

macro_rules! operations {
    ($($type:ident $trait:ident $name:ident $call:path;)*) => {$(
        impl $trait for $type {
            type Output = $type;
            #[inline(always)]
            fn $name(self, other: $type) -> $type {
                $type($call(self.0, other.0))
            }
        }
    )*};
}

operations! {
    F32x8 Add add imp::add;
    F32x8 Sub sub imp::sub;
    F32x8 Mul mul imp::mul;
    F32x8 Div div imp::div;
    I32x8 Add add imp::add_int;
    I32x8 Sub sub imp::sub_int;
    I32x8 BitAnd bitand imp::and;
    I32x8 BitOr bitor imp::or;
    Mask32x8 BitAnd bitand imp::and;
    Mask32x8 BitOr bitor imp::or;
}

impl F32x8 {
    /// Numbers side by side.
    pub const LANES: usize = LANES;

    /// One number in all lanes.
    #[inline(always)]
    pub fn splat(x: f32) -> F32x8 {
        F32x8(imp::splat(x))
    }

    /// From memory.
    #[inline(always)]
    pub fn load(x: &[f32; LANES]) -> F32x8 {
        F32x8(imp::load(x))
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self) -> [f32; LANES] {
        imp::store(self.0)
    }

    /// Zero to seven.
    #[inline(always)]
    pub fn count() -> F32x8 {
        F32x8::load(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    }

    /// The smaller; `other` where one is NaN.
    #[inline(always)]
    pub fn min(self, other: F32x8) -> F32x8 {
        F32x8(imp::min(self.0, other.0))
    }

    /// The larger; `other` where one is NaN.
    #[inline(always)]
    pub fn max(self, other: F32x8) -> F32x8 {
        F32x8(imp::max(self.0, other.0))
    }

    /// Within zero and one; zero where it is NaN.
    #[inline(always)]
    pub fn unit(self) -> F32x8 {
        self.max(F32x8::splat(0.0)).min(F32x8::splat(1.0))
    }

    /// Magnitudes.
    #[inline(always)]
    pub fn abs(self) -> F32x8 {
        F32x8(imp::abs(self.0))
    }

    /// Where it is at least as large as the other.
    #[inline(always)]
    pub fn ge(self, other: F32x8) -> Mask32x8 {
        Mask32x8(imp::ge(self.0, other.0))
    }

    /// Where both are the same.
    #[inline(always)]
    pub fn equal(self, other: F32x8) -> Mask32x8 {
        Mask32x8(imp::same(self.0, other.0))
    }

    /// The largest of the lanes; any of them if one is NaN.
    #[inline(always)]
    pub fn largest(self) -> f32 {
        imp::largest(self.0)
    }

    /// Where it is smaller than the other.
    #[inline(always)]
    pub fn lt(self, other: F32x8) -> Mask32x8 {
        Mask32x8(imp::lt(self.0, other.0))
    }

    /// Without what is after the point; numbers must fit 31 bits.
    #[inline(always)]
    pub fn truncated(self) -> I32x8 {
        I32x8(imp::truncated(self.0))
    }

    /// The largest whole numbers that are no larger; numbers must fit 31 bits.
    #[inline(always)]
    pub fn floor(self) -> F32x8 {
        let cut = self.truncated().numbers();
        cut - F32x8::splat(1.0).only(self.lt(cut))
    }

    /// The numbers' bits.
    #[inline(always)]
    pub fn bits(self) -> I32x8 {
        I32x8(imp::bits(self.0))
    }

    /// The numbers where the mask holds, zero elsewhere.
    #[inline(always)]
    pub fn only(self, mask: Mask32x8) -> F32x8 {
        F32x8(imp::from_bits(imp::and(imp::bits(self.0), mask.0)))
    }
}

impl I32x8 {
    /// One number in all lanes.
    #[inline(always)]
    pub fn splat(x: i32) -> I32x8 {
        I32x8(imp::splat_int(x))
    }

    /// From memory.
    #[inline(always)]
    pub fn load(x: &[i32; LANES]) -> I32x8 {
        I32x8(imp::load_int(x))
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self) -> [i32; LANES] {
        imp::store_int(self.0)
    }

    /// As floating-point numbers.
    #[inline(always)]
    pub fn numbers(self) -> F32x8 {
        F32x8(imp::numbers(self.0))
    }

    /// The numbers that have these bits.
    #[inline(always)]
    pub fn as_bits(self) -> F32x8 {
        F32x8(imp::from_bits(self.0))
    }

    /// Bits moved to lower places; zeros come in.
    #[inline(always)]
    pub fn shifted<const PLACES: i32>(self) -> I32x8 {
        I32x8(imp::shifted::<PLACES>(self.0))
    }

    /// Where it is not negative.
    #[inline(always)]
    pub fn natural(self) -> Mask32x8 {
        Mask32x8(imp::natural(self.0))
    }

    /// Where both are the same.
    #[inline(always)]
    pub fn equal(self, other: I32x8) -> Mask32x8 {
        Mask32x8(imp::equal(self.0, other.0))
    }

    /// Where it is larger than the other.
    #[inline(always)]
    pub fn gt(self, other: I32x8) -> Mask32x8 {
        Mask32x8(imp::gt(self.0, other.0))
    }

    /// The numbers where the mask holds, zero elsewhere.
    #[inline(always)]
    pub fn only(self, mask: Mask32x8) -> I32x8 {
        I32x8(imp::and(self.0, mask.0))
    }
}

impl Mask32x8 {
    /// One bit per lane, the first lowest.
    #[inline(always)]
    pub fn lanes(self) -> u32 {
        imp::signs(self.0)
    }

    /// `yes` where it holds, `no` elsewhere.
    #[inline(always)]
    pub fn choose(self, yes: F32x8, no: F32x8) -> F32x8 {
        F32x8(imp::from_bits(imp::choose(self.0, imp::bits(yes.0), imp::bits(no.0))))
    }

    /// `yes` where it holds, `no` elsewhere.
    #[inline(always)]
    pub fn choose_int(self, yes: I32x8, no: I32x8) -> I32x8 {
        I32x8(imp::choose(self.0, yes.0, no.0))
    }
}

#[cfg(target_arch = "x86_64")]
mod sse {
    use std::arch::x86_64::{
        __m128, __m128i, _mm_add_epi32, _mm_add_ps, _mm_and_si128, _mm_andnot_si128,
        _mm_castps_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_cmpeq_ps, _mm_cmpge_ps,
        _mm_cmpgt_epi32, _mm_cmplt_ps, _mm_cvtepi32_ps, _mm_cvtss_f32, _mm_cvttps_epi32,
        _mm_div_ps, _mm_max_ps, _mm_max_ss, _mm_min_ps, _mm_movehl_ps, _mm_movemask_ps, _mm_mul_ps,
        _mm_or_si128, _mm_set_epi32, _mm_set_ps, _mm_set1_epi32, _mm_set1_ps, _mm_shuffle_ps,
        _mm_srli_epi32, _mm_sub_epi32, _mm_sub_ps,
    };

    pub(super) type Floats = [__m128; 2];
    pub(super) type Ints = [__m128i; 2];

    /// Evaluates an expression of intrinsics.
    macro_rules! sse {
        ($value:expr) => {
            // SAFETY: the intrinsics of this module touch registers alone and need nothing but
            // SSE2, which is part of x86-64.
            unsafe { $value }
        };
    }

    macro_rules! lanewise {
        ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $call:path })*) => {$(
            #[inline(always)]
            pub(super) fn $name($($argument: $type),*) -> $result {
                sse!([$call($($argument[0]),*), $call($($argument[1]),*)])
            }
        )*};
    }

    lanewise! {
        add(a: Floats, b: Floats) -> Floats { _mm_add_ps }
        sub(a: Floats, b: Floats) -> Floats { _mm_sub_ps }
        mul(a: Floats, b: Floats) -> Floats { _mm_mul_ps }
        div(a: Floats, b: Floats) -> Floats { _mm_div_ps }
        min(a: Floats, b: Floats) -> Floats { _mm_min_ps }
        max(a: Floats, b: Floats) -> Floats { _mm_max_ps }
        truncated(a: Floats) -> Ints { _mm_cvttps_epi32 }
        numbers(a: Ints) -> Floats { _mm_cvtepi32_ps }
        bits(a: Floats) -> Ints { _mm_castps_si128 }
        from_bits(a: Ints) -> Floats { _mm_castsi128_ps }
        add_int(a: Ints, b: Ints) -> Ints { _mm_add_epi32 }
        sub_int(a: Ints, b: Ints) -> Ints { _mm_sub_epi32 }
        and(a: Ints, b: Ints) -> Ints { _mm_and_si128 }
        or(a: Ints, b: Ints) -> Ints { _mm_or_si128 }
        equal(a: Ints, b: Ints) -> Ints { _mm_cmpeq_epi32 }
        gt(a: Ints, b: Ints) -> Ints { _mm_cmpgt_epi32 }
    }

    #[inline(always)]
    pub(super) fn ge(a: Floats, b: Floats) -> Ints {
        sse!(bits([_mm_cmpge_ps(a[0], b[0]), _mm_cmpge_ps(a[1], b[1])]))
    }

    #[inline(always)]
    pub(super) fn same(a: Floats, b: Floats) -> Ints {
        sse!(bits([_mm_cmpeq_ps(a[0], b[0]), _mm_cmpeq_ps(a[1], b[1])]))
    }

    #[inline(always)]
    pub(super) fn largest([low, high]: Floats) -> f32 {
        sse!({
            let four = _mm_max_ps(low, high);
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
        })
    }

    #[inline(always)]
    pub(super) fn lt(a: Floats, b: Floats) -> Ints {
        sse!(bits([_mm_cmplt_ps(a[0], b[0]), _mm_cmplt_ps(a[1], b[1])]))
    }

    #[inline(always)]
    pub(super) fn abs(a: Floats) -> Floats {
        from_bits(and(bits(a), splat_int(i32::MAX)))
    }

    #[inline(always)]
    pub(super) fn natural(a: Ints) -> Ints {
        gt(a, splat_int(-1))
    }

    #[inline(always)]
    pub(super) fn choose(mask: Ints, yes: Ints, no: Ints) -> Ints {
        let one = |k: usize| {
            sse!(_mm_or_si128(_mm_and_si128(mask[k], yes[k]), _mm_andnot_si128(mask[k], no[k])))
        };
        [one(0), one(1)]
    }

    #[inline(always)]
    pub(super) fn shifted<const PLACES: i32>(a: Ints) -> Ints {
        sse!([_mm_srli_epi32::<PLACES>(a[0]), _mm_srli_epi32::<PLACES>(a[1])])
    }

    #[inline(always)]
    pub(super) fn signs(a: Ints) -> u32 {
        let [low, high] = from_bits(a);
        sse!((_mm_movemask_ps(low) | _mm_movemask_ps(high) << 4) as u32)
    }

    #[inline(always)]
    pub(super) fn splat(x: f32) -> Floats {
        sse!([_mm_set1_ps(x); 2])
    }

    #[inline(always)]
    pub(super) fn splat_int(x: i32) -> Ints {
        sse!([_mm_set1_epi32(x); 2])
    }

    #[inline(always)]
    pub(super) fn load(x: &[f32; 8]) -> Floats {
        let [a, b, c, d, e, f, g, h] = *x;
        sse!([_mm_set_ps(d, c, b, a), _mm_set_ps(h, g, f, e)])
    }

    #[inline(always)]
    pub(super) fn load_int(x: &[i32; 8]) -> Ints {
        let [a, b, c, d, e, f, g, h] = *x;
        sse!([_mm_set_epi32(d, c, b, a), _mm_set_epi32(h, g, f, e)])
    }

    #[inline(always)]
    pub(super) fn store(a: Floats) -> [f32; 8] {
        bytemuck::cast(a)
    }

    #[inline(always)]
    pub(super) fn store_int(a: Ints) -> [i32; 8] {
        bytemuck::cast(a)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod array {
    pub(super) type Floats = [f32; 8];
    pub(super) type Ints = [i32; 8];

    macro_rules! lanewise {
        ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $value:expr })*) => {$(
            #[inline(always)]
            pub(super) fn $name($($argument: $type),*) -> $result {
                let mut out = <$result>::default();
                for k in 0..8 {
                    $(let $argument = $argument[k];)*
                    out[k] = $value;
                }
                out
            }
        )*};
    }

    lanewise! {
        add(a: Floats, b: Floats) -> Floats { a + b }
        sub(a: Floats, b: Floats) -> Floats { a - b }
        mul(a: Floats, b: Floats) -> Floats { a * b }
        div(a: Floats, b: Floats) -> Floats { a / b }
        min(a: Floats, b: Floats) -> Floats { if a < b { a } else { b } }
        max(a: Floats, b: Floats) -> Floats { if a > b { a } else { b } }
        abs(a: Floats) -> Floats { a.abs() }
        truncated(a: Floats) -> Ints { a as i32 }
        numbers(a: Ints) -> Floats { a as f32 }
        bits(a: Floats) -> Ints { a.to_bits() as i32 }
        from_bits(a: Ints) -> Floats { f32::from_bits(a as u32) }
        add_int(a: Ints, b: Ints) -> Ints { a.wrapping_add(b) }
        sub_int(a: Ints, b: Ints) -> Ints { a.wrapping_sub(b) }
        and(a: Ints, b: Ints) -> Ints { a & b }
        or(a: Ints, b: Ints) -> Ints { a | b }
        equal(a: Ints, b: Ints) -> Ints { -i32::from(a == b) }
        gt(a: Ints, b: Ints) -> Ints { -i32::from(a > b) }
        ge(a: Floats, b: Floats) -> Ints { -i32::from(a >= b) }
        lt(a: Floats, b: Floats) -> Ints { -i32::from(a < b) }
        same(a: Floats, b: Floats) -> Ints { -i32::from(a == b) }
        natural(a: Ints) -> Ints { -i32::from(a >= 0) }
        choose(mask: Ints, yes: Ints, no: Ints) -> Ints { mask & yes | !mask & no }
    }

    #[inline(always)]
    pub(super) fn shifted<const PLACES: i32>(a: Ints) -> Ints {
        a.map(|a| (a as u32 >> PLACES) as i32)
    }

    #[inline(always)]
    pub(super) fn signs(a: Ints) -> u32 {
        (0..8).fold(0, |bits, k| bits | (a[k] as u32 >> 31) << k)
    }

    #[inline(always)]
    pub(super) fn largest(a: Floats) -> f32 {
        a.into_iter().fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub(super) fn splat(x: f32) -> Floats {
        [x; 8]
    }

    #[inline(always)]
    pub(super) fn splat_int(x: i32) -> Ints {
        [x; 8]
    }

    #[inline(always)]
    pub(super) fn load(x: &[f32; 8]) -> Floats {
        *x
    }

    #[inline(always)]
    pub(super) fn load_int(x: &[i32; 8]) -> Ints {
        *x
    }

    #[inline(always)]
    pub(super) fn store(a: Floats) -> [f32; 8] {
        a
    }

    #[inline(always)]
    pub(super) fn store_int(a: Ints) -> [i32; 8] {
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn registers_and_arrays_agree() {
        let mut random = Random(5);
        for _ in 0..200 {
            let mut eight =
                || -> [f32; 8] { std::array::from_fn(|_| (random.below(65) as f32 - 32.0) / 8.0) };
            let (x, y) = (eight(), eight());
            let (a, b) = (F32x8::load(&x), F32x8::load(&y));
            assert_eq!((a + b).store(), array::add(x, y));
            assert_eq!((a - b).store(), array::sub(x, y));
            assert_eq!((a * b).store(), array::mul(x, y));
            assert_eq!((a / F32x8::splat(3.0)).store(), array::div(x, array::splat(3.0)));
            assert_eq!(a.store(), array::store(array::load(&x)));
            let only = array::from_bits(array::and(array::bits(x), array::lt(x, y)));
            assert_eq!(a.only(a.lt(b)).store(), only);
            assert_eq!(a.min(b).store(), array::min(x, y));
            assert_eq!(a.max(b).store(), array::max(x, y));
            assert_eq!(a.abs().store(), array::abs(x));
            assert_eq!(a.largest(), array::largest(x));
            assert_eq!(a.equal(b).lanes(), array::signs(array::same(x, y)));
            assert_eq!(a.floor().store(), x.map(f32::floor));
            assert_eq!(a.ge(b).lanes(), array::signs(array::ge(x, y)));
            assert_eq!(a.lt(b).lanes(), array::signs(array::lt(x, y)));
            assert_eq!(a.bits().shifted::<9>().store(), array::shifted::<9>(array::bits(x)));
            let (i, j) = (a.truncated(), b.truncated());
            let (k, l) = (array::truncated(x), array::truncated(y));
            assert_eq!(I32x8::load(&k).store(), array::store_int(array::load_int(&k)));
            assert_eq!(I32x8::splat(k[0]).store(), array::splat_int(k[0]));
            assert_eq!((i + j).store(), array::add_int(k, l));
            assert_eq!((i - j).numbers().store(), array::numbers(array::sub_int(k, l)));
            assert_eq!((i | j).store(), array::or(k, l));
            assert_eq!(i.natural().lanes(), array::signs(array::natural(k)));
            assert_eq!(i.equal(j).lanes(), array::signs(array::equal(k, l)));
            assert_eq!(i.gt(j).choose_int(i, j).store(), array::choose(array::gt(k, l), k, l));
            assert_eq!(a.lt(b).choose(a, b).store(), array::min(x, y));
        }
    }
}
