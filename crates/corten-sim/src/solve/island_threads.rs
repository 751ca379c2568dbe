//! Islands on several threads, with the bits of one.
//!
//! Islands share what they read and nothing that they write, so it does not matter for the result
//! which thread solves which island, nor when. What is read moves into memory that the threads
//! share for the time of the solve ([`SharedInputs`]); each thread solves its islands in buffers of its
//! own and copies the answers out under a lock ([`Answers`]). Islands are handed out by size,
//! always the same way, so that the buffers of each thread stop growing with the scene.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use super::by_island::report;
use super::island::IslandRows;
use super::primal::{Iterate, Method, Outcome, Primal};
use super::problem::{Inertia, Limits, Problem, Rows};
use super::rows::Jacobian;
use crate::prepared::Prepared;
use crate::stage::constraint::Constraints;
use crate::{Data, Model, SolverStats};

/// Rows below which waking other threads costs more than it saves.
const WORTHWHILE: usize = 64;

/// All that a solver reads of the islands.
#[derive(Clone, Copy)]
pub struct IslandInputs<'a> {
    pub rows: &'a Constraints,
    pub islands: &'a IslandRows,
    pub inertia: Inertia<'a>,
    pub idof2dof: &'a [i32],
    pub idofadr: &'a [i32],
    pub nv: &'a [i32],
    pub iefcadr: &'a [i32],
    pub nefc: &'a [i32],
    pub ne: &'a [i32],
    pub nf: &'a [i32],
    pub d: &'a [f64],
    pub r: &'a [f64],
    pub frictionloss: &'a [f64],
    pub qfrc_smooth: &'a [f64],
    pub qacc_smooth: &'a [f64],
}

impl<'a> IslandInputs<'a> {
    /// Degrees of freedom of an island, in the order of islands.
    pub fn dofs(&self, island: usize) -> std::ops::Range<usize> {
        let start = self.idofadr[island] as usize;
        start..start + self.nv[island] as usize
    }

    /// Rows of an island, in the order of islands.
    pub fn efcs(&self, island: usize) -> std::ops::Range<usize> {
        let start = self.iefcadr[island] as usize;
        start..start + self.nefc[island] as usize
    }

    pub fn problem(&self, island: usize) -> Problem<'a> {
        let (dofs, efcs) = (self.dofs(island), self.efcs(island));
        let whole = self.islands.whole;
        let dofs_of = (!whole).then(|| &self.idof2dof[dofs.clone()]);
        let inertia = Inertia { dofs: dofs_of, ..self.inertia };
        let jacobian = if whole {
            self.rows.jacobian()
        } else {
            let blocks = self.islands.start[island]..self.islands.start[island + 1];
            Jacobian {
                blocks: &self.islands.blocks[blocks],
                columns: &self.islands.columns,
                runs: &self.islands.runs,
                values: &self.rows.values,
                cones: &self.rows.cones,
            }
        };
        Problem {
            rows: Rows::new(
                jacobian,
                &self.d[efcs.clone()],
                &self.r[efcs.clone()],
                &self.frictionloss[efcs],
                self.ne[island] as usize,
                self.nf[island] as usize,
            ),
            inertia,
            qfrc_smooth: &self.qfrc_smooth[dofs.clone()],
            qacc_smooth: &self.qacc_smooth[dofs.clone()],
            scale: 1.0 / inertia.trace(dofs.len()),
        }
    }
}

/// What the threads read, moved out of `Data` for the time of the solve.
#[derive(Debug, Default)]
struct SharedInputs {
    rows: Constraints,
    islands: IslandRows,
    prepared: Arc<Prepared>,
    matrix: Vec<f64>,
    factor: Vec<f64>,
    diaginv: Vec<f64>,
    idof2dof: Vec<i32>,
    /// Per island: first degree of freedom, their number, first row, number of rows, of
    /// equalities, of friction.
    places: [Vec<i32>; 6],
    /// Per row: D, R, friction loss.
    efc: [Vec<f64>; 3],
    /// Per degree of freedom: force and acceleration without constraints.
    smooth: [Vec<f64>; 2],
    /// Where the search starts: acceleration, `M·qacc`, residual.
    start: [Vec<f64>; 3],
    /// Thread of each island.
    thread: Vec<usize>,
    method: Option<Method>,
    limits: Limits,
}

