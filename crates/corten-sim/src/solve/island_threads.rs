//! Islands on several threads, with the bits of one.
//!
//! Islands share what they read and nothing that they write, so it does not matter for the result
//! which thread solves which island, nor when. Each thread solves its islands in buffers of its own and
//! copies the answers out under a lock ([`Answers`]). Islands are handed out by size, always the same
//! way, so that the buffers of each thread stop growing with the scene.
//!
//! Threads that outlive a step cannot borrow from `Data` in safe Rust, and threads that do not
//! (`std::thread::scope`) would be started anew in every step. What is large, the Jacobian and what
//! follows from the model, is therefore shared by reference count ([`Sources`]): the scratch memory
//! owns it again when the threads have let go, which they do before they report back. What the user may
//! write is copied ([`SharedInputs`]): a few numbers per row and degree of freedom, and the mass matrix
//! and its factor, together less than one iteration of a solver reads. `Data` stays whole whatever
//! happens to a thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use super::island::IslandRows;
use super::primal::{Iterate, Method, Outcome, Primal};
use super::problem::{Inertia, Limits, Part, Problem, Rows};
use crate::prepared::Prepared;
use crate::stage::constraint::Constraints;
use crate::{Data, SolverStats};

/// Rows below which waking other threads costs more than it saves.
const WORTHWHILE: usize = 64;

/// What the problems of all islands refer to and the threads share.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub prepared: &'a Arc<Prepared>,
    pub rows: &'a Arc<Constraints>,
    pub islands: &'a Arc<IslandRows>,
}

/// [`Sources`], held for the time of a solve.
#[derive(Debug)]
struct HeldSources {
    prepared: Arc<Prepared>,
    rows: Arc<Constraints>,
    islands: Arc<IslandRows>,
}

/// The problem of all islands, for the threads.
#[derive(Debug, Default)]
struct SharedInputs {
    sources: Option<HeldSources>,
    /// Of the inertia: matrix, factor, inverse diagonal.
    inertia: [Vec<f64>; 3],
    dofs: Vec<i32>,
    /// Per row: D, R, friction loss.
    efc: [Vec<f64>; 3],
    /// Per degree of freedom: force and acceleration without constraints.
    smooth: [Vec<f64>; 2],
    /// Thread of each island.
    thread: Vec<usize>,
    method: Option<Method>,
    limits: Limits,
}

fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}

impl SharedInputs {
    fn set(&mut self, sources: Sources<'_>, problem: &Problem<'_>) {
        let Sources { prepared, rows, islands } = sources;
        self.sources = Some(HeldSources {
            prepared: prepared.clone(),
            rows: rows.clone(),
            islands: islands.clone(),
        });
        let Problem { rows, inertia, qfrc_smooth, qacc_smooth, .. } = problem;
        let (matrices, efc) = (
            [inertia.matrix, inertia.factor, inertia.diaginv],
            [rows.d, rows.r, rows.frictionloss],
        );
        self.inertia.iter_mut().zip(matrices).for_each(|(to, from)| copy(to, from));
        copy(&mut self.dofs, inertia.dofs.unwrap_or(&[]));
        self.efc.iter_mut().zip(efc).for_each(|(to, from)| copy(to, from));
        let smooth = [qfrc_smooth, qacc_smooth];
        self.smooth.iter_mut().zip(smooth).for_each(|(to, from)| copy(to, from));
    }

    /// The problem of all islands, and each of them.
    fn problem(&self) -> Option<(Problem<'_>, &[Part])> {
        let HeldSources { prepared, rows, islands } = self.sources.as_ref()?;
        let [matrix, factor, diaginv] = &self.inertia;
        let [d, r, frictionloss] = &self.efc;
        let [qfrc_smooth, qacc_smooth] = &self.smooth;
        let (dofs, pattern) = (Some(&self.dofs[..]), &prepared.structure.mass);
        let problem = Problem {
            rows: Rows::of_islands(islands.jacobian(rows), d, r, frictionloss),
            inertia: Inertia { dofs, pattern, matrix, factor, diaginv },
            qfrc_smooth,
            qacc_smooth,
            scale: 1.0,
        };
        Some((problem, &islands.parts))
    }

    /// Gives each island to the thread with the least to do so far.
    fn assign(&mut self, parts: &[Part], threads: usize, load: &mut Vec<usize>) {
        load.clear();
        load.resize(threads, 0);
        self.thread.clear();
        for Part { dofs, rows, .. } in parts {
            let least = (0..threads).min_by_key(|&t| load[t]).unwrap_or(0);
            load[least] += dofs.len() * (dofs.len() + rows.len());
            self.thread.push(least);
        }
    }
}

/// The memory of an [`Iterate`].
#[derive(Clone, Debug, Default)]
struct IterateBuffers {
    qacc: Vec<f64>,
    ma: Vec<f64>,
    jar: Vec<f64>,
    force: Vec<f64>,
    state: Vec<i32>,
    qfrc_constraint: Vec<f64>,
}

