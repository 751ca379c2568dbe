//! The problem in terms of forces: minimise `½ fᵀ(A + R) f + bᵀ f` over the admissible forces,
//! with `A = J M⁻¹ Jᵀ` and `b = J·qacc_smooth − aref`.
//!
//! With `M = Lᵀ D L`, the rows `B = J L⁻¹ D^-½` give `A = B Bᵀ`. A row of `B` lives on the
//! ancestors of the columns of its row of `J`, so that `u = Bᵀ f` makes a residual
//! `b + B u + R f` cost no more than a row: the matrix `A` is never formed to solve, only for
//! those who look at it ([`materialize_dual`]), except for the small blocks on its diagonal.
//!
//! As in the Jacobian, a pyramidal contact stores the rows of its normal and of its friction
//! directions, not those of its edges. Rows of a block share their columns, which are kept in
//! groups of four neighbours, whether a row meets all four or one: products are then whole registers,
//! without gathering. A group holds four numbers of each row, one row after the other.

use super::finite;
use super::primal::Iterate;
use super::problem::{Inertia, Limits, Problem, Rows};
use super::row_cost::{QUADRATIC, SATISFIED, state_of_force};
use super::rows::{Block, Jacobian, Kind, MAX_RANK};
use crate::stage::constraint::is_sparse;
use crate::{Data, Model};
use corten_math::memory::Grow;
use corten_math::{Wide, wide};

/// Rows `B` and the vector `u = Bᵀ f`.
#[derive(Clone, Debug, Default)]
pub struct Dual {
    /// Of each block of the Jacobian, in its order.
    blocks: Vec<DualBlock>,
    /// Ascending columns of each block.
    columns: Vec<u32>,
    /// The groups of four that they are in.
    groups: Vec<u32>,
    /// Values by block, group and row.
    values: Vec<[f64; 4]>,
    /// `A` between the rows of each block, in full.
    gram: Vec<f64>,
    /// `u`, in groups.
    u: Vec<[f64; 4]>,
    /// Number of constraint rows.
    rows: usize,
    /// `D^-½`.
    roots: Vec<f64>,
    /// Rows of a block side by side, by column.
    work: Vec<f64>,
    /// The last block that met a degree of freedom.
    met: Vec<usize>,
    /// `(A + R)ᵢᵢ` and its inverse, for sweeps that move constraint rows one by one.
    pub diagonal: Vec<[f64; 2]>,
    /// `A + R` and the residuals, for sweeps of few rows.
    pub full: Full,
}

/// `A + R` in full, row by row, and the residuals `b + (A + R) f`. Rows are filled up to whole groups of
/// four.
#[derive(Clone, Debug, Default)]
pub struct Full {
    pub matrix: Vec<[f64; 4]>,
    pub residual: Vec<[f64; 4]>,
}

/// Where the numbers of a block begin.
#[derive(Clone, Copy, Debug)]
pub struct DualBlock {
    column: u32,
    ncolumn: u32,
    group: u32,
    ngroup: u32,
    value: u32,
    gram: u32,
}

