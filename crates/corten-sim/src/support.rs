//! Jacobians and other quantities derived from a computed `Data`.

use std::ops::Range;

use corten_math::{Spatial, Vec3};
use corten_model::Model;
use corten_model::enums::Cone;

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

/// Force and torque of a contact in its own frame, as exerted on the second geom
/// (`mj_contactForce`); zero if the contact produces no force.
pub fn contact_force(m: &Model, d: &Data, contact: usize) -> [f64; 6] {
    let mut wrench = [0.0; 6];
    let Some(con) = d.contact.get(contact).filter(|_| contact < d.ncon) else { return wrench };
    let Ok(start) = usize::try_from(con.efc_address) else { return wrench };
    let rows = d.efc_force.get(start..d.nefc.min(d.efc_force.len())).unwrap_or(&[]);
    let dim = (con.dim.max(1) as usize).min(6);
    if m.opt.cone == Cone::Pyramidal.raw() && dim > 1 {
        // Edges come in pairs normal ± µ tangent: the normal force is the sum of all edge forces,
        // a tangential one the scaled difference of a pair.
        for (axis, pair) in rows.chunks_exact(2).take(dim - 1).enumerate() {
            wrench[0] += pair[0] + pair[1];
            wrench[axis + 1] = (pair[0] - pair[1]) * con.friction[axis];
        }
    } else {
        for (w, force) in wrench.iter_mut().zip(rows).take(dim) {
            *w = *force;
        }
    }
    wrench
}
