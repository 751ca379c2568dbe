//! Columns of blocks, by tiles: which tiles they fall into, and in which lanes. They often are the
//! same in the next step, and are found anew wherever they differ.

use super::super::rows::Run;
use super::tile::{Four, LANES};
use corten_math::array;
use corten_math::array::MapInline;
use corten_math::memory::Grow;

/// Most degrees of freedom: a set of bits has one for each.
pub const MAX_DOFS: usize = 64;

pub const ROWS: usize = MAX_DOFS / LANES;

/// The columns of consecutive blocks, where they differ: as runs, and by tiles.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// How often columns have been found anew.
    pub changes: u64,
    shapes: Vec<ColumnEnds>,
    runs: Vec<Run>,
    slots: Vec<Slot>,
}

/// Where the runs and slots of some columns end, and their tiles.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnEnds {
    run: u32,
    slot: u32,
    pub tiles: Tiles,
}

/// Columns within one tile that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The tile, and its number among those of the columns.
    pub tile: u32,
    pub number: u32,
    /// Whether it is the first slot of its tile.
    first: bool,
    /// The column that lane 0 would have.
    base: isize,
    /// All bits set in lanes that have a column.
    mask: [u64; LANES],
}

impl Slot {
    /// Puts the numbers of a row into their lanes, and zeros into the others unless another slot
    /// has been there before; the row starts at `at`.
    #[inline(always)]
    pub fn put(&self, values: &[f64], at: usize, to: &mut Four) {
        let start = at.wrapping_add_signed(self.base);
        match values.get(start..start.wrapping_add(LANES)) {
            Some(&[a, b, c, d]) => self.put_four(&[a, b, c, d], to),
            _ => self.put_end(values, start, to),
        }
    }

    /// [`Self::put`] for rows of `ncol` numbers that follow each other, the first of which starts at `at`.
    #[inline(always)]
    pub fn put_rows<const R: usize>(
        &self,
        values: &[f64],
        at: usize,
        ncol: usize,
        to: &mut [Four; R],
    ) {
        let start = at.wrapping_add_signed(self.base);
        let end = start.wrapping_add((R - 1) * ncol + LANES);
        // One question for all rows.
        let Some(own) = values.get(start..end) else {
            for r in 0..R {
                self.put(values, at + r * ncol, &mut to[r]);
            }
            return;
        };
        for r in 0..R {
            if let Some(four) = own.get(r * ncol..).and_then(|row| row.first_chunk()) {
                self.put_four(four, &mut to[r]);
            }
        }
    }

    #[inline(always)]
    fn put_four(&self, four: &Four, to: &mut Four) {
        let [a, b, c, d] = four.map_inline(f64::to_bits);
        let [m, n, o, p] = self.mask;
        let new = [a & m, b & n, c & o, d & p];
        if self.first {
            *to = new.map_inline(f64::from_bits);
        } else {
            let [a, b, c, d] = to.map_inline(f64::to_bits);
            *to = [a | new[0], b | new[1], c | new[2], d | new[3]].map_inline(f64::from_bits);
        }
    }

    /// Where fewer than four numbers are left, on either side.
    #[cold]
    fn put_end(&self, values: &[f64], start: usize, to: &mut Four) {
        let value = |k: usize| values.get(start.wrapping_add(k)).copied().unwrap_or(0.0);
        self.put_four(&array::from_fn(value), to);
    }
}

/// Tiles of consecutive columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tiles {
    pub set: u32,
    pub count: u32,
}

impl Tiles {
    /// Puts more columns into tiles: the first has number `column` and is degree of freedom `start`.
    #[inline(always)]
    fn push(&mut self, slots: &mut Vec<Slot>, column: usize, start: usize, end: usize) {
        for tile in start / LANES..end.div_ceil(LANES) {
            let lane = tile * LANES;
            let first = self.set >> tile == 0;
            self.set |= 1 << tile;
            self.count += u32::from(first);
            let (low, high) = (start.saturating_sub(lane) % LANES, (end - lane).min(LANES));
            slots.grow_push(Slot {
                tile: tile as u32,
                number: self.count - 1,
                first,
                base: (column + lane) as isize - start as isize,
                mask: MASKS[low][high],
            });
        }
    }
}

/// All bits set in the lanes from the first up to, without, the second index.
const MASKS: [[[u64; LANES]; LANES + 1]; LANES] = {
    let mut masks = [[[0; LANES]; LANES + 1]; LANES];
    let mut low = 0;
    while low < LANES {
        let mut high = low + 1;
        while high <= LANES {
            let mut lane = low;
            while lane < high {
                masks[low][high][lane] = u64::MAX;
                lane += 1;
            }
            high += 1;
        }
        low += 1;
    }
    masks
};

impl Columns {
    /// The shape of a block's columns, which follows the one given and has this number.
    #[inline(always)]
    pub fn place(&mut self, runs: &[Run], last: ColumnEnds, number: usize) -> ColumnEnds {
        let (run, slot) = (last.run as usize, last.slot as usize);
        let mut shape = self.shapes.get(number).copied().unwrap_or_default();
        let known = self.runs.get(run..shape.run as usize).unwrap_or_default();
        let same = known.len() == runs.len() && known.iter().zip(runs).all(|(a, b)| a == b);
        if !same || known.is_empty() {
            self.changes += 1;
            self.shapes.truncate(number);
            self.runs.truncate(run);
            self.slots.truncate(slot);
            let mut tiles = Tiles::default();
            let mut column = 0;
            for run in runs {
                let (start, len) = (run.start as usize, run.len as usize);
                tiles.push(&mut self.slots, column, start, start + len);
                column += len;
            }
            self.runs.grow_extend_from_slice(runs);
            shape =
                ColumnEnds { run: self.runs.len() as u32, slot: self.slots.len() as u32, tiles };
            self.shapes.push(shape);
        }
        shape
    }

    /// The slots of a shape that follows another.
    #[inline(always)]
    pub fn slots(&self, last: ColumnEnds, shape: ColumnEnds) -> &[Slot] {
        &self.slots[last.slot as usize..shape.slot as usize]
    }
}

/// The bits of a set, ascending.
#[derive(Clone, Copy)]
pub struct Bits(pub u32);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        // The bound spares a check wherever the bit is an index.
        Some(bit % ROWS)
    }
}

/// Bits up to `t`, without it.
#[inline(always)]
pub fn before(t: usize) -> u32 {
    (1 << t) - 1
}
