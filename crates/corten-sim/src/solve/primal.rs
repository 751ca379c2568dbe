//! The solvers that search for the acceleration itself: Newton's method, and the way to
//! conjugate gradients ([`super::conjugate`]).
//!
//! Both descend the cost of [`super::problem`] along a line found from the gradient
//! `g = M·x − qfrc_smooth − Jᵀf`; Newton with `H⁻¹g`. Termination and scaling are MuJoCo's
//! (`mj_solCGNewton`): the improvement of the cost or the norm of the gradient, scaled, falls
//! below the tolerance, or the line search cannot improve.

use super::conjugate::Conjugate;
use super::cost::{self, Update};
use super::exact::Exact;
use super::hessian::{Buffers, Hessian};
use super::line_search::{Direction, Line};
use super::problem::{Limits, Problem, add_scaled, norm};
use crate::SolverStat;
use corten_math::{MIN_VAL, wide};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Newton,
    ConjugateGradient,
}

/// What of the last iteration's Hessian is of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reuse {
    Nothing,
    Matrix,
    Factor,
}

/// Where the search starts, and where the answer appears.
pub struct Iterate<'a> {
    pub qacc: &'a mut [f64],
    /// `M·qacc`.
    pub ma: &'a mut [f64],
    /// `J·qacc − aref`.
    pub jar: &'a mut [f64],
    pub force: &'a mut [f64],
    pub state: &'a mut [i32],
    /// `Jᵀ·force`.
    pub qfrc_constraint: &'a mut [f64],
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Primal {
    conjugate: Conjugate,
    line: Line,
    /// One for each of the first islands, since its pattern often serves again in the next step.
    hessians: Vec<Hessian>,
    /// Working memory of the Hessian at hand.
    buffers: Buffers,
    jv: Vec<f64>,
    mv: Vec<f64>,
    grad: Vec<f64>,
    mgrad: Vec<f64>,
    search: Vec<f64>,
    exact: Exact,
}

/// Islands that keep a Hessian of their own.
const HESSIANS: usize = 64;

/// How the solver ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub iterations: usize,
    /// Pivots of the Hessian that were not positive.
    pub singular: usize,
    /// Stored entries of the Hessian; 0 without one.
    pub nonzeros: usize,
}

impl Primal {
    /// The Hessian of a problem that will be solved as a whole, with the problem loaded.
    pub fn load(&mut self, slot: usize, problem: &Problem<'_>, n: usize) -> &mut Hessian {
        if self.hessians.len() <= slot {
            self.hessians.resize_with(slot + 1, Hessian::default);
        }
        let hessian = &mut self.hessians[slot];
        hessian.exchange(&mut self.buffers);
        hessian.load(n, &problem.inertia, &problem.rows.jacobian);
        hessian
    }

