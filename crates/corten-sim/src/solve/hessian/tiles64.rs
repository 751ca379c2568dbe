//! The Hessian of a small problem: every tile of the lower triangle has its place, so that there
//! is nothing to lay out. What is remembered from one problem to the next is where numbers go, and
//! it is found anew wherever columns differ.
//!
//! Degree of freedom `i` is lane `i % 4` of tile `i / 4`. Which tiles of a row can differ from zero
//! is a set of bits; the structure of the factor follows from that of mass matrix and blocks in a
//! few operations on them (a row passes its columns on to the last of them, its parent in the
//! elimination tree). Kernels then go from bit to bit.

use super::super::problem::{Inertia, Problem};
use super::super::rows::{Block, Jacobian, MAX_RANK, Run};
use super::NewtonSystem;
use super::blocks::{Blocks, Places, kernel};
use super::columns::{Bits, ColumnEnds, ROWS, Slot, Tiles, before};
use super::layout::is_single;
use super::mass::{Mass, row};
use super::remembered::{Island, Remembered};
use super::tile::{Four, LANES, Pivots, RANKS, Tile, ZERO, finish, subtract};
use crate::data::growth::fit;
use corten_math::Wide;
use corten_math::array;
use corten_math::array::MapInline;
use corten_math::memory::Grow;

pub use super::columns::MAX_DOFS;

#[derive(Clone, Debug, Default)]
pub struct Tiles64 {
    n: usize,
    /// Rows of tiles.
    size: usize,
    pub remembered: Remembered,
    /// The Hessian, and `L` without its unit diagonal.
    matrix: Vec<Tile>,
    factor: Vec<Tile>,
    /// `D` and its inverse.
    pivots: [Pivots; ROWS],
    /// Tiles of the factor left of the diagonal, and those below it.
    left: [u32; ROWS],
    below: [u32; ROWS],
    /// Rows of tiles whose factor is out of date.
    stale: u32,
    rows: Blocks<Tiles>,
    /// A vector over degrees of freedom, and sums over them. Lanes beyond the last one are zero.
    x: [Four; ROWS],
    sums: [Four; ROWS],
}

/// The lower triangle, row by row.
struct Triangle<'a> {
    /// Tiles of each row that the factor can fill, left of the diagonal.
    left: &'a [u32],
}

impl Places for Triangle<'_> {
    type Tiles = Tiles;
    type Stale = u32;

    #[inline(always)]
    fn count(tiles: Tiles) -> usize {
        tiles.count as usize
    }

    #[inline(always)]
    fn list(&self, tiles: Tiles) -> impl Iterator<Item = usize> {
        Bits(tiles.set)
    }

    #[inline(always)]
    fn targets(&self, tiles: Tiles) -> impl Fn(usize, usize) -> usize {
        let mut list = [0; ROWS];
        for (to, tile) in list.iter_mut().zip(Bits(tiles.set)) {
            *to = tile;
        }
        move |i, j| row(list[i % ROWS]) + list[j % ROWS]
    }

    #[inline(always)]
    fn diagonal(&self, place: usize) -> usize {
        let (t, lane) = (place / LANES, place % LANES);
        ((row(t) + t) * LANES + lane) * LANES + lane
    }

    #[inline(always)]
    fn copy(&self, from: &[Tile], to: &mut [Tile]) {
        for (t, &left) in self.left.iter().enumerate() {
            let tiles = row(t)..row(t + 1);
            copy_row(left, &from[tiles.clone()], &mut to[tiles]);
        }
    }

    #[inline(always)]
    fn mark_stale(&self, tiles: Tiles, stale: &mut u32) {
        *stale |= tiles.set;
    }

    #[inline(always)]
    fn mark_place_stale(&self, place: usize, stale: &mut u32) {
        *stale |= 1 << (place / LANES);
    }
}

impl NewtonSystem for Tiles64 {
    #[inline(always)]
    fn load(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        self.n = n;
        self.size = n.div_ceil(LANES).min(ROWS);
        for v in [&mut self.matrix, &mut self.factor] {
            fit(v, row(self.size));
        }
        self.rows.weighted.resize(MAX_RANK * ROWS, [0.0; LANES]);
        let same_mass = self.remembered.load().mass.load(n, self.size, inertia);
        self.load_blocks(rows, same_mass);
        self.close_structure();
    }

