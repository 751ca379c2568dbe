//! The Hessian `H = M + Jᵀ W J` of Newton's method, its factor and solves.
//!
//! Elimination runs from the last degree of freedom to the first, so that the mass matrix of a
//! tree factors without fill. A constraint between two branches or trees makes its columns a
//! clique; the *elimination tree* `parent(i) = max {j < i : Lᵢⱼ ≠ 0}` then has every clique, and
//! every row of the factor, on one path from a node to the root (Liu, *The role of elimination
//! trees in sparse factorization*, 1990). Row `i` is stored as the contiguous piece of its path
//! from the topmost ancestor that it can meet down to itself: a skyline along the tree. Rows `i`
//! and `j` of one path overlap in a contiguous piece, so every elimination step is one
//! multiply-add over slices, without index arithmetic per entry.
//!
//! The whole matrix is rebuilt and factored in every iteration. Updating the factor row by row
//! instead costs as much per changed row as a factorisation of a typical robot.

use super::cost::{CONE, ConeHessian, QUADRATIC, cone_hessian};
use super::problem::{Inertia, Problem, add_scaled, dot};
use super::rows::{Jacobian, Kind, MAX_RANK};
use corten_math::MIN_VAL;

/// No parent, no successor.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub struct Hessian {
    n: usize,
    /// Elimination tree.
    parent: Vec<u32>,
    depth: Vec<u32>,
    /// Depth of the first stored entry of a row.
    top: Vec<u32>,
    /// Row `i` is `value[start[i]..start[i + 1]]`, with its degrees of freedom in `index`.
    start: Vec<u32>,
    index: Vec<u32>,
    value: Vec<f64>,
    /// Inverse pivots.
    diaginv: Vec<f64>,
    symbolic: Symbolic,
    key: Key,
    /// `W J` of the current block.
    weighted: Vec<f64>,
}

/// What the analysis depends on.
#[derive(Clone, Debug, Default)]
struct Key {
    dofs: Vec<i32>,
    /// Number of columns of each block, then the columns.
    columns: Vec<u32>,
}

impl Key {
    fn matches(&self, dofs: &[i32], rows: &Jacobian<'_>) -> bool {
        let mut rest = &self.columns[..];
        for b in rows.blocks {
            let columns = rows.columns_of(b);
            match rest.split_first() {
                Some((&n, after)) if n == b.ncol && after.starts_with(columns) => {
                    rest = &after[columns.len()..];
                }
                _ => return false,
            }
        }
        rest.is_empty() && self.dofs == dofs
    }

    fn set(&mut self, dofs: &[i32], rows: &Jacobian<'_>) {
        self.dofs.clear();
        self.dofs.extend_from_slice(dofs);
        self.columns.clear();
        for b in rows.blocks {
            self.columns.push(b.ncol);
            self.columns.extend_from_slice(rows.columns_of(b));
        }
    }
}

/// Working memory of the symbolic analysis.
#[derive(Clone, Debug, Default)]
struct Symbolic {
    ancestor: Vec<u32>,
    /// Edges of the graph, in lists by their lower end.
    head: Vec<u32>,
    next: Vec<u32>,
    upper: Vec<u32>,
    /// Last edge down from a node, to drop repetitions.
    last: Vec<u32>,
}

impl Hessian {
    /// Number of stored entries.
    pub fn nonzeros(&self) -> usize {
        self.index.len()
    }

    /// Finds where the factor can have entries, whichever rows become active. From step to step
    /// this often stays the same.
    pub fn analyze(&mut self, n: usize, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        let dofs = inertia.dofs.unwrap_or_default();
        if self.n == n && self.key.matches(dofs, rows) {
            return;
        }
        self.key.set(dofs, rows);
        self.n = n;
        self.eliminate_symbolically(inertia, rows);
        self.depth.clear();
        for i in 0..n {
            let parent = self.parent[i];
            let depth = if parent == NONE { 0 } else { self.depth[parent as usize] + 1 };
            self.depth.push(depth);
        }
        self.top.clear();
        for i in 0..n {
            let (_, columns, shift) = inertia.row(i);
            self.top.push(self.depth[columns[0] as usize - shift]);
        }
        for b in rows.blocks {
            let columns = rows.columns_of(b);
            let Some(&first) = columns.first() else { continue };
            let top = self.depth[first as usize];
            for &c in columns {
                let t = &mut self.top[c as usize];
                *t = (*t).min(top);
            }
        }
        for i in (0..n).rev() {
            let parent = self.parent[i];
            if parent != NONE && self.top[i] <= self.depth[parent as usize] {
                let top = self.top[i];
                let t = &mut self.top[parent as usize];
                *t = (*t).min(top);
            }
        }
        self.lay_out();
    }

