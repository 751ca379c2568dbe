//! The solvers that search for the acceleration itself: Newton's method, and the way to
//! conjugate gradients ([`super::conjugate`]).
//!
//! Both descend the cost of [`super::problem`] along a line found from the gradient
//! `g = M·x − qfrc_smooth − Jᵀf`; Newton with `H⁻¹g`. Termination and scaling are MuJoCo's
//! (`mj_solCGNewton`): the improvement of the cost or the norm of the gradient, scaled, falls
//! below the tolerance, or the line search cannot improve.

use super::conjugate::Conjugate;
use super::cost;
use super::hessian::compact::Compact;
use super::hessian::tiny::{self, Tiny};
use super::hessian::{Buffers, Hessian, MOST, System};
use super::line_search::{Direction, Found, Line, Point};
use super::problem::inlined::{add_scaled, dot, norm, padded};
use super::problem::{Limits, Problem};
use crate::SolverStat;
use corten_math::{Four, MIN_VAL, Wide, wide};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Newton,
    ConjugateGradient,
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
    /// Lent for the time of a solve if the model is large, and this is not the memory of a helping
    /// thread.
    pub conjugate: Option<Box<Conjugate>>,
    tiny: Tiny,
    small: Compact,
    /// One for each of the first large islands, since its pattern often serves again in the next
    /// step.
    large: Vec<Hessian>,
    /// Large islands so far.
    count: usize,
    /// Working memory of the Hessian at hand.
    buffers: Buffers,
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

/// Large islands that keep a Hessian of their own.
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
    /// To be called before the first of the problems of a step.
    pub fn begin(&mut self) {
        self.count = 0;
    }

    /// Loads a problem of `n` degrees of freedom, for [`Self::solve`] and for products.
    pub fn load(&mut self, problem: &Problem<'_>, n: usize) {
        if n <= tiny::MOST {
            return load_small(&mut self.tiny, problem, n);
        }
        if n <= MOST {
            self.small.exchange(&mut self.buffers);
            return load_small(&mut self.small, problem, n);
        }
        if self.large.len() <= self.count {
            self.large.push(Hessian::default());
        }
        let hessian = &mut self.large[self.count];
        hessian.exchange(&mut self.buffers);
        hessian.load(n, &problem.inertia, &problem.rows.jacobian);
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
        if x.len() <= tiny::MOST {
            products_small(&mut self.tiny, problem, aref, x, jar, ma);
        } else if x.len() <= MOST {
            products_small(&mut self.small, problem, aref, x, jar, ma);
        } else {
            products::<Four, _>(&mut self.large[self.count], problem, aref, x, jar, ma);
        }
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
        record: impl FnMut(usize, SolverStat),
    ) -> Outcome {
        if method == Method::ConjugateGradient {
            let conjugate = self.conjugate.get_or_insert_default();
            return conjugate.solve(problem, limits, x, record);
        }
        if !loaded {
            self.load(problem, x.qacc.len());
        }
        if x.qacc.len() <= tiny::MOST {
            return newton(&mut self.tiny, &mut self.vectors, problem, limits, x, record);
        }
        if x.qacc.len() <= MOST {
            let outcome = newton(&mut self.small, &mut self.vectors, problem, limits, x, record);
            self.small.exchange(&mut self.buffers);
            return outcome;
        }
        let hessian = &mut self.large[self.count];
        let outcome = newton(hessian, &mut self.vectors, problem, limits, x, record);
        hessian.exchange(&mut self.buffers);
        self.count = (self.count + 1).min(HESSIANS - 1);
        outcome
    }
}

#[inline(always)]
fn products<S: Wide, H: System>(
    system: &mut H,
    problem: &Problem<'_>,
    aref: &[f64],
    x: &[f64],
    jar: &mut [f64],
    ma: Option<&mut [f64]>,
) {
    system.set(x);
    system.mul_jacobian::<S>(&problem.rows.jacobian, jar);
    jar.iter_mut().zip(aref).for_each(|(r, aref)| *r -= aref);
    if let Some(ma) = ma {
        system.mul_inertia::<S>(ma);
    }
}

wide! {
    fn load_small[H: System](system: &mut H, problem: &Problem<'_>, n: usize) {
        system.load(n, &problem.inertia, &problem.rows.jacobian);
    }

    fn products_small[H: System](
        system: &mut H,
        problem: &Problem<'_>,
        aref: &[f64],
        x: &[f64],
        jar: &mut [f64],
        ma: Option<&mut [f64]>,
    ) {
        products::<Simd, H>(system, problem, aref, x, jar, ma);
    }

    /// Newton's method on a problem that has been loaded.
    fn newton[H: System, R: FnMut(usize, SolverStat)](
        system: &mut H,
        vectors: &mut Vectors,
        problem: &Problem<'_>,
        limits: &Limits,
        x: &mut Iterate<'_>,
        record: R,
    ) -> Outcome {
        let mut record = record;
        let n = x.qacc.len();
        let rows = &problem.rows;
        let Vectors { line, jv, mv, grad } = vectors;
        for v in [&mut *mv, &mut *grad] {
            v.resize(n, 0.0);
        }
        jv.resize(rows.len(), 0.0);
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
                // A cost that is not a number cannot improve either.
                if improvement < limits.tolerance || gradient < limits.tolerance || found.cost.is_nan()
                {
                    break;
                }
            }
            if outcome.iterations >= limits.iterations {
                break;
            }

            let known = last.is_some();
            if !known || found.hessian > 0 || found.left_cone {
                raised = system.factor(problem, x.jar, x.state, known);
                outcome.singular += raised;
            }
            system.descend::<Simd>(grad);
            let search_norm = norm(system.direction());
            if search_norm < MIN_VAL {
                break;
            }
            system.mul_inertia::<Simd>(mv);
            system.mul_jacobian::<Simd>(&rows.jacobian, jv);
            let search = system.direction();
            let along = Direction {
                search,
                mv,
                jv,
                ma: x.ma,
                jar: x.jar,
                qfrc_smooth: problem.qfrc_smooth,
                gauss,
            };
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
    let fours = inputs.map(|v| v[..n].as_chunks::<4>().0);
    let mut sum = [0.0; 4];
    for (i, grad) in grad.iter_mut().enumerate() {
        let [ma, smooth, constraint, qacc, free] = fours.map(|v| v[i]);
        let mut four = [0.0; 4];
        for k in 0..4 {
            let force = ma[k] - smooth[k];
            four[k] = force - constraint[k];
            sum[k] += force * (qacc[k] - free[k]);
        }
        *grad = four;
    }
    let [ma, smooth, constraint, qacc, free] = inputs.map(|v| &v[whole..n]);
    if !grad_rest.is_empty() {
        for (k, grad) in grad_rest.iter_mut().enumerate() {
            *grad = ma[k] - smooth[k] - constraint[k];
        }
        let [ma, smooth, qacc, free] = [ma, smooth, qacc, free].map(padded);
        for k in 0..4 {
            sum[k] += (ma[k] - smooth[k]) * (qacc[k] - free[k]);
        }
    }
    0.5 * ((sum[0] + sum[2]) + (sum[1] + sum[3]))
}