impl Dual {
    /// Computes `B` for a whole problem of `n` degrees of freedom.
    pub fn build(&mut self, n: usize, inertia: &Inertia<'_>, jacobian: &Jacobian<'_>) {
        self.blocks.clear();
        self.columns.clear();
        self.groups.clear();
        self.values.clear();
        self.gram.clear();
        self.work.clear();
        self.work.grow_resize(n * LANES, 0.0);
        self.met.clear();
        self.met.resize(n, usize::MAX);
        self.u.clear();
        self.u.resize(n.div_ceil(4), [0.0; 4]);
        self.rows = jacobian.blocks.last().map_or(0, |b| b.rows().end);
        self.roots.clear();
        self.roots.extend((0..n).map(|i| inertia.diaginv[i + inertia.row(i).2].sqrt()));
        build(self, inertia, jacobian);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Makes the rows those of no problem.
    pub fn forget(&mut self) {
        self.rows = 0;
    }

    /// The columns of a block and all of their ancestors, ascending, and their groups.
    fn push_columns(&mut self, id: usize, columns: &[u32], inertia: &Inertia<'_>) {
        let begin = self.columns.len();
        for &c in columns {
            let (_, ancestors, shift) = inertia.row(c as usize);
            // Whoever has met a parent has met all of its ancestors.
            let known = match *ancestors {
                [.., parent, _] if self.met[parent as usize - shift] == id => ancestors.len() - 1,
                _ => 0,
            };
            for &a in &ancestors[known..] {
                let a = a as usize - shift;
                if self.met[a] != id {
                    self.met[a] = id;
                    self.columns.push(a as u32);
                }
            }
        }
        self.columns[begin..].sort_unstable();
        let first = self.groups.len();
        for &c in &self.columns[begin..] {
            if self.groups.len() == first || self.groups.last() != Some(&(c / 4)) {
                self.groups.push(c / 4);
            }
        }
        self.blocks.push(DualBlock {
            column: begin as u32,
            ncolumn: (self.columns.len() - begin) as u32,
            group: first as u32,
            ngroup: (self.groups.len() - first) as u32,
            value: self.values.len() as u32,
            gram: self.gram.len() as u32,
        });
    }

    fn columns_of(&self, b: &DualBlock) -> &[u32] {
        &self.columns[b.column as usize..][..b.ncolumn as usize]
    }

    /// Blocks of the dual, in the order of those of the Jacobian, and what belongs to all of them.
    #[inline(always)]
    pub fn parts(&mut self) -> (&[DualBlock], Parts<'_>) {
        let Dual { blocks, groups, values, gram, u, .. } = self;
        (blocks, Parts { groups, values, gram, u })
    }

    /// `A` of constraint row `i`, of the block with the given number, with itself.
    pub fn weight(&self, jacobian: &Jacobian<'_>, block: usize, i: usize) -> f64 {
        let b = &jacobian.blocks[block];
        let gram = &self.gram[self.blocks[block].gram as usize..];
        let [(k, x), (l, y)] = jacobian.stored_rows(b, i - b.row as usize);
        let entry = |k: usize, l: usize| gram[k * b.rank as usize + l];
        x * x * entry(k, k) + 2.0 * x * y * entry(k, l) + y * y * entry(l, l)
    }

    /// Forces of zero.
    pub fn clear_forces(&mut self) {
        self.u.fill([0.0; 4]);
    }

    /// `(A f)ᵢ` of a constraint row of a block.
    pub fn product(&self, jacobian: &Jacobian<'_>, block: usize, i: usize) -> f64 {
        let b = &jacobian.blocks[block];
        let DualBlock { group, ngroup, value, .. } = self.blocks[block];
        let mut sum = 0.0;
        for (row, factor) in jacobian.stored_rows(b, i - b.row as usize) {
            for (k, &at) in self.groups[group as usize..][..ngroup as usize].iter().enumerate() {
                let values = &self.values[value as usize + k * b.rank as usize + row];
                let u = &self.u[at as usize];
                sum += factor * super::problem::dot(values, u);
            }
        }
        sum
    }

    /// Accounts for a change of the force of a constraint row of a block.
    pub fn add(&mut self, jacobian: &Jacobian<'_>, block: usize, i: usize, delta: f64) {
        let b = &jacobian.blocks[block];
        let DualBlock { group, ngroup, value, .. } = self.blocks[block];
        for (row, factor) in jacobian.stored_rows(b, i - b.row as usize) {
            for (k, &at) in self.groups[group as usize..][..ngroup as usize].iter().enumerate() {
                let values = &self.values[value as usize + k * b.rank as usize + row];
                let u = &mut self.u[at as usize];
                u.iter_mut().zip(values).for_each(|(u, v)| *u += factor * delta * v);
            }
        }
    }

    /// `A` between the stored rows of two blocks; `None` if they have no column in common.
    fn between(
        &self,
        i: (&Block, &DualBlock),
        j: (&Block, &DualBlock),
    ) -> Option<[[f64; MAX_RANK]; MAX_RANK]> {
        let (ci, cj) = (self.columns_of(i.1), self.columns_of(j.1));
        let mut product = [[0.0; MAX_RANK]; MAX_RANK];
        let (mut a, mut b, mut meet) = (0, 0, false);
        let at = |(block, dual): (&Block, &DualBlock), column: u32, row: usize| {
            let groups = &self.groups[dual.group as usize..][..dual.ngroup as usize];
            let group = groups.binary_search(&(column / 4)).unwrap_or(0);
            let rank = block.rank as usize;
            self.values[dual.value as usize + group * rank + row][column as usize % 4]
        };
        while a < ci.len() && b < cj.len() {
            match ci[a].cmp(&cj[b]) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    for k in 0..i.0.rank as usize {
                        for l in 0..j.0.rank as usize {
                            product[k][l] += at(i, ci[a], k) * at(j, cj[b], l);
                        }
                    }
                    meet = true;
                    a += 1;
                    b += 1;
                }
            }
        }
        meet.then_some(product)
    }

    /// Starts from the given forces.
    pub fn set_forces(&mut self, jacobian: &Jacobian<'_>, force: &[f64]) {
        set_forces(self, jacobian, force);
    }

    /// Whether it takes less to keep all residuals up to date than to compute them from `u`: a
    /// change of one force costs as much as there are rows, and in `u` about eight times what is stored
    /// of its row.
    pub fn is_small(&self) -> bool {
        self.rows * self.rows <= 8 * self.values.len()
    }

    /// Forms `A + R`.
    pub fn fill(&mut self, rows: &Rows<'_>) {
        fill(self, &rows.jacobian);
        let stride = self.rows.div_ceil(4);
        for (i, r) in rows.r.iter().enumerate() {
            self.full.matrix[i * stride + i / 4][i % 4] += r;
        }
    }

    /// Residuals of the forces that were set.
    pub fn find_residuals(&mut self, rows: &Rows<'_>, b: &[f64], force: &[f64]) {
        let mut residual = std::mem::take(&mut self.full.residual);
        residual.resize(self.rows.div_ceil(4), [0.0; 4]);
        let by_row = residual.as_flattened_mut();
        multiply(self, &rows.jacobian, by_row);
        for (i, y) in by_row[..self.rows].iter_mut().enumerate() {
            *y += b[i] + rows.r[i] * force[i];
        }
        self.full.residual = residual;
    }

    /// `fᵀ A f`, for the forces that were set.
    pub fn norm(&self) -> f64 {
        let u = self.u.as_flattened();
        super::problem::dot(u, u)
    }
}