impl SharedInputs {
    /// Moves everything in, and by a second call out again.
    fn swap_with(&mut self, d: &mut Data, rows: &mut Constraints, start: [&mut Vec<f64>; 2]) {
        use std::mem::swap;
        swap(&mut self.rows, rows);
        swap(&mut self.islands, &mut d.scratch.islands);
        swap(&mut self.prepared, &mut d.prepared);
        swap(&mut self.matrix, &mut d.M);
        swap(&mut self.factor, &mut d.qLD);
        swap(&mut self.diaginv, &mut d.qLDiagInv);
        swap(&mut self.idof2dof, &mut d.map_idof2dof);
        let places = [
            &mut d.island_idofadr,
            &mut d.island_nv,
            &mut d.island_iefcadr,
            &mut d.island_nefc,
            &mut d.island_ne,
            &mut d.island_nf,
        ];
        self.places.iter_mut().zip(places).for_each(|(a, b)| swap(a, b));
        let efc = [&mut d.iefc_D, &mut d.iefc_R, &mut d.iefc_frictionloss];
        self.efc.iter_mut().zip(efc).for_each(|(a, b)| swap(a, b));
        let smooth = [&mut d.ifrc_smooth, &mut d.iacc_smooth];
        self.smooth.iter_mut().zip(smooth).for_each(|(a, b)| swap(a, b));
        let [ma, jar] = start;
        let start = [&mut d.iacc, ma, jar];
        self.start.iter_mut().zip(start).for_each(|(a, b)| swap(a, b));
    }

    fn view(&self) -> IslandInputs<'_> {
        let [idofadr, nv, iefcadr, nefc, ne, nf] = &self.places;
        let [d, r, frictionloss] = &self.efc;
        let [qfrc_smooth, qacc_smooth] = &self.smooth;
        IslandInputs {
            rows: &self.rows,
            islands: &self.islands,
            inertia: Inertia {
                dofs: None,
                pattern: &self.prepared.structure.mass,
                matrix: &self.matrix,
                factor: &self.factor,
                diaginv: &self.diaginv,
            },
            idof2dof: &self.idof2dof,
            idofadr,
            nv,
            iefcadr,
            nefc,
            ne,
            nf,
            d,
            r,
            frictionloss,
            qfrc_smooth,
            qacc_smooth,
        }
    }

    /// Gives each island to the thread with the least to do so far.
    fn assign(&mut self, threads: usize, load: &mut Vec<usize>) {
        load.clear();
        load.resize(threads, 0);
        self.thread.clear();
        let [_, nv, _, nefc, _, _] = &self.places;
        for (&nv, &nefc) in nv.iter().zip(nefc) {
            let least = (0..threads).min_by_key(|&t| load[t]).unwrap_or(0);
            load[least] += (nv as usize) * (nv + nefc) as usize;
            self.thread.push(least);
        }
    }
}

/// What the threads found, in the order of islands.
#[derive(Debug, Default)]
struct Answers {
    qacc: Vec<f64>,
    qfrc_constraint: Vec<f64>,
    force: Vec<f64>,
    state: Vec<i32>,
    stats: SolverStats,
    outcome: Vec<Outcome>,
}

/// Buffers of one thread.
#[derive(Clone, Debug, Default)]
struct WorkerBuffers {
    primal: Primal,
    qacc: Vec<f64>,
    ma: Vec<f64>,
    jar: Vec<f64>,
    force: Vec<f64>,
    state: Vec<i32>,
    qfrc_constraint: Vec<f64>,
    stats: SolverStats,
}

