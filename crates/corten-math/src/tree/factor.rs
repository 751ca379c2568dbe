//! The factor `LᵀDL` of a symmetric forest matrix, and of four matrices side by side.
//!
//! Rows are eliminated from the leaves to the roots, a run at a time. A register holds four columns of
//! one matrix ([`f64`]), or the same entry of four matrices ([`Wide`]): [`Columns`] is the one or the
//! other. The operations on each entry are the same, in the same order, and so are the bits.

use std::ops::Range;

use super::pattern::{DIAGONAL, Row, Run};
use super::{Reach, TreePattern};
use crate::array;
use crate::fours::write_first;
use crate::{Number, Stored, Wide, wide};

/// Numbers that a forest matrix is factored in.
pub trait Factored: Number {
    /// How columns are eliminated.
    type Columns: Columns<Self>;
}

impl Factored for f64 {
    type Columns = [f64; 4];
}

impl<S: Wide> Factored for S {
    type Columns = S;
}

/// Neighbouring entries of a row, as many as fill a register.
pub trait Columns<T>: Copy {
    /// How many.
    const WIDTH: usize;

    /// A row, group by group; what is left is shorter than a group.
    fn of(row: &[T]) -> &[Self];
    fn of_mut(row: &mut [T]) -> &mut [Self];
    /// Fewer entries than fill a register, and anything.
    fn load_first<const COUNT: usize>(entries: &[T]) -> Self;
    fn store_first<const COUNT: usize>(self, entries: &mut [T]);
    fn minus(self, other: Self) -> Self;
    /// `self − scale · other`.
    fn minus_scaled(self, scale: T, other: Self) -> Self;
    /// `self + scale · other`.
    fn plus_scaled(self, scale: T, other: Self) -> Self;
    fn scaled(self, scale: T) -> Self;
}

impl Columns<f64> for [f64; 4] {
    const WIDTH: usize = 4;

    #[inline(always)]
    fn of(row: &[f64]) -> &[[f64; 4]] {
        row.as_chunks::<4>().0
    }

    #[inline(always)]
    fn of_mut(row: &mut [f64]) -> &mut [[f64; 4]] {
        row.as_chunks_mut::<4>().0
    }

    #[inline(always)]
    fn load_first<const COUNT: usize>(entries: &[f64]) -> [f64; 4] {
        let entries = &entries[..COUNT];
        [entries[0], entries[1 % COUNT], entries[2 % COUNT], entries[3 % COUNT]]
    }

    #[inline(always)]
    fn store_first<const COUNT: usize>(self, entries: &mut [f64]) {
        write_first(&self, &mut entries[..COUNT]);
    }

    #[inline(always)]
    fn minus(mut self, other: [f64; 4]) -> [f64; 4] {
        for lane in 0..4 {
            self[lane] -= other[lane];
        }
        self
    }

    #[inline(always)]
    fn minus_scaled(mut self, scale: f64, other: [f64; 4]) -> [f64; 4] {
        for lane in 0..4 {
            self[lane] -= scale * other[lane];
        }
        self
    }

    #[inline(always)]
    fn plus_scaled(mut self, scale: f64, other: [f64; 4]) -> [f64; 4] {
        for lane in 0..4 {
            self[lane] += scale * other[lane];
        }
        self
    }

    #[inline(always)]
    fn scaled(mut self, scale: f64) -> [f64; 4] {
        for x in &mut self {
            *x *= scale;
        }
        self
    }
}

impl<S: Wide> Columns<S> for S {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn of(row: &[S]) -> &[S] {
        row
    }

    #[inline(always)]
    fn of_mut(row: &mut [S]) -> &mut [S] {
        row
    }

    #[inline(always)]
    fn load_first<const COUNT: usize>(_: &[S]) -> S {
        S::default()
    }

    #[inline(always)]
    fn store_first<const COUNT: usize>(self, _: &mut [S]) {}

    #[inline(always)]
    fn minus(self, other: S) -> S {
        self - other
    }

    #[inline(always)]
    fn minus_scaled(self, scale: S, other: S) -> S {
        self - scale * other
    }