/// Most rows of a block that are solved for side by side.
const LANES: usize = 8;

/// Calls a function with the rank of a block as a constant.
macro_rules! by_rank {
    ($rank:expr, $function:ident::<$Simd:ident> $arguments:tt) => {
        match $rank {
            1 => $function::<$Simd, 1> $arguments,
            2 => $function::<$Simd, 2> $arguments,
            3 => $function::<$Simd, 3> $arguments,
            4 => $function::<$Simd, 4> $arguments,
            5 => $function::<$Simd, 5> $arguments,
            _ => $function::<$Simd, 6> $arguments,
        }
    };
}

pub(super) use by_rank;

wide! {
    fn build(dual: &mut Dual, inertia: &Inertia<'_>, jacobian: &Jacobian<'_>) {
        for (id, b) in jacobian.blocks.iter().enumerate() {
            dual.push_columns(id, jacobian.columns_of(b), inertia);
            match b.rank {
                1 => half_solve::<1>(dual, inertia, jacobian, b),
                2..=4 => half_solve::<4>(dual, inertia, jacobian, b),
                _ => half_solve::<LANES>(dual, inertia, jacobian, b),
            }
            by_rank!(b.rank, push_gram::<Simd>(dual));
        }
    }

    fn multiply(dual: &mut Dual, jacobian: &Jacobian<'_>, product: &mut [f64]) {
        let (blocks, parts) = dual.parts();
        for (b, block) in jacobian.blocks.iter().zip(blocks) {
            let product = &mut product[b.rows()];
            by_rank!(b.rank, put_products::<Simd>(jacobian, b, block, &parts, product));
        }
    }

    fn fill(dual: &mut Dual, jacobian: &Jacobian<'_>) {
        let mut matrix = std::mem::take(&mut dual.full.matrix);
        let stride = dual.rows.div_ceil(4);
        matrix.clear();
        matrix.resize(dual.rows * stride, [0.0; 4]);
        dual.u.fill([0.0; 4]);
        let (blocks, mut parts) = dual.parts();
        for (k, (b, block)) in jacobian.blocks.iter().zip(blocks).enumerate() {
            for i in b.rows() {
                // The row itself as `u`, and the products with the rows from its block on.
                let mut stored = [0.0; MAX_RANK];
                for (row, factor) in jacobian.stored_rows(b, i - b.row as usize) {
                    stored[row] += factor;
                }
                by_rank!(b.rank, add_first::<Simd>(block, &mut parts, &stored));
                let row = matrix[i * stride..][..stride].as_flattened_mut();
                for (b, block) in jacobian.blocks[k..].iter().zip(&blocks[k..]) {
                    let row = &mut row[b.rows()];
                    by_rank!(b.rank, put_products::<Simd>(jacobian, b, block, &parts, row));
                }
                for &group in &parts.groups[block.group as usize..][..block.ngroup as usize] {
                    parts.u[group as usize] = [0.0; 4];
                }
            }
        }
        // The other half.
        let matrix_flat = matrix.as_flattened_mut();
        for i in 1..dual.rows {
            for j in 0..i {
                matrix_flat[i * 4 * stride + j] = matrix_flat[j * 4 * stride + i];
            }
        }
        dual.full.matrix = matrix;
    }

    fn set_forces(dual: &mut Dual, jacobian: &Jacobian<'_>, force: &[f64]) {
        dual.u.fill([0.0; 4]);
        let (blocks, mut parts) = dual.parts();
        for (b, block) in jacobian.blocks.iter().zip(blocks) {
            let force = &force[b.rows()];
            by_rank!(b.rank, add_forces::<Simd>(jacobian, b, block, &mut parts, force));
        }
    }
}

