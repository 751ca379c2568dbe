//! Unconstrained acceleration.
//!
//! Reads all forces but those of constraints; writes `qfrc_smooth` and `qacc_smooth`. Answers to
//! `mj_fwdAcceleration`.

use std::ops::Range;

use corten_math::array::MapInline;
use corten_math::{Four, Spatial, Vec3, map_fours, wide};

use crate::data::smooth::{SmoothState, dispatch_sleep};
use crate::stage::constraint::is_sparse;
use crate::support::{self, Chains};
use crate::{Data, Model, awake};

/// `qfrc_smooth` and `qacc_smooth`.
pub fn acceleration(m: &Model, d: &mut Data) {
    dispatch_sleep!(joint_forces_kernel(m, d));
    // Applied forces keep a body awake.
    let awake = awake::bodies!(m, d).with_world();
    let is_pushed =
        |bodies: Range<usize>| support::any_nonzero(bytemuck::cast_slice(&d.xfrc_applied[bodies]));
    if awake.ranges().any(is_pushed) {
        let Data { prepared, subtree_com, cdof, xfrc_applied, xipos, qfrc_smooth, .. } = d;
        let chains = Chains { structure: &prepared.structure, subtree_com, cdof };
        add_body_forces(m, chains, xfrc_applied, xipos, qfrc_smooth);
    }
    dispatch_sleep!(without_constraints(m, d));
}

/// `qacc_smooth`, from `qfrc_smooth`, of any worlds.
#[inline(always)]
pub(crate) fn without_constraints<W: SmoothState>(m: &Model, state: &mut W) {
    let v = state.smooth::<Four>(m);
    for dofs in v.dofs.ranges() {
        let qacc = &mut v.qacc_smooth[dofs.clone()];
        qacc.copy_from_slice(&v.qfrc_smooth[dofs.clone()]);
        v.structure.mass.solve_range(dofs.start, v.qLD, v.qLDiagInv, qacc);
    }
}

wide! {
    /// `qfrc_smooth` of any worlds: all forces but those of constraints and `xfrc_applied`.
    pub(crate) fn joint_forces_kernel[W: SmoothState](m: &Model, state: &mut W) {
        let v = state.smooth::<Simd>(m);
        for dofs in v.dofs.ranges() {
            let forces = [&v.qfrc_passive, &v.qfrc_bias, &v.qfrc_applied, &v.qfrc_actuator];
            let forces = forces.map_inline(|f| bytemuck::cast_slice(&f[dofs.clone()]));
            let sum = bytemuck::cast_slice_mut(&mut v.qfrc_smooth[dofs]);
            map_fours::<Simd, 4, 1>(forces, [sum], |[passive, bias, applied, actuator]| {
                [passive - bias + applied + actuator]
            });
        }
    }
}

/// Whether `xfrc_applied` has a component other than zero.
#[inline]
pub(crate) fn has_applied_forces(d: &Data) -> bool {
    support::any_nonzero(bytemuck::cast_slice(&d.xfrc_applied))
}

/// Adds `xfrc_applied`, a force and a torque at the centre of mass of each body
/// (`mj_xfrcAccumulate`). NaN shows in every degree of freedom if the model's
/// matrices are dense, even if the body cannot move: there, MuJoCo multiplies it by zeros.
#[inline(never)]
pub(crate) fn add_body_forces(
    m: &Model,
    chains: Chains<'_>,
    xfrc_applied: &[Spatial],
    xipos: &[Vec3],
    qfrc: &mut [f64],
) {
    for (i, applied) in xfrc_applied.iter().enumerate().skip(1) {
        if *applied != Spatial::ZERO {
            if !applied.0.iter().all(|x| x.is_finite()) && !is_sparse(m) {
                qfrc.fill(f64::NAN);
                return;
            }
            // The first half is the force here.
            let (force, torque) = (applied.rot(), applied.lin());
            chains.apply([force, torque], xipos[i], i, qfrc);
        }
    }
}
