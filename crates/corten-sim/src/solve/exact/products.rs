//! Sums in a fixed order.
//!
//! MuJoCo adds products in four running sums and the remainder one by one, so that its vector and
//! scalar builds agree; over all columns where matrices are dense, over the stored ones where they
//! are sparse. Rows of friction pyramids are edges here, each rounded by itself.

use super::super::problem::Inertia;
use super::super::rows::Jacobian;

/// How MuJoCo would store the matrices of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Dense,
    Sparse,
}

/// Products of vectors: four running sums, then the sum of what is left.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sum = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for k in 0..4 {
            sum[k] += a[k] * b[k];
        }
    }
    let mut rest = 0.0;
    for (a, b) in rest_a.iter().zip(rest_b) {
        rest += a * b;
    }
    reduce(sum) + rest
}

pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

#[inline]
fn reduce(sum: [f64; 4]) -> f64 {
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}

/// Product of stored entries with a vector: four running sums, then the rest one by one.
pub fn dot_stored(values: &[f64], columns: &[u32], x: &[f64]) -> f64 {
    let ((v, rest_v), (c, rest_c)) = (values.as_chunks::<4>(), columns.as_chunks::<4>());
    let mut sum = [0.0; 4];
    for (v, c) in v.iter().zip(c) {
        for k in 0..4 {
            sum[k] += v[k] * x[c[k] as usize];
        }
    }
    let mut total = reduce(sum);
    for (v, &c) in rest_v.iter().zip(rest_c) {
        total += v * x[c as usize];
    }
    total
}

/// [`dot`] over all columns of a row that is zero but for its stored entries.
fn dot_spread(values: &[f64], columns: &[u32], x: &[f64]) -> f64 {
    let whole = x.len() - x.len() % 4;
    let (mut sum, mut rest) = ([0.0; 4], 0.0);
    for (v, &c) in values.iter().zip(columns) {
        let c = c as usize;
        if c < whole {
            sum[c % 4] += v * x[c];
        } else {
            rest += v * x[c];
        }
    }
    reduce(sum) + rest
}

/// Rows of stored entries, columns ascending.
#[derive(Clone, Debug, Default)]
pub struct Table {
    start: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
}

impl Table {
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    pub fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.columns.clear();
        self.values.clear();
    }

    /// Ends a row whose entries have been appended.
    pub fn end_row(&mut self) {
        self.start.push(self.columns.len());
    }

    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row]..self.start[row + 1]
    }

    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.range(row);
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Every row of a Jacobian.
    pub fn expand(&mut self, jacobian: &Jacobian<'_>) {
        self.clear();
        for b in jacobian.blocks {
            for i in 0..b.rows().len() {
                self.columns.extend_from_slice(jacobian.columns_of(b));
                self.values.extend(jacobian.row_values(b, i));
                self.end_row();
            }
        }
    }

    /// The transpose, with `n` rows.
    pub fn transpose(&self, n: usize, out: &mut Table) {
        out.start.clear();
        out.start.resize(n + 1, 0);
        for &c in &self.columns {
            out.start[c as usize + 1] += 1;
        }
        for i in 0..n {
            out.start[i + 1] += out.start[i];
        }
        out.columns.clear();
        out.columns.resize(self.columns.len(), 0);
        out.values.clear();
        out.values.resize(self.columns.len(), 0.0);
        // `start` serves as the write position, and ends one row ahead.
        for row in 0..self.len() {
            let (columns, values) = self.row(row);
            for (&c, &v) in columns.iter().zip(values) {
                let at = &mut out.start[c as usize];
                (out.columns[*at], out.values[*at]) = (row as u32, v);
                *at += 1;
            }
        }
        out.start.rotate_right(1);
        out.start[0] = 0;
    }

    /// `y = A x`.
    pub fn mul(&self, layout: Layout, x: &[f64], y: &mut [f64]) {
        let dot = match layout {
            Layout::Dense => dot_spread,
            Layout::Sparse => dot_stored,
        };
        for (row, y) in y.iter_mut().enumerate().take(self.len()) {
            let (columns, values) = self.row(row);
            *y = dot(values, columns, x);
        }
    }

    /// `y = Aᵀ f`, row by row.
    pub fn tmul(&self, f: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (row, &f) in f.iter().enumerate().take(self.len()) {
            if f == 0.0 {
                continue;
            }
            let (columns, values) = self.row(row);
            for (&c, v) in columns.iter().zip(values) {
                y[c as usize] += v * f;
            }
        }
    }
}