/// Appends the rows of the last block, multiplied by `L⁻¹ D^-½`. They are solved for side by side, in
/// `W` lanes.
#[inline(always)]
fn half_solve<const W: usize>(
    dual: &mut Dual,
    inertia: &Inertia<'_>,
    jacobian: &Jacobian<'_>,
    b: &Block,
) {
    let Some(block) = dual.blocks.last() else { return };
    let (rank, first) = (b.rank as usize, block.value as usize);
    let columns = &dual.columns[block.column as usize..];
    let groups = &dual.groups[block.group as usize..];
    let work = dual.work.as_chunks_mut::<W>().0;
    let ncol = b.ncol as usize;
    for (r, values) in jacobian.values_of(b).chunks_exact(ncol.max(1)).enumerate() {
        for (&c, v) in jacobian.columns_of(b).iter().zip(values) {
            work[c as usize][r] = *v;
        }
    }
    for &i in columns.iter().rev() {
        let x = work[i as usize];
        let (start, ancestors, shift) = inertia.row(i as usize);
        let (_, ancestors) = ancestors.split_last().unwrap_or((&0, &[]));
        for (&a, l) in ancestors.iter().zip(&inertia.factor[start..]) {
            let y = &mut work[a as usize - shift];
            for k in 0..W {
                y[k] -= l * x[k];
            }
        }
    }
    dual.values.grow_resize(first + groups.len() * rank, [0.0; 4]);
    let values = &mut dual.values[first..];
    let mut group = 0;
    for &i in columns {
        group += usize::from(groups[group] != i / 4);
        let root = dual.roots[i as usize];
        let x = std::mem::replace(&mut work[i as usize], [0.0; W]);
        for (value, x) in values[group * rank..][..rank].iter_mut().zip(x) {
            value[i as usize % 4] = x * root;
        }
    }
}

