//! Poses of everything that is attached to a body.

use corten_model::Model;

use crate::Data;

/// Body, joint, geom and site poses.
pub fn kinematics(_m: &Model, _d: &mut Data) {}

/// Camera and light poses.
pub fn cameras_and_lights(_m: &Model, _d: &mut Data) {}
