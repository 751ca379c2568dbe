//! The Hessian `H = M + Jᵀ W J` of Newton's method, its factor and solves.
//!
//! `W = s″(J x − aref)` is the curvature of the row costs ([`super::row_cost`]), block-diagonal: with
//! `J_b` the rows of block `b` and `W_b` their curvature (for a friction pyramid in terms of the stored
//! axes: `Eᵀ diag(w) E`, where the rows of `E` take axes to edges),
//!
//! ```text
//! H = M + Σ_b J_bᵀ W_b J_b,      H[s,t] = M[s,t] + Σ_b J_b[s]ᵀ (W_b J_b[t])
//! ```
//!
//! for tiles `s`, `t` of four degrees of freedom, over the tiles that the columns of a block fall into.
//! When states change, `W_b` changes by the difference of the old and the new weights, and only the
//! tiles of the blocks concerned are visited; the curvature of an elliptic cone in its middle zone
//! changes with every step, so that `H` is then summed up anew ([`blocks`]).
//!
//! There are three forms, by the number of degrees of freedom: [`dense8`], [`tiles64`], [`SparseTiles`].
//!
//! The factor is `H = Lᵀ D L`, from the last degree of freedom to the first in the order that
//! [`layout`] chooses, so that the mass matrix of a tree factors without fill. Matrices are stored
//! as rows of [`Tile`]s: a kernel treats four by four numbers without an index per number. Lanes
//! without a degree of freedom hold zeros, which stay zero.
//!
//! A row of tiles is factored when all rows below it are (left-looking): it loses
//! `Lₛₜᵀ Dₛ Lₛ꜀` for each row `s` below and each column `c`, then its diagonal tile is factored and
//! its other tiles are divided by it. The matrix itself stays as it is: when active rows change, it
//! is changed accordingly and factored anew. Updating the factor row by row instead costs as much
//! per changed row as a factorisation of a typical robot.

mod blocks;
mod columns;
pub mod dense8;
mod elimination;
mod layout;
mod mass;
mod order;
mod remembered;
mod tile;
pub mod tiles64;

use super::problem::{Inertia, Problem};
use super::rows::{Block, Jacobian, MAX_RANK};
use crate::data::growth::fit;
use blocks::{Blocks, Places, each_block};
use corten_math::memory::Grow;
use corten_math::{Wide, wide};
use layout::{CommonColumns, Layout, Slot, Update, Workspace, is_single};
use tile::{Four, LANES, Pivots, RANKS, Tile, ZERO, finish, subtract};

/// The linear algebra of one problem: what Newton's method needs of it.
pub trait NewtonSystem {
    /// Takes over the mass matrix and the Jacobian of a problem of `n` degrees of freedom, and
    /// finds where the factor can have entries, whichever rows become active.
    fn load(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>);

    /// The vector of the products to come.
    fn set_vector(&mut self, x: &[f64]);

    /// `y = J x` with the vector given or found last.
    fn mul_jacobian<S: Wide>(&mut self, rows: &Jacobian<'_>, y: &mut [f64]);

    /// `y = M x` with the vector given or found last.
    fn mul_inertia<S: Wide>(&mut self, y: &mut [f64]);

    /// `y = Jᵀ f`.
    fn tmul_jacobian(&mut self, rows: &Jacobian<'_>, f: &[f64], y: &mut [f64]);

    /// Builds `H` for the given states and factors it; `known` tells that it has been built for
    /// other states of this problem. Returns how many pivots had to be raised to the smallest
    /// divisor: 0 for a positive definite matrix.
    fn factor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32], known: bool) -> usize;

    /// Finds the direction of search `−H⁻¹ g`, which becomes the vector of the products to come.
    fn solve_direction<S: Wide>(&mut self, gradient: &[f64]);

    /// The direction found last.
    fn direction(&self) -> &[f64];

