//! The Hessian's factor, kept by updates of one row at a time.
//!
//! Dense: `H = L Lᵀ` from the first column on. Sparse: `H = Lᵀ L` from the last row on, which
//! keeps the pattern of trees. A row that becomes active or ceases to be adds or takes away
//! `D jᵀj`; only where that loses a pivot is the matrix made anew. Cones in their middle zone are
//! added to a copy.

use corten_math::MIN_VAL;

use super::super::problem::Inertia;
use super::super::rows::MAX_RANK;
use super::products::{Layout, Table, dot, dot_stored};

/// A lower triangle, by rows that end with the diagonal.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    layout: Option<Layout>,
    n: usize,
    /// First entry of each row, and one past the last row.
    start: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// With the cones.
    coned: Vec<f64>,
    vector: Vec<f64>,
    /// Rows of the pattern while it is being found: those that pass theirs on to a row.
    heirs: Vec<Vec<u32>>,
    lists: Vec<Vec<u32>>,
    mark: Vec<u32>,
}

impl Factor {
    /// Finds the pattern for rows that may all be active.
    pub fn analyze(&mut self, layout: Layout, inertia: &Inertia<'_>, rows: &Table, n: usize) {
        (self.layout, self.n) = (Some(layout), n);
        self.vector.clear();
        self.vector.resize(n, 0.0);
        self.start.clear();
        self.columns.clear();
        self.start.push(0);
        match layout {
            Layout::Dense => {
                for i in 0..n {
                    self.columns.extend(0..=i as u32);
                    self.start.push(self.columns.len());
                }
            }
            Layout::Sparse => self.find_pattern(inertia, rows),
        }
        self.values.resize(self.columns.len(), 0.0);
    }

    /// Row `r` has the columns of the matrix, and what the rows below pass on: all of their own
    /// columns, to the largest of them.
    fn find_pattern(&mut self, inertia: &Inertia<'_>, rows: &Table) {
        let n = self.n;
        for lists in [&mut self.heirs, &mut self.lists] {
            lists.resize_with(n.max(lists.len()), Vec::new);
            lists[..n].iter_mut().for_each(Vec::clear);
        }
        self.mark.clear();
        self.mark.resize(n, u32::MAX);
        // The columns of one Jacobian row couple to each other: enter them at the largest one;
        // elimination carries them to the others.
        for row in 0..rows.len() {
            let columns = rows.row(row).0;
            if let Some((&last, lower)) = columns.split_last() {
                self.lists[last as usize].extend_from_slice(lower);
            }
        }
        for r in (0..n).rev() {
            let (_, columns, shift) = inertia.row(r);
            let mut list = std::mem::take(&mut self.lists[r]);
            list.extend(columns.iter().map(|&c| c - shift as u32).filter(|&c| c < r as u32));
            for &heir in &self.heirs[r] {
                list.extend(self.lists[heir as usize].iter().filter(|&&c| c < r as u32));
            }
            let mark = &mut self.mark;
            list.retain(|&c| std::mem::replace(&mut mark[c as usize], r as u32) != r as u32);
            list.sort_unstable();
            if let Some(&parent) = list.last() {
                self.heirs[parent as usize].push(r as u32);
            }
            self.lists[r] = list;
        }
        for r in 0..n {
            self.columns.extend_from_slice(&self.lists[r]);
            self.columns.push(r as u32);
            self.start.push(self.columns.len());
        }
    }

