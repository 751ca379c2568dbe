//! Ending long calls from outside.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Work between two questions to the closure of [`CancelToken::polling`], in multiplications or so: well
/// below a millisecond.
const QUANTUM: usize = 1 << 17;

/// A request to end, shared by whoever may make it and the calls that look for it. A call that finds it
/// returns [`StepError::Cancelled`](crate::StepError::Cancelled); the state is that after the last whole
/// step. It holds until it is withdrawn.
///
/// ```
/// use corten_sim::{CancelToken, Data, StepError};
///
/// # let text = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>";
/// # let model = corten_sim::load_model_str(text, &Default::default()).unwrap();
/// let mut data = Data::new(&model);
/// let token = CancelToken::new();
/// data.cancel = Some(token.clone());
/// std::thread::spawn(move || token.cancel());
/// while data.step(&model).is_ok() {}
/// assert!(matches!(data.step(&model), Err(StepError::Cancelled { .. })));
/// ```
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Signal>);

#[derive(Default)]
struct Signal {
    cancelled: AtomicBool,
    /// Work since `poll` was asked.
    work: AtomicUsize,
    poll: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl CancelToken {
    /// A token that nobody has cancelled.
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// A token that asks for itself: calls that look for it run `poll` now and then, on whichever thread
    /// they work, and end if it says so.
    pub fn polling(poll: impl Fn() -> bool + Send + Sync + 'static) -> CancelToken {
        CancelToken(Arc::new(Signal { poll: Some(Box::new(poll)), ..Signal::default() }))
    }

    /// Asks the calls to end.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Withdraws the request.
    pub fn withdraw(&self) {
        self.0.cancelled.store(false, Ordering::Relaxed);
    }

    /// Whether the calls are to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// Whether to end, for a caller that is about to do so much work.
    #[inline]
    pub fn is_due(&self, work: usize) -> bool {
        if self.is_cancelled() {
            return true;
        }
        // Threads that share the token may lose some of the count, which delays the next question.
        let done = self.0.work.load(Ordering::Relaxed).saturating_add(work);
        let ask = done >= QUANTUM;
        self.0.work.store(if ask { 0 } else { done }, Ordering::Relaxed);
        ask && self.ask()
    }

    /// Whether to end, after a question to the closure.
    #[cold]
    #[inline(never)]
    pub fn ask(&self) -> bool {
        if self.0.poll.as_ref().is_some_and(|poll| poll()) {
            self.cancel();
        }
        self.is_cancelled()
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancelToken").field(&self.is_cancelled()).finish()
    }
}