    /// Number of entries of the factor.
    fn nonzeros(&mut self, problem: &Problem<'_>) -> usize;
}

/// Large islands that keep a layout of their own.
const LAYOUTS: usize = 64;

/// The form for large islands.
#[derive(Clone, Debug)]
pub struct SparseTiles {
    /// One for each of the first islands, since its layout often serves again in the next step; the
    /// others share the last.
    islands: Vec<IslandTiles>,
    /// The island at hand.
    current: usize,
    buffers: Buffers,
    /// Most entries of a factor, and whether that at hand would have more.
    pub max_nonzeros: usize,
    too_large: bool,
}

/// What belongs to the layout of an island.
#[derive(Clone, Debug, Default)]
struct IslandTiles {
    layout: Layout,
    /// The mass matrix; diagonal tiles in full.
    inertia: Vec<Tile>,
    /// Rows of tiles whose factor is out of date.
    stale: Vec<bool>,
    /// `D` of the factor and its inverse by rows of tiles.
    pivots: Vec<Pivots>,
    /// Number of each column in the row that is being factored.
    index: Vec<u32>,
    /// A vector over degrees of freedom by tiles: right-hand side and solution, factor of
    /// products. Lanes without a degree of freedom are zero.
    x: Vec<Four>,
    /// Sums over degrees of freedom by tiles.
    sums: Vec<Four>,
    /// The direction of search, in the order of the problem.
    direction: Vec<f64>,
}

/// What holds nothing from one problem to the next: one set serves all islands.
#[derive(Clone, Debug, Default)]
struct Buffers {
    layout: Workspace,
    rows: Blocks<Span>,
    /// The Hessian.
    matrix: Vec<Tile>,
    /// `L` without its unit diagonal.
    factor: Vec<Tile>,
}

/// Tiles of a block.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    shape: u32,
    /// First tile in the list of the layout, and their number.
    first: u32,
    count: u32,
}

impl Places for Layout {
    type Tiles = Span;
    type Stale = [bool];

    #[inline(always)]
    fn count(tiles: Span) -> usize {
        tiles.count as usize
    }

    #[inline(always)]
    fn list(&self, tiles: Span) -> impl Iterator<Item = usize> {
        self.tile_list(tiles.first, tiles.count).iter().map(|&t| t as usize)
    }

    #[inline(always)]
    fn targets(&self, tiles: Span) -> impl Fn(usize, usize) -> usize {
        let targets = &self.targets[self.shapes[tiles.shape as usize].target as usize..];
        |i, j| targets[i * (i + 1) / 2 + j] as usize
    }

    #[inline(always)]
    fn diagonal(&self, place: usize) -> usize {
        Layout::diagonal(self, place)
    }

    #[inline(always)]
    fn copy(&self, from: &[Tile], to: &mut [Tile]) {
        to.copy_from_slice(from);
    }

    #[inline(always)]
    fn mark_stale(&self, tiles: Span, stale: &mut [bool]) {
        for tile in self.list(tiles) {
            stale[tile] = true;
        }
    }

    #[inline(always)]
    fn mark_place_stale(&self, place: usize, stale: &mut [bool]) {
        stale[place / LANES] = true;
    }
}

impl Default for SparseTiles {
    fn default() -> SparseTiles {
        SparseTiles {
            islands: Vec::new(),
            current: 0,
            buffers: Buffers::default(),
            max_nonzeros: usize::MAX,
            too_large: false,
        }
    }
}

impl SparseTiles {
    /// To be called before the first island of a step.
    pub fn begin(&mut self) {
        self.current = 0;
    }

    /// Whether the problem loaded last has a Hessian with too many entries.
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// To be called when an island has been solved.
    pub fn advance(&mut self) {
        self.current = (self.current + 1).min(LAYOUTS - 1);
    }

    #[inline(always)]
    fn island(&mut self) -> (&mut IslandTiles, &mut Buffers) {
        (&mut self.islands[self.current], &mut self.buffers)
    }
}

