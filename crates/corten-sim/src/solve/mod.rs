//! Constraint solvers: constrained acceleration and constraint forces.
//!
//! [`constraint`] answers to `mj_fwdConstraint`: it chooses a starting point, runs the model's
//! solver over each island or over everything, and noslip on request. The solvers themselves see
//! only a [`problem::Problem`].

mod by_island;
mod conjugate;
pub mod cost;
pub(crate) mod disjoint;
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
mod xpbd;

use corten_math::memory::Grow;
use corten_math::wide;
use corten_model::Options;
use corten_model::enums::{ConstraintType, DisableBit, Solver};

pub(crate) use conjugate::Conjugate;
pub use dual::materialize_dual;
pub use island_view::materialize_islands;
pub(crate) use worst_row::{bad_row, row_place, strongest_row};

use corten_math::hint::rarely;
use dual::Dual;

use crate::sleepers::unsettled_dofs;
use crate::stage::constraint::{is_pyramidal, is_sparse};
use crate::{Data, Model, NISLAND, SolverStats};
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
    /// Made when first needed.
    work: Option<Box<PrimalWork>>,
    /// Rows in the form of the dual solvers.
    pub(crate) dual: Dual,
    /// Of the solver by positions; made when first needed.
    xpbd: Option<Box<xpbd::Scratch>>,
    /// The first row of the last problem that conjugate gradients did not solve.
    pub(crate) unsolved_row: usize,
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
    matches!(m.opt.solver, Solver::Pgs | Solver::Xpbd) || m.opt.noslip_iterations > 0
}

/// Constrained acceleration and constraint forces.
pub fn constraint(m: &Model, d: &mut Data) {
    for dofs in unsettled_dofs!(m, d).ranges() {
        d.qfrc_constraint[dofs.clone()].fill(0.0);
        if d.nefc == 0 {
            d.qacc[dofs.clone()].copy_from_slice(&d.qacc_smooth[dofs]);
        }
    }
    d.solver_niter.fill(0);
    if d.nefc == 0 {
        return;
    }
    let method = match m.opt.solver {
        Solver::Pgs | Solver::Xpbd => None,
        Solver::Cg | Solver::CgStrict => Some(Method::ConjugateGradient),
        Solver::Newton => Some(Method::Newton),
    };
    // The solver may have been changed since the rows were made.
    if is_dual(m) && d.scratch.solver.dual.rows() != d.nefc {
        project(m, d);
    }
    let pooled = method == Some(Method::ConjugateGradient) && m.nv >= POOLED_FROM_DOFS;
    if pooled {
        let work = d.scratch.solver.work.get_or_insert_default();
        work.primal.conjugate = Some(d.prepared.pools.conjugate.take());
    }
    let by_island = method.is_some() && d.nisland > 0 && m.opt.noslip_iterations <= 0;
    if !by_island {
        // The whole has sleepers in it.
        d.scratch.sleepers.memory.unsettle();
    }
    match method {
        Some(method) => {
            // An island of everything needs no renumbering.
            let single = by_island && d.nisland == 1 && d.nidof == m.nv;
            let fits = if by_island && !single {
                by_island::solve(m, d, method)
            } else {
                solve_whole(m, d, method, single)
            };
            if !fits {
                d.give_up_rows("the Hessian of the solver");
            }
        }
        None if m.opt.solver == Solver::Xpbd => {
            let substeps = m.opt.xpbd_substeps.clamp(1, Options::MOST_XPBD_SUBSTEPS);
            solve_by_positions(m, d, substeps as usize, m.opt.iterations.max(1) as usize);
        }
        None => {
            let limits = limits(m, d);
            let mut whole = Whole::new(d, whole_scale(m));
            start_dual(m, &mut whole);
            solve_dual(m, &mut whole, Pass::Main, limits);
        }
    }
    if m.opt.noslip_iterations > 0 && d.nefc > 0 {
        let limits = limits(m, d);
        solve_dual(m, &mut Whole::new(d, whole_scale(m)), Pass::NoSlip, limits);
    }
    limit_forces(d);
    d.stop_if_cancelled();
    let work = d.scratch.solver.work.as_mut();
    if pooled && let Some(conjugate) = work.and_then(|work| work.primal.conjugate.take()) {
        d.prepared.pools.conjugate.put(conjugate);
    }
}

/// [`constraint`] by positions, whatever the options say.
pub(crate) fn constraint_by_positions(m: &Model, d: &mut Data, substeps: usize, iterations: usize) {
    d.qfrc_constraint.fill(0.0);
    d.solver_niter.fill(0);
    if d.nefc == 0 {
        d.qacc.copy_from_slice(&d.qacc_smooth);
        return;
    }
    if d.scratch.solver.dual.rows() != d.nefc || !is_dual(m) {
        build_dual(m, d);
    }
    solve_by_positions(m, d, substeps, iterations);
    limit_forces(d);
    d.stop_if_cancelled();
}

