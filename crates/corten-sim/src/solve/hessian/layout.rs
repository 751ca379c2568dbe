//! Where the entries of the Hessian and of its factor are: the symbolic part of the factorisation.
//!
//! What fills in is found by [`super::elimination`]. In the order of the model the mass matrix fills
//! nothing in; where constraints between trees fill in much, a minimum degree order is tried.
//!
//! Entries live in tiles of [`LANES`]² numbers. The degrees of freedom of a segment are put into
//! tiles in their order; a segment that has room in the last tile of its parent goes there. Since
//! what is above a segment is above its parent too, this adds tiles to no row.

use super::super::problem::Inertia;
use super::super::rows::{Block, Jacobian, Run};
use super::elimination::{NONE, Segments, Structure};
use super::order::Order;
use super::tile::LANES;
use corten_math::array;
use corten_math::array::MapInline;
use corten_math::memory::Grow;

/// Multiplications in the order of the model, below which no other order is tried.
const CHEAP: u64 = 30_000;

/// Factor by which another order has to have fewer multiplications.
const WORTHWHILE: u64 = 4;

#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Tile and lane of each degree of freedom, as `LANES · tile + lane`.
    pub place: Vec<u32>,
    /// Degrees of freedom of each tile; too large in lanes that have none.
    pub dofs: Vec<[u32; LANES]>,
    pub rows: Vec<TileRow>,
    /// Columns of all tiles, row after row, ascending; the last one of each row is the diagonal.
    pub columns: Vec<u32>,
    /// Tiles below each diagonal tile, column after column.
    pub below: Vec<Below>,
    /// Where the mass matrix goes: fours of entries, and the rest one by one.
    pub fours: Vec<Copy>,
    pub ones: Vec<Copy>,
    /// The tiles left of the diagonal that it has entries in, row by row: column and number.
    pub inertia: Vec<[u32; 2]>,
    /// The shapes of blocks.
    pub shapes: Vec<CommonColumns>,
    /// Index of the common columns of each block; of single entries there is none.
    pub blocks: Vec<u32>,
    pub slots: Vec<Slot>,
    /// Tiles of the slots.
    tiles: Vec<u32>,
    /// Tiles of each shape: those of its lower triangle, row by row.
    pub targets: Vec<u32>,
    /// Entries of the factor.
    pub nonzeros: usize,
    n: usize,
    key: Key,
}

/// What became of a layout for the problem at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It is that of the last problem.
    Same,
    New,
    /// There is none.
    TooLarge,
}

/// What serves to find a layout, and is of no use afterwards.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    segments: Segments,
    natural: Structure,
    reordered: Structure,
    order: Order,
    sequence: Vec<u32>,
    spots: Vec<Spot>,
}

/// The tiles of a segment: one that it shares with its parent, and its own.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    shared: u32,
    first: u32,
    count: u32,
}

impl Spot {
    fn last(self) -> u32 {
        if self.count > 0 { self.first + self.count - 1 } else { self.shared }
    }

    fn tiles(self) -> impl Iterator<Item = u32> {
        (self.shared != NONE)
            .then_some(self.shared)
            .into_iter()
            .chain(self.first..self.first + self.count)
    }
}

/// A row of tiles; all its columns are ancestors in the elimination tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct TileRow {
    /// First tile.
    pub first: u32,
    /// Tiles left of the diagonal.
    pub len: u32,
    /// Lanes in use.
    pub lanes: u32,
    /// First entry in `below`.
    pub below: u32,
    /// First entry in `inertia`.
    pub inertia: u32,
}

impl Layout {
    #[inline(always)]
    pub fn slots_of(&self, shape: u32) -> &[Slot] {
        let shape = &self.shapes[shape as usize];
        &self.slots[shape.slot as usize..][..shape.nslot as usize]
    }

    /// The tiles of some slots.
    #[inline(always)]
    pub fn tile_list(&self, first: u32, count: u32) -> &[u32] {
        &self.tiles[first as usize..][..count as usize]
    }

    /// The diagonal entry at a place.
    #[inline(always)]
    pub fn diagonal(&self, place: usize) -> usize {
        let row = self.rows[place / LANES];
        (row.first + row.len) as usize * LANES * LANES + place % LANES * (LANES + 1)
    }

    /// The end of a list whose pieces start in the rows of tiles.
    #[inline(always)]
    pub fn end(&self, row: usize, start: impl Fn(&TileRow) -> u32, len: usize) -> usize {
        self.rows.get(row + 1).map_or(len, |next| start(next) as usize)
    }
}

impl TileRow {
    fn left<'a>(&self, columns: &'a [u32]) -> &'a [u32] {
        &columns[self.first as usize..][..self.len as usize]
    }
}

/// A tile below the diagonal: its row, and its number in the row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Below {
    pub row: u32,
    pub index: u32,
}

