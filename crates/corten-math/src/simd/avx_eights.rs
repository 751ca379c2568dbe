//! Eight numbers in an AVX register.

use std::arch::x86_64::{
    __m256, __m256i, _CMP_EQ_OQ, _CMP_GE_OQ, _CMP_LT_OQ, _mm_cvtss_f32, _mm_max_ps, _mm_max_ss,
    _mm_movehl_ps, _mm_shuffle_ps, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256,
    _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castps256_ps128, _mm256_castsi256_ps,
    _mm256_cmp_ps, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32, _mm256_cvtepi32_ps, _mm256_cvttps_epi32,
    _mm256_div_ps, _mm256_extractf128_ps, _mm256_loadu_ps, _mm256_mask_i32gather_epi32,
    _mm256_max_ps, _mm256_min_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_mullo_epi32,
    _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_si256, _mm256_slli_epi32,
    _mm256_srli_epi32, _mm256_sub_epi32, _mm256_sub_ps,
};

use crate::eights::Eights;

/// Private to the dispatch, whose argument for safety covers all of its operations.
#[derive(Clone, Copy, Debug)]
pub struct Registers;

/// Evaluates an expression of intrinsics.
macro_rules! avx {
    ($value:expr) => {
        // SAFETY: the intrinsics of this module touch registers and arrays of eight alone, but for the
        // gathering one, which says why. They need AVX2, which the dispatch has found before anything
        // computes with a `Register`.
        unsafe { $value }
    };
}

macro_rules! operations {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $value:expr })*) => {$(
        #[inline(always)]
        fn $name($($argument: $type),*) -> $result {
            avx!($value)
        }
    )*};
}

impl Eights for Registers {
    type Floats = __m256;
    type Ints = __m256i;

    operations! {
        splat(x: f32) -> __m256 { _mm256_set1_ps(x) }
        load(x: &[f32; 8]) -> __m256 { _mm256_loadu_ps(x.as_ptr()) }
        add(a: __m256, b: __m256) -> __m256 { _mm256_add_ps(a, b) }
        sub(a: __m256, b: __m256) -> __m256 { _mm256_sub_ps(a, b) }
        mul(a: __m256, b: __m256) -> __m256 { _mm256_mul_ps(a, b) }
        div(a: __m256, b: __m256) -> __m256 { _mm256_div_ps(a, b) }
        min(a: __m256, b: __m256) -> __m256 { _mm256_min_ps(a, b) }
        max(a: __m256, b: __m256) -> __m256 { _mm256_max_ps(a, b) }
        ge(a: __m256, b: __m256) -> __m256i { _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GE_OQ>(a, b)) }
        lt(a: __m256, b: __m256) -> __m256i { _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) }
        same(a: __m256, b: __m256) -> __m256i { _mm256_castps_si256(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) }
        truncated(a: __m256) -> __m256i { _mm256_cvttps_epi32(a) }
        numbers(a: __m256i) -> __m256 { _mm256_cvtepi32_ps(a) }
        bits(a: __m256) -> __m256i { _mm256_castps_si256(a) }
        from_bits(a: __m256i) -> __m256 { _mm256_castsi256_ps(a) }
        splat_int(x: i32) -> __m256i { _mm256_set1_epi32(x) }
        add_int(a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
        sub_int(a: __m256i, b: __m256i) -> __m256i { _mm256_sub_epi32(a, b) }
        mul_int(a: __m256i, b: __m256i) -> __m256i { _mm256_mullo_epi32(a, b) }
        and(a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
        or(a: __m256i, b: __m256i) -> __m256i { _mm256_or_si256(a, b) }
        equal(a: __m256i, b: __m256i) -> __m256i { _mm256_cmpeq_epi32(a, b) }
        gt(a: __m256i, b: __m256i) -> __m256i { _mm256_cmpgt_epi32(a, b) }
        choose(mask: __m256i, yes: __m256i, no: __m256i) -> __m256i { _mm256_blendv_epi8(no, yes, mask) }
        signs(a: __m256i) -> u32 { _mm256_movemask_ps(_mm256_castsi256_ps(a)) as u32 }
        largest(a: __m256) -> f32 {{
            let four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }}
    }

    #[inline(always)]
    fn shifted<const PLACES: i32>(a: __m256i) -> __m256i {
        avx!(_mm256_srli_epi32::<PLACES>(a))
    }

    #[inline(always)]
    fn raised<const PLACES: i32>(a: __m256i) -> __m256i {
        avx!(_mm256_slli_epi32::<PLACES>(a))
    }

    #[inline(always)]
    fn store(a: __m256) -> [f32; 8] {
        bytemuck::cast(a)
    }

    #[inline(always)]
    fn load_int(x: &[i32; 8]) -> __m256i {
        bytemuck::cast(*x)
    }

    #[inline(always)]
    fn store_int(a: __m256i) -> [i32; 8] {
        bytemuck::cast(a)
    }

    #[inline(always)]
    fn gather_int(from: &[i32], at: __m256i) -> __m256i {
        let length = Self::splat_int(i32::try_from(from.len()).unwrap_or(i32::MAX));
        let inside = Self::and(Self::gt(length, at), Self::gt(at, Self::splat_int(-1)));
        // SAFETY: lanes whose mask is zero touch no memory, and the places of the others are those of
        // elements: not negative, and smaller than the length.
        unsafe {
            let none = _mm256_setzero_si256();
            _mm256_mask_i32gather_epi32::<4>(none, from.as_ptr(), at, inside)
        }
    }
}
