//! Products with `M⁻¹` by trees: small ones have it as a full matrix.

use super::super::problem::Inertia;
use super::{Quad, SMALL, ZERO};
use corten_math::memory::Grow;
use corten_math::wide;

/// `M⁻¹` by trees.
#[derive(Clone, Debug, Default)]
pub struct Inverse {
    /// Diagonal of the inverse, for trees without coupling.
    diagonal: Vec<Quad>,
    /// Groups that hold small trees with coupling, and the columns of their inverse.
    quads: Vec<(usize, [Quad; 4])>,
    /// First of two groups that hold a tree, and the columns of its inverse.
    pairs: Vec<(usize, [[Quad; 2]; SMALL])>,
    /// Larger trees: first degree of freedom in the mass matrix, place and size.
    large: Vec<(usize, usize, usize)>,
}

impl Inverse {
    /// Inverts small trees; `size` is the number of groups.
    pub fn build(&mut self, inertia: &Inertia<'_>, place: &[u32], size: usize) {
        self.quads.clear();
        self.pairs.clear();
        self.large.clear();
        self.diagonal.clear();
        self.diagonal.grow_resize(size, ZERO);
        let n = place.len();
        let mut first = 0;
        while first < n {
            // Degrees of freedom up to the next one without ancestors.
            let (_, _, shift) = inertia.row(first);
            let (mut size, mut uncoupled) = (1, true);
            while first + size < n {
                let (start, columns, _) = inertia.row(first + size);
                if columns.len() == 1 {
                    break;
                }
                let off_diagonal = &inertia.factor[start..start + columns.len() - 1];
                uncoupled &= off_diagonal.iter().all(|&l| l == 0.0);
                size += 1;
            }
            let (dof, at) = (first + shift, place[first] as usize);
            if uncoupled {
                let diagonal = &mut self.diagonal.as_flattened_mut()[at..at + size];
                diagonal.copy_from_slice(&inertia.diaginv[dof..dof + size]);
            } else if at % 4 + size <= SMALL {
                self.invert(inertia, dof, at, size);
            } else {
                self.large.push((dof, at, size));
            }
            first += size;
        }
    }

    /// Columns of the inverse of a tree.
    fn invert(&mut self, inertia: &Inertia<'_>, dof: usize, at: usize, size: usize) {
        let (group, lane) = (at / 4, at % 4);
        let mut columns = [[ZERO; 2]; SMALL];
        for c in lane..lane + size {
            let column = columns[c].as_flattened_mut();
            column[c] = 1.0;
            let x = &mut column[lane..lane + size];
            inertia.pattern.solve_range(dof, inertia.factor, inertia.diaginv, x);
        }
        if lane + size > 4 {
            return self.pairs.push((group, columns));
        }
        // Several small trees may share a group.
        if self.quads.last().is_none_or(|(last, _)| *last != group) {
            self.quads.push((group, [ZERO; 4]));
        }
        if let Some((_, quads)) = self.quads.last_mut() {
            for c in lane..lane + size {
                quads[c] = columns[c][0];
            }
        }
    }

    /// `y = M⁻¹ x`.
    pub fn apply(&self, inertia: &Inertia<'_>, x: &[Quad], y: &mut [Quad]) {
        apply_small(self, x, y);
        for &(dof, at, size) in &self.large {
            let y = &mut y.as_flattened_mut()[at..at + size];
            y.copy_from_slice(&x.as_flattened()[at..at + size]);
            inertia.pattern.solve_range(dof, inertia.factor, inertia.diaginv, y);
        }
    }
}

wide! {
    /// The part of trees that are not large.
    fn apply_small(inverse: &Inverse, x: &[Quad], y: &mut [Quad]) {
        for ((y, x), d) in y.iter_mut().zip(x).zip(&inverse.diagonal) {
            for l in 0..4 {
                y[l] = x[l] * d[l];
            }
        }
        for (group, columns) in &inverse.quads {
            let (x, mut sum) = (&x[*group], y[*group]);
            for (x, column) in x.iter().zip(columns) {
                for l in 0..4 {
                    sum[l] += x * column[l];
                }
            }
            y[*group] = sum;
        }
        for (group, columns) in &inverse.pairs {
            let (Some(x), Some(y)) =
                (x[*group..].first_chunk::<2>(), y[*group..].first_chunk_mut::<2>())
            else {
                continue;
            };
            let mut sum = *y;
            for (x, column) in x.as_flattened().iter().zip(columns) {
                for k in 0..2 {
                    for l in 0..4 {
                        sum[k][l] += x * column[k][l];
                    }
                }
            }
            *y = sum;
        }
    }
}
