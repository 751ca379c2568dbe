//! The problem in terms of forces: minimise `½ fᵀ(A + R) f + bᵀ f` over the admissible forces,
//! with `A = J M⁻¹ Jᵀ` and `b = J·qacc_smooth − aref`.
//!
//! With `M = Lᵀ D L`, the rows `B = J L⁻¹ D^-½` give `A = B Bᵀ`. A row of `B` lives on the
//! ancestors of the columns of its row of `J`, so that `u = Bᵀ f` makes a residual
//! `b + B u + R f` cost no more than a row: the matrix `A` is never formed to solve, only for
//! those who look at it ([`materialize_dual`]).

use super::finite;
use super::primal::Iterate;
use super::problem::{Inertia, Limits, Problem, Rows};
use super::row_cost::{SATISFIED, state_of_force};
use super::rows::{Jacobian, Kind};
use crate::stage::constraint::is_sparse;
use crate::{Data, Model};

/// Rows `B` and the vector `u = Bᵀ f`.
#[derive(Clone, Debug, Default)]
pub struct Dual {
    /// Columns of row `i` are `columns[span[i].0..span[i].1]`, shared within a block.
    span: Vec<(usize, usize)>,
    /// Values of row `i` start at `at[i]`.
    at: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    pub u: Vec<f64>,
    work: Vec<f64>,
    /// Last row that met a degree of freedom.
    met: Vec<usize>,
    pub state_old: Vec<i32>,
}

impl Dual {
    /// Computes `B` for a whole problem of `n` degrees of freedom.
    pub fn build(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        self.span.clear();
        self.at.clear();
        self.columns.clear();
        self.values.clear();
        self.work.clear();
        self.work.resize(n, 0.0);
        self.met.clear();
        self.met.resize(n, usize::MAX);
        for b in rows.blocks {
            let first = b.rows().start;
            let begin = self.columns.len();
            for &c in rows.columns_of(b) {
                let (_, ancestors, shift) = inertia.row(c as usize);
                for &a in ancestors {
                    let a = a as usize - shift;
                    if self.met[a] != first {
                        self.met[a] = first;
                        self.columns.push(a as u32);
                    }
                }
            }
            self.columns[begin..].sort_unstable();
            let span = (begin, self.columns.len());
            for i in 0..b.rows().len() {
                for (&c, v) in rows.columns_of(b).iter().zip(rows.row_values(b, i)) {
                    self.work[c as usize] = v;
                }
                self.half_solve(inertia, span);
            }
        }
        self.u.clear();
        self.u.resize(n, 0.0);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.at.len()
    }

    /// Makes the rows those of no problem.
    pub fn forget(&mut self) {
        self.at.clear();
    }

    /// Moves the row in `work` to the end of `values`, multiplied by `L⁻¹ D^-½`.
    fn half_solve(&mut self, inertia: &Inertia<'_>, span: (usize, usize)) {
        let columns = &self.columns[span.0..span.1];
        for &i in columns.iter().rev() {
            let x = self.work[i as usize];
            if x == 0.0 {
                continue;
            }
            let (start, ancestors, shift) = inertia.row(i as usize);
            let (_, ancestors) = ancestors.split_last().unwrap_or((&0, &[]));
            for (&a, &l) in ancestors.iter().zip(&inertia.factor[start..]) {
                self.work[a as usize - shift] -= l * x;
            }
        }
        self.at.push(self.values.len());
        self.span.push(span);
        for &i in columns {
            let (_, _, shift) = inertia.row(i as usize);
            let scale = inertia.diaginv[i as usize + shift].sqrt();
            self.values.push(std::mem::take(&mut self.work[i as usize]) * scale);
        }
    }

    fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let (start, end) = self.span[i];
        let at = self.at[i];
        (&self.columns[start..end], &self.values[at..at + end - start])
    }

    /// `A` between two rows of one block.
    pub fn within(&self, i: usize, j: usize) -> f64 {
        self.row(i).1.iter().zip(self.row(j).1).map(|(a, b)| a * b).sum()
    }

    /// `A` between any two rows.
    fn between(&self, i: usize, j: usize) -> Option<f64> {
        let ((ci, vi), (cj, vj)) = (self.row(i), self.row(j));
        let (mut a, mut b, mut sum, mut meet) = (0, 0, 0.0, false);
        while a < ci.len() && b < cj.len() {
            match ci[a].cmp(&cj[b]) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    sum += vi[a] * vj[b];
                    meet = true;
                    a += 1;
                    b += 1;
                }
            }
        }
        meet.then_some(sum)
    }

    /// `(A f)ᵢ`.
    pub fn product(&self, i: usize) -> f64 {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).map(|(&c, v)| v * self.u[c as usize]).sum()
    }

    /// Accounts for a change of force `i`.
    pub fn add(&mut self, i: usize, delta: f64) {
        if delta == 0.0 {
            return;
        }
        let (start, end) = self.span[i];
        for (&c, v) in self.columns[start..end].iter().zip(&self.values[self.at[i]..]) {
            self.u[c as usize] += delta * v;
        }
    }

    /// Starts from the given forces.
    pub fn set_forces(&mut self, force: &[f64]) {
        self.u.fill(0.0);
        for (i, &f) in force.iter().enumerate() {
            self.add(i, f);
        }
    }
}

/// States that the forces imply; returns how many rows are active.
pub fn states(rows: &Rows<'_>, force: &[f64], state: &mut [i32]) -> usize {
    let mut active = 0;
    for b in rows.jacobian.blocks {
        let range = b.rows();
        if b.kind == Kind::Elliptic {
            let zone = rows.elliptic(b).state_of_force(&force[range.clone()]);
            active += if zone == SATISFIED { 0 } else { range.len() };
            state[range].fill(zone);
            continue;
        }
        for i in range {
            state[i] = state_of_force(b.kind, rows.frictionloss[i], force[i]);
            active += usize::from(state[i] != SATISFIED);
        }
    }
    active
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
    let n = d.nefc.min(dual.at.len());
    for i in 0..n {
        let start = d.efc_AR.len();
        for j in 0..n {
            let coupling = dual.between(i, j);
            let value = coupling.unwrap_or(0.0) + if i == j { d.efc_R[i] } else { 0.0 };
            if !is_sparse(m) {
                d.efc_AR.push(value);
            } else if coupling.is_some() || i == j {
                d.efc_AR.push(value);
                d.efc_AR_colind.push(j as i32);
            }
        }
        if is_sparse(m) {
            d.efc_AR_rowadr.push(start as i32);
            d.efc_AR_rownnz.push((d.efc_AR.len() - start) as i32);
        }
    }
    d.nA = d.efc_AR.len();
}
