//! Constraint rows.

use corten_model::Model;

use crate::Data;

/// Builds all constraint rows.
pub fn make(_m: &Model, _d: &mut Data) {}

/// Velocities and reference accelerations of the rows.
pub fn reference(_m: &Model, _d: &mut Data) {}
