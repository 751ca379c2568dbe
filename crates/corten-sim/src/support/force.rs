//! Forces on bodies and between them.

use crate::{Data, chain};
use corten_math::{Spatial, Vec3};

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
    let s = &d.prepared.structure;
    let Some(node) = s.bodies.get(body) else { return };
    let offset = point - d.subtree_com[node.root as usize];
    for &k in s.chain(body) {
        let (axis, qfrc) = (&d.cdof[k as usize], &mut qfrc[k as usize]);
        *qfrc += chain::point_motion(axis, offset).dot(force);
        *qfrc += axis.rot().dot(torque);
    }
}
