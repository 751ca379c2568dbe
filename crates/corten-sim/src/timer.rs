//! Time and number of calls of the stages, in `Data::timer`, as MuJoCo counts them.
//!
//! A simulation is timed if its hook tells the time ([`Hook::time`](crate::Hook::time)): a
//! [`Stopwatch`], or user code. Otherwise a timer costs a comparison, and counts nothing.

use std::time::Instant;

use corten_math::hint::rarely;
use corten_model::enums::Timer;

use crate::{Data, HeapArray, Hook, Hooks, NTIMER, TimerStat};

type Timers = HeapArray<TimerStat, NTIMER>;

/// A hook that does nothing but tell the time, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Default for Stopwatch {
    fn default() -> Stopwatch {
        Stopwatch(Instant::now())
    }
}

impl Hook for Stopwatch {
    fn time(&self) -> Option<f64> {
        Some(self.0.elapsed().as_secs_f64())
    }
}

impl Data {
    /// Time and number of calls of a stage since the last reset; zero unless the hook of this
    /// simulation [tells the time](crate::Hook::time).
    pub fn timer_of(&self, timer: Timer) -> TimerStat {
        self.timer[timer.raw() as usize]
    }
}

/// A timer that runs; what is not timed has none.
#[derive(Clone, Copy)]
pub(crate) struct Running(Option<f64>);

/// Starts a timer.
#[inline(always)]
pub(crate) fn start(d: &Data) -> Running {
    start_by(&d.hooks)
}

/// [`start`], where other parts of the data are borrowed.
#[inline(always)]
pub(crate) fn start_by(hooks: &Hooks) -> Running {
    Running(if rarely(hooks.is_some()) { hooks.time() } else { None })
}

impl Running {
    /// Whether the simulation is timed.
    #[inline(always)]
    pub(crate) fn is_on(self) -> bool {
        rarely(self.0.is_some())
    }

    /// Adds the time since the start to a timer, as one more call.
    #[inline(always)]
    pub(crate) fn stop(self, d: &mut Data, timer: Timer) {
        self.stop_by(&d.hooks, &mut d.timer, timer);
    }

    /// [`stop`](Self::stop), where other parts of the data are borrowed.
    #[inline(always)]
    pub(crate) fn stop_by(self, hooks: &Hooks, timers: &mut Timers, timer: Timer) {
        if self.is_on() {
            self.record(hooks, timers, timer, 1);
        }
    }

    /// Adds the time since the start to a timer, as a part of a call that is counted elsewhere.
    #[inline(always)]
    pub(crate) fn add(self, d: &mut Data, timer: Timer) {
        if self.is_on() {
            self.record(&d.hooks, &mut d.timer, timer, 0);
        }
    }

    #[cold]
    #[inline(never)]
    fn record(self, hooks: &Hooks, timers: &mut Timers, timer: Timer, calls: i32) {
        if let (Some(start), Some(now)) = (self.0, hooks.time()) {
            let stat = &mut timers[timer.raw() as usize];
            stat.duration += now - start;
            stat.number += calls;
        }
    }
}
