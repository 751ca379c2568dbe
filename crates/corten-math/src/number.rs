//! Numbers that the smooth stages compute with: one, or four side by side.
//!
//! A kernel that is generic over [`Number`] is compiled for a single world with `f64` and for four
//! worlds with [`Four`]. Every operation of `Four` rounds as the one of `f64` does, lane by lane,
//! and none is contracted: both versions of a kernel give the same bits.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

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
    /// A truth for each.
    type Mask: Mask;

    /// The same number in every lane.
    fn of(x: f64) -> Self;
    /// What `number` tells for each lane.
    fn from_lanes(number: impl Fn(usize) -> f64) -> Self;
    /// What `record` tells for each lane: four numbers that lie side by side.
    fn from_records(record: impl Fn(usize) -> [f64; 4]) -> [Self; 4];
    /// Writes the lanes, from `first` on.
    fn put(self, to: &mut Four, first: usize);
    /// One of the lanes.
    fn lane(self, k: usize) -> f64;
    fn set_lane(&mut self, k: usize, x: f64);
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// `self < other`.
    fn below(self, other: Self) -> Self::Mask;
    /// `self <= other`.
    fn at_most(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The larger of two.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self::select(self.below(other), other, self)
    }

    /// The nearest number from 0 to 1.
    #[inline(always)]
    fn clamp_unit(self) -> Self {
        let (zero, one) = (Self::of(0.0), Self::of(1.0));
        Self::select(self.below(zero), zero, Self::select(one.below(self), one, self))
    }
}

