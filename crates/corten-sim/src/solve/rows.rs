//! The constraint Jacobian, stored for speed rather than for the public view.
//!
//! Rows that share their columns form a [`Block`]: one equality, one friction loss, one limit or
//! one contact. A block holds its column indices once, ascending, and its values row by row.
//! Degrees of freedom of a body and of unbranched limbs are consecutive, so the columns fall into
//! few [`Run`]s, and products are sums over slices. A
//! pyramidal contact stores the normal and the friction directions, not the edges: an edge is
//! `normal ± μₖ·tangentₖ`, so that products with `dim` stored rows give all `2(dim−1)` edge rows.

use std::ops::Range;

use corten_math::memory::Grow;
use corten_math::{Wide, wide};

/// Smallest cost function of a row, in the terms of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::NoUninit)]
#[repr(u32)]
pub enum Kind {
    /// Quadratic on both sides.
    Equality,
    /// Quadratic near zero, linear beyond ± R·frictionloss (Huber).
    Friction,
    /// Quadratic where the residual is negative: limits and frictionless contacts.
    Inequality,
    /// [`Kind::Inequality`] for every edge of a friction pyramid.
    Pyramid,
    /// Elliptic friction cone, all rows together.
    Elliptic,
}

/// Rows that share their columns.
#[derive(Clone, Copy, Debug, bytemuck::NoUninit)]
#[repr(C)]
pub struct Block {
    pub kind: Kind,
    /// Number of stored rows.
    pub rank: u32,
    /// First constraint row.
    pub row: u32,
    /// Columns are `columns[col..col + ncol]`.
    pub col: u32,
    pub ncol: u32,
    /// The same columns as `runs[run..run + nrun]`.
    pub run: u32,
    pub nrun: u32,
    /// Values are `values[val..val + rank * ncol]`, row by row.
    pub val: u32,
    /// Friction of a [`Kind::Pyramid`] or [`Kind::Elliptic`] is `cones[cone]`.
    pub cone: u32,
}

impl Block {
    /// Constraint rows of this block.
    #[inline]
    pub fn rows(&self) -> Range<usize> {
        let row = self.row as usize;
        let count = match self.kind {
            Kind::Pyramid => 2 * (self.rank as usize - 1),
            _ => self.rank as usize,
        };
        row..row + count
    }
}

/// Consecutive columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub start: u32,
    pub len: u32,
}

/// Appends the runs of ascending columns.
pub fn push_runs(columns: &[u32], runs: &mut Vec<Run>) {
    let mut rest = columns;
    while let (Some(&start), Some(&last)) = (rest.first(), rest.last()) {
        // Ascending, so the ends tell whether there are gaps.
        let len = if last.wrapping_sub(start) as usize == rest.len() - 1 {
            rest.len()
        } else {
            rest.iter().zip(start..).take_while(|&(&c, expected)| c == expected).count()
        };
        runs.grow_push(Run { start, len: len as u32 });
        rest = &rest[len..];
    }
}

/// Friction of one contact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cone {
    /// Friction of the regularised cone.
    pub mu: f64,
    pub friction: [f64; 5],
}

/// A Jacobian, or the part of it that belongs to one island; columns index the vectors of the
/// problem.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian<'a> {
    pub blocks: &'a [Block],
    pub columns: &'a [u32],
    pub runs: &'a [Run],
    pub values: &'a [f64],
    pub cones: &'a [Cone],
}

/// Most rows that one block stores: a weld, or a contact with all kinds of friction.
pub const MAX_RANK: usize = 6;

impl<'a> Jacobian<'a> {
    pub const EMPTY: Jacobian<'static> =
        Jacobian { blocks: &[], columns: &[], runs: &[], values: &[], cones: &[] };