/// Constraint forces from elsewhere, and what follows from them.
pub(crate) fn set_forces(d: &mut Data, force: &[f64]) {
    if d.nefc == 0 {
        d.qfrc_constraint.fill(0.0);
        d.qacc.copy_from_slice(&d.qacc_smooth);
        return;
    }
    d.efc_force.copy_from_slice(force);
    let jacobian = d.scratch.constraint.jacobian();
    let rows = Rows::new(jacobian, &d.efc_D, &d.efc_R, &d.efc_frictionloss, d.ne, d.nf);
    dual::states(&rows, &d.efc_force, &mut d.efc_state);
    rows.jacobian.tmul_by_row(&d.efc_force, &mut d.qfrc_constraint);
    d.qacc.copy_from_slice(&d.qfrc_constraint);
    whole_inertia!(d).solve(&mut d.qacc);
    d.qacc.iter_mut().zip(&d.qacc_smooth).for_each(|(a, smooth)| *a += smooth);
    limit_forces(d);
}

/// `x ← M⁻¹ x`.
pub(crate) fn solve_inertia(d: &Data, x: &mut [f64]) {
    whole_inertia!(d).solve(x);
}

/// No rows any more, hence no constraint forces.
pub(crate) fn release(d: &mut Data) {
    d.clear_constraints();
    d.qfrc_constraint.fill(0.0);
    d.qacc.copy_from_slice(&d.qacc_smooth);
    d.solver_niter.fill(0);
    for contact in &mut d.contact {
        contact.efc_address = -1;
    }
}

/// Forces of limits by joint and by tendon. The arrays are zero since the rows were made.
fn limit_forces(d: &mut Data) {
    // A joint at both of its limits has two rows: the first stays.
    for row in (d.ne + d.nf..d.ne + d.nf + d.nl).rev() {
        let forces = match ConstraintType::from_raw(d.efc_type[row]) {
            Some(ConstraintType::LimitTendon) => &mut d.ten_limit_frc,
            _ => &mut d.jnt_limit_frc,
        };
        if let Some(force) = forces.get_mut(d.efc_id[row] as usize) {
            *force = d.efc_force[row];
        }
    }
}

/// Rows in the form that dual solvers need.
pub fn project(m: &Model, d: &mut Data) {
    if d.nefc == 0 || !is_dual(m) {
        return;
    }
    build_dual(m, d);
}

fn build_dual(m: &Model, d: &mut Data) {
    let jacobian = d.scratch.constraint.jacobian();
    d.scratch.solver.dual.build(m.nv, &whole_inertia!(d), &jacobian);
}

/// Constraint forces that go with a given `qacc` (MuJoCo's `mj_invConstraint`).
pub fn inverse_constraint(_m: &Model, d: &mut Data) {
    if d.nefc == 0 {
        return d.qfrc_constraint.fill(0.0);
    }
    let mut whole = Whole::new(d, 1.0);
    whole.problem.rows.jacobian.mul_by_row(whole.qacc, whole.jar);
    whole.jar.iter_mut().zip(whole.aref).for_each(|(r, aref)| *r -= aref);
    whole.update();
    limit_forces(d);
}

/// Forces, states and `qfrc_constraint` at the residual `jar`; returns the constraint cost
/// (MuJoCo's `mj_constraintUpdate`).
pub fn constraint_update(_m: &Model, d: &mut Data, jar: &[f64]) -> f64 {
    let Some(jar) = jar.get(..d.nefc).filter(|jar| !jar.is_empty()) else {
        d.qfrc_constraint.fill(0.0);
        return 0.0;
    };
    let mut whole = Whole::new(d, 1.0);
    whole.jar.copy_from_slice(jar);
    whole.update()
}

/// `J·x` over all rows.
pub fn mul_jacobian(d: &Data, x: &[f64], y: &mut [f64]) {
    // Rows that have been forgotten are still in the working memory.
    if d.nefc > 0 {
        d.scratch.constraint.jacobian().mul(x, y);
    }
}