/// Appends `A` between the rows of the last block.
#[inline(always)]
fn push_gram<S: Wide, const R: usize>(dual: &mut Dual) {
    let Some(block) = dual.blocks.last() else { return };
    let values = dual.values[block.value as usize..].as_chunks::<R>().0;
    for k in 0..R {
        let mut sums = [S::splat(0.0); R];
        for value in values {
            let row = S::load(value[k]);
            for j in 0..R {
                sums[j] += row * S::load(value[j]);
            }
        }
        dual.gram.extend(sums.iter().map(|sum| sum.sum()));
    }
}

#[inline(always)]
fn add_forces<S: Wide, const R: usize>(
    jacobian: &Jacobian<'_>,
    b: &Block,
    block: &DualBlock,
    parts: &mut Parts<'_>,
    force: &[f64],
) {
    let stored = jacobian.stored_forces::<R>(b.kind, b.cone, force);
    parts.add::<S, R>(block, &stored);
}

#[inline(always)]
fn add_first<S: Wide, const R: usize>(
    block: &DualBlock,
    parts: &mut Parts<'_>,
    stored: &[f64; MAX_RANK],
) {
    if let Some(stored) = stored.first_chunk::<R>() {
        parts.add::<S, R>(block, stored);
    }
}

/// `B u` for the constraint rows of a block.
#[inline(always)]
fn put_products<S: Wide, const R: usize>(
    jacobian: &Jacobian<'_>,
    b: &Block,
    block: &DualBlock,
    parts: &Parts<'_>,
    to: &mut [f64],
) {
    jacobian.edges::<R>(b.kind, b.cone, &parts.products::<S, R>(block), to);
}

/// What sweeps over the blocks need.
pub struct Parts<'a> {
    groups: &'a [u32],
    values: &'a [[f64; 4]],
    gram: &'a [f64],
    u: &'a mut [[f64; 4]],
}

impl<'a> Parts<'a> {
    #[inline(always)]
    fn block<const R: usize>(&self, b: &DualBlock) -> (&'a [u32], &'a [[[f64; 4]; R]]) {
        let (group, n) = (b.group as usize, b.ngroup as usize);
        (&self.groups[group..][..n], &self.values[b.value as usize..][..n * R].as_chunks().0[..n])
    }

    /// `B u`, for the rows of a block.
    #[inline(always)]
    pub fn products<S: Wide, const R: usize>(&self, b: &DualBlock) -> [f64; R] {
        let (groups, values) = self.block::<R>(b);
        let mut sums = [S::splat(0.0); R];
        for (&group, values) in groups.iter().zip(values) {
            let u = S::load(self.u[group as usize]);
            for r in 0..R {
                sums[r] += S::load(values[r]) * u;
            }
        }
        let mut products = [0.0; R];
        for r in 0..R {
            products[r] = sums[r].sum();
        }
        products
    }

    /// Accounts for a change of the forces along the stored rows of a block.
    #[inline(always)]
    pub fn add<S: Wide, const R: usize>(&mut self, b: &DualBlock, change: &[f64; R]) {
        let mut changed = false;
        for r in 0..R {
            changed |= change[r] != 0.0;
        }
        if !changed {
            return;
        }
        let (groups, values) = self.block::<R>(b);
        for (&group, values) in groups.iter().zip(values) {
            let u = &mut self.u[group as usize];
            let mut sum = S::load(*u);
            for r in 0..R {
                sum += S::load(values[r]) * S::splat(change[r]);
            }
            *u = sum.store();
        }
    }

