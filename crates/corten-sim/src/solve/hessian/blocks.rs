//! The constraint rows of a problem by tiles, and what both forms of the Hessian do with them:
//! products with the Jacobian, and `M + Jᵀ W J`, from scratch or by what has changed.

use super::super::problem::Problem;
use super::super::row_cost::{CONE, Elliptic, block_weights, weight};
use super::super::rows::{Block, Jacobian, Kind};
use super::tile::{Four, LANES, RANKS, Single, Tile, add_block, add_block_force, dot_block};
use corten_math::array;
use corten_math::memory::Grow;

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

pub(super) use each_block;

/// Up to so many tiles, adding zeros costs less than a branch that cannot be foreseen.
const FEW: usize = 4;

/// Where a form of the Hessian has its tiles.
pub trait Places {
    /// The tiles that the columns of a block fall into.
    type Tiles: Copy;
    /// Rows of tiles whose factor is out of date.
    type Stale: ?Sized;

    /// Number of tiles.
    fn count(tiles: Self::Tiles) -> usize;

    /// The tiles in ascending order.
    fn list(&self, tiles: Self::Tiles) -> impl Iterator<Item = usize>;

    /// Where in the matrix the product of the tiles number `i` and `j ≤ i` belongs.
    fn targets(&self, tiles: Self::Tiles) -> impl Fn(usize, usize) -> usize;

    /// The number in the matrix that belongs to a degree of freedom at a place alone.
    fn diagonal(&self, place: usize) -> usize;

    /// Copies all tiles that can differ from zero.
    fn copy(&self, from: &[Tile], to: &mut [Tile]);

    /// Marks the rows of the tiles as out of date.
    fn mark_stale(&self, tiles: Self::Tiles, stale: &mut Self::Stale);

    /// Marks the row of a place as out of date.
    fn mark_place_stale(&self, place: usize, stale: &mut Self::Stale);
}

/// A block with several columns or rows: where all that concerns it is.
#[derive(Clone, Copy, Debug)]
pub struct Placed<T> {
    /// Its number among all blocks.
    pub block: u32,
    pub tiles: T,
    /// First four of its rows, and first of its products.
    pub start: u32,
    product: u32,
    kind: Kind,
    /// First constraint row, and their number.
    row: u32,
    rows: u32,
    cone: u32,
}

impl<T> Placed<T> {
    #[inline(always)]
    fn range(&self) -> std::ops::Range<usize> {
        self.row as usize..(self.row + self.rows) as usize
    }
}

/// The blocks of a problem, with rows by tiles.
#[derive(Clone, Debug)]
pub struct Blocks<T> {
    /// The Jacobian: of each block the rows in one tile after the other.
    pub jacobian: Vec<Four>,
    /// Blocks by the number of rows that they take: see [`RANKS`].
    pub placed: [Vec<Placed<T>>; RANKS.len()],
    singles: Vec<Single>,
    /// Where the next block starts in the Jacobian and in the products.
    pub end: usize,
    product: usize,
    /// The states that the Hessian belongs to; none if it has parts that depend on more.
    states: Vec<i32>,
    /// Rows of a block by tiles, times the weights.
    pub weighted: Vec<Four>,
    /// Products of the stored rows, in four sums each, and summed up.
    partial: Vec<Four>,
    products: Vec<f64>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Blocks<T> {
        Blocks {
            jacobian: Vec::new(),
            placed: array::from_fn(|_| Vec::new()),
            singles: Vec::new(),
            end: 0,
            product: 0,
            states: Vec::new(),
            weighted: Vec::new(),
            partial: Vec::new(),
            products: Vec::new(),
        }
    }
}

/// The kernel for blocks of so many rows.
#[inline(always)]
pub fn kernel(rank: u32) -> usize {
    match rank {
        0 | 1 => 0,
        2 | 3 => 1,
        4 => 2,
        _ => 3,
    }
}

impl<T: Copy> Blocks<T> {
    #[inline(always)]
    pub fn clear(&mut self) {
        self.placed.iter_mut().for_each(Vec::clear);
        self.singles.clear();
        (self.end, self.product) = (0, 0);
    }

    #[inline(always)]
    pub fn push_single(&mut self, row: u32, place: u32, value: f64) {
        self.singles.push(Single { row, place, value });
    }

    /// Takes up a block whose rows will be stored in `count` tiles.
    #[inline(always)]
    pub fn push(&mut self, block: usize, b: &Block, tiles: T, count: usize) {
        let kernel = kernel(b.rank);
        self.placed[kernel].grow_push(Placed {
            block: block as u32,
            tiles,
            start: self.end as u32,
            product: self.product as u32,
            kind: b.kind,
            row: b.row,
            rows: b.rows().len() as u32,
            cone: b.cone,
        });
        self.end += RANKS[kernel] * count;
        self.product += RANKS[kernel];
    }

    /// To be called after the last block.
    #[inline(always)]
    pub fn close(&mut self) {
        self.partial.grow_resize(self.product, [0.0; LANES]);
        self.products.grow_resize(self.product, 0.0);
    }