/// `y = M x`: each row from its diagonal outwards.
pub fn mul_inertia(inertia: &Inertia<'_>, x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        let (start, columns, shift) = inertia.row(i);
        let last = columns.len() - 1;
        y[i] = inertia.matrix[start + last] * x[i];
        for k in (0..last).rev() {
            let (j, v) = (columns[k] as usize - shift, inertia.matrix[start + k]);
            y[i] += v * x[j];
            y[j] += v * x[i];
        }
    }
}

/// `x ← M⁻¹ x` with the factor of the mass matrix.
pub fn solve_inertia(inertia: &Inertia<'_>, columns_of_row: &mut Vec<u32>, x: &mut [f64]) {
    let n = x.len();
    for i in (0..n).rev() {
        let (start, columns, shift) = inertia.row(i);
        let value = x[i];
        if value == 0.0 {
            continue;
        }
        for (k, &c) in columns[..columns.len() - 1].iter().enumerate() {
            x[c as usize - shift] -= inertia.factor[start + k] * value;
        }
    }
    for (i, value) in x.iter_mut().enumerate() {
        *value *= inertia.diaginv[inertia.dofs.map_or(i, |dofs| dofs[i] as usize)];
    }
    for i in 0..n {
        let (start, columns, shift) = inertia.row(i);
        let count = columns.len() - 1;
        if count > 0 {
            columns_of_row.clear();
            columns_of_row.extend(columns[..count].iter().map(|&c| c - shift as u32));
            x[i] -= dot_stored(&inertia.factor[start..start + count], columns_of_row, x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_added_last() {
        // In one running sum, or with the remainder inside the four, the small terms would be lost.
        let (big, small) = (1e16, 1.0);
        let a = [big, 0.0, -big, 0.0, small, small];
        let ones = [1.0; 6];
        assert_eq!(dot(&a, &ones), 2.0);
        let columns = [0, 1, 2, 3, 4, 5];
        assert_eq!(dot_stored(&a, &columns, &ones), 2.0);
        assert_eq!(dot_spread(&a, &columns, &ones), 2.0);
        // Stored one after the other, the same entries fall into other sums than spread out.
        let (values, columns) = ([big, -big, small], [0, 4, 5]);
        assert_eq!(dot_stored(&values, &columns, &ones), small);
        assert_eq!(dot_spread(&values, &columns, &ones), 0.0);
    }

    #[test]
    fn transposing_twice_gives_the_table_back() {
        let mut table = Table::default();
        table.clear();
        for (columns, values) in
            [(vec![1, 3], vec![2.0, 5.0]), (vec![], vec![]), (vec![0], vec![7.0])]
        {
            table.columns.extend(columns);
            table.values.extend(values);
            table.end_row();
        }
        let (mut t, mut back) = (Table::default(), Table::default());
        table.transpose(4, &mut t);
        t.transpose(3, &mut back);
        assert_eq!(
            (&back.start, &back.columns, &back.values),
            (&table.start, &table.columns, &table.values)
        );
        let (x, f) = ([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 2.0]);
        let (mut y, mut z) = ([0.0; 3], [0.0; 4]);
        table.mul(Layout::Sparse, &x, &mut y);
        assert_eq!(y, [24.0, 0.0, 7.0]);
        table.tmul(&f, &mut z);
        assert_eq!(z, [14.0, 2.0, 0.0, 5.0]);
    }
}
