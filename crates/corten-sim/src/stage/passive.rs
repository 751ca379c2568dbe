//! Springs, dampers, gravity compensation, fluid forces.

use corten_model::Model;

use crate::Data;

/// All passive forces.
pub fn passive(_m: &Model, _d: &mut Data) {}
