//! The Hessian `H = M + Jᵀ W J` of Newton's method, its factor and solves.
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

mod layout;
mod order;

use super::cost::{CONE, QUADRATIC, cone_hessian};
use super::problem::{Inertia, Problem};
use super::rows::{Block, Jacobian, Kind, MAX_RANK};
use crate::data::room::fit;
use corten_math::{MIN_VAL, wide};
use layout::{LANES, Layout, Shape, Slot, is_single};

/// Numbers that the processor treats together.
type Four = [f64; LANES];

/// Four rows of four columns.
type Tile = [Four; LANES];

const ZERO: Tile = [[0.0; LANES]; LANES];

#[derive(Clone, Debug, Default)]
pub struct Hessian {
    layout: Layout,
    /// The mass matrix; diagonal tiles in full.
    inertia: Vec<Tile>,
    /// The Jacobian: of each block the rows in one tile after the other.
    jacobian: Vec<Four>,
    /// Blocks by the number of rows that they take: see [`RANKS`].
    blocks: [Vec<Placed>; RANKS.len()],
    singles: Vec<Single>,
    /// The Hessian, and the states that it belongs to; none if it has parts that depend on more
    /// than states.
    matrix: Vec<Tile>,
    states: Vec<i32>,
    /// Rows of tiles whose factor is out of date.
    stale: Vec<bool>,
    /// `L` without its unit diagonal, and `D` and its inverse by rows of tiles.
    factor: Vec<Tile>,
    pivots: Vec<Pivots>,
    /// Number of each column in the row that is being factored.
    index: Vec<u32>,
    /// Rows of a block by tiles, times the weights.
    weighted: Vec<Four>,
    /// Products of the stored rows, in four sums each, and summed up.
    partial: Vec<Four>,
    products: Vec<f64>,
    /// A vector over degrees of freedom by tiles: right-hand side and solution, factor of
    /// products. Lanes without a degree of freedom are zero.
    x: Vec<Four>,
    /// Sums over degrees of freedom by tiles.
    sums: Vec<Four>,
}

/// The parts of a Hessian that hold nothing from one problem to the next: one set serves all.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    jacobian: Vec<Four>,
    matrix: Vec<Tile>,
    factor: Vec<Tile>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pivots {
    value: Four,
    inverse: Four,
}

/// A block with several columns or rows: where all that concerns it is.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Its number among all blocks.
    block: u32,
    shape: u32,
    /// First tile in the list of the layout, and their number.
    tile: u32,
    tiles: u32,
    /// First four of its rows, and first of its products.
    start: u32,
    product: u32,
    kind: Kind,
    /// First constraint row, and their number.
    row: u32,
    rows: u32,
    cone: u32,
}

/// A limit or the friction of a joint: one row with one entry.
#[derive(Clone, Copy, Debug)]
struct Single {
    row: u32,
    place: u32,
    value: f64,
}

/// Numbers of rows for which there are kernels; others take the next larger one.
const RANKS: [usize; 4] = [1, 3, 4, MAX_RANK];

/// A loop over blocks for each number of rows, which is a constant within it.
macro_rules! each_block {
    ($blocks:expr, $rank:ident, $p:ident => $body:block) => {
        each_block!(@ $blocks, $rank, $p => $body, 0 1 2 3)
    };
    (@ $blocks:expr, $rank:ident, $p:ident => $body:block, $($k:literal)*) => {
        $({
            const $rank: usize = RANKS[$k];
            for $p in &$blocks[$k] $body
        })*
    };
}

impl Hessian {
    /// Number of entries of the factor.
    pub fn nonzeros(&self) -> usize {
        self.layout.nonzeros
    }

    /// Borrows working memory before a problem is loaded, or gives it back.
    pub fn exchange(&mut self, buffers: &mut Buffers) {
        std::mem::swap(&mut self.jacobian, &mut buffers.jacobian);
        std::mem::swap(&mut self.matrix, &mut buffers.matrix);
        std::mem::swap(&mut self.factor, &mut buffers.factor);
    }

