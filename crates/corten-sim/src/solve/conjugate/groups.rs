//! Products with `J` by groups of four degrees of freedom.

use corten_math::memory::Grow;
use std::ops::Range;

use super::super::rows::{Block, Jacobian, Kind, MAX_RANK, Run};
use super::{Quad, ZERO};
use corten_math::array::MapInline;
use corten_math::{Wide, wide};

/// `J` by groups of four degrees of freedom, and by shape of its blocks.
///
/// Where its entries go follows from the columns of blocks, which stay from step to step while the
/// same constraints act: it is found anew only if these are others than last time.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// What the arrangement was made for: blocks, their columns, and degrees of freedom that have ancestors in
    /// the mass matrix.
    blocks: Vec<BlockShape>,
    columns: Vec<u32>,
    coupled: Vec<bool>,
    /// Places of degrees of freedom.
    place: Vec<u32>,
    /// One for each shape; those from `used` on only keep their memory.
    batches: Vec<Batch>,
    used: usize,
    /// Those of the block at hand.
    pieces: Vec<Piece>,
}

/// Blocks of one shape.
#[derive(Clone, Debug, Default)]
struct Batch {
    pyramid: bool,
    /// Stored rows of a block.
    rank: usize,
    /// Groups of a block.
    width: usize,
    /// Which blocks, and the first constraint row of each.
    blocks: Vec<u32>,
    rows: Vec<u32>,
    /// Groups of all blocks, one after the other.
    groups: Vec<u32>,
    /// For each group of a block, the values of its stored rows; those of a pyramid's tangents are
    /// multiplied by the friction.
    values: Vec<Quad>,
    /// Where the values come from.
    source: Vec<Source>,
}

/// Neighbouring values of the Jacobian that go to some lanes of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    /// Position of what goes to the first lane, or would if it were taken; may be before the beginning.
    at: u32,
    /// The lanes that are taken, one bit each.
    lanes: u8,
    /// The same for the other lanes, of a second run of columns in the group.
    others: u8,
    at_others: u32,
}

/// All bits in the lanes that are taken.
const MASKS: [[u64; 4]; 16] = {
    let mut masks = [[0; 4]; 16];
    let mut k = 0;
    while k < 64 {
        masks[k / 4][k % 4] = if (k / 4) >> (k % 4) & 1 == 1 { u64::MAX } else { 0 };
        k += 1;
    }
    masks
};

impl Source {
    /// Takes `len` values from `at` on to the lanes from `lane` on. Values of a row follow each other, so that only a lane
    /// that is left out breaks the order, and four lanes have room for one such gap.
    fn take(&mut self, at: u32, lane: usize, len: usize) {
        let at = at.wrapping_sub(lane as u32);
        let lanes = (((1_u32 << len) - 1) << lane) as u8;
        if self.lanes == 0 || self.at == at {
            (self.at, self.lanes) = (at, self.lanes | lanes);
        } else {
            (self.at_others, self.others) = (at, self.others | lanes);
        }
    }
}

/// All of a block that decides where its entries go.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BlockShape {
    kind: Kind,
    rank: u32,
    row: u32,
    ncol: u32,
    /// Counted from those of the first block.
    col: u32,
    val: u32,
}

impl BlockShape {
    #[inline(always)]
    fn new(b: &Block, first: &Block) -> BlockShape {
        let Block { kind, rank, row, ncol, .. } = *b;
        let (col, val) = (b.col.wrapping_sub(first.col), b.val.wrapping_sub(first.val));
        BlockShape { kind, rank, row, ncol, col, val }
    }
}

/// The columns of consecutive blocks.
fn columns_of_all(blocks: &[Block]) -> Range<usize> {
    match (blocks.first(), blocks.last()) {
        (Some(first), Some(last)) => first.col as usize..(last.col + last.ncol) as usize,
        _ => 0..0,
    }
}

/// Some columns of a block that share a group.
#[derive(Clone, Copy, Debug)]
struct Piece {
    group: u32,
    /// Lane of the first column in the group, its position in the block, and their number.
    lane: usize,
    start: usize,
    len: usize,
}