    /// Number of stored entries.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    fn row(&self, r: usize) -> std::ops::Range<usize> {
        self.start[r]..self.start[r + 1]
    }

    /// Factors `M + Jᵀ diag(weight) J`; returns the number of pivots that were not positive.
    pub fn build(&mut self, inertia: &Inertia<'_>, rows: &Table, weight: &[f64]) -> usize {
        self.values.fill(0.0);
        let dense = self.layout == Some(Layout::Dense);
        for (row, &d) in weight.iter().enumerate().filter(|&(_, &d)| d != 0.0) {
            let (columns, j) = rows.row(row);
            for i in 0..columns.len() {
                let range = self.row(columns[i] as usize);
                let (into, values) = (&self.columns[range.clone()], &mut self.values[range]);
                let mut at = 0;
                for k in 0..=i {
                    at += place(&into[at..], columns[k]);
                    values[at] += if dense {
                        j[k] * (j[i] * d)
                    } else if k == i {
                        (j[i] * j[i]) * d
                    } else {
                        j[i] * (d * j[k])
                    };
                }
            }
        }
        for r in 0..self.n {
            let (start, columns, shift) = inertia.row(r);
            let range = self.row(r);
            let (into, values) = (&self.columns[range.clone()], &mut self.values[range]);
            let mut at = 0;
            for (k, &c) in columns.iter().enumerate() {
                at += place(&into[at..], c - shift as u32);
                values[at] += inertia.matrix[start + k];
            }
        }
        if dense { self.factor_dense() } else { self.factor_sparse() }
    }

    fn factor_dense(&mut self) -> usize {
        let (n, v, start) = (self.n, &mut self.values, &self.start);
        let mut bad = 0;
        for j in 0..n {
            let (above, below) = v.split_at_mut(start[j + 1]);
            let row = &mut above[start[j]..];
            let mut pivot = row[j];
            if j > 0 {
                pivot -= dot(&row[..j], &row[..j]);
            }
            if pivot < MIN_VAL {
                pivot = MIN_VAL;
                bad += 1;
            }
            row[j] = pivot.sqrt();
            let inverse = 1.0 / row[j];
            for i in j + 1..n {
                let other = &mut below[start[i] - start[j + 1]..];
                other[j] = (other[j] - dot(&other[..j], &row[..j])) * inverse;
            }
        }
        bad
    }

    fn factor_sparse(&mut self) -> usize {
        let mut bad = 0;
        for r in (0..self.n).rev() {
            let range = self.row(r);
            let (above, row) = self.values.split_at_mut(range.start);
            let columns = &self.columns[range.clone()];
            let last = columns.len() - 1;
            let mut pivot = row[last];
            if pivot < MIN_VAL {
                pivot = MIN_VAL;
                bad += 1;
            }
            row[last] = pivot.sqrt();
            let inverse = 1.0 / row[last];
            for v in &mut row[..last] {
                *v *= inverse;
            }
            for i in 0..last {
                let c = columns[i] as usize;
                let (first, end) = (self.start[c], self.start[c + 1]);
                let (into, values) = (&self.columns[first..end], &mut above[first..end]);
                let mut at = 0;
                for k in 0..=i {
                    at += place(&into[at..], columns[k]);
                    values[at] -= row[i] * row[k];
                }
            }
        }
        bad
    }

    /// Adds or takes away `x xᵀ`, given by its entries; returns whether all pivots stay positive.
    pub fn update(&mut self, columns: &[u32], x: impl Iterator<Item = f64>, add: bool) -> bool {
        let mut vector = std::mem::take(&mut self.vector);
        for (&c, x) in columns.iter().zip(x) {
            vector[c as usize] = x;
        }
        let mut values = std::mem::take(&mut self.values);
        let positive = self.rank_one(&mut values, &mut vector, add);
        (self.values, self.vector) = (values, vector);
        positive
    }

    /// Consumes `x`.
    fn rank_one(&self, values: &mut [f64], x: &mut [f64], add: bool) -> bool {
        let mut positive = true;
        let mut pivot = |diagonal: f64, x: f64| {
            let mut square = diagonal * diagonal + if add { x * x } else { -x * x };
            if square < MIN_VAL {
                square = MIN_VAL;
                positive = false;
            }
            let r = square.sqrt();
            (r, r / diagonal, x / diagonal)
        };
        if self.layout == Some(Layout::Dense) {
            for k in 0..self.n {
                if x[k] == 0.0 {
                    continue;
                }
                let diagonal = self.start[k + 1] - 1;
                let (r, c, s) = pivot(values[diagonal], x[k]);
                let inverse = 1.0 / c;
                values[diagonal] = r;
                x[k] = 0.0;
                for i in k + 1..self.n {
                    let v = &mut values[self.start[i] + k];
                    *v = (if add { *v + s * x[i] } else { *v - s * x[i] }) * inverse;
                    x[i] = c * x[i] - s * *v;
                }
            }
        } else {
            for k in (0..self.n).rev() {
                if x[k] == 0.0 {
                    continue;
                }
                let range = self.row(k);
                let (columns, row) = (&self.columns[range.clone()], &mut values[range]);
                let last = columns.len() - 1;
                let (r, c, s) = pivot(row[last], x[k]);
                row[last] = r;
                x[k] = 0.0;
                let (scale, share) = (1.0 / c, if add { s / c } else { -s / c });
                for (&column, v) in columns[..last].iter().zip(row) {
                    let x = &mut x[column as usize];
                    *v = *v * scale + *x * share;
                    *x = c * *x - s * *v;
                }
            }
        }
        positive
    }

    /// Starts the factor with cones.
    pub fn begin_cones(&mut self) {
        self.coned.clear();
        self.coned.extend_from_slice(&self.values);
    }

    /// Adds `Jᵀ H J` for the rows from `first` on, with `h` the Hessian of one contact.
    pub fn add_cone(
        &mut self,
        rows: &Table,
        first: usize,
        h: &mut [[f64; MAX_RANK]; MAX_RANK],
        dim: usize,
    ) {
        factor_small(h, dim);
        let (columns, _) = rows.row(first);
        let mut coned = std::mem::take(&mut self.coned);
        let mut vector = std::mem::take(&mut self.vector);
        for c in 0..dim {
            for r in c..dim {
                for (&column, j) in columns.iter().zip(rows.row(first + r).1) {
                    vector[column as usize] += j * h[r][c];
                }
            }
            self.rank_one(&mut coned, &mut vector, true);
        }
        (self.coned, self.vector) = (coned, vector);
    }

    /// `x ← H⁻¹ x`.
    pub fn solve(&self, cones: bool, x: &mut [f64]) {
        let v = if cones { &self.coned } else { &self.values };
        if self.layout == Some(Layout::Dense) {
            for i in 0..self.n {
                let row = &v[self.row(i)];
                if i > 0 {
                    x[i] -= dot(&row[..i], &x[..i]);
                }
                x[i] /= row[i];
            }
            for i in (0..self.n).rev() {
                for j in i + 1..self.n {
                    x[i] -= v[self.start[j] + i] * x[j];
                }
                x[i] /= v[self.start[i] + i];
            }
            return;
        }
        for i in (0..self.n).rev() {
            if x[i] == 0.0 {
                continue;
            }
            let range = self.row(i);
            let (columns, row) = (&self.columns[range.clone()], &v[range]);
            let last = columns.len() - 1;
            x[i] /= row[last];
            let value = x[i];
            for (&c, v) in columns[..last].iter().zip(row) {
                x[c as usize] -= v * value;
            }
        }
        for i in 0..self.n {
            let range = self.row(i);
            let (columns, row) = (&self.columns[range.clone()], &v[range]);
            let last = columns.len() - 1;
            if last > 0 {
                x[i] -= dot_stored(&row[..last], &columns[..last], x);
            }
            x[i] /= row[last];
        }
    }
}

/// How far into an ascending row a column of its stands.
#[inline]
fn place(columns: &[u32], column: u32) -> usize {
    columns.iter().take_while(|&&c| c < column).count()
}

/// Cholesky factor of the Hessian of one contact, in place.
fn factor_small(h: &mut [[f64; MAX_RANK]; MAX_RANK], n: usize) {
    for j in 0..n {
        let mut pivot = h[j][j];
        if j > 0 {
            pivot -= dot(&h[j][..j], &h[j][..j]);
        }
        h[j][j] = pivot.max(MIN_VAL).sqrt();
        let inverse = 1.0 / h[j][j];
        for i in j + 1..n {
            h[i][j] = (h[i][j] - dot(&h[i][..j], &h[j][..j])) * inverse;
        }
    }
}
