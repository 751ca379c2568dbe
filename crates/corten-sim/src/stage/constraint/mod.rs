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
mod compliance;
mod contact;
mod elastic;
mod equality;
mod friction;
mod impedance;
mod limit;
mod materialize;
mod reference;
mod side;
mod soft;

pub use adopt::adopt;
pub(crate) use assembly::AllEdges;
pub use assembly::Constraints;
pub(crate) use compliance::Compliant;
pub(crate) use contact::passive;
pub use materialize::materialize_jacobian;
pub use reference::reference;
pub(crate) use reference::reference_with_edges;
pub(crate) use soft::{Scratch as SoftMemory, Softs, forget_prediction, predict};

use std::sync::Arc;

use corten_math::hint::rarely;
use corten_math::{Mat3, Quat, Vec3};
use corten_model::ModelArrays;
use corten_model::enums::{Cone, DisableBit, JacobianType, ObjType, SleepState};

use crate::awake::{self, Selection};
use crate::sleep::{self, AwakeFlags};
use crate::stage::flex::{EdgeRows, Plan};
use crate::support::Chains;
use crate::{Data, Model};

/// Builds all constraint rows.
pub fn make(m: &Model, d: &mut Data) {
    d.clear_constraints();
    if m.ntendon > 0 {
        d.tendon_efcadr.clear();
        d.tendon_efcadr.resize(m.ntendon, -1);
    }
    d.scratch.solver.dual.forget();
    let sleeping = sleep::filters(m, d);
    // A copy of the data shares the rows until one of the two makes its own.
    if Arc::strong_count(&d.scratch.constraint) > 1 {
        d.scratch.constraint = Arc::default();
    }
    let rows = Arc::make_mut(&mut d.scratch.constraint);
    rows.begin();
    if !m.opt.disabled(DisableBit::Constraint) && m.nv > 0 {
        let chains =
            Chains { structure: &d.prepared.structure, subtree_com: &d.subtree_com, cdof: &d.cdof };
        let given = Given {
            chains,
            awake: sleeping.then_some(AwakeFlags { body: &d.body_awake, tree: &d.tree_awake }),
            dofs: awake::select(sleeping, &d.dof_awake_ind, d.nv_awake, m.nv),
            eq_active: &d.eq_active,
            qpos: &d.qpos,
            xpos: &d.xpos,
            xquat: &d.xquat,
            xmat: &d.xmat,
            site_xpos: &d.site_xpos,
            ten_length: &d.ten_length,
            flexes: &d.prepared.flexes,
            flexvert_xpos: &d.flexvert_xpos,
            flexedge_length: &d.flexedge_length,
            flexedge_J: EdgeRows::new(&d.prepared.flexes, &d.scratch.flex),
            ten_J: Sparse {
                rownnz: &d.ten_J_rownnz,
                rowadr: &d.ten_J_rowadr,
                colind: &d.ten_J_colind,
                values: &d.ten_J,
            },
        };
        equality::equality(m, &given, &mut d.tendon_efcadr, rows);
        if m.nflex > 0 {
            rows.add_elastic(m, &given);
        }
        if rarely(!d.prepared.softs.is_empty()) {
            soft::soft(m, &given, &d.prepared.softs, &mut d.scratch.soft, rows);
        }
        d.ne = rows.count();
        friction::friction(m, &given, &mut d.tendon_efcadr, rows);
        d.nf = rows.count() - d.ne;
        limit::limit(m, &given, &mut d.tendon_efcadr, rows);
        d.nl = rows.count() - d.ne - d.nf;
        if d.ncon > 0 && !m.opt.disabled(DisableBit::Contact) {
            let contacts = d.ncon.min(d.contact.len());
            let contacts = &mut d.contact[..contacts];
            if m.nflex > 0 {
                contact::set_passive_apart(m, contacts);
            }
            contact::contact(m, chains, &d.flexvert_xpos, contacts, rows);
        }
    }
    assembly::publish(d);
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

/// What rows other than those of contacts are made from.
#[allow(non_snake_case)]
struct Given<'a> {
    chains: Chains<'a>,
    /// `None` if nothing sleeps.
    awake: Option<AwakeFlags<'a>>,
    /// Those that are awake.
    dofs: Selection<'a>,
    eq_active: &'a [u8],
    qpos: &'a [f64],
    xpos: &'a [Vec3],
    xquat: &'a [Quat],
    xmat: &'a [Mat3],
    site_xpos: &'a [Vec3],
    ten_length: &'a [f64],
    flexes: &'a Plan,
    flexvert_xpos: &'a [Vec3],
    flexedge_length: &'a [f64],
    flexedge_J: EdgeRows<'a>,
    ten_J: Sparse<'a>,
}

impl Given<'_> {
    /// Whether an object sleeps, so that it has no rows.
    fn asleep(&self, m: &Model, kind: ObjType, id: usize) -> bool {
        self.awake.is_some_and(|awake| awake.state(m, kind, id) == SleepState::Asleep)
    }
}

/// A sparse matrix by rows.
struct Sparse<'a> {
    rownnz: &'a [i32],
    rowadr: &'a [i32],
    colind: &'a [i32],
    values: &'a [f64],
}

impl Sparse<'_> {
    /// Columns and values.
    fn row(&self, i: usize) -> (&[i32], &[f64]) {
        let start = self.rowadr[i] as usize;
        let range = start..start + self.rownnz[i] as usize;
        (&self.colind[range.clone()], &self.values[range])
    }
}
