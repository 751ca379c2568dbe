//! Symmetric matrices with the sparsity of a forest: product, `LᵀDL` factor, solution.
//!
//! Rows are stored one after the other. Row `i` holds the columns of the ancestors of `i` in
//! ascending order and the diagonal last, so the row of an ancestor covers a prefix of the columns
//! of all its descendants, and column `i` sits at the same offset in each of them. Elimination
//! from the leaves to the roots then causes no fill (Featherstone, *Rigid Body Dynamics
//! Algorithms*, §6.5), and needs no column indices at all.

use std::ops::Range;

use super::STACK;
use crate::{Number, wide};

/// The sparsity of a symmetric forest matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreePattern {
    rows: Vec<Row>,
    columns: Vec<u32>,
    runs: Vec<Run>,
    /// The run of every row.
    run_of: Vec<u32>,
    /// Length of the longest row.
    width: usize,
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
    fn diagonal(&self, rows: &Range<usize>) -> Range<usize> {
        let end = (self.row + self.len) as usize;
        (self.row as usize).max(rows.start)..end.min(rows.end)
    }
}

/// Longer paths are cut: a run is held in registers while it is solved.
pub(super) const LONGEST_RUN: usize = 6;

/// Longest row for which sums over descendants are kept by depth while factoring.
pub(super) const REACH: usize = 16;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Row {
    start: u32,
    /// Number of entries, the diagonal included.
    len: u32,
    /// One past the last row that has this row's index among its columns.
    subtree_end: u32,
}

