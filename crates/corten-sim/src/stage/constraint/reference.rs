//! Velocities and reference accelerations of the rows. Answers to `mj_referenceConstraint`.

use corten_model::Model;

use crate::{Data, solve};

/// `efc_vel = J·qvel` and `efc_aref = −B·vel − K·imp·(pos − margin)`.
pub fn reference(m: &Model, d: &mut Data) {
    if d.nefc == 0 {
        return;
    }
    solve::row_velocities(m, d);
    for i in 0..d.nefc {
        let [k, b, imp, _] = d.efc_KBIP[i];
        d.efc_aref[i] = -b * d.efc_vel[i] - k * imp * (d.efc_pos[i] - d.efc_margin[i]);
    }
}
