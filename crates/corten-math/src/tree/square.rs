//! Unsymmetric matrices with the symmetric sparsity of a forest: `(U+1)L` factors, solution.
//!
//! Row `i` holds the columns of the ancestors of `i`, the diagonal, and the descendants of `i`,
//! all ascending. Numbered depth first, the descendants are `i+1 .. end`, so that every entry is
//! found by arithmetic: in the row of `i`, ancestor `j` sits at the depth of `j`; in the row of
//! `j`, descendant `i` sits `i − j` after the diagonal. Elimination from the last row to the first
//! needs no fill.

use super::TreePattern;

/// The sparsity of an unsymmetric forest matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SquarePattern {
    rows: Vec<Row>,
    /// Ancestors of every row, ascending.
    ancestors: TreePattern,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Row {
    start: u32,
    /// Number of ancestors, hence offset of the diagonal.
    depth: u32,
    /// One past the last descendant.
    subtree_end: u32,
}

impl SquarePattern {
    /// The pattern of a forest given by parents (negative for roots) in depth-first order; `None`
    /// if they are not.
    pub fn new(parents: &[i32]) -> Option<SquarePattern> {
        let (mut len, mut start, mut columns) = (Vec::new(), Vec::new(), Vec::<i32>::new());
        for (i, &parent) in parents.iter().enumerate() {
            let begin = columns.len();
            if let Ok(parent) = usize::try_from(parent) {
                let above = *start.get(parent)? as usize;
                columns.extend_from_within(above..above + *len.get(parent)? as usize);
            }
            columns.push(i as i32);
            start.push(begin as i32);
            len.push((columns.len() - begin) as i32);
        }
        let ancestors = TreePattern::new(&len, &start, &columns)?;
        let mut next = 0;
        let rows = (0..parents.len())
            .map(|i| {
                let depth = len[i] as u32 - 1;
                let subtree_end = ancestors.subtree_end(i) as u32;
                let row = Row { start: next, depth, subtree_end };
                next += depth + subtree_end - i as u32;
                row
            })
            .collect();
        Some(SquarePattern { rows, ancestors })
    }

