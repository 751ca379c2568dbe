//! Posed shapes and queries on them. Knows nothing of models or simulation.

pub mod bvh;
pub mod contact;
pub mod hull;
pub mod mesh;
pub mod pair;

pub use contact::{Hit, HitBuffer, MAX_HITS};
