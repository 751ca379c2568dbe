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
use super::primal::{Iterate, Outcome, Record};
use super::problem::{Limits, Problem, dot};
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
    /// Whether a degree of freedom has ancestors in the mass matrix.
    coupled: Vec<bool>,
    /// Place of each degree of freedom in the padded vectors, while it is looked for.
    place: Vec<u32>,
    /// Whether a degree of freedom follows the one before without a gap.
    joined: Vec<bool>,
    /// Whether a run of columns begins at a degree of freedom, or ends before it.
    divided: Vec<bool>,
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

/// A direction of search: its norm, and how the inertia term of the cost changes along it.
struct Inclination {
    norm: f64,
    slope: f64,
    curvature: f64,
}

impl Conjugate {
    /// Minimises the cost of the problem that has been loaded, starting at `x.qacc` with `x.ma` and
    /// `x.jar` to match; reports each iteration to `record`.
    pub fn solve(
        &mut self,
        problem: &Problem<'_>,
        limits: &Limits,
        x: &mut Iterate<'_>,
        record: Record<'_>,
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
        let mut along = self.turn(0.0);

        let scale = problem.scale;
        outcome.out_of_iterations =
            limits.iterations == 0 && scale * gradient.squared.sqrt() >= limits.tolerance;
        while outcome.iterations < limits.iterations && !limits.is_cancelled(x.jar.len()) {
            if along.norm < MIN_VAL {
                break;
            }
            let step = self.search(problem, limits, x.jar, &along, gradient.gauss);
            if step.alpha == 0.0 {
                break;
            }

            let found = if plain {
                advance(rows.d, step.alpha, &self.jv, x.jar, x.force)
            } else {
                cost::advance(rows, step.alpha, &self.jv, x.jar, x.force, x.state)
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
            along = self.turn(beta.max(0.0));
        }
        if plain {
            cost::unilateral_states(x.jar, x.state);
        }
        self.unpack(x);
        outcome
    }

    /// Turns to the next direction, of which `beta` times the last one is a part.
    fn turn(&mut self, beta: f64) -> Inclination {
        let [squared, slope, curvature] = turn(&mut self.v, beta).map(sum);
        Inclination { norm: squared.sqrt(), slope, curvature }
    }

    /// Searches along the direction at hand for the least cost; `gauss` is its inertia term where the line starts.
    fn search(
        &mut self,
        problem: &Problem<'_>,
        limits: &Limits,
        jar: &[f64],
        inclination: &Inclination,
        gauss: f64,
    ) -> Found {
        mul(&self.groups[self.slot], &self.v.search, &mut self.jv);
        let along = Direction {
            jv: &self.jv,
            jar,
            inertia: [gauss, inclination.slope, 0.5 * inclination.curvature],
        };
        let (rows, tolerance) = (&problem.rows, limits.tolerance * limits.ls_tolerance);
        self.line.prepare(rows, &along);
        let (norm, iterations) = (inclination.norm, limits.ls_iterations);
        self.line.search(rows, &along, None, norm, problem.scale, tolerance, iterations)
    }

    /// Takes over a problem of `n` degrees of freedom.
    pub fn load(&mut self, problem: &Problem<'_>, n: usize) {
        let jacobian = &problem.rows.jacobian;
        self.slot = self.choose_slot(jacobian.blocks.len(), n);
        self.coupled.clear();
        self.coupled.grow_extend((0..n).map(|i| problem.inertia.row(i).1.len() > 1));
        let known = self.groups[self.slot].count_known(jacobian, &self.coupled);
        if !self.groups[self.slot].is_whole(known, jacobian) {
            self.arrange(jacobian, n);
            self.groups[self.slot].arrange(jacobian, &self.coupled, &self.place, known);
        }
        let groups = &mut self.groups[self.slot];
        groups.fill(jacobian);
        let size = groups.place().last().map_or(0, |&last| last as usize / 4 + 1);
        self.inverse.build(&problem.inertia, groups.place(), size);
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
        spread(self.groups[self.slot].place(), x, &mut self.v.qacc);
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

    /// Finds a place for all degrees of freedom.
    ///
    /// What belongs to one tree of the mass matrix, or comes only together in short runs of columns, stays
    /// together: a body whose inertia has no coupling is several trees. Where runs begin or end, as
    /// between vertices of a cloth that are joined by many edges, it may be divided.
    fn arrange(&mut self, rows: &Jacobian<'_>, n: usize) {
        self.joined.clear();
        self.joined.grow_resize(n, false);
        self.divided.clear();
        self.divided.grow_resize(n + 1, false);
        for run in rows.blocks.iter().flat_map(|b| rows.runs_of(b)) {
            let (start, len) = (run.start as usize, run.len as usize);
            (self.divided[start], self.divided[start + len]) = (true, true);
            if 1 < len && len <= SMALL {
                self.joined[start + 1..start + len].fill(true);
            }
        }
        let whole = self.divided.iter().zip(&self.coupled);
        for (joined, (divided, coupled)) in self.joined.iter_mut().zip(whole) {
            *joined = *coupled || (*joined && !divided);
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
    }

    /// Moves the starting point into the padded vectors.
    fn pack(&mut self, problem: &Problem<'_>, x: &Iterate<'_>) {
        let (place, v) = (self.groups[self.slot].place(), &mut self.v);
        let inputs: [(&[f64], &mut [Quad]); 4] = [
            (&*x.qacc, &mut v.qacc),
            (&*x.ma, &mut v.ma),
            (problem.qfrc_smooth, &mut v.qfrc_smooth),
            (problem.qacc_smooth, &mut v.qacc_smooth),
        ];
        for (from, to) in inputs {
            spread(place, from, to);
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
            for (to, &place) in to.iter_mut().zip(self.groups[self.slot].place()) {
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

    /// `search ← beta·search − mgrad` and, since `M·mgrad` is the gradient, `mv ← beta·mv − grad`.
    /// Returns, to be added up, the squared norm of `search`, its product with `M·qacc − qfrc_smooth`,
    /// and that with `mv`.
    fn turn(v: &mut Vectors, beta: f64) -> [Quad; 3] {
        let n = v.grad.len();
        let (search, mv) = (&mut v.search[..n], &mut v.mv[..n]);
        let (grad, mgrad) = (&v.grad[..n], &v.mgrad[..n]);
        let (ma, smooth) = (&v.ma[..n], &v.qfrc_smooth[..n]);
        let (mut squared, mut slope, mut curvature) = (ZERO, ZERO, ZERO);
        for i in 0..n {
            let (mut s, mut m) = (search[i], mv[i]);
            for l in 0..4 {
                s[l] = beta * s[l] - mgrad[i][l];
                m[l] = beta * m[l] - grad[i][l];
                squared[l] += s[l] * s[l];
                slope[l] += s[l] * (ma[i][l] - smooth[i][l]);
                curvature[l] += s[l] * m[l];
            }
            (search[i], mv[i]) = (s, m);
        }
        [squared, slope, curvature]
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
    use crate::solve::problem::Inertia;
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
        let coupled = (0..n).map(|i| inertia.row(i).1.len() > 1).collect();
        let mut conjugate = Conjugate { coupled, ..Conjugate::default() };
        let none = Jacobian { blocks: &[], columns: &[], runs: &[], values: &[], cones: &[] };
        conjugate.arrange(&none, n);
        let Conjugate { mut inverse, place, .. } = conjugate;
        let size = 3;
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