    /// `y = J x`.
    #[inline(always)]
    pub fn mul<P: Places<Tiles = T>>(
        &mut self,
        places: &P,
        rows: &Jacobian<'_>,
        x: &[Four],
        y: &mut [f64],
    ) {
        let Blocks { placed, singles, jacobian, partial, products, .. } = self;
        each_block!(placed, R, p => {
            let (from, to) = (&jacobian[p.start as usize..], &mut partial[p.product as usize..]);
            dot_block::<R>(from, places.list(p.tiles), x, to);
        });
        // In a loop of its own, which the compiler does not mix with that over columns.
        for (to, s) in products.iter_mut().zip(&*partial) {
            *to = (s[0] + s[2]) + (s[1] + s[3]);
        }
        each_block!(placed, R, p => {
            if let Some(products) = products[p.product as usize..].first_chunk::<R>() {
                rows.edges::<R>(p.kind, p.cone, products, &mut y[p.range()]);
            }
        });
        let x = x.as_flattened();
        for s in singles {
            y[s.row as usize] = s.value * x[s.place as usize];
        }
    }

    /// `sums += Jᵀ f`.
    #[inline(always)]
    pub fn tmul_add<P: Places<Tiles = T>>(
        &self,
        places: &P,
        rows: &Jacobian<'_>,
        f: &[f64],
        sums: &mut [Four],
    ) {
        each_block!(self.placed, R, p => {
            let forces = rows.stored_forces::<R>(p.kind, p.cone, &f[p.range()]);
            if P::count(p.tiles) > FEW && forces.iter().fold(true, |zero, &f| zero & (f == 0.0)) {
                continue;
            }
            let from = &self.jacobian[p.start as usize..];
            add_block_force::<R>(from, places.list(p.tiles), sums, &forces);
        });
        let sums = sums.as_flattened_mut();
        for s in &self.singles {
            sums[s.place as usize] += s.value * f[s.row as usize];
        }
    }

    /// `M + Jᵀ W J`.
    #[inline(always)]
    pub fn build<P: Places<Tiles = T>>(
        &mut self,
        places: &P,
        problem: &Problem<'_>,
        jar: &[f64],
        state: &[i32],
        inertia: &[Tile],
        matrix: &mut [Tile],
    ) {
        let Blocks { placed, singles, jacobian, weighted, states, .. } = self;
        let d = problem.rows.d;
        places.copy(inertia, matrix);
        let mut curved = false;
        each_block!(placed, R, p => {
            let range = p.range();
            let (d, state) = (&d[range.clone()], &state[range.clone()]);
            let w = if p.kind == Kind::Elliptic && state.first() == Some(&CONE) {
                curved = true;
                let cone = &problem.rows.jacobian.cones[p.cone as usize];
                let full = Elliptic { cone, d }.hessian(&jar[range]);
                array::from_fn(|k| array::from_fn(|i| full[k][i]))
            } else {
                let rows = d.iter().zip(state).map(|(&d, &state)| weight(d, state));
                block_weights::<R>(p.kind, p.cone, &problem.rows.jacobian, rows)
            };
            if (0..R).fold(false, |any, k| any | (w[k][k] != 0.0)) {
                add_placed::<R, P>(matrix, jacobian, weighted, places, p, &w);
            }
        });
        let entries = matrix.as_flattened_mut().as_flattened_mut();
        for s in singles {
            let d = weight(d[s.row as usize], state[s.row as usize]);
            if d != 0.0 {
                entries[places.diagonal(s.place as usize)] += d * s.value * s.value;
            }
        }
        states.clear();
        if !curved {
            states.grow_extend_from_slice(state);
        }
    }

    /// Turns the matrix of other states into that of the given ones, if possible.
    #[inline(always)]
    pub fn change<P: Places<Tiles = T>>(
        &mut self,
        places: &P,
        problem: &Problem<'_>,
        state: &[i32],
        matrix: &mut [Tile],
        stale: &mut P::Stale,
    ) -> bool {
        let Blocks { placed, singles, jacobian, weighted, states, .. } = self;
        let cone = |b: &Block| b.kind == Kind::Elliptic && state[b.row as usize] == CONE;
        if states.len() != state.len() || problem.rows.cone_blocks().iter().any(cone) {
            return false;
        }
        // Without cones, weights are sums over rows: the difference is that of the rows.
        let change = |(&d, (&old, &new)): (&f64, (&i32, &i32))| weight(d, new) - weight(d, old);
        each_block!(placed, R, p => {
            let range = p.range();
            let pairs = states[range.clone()].iter().zip(&state[range.clone()]);
            if pairs.clone().fold(0, |differ, (a, b)| differ | (a ^ b)) != 0 {
                places.mark_stale(p.tiles, stale);
                let d = problem.rows.d[range].iter();
                let changes = d.zip(pairs).map(change);
                let w = block_weights::<R>(p.kind, p.cone, &problem.rows.jacobian, changes);
                add_placed::<R, P>(matrix, jacobian, weighted, places, p, &w);
            }
        });
        let entries = matrix.as_flattened_mut().as_flattened_mut();
        for s in singles {
            let row = s.row as usize;
            let d = change((&problem.rows.d[row], (&states[row], &state[row])));
            if d != 0.0 {
                places.mark_place_stale(s.place as usize, stale);
                entries[places.diagonal(s.place as usize)] += d * s.value * s.value;
            }
        }
        states.copy_from_slice(state);
        true
    }
}

/// `H += Jᵀ W J` for one block of at most `R` rows.
#[inline(always)]
fn add_placed<const R: usize, P: Places>(
    matrix: &mut [Tile],
    jacobian: &[Four],
    weighted: &mut [Four],
    places: &P,
    place: &Placed<P::Tiles>,
    w: &[[f64; R]; R],
) {
    let from = &jacobian[place.start as usize..];
    let count = P::count(place.tiles);
    add_block(matrix, from, weighted, count, w, places.targets(place.tiles));
}
