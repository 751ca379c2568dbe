//! Unconstrained acceleration.

use corten_model::Model;

use crate::Data;

/// `qfrc_smooth` and `qacc_smooth`.
pub fn acceleration(_m: &Model, _d: &mut Data) {}
