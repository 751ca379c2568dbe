//! Centres of mass, spatial inertias, the mass matrix and its factor.

use corten_model::Model;

use crate::Data;

/// Subtree centres of mass, `cinert`, `cdof`.
pub fn centers_of_mass(_m: &Model, _d: &mut Data) {}

/// Composite inertias `crb` and the mass matrix `M`.
pub fn mass_matrix(_m: &Model, _d: &mut Data) {}

/// The tree-sparse factor of `M`.
pub fn factor(_m: &Model, _d: &mut Data) {}
