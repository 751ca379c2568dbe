//! Constraint solvers.

pub mod island;

use corten_model::Model;

use crate::Data;

/// Constrained acceleration and constraint forces.
pub fn constraint(_m: &Model, _d: &mut Data) {}

/// Inverse inertia in constraint space, for dual solvers.
pub fn project(_m: &Model, _d: &mut Data) {}
