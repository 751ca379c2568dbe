//! Constraint solvers: constrained acceleration and constraint forces.
//!
//! [`constraint`] answers to `mj_fwdConstraint`: it chooses a starting point, runs the model's
//! solver over each island or over everything, and the friction pass on request. The solvers
//! themselves see only a [`problem::Problem`].

mod conjugate;
pub mod cost;
pub(crate) mod crew;
pub mod dual;
mod exact;
mod hessian;
pub mod island;
mod island_view;
mod line_search;
mod noslip;
mod pgs;
pub mod primal;
pub mod problem;
mod qcqp;
pub mod rows;
#[cfg(test)]
mod tests;

use corten_model::Model;
use corten_model::enums::{ConstraintType, DisableBit, ObjType, Solver};

pub use dual::materialize_dual;
pub(crate) use exact::dot_stored;
pub use island_view::materialize_islands;

use crew::View;
use dual::Dual;
use exact::{Exact, Layout};

use crate::stage::constraint::{Constraints, is_pyramidal, is_sparse};
use crate::{Data, NISLAND, check};
use pgs::DualProblem;
use primal::{Iterate, Method, Outcome, Primal};
use problem::{Inertia, Limits, Problem, Rows};
use rows::Jacobian;

/// Working memory of the solvers.
#[derive(Clone, Debug, Default)]
pub struct SolverScratch {
    /// Apart, so that it can be taken out without being copied.
    work: Option<Box<Work>>,
    /// Rows in the form of the dual solvers.
    pub(crate) dual: Dual,
}

#[derive(Clone, Debug, Default)]
struct Work {
    primal: Primal,
    /// Residuals of the candidates to start from, later of the iterate.
    jar: Vec<f64>,
    /// `M·qacc` of the iterate, over all degrees of freedom and by island.
    ma: Vec<f64>,
    ima: Vec<f64>,
    /// `jar` by island.
    ijar: Vec<f64>,
    exact: Exact,
    /// Forces of a candidate.
    force: Vec<f64>,
}

