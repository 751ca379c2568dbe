//! The constraint Jacobian, stored for speed rather than for the public view.
//!
//! Rows that share their columns form a [`Block`]: one equality, one friction loss, one limit or
//! one contact. A block holds its column indices once, ascending, and its values row by row.
//! Degrees of freedom of a body and of unbranched limbs are consecutive, so the columns fall into
//! few [`Run`]s, and products are sums over slices. A
//! pyramidal contact stores the normal and the friction directions, not the edges: an edge is
//! `normal ± μₖ·tangentₖ`, so that products with `dim` stored rows give all `2(dim−1)` edge rows.

/// Smallest cost function of a row, in the terms of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug)]
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
    pub fn rows(&self) -> std::ops::Range<usize> {
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
    let first = runs.len();
    for &c in columns {
        match runs[first..].last_mut() {
            Some(run) if run.start + run.len == c => run.len += 1,
            _ => runs.push(Run { start: c, len: 1 }),
        }
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
    fn runs_of(&self, b: &Block) -> &'a [Run] {
        &self.runs[b.run as usize..(b.run + b.nrun) as usize]
    }

    /// `y = J x` on the rows of the blocks.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        for b in self.blocks {
            let (runs, values, n) = (self.runs_of(b), self.values_of(b), b.ncol as usize);
            let mut products = [0.0; MAX_RANK];
            match b.rank {
                1 => dot_rows::<1>(values, n, runs, x, &mut products),
                3 => dot_rows::<3>(values, n, runs, x, &mut products),
                4 => dot_rows::<4>(values, n, runs, x, &mut products),
                6 => dot_rows::<6>(values, n, runs, x, &mut products),
                rank => {
                    for r in 0..rank as usize {
                        let mut one = [0.0; MAX_RANK];
                        dot_rows::<1>(&values[r * n..], n, runs, x, &mut one);
                        products[r] = one[0];
                    }
                }
            }
            self.expand(b, &products, &mut y[b.rows()]);
        }
    }

    /// `y += Jᵀ f`.
    pub fn tmul_add(&self, f: &[f64], y: &mut [f64]) {
        for b in self.blocks {
            let forces = self.contract(b, &f[b.rows()]);
            if forces == [0.0; MAX_RANK] {
                continue;
            }
            let (runs, values, n) = (self.runs_of(b), self.values_of(b), b.ncol as usize);
            match b.rank {
                1 => add_rows::<1>(values, n, runs, &forces, y),
                3 => add_rows::<3>(values, n, runs, &forces, y),
                4 => add_rows::<4>(values, n, runs, &forces, y),
                6 => add_rows::<6>(values, n, runs, &forces, y),
                rank => {
                    for r in 0..rank as usize {
                        let force = [forces[r], 0.0, 0.0, 0.0, 0.0, 0.0];
                        add_rows::<1>(&values[r * n..], n, runs, &force, y);
                    }
                }
            }
        }
    }

    /// Quantities of stored rows to quantities of constraint rows.
    #[inline]
    fn expand(&self, b: &Block, stored: &[f64; MAX_RANK], rows: &mut [f64]) {
        if b.kind == Kind::Pyramid {
            let friction = &self.cones[b.cone as usize].friction;
            for (k, pair) in rows.chunks_exact_mut(2).enumerate() {
                let tangent = friction[k] * stored[k + 1];
                pair[0] = stored[0] + tangent;
                pair[1] = stored[0] - tangent;
            }
        } else {
            rows.copy_from_slice(&stored[..rows.len()]);
        }
    }

    /// Forces of constraint rows to forces of stored rows: the transpose of [`Self::expand`].
    #[inline]
    fn contract(&self, b: &Block, rows: &[f64]) -> [f64; MAX_RANK] {
        let mut stored = [0.0; MAX_RANK];
        if b.kind == Kind::Pyramid {
            let friction = &self.cones[b.cone as usize].friction;
            for (k, pair) in rows.chunks_exact(2).enumerate() {
                stored[0] += pair[0] + pair[1];
                stored[k + 1] = friction[k] * (pair[0] - pair[1]);
            }
        } else {
            stored[..rows.len()].copy_from_slice(rows);
        }
        stored
    }

    /// The values of constraint row `b.rows().start + i`, over the columns of the block.
    pub fn row_values(&self, b: &Block, i: usize) -> impl Iterator<Item = f64> + 'a {
        let (values, n) = (self.values_of(b), b.ncol as usize);
        let (first, second, factor) = match b.kind {
            Kind::Pyramid => {
                let friction = self.cones[b.cone as usize].friction[i / 2];
                (0, i / 2 + 1, if i.is_multiple_of(2) { friction } else { -friction })
            }
            _ => (i, i, 0.0),
        };
        let (a, t) = (&values[first * n..(first + 1) * n], &values[second * n..(second + 1) * n]);
        a.iter().zip(t).map(move |(a, t)| if factor == 0.0 { *a } else { a + factor * t })
    }
}

/// Products of `R` rows with `x`.
#[inline]
fn dot_rows<const R: usize>(
    values: &[f64],
    n: usize,
    runs: &[Run],
    x: &[f64],
    out: &mut [f64; MAX_RANK],
) {
    // Two running sums per row, side by side in one register.
    let mut sum = [[0.0; 2]; R];
    let mut at = 0;
    for run in runs {
        let len = run.len as usize;
        let x = &x[run.start as usize..run.start as usize + len];
        let rows: [&[f64]; R] = std::array::from_fn(|r| &values[r * n + at..r * n + at + len]);
        let mut k = 0;
        while k + 1 < len {
            for r in 0..R {
                sum[r][0] += rows[r][k] * x[k];
                sum[r][1] += rows[r][k + 1] * x[k + 1];
            }
            k += 2;
        }
        if k < len {
            for r in 0..R {
                sum[r][0] += rows[r][k] * x[k];
            }
        }
        at += len;
    }
    for r in 0..R {
        out[r] = sum[r][0] + sum[r][1];
    }
}

/// `y += rowsᵀ · forces`.
#[inline]
fn add_rows<const R: usize>(
    values: &[f64],
    n: usize,
    runs: &[Run],
    forces: &[f64; MAX_RANK],
    y: &mut [f64],
) {
    let mut at = 0;
    for run in runs {
        let len = run.len as usize;
        let y = &mut y[run.start as usize..run.start as usize + len];
        let rows: [&[f64]; R] = std::array::from_fn(|r| &values[r * n + at..r * n + at + len]);
        let mut k = 0;
        while k + 1 < len {
            let mut sum = [y[k], y[k + 1]];
            for r in 0..R {
                sum[0] += rows[r][k] * forces[r];
                sum[1] += rows[r][k + 1] * forces[r];
            }
            y[k..k + 2].copy_from_slice(&sum);
            k += 2;
        }
        if k < len {
            for r in 0..R {
                y[k] += rows[r][k] * forces[r];
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
        let mut y = [0.0; 5];
        j.mul(&x, &mut y);
        let f = [1.0, 0.2, -0.5, 0.4, 3.0];
        let mut jtf = [0.0; 3];
        j.tmul_add(&f, &mut jtf);
        for row in 0..5 {
            let want: f64 = (0..3).map(|c| dense[row][c] * x[c]).sum();
            assert!((y[row] - want).abs() < 1e-14);
        }
        for c in 0..3 {
            let want: f64 = (0..5).map(|r| dense[r][c] * f[r]).sum();
            assert!((jtf[c] - want).abs() < 1e-14);
        }
    }
}
