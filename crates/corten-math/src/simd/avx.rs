//! Four numbers in an AVX register.

use std::arch::x86_64::{
    __m256d, _CMP_LE_OQ, _CMP_LT_OQ, _mm256_add_pd, _mm256_and_pd, _mm256_andnot_pd,
    _mm256_blendv_pd, _mm256_cmp_pd, _mm256_div_pd, _mm256_loadu_pd, _mm256_movemask_pd,
    _mm256_mul_pd, _mm256_or_pd, _mm256_permute2f128_pd, _mm256_set1_pd, _mm256_setr_pd,
    _mm256_sqrt_pd, _mm256_storeu_pd, _mm256_sub_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd,
    _mm256_xor_pd,
};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use super::avx_eights::Registers;
use crate::{Mask, Number, Wide, transpose};

/// The register. Private to the dispatch, whose argument for safety covers all of its operations.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct Register(__m256d);

#[derive(Clone, Copy, Debug)]
pub struct RegisterMask(__m256d);

/// Evaluates an expression of intrinsics.
macro_rules! avx {
    ($value:expr) => {
        // SAFETY: the intrinsics of this module touch registers and arrays of four alone. They need AVX, which the
        // dispatch has found before anything computes with a `Register`.
        unsafe { $value }
    };
}

macro_rules! operation {
    ($trait:ident $name:ident $intrinsic:ident, $assign:ident $assign_name:ident) => {
        operation!($trait $name $intrinsic);
        impl $assign for Register {
            #[inline(always)]
            fn $assign_name(&mut self, b: Register) {
                *self = self.$name(b);
            }
        }
    };
    ($trait:ident $name:ident $intrinsic:ident) => {
        impl $trait for Register {
            type Output = Register;
            #[inline(always)]
            fn $name(self, b: Register) -> Register {
                avx!(Register($intrinsic(self.0, b.0)))
            }
        }
    };
}

operation!(Add add _mm256_add_pd, AddAssign add_assign);
operation!(Sub sub _mm256_sub_pd, SubAssign sub_assign);
operation!(Mul mul _mm256_mul_pd, MulAssign mul_assign);
operation!(Div div _mm256_div_pd);

impl Neg for Register {
    type Output = Register;
    #[inline(always)]
    fn neg(self) -> Register {
        avx!(Register(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))))
    }
}

impl Default for Register {
    #[inline(always)]
    fn default() -> Register {
        Register::zeroed()
    }
}

impl PartialEq for Register {
    #[inline(always)]
    fn eq(&self, other: &Register) -> bool {
        self.store() == other.store()
    }
}

impl Mask for RegisterMask {
    #[inline(always)]
    fn any(self) -> bool {
        avx!(_mm256_movemask_pd(self.0) != 0)
    }

    #[inline(always)]
    fn all(self) -> bool {
        avx!(_mm256_movemask_pd(self.0) == 0b1111)
    }

    #[inline(always)]
    fn lane(self, k: usize) -> bool {
        avx!(_mm256_movemask_pd(self.0) >> k & 1 != 0)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        avx!(_mm256_movemask_pd(self.0) as u32)
    }

    #[inline(always)]
    fn and(self, other: RegisterMask) -> RegisterMask {
        avx!(RegisterMask(_mm256_and_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn or(self, other: RegisterMask) -> RegisterMask {
        avx!(RegisterMask(_mm256_or_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn and_not(self, other: RegisterMask) -> RegisterMask {
        avx!(RegisterMask(_mm256_andnot_pd(other.0, self.0)))
    }
}

impl Number for Register {
    const LANES: usize = 4;
    type Mask = RegisterMask;

    #[inline(always)]
    fn splat(x: f64) -> Register {
        avx!(Register(_mm256_set1_pd(x)))
    }

    #[inline(always)]
    fn from_lanes(number: impl Fn(usize) -> f64) -> Register {
        avx!(Register(_mm256_setr_pd(number(0), number(1), number(2), number(3))))
    }

    #[inline(always)]
    fn from_records(record: impl Fn(usize) -> [f64; 4]) -> [Register; 4] {
        let [a, b, c, d] = [record(0), record(1), record(2), record(3)];
        Self::transposed([Self::load(a), Self::load(b), Self::load(c), Self::load(d)])
    }

    #[inline(always)]
    fn gather<const N: usize>(from: &[[f64; N]], at: impl Fn(usize) -> usize) -> [Register; N] {
        transpose::load(from, [at(0), at(1), at(2), at(3)])
    }

    #[inline(always)]
    fn from_slice(from: &[f64]) -> Register {
        Self::load([from[0], from[1], from[2], from[3]])
    }

    #[inline(always)]
    fn put(self, to: &mut [f64]) {
        to[..4].as_chunks_mut().0[0] = self.store();
    }

    #[inline(always)]
    fn lane(self, k: usize) -> f64 {
        self.store()[k]
    }

    #[inline(always)]
    fn set_lane(&mut self, k: usize, x: f64) {
        let mut lanes = self.store();
        lanes[k] = x;
        *self = Self::load(lanes);
    }

    #[inline(always)]
    fn sqrt(self) -> Register {
        avx!(Register(_mm256_sqrt_pd(self.0)))
    }

    #[inline(always)]
    fn abs(self) -> Register {
        avx!(Register(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Register) -> RegisterMask {
        avx!(RegisterMask(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Register) -> RegisterMask {
        avx!(RegisterMask(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: RegisterMask, yes: Register, no: Register) -> Register {
        avx!(Register(_mm256_blendv_pd(no.0, yes.0, mask.0)))
    }
}

impl Wide for Register {
    type Eights = Registers;

    #[inline(always)]
    fn load(x: [f64; 4]) -> Register {
        avx!(Register(_mm256_loadu_pd(x.as_ptr())))
    }

    #[inline(always)]
    fn store(self) -> [f64; 4] {
        let mut x = [0.0; 4];
        avx!(_mm256_storeu_pd(x.as_mut_ptr(), self.0));
        x
    }

    #[inline(always)]
    fn transposed([a, b, c, d]: [Register; 4]) -> [Register; 4] {
        avx!({
            let (even, odd) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
            let (even2, odd2) = (_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0));
            [
                Register(_mm256_permute2f128_pd::<0x20>(even, even2)),
                Register(_mm256_permute2f128_pd::<0x20>(odd, odd2)),
                Register(_mm256_permute2f128_pd::<0x31>(even, even2)),
                Register(_mm256_permute2f128_pd::<0x31>(odd, odd2)),
            ]
        })
    }
}
