//! Conjugate gradients, on vectors laid out for vector registers.
//!
//! Descends the cost of [`super::problem`] along `M⁻¹g`, `g = M·x − qfrc_smooth − Jᵀf`, combined
//! with the previous direction by the Polak-Ribière rule, cut off at zero. Termination and scaling
//! are MuJoCo's (`mj_solCGNewton`).
//!
//! An iteration is little more than one product with `J`, one with `Jᵀ` and one with `M⁻¹`, so
//! these have forms of their own. Degrees of freedom are numbered anew such that no tree of up to
//! four straddles a group of four, and larger trees start at a group; the gaps hold zeros, which
//! all operations keep. Rows of `J` are then sums over few groups ([`Groups`]), and small trees
//! have the inverse of their inertia as a full matrix ([`Inverse`]).

mod groups;
mod inverse;

use corten_math::array;
use corten_math::array::MapInline;
use corten_math::memory::Grow;
use corten_math::{MIN_VAL, wide};

use groups::{Groups, mul, tmul_add};
use inverse::Inverse;

use super::cost::{self, Update};
use super::line_search::{Direction, Found, Line};
use super::primal::{Iterate, Outcome};
use super::problem::{Inertia, Limits, Problem, dot};
use super::row_cost::{RowCost, Unilateral};
use super::rows::Jacobian;
use crate::SolverStat;

/// Four numbers side by side.
type Quad = [f64; 4];

const ZERO: Quad = [0.0; 4];

/// Arrangements of rows that are kept, and blocks up to which a problem is small.
const SLOTS: usize = 4;
const FEW_BLOCKS: usize = 64;

/// Most degrees of freedom of a tree whose inertia is inverted.
const SMALL: usize = 8;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Conjugate {
    /// Place of each degree of freedom in the padded vectors.
    place: Vec<u32>,
    /// Whether a degree of freedom follows the one before without a gap.
    joined: Vec<bool>,
    /// One for small problems, and some for large ones, which often come again in the next step.
    groups: [Groups; SLOTS],
    /// The one at hand.
    slot: usize,
    inverse: Inverse,
    line: Line,
    jv: Vec<f64>,
    v: Vectors,
}

/// Padded vectors over degrees of freedom.
#[derive(Clone, Debug, Default)]
struct Vectors {
    qacc: Vec<Quad>,
    /// `M·qacc`.
    ma: Vec<Quad>,
    qfrc_smooth: Vec<Quad>,
    qacc_smooth: Vec<Quad>,
    /// `Jᵀ·force`.
    constraint: Vec<Quad>,
    grad: Vec<Quad>,
    /// `M⁻¹·grad`.
    mgrad: Vec<Quad>,
    search: Vec<Quad>,
    /// `M·search`.
    mv: Vec<Quad>,
}

impl Vectors {
    fn all(&mut self) -> [&mut Vec<Quad>; 9] {
        [
            &mut self.qacc,
            &mut self.ma,
            &mut self.qfrc_smooth,
            &mut self.qacc_smooth,
            &mut self.constraint,
            &mut self.grad,
            &mut self.mgrad,
            &mut self.search,
            &mut self.mv,
        ]
    }
}

/// Moves numbers to their places in a padded vector.
fn spread(places: &[u32], from: &[f64], to: &mut [Quad]) {
    let to = to.as_flattened_mut();
    for (&place, from) in places.iter().zip(from) {
        to[place as usize] = *from;
    }
}

/// What a step along the line gives.
struct Gradient {
    /// Inertia term of the cost.
    gauss: f64,
    /// Squared norm of the gradient, and its product with the last direction of descent.
    squared: f64,
    with_last: f64,
}