    /// Addresses of the rows, and their degrees of freedom: the parent's list from the row's top
    /// on, and the row itself.
    fn lay_out(&mut self) {
        self.start.clear();
        self.index.clear();
        for i in 0..self.n {
            self.start.push(self.index.len() as u32);
            let (top, depth) = (self.top[i], self.depth[i]);
            if top < depth {
                let parent = self.parent[i] as usize;
                let from = self.start[parent] + top - self.top[parent];
                let end = self.start[parent] + depth - self.top[parent];
                self.index.extend_from_within(from as usize..end as usize);
            }
            self.index.push(i as u32);
        }
        self.start.push(self.index.len() as u32);
    }

    /// The elimination tree of the graph of `M` and of all blocks' cliques.
    fn eliminate_symbolically(&mut self, inertia: &Inertia<'_>, rows: &Jacobian<'_>) {
        let n = self.n;
        let s = &mut self.symbolic;
        self.parent.clear();
        for i in 0..n {
            let (_, columns, shift) = inertia.row(i);
            let before = columns.len().checked_sub(2).map(|k| columns[k] as usize - shift);
            self.parent.push(before.map_or(NONE, |c| c as u32));
        }
        s.last.clear();
        s.last.extend_from_slice(&self.parent);
        s.head.clear();
        s.head.resize(n, NONE);
        s.next.clear();
        s.upper.clear();
        // Consecutive columns are enough: elimination connects the rest of a clique.
        for b in rows.blocks {
            for pair in rows.columns_of(b).windows(2) {
                let (low, high) = (pair[0], pair[1]);
                if s.last[high as usize] != low {
                    s.last[high as usize] = low;
                    s.link(low, high);
                }
            }
        }
        if s.upper.is_empty() {
            return;
        }
        for i in 0..n {
            if self.parent[i] != NONE {
                s.link(self.parent[i], i as u32);
            }
        }
        self.parent.fill(NONE);
        s.ancestor.clear();
        s.ancestor.resize(n, NONE);
        for j in (0..n as u32).rev() {
            let mut edge = s.head[j as usize];
            while edge != NONE {
                // Up to the root of the subtree so far, which gets `j` as its parent.
                let mut i = s.upper[edge as usize];
                while i != j {
                    let up = std::mem::replace(&mut s.ancestor[i as usize], j);
                    if up == NONE {
                        self.parent[i as usize] = j;
                        break;
                    }
                    i = up;
                }
                edge = s.next[edge as usize];
            }
        }
    }

