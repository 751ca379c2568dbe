//! Actuator dynamics and forces.

use corten_model::Model;

use crate::Data;

/// Actuator forces in joint space, activation derivatives.
pub fn actuation(_m: &Model, _d: &mut Data) {}
