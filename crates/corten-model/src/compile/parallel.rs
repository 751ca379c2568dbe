//! Work on many assets at once, and memory of what has been done in this process.

use corten_math::memory;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Results of independent tasks, in order, computed by as many threads as help.
pub fn in_parallel<T: Send>(tasks: usize, run: impl Fn(usize) -> T + Sync) -> Vec<Option<T>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    let panic = Mutex::new(None);
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = results.get(i) else { break };
            match catch_unwind(AssertUnwindSafe(|| run(i))) {
                Ok(result) => *lock(slot) = Some(result),
                Err(payload) => *lock(&panic) = Some(payload),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(tasks);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where threads are not available the caller's thread does all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    // What ended a thread ends the caller's: for one, that memory was refused.
    if let Some(payload) = lock(&panic).take() {
        resume_unwind(payload);
    }
    results.into_iter().map(|r| r.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Identifies the result of processing some bytes: two unrelated 64-bit hashes and the length.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ContentKey([u64; 3]);

impl ContentKey {
    /// `settings` feeds everything into the hasher that the result depends on besides the bytes.
    pub fn new(bytes: &[u8], settings: impl Fn(&mut DefaultHasher)) -> ContentKey {
        let mut sip = DefaultHasher::new();
        bytes.hash(&mut sip);
        settings(&mut sip);
        // A multiplicative hash over words, much faster than a second keyed one.
        let (words, rest) = bytes.as_chunks::<8>();
        let mut sum = rest.iter().fold(0u64, |h, &b| (h << 8) | u64::from(b));
        for word in words {
            sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            sum ^= sum >> 32;
        }
        ContentKey([sip.finish(), sum, bytes.len() as u64])
    }
}

/// Results kept for later compilations; forgets all when it grows too large.
pub(super) struct Cache<T> {
    state: Mutex<(HashMap<ContentKey, Arc<T>>, usize)>,
    limit: usize,
}

impl<T> Cache<T> {
    /// A cache for results of at most `limit` bytes together.
    pub fn new(limit: usize) -> Cache<T> {
        Cache { state: Mutex::new((HashMap::new(), 0)), limit }
    }

    pub fn get(&self, key: &ContentKey) -> Option<Arc<T>> {
        lock(&self.state).0.get(key).cloned()
    }

    /// Keeps a result of about `bytes` bytes.
    pub fn insert(&self, key: ContentKey, value: Arc<T>, bytes: usize) {
        let mut state = lock(&self.state);
        if state.1 + bytes > self.limit {
            state.0.clear();
            state.1 = 0;
        }
        if memory::insert(&mut state.0, key, value).is_none() {
            state.1 += bytes;
        }
    }
}