    /// Number of rows.
    #[inline]
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.rows.last().map_or(0, |r| (r.start + r.depth) as usize + 1)
    }

    /// Where the entries of row `i` are stored.
    #[inline]
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        let row = self.rows[i];
        let start = row.start as usize;
        start..start + (row.depth + row.subtree_end) as usize - i
    }

    /// The ancestors of `i` and `i` itself, ascending.
    #[inline]
    pub fn ancestors(&self, i: usize) -> &[u32] {
        self.ancestors.columns(i)
    }

    /// One past the last descendant of `i`.
    #[inline]
    pub fn subtree_end(&self, i: usize) -> usize {
        self.rows[i].subtree_end as usize
    }

    /// Where the diagonal entry of row `i` is stored.
    #[inline]
    pub fn diagonal_entry(&self, i: usize) -> usize {
        let row = self.rows[i];
        (row.start + row.depth) as usize
    }

    /// Where the entries `(i, j)` and `(j, i)` are stored, for an ancestor `j` of `i` or `i` itself.
    #[inline]
    pub fn pair(&self, i: usize, j: usize) -> (usize, usize) {
        let (row_i, row_j) = (self.rows[i], self.rows[j]);
        ((row_i.start + row_j.depth) as usize, (row_j.start + row_j.depth) as usize + i - j)
    }

    /// Replaces a matrix by the factors `U` (above the diagonal) and `L` of `(U+1) L`.
    pub fn factor(&self, matrix: &mut [f64]) {
        for i in (0..self.size()).rev() {
            self.eliminate(i, matrix);
        }
    }

    /// [`Self::factor`] for some rows only; whole trees must be given, in ascending order.
    pub fn factor_rows(&self, matrix: &mut [f64], rows: &[i32]) {
        for &i in rows.iter().rev() {
            self.eliminate(i as usize, matrix);
        }
    }

    /// Subtracts multiples of row `i` from the rows of its ancestors so that column `i` vanishes
    /// there, and keeps the multipliers.
    fn eliminate(&self, i: usize, matrix: &mut [f64]) {
        let row = self.rows[i];
        let depth = row.depth as usize;
        let chain = &self.ancestors.columns(i)[..depth];
        let (above, below) = matrix.split_at_mut(row.start as usize);
        let (entries, diagonal) = (&below[..depth], below[depth]);
        for (p, &j) in chain.iter().enumerate() {
            let j = j as usize;
            let target = &mut above[self.row(j)];
            let scale = target[p + i - j] / diagonal;
            target[p + i - j] = scale;
            // Ancestors of j and j itself are a prefix of both rows; those between j and i are
            // descendants of j.
            for (t, e) in target[..=p].iter_mut().zip(entries) {
                *t -= scale * e;
            }
            for (e, &c) in entries.iter().zip(chain).skip(p + 1) {
                target[p + c as usize - j] -= scale * e;
            }
        }
    }

    /// Solves `(U+1) L x = b` in place.
    pub fn solve(&self, factors: &[f64], x: &mut [f64]) {
        for i in (0..self.size()).rev() {
            self.solve_upper(i, factors, x);
        }
        for i in 0..self.size() {
            self.solve_lower(i, factors, x);
        }
    }

    /// [`Self::solve`] for some rows only; whole trees must be given, in ascending order.
    pub fn solve_rows(&self, factors: &[f64], x: &mut [f64], rows: &[i32]) {
        for &i in rows.iter().rev() {
            self.solve_upper(i as usize, factors, x);
        }
        for &i in rows {
            self.solve_lower(i as usize, factors, x);
        }
    }

    #[inline]
    fn solve_upper(&self, i: usize, factors: &[f64], x: &mut [f64]) {
        let descendants = &factors[self.diagonal_entry(i) + 1..self.row(i).end];
        let dot: f64 = descendants.iter().zip(&x[i + 1..]).map(|(u, x)| u * x).sum();
        x[i] -= dot;
    }

    #[inline]
    fn solve_lower(&self, i: usize, factors: &[f64], x: &mut [f64]) {
        let row = &factors[self.row(i)];
        let depth = self.rows[i].depth as usize;
        let dot: f64 = row[..depth]
            .iter()
            .zip(self.ancestors.columns(i))
            .map(|(l, &c)| l * x[c as usize])
            .sum();
        x[i] = (x[i] - dot) / row[depth];
    }

    /// `result ← matrix · x`.
    pub fn mul(&self, matrix: &[f64], x: &[f64], result: &mut [f64]) {
        for (i, r) in result.iter_mut().enumerate().take(self.size()) {
            let row = &matrix[self.row(i)];
            let (ancestors, rest) = row.split_at(self.rows[i].depth as usize);
            let columns = self.ancestors.columns(i);
            let above: f64 = ancestors.iter().zip(columns).map(|(a, &c)| a * x[c as usize]).sum();
            let below: f64 = rest.iter().zip(&x[i..]).map(|(a, x)| a * x).sum();
            *r = above + below;
        }
    }

    /// Adds the matrix, scaled, to a full row-major one.
    pub fn add_to_dense(&self, matrix: &[f64], scale: f64, dense: &mut [f64]) {
        let n = self.size();
        for i in 0..n {
            let row = &matrix[self.row(i)];
            let (ancestors, rest) = row.split_at(self.rows[i].depth as usize);
            let target = &mut dense[i * n..(i + 1) * n];
            for (a, &c) in ancestors.iter().zip(self.ancestors.columns(i)) {
                target[c as usize] += scale * a;
            }
            for (t, a) in target[i..].iter_mut().zip(rest) {
                *t += scale * a;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense;

    const PARENTS: [i32; 9] = [-1, 0, 1, 1, 3, 0, -1, 6, 7];

    #[test]
    fn factors_solve_like_dense_lu() {
        let pattern = SquarePattern::new(&PARENTS).unwrap();
        let n = pattern.size();
        let mut matrix: Vec<f64> =
            (0..pattern.entries()).map(|k| (k * k) as f64).map(f64::sin).collect();
        for i in 0..n {
            matrix[pattern.diagonal_entry(i)] += 6.0;
        }
        let mut full = vec![0.0; n * n];
        pattern.add_to_dense(&matrix, 1.0, &mut full);
        let b: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let (mut expected, mut pivots) = (b.clone(), vec![0; n]);
        assert!(dense::lu(&mut full, n, &mut pivots));
        dense::lu_solve(&full, n, &pivots, &mut expected);

        let (mut factors, mut x) = (matrix.clone(), b.clone());
        pattern.factor(&mut factors);
        pattern.solve(&factors, &mut x);
        let mut product = vec![0.0; n];
        pattern.mul(&matrix, &x, &mut product);
        for i in 0..n {
            assert!((x[i] - expected[i]).abs() < 1e-14);
            assert!((product[i] - b[i]).abs() < 1e-13);
        }
    }

    #[test]
    fn parents_out_of_order_are_refused() {
        assert!(SquarePattern::new(&[-1, 5]).is_none());
        assert!(SquarePattern::new(&[-1, -1, 0]).is_none());
    }
}