impl Conjugate {
    /// Minimises the cost of the problem that has been loaded, starting at `x.qacc` with `x.ma` and
    /// `x.jar` to match; reports each iteration to `record`.
    pub fn solve(
        &mut self,
        problem: &Problem<'_>,
        limits: &Limits,
        x: &mut Iterate<'_>,
        mut record: impl FnMut(usize, SolverStat),
    ) -> Outcome {
        let rows = &problem.rows;
        self.pack(problem, x);
        // Without equalities, friction and cones, states follow from the sign of the residual.
        let plain = rows.inequalities().len() == rows.len();

        let mut outcome = Outcome::default();
        let mut cost = cost::update(rows, x.jar, x.force, x.state).cost;
        let mut gradient = self.gradient(x.force, 0.0);
        cost += gradient.gauss;
        self.inverse.apply(&problem.inertia, &self.v.grad, &mut self.v.mgrad);
        let mut descent = dot(self.v.grad.as_flattened(), self.v.mgrad.as_flattened());
        let mut squared_norm = sum(turn(&mut self.v, 0.0)[0]);

        let scale = problem.scale;
        outcome.out_of_iterations =
            limits.iterations == 0 && scale * gradient.squared.sqrt() >= limits.tolerance;
        while outcome.iterations < limits.iterations && !limits.is_cancelled(x.jar.len()) {
            let search_norm = squared_norm.sqrt();
            if search_norm < MIN_VAL {
                break;
            }
            let step = self.search(problem, limits, x.jar, search_norm, gradient.gauss);
            if step.alpha == 0.0 {
                break;
            }

            let found = if plain {
                advance(rows.d, step.alpha, &self.jv, x.jar, x.force)
            } else {
                for (x, v) in x.jar.iter_mut().zip(&self.jv) {
                    *x += step.alpha * v;
                }
                cost::update(rows, x.jar, x.force, x.state)
            };
            gradient = self.gradient(x.force, step.alpha);
            let cost_old = cost;
            cost = found.cost + gradient.gauss;
            let improvement = scale * (cost_old - cost);
            let size = scale * gradient.squared.sqrt();
            let stat = SolverStat {
                improvement,
                gradient: size,
                lineslope: step.slope,
                nactive: found.active,
                nchange: found.changed,
                neval: step.evaluations as i32,
                nupdate: 0,
            };
            record(outcome.iterations, stat);
            outcome.iterations += 1;
            // A NaN cost cannot improve either.
            if improvement < limits.tolerance || size < limits.tolerance || cost.is_nan() {
                break;
            }
            if outcome.iterations == limits.iterations {
                outcome.out_of_iterations = true;
                break;
            }

            self.inverse.apply(&problem.inertia, &self.v.grad, &mut self.v.mgrad);
            let descent_old = descent;
            descent = dot(self.v.grad.as_flattened(), self.v.mgrad.as_flattened());
            let beta = (descent - gradient.with_last) / descent_old.max(MIN_VAL);
            squared_norm = sum(turn(&mut self.v, beta.max(0.0))[0]);
        }
        if plain {
            cost::unilateral_states(x.jar, x.state);
        }
        self.unpack(x);
        outcome
    }

    /// Searches along the direction at hand, of the given norm, for the least cost; `gauss` is its
    /// inertia term where the line starts.
    fn search(
        &mut self,
        problem: &Problem<'_>,
        limits: &Limits,
        jar: &[f64],
        norm: f64,
        gauss: f64,
    ) -> Found {
        mul(&self.groups[self.slot], &self.v.search, &mut self.jv);
        let along = Direction {
            search: self.v.search.as_flattened(),
            mv: self.v.mv.as_flattened(),
            jv: &self.jv,
            ma: self.v.ma.as_flattened(),
            jar,
            qfrc_smooth: self.v.qfrc_smooth.as_flattened(),
            gauss,
        };
        let (rows, tolerance) = (&problem.rows, limits.tolerance * limits.ls_tolerance);
        self.line.prepare(rows, &along);
        self.line.search(rows, &along, None, norm, problem.scale, tolerance, limits.ls_iterations)
    }

