//! Jacobians and other quantities derived from a computed `Data`.

use std::ops::Range;

use corten_math::{Spatial, Vec3};

use crate::Data;

/// Where the entries of one tendon's Jacobian are stored.
pub(crate) fn tendon_row(d: &Data, tendon: usize) -> Range<usize> {
    let start = d.ten_J_rowadr[tendon] as usize;
    start..start + d.ten_J_rownnz[tendon] as usize
}

/// A force and torque at a world point as a spatial force about the reference point `com`.
#[inline]
pub(crate) fn wrench_at(com: Vec3, point: Vec3, force: Vec3, torque: Vec3) -> Spatial {
    Spatial::new(torque + (point - com).cross(force), force)
}

/// Adds to `qfrc` the generalised force of a force and a torque that act on a body at a world
/// point (`mj_applyFT`).
pub fn apply_force(
    d: &Data,
    force: Vec3,
    torque: Vec3,
    point: Vec3,
    body: usize,
    qfrc: &mut [f64],
) {
    let s = &*d.scratch.structure;
    let Some(node) = s.bodies.get(body) else { return };
    let wrench = wrench_at(d.subtree_com[node.root as usize], point, force, torque);
    for &k in s.chain(body) {
        qfrc[k as usize] += d.cdof[k as usize].dot(&wrench);
    }
}
