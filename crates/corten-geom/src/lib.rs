//! Posed shapes and queries on them. Knows nothing of models or simulation.

pub mod contact;

pub use contact::{Hit, HitBuffer, MAX_HITS};