    /// Takes over the mass matrix and the Jacobian of a problem, and finds where the factor can
    /// have entries, whichever rows become active.
    pub fn load(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        if self.layout.update(n, inertia, rows) {
            let (tiles, rows) = (self.layout.columns.len(), self.layout.rows.len());
            self.inertia.clear();
            fit(&mut self.inertia, tiles);
            self.pivots.clear();
            self.pivots.resize(rows, Pivots::default());
            self.index.resize(rows, 0);
            self.stale.resize(rows, true);
            self.x.resize(rows, [0.0; LANES]);
            self.sums.resize(rows, [0.0; LANES]);
            let slots = self.layout.shapes.iter().map(|s| s.nslot as usize).max().unwrap_or(0);
            self.weighted.resize(MAX_RANK * slots, [0.0; LANES]);
        }
        fit(&mut self.matrix, self.inertia.len());
        fit(&mut self.factor, self.inertia.len());
        self.place_blocks(rows);
        load(self, inertia, rows);
    }

    fn place_blocks(&mut self, rows: &Jacobian<'_>) {
        self.blocks.iter_mut().for_each(Vec::clear);
        self.singles.clear();
        let (mut start, mut product) = (0, 0);
        for (block, (b, &shape)) in rows.blocks.iter().zip(&self.layout.blocks).enumerate() {
            if is_single(b) {
                let place = self.layout.place[rows.columns[b.col as usize] as usize];
                let value = rows.values[b.val as usize];
                self.singles.push(Single { row: b.row, place, value });
                continue;
            }
            let Shape { slot, nslot, .. } = self.layout.shapes[shape as usize];
            let kernel = match b.rank {
                0 | 1 => 0,
                2 | 3 => 1,
                4 => 2,
                _ => 3,
            };
            self.blocks[kernel].push(Placed {
                block: block as u32,
                shape,
                tile: slot,
                tiles: nslot,
                start,
                product,
                kind: b.kind,
                row: b.row,
                rows: b.rows().len() as u32,
                cone: b.cone,
            });
            start += RANKS[kernel] as u32 * nslot;
            product += RANKS[kernel] as u32;
        }
        fit(&mut self.jacobian, start as usize);
        self.partial.resize(product as usize, [0.0; LANES]);
        self.products.resize(product as usize, 0.0);
    }

    /// The vector of the products to come.
    pub fn set(&mut self, x: &[f64]) {
        for (to, dofs) in self.x.iter_mut().zip(&self.layout.dofs) {
            *to = dofs.map(|dof| x.get(dof as usize).copied().unwrap_or(0.0));
        }
    }

    /// `y = scale · J x` with the vector given last, or the last solution.
    pub fn mul_jacobian(&mut self, rows: &Jacobian<'_>, scale: f64, y: &mut [f64]) {
        mul_jacobian(self, rows, scale, y);
    }

    /// `y = scale · M x` with the vector given last, or the last solution.
    pub fn mul_inertia(&mut self, scale: f64, y: &mut [f64]) {
        mul_inertia(self, scale, y);
    }

    /// `y = Jᵀ f`.
    pub fn tmul_jacobian(&mut self, rows: &Jacobian<'_>, f: &[f64], y: &mut [f64]) {
        tmul_jacobian(self, rows, f, y);
    }

    /// Builds `H` for the given states and factors it. Returns how many pivots had to be
    /// raised to the smallest divisor: 0 for a positive definite matrix.
    pub fn factor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32]) -> usize {
        build(self, problem, jar, state);
        factor(self)
    }

    /// [`Self::factor`] of the same problem at other states.
    pub fn refactor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32]) -> usize {
        if !change(self, problem, jar, state) {
            build(self, problem, jar, state);
        }
        factor(self)
    }

    /// `x ← H⁻¹ x`.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.set(x);
        solve(self);
        let entries = self.x.as_flattened();
        for (x, &place) in x.iter_mut().zip(&self.layout.place) {
            *x = entries[place as usize];
        }
    }
}

