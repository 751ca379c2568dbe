//! Contacts between geoms.

use corten_model::Model;

use crate::Data;

/// Finds all contacts.
pub fn collision(_m: &Model, _d: &mut Data) {}