    /// Takes over a problem of `n` degrees of freedom.
    pub fn load(&mut self, problem: &Problem<'_>, n: usize) {
        let jacobian = &problem.rows.jacobian;
        let size = self.arrange(&problem.inertia, jacobian, n);
        self.inverse.build(&problem.inertia, &self.place, size);
        self.slot = self.choose_slot(jacobian.blocks.len(), self.place.len());
        self.groups[self.slot].build(jacobian, &self.place);
        self.jv.clear();
        self.jv.grow_resize(problem.rows.len(), 0.0);
        for v in self.v.all() {
            v.clear();
            v.grow_resize(size, ZERO);
        }
    }

    /// `J·x − aref`, and `M·x` on request, of the problem that has been loaded.
    pub fn products(
        &mut self,
        problem: &Problem<'_>,
        aref: &[f64],
        x: &[f64],
        jar: &mut [f64],
        ma: Option<&mut [f64]>,
    ) {
        spread(&self.place, x, &mut self.v.qacc);
        mul(&self.groups[self.slot], &self.v.qacc, jar);
        jar.iter_mut().zip(aref).for_each(|(r, aref)| *r -= aref);
        if let Some(ma) = ma {
            problem.inertia.mul(x, ma);
        }
    }

    /// Where the arrangement of a problem is likely to be known: where one of as many degrees of freedom
    /// is. Results do not depend on it.
    fn choose_slot(&self, blocks: usize, dofs: usize) -> usize {
        if blocks <= FEW_BLOCKS {
            return 0;
        }
        let known = (1..SLOTS).find(|&slot| self.groups[slot].dofs() == dofs);
        let empty = || (1..SLOTS).find(|&slot| self.groups[slot].dofs() == 0);
        known.or_else(empty).unwrap_or(1 + dofs % (SLOTS - 1))
    }

    /// Finds a place for all degrees of freedom; returns the number of groups.
    ///
    /// What belongs to one tree of the mass matrix or to one short run of columns stays together:
    /// a body whose inertia has no coupling is several trees.
    fn arrange(&mut self, inertia: &Inertia<'_>, rows: &Jacobian<'_>, n: usize) -> usize {
        self.joined.clear();
        self.joined.extend((0..n).map(|i| inertia.row(i).1.len() > 1));
        for run in rows.blocks.iter().flat_map(|b| rows.runs_of(b)) {
            let (start, len) = (run.start as usize, run.len as usize);
            // Most runs come many times, as those of a vertex of a cloth do.
            if 1 < len && len <= SMALL && !self.joined[start + 1..start + len].iter().all(|&j| j) {
                self.joined[start + 1..start + len].fill(true);
            }
        }
        self.place.clear();
        let mut end = 0;
        while self.place.len() < n {
            let first = self.place.len();
            let more = self.joined[first + 1..].iter().take_while(|&&joined| joined).count();
            let size = 1 + more;
            if end % 4 + size > 4 {
                end = end.next_multiple_of(4);
            }
            self.place.grow_extend(end as u32..(end + size) as u32);
            end += size;
        }
        end.div_ceil(4)
    }

    /// Moves the starting point into the padded vectors.
    fn pack(&mut self, problem: &Problem<'_>, x: &Iterate<'_>) {
        let v = &mut self.v;
        let inputs: [(&[f64], &mut [Quad]); 4] = [
            (&*x.qacc, &mut v.qacc),
            (&*x.ma, &mut v.ma),
            (problem.qfrc_smooth, &mut v.qfrc_smooth),
            (problem.qacc_smooth, &mut v.qacc_smooth),
        ];
        for (from, to) in inputs {
            spread(&self.place, from, to);
        }
    }

