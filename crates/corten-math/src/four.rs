use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::array::MapInline;
use bytemuck::{Pod, Zeroable};

use crate::{Mask, Number, Wide, transpose};

/// Four numbers as they are stored, with arithmetic for any processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Four(pub [f64; 4]);

/// The [`Mask`] of [`Four`].
#[derive(Clone, Copy, Debug)]
pub struct FourMask([bool; 4]);

macro_rules! operation {
    ($trait:ident $name:ident, $assign:ident $assign_name:ident) => {
        operation!($trait $name);
        impl $assign for Four {
            #[inline(always)]
            fn $assign_name(&mut self, b: Four) {
                *self = self.$name(b);
            }
        }
    };
    ($trait:ident $name:ident) => {
        impl $trait for Four {
            type Output = Four;
            #[inline(always)]
            fn $name(self, b: Four) -> Four {
                let ([a, b, c, d], [e, f, g, h]) = (self.0, b.0);
                Four([a.$name(e), b.$name(f), c.$name(g), d.$name(h)])
            }
        }
    };
}

operation!(Add add, AddAssign add_assign);
operation!(Sub sub, SubAssign sub_assign);
operation!(Mul mul, MulAssign mul_assign);
operation!(Div div);

impl Neg for Four {
    type Output = Four;
    #[inline(always)]
    fn neg(self) -> Four {
        let [a, b, c, d] = self.0;
        Four([-a, -b, -c, -d])
    }
}

impl FourMask {
    #[inline(always)]
    fn both(self, other: FourMask, both: impl Fn(bool, bool) -> bool) -> FourMask {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        FourMask([both(a, e), both(b, f), both(c, g), both(d, h)])
    }
}

impl Mask for FourMask {
    #[inline(always)]
    fn any(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d
    }

    #[inline(always)]
    fn all(self) -> bool {
        let [a, b, c, d] = self.0;
        a & b & c & d
    }

    #[inline(always)]
    fn lane(self, k: usize) -> bool {
        self.0[k]
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        let [a, b, c, d] = self.0.map_inline(u32::from);
        a | b << 1 | c << 2 | d << 3
    }

    #[inline(always)]
    fn and(self, other: FourMask) -> FourMask {
        self.both(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: FourMask) -> FourMask {
        self.both(other, |a, b| a | b)
    }

    #[inline(always)]
    fn and_not(self, other: FourMask) -> FourMask {
        self.both(other, |a, b| a & !b)
    }
}

impl Number for Four {
    const LANES: usize = 4;
    type Mask = FourMask;

    #[inline(always)]
    fn splat(x: f64) -> Four {
        Four([x; 4])
    }

    #[inline(always)]
    fn from_lanes(number: impl Fn(usize) -> f64) -> Four {
        Four([number(0), number(1), number(2), number(3)])
    }

    #[inline(always)]
    fn from_records(record: impl Fn(usize) -> [f64; 4]) -> [Four; 4] {
        Four::transposed([Four(record(0)), Four(record(1)), Four(record(2)), Four(record(3))])
    }

    #[inline(always)]
    fn gather<const N: usize>(from: &[[f64; N]], at: impl Fn(usize) -> usize) -> [Four; N] {
        transpose::load(from, [at(0), at(1), at(2), at(3)])
    }

    #[inline(always)]
    fn from_slice(from: &[f64]) -> Four {
        Self::load([from[0], from[1], from[2], from[3]])
    }

    #[inline(always)]
    fn put(self, to: &mut [f64]) {
        to[..4].as_chunks_mut().0[0] = self.store();
    }

    #[inline(always)]
    fn lane(self, k: usize) -> f64 {
        self.0[k]
    }

    #[inline(always)]
    fn set_lane(&mut self, k: usize, x: f64) {
        self.0[k] = x;
    }

    #[inline(always)]
    fn sqrt(self) -> Four {
        let [a, b, c, d] = self.0;
        Four([a.sqrt(), b.sqrt(), c.sqrt(), d.sqrt()])
    }

    #[inline(always)]
    fn abs(self) -> Four {
        let [a, b, c, d] = self.0;
        Four([a.abs(), b.abs(), c.abs(), d.abs()])
    }

    #[inline(always)]
    fn lt(self, other: Four) -> FourMask {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        FourMask([a < e, b < f, c < g, d < h])
    }

    #[inline(always)]
    fn le(self, other: Four) -> FourMask {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        FourMask([a <= e, b <= f, c <= g, d <= h])
    }

    #[inline(always)]
    fn select(mask: FourMask, yes: Four, no: Four) -> Four {
        Four::from_lanes(|k| if mask.0[k] { yes.0[k] } else { no.0[k] })
    }
}

impl Wide for Four {
    type Eights = crate::eights::Baseline;

    #[inline(always)]
    fn load(x: [f64; 4]) -> Four {
        Four(x)
    }

    #[inline(always)]
    fn store(self) -> [f64; 4] {
        self.0
    }

    #[inline(always)]
    fn transposed([a, b, c, d]: [Four; 4]) -> [Four; 4] {
        let column = |k: usize| Four([a.0[k], b.0[k], c.0[k], d.0[k]]);
        [column(0), column(1), column(2), column(3)]
    }
}
