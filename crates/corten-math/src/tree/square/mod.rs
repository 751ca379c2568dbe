//! Unsymmetric matrices with symmetric sparsity: `(U+1)L` factors without pivoting, solution.
//!
//! The last row is eliminated first. A forest, whose rows couple with their ancestors and
//! descendants, then needs no fill ([`forest`]). Any other sparsity is stored with its fill
//! ([`filled`]): eliminating row `i` couples all rows before it that it is coupled with.

mod filled;
mod forest;

use crate::memory::{self, Grow};
use std::ops::Range;

use self::filled::Filled;
use self::forest::Forest;

/// A symmetric sparsity that is closed under elimination.
#[derive(Clone, Debug, PartialEq)]
pub struct SquarePattern {
    form: Form,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Forest(Forest),
    Filled(Filled),
}

impl Default for SquarePattern {
    fn default() -> SquarePattern {
        SquarePattern { form: Form::Forest(Forest::default()) }
    }
}

/// Evaluates an expression for the form that a pattern has.
macro_rules! with_form {
    ($pattern:expr, $form:ident => $result:expr) => {
        match &$pattern.form {
            Form::Forest($form) => $result,
            Form::Filled($form) => $result,
        }
    };
}

impl SquarePattern {
    /// The pattern of a forest given by parents (negative for roots) in depth-first order; `None`
    /// if they are not.
    pub fn new(parents: &[i32]) -> Option<SquarePattern> {
        Some(SquarePattern { form: Form::Forest(Forest::new(parents)?) })
    }

    /// The pattern in which each row couples with the columns listed for it: both ways, with the
    /// diagonal, and with the fill. Row `i` lists `lens[i]` columns from `starts[i]` on. `None` if
    /// a list or a column is out of range.
    pub fn from_rows(lens: &[i32], starts: &[i32], columns: &[i32]) -> Option<SquarePattern> {
        let n = lens.len();
        let mut lower: Vec<Vec<u32>> = memory::filled(Vec::new(), n);
        for (i, (&len, &start)) in lens.iter().zip(starts.get(..n)?).enumerate() {
            let (start, len) = (usize::try_from(start).ok()?, usize::try_from(len).ok()?);
            for &j in columns.get(start..start.checked_add(len)?)? {
                let j = usize::try_from(j).ok().filter(|&j| j < n)?;
                if j != i {
                    lower[i.max(j)].push(i.min(j) as u32);
                }
            }
        }
        let mut parents = memory::filled(-1, n);
        for i in (0..n).rev() {
            let mut row = std::mem::take(&mut lower[i]);
            row.sort_unstable();
            row.dedup();
            // The last row before i gets all others; from there they spread.
            if let Some((&parent, others)) = row.split_last() {
                lower[parent as usize].grow_extend_from_slice(others);
                parents[i] = parent as i32;
            }
            lower[i] = row;
        }
        // A forest couples each row with all its ancestors.
        let forest = Forest::new(&parents).filter(|f| (0..n).all(|i| f.lower(i) == lower[i]));
        let form = forest.map_or_else(|| Form::Filled(Filled::new(&lower)), Form::Forest);
        Some(SquarePattern { form })
    }

    /// Number of rows.
    #[inline]
    pub fn size(&self) -> usize {
        with_form!(self, form => form.size())
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.size().checked_sub(1).map_or(0, |last| self.row(last).end)
    }

    /// Where the entries of row `i` are stored, by ascending columns.
    #[inline]
    pub fn row(&self, i: usize) -> Range<usize> {
        with_form!(self, form => form.row(i))
    }

    /// The columns of row `i` before the diagonal, ascending.
    #[inline]
    pub fn lower(&self, i: usize) -> &[u32] {
        with_form!(self, form => form.lower(i))
    }

    /// Where the diagonal entry of row `i` is stored.
    #[inline]
    pub fn diagonal_entry(&self, i: usize) -> usize {
        with_form!(self, form => form.diagonal_entry(i))
    }