/// Positions of an entry in the mass matrix and in the tiles.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    pub from: u32,
    pub to: u32,
}

/// Columns that blocks have in common.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommonColumns {
    /// First slot and number of slots: the tiles that the columns occur in.
    pub slot: u32,
    pub nslot: u32,
    pub target: u32,
}

/// The columns of a shape within one tile.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    tile: u32,
    count: u32,
    /// Column in each lane.
    source: [u32; LANES],
    /// The column that lane 0 would have, if columns and lanes ascend together; out of range
    /// otherwise.
    base: isize,
    /// All bits set in lanes that have a column.
    mask: [u64; LANES],
}

impl Slot {
    fn new(tile: u32) -> Slot {
        Slot { tile, count: 0, source: [NONE; LANES], base: isize::MIN, mask: [0; LANES] }
    }

    /// The numbers of a row by lanes, zero where there is no column; the row starts at `at`.
    #[inline(always)]
    pub fn gather(&self, values: &[f64], at: usize) -> [f64; LANES] {
        let base = at.wrapping_add(self.base as usize);
        if let Some(four) = values.get(base..base.wrapping_add(LANES)) {
            return array::from_fn(|k| f64::from_bits(four[k].to_bits() & self.mask[k]));
        }
        let value = |column| if column == NONE { 0.0 } else { values[at + column as usize] };
        self.source.map_inline(value)
    }

    fn put(&mut self, lane: usize, column: u32) {
        self.source[lane] = column;
        self.mask[lane] = u64::MAX;
        self.count += 1;
        let base = column as isize - lane as isize;
        self.base = if self.count == 1 || self.base == base { base } else { isize::MIN };
    }
}

/// What the layout depends on: the degrees of freedom, and the columns of the blocks. Blocks in a
/// row that have the same columns count as one, single entries not at all.
#[derive(Clone, Debug, Default)]
struct Key {
    dofs: Vec<i32>,
    runs: Vec<Run>,
    /// Where the runs of each shape end.
    ends: Vec<u32>,
}

impl Key {
    fn shape(&self, shape: usize) -> &[Run] {
        let start = shape.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.runs[start as usize..self.ends[shape] as usize]
    }

    fn shapes(&self) -> impl Iterator<Item = &[Run]> + Clone {
        (0..self.ends.len()).map(|shape| self.shape(shape))
    }

    /// Whether the blocks have these columns; then finds the shape of each.
    fn matches(&self, dofs: &[i32], rows: &Jacobian<'_>, blocks: &mut Vec<u32>) -> bool {
        if self.dofs != dofs {
            return false;
        }
        blocks.clear();
        let (mut next, mut current): (usize, &[Run]) = (0, &[]);
        for b in rows.blocks {
            if is_single(b) {
                blocks.push(NONE);
                continue;
            }
            let runs = rows.runs_of(b);
            if next == 0 || !same(runs, current) {
                if next == self.ends.len() || !same(runs, self.shape(next)) {
                    return false;
                }
                (next, current) = (next + 1, runs);
            }
            blocks.push(next as u32 - 1);
        }
        next == self.ends.len()
    }

    fn set(&mut self, dofs: &[i32], rows: &Jacobian<'_>, blocks: &mut Vec<u32>) {
        self.dofs.clear();
        self.dofs.extend_from_slice(dofs);
        self.runs.clear();
        self.ends.clear();
        blocks.clear();
        let mut current: &[Run] = &[];
        for b in rows.blocks {
            if is_single(b) {
                blocks.push(NONE);
                continue;
            }
            let runs = rows.runs_of(b);
            if self.ends.is_empty() || runs != current {
                self.runs.grow_extend_from_slice(runs);
                self.ends.grow_push(self.runs.len() as u32);
                current = runs;
            }
            blocks.grow_push(self.ends.len() as u32 - 1);
        }
    }
}

