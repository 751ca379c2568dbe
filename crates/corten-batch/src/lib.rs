//! Many worlds of one model.
//!
//! [`BatchSim`] advances `n` worlds that share one [`Model`](corten_sim::Model); their states are
//! contiguous row-major arrays, one row per world. [`rollout`] follows open-loop trajectories from
//! many initial states.
//!
//! A world is its state, not a [`Data`](corten_sim::Data): every thread owns one `Data`, loads a
//! world's row into it, steps, and writes the row back. A world costs a few kilobytes, working
//! memory stays in the cache of its core, and because a restored state continues the same
//! trajectory bit for bit, neither the number of threads nor the neighbours of a world change its
//! results. Only models whose trees may sleep keep a `Data` per world, since what lies asleep is
//! not part of the state.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod failure;
mod hook;
mod parameters;
mod pool;
pub mod rollout;
mod sim;
mod table;
mod world;

pub use failure::{Cause, Dump, DumpError, Failure};
pub use hook::{ControlFn, DoneFn, ResetFn, RewardFn};
pub use parameters::ParameterError;
pub use pool::Pool;
pub use sim::{BatchError, BatchResult, BatchSim, OnFailure};