    #[inline]
    pub fn columns_of(&self, b: &Block) -> &'a [u32] {
        &self.columns[b.col as usize..(b.col + b.ncol) as usize]
    }

    #[inline]
    pub fn values_of(&self, b: &Block) -> &'a [f64] {
        let start = b.val as usize;
        &self.values[start..start + (b.rank * b.ncol) as usize]
    }

    #[inline]
    pub fn runs_of(&self, b: &Block) -> &'a [Run] {
        &self.runs[b.run as usize..(b.run + b.nrun) as usize]
    }

    /// `y = J x` on the rows of the blocks.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        mul_each(self, [x], [y]);
    }

    /// `y = J x` of two vectors, which takes little longer than of one.
    pub fn mul_pair(&self, x: [&[f64]; 2], y: [&mut [f64]; 2]) {
        mul_each(self, x, y);
    }

    /// `y += Jᵀ f`.
    pub fn tmul_add(&self, f: &[f64], y: &mut [f64]) {
        tmul_add(self, f, y);
    }

    /// `y = J x` with the rows as `efc_J` shows them, edges of pyramids one by one.
    ///
    /// Where rows are so stiff that their forces reach 1e17, the last digit of a residual counts, and
    /// so does the order in which such forces cancel: MuJoCo multiplies edge by edge.
    pub fn mul_by_row(&self, x: &[f64], y: &mut [f64]) {
        for b in self.blocks {
            for (i, y) in y[b.rows()].iter_mut().enumerate() {
                let entries = self.columns_of(b).iter().zip(self.row_values(b, i));
                *y = entries.fold(0.0, |sum, (&c, v)| sum + v * x[c as usize]);
            }
        }
    }

    /// `y = Jᵀ f`, as [`Self::mul_by_row`].
    pub fn tmul_by_row(&self, f: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for b in self.blocks {
            for (i, f) in f[b.rows()].iter().enumerate().filter(|(_, f)| **f != 0.0) {
                for (&c, v) in self.columns_of(b).iter().zip(self.row_values(b, i)) {
                    y[c as usize] += v * f;
                }
            }
        }
    }

    /// From products of up to `R` stored rows to those of the constraint rows.
    #[inline(always)]
    pub fn edges<const R: usize>(&self, kind: Kind, cone: u32, products: &[f64; R], y: &mut [f64]) {
        if R > 1 && kind == Kind::Pyramid {
            let friction = &self.cones[cone as usize].friction;
            // A contact without spin, and no loop.
            if let ([a, b, c], [first, second, ..]) = (&products[..], friction)
                && let [y0, y1, y2, y3] = y
            {
                let (b, c) = (first * b, second * c);
                (*y0, *y1, *y2, *y3) = (a + b, a - b, a + c, a - c);
                return;
            }
            let pairs = y.as_chunks_mut::<2>().0.iter_mut();
            for ((pair, friction), product) in pairs.zip(friction).zip(&products[1..]) {
                let tangent = friction * product;
                *pair = [products[0] + tangent, products[0] - tangent];
            }
        } else {
            for (y, product) in y.iter_mut().zip(products) {
                *y = *product;
            }
        }
    }

    /// From forces of the constraint rows to those of up to `R` stored rows.
    #[inline(always)]
    pub fn stored_forces<const R: usize>(&self, kind: Kind, cone: u32, f: &[f64]) -> [f64; R] {
        let mut forces = [0.0; R];
        if R > 1 && kind == Kind::Pyramid {
            let friction = &self.cones[cone as usize].friction;
            if let ([f0, f1, f2, f3], [first, second, ..]) = (f, friction)
                && let [a, b, c] = &mut forces[..]
            {
                *a = (f0 + f1) + (f2 + f3);
                (*b, *c) = (first * (f0 - f1), second * (f2 - f3));
                return forces;
            }
            let pairs = f.as_chunks::<2>().0.iter();
            let [normal, tangents @ ..] = &mut forces[..] else { return forces };
            for ((pair, friction), tangent) in pairs.zip(friction).zip(tangents) {
                *normal += pair[0] + pair[1];
                *tangent = friction * (pair[0] - pair[1]);
            }
        } else {
            for (force, f) in forces.iter_mut().zip(f) {
                *force = *f;
            }
        }
        forces
    }

    /// Constraint row `b.rows().start + i` as a sum of stored rows, with factors.
    pub fn stored_rows(&self, b: &Block, i: usize) -> [(usize, f64); 2] {
        match b.kind {
            Kind::Pyramid => {
                let friction = self.cones[b.cone as usize].friction[i / 2];
                [(0, 1.0), (i / 2 + 1, if i.is_multiple_of(2) { friction } else { -friction })]
            }
            _ => [(i, 1.0), (i, 0.0)],
        }
    }

    /// The values of constraint row `b.rows().start + i`, over the columns of the block.
    pub fn row_values(&self, b: &Block, i: usize) -> impl Iterator<Item = f64> + 'a {
        let (values, n) = (self.values_of(b), b.ncol as usize);
        let [(first, _), (second, factor)] = self.stored_rows(b, i);
        let (a, t) = (&values[first * n..(first + 1) * n], &values[second * n..(second + 1) * n]);
        a.iter().zip(t).map(move |(a, t)| if factor == 0.0 { *a } else { a + factor * t })
    }
}

