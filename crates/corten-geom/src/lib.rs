//! Posed shapes and queries on them. Knows nothing of models or simulation.

pub mod contact;
pub mod pair;

pub use contact::{Hit, HitBuffer, MAX_HITS};
