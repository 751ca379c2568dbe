//! Forces on bodies and between them.

use corten_math::{Spatial, Vec3};
use corten_model::Model;
use corten_model::enums::Cone;

use crate::Data;

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

/// Force, then torque, of a contact in its own frame; zero if it has no constraint rows
/// (`mj_contactForce`).
pub fn contact_force(m: &Model, d: &Data, contact: usize) -> [f64; 6] {
    let mut result = [0.0; 6];
    let Some(con) = d.contact.get(contact).filter(|_| contact < d.ncon) else { return result };
    let Ok(start) = usize::try_from(con.efc_address) else { return result };
    let dim = usize::try_from(con.dim).unwrap_or(0).clamp(1, 6);
    let pyramidal = m.opt.cone == Cone::Pyramidal.raw();
    let rows = if pyramidal && dim > 1 { 2 * (dim - 1) } else { dim };
    let Some(force) = d.efc_force.get(start..start + rows) else { return result };
    if pyramidal && dim > 1 {
        // Edges come in pairs, `n ± µ_i t_i`.
        result[0] = force.iter().sum();
        for (i, edges) in force.chunks_exact(2).enumerate() {
            result[i + 1] = (edges[0] - edges[1]) * con.friction[i];
        }
    } else {
        result[..dim].copy_from_slice(force);
    }
    result
}
