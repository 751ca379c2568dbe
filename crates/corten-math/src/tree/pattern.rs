//! Symmetric matrices with the sparsity of a forest: product, `LᵀDL` factor, solution.
//!
//! Rows are stored one after the other. Row `i` holds the columns of the ancestors of `i` in
//! ascending order and the diagonal last, so the row of an ancestor covers a prefix of the columns
//! of all its descendants, and column `i` sits at the same offset in each of them. Elimination
//! from the leaves to the roots then causes no fill (Featherstone, *Rigid Body Dynamics
//! Algorithms*, §6.5), and needs no column indices at all.

use crate::memory::{self, Grow};
use std::ops::Range;

use crate::Number;

/// The sparsity of a symmetric forest matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreePattern {
    pub(super) rows: Vec<Row>,
    pub(super) columns: Vec<u32>,
    runs: Vec<Run>,
    /// The run of every row.
    run_of: Vec<u32>,
    /// Length of the longest row.
    pub(super) width: usize,
}

/// Consecutive rows that are each the child of the one before: a path. Its entries form a
/// rectangle, the columns of its ancestors, next to a triangle; they follow each other in memory.
/// Or consecutive rows that have only a diagonal, any number of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Run {
    pub(super) start: u32,
    /// First row.
    pub(super) row: u32,
    /// Number of rows, at most [`LONGEST_RUN`] in a path.
    pub(super) len: u32,
    /// Number of ancestors of the first row; [`DIAGONAL`] for rows that have only a diagonal.
    pub(super) depth: u32,
}

/// Depth of rows that have neither ancestors nor descendants.
pub(super) const DIAGONAL: u32 = u32::MAX;

impl Run {
    /// The rows of a run of diagonal entries that lie among `rows`.
    #[inline(always)]
    pub(super) fn diagonal(&self, rows: &Range<usize>) -> Range<usize> {
        let end = (self.row + self.len) as usize;
        (self.row as usize).max(rows.start)..end.min(rows.end)
    }

    /// Whether this run and a neighbour are leaves of one parent. A single row has no children: these would
    /// follow it in its run.
    #[inline(always)]
    pub(super) fn is_sibling(&self, other: &Run) -> bool {
        (self.len, self.depth) == (1, other.depth) && other.len == 1
    }
}

/// Longer paths are cut: a run is held in registers while it is solved.
pub(super) const LONGEST_RUN: usize = 6;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) start: u32,
    /// Number of entries, the diagonal included.
    pub(super) len: u32,
    /// One past the last row that has this row's index among its columns.
    pub(super) subtree_end: u32,
}

impl Row {
    #[inline]
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

impl TreePattern {
    /// The pattern of a compressed sparse row matrix; `None` unless its rows are contiguous,
    /// prefix-closed as described above, and descendants are numbered depth first.
    pub fn new(row_len: &[i32], row_start: &[i32], columns: &[i32]) -> Option<TreePattern> {
        let n = row_len.len();
        if row_start.len() != n {
            return None;
        }
        let mut pattern = TreePattern { rows: memory::with_room(n), ..TreePattern::default() };
        for i in 0..n {
            let len = usize::try_from(row_len[i]).ok().filter(|&len| len > 0)?;
            let start = pattern.columns.len();
            if usize::try_from(row_start[i]).ok()? != start {
                return None;
            }
            let row = columns.get(start..start + len)?;
            for &c in row {
                pattern.columns.grow_push(u32::try_from(c).ok()?);
            }
            let row = &pattern.columns[start..];
            if row[len - 1] != i as u32 {
                return None;
            }
            if len > 1 {
                // The rest of the row is the row of the parent, of whose subtree `i` is the
                // newest member.
                let parent = row[len - 2] as usize;
                let above = pattern.rows.get(parent)?;
                if pattern.columns[above.range()] != row[..len - 1] {
                    return None;
                }
                for &a in &row[..len - 1] {
                    let ancestor = &mut pattern.rows[a as usize];
                    if ancestor.subtree_end != i as u32 {
                        return None;
                    }
                    ancestor.subtree_end += 1;
                }
            }
            pattern.rows.push(Row {
                start: start as u32,
                len: len as u32,
                subtree_end: i as u32 + 1,
            });
        }
        if pattern.columns.len() != columns.len() {
            return None;
        }
        pattern.width = row_len.iter().fold(0, |w, &len| w.max(len as usize));
        pattern.find_runs();
        Some(pattern)
    }