    #[inline(always)]
    fn set_vector(&mut self, x: &[f64]) {
        let to = &mut self.x.as_flattened_mut()[..self.size * LANES];
        let (own, padding) = to.split_at_mut(x.len().min(self.n));
        own.copy_from_slice(&x[..own.len()]);
        padding.fill(0.0);
    }

    #[inline(always)]
    fn mul_jacobian<S: Wide>(&mut self, rows: &Jacobian<'_>, y: &mut [f64]) {
        let Tiles64 { rows: blocks, left, size, x, .. } = self;
        blocks.mul(&Triangle { left: &left[..*size] }, rows, x, y);
    }

    #[inline(always)]
    fn mul_inertia<S: Wide>(&mut self, y: &mut [f64]) {
        let Tiles64 { size, remembered, x, sums, .. } = self;
        let Mass { tiles: inertia, own, .. } = remembered.mass();
        // A row is complete when all rows after it have added their part.
        sums[..*size].fill([0.0; LANES]);
        for t in (0..*size).rev() {
            let tiles = &inertia[row(t)..][..=t];
            let xt = x[t];
            let mut sum = sums[t];
            for k in 0..LANES {
                for i in 0..LANES {
                    sum[i] += tiles[t][k][i] * xt[k];
                }
            }
            if own[t] != 0 {
                let mut across = ZERO;
                for c in Bits(own[t]) {
                    let (tile, xc) = (&tiles[c], x[c]);
                    let mut sum = sums[c];
                    for k in 0..LANES {
                        for i in 0..LANES {
                            sum[i] += tile[k][i] * xt[k];
                            across[k][i] += tile[k][i] * xc[i];
                        }
                    }
                    sums[c] = sum;
                }
                for k in 0..LANES {
                    sum[k] += (across[k][0] + across[k][2]) + (across[k][1] + across[k][3]);
                }
            }
            match y.as_chunks_mut::<LANES>() {
                (y, _) if t < y.len() => y[t] = sum,
                (_, rest) => rest.iter_mut().zip(sum).for_each(|(y, sum)| *y = sum),
            }
        }
    }

    #[inline(always)]
    fn tmul_jacobian(&mut self, rows: &Jacobian<'_>, f: &[f64], y: &mut [f64]) {
        self.sums[..self.size].fill([0.0; LANES]);
        let Tiles64 { rows: blocks, left, size, sums, .. } = self;
        blocks.tmul_add(&Triangle { left: &left[..*size] }, rows, f, sums);
        y.copy_from_slice(&self.sums.as_flattened()[..y.len()]);
    }

    #[inline(always)]
    fn factor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32], known: bool) -> usize {
        let Tiles64 { rows, remembered, matrix, stale, left, size, .. } = self;
        let places = Triangle { left: &left[..*size] };
        if !known || !rows.change(&places, problem, state, matrix, stale) {
            *stale = u32::MAX;
            rows.build(&places, problem, jar, state, &remembered.mass().tiles, matrix);
        }
        self.eliminate()
    }

    #[inline(always)]
    fn solve_direction<S: Wide>(&mut self, gradient: &[f64]) {
        let (fours, rest) = gradient.as_chunks::<LANES>();
        for (to, four) in self.x.iter_mut().zip(fours) {
            *to = four.map_inline(|g| -g);
        }
        if !rest.is_empty() {
            let last = array::from_fn(|k| rest.get(k).map_or(0.0, |g| -g));
            self.x[fours.len() % ROWS] = last;
        }
        let Tiles64 { size, left, factor, pivots, x, .. } = self;
        for t in (0..*size).rev() {
            let tiles = &factor[row(t)..][..=t];
            let mut xt = x[t];
            for k in (1..LANES).rev() {
                for i in 0..k {
                    xt[i] -= tiles[t][k][i] * xt[k];
                }
            }
            for c in Bits(left[t]) {
                let mut to = x[c];
                for k in 0..LANES {
                    for i in 0..LANES {
                        to[i] -= tiles[c][k][i] * xt[k];
                    }
                }
                x[c] = to;
            }
            for k in 0..LANES {
                xt[k] *= pivots[t].inverse[k];
            }
            x[t] = xt;
        }
        for t in 0..*size {
            let tiles = &factor[row(t)..][..=t];
            let mut xt = x[t];
            if left[t] != 0 {
                let mut sums = ZERO;
                for c in Bits(left[t]) {
                    let from = x[c];
                    for k in 0..LANES {
                        for i in 0..LANES {
                            sums[k][i] += tiles[c][k][i] * from[i];
                        }
                    }
                }
                for k in 0..LANES {
                    xt[k] -= (sums[k][0] + sums[k][2]) + (sums[k][1] + sums[k][3]);
                }
            }
            for k in 1..LANES {
                for i in 0..k {
                    xt[k] -= tiles[t][k][i] * xt[i];
                }
            }
            x[t] = xt;
        }
    }

    #[inline(always)]
    fn direction(&self) -> &[f64] {
        &self.x.as_flattened()[..self.n]
    }

    fn nonzeros(&mut self, problem: &Problem<'_>) -> usize {
        let n = self.n;
        self.remembered.nonzeros(|| nonzeros(n, problem))
    }
}

