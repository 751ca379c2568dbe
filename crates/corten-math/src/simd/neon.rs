//! Four numbers in two NEON registers, which every AArch64 has.

use std::arch::aarch64::{
    float64x2_t, uint64x2_t, vabsq_f64, vaddq_f64, vandq_u64, vbicq_u64, vbslq_f64, vcleq_f64,
    vcltq_f64, vdivq_f64, vdupq_n_f64, vgetq_lane_u64, vmulq_f64, vnegq_f64, vorrq_u64, vsqrtq_f64,
    vsubq_f64, vtrn1q_f64, vtrn2q_f64,
};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use crate::{Mask, Number, Wide, transpose};

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Register([float64x2_t; 2]);

#[derive(Clone, Copy, Debug)]
pub struct RegisterMask([uint64x2_t; 2]);

/// Evaluates an expression of intrinsics.
macro_rules! neon {
    ($value:expr) => {
        // SAFETY: the intrinsics of this module touch registers alone and need nothing but NEON,
        // which is part of AArch64.
        #[allow(unused_unsafe)]
        unsafe {
            $value
        }
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
                neon!(Register([$intrinsic(self.0[0], b.0[0]), $intrinsic(self.0[1], b.0[1])]))
            }
        }
    };
}

operation!(Add add vaddq_f64, AddAssign add_assign);
operation!(Sub sub vsubq_f64, SubAssign sub_assign);
operation!(Mul mul vmulq_f64, MulAssign mul_assign);
operation!(Div div vdivq_f64);

impl Neg for Register {
    type Output = Register;
    #[inline(always)]
    fn neg(self) -> Register {
        neon!(Register([vnegq_f64(self.0[0]), vnegq_f64(self.0[1])]))
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

impl RegisterMask {
    #[inline(always)]
    fn lanes(self) -> [u64; 4] {
        let [low, high] = self.0;
        neon!([
            vgetq_lane_u64::<0>(low),
            vgetq_lane_u64::<1>(low),
            vgetq_lane_u64::<0>(high),
            vgetq_lane_u64::<1>(high),
        ])
    }
}

impl Mask for RegisterMask {
    #[inline(always)]
    fn any(self) -> bool {
        let [a, b, c, d] = self.lanes();
        a | b | c | d != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        let [a, b, c, d] = self.lanes();
        a & b & c & d != 0
    }

    #[inline(always)]
    fn lane(self, k: usize) -> bool {
        self.lanes()[k] != 0
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        let [a, b, c, d] = self.lanes();
        (a & 1 | b & 2 | c & 4 | d & 8) as u32
    }

    #[inline(always)]
    fn and(self, other: RegisterMask) -> RegisterMask {
        neon!(RegisterMask([vandq_u64(self.0[0], other.0[0]), vandq_u64(self.0[1], other.0[1])]))
    }

    #[inline(always)]
    fn or(self, other: RegisterMask) -> RegisterMask {
        neon!(RegisterMask([vorrq_u64(self.0[0], other.0[0]), vorrq_u64(self.0[1], other.0[1])]))
    }

    #[inline(always)]
    fn and_not(self, other: RegisterMask) -> RegisterMask {
        neon!(RegisterMask([vbicq_u64(self.0[0], other.0[0]), vbicq_u64(self.0[1], other.0[1])]))
    }
}

impl Number for Register {
    const LANES: usize = 4;
    type Mask = RegisterMask;

    #[inline(always)]
    fn splat(x: f64) -> Register {
        neon!(Register([vdupq_n_f64(x); 2]))
    }

    #[inline(always)]
    fn from_lanes(number: impl Fn(usize) -> f64) -> Register {
        Self::load([number(0), number(1), number(2), number(3)])
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
        neon!(Register([vsqrtq_f64(self.0[0]), vsqrtq_f64(self.0[1])]))
    }

    #[inline(always)]
    fn abs(self) -> Register {
        neon!(Register([vabsq_f64(self.0[0]), vabsq_f64(self.0[1])]))
    }

    #[inline(always)]
    fn lt(self, other: Register) -> RegisterMask {
        neon!(RegisterMask([vcltq_f64(self.0[0], other.0[0]), vcltq_f64(self.0[1], other.0[1])]))
    }

    #[inline(always)]
    fn le(self, other: Register) -> RegisterMask {
        neon!(RegisterMask([vcleq_f64(self.0[0], other.0[0]), vcleq_f64(self.0[1], other.0[1])]))
    }

    #[inline(always)]
    fn select(mask: RegisterMask, yes: Register, no: Register) -> Register {
        let ([low, high], [yes, yes2], [no, no2]) = (mask.0, yes.0, no.0);
        neon!(Register([vbslq_f64(low, yes, no), vbslq_f64(high, yes2, no2)]))
    }
}

impl Wide for Register {
    type Eights = crate::eights::Baseline;

    #[inline(always)]
    fn load(x: [f64; 4]) -> Register {
        bytemuck::cast(x)
    }

    #[inline(always)]
    fn store(self) -> [f64; 4] {
        bytemuck::cast(self)
    }

    #[inline(always)]
    fn transposed([a, b, c, d]: [Register; 4]) -> [Register; 4] {
        let ([a, a2], [b, b2], [c, c2], [d, d2]) = (a.0, b.0, c.0, d.0);
        neon!([
            Register([vtrn1q_f64(a, b), vtrn1q_f64(c, d)]),
            Register([vtrn2q_f64(a, b), vtrn2q_f64(c, d)]),
            Register([vtrn1q_f64(a2, b2), vtrn1q_f64(c2, d2)]),
            Register([vtrn2q_f64(a2, b2), vtrn2q_f64(c2, d2)]),
        ])
    }
}
