//! Constraint solvers: constrained acceleration and constraint forces.
//!
//! [`constraint`] answers to `mj_fwdConstraint`: it chooses a starting point, runs the model's
//! solver over each island or over everything, and noslip on request. The solvers themselves see
//! only a [`problem::Problem`].

mod by_island;
mod conjugate;
pub mod cost;
pub mod dual;
mod hessian;
pub mod island;
pub(crate) mod island_threads;
mod island_view;
mod line_search;
mod noslip;
mod pgs;
pub mod primal;
pub mod problem;
mod qcqp;
mod row_cost;
pub mod rows;
mod start;
#[cfg(test)]
mod tests;
mod worst_row;

use corten_model::enums::{DisableBit, Solver};

pub(crate) use conjugate::Conjugate;
pub use dual::materialize_dual;
pub use island_view::materialize_islands;
pub(crate) use worst_row::{bad_row, row_place, strongest_row};

use dual::Dual;

use crate::stage::constraint::{Constraints, is_pyramidal, is_sparse};
use crate::{Data, Model, NISLAND, SolverStats};
use pgs::DualProblem;
use primal::{Iterate, Method, Outcome, Primal};
use problem::{Limits, Problem, Rows};
use rows::Jacobian;
use start::{start, start_dual};

/// Degrees of freedom from which conjugate gradients work in pooled memory: of fewer, a solve is so
/// short that waiting for the pool's lock would show, and its memory small.
const POOLED_FROM_DOFS: usize = 256;

/// Working memory of the solvers.
#[derive(Clone, Debug, Default)]
pub struct SolverScratch {
    /// Apart, so that it can be taken out without being copied.
    work: Option<Box<PrimalWork>>,
    /// Rows in the form of the dual solvers.
    pub(crate) dual: Dual,
}

/// Working memory of the solvers that search for the acceleration.
#[derive(Clone, Debug, Default)]
struct PrimalWork {
    primal: Primal,
    /// Residuals of the candidates to start from, later of the iterate.
    jar: Vec<f64>,
    /// `M·qacc` of the iterate, over all degrees of freedom and by island.
    ma: Vec<f64>,
    ima: Vec<f64>,
    /// `jar` by island.
    ijar: Vec<f64>,
}

/// Whether the solver, or the pass after it, works on forces.
pub fn is_dual(m: &Model) -> bool {
    m.opt.solver == Solver::Pgs || m.opt.noslip_iterations > 0
}

/// Constrained acceleration and constraint forces.
pub fn constraint(m: &Model, d: &mut Data) {
    d.qfrc_constraint.fill(0.0);
    d.solver_niter = [0; NISLAND];
    if d.nefc == 0 {
        d.qacc.copy_from_slice(&d.qacc_smooth);
        return;
    }
    let mut rows = d.scratch.constraint.take();
    let mut work = d.scratch.solver.work.take().unwrap_or_default();
    let primal = match m.opt.solver {
        Solver::Pgs => None,
        Solver::Cg => Some(Method::ConjugateGradient),
        Solver::Newton => Some(Method::Newton),
    };
    let lent = primal == Some(Method::ConjugateGradient) && m.nv >= POOLED_FROM_DOFS;
    if lent {
        work.primal.conjugate = Some(d.prepared.pools.conjugate.take());
    }
    match primal {
        Some(method) => {
            let by_island = d.nisland > 0 && m.opt.noslip_iterations <= 0;
            // An island of everything needs no renumbering.
            let single = by_island && d.nisland == 1 && d.nidof == m.nv;
            if by_island && !single {
                start(m, &mut Whole::new(d, &rows, 1.0), &mut work, false);
                by_island::solve(m, d, &mut rows, &mut work, method);
            } else {
                solve_whole(m, d, &rows, &mut work, method, single);
            }
        }
        None => {
            let mut whole = Whole::new(d, &rows, whole_scale(m));
            start_dual(m, &mut whole, &mut work);
            solve_dual(m, &mut whole, Pass::Main);
        }
    }
    if m.opt.noslip_iterations > 0 {
        solve_dual(m, &mut Whole::new(d, &rows, whole_scale(m)), Pass::NoSlip);
    }
    if let Some(conjugate) = work.primal.conjugate.take_if(|_| lent) {
        d.prepared.pools.conjugate.put(conjugate);
    }
    d.scratch.constraint.put(rows);
    d.scratch.solver.work = Some(work);
}

/// Rows in the form that dual solvers need.
pub fn project(m: &Model, d: &mut Data) {
    if d.nefc == 0 || !is_dual(m) {
        return;
    }
    let rows = d.scratch.constraint.take();
    let Whole { problem, dual, .. } = Whole::new(d, &rows, whole_scale(m));
    dual.build(m.nv, &problem.inertia, &problem.rows.jacobian);
    d.scratch.constraint.put(rows);
}

