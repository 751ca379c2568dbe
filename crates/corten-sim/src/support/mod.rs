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
pub(crate) use configuration::integrate_joints;
pub use configuration::{differentiate_pos, integrate_pos, normalize_quat};
pub use force::apply_force;
pub(crate) use force::{Chains, wrench_at};
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
#[inline(always)]
pub(crate) fn times_row(
    columns: &[i32],
    entries: &[f64],
    row: Range<usize>,
    vector: &[f64],
) -> f64 {
    if row.len() == 1 {
        return entries[row.start] * vector[columns[row.start] as usize];
    }
    let (columns, entries) = (&columns[row.clone()], &entries[row]);
    if let ([i, j], [a, b]) = (columns, entries) {
        return a * vector[*i as usize] + b * vector[*j as usize];
    }
    if let Some((first, [a, b, c, d, e, f])) = free_joint_row(columns, entries)
        && let Some([u, v, w, x, y, z]) = vector[first..].first_chunk()
    {
        return a * u + b * v + c * w + d * x + e * y + f * z;
    }
    columns.iter().zip(entries).map(|(&dof, entry)| entry * vector[dof as usize]).sum()
}

/// The first dof and the entries of a sparse row, whose columns ascend, if it has those of a free
/// joint.
#[inline(always)]
pub(crate) fn free_joint_row<'a>(
    columns: &[i32],
    entries: &'a [f64],
) -> Option<(usize, &'a [f64; 6])> {
    let (&[first, .., last], Ok(entries)) = (columns, entries.try_into()) else { return None };
    (first + 5 == last).then_some((first as usize, entries))
}

/// Whether one of the flags is set; one pass without branches.
#[inline]
pub(crate) fn any_set(flags: &[u8]) -> bool {
    let Some(&last) = flags.last_chunk::<8>() else {
        let (Some(&first), Some(&last)) = (flags.first_chunk::<4>(), flags.last_chunk::<4>())
        else {
            return flags.iter().any(|&flag| flag != 0);
        };
        return u32::from_ne_bytes(first) | u32::from_ne_bytes(last) != 0;
    };
    let words = flags.as_chunks::<8>().0.iter().chain([&last]);
    words.fold(0, |any, &word| any | u64::from_ne_bytes(word)) != 0
}

/// Whether one of the numbers is not zero.
#[inline]
pub(crate) fn any_nonzero(numbers: &[f64]) -> bool {
    let (blocks, rest) = numbers.as_chunks::<4>();
    let bits = |numbers: &[f64]| numbers.iter().fold(0, |any, x| any | x.to_bits());
    // Shifted out: the sign.
    blocks.iter().any(|block| bits(block) << 1 != 0) || rest.iter().any(|x| *x != 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_looked_at() {
        for n in 0..80 {
            assert!(!any_set(&vec![0; n]) && !any_nonzero(&vec![-0.0; n]));
            for k in 0..n {
                let mut flags = vec![0; n];
                flags[k] = 1;
                assert!(any_set(&flags));
                for x in [f64::NAN, -1.0, f64::MIN_POSITIVE] {
                    let mut numbers = vec![0.0; n];
                    numbers[k] = x;
                    assert!(any_nonzero(&numbers));
                }
            }
        }
    }
}