impl Groups {
    /// Degrees of freedom of the problem that the arrangement is of.
    pub fn dofs(&self) -> usize {
        self.place.len()
    }

    /// Place of each degree of freedom in padded vectors.
    pub fn place(&self) -> &[u32] {
        &self.place
    }

    /// Whether so many known blocks are all that there are and were.
    pub fn is_whole(&self, known: usize, rows: &Jacobian<'_>) -> bool {
        known == rows.blocks.len() && known == self.blocks.len() && known > 0
    }

    /// How many of the first blocks have the columns that they had last time, with the same degrees of freedom.
    pub fn count_known(&self, rows: &Jacobian<'_>, coupled: &[bool]) -> usize {
        let Some(first) = rows.blocks.first() else { return 0 };
        if self.coupled != coupled {
            return 0;
        }
        let columns = &rows.columns[columns_of_all(rows.blocks)];
        let same = if self.columns == columns {
            columns.len()
        } else {
            self.columns.iter().zip(columns).take_while(|(a, b)| a == b).count()
        };
        let shapes = rows.blocks.iter().map(|b| BlockShape::new(b, first));
        let known = self.blocks.iter().zip(shapes);
        known.take_while(|(a, b)| **a == *b && (b.col + b.ncol) as usize <= same).count()
    }

    /// Finds out where entries go, given places of degrees of freedom. Of the first blocks it is known, if these are the
    /// places that they were.
    pub fn arrange(&mut self, rows: &Jacobian<'_>, coupled: &[bool], place: &[u32], known: usize) {
        let known = if self.place == place { known } else { 0 };
        self.keep(known);
        self.columns.clear();
        self.place.clear();
        self.place.grow_extend_from_slice(place);
        self.coupled.clear();
        self.coupled.grow_extend_from_slice(coupled);
        let Some(first) = rows.blocks.first() else { return };
        self.blocks.grow_extend(rows.blocks[known..].iter().map(|b| BlockShape::new(b, first)));
        self.columns.grow_extend_from_slice(&rows.columns[columns_of_all(rows.blocks)]);
        let mut last = 0;
        for (k, b) in rows.blocks.iter().enumerate().skip(known) {
            let columns = rows.columns_of(b);
            let (rank, n) = (b.rank as usize, columns.len());
            let width = self.divide(columns, rows.runs_of(b), place);
            last = self.batch(last, (b.kind == Kind::Pyramid, rank, width));
            let batch = &mut self.batches[last];
            batch.blocks.grow_push(k as u32);
            batch.rows.grow_push(b.row);
            let at = batch.values.len();
            batch.values.grow_resize(at + width * rank, ZERO);
            batch.source.grow_resize(at + width * rank, Source::default());
            let mut quads = batch.source[at..].chunks_exact_mut(rank.max(1));
            let mut quad: &mut [Source] = &mut [];
            let mut before = u32::MAX;
            for piece in &self.pieces {
                if piece.group != before {
                    before = piece.group;
                    batch.groups.grow_push(before);
                    quad = quads.next().unwrap_or_default();
                }
                for (r, quad) in quad.iter_mut().enumerate() {
                    let from = (b.val - first.val) + (r * n + piece.start) as u32;
                    quad.take(from, piece.lane, piece.len);
                }
            }
        }
    }

    /// Forgets all blocks but the first. Shapes come in the order of their first blocks, so that those
    /// without any are the last ones.
    fn keep(&mut self, known: usize) {
        self.blocks.truncate(known);
        for batch in &mut self.batches[..self.used] {
            let count = batch.blocks.partition_point(|&block| (block as usize) < known);
            batch.blocks.truncate(count);
            batch.rows.truncate(count);
            batch.groups.truncate(count * batch.width);
            batch.values.truncate(count * batch.width * batch.rank);
            batch.source.truncate(count * batch.width * batch.rank);
        }
        let filled = |batch: &&Batch| !batch.blocks.is_empty();
        self.used = self.batches[..self.used].iter().take_while(filled).count();
    }

