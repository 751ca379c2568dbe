//! What a solver sees: the optimisation problem, without Model or Data.
//!
//! The constrained acceleration minimises `½ (x − a₀)ᵀ M (x − a₀) + s(J x − aref)`, with `a₀`
//! the unconstrained acceleration and `s` the sum of the convex row costs of `row_cost`.

use crate::CancelToken;
use std::ops::Range;

use corten_math::{TreePattern, wide};

use super::row_cost::{Elliptic, Friction};
use super::rows::{Block, Jacobian, Kind};

/// The constrained problem: all that a solver reads.
///
/// It borrows from a [`crate::Data`], or from the copy that threads work with, and is either of all
/// degrees of freedom and rows or of one island. Where a search starts and ends is an
/// [`super::primal::Iterate`], whose residual holds what `aref` has to say.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The Jacobian, and the parameters of each row's cost.
    pub rows: Rows<'a>,
    /// The mass matrix, its factor, and which degrees of freedom they are of.
    pub inertia: Inertia<'a>,
    /// Force without constraints, `M·a₀`.
    pub qfrc_smooth: &'a [f64],
    /// Acceleration without constraints, `a₀`.
    pub qacc_smooth: &'a [f64],
    /// Makes cost and gradient comparable with the tolerance.
    pub scale: f64,
}

/// An island as a part of what goes island by island.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub dofs: Range<usize>,
    pub rows: Range<usize>,
    pub blocks: Range<usize>,
    /// How many of the rows are equalities, and friction.
    pub ne: usize,
    pub nf: usize,
    /// How many blocks stand before the first elliptic cone.
    pub cones: usize,
}

impl<'a> Problem<'a> {
    /// The problem of one island, if all vectors go island by island and blocks count rows and
    /// columns from the beginning of their island.
    pub fn part(&self, part: &Part) -> Problem<'a> {
        let Part { dofs, rows, blocks, ne, nf, cones } = part.clone();
        let Rows { jacobian, d, r, frictionloss, .. } = self.rows;
        let jacobian = Jacobian { blocks: &jacobian.blocks[blocks], ..jacobian };
        let inertia =
            Inertia { dofs: self.inertia.dofs.map(|all| &all[dofs.clone()]), ..self.inertia };
        Problem {
            rows: Rows::with_cones(
                jacobian,
                &d[rows.clone()],
                &r[rows.clone()],
                &frictionloss[rows],
                [ne, nf],
                cones,
            ),
            inertia,
            qfrc_smooth: &self.qfrc_smooth[dofs.clone()],
            qacc_smooth: &self.qacc_smooth[dofs.clone()],
            scale: 1.0 / inertia.trace(dofs.len()),
        }
    }
}

/// Rows with the parameters of their cost functions, equalities first, friction next; arrays are
/// indexed by `Block::row`.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub jacobian: Jacobian<'a>,
    pub d: &'a [f64],
    pub r: &'a [f64],
    pub frictionloss: &'a [f64],
    ne: usize,
    nf: usize,
    /// Rows from `ne + nf` up to here are inequalities; elliptic cones may follow.
    simple: usize,
    /// The block that starts at row `simple`.
    cones: usize,
}

