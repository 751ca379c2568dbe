//! Derivatives of the dynamics.

use corten_model::Model;

use crate::Data;

/// `qDeriv`.
pub fn smooth_velocity(_m: &Model, _d: &mut Data, _bias: bool) {}