impl WorkerBuffers {
    /// Solves the islands of one thread.
    fn solve(&mut self, thread: usize, inputs: &SharedInputs, answers: &Mutex<Answers>) {
        let (view, Some(method)) = (inputs.view(), inputs.method) else { return };
        let [qacc, ma, jar] = &inputs.start;
        self.primal.begin();
        for island in (0..inputs.thread.len()).filter(|&i| inputs.thread[i] == thread) {
            let (dofs, efcs) = (view.dofs(island), view.efcs(island));
            for (to, from) in [
                (&mut self.qacc, &qacc[dofs.clone()]),
                (&mut self.ma, &ma[dofs.clone()]),
                (&mut self.jar, &jar[efcs.clone()]),
            ] {
                to.clear();
                to.extend_from_slice(from);
            }
            self.force.resize(efcs.len(), 0.0);
            self.state.resize(efcs.len(), 0);
            self.qfrc_constraint.resize(dofs.len(), 0.0);
            self.stats.clear();
            let mut x = Iterate {
                qacc: &mut self.qacc,
                ma: &mut self.ma,
                jar: &mut self.jar,
                force: &mut self.force,
                state: &mut self.state,
                qfrc_constraint: &mut self.qfrc_constraint,
            };
            let stats = &mut self.stats;
            let outcome = self.primal.solve(
                &view.problem(island),
                method,
                &inputs.limits,
                false,
                &mut x,
                |iteration, stat| stats.record(0, iteration, stat),
            );
            let mut out = lock(answers);
            out.qacc[dofs.clone()].copy_from_slice(&self.qacc);
            out.qfrc_constraint[dofs].copy_from_slice(&self.qfrc_constraint);
            out.force[efcs.clone()].copy_from_slice(&self.force);
            out.state[efcs].copy_from_slice(&self.state);
            out.outcome[island] = outcome;
            for (i, &stat) in self.stats.island(0).iter().take(outcome.iterations).enumerate() {
                out.stats.record(island, i, stat);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Round {
    number: u64,
    /// Threads that have not finished the round.
    busy: usize,
    stop: bool,
}

#[derive(Debug, Default)]
struct Shared {
    round: Mutex<Round>,
    start: Condvar,
    done: Condvar,
    inputs: RwLock<SharedInputs>,
    answers: Mutex<Answers>,
}

/// The threads that solve islands for one `Data`.
#[derive(Debug, Default)]
pub struct IslandPool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    buffers: WorkerBuffers,
    load: Vec<usize>,
}

impl Drop for IslandPool {
    fn drop(&mut self) {
        lock(&self.shared.round).stop = true;
        self.shared.start.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches its own panics.
            let _ = worker.join();
        }
    }
}

impl IslandPool {
    /// The caller's thread and others; where the system has none to give, fewer inputs.
    fn new(threads: usize) -> IslandPool {
        let mut pool = IslandPool::default();
        for id in 1..threads {
            let shared = Arc::clone(&pool.shared);
            let run = move || worker_loop(&shared, id);
            match thread::Builder::new().name(format!("islands-{id}")).spawn(run) {
                Ok(handle) => pool.workers.push(handle),
                Err(_) => break,
            }
        }
        pool
    }

    /// Solves all islands of `d`, whose inputs have been gathered, with `start` holding
    /// `M·qacc` and the residual. Writes `iacc`, `ifrc_constraint`, `iefc_force`, `iefc_state` and
    /// the statistics.
    pub fn solve(
        &mut self,
        m: &Model,
        d: &mut Data,
        rows: &mut Constraints,
        mut start: [&mut Vec<f64>; 2],
        method: Method,
        limits: Limits,
    ) {
        let shared = &*self.shared;
        {
            let mut inputs = shared.inputs.write().unwrap_or_else(PoisonError::into_inner);
            inputs.swap_with(d, rows, start.each_mut().map(|v| &mut **v));
            inputs.assign(self.workers.len() + 1, &mut self.load);
            (inputs.method, inputs.limits) = (Some(method), limits);
            let mut out = lock(&shared.answers);
            out.qacc.resize(inputs.start[0].len(), 0.0);
            out.qfrc_constraint.resize(inputs.start[0].len(), 0.0);
            out.force.resize(inputs.efc[0].len(), 0.0);
            out.state.resize(inputs.efc[0].len(), 0);
            out.outcome.clear();
            out.outcome.resize(inputs.thread.len(), Outcome::default());
            std::mem::swap(&mut out.stats, &mut d.solver);
        }
        {
            let mut round = lock(&shared.round);
            round.number += 1;
            round.busy = self.workers.len();
        }
        shared.start.notify_all();
        // Numbers that a user wrote may make no sense: `Data` gets its memory back all the same.
        let solved = catch_unwind(AssertUnwindSafe(|| {
            let inputs = shared.inputs.read().unwrap_or_else(PoisonError::into_inner);
            self.buffers.solve(0, &inputs, &shared.answers);
        }));
        let mut round = lock(&shared.round);
        while round.busy > 0 {
            round = shared.done.wait(round).unwrap_or_else(PoisonError::into_inner);
        }
        drop(round);

        let mut inputs = shared.inputs.write().unwrap_or_else(PoisonError::into_inner);
        inputs.swap_with(d, rows, start);
        let mut out = lock(&shared.answers);
        std::mem::swap(&mut out.stats, &mut d.solver);
        if let Err(panic) = solved {
            resume_unwind(panic);
        }
        d.iacc.copy_from_slice(&out.qacc);
        d.ifrc_constraint.copy_from_slice(&out.qfrc_constraint);
        d.iefc_force.copy_from_slice(&out.force);
        d.iefc_state.copy_from_slice(&out.state);
        for (island, outcome) in out.outcome.iter().enumerate() {
            let nv = d.island_nv[island] as usize;
            report(m, island, nv, outcome, &mut d.solver_niter, &mut d.solver_nnz);
        }
    }
}

/// What a worker does: waits for a round, solves its islands, reports back.
fn worker_loop(shared: &Shared, id: usize) {
    let (mut buffers, mut seen) = (WorkerBuffers::default(), 0);
    loop {
        {
            let mut round = lock(&shared.round);
            while round.number == seen && !round.stop {
                round = shared.start.wait(round).unwrap_or_else(PoisonError::into_inner);
            }
            if round.stop {
                return;
            }
            seen = round.number;
        }
        // A worker that stopped would leave the caller waiting: whatever happens, it reports back.
        let solved = catch_unwind(AssertUnwindSafe(|| {
            let inputs = shared.inputs.read().unwrap_or_else(PoisonError::into_inner);
            buffers.solve(id, &inputs, &shared.answers);
        }));
        if solved.is_err() {
            buffers = WorkerBuffers::default();
        }
        let mut round = lock(&shared.round);
        round.busy -= 1;
        if round.busy == 0 {
            shared.done.notify_one();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many threads solve islands; they start when first needed.
#[derive(Debug, Default)]
pub struct Threads {
    count: usize,
    pool: Option<Box<IslandPool>>,
}

/// A clone has threads of its own.
impl Clone for Threads {
    fn clone(&self) -> Threads {
        Threads { count: self.count, pool: None }
    }
}

impl Threads {
    /// Whether this many islands and rows are worth more than one thread.
    pub fn pay_off(&self, nisland: usize, nefc: usize) -> bool {
        self.count > 1 && nisland > 1 && nefc >= WORTHWHILE
    }

    /// The pool, to be returned with [`Threads::put`].
    pub fn take(&mut self) -> Box<IslandPool> {
        self.pool.take().unwrap_or_else(|| Box::new(IslandPool::new(self.count)))
    }

    pub fn put(&mut self, pool: Box<IslandPool>) {
        self.pool = Some(pool);
    }
}

impl Data {
    /// Number of threads that may solve constraint islands; 1 at first. The results have the same
    /// bits for any number.
    pub fn set_threads(&mut self, threads: usize) {
        self.scratch.threads = Threads { count: threads, pool: None };
    }
}