    /// Divides columns into [`Piece`]s; returns how many groups they are in.
    fn divide(&mut self, columns: &[u32], runs: &[Run], place: &[u32]) -> usize {
        self.pieces.clear();
        let (mut start, mut width, mut before) = (0, 0, u32::MAX);
        for run in runs {
            let end = start + run.len as usize;
            while start < end {
                let at = place[columns[start] as usize];
                // Up to the end of the group, or to a gap between trees.
                let mut len = (4 - at as usize % 4).min(end - start);
                while place[columns[start + len - 1] as usize] != at + len as u32 - 1 {
                    len -= 1;
                }
                self.pieces.grow_push(Piece { group: at / 4, lane: at as usize % 4, start, len });
                width += usize::from(at / 4 != before);
                before = at / 4;
                start += len;
            }
        }
        width
    }

    /// Takes over the values.
    pub fn fill(&mut self, rows: &Jacobian<'_>) {
        let Some(first) = rows.blocks.first() else { return };
        let from = &rows.values[first.val as usize..];
        for batch in &mut self.batches[..self.used] {
            fill_quads(from, &batch.source, &mut batch.values);
            if batch.pyramid {
                let values = batch.values.chunks_exact_mut((batch.width * batch.rank).max(1));
                for (values, &block) in values.zip(&batch.blocks) {
                    let cone = rows.blocks[block as usize].cone as usize;
                    let friction = rows.cones.get(cone).map_or([1.0; 5], |c| c.friction);
                    for quads in values.chunks_exact_mut(batch.rank) {
                        for (quad, factor) in quads[1..].iter_mut().zip(friction) {
                            quad.iter_mut().for_each(|x| *x *= factor);
                        }
                    }
                }
            }
        }
    }

    /// The batch of a shape; `last` is the one that was asked for before.
    fn batch(&mut self, last: usize, shape: (bool, usize, usize)) -> usize {
        let fits = |b: &Batch| (b.pyramid, b.rank, b.width) == shape;
        let known = &self.batches[..self.used];
        if known.get(last).is_some_and(fits) {
            return last;
        }
        if let Some(found) = known.iter().position(fits) {
            return found;
        }
        if self.used == self.batches.len() {
            self.batches.grow_push(Batch::default());
        }
        let batch = &mut self.batches[self.used];
        (batch.pyramid, batch.rank, batch.width) = shape;
        batch.blocks.clear();
        batch.rows.clear();
        batch.groups.clear();
        batch.values.clear();
        batch.source.clear();
        self.used += 1;
        self.used - 1
    }
}

/// Calls a kernel with rank and width of a batch as constants, for the shapes that free and sliding
/// bodies give; with a width of zero for all others.
macro_rules! by_shape {
    ($batch:expr, $kernel:ident $arguments:tt) => {
        match ($batch.rank, $batch.width) {
            (3, 1) => $kernel::<3, 1> $arguments,
            (3, 2) => $kernel::<3, 2> $arguments,
            (3, 4) => $kernel::<3, 4> $arguments,
            (1, _) => $kernel::<1, 0> $arguments,
            (2, _) => $kernel::<2, 0> $arguments,
            (3, _) => $kernel::<3, 0> $arguments,
            (4, _) => $kernel::<4, 0> $arguments,
            (5, _) => $kernel::<5, 0> $arguments,
            _ => $kernel::<MAX_RANK, 0> $arguments,
        }
    };
}

/// Blocks that are multiplied together.
const TOGETHER: usize = 32;

/// Four values from `at` on, of which `lanes` are taken, and zero in the others.
#[inline(always)]
fn masked(from: &[f64], at: u32, lanes: u8) -> Quad {
    let mask = &MASKS[lanes as usize % 16];
    let mut quad = ZERO;
    if let Some(four) = from.get(at as usize..).and_then(<[f64]>::first_chunk::<4>) {
        for l in 0..4 {
            quad[l] = f64::from_bits(four[l].to_bits() & mask[l]);
        }
    } else {
        // At the ends, where some of the four are missing.
        for l in (0..4).filter(|l| lanes >> l & 1 == 1) {
            quad[l] = from.get(at.wrapping_add(l as u32) as usize).copied().unwrap_or(0.0);
        }
    }
    quad
}