impl Tiles64 {
    /// Takes over the Jacobian, and adds the tiles that a block fills to the row of its last one.
    #[inline(always)]
    fn load_blocks(&mut self, rows: &Jacobian<'_>, same_mass: bool) {
        self.rows.clear();
        let island = self.remembered.load();
        let Island { mass, columns, .. } = island;
        self.left[..self.size].copy_from_slice(&mass.own[..self.size]);
        let changes = columns.changes;
        let (mut last, mut count) = ([u32::MAX; 2], 0);
        let (mut previous, mut shape) = (ColumnEnds::default(), ColumnEnds::default());
        for (block, b) in rows.blocks.iter().enumerate() {
            if is_single(b) {
                let place = rows.columns[b.col as usize];
                self.rows.push_single(b.row, place, rows.values[b.val as usize]);
                continue;
            }
            // Blocks that follow each other may share their columns.
            if [b.run, b.nrun] != last {
                last = [b.run, b.nrun];
                previous = shape;
                shape = columns.place(rows.runs_of(b), previous, count);
                count += 1;
                if let Some(top) = shape.tiles.set.checked_ilog2() {
                    let top = top as usize % ROWS;
                    self.left[top] |= shape.tiles.set & before(top);
                }
            }
            let (slots, tiles) = (columns.slots(previous, shape), shape.tiles);
            match kernel(b.rank) {
                0 => expand::<{ RANKS[0] }>(&mut self.rows, rows, b, tiles, slots),
                1 => expand::<{ RANKS[1] }>(&mut self.rows, rows, b, tiles, slots),
                2 => expand::<{ RANKS[2] }>(&mut self.rows, rows, b, tiles, slots),
                _ => expand::<{ RANKS[3] }>(&mut self.rows, rows, b, tiles, slots),
            }
            self.rows.push(block, b, tiles, tiles.count as usize);
        }
        self.rows.close();
        island.loaded(same_mass, changes, count);
    }

    /// From the tiles of matrix and blocks to those of the factor.
    #[inline(always)]
    fn close_structure(&mut self) {
        self.below[..self.size].fill(0);
        for t in (0..self.size).rev() {
            let left = self.left[t];
            if let Some(parent) = left.checked_ilog2() {
                let parent = parent as usize % ROWS;
                self.left[parent] |= left & before(parent);
            }
            for c in Bits(left) {
                self.below[c] |= 1 << t;
            }
        }
    }

    /// Degrees of freedom of a row of tiles.
    #[inline(always)]
    fn lanes(&self, t: usize) -> usize {
        (self.n - t * LANES).min(LANES)
    }