/// Calls a kernel with the number of rows and the lengths of the runs as constants, for the shapes
/// that free and sliding bodies give, and those with wheels or legs; with lengths of zero for all
/// others.
macro_rules! by_shape {
    ($block:expr, $runs:expr, $kernel:ident [$($more:tt)*] $arguments:tt, _ => $rest:expr) => {
        match ($block.rank, $runs) {
            (1, [Run { len: 1, .. }]) => $kernel::<1, 1, 0, $($more)*> $arguments,
            (1, [Run { len: 3, .. }]) => $kernel::<1, 3, 0, $($more)*> $arguments,
            (1, [Run { len: 6, .. }]) => $kernel::<1, 6, 0, $($more)*> $arguments,
            (3, [Run { len: 3, .. }]) => $kernel::<3, 3, 0, $($more)*> $arguments,
            (3, [Run { len: 6, .. }]) => $kernel::<3, 6, 0, $($more)*> $arguments,
            (1, [Run { len: 1, .. }, Run { len: 1, .. }]) => $kernel::<1, 1, 1, $($more)*> $arguments,
            (1, [Run { len: 3, .. }, Run { len: 3, .. }]) => $kernel::<1, 3, 3, $($more)*> $arguments,
            (1, [Run { len: 6, .. }, Run { len: 6, .. }]) => $kernel::<1, 6, 6, $($more)*> $arguments,
            (3, [Run { len: 3, .. }, Run { len: 3, .. }]) => $kernel::<3, 3, 3, $($more)*> $arguments,
            (3, [Run { len: 6, .. }, Run { len: 6, .. }]) => $kernel::<3, 6, 6, $($more)*> $arguments,
            (3, [Run { len: 6, .. }, Run { len: 1, .. }]) => $kernel::<3, 6, 1, $($more)*> $arguments,
            (3, [Run { len: 6, .. }, Run { len: 3, .. }]) => $kernel::<3, 6, 3, $($more)*> $arguments,
            (1, _) => $kernel::<1, 0, 0, $($more)*> $arguments,
            (3, _) => $kernel::<3, 0, 0, $($more)*> $arguments,
            (4, _) => $kernel::<4, 0, 0, $($more)*> $arguments,
            (6, _) => $kernel::<6, 0, 0, $($more)*> $arguments,
            _ => $rest,
        }
    };
}

wide! {
    fn mul_each[const N: usize](rows: &Jacobian<'_>, x: [&[f64]; N], y: [&mut [f64]; N]) {
        let mut y = y;
        for b in rows.blocks {
            let (runs, values) = (rows.runs_of(b), rows.values_of(b));
            // An edge between two points, of which a cloth has thousands.
            if let (1, [Run { start: p, len: 3 }, Run { start: q, len: 3 }]) = (b.rank, runs)
                && let Some(values) = values.first_chunk::<6>()
            {
                for n in 0..N {
                    let p = x[n][*p as usize..].first_chunk::<3>();
                    let q = x[n][*q as usize..].first_chunk::<3>();
                    let (Some(p), Some(q)) = (p, q) else { continue };
                    let mut sum = 0.0;
                    for k in 0..3 {
                        sum += values[k] * p[k];
                    }
                    for k in 0..3 {
                        sum += values[k + 3] * q[k];
                    }
                    y[n][b.row as usize] = sum;
                }
                continue;
            }
            // Runs too short for registers, as where radial vertices of a flex ride on a body.
            if b.rank == 1 && runs.len() > 2 && values.len() < 4 * runs.len() {
                for n in 0..N {
                    let entries = values.iter().zip(rows.columns_of(b));
                    y[n][b.row as usize] = entries.fold(0.0, |sum, (v, &c)| sum + v * x[n][c as usize]);
                }
                continue;
            }
            by_shape!(b, runs, dot_rows[_, Simd](rows, b, b.rows(), values, runs, &x, &mut y), _ => {
                let n = b.ncol as usize;
                for (row, values) in b.rows().zip(values.chunks_exact(n.max(1))) {
                    dot_rows::<1, 0, 0, N, Simd>(rows, b, row..row + 1, values, runs, &x, &mut y);
                }
            });
        }
    }

    fn tmul_add(rows: &Jacobian<'_>, f: &[f64], y: &mut [f64]) {
        for b in rows.blocks {
            let (runs, values) = (rows.runs_of(b), rows.values_of(b));
            let f = &f[b.rows()];
            by_shape!(b, runs, add_rows[](rows, b, values, runs, f, y), _ => {
                let n = b.ncol as usize;
                for (f, values) in f.iter().zip(values.chunks_exact(n.max(1))) {
                    add_rows::<1, 0, 0>(rows, b, values, runs, std::slice::from_ref(f), y);
                }
            });
        }
    }
}