wide! {
    /// Takes the values of groups from the Jacobian.
    fn fill_quads(from: &[f64], source: &[Source], values: &mut [Quad]) {
        for (to, source) in values.iter_mut().zip(source) {
            *to = masked(from, source.at, source.lanes);
            if source.others != 0 {
                let others = masked(from, source.at_others, source.others);
                for l in 0..4 {
                    to[l] = f64::from_bits(to[l].to_bits() | others[l].to_bits());
                }
            }
        }
    }

    /// `y = J x`.
    pub fn mul(rows: &Groups, x: &[Quad], y: &mut [f64]) {
        let mut sums = [ZERO; TOGETHER * MAX_RANK];
        for batch in &rows.batches[..rows.used] {
            match (batch.rank, batch.width) {
                (1, 1) => mul_singles::<Simd, 1>(batch, x, y),
                (1, 2) => mul_singles::<Simd, 2>(batch, x, y),
                (1, 3) => mul_singles::<Simd, 3>(batch, x, y),
                (1, 4) => mul_singles::<Simd, 4>(batch, x, y),
                _ => by_shape!(batch, mul_batch(batch, x, y, &mut sums)),
            }
        }
    }

    /// `y += Jᵀ f`.
    pub fn tmul_add(rows: &Groups, f: &[f64], y: &mut [Quad]) {
        for batch in &rows.batches[..rows.used] {
            match (batch.rank, batch.width) {
                (1, 1) => add_singles::<Simd, 1>(batch, f, y),
                (1, 2) => add_singles::<Simd, 2>(batch, f, y),
                (1, 3) => add_singles::<Simd, 3>(batch, f, y),
                (1, 4) => add_singles::<Simd, 4>(batch, f, y),
                _ => by_shape!(batch, add_batch(batch, f, y)),
            }
        }
    }
}

/// Products of single rows of `W` groups: four rows at a time.
// Loops count, over slices of one length: iterators over several are compiled as calls here, and indices
// into longer ones are checked.
#[inline(always)]
fn mul_singles<S: Wide, const W: usize>(batch: &Batch, x: &[Quad], y: &mut [f64]) {
    let (groups, values) = (batch.groups.as_chunks::<W>().0, batch.values.as_chunks::<W>().0);
    let n = batch.rows.len().min(groups.len()).min(values.len());
    let (rows, last_rows) = batch.rows[..n].as_chunks::<4>();
    let (groups, last_groups) = groups[..n].as_chunks::<4>();
    let (values, last_values) = values[..n].as_chunks::<4>();
    for four in 0..rows.len().min(groups.len()).min(values.len()) {
        let mut sums = [S::splat(0.0); 4];
        for b in 0..4 {
            sums[b] = product(&groups[four][b], &values[four][b], x);
        }
        let [p, q, r, s] = S::transposed(sums);
        let products = ((p + r) + (q + s)).store();
        if let Some(first) = neighbours(&rows[four])
            && let Some(y) = y[first..].first_chunk_mut()
        {
            *y = products;
            continue;
        }
        for b in 0..4 {
            y[rows[four][b] as usize] = products[b];
        }
    }
    for k in 0..last_rows.len().min(last_groups.len()).min(last_values.len()) {
        let sum: S = product(&last_groups[k], &last_values[k], x);
        y[last_rows[k] as usize] = sum.sum();
    }
}

/// Product of a single row, lane by lane.
// Not a closure: those are compiled without the vector instructions of their surroundings unless they are
// inlined, which no attribute asks for.
#[inline(always)]
fn product<S: Wide, const W: usize>(groups: &[u32; W], values: &[Quad; W], x: &[Quad]) -> S {
    let mut sum = S::splat(0.0);
    for k in 0..W {
        sum += S::load(values[k]) * S::load(x[groups[k] as usize]);
    }
    sum
}

