//! Eight numbers in two SSE registers, which every x86-64 has.

use std::arch::x86_64::{
    __m128, __m128i, _mm_add_epi32, _mm_add_ps, _mm_and_si128, _mm_andnot_si128, _mm_castps_si128,
    _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_cmpeq_ps, _mm_cmpge_ps, _mm_cmpgt_epi32, _mm_cmplt_ps,
    _mm_cvtepi32_ps, _mm_cvtss_f32, _mm_cvttps_epi32, _mm_div_ps, _mm_max_ps, _mm_max_ss,
    _mm_min_ps, _mm_movehl_ps, _mm_movemask_ps, _mm_mul_epu32, _mm_mul_ps, _mm_or_si128,
    _mm_set_epi32, _mm_set_ps, _mm_set1_epi32, _mm_set1_ps, _mm_shuffle_epi32, _mm_shuffle_ps,
    _mm_slli_epi32, _mm_srli_epi32, _mm_srli_epi64, _mm_sub_epi32, _mm_sub_ps, _mm_unpacklo_epi32,
};

use super::Eights;

#[derive(Clone, Copy, Debug)]
pub struct Pairs;

/// Evaluates an expression of intrinsics.
macro_rules! sse {
    ($value:expr) => {
        // SAFETY: the intrinsics of this module touch registers alone and need nothing but SSE2,
        // which is part of x86-64.
        unsafe { $value }
    };
}

macro_rules! lanewise {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $call:path })*) => {$(
        #[inline(always)]
        fn $name($($argument: $type),*) -> $result {
            sse!([$call($($argument[0]),*), $call($($argument[1]),*)])
        }
    )*};
}

type Floats = [__m128; 2];
type Ints = [__m128i; 2];

impl Eights for Pairs {
    type Floats = Floats;
    type Ints = Ints;

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
    fn mul_int(a: Ints, b: Ints) -> Ints {
        // The low halves of the products of even and of odd lanes.
        let one = |a: __m128i, b: __m128i| {
            sse!({
                let even = _mm_mul_epu32(a, b);
                let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
                let low = |two| _mm_shuffle_epi32::<0b00_00_10_00>(two);
                _mm_unpacklo_epi32(low(even), low(odd))
            })
        };
        [one(a[0], b[0]), one(a[1], b[1])]
    }

    #[inline(always)]
    fn ge(a: Floats, b: Floats) -> Ints {
        sse!(Self::bits([_mm_cmpge_ps(a[0], b[0]), _mm_cmpge_ps(a[1], b[1])]))
    }

    #[inline(always)]
    fn lt(a: Floats, b: Floats) -> Ints {
        sse!(Self::bits([_mm_cmplt_ps(a[0], b[0]), _mm_cmplt_ps(a[1], b[1])]))
    }

    #[inline(always)]
    fn same(a: Floats, b: Floats) -> Ints {
        sse!(Self::bits([_mm_cmpeq_ps(a[0], b[0]), _mm_cmpeq_ps(a[1], b[1])]))
    }

    #[inline(always)]
    fn largest([low, high]: Floats) -> f32 {
        sse!({
            let four = _mm_max_ps(low, high);
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
        })
    }

    #[inline(always)]
    fn choose(mask: Ints, yes: Ints, no: Ints) -> Ints {
        let one = |k: usize| {
            sse!(_mm_or_si128(_mm_and_si128(mask[k], yes[k]), _mm_andnot_si128(mask[k], no[k])))
        };
        [one(0), one(1)]
    }

    #[inline(always)]
    fn shifted<const PLACES: i32>(a: Ints) -> Ints {
        sse!([_mm_srli_epi32::<PLACES>(a[0]), _mm_srli_epi32::<PLACES>(a[1])])
    }

    #[inline(always)]
    fn raised<const PLACES: i32>(a: Ints) -> Ints {
        sse!([_mm_slli_epi32::<PLACES>(a[0]), _mm_slli_epi32::<PLACES>(a[1])])
    }

    #[inline(always)]
    fn signs(a: Ints) -> u32 {
        let [low, high] = Self::from_bits(a);
        sse!((_mm_movemask_ps(low) | _mm_movemask_ps(high) << 4) as u32)
    }

    #[inline(always)]
    fn splat(x: f32) -> Floats {
        sse!([_mm_set1_ps(x); 2])
    }

    #[inline(always)]
    fn splat_int(x: i32) -> Ints {
        sse!([_mm_set1_epi32(x); 2])
    }

    #[inline(always)]
    fn load(x: &[f32; 8]) -> Floats {
        let [a, b, c, d, e, f, g, h] = *x;
        sse!([_mm_set_ps(d, c, b, a), _mm_set_ps(h, g, f, e)])
    }

    #[inline(always)]
    fn load_int(x: &[i32; 8]) -> Ints {
        let [a, b, c, d, e, f, g, h] = *x;
        sse!([_mm_set_epi32(d, c, b, a), _mm_set_epi32(h, g, f, e)])
    }

    #[inline(always)]
    fn store(a: Floats) -> [f32; 8] {
        bytemuck::cast(a)
    }

    #[inline(always)]
    fn store_int(a: Ints) -> [i32; 8] {
        bytemuck::cast(a)
    }
}
