//! Sensors, by the stage after which they can be read.

use corten_model::Model;

use crate::Data;

/// Sensors of positions.
pub fn position(_m: &Model, _d: &mut Data) {}

/// Sensors of velocities.
pub fn velocity(_m: &Model, _d: &mut Data) {}

/// Sensors of accelerations and forces.
pub fn acceleration(_m: &Model, _d: &mut Data) {}