/// The first of four ascending rows if they follow each other, as those of edges do.
#[inline(always)]
fn neighbours(&[first, .., last]: &[u32; 4]) -> Option<usize> {
    (last - first == 3).then_some(first as usize)
}

/// `y += rowsᵀ · forces` for single rows as in [`mul_singles`].
#[inline(always)]
fn add_singles<S: Wide, const W: usize>(batch: &Batch, f: &[f64], y: &mut [Quad]) {
    let (groups, values) = (batch.groups.as_chunks::<W>().0, batch.values.as_chunks::<W>().0);
    let n = batch.rows.len().min(groups.len()).min(values.len());
    let (rows, last_rows) = batch.rows[..n].as_chunks::<4>();
    let (groups, last_groups) = groups[..n].as_chunks::<4>();
    let (values, last_values) = values[..n].as_chunks::<4>();
    for four in 0..rows.len().min(groups.len()).min(values.len()) {
        let mut forces = [0.0; 4];
        if let Some(first) = neighbours(&rows[four])
            && let Some(f) = f[first..].first_chunk()
        {
            forces = *f;
        } else {
            for b in 0..4 {
                forces[b] = f[rows[four][b] as usize];
            }
        }
        for b in 0..4 {
            add_multiple::<S, W>(&groups[four][b], &values[four][b], forces[b], y);
        }
    }
    for k in 0..last_rows.len().min(last_groups.len()).min(last_values.len()) {
        add_multiple::<S, W>(&last_groups[k], &last_values[k], f[last_rows[k] as usize], y);
    }
}

/// Adds a multiple of a single row.
#[inline(always)]
fn add_multiple<S: Wide, const W: usize>(
    groups: &[u32; W],
    values: &[Quad; W],
    factor: f64,
    y: &mut [Quad],
) {
    let factor = S::splat(factor);
    for k in 0..W {
        let y = &mut y[groups[k] as usize];
        *y = (S::load(*y) + S::load(values[k]) * factor).store();
    }
}

/// Products of blocks of `R` stored rows and `W` groups, or any number of groups.
///
/// Products lane by lane go through memory, `sums`, before the lanes are added up: the compiler
/// uses whole registers for both parts then.
#[inline(always)]
fn mul_batch<const R: usize, const W: usize>(
    batch: &Batch,
    x: &[Quad],
    y: &mut [f64],
    sums: &mut [Quad; TOGETHER * MAX_RANK],
) {
    let width = if W > 0 { W } else { batch.width };
    let pyramid = R > 1 && batch.pyramid;
    if width == 0 {
        for &row in &batch.rows {
            y[row as usize..][..if pyramid { 2 * (R - 1) } else { R }].fill(0.0);
        }
        return;
    }
    let groups = batch.groups.chunks(TOGETHER * width);
    let values = batch.values.chunks(TOGETHER * width * R);
    let mut products = [0.0; TOGETHER * MAX_RANK];
    for ((rows, groups), values) in batch.rows.chunks(TOGETHER).zip(groups).zip(values) {
        let sums_of_blocks = sums.as_chunks_mut::<R>().0;
        for block in 0..rows.len() {
            let groups = &groups[block * width..][..width];
            let values = &values[block * R * width..][..R * width];
            let mut sum = [ZERO; R];
            for k in 0..width {
                let x = &x[groups[k] as usize];
                for r in 0..R {
                    for l in 0..4 {
                        sum[r][l] += values[k * R + r][l] * x[l];
                    }
                }
            }
            sums_of_blocks[block] = sum;
        }
        let done = (R * rows.len()).div_ceil(4);
        let fours = sums.as_chunks::<4>().0.iter().zip(products.as_chunks_mut::<4>().0);
        for (sums, products) in fours.take(done) {
            *products = sums.map_inline(|s| (s[0] + s[2]) + (s[1] + s[3]));
        }
        for (&row, products) in rows.iter().zip(products.as_chunks::<R>().0) {
            let y = &mut y[row as usize..];
            if pyramid {
                let y = &mut y[..2 * (R - 1)];
                for k in 1..R {
                    y[2 * k - 2] = products[0] + products[k];
                    y[2 * k - 1] = products[0] - products[k];
                }
            } else {
                y[..R].copy_from_slice(products);
            }
        }
    }
}

