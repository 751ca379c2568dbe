//! Solving island by island: vectors in the order of islands, the solver on each of them, and the
//! answers back in the order of degrees of freedom and rows.

use corten_model::enums::DisableBit;

use super::crew::View;
use super::primal::{Iterate, Method, Outcome};
use super::{Work, limits, nonzeros, whole_inertia};
use crate::stage::constraint::Constraints;
use crate::{Data, Model, NISLAND};

pub fn solve(m: &Model, d: &mut Data, rows: &mut Constraints, work: &mut Work, method: Method) {
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

fn gather<T: Copy>(to: &mut Vec<T>, from: &[T], index: &[i32]) {
    to.clear();
    to.extend(index.iter().map(|&i| from[i as usize]));
}