impl<'a> Rows<'a> {
    /// Arrays over the rows, of which the first `ne` are equalities and the next `nf` friction.
    pub fn new(
        jacobian: Jacobian<'a>,
        d: &'a [f64],
        r: &'a [f64],
        frictionloss: &'a [f64],
        ne: usize,
        nf: usize,
    ) -> Rows<'a> {
        let cones = blocks_before_cones(jacobian.blocks);
        Rows::with_cones(jacobian, d, r, frictionloss, [ne, nf], cones)
    }

    /// [`Self::new`] where [`blocks_before_cones`] is known.
    pub fn with_cones(
        jacobian: Jacobian<'a>,
        d: &'a [f64],
        r: &'a [f64],
        frictionloss: &'a [f64],
        [ne, nf]: [usize; 2],
        cones: usize,
    ) -> Rows<'a> {
        let simple = jacobian.blocks.get(cones).map_or(d.len(), |b| b.row as usize);
        Rows { jacobian, d, r, frictionloss, ne, nf, simple, cones }
    }

    /// Rows of many islands, to be taken apart by [`Problem::part`].
    pub fn of_islands(
        jacobian: Jacobian<'a>,
        d: &'a [f64],
        r: &'a [f64],
        frictionloss: &'a [f64],
    ) -> Rows<'a> {
        Rows::with_cones(jacobian, d, r, frictionloss, [0, 0], jacobian.blocks.len())
    }

    pub fn len(&self) -> usize {
        self.d.len()
    }

    pub fn is_empty(&self) -> bool {
        self.d.is_empty()
    }

    /// The cost of row `i`, one of [`Self::frictions`].
    #[inline(always)]
    pub fn friction(&self, i: usize) -> Friction<f64> {
        Friction::new([self.d[i], self.r[i], self.frictionloss[i]])
    }

    /// The cost of an elliptic contact.
    #[inline(always)]
    pub fn elliptic(&self, b: &Block) -> Elliptic<'a> {
        Elliptic { cone: &self.jacobian.cones[b.cone as usize], d: &self.d[b.rows()] }
    }

    pub fn equalities(&self) -> Range<usize> {
        0..self.ne
    }

    pub fn frictions(&self) -> Range<usize> {
        self.ne..self.ne + self.nf
    }

    /// Inequalities ahead of all elliptic cones.
    pub fn inequalities(&self) -> Range<usize> {
        self.ne + self.nf..self.simple
    }

    /// Elliptic cones, and inequalities between them.
    pub fn cone_blocks(&self) -> &'a [Block] {
        &self.jacobian.blocks[self.cones..]
    }
}

/// How many blocks stand before the first elliptic cone.
pub fn blocks_before_cones(blocks: &[Block]) -> usize {
    blocks.iter().position(|b| b.kind == Kind::Elliptic).unwrap_or(blocks.len())
}

/// When to stop.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most entries of the factor of a large problem.
    pub max_nonzeros: usize,
    pub iterations: usize,
    pub tolerance: f64,
    pub ls_iterations: usize,
    pub ls_tolerance: f64,
    /// Whether the model's matrices are sparse: then the entries of the Hessian are counted, and
    /// NaN does not spread to rows and degrees of freedom that it has nothing to do with.
    pub sparse: bool,
    /// Whoever may end the search.
    pub cancel: Option<CancelToken>,
}

impl Limits {
    /// Whether the search is to end, before another iteration over so many rows.
    #[inline(always)]
    pub fn is_cancelled(&self, rows: usize) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel.is_due(100 * rows))
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_nonzeros: usize::MAX,
            iterations: 0,
            tolerance: 0.0,
            ls_iterations: 0,
            ls_tolerance: 0.0,
            sparse: false,
            cancel: None,
        }
    }
}

/// The mass matrix, its lower triangle by rows, and its factor `LᵀDL` with the same pattern.
///
/// Row `i` of the problem is row `dofs[i]` of the pattern. Degrees of freedom of one tree are
/// consecutive in both numberings, and rows stay within a tree, so columns shift with the row.
#[derive(Clone, Copy, Debug)]
pub struct Inertia<'a> {
    /// `None`: both numberings are the same.
    pub dofs: Option<&'a [i32]>,
    pub pattern: &'a TreePattern,
    pub matrix: &'a [f64],
    pub factor: &'a [f64],
    pub diaginv: &'a [f64],
}

impl<'a> Inertia<'a> {
    /// Position of the row's first entry, columns including the diagonal, and the shift from
    /// columns to the numbering of the problem.
    #[inline]
    pub fn row(&self, i: usize) -> (usize, &'a [u32], usize) {
        let dof = self.dofs.map_or(i, |dofs| dofs[i] as usize);
        (self.pattern.row(dof).start, self.pattern.columns(dof), dof - i)
    }