/// Equality of short lists.
fn same(a: &[Run], b: &[Run]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// Limits and friction of joints: no tile, one number.
#[inline(always)]
pub fn is_single(b: &Block) -> bool {
    b.rank == 1 && b.ncol == 1
}

impl Layout {
    /// Finds where the factor can have entries, whichever rows become active. From step to step
    /// this often stays the same. Nothing is found if the factor would have more than `max_nonzeros`.
    pub fn update(
        &mut self,
        n: usize,
        inertia: &Inertia<'_>,
        rows: &Jacobian<'_>,
        work: &mut Workspace,
        max_nonzeros: usize,
    ) -> Update {
        let dofs = inertia.dofs.unwrap_or_default();
        if self.n == n && self.key.matches(dofs, rows, &mut self.blocks) {
            return Update::Same;
        }
        self.key.set(dofs, rows, &mut self.blocks);
        self.n = n;
        work.segments.find(n, inertia, self.key.shapes());
        let count = work.segments.weight.len() as u32;
        work.natural.segment.clear();
        work.natural.segment.grow_extend(0..count);
        let mut fits = work.natural.find(&work.segments, max_nonzeros);
        let mut reorder = false;
        if work.natural.multiplications > CHEAP {
            let (segments, sequence) = (&work.segments, &mut work.sequence);
            work.order.minimum_degree(&segments.weight, &segments.cliques, sequence);
            work.reordered.segment.clear();
            work.reordered.segment.grow_extend(sequence.iter().rev().copied());
            let reordered_fits = work.reordered.find(segments, max_nonzeros);
            let (new, old) = (work.reordered.multiplications, work.natural.multiplications);
            reorder = reordered_fits && (!fits || new + new / WORTHWHILE < old);
            fits |= reordered_fits;
        }
        if !fits {
            // No layout: not that of the next problem either.
            self.n = usize::MAX;
            return Update::TooLarge;
        }
        self.place_tiles(reorder, work);
        self.transpose(&mut work.sequence);
        self.place_inertia(inertia, &mut work.sequence);
        self.place_shapes();
        Update::New
    }

    /// Puts degrees of freedom into tiles, subtree after subtree, and finds the columns of the
    /// rows of tiles.
    fn place_tiles(&mut self, reorder: bool, work: &mut Workspace) {
        let Layout { rows, dofs: dofs_of, columns, place, .. } = self;
        let Workspace { segments, natural, reordered, spots, .. } = work;
        let s = if reorder { reordered } else { natural };
        self.nonzeros = s.nonzeros;
        rows.clear();
        dofs_of.clear();
        columns.clear();
        place.clear();
        place.grow_resize(self.n, 0);
        // Gives a degree of freedom the next lane of a tile.
        let mut occupy =
            |rows: &mut [TileRow], dofs: &mut [[u32; LANES]], tile: u32, dof: usize| {
                let row = &mut rows[tile as usize];
                place[dof] = tile * LANES as u32 + row.lanes;
                dofs[tile as usize][row.lanes as usize] = dof as u32;
                row.lanes += 1;
            };
        spots.clear();
        spots.grow_resize(s.segment.len(), Spot::default());
        s.stack.clear();
        s.stack.extend((0..s.segment.len() as u32).rev().filter(|&p| s.parent[p as usize] == NONE));
        while let Some(p) = s.stack.pop() {
            let p = p as usize;
            let mut child = s.child[p];
            while child != NONE {
                s.stack.push(child);
                child = s.next_child[child as usize];
            }
            let dofs = segments.dofs(s.segment[p]);
            let count = dofs.len();
            let mut spot = Spot { shared: NONE, first: rows.len() as u32, count: 0 };
            let mut next = dofs.start as usize;
            let parent = s.parent[p];
            if parent != NONE {
                let tile = spots[parent as usize].last();
                let room = LANES - rows[tile as usize].lanes as usize;
                let alone = s.child[parent as usize] == p as u32 && s.next_child[p] == NONE;
                let fewer = count.saturating_sub(room).div_ceil(LANES) < count.div_ceil(LANES);
                if room > 0 && (alone || fewer) {
                    spot.shared = tile;
                    for _ in 0..room.min(count) {
                        occupy(rows, dofs_of, tile, next);
                        next += 1;
                    }
                }
            }
            while next < dofs.end as usize {
                let tile = rows.len() as u32;
                let first = columns.len() as u32;
                for &q in s.above(p) {
                    spots[q as usize].tiles().for_each(|t| push_new(columns, first, t));
                }
                spot.tiles().for_each(|t| push_new(columns, first, t));
                let len = columns.len() as u32 - first;
                columns.grow_push(tile);
                rows.grow_push(TileRow { first, len, lanes: 0, below: 0, inertia: 0 });
                dofs_of.grow_push([NONE; LANES]);
                spot.count += 1;
                for _ in 0..LANES.min(dofs.end as usize - next) {
                    occupy(rows, dofs_of, tile, next);
                    next += 1;
                }
            }
            spots[p] = spot;
        }
    }

    /// The tiles below each diagonal tile.
    fn transpose(&mut self, counts: &mut Vec<u32>) {
        counts.clear();
        counts.resize(self.rows.len() + 1, 0);
        for row in &self.rows {
            for &c in row.left(&self.columns) {
                counts[c as usize] += 1;
            }
        }
        let mut total = 0;
        for (row, count) in self.rows.iter_mut().zip(counts.iter_mut()) {
            row.below = total;
            total += std::mem::replace(count, total);
        }
        self.below.clear();
        self.below.grow_resize(total as usize, Below::default());
        for (r, row) in self.rows.iter().enumerate() {
            for (index, &c) in row.left(&self.columns).iter().enumerate() {
                let at = &mut counts[c as usize];
                self.below[*at as usize] = Below { row: r as u32, index: index as u32 };
                *at += 1;
            }
        }
    }

    /// Position of an entry in the tiles, given the places of its row and column.
    fn entry(&self, a: u32, b: u32) -> u32 {
        let (low, high) = (a.min(b), a.max(b));
        let lanes = LANES as u32;
        let row = self.rows[(high / lanes) as usize];
        let columns = &self.columns[row.first as usize..][..=row.len as usize];
        let index = columns.partition_point(|&c| c < low / lanes) as u32;
        ((row.first + index) * lanes + high % lanes) * lanes + low % lanes
    }

    fn place_inertia(&mut self, inertia: &Inertia<'_>, used: &mut Vec<u32>) {
        self.fours.clear();
        self.ones.clear();
        used.clear();
        used.grow_resize(self.columns.len(), 0);
        let lanes = LANES as u32;
        for (i, &row) in self.place.iter().enumerate() {
            let (from, chain, shift) = inertia.row(i);
            let tiles = self.rows[(row / lanes) as usize];
            let columns = &self.columns[tiles.first as usize..][..=tiles.len as usize];
            let (mut index, mut k) = (0, 0);
            while k < chain.len() {
                let column = self.place[chain[k] as usize - shift];
                let from = (from + k) as u32;
                if column > row {
                    // Below the row, in that of the column.
                    let to = self.entry(row, column);
                    used[to as usize / (LANES * LANES)] = 1;
                    self.ones.grow_push(Copy { from, to });
                    k += 1;
                    continue;
                }
                let room = (lanes - column % lanes) as usize;
                let after = chain[k..].iter().take(room).zip(column..);
                let count =
                    after.take_while(|&(&c, p)| self.place[c as usize - shift] == p && p <= row);
                let count = count.count();
                // Mostly ascending.
                if columns[index] > column / lanes {
                    index = 0;
                }
                while columns[index] < column / lanes {
                    index += 1;
                }
                let tile = tiles.first + index as u32;
                used[tile as usize] = 1;
                let to = (tile * lanes + row % lanes) * lanes + column % lanes;
                if count == LANES {
                    self.fours.grow_push(Copy { from, to });
                } else {
                    let copies = (0..count as u32).map(|j| Copy { from: from + j, to: to + j });
                    self.ones.grow_extend(copies);
                }
                k += count.max(1);
            }
        }
        self.inertia.clear();
        for row in &mut self.rows {
            row.inertia = self.inertia.len() as u32;
            for tile in row.first..row.first + row.len {
                if used[tile as usize] != 0 {
                    self.inertia.grow_push([self.columns[tile as usize], tile]);
                }
            }
        }
    }

    fn place_shapes(&mut self) {
        let Layout { key, place, rows, columns: all, shapes, slots, tiles, targets, .. } = self;
        shapes.clear();
        slots.clear();
        tiles.clear();
        targets.clear();
        for runs in key.shapes() {
            let (slot, target) = (slots.len(), targets.len() as u32);
            let lanes = LANES as u32;
            let dofs = runs.iter().flat_map(|run| run.start..run.start + run.len);
            let mut ascending = true;
            for (column, dof) in dofs.enumerate() {
                let place = place[dof as usize];
                let (tile, lane) = (place / lanes, (place % lanes) as usize);
                // Mostly the last one.
                let known = slots[slot..].iter().rposition(|s| s.tile == tile);
                let at = known.unwrap_or_else(|| {
                    ascending &= slots[slot..].last().is_none_or(|s| s.tile < tile);
                    slots.grow_push(Slot::new(tile));
                    slots.len() - 1 - slot
                });
                slots[slot + at].put(lane, column as u32);
            }
            if !ascending {
                slots[slot..].sort_unstable_by_key(|s| s.tile);
            }
            tiles.grow_extend(slots[slot..].iter().map(|s| s.tile));
            for i in slot..slots.len() {
                let row = rows[slots[i].tile as usize];
                let columns = &all[row.first as usize..][..=row.len as usize];
                let mut index = 0;
                for s in &slots[slot..=i] {
                    // Neighbours follow each other; long rows have gaps.
                    while columns.get(index + 8).is_some_and(|&c| c < s.tile) {
                        index += 8;
                    }
                    while columns[index] < s.tile {
                        index += 1;
                    }
                    targets.grow_push(row.first + index as u32);
                }
            }
            let nslot = (slots.len() - slot) as u32;
            shapes.grow_push(CommonColumns { slot: slot as u32, nslot, target });
        }
    }
}

/// Appends a tile to the columns from `first` on, unless it is the last one already.
fn push_new(columns: &mut Vec<u32>, first: u32, tile: u32) {
    if columns[first as usize..].last() != Some(&tile) {
        columns.grow_push(tile);
    }
}
