//! Products with a symmetric forest matrix, and with half of its factor.

use super::pattern::Row;
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
            return mul_rows(&self.rows[first..][..n], matrix, x, &mut result[..n]);
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

// The ancestors of the current row are a prefix of a stack that is indexed by depth; see `solve.rs`.
wide! {
    fn mul_rows(rows: &[Row], matrix: &[f64], x: &[f64], result: &mut [f64]) {
        let mut stack = [0.0; STACK];
        let n = rows.len();
        let (x, result) = (&x[..n], &mut result[..n]);
        for i in 0..n {
            let depth = rows[i].len as usize - 1;
            let row = &matrix[rows[i].range()];
            stack[depth % STACK] = x[i];
            result[i] = row[depth] * x[i];
            if depth > 0 {
                result[i] += dot_row(&stack, row, depth);
            }
        }
        stack = [0.0; STACK];
        for i in (0..n).rev() {
            let depth = rows[i].len as usize - 1;
            result[i] += std::mem::take(&mut stack[depth % STACK]);
            if depth > 0 {
                add_scaled_row(&mut stack, &matrix[rows[i].range()], depth, x[i]);
            }
        }
    }
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