/// Constraint forces that go with a given `qacc` (MuJoCo's `mj_invConstraint`).
pub fn inverse_constraint(_m: &Model, d: &mut Data) {
    let rows = d.scratch.constraint.take();
    let mut work = d.scratch.solver.work.take().unwrap_or_default();
    work.jar.resize(d.nefc, 0.0);
    rows.jacobian().mul_by_row(&d.qacc, &mut work.jar);
    work.jar.iter_mut().zip(&d.efc_aref).for_each(|(r, aref)| *r -= aref);
    update(d, &rows, &work.jar);
    d.scratch.constraint.put(rows);
    d.scratch.solver.work = Some(work);
}

/// Forces, states and `qfrc_constraint` at the residual `jar`; returns the constraint cost
/// (MuJoCo's `mj_constraintUpdate`).
pub fn constraint_update(_m: &Model, d: &mut Data, jar: &[f64]) -> f64 {
    let rows = d.scratch.constraint.take();
    let cost = if jar.len() >= d.nefc { update(d, &rows, jar) } else { 0.0 };
    d.scratch.constraint.put(rows);
    cost
}

/// `J·x` over all rows.
pub fn mul_jacobian(d: &Data, x: &[f64], y: &mut [f64]) {
    d.scratch.constraint.jacobian().mul(x, y);
}

/// `Jᵀ·f` over all rows.
pub fn mul_jacobian_transposed(d: &Data, f: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    d.scratch.constraint.jacobian().tmul_add(f, y);
}

/// Force and torque of a contact, in the contact frame; zero if it has no rows.
pub fn contact_force(m: &Model, d: &Data, id: usize) -> [f64; 6] {
    let mut result = [0.0; 6];
    let Some(contact) = d.contact[..d.ncon.min(d.contact.len())].get(id) else { return result };
    let Ok(first) = usize::try_from(contact.efc_address) else { return result };
    let dim = (contact.dim.max(1) as usize).min(6);
    let pyramid = is_pyramidal(m) && dim > 1;
    let count = if pyramid { 2 * (dim - 1) } else { dim };
    let Some(force) = d.efc_force.get(first..first + count) else { return result };
    if pyramid {
        for (k, pair) in force.chunks_exact(2).enumerate() {
            result[0] += pair[0] + pair[1];
            result[k + 1] = (pair[0] - pair[1]) * contact.friction[k];
        }
    } else {
        result[..dim].copy_from_slice(force);
    }
    result
}

fn update(d: &mut Data, rows: &Constraints, jar: &[f64]) -> f64 {
    let Whole { problem, force, state, qfrc_constraint, .. } = Whole::new(d, rows, 1.0);
    let cost = cost::update(&problem.rows, jar, force, state).cost;
    problem.rows.jacobian.tmul_by_row(force, qfrc_constraint);
    cost
}

/// `J·x − aref`.
fn residual(rows: &Jacobian<'_>, x: &[f64], aref: &[f64], out: &mut [f64]) {
    rows.mul(x, out);
    for (r, a) in out.iter_mut().zip(aref) {
        *r -= a;
    }
}

/// The inertia of all degrees of freedom; borrows no other fields of the data.
macro_rules! whole_inertia {
    ($data:expr) => {
        $crate::solve::problem::Inertia {
            dofs: None,
            pattern: &$data.prepared.structure.mass,
            matrix: &$data.M,
            factor: &$data.qLD,
            diaginv: &$data.qLDiagInv,
        }
    };
}

use whole_inertia;

/// The whole problem, and what goes with it in the data.
struct Whole<'a> {
    problem: Problem<'a>,
    aref: &'a [f64],
    warmstart: &'a [f64],
    qacc: &'a mut [f64],
    /// The residual of the unconstrained acceleration.
    residuals: &'a mut [f64],
    force: &'a mut [f64],
    state: &'a mut [i32],
    /// States of an island of everything.
    island_state: &'a mut [i32],
    qfrc_constraint: &'a mut [f64],
    stats: &'a mut SolverStats,
    niter: &'a mut [i32; NISLAND],
    nnz: &'a mut [i32; NISLAND],
    dual: &'a mut Dual,
    has_islands: bool,
    /// Degrees of freedom outside all islands, where there are any.
    others: &'a [i32],
}

