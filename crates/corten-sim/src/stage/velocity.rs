//! Spatial velocities and bias forces.

use corten_model::Model;

use crate::Data;

/// `cvel` and `cdof_dot`.
pub fn body_velocities(_m: &Model, _d: &mut Data) {}

/// Coriolis, centrifugal and gravitational forces.
pub fn bias_force(_m: &Model, _d: &mut Data) {}