    /// Minimises the cost, starting at `x.qacc` with `x.ma` and `x.jar` to match (`x.jar` holding
    /// the reference acceleration for an exact search); reports each iteration to `record`.
    /// `island` tells problems apart whose patterns stay the same; `loaded` tells that
    /// [`Self::load`] has been called.
    pub fn solve(
        &mut self,
        island: usize,
        problem: &Problem<'_>,
        method: Method,
        limits: &Limits,
        loaded: bool,
        x: &mut Iterate<'_>,
        mut record: impl FnMut(usize, SolverStat),
    ) -> Outcome {
        if let Some(layout) = limits.exact {
            return self.exact.solve(layout, problem, method, limits, x, record);
        }
        if method == Method::ConjugateGradient {
            return self.conjugate.solve(problem, limits, x, record);
        }
        let n = x.qacc.len();
        let rows = &problem.rows;
        for v in [&mut self.mv, &mut self.grad, &mut self.mgrad, &mut self.search] {
            v.resize(n, 0.0);
        }
        self.jv.resize(rows.len(), 0.0);
        let slot = island.min(HESSIANS - 1);
        let mut outcome = Outcome::default();

        if !loaded {
            self.load(slot, problem, n);
        }
        let (mut found, mut gauss) = self.update(slot, problem, x);
        outcome.singular += self.precondition(slot, problem, x, Reuse::Nothing);
        for i in 0..n {
            self.search[i] = -self.mgrad[i];
        }

        let tolerance = limits.tolerance * limits.ls_tolerance;
        while outcome.iterations < limits.iterations {
            let search_norm = norm(&self.search);
            if search_norm < MIN_VAL {
                break;
            }
            // The last solution is the direction of search but for its sign.
            let hessian = &mut self.hessians[slot];
            hessian.mul_inertia(-1.0, &mut self.mv);
            hessian.mul_jacobian(&rows.jacobian, -1.0, &mut self.jv);
            let along = Direction {
                search: &self.search,
                mv: &self.mv,
                jv: &self.jv,
                ma: x.ma,
                jar: x.jar,
                qfrc_smooth: problem.qfrc_smooth,
                gauss,
            };
            self.line.prepare(rows, &along);
            let step = self.line.search(
                rows,
                &along,
                search_norm,
                problem.scale,
                tolerance,
                limits.ls_iterations,
            );
            if step.alpha == 0.0 {
                break;
            }

            add_scaled(x.qacc, step.alpha, &self.search);
            add_scaled(x.ma, step.alpha, &self.mv);
            add_scaled(x.jar, step.alpha, &self.jv);
            let cost_old = found.cost;
            (found, gauss) = self.update(slot, problem, x);

            let improvement = problem.scale * (cost_old - found.cost);
            let gradient = problem.scale * norm(&self.grad);
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
            // A cost that is not a number cannot improve either.
            if improvement < limits.tolerance || gradient < limits.tolerance || found.cost.is_nan()
            {
                break;
            }
            if outcome.iterations == limits.iterations {
                break;
            }

            let stale = found.hessian > 0 || found.left_cone;
            let reuse = if stale { Reuse::Matrix } else { Reuse::Factor };
            outcome.singular += self.precondition(slot, problem, x, reuse);
            for (search, mgrad) in self.search.iter_mut().zip(&self.mgrad) {
                *search = -mgrad;
            }
        }
        outcome.nonzeros = self.hessians[slot].nonzeros();
        self.hessians[slot].exchange(&mut self.buffers);
        outcome
    }

    /// Forces, states, `qfrc_constraint` and gradient at the iterate; total cost and its inertia
    /// term.
    fn update(&mut self, slot: usize, problem: &Problem<'_>, x: &mut Iterate<'_>) -> (Update, f64) {
        let rows = &problem.rows;
        let mut found = cost::update(rows, x.jar, x.force, x.state);
        self.hessians[slot].tmul_jacobian(&rows.jacobian, x.force, x.qfrc_constraint);
        let gauss = gradient(problem, x.qacc, x.ma, x.qfrc_constraint, &mut self.grad);
        found.cost += gauss;
        (found, gauss)
    }

    /// `mgrad` from `grad`; returns the number of bad pivots.
    fn precondition(
        &mut self,
        slot: usize,
        problem: &Problem<'_>,
        x: &Iterate<'_>,
        reuse: Reuse,
    ) -> usize {
        self.mgrad.copy_from_slice(&self.grad);
        let hessian = &mut self.hessians[slot];
        let singular = match reuse {
            Reuse::Nothing => hessian.factor(problem, x.jar, x.state),
            Reuse::Matrix => hessian.refactor(problem, x.jar, x.state),
            Reuse::Factor => 0,
        };
        hessian.solve(&mut self.mgrad);
        singular
    }
}

wide! {
    /// Gradient of the cost; returns its inertia term `½ (M x − qfrc_smooth)ᵀ (x − a₀)`.
    fn gradient(
        problem: &Problem<'_>,
        qacc: &[f64],
        ma: &[f64],
        qfrc_constraint: &[f64],
        grad: &mut [f64],
    ) -> f64 {
        const LANES: usize = 4;
        let n = grad.len();
        let (qacc, ma, constraint) = (&qacc[..n], &ma[..n], &qfrc_constraint[..n]);
        let (smooth, free) = (&problem.qfrc_smooth[..n], &problem.qacc_smooth[..n]);
        let mut sum = [0.0; LANES];
        let whole = n - n % LANES;
        for start in (0..whole).step_by(LANES) {
            for k in 0..LANES {
                let i = start + k;
                let force = ma[i] - smooth[i];
                grad[i] = force - constraint[i];
                sum[k] += force * (qacc[i] - free[i]);
            }
        }
        for i in whole..n {
            let force = ma[i] - smooth[i];
            grad[i] = force - constraint[i];
            sum[i % LANES] += force * (qacc[i] - free[i]);
        }
        0.5 * ((sum[0] + sum[2]) + (sum[1] + sum[3]))
    }
}
