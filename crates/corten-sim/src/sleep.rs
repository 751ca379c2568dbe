//! Sleeping: trees at rest are left out of the computation.

use corten_model::Model;

use crate::Data;

/// Awake counter of a tree that has just moved: one below the number of quiet steps it needs.
const FULLY_AWAKE: i32 = -11;

/// Sleep state after a reset: everything awake.
pub(crate) fn reset(m: &Model, d: &mut Data) {
    d.tree_asleep.fill(FULLY_AWAKE);
    update(m, d);
}

/// Index lists of what is awake.
pub fn update(m: &Model, d: &mut Data) {
    d.tree_awake.fill(1);
    for b in 0..m.nbody {
        d.body_awake[b] = if m.body_treeid[b] >= 0 || m.body_mocapid[b] >= 0 { 1 } else { -1 };
        d.body_awake_ind[b] = b as i32;
        d.parent_awake_ind[b] = b as i32;
    }
    for i in 0..m.nv {
        d.dof_awake_ind[i] = i as i32;
    }
    d.ntree_awake = m.ntree;
    d.nbody_awake = m.nbody;
    d.nparent_awake = m.nbody;
    d.nv_awake = m.nv;
}

pub(crate) fn wake_by_tendon(_m: &Model, _d: &mut Data) -> bool {
    false
}

pub(crate) fn wake_by_contact(_m: &Model, _d: &mut Data) -> bool {
    false
}

pub(crate) fn wake_by_equality(_m: &Model, _d: &mut Data) -> bool {
    false
}
