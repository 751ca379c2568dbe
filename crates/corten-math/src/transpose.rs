//! Puts the numbers of four worlds, or of four objects of one world, into lanes, and back.

use std::ops::Range;

use crate::array::MapInline;
use crate::fours::{padded, write_first};
use crate::{Four, Inertia, Mat3, Number, Quat, Spatial, Vec3, Wide, wide};

wide! {
    /// `to[i]` gets the `i`-th number of every row.
    pub fn gather(rows: [&[f64]; 4], to: &mut [Four]) {
        let n = to.len();
        let rows = rows.map_inline(|row| &row[..n]);
        let [a, b, c, d] = rows.map_inline(|row| row.as_chunks::<4>().0);
        let blocks = to.as_chunks_mut::<4>().0;
        for ((block, (a, b)), (c, d)) in blocks.iter_mut().zip(a.iter().zip(b)).zip(c.iter().zip(d)) {
            let [a, b, c, d] = transposed::<Simd>([*a, *b, *c, *d]);
            *block = [Four(a), Four(b), Four(c), Four(d)];
        }
        for i in n / 4 * 4..n {
            to[i] = Four(rows.map_inline(|row| row[i]));
        }
    }

    /// The inverse of [`gather`].
    pub fn scatter(from: &[Four], rows: [&mut [f64]; 4]) {
        let n = from.len();
        let [a, b, c, d] = rows.map_inline(|row| row[..n].as_chunks_mut::<4>());
        let (blocks, rest) = from.as_chunks::<4>();
        let ab = a.0.iter_mut().zip(b.0);
        let cd = c.0.iter_mut().zip(d.0);
        for (block, ((a, b), (c, d))) in blocks.iter().zip(ab.zip(cd)) {
            let [p, q, r, s] = *block;
            [*a, *b, *c, *d] = transposed::<Simd>([p.0, q.0, r.0, s.0]);
        }
        for (i, x) in rest.iter().enumerate() {
            [a.1[i], b.1[i], c.1[i], d.1[i]] = x.0;
        }
    }
}

/// Rows for columns.
#[inline(always)]
fn transposed<S: Wide>([a, b, c, d]: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
    let [a, b, c, d] = S::transposed([S::load(a), S::load(b), S::load(c), S::load(d)]);
    [a.store(), b.store(), c.store(), d.store()]
}

/// Four objects of `N` numbers each, every number a register with one lane per object.
// Without `map`: the compiler does not always take it apart.
#[inline(always)]
pub(crate) fn load<S: Wide, const N: usize>(from: &[[f64; N]], [i, j, k, l]: [usize; 4]) -> [S; N] {
    let (a, b, c, d) = (&from[i], &from[j], &from[k], &from[l]);
    let mut lanes = [S::default(); N];
    let (blocks, rest) = lanes.as_chunks_mut::<4>();
    for block in 0..N / 4 {
        let [a, b, c, d] = [a, b, c, d].map_inline(|row| S::load(row.as_chunks().0[block]));
        blocks[block] = S::transposed([a, b, c, d]);
    }
    for n in N / 4 * 4..N {
        rest[n % 4] = S::load([a[n], b[n], c[n], d[n]]);
    }
    lanes
}

/// The inverse of [`load`]; of objects that are given twice, the last counts.
#[inline(always)]
fn store<S: Wide, const N: usize>(lanes: &[S; N], to: &mut [[f64; N]], at: [usize; 4]) {
    const { assert!(N < 16) };
    let (blocks, rest) = lanes.as_chunks::<4>();
    let mut turned = [[S::default(); 4]; 3];
    for block in 0..N / 4 {
        turned[block] = S::transposed(blocks[block]);
    }
    // Each object is written once: what is left over is turned, too, unless it is one number.
    let mut last = [S::default(); 4];
    if rest.len() > 1 {
        last = S::transposed(padded(rest));
    }
    for lane in 0..4 {
        let (to_blocks, to_rest) = to[at[lane]].as_chunks_mut::<4>();
        for block in 0..N / 4 {
            to_blocks[block] = turned[block][lane].store();
        }
        match to_rest {
            [to] => *to = rest[0].store()[lane],
            to => write_first(&last[lane].store(), to),
        }
    }
}

