//! Tendon paths, lengths, Jacobians, velocities.

use corten_model::Model;

use crate::Data;

/// Paths, lengths and Jacobians.
pub fn tendon(_m: &Model, _d: &mut Data) {}

/// Tendon velocities.
pub fn velocity(_m: &Model, _d: &mut Data) {}

/// Bias force of tendon armature.
pub fn bias(_m: &Model, _d: &mut Data) {}
