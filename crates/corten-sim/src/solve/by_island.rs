//! Solving island by island: vectors in the order of islands, the solver on each of them, and the
//! answers back in the order of degrees of freedom and rows.

use corten_model::enums::DisableBit;

use super::island_threads::IslandInputs;
use super::primal::{Iterate, Method, Outcome};
use super::{PrimalWork, limits, nonzeros, whole_inertia};
use crate::stage::constraint::Constraints;
use crate::{Data, Model, NISLAND};

pub fn solve(
    m: &Model,
    d: &mut Data,
    rows: &mut Constraints,
    work: &mut PrimalWork,
    method: Method,
) {
    gather_islands(d, work);
    if d.scratch.threads.pay_off(d.nisland, d.nefc) {
        let mut pool = d.scratch.threads.take();
        pool.solve(m, d, rows, [&mut work.ima, &mut work.ijar], method, limits(m));
        d.scratch.threads.put(pool);
    } else {
        solve_in_turn(m, d, rows, work, method);
    }
    scatter_islands(m, d);
}

/// One island after the other.
fn solve_in_turn(
    m: &Model,
    d: &mut Data,
    rows: &Constraints,
    work: &mut PrimalWork,
    method: Method,
) {
    let inputs = IslandInputs {
        rows,
        islands: &d.scratch.islands,
        inertia: whole_inertia!(d),
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
    };
    let mut limits = limits(m);
    for island in 0..d.nisland {
        let (dofs, efcs) = (inputs.dofs(island), inputs.efcs(island));
        let nv = dofs.len();
        let mut x = Iterate {
            qacc: &mut d.iacc[dofs.clone()],
            ma: &mut work.ima[dofs.clone()],
            jar: &mut work.ijar[efcs.clone()],
            force: &mut d.iefc_force[efcs.clone()],
            state: &mut d.iefc_state[efcs],
            qfrc_constraint: &mut d.ifrc_constraint[dofs],
        };
        let problem = inputs.problem(island);
        limits.sparse &= island < NISLAND;
        let outcome =
            work.primal.solve(&problem, method, &limits, false, &mut x, |iteration, stat| {
                d.solver.record(island, iteration, stat);
            });
        report(m, island, nv, &outcome, &mut d.solver_niter, &mut d.solver_nnz);
    }
}

/// Public statistics of how an island of `nv` degrees of freedom ended; there is room for the first
/// islands only.
pub fn report(
    m: &Model,
    island: usize,
    nv: usize,
    outcome: &Outcome,
    niter: &mut [i32; NISLAND],
    nnz: &mut [i32; NISLAND],
) {
    if island < NISLAND {
        niter[island] = outcome.iterations as i32;
        nnz[island] = nonzeros(m, nv, outcome);
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
fn gather_islands(d: &mut Data, work: &mut PrimalWork) {
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
