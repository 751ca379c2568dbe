//! Ctrl-C in the middle of a call: the engine asks now and then whether a signal has arrived.
//!
//! Python runs handlers of signals on its main thread only, when that holds the interpreter lock. Calls
//! release the lock, so that the engine's [`CancelToken`] takes it for a moment every few milliseconds.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use corten_sim::CancelToken;
use pyo3::prelude::*;

use crate::memory::occupy_all;

/// Between two looks for signals.
pub const PAUSE: Duration = Duration::from_millis(20);

thread_local! {
    /// Addresses of the values whose locks the calls of this thread hold.
    static HELD: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
    /// What a handler raised.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// A token that a signal cancels.
pub fn token() -> CancelToken {
    CancelToken::polling(signal_has_raised)
}

fn signal_has_raised() -> bool {
    let held = HELD.with_borrow(Clone::clone);
    let due = LAST.get().is_none_or(|last| last.elapsed() >= PAUSE);
    // Threads of a pool have no call of their own.
    if held.is_empty() || !due {
        return false;
    }
    let raised = occupy_all(&held, || Python::attach(|py| py.check_signals()));
    LAST.set(Some(Instant::now()));
    match raised {
        Ok(()) => false,
        Err(error) => {
            RAISED.set(Some(error));
            true
        }
    }
}

/// Ends a call, also when it panics.
struct End(usize);

impl Drop for End {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|held| held.truncate(self.0));
    }
}

/// Runs `f`, which holds the locks of values at the given addresses, and looks for signals meanwhile by
/// the token; the error is what a handler raised.
pub fn interruptible<R>(
    token: &CancelToken,
    owners: impl IntoIterator<Item = usize>,
    f: impl FnOnce() -> R,
) -> PyResult<R> {
    let before = HELD.with_borrow(Vec::len);
    let end = End(before);
    HELD.with_borrow_mut(|held| held.extend(owners));
    let result = f();
    drop(end);
    if token.is_cancelled() {
        token.withdraw();
        if let Some(error) = RAISED.take() {
            return Err(error);
        }
    }
    Ok(result)
}

/// Runs `f` on a thread of its own, while this one looks for signals. Should one raise, the call ends,
/// and the thread goes on to its end for nobody.
pub fn abandonable<R: Send + 'static>(
    py: Python<'_>,
    f: impl FnOnce() -> R + Send + 'static,
) -> PyResult<std::thread::Result<R>> {
    /// As much as main threads have, for texts that are nested deeply.
    const STACK: usize = 16 << 20;
    let (send, mut receive) = std::sync::mpsc::channel();
    let run = move || {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
        let _ = send.send(result);
    };
    std::thread::Builder::new().stack_size(STACK).spawn(run)?;
    loop {
        let waiting = &mut receive;
        match py.detach(move || waiting.recv_timeout(PAUSE)) {
            Ok(result) => return Ok(result),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(error) => return Ok(Err(Box::new(error.to_string()))),
        }
    }
}
