//! Solution of systems with a factored forest matrix, whole or by halves.

use super::pattern::{DIAGONAL, Run};
use super::{Reach, TreePattern};
use crate::{Four, Number, Stored, wide};

impl TreePattern {
    /// Solves `LᵀDL x = b` in place.
    pub fn solve<T: Stored>(&self, factor: &[T], inverse_diagonal: &[T], x: &mut [T]) {
        self.solve_range(0, factor, inverse_diagonal, x);
    }

    /// [`Self::solve`] for the consecutive rows from `first` on; whole trees must be given. `x`
    /// has one number for each of these rows.
    #[inline(always)]
    pub fn solve_range<T: Stored>(
        &self,
        first: usize,
        factor: &[T],
        inverse_diagonal: &[T],
        x: &mut [T],
    ) {
        let runs = self.runs(first..first + x.len());
        let inverse = inverse_diagonal;
        match self.width {
            0..=64 => solve_runs(runs, first, factor, inverse, x, Reach::<64>),
            65..=256 => solve_runs(runs, first, factor, inverse, x, Reach::<256>),
            _ => {
                let (factor, inverse) =
                    (bytemuck::cast_slice(factor), bytemuck::cast_slice(inverse));
                let x = bytemuck::cast_slice_mut(x);
                self.solve_wide::<T::Number<Four>>(first, factor, inverse, x);
            }
        }
    }

    fn solve_wide<T: Number>(
        &self,
        first: usize,
        factor: &[T],
        inverse_diagonal: &[T],
        x: &mut [T],
    ) {
        for i in (0..x.len()).rev() {
            let xi = x[i];
            if xi != T::default() {
                for (l, c) in self.off_diagonal(first + i, factor) {
                    x[c - first] -= l * xi;
                }
            }
        }
        for i in 0..x.len() {
            let mut xi = x[i] * inverse_diagonal[first + i];
            for (l, c) in self.off_diagonal(first + i, factor) {
                xi -= l * x[c - first];
            }
            x[i] = xi;
        }
    }

    /// Solves `√D Lᵀ`-half of the system, `x ← D^{-1/2} L^{-T} x`, given `D^{-1/2}`; the squared
    /// norm of the result is `bᵀ (LᵀDL)⁻¹ b`.
    pub fn solve_half(&self, factor: &[f64], inverse_sqrt_diagonal: &[f64], x: &mut [f64]) {
        for i in (0..self.size()).rev() {
            self.solve_upper(i, factor, x);
        }
        for (x, d) in x.iter_mut().zip(inverse_sqrt_diagonal) {
            *x *= d;
        }
    }

    /// Row `i` of `x ← L^{-T} x`.
    #[inline]
    fn solve_upper(&self, i: usize, factor: &[f64], x: &mut [f64]) {
        let xi = x[i];
        if xi != 0.0 {
            for (l, c) in self.off_diagonal(i, factor) {
                x[c] -= l * xi;
            }
        }
    }
}

// In depth-first order, the ancestors of the current row are a prefix of a stack that is indexed
// by depth. Going up, it collects what they will have to add or subtract; going down, it holds
// their numbers.
wide! {
    fn solve_runs[T: Stored, const REACH: usize](
        runs: &[Run],
        first: usize,
        factor: &[T],
        inverse_diagonal: &[T],
        x: &mut [T],
        _reach: Reach<REACH>,
    ) {
        let inverse_diagonal = bytemuck::cast_slice(inverse_diagonal);
        let (factor, x) = (bytemuck::cast_slice(factor), bytemuck::cast_slice_mut(x));
        up_and_down::<T::Number<Simd>, REACH>(runs, first, factor, inverse_diagonal, x);
    }
}

