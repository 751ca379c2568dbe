//! The Hessian of a tiny problem, with nothing left out: two rows of tiles hold all of its degrees
//! of freedom, and every constraint row is stored over all of them, edges of pyramids included.
//!
//! Zeros are multiplied along: at this size that costs less than to go around them, and no kernel
//! has to ask which block or which tile comes next. Lanes beyond the last degree of freedom are
//! those of a unit matrix.

use corten_math::Wide;
use corten_math::array::MapInline;

use super::super::problem::{Inertia, Problem, inlined};
use super::super::row_cost::{CONE, ConeHessian, weight};
use super::super::rows::{Block, Jacobian, Kind, MAX_RANK};
use super::NewtonSystem;
use super::columns::{ColumnEnds, Slot};
use super::mass::row;
use super::remembered::{Island, Remembered};
use super::tile::{Four, LANES, Pivots, Tile, ZERO, finish, subtract};
use super::tiles64::nonzeros;
use crate::data::growth::fit;

/// Rows of tiles.
const SIZE: usize = 2;

/// Most degrees of freedom.
pub const MAX_DOFS: usize = SIZE * LANES;

/// A vector over degrees of freedom.
type Vector = [Four; SIZE];

const NOTHING: Vector = [[0.0; LANES]; SIZE];

/// The lower triangle of a matrix, row by row.
type Triangle = [Tile; SIZE * (SIZE + 1) / 2];

#[derive(Clone, Debug)]
pub struct Dense8 {
    n: usize,
    pub remembered: Remembered,
    /// The Hessian, and `L` without its unit diagonal.
    matrix: Triangle,
    factor: Triangle,
    pivots: [Pivots; SIZE],
    rows: Vec<Vector>,
    /// The weight of each row in the Hessian; none if it has parts that depend on more.
    weights: Vec<f64>,
    x: Vector,
}

impl Default for Dense8 {
    fn default() -> Dense8 {
        Dense8 {
            n: 0,
            remembered: Remembered::default(),
            matrix: [ZERO; _],
            factor: [ZERO; _],
            pivots: [Pivots::default(); SIZE],
            rows: Vec::new(),
            weights: Vec::new(),
            x: NOTHING,
        }
    }
}

impl NewtonSystem for Dense8 {
    #[inline(always)]
    fn load(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        self.n = n;
        let island = self.remembered.load();
        let Island { mass, columns, .. } = island;
        let (same_mass, changes) = (mass.load(n, SIZE, inertia), columns.changes);
        for k in n..MAX_DOFS {
            mass.tiles[row(k / LANES) + k / LANES][k % LANES][k % LANES] = 1.0;
        }
        let count = rows.blocks.last().map_or(0, |b| b.rows().end);
        fit(&mut self.rows, count);
        let (mut last, mut number) = ([u32::MAX; 2], 0);
        let (mut previous, mut shape) = (ColumnEnds::default(), ColumnEnds::default());
        for b in rows.blocks {
            // Blocks that follow each other may share their columns.
            if [b.run, b.nrun] != last {
                last = [b.run, b.nrun];
                previous = shape;
                shape = columns.place(rows.runs_of(b), previous, number);
                number += 1;
            }
            let to = &mut self.rows[b.rows()];
            let slots = columns.slots(previous, shape);
            match b.rank {
                1 => expand::<1>(to, rows, b, slots),
                2 | 3 => expand::<3>(to, rows, b, slots),
                _ => expand::<MAX_RANK>(to, rows, b, slots),
            }
        }
        island.loaded(same_mass, changes, number);
    }

    #[inline(always)]
    fn set_vector(&mut self, x: &[f64]) {
        self.x = read(x, |x| x);
    }

    #[inline(always)]
    fn mul_jacobian<S: Wide>(&mut self, _: &Jacobian<'_>, y: &mut [f64]) {
        let x = self.x;
        let (fours, rest) = self.rows.as_chunks::<LANES>();
        let (to, to_rest) = y.as_chunks_mut::<LANES>();
        for (to, four) in to.iter_mut().zip(fours) {
            *to = times_four::<S>(four, &x);
        }
        for (y, row) in to_rest.iter_mut().zip(rest) {
            let mut s = [0.0; LANES];
            for i in 0..LANES {
                s[i] = row[0][i] * x[0][i] + row[1][i] * x[1][i];
            }
            *y = (s[0] + s[2]) + (s[1] + s[3]);
        }
    }

    #[inline(always)]
    fn mul_inertia<S: Wide>(&mut self, y: &mut [f64]) {
        let [first, across, second] = &self.remembered.mass().tiles[..] else { return };
        let [x0, x1] = &self.x;
        let mut sums = [S::splat(0.0); SIZE];
        for k in 0..LANES {
            let [x0, x1] = [S::splat(x0[k]), S::splat(x1[k])];
            sums[0] += S::load(first[k]) * x0 + S::load(across[k]) * x1;
            sums[1] += S::load(second[k]) * x1;
        }
        sums[1] += times_vector::<S>(across, x0);
        write(&[sums[0].store(), sums[1].store()], y);
    }