/// The `R` rows of a block.
#[inline(always)]
fn rows_of<const R: usize>(values: &[f64]) -> [&[f64]; R] {
    let n = values.len() / R;
    let mut rows = [values; R];
    for r in 0..R {
        rows[r] = &values[r * n..][..n];
    }
    rows
}

/// Columns of rows from `at` on: groups of four, and what is left.
#[inline(always)]
fn columns<'a, const R: usize>(
    rows: &[&'a [f64]; R],
    at: usize,
    fours: usize,
    rest: usize,
) -> ([&'a [[f64; 4]]; R], [&'a [f64]; R]) {
    let (mut groups, mut tails) = ([&[] as &[[f64; 4]]; R], *rows);
    for r in 0..R {
        let row = &rows[r][at..][..4 * fours + rest];
        groups[r] = &row.as_chunks().0[..fours];
        tails[r] = &row[4 * fours..];
    }
    (groups, tails)
}

/// Products of `R` rows with `N` vectors, on runs of `A` and `B` columns, or of any length.
#[inline(always)]
fn dot_rows<const R: usize, const A: usize, const B: usize, const N: usize, S: Wide>(
    jacobian: &Jacobian<'_>,
    b: &Block,
    range: Range<usize>,
    values: &[f64],
    runs: &[Run],
    x: &[&[f64]; N],
    y: &mut [&mut [f64]; N],
) {
    let mut products = [[0.0; R]; N];
    if N > 1 && R == LANES - 1 && A + B >= LANES {
        let sums = dot_three::<A, B, N, S>(values, runs, x);
        for n in 0..N {
            let lanes = sums[n].store();
            products[n].copy_from_slice(&lanes[..R]);
        }
    } else if A > 0 {
        let len = A + B;
        let values = &values[..R * len];
        for (start, run) in [(0, A), (A, B)] {
            if run == 0 {
                continue;
            }
            let first = runs[usize::from(start > 0)].start as usize;
            let mut own = *x;
            for n in 0..N {
                own[n] = &x[n][first..][..run];
            }
            for r in 0..R {
                for k in 0..run {
                    for n in 0..N {
                        products[n][r] += values[r * len + start + k] * own[n][k];
                    }
                }
            }
        }
    } else {
        let rows = rows_of::<R>(values);
        for n in 0..N {
            // Four running sums per row, side by side.
            let mut sum = [[0.0; 4]; R];
            let mut at = 0;
            for run in runs {
                let len = run.len as usize;
                let (fours, rest) = x[n][run.start as usize..][..len].as_chunks::<4>();
                let (groups, tails) = columns(&rows, at, fours.len(), rest.len());
                for (g, x) in fours.iter().enumerate() {
                    for r in 0..R {
                        for k in 0..4 {
                            sum[r][k] += groups[r][g][k] * x[k];
                        }
                    }
                }
                for (k, x) in rest.iter().enumerate() {
                    for r in 0..R {
                        sum[r][k] += tails[r][k] * x;
                    }
                }
                at += len;
            }
            for r in 0..R {
                products[n][r] = (sum[r][0] + sum[r][2]) + (sum[r][1] + sum[r][3]);
            }
        }
    }
    for n in 0..N {
        jacobian.edges::<R>(b.kind, b.cone, &products[n], &mut y[n][range.clone()]);
    }
}

/// Numbers in a register.
const LANES: usize = 4;

/// Products of three rows with `N` vectors, on runs of `A` and `B` columns, four at least: a row in each
/// lane, so that every sum goes from column to column, as that of [`dot_rows`] does.
#[inline(always)]
fn dot_three<const A: usize, const B: usize, const N: usize, S: Wide>(
    values: &[f64],
    runs: &[Run],
    x: &[&[f64]; N],
) -> [S; N] {
    let n = A + B;
    let values = &values[..3 * n];
    let (mut first, mut second) = (*x, *x);
    for v in 0..N {
        first[v] = &x[v][runs[0].start as usize..][..A];
        if B > 0 {
            second[v] = &x[v][runs[1].start as usize..][..B];
        }
    }
    let mut sums = [S::splat(0.0); N];
    // Bounds of loops are constants, so that nothing is left of the loops.
    for group in 0..n.div_ceil(LANES) {
        // The last four columns may overlap those before.
        let start = (group * LANES).min(n - LANES);
        let mut rows = [S::splat(0.0); LANES];
        for r in 0..LANES - 1 {
            if let Some(&four) = values[r * n + start..].first_chunk() {
                rows[r] = S::load(four);
            }
        }
        let columns = S::transposed(rows);
        for k in 0..LANES {
            let c = start + k;
            if c < group * LANES {
                continue;
            }
            for v in 0..N {
                let x = if c < A { first[v][c] } else { second[v][c - A] };
                sums[v] += columns[k] * S::splat(x);
            }
        }
    }
    sums
}