/// See [`solve_runs`].
#[inline(always)]
fn up_and_down<T: Number, const REACH: usize>(
    runs: &[Run],
    first: usize,
    factor: &[T],
    inverse_diagonal: &[T],
    x: &mut [T],
) {
    let mut stack = [T::default(); REACH];
    let rows = first..first + x.len();
    let d = inverse_diagonal;
    let mut rest = runs;
    while let Some((run, before)) = rest.split_last() {
        rest = before;
        if run.depth == DIAGONAL {
            let rows = run.diagonal(&rows);
            let given = d[rows.clone()].iter();
            for (x, d) in x[rows.start - first..rows.end - first].iter_mut().zip(given) {
                *x *= *d;
            }
            continue;
        }
        match run.len {
            1 => {
                let siblings = before.iter().rev().take_while(|one| one.is_sibling(run)).count();
                rest = &before[..before.len() - siblings];
                let leaves = Leaves::new(before.get(rest.len()).unwrap_or(run), 1 + siblings);
                match leaves.depth {
                    1..=4 if siblings > 0 => leaves.up::<T, 1>(first, factor, d, x, &mut stack),
                    5..=8 if siblings > 0 => leaves.up::<T, 2>(first, factor, d, x, &mut stack),
                    _ => {
                        rest = before;
                        solve_run_up::<T, REACH, 1>(run, first, factor, d, x, &mut stack);
                    }
                }
            }
            2 => solve_run_up::<T, REACH, 2>(run, first, factor, d, x, &mut stack),
            3 => solve_run_up::<T, REACH, 3>(run, first, factor, d, x, &mut stack),
            4 => solve_run_up::<T, REACH, 4>(run, first, factor, d, x, &mut stack),
            5 => solve_run_up::<T, REACH, 5>(run, first, factor, d, x, &mut stack),
            _ => solve_run_up::<T, REACH, 6>(run, first, factor, d, x, &mut stack),
        }
    }
    let mut rest = runs;
    while let Some((run, after)) = rest.split_first() {
        rest = after;
        if run.depth == DIAGONAL {
            continue;
        }
        match run.len {
            1 => {
                let siblings = after.iter().take_while(|one| one.is_sibling(run)).count();
                let leaves = Leaves::new(run, 1 + siblings);
                rest = &after[siblings..];
                match leaves.depth {
                    1..=4 if siblings > 0 => leaves.down::<T, 1>(first, factor, x, &stack),
                    5..=8 if siblings > 0 => leaves.down::<T, 2>(first, factor, x, &stack),
                    _ => {
                        rest = after;
                        solve_run_down::<T, REACH, 1>(run, first, factor, x, &mut stack);
                    }
                }
            }
            2 => solve_run_down::<T, REACH, 2>(run, first, factor, x, &mut stack),
            3 => solve_run_down::<T, REACH, 3>(run, first, factor, x, &mut stack),
            4 => solve_run_down::<T, REACH, 4>(run, first, factor, x, &mut stack),
            5 => solve_run_down::<T, REACH, 5>(run, first, factor, x, &mut stack),
            _ => solve_run_down::<T, REACH, 6>(run, first, factor, x, &mut stack),
        }
    }
}

/// Consecutive rows with the same ancestors and without descendants, such as those of the radial vertices of a flex.
struct Leaves {
    /// Where the first row is stored, and its index.
    start: usize,
    row: usize,
    count: usize,
    depth: usize,
}

impl Leaves {
    #[inline(always)]
    fn new(first: &Run, count: usize) -> Leaves {
        let Run { start, row, depth, .. } = *first;
        Leaves { start: start as usize, row: row as usize, count, depth: depth as usize }
    }

    /// The entries of a row in groups of four; what is right of its diagonal counts for nothing.
    #[inline(always)]
    fn entries<T: Number, const FOURS: usize>(&self, factor: &[T], row: usize) -> [[T; 4]; FOURS] {
        let from = &factor[self.start + row * (self.depth + 1)..];
        if let Some(whole) = from.as_chunks::<4>().0.first_chunk::<FOURS>() {
            return *whole;
        }
        let mut entries = [[T::default(); 4]; FOURS];
        entries.as_flattened_mut()[..self.depth].copy_from_slice(&from[..self.depth]);
        entries
    }

    /// See [`solve_run_up`].
    #[inline(always)]
    fn up<T: Number, const FOURS: usize>(
        &self,
        first: usize,
        factor: &[T],
        inverse_diagonal: &[T],
        x: &mut [T],
        stack: &mut [T],
    ) {
        let x = &mut x[self.row - first..][..self.count];
        let d = &inverse_diagonal[self.row..][..self.count];
        let mut sum = [[T::default(); 4]; FOURS];
        sum.as_flattened_mut()[..self.depth].copy_from_slice(&stack[..self.depth]);
        for row in (0..self.count).rev() {
            let y = x[row];
            let entries = self.entries::<T, FOURS>(factor, row);
            for c in 0..FOURS {
                for lane in 0..4 {
                    sum[c][lane] += entries[c][lane] * y;
                }
            }
            x[row] = y * d[row];
        }
        stack[..self.depth].copy_from_slice(&sum.as_flattened()[..self.depth]);
    }