    fn find_runs(&mut self) {
        for (i, row) in self.rows.iter().enumerate() {
            let depth = match row.len - 1 {
                0 if row.subtree_end as usize == i + 1 => DIAGONAL,
                depth => depth,
            };
            match self.runs.last_mut() {
                Some(run) if run.depth == DIAGONAL && depth == DIAGONAL => run.len += 1,
                // In depth-first order, a row that is one longer than the one before is its child.
                Some(run)
                    if run.depth != DIAGONAL
                        && run.depth + run.len == depth
                        && run.len < LONGEST_RUN as u32 =>
                {
                    run.len += 1;
                }
                _ => self.runs.grow_push(Run { start: row.start, row: i as u32, len: 1, depth }),
            }
            self.run_of.grow_push(self.runs.len() as u32 - 1);
        }
    }

    /// A diagonal matrix.
    pub fn diagonal(n: usize) -> TreePattern {
        let rows = (0..n as u32).map(|i| Row { start: i, len: 1, subtree_end: i + 1 }).collect();
        let columns = (0..n as u32).collect();
        let mut pattern = TreePattern { rows, columns, width: 1, ..TreePattern::default() };
        pattern.find_runs();
        pattern
    }

    /// Number of rows.
    #[inline]
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// Length of the longest row.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of stored entries.
    #[inline]
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// Where the entries of row `i` are stored.
    #[inline]
    pub fn row(&self, i: usize) -> Range<usize> {
        self.rows[i].range()
    }

    /// The columns of row `i`.
    #[inline]
    pub fn columns(&self, i: usize) -> &[u32] {
        &self.columns[self.row(i)]
    }

    /// One past the last of the rows from `i` on that are each the child of the one before.
    #[inline]
    pub fn run_end(&self, i: usize) -> usize {
        let rows = &self.rows[i..];
        // In depth-first order, a row that is one longer than the one before is its child.
        i + 1 + rows.windows(2).take_while(|pair| pair[1].len == pair[0].len + 1).count()
    }

    /// One past the last row that has `i` among its columns.
    #[inline]
    pub fn subtree_end(&self, i: usize) -> usize {
        self.rows[i].subtree_end as usize
    }

    /// Where the diagonal entry of row `i` is stored.
    #[inline]
    pub fn diagonal_entry(&self, i: usize) -> usize {
        let row = self.rows[i];
        (row.start + row.len) as usize - 1
    }

    /// Where the diagonal entries of consecutive rows are stored.
    #[inline]
    pub fn diagonal_entries(&self, rows: Range<usize>) -> impl Iterator<Item = usize> {
        let rows = self.rows.get(rows.start..rows.end.min(self.size())).unwrap_or_default();
        rows.iter().map(|row| (row.start + row.len) as usize - 1)
    }

    /// Where the entries of consecutive rows are stored.
    #[inline]
    pub fn entries_of(&self, rows: Range<usize>) -> Range<usize> {
        match self.rows.get(rows.start..rows.end.min(self.size())) {
            Some([first, .., last]) => first.range().start..last.range().end,
            Some([row]) => row.range(),
            _ => 0..0,
        }
    }

    /// The runs of consecutive rows; whole trees must be given.
    #[inline]
    pub(super) fn runs(&self, rows: Range<usize>) -> &[Run] {
        if rows.is_empty() {
            return &[];
        }
        if rows.len() == self.rows.len() {
            return &self.runs;
        }
        &self.runs[self.run_of[rows.start] as usize..=self.run_of[rows.end - 1] as usize]
    }

    /// The entries and columns of row `i` left of the diagonal.
    #[inline]
    pub(super) fn off_diagonal<'a, T: Number>(
        &'a self,
        i: usize,
        matrix: &'a [T],
    ) -> impl Iterator<Item = (T, usize)> {
        let mut range = self.row(i);
        range.end -= 1;
        matrix[range.clone()].iter().zip(&self.columns[range]).map(|(&a, &c)| (a, c as usize))
    }

