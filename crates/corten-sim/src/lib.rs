//! The engine: [`Data`] and everything that advances it.
//!
//! [`mod@step`] is the table of contents: it names the stages in the order in which they run; each
//! stage is one module of `stage`, `solve` or `integrate`, reads the [`Model`] and the results of
//! earlier stages, and writes its own block of [`Data`].

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod access;
mod awake;
mod cancel;
mod chain;
#[doc(hidden)]
pub mod check;
pub mod constants;
mod data;
pub mod derivative;
pub mod distance;
mod error;
pub mod extend;
pub mod integrate;
pub mod inverse;
#[doc(hidden)]
pub mod lanes;
mod load;
mod model;
mod prepared;
pub mod ray;
pub mod sim;
pub mod sleep;
mod sleepers;
#[doc(hidden)]
pub mod solve;
#[doc(hidden)]
pub mod stage;
pub mod state;
pub mod step;
pub mod support;
mod timer;

pub use cancel::CancelToken;
pub use data::{
    Budget, Contact, Data, HeapArray, NISLAND, NSOLVER, NTIMER, NWARNING, OnExcess, SolverStat,
    SolverStats, TimerStat, WarningStat,
};
pub use error::StepError;
pub use extend::{Extensions, Hook, Hooks, Registry};
pub use load::{BINARY, Loaded, build, compile_spec, load_file, load_model, load_model_str};
pub use model::Model;
pub use step::{forward, step};
pub use timer::Stopwatch;
