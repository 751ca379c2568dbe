//! Constraint rows: what the solver has to satisfy, and how softly.
//!
//! Reads poses, `cdof`, tendon Jacobians and contacts; writes all `efc_*` fields that depend on
//! position, `contact[].{mu, efc_address, exclude}`, and the block form of the Jacobian in the
//! scratch memory ([`crate::solve::rows`]). Rows come in MuJoCo's order: equalities, friction
//! loss, limits, contacts. Answers to `mj_makeConstraint` and `mj_referenceConstraint`.
//!
//! The public `efc_J` is not needed for simulating and is therefore filled on request, by
//! [`materialize_jacobian`].

mod adopt;
mod assembly;
mod contact;
mod equality;
mod friction;
mod impedance;
mod limit;
mod materialize;
mod reference;
mod side;

pub use adopt::adopt;
pub use assembly::{Constraints, KeptRows};
pub use materialize::materialize_jacobian;
pub use reference::reference;

use corten_model::ModelArrays;
use corten_model::enums::{Cone, DisableBit, JacobianType, ObjType, SleepState};

use crate::{Data, Model, sleep};

/// Builds all constraint rows.
pub fn make(m: &Model, d: &mut Data) {
    d.clear_constraints();
    let mut rows = d.scratch.constraint.take();
    rows.begin(d);
    if m.ntendon > 0 {
        d.tendon_efcadr.clear();
        d.tendon_efcadr.resize(m.ntendon, -1);
    }
    if !m.opt.disabled(DisableBit::Constraint) && m.nv > 0 {
        equality::equality(m, d, &mut rows);
        d.ne = rows.count();
        friction::friction(m, d, &mut rows);
        d.nf = rows.count() - d.ne;
        limit::limit(m, d, &mut rows);
        d.nl = rows.count() - d.ne - d.nf;
        if d.ncon > 0 {
            contact::contact(m, d, &mut rows);
        }
    }
    rows.publish(d);
    d.scratch.constraint.put(rows);
    d.nefc = d.efc_type.len();
    d.maxuse_con = d.maxuse_con.max(d.ncon);
    d.maxuse_efc = d.maxuse_efc.max(d.nefc);
}

/// Whether Jacobians are in sparse form (`mj_isSparse`). MuJoCo then regards as connected what the
/// structure connects, otherwise what a nonzero entry connects; islands follow that.
pub fn is_sparse(m: &ModelArrays) -> bool {
    /// Degrees of freedom from which sparse form is the automatic choice.
    const MANY_DOFS: usize = 60;
    match m.opt.jacobian {
        JacobianType::Sparse => true,
        JacobianType::Dense => false,
        JacobianType::Auto => m.nv >= MANY_DOFS,
    }
}

/// Whether friction cones are approximated by pyramids.
pub fn is_pyramidal(m: &Model) -> bool {
    m.opt.cone == Cone::Pyramidal
}

/// Whether an object sleeps, so that it has no rows.
fn asleep(m: &Model, d: &Data, kind: ObjType, id: usize) -> bool {
    sleep::state(m, d, kind, id) == SleepState::Asleep
}