    #[inline(always)]
    fn plus_scaled(self, scale: S, other: S) -> S {
        self + scale * other
    }

    #[inline(always)]
    fn scaled(self, scale: S) -> S {
        self * scale
    }
}

impl TreePattern {
    /// Replaces a positive definite `matrix` by `L` (unit lower triangular, off the diagonal) and
    /// `D` (on it) of `LᵀDL`, and gives `1/D`.
    pub fn factor<T: Stored>(&self, matrix: &mut [T], inverse_diagonal: &mut [T]) {
        self.factor_range(0..self.size(), matrix, inverse_diagonal);
    }

    /// [`Self::factor`] for consecutive rows; whole trees must be given.
    #[inline(always)]
    pub fn factor_range<T: Stored>(&self, rows: Range<usize>, matrix: &mut [T], inverse: &mut [T]) {
        let rows = rows.start..rows.end.min(self.size());
        let runs = self.runs(rows.clone());
        match self.width {
            0..=16 => factor_runs(runs, rows, matrix, inverse, Reach::<16>),
            17..=32 => factor_runs(runs, rows, matrix, inverse, Reach::<32>),
            _ => eliminate_rows(&self.rows, rows, matrix, inverse),
        }
    }
}

/// What the rows of ancestors have to subtract, by depth; rows have up to `REACH` entries.
type Pending<T, const REACH: usize> = [[T; REACH]; REACH];

wide! {
    fn factor_runs[T: Stored, const REACH: usize](
        runs: &[Run],
        rows: Range<usize>,
        matrix: &mut [T],
        inverse_diagonal: &mut [T],
        _reach: Reach<REACH>,
    ) {
        let matrix = bytemuck::cast_slice_mut(matrix);
        let inverse_diagonal = bytemuck::cast_slice_mut(inverse_diagonal);
        eliminate_runs::<T::Number<Simd>, REACH>(runs, rows, matrix, inverse_diagonal);
    }

    /// One row after the other, of any length.
    fn eliminate_rows[T: Stored](
        rows: &[Row],
        selected: Range<usize>,
        matrix: &mut [T],
        inverse_diagonal: &mut [T],
    ) {
        let matrix: &mut [T::Number<Simd>] = bytemuck::cast_slice_mut(matrix);
        let inverse_diagonal = bytemuck::cast_slice_mut(inverse_diagonal);
        let mut end = selected.end;
        while end > selected.start {
            end = eliminate_last(rows, end, matrix, inverse_diagonal);
        }
        for i in selected {
            scale_row(rows[i], matrix, inverse_diagonal[i]);
        }
    }
}

/// See [`factor_runs`].
#[inline(always)]
fn eliminate_runs<T: Factored, const REACH: usize>(
    runs: &[Run],
    rows: Range<usize>,
    matrix: &mut [T],
    inverse_diagonal: &mut [T],
) {
    let pending: &mut Pending<T, REACH> = &mut [[T::default(); REACH]; REACH];
    for run in runs.iter().rev() {
        if run.depth == DIAGONAL {
            let rows = run.diagonal(&rows);
            let start = run.start as usize + rows.start - run.row as usize;
            let entries = &matrix[start..start + rows.len()];
            for (inverse, entry) in inverse_diagonal[rows].iter_mut().zip(entries) {
                *inverse = T::splat(1.0) / *entry;
            }
            continue;
        }
        match run.len {
            1 => factor_run::<T, REACH, 1>(run, matrix, inverse_diagonal, pending),
            2 => factor_run::<T, REACH, 2>(run, matrix, inverse_diagonal, pending),
            3 => factor_run::<T, REACH, 3>(run, matrix, inverse_diagonal, pending),
            4 => factor_run::<T, REACH, 4>(run, matrix, inverse_diagonal, pending),
            5 => factor_run::<T, REACH, 5>(run, matrix, inverse_diagonal, pending),
            _ => factor_run::<T, REACH, 6>(run, matrix, inverse_diagonal, pending),
        }
    }
}

/// The rows of a run: the entries of its ancestors, and those of the run itself.
type RunRows<'a, T, const L: usize> = [(&'a mut [T], &'a mut [T]); L];