/// `y += rowsᵀ · forces`, with the arguments of [`dot_rows`].
#[inline(always)]
fn add_rows<const R: usize, const A: usize, const B: usize>(
    jacobian: &Jacobian<'_>,
    b: &Block,
    values: &[f64],
    runs: &[Run],
    f: &[f64],
    y: &mut [f64],
) {
    let forces = jacobian.stored_forces::<R>(b.kind, b.cone, f);
    if forces == [0.0; R] {
        return;
    }
    if A > 0 {
        let n = A + B;
        let values = &values[..R * n];
        let first = &mut y[runs[0].start as usize..][..A];
        for k in 0..A {
            for r in 0..R {
                first[k] += values[r * n + k] * forces[r];
            }
        }
        if B > 0 {
            let second = &mut y[runs[1].start as usize..][..B];
            for k in 0..B {
                for r in 0..R {
                    second[k] += values[r * n + A + k] * forces[r];
                }
            }
        }
        return;
    }
    let rows = rows_of::<R>(values);
    let mut at = 0;
    for run in runs {
        let len = run.len as usize;
        let (fours, rest) = y[run.start as usize..][..len].as_chunks_mut::<4>();
        let (groups, tails) = columns(&rows, at, fours.len(), rest.len());
        for (g, y) in fours.iter_mut().enumerate() {
            for r in 0..R {
                for k in 0..4 {
                    y[k] += groups[r][g][k] * forces[r];
                }
            }
        }
        for (k, y) in rest.iter_mut().enumerate() {
            for r in 0..R {
                *y += tails[r][k] * forces[r];
            }
        }
        at += len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pyramid on columns 0 and 2, and a scalar row on column 1.
    fn example() -> (Vec<Block>, Vec<u32>, Vec<f64>, Vec<Cone>) {
        let limit = Block {
            kind: Kind::Inequality,
            rank: 1,
            row: 4,
            col: 2,
            ncol: 1,
            run: 2,
            nrun: 1,
            val: 6,
            cone: 0,
        };
        let pyramid = Block {
            kind: Kind::Pyramid,
            rank: 3,
            row: 0,
            col: 0,
            ncol: 2,
            run: 0,
            nrun: 2,
            val: 0,
            cone: 0,
        };
        (
            vec![pyramid, limit],
            vec![0, 2, 1],
            vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -1.0],
            vec![Cone { mu: 0.5, friction: [0.5, 0.25, 0.0, 0.0, 0.0] }],
        )
    }

    #[test]
    fn products_agree_with_the_expanded_matrix() {
        let (blocks, columns, values, cones) = example();
        let mut runs = Vec::new();
        push_runs(&columns[..2], &mut runs);
        push_runs(&columns[2..], &mut runs);
        let j = Jacobian {
            blocks: &blocks,
            columns: &columns,
            runs: &runs,
            values: &values,
            cones: &cones,
        };
        let mut dense = [[0.0; 3]; 5];
        for b in &blocks {
            for (i, row) in b.rows().enumerate() {
                for (&c, v) in j.columns_of(b).iter().zip(j.row_values(b, i)) {
                    dense[row][c as usize] = v;
                }
            }
        }
        assert_eq!(dense[1], [1.0 - 0.5 * 3.0, 0.0, 2.0 - 0.5 * 4.0]);
        let x = [0.3, -0.7, 1.1];
        let (mut y, mut y_by_row) = ([0.0; 5], [f64::NAN; 5]);
        j.mul(&x, &mut y);
        j.mul_by_row(&x, &mut y_by_row);
        let f = [1.0, 0.2, -0.5, 0.4, 3.0];
        let (mut jtf, mut by_row) = ([0.0; 3], [f64::NAN; 3]);
        j.tmul_add(&f, &mut jtf);
        j.tmul_by_row(&f, &mut by_row);
        for row in 0..5 {
            let want: f64 = (0..3).map(|c| dense[row][c] * x[c]).sum();
            assert!((y[row] - want).abs() < 1e-14);
            assert_eq!(y_by_row[row], want);
        }
        for c in 0..3 {
            let want: f64 = (0..5).map(|r| dense[r][c] * f[r]).sum();
            assert!((jtf[c] - want).abs() < 1e-14);
            assert_eq!(by_row[c], want);
        }
    }
}
