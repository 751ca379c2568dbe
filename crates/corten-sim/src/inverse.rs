//! Inverse dynamics.

use corten_model::Model;

use crate::Data;

/// Joint forces that produce `qacc`.
pub fn inverse(_m: &Model, _d: &mut Data) {}

/// Discrepancy between forward and inverse dynamics.
pub fn compare_forward(_m: &Model, _d: &mut Data) {}