#[inline(always)]
fn run_rows<T, const L: usize>(mut matrix: &mut [T], depth: usize) -> RunRows<'_, T, L> {
    array::from_fn(|k| {
        let (row, after) = std::mem::take(&mut matrix).split_at_mut(depth + k + 1);
        matrix = after;
        row.split_at_mut(depth)
    })
}

/// Eliminates a run. With `u_k` its rows before they are divided by the diagonal, every ancestor
/// `a` still has to subtract `Σ_k u_ka / D_k u_k` from its row: these sums wait in `pending` until
/// its own run takes them.
#[inline(always)]
fn factor_run<T: Factored, const REACH: usize, const L: usize>(
    run: &Run,
    matrix: &mut [T],
    inverse_diagonal: &mut [T],
    pending: &mut Pending<T, REACH>,
) {
    let zero = T::default();
    let depth = run.depth as usize % REACH;
    let (pending, below) = pending.split_at_mut(depth);
    let (Some(inverse), Some(taken)) =
        (inverse_diagonal[run.row as usize..].first_chunk_mut::<L>(), below.first_chunk_mut::<L>())
    else {
        return;
    };
    let mut rows = run_rows::<T, L>(&mut matrix[run.start as usize..], depth);
    let mut sums = [[zero; L]; L];
    for k in 0..L {
        if let Some(own) = taken[k][depth..].first_chunk::<L>() {
            sums[k] = *own;
        }
    }

    // The triangle that the run forms by itself. Loops have constant bounds, and leave out what
    // they do not need, so that they unroll.
    let mut own = [[zero; L]; L];
    for k in 0..L {
        for j in 0..L {
            if j <= k {
                own[k][j] = rows[k].1[j] - sums[k][j];
            }
        }
    }
    let mut lower = [[zero; L]; L];
    for k in (0..L).rev() {
        inverse[k] = T::splat(1.0) / own[k][k];
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
        for j in 0..L {
            if j < k {
                rows[k].1[j] = lower[k][j];
            }
        }
        rows[k].1[k] = own[k][k];
    }

    // The columns of the ancestors, from the last group to the first: a group adds to what all
    // ancestors from its columns on have to subtract, and needs their factors.
    let group = Group { lower: &lower, inverse, taken };
    match depth % T::Columns::WIDTH {
        1 => group.eliminate_first::<1>(&mut rows, pending),
        2 => group.eliminate_first::<2>(&mut rows, pending),
        3 => group.eliminate_first::<3>(&mut rows, pending),
        _ => {}
    }
    for c in (0..depth / T::Columns::WIDTH).rev() {
        group.eliminate(&mut rows, pending, c);
    }
    *taken = [[zero; REACH]; L];
}

/// What the columns of ancestors need to know of a run.
struct Group<'a, T, const REACH: usize, const L: usize> {
    lower: &'a [[T; L]; L],
    inverse: &'a [T; L],
    /// What the rows of the run have to subtract.
    taken: &'a [[T; REACH]; L],
}