impl Blocks<Span> {
    fn place(&mut self, layout: &Layout, rows: &Jacobian<'_>) {
        self.clear();
        for (block, (b, &shape)) in rows.blocks.iter().zip(&layout.blocks).enumerate() {
            if is_single(b) {
                let place = layout.place[rows.columns[b.col as usize] as usize];
                self.push_single(b.row, place, rows.values[b.val as usize]);
                continue;
            }
            let CommonColumns { slot, nslot, .. } = layout.shapes[shape as usize];
            let tiles = Span { shape, first: slot, count: nslot };
            self.push(block, b, tiles, nslot as usize);
        }
        self.close();
        fit(&mut self.jacobian, self.end);
        let slots = layout.shapes.iter().map(|s| s.nslot as usize).max().unwrap_or(0);
        self.weighted.resize(MAX_RANK * slots, [0.0; LANES]);
    }
}

impl NewtonSystem for SparseTiles {
    fn load(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        if self.islands.len() <= self.current {
            self.islands.push(IslandTiles::default());
        }
        let max_nonzeros = self.max_nonzeros;
        let (h, buffers) = self.island();
        let update = h.layout.update(n, inertia, rows, &mut buffers.layout, max_nonzeros);
        self.too_large = update == Update::TooLarge;
        if self.too_large {
            return;
        }
        let (h, buffers) = self.island();
        if update == Update::New {
            let (tiles, rows) = (h.layout.columns.len(), h.layout.rows.len());
            h.inertia.clear();
            fit(&mut h.inertia, tiles);
            h.pivots.clear();
            h.pivots.grow_resize(rows, Pivots::default());
            h.index.resize(rows, 0);
            h.stale.resize(rows, true);
            h.x.grow_resize(rows, [0.0; LANES]);
            h.sums.grow_resize(rows, [0.0; LANES]);
        }
        fit(&mut buffers.matrix, h.inertia.len());
        fit(&mut buffers.factor, h.inertia.len());
        buffers.rows.place(&h.layout, rows);
        load(self, inertia, rows);
    }

    fn set_vector(&mut self, x: &[f64]) {
        let (h, _) = self.island();
        for (to, dofs) in h.x.iter_mut().zip(&h.layout.dofs) {
            *to = dofs.map(|dof| x.get(dof as usize).copied().unwrap_or(0.0));
        }
    }

    fn mul_jacobian<S: Wide>(&mut self, rows: &Jacobian<'_>, y: &mut [f64]) {
        mul_jacobian(self, rows, y);
    }

    fn mul_inertia<S: Wide>(&mut self, y: &mut [f64]) {
        mul_inertia(self, y);
    }

    fn tmul_jacobian(&mut self, rows: &Jacobian<'_>, f: &[f64], y: &mut [f64]) {
        tmul_jacobian(self, rows, f, y);
    }

    fn factor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32], known: bool) -> usize {
        if !known || !change(self, problem, state) {
            build(self, problem, jar, state);
        }
        factor(self)
    }

    fn solve_direction<S: Wide>(&mut self, gradient: &[f64]) {
        let (h, _) = self.island();
        for (to, dofs) in h.x.iter_mut().zip(&h.layout.dofs) {
            *to = dofs.map(|dof| gradient.get(dof as usize).map_or(0.0, |g| -g));
        }
        solve(self);
        let (h, _) = self.island();
        let entries = h.x.as_flattened();
        h.direction.clear();
        h.direction.grow_extend(h.layout.place.iter().map(|&place| entries[place as usize]));
    }

    fn direction(&self) -> &[f64] {
        self.islands.get(self.current).map_or(&[], |h| &h.direction)
    }

    fn nonzeros(&mut self, _: &Problem<'_>) -> usize {
        self.islands.get(self.current).map_or(0, |h| h.layout.nonzeros)
    }
}

