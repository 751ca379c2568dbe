//! Forces on bodies and between them.

use corten_math::{Spatial, Vec3};

use crate::Data;
use crate::prepared::structure::Structure;

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
    Chains::of(d).apply([force, torque], point, body, qfrc);
}

impl Data {
    /// Adds to `qfrc_passive` the effect of a force and a torque that act on a body at a world
    /// point; for hooks and plugins.
    pub fn apply_passive(&mut self, body: usize, force: Vec3, torque: Vec3, point: Vec3) {
        let Data { prepared, subtree_com, cdof, qfrc_passive, .. } = self;
        let chains = Chains { structure: &prepared.structure, subtree_com, cdof };
        chains.apply([force, torque], point, body, qfrc_passive);
    }
}

/// The degrees of freedom that move bodies, and their axes.
#[derive(Clone, Copy)]
pub(crate) struct Chains<'a> {
    pub structure: &'a Structure,
    pub subtree_com: &'a [Vec3],
    pub cdof: &'a [Spatial],
}

impl<'a> Chains<'a> {
    pub fn of(d: &'a Data) -> Chains<'a> {
        Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof }
    }

    /// See [`apply_force`].
    pub fn apply(self, [force, torque]: [Vec3; 2], point: Vec3, body: usize, qfrc: &mut [f64]) {
        let Some(node) = self.structure.bodies.get(body) else { return };
        let offset = point - self.subtree_com[node.root as usize];
        for &k in self.structure.chain(body) {
            let (axis, qfrc) = (&self.cdof[k as usize], &mut qfrc[k as usize]);
            *qfrc += axis.velocity_at(offset).dot(force);
            *qfrc += axis.rot().dot(torque);
        }
    }
}