    /// Factors the matrix; returns how many pivots were raised.
    #[inline(always)]
    fn eliminate(&mut self) -> usize {
        let mut raised = 0;
        let mut last = self.lanes(self.size.saturating_sub(1));
        for t in (0..self.size).rev() {
            let lanes = std::mem::replace(&mut last, LANES);
            if self.stale >> t & 1 == 0 {
                continue;
            }
            self.stale |= self.left[t];
            let Tiles64 { size, n, left, below, matrix, factor, pivots, .. } = self;
            let (before_next, after) = factor.split_at_mut(row(t + 1));
            let target = &mut before_next[row(t)..];
            copy_row(left[t], &matrix[row(t)..row(t + 1)], target);
            for s in Bits(below[t]) {
                let tiles = &after[row(s) - row(t + 1)..][..=s];
                let pairs = Bits(left[s] & before(t + 1)).map(|c| (c, c));
                let d = &pivots[s].value;
                let lanes_below = if s + 1 == *size { *n - s * LANES } else { LANES };
                match lanes_below {
                    1 => subtract::<1>(target, tiles, &tiles[t], d, true, pairs),
                    2 => subtract::<2>(target, tiles, &tiles[t], d, true, pairs),
                    3 => subtract::<3>(target, tiles, &tiles[t], d, true, pairs),
                    _ => subtract::<4>(target, tiles, &tiles[t], d, true, pairs),
                }
            }
            let pivots = &mut pivots[t];
            *pivots = Pivots::default();
            raised += match lanes {
                1 => finish::<1>(target, pivots, Bits(left[t])),
                2 => finish::<2>(target, pivots, Bits(left[t])),
                3 => finish::<3>(target, pivots, Bits(left[t])),
                _ => finish::<4>(target, pivots, Bits(left[t])),
            };
        }
        self.stale = 0;
        raised
    }
}

/// Copies the tiles of a row that can differ from zero: those of the set, and the diagonal one.
#[inline(always)]
fn copy_row(left: u32, from: &[Tile], to: &mut [Tile]) {
    if let ([from @ .., diagonal], [to @ .., last]) = (from, to) {
        for c in Bits(left) {
            to[c] = from[c];
        }
        *last = *diagonal;
    }
}

/// Stores the rows of the next block, tile by tile.
#[inline(always)]
fn expand<const R: usize>(
    stored: &mut Blocks<Tiles>,
    rows: &Jacobian<'_>,
    b: &Block,
    tiles: Tiles,
    slots: &[Slot],
) {
    let (jacobian, start) = (&mut stored.jacobian, stored.end);
    let end = start + R * tiles.count as usize;
    if jacobian.len() < end {
        jacobian.grow_resize(end, [0.0; LANES]);
    }
    let to = jacobian[start..end].as_chunks_mut::<R>().0;
    let (rank, ncol) = ((b.rank as usize).min(R), b.ncol as usize);
    for slot in slots {
        let to = &mut to[slot.number as usize];
        if rank == R {
            slot.put_rows(rows.values, b.val as usize, ncol, to);
        } else {
            to[rank..].fill([0.0; LANES]);
            for r in 0..rank {
                slot.put(rows.values, b.val as usize + r * ncol, &mut to[r]);
            }
        }
    }
}

/// Entries of the factor of a small problem: the structure of this form, but without tiles.
pub fn nonzeros(n: usize, problem: &Problem<'_>) -> usize {
    // Ancestors of each degree of freedom.
    let mut above = [0u64; MAX_DOFS];
    for (first, piece) in problem.inertia.pieces(n.min(MAX_DOFS)) {
        let shift = first - piece.start;
        for i in piece {
            if let [.., parent, _] = problem.inertia.pattern.columns(i + shift) {
                let parent = (*parent as usize - shift) % MAX_DOFS;
                above[i % MAX_DOFS] = above[parent] | 1 << parent;
            }
        }
    }
    let rows = &problem.rows.jacobian;
    let mut previous = [u32::MAX; 2];
    for b in rows.blocks {
        // Blocks that follow each other may share their columns.
        if std::mem::replace(&mut previous, [b.run, b.nrun]) == [b.run, b.nrun] {
            continue;
        }
        let columns = rows.runs_of(b).iter().fold(0, |set, run| set | bits_of(run));
        if let Some(last) = columns.checked_ilog2() {
            above[last as usize] |= columns & !(1 << last);
        }
    }
    let mut count = n;
    for i in (0..n).rev() {
        let set = above[i % MAX_DOFS];
        count += set.count_ones() as usize;
        if let Some(parent) = set.checked_ilog2() {
            above[parent as usize] |= set & !(1 << parent);
        }
    }
    count
}

/// The degrees of freedom of a run as a set.
#[inline(always)]
fn bits_of(run: &Run) -> u64 {
    let len = run.len.clamp(1, MAX_DOFS as u32);
    (u64::MAX >> (MAX_DOFS as u32 - len)) << (run.start % MAX_DOFS as u32)
}
