//! The sparsity of a forest: every entry is found by arithmetic.
//!
//! Row `i` holds the columns of the ancestors of `i`, the diagonal, and the descendants of `i`,
//! all ascending. Numbered depth first, the descendants are `i+1 .. end`: in the row of `i`,
//! ancestor `j` sits at the depth of `j`; in the row of `j`, descendant `i` sits `i − j` after the
//! diagonal.

use crate::memory::{Gather, Grow};
use std::ops::Range;

use super::super::TreePattern;
use super::Elimination;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Forest {
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

impl Forest {
    /// The forest with these parents (negative for roots) in depth-first order; `None` if they are
    /// not.
    pub fn new(parents: &[i32]) -> Option<Forest> {
        let (mut len, mut start, mut columns) = (Vec::new(), Vec::new(), Vec::<i32>::new());
        for (i, &parent) in parents.iter().enumerate() {
            let begin = columns.len();
            if let Ok(parent) = usize::try_from(parent) {
                let above = *start.get(parent)? as usize;
                columns.grow_extend_from_within(above..above + *len.get(parent)? as usize);
            }
            columns.grow_push(i as i32);
            start.grow_push(begin as i32);
            len.grow_push((columns.len() - begin) as i32);
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
            .gather();
        Some(Forest { rows, ancestors })
    }

    /// Where the entries `(i, j)` and `(j, i)` are stored, for an ancestor `j` of `i` or `i` itself.
    #[inline]
    pub fn pair(&self, i: usize, j: usize) -> (usize, usize) {
        let (row_i, row_j) = (self.rows[i], self.rows[j]);
        ((row_i.start + row_j.depth) as usize, (row_j.start + row_j.depth) as usize + i - j)
    }

    /// Whether `j` is an ancestor of `i`, or `i` itself.
    #[inline]
    pub fn couples(&self, i: usize, j: usize) -> bool {
        j <= i && i < self.rows[j].subtree_end as usize
    }
}

impl Elimination for Forest {
    #[inline]
    fn size(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    fn row(&self, i: usize) -> Range<usize> {
        let row = self.rows[i];
        let start = row.start as usize;
        start..start + (row.depth + row.subtree_end) as usize - i
    }

    #[inline]
    fn diagonal_entry(&self, i: usize) -> usize {
        let row = self.rows[i];
        (row.start + row.depth) as usize
    }

    #[inline]
    fn lower(&self, i: usize) -> &[u32] {
        &self.ancestors.columns(i)[..self.rows[i].depth as usize]
    }

    #[inline]
    fn for_upper(&self, i: usize, visit: impl FnMut(usize)) {
        (i..self.rows[i].subtree_end as usize).for_each(visit);
    }

    #[inline]
    fn upper_dot(&self, i: usize, skip: usize, entries: &[f64], x: &[f64]) -> f64 {
        entries.iter().zip(&x[i + skip..]).map(|(a, x)| a * x).sum()
    }

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
}
