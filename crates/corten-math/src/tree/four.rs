//! Factors of four matrices side by side.
//!
//! The scalar version holds four columns of one matrix in a register. Here a register holds the same
//! entry of four matrices, so that short rows leave no part of it idle; operations on each entry
//! are the same, in the same order.

use super::TreePattern;
use super::symmetric::{DIAGONAL, LONGEST_RUN, REACH, Run};
use crate::{Four, Number, wide};

/// Working memory of [`TreePattern::factor_four`].
#[derive(Clone, Debug)]
pub struct FactorMemory {
    /// What the rows of ancestors have to subtract, by depth; zero between uses.
    sums: [[Four; REACH]; REACH],
    /// The columns of a run's ancestors, not yet divided by the diagonal.
    above: [[Four; LONGEST_RUN]; REACH],
}

impl Default for FactorMemory {
    fn default() -> FactorMemory {
        let zero = Four::default();
        FactorMemory { sums: [[zero; REACH]; REACH], above: [[zero; LONGEST_RUN]; REACH] }
    }
}

impl TreePattern {
    /// [`Self::factor`] of four matrices, with the same bits.
    pub fn factor_four(
        &self,
        matrix: &mut [Four],
        inverse_diagonal: &mut [Four],
        memory: &mut FactorMemory,
    ) {
        if self.width() > REACH {
            self.eliminate(matrix, inverse_diagonal);
        } else {
            factor_runs(self.runs(0..self.size()), matrix, inverse_diagonal, memory);
        }
    }
}

wide! {
    fn factor_runs(
        runs: &[Run],
        matrix: &mut [Four],
        inverse_diagonal: &mut [Four],
        memory: &mut FactorMemory,
    ) {
        for run in runs.iter().rev() {
            if run.depth == DIAGONAL {
                let (start, row, len) = (run.start as usize, run.row as usize, run.len as usize);
                let entries = &matrix[start..start + len];
                for (inverse, entry) in inverse_diagonal[row..row + len].iter_mut().zip(entries) {
                    *inverse = Four::of(1.0) / *entry;
                }
                continue;
            }
            match run.len {
                1 => factor_run::<1>(run, matrix, inverse_diagonal, memory),
                2 => factor_run::<2>(run, matrix, inverse_diagonal, memory),
                3 => factor_run::<3>(run, matrix, inverse_diagonal, memory),
                4 => factor_run::<4>(run, matrix, inverse_diagonal, memory),
                5 => factor_run::<5>(run, matrix, inverse_diagonal, memory),
                _ => factor_run::<6>(run, matrix, inverse_diagonal, memory),
            }
        }
    }
}

/// Eliminates a run: what its ancestors have to subtract waits in `memory.sums` until their own
/// runs take it.
#[inline(always)]
fn factor_run<const L: usize>(
    run: &Run,
    matrix: &mut [Four],
    inverse_diagonal: &mut [Four],
    memory: &mut FactorMemory,
) {
    let zero = Four::of(0.0);
    let depth = run.depth as usize % REACH;
    let row = |k: usize| k * depth + k * (k + 1) / 2;
    let Some(inverse) = inverse_diagonal[run.row as usize..].first_chunk_mut::<L>() else {
        return;
    };
    let block = &mut matrix[run.start as usize..][..row(L)];

    // The triangle that the run forms by itself.
    let mut own = [[zero; L]; L];
    for k in 0..L {
        let entries = &block[row(k) + depth..row(k + 1)];
        let sums = &memory.sums[(depth + k) % REACH];
        for j in 0..L {
            if j <= k {
                own[k][j] = entries[j] - sums[(depth + j) % REACH];
            }
        }
    }
    let mut lower = [[zero; L]; L];
    for k in (0..L).rev() {
        inverse[k] = Four::of(1.0) / own[k][k];
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

    // The columns of the ancestors.
    for c in 0..depth {
        let mut u = [zero; L];
        for k in 0..L {
            u[k] = block[row(k) + c] - memory.sums[(depth + k) % REACH][c];
            memory.sums[(depth + k) % REACH][c] = zero;
        }
        for k in (0..L).rev() {
            for i in 0..L {
                if i < k {
                    u[i] -= lower[k][i] * u[k];
                }
            }
        }
        for k in 0..L {
            memory.above[c][k] = u[k];
            block[row(k) + c] = u[k] * inverse[k];
        }
    }
    for k in 0..L {
        for j in 0..L {
            memory.sums[(depth + k) % REACH][(depth + j) % REACH] = zero;
        }
    }
    for a in 0..depth {
        let mut scale = [zero; L];
        for k in 0..L {
            scale[k] = memory.above[a][k] * inverse[k];
        }
        for (sum, above) in memory.sums[a][..=a].iter_mut().zip(&memory.above) {
            for k in 0..L {
                *sum += scale[k] * above[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_factors_are_those_of_one_matrix_at_a_time() {
        if !Four::available() {
            return;
        }
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
            let mut memory = FactorMemory::default();
            for _ in 0..2 {
                let mut factor: Vec<Four> = (0..pattern.entries()).map(lanes).collect();
                let mut inverse = vec![Four::default(); n];
                pattern.factor_four(&mut factor, &mut inverse, &mut memory);
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
