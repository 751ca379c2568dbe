//! Values that another thread held the lock of when the process was forked: it does not exist in the
//! child, and nobody will release the lock.

use std::sync::TryLockError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::lend::Busy;

/// How often this process, or one that it comes from, has been forked.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// How long a thread of this process may hold the lock of a value that is older than it.
const PATIENCE: Duration = Duration::from_secs(5);

/// To be called in a new process.
pub fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The process in which a value was made, and that in which it was used last.
#[derive(Debug)]
pub(super) struct Uses {
    made: usize,
    last: AtomicUsize,
}

impl Default for Uses {
    fn default() -> Uses {
        let now = FORKS.load(Ordering::Relaxed);
        Uses { made: now, last: AtomicUsize::new(now) }
    }
}

impl Uses {
    /// Takes a lock: at once with `attempt`, or by waiting for it.
    #[inline]
    pub fn lock<G>(
        &self,
        attempt: impl Fn() -> Result<G, TryLockError<G>>,
        wait: impl Fn(),
    ) -> Result<G, Busy> {
        let mut since = None;
        loop {
            let now = FORKS.load(Ordering::Relaxed);
            match attempt() {
                Ok(held) => {
                    self.last.store(now, Ordering::Relaxed);
                    return Ok(held);
                }
                Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
                Err(TryLockError::WouldBlock) if self.made == now => wait(),
                Err(TryLockError::WouldBlock) => {
                    // Nobody in this process has used it yet, or somebody has for very long.
                    let start = *since.get_or_insert_with(Instant::now);
                    if self.last.load(Ordering::Relaxed) != now || start.elapsed() > PATIENCE {
                        return Err(Busy::Forked);
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
}
