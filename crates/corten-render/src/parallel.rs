//! Work shared between threads that live as long as one call: nothing is left behind that a fork of
//! the process could break.

use std::sync::{Mutex, PoisonError};

/// Number of threads, with zero standing for one per core.
pub(crate) fn number(threads: usize) -> usize {
    if threads > 0 {
        return threads;
    }
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Gives every item to one of so many threads; each has a state of its own.
pub(crate) fn share<T: Send, S>(
    threads: usize,
    items: impl ExactSizeIterator<Item = T> + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) {
    let threads = threads.min(items.len());
    let queue = Mutex::new(items);
    let run = || {
        let mut state = state();
        loop {
            // A statement of its own: the queue is free while the item is worked on.
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(item) = next else { break };
            work(&mut state, item);
        }
    };
    if threads < 2 {
        return run();
    }
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Without a further thread, this one does the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
}