    #[inline(always)]
    fn tmul_jacobian(&mut self, _: &Jacobian<'_>, f: &[f64], y: &mut [f64]) {
        let mut sums = NOTHING;
        for (row, f) in self.rows.iter().zip(f) {
            for t in 0..SIZE {
                for i in 0..LANES {
                    sums[t][i] += row[t][i] * f;
                }
            }
        }
        write(&sums, y);
    }

    #[inline(always)]
    fn factor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32], known: bool) -> usize {
        let rows = &problem.rows;
        let is_cone = |b: &Block| b.kind == Kind::Elliptic && state[b.row as usize] == CONE;
        let curved = rows.cone_blocks().iter().any(is_cone);
        if known && !curved && self.weights.len() == state.len() {
            self.change(rows.d, state);
        } else {
            self.build(rows.d, state);
            if curved {
                for b in rows.cone_blocks().iter().filter(|b| is_cone(b)) {
                    self.add_cone(b, &rows.elliptic(b).hessian(&jar[b.rows()]));
                }
                self.weights.clear();
            }
        }
        self.eliminate()
    }

    #[inline(always)]
    fn solve_direction<S: Wide>(&mut self, gradient: &[f64]) {
        let [first, across, second] = &self.factor;
        let [mut x0, mut x1] = read(gradient, |g| -g);
        back(second, &mut x1);
        x0 = subtract_columns::<S>(&x0, across, &x1);
        back(first, &mut x0);
        for k in 0..LANES {
            x0[k] *= self.pivots[0].inverse[k];
            x1[k] *= self.pivots[1].inverse[k];
        }
        forth(first, &mut x0);
        x0 = packed::<S>(x0);
        let products = times_vector::<S>(across, &x0).store();
        for k in 0..LANES {
            x1[k] -= products[k];
        }
        forth(second, &mut x1);
        self.x = [x0, packed::<S>(x1)];
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

impl Dense8 {
    /// `M + Jᵀ W J` of the rows whose cost is quadratic.
    #[inline(always)]
    fn build(&mut self, d: &[f64], state: &[i32]) {
        self.weights.clear();
        self.weights.extend(d.iter().zip(state).map(|(&d, &state)| weight(d, state)));
        let Some(&(mut matrix)) = self.remembered.mass().tiles.first_chunk() else { return };
        for (row, &weight) in self.rows.iter().zip(&self.weights) {
            add_row(&mut matrix, row, weight);
        }
        self.matrix = matrix;
    }

    /// Adds what rows contribute whose state has changed, or takes it away.
    #[inline(always)]
    fn change(&mut self, d: &[f64], state: &[i32]) {
        let new = d.iter().zip(state);
        for ((row, old), (&d, &state)) in self.rows.iter().zip(&mut self.weights).zip(new) {
            let weight = weight(d, state);
            if weight != *old {
                add_row(&mut self.matrix, row, weight - *old);
                *old = weight;
            }
        }
    }

    /// Adds the curvature of an elliptic cone.
    #[inline(always)]
    fn add_cone(&mut self, b: &Block, w: &ConeHessian) {
        let rows = &self.rows[b.rows()];
        for (row, w) in rows.iter().zip(w) {
            let mut weighted = NOTHING;
            for (row, w) in rows.iter().zip(w) {
                for t in 0..SIZE {
                    for i in 0..LANES {
                        weighted[t][i] += w * row[t][i];
                    }
                }
            }
            add_product(&mut self.matrix, row, &weighted);
        }
    }

    /// Factors the matrix; returns how many pivots were raised.
    #[inline(always)]
    fn eliminate(&mut self) -> usize {
        self.factor = self.matrix;
        let (above, below) = self.factor.split_at_mut(row(SIZE - 1));
        let [upper, lower] = &mut self.pivots;
        let mut raised = finish::<LANES>(below, lower, 0..1);
        subtract::<LANES>(above, below, &below[0], &lower.value, true, [(0, 0)].into_iter());
        raised += finish::<LANES>(above, upper, 0..0);
        raised
    }
}

/// The products of four rows with a vector.
#[inline(always)]
fn times_four<S: Wide>([a, b, c, d]: &[Vector; LANES], x: &Vector) -> Four {
    let (x0, x1) = (S::load(x[0]), S::load(x[1]));
    let a = S::load(a[0]) * x0 + S::load(a[1]) * x1;
    let b = S::load(b[0]) * x0 + S::load(b[1]) * x1;
    let c = S::load(c[0]) * x0 + S::load(c[1]) * x1;
    let d = S::load(d[0]) * x0 + S::load(d[1]) * x1;
    sums([a, b, c, d]).store()
}

/// The sum of each of four registers.
#[inline(always)]
fn sums<S: Wide>(registers: [S; LANES]) -> S {
    let [p, q, r, s] = S::transposed(registers);
    (p + r) + (q + s)
}

/// Four numbers through a register: stored one by one, a wide load of them would not be forwarded.
#[inline(always)]
fn packed<S: Wide>(x: Four) -> Four {
    S::from_lanes(|k| x[k]).store()
}

/// The products of the rows of a tile with a vector.
#[inline(always)]
fn times_vector<S: Wide>(tile: &Tile, x: &Four) -> S {
    let ([a, b, c, d], x) = (*tile, S::load(*x));
    sums([S::load(a) * x, S::load(b) * x, S::load(c) * x, S::load(d) * x])
}

/// `x − Lᵀ y` for a tile.
#[inline(always)]
fn subtract_columns<S: Wide>(x: &Four, l: &Tile, y: &Four) -> Four {
    let mut x = S::load(*x);
    for k in 0..LANES {
        x -= S::load(l[k]) * S::splat(y[k]);
    }
    x.store()
}

/// `H += w r rᵀ`.
#[inline(always)]
fn add_row(matrix: &mut Triangle, row: &Vector, w: f64) {
    add_product(matrix, row, &row.map_inline(|four| four.map_inline(|x| w * x)));
}

/// `H += r sᵀ`, in the lower triangle.
#[inline(always)]
fn add_product(matrix: &mut Triangle, r: &Vector, s: &Vector) {
    let [first, across, second] = matrix;
    for k in 0..LANES {
        for i in 0..LANES {
            first[k][i] += r[0][k] * s[0][i];
            across[k][i] += r[1][k] * s[0][i];
            second[k][i] += r[1][k] * s[1][i];
        }
    }
}

/// `x ← L⁻ᵀ x` within a diagonal tile.
#[inline(always)]
fn back(l: &Tile, x: &mut Four) {
    for k in (1..LANES).rev() {
        for i in 0..k {
            x[i] -= l[k][i] * x[k];
        }
    }
}

/// `x ← L⁻¹ x` within a diagonal tile.
#[inline(always)]
fn forth(l: &Tile, x: &mut Four) {
    for k in 1..LANES {
        for i in 0..k {
            x[k] -= l[k][i] * x[i];
        }
    }
}

/// A vector of numbers that are made of those given, with zeros beyond the last.
#[inline(always)]
fn read(from: &[f64], number: impl Fn(f64) -> f64) -> Vector {
    [0, LANES].map_inline(|start| match *from.get(start..).unwrap_or_default() {
        [a, b, c, d, ..] => [number(a), number(b), number(c), number(d)],
        [a, b, c] => [number(a), number(b), number(c), 0.0],
        [a, b] => [number(a), number(b), 0.0, 0.0],
        [a] => [number(a), 0.0, 0.0, 0.0],
        [] => [0.0; LANES],
    })
}

/// The numbers of a vector that belong to degrees of freedom.
#[inline(always)]
fn write(from: &Vector, to: &mut [f64]) {
    let (fours, rest) = to.as_chunks_mut::<LANES>();
    let [first, second] = from;
    let last = if fours.is_empty() { first } else { second };
    for (to, from) in fours.iter_mut().zip(from) {
        *to = *from;
    }
    inlined::write(last, rest);
}

/// The constraint rows of a block with at most `R` stored ones.
#[inline(always)]
fn expand<const R: usize>(to: &mut [Vector], rows: &Jacobian<'_>, b: &Block, slots: &[Slot]) {
    let mut stored = [NOTHING; R];
    let (rank, ncol) = ((b.rank as usize).min(R), b.ncol as usize);
    for slot in slots {
        let tile = slot.tile as usize % SIZE;
        if rank == R {
            for r in 0..R {
                slot.put(rows.values, b.val as usize + r * ncol, &mut stored[r][tile]);
            }
        } else {
            for r in 0..rank {
                slot.put(rows.values, b.val as usize + r * ncol, &mut stored[r][tile]);
            }
        }
    }
    if R == 1 || b.kind != Kind::Pyramid {
        for (to, stored) in to.iter_mut().zip(&stored) {
            *to = *stored;
        }
        return;
    }
    let friction = &rows.cones[b.cone as usize].friction;
    // A contact without spin, and no loop.
    if let ([normal, first, second], [a, b, c, d]) = (&stored[..], &mut *to) {
        [*a, *b] = edges(normal, first, friction[0]);
        [*c, *d] = edges(normal, second, friction[1]);
        return;
    }
    let [normal, tangents @ ..] = &stored[..] else { return };
    for ((pair, mu), tangent) in to.as_chunks_mut::<2>().0.iter_mut().zip(friction).zip(tangents) {
        *pair = edges(normal, tangent, *mu);
    }
}

/// `normal ± μ·tangent`.
#[inline(always)]
fn edges(normal: &Vector, tangent: &Vector, mu: f64) -> [Vector; 2] {
    let mut pair = [NOTHING; 2];
    for t in 0..SIZE {
        for i in 0..LANES {
            let side = mu * tangent[t][i];
            pair[0][t][i] = normal[t][i] + side;
            pair[1][t][i] = normal[t][i] - side;
        }
    }
    pair
}