wide! {
    fn load(h: &mut Hessian, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
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
        let Hessian { layout, blocks, jacobian, .. } = h;
        each_block!(blocks, R, p => {
            let slots = layout.slots_of(p.shape);
            let to = &mut jacobian[p.start as usize..];
            expand::<R>(to, slots, rows, &rows.blocks[p.block as usize]);
        });
    }

    fn mul_jacobian(h: &mut Hessian, rows: &Jacobian<'_>, scale: f64, y: &mut [f64]) {
        let Hessian { layout, blocks, singles, jacobian, partial, products, x, .. } = h;
        each_block!(blocks, R, p => {
            let tiles = layout.tile_list(p.tile, p.tiles);
            let (from, to) = (&jacobian[p.start as usize..], &mut partial[p.product as usize..]);
            dot_block::<R>(from, tiles, x, to);
        });
        // In a loop of its own, which the compiler does not mix with that over columns.
        for (to, s) in products.iter_mut().zip(&*partial) {
            *to = scale * ((s[0] + s[2]) + (s[1] + s[3]));
        }
        each_block!(blocks, R, p => {
            if let Some(products) = products[p.product as usize..].first_chunk::<R>() {
                let y = &mut y[p.row as usize..][..p.rows as usize];
                rows.edges::<R>(p.kind, p.cone, products, y);
            }
        });
        let x = x.as_flattened();
        for s in singles {
            y[s.row as usize] = s.value * (scale * x[s.place as usize]);
        }
    }

    fn tmul_jacobian(h: &mut Hessian, rows: &Jacobian<'_>, f: &[f64], y: &mut [f64]) {
        let Hessian { layout, blocks, singles, jacobian, sums, .. } = h;
        sums.fill([0.0; LANES]);
        each_block!(blocks, R, p => {
            let tiles = layout.tile_list(p.tile, p.tiles);
            let f = &f[p.row as usize..][..p.rows as usize];
            let forces = rows.stored_forces::<R>(p.kind, p.cone, f);
            add_block_force::<R>(&jacobian[p.start as usize..], tiles, sums, &forces);
        });
        let sums = sums.as_flattened_mut();
        for s in singles {
            sums[s.place as usize] += s.value * f[s.row as usize];
        }
        for (y, &place) in y.iter_mut().zip(&layout.place) {
            *y = sums[place as usize];
        }
    }

    fn mul_inertia(h: &mut Hessian, scale: f64, y: &mut [f64]) {
        let Hessian { layout, inertia, x, sums, .. } = h;
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
            sums[t] = sum.map(|s| scale * s);
        }
        let entries = sums.as_flattened();
        for (y, &place) in y.iter_mut().zip(&layout.place) {
            *y = entries[place as usize];
        }
    }

    /// `M + Jᵀ W J`.
    fn build(h: &mut Hessian, problem: &Problem<'_>, jar: &[f64], state: &[i32]) {
        let Hessian { layout, blocks, singles, jacobian, matrix, weighted, .. } = h;
        matrix.copy_from_slice(&h.inertia);
        h.stale.fill(true);
        let rows = &problem.rows.jacobian;
        let mut cones = false;
        each_block!(blocks, R, p => {
            let b = &rows.blocks[p.block as usize];
            cones |= p.kind == Kind::Elliptic && state[p.row as usize] == CONE;
            let (w, any) = weights::<R>(problem, b, jar, state);
            if any {
                add_block(matrix, jacobian, weighted, layout, p, &w);
            }
        });
        let entries = matrix.as_flattened_mut().as_flattened_mut();
        for s in singles {
            if state[s.row as usize] == QUADRATIC {
                let d = problem.rows.d[s.row as usize];
                entries[layout.diagonal(s.place as usize)] += d * s.value * s.value;
            }
        }
        h.states.clear();
        if !cones {
            h.states.extend_from_slice(state);
        }
    }

    /// Turns the matrix of other states into that of the given ones, if possible.
    fn change(h: &mut Hessian, problem: &Problem<'_>, jar: &[f64], state: &[i32]) -> bool {
        let rows = &problem.rows.jacobian;
        let cone = |b: &Block| b.kind == Kind::Elliptic && state[b.row as usize] == CONE;
        if h.states.len() != state.len() || rows.blocks.iter().any(cone) {
            return false;
        }
        let Hessian { layout, blocks, singles, jacobian, matrix, weighted, states, stale, .. } = h;
        each_block!(blocks, R, p => {
            let range = p.row as usize..(p.row + p.rows) as usize;
            if states[range.clone()] != state[range] {
                for &tile in layout.tile_list(p.tile, p.tiles) {
                    stale[tile as usize] = true;
                }
                let b = &rows.blocks[p.block as usize];
                let (old, _) = weights::<R>(problem, b, jar, states);
                let (mut w, _) = weights::<R>(problem, b, jar, state);
                for (w, old) in w.iter_mut().flatten().zip(old.iter().flatten()) {
                    *w -= old;
                }
                add_block(matrix, jacobian, weighted, layout, p, &w);
            }
        });
        let entries = matrix.as_flattened_mut().as_flattened_mut();
        for s in singles {
            let row = s.row as usize;
            let [before, after] = [states[row] == QUADRATIC, state[row] == QUADRATIC];
            if before != after {
                stale[s.place as usize / LANES] = true;
                let d = if after { problem.rows.d[row] } else { -problem.rows.d[row] };
                entries[layout.diagonal(s.place as usize)] += d * s.value * s.value;
            }
        }
        states.copy_from_slice(state);
        true
    }

    fn factor(h: &mut Hessian) -> usize {
        let Hessian { layout, matrix, factor, pivots, index, stale, .. } = h;
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
                let d = &pivots[b.row as usize].value;
                let wide = row.lanes > 2;
                match s.lanes {
                    1 => subtract::<1>(target, tiles, columns, index, d, wide),
                    2 => subtract::<2>(target, tiles, columns, index, d, wide),
                    3 => subtract::<3>(target, tiles, columns, index, d, wide),
                    _ => subtract::<4>(target, tiles, columns, index, d, wide),
                }
            }
            let pivots = &mut pivots[t];
            raised += match row.lanes {
                1 => finish::<1>(target, pivots),
                2 => finish::<2>(target, pivots),
                3 => finish::<3>(target, pivots),
                _ => finish::<4>(target, pivots),
            };
        }
        raised
    }

    /// Solves for the vector given last.
    fn solve(h: &mut Hessian) {
        let Hessian { layout, factor, pivots, x: by_tile, .. } = h;
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

/// Takes a row of `K` lanes out of the row of tiles above it that belongs to the last of the
/// given tiles: `target −= Lₛₜᵀ Dₛ Lₛ`.
#[inline(always)]
fn subtract<const K: usize>(
    target: &mut [Tile],
    tiles: &[Tile],
    columns: &[u32],
    index: &[u32],
    d: &Four,
    wide: bool,
) {
    let [.., last] = tiles else { return };
    let mut factors = ZERO;
    for k in 0..K {
        for i in 0..LANES {
            factors[k][i] = d[k] * last[k][i];
        }
    }
    // Two rows at a time, whose factors fit into the registers.
    subtract_rows::<K, 0>(target, tiles, columns, index, &factors);
    if wide {
        subtract_rows::<K, 2>(target, tiles, columns, index, &factors);
    }
}

#[inline(always)]
fn subtract_rows<const K: usize, const FIRST: usize>(
    target: &mut [Tile],
    tiles: &[Tile],
    columns: &[u32],
    index: &[u32],
    factors: &Tile,
) {
    for (tile, &c) in tiles.iter().zip(columns) {
        subtract_tile::<K, FIRST>(&mut target[index[c as usize] as usize], tile, factors);
    }
}

#[inline(always)]
fn subtract_tile<const K: usize, const FIRST: usize>(to: &mut Tile, tile: &Tile, factors: &Tile) {
    let [mut a, mut b] = [to[FIRST], to[FIRST + 1]];
    for k in 0..K {
        for i in 0..LANES {
            a[i] -= factors[k][FIRST] * tile[k][i];
            b[i] -= factors[k][FIRST + 1] * tile[k][i];
        }
    }
    [to[FIRST], to[FIRST + 1]] = [a, b];
}

/// Factors the diagonal tile of a row with `N` lanes and divides the others by it. Returns how
/// many pivots were raised.
#[inline(always)]
fn finish<const N: usize>(row: &mut [Tile], pivots: &mut Pivots) -> usize {
    let [left @ .., diagonal] = row else { return 0 };
    let mut raised = 0;
    let mut a: [[f64; N]; N] = std::array::from_fn(|k| std::array::from_fn(|i| diagonal[k][i]));
    let mut l = [[0.0; N]; N];
    let mut inverse = [0.0; N];
    for k in (0..N).rev() {
        let mut pivot = a[k][k];
        if pivot < MIN_VAL || pivot.is_nan() {
            pivot = MIN_VAL;
            raised += 1;
        }
        inverse[k] = 1.0 / pivot;
        pivots.value[k] = pivot;
        pivots.inverse[k] = inverse[k];
        for i in 0..k {
            l[k][i] = a[k][i] * inverse[k];
            for j in 0..=i {
                a[i][j] -= l[k][i] * a[k][j];
            }
        }
    }
    for k in 0..N {
        diagonal[k] = std::array::from_fn(|i| if i < k { l[k][i] } else { 0.0 });
    }
    for tile in left {
        for k in (0..N).rev() {
            for m in k + 1..N {
                for i in 0..LANES {
                    tile[k][i] -= l[m][k] * tile[m][i];
                }
            }
        }
        for k in 0..N {
            for i in 0..LANES {
                tile[k][i] *= inverse[k];
            }
        }
    }
    raised
}

/// Second derivative of the cost by up to `R` stored rows of a block, and whether it is not zero.
#[inline(always)]
fn weights<const R: usize>(
    problem: &Problem<'_>,
    b: &Block,
    jar: &[f64],
    state: &[i32],
) -> ([[f64; R]; R], bool) {
    let (cones, d) = (problem.rows.jacobian.cones, problem.rows.d);
    let range = b.rows();
    let active = |(&d, &state): (&f64, &i32)| if state == QUADRATIC { d } else { 0.0 };
    let (d, state) = (&d[range.clone()], &state[range.clone()]);
    let mut w = [[0.0; R]; R];
    let mut any = false;
    match b.kind {
        Kind::Pyramid => {
            let friction = &cones[b.cone as usize].friction;
            let pairs = d.as_chunks::<2>().0.iter().zip(state.as_chunks::<2>().0);
            for (k, (d, state)) in (1..R).zip(pairs) {
                let [plus, minus] = [active((&d[0], &state[0])), active((&d[1], &state[1]))];
                let mu = friction[k - 1];
                w[0][0] += plus + minus;
                w[0][k] = mu * (plus - minus);
                w[k][0] = w[0][k];
                w[k][k] = mu * mu * (plus + minus);
            }
            any = w[0][0] != 0.0;
        }
        Kind::Elliptic if state[0] == CONE => {
            let full = cone_hessian(&cones[b.cone as usize], d, &jar[range]);
            for k in 0..R {
                w[k].copy_from_slice(&full[k][..R]);
            }
            any = true;
        }
        _ => {
            for (k, weight) in (0..R).zip(d.iter().zip(state).map(active)) {
                w[k][k] = weight;
                any |= weight != 0.0;
            }
        }
    }
    (w, any)
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

/// The products of the rows of a block with `x`, in four sums each.
#[inline(always)]
fn dot_block<const R: usize>(from: &[Four], tiles: &[u32], x: &[Four], to: &mut [Four]) {
    let mut sums = [[0.0; LANES]; R];
    for (&tile, row) in tiles.iter().zip(from.as_chunks::<R>().0) {
        let x = x[tile as usize];
        for r in 0..R {
            for k in 0..LANES {
                sums[r][k] += row[r][k] * x[k];
            }
        }
    }
    if let Some(to) = to.first_chunk_mut::<R>() {
        *to = sums;
    }
}

/// Adds the forces of the constraint rows of a block.
#[inline(always)]
fn add_block_force<const R: usize>(
    from: &[Four],
    tiles: &[u32],
    sums: &mut [Four],
    forces: &[f64; R],
) {
    if *forces == [0.0; R] {
        return;
    }
    for (&tile, row) in tiles.iter().zip(from.as_chunks::<R>().0) {
        let sum = &mut sums[tile as usize];
        for r in 0..R {
            for k in 0..LANES {
                sum[k] += row[r][k] * forces[r];
            }
        }
    }
}

/// `H += Jᵀ W J` for one block of at most `R` rows.
#[inline(always)]
fn add_block<const R: usize>(
    matrix: &mut [Tile],
    jacobian: &[Four],
    weighted: &mut [Four],
    layout: &Layout,
    place: &Placed,
    w: &[[f64; R]; R],
) {
    let n = place.tiles as usize;
    let targets = &layout.targets[layout.shapes[place.shape as usize].target as usize..];
    let from = &jacobian[place.start as usize..];
    let (plain, weighted) =
        (&from.as_chunks::<R>().0[..n], &mut weighted.as_chunks_mut::<R>().0[..n]);
    let mut next = 0;
    for (i, v) in plain.iter().enumerate() {
        for r in 0..R {
            let mut sum = [0.0; LANES];
            for q in 0..R {
                for k in 0..LANES {
                    sum[k] += w[r][q] * v[q][k];
                }
            }
            weighted[i][r] = sum;
        }
        for (weighted, &target) in weighted[..=i].iter().zip(&targets[next..]) {
            let tile = &mut matrix[target as usize];
            for lane in 0..LANES {
                let mut sum = tile[lane];
                for r in 0..R {
                    for k in 0..LANES {
                        sum[k] += v[r][lane] * weighted[r][k];
                    }
                }
                tile[lane] = sum;
            }
        }
        next += i + 1;
    }
}
