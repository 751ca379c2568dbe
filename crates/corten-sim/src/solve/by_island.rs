//! Solving island by island: vectors in the order of islands, the solver on each of them, and the
//! answers back in the order of degrees of freedom and rows. Degrees of freedom that are in one order
//! in both stay where they are.

use corten_math::hint::rarely;
use corten_math::memory::Grow;
use corten_model::enums::DisableBit;

use super::island::Span;
use super::island_threads::Sources;
use super::primal::{Iterate, Method, Outcome};
use super::problem::{Inertia, Problem, Rows};
use super::{PrimalWork, SolverScratch, Whole, limits, nonzeros, start, whole_inertia};
use crate::{Data, Model, NISLAND};

/// `false` if the Hessian of an island is too large.
pub fn solve(m: &Model, d: &mut Data, method: Method) -> bool {
    let mut limits = limits(m, d);
    start(m, &mut Whole::new(d, 1.0), None, &limits);
    gather_islands(d);
    let sources =
        Sources { prepared: &d.prepared, rows: &d.scratch.constraint, islands: &d.scratch.islands };
    let (jacobian, parts) = (sources.islands.jacobian(sources.rows), &sources.islands.parts);
    let SolverScratch { work, unsolved_row, .. } = &mut d.scratch.solver;
    let PrimalWork { primal, ma, ima, ijar, .. } = &mut **work.get_or_insert_default();
    let (smooth, found) = match sources.islands.dofs_in_place() {
        Some(dofs) => (
            [&d.qfrc_smooth[dofs.clone()], &d.qacc_smooth[dofs.clone()]],
            [&mut d.qacc[dofs.clone()], &mut ma[dofs.clone()], &mut d.qfrc_constraint[dofs]],
        ),
        None => (
            [&d.ifrc_smooth[..], &d.iacc_smooth[..]],
            [&mut d.iacc[..], &mut ima[..], &mut d.ifrc_constraint[..]],
        ),
    };
    let ([qfrc_smooth, qacc_smooth], [qacc, ma, qfrc_constraint]) = (smooth, found);
    let all = Problem {
        rows: Rows::of_islands(jacobian, &d.iefc_D, &d.iefc_R, &d.iefc_frictionloss),
        inertia: Inertia { dofs: Some(&d.map_idof2dof), ..whole_inertia!(d) },
        qfrc_smooth,
        qacc_smooth,
        scale: 1.0,
    };
    let mut x = Iterate {
        qacc,
        ma,
        jar: ijar,
        force: &mut d.iefc_force,
        state: &mut d.iefc_state,
        qfrc_constraint,
    };
    let mut fits = true;
    let mut unsolved = 0;
    let mut report = |island: usize, outcome: Outcome| {
        fits &= !outcome.too_large;
        if rarely(outcome.out_of_iterations) {
            unsolved += 1;
            *unsolved_row = d.map_iefc2efc[parts[island].rows.start] as usize;
        }
        // There is room for the first islands only.
        if island < NISLAND {
            d.solver_niter[island] = outcome.iterations as i32;
            d.solver_nnz[island] = nonzeros(m, parts[island].dofs.len(), &outcome);
        }
    };
    let threads = &mut d.scratch.threads;
    if threads.pay_off(parts.len(), d.nefc) {
        let pool = threads.pool();
        pool.solve(sources, &all, method, limits, &mut x, &mut d.solver, report);
    } else {
        for (island, part) in parts.iter().enumerate() {
            limits.sparse &= island < NISLAND;
            let record = &mut |iteration, stat| d.solver.record(island, iteration, stat);
            let (problem, x) = (all.part(part), &mut x.part(part));
            report(island, primal.solve(&problem, method, &limits, false, x, record));
        }
    }
    d.solver.unconverged += unsolved;
    scatter_islands(m, d);
    fits
}

/// Answers of the islands in the order of degrees of freedom and rows.
fn scatter_islands(m: &Model, d: &mut Data) {
    let islands = &d.scratch.islands;
    let moved = islands.constrained_dofs().filter(|_| islands.dofs_in_place().is_none());
    for span in moved {
        let (dofs, island_dofs) = (span.range(), span.island_range());
        d.qacc[dofs.clone()].copy_from_slice(&d.iacc[island_dofs.clone()]);
        d.qfrc_constraint[dofs].copy_from_slice(&d.ifrc_constraint[island_dofs]);
    }
    for span in &islands.rows {
        let (rows, island_rows) = (span.range(), span.island_range());
        d.efc_force[rows.clone()].copy_from_slice(&d.iefc_force[island_rows.clone()]);
        if m.opt.disabled(DisableBit::WarmStart) {
            d.efc_state[rows].copy_from_slice(&d.iefc_state[island_rows]);
        }
    }
}

/// Vectors over degrees of freedom and rows, island by island.
fn gather_islands(d: &mut Data) {
    let work = d.scratch.solver.work.get_or_insert_default();
    let islands = &d.scratch.islands;
    if islands.dofs_in_place().is_none() {
        for (to, from) in [
            (&mut d.ifrc_smooth, &d.qfrc_smooth),
            (&mut d.iacc_smooth, &d.qacc_smooth),
            (&mut d.iacc, &d.qacc),
            (&mut work.ima, &work.ma),
        ] {
            gather(to, from, d.nidof, islands.constrained_dofs());
        }
        d.ifrc_constraint.grow_resize(d.nidof, 0.0);
    }
    gather(&mut d.iefc_D, &d.efc_D, d.nefc, islands.rows.iter());
    gather(&mut work.ijar, &work.jar, d.nefc, islands.rows.iter());
    // What rows of friction need besides.
    let rubbing = d.ne..d.ne + d.nf;
    let rubs = |span: &&Span| span.range().start < rubbing.end && rubbing.start < span.range().end;
    for (to, from) in [(&mut d.iefc_R, &d.efc_R), (&mut d.iefc_frictionloss, &d.efc_frictionloss)] {
        gather(to, from, d.nefc, islands.rows.iter().filter(rubs));
    }
    d.iefc_force.grow_resize(d.nefc, 0.0);
    d.iefc_state.grow_resize(d.nefc, 0);
}

fn gather<'a>(
    to: &mut Vec<f64>,
    from: &[f64],
    count: usize,
    spans: impl Iterator<Item = &'a Span>,
) {
    to.grow_resize(count, 0.0);
    for span in spans {
        to[span.island_range()].copy_from_slice(&from[span.range()]);
    }
}