    fn unpack(&self, x: &mut Iterate<'_>) {
        let outputs: [(&mut [f64], &[Quad]); 3] = [
            (&mut *x.qacc, &self.v.qacc),
            (&mut *x.ma, &self.v.ma),
            (&mut *x.qfrc_constraint, &self.v.constraint),
        ];
        for (to, from) in outputs {
            let from = from.as_flattened();
            for (to, &place) in to.iter_mut().zip(&self.place) {
                *to = from[place as usize];
            }
        }
    }

    /// Moves the iterate by `alpha` along the line, where the rows have the forces `force`, and
    /// computes the gradient there.
    fn gradient(&mut self, force: &[f64], alpha: f64) -> Gradient {
        self.v.constraint.fill(ZERO);
        tmul_add(&self.groups[self.slot], force, &mut self.v.constraint);
        let [gauss, squared, with_last] = gradient(&mut self.v, alpha).map(sum);
        Gradient { gauss: 0.5 * gauss, squared, with_last }
    }
}

wide! {
    /// Moves the iterate by `alpha` along the line and computes the gradient. Returns, to be added
    /// up, twice the inertia term of the cost, the squared norm of the gradient, and its product
    /// with the last direction of descent.
    fn gradient(v: &mut Vectors, alpha: f64) -> [Quad; 3] {
        let n = v.grad.len();
        let (qacc, ma, grad) = (&mut v.qacc[..n], &mut v.ma[..n], &mut v.grad[..n]);
        let (smooth, free) = (&v.qfrc_smooth[..n], &v.qacc_smooth[..n]);
        let (constraint, mgrad) = (&v.constraint[..n], &v.mgrad[..n]);
        let (search, mv) = (&v.search[..n], &v.mv[..n]);
        let (mut gauss, mut squared, mut with_last) = (ZERO, ZERO, ZERO);
        for i in 0..n {
            let (mut a, mut f, mut g) = (qacc[i], ma[i], ZERO);
            for l in 0..4 {
                a[l] += alpha * search[i][l];
                f[l] += alpha * mv[i][l];
                let force = f[l] - smooth[i][l];
                g[l] = force - constraint[i][l];
                gauss[l] += force * (a[l] - free[i][l]);
                squared[l] += g[l] * g[l];
                with_last[l] += g[l] * mgrad[i][l];
            }
            (qacc[i], ma[i], grad[i]) = (a, f, g);
        }
        [gauss, squared, with_last]
    }

    /// `search ← beta·search − mgrad` and, since `M·mgrad` is the gradient, `mv ← beta·mv − grad`;
    /// returns the squared norm of `search`, to be added up.
    fn turn(v: &mut Vectors, beta: f64) -> [Quad; 1] {
        let n = v.grad.len();
        let (search, mv) = (&mut v.search[..n], &mut v.mv[..n]);
        let (grad, mgrad) = (&v.grad[..n], &v.mgrad[..n]);
        let mut squared = ZERO;
        for i in 0..n {
            let (mut s, mut m) = (search[i], mv[i]);
            for l in 0..4 {
                s[l] = beta * s[l] - mgrad[i][l];
                m[l] = beta * m[l] - grad[i][l];
                squared[l] += s[l] * s[l];
            }
            (search[i], mv[i]) = (s, m);
        }
        [squared]
    }

    /// Moves the residuals of inequalities by `alpha` along the line, with the forces there.
    /// Returns, to be added up, minus twice the cost, and how many rows are violated and have
    /// changed sides.
    fn advance_quads(
        d: &[Quad],
        alpha: f64,
        jv: &[Quad],
        jar: &mut [Quad],
        force: &mut [Quad],
    ) -> [Quad; 3] {
        let (mut cost, mut active, mut changed) = (ZERO, ZERO, ZERO);
        for (((d, v), x), force) in d.iter().zip(jv).zip(jar).zip(force) {
            let (mut new, mut f) = (*x, ZERO);
            let before = new.map_inline(violated);
            for l in 0..4 {
                new[l] += alpha * v[l];
            }
            let now = new.map_inline(violated);
            for l in 0..4 {
                let value;
                (value, f[l]) = Unilateral { d: d[l] }.value(new[l]);
                cost[l] += value;
                active[l] += now[l];
                changed[l] += (now[l] - before[l]).abs();
            }
            (*x, *force) = (new, f);
        }
        [cost, active, changed]
    }
}

