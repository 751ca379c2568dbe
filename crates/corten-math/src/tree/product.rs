//! Products with a symmetric forest matrix, and with half of its factor.

use super::pattern::{DIAGONAL, Row, Run};
use super::{STACK, TreePattern};
use crate::wide;

impl TreePattern {
    /// `result ← matrix · x`.
    pub fn mul(&self, matrix: &[f64], x: &[f64], result: &mut [f64]) {
        self.mul_range(0, matrix, x, result);
    }

    /// [`Self::mul`] for the consecutive rows from `first` on; whole trees must be given. `x` and
    /// `result` have one number for each of these rows.
    pub fn mul_range(&self, first: usize, matrix: &[f64], x: &[f64], result: &mut [f64]) {
        let n = x.len();
        if self.width <= STACK {
            let rows = &self.rows[first..][..n];
            return mul_rows(self.runs(first..first + n), rows, first, matrix, x, &mut result[..n]);
        }
        for i in 0..n {
            let xi = x[i];
            let mut sum = matrix[self.diagonal_entry(first + i)] * xi;
            for (a, c) in self.off_diagonal(first + i, matrix) {
                sum += a * x[c - first];
                result[c - first] += a * xi;
            }
            result[i] = sum;
        }
    }

    /// `result ← √D L x`, so that `|result|² = xᵀ LᵀDL x`.
    pub fn mul_half(&self, factor: &[f64], x: &[f64], result: &mut [f64]) {
        for (i, r) in result.iter_mut().enumerate().take(self.size()) {
            let range = self.row(i);
            let (diagonal, entries) = factor[range.clone()].split_last().unwrap_or((&0.0, &[]));
            let sum: f64 =
                entries.iter().zip(&self.columns[range]).map(|(l, &c)| l * x[c as usize]).sum();
            *r = (x[i] + sum) * diagonal.sqrt();
        }
    }
}

wide! {
    fn mul_rows(
        runs: &[Run],
        rows: &[Row],
        first: usize,
        matrix: &[f64],
        x: &[f64],
        result: &mut [f64],
    ) {
        let all = first..first + x.len();
        let mut stacks = [[0.0; STACK]; 2];
        let mut done = first;
        for run in runs {
            if run.depth == DIAGONAL {
                let rows = run.diagonal(&all);
                let entries = &matrix[run.start as usize + rows.start - run.row as usize..];
                let own = rows.start - first..rows.end - first;
                let given = entries.iter().zip(&x[own.clone()]);
                for (result, (entry, x)) in result[own].iter_mut().zip(given) {
                    *result = entry * x + 0.0;
                }
                continue;
            }
            // A tree goes through with its first run.
            if (run.row as usize) < done {
                continue;
            }
            let root = run.row as usize - first;
            done = rows[root].subtree_end as usize;
            let own = root..done - first;
            let entries = &matrix[run.start as usize..];
            let (rows, x, result) = (&rows[own.clone()], &x[own.clone()], &mut result[own]);
            // Bodies that float freely, and points that slide.
            let is_path = rows[rows.len() - 1].len as usize == rows.len();
            match rows.len() {
                3 if is_path => mul_path::<3>(entries, x, result),
                6 if is_path => mul_path::<6>(entries, x, result),
                _ => mul_tree(rows, matrix, x, result, &mut stacks),
            }
        }
    }
}

/// The rows of a tree. The ancestors of the current row are a prefix of a stack that is indexed by depth;
/// see `solve.rs`. What descendants add is zero before and after.
#[inline(always)]
fn mul_tree(
    rows: &[Row],
    matrix: &[f64],
    x: &[f64],
    result: &mut [f64],
    [above, below]: &mut [[f64; STACK]; 2],
) {
    let n = rows.len();
    let (x, result) = (&x[..n], &mut result[..n]);
    for i in 0..n {
        let depth = rows[i].len as usize - 1;
        let row = &matrix[rows[i].range()];
        above[depth % STACK] = x[i];
        result[i] = row[depth] * x[i];
        if depth > 0 {
            result[i] += dot_row(above, row, depth);
        }
    }
    for i in (0..n).rev() {
        let depth = rows[i].len as usize - 1;
        result[i] += std::mem::take(&mut below[depth % STACK]);
        if depth > 0 {
            add_scaled_row(below, &matrix[rows[i].range()], depth, x[i]);
        }
    }
}

/// The rows of a tree that is a path, all of them in registers; sums in the order of [`mul_tree`].
#[inline(always)]
fn mul_path<const N: usize>(entries: &[f64], x: &[f64], result: &mut [f64]) {
    let entries = &entries[..N * (N + 1) / 2];
    let Some(&x) = x.first_chunk::<N>() else { return };
    let mut sums = [0.0; N];
    let mut below = [0.0; N];
    for i in (0..N).rev() {
        let row = &entries[i * (i + 1) / 2..][..=i];
        sums[i] = row[i] * x[i];
        if i > 0 {
            let mut across = -0.0;
            for k in 0..i {
                across += row[k] * x[k];
                below[k] += row[k] * x[i];
            }
            sums[i] += across;
        }
        sums[i] += below[i];
    }
    result[..N].copy_from_slice(&sums);
}

/// `stack[..depth] += row[..depth] · x`.
#[inline(always)]
fn add_scaled_row(stack: &mut [f64; STACK], row: &[f64], depth: usize, x: f64) {
    let (stack, row) = (&mut stack[..depth], &row[..depth]);
    for k in 0..depth {
        stack[k] += row[k] * x;
    }
}

/// Product of `row[..depth]` and `stack[..depth]`.
///
/// One number at a time: the last ones have just been stored, and a wide load of several stores is
/// not forwarded. In ascending order only the last product waits for the row before.
#[inline(always)]
fn dot_row(stack: &[f64; STACK], row: &[f64], depth: usize) -> f64 {
    let (stack, row) = (&stack[..depth], &row[..depth]);
    let mut sum = -0.0;
    for k in 0..depth {
        sum += row[k] * stack[k];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::pattern::tests::matrix_of;

    /// Trees that have their own way of being multiplied, next to each other and to others.
    #[test]
    fn products_are_those_of_the_full_matrix() {
        let path = |at: usize, n: usize| (at..at + n).map(move |i| (i > at).then(|| i - 1));
        let mut parents: Vec<Option<usize>> = Vec::new();
        let mut starts = Vec::new();
        for n in [6, 1, 1, 3, 6, 2, 1, 5, 3, 8] {
            starts.push(parents.len());
            parents.extend(path(parents.len(), n));
        }
        // Six rows that are no path.
        starts.push(parents.len());
        let root = parents.len();
        parents.extend([None, Some(root), Some(root), Some(root + 2), Some(root), Some(root + 4)]);
        starts.push(parents.len());
        let (pattern, matrix) = matrix_of(&parents);
        let n = pattern.size();
        let mut dense = vec![0.0; n * n];
        pattern.to_dense(&matrix, &mut dense);
        let x: Vec<f64> = (0..n).map(|i| (i * i % 7) as f64 - 2.5).collect();
        for (k, &first) in starts.iter().enumerate() {
            for &end in &starts[k..] {
                let mut y = vec![f64::NAN; end - first];
                pattern.mul_range(first, &matrix, &x[first..end], &mut y);
                for i in first..end {
                    let row = &dense[i * n..][first..end];
                    let want: f64 = row.iter().zip(&x[first..end]).map(|(a, x)| a * x).sum();
                    let got = y[i - first];
                    assert!((got - want).abs() < 1e-12 * (1.0 + want.abs()), "{i}: {got} {want}");
                }
            }
        }
    }
}