    /// See [`solve_run_down`].
    #[inline(always)]
    fn down<T: Number, const FOURS: usize>(
        &self,
        first: usize,
        factor: &[T],
        x: &mut [T],
        stack: &[T],
    ) {
        let x = &mut x[self.row - first..][..self.count];
        let mut above = [[T::default(); 4]; FOURS];
        above.as_flattened_mut()[..self.depth].copy_from_slice(&stack[..self.depth]);
        for row in 0..self.count {
            let entries = self.entries::<T, FOURS>(factor, row);
            let mut sum = [T::default(); 4];
            for c in 0..FOURS {
                for lane in 0..4 {
                    sum[lane] += entries[c][lane] * above[c][lane];
                }
            }
            let [a, b, c, d] = sum;
            x[row] -= (a + c) + (b + d);
        }
    }
}

/// The rows of a run of length `L`: the entries of its ancestors, and those of the run itself.
#[inline(always)]
fn run_rows<'a, T: Number, const L: usize>(
    run: &Run,
    depth: usize,
    matrix: &'a [T],
) -> ([&'a [T]; L], [&'a [T]; L]) {
    let mut rest = &matrix[run.start as usize..];
    let (mut above, mut own) = ([rest; L], [rest; L]);
    for k in 0..L {
        let (row, after) = rest.split_at(depth + k + 1);
        (above[k], own[k]) = row.split_at(depth);
        rest = after;
    }
    (above, own)
}

/// Rows by groups of four entries, and what is left of each.
#[inline(always)]
fn fours<'a, T, const L: usize>(rows: &[&'a [T]; L]) -> ([&'a [[T; 4]]; L], [&'a [T]; L]) {
    let (mut groups, mut rest) = ([&[] as &[[T; 4]]; L], *rows);
    for k in 0..L {
        (groups[k], rest[k]) = rows[k].as_chunks::<4>();
    }
    (groups, rest)
}

/// `x ← D⁻¹ L^{-T} x` for the rows of a run; the ancestors' share is left in `stack`.
#[inline(always)]
fn solve_run_up<T: Number, const REACH: usize, const L: usize>(
    run: &Run,
    first: usize,
    factor: &[T],
    inverse_diagonal: &[T],
    x: &mut [T],
    stack: &mut [T; REACH],
) {
    let (row, depth) = (run.row as usize, run.depth as usize % REACH);
    let (Some(x), Some(d), Some(below)) = (
        x[row - first..].first_chunk_mut::<L>(),
        inverse_diagonal[row..].first_chunk::<L>(),
        stack[depth..].first_chunk_mut::<L>(),
    ) else {
        return;
    };
    let mut y = *x;
    for k in 0..L {
        y[k] -= below[k];
    }
    *below = [T::default(); L];
    let (above, own) = run_rows::<T, L>(run, depth, factor);
    for k in (0..L).rev() {
        for j in 0..k {
            y[j] -= own[k][j] * y[k];
        }
    }
    for k in 0..L {
        x[k] = y[k] * d[k];
    }
    let (four, rest) = stack[..depth].as_chunks_mut::<4>();
    let (groups, tails) = fours(&above);
    for (c, four) in four.iter_mut().enumerate() {
        let mut sum = *four;
        for k in 0..L {
            let entries = groups[k][c];
            for lane in 0..4 {
                sum[lane] += entries[lane] * y[k];
            }
        }
        *four = sum;
    }
    for (c, sum) in rest.iter_mut().enumerate() {
        for k in 0..L {
            *sum += tails[k][c] * y[k];
        }
    }
}

/// `x ← L^{-1} x` for the rows of a run, whose ancestors' numbers are in `stack`.
#[inline(always)]
fn solve_run_down<T: Number, const REACH: usize, const L: usize>(
    run: &Run,
    first: usize,
    factor: &[T],
    x: &mut [T],
    stack: &mut [T; REACH],
) {
    let (row, depth) = (run.row as usize, run.depth as usize % REACH);
    let Some(x) = x[row - first..].first_chunk_mut::<L>() else { return };
    let (above, own) = run_rows::<T, L>(run, depth, factor);
    let mut y = *x;
    if depth > 0 {
        let (four, rest) = stack[..depth].as_chunks::<4>();
        let (groups, tails) = fours(&above);
        let mut lanes = [[T::default(); 4]; L];
        for c in 0..four.len() {
            for k in 0..L {
                for lane in 0..4 {
                    lanes[k][lane] += groups[k][c][lane] * four[c][lane];
                }
            }
        }
        // Without `map`, which stays a call.
        let mut sums = [T::default(); L];
        for (sum, [a, b, c, d]) in sums.iter_mut().zip(lanes) {
            *sum = (a + c) + (b + d);
        }
        for c in 0..rest.len() {
            for k in 0..L {
                sums[k] += tails[k][c] * rest[c];
            }
        }
        for k in 0..L {
            y[k] -= sums[k];
        }
    }
    for k in 0..L {
        for j in 0..k {
            y[k] -= own[k][j] * y[j];
        }
    }
    *x = y;
    if let Some(own) = stack[depth..].first_chunk_mut::<L>() {
        *own = y;
    }
}