    /// Writes the matrix in full, row-major `n × n`.
    pub fn to_dense(&self, matrix: &[f64], dense: &mut [f64]) {
        let n = self.size();
        dense.fill(0.0);
        for i in 0..n {
            let range = self.row(i);
            for (&a, &c) in matrix[range.clone()].iter().zip(&self.columns[range]) {
                dense[i * n + c as usize] = a;
                dense[c as usize * n + i] = a;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A forest of two trees: parents of the rows, in depth-first order.
    const PARENTS: [Option<usize>; 20] = [
        None,
        Some(0),
        Some(1),
        Some(2),
        Some(2),
        Some(4),
        Some(1),
        None,
        Some(7),
        Some(8),
        Some(9),
        Some(10),
        Some(11),
        Some(12),
        Some(13),
        Some(14),
        Some(15),
        Some(16),
        Some(17),
        Some(18),
    ];

    pub(crate) fn example() -> (TreePattern, Vec<f64>) {
        matrix_of(&PARENTS)
    }

    /// Rows that are longer than a few registers, and a branch.
    pub(crate) fn long_example() -> (TreePattern, Vec<f64>) {
        let chain = (0..20).map(|i: usize| i.checked_sub(1));
        matrix_of(&chain.chain([Some(4), Some(20), Some(21)]).collect::<Vec<_>>())
    }

    /// A path with a branch at its middle, as long as all that has its own way of being computed.
    pub(crate) fn deep_example(n: usize) -> (TreePattern, Vec<f64>) {
        let path = (0..n).map(|i: usize| i.checked_sub(1));
        let parents: Vec<_> = path.chain([Some(n / 2), Some(n)]).collect();
        let (pattern, mut matrix) = matrix_of(&parents);
        for i in 0..pattern.size() {
            matrix[pattern.diagonal_entry(i)] = n as f64;
        }
        (pattern, matrix)
    }

    /// A path with leaves at its end and, in between, a branch of two and a leaf higher up.
    pub(crate) fn fan_example(depth: usize) -> (TreePattern, Vec<f64>) {
        let path = (0..depth).map(|i: usize| i.checked_sub(1));
        let last = depth - 1;
        let leaves = [last; 5].map(Some);
        let branch = [Some(last), Some(depth + 5)];
        matrix_of(
            &path.chain(leaves).chain(branch).chain(leaves).chain([Some(0)]).collect::<Vec<_>>(),
        )
    }

    /// Rows with a diagonal only, between trees.
    pub(crate) fn scattered_example() -> (TreePattern, Vec<f64>) {
        matrix_of(&[None, None, None, Some(2), None, None, None, Some(6), Some(7), None])
    }

    pub(crate) fn matrix_of(parents: &[Option<usize>]) -> (TreePattern, Vec<f64>) {
        let (mut len, mut start, mut columns) = (vec![], vec![], vec![]);
        for i in 0..parents.len() {
            let mut chain = vec![i as i32];
            let mut j = i;
            while let Some(p) = parents[j] {
                chain.push(p as i32);
                j = p;
            }
            chain.reverse();
            start.push(columns.len() as i32);
            len.push(chain.len() as i32);
            columns.extend(chain);
        }
        let pattern = TreePattern::new(&len, &start, &columns).unwrap();
        // Diagonally dominant, hence positive definite.
        let mut matrix: Vec<f64> =
            (0..pattern.entries()).map(|k| ((k * 7919 % 101) as f64 - 50.0) / 60.0).collect();
        for i in 0..pattern.size() {
            matrix[pattern.diagonal_entry(i)] = 25.0 + i as f64;
        }
        (pattern, matrix)
    }

    #[test]
    fn malformed_patterns_are_refused() {
        assert!(TreePattern::new(&[1, 2], &[0, 1], &[0, 0, 1]).is_some());
        // Missing diagonal, gap between rows, column beyond the row, ancestor's row not a prefix.
        assert!(TreePattern::new(&[1, 2], &[0, 1], &[0, 1, 0]).is_none());
        assert!(TreePattern::new(&[1, 1], &[0, 2], &[0, 0, 1]).is_none());
        assert!(TreePattern::new(&[1, 2], &[0, 1], &[0, 7, 1]).is_none());
        assert!(TreePattern::new(&[1, 2, 2], &[0, 1, 3], &[0, 0, 1, 1, 2]).is_none());
        // Row 2 belongs to the subtree of row 0, but row 1 in between does not.
        assert!(TreePattern::new(&[1, 1, 2], &[0, 1, 2], &[0, 1, 0, 2]).is_none());
    }
}
