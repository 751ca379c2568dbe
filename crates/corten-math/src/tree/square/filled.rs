//! Any symmetric sparsity, with the fill of its elimination: entries are found by their columns.

use std::ops::Range;

use super::Elimination;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Filled {
    /// Where each row starts, and where the last one ends.
    starts: Vec<u32>,
    /// Where each diagonal entry is.
    diagonals: Vec<u32>,
    /// Columns of all rows, ascending within a row.
    columns: Vec<u32>,
}

impl Filled {
    /// The pattern whose rows have these columns before the diagonal, ascending and closed under
    /// elimination.
    pub fn new(lower: &[Vec<u32>]) -> Filled {
        let mut rows: Vec<Vec<u32>> = lower.to_vec();
        for (i, row) in rows.iter_mut().enumerate() {
            row.push(i as u32);
        }
        // Rows are visited in ascending order: what they append ascends.
        for (i, row) in lower.iter().enumerate() {
            for &j in row {
                rows[j as usize].push(i as u32);
            }
        }
        let mut pattern = Filled { starts: vec![0], ..Filled::default() };
        for (i, row) in rows.iter().enumerate() {
            pattern.diagonals.push((pattern.columns.len() + lower[i].len()) as u32);
            pattern.columns.extend_from_slice(row);
            pattern.starts.push(pattern.columns.len() as u32);
        }
        pattern
    }

    /// Where the entry `(i, j)` is stored, if it is.
    pub fn entry(&self, i: usize, j: usize) -> Option<usize> {
        let row = self.row(i);
        let at = self.columns[row.clone()].binary_search(&(j as u32)).ok()?;
        Some(row.start + at)
    }
}

impl Elimination for Filled {
    #[inline]
    fn size(&self) -> usize {
        self.diagonals.len()
    }

    #[inline]
    fn row(&self, i: usize) -> Range<usize> {
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    #[inline]
    fn diagonal_entry(&self, i: usize) -> usize {
        self.diagonals[i] as usize
    }

    #[inline]
    fn lower(&self, i: usize) -> &[u32] {
        &self.columns[self.row(i).start..self.diagonal_entry(i)]
    }

    #[inline]
    fn for_upper(&self, i: usize, mut visit: impl FnMut(usize)) {
        let columns = &self.columns[self.diagonal_entry(i)..self.row(i).end];
        columns.iter().for_each(|&c| visit(c as usize));
    }

    #[inline]
    fn upper_dot(&self, i: usize, skip: usize, entries: &[f64], x: &[f64]) -> f64 {
        let columns = &self.columns[self.diagonal_entry(i) + skip..self.row(i).end];
        entries.iter().zip(columns).map(|(a, &c)| a * x[c as usize]).sum()
    }

    fn eliminate(&self, i: usize, matrix: &mut [f64]) {
        let lower = self.lower(i);
        let (above, below) = matrix.split_at_mut(self.row(i).start);
        let (entries, diagonal) = (&below[..lower.len()], below[lower.len()]);
        for &j in lower {
            let row = self.row(j as usize);
            let (columns, target) = (&self.columns[row.clone()], &mut above[row]);
            // The pattern is closed: row j has all columns of row i before i, and i itself.
            let Ok(at) = columns.binary_search(&(i as u32)) else { continue };
            let scale = target[at] / diagonal;
            target[at] = scale;
            let mut t = 0;
            for (e, &c) in entries.iter().zip(lower) {
                t += columns[t..].iter().take_while(|&&column| column < c).count();
                target[t] -= scale * e;
            }
        }
    }
}