/// `Jᵀ·f` over all rows.
pub fn mul_jacobian_transposed(d: &Data, f: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    if d.nefc > 0 {
        d.scratch.constraint.jacobian().tmul_add(f, y);
    }
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

/// `J·x − aref`.
fn residual(rows: &Jacobian<'_>, x: &[f64], aref: &[f64], out: &mut [f64]) {
    rows.mul(x, out);
    subtract(out, aref);
}

/// `J·x − aref` for two accelerations.
fn residual_pair(rows: &Jacobian<'_>, x: [&[f64]; 2], aref: &[f64], mut out: [&mut [f64]; 2]) {
    rows.mul_pair(x, out.each_mut().map(|y| &mut **y));
    for out in out {
        subtract(out, aref);
    }
}

wide! {
    fn subtract(from: &mut [f64], what: &[f64]) {
        from.iter_mut().zip(what).for_each(|(x, what)| *x -= what);
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
    /// `M·qacc` and `J·qacc − aref`, to be filled by whoever needs them.
    ma: &'a mut [f64],
    jar: &'a mut [f64],
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
    primal: &'a mut Primal,
    dual: &'a mut Dual,
    has_islands: bool,
    /// Degrees of freedom outside all islands, where there are any.
    others: &'a [i32],
}

impl<'a> Whole<'a> {
    #[inline(always)]
    fn new(d: &'a mut Data, scale: f64) -> Whole<'a> {
        let inertia = whole_inertia!(d);
        let jacobian = d.scratch.constraint.jacobian();
        let SolverScratch { work, dual, .. } = &mut d.scratch.solver;
        let PrimalWork { primal, jar, ma, .. } = &mut **work.get_or_insert_default();
        jar.grow_resize(d.nefc, 0.0);
        ma.grow_resize(d.qacc.len(), 0.0);
        let rows = Rows::new(jacobian, &d.efc_D, &d.efc_R, &d.efc_frictionloss, d.ne, d.nf);
        let (qfrc_smooth, qacc_smooth) = (&d.qfrc_smooth[..], &d.qacc_smooth[..]);
        let has_islands = d.nisland > 0;
        Whole {
            problem: Problem { rows, inertia, qfrc_smooth, qacc_smooth, scale },
            aref: &d.efc_aref,
            warmstart: &d.qacc_warmstart,
            qacc: &mut d.qacc,
            ma,
            jar,
            residuals: &mut d.efc_b,
            force: &mut d.efc_force,
            state: &mut d.efc_state,
            island_state: &mut d.iefc_state,
            qfrc_constraint: &mut d.qfrc_constraint,
            stats: &mut d.solver,
            niter: &mut d.solver_niter,
            nnz: &mut d.solver_nnz,
            primal,
            dual,
            has_islands,
            others: if has_islands { &d.map_idof2dof[d.nidof..] } else { &[] },
        }
    }

    /// Forces, states and `qfrc_constraint` at the residual `jar`; returns the cost.
    fn update(&mut self) -> f64 {
        let rows = &self.problem.rows;
        let cost = cost::update(rows, self.jar, self.force, self.state).cost;
        rows.jacobian.tmul_by_row(self.force, self.qfrc_constraint);
        cost
    }

    /// Outside all islands there is nothing to solve.
    fn release_others(&mut self) {
        for &dof in self.others {
            self.qacc[dof as usize] = self.problem.qacc_smooth[dof as usize];
        }
    }
}

/// The part of the budget that the Hessian may take: a factor that needs more takes minutes.
const HESSIAN_SHARE: usize = 5;
/// Matrices of the size of the Hessian: the mass matrix, the Hessian, its factor.
const MATRICES: usize = 3;

fn limits(m: &Model, d: &Data) -> Limits {
    Limits {
        max_nonzeros: d.budget.bytes / HESSIAN_SHARE / (MATRICES * size_of::<f64>()),
        iterations: m.opt.iterations.max(0) as usize,
        tolerance: m.opt.tolerance.max(0.0),
        ls_iterations: m.opt.ls_iterations.max(0) as usize,
        ls_tolerance: m.opt.ls_tolerance,
        sparse: is_sparse(m),
        cancel: d.cancel.clone(),
    }
}

/// Scale of cost and gradient for a problem that is solved as a whole.
fn whole_scale(m: &Model) -> f64 {
    1.0 / (m.stat.meaninertia * m.nv.max(1) as f64)
}

/// Starts and solves the problem as a whole; with `single`, as an island of everything. `false` if it is
/// too large.
#[inline(never)]
fn solve_whole(m: &Model, d: &mut Data, method: Method, single: bool) -> bool {
    let scale = if single { 1.0 / whole_inertia!(d).trace(m.nv) } else { whole_scale(m) };
    if single {
        d.iefc_state.grow_resize(d.nefc, 0);
    }
    let limits = limits(m, d);
    let whole = &mut Whole::new(d, scale);
    if !start(m, whole, Some(method), &limits) {
        return false;
    }
    if !whole.others.is_empty() {
        // The start has released them, but the product is that of the acceleration before.
        whole.problem.inertia.mul(whole.qacc, whole.ma);
    }
    let Whole { problem, qacc, ma, jar, force, qfrc_constraint, stats, .. } = whole;
    let state = if single { &mut *whole.island_state } else { &mut *whole.state };
    let mut x = Iterate { qacc, ma, jar, force, state, qfrc_constraint };
    let record = &mut |iteration, stat| stats.record(0, iteration, stat);
    let outcome = whole.primal.solve(problem, method, &limits, true, &mut x, record);
    whole.niter[0] = outcome.iterations as i32;
    whole.nnz[0] = nonzeros(m, m.nv, &outcome);
    if single && m.opt.disabled(DisableBit::WarmStart) {
        whole.state.copy_from_slice(whole.island_state);
    }
    if rarely(outcome.out_of_iterations) {
        d.solver.unconverged += 1;
        d.scratch.solver.unsolved_row = 0;
    }
    !outcome.too_large
}

/// Size of the Hessian: in full if the model's matrices are dense, as MuJoCo has it, else what is
/// stored.
fn nonzeros(m: &Model, n: usize, outcome: &Outcome) -> i32 {
    (if is_sparse(m) || outcome.nonzeros == 0 { outcome.nonzeros } else { n * n }) as i32
}

fn finite(x: &[f64]) -> bool {
    x.iter().all(|x| x.is_finite())
}

/// Extended position-based dynamics over all rows.
#[cold]
#[inline(never)]
fn solve_by_positions(m: &Model, d: &mut Data, substeps: usize, iterations: usize) {
    let limits = Limits { iterations, ..limits(m, d) };
    let mut memory = d.scratch.solver.xpbd.take().unwrap_or_default();
    let inertia = whole_inertia!(d);
    let jacobian = d.scratch.constraint.jacobian();
    let rows = Rows::new(jacobian, &d.efc_D, &d.efc_R, &d.efc_frictionloss, d.ne, d.nf);
    let (qfrc_smooth, qacc_smooth) = (&d.qfrc_smooth[..], &d.qacc_smooth[..]);
    let problem = Problem { rows, inertia, qfrc_smooth, qacc_smooth, scale: whole_scale(m) };
    let motion = xpbd::Motion {
        position: &d.efc_pos,
        margin: &d.efc_margin,
        velocity: &d.efc_vel,
        gains: &d.efc_KBIP,
        timestep: m.opt.timestep,
        substeps,
    };
    let SolverScratch { work, dual, .. } = &mut d.scratch.solver;
    let work = work.get_or_insert_default();
    work.ma.resize(d.qacc.len(), 0.0);
    residual(&problem.rows.jacobian, qacc_smooth, &d.efc_aref, &mut d.efc_b);
    let mut x = Iterate {
        qacc: &mut d.qacc,
        ma: &mut work.ma,
        jar: &mut d.efc_b,
        force: &mut d.efc_force,
        state: &mut d.efc_state,
        qfrc_constraint: &mut d.qfrc_constraint,
    };
    let record = &mut |iteration, stat| d.solver.record(0, iteration, stat);
    let done = xpbd::solve(&problem, &limits, motion, dual, &mut memory, &mut x, record);
    d.solver_niter[0] = done as i32;
    d.scratch.solver.xpbd = Some(memory);
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Main,
    NoSlip,
}

/// Projected Gauss-Seidel, or noslip after another solver; then back to accelerations.
fn solve_dual(m: &Model, whole: &mut Whole<'_>, pass: Pass, limits: Limits) {
    let done = whole.niter[0].max(0) as usize;
    let (iterations, tolerance) = match pass {
        Pass::Main => (m.opt.iterations, m.opt.tolerance),
        Pass::NoSlip => (m.opt.noslip_iterations, m.opt.noslip_tolerance),
    };
    let limits =
        Limits { iterations: iterations.max(0) as usize, tolerance: tolerance.max(0.0), ..limits };
    let solve = match pass {
        Pass::Main => pgs::solve,
        Pass::NoSlip => noslip::solve,
    };
    let Whole { problem, qacc, ma, force, state, qfrc_constraint, dual, stats, .. } = whole;
    let mut x = Iterate { qacc, ma, jar: whole.residuals, force, state, qfrc_constraint };
    let record = &mut |iteration, stat| stats.record(0, done + iteration, stat);
    whole.niter[0] += solve(problem, &limits, dual, &mut x, record) as i32;
    if pass == Pass::Main {
        whole.nnz[0] = (whole.force.len() * whole.force.len()) as i32;
    }
}
