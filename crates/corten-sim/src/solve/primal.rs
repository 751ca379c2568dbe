//! The solvers that search for the acceleration itself: Newton's method, and the way to
//! conjugate gradients (`conjugate`).
//!
//! Both descend the cost of [`super::problem`] along a line found from the gradient
//! `g = M·x − qfrc_smooth − Jᵀf`; Newton with `H⁻¹g`. Termination and scaling are MuJoCo's
//! (`mj_solCGNewton`): the improvement of the cost or the norm of the gradient, scaled, falls
//! below the tolerance, or the line search cannot improve.

use super::conjugate::Conjugate;
use super::cost;
use super::hessian::dense8::{self, Dense8};
use super::hessian::tiles64::{self, Tiles64};
use super::hessian::{NewtonSystem, SparseTiles};
use super::line_search::{Direction, Found, Line, Point};
use super::problem::inlined::{add_scaled, dot, norm, padded};
use super::problem::{Limits, Part, Problem};
use crate::SolverStat;
use corten_math::array::MapInline;
use corten_math::memory::Grow;
use corten_math::{MIN_VAL, wide};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Newton,
    ConjugateGradient,
}

/// Takes what an iteration has done, of which the number is given. Not generic: solvers are compiled once, whoever
/// listens.
pub type Record<'a> = &'a mut dyn FnMut(usize, SolverStat);

/// Where the search starts, and where the answer appears.
pub struct Iterate<'a> {
    pub qacc: &'a mut [f64],
    /// `M·qacc`.
    pub ma: &'a mut [f64],
    /// `J·qacc − aref`; solvers that search for forces take, and leave, that of the unconstrained
    /// acceleration.
    pub jar: &'a mut [f64],
    pub force: &'a mut [f64],
    pub state: &'a mut [i32],
    /// `Jᵀ·force`.
    pub qfrc_constraint: &'a mut [f64],
}

impl Iterate<'_> {
    /// What belongs to an island.
    pub fn part(&mut self, part: &Part) -> Iterate<'_> {
        let (dofs, rows) = (&part.dofs, &part.rows);
        Iterate {
            qacc: &mut self.qacc[dofs.clone()],
            ma: &mut self.ma[dofs.clone()],
            jar: &mut self.jar[rows.clone()],
            force: &mut self.force[rows.clone()],
            state: &mut self.state[rows.clone()],
            qfrc_constraint: &mut self.qfrc_constraint[dofs.clone()],
        }
    }

    /// Copies another of the same size.
    pub fn copy_from(&mut self, other: &Iterate<'_>) {
        self.qacc.copy_from_slice(other.qacc);
        self.ma.copy_from_slice(other.ma);
        self.jar.copy_from_slice(other.jar);
        self.force.copy_from_slice(other.force);
        self.state.copy_from_slice(other.state);
        self.qfrc_constraint.copy_from_slice(other.qfrc_constraint);
    }
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Primal {
    /// Lent for the time of a solve if the model is large, and this is not the memory of a helping
    /// thread.
    pub conjugate: Option<Box<Conjugate>>,
    dense: Dense8,
    tiles: Tiles64,
    sparse: SparseTiles,
    vectors: Vectors,
}

/// What Newton's method computes along the way.
#[derive(Clone, Debug, Default)]
struct Vectors {
    line: Line,
    jv: Vec<f64>,
    mv: Vec<f64>,
    grad: Vec<f64>,
}

/// How the solver ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub iterations: usize,
    /// Pivots of the Hessian that were not positive.
    pub singular: usize,
    /// Stored entries of the Hessian; 0 without one.
    pub nonzeros: usize,
    /// The Hessian would have had too many entries: nothing was solved.
    pub too_large: bool,
    /// Conjugate gradients stopped at the limit of iterations, short of the tolerance.
    pub out_of_iterations: bool,
}

/// The forms of Newton's system, by the number of degrees of freedom.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Dense8,
    Tiles64,
    SparseTiles,
}

impl Form {
    fn of(n: usize) -> Form {
        if n <= dense8::MAX_DOFS {
            Form::Dense8
        } else if n <= tiles64::MAX_DOFS {
            Form::Tiles64
        } else {
            Form::SparseTiles
        }
    }
}

