//! Rows of dry friction in joints and tendons. Answers to `mj_instantiateFriction`.

use std::ops::Range;

use corten_model::enums::{ConstraintType, DisableBit};

use super::assembly::Constraints;
use super::{Given, limit};
use crate::solve::rows::Kind;
use crate::{Model, support};

pub(super) fn friction(
    m: &Model,
    given: &Given<'_>,
    tendon_efcadr: &mut [i32],
    rows: &mut Constraints,
) {
    if m.opt.disabled(DisableBit::FrictionLoss) {
        return;
    }
    let rubs = |dofs: &Range<usize>| support::any_nonzero(&m.dof_frictionloss[dofs.clone()]);
    for dof in given.dofs.ranges().filter(rubs).flatten() {
        let loss = m.dof_frictionloss[dof];
        if loss == 0.0 {
            continue;
        }
        rows.push_single(Kind::Friction, dof, 1.0);
        let softness = (&m.dof_solref[dof], &m.dof_solimp[dof]);
        let weight = m.dof_invweight0[dof];
        rows.push_row(m, softness, ConstraintType::FrictionDof, dof, [0.0; 2], 0.0, loss, weight);
    }
    if !support::any_nonzero(&m.tendon_frictionloss) {
        return;
    }
    for t in 0..m.ntendon {
        let loss = m.tendon_frictionloss[t];
        if loss <= 0.0 {
            continue;
        }
        let row = rows.count();
        if limit::tendon_row(m, given, rows, Kind::Friction, t, 1.0) {
            let softness = (&m.tendon_solref_fri[t], &m.tendon_solimp_fri[t]);
            let (kind, weight) = (ConstraintType::FrictionTendon, m.tendon_invweight0[t]);
            rows.push_row(m, softness, kind, t, [0.0; 2], 0.0, loss, weight);
        }
        if tendon_efcadr[t] == -1 {
            tendon_efcadr[t] = row as i32;
        }
    }
}