impl Row {
    #[inline]
    fn range(self) -> Range<usize> {
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
        let mut pattern = TreePattern { rows: Vec::with_capacity(n), ..TreePattern::default() };
        for i in 0..n {
            let len = usize::try_from(row_len[i]).ok().filter(|&len| len > 0)?;
            let start = pattern.columns.len();
            if usize::try_from(row_start[i]).ok()? != start {
                return None;
            }
            let row = columns.get(start..start + len)?;
            for &c in row {
                pattern.columns.push(u32::try_from(c).ok()?);
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
                _ => self.runs.push(Run { start: row.start, row: i as u32, len: 1, depth }),
            }
            self.run_of.push(self.runs.len() as u32 - 1);
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

    /// Replaces a positive definite `matrix` by `L` (unit lower triangular, off the diagonal) and
    /// `D` (on it) of `LᵀDL`, and gives `1/D`.
    pub fn factor(&self, matrix: &mut [f64], inverse_diagonal: &mut [f64]) {
        self.factor_range(0..self.size(), matrix, inverse_diagonal);
    }

    /// [`Self::factor`] row by row, from the last to the first, each contribution subtracted by
    /// itself: MuJoCo's order, for those to whom the last bit matters.
    pub fn factor_in_order(&self, matrix: &mut [f64], inverse_diagonal: &mut [f64]) {
        eliminate_rows(&self.rows, 0..self.size(), matrix, inverse_diagonal);
    }

    /// [`Self::factor_in_order`] for any number of lanes.
    pub(super) fn eliminate<T: Number>(&self, matrix: &mut [T], inverse_diagonal: &mut [T]) {
        eliminate_rows(&self.rows, 0..self.size(), matrix, inverse_diagonal);
    }

    /// [`Self::factor`] for some rows only; whole trees must be given, in ascending order.
    pub fn factor_rows(&self, matrix: &mut [f64], inverse_diagonal: &mut [f64], rows: &[i32]) {
        for range in ranges(rows) {
            self.factor_range(range, matrix, inverse_diagonal);
        }
    }

    /// [`Self::factor`] for consecutive rows; whole trees must be given.
    fn factor_range(&self, rows: Range<usize>, matrix: &mut [f64], inverse_diagonal: &mut [f64]) {
        if self.width > REACH {
            eliminate_rows(&self.rows, rows, matrix, inverse_diagonal);
        } else {
            factor_runs(self.runs(rows.clone()), rows, matrix, inverse_diagonal);
        }
    }

    /// The runs of consecutive rows; whole trees must be given.
    pub(super) fn runs(&self, rows: Range<usize>) -> &[Run] {
        if rows.is_empty() {
            return &[];
        }
        &self.runs[self.run_of[rows.start] as usize..=self.run_of[rows.end - 1] as usize]
    }

    /// Solves `LᵀDL x = b` in place.
    pub fn solve<T: Number>(&self, factor: &[T], inverse_diagonal: &[T], x: &mut [T]) {
        self.solve_range(0, factor, inverse_diagonal, x);
    }

    /// [`Self::solve`] for the consecutive rows from `first` on; whole trees must be given. `x`
    /// has one number for each of these rows.
    pub fn solve_range<T: Number>(
        &self,
        first: usize,
        factor: &[T],
        inverse_diagonal: &[T],
        x: &mut [T],
    ) {
        if self.width > STACK {
            return self.solve_wide(first, factor, inverse_diagonal, x);
        }
        solve_runs(self.runs(first..first + x.len()), first, factor, inverse_diagonal, x);
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

    /// [`Self::solve`] for some rows only; whole trees must be given, in ascending order.
    pub fn solve_rows(
        &self,
        factor: &[f64],
        inverse_diagonal: &[f64],
        x: &mut [f64],
        rows: &[i32],
    ) {
        for range in ranges(rows) {
            self.solve_range(range.start, factor, inverse_diagonal, &mut x[range]);
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

    /// The entries and columns of row `i` left of the diagonal.
    #[inline]
    fn off_diagonal<'a, T: Number>(
        &'a self,
        i: usize,
        matrix: &'a [T],
    ) -> impl Iterator<Item = (T, usize)> {
        let mut range = self.row(i);
        range.end -= 1;
        matrix[range.clone()].iter().zip(&self.columns[range]).map(|(&a, &c)| (a, c as usize))
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

// In depth-first order, the ancestors of the current row are a prefix of a stack that is indexed
// by depth. Going up, it collects what they will have to add or subtract; going down, it holds
// their numbers.
wide! {
    fn solve_runs[T: Number](
        runs: &[Run],
        first: usize,
        factor: &[T],
        inverse_diagonal: &[T],
        x: &mut [T],
    ) {
        let mut stack = [T::default(); STACK + 4];
        let rows = first..first + x.len();
        for run in runs.iter().rev() {
            let d = inverse_diagonal;
            if run.depth == DIAGONAL {
                let rows = run.diagonal(&rows);
                let given = d[rows.clone()].iter();
                for (x, d) in x[rows.start - first..rows.end - first].iter_mut().zip(given) {
                    *x *= *d;
                }
                continue;
            }
            match run.len {
                1 => solve_run_up::<T, 1>(run, first, factor, d, x, &mut stack),
                2 => solve_run_up::<T, 2>(run, first, factor, d, x, &mut stack),
                3 => solve_run_up::<T, 3>(run, first, factor, d, x, &mut stack),
                4 => solve_run_up::<T, 4>(run, first, factor, d, x, &mut stack),
                5 => solve_run_up::<T, 5>(run, first, factor, d, x, &mut stack),
                _ => solve_run_up::<T, 6>(run, first, factor, d, x, &mut stack),
            }
        }
        for run in runs {
            if run.depth == DIAGONAL {
                continue;
            }
            match run.len {
                1 => solve_run_down::<T, 1>(run, first, factor, x, &mut stack),
                2 => solve_run_down::<T, 2>(run, first, factor, x, &mut stack),
                3 => solve_run_down::<T, 3>(run, first, factor, x, &mut stack),
                4 => solve_run_down::<T, 4>(run, first, factor, x, &mut stack),
                5 => solve_run_down::<T, 5>(run, first, factor, x, &mut stack),
                _ => solve_run_down::<T, 6>(run, first, factor, x, &mut stack),
            }
        }
    }

    fn mul_rows(rows: &[Row], matrix: &[f64], x: &[f64], result: &mut [f64]) {
        let mut stack = [0.0; STACK];
        for ((row, x), result) in rows.iter().zip(x).zip(&mut *result) {
            let depth = row.len as usize - 1;
            let row = &matrix[row.range()];
            stack[depth % STACK] = *x;
            *result = row[depth] * x;
            if depth > 0 {
                *result += dot_row(&stack, row, depth);
            }
        }
        stack = [0.0; STACK];
        for ((row, x), result) in rows.iter().zip(x).zip(result).rev() {
            let depth = row.len as usize - 1;
            *result += std::mem::take(&mut stack[depth % STACK]);
            if depth > 0 {
                add_scaled_row(&mut stack, &matrix[row.range()], depth, *x);
            }
        }
    }
}

/// The rows of a run of length `L`: the entries of its ancestors, and those of the run itself.
#[inline(always)]
fn run_rows<'a, T: Number, const L: usize>(
    run: &Run,
    depth: usize,
    matrix: &'a [T],
) -> [(&'a [T], &'a [T]); L] {
    let mut rest = &matrix[run.start as usize..];
    std::array::from_fn(|k| {
        let (row, after) = rest.split_at(depth + k + 1);
        rest = after;
        row.split_at(depth)
    })
}

/// `x ← D⁻¹ L^{-T} x` for the rows of a run; the ancestors' share is left in `stack`.
#[inline(always)]
fn solve_run_up<T: Number, const L: usize>(
    run: &Run,
    first: usize,
    factor: &[T],
    inverse_diagonal: &[T],
    x: &mut [T],
    stack: &mut [T; STACK + 4],
) {
    let (row, depth) = (run.row as usize, run.depth as usize % STACK);
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
    let rows = run_rows::<T, L>(run, depth, factor);
    for k in (0..L).rev() {
        for j in 0..k {
            y[j] -= rows[k].1[j] * y[k];
        }
    }
    for k in 0..L {
        x[k] = y[k] * d[k];
    }
    let (four, rest) = stack[..depth].as_chunks_mut::<4>();
    for (c, four) in four.iter_mut().enumerate() {
        let mut sum = *four;
        for k in 0..L {
            let entries = &rows[k].0[4 * c..4 * c + 4];
            for lane in 0..4 {
                sum[lane] += entries[lane] * y[k];
            }
        }
        *four = sum;
    }
    let done = depth / 4 * 4;
    for (c, sum) in rest.iter_mut().enumerate() {
        for k in 0..L {
            *sum += rows[k].0[done + c] * y[k];
        }
    }
}

/// `x ← L^{-1} x` for the rows of a run, whose ancestors' numbers are in `stack`.
#[inline(always)]
fn solve_run_down<T: Number, const L: usize>(
    run: &Run,
    first: usize,
    factor: &[T],
    x: &mut [T],
    stack: &mut [T; STACK + 4],
) {
    let (row, depth) = (run.row as usize, run.depth as usize % STACK);
    let Some(x) = x[row - first..].first_chunk_mut::<L>() else { return };
    let rows = run_rows::<T, L>(run, depth, factor);
    let mut y = *x;
    if depth > 0 {
        let (four, rest) = stack[..depth].as_chunks::<4>();
        let done = depth / 4 * 4;
        for k in 0..L {
            let mut lanes = [T::default(); 4];
            for (c, four) in four.iter().enumerate() {
                let entries = &rows[k].0[4 * c..4 * c + 4];
                for lane in 0..4 {
                    lanes[lane] += entries[lane] * four[lane];
                }
            }
            let mut sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
            for (entry, s) in rows[k].0[done..].iter().zip(rest) {
                sum += *entry * *s;
            }
            y[k] -= sum;
        }
    }
    for k in 0..L {
        for j in 0..k {
            y[k] -= rows[k].1[j] * y[j];
        }
    }
    *x = y;
    if let Some(own) = stack[depth..].first_chunk_mut::<L>() {
        *own = y;
    }
}

/// `stack[..depth] += row[..depth] · x`.
#[inline(always)]
fn add_scaled_row(stack: &mut [f64; STACK], row: &[f64], depth: usize, x: f64) {
    for (s, l) in stack[..depth].iter_mut().zip(&row[..depth]) {
        *s += l * x;
    }
}

/// Product of `row[..depth]` and `stack[..depth]`.
///
/// One number at a time: the last ones have just been stored, and a wide load of several recent
/// stores has to wait for all of them to reach the cache. In ascending order only the last
/// product waits for the row before.
#[inline(always)]
fn dot_row(stack: &[f64; STACK], row: &[f64], depth: usize) -> f64 {
    row[..depth].iter().zip(&stack[..depth]).map(|(l, s)| l * s).sum()
}

/// Consecutive numbers of an ascending list.
fn ranges(mut list: &[i32]) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let start = *list.first()? as usize;
        let len = list.iter().zip(start..).take_while(|&(&i, next)| i as usize == next).count();
        list = &list[len..];
        Some(start..start + len)
    })
}

wide! {
    fn factor_runs(
        runs: &[Run],
        rows: Range<usize>,
        matrix: &mut [f64],
        inverse_diagonal: &mut [f64],
    ) {
        let mut pending = Pending {
            sums: [[[0.0; 4]; GROUPS]; REACH],
            above: [[[0.0; 4]; LONGEST_RUN]; GROUPS],
        };
        for run in runs.iter().rev() {
            if run.depth == DIAGONAL {
                let rows = run.diagonal(&rows);
                let start = run.start as usize + rows.start - run.row as usize;
                let entries = &matrix[start..start + rows.len()];
                for (inverse, entry) in inverse_diagonal[rows].iter_mut().zip(entries) {
                    *inverse = 1.0 / entry;
                }
                continue;
            }
            match run.len {
                1 => factor_run::<1>(run, matrix, inverse_diagonal, &mut pending),
                2 => factor_run::<2>(run, matrix, inverse_diagonal, &mut pending),
                3 => factor_run::<3>(run, matrix, inverse_diagonal, &mut pending),
                4 => factor_run::<4>(run, matrix, inverse_diagonal, &mut pending),
                5 => factor_run::<5>(run, matrix, inverse_diagonal, &mut pending),
                _ => factor_run::<6>(run, matrix, inverse_diagonal, &mut pending),
            }
        }
    }

    /// One row after the other, of any length.
    fn eliminate_rows[T: Number](
        rows: &[Row],
        selected: Range<usize>,
        matrix: &mut [T],
        inverse_diagonal: &mut [T],
    ) {
        let mut end = selected.end;
        while end > selected.start {
            end = eliminate_last(rows, end, matrix, inverse_diagonal);
        }
        for i in selected {
            scale_row(rows[i], matrix, inverse_diagonal[i]);
        }
    }
}

/// Number of groups of four columns in the longest row.
const GROUPS: usize = REACH / 4;

/// Four columns of a run's rows.
type Columns = [[f64; 4]; LONGEST_RUN];

struct Pending {
    /// What the rows of ancestors have to subtract, by depth.
    sums: [[[f64; 4]; GROUPS]; REACH],
    /// The columns of the current run's ancestors, not yet divided by the diagonal.
    above: [Columns; GROUPS],
}

/// Eliminates a run. With `u_k` its rows before they are divided by the diagonal, every ancestor
/// `a` still has to subtract `Σ_k u_ka / D_k u_k` from its row: these sums wait in `pending` until
/// its own run takes them.
#[inline(always)]
fn factor_run<const L: usize>(
    run: &Run,
    matrix: &mut [f64],
    inverse_diagonal: &mut [f64],
    pending: &mut Pending,
) {
    let depth = run.depth as usize % REACH;
    let row = |k: usize| k * depth + k * (k + 1) / 2;
    let Some(inverse) = inverse_diagonal[run.row as usize..].first_chunk_mut::<L>() else {
        return;
    };
    let block = &mut matrix[run.start as usize..][..row(L)];

    // The triangle that the run forms by itself. Loops have constant bounds, and leave out what
    // they do not need, so that they unroll.
    let mut own = [[0.0; L]; L];
    for k in 0..L {
        let entries = &block[row(k) + depth..row(k + 1)];
        let sums = pending.sums[(depth + k) % REACH].as_flattened();
        for j in 0..L {
            if j <= k {
                own[k][j] = entries[j] - sums[(depth + j) % REACH];
            }
        }
    }
    let mut lower = [[0.0; L]; L];
    for k in (0..L).rev() {
        inverse[k] = 1.0 / own[k][k];
        for i in 0..L {
            if i < k {
                lower[k][i] = own[k][i] * inverse[k];
                for j in 0..L {
                    if j <= i {
                        own[i][j] -= lower[k][i] * own[k][j];
                    }
                }
            }
        }
    }
    for k in 0..L {
        let entries = &mut block[row(k) + depth..row(k + 1)];
        for j in 0..L {
            if j < k {
                entries[j] = lower[k][j];
            }
        }
        entries[k] = own[k][k];
    }

    // The columns of the ancestors, four at a time; lanes beyond them are of no use.
    let groups = depth.div_ceil(4);
    for (c, above) in pending.above[..groups].iter_mut().enumerate() {
        let mut u = [[0.0; 4]; L];
        for k in 0..L {
            let at = row(k) + 4 * c;
            let entries = match block.get(at..at + 4) {
                Some(&[a, b, c, d]) => [a, b, c, d],
                _ => pad(&block[at..]),
            };
            let sums = &pending.sums[(depth + k) % REACH][c];
            for lane in 0..4 {
                u[k][lane] = entries[lane] - sums[lane];
            }
        }
        for k in (0..L).rev() {
            for i in 0..L {
                if i < k {
                    for lane in 0..4 {
                        u[i][lane] -= lower[k][i] * u[k][lane];
                    }
                }
            }
        }
        for (above, u) in above.iter_mut().zip(u) {
            *above = u;
        }
        let used = depth - 4 * c;
        if used >= 4 {
            for k in 0..L {
                if let Some(entries) = block[row(k) + 4 * c..].first_chunk_mut::<4>() {
                    for lane in 0..4 {
                        entries[lane] = u[k][lane] * inverse[k];
                    }
                }
            }
        } else {
            for k in 0..L {
                let entries = &mut block[row(k) + 4 * c..][..used];
                entries[0] = u[k][0] * inverse[k];
                if used > 1 {
                    entries[1] = u[k][1] * inverse[k];
                }
                if used > 2 {
                    entries[2] = u[k][2] * inverse[k];
                }
            }
        }
    }
    for k in 0..L {
        pending.sums[(depth + k) % REACH] = [[0.0; 4]; GROUPS];
    }
    for a in 0..depth {
        let above = &pending.above[a / 4];
        let mut scale = [0.0; L];
        for k in 0..L {
            scale[k] = above[k][a % 4] * inverse[k];
        }
        let sums = &mut pending.sums[a];
        for (sums, above) in sums[..=a / 4].iter_mut().zip(&pending.above) {
            let mut sum = *sums;
            for k in 0..L {
                for lane in 0..4 {
                    sum[lane] += scale[k] * above[k][lane];
                }
            }
            *sums = sum;
        }
    }
}

/// Eliminates the row before `end`; gives the new end.
#[inline(always)]
fn eliminate_last<T: Number>(
    rows: &[Row],
    end: usize,
    matrix: &mut [T],
    inverse_diagonal: &mut [T],
) -> usize {
    let row = rows[end - 1];
    let subtree = end..row.subtree_end as usize;
    let (above, below) = matrix.split_at_mut(row.range().end);
    let target = &mut above[row.start as usize..];
    if !subtree.is_empty() {
        let weights = &inverse_diagonal[subtree.clone()];
        let first = row.start + row.len;
        let subtree = &rows[subtree];
        subtract_rows(target, below, first, subtree, weights);
    }
    inverse_diagonal[end - 1] = T::of(1.0) / target[target.len() - 1];
    end - 1
}

/// The end of the matrix, filled up.
#[cold]
fn pad<const N: usize>(entries: &[f64]) -> [f64; N] {
    let mut padded = [0.0; N];
    for (p, e) in padded.iter_mut().zip(entries) {
        *p = *e;
    }
    padded
}

/// Subtracts from a row what its descendants contribute: `target −= Σ_k (u_ki / D_k) u_k`, where
/// `u_k` are the rows of the subtree, not yet scaled, and `i` is the last index of the target;
/// `below` starts at address `first`.
#[inline(always)]
fn subtract_rows<T: Number>(
    target: &mut [T],
    below: &[T],
    first: u32,
    subtree: &[Row],
    weights: &[T],
) {
    let len = target.len();
    for (row, weight) in subtree.iter().zip(weights).rev() {
        let entries = &below[(row.start - first) as usize..][..len];
        let scale = entries[len - 1] * *weight;
        let (fours, rest) = target.as_chunks_mut::<4>();
        let (entries, entries_rest) = entries.as_chunks::<4>();
        for (t, e) in fours.iter_mut().zip(entries) {
            for lane in 0..4 {
                t[lane] -= scale * e[lane];
            }
        }
        for (t, e) in rest.iter_mut().zip(entries_rest) {
            *t -= scale * *e;
        }
    }
}

/// Turns a row of `u` into one of `L`.
#[inline(always)]
fn scale_row<T: Number>(row: Row, matrix: &mut [T], scale: T) {
    if row.len > 1 {
        let (four, rest) = matrix[row.range()].as_chunks_mut::<4>();
        let diagonal = match rest.last() {
            Some(&d) => d,
            None => four[four.len() - 1][3],
        };
        for x in four.iter_mut() {
            x.iter_mut().for_each(|x| *x *= scale);
        }
        rest.iter_mut().for_each(|x| *x *= scale);
        matrix[row.range().end - 1] = diagonal;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense;

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

    fn example() -> (TreePattern, Vec<f64>) {
        matrix_of(&PARENTS)
    }

    /// Rows that are longer than a few registers, and a branch.
    fn long_example() -> (TreePattern, Vec<f64>) {
        let chain = (0..20).map(|i: usize| i.checked_sub(1));
        matrix_of(&chain.chain([Some(4), Some(20), Some(21)]).collect::<Vec<_>>())
    }

    /// Rows with a diagonal only, between trees.
    fn scattered_example() -> (TreePattern, Vec<f64>) {
        matrix_of(&[None, None, None, Some(2), None, None, None, Some(6), Some(7), None])
    }

    fn matrix_of(parents: &[Option<usize>]) -> (TreePattern, Vec<f64>) {
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
    fn factor_solves_like_dense_cholesky() {
        for (pattern, matrix) in [example(), long_example(), scattered_example()] {
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
    fn orders_of_elimination_agree() {
        let (pattern, matrix) = example();
        let n = pattern.size();
        let (mut runs, mut rows) = (matrix.clone(), matrix);
        let mut inverse = [vec![0.0; n], vec![0.0; n]];
        pattern.factor(&mut runs, &mut inverse[0]);
        pattern.factor_in_order(&mut rows, &mut inverse[1]);
        assert!(runs.iter().zip(&rows).all(|(a, b)| (a - b).abs() < 1e-13));
        assert!(inverse[0].iter().zip(&inverse[1]).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn one_tree_can_be_processed_alone() {
        let (pattern, matrix) = example();
        let n = pattern.size();
        let (mut whole, mut inverse) = (matrix.clone(), vec![0.0; n]);
        pattern.factor(&mut whole, &mut inverse);
        let rows: Vec<i32> = (7..n as i32).collect();
        let (mut part, mut part_inverse) = (matrix.clone(), vec![0.0; n]);
        pattern.factor_rows(&mut part, &mut part_inverse, &rows);
        assert_eq!(part[pattern.row(7).start..], whole[pattern.row(7).start..]);
        assert_eq!(part[..pattern.row(7).start], matrix[..pattern.row(7).start]);
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
            let rows: Vec<i32> = range.clone().map(|i| i as i32).collect();
            let (mut some, mut some_inverse) = (matrix.clone(), vec![0.0; n]);
            pattern.factor_rows(&mut some, &mut some_inverse, &rows);
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
