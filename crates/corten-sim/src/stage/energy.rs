//! Mechanical energy.

use corten_model::Model;

use crate::Data;

/// Potential energy.
pub fn potential(_m: &Model, _d: &mut Data) {}

/// Kinetic energy.
pub fn kinetic(_m: &Model, _d: &mut Data) {}