#[cfg(test)]
mod tests {
    use super::super::pattern::tests::{
        deep_example, example, fan_example, long_example, scattered_example,
    };
    use super::*;
    use crate::dense;

    #[test]
    fn factor_solves_like_dense_cholesky() {
        for (pattern, matrix) in [example(), long_example(), scattered_example()] {
            compare_with_dense(&pattern, &matrix);
        }
        for n in [3, 8, 16, 17, 32, 33, 64, 65, 100, 256, 257, 300] {
            let (pattern, matrix) = deep_example(n);
            compare_with_dense(&pattern, &matrix);
        }
        for depth in 1..=10 {
            let (pattern, matrix) = fan_example(depth);
            compare_with_dense(&pattern, &matrix);
        }
    }

    fn compare_with_dense(pattern: &TreePattern, matrix: &[f64]) {
        let n = pattern.size();
        let mut full = vec![0.0; n * n];
        pattern.to_dense(matrix, &mut full);
        let b: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();

        let mut expected = b.clone();
        assert!(dense::cholesky(&mut full, n, 0.0));
        dense::cholesky_solve(&full, n, &mut expected);

        let (mut factor, mut inverse) = (matrix.to_vec(), vec![0.0; n]);
        pattern.factor(&mut factor, &mut inverse);
        let mut x = b.clone();
        pattern.solve(&factor, &inverse, &mut x);
        for i in 0..n {
            assert!((x[i] - expected[i]).abs() < 1e-14);
        }

        // The product gives back the right-hand side.
        let mut product = vec![0.0; n];
        pattern.mul(matrix, &x, &mut product);
        for i in 0..n {
            assert!((product[i] - b[i]).abs() < 1e-13);
        }
    }

    #[test]
    fn some_rows_are_solved_as_among_all() {
        let (pattern, matrix) = scattered_example();
        let n = pattern.size();
        let (mut factor, mut inverse) = (matrix.clone(), vec![0.0; n]);
        pattern.factor(&mut factor, &mut inverse);
        let b: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
        let mut whole = b.clone();
        pattern.solve(&factor, &inverse, &mut whole);
        for range in [0..1, 1..2, 1..4, 4..5, 5..9, 5..10, 0..10, 9..10] {
            let mut part = b[range.clone()].to_vec();
            pattern.solve_range(range.start, &factor, &inverse, &mut part);
            assert_eq!(part, whole[range.clone()]);
            let (mut some, mut some_inverse) = (matrix.clone(), vec![0.0; n]);
            pattern.factor_range(range.clone(), &mut some, &mut some_inverse);
            assert_eq!(some_inverse[range.clone()], inverse[range]);
        }
    }

    #[test]
    fn halves_give_the_quadratic_form() {
        let (pattern, matrix) = example();
        let n = pattern.size();
        let (mut factor, mut inverse) = (matrix.clone(), vec![0.0; n]);
        pattern.factor(&mut factor, &mut inverse);
        let b: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();

        let mut product = vec![0.0; n];
        pattern.mul(&matrix, &b, &mut product);
        let expected: f64 = b.iter().zip(&product).map(|(a, b)| a * b).sum();
        let mut half = vec![0.0; n];
        pattern.mul_half(&factor, &b, &mut half);
        assert!((half.iter().map(|x| x * x).sum::<f64>() / expected - 1.0).abs() < 1e-13);

        let mut x = b.clone();
        pattern.solve(&factor, &inverse, &mut x);
        let expected: f64 = b.iter().zip(&x).map(|(a, b)| a * b).sum();
        let roots: Vec<f64> = inverse.iter().map(|d| d.sqrt()).collect();
        let mut half = b;
        pattern.solve_half(&factor, &roots, &mut half);
        assert!((half.iter().map(|x| x * x).sum::<f64>() / expected - 1.0).abs() < 1e-13);
    }
}