    /// Where the entries `(i, j)` and `(j, i)` are stored, for a `j` of [`Self::lower`] or `i`
    /// itself.
    #[inline]
    pub fn pair(&self, i: usize, j: usize) -> (usize, usize) {
        match &self.form {
            Form::Forest(forest) => forest.pair(i, j),
            Form::Filled(rows) => {
                let diagonal = rows.diagonal_entry(i);
                rows.entry(i, j).zip(rows.entry(j, i)).unwrap_or((diagonal, diagonal))
            }
        }
    }

    /// [`Self::pair`] for any `j` up to `i`; `None` if there are no such entries.
    #[inline]
    pub fn find(&self, i: usize, j: usize) -> Option<(usize, usize)> {
        match &self.form {
            Form::Forest(forest) => forest.couples(i, j).then(|| forest.pair(i, j)),
            Form::Filled(rows) => rows.entry(i, j).zip(rows.entry(j, i)).filter(|_| j <= i),
        }
    }

    /// Adds `scale v vᵀ` where it falls on the pattern; `v` has `values` at ascending `places`.
    pub fn add_rank_one(&self, matrix: &mut [f64], values: &[f64], places: &[i32], scale: f64) {
        for (n, (&x, &i)) in values.iter().zip(places).enumerate() {
            for (&y, &j) in values[..=n].iter().zip(places) {
                let Some((lower, upper)) = self.find(i as usize, j as usize) else { continue };
                let product = scale * x * y;
                matrix[lower] += product;
                if lower != upper {
                    matrix[upper] += product;
                }
            }
        }
    }

    /// Replaces a matrix by the factors `U` (above the diagonal) and `L` of `(U+1) L`.
    pub fn factor(&self, matrix: &mut [f64]) {
        with_form!(self, form => form.factor(matrix));
    }

    /// [`Self::factor`] for some rows only, in ascending order, with all that they couple with.
    pub fn factor_rows(&self, matrix: &mut [f64], rows: &[i32]) {
        with_form!(self, form => form.factor_rows(matrix, rows));
    }

    /// Solves `(U+1) L x = b` in place.
    pub fn solve(&self, factors: &[f64], x: &mut [f64]) {
        with_form!(self, form => form.solve(factors, x));
    }

    /// [`Self::solve`] for some rows only, in ascending order, with all that they couple with.
    pub fn solve_rows(&self, factors: &[f64], x: &mut [f64], rows: &[i32]) {
        with_form!(self, form => form.solve_rows(factors, x, rows));
    }

    /// `result ← matrix · x`.
    pub fn mul(&self, matrix: &[f64], x: &[f64], result: &mut [f64]) {
        with_form!(self, form => form.mul(matrix, x, result));
    }

    /// Adds the matrix, scaled, to a full row-major one.
    pub fn add_to_dense(&self, matrix: &[f64], scale: f64, dense: &mut [f64]) {
        with_form!(self, form => form.add_to_dense(matrix, scale, dense));
    }
}

/// How entries are found, and what follows from it.
trait Elimination {
    fn size(&self) -> usize;

    /// Where the entries of row `i` are stored.
    fn row(&self, i: usize) -> Range<usize>;

    /// Where the diagonal entry of row `i` is stored.
    fn diagonal_entry(&self, i: usize) -> usize;

    /// The columns of row `i` before the diagonal, ascending.
    fn lower(&self, i: usize) -> &[u32];

    /// Visits the columns of row `i` from the diagonal on, ascending.
    fn for_upper(&self, i: usize, visit: impl FnMut(usize));

    /// Product of entries of row `i`, given from `skip` after the diagonal on, with `x`.
    fn upper_dot(&self, i: usize, skip: usize, entries: &[f64], x: &[f64]) -> f64;