wide! {
    fn load(system: &mut SparseTiles, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        let (h, buffers) = system.island();
        let entries = h.inertia.as_flattened_mut().as_flattened_mut();
        for copy in &h.layout.fours {
            let (from, to) = (copy.from as usize, copy.to as usize);
            entries[to..to + LANES].copy_from_slice(&inertia.matrix[from..from + LANES]);
        }
        for copy in &h.layout.ones {
            entries[copy.to as usize] = inertia.matrix[copy.from as usize];
        }
        for row in &h.layout.rows {
            let tile = &mut h.inertia[(row.first + row.len) as usize];
            for k in 1..LANES {
                for i in 0..k {
                    tile[i][k] = tile[k][i];
                }
            }
        }
        let Blocks { placed, jacobian, .. } = &mut buffers.rows;
        each_block!(placed, R, p => {
            let slots = h.layout.slots_of(p.tiles.shape);
            let to = &mut jacobian[p.start as usize..];
            expand::<R>(to, slots, rows, &rows.blocks[p.block as usize]);
        });
    }

    fn mul_jacobian(system: &mut SparseTiles, rows: &Jacobian<'_>, y: &mut [f64]) {
        let (h, buffers) = system.island();
        buffers.rows.mul(&h.layout, rows, &h.x, y);
    }

    fn tmul_jacobian(system: &mut SparseTiles, rows: &Jacobian<'_>, f: &[f64], y: &mut [f64]) {
        let (IslandTiles { layout, sums, .. }, buffers) = system.island();
        sums.fill([0.0; LANES]);
        buffers.rows.tmul_add(layout, rows, f, sums);
        let sums = sums.as_flattened();
        for (y, &place) in y.iter_mut().zip(&layout.place) {
            *y = sums[place as usize];
        }
    }

    fn mul_inertia(system: &mut SparseTiles, y: &mut [f64]) {
        let (IslandTiles { layout, inertia, x, sums, .. }, _) = system.island();
        // A row is complete when all rows after it have added their part.
        sums.fill([0.0; LANES]);
        for (t, row) in layout.rows.iter().enumerate().rev() {
            let end = layout.end(t, |row| row.inertia, layout.inertia.len());
            let xt = x[t];
            let diagonal = &inertia[(row.first + row.len) as usize];
            let mut across = ZERO;
            for &[column, tile] in &layout.inertia[row.inertia as usize..end] {
                let (tile, xc) = (&inertia[tile as usize], x[column as usize]);
                let mut sum = sums[column as usize];
                for k in 0..LANES {
                    for i in 0..LANES {
                        sum[i] += tile[k][i] * xt[k];
                        across[k][i] += tile[k][i] * xc[i];
                    }
                }
                sums[column as usize] = sum;
            }
            let mut sum = sums[t];
            for k in 0..LANES {
                for i in 0..LANES {
                    sum[i] += diagonal[k][i] * xt[k];
                }
            }
            if end > row.inertia as usize {
                for k in 0..LANES {
                    sum[k] += (across[k][0] + across[k][2]) + (across[k][1] + across[k][3]);
                }
            }
            sums[t] = sum;
        }
        let entries = sums.as_flattened();
        for (y, &place) in y.iter_mut().zip(&layout.place) {
            *y = entries[place as usize];
        }
    }

    fn build(system: &mut SparseTiles, problem: &Problem<'_>, jar: &[f64], state: &[i32]) {
        let (h, Buffers { rows, matrix, .. }) = system.island();
        h.stale.fill(true);
        rows.build(&h.layout, problem, jar, state, &h.inertia, matrix);
    }

    fn change(system: &mut SparseTiles, problem: &Problem<'_>, state: &[i32]) -> bool {
        let (h, Buffers { rows, matrix, .. }) = system.island();
        rows.change(&h.layout, problem, state, matrix, &mut h.stale[..])
    }

    fn factor(system: &mut SparseTiles) -> usize {
        let (h, Buffers { matrix, factor, .. }) = system.island();
        let IslandTiles { layout, pivots, index, stale, .. } = h;
        let mut raised = 0;
        for t in (0..layout.rows.len()).rev() {
            if !std::mem::take(&mut stale[t]) {
                continue;
            }
            let row = layout.rows[t];
            let (first, len) = (row.first as usize, row.len as usize);
            let (before, after) = factor.split_at_mut(first + len + 1);
            let target = &mut before[first..];
            target.copy_from_slice(&matrix[first..=first + len]);
            let columns = &layout.columns[first..=first + len];
            for &c in &columns[..len] {
                stale[c as usize] = true;
            }
            let end = layout.end(t, |row| row.below, layout.below.len());
            let below = &layout.below[row.below as usize..end];
            if !below.is_empty() {
                for (k, &c) in columns.iter().enumerate() {
                    index[c as usize] = k as u32;
                }
            }
            for b in below {
                let s = layout.rows[b.row as usize];
                let start = s.first as usize;
                let count = b.index as usize;
                let tiles = &after[start - (first + len + 1)..][..=count];
                let columns = &layout.columns[start..][..=count];
                let pairs =
                    columns.iter().enumerate().map(|(k, &c)| (index[c as usize] as usize, k));
                let (last, d) = (&tiles[count], &pivots[b.row as usize].value);
                let wide = row.lanes > 2;
                match s.lanes {
                    1 => subtract::<1>(target, tiles, last, d, wide, pairs),
                    2 => subtract::<2>(target, tiles, last, d, wide, pairs),
                    3 => subtract::<3>(target, tiles, last, d, wide, pairs),
                    _ => subtract::<4>(target, tiles, last, d, wide, pairs),
                }
            }
            let pivots = &mut pivots[t];
            raised += match row.lanes {
                1 => finish::<1>(target, pivots, 0..len),
                2 => finish::<2>(target, pivots, 0..len),
                3 => finish::<3>(target, pivots, 0..len),
                _ => finish::<4>(target, pivots, 0..len),
            };
        }
        raised
    }

    /// Solves for the vector given last.
    fn solve(system: &mut SparseTiles) {
        let (IslandTiles { layout, pivots, x: by_tile, .. }, Buffers { factor, .. }) =
            system.island();
        for (t, row) in layout.rows.iter().enumerate().rev() {
            let tiles = &factor[row.first as usize..][..=row.len as usize];
            let columns = &layout.columns[row.first as usize..][..row.len as usize];
            let [left @ .., diagonal] = tiles else { continue };
            let mut xt = by_tile[t];
            for k in (1..LANES).rev() {
                for i in 0..k {
                    xt[i] -= diagonal[k][i] * xt[k];
                }
            }
            for (tile, &c) in left.iter().zip(columns) {
                let mut to = by_tile[c as usize];
                for k in 0..LANES {
                    for i in 0..LANES {
                        to[i] -= tile[k][i] * xt[k];
                    }
                }
                by_tile[c as usize] = to;
            }
            for k in 0..LANES {
                xt[k] *= pivots[t].inverse[k];
            }
            by_tile[t] = xt;
        }
        for (t, row) in layout.rows.iter().enumerate() {
            let tiles = &factor[row.first as usize..][..=row.len as usize];
            let columns = &layout.columns[row.first as usize..][..row.len as usize];
            let [left @ .., diagonal] = tiles else { continue };
            let mut sums = ZERO;
            for (tile, &c) in left.iter().zip(columns) {
                let from = by_tile[c as usize];
                for k in 0..LANES {
                    for i in 0..LANES {
                        sums[k][i] += tile[k][i] * from[i];
                    }
                }
            }
            let mut xt = by_tile[t];
            for k in 0..LANES {
                xt[k] -= (sums[k][0] + sums[k][2]) + (sums[k][1] + sums[k][3]);
            }
            for k in 1..LANES {
                for i in 0..k {
                    xt[k] -= diagonal[k][i] * xt[i];
                }
            }
            by_tile[t] = xt;
        }
    }
}

/// The rows of a block, tile by tile.
#[inline(always)]
fn expand<const R: usize>(to: &mut [Four], slots: &[Slot], rows: &Jacobian<'_>, b: &Block) {
    let rank = (b.rank as usize).min(R);
    for (slot, to) in slots.iter().zip(to.as_chunks_mut::<R>().0) {
        *to = [[0.0; LANES]; R];
        for r in 0..rank {
            to[r] = slot.gather(rows.values, b.val as usize + r * b.ncol as usize);
        }
    }
}