/// Truths, one for each lane.
pub trait Mask: Copy {
    /// Whether one of them holds.
    fn any(self) -> bool;
    /// Whether each of them holds.
    fn all(self) -> bool;
    /// That of one lane.
    fn lane(self, k: usize) -> bool;
    fn and(self, other: Self) -> Self;
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
    fn of(x: f64) -> f64 {
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
    fn put(self, to: &mut Four, first: usize) {
        to.0[first] = self;
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
    fn below(self, other: f64) -> bool {
        self < other
    }

    #[inline(always)]
    fn at_most(self, other: f64) -> bool {
        self <= other
    }

    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }
}

/// Four numbers.
///
/// On x86-64, arithmetic with them needs a processor with AVX2: where [`Four::available`] says no,
/// it must not be used. As arrays, which every processor has, the compiler keeps but half of a
/// kernel in wide registers, and four worlds take twice as long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Four(pub [f64; 4]);

impl Four {
    /// Whether this processor computes with four numbers at once.
    #[inline]
    pub fn available() -> bool {
        #[cfg(target_arch = "x86_64")]
        return crate::simd::avx2();
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{
        __m256d, _CMP_LE_OQ, _CMP_LT_OQ, _mm256_add_pd, _mm256_and_pd, _mm256_andnot_pd,
        _mm256_blendv_pd, _mm256_cmp_pd, _mm256_div_pd, _mm256_movemask_pd, _mm256_mul_pd,
        _mm256_or_pd, _mm256_permute2f128_pd, _mm256_set1_pd, _mm256_setr_pd, _mm256_sqrt_pd,
        _mm256_sub_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd, _mm256_xor_pd,
    };

    use super::*;

    #[derive(Clone, Copy, Debug)]
    pub struct FourMask(__m256d);

    #[inline(always)]
    fn register(x: Four) -> __m256d {
        // SAFETY: both are four numbers, and nothing else.
        unsafe { std::mem::transmute::<Four, __m256d>(x) }
    }

    #[inline(always)]
    fn four(x: __m256d) -> Four {
        // SAFETY: both are four numbers, and nothing else.
        unsafe { std::mem::transmute::<__m256d, Four>(x) }
    }

    /// Evaluates an expression of intrinsics.
    macro_rules! avx {
        ($value:expr) => {
            // SAFETY: the intrinsics of this module touch registers alone. They need AVX, which
            // whoever computes with `Four` has made sure of, as its description demands.
            unsafe { $value }
        };
    }

    macro_rules! operation {
        ($trait:ident $name:ident $intrinsic:ident, $assign:ident $assign_name:ident) => {
            operation!($trait $name $intrinsic);
            impl $assign for Four {
                #[inline(always)]
                fn $assign_name(&mut self, b: Four) {
                    *self = self.$name(b);
                }
            }
        };
        ($trait:ident $name:ident $intrinsic:ident) => {
            impl $trait for Four {
                type Output = Four;
                #[inline(always)]
                fn $name(self, b: Four) -> Four {
                    avx!(four($intrinsic(register(self), register(b))))
                }
            }
        };
    }

    operation!(Add add _mm256_add_pd, AddAssign add_assign);
    operation!(Sub sub _mm256_sub_pd, SubAssign sub_assign);
    operation!(Mul mul _mm256_mul_pd, MulAssign mul_assign);
    operation!(Div div _mm256_div_pd);

    impl Neg for Four {
        type Output = Four;
        #[inline(always)]
        fn neg(self) -> Four {
            avx!(four(_mm256_xor_pd(register(self), _mm256_set1_pd(-0.0))))
        }
    }

    /// Exchanges rows and columns.
    #[inline(always)]
    pub fn turn(rows: [Four; 4]) -> [Four; 4] {
        let [a, b, c, d] = rows;
        let (a, b, c, d) = (register(a), register(b), register(c), register(d));
        avx!({
            let (even, odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (even2, odd2) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                four(_mm256_permute2f128_pd::<0x20>(even, even2)),
                four(_mm256_permute2f128_pd::<0x20>(odd, odd2)),
                four(_mm256_permute2f128_pd::<0x31>(even, even2)),
                four(_mm256_permute2f128_pd::<0x31>(odd, odd2)),
            ]
        })
    }

    impl Mask for FourMask {
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
        fn and(self, other: FourMask) -> FourMask {
            avx!(FourMask(_mm256_and_pd(self.0, other.0)))
        }

        #[inline(always)]
        fn or(self, other: FourMask) -> FourMask {
            avx!(FourMask(_mm256_or_pd(self.0, other.0)))
        }

        #[inline(always)]
        fn and_not(self, other: FourMask) -> FourMask {
            avx!(FourMask(_mm256_andnot_pd(other.0, self.0)))
        }
    }

    impl Number for Four {
        const LANES: usize = 4;
        type Mask = FourMask;

        #[inline(always)]
        fn of(x: f64) -> Four {
            avx!(four(_mm256_set1_pd(x)))
        }

        #[inline(always)]
        fn from_lanes(number: impl Fn(usize) -> f64) -> Four {
            avx!(four(_mm256_setr_pd(number(0), number(1), number(2), number(3))))
        }

        #[inline(always)]
        fn from_records(record: impl Fn(usize) -> [f64; 4]) -> [Four; 4] {
            turn([Four(record(0)), Four(record(1)), Four(record(2)), Four(record(3))])
        }

        #[inline(always)]
        fn put(self, to: &mut Four, _: usize) {
            *to = self;
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
            avx!(four(_mm256_sqrt_pd(register(self))))
        }

        #[inline(always)]
        fn abs(self) -> Four {
            avx!(four(_mm256_andnot_pd(_mm256_set1_pd(-0.0), register(self))))
        }

        #[inline(always)]
        fn below(self, other: Four) -> FourMask {
            avx!(FourMask(_mm256_cmp_pd::<_CMP_LT_OQ>(register(self), register(other))))
        }

        #[inline(always)]
        fn at_most(self, other: Four) -> FourMask {
            avx!(FourMask(_mm256_cmp_pd::<_CMP_LE_OQ>(register(self), register(other))))
        }

        #[inline(always)]
        fn select(mask: FourMask, yes: Four, no: Four) -> Four {
            avx!(four(_mm256_blendv_pd(register(no), register(yes), mask.0)))
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod array {
    use super::*;

    #[derive(Clone, Copy, Debug)]
    pub struct FourMask([bool; 4]);

    macro_rules! operation {
        ($trait:ident $name:ident $assign:ident $assign_name:ident) => {
            operation!($trait $name);
            impl $assign for Four {
                fn $assign_name(&mut self, b: Four) {
                    *self = self.$name(b);
                }
            }
        };
        ($trait:ident $name:ident) => {
            impl $trait for Four {
                type Output = Four;
                fn $name(self, b: Four) -> Four {
                    Four(std::array::from_fn(|k| self.0[k].$name(b.0[k])))
                }
            }
        };
    }

    operation!(Add add AddAssign add_assign);
    operation!(Sub sub SubAssign sub_assign);
    operation!(Mul mul MulAssign mul_assign);
    operation!(Div div);

    impl Neg for Four {
        type Output = Four;
        fn neg(self) -> Four {
            Four(self.0.map(|x| -x))
        }
    }

    /// Exchanges rows and columns.
    pub fn turn([a, b, c, d]: [Four; 4]) -> [Four; 4] {
        [0, 1, 2, 3].map(|k| Four([a.0[k], b.0[k], c.0[k], d.0[k]]))
    }

    impl Mask for FourMask {
        fn any(self) -> bool {
            self.0.contains(&true)
        }

        fn all(self) -> bool {
            self.0 == [true; 4]
        }

        fn lane(self, k: usize) -> bool {
            self.0[k]
        }

        fn and(self, other: FourMask) -> FourMask {
            FourMask(std::array::from_fn(|k| self.0[k] & other.0[k]))
        }

        fn or(self, other: FourMask) -> FourMask {
            FourMask(std::array::from_fn(|k| self.0[k] | other.0[k]))
        }

        fn and_not(self, other: FourMask) -> FourMask {
            FourMask(std::array::from_fn(|k| self.0[k] & !other.0[k]))
        }
    }

    impl Number for Four {
        const LANES: usize = 4;
        type Mask = FourMask;

        fn of(x: f64) -> Four {
            Four([x; 4])
        }

        fn from_lanes(number: impl Fn(usize) -> f64) -> Four {
            Four(std::array::from_fn(number))
        }

        fn from_records(record: impl Fn(usize) -> [f64; 4]) -> [Four; 4] {
            turn(std::array::from_fn(|k| Four(record(k))))
        }

        fn put(self, to: &mut Four, _: usize) {
            *to = self;
        }

        fn lane(self, k: usize) -> f64 {
            self.0[k]
        }

        fn set_lane(&mut self, k: usize, x: f64) {
            self.0[k] = x;
        }

        fn sqrt(self) -> Four {
            Four(self.0.map(f64::sqrt))
        }

        fn abs(self) -> Four {
            Four(self.0.map(f64::abs))
        }

        fn below(self, other: Four) -> FourMask {
            FourMask(std::array::from_fn(|k| self.0[k] < other.0[k]))
        }

        fn at_most(self, other: Four) -> FourMask {
            FourMask(std::array::from_fn(|k| self.0[k] <= other.0[k]))
        }

        fn select(mask: FourMask, yes: Four, no: Four) -> Four {
            Four(std::array::from_fn(|k| if mask.0[k] { yes.0[k] } else { no.0[k] }))
        }
    }
}

/// Puts the numbers of four worlds, or of four objects of one world, into lanes, and back. As all
/// arithmetic with [`Four`], only where that is available.
pub mod transpose {
    use std::ops::Range;

    #[cfg(not(target_arch = "x86_64"))]
    use super::array::turn;
    #[cfg(target_arch = "x86_64")]
    use super::avx::turn;
    use super::{Four, Number};
    use crate::{Inertia, Mat3, Quat, Spatial, Vec3, wide};

    wide! {
        /// `to[i]` gets the `i`-th number of every row.
        pub fn gather(rows: [&[f64]; 4], to: &mut [Four]) {
            let n = to.len();
            let rows = rows.map(|row| &row[..n]);
            let [a, b, c, d] = rows.map(|row| row.as_chunks::<4>().0);
            let blocks = to.as_chunks_mut::<4>().0;
            for ((block, (a, b)), (c, d)) in blocks.iter_mut().zip(a.iter().zip(b)).zip(c.iter().zip(d)) {
                *block = turn([Four(*a), Four(*b), Four(*c), Four(*d)]);
            }
            for i in n / 4 * 4..n {
                to[i] = Four(rows.map(|row| row[i]));
            }
        }

        /// The inverse of [`gather`].
        pub fn scatter(from: &[Four], rows: [&mut [f64]; 4]) {
            let n = from.len();
            let [a, b, c, d] = rows.map(|row| row[..n].as_chunks_mut::<4>());
            let (blocks, rest) = from.as_chunks::<4>();
            let ab = a.0.iter_mut().zip(b.0);
            let cd = c.0.iter_mut().zip(d.0);
            for (block, ((a, b), (c, d))) in blocks.iter().zip(ab.zip(cd)) {
                [*a, *b, *c, *d] = turn(*block).map(|x| x.0);
            }
            for (i, x) in rest.iter().enumerate() {
                [a.1[i], b.1[i], c.1[i], d.1[i]] = x.0;
            }
        }
    }

    /// Rows for columns.
    #[inline(always)]
    pub fn turned(rows: [Four; 4]) -> [Four; 4] {
        turn(rows)
    }

    /// Four objects of `N` numbers each, every number a register with one lane per object.
    // Without `map`: the compiler does not always take it apart.
    #[inline(always)]
    fn load<const N: usize>(from: &[[f64; N]], [i, j, k, l]: [usize; 4]) -> [Four; N] {
        let (a, b, c, d) = (&from[i], &from[j], &from[k], &from[l]);
        let mut lanes = [Four::default(); N];
        let (blocks, rest) = lanes.as_chunks_mut::<4>();
        let rows = (a.as_chunks().0.iter().zip(b.as_chunks().0))
            .zip(c.as_chunks().0.iter().zip(d.as_chunks().0));
        for (block, ((a, b), (c, d))) in blocks.iter_mut().zip(rows) {
            *block = turn([Four(*a), Four(*b), Four(*c), Four(*d)]);
        }
        for (x, n) in rest.iter_mut().zip(N / 4 * 4..) {
            *x = Four([a[n], b[n], c[n], d[n]]);
        }
        lanes
    }

    /// The inverse of [`load`]; of objects that are given twice, the last counts.
    #[inline(always)]
    fn store<const N: usize>(lanes: &[Four; N], to: &mut [[f64; N]], at: [usize; 4]) {
        const { assert!(N < 16) };
        let (blocks, rest) = lanes.as_chunks::<4>();
        let mut turned = [[Four::default(); 4]; 3];
        for (turned, block) in turned.iter_mut().zip(blocks) {
            *turned = turn(*block);
        }
        // Each object is written once: what is left over is turned, too, unless it is one number.
        let mut last = [Four::default(); 4];
        if rest.len() > 1 {
            last[..rest.len()].copy_from_slice(rest);
            last = turn(last);
        }
        for lane in 0..4 {
            let (to_blocks, to_rest) = to[at[lane]].as_chunks_mut::<4>();
            for (to, turned) in to_blocks.iter_mut().zip(&turned) {
                *to = turned[lane].0;
            }
            match to_rest {
                [to] => *to = rest[0].0[lane],
                to => to.copy_from_slice(&last[lane].0[..to.len()]),
            }
        }
    }

    /// Objects that are arrays of numbers.
    macro_rules! objects {
        ($($type:ident)*) => {$(
            impl $type<Four> {
                /// Four of the objects, one per lane.
                #[inline(always)]
                pub fn load(from: &[$type], at: [usize; 4]) -> $type<Four> {
                    $type(load(bytemuck::cast_slice(from), at))
                }

                /// The inverse of [`Self::load`]; of objects that are given twice, the last counts.
                #[inline(always)]
                pub fn store(&self, to: &mut [$type], at: [usize; 4]) {
                    store(&self.0, bytemuck::cast_slice_mut(to), at);
                }
            }
        )*};
    }

    objects! { Vec3 Quat Mat3 Spatial Inertia }

    /// What to take of a range at once.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Lot {
        /// Four elements, or fewer: then the last is repeated.
        Four([usize; 4]),
        One(usize),
    }

    /// A range four by four, if numbers are single and the processor can take four at once; else, and
    /// where only one is left, one by one.
    #[inline(always)]
    pub fn lots<T: Number>(range: Range<usize>) -> Lots {
        Lots { range, wide: T::LANES == 1 && Four::available() }
    }

    /// See [`lots`].
    #[derive(Clone, Debug)]
    pub struct Lots {
        range: Range<usize>,
        wide: bool,
    }

    impl Iterator for Lots {
        type Item = Lot;

        #[inline(always)]
        fn next(&mut self) -> Option<Lot> {
            let Range { start, end } = self.range;
            if start >= end {
                return None;
            }
            let last = end - 1;
            if self.wide && start < last {
                self.range.start = start + 4;
                let four = [start, start + 1, (start + 2).min(last), (start + 3).min(last)];
                Some(Lot::Four(four))
            } else {
                self.range.start = start + 1;
                Some(Lot::One(start))
            }
        }
    }

    /// One lane only.
    pub fn scatter_one(from: &[Four], lane: usize, row: &mut [f64]) {
        for (to, x) in row.iter_mut().zip(from) {
            *to = x.0[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_compute_as_one_number_does() {
        if !Four::available() {
            return;
        }
        let a = [1.5, -0.1, f64::NAN, -0.0];
        let b = [0.3, 7.0, 2.0, f64::INFINITY];
        let (x, y) = (Four(a), Four(b));
        // What is not a number has a sign of no meaning.
        let one = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
        let bits = |x: Four| x.0.map(one);
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
        let chosen = Four::select(x.below(y), x, y);
        assert_eq!(bits(chosen), each(|a, b| if a < b { a } else { b }));
        assert!(x.below(y).any() && !x.below(x).any());
        assert!(!x.below(y).all() && y.at_most(y).all());
        let truths = |mask: <Four as Number>::Mask| [0, 1, 2, 3].map(|k| mask.lane(k));
        let (below, at_most) = (x.below(y), x.at_most(x));
        assert_eq!(truths(below), [false, true, false, true]);
        assert_eq!(truths(at_most), [true, true, false, true]);
        assert_eq!(truths(below.and(at_most)), [false, true, false, true]);
        assert_eq!(truths(at_most.and_not(below)), [true, false, false, false]);
        assert_eq!(truths(below.or(at_most)), [true, true, false, true]);
        assert_eq!(bits(x.larger(y)), each(|a, b| if a < b { b } else { a }));
        assert_eq!(bits(x.clamp_unit()), each(|a, _| a.clamp(0.0, 1.0)));
    }

    #[test]
    fn records_become_lanes() {
        if !Four::available() {
            return;
        }
        let record = |k: usize| [0, 1, 2, 3].map(|i| (10 * k + i) as f64);
        let fields = Four::from_records(record);
        for (i, field) in fields.into_iter().enumerate() {
            assert_eq!(field, Four::from_lanes(|k| (10 * k + i) as f64));
        }
        let (mut all, mut one) = (Four::default(), Four::default());
        fields[2].put(&mut all, 0);
        f64::from_records(record)[2].put(&mut one, 3);
        assert_eq!((all, one), (fields[2], Four([0.0, 0.0, 0.0, 2.0])));
    }

    #[test]
    fn objects_come_back_from_lanes() {
        use crate::{Inertia, Mat3, Quat, Spatial, Vec3};
        macro_rules! check {
            ($($type:ident)*) => {$(
                let objects: [$type; 6] =
                    [0, 1, 2, 3, 4, 5].map(|o| $type(std::array::from_fn(|i| (100 * o + i) as f64)));
                let zero: $type = Zeroable::zeroed();
                let (at, mut back) = ([4, 0, 5, 2], [zero; 6]);
                let lanes = $type::load(&objects, at);
                for (i, x) in lanes.0.iter().enumerate() {
                    assert_eq!(x.0, at.map(|o| objects[o].0[i]));
                }
                lanes.store(&mut back, at);
                for o in 0..6 {
                    assert_eq!(back[o], if at.contains(&o) { objects[o] } else { zero });
                }
            )*};
        }
        if Four::available() {
            check! { Vec3 Quat Mat3 Spatial Inertia }
        }
    }

    #[test]
    fn ranges_are_covered_four_by_four() {
        use transpose::{Lot, lots};
        for n in 0..12 {
            let mut seen: Vec<usize> = lots::<f64>(3..3 + n)
                .flat_map(|lot| match lot {
                    Lot::Four(at) => at.to_vec(),
                    Lot::One(i) => vec![i],
                })
                .collect();
            seen.dedup();
            assert_eq!(seen, (3..3 + n).collect::<Vec<_>>());
            assert!(lots::<Four>(3..3 + n).eq((3..3 + n).map(Lot::One)));
        }
    }

    #[test]
    fn rows_come_back_from_lanes() {
        for n in [0, 1, 3, 4, 7, 12, 13] {
            let rows: [Vec<f64>; 4] =
                std::array::from_fn(|w| (0..n).map(|i| (10 * w + i) as f64).collect());
            let mut lanes = vec![Four::default(); n];
            transpose::gather(rows.each_ref().map(|row| &row[..]), &mut lanes);
            for (i, x) in lanes.iter().enumerate() {
                assert_eq!(x.0, [0, 1, 2, 3].map(|w| (10 * w + i) as f64));
            }
            let mut back: [Vec<f64>; 4] = std::array::from_fn(|_| vec![-1.0; n]);
            transpose::scatter(&lanes, back.each_mut().map(|row| &mut row[..]));
            assert_eq!(back, rows);
        }
    }
}