impl<T: Factored, const REACH: usize, const L: usize> Group<'_, T, REACH, L> {
    /// Eliminates the columns of group `c`.
    #[inline(always)]
    fn eliminate(&self, rows: &mut RunRows<'_, T, L>, pending: &mut [[T; REACH]], c: usize) {
        let mut u = self.sums(c);
        for k in 0..L {
            u[k] = T::Columns::of(rows[k].0)[c].minus(u[k]);
        }
        self.subtract(&mut u);
        for k in 0..L {
            T::Columns::of_mut(rows[k].0)[c] = u[k].scaled(self.inverse[k]);
        }
        add(pending, rows, &u, c);
    }

    /// Eliminates the last columns, which do not fill a group.
    #[inline(always)]
    fn eliminate_first<const COUNT: usize>(
        &self,
        rows: &mut RunRows<'_, T, L>,
        pending: &mut [[T; REACH]],
    ) {
        let c = pending.len() / T::Columns::WIDTH;
        let at = c * T::Columns::WIDTH;
        let mut u = self.sums(c);
        for k in 0..L {
            u[k] = T::Columns::load_first::<COUNT>(&rows[k].0[at..]).minus(u[k]);
        }
        self.subtract(&mut u);
        for k in 0..L {
            u[k].scaled(self.inverse[k]).store_first::<COUNT>(&mut rows[k].0[at..]);
        }
        add(pending, rows, &u, c);
    }

    #[inline(always)]
    fn sums(&self, c: usize) -> [T::Columns; L] {
        let c = c % (REACH / T::Columns::WIDTH);
        let mut sums = [T::Columns::of(&self.taken[0])[c]; L];
        for k in 1..L {
            sums[k] = T::Columns::of(&self.taken[k])[c];
        }
        sums
    }

    /// Takes the rows of the run out of each other.
    #[inline(always)]
    fn subtract(&self, u: &mut [T::Columns; L]) {
        for k in (0..L).rev() {
            for i in 0..L {
                if i < k {
                    u[i] = u[i].minus_scaled(self.lower[k][i], u[k]);
                }
            }
        }
    }
}

