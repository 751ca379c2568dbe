//! Actuator lengths and moments.

use corten_model::Model;

use crate::Data;

/// Lengths and moments.
pub fn transmission(_m: &Model, _d: &mut Data) {}

/// Actuator velocities.
pub fn velocity(_m: &Model, _d: &mut Data) {}