/// `y += rowsᵀ · forces` for blocks as in [`mul_batch`].
#[inline(always)]
fn add_batch<const R: usize, const W: usize>(batch: &Batch, f: &[f64], y: &mut [Quad]) {
    let width = if W > 0 { W } else { batch.width };
    if width == 0 {
        return;
    }
    let pyramid = R > 1 && batch.pyramid;
    for block in 0..batch.rows.len() {
        let groups = &batch.groups[block * width..][..width];
        let values = &batch.values[block * R * width..][..R * width];
        let mut forces = [0.0; R];
        let f = &f[batch.rows[block] as usize..];
        if pyramid {
            let f = &f[..2 * (R - 1)];
            for k in 1..R {
                forces[0] += f[2 * k - 2] + f[2 * k - 1];
                forces[k] = f[2 * k - 2] - f[2 * k - 1];
            }
        } else {
            forces.copy_from_slice(&f[..R]);
        }
        for k in 0..width {
            let y = &mut y[groups[k] as usize];
            let mut sum = *y;
            for r in 0..R {
                for l in 0..4 {
                    sum[l] += values[k * R + r][l] * forces[r];
                }
            }
            *y = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::rows::{Cone, push_runs};

    #[test]
    fn products_agree_with_those_of_the_blocks() {
        // Places with a gap, a pyramid across three groups that leaves out a lane of one, and a single row.
        let place = [0, 1, 2, 4, 5, 6, 7, 8];
        let columns = [1, 2, 4, 6, 7, 3];
        let cones = [Cone { mu: 0.5, friction: [0.5, 0.25, 0.0, 0.0, 0.0] }];
        let values: Vec<f64> = (0..16).map(|i| (i as f64).cos()).collect();
        let mut runs = Vec::new();
        push_runs(&columns[..5], &mut runs);
        let nrun = runs.len() as u32;
        push_runs(&columns[5..], &mut runs);
        let block = |kind, rank, row, col, ncol, run, nrun, val| Block {
            kind,
            rank,
            row,
            col,
            ncol,
            run,
            nrun,
            val,
            cone: 0,
        };
        let blocks = [
            block(Kind::Pyramid, 3, 0, 0, 5, 0, nrun, 0),
            block(Kind::Inequality, 1, 4, 5, 1, nrun, 1, 15),
        ];
        let jacobian = Jacobian {
            blocks: &blocks,
            columns: &columns,
            runs: &runs,
            values: &values,
            cones: &cones,
        };
        let mut groups = Groups::default();
        groups.arrange(&jacobian, &[], &place, 0);
        groups.fill(&jacobian);
        let x: Vec<f64> = (0..8).map(|i| (i as f64 + 0.5).sin()).collect();
        let mut padded = [ZERO; 3];
        for (&p, x) in place.iter().zip(&x) {
            padded.as_flattened_mut()[p as usize] = *x;
        }
        let (mut y, mut want) = ([0.0; 5], [0.0; 5]);
        mul(&groups, &padded, &mut y);
        jacobian.mul(&x, &mut want);
        assert!(y.iter().zip(&want).all(|(y, w)| (y - w).abs() < 1e-14), "{y:?} {want:?}");
        let (mut back, mut want) = ([ZERO; 3], [0.0; 8]);
        tmul_add(&groups, &y, &mut back);
        jacobian.tmul_add(&y, &mut want);
        for (&p, w) in place.iter().zip(&want) {
            assert!((back.as_flattened()[p as usize] - w).abs() < 1e-14);
        }
        assert_eq!(back[0][3], 0.0);
    }
}
