//! Threads that outlive a call, and the distribution of jobs over them.

use std::sync::{Mutex, PoisonError};

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
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let threads = if threads == 0 { cores() } else { threads };
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
    /// each takes jobs off the same queue until it is empty.
    pub fn run<W: Send, J: Send>(
        &self,
        workers: &mut [W],
        jobs: impl Iterator<Item = J> + Send,
        work: impl Fn(&mut W, J) + Sync,
    ) {
        #[cfg(feature = "parallel")]
        if let Some(threads) = self.threads.as_ref().filter(|_| workers.len() > 1) {
            let workers: Vec<Mutex<&mut W>> = workers.iter_mut().map(Mutex::new).collect();
            let jobs = Mutex::new(jobs);
            threads.broadcast(|thread| {
                let Some(worker) = workers.get(thread.index()) else { return };
                let mut worker = lock(worker);
                loop {
                    // A statement of its own: the queue is free while the job runs.
                    let next = lock(&jobs).next();
                    let Some(job) = next else { break };
                    work(&mut worker, job);
                }
            });
            return;
        }
        if let Some(worker) = workers.first_mut() {
            for job in jobs {
                work(worker, job);
            }
        }
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
            pool.run(&mut workers, values.chunks_mut(7), |count, chunk| {
                for x in chunk {
                    *x += 1;
                    *count += 1;
                }
            });
            assert!(values.iter().all(|&x| x == 2));
            assert_eq!(workers.iter().sum::<u64>(), 1000);
        }
    }
}