    /// `A` between the stored rows of a block.
    #[inline(always)]
    pub fn gram<const R: usize>(&self, b: &DualBlock) -> &'a [[f64; R]; R] {
        &self.gram[b.gram as usize..][..R * R].as_chunks::<R>().0.as_chunks::<R>().0[0]
    }

    /// The same, row after row.
    pub fn flat_gram(&self, b: &DualBlock) -> &'a [f64] {
        &self.gram[b.gram as usize..]
    }
}

/// States that the forces imply; returns how many rows are active, and how many have changed.
pub fn states(rows: &Rows<'_>, force: &[f64], state: &mut [i32]) -> [usize; 2] {
    let (mut active, mut changed) = (0, 0);
    let mut set = |state: &mut i32, new: i32| {
        active += usize::from(new != SATISFIED);
        changed += usize::from(*state != new);
        *state = new;
    };
    for state in &mut state[rows.equalities()] {
        set(state, QUADRATIC);
    }
    for i in rows.frictions() {
        set(&mut state[i], state_of_force(Kind::Friction, rows.frictionloss[i], force[i]));
    }
    let range = rows.inequalities();
    for (state, f) in state[range.clone()].iter_mut().zip(&force[range]) {
        set(state, state_of_force(Kind::Inequality, 0.0, *f));
    }
    for b in rows.cone_blocks() {
        let range = b.rows();
        if b.kind == Kind::Elliptic {
            let zone = rows.elliptic(b).state_of_force(&force[range.clone()]);
            state[range].iter_mut().for_each(|state| set(state, zone));
        } else {
            for i in range {
                set(&mut state[i], state_of_force(b.kind, rows.frictionloss[i], force[i]));
            }
        }
    }
    [active, changed]
}

/// Accelerations that the forces cause: `x.qfrc_constraint` and `x.qacc`.
pub fn accelerations(problem: &Problem<'_>, limits: &Limits, x: &mut Iterate<'_>) {
    x.qfrc_constraint.fill(0.0);
    problem.rows.jacobian.tmul_add(x.force, x.qfrc_constraint);
    if !limits.sparse && !finite(x.force) {
        x.qfrc_constraint.fill(f64::NAN);
    }
    x.qacc.copy_from_slice(x.qfrc_constraint);
    problem.inertia.solve(x.qacc);
    for (a, smooth) in x.qacc.iter_mut().zip(problem.qacc_smooth) {
        *a += smooth;
    }
}

/// Fills `efc_AR`, dense or by rows as the model's Jacobian form asks.
pub fn materialize_dual(m: &Model, d: &mut Data) {
    if !super::is_dual(m) || d.nefc == 0 || !d.efc_AR.is_empty() {
        return;
    }
    for v in [&mut d.efc_AR_rownnz, &mut d.efc_AR_rowadr, &mut d.efc_AR_colind] {
        v.clear();
    }
    let dual = &d.scratch.solver.dual;
    let jacobian = d.scratch.constraint.jacobian();
    let blocks = || jacobian.blocks.iter().zip(&dual.blocks);
    let rows = blocks().flat_map(|(b, block)| b.rows().map(move |row| (b, block, row)));
    for (b, block, i) in rows.filter(|_| dual.rows == d.nefc) {
        let start = d.efc_AR.len();
        let own = jacobian.stored_rows(b, i - b.row as usize);
        for (other, other_block) in blocks() {
            let products = dual.between((b, block), (other, other_block));
            for j in other.rows() {
                let theirs = jacobian.stored_rows(other, j - other.row as usize);
                let mut value = if i == j { d.efc_R[i] } else { 0.0 };
                for (k, x) in own {
                    for (l, y) in theirs {
                        value += products.map_or(0.0, |products| x * y * products[k][l]);
                    }
                }
                if !is_sparse(m) {
                    d.efc_AR.push(value);
                } else if products.is_some() || i == j {
                    d.efc_AR.push(value);
                    d.efc_AR_colind.push(j as i32);
                }
            }
        }
        if is_sparse(m) {
            d.efc_AR_rowadr.push(start as i32);
            d.efc_AR_rownnz.push((d.efc_AR.len() - start) as i32);
        }
    }
    d.nA = d.efc_AR.len();
}