/// An expression with the system for `n` degrees of freedom, compiled for each form.
macro_rules! with_system {
    ($primal:expr, $n:expr, $system:ident => $body:expr) => {
        match Form::of($n) {
            Form::Dense8 => {
                let $system = &mut $primal.dense;
                $body
            }
            Form::Tiles64 => {
                let $system = &mut $primal.tiles;
                $body
            }
            Form::SparseTiles => {
                let $system = &mut $primal.sparse;
                $body
            }
        }
    };
}

impl Primal {
    /// To be called before the first of the problems of a step.
    pub fn begin(&mut self) {
        self.dense.remembered.begin();
        self.tiles.remembered.begin();
        self.sparse.begin();
    }

    /// Loads a problem of `n` degrees of freedom, for [`Self::solve`] and for products; `false` if its
    /// Hessian would have more than `max_nonzeros` entries.
    pub fn load(
        &mut self,
        problem: &Problem<'_>,
        method: Method,
        n: usize,
        max_nonzeros: usize,
    ) -> bool {
        if method == Method::ConjugateGradient {
            self.conjugate.get_or_insert_default().load(problem, n);
            return true;
        }
        self.sparse.max_nonzeros = max_nonzeros;
        with_system!(self, n, system => load(system, problem, n));
        Form::of(n) != Form::SparseTiles || !self.sparse.is_too_large()
    }

    /// `J·x − aref`, and `M·x` on request, of the problem that has been loaded.
    pub fn products(
        &mut self,
        problem: &Problem<'_>,
        method: Method,
        aref: &[f64],
        x: &[f64],
        jar: &mut [f64],
        ma: Option<&mut [f64]>,
    ) {
        if method == Method::ConjugateGradient {
            return self.conjugate.get_or_insert_default().products(problem, aref, x, jar, ma);
        }
        with_system!(self, x.len(), system => products(system, problem, aref, x, jar, ma));
    }

    /// Minimises the cost, starting at `x.qacc` with `x.ma` and `x.jar` to match; reports each
    /// iteration to `record`. `loaded` tells that [`Self::load`] has been called.
    pub fn solve(
        &mut self,
        problem: &Problem<'_>,
        method: Method,
        limits: &Limits,
        loaded: bool,
        x: &mut Iterate<'_>,
        record: Record<'_>,
    ) -> Outcome {
        let n = x.qacc.len();
        if !loaded && !self.load(problem, method, n, limits.max_nonzeros) {
            return Outcome { too_large: true, ..Outcome::default() };
        }
        if method == Method::ConjugateGradient {
            let conjugate = self.conjugate.get_or_insert_default();
            return conjugate.solve(problem, limits, x, record);
        }
        let vectors = &mut self.vectors;
        let outcome =
            with_system!(self, n, system => newton(system, vectors, problem, limits, x, record));
        match Form::of(n) {
            Form::Dense8 => self.dense.remembered.advance(),
            Form::Tiles64 => self.tiles.remembered.advance(),
            Form::SparseTiles => self.sparse.advance(),
        }
        outcome
    }
}

