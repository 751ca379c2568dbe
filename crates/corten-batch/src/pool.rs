//! Threads that outlive a call, and the distribution of jobs over them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use corten_sim::CancelToken;

/// Threads that work on batches; without any, the caller's thread does the work.
#[derive(Debug, Default)]
pub struct Pool {
    #[cfg(feature = "parallel")]
    threads: Option<rayon::ThreadPool>,
}

impl Pool {
    /// A pool of `threads` threads, zero for one per core. Where the system provides no threads,
    /// the caller's thread does all the work.
    pub fn new(threads: usize) -> Pool {
        let threads = Pool::number(threads);
        if threads == 1 {
            return Pool::default();
        }
        #[cfg(feature = "parallel")]
        {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            Pool { threads: builder.thread_name(|i| format!("corten-{i}")).build().ok() }
        }
        #[cfg(not(feature = "parallel"))]
        Pool::default()
    }

    /// A number of threads, with zero standing for one per core.
    pub(crate) fn number(threads: usize) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        if threads == 0 { cores() } else { threads }
    }

    /// The caller's thread only.
    pub fn none() -> Pool {
        Pool::default()
    }

    /// Number of threads that work at the same time.
    pub fn width(&self) -> usize {
        #[cfg(feature = "parallel")]
        if let Some(threads) = &self.threads {
            return threads.current_num_threads();
        }
        1
    }

    /// Runs `work` once per element of `workers`, at the same time, as long as there are threads;
    /// each takes jobs off the same queue until it is empty. What `work` gives back joins the end of
    /// the queue. As long as threads of the pool work, the caller's thread asks `cancel` now and then.
    #[cfg_attr(
        not(feature = "parallel"),
        expect(unused_variables, reason = "`cancel` is for threads")
    )]
    pub fn run<W: Send, J: Send>(
        &self,
        workers: &mut [W],
        jobs: impl Iterator<Item = J> + Send,
        cancel: Option<&CancelToken>,
        work: impl Fn(&mut W, J) -> Option<J> + Sync,
    ) {
        let mut queue = Queue { fresh: jobs, returned: VecDeque::new() };
        #[cfg(feature = "parallel")]
        if let Some(threads) = self.threads.as_ref().filter(|_| workers.len() > 1) {
            let workers: Vec<Mutex<&mut W>> = workers.iter_mut().map(Mutex::new).collect();
            let queue = Mutex::new(queue);
            let task = |index: usize| {
                let Some(worker) = workers.get(index) else { return };
                let mut worker = lock(worker);
                let mut rest = None;
                loop {
                    // A statement of its own: the queue is free while the job runs.
                    let next = lock(&queue).exchange(rest);
                    let Some(job) = next else { break };
                    rest = work(&mut worker, job);
                }
            };
            match cancel {
                None => drop(threads.broadcast(|thread| task(thread.index()))),
                Some(cancel) => watch(threads, cancel, task),
            }
            return;
        }
        if let Some(worker) = workers.first_mut() {
            let mut rest = None;
            while let Some(job) = queue.exchange(rest) {
                rest = work(worker, job);
            }
        }
    }
}

/// Runs a task on every thread, while the caller's thread asks whether to end.
#[cfg(feature = "parallel")]
fn watch(threads: &rayon::ThreadPool, cancel: &CancelToken, task: impl Fn(usize) + Sync) {
    /// Between two questions.
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);
    /// Counts a thread as finished, also when its task panics.
    struct Finished<'a>(&'a Mutex<usize>, &'a std::sync::Condvar);
    impl Drop for Finished<'_> {
        fn drop(&mut self) {
            *lock(self.0) -= 1;
            self.1.notify_one();
        }
    }
    let (busy, changed) = (Mutex::new(threads.current_num_threads()), std::sync::Condvar::new());
    threads.in_place_scope(|scope| {
        scope.spawn_broadcast(|_, thread| {
            let _finished = Finished(&busy, &changed);
            task(thread.index());
        });
        let mut left = lock(&busy);
        while *left > 0 {
            let woken = changed.wait_timeout(left, PAUSE);
            let (guard, pause) = woken.unwrap_or_else(PoisonError::into_inner);
            left = guard;
            if pause.timed_out() {
                drop(left);
                cancel.ask();
                left = lock(&busy);
            }
        }
    });
}

/// Jobs that nobody has begun, and jobs of which a part is done.
struct Queue<I, J> {
    fresh: I,
    returned: VecDeque<J>,
}

impl<J, I: Iterator<Item = J>> Queue<I, J> {
    /// Takes a job back, and gives the next one out.
    fn exchange(&mut self, rest: Option<J>) -> Option<J> {
        self.returned.extend(rest);
        self.fresh.next().or_else(|| self.returned.pop_front())
    }
}

#[cfg_attr(not(feature = "parallel"), allow(dead_code))]
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_once() {
        for threads in [1, 2, 5] {
            let pool = Pool::new(threads);
            let mut workers = vec![0u64; threads];
            let mut values = vec![1u64; 1000];
            pool.run(&mut workers, values.chunks_mut(7), None, |count, chunk| {
                // The first half, and another time the rest.
                let (now, later) = chunk.split_at_mut(chunk.len().div_ceil(2));
                for x in now {
                    *x += 1;
                    *count += 1;
                }
                (!later.is_empty()).then_some(later)
            });
            assert!(values.iter().all(|&x| x == 2));
            assert_eq!(workers.iter().sum::<u64>(), 1000);
        }
    }
}