/// Whether the solver, or the pass after it, works on forces.
pub fn is_dual(m: &Model) -> bool {
    m.opt.solver == Solver::Pgs.raw() || m.opt.noslip_iterations > 0
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
    let primal = match Solver::from_raw(m.opt.solver) {
        Some(Solver::Pgs) => None,
        Some(Solver::Cg) => Some(Method::ConjugateGradient),
        Some(Solver::Newton) | None => Some(Method::Newton),
    };
    match primal {
        Some(method) => {
            let by_island = d.nisland > 0 && m.opt.noslip_iterations <= 0;
            // An island of everything needs no renumbering.
            let single = by_island && d.nisland == 1 && d.nidof == m.nv;
            let load = method == Method::Newton && (single || !by_island);
            match exactness(m) {
                Some(layout) => start_exact(m, d, layout, &rows, &mut work),
                None => start(m, d, &rows, &mut work, load),
            }
            if single {
                solve_single(m, d, &rows, &mut work, method);
            } else if by_island {
                solve_islands(m, d, &mut rows, &mut work, method);
            } else {
                solve_whole(m, d, &rows, &mut work, method, whole_scale(m));
            }
        }
        None => {
            residual(&rows.jacobian(), &d.qacc_smooth, &d.efc_aref, &mut d.efc_b);
            start_dual(m, d, &rows, &mut work);
            solve_dual(m, d, &rows, Pass::Main);
        }
    }
    if m.opt.noslip_iterations > 0 {
        solve_dual(m, d, &rows, Pass::NoSlip);
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
    let mut dual = std::mem::take(&mut d.scratch.solver.dual);
    dual.build(m.nv, &whole_inertia(d), &rows.jacobian());
    d.scratch.solver.dual = dual;
    d.scratch.constraint.put(rows);
}

/// Constraint forces that go with a given `qacc` (MuJoCo's `mj_invConstraint`).
///
/// A residual is a small difference of large numbers, and stiff rows turn its last digit into a
/// force that shows: products are in MuJoCo's order.
pub fn inverse_constraint(m: &Model, d: &mut Data) {
    let rows = d.scratch.constraint.take();
    let mut work = d.scratch.solver.work.take().unwrap_or_default();
    let jacobian = rows.jacobian();
    work.jar.resize(d.nefc, 0.0);
    work.exact.residual(layout(m), &jacobian, &d.qacc, &d.efc_aref, &mut work.jar);
    let (mut force, mut state) = take_rows(d);
    exact::cost(&whole_rows(d, &rows), &work.jar, &mut force, &mut state);
    work.exact.transposed(&jacobian, &force, &mut d.qfrc_constraint);
    (d.efc_force, d.efc_state) = (force, state);
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

/// `efc_vel`, in the order of sums that the solver will use.
pub(crate) fn row_velocities(m: &Model, d: &mut Data) {
    let jacobian = d.scratch.constraint.jacobian();
    match exactness(m) {
        Some(layout) => {
            let work = d.scratch.solver.work.get_or_insert_default();
            work.exact.product(layout, &jacobian, &d.qvel, &mut d.efc_vel);
        }
        None => jacobian.mul(&d.qvel, &mut d.efc_vel),
    }
}

/// `qacc_smooth` for an exact search; false if that is not asked for.
pub(crate) fn unconstrained_exactly(m: &Model, d: &mut Data) -> bool {
    if exactness(m).is_none() || d.scratch.structure.mass.size() != m.nv {
        return false;
    }
    let mut work = d.scratch.solver.work.take().unwrap_or_default();
    let mut qacc = std::mem::take(&mut d.qacc_smooth);
    qacc.copy_from_slice(&d.qfrc_smooth);
    work.exact.solve_inertia(&whole_inertia(d), &mut qacc);
    d.qacc_smooth = qacc;
    d.scratch.solver.work = Some(work);
    true
}

/// `y = M x`, in MuJoCo's order of sums.
pub(crate) fn mul_inertia(d: &Data, x: &[f64], y: &mut [f64]) {
    exact::mul_inertia(&whole_inertia(d), x, y);
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
    let jacobian = rows.jacobian();
    let (mut force, mut state) = take_rows(d);
    let cost = cost::update(&whole_rows(d, rows), jar, &mut force, &mut state).cost;
    (d.efc_force, d.efc_state) = (force, state);
    d.qfrc_constraint.fill(0.0);
    jacobian.tmul_add(&d.efc_force, &mut d.qfrc_constraint);
    cost
}

/// The first row that is not finite, or whose force is not though the acceleration that it
/// answers to was.
pub(crate) fn bad_row(d: &Data) -> Option<usize> {
    let finite = |i: usize| d.efc_aref[i].is_finite() && d.efc_D[i].is_finite();
    (0..d.nefc).find(|&i| !finite(i) || !d.efc_force[i].is_finite())
}

/// The row that pushes a degree of freedom most.
pub(crate) fn strongest_row(d: &Data, dof: usize) -> Option<usize> {
    let jacobian = d.scratch.constraint.jacobian();
    let mut unit = vec![0.0; d.qacc.len()];
    *unit.get_mut(dof)? = 1.0;
    let mut column = vec![0.0; d.nefc];
    jacobian.mul(&unit, &mut column);
    let push = |i: &usize| (column[*i] * d.efc_force[*i]).abs();
    (0..d.nefc).max_by(|a, b| push(a).total_cmp(&push(b))).filter(|i| push(i) > 0.0)
}

/// What a row belongs to, in words.
pub(crate) fn row_place(m: &Model, d: &Data, row: usize) -> String {
    let id = d.efc_id[row].max(0) as usize;
    let named = |kind| check::name(m, kind, id);
    match ConstraintType::from_raw(d.efc_type[row]) {
        Some(ConstraintType::Equality) => format!("equality {}", named(ObjType::Equality)),
        Some(ConstraintType::FrictionDof) => format!("friction of degree of freedom {id}"),
        Some(ConstraintType::LimitJoint) => format!("limit of joint {}", named(ObjType::Joint)),
        Some(ConstraintType::FrictionTendon) => {
            format!("friction of tendon {}", named(ObjType::Tendon))
        }
        Some(ConstraintType::LimitTendon) => format!("limit of tendon {}", named(ObjType::Tendon)),
        _ => {
            let geoms = d.contact.get(id).map_or([-1; 2], |c| c.geom);
            let [a, b] = geoms.map(|g| {
                let geom = g.max(0) as usize;
                let body = m.geom_bodyid.get(geom).map_or(0, |&b| b.max(0) as usize);
                let (geom, body) =
                    (check::name(m, ObjType::Geom, geom), check::name(m, ObjType::Body, body));
                format!("geom {geom} of body {body}")
            });
            format!("contact of {a} and {b}")
        }
    }
}

/// `J·x − aref`.
fn residual(rows: &Jacobian<'_>, x: &[f64], aref: &[f64], out: &mut [f64]) {
    rows.mul(x, out);
    for (r, a) in out.iter_mut().zip(aref) {
        *r -= a;
    }
}

/// Forces and states, out of the way of the other row arrays.
fn take_rows(d: &mut Data) -> (Vec<f64>, Vec<i32>) {
    (std::mem::take(&mut d.efc_force), std::mem::take(&mut d.efc_state))
}

fn whole_rows<'a>(d: &'a Data, rows: &'a Constraints) -> Rows<'a> {
    Rows::new(rows.jacobian(), &d.efc_D, &d.efc_R, &d.efc_frictionloss, d.ne, d.nf)
}

fn whole_problem<'a>(d: &'a Data, rows: &'a Constraints, scale: f64) -> Problem<'a> {
    Problem {
        rows: whole_rows(d, rows),
        inertia: whole_inertia(d),
        qfrc_smooth: &d.qfrc_smooth,
        qacc_smooth: &d.qacc_smooth,
        scale,
    }
}

fn whole_inertia(d: &Data) -> Inertia<'_> {
    Inertia {
        dofs: None,
        pattern: &d.scratch.structure.mass,
        matrix: &d.M,
        factor: &d.qLD,
        diaginv: &d.qLDiagInv,
    }
}

/// Chooses between the last step's acceleration and the unconstrained one, by cost, for `qacc`;
/// leaves `work.jar` and `work.ma` to match. With `load`, the whole problem is loaded for Newton's
/// method, whose products are then used.
fn start(m: &Model, d: &mut Data, rows: &Constraints, work: &mut Work, load: bool) {
    work.jar.resize(d.nefc, 0.0);
    work.ma.resize(m.nv, 0.0);
    let mut residuals = std::mem::take(&mut d.efc_b);
    let problem = whole_problem(d, rows, 1.0);
    let primal = &mut work.primal;
    primal.begin();
    if load {
        primal.load(&problem, m.nv);
    }
    let mut products = |x: &[f64], jar: &mut [f64], ma: Option<&mut [f64]>| {
        if load {
            return primal.products(&problem, &d.efc_aref, x, jar, ma);
        }
        residual(&problem.rows.jacobian, x, &d.efc_aref, jar);
        if let Some(ma) = ma {
            problem.inertia.mul(x, ma);
        }
    };
    let unconstrained = m.opt.disabled(DisableBit::WarmStart) || {
        let (free, warm) = (problem.qacc_smooth, &d.qacc_warmstart);
        products(free, &mut residuals, None);
        products(warm, &mut work.jar, Some(&mut work.ma));
        let gauss = problem::gauss(&work.ma, problem.qfrc_smooth, warm, free);
        let total = |x: &[f64]| cost::total(&problem.rows, x);
        total(&work.jar) + gauss > total(&residuals)
    };
    if unconstrained {
        products(problem.qacc_smooth, &mut residuals, Some(&mut work.ma));
        work.jar.copy_from_slice(&residuals);
    }
    // The public states stay those of the unconstrained acceleration when islands are solved, as
    // in MuJoCo.
    if d.nisland > 0 && !m.opt.disabled(DisableBit::WarmStart) {
        let mut state = std::mem::take(&mut d.efc_state);
        cost::states(&whole_rows(d, rows), &residuals, &mut state);
        d.efc_state = state;
    }
    d.efc_b = residuals;
    d.qacc.copy_from_slice(if unconstrained { &d.qacc_smooth } else { &d.qacc_warmstart });
    release_others(d);
}

/// [`start`] for an exact search: the same choice in MuJoCo's order of operations; leaves the
/// reference acceleration in `work.jar`.
fn start_exact(m: &Model, d: &mut Data, layout: Layout, rows: &Constraints, work: &mut Work) {
    let jacobian = rows.jacobian();
    for v in [&mut work.jar, &mut work.force] {
        v.resize(d.nefc, 0.0);
    }
    work.ma.clear();
    work.ma.resize(m.nv, 0.0);
    work.exact.residual(layout, &jacobian, &d.qacc_smooth, &d.efc_aref, &mut d.efc_b);
    d.qacc.copy_from_slice(&d.qacc_smooth);
    if m.opt.disabled(DisableBit::WarmStart) {
        d.efc_force.fill(0.0);
    } else {
        let warm = &d.qacc_warmstart;
        work.exact.residual(layout, &jacobian, warm, &d.efc_aref, &mut work.jar);
        let (mut force, mut state) = take_rows(d);
        let whole = whole_rows(d, rows);
        let cost = exact::add_gauss(
            exact::cost(&whole, &work.jar, &mut work.force, &mut state),
            &whole_inertia(d),
            &mut work.ma,
            &d.qacc_warmstart,
            &d.qfrc_smooth,
            &d.qacc_smooth,
        );
        let smooth = exact::cost(&whole, &d.efc_b, &mut force, &mut state);
        (d.efc_force, d.efc_state) = (force, state);
        if cost > smooth {
            d.qacc.copy_from_slice(&d.qacc_smooth);
        } else {
            d.qacc.copy_from_slice(&d.qacc_warmstart);
        }
        release_others(d);
    }
    work.jar.copy_from_slice(&d.efc_aref);
}

/// Outside all islands there is nothing to solve.
fn release_others(d: &mut Data) {
    if d.nisland > 0 {
        for &dof in &d.map_idof2dof[d.nidof..] {
            d.qacc[dof as usize] = d.qacc_smooth[dof as usize];
        }
    }
}

/// Chooses between the forces of the last step's acceleration and none.
fn start_dual(m: &Model, d: &mut Data, rows: &Constraints, work: &mut Work) {
    if m.opt.disabled(DisableBit::WarmStart) {
        d.efc_force.fill(0.0);
        d.qacc.copy_from_slice(&d.qacc_smooth);
        return;
    }
    d.qacc.copy_from_slice(&d.qacc_warmstart);
    work.jar.resize(d.nefc, 0.0);
    residual(&rows.jacobian(), &d.qacc_warmstart, &d.efc_aref, &mut work.jar);
    let (mut force, mut state) = take_rows(d);
    cost::update(&whole_rows(d, rows), &work.jar, &mut force, &mut state);
    // Dense products take what is not a number to every row.
    let numbers = finite(&d.qacc_warmstart) && finite(&d.qacc_smooth);
    if !is_sparse(m) && !numbers {
        force.fill(f64::NAN);
    }
    let mut dual = std::mem::take(&mut d.scratch.solver.dual);
    if dual_cost(d, &mut dual, &force) > 0.0 {
        force.fill(0.0);
    }
    d.scratch.solver.dual = dual;
    (d.efc_force, d.efc_state) = (force, state);
    release_others(d);
}

/// `½ fᵀ(A + R) f + bᵀ f`.
fn dual_cost(d: &Data, dual: &mut Dual, force: &[f64]) -> f64 {
    dual.set_forces(force);
    let mut cost = 0.5 * problem::dot(&dual.u, &dual.u);
    for (i, f) in force.iter().enumerate() {
        cost += f * d.efc_b[i] + 0.5 * d.efc_R[i] * f * f;
    }
    cost
}

fn limits(m: &Model) -> Limits {
    Limits {
        iterations: m.opt.iterations.max(0) as usize,
        tolerance: m.opt.tolerance,
        ls_iterations: m.opt.ls_iterations.max(0) as usize,
        ls_tolerance: m.opt.ls_tolerance,
        sparse: is_sparse(m),
        exact: exactness(m),
    }
}

/// At zero tolerance rounding decides where the search ends.
fn exactness(m: &Model) -> Option<Layout> {
    (m.opt.tolerance <= 0.0).then(|| layout(m))
}

fn layout(m: &Model) -> Layout {
    if is_sparse(m) { Layout::Sparse } else { Layout::Dense }
}

/// Scale of cost and gradient for a problem that is solved as a whole.
fn whole_scale(m: &Model) -> f64 {
    1.0 / (m.stat.meaninertia * m.nv.max(1) as f64)
}

fn solve_whole(
    m: &Model,
    d: &mut Data,
    rows: &Constraints,
    work: &mut Work,
    method: Method,
    scale: f64,
) {
    let mut stats = std::mem::take(&mut d.solver);
    let mut qacc = std::mem::take(&mut d.qacc);
    let (mut force, mut state) = take_rows(d);
    let mut qfrc_constraint = std::mem::take(&mut d.qfrc_constraint);
    let problem = whole_problem(d, rows, scale);
    let mut x = Iterate {
        qacc: &mut qacc,
        ma: &mut work.ma,
        jar: &mut work.jar,
        force: &mut force,
        state: &mut state,
        qfrc_constraint: &mut qfrc_constraint,
    };
    let loaded = method == Method::Newton;
    let outcome =
        work.primal.solve(&problem, method, &limits(m), loaded, &mut x, |iteration, stat| {
            stats.record(0, iteration, stat);
        });
    (d.qacc, d.efc_force, d.efc_state, d.qfrc_constraint) = (qacc, force, state, qfrc_constraint);
    d.solver = stats;
    d.solver_niter[0] = outcome.iterations as i32;
    d.solver_nnz[0] = nonzeros(m, m.nv, &outcome);
}

/// Size of the Hessian: in full if the model's matrices are dense, as MuJoCo has it, else what is
/// stored.
fn nonzeros(m: &Model, n: usize, outcome: &Outcome) -> i32 {
    (if is_sparse(m) || outcome.nonzeros == 0 { outcome.nonzeros } else { n * n }) as i32
}

fn solve_islands(m: &Model, d: &mut Data, rows: &mut Constraints, work: &mut Work, method: Method) {
    gather_islands(d, work);
    let report = |d: &mut Data, island: usize, outcome: &Outcome| {
        if island < NISLAND {
            d.solver_niter[island] = outcome.iterations as i32;
            d.solver_nnz[island] = nonzeros(m, d.island_nv[island] as usize, outcome);
        }
    };
    if d.scratch.threads.help(d.nisland, d.nefc) {
        let mut crew = d.scratch.threads.take();
        let start = [&mut work.ima, &mut work.ijar];
        crew.solve(d, rows, start, method, limits(m), report);
        d.scratch.threads.keep(crew);
    } else {
        solve_in_turn(m, d, rows, work, method, report);
    }
    scatter_islands(m, d);
}

/// An island of everything.
fn solve_single(m: &Model, d: &mut Data, rows: &Constraints, work: &mut Work, method: Method) {
    let scale = 1.0 / whole_inertia(d).trace(m.nv);
    let seen = std::mem::take(&mut d.efc_state);
    d.efc_state = std::mem::take(&mut d.iefc_state);
    d.efc_state.resize(d.nefc, 0);
    solve_whole(m, d, rows, work, method, scale);
    d.iefc_state = std::mem::replace(&mut d.efc_state, seen);
    if m.opt.disabled(DisableBit::WarmStart) {
        d.efc_state.copy_from_slice(&d.iefc_state);
    }
}

/// One island after the other.
fn solve_in_turn(
    m: &Model,
    d: &mut Data,
    rows: &Constraints,
    work: &mut Work,
    method: Method,
    report: impl Fn(&mut Data, usize, &Outcome),
) {
    let mut stats = std::mem::take(&mut d.solver);
    let mut iacc = std::mem::take(&mut d.iacc);
    let mut iforce = std::mem::take(&mut d.iefc_force);
    let mut istate = std::mem::take(&mut d.iefc_state);
    let mut ifrc_constraint = std::mem::take(&mut d.ifrc_constraint);
    let mut limits = limits(m);
    for island in 0..d.nisland {
        let view = island_problems(d, rows);
        let (dofs, efcs) = (view.dofs(island), view.efcs(island));
        let mut x = Iterate {
            qacc: &mut iacc[dofs.clone()],
            ma: &mut work.ima[dofs.clone()],
            jar: &mut work.ijar[efcs.clone()],
            force: &mut iforce[efcs.clone()],
            state: &mut istate[efcs],
            qfrc_constraint: &mut ifrc_constraint[dofs],
        };
        let problem = view.problem(island);
        limits.sparse &= island < NISLAND;
        let outcome =
            work.primal.solve(&problem, method, &limits, false, &mut x, |iteration, stat| {
                stats.record(island, iteration, stat);
            });
        report(d, island, &outcome);
    }
    d.solver = stats;
    (d.iacc, d.ifrc_constraint) = (iacc, ifrc_constraint);
    (d.iefc_force, d.iefc_state) = (iforce, istate);
}

fn island_problems<'a>(d: &'a Data, rows: &'a Constraints) -> View<'a> {
    View {
        rows,
        islands: &d.scratch.islands,
        inertia: whole_inertia(d),
        idof2dof: &d.map_idof2dof,
        idofadr: &d.island_idofadr,
        nv: &d.island_nv,
        iefcadr: &d.island_iefcadr,
        nefc: &d.island_nefc,
        ne: &d.island_ne,
        nf: &d.island_nf,
        d: &d.iefc_D,
        r: &d.iefc_R,
        frictionloss: &d.iefc_frictionloss,
        qfrc_smooth: &d.ifrc_smooth,
        qacc_smooth: &d.iacc_smooth,
    }
}

/// Answers of the islands in the order of degrees of freedom and rows.
fn scatter_islands(m: &Model, d: &mut Data) {
    for (i, &dof) in d.map_idof2dof[..d.nidof].iter().enumerate() {
        d.qacc[dof as usize] = d.iacc[i];
        d.qfrc_constraint[dof as usize] = d.ifrc_constraint[i];
    }
    for (i, &row) in d.map_iefc2efc.iter().enumerate() {
        d.efc_force[row as usize] = d.iefc_force[i];
    }
    if m.opt.disabled(DisableBit::WarmStart) {
        for (i, &row) in d.map_iefc2efc.iter().enumerate() {
            d.efc_state[row as usize] = d.iefc_state[i];
        }
    }
}

/// Vectors over degrees of freedom and rows, island by island.
fn gather_islands(d: &mut Data, work: &mut Work) {
    let dofs = &d.map_idof2dof[..d.nidof];
    gather(&mut d.ifrc_smooth, &d.qfrc_smooth, dofs);
    gather(&mut d.iacc_smooth, &d.qacc_smooth, dofs);
    gather(&mut d.iacc, &d.qacc, dofs);
    gather(&mut work.ima, &work.ma, dofs);
    d.ifrc_constraint.resize(d.nidof, 0.0);
    let efcs = &d.map_iefc2efc;
    gather(&mut d.iefc_D, &d.efc_D, efcs);
    gather(&mut d.iefc_R, &d.efc_R, efcs);
    gather(&mut d.iefc_frictionloss, &d.efc_frictionloss, efcs);
    gather(&mut work.ijar, &work.jar, efcs);
    d.iefc_force.resize(d.nefc, 0.0);
    d.iefc_state.resize(d.nefc, 0);
}

fn finite(x: &[f64]) -> bool {
    x.iter().all(|x| x.is_finite())
}

fn gather<T: Copy>(to: &mut Vec<T>, from: &[T], index: &[i32]) {
    to.clear();
    to.extend(index.iter().map(|&i| from[i as usize]));
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Main,
    NoSlip,
}

/// Projected Gauss-Seidel, or the friction pass after another solver; then back to
/// accelerations.
fn solve_dual(m: &Model, d: &mut Data, rows: &Constraints, pass: Pass) {
    let mut dual = std::mem::take(&mut d.scratch.solver.dual);
    let mut stats = std::mem::take(&mut d.solver);
    let (mut force, mut state) = take_rows(d);
    let done = d.solver_niter[0].max(0) as usize;
    let (iterations, tolerance) = match pass {
        Pass::Main => (m.opt.iterations, m.opt.tolerance),
        Pass::NoSlip => (m.opt.noslip_iterations, m.opt.noslip_tolerance),
    };
    let problem = DualProblem {
        rows: whole_rows(d, rows),
        b: &d.efc_b,
        scale: whole_scale(m),
        tolerance,
        iterations: iterations.max(0) as usize,
    };
    let solve = match pass {
        Pass::Main => pgs::solve,
        Pass::NoSlip => noslip::solve,
    };
    let count = solve(&problem, &mut dual, &mut force, &mut state, |iteration, stat| {
        stats.record(0, done + iteration, stat);
    });
    d.solver_niter[0] += count as i32;
    if pass == Pass::Main {
        d.solver_nnz[0] = (d.nefc * d.nefc) as i32;
    }
    (d.efc_force, d.efc_state, d.solver) = (force, state, stats);
    d.scratch.solver.dual = dual;

    d.qfrc_constraint.fill(0.0);
    rows.jacobian().tmul_add(&d.efc_force, &mut d.qfrc_constraint);
    if !is_sparse(m) && !finite(&d.efc_force) {
        d.qfrc_constraint.fill(f64::NAN);
    }
    let mut qacc = std::mem::take(&mut d.qacc);
    qacc.copy_from_slice(&d.qfrc_constraint);
    whole_inertia(d).solve(&mut qacc);
    for (a, smooth) in qacc.iter_mut().zip(&d.qacc_smooth) {
        *a += smooth;
    }
    d.qacc = qacc;
}