impl IterateBuffers {
    fn iterate(&mut self) -> Iterate<'_> {
        Iterate {
            qacc: &mut self.qacc,
            ma: &mut self.ma,
            jar: &mut self.jar,
            force: &mut self.force,
            state: &mut self.state,
            qfrc_constraint: &mut self.qfrc_constraint,
        }
    }

    fn copy_from(&mut self, x: &Iterate<'_>) {
        for v in [&mut self.qacc, &mut self.ma, &mut self.qfrc_constraint] {
            v.resize(x.qacc.len(), 0.0);
        }
        for v in [&mut self.jar, &mut self.force] {
            v.resize(x.jar.len(), 0.0);
        }
        self.state.resize(x.state.len(), 0);
        self.iterate().copy_from(x);
    }
}

/// Where the threads start, and what they found, in the order of islands.
#[derive(Debug, Default)]
struct Answers {
    x: IterateBuffers,
    stats: SolverStats,
    outcome: Vec<Outcome>,
}

/// Buffers of one thread.
#[derive(Clone, Debug, Default)]
struct WorkerBuffers {
    primal: Primal,
    x: IterateBuffers,
    stats: SolverStats,
}

impl WorkerBuffers {
    /// Solves the islands of one thread.
    fn solve(&mut self, thread: usize, inputs: &SharedInputs, answers: &Mutex<Answers>) {
        let (Some((all, parts)), Some(method)) = (inputs.problem(), inputs.method) else { return };
        let WorkerBuffers { primal, x, stats } = self;
        primal.begin();
        let all_parts = parts.iter().zip(&inputs.thread).enumerate();
        for (island, (part, _)) in all_parts.filter(|(_, (_, of))| **of == thread) {
            x.copy_from(&lock(answers).x.iterate().part(part));
            let (problem, limits) = (all.part(part), &inputs.limits);
            let record = &mut |iteration, stat| stats.record(0, iteration, stat);
            let outcome = primal.solve(&problem, method, limits, false, &mut x.iterate(), record);
            let mut out = lock(answers);
            out.x.iterate().part(part).copy_from(&x.iterate());
            out.outcome[island] = outcome;
            for (i, &stat) in stats.island(0).iter().take(outcome.iterations).enumerate() {
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
    /// What one of them died of.
    panic: Option<Box<dyn Any + Send>>,
    stop: bool,
}

#[derive(Debug, Default)]
struct ThreadState {
    round: Mutex<Round>,
    start: Condvar,
    done: Condvar,
    inputs: RwLock<SharedInputs>,
    answers: Mutex<Answers>,
}

/// The threads that solve islands for one `Data`.
#[derive(Debug, Default)]
pub struct IslandPool {
    shared: Arc<ThreadState>,
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

    /// Solves the parts of a problem from where `x` stands; reports the outcome of each.
    pub fn solve(
        &mut self,
        sources: Sources<'_>,
        problem: &Problem<'_>,
        method: Method,
        limits: Limits,
        x: &mut Iterate<'_>,
        stats: &mut SolverStats,
        mut report: impl FnMut(usize, Outcome),
    ) {
        let shared = &*self.shared;
        {
            let mut inputs = shared.inputs.write().unwrap_or_else(PoisonError::into_inner);
            inputs.set(sources, problem);
            inputs.assign(&sources.islands.parts, self.workers.len() + 1, &mut self.load);
            (inputs.method, inputs.limits) = (Some(method), limits);
            let mut out = lock(&shared.answers);
            out.x.copy_from(x);
            out.outcome.clear();
            out.outcome.resize(inputs.thread.len(), Outcome::default());
        }
        {
            let mut round = lock(&shared.round);
            round.number += 1;
            round.busy = self.workers.len();
            round.panic = None;
        }
        shared.start.notify_all();
        // Numbers that a user wrote may make no sense: the others finish all the same.
        let solved = catch_unwind(AssertUnwindSafe(|| {
            let inputs = shared.inputs.read().unwrap_or_else(PoisonError::into_inner);
            self.buffers.solve(0, &inputs, &shared.answers);
        }));
        let mut round = lock(&shared.round);
        while round.busy > 0 {
            round = shared.done.wait(round).unwrap_or_else(PoisonError::into_inner);
        }
        let panic = solved.err().or_else(|| round.panic.take());
        drop(round);
        shared.inputs.write().unwrap_or_else(PoisonError::into_inner).sources = None;
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
        let mut out = lock(&shared.answers);
        x.copy_from(&out.x.iterate());
        for (island, &outcome) in out.outcome.iter().enumerate() {
            for (i, &stat) in out.stats.island(island).iter().take(outcome.iterations).enumerate() {
                stats.record(island, i, stat);
            }
            report(island, outcome);
        }
    }
}

/// What a worker does: waits for a round, solves its islands, reports back.
fn worker_loop(shared: &ThreadState, id: usize) {
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
        let mut round = lock(&shared.round);
        if let Err(panic) = solved {
            buffers = WorkerBuffers::default();
            round.panic = Some(panic);
        }
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

    pub fn pool(&mut self) -> &mut IslandPool {
        self.pool.get_or_insert_with(|| Box::new(IslandPool::new(self.count)))
    }
}

impl Data {
    /// Number of threads that may solve constraint islands; 1 at first. The results have the same
    /// bits for any number.
    pub fn set_threads(&mut self, threads: usize) {
        self.scratch.threads = Threads { count: threads, pool: None };
    }
}