/// One if an inequality is violated; NaN counts as violated, so that it shows.
#[inline(always)]
fn violated(x: f64) -> f64 {
    if x >= 0.0 { 0.0 } else { 1.0 }
}

/// [`advance_quads`] for any number of rows.
fn advance(d: &[f64], alpha: f64, jv: &[f64], jar: &mut [f64], force: &mut [f64]) -> Update {
    fn rest(x: &[f64]) -> Quad {
        array::from_fn(|l| x.get(l).copied().unwrap_or(0.0))
    }
    let ((ds, d), (vs, v)) = (d.as_chunks::<4>(), jv.as_chunks::<4>());
    let ((xs, x), (fs, f)) = (jar.as_chunks_mut::<4>(), force.as_chunks_mut::<4>());
    let whole = advance_quads(ds, alpha, vs, xs, fs).map(sum);
    let (mut last_x, mut last_f) = ([rest(x)], [ZERO]);
    let last = advance_quads(&[rest(d)], alpha, &[rest(v)], &mut last_x, &mut last_f).map(sum);
    x.copy_from_slice(&last_x[0][..x.len()]);
    f.copy_from_slice(&last_f[0][..f.len()]);
    let [cost, active, changed] = array::from_fn(|k| whole[k] + last[k]);
    Update {
        cost: -0.5 * cost,
        active: active as i32,
        changed: changed as i32,
        hessian: 0,
        left_cone: false,
    }
}

/// Sum of the four lanes.
fn sum(q: Quad) -> f64 {
    (q[0] + q[2]) + (q[1] + q[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use corten_math::TreePattern;

    /// A chain of three, one alone, a chain of six.
    const SIZES: [usize; 3] = [3, 1, 6];

    fn pattern() -> TreePattern {
        let (mut len, mut start, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = 0;
        for size in SIZES {
            for i in 0..size {
                start.push(columns.len() as i32);
                len.push(i as i32 + 1);
                columns.extend((first..=first + i).map(|c| c as i32));
            }
            first += size;
        }
        TreePattern::new(&len, &start, &columns).unwrap()
    }

    #[test]
    fn inverse_agrees_with_the_solution_by_the_factor() {
        let pattern = pattern();
        let n = pattern.size();
        let mut matrix = vec![0.3; pattern.entries()];
        for i in 0..n {
            matrix[pattern.diagonal_entry(i)] = 2.0 + i as f64;
        }
        let (mut factor, mut diaginv) = (matrix.clone(), vec![0.0; n]);
        pattern.factor(&mut factor, &mut diaginv);
        let inertia = Inertia {
            dofs: None,
            pattern: &pattern,
            matrix: &matrix,
            factor: &factor,
            diaginv: &diaginv,
        };
        let mut conjugate = Conjugate::default();
        let none = Jacobian { blocks: &[], columns: &[], runs: &[], values: &[], cones: &[] };
        let size = conjugate.arrange(&inertia, &none, n);
        let Conjugate { mut inverse, place, .. } = conjugate;
        inverse.build(&inertia, &place, size);
        assert_eq!(place, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let mut want: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
        let (mut x, mut y) = (vec![ZERO; size], vec![ZERO; size]);
        for (&p, w) in place.iter().zip(&want) {
            x.as_flattened_mut()[p as usize] = *w;
        }
        inverse.apply(&inertia, &x, &mut y);
        pattern.solve(&factor, &diaginv, &mut want);
        for (&p, w) in place.iter().zip(&want) {
            assert!((y.as_flattened()[p as usize] - w).abs() < 1e-15);
        }
        assert_eq!(y.as_flattened()[10..], [0.0; 2]);
    }
}