/// Adds what the columns `u` of group `c` contribute to the rows of ancestors.
#[inline(always)]
fn add<T: Factored, const REACH: usize, const L: usize>(
    pending: &mut [[T; REACH]],
    rows: &RunRows<'_, T, L>,
    u: &[T::Columns; L],
    c: usize,
) {
    let group = c % (REACH / T::Columns::WIDTH);
    for a in c * T::Columns::WIDTH..pending.len() {
        let sum = &mut T::Columns::of_mut(&mut pending[a])[group];
        let mut total = *sum;
        for k in 0..L {
            total = total.plus_scaled(rows[k].0[a], u[k]);
        }
        *sum = total;
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
    inverse_diagonal[end - 1] = T::splat(1.0) / target[target.len() - 1];
    end - 1
}

/// Subtracts from a row what its descendants contribute: `target −= Σ_k (u_ki / D_k) u_k`, where
/// `u_k` are the rows of the subtree, not yet scaled, and `i` is the last index of the target;
/// `below` starts at address `first`. Four descendants at a time, so that the target is loaded and
/// stored once for them; each is subtracted by itself, from the last to the first.
#[inline(always)]
fn subtract_rows<T: Number>(
    target: &mut [T],
    below: &[T],
    first: u32,
    subtree: &[Row],
    weights: &[T],
) {
    let len = target.len();
    let entries = |row: &Row| &below[(row.start - first) as usize..][..len];
    let (rest, fours) = subtree.as_rchunks::<4>();
    let (weights_rest, weights_fours) = weights.as_rchunks::<4>();
    for (rows, weights) in fours.iter().zip(weights_fours).rev() {
        let [a, b, c, d] = rows;
        subtract_scaled(target, [entries(d), entries(c), entries(b), entries(a)], {
            let [a, b, c, d] = *weights;
            [d, c, b, a]
        });
    }
    for (row, weight) in rest.iter().zip(weights_rest).rev() {
        subtract_scaled(target, [entries(row)], [*weight]);
    }
}

/// `target −= last(rows[k]) · weights[k] · rows[k]` for one `k` after the other; all have the same
/// length.
#[inline(always)]
fn subtract_scaled<T: Number, const K: usize>(target: &mut [T], rows: [&[T]; K], weights: [T; K]) {
    let len = target.len();
    let mut scales = weights;
    for k in 0..K {
        scales[k] = rows[k][len - 1] * weights[k];
    }
    let (fours, rest) = target.as_chunks_mut::<4>();
    let (count, whole) = (fours.len(), 4 * fours.len());
    let mut chunks = [&rows[0].as_chunks::<4>().0[..count]; K];
    for k in 1..K {
        chunks[k] = &rows[k].as_chunks::<4>().0[..count];
    }
    for c in 0..count {
        // In registers: the compiler cannot know that rows do not overlap with the target.
        let mut sum = fours[c];
        for k in 0..K {
            for lane in 0..4 {
                sum[lane] -= scales[k] * chunks[k][c][lane];
            }
        }
        fours[c] = sum;
    }
    for (c, x) in rest.iter_mut().enumerate() {
        for k in 0..K {
            *x -= scales[k] * rows[k][whole + c];
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
    use super::super::pattern::tests::example;
    use super::*;
    use crate::Four;

    #[test]
    fn orders_of_elimination_agree() {
        let (pattern, matrix) = example();
        let n = pattern.size();
        let (mut runs, mut rows) = (matrix.clone(), matrix);
        let mut inverse = [vec![0.0; n], vec![0.0; n]];
        pattern.factor(&mut runs, &mut inverse[0]);
        eliminate_rows(&pattern.rows, 0..n, &mut rows, &mut inverse[1]);
        assert!(runs.iter().zip(&rows).all(|(a, b)| (a - b).abs() < 1e-13));
        assert!(inverse[0].iter().zip(&inverse[1]).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn one_tree_can_be_processed_alone() {
        let (pattern, matrix) = example();
        let n = pattern.size();
        let (mut whole, mut inverse) = (matrix.clone(), vec![0.0; n]);
        pattern.factor(&mut whole, &mut inverse);
        let (mut part, mut part_inverse) = (matrix.clone(), vec![0.0; n]);
        pattern.factor_range(7..n, &mut part, &mut part_inverse);
        assert_eq!(part[pattern.row(7).start..], whole[pattern.row(7).start..]);
        assert_eq!(part[..pattern.row(7).start], matrix[..pattern.row(7).start]);
    }

    #[test]
    fn four_factors_are_those_of_one_matrix_at_a_time() {
        // Two trees with branches, rows with a diagonal only, and a path that is cut into runs.
        let mut parents: Vec<i32> =
            vec![-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 10, 11, 5, -1, -1, 15, 15];
        for deep in [false, true] {
            if deep {
                let last = parents.len() as i32;
                parents.extend((last..last + 20).map(|i| i - 1));
            }
            let (mut len, mut start, mut columns) = (vec![], vec![], Vec::<i32>::new());
            for (i, &parent) in parents.iter().enumerate() {
                let begin = columns.len();
                if let Ok(parent) = usize::try_from(parent) {
                    let above: &i32 = &start[parent];
                    columns.extend_from_within(*above as usize..(*above + len[parent]) as usize);
                }
                columns.push(i as i32);
                start.push(begin as i32);
                len.push((columns.len() - begin) as i32);
            }
            let pattern = TreePattern::new(&len, &start, &columns).unwrap();
            let n = pattern.size();
            let matrices: [Vec<f64>; 4] = std::array::from_fn(|w| {
                let mut matrix: Vec<f64> = (0..pattern.entries())
                    .map(|k| ((k * 7919 + 31 * w) % 101) as f64 / 60.0 - 0.8)
                    .collect();
                for i in 0..n {
                    matrix[pattern.diagonal_entry(i)] = 45.0 + (i + w) as f64;
                }
                matrix
            });
            let lanes = |k: usize| Four([0, 1, 2, 3].map(|w| matrices[w][k]));
            for _ in 0..2 {
                let mut factor: Vec<Four> = (0..pattern.entries()).map(lanes).collect();
                let mut inverse = vec![Four::default(); n];
                pattern.factor(&mut factor, &mut inverse);
                let mut x: Vec<Four> = (0..n).map(|i| Four([(i as f64).sin(); 4])).collect();
                pattern.solve(&factor, &inverse, &mut x);
                for (w, matrix) in matrices.iter().enumerate() {
                    let (mut one, mut one_inverse) = (matrix.clone(), vec![0.0; n]);
                    pattern.factor(&mut one, &mut one_inverse);
                    let mut y: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
                    pattern.solve(&one, &one_inverse, &mut y);
                    assert!(one.iter().zip(&factor).all(|(a, b)| a.to_bits() == b.0[w].to_bits()));
                    assert!(one_inverse.iter().zip(&inverse).all(|(a, b)| *a == b.0[w]));
                    assert!(y.iter().zip(&x).all(|(a, b)| a.to_bits() == b.0[w].to_bits()));
                }
            }
        }
    }
}
