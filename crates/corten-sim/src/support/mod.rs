//! Quantities derived from a computed `Data`: Jacobians, object motion, forces, configuration
//! arithmetic.

mod configuration;
mod force;
mod jacobian;
mod motion;

use std::ops::Range;

pub use crate::solve::contact_force;
pub use crate::stage::body_force::body_forces;
pub use crate::stage::velocity::subtree_velocities;
pub use configuration::{differentiate_pos, integrate_pos, normalize_quat};
pub(crate) use configuration::{integrate_all_joints, integrate_joints};
pub use force::apply_force;
pub(crate) use force::wrench_at;
pub use jacobian::{
    angular_momentum_matrix, chain, for_each_dof, jac, jac_body, jac_body_com, jac_dot, jac_geom,
    jac_point_axis, jac_site, jac_subtree_com,
};
pub(crate) use motion::{Frame, object_frame};
pub use motion::{local_to_global, object_acceleration, object_velocity, total_mass};

use crate::Data;

/// Where the entries of one tendon's Jacobian are stored.
pub(crate) fn tendon_row(d: &Data, tendon: usize) -> Range<usize> {
    let start = d.ten_J_rowadr[tendon] as usize;
    start..start + d.ten_J_rownnz[tendon] as usize
}

/// The entries of a sparse row times a vector over dofs.
#[inline]
pub(crate) fn times_row(
    columns: &[i32],
    entries: &[f64],
    row: Range<usize>,
    vector: &[f64],
) -> f64 {
    let terms = columns[row.clone()].iter().zip(&entries[row]);
    terms.map(|(&dof, entry)| entry * vector[dof as usize]).sum()
}