    /// Subtracts multiples of row `i` from the rows before it so that column `i` vanishes there,
    /// and keeps the multipliers.
    fn eliminate(&self, i: usize, matrix: &mut [f64]);

    fn factor(&self, matrix: &mut [f64]) {
        for i in (0..self.size()).rev() {
            self.eliminate(i, matrix);
        }
    }

    fn factor_rows(&self, matrix: &mut [f64], rows: &[i32]) {
        for &i in rows.iter().rev() {
            self.eliminate(i as usize, matrix);
        }
    }

    fn solve(&self, factors: &[f64], x: &mut [f64]) {
        for i in (0..self.size()).rev() {
            self.solve_upper(i, factors, x);
        }
        for i in 0..self.size() {
            self.solve_lower(i, factors, x);
        }
    }

    fn solve_rows(&self, factors: &[f64], x: &mut [f64], rows: &[i32]) {
        for &i in rows.iter().rev() {
            self.solve_upper(i as usize, factors, x);
        }
        for &i in rows {
            self.solve_lower(i as usize, factors, x);
        }
    }

    #[inline]
    fn solve_upper(&self, i: usize, factors: &[f64], x: &mut [f64]) {
        let entries = &factors[self.diagonal_entry(i) + 1..self.row(i).end];
        x[i] -= self.upper_dot(i, 1, entries, x);
    }

    #[inline]
    fn solve_lower(&self, i: usize, factors: &[f64], x: &mut [f64]) {
        let (row, lower) = (&factors[self.row(i)], self.lower(i));
        let dot: f64 = row.iter().zip(lower).map(|(l, &c)| l * x[c as usize]).sum();
        x[i] = (x[i] - dot) / row[lower.len()];
    }

    fn mul(&self, matrix: &[f64], x: &[f64], result: &mut [f64]) {
        for (i, r) in result.iter_mut().enumerate().take(self.size()) {
            let lower = self.lower(i);
            let (below, rest) = matrix[self.row(i)].split_at(lower.len());
            let sum: f64 = below.iter().zip(lower).map(|(a, &c)| a * x[c as usize]).sum();
            *r = sum + self.upper_dot(i, 0, rest, x);
        }
    }