wide! {
    fn load[H: NewtonSystem](system: &mut H, problem: &Problem<'_>, n: usize) {
        system.load(n, &problem.inertia, &problem.rows.jacobian);
    }

    fn products[H: NewtonSystem](
        system: &mut H,
        problem: &Problem<'_>,
        aref: &[f64],
        x: &[f64],
        jar: &mut [f64],
        ma: Option<&mut [f64]>,
    ) {
        system.set_vector(x);
        system.mul_jacobian::<Simd>(&problem.rows.jacobian, jar);
        jar.iter_mut().zip(aref).for_each(|(r, aref)| *r -= aref);
        if let Some(ma) = ma {
            system.mul_inertia::<Simd>(ma);
        }
    }

    /// Newton's method on a problem that has been loaded.
    fn newton[H: NewtonSystem](
        system: &mut H,
        vectors: &mut Vectors,
        problem: &Problem<'_>,
        limits: &Limits,
        x: &mut Iterate<'_>,
        record: Record<'_>,
    ) -> Outcome {
        let n = x.qacc.len();
        let rows = &problem.rows;
        let Vectors { line, jv, mv, grad } = vectors;
        for v in [&mut *mv, &mut *grad] {
            v.grow_resize(n, 0.0);
        }
        jv.grow_resize(rows.len(), 0.0);
        let mut outcome = Outcome::default();
        let tolerance = limits.tolerance * limits.ls_tolerance;
        // Cost where the last step started, and how far its search got.
        let mut last: Option<(f64, Found)> = None;
        let mut raised = 0;
        loop {
            let mut found = cost::update(rows, x.jar, x.force, x.state);
            system.tmul_jacobian(&rows.jacobian, x.force, x.qfrc_constraint);
            let gauss = gradient(problem, x.qacc, x.ma, x.qfrc_constraint, grad);
            found.cost += gauss;
            if let Some((cost, step)) = last {
                let improvement = problem.scale * (cost - found.cost);
                let gradient = problem.scale * norm(grad);
                let stat = SolverStat {
                    improvement,
                    gradient,
                    lineslope: step.slope,
                    nactive: found.active,
                    nchange: found.changed,
                    neval: step.evaluations as i32,
                    nupdate: found.hessian,
                };
                record(outcome.iterations, stat);
                outcome.iterations += 1;
                // A NaN cost cannot improve either.
                if improvement < limits.tolerance || gradient < limits.tolerance || found.cost.is_nan()
                {
                    break;
                }
            }
            if outcome.iterations >= limits.iterations || limits.is_cancelled(rows.len()) {
                break;
            }

            let known = last.is_some();
            if !known || found.hessian > 0 || found.left_cone {
                raised = system.factor(problem, x.jar, x.state, known);
                outcome.singular += raised;
            }
            system.solve_direction::<Simd>(grad);
            let search_norm = norm(system.direction());
            if search_norm < MIN_VAL {
                break;
            }
            system.mul_inertia::<Simd>(mv);
            system.mul_jacobian::<Simd>(&rows.jacobian, jv);
            let search = system.direction();
            let pull = dot(search, x.ma) - dot(problem.qfrc_smooth, search);
            let inertia = [gauss, pull, 0.5 * dot(search, mv)];
            let along = Direction { jv, jar: x.jar, inertia };
            line.prepare(rows, &along);
            // With `H s = −g`, slope and curvature at the start are `gᵀs` and `sᵀHs = −gᵀs`.
            let slope = dot(grad, search);
            let origin = (raised == 0 && slope < 0.0)
                .then_some(Point { alpha: 0.0, cost: found.cost, slope, curvature: -slope });
            let step =
                line.search(rows, &along, origin, search_norm, problem.scale, tolerance, limits.ls_iterations);
            if step.alpha == 0.0 {
                break;
            }
            add_scaled(x.qacc, step.alpha, search);
            add_scaled(x.ma, step.alpha, mv);
            add_scaled(x.jar, step.alpha, jv);
            last = Some((found.cost, step));
        }
        outcome.nonzeros = if limits.sparse { system.nonzeros(problem) } else { n * n };
        outcome
    }
}

/// Gradient of the cost; returns its inertia term `½ (M x − qfrc_smooth)ᵀ (x − a₀)`.
#[inline(always)]
fn gradient(
    problem: &Problem<'_>,
    qacc: &[f64],
    ma: &[f64],
    qfrc_constraint: &[f64],
    grad: &mut [f64],
) -> f64 {
    let n = grad.len();
    let (grad, grad_rest) = grad.as_chunks_mut::<4>();
    let whole = n - grad_rest.len();
    let inputs = [ma, problem.qfrc_smooth, qfrc_constraint, qacc, problem.qacc_smooth];
    let fours = inputs.map_inline(|v| v[..n].as_chunks::<4>().0);
    let mut sum = [0.0; 4];
    for (i, grad) in grad.iter_mut().enumerate() {
        let [ma, smooth, constraint, qacc, free] = fours.map_inline(|v| v[i]);
        let mut four = [0.0; 4];
        for k in 0..4 {
            let force = ma[k] - smooth[k];
            four[k] = force - constraint[k];
            sum[k] += force * (qacc[k] - free[k]);
        }
        *grad = four;
    }
    let [ma, smooth, constraint, qacc, free] = inputs.map_inline(|v| &v[whole..n]);
    if !grad_rest.is_empty() {
        for (k, grad) in grad_rest.iter_mut().enumerate() {
            *grad = ma[k] - smooth[k] - constraint[k];
        }
        let [ma, smooth, qacc, free] = [ma, smooth, qacc, free].map_inline(padded);
        for k in 0..4 {
            sum[k] += (ma[k] - smooth[k]) * (qacc[k] - free[k]);
        }
    }
    0.5 * ((sum[0] + sum[2]) + (sum[1] + sum[3]))
}