impl<'a> Whole<'a> {
    #[inline(always)]
    fn new(d: &'a mut Data, rows: &'a Constraints, scale: f64) -> Whole<'a> {
        let inertia = whole_inertia!(d);
        let jacobian = rows.jacobian();
        let rows = Rows::new(jacobian, &d.efc_D, &d.efc_R, &d.efc_frictionloss, d.ne, d.nf);
        let (qfrc_smooth, qacc_smooth) = (&d.qfrc_smooth[..], &d.qacc_smooth[..]);
        let has_islands = d.nisland > 0;
        Whole {
            problem: Problem { rows, inertia, qfrc_smooth, qacc_smooth, scale },
            aref: &d.efc_aref,
            warmstart: &d.qacc_warmstart,
            qacc: &mut d.qacc,
            residuals: &mut d.efc_b,
            force: &mut d.efc_force,
            state: &mut d.efc_state,
            island_state: &mut d.iefc_state,
            qfrc_constraint: &mut d.qfrc_constraint,
            stats: &mut d.solver,
            niter: &mut d.solver_niter,
            nnz: &mut d.solver_nnz,
            dual: &mut d.scratch.solver.dual,
            has_islands,
            others: if has_islands { &d.map_idof2dof[d.nidof..] } else { &[] },
        }
    }

    /// Outside all islands there is nothing to solve.
    fn release_others(&mut self) {
        for &dof in self.others {
            self.qacc[dof as usize] = self.problem.qacc_smooth[dof as usize];
        }
    }
}

fn limits(m: &Model) -> Limits {
    Limits {
        iterations: m.opt.iterations.max(0) as usize,
        tolerance: m.opt.tolerance.max(0.0),
        ls_iterations: m.opt.ls_iterations.max(0) as usize,
        ls_tolerance: m.opt.ls_tolerance,
        sparse: is_sparse(m),
    }
}

/// Scale of cost and gradient for a problem that is solved as a whole.
fn whole_scale(m: &Model) -> f64 {
    1.0 / (m.stat.meaninertia * m.nv.max(1) as f64)
}

/// Starts and solves the problem as a whole; with `single`, as an island of everything.
#[inline(never)]
fn solve_whole(
    m: &Model,
    d: &mut Data,
    rows: &Constraints,
    work: &mut PrimalWork,
    method: Method,
    single: bool,
) {
    let scale = if single { 1.0 / whole_inertia!(d).trace(m.nv) } else { whole_scale(m) };
    if single {
        d.iefc_state.resize(d.nefc, 0);
    }
    let (limits, loaded) = (limits(m), method == Method::Newton);
    let mut whole = Whole::new(d, rows, scale);
    start(m, &mut whole, work, loaded);
    let Whole { problem, qacc, force, state, island_state, qfrc_constraint, stats, .. } =
        &mut whole;
    let mut x = Iterate {
        qacc,
        ma: &mut work.ma,
        jar: &mut work.jar,
        force,
        state: if single { island_state } else { state },
        qfrc_constraint,
    };
    let outcome = work.primal.solve(problem, method, &limits, loaded, &mut x, |iteration, stat| {
        stats.record(0, iteration, stat);
    });
    whole.niter[0] = outcome.iterations as i32;
    whole.nnz[0] = nonzeros(m, m.nv, &outcome);
    if single && m.opt.disabled(DisableBit::WarmStart) {
        whole.state.copy_from_slice(whole.island_state);
    }
}

/// Size of the Hessian: in full if the model's matrices are dense, as MuJoCo has it, else what is
/// stored.
fn nonzeros(m: &Model, n: usize, outcome: &Outcome) -> i32 {
    (if is_sparse(m) || outcome.nonzeros == 0 { outcome.nonzeros } else { n * n }) as i32
}

fn finite(x: &[f64]) -> bool {
    x.iter().all(|x| x.is_finite())
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Main,
    NoSlip,
}

/// Projected Gauss-Seidel, or noslip after another solver; then back to accelerations.
fn solve_dual(m: &Model, whole: &mut Whole<'_>, pass: Pass) {
    let Whole { problem, qacc, force, state, qfrc_constraint, .. } = whole;
    let done = whole.niter[0].max(0) as usize;
    let (iterations, tolerance) = match pass {
        Pass::Main => (m.opt.iterations, m.opt.tolerance),
        Pass::NoSlip => (m.opt.noslip_iterations, m.opt.noslip_tolerance),
    };
    let dual_problem = DualProblem {
        rows: problem.rows,
        b: whole.residuals,
        scale: problem.scale,
        tolerance: tolerance.max(0.0),
        iterations: iterations.max(0) as usize,
    };
    let solve = match pass {
        Pass::Main => pgs::solve,
        Pass::NoSlip => noslip::solve,
    };
    let count = solve(&dual_problem, whole.dual, force, state, |iteration, stat| {
        whole.stats.record(0, done + iteration, stat);
    });
    whole.niter[0] += count as i32;
    if pass == Pass::Main {
        whole.nnz[0] = (force.len() * force.len()) as i32;
    }
    qfrc_constraint.fill(0.0);
    problem.rows.jacobian.tmul_add(force, qfrc_constraint);
    if !is_sparse(m) && !finite(force) {
        qfrc_constraint.fill(f64::NAN);
    }
    qacc.copy_from_slice(qfrc_constraint);
    problem.inertia.solve(qacc);
    for (a, smooth) in qacc.iter_mut().zip(problem.qacc_smooth) {
        *a += smooth;
    }
}
