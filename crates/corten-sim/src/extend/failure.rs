use std::fmt;

use crate::Data;
use crate::data::budget::Stop;

/// Why an extension could not do its part of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(String);

/// What a method of an extension returns.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// With a message for whoever runs the simulation.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure(message.to_owned())
    }
}

impl Data {
    /// What an extension answered; a failure ends the step, unless something has ended it before.
    #[inline(always)]
    pub(crate) fn heed<T>(&mut self, name: impl Fn() -> String, answer: Outcome<T>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(failure) => {
                self.end_by(name(), failure);
                None
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn end_by(&mut self, name: String, failure: Failure) {
        if self.scratch.stop.is_none() {
            self.scratch.stop = Some(Stop::Extension { name, message: failure.0 });
        }
    }

    /// Forgets that an extension has failed, or that memory was refused, for another try.
    #[inline(always)]
    pub(crate) fn forget_failure(&mut self) {
        if let Some(Stop::Extension { .. } | Stop::Memory(_)) = self.scratch.stop {
            self.scratch.stop = None;
        }
    }
}
