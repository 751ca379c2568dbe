//! Work shared between threads that live as long as one call: nothing is left behind that a fork of
//! the process could break.

use std::sync::{Mutex, PoisonError};

/// A piece of work; it gets the state of the thread that does it.
pub(crate) type Job<'a, S> = Box<dyn FnOnce(&mut S) + Send + 'a>;

/// Number of threads, with zero standing for one per core.
pub(crate) fn number(threads: usize) -> usize {
    if threads > 0 {
        return threads;
    }
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Does every job in one of so many threads; `states` are kept for the next time.
pub(crate) fn share<S: Default + Send>(threads: usize, states: &mut Vec<S>, jobs: Vec<Job<'_, S>>) {
    let threads = threads.min(jobs.len());
    if states.len() < threads {
        states.resize_with(threads, S::default);
    }
    let Some((own, others)) = states[..threads].split_first_mut() else { return };
    let queue = Mutex::new(jobs.into_iter());
    let run = |state: &mut S| loop {
        // A statement of its own: the queue is free while the job is done.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(job) = next else { break };
        job(state);
    };
    if others.is_empty() {
        return run(own);
    }
    std::thread::scope(|scope| {
        for state in others {
            // Without a further thread, this one does the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || run(state));
        }
        run(own);
    });
}
