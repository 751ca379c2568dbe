//! Integrators.

use corten_model::Model;

use crate::Data;

/// Advances the state with the integrator of the model.
pub fn advance(_m: &Model, _d: &mut Data) {}

/// Semi-implicit Euler.
pub fn euler(_m: &Model, _d: &mut Data) {}

/// Implicit in velocity.
pub fn implicit(_m: &Model, _d: &mut Data) {}