    /// Rebuilds `H` for the given states and factors it. Returns how many pivots had to be
    /// raised to the smallest divisor: 0 for a positive definite matrix.
    pub fn factor(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32]) -> usize {
        self.value.clear();
        self.value.resize(self.index.len(), 0.0);
        self.add_inertia(&problem.inertia);
        self.add_rows(problem, jar, state);
        self.decompose()
    }

    fn add_inertia(&mut self, inertia: &Inertia<'_>) {
        for i in 0..self.n {
            let (start, columns, shift) = inertia.row(i);
            let row = self.start[i] as usize;
            let top = self.top[i];
            for (&c, &v) in columns.iter().zip(&inertia.matrix[start..]) {
                let at = self.depth[c as usize - shift] - top;
                self.value[row + at as usize] += v;
            }
        }
    }

    fn add_rows(&mut self, problem: &Problem<'_>, jar: &[f64], state: &[i32]) {
        let rows = &problem.rows.jacobian;
        let d = problem.rows.d;
        for b in rows.blocks {
            let range = b.rows();
            let active = |i: usize| if state[i] == QUADRATIC { d[i] } else { 0.0 };
            match b.kind {
                Kind::Pyramid => {
                    let friction = &rows.cones[b.cone as usize].friction;
                    let mut w = [[0.0; MAX_RANK]; MAX_RANK];
                    for k in 1..b.rank as usize {
                        let edge = range.start + 2 * (k - 1);
                        let (plus, minus) = (active(edge), active(edge + 1));
                        let mu = friction[k - 1];
                        w[0][0] += plus + minus;
                        w[0][k] = mu * (plus - minus);
                        w[k][0] = w[0][k];
                        w[k][k] = mu * mu * (plus + minus);
                    }
                    if w[0][0] != 0.0 {
                        self.add_weighted(rows.columns_of(b), rows.values_of(b), &w);
                    }
                }
                Kind::Elliptic if state[range.start] == CONE => {
                    let cone = &rows.cones[b.cone as usize];
                    let w = cone_hessian(cone, &d[range.clone()], &jar[range]);
                    self.add_weighted(rows.columns_of(b), rows.values_of(b), &w);
                }
                _ => {
                    let n = b.ncol as usize;
                    for (k, i) in range.enumerate() {
                        let weight = active(i);
                        if weight != 0.0 {
                            let row = &rows.values_of(b)[k * n..(k + 1) * n];
                            self.add_row(rows.columns_of(b), row, weight);
                        }
                    }
                }
            }
        }
    }

    /// `H += weight · row·rowᵀ`.
    fn add_row(&mut self, columns: &[u32], row: &[f64], weight: f64) {
        if let ([c], [v]) = (columns, row) {
            self.value[self.start[*c as usize + 1] as usize - 1] += weight * v * v;
            return;
        }
        for (t, &c) in columns.iter().enumerate() {
            let scaled = weight * row[t];
            self.add_along(c, columns, t, |s| scaled * row[s]);
        }
    }

    /// `H += Jᵀ W J` for one block.
    fn add_weighted(&mut self, columns: &[u32], values: &[f64], w: &ConeHessian) {
        let n = columns.len();
        if n == 0 {
            return;
        }
        let rank = values.len() / n;
        let mut y = std::mem::take(&mut self.weighted);
        y.clear();
        y.resize(rank * n, 0.0);
        for (a, y) in y.chunks_exact_mut(n).enumerate() {
            for (b, row) in values.chunks_exact(n).enumerate() {
                if w[a][b] != 0.0 {
                    add_scaled(y, w[a][b], row);
                }
            }
        }
        for (t, &c) in columns.iter().enumerate() {
            match rank {
                3 => {
                    let (y0, rest) = y.split_at(n);
                    let (y1, y2) = rest.split_at(n);
                    let y = [&y0[..=t], &y1[..=t], &y2[..=t]];
                    self.add_three(c, columns, y, [values[t], values[n + t], values[2 * n + t]]);
                }
                _ => self.add_along(c, columns, t, |s| {
                    (0..rank).map(|a| values[a * n + t] * y[a * n + s]).sum()
                }),
            }
        }
        self.weighted = y;
    }

    /// [`Self::add_along`] for the three rows of a usual contact.
    #[inline]
    fn add_three(&mut self, c: u32, columns: &[u32], y: [&[f64]; 3], v: [f64; 3]) {
        let row = self.start[c as usize] as usize..self.start[c as usize + 1] as usize;
        let begin = (self.depth[columns[0] as usize] - self.top[c as usize]) as usize;
        let row = &mut self.value[row][begin..];
        if row.len() == y[0].len() {
            for (((to, y0), y1), y2) in row.iter_mut().zip(y[0]).zip(y[1]).zip(y[2]) {
                *to += v[0] * y0 + v[1] * y1 + v[2] * y2;
            }
        } else {
            let t = y[0].len() - 1;
            self.add_along(c, columns, t, |s| v[0] * y[0][s] + v[1] * y[1][s] + v[2] * y[2][s]);
        }
    }

    /// Adds `entry(s)` to the columns `columns[s]`, `s ≤ t`, of row `c`.
    #[inline]
    fn add_along(&mut self, c: u32, columns: &[u32], t: usize, entry: impl Fn(usize) -> f64) {
        let (first, last) = (self.start[c as usize], self.start[c as usize + 1]);
        let row = &mut self.value[first as usize..last as usize];
        let top = self.top[c as usize];
        let begin = (self.depth[columns[0] as usize] - top) as usize;
        if row.len() - begin == t + 1 {
            // The columns are a piece of the path without gaps.
            for (s, to) in row[begin..].iter_mut().enumerate() {
                *to += entry(s);
            }
        } else {
            for (s, &column) in columns[..=t].iter().enumerate() {
                row[(self.depth[column as usize] - top) as usize] += entry(s);
            }
        }
    }

    /// `H = Lᵀ D L` in place: unit triangular rows of `L`, pivots on the diagonal.
    ///
    /// Rows of an unbranched piece of the path are eliminated together, so that each row above is
    /// read and written once for all of them.
    fn decompose(&mut self) -> usize {
        const TOGETHER: usize = 3;
        let mut raised = 0;
        self.diaginv.clear();
        self.diaginv.resize(self.n, 0.0);
        let mut end = self.n;
        while end > 0 {
            let mut first = end - 1;
            while end - first < TOGETHER
                && first > 0
                && self.parent[first] == first as u32 - 1
                && self.top[first - 1] == self.top[first]
            {
                first -= 1;
            }
            raised += self.eliminate_within(first, end);
            match end - first {
                1 => self.eliminate_above::<1>(first),
                2 => self.eliminate_above::<2>(first),
                _ => self.eliminate_above::<TOGETHER>(first),
            }
            for i in first..end {
                let inverse = self.diaginv[i];
                let range = self.start[i] as usize..self.start[i + 1] as usize - 1;
                for entry in &mut self.value[range] {
                    *entry *= inverse;
                }
            }
            end = first;
        }
        raised
    }

    /// Pivots of the rows `first..end`, a piece of a path with a common top, and what the lower
    /// ones take from the upper ones. Entries stay unscaled.
    fn eliminate_within(&mut self, first: usize, end: usize) -> usize {
        let mut raised = 0;
        for i in (first..end).rev() {
            let (above, current) = self.value.split_at_mut(self.start[i] as usize);
            let length = (self.start[i + 1] - self.start[i]) as usize;
            let Some((pivot, row)) = current[..length].split_last_mut() else { continue };
            if *pivot < MIN_VAL || pivot.is_nan() {
                *pivot = MIN_VAL;
                raised += 1;
            }
            let inverse = 1.0 / *pivot;
            self.diaginv[i] = inverse;
            for j in first..i {
                let target = &mut above[self.start[j] as usize..self.start[j + 1] as usize];
                let row = &row[..target.len()];
                add_scaled(target, -row[row.len() - 1] * inverse, row);
            }
        }
        raised
    }

    /// Takes the `N` rows from `first` on out of all rows above them on their path.
    fn eliminate_above<const N: usize>(&mut self, first: usize) {
        let start = self.start[first] as usize;
        let common = self.start[first + 1] as usize - start - 1;
        let (above, current) = self.value.split_at_mut(start);
        let rows: [&[f64]; N] = std::array::from_fn(|k| {
            let at = self.start[first + k] as usize - start;
            &current[at..at + common]
        });
        let inverses: [f64; N] = std::array::from_fn(|k| self.diaginv[first + k]);
        let top = self.top[first];
        for s in 0..common {
            let factors: [f64; N] = std::array::from_fn(|k| rows[k][s] * inverses[k]);
            if factors == [0.0; N] {
                continue;
            }
            let j = self.index[start + s] as usize;
            let from = self.start[j] as usize + (top - self.top[j]) as usize;
            let target = &mut above[from..=from + s];
            let rows: [&[f64]; N] = rows.map(|row| &row[..=s]);
            for (t, to) in target.iter_mut().enumerate() {
                let mut sum = *to;
                for k in 0..N {
                    sum -= factors[k] * rows[k][t];
                }
                *to = sum;
            }
        }
    }

    /// `x ← H⁻¹ x`.
    pub fn solve(&self, x: &mut [f64]) {
        for i in (0..self.n).rev() {
            let xi = x[i];
            let (row, index) = self.row(i);
            for (&j, &l) in index.iter().zip(row) {
                x[j as usize] -= l * xi;
            }
        }
        for i in 0..self.n {
            let mut xi = x[i] * self.diaginv[i];
            let (row, index) = self.row(i);
            for (&j, &l) in index.iter().zip(row) {
                xi -= l * x[j as usize];
            }
            x[i] = xi;
        }
    }

    /// Entries of row `i` of the factor left of the diagonal, and their columns.
    #[inline]
    fn row(&self, i: usize) -> (&[f64], &[u32]) {
        let range = self.start[i] as usize..self.start[i + 1] as usize - 1;
        (&self.value[range.clone()], &self.index[range])
    }
}

impl Symbolic {
    fn link(&mut self, low: u32, high: u32) {
        self.next.push(self.head[low as usize]);
        self.head[low as usize] = self.upper.len() as u32;
        self.upper.push(high);
    }
}

/// `|x|`.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
