//! Velocities and reference accelerations of the rows. Answers to `mj_referenceConstraint`.

use corten_model::Model;

use crate::{Data, solve};

/// `efc_vel = J·qvel` and `efc_aref = −B·vel − K·imp·(pos − margin)`.
pub fn reference(m: &Model, d: &mut Data) {
    if d.nefc == 0 {
        return;
    }
    solve::row_velocities(m, d);
    let pos = d.efc_pos.iter().zip(&d.efc_margin);
    let rows = d.efc_KBIP.iter().zip(&d.efc_vel).zip(pos);
    for (aref, ((&[k, b, imp, _], vel), (pos, margin))) in d.efc_aref.iter_mut().zip(rows) {
        *aref = -b * vel - k * imp * (pos - margin);
    }
}