    fn add_to_dense(&self, matrix: &[f64], scale: f64, dense: &mut [f64]) {
        let n = self.size();
        for i in 0..n {
            let mut entries = matrix[self.row(i)].iter();
            let target = &mut dense[i * n..(i + 1) * n];
            for (&c, a) in self.lower(i).iter().zip(&mut entries) {
                target[c as usize] += scale * a;
            }
            self.for_upper(i, |c| {
                if let Some(a) = entries.next() {
                    target[c] += scale * a;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense;

    const PARENTS: [i32; 9] = [-1, 0, 1, 1, 3, 0, -1, 6, 7];

    /// A pattern from its couplings below the diagonal.
    fn coupled(n: usize, couplings: &[(usize, usize)]) -> SquarePattern {
        let row = |i| couplings.iter().filter(move |c| c.0 == i).map(|c| c.1 as i32);
        let rows: Vec<Vec<i32>> = (0..n).map(|i| row(i).collect()).collect();
        let lens: Vec<i32> = rows.iter().map(|row| row.len() as i32).collect();
        let starts: Vec<i32> = (0..n).map(|i| lens[..i].iter().sum()).collect();
        SquarePattern::from_rows(&lens, &starts, &rows.concat()).unwrap()
    }

    /// Couplings of each row with its ancestors.
    fn chains() -> Vec<(usize, usize)> {
        let above = |i: usize| {
            std::iter::successors(usize::try_from(PARENTS[i]).ok(), |&p| {
                usize::try_from(PARENTS[p]).ok()
            })
        };
        (0..PARENTS.len()).flat_map(|i| above(i).map(move |j| (i, j))).collect()
    }

    #[test]
    fn factors_of_a_forest_solve_like_dense_lu() {
        solves_like_dense_lu(&SquarePattern::new(&PARENTS).unwrap());
    }

    #[test]
    fn a_forest_is_recognised() {
        let forest = SquarePattern::new(&PARENTS).unwrap();
        assert_eq!(coupled(PARENTS.len(), &chains()), forest);
        // Numbered breadth first, the descendants of a row do not follow it.
        let pattern = coupled(4, &[(2, 0), (3, 1)]);
        assert!(matches!(pattern.form, Form::Filled(_)));
        solves_like_dense_lu(&pattern);
    }

    #[test]
    fn coupled_trees_get_their_fill() {
        let mut couplings = chains();
        couplings.extend([(8, 4), (6, 2)]);
        let pattern = coupled(PARENTS.len(), &couplings);
        // 8 is coupled with 4, 6 and 7: its elimination couples 7 with 4, that of 7 then 6 with 4,
        // that of 6 finally 4 with 2, and that of 4 its parent 3 with 2.
        assert_eq!(pattern.lower(7), [4, 6]);
        assert_eq!(pattern.lower(6), [2, 4]);
        assert_eq!(pattern.lower(5), [0]);
        assert_eq!(pattern.lower(4), [0, 1, 2, 3]);
        assert_eq!(pattern.lower(3), [0, 1, 2]);
        assert_eq!(pattern.find(6, 5), None);
        let (lower, upper) = pattern.find(6, 2).unwrap();
        assert_eq!(pattern.pair(6, 2), (lower, upper));
        assert!(pattern.row(6).contains(&lower) && pattern.row(2).contains(&upper));
        solves_like_dense_lu(&pattern);
    }

    #[test]
    fn random_patterns_solve_like_dense_lu() {
        let mut state = 1u64;
        let mut random = move |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for n in 1..30 {
            let couplings: Vec<_> = (0..n).map(|_| (random(n), random(n))).collect();
            solves_like_dense_lu(&coupled(n, &couplings));
        }
    }

    /// The two forms compute the same, bit for bit.
    #[test]
    fn forms_agree() {
        let forest = SquarePattern::new(&PARENTS).unwrap();
        let n = forest.size();
        let lower: Vec<Vec<u32>> = (0..n).map(|i| forest.lower(i).to_vec()).collect();
        let filled = SquarePattern { form: Form::Filled(Filled::new(&lower)) };
        let matrix = example(&forest);
        let [a, b] = [&forest, &filled].map(|pattern| {
            let (mut factors, mut x) = (matrix.clone(), vec![1.0; n]);
            pattern.factor(&mut factors);
            pattern.solve(&factors, &mut x);
            let mut product = vec![0.0; n];
            pattern.mul(&matrix, &x, &mut product);
            let places: Vec<_> = (0..n * n).map(|k| pattern.find(k / n, k % n)).collect();
            (factors, x, product, places)
        });
        assert_eq!(a, b);
    }

    #[test]
    fn lists_out_of_range_are_refused() {
        assert!(SquarePattern::from_rows(&[1], &[0], &[1]).is_none());
        assert!(SquarePattern::from_rows(&[1], &[0], &[-1]).is_none());
        assert!(SquarePattern::from_rows(&[2], &[0], &[0]).is_none());
        assert!(SquarePattern::from_rows(&[-1], &[0], &[0]).is_none());
        assert!(SquarePattern::from_rows(&[1], &[], &[0]).is_none());
    }

    /// A matrix with this sparsity that can be factored without pivoting.
    fn example(pattern: &SquarePattern) -> Vec<f64> {
        let mut matrix: Vec<f64> =
            (0..pattern.entries()).map(|k| (k * k) as f64).map(f64::sin).collect();
        for i in 0..pattern.size() {
            matrix[pattern.diagonal_entry(i)] += pattern.row(i).len() as f64;
        }
        matrix
    }

    fn solves_like_dense_lu(pattern: &SquarePattern) {
        let n = pattern.size();
        let matrix = example(pattern);
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