    /// Pieces of `n` degrees of freedom that are consecutive in the pattern: where each starts
    /// there, and its place in the problem.
    pub fn pieces(&self, n: usize) -> impl Iterator<Item = (usize, Range<usize>)> + use<'a> {
        let dofs = self.dofs;
        let mut start = 0;
        std::iter::from_fn(move || {
            if start >= n {
                return None;
            }
            let Some(dofs) = dofs else { return Some((0, std::mem::replace(&mut start, n)..n)) };
            let (first, last) = (dofs[start] as usize, dofs[n - 1] as usize);
            // Ascending, so the ends tell whether the rest has gaps.
            let len = if last - first == n - 1 - start {
                n - start
            } else {
                let expected = first as i32..;
                dofs[start..n].iter().zip(expected).take_while(|&(&dof, e)| dof == e).count()
            };
            let piece = start..start + len;
            start += len;
            Some((first, piece))
        })
    }

    /// `y = M x`.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        for (first, piece) in self.pieces(x.len()) {
            self.pattern.mul_range(first, self.matrix, &x[piece.clone()], &mut y[piece]);
        }
    }

    /// `x ← M⁻¹ x`.
    pub fn solve(&self, x: &mut [f64]) {
        for (first, piece) in self.pieces(x.len()) {
            self.pattern.solve_range(first, self.factor, self.diaginv, &mut x[piece]);
        }
    }

    /// Sum of the diagonal over `n` degrees of freedom.
    pub fn trace(&self, n: usize) -> f64 {
        let mut sum = 0.0;
        for (first, piece) in self.pieces(n) {
            for entry in self.pattern.diagonal_entries(first..first + piece.len()) {
                sum += self.matrix[entry];
            }
        }
        sum
    }
}

wide! {
    /// Dot product with four running sums, which the processor can compute side by side.
    pub fn dot(a: &[f64], b: &[f64]) -> f64 {
        inlined::dot(a, b)
    }

    /// Cost of the inertia term, `½ (M x − qfrc_smooth)ᵀ (x − a₀)`.
    pub fn gauss(ma: &[f64], qfrc_smooth: &[f64], qacc: &[f64], qacc_smooth: &[f64]) -> f64 {
        let terms = ma.iter().zip(qfrc_smooth).zip(qacc.iter().zip(qacc_smooth));
        0.5 * terms.map(|((ma, f), (x, a))| (ma - f) * (x - a)).sum::<f64>()
    }
}

/// Kernels for the inside of others.
pub mod inlined {
    pub use corten_math::fours::{padded, write_first as write};

    #[inline(always)]
    pub fn dot(a: &[f64], b: &[f64]) -> f64 {
        let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
        let mut sum = [0.0; 4];
        for (a, b) in a.iter().zip(b) {
            for k in 0..4 {
                sum[k] += a[k] * b[k];
            }
        }
        if !rest_a.is_empty() {
            let (a, b) = (padded(rest_a), padded(rest_b));
            for k in 0..4 {
                sum[k] += a[k] * b[k];
            }
        }
        (sum[0] + sum[2]) + (sum[1] + sum[3])
    }

    /// `|x|`.
    #[inline(always)]
    pub fn norm(x: &[f64]) -> f64 {
        dot(x, x).sqrt()
    }

    /// `y += s x`.
    #[inline(always)]
    pub fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
        let ((y, rest_y), (x, rest_x)) = (y.as_chunks_mut::<4>(), x.as_chunks::<4>());
        // As a whole, which leaves no question whether what is written is read again.
        for (y, x) in y.iter_mut().zip(x) {
            *y = corten_math::array::from_fn(|k| y[k] + s * x[k]);
        }
        for (y, x) in rest_y.iter_mut().zip(rest_x) {
            *y += s * x;
        }
    }
}