/// Objects that are arrays of numbers.
macro_rules! objects {
    ($($type:ident)*) => {$(
        impl<T: Number> $type<T> {
            /// One of the objects for each lane: `at` tells which.
            #[inline(always)]
            pub fn gather(from: &[$type], at: impl Fn(usize) -> usize) -> $type<T> {
                $type(T::gather(bytemuck::cast_slice(from), at))
            }
        }

        impl<S: Wide> $type<S> {
            /// Four of the objects, one per lane.
            #[inline(always)]
            pub fn load(from: &[$type], at: [usize; 4]) -> $type<S> {
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
pub enum Chunk {
    /// Four elements, or fewer: then the last is repeated.
    Four([usize; 4]),
    /// One element.
    One(usize),
}

/// A range four by four, if numbers are single; else, and where only one is left, one by one.
#[inline(always)]
pub fn fours<T: Number>(range: Range<usize>) -> Fours {
    Fours { range, wide: T::LANES == 1 }
}

/// See [`fours`].
#[derive(Clone, Debug)]
pub struct Fours {
    range: Range<usize>,
    wide: bool,
}

impl Iterator for Fours {
    type Item = Chunk;

    #[inline(always)]
    fn next(&mut self) -> Option<Chunk> {
        let Range { start, end } = self.range;
        if start >= end {
            return None;
        }
        let last = end - 1;
        if self.wide && start < last {
            self.range.start = start + 4;
            let four = [start, start + 1, (start + 2).min(last), (start + 3).min(last)];
            Some(Chunk::Four(four))
        } else {
            self.range.start = start + 1;
            Some(Chunk::One(start))
        }
    }
}

/// One lane only.
pub fn scatter_one(from: &[Four], lane: usize, row: &mut [f64]) {
    for (to, x) in row.iter_mut().zip(from) {
        *to = x.0[lane];
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;

    wide! {
        fn check_registers() {
            come_back_from_lanes::<Simd>();
        }
    }

    #[test]
    fn objects_come_back_from_lanes() {
        check_registers();
        come_back_from_lanes::<Four>();
    }

    fn come_back_from_lanes<S: Wide>() {
        macro_rules! check {
            ($($type:ident)*) => {$(
                let objects: [$type; 6] =
                    [0, 1, 2, 3, 4, 5].map(|o| $type(std::array::from_fn(|i| (100 * o + i) as f64)));
                let zero: $type = Zeroable::zeroed();
                let (at, mut back) = ([4, 0, 5, 2], [zero; 6]);
                let lanes = $type::<S>::load(&objects, at);
                for (i, x) in lanes.0.iter().enumerate() {
                    assert_eq!(x.store(), at.map(|o| objects[o].0[i]));
                }
                lanes.store(&mut back, at);
                for o in 0..6 {
                    assert_eq!(back[o], if at.contains(&o) { objects[o] } else { zero });
                }
            )*};
        }
        check! { Vec3 Quat Mat3 Spatial Inertia }
    }

    #[test]
    fn ranges_are_covered_four_by_four() {
        for n in 0..12 {
            let mut seen: Vec<usize> = fours::<f64>(3..3 + n)
                .flat_map(|chunk| match chunk {
                    Chunk::Four(at) => at.to_vec(),
                    Chunk::One(i) => vec![i],
                })
                .collect();
            seen.dedup();
            assert_eq!(seen, (3..3 + n).collect::<Vec<_>>());
            assert!(fours::<Four>(3..3 + n).eq((3..3 + n).map(Chunk::One)));
        }
    }

    #[test]
    fn rows_come_back_from_lanes() {
        for n in [0, 1, 3, 4, 7, 12, 13] {
            let rows: [Vec<f64>; 4] =
                std::array::from_fn(|w| (0..n).map(|i| (10 * w + i) as f64).collect());
            let mut lanes = vec![Four::default(); n];
            gather(rows.each_ref().map(|row| &row[..]), &mut lanes);
            for (i, x) in lanes.iter().enumerate() {
                assert_eq!(x.0, [0, 1, 2, 3].map(|w| (10 * w + i) as f64));
            }
            let mut back: [Vec<f64>; 4] = std::array::from_fn(|_| vec![-1.0; n]);
            scatter(&lanes, back.each_mut().map(|row| &mut row[..]));
            assert_eq!(back, rows);
        }
    }
}
