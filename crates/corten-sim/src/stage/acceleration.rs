//! Unconstrained acceleration.
//!
//! Reads all forces but those of constraints; writes `qfrc_smooth` and `qacc_smooth`. Answers to
//! `mj_fwdAcceleration`.

use corten_math::{Spatial, Vec3, map_fours, wide};

use crate::stage::constraint::is_sparse;
use crate::{Data, Model, awake, support};

/// `qfrc_smooth` and `qacc_smooth`.
pub fn acceleration(m: &Model, d: &mut Data) {
    force(m, d);
    without_constraints(m, d);
}

/// `qacc_smooth`, from `qfrc_smooth`.
pub(crate) fn without_constraints(m: &Model, d: &mut Data) {
    let s = &d.prepared.structure;
    for dofs in awake::dofs!(m, d).ranges() {
        let qacc = &mut d.qacc_smooth[dofs.clone()];
        qacc.copy_from_slice(&d.qfrc_smooth[dofs.clone()]);
        s.mass.solve_range(dofs.start, &d.qLD, &d.qLDiagInv, qacc);
    }
}

/// `qfrc_smooth`: all forces but those of constraints.
pub(crate) fn force(m: &Model, d: &mut Data) {
    joint_forces(m, d);
    if has_applied_forces(d) {
        let mut force = std::mem::take(&mut d.qfrc_smooth);
        add_body_forces(m, d, &mut force);
        d.qfrc_smooth = force;
    }
}

wide! {
    /// [`force`] without `xfrc_applied`.
    fn joint_forces(m: &Model, d: &mut Data) {
        for dofs in awake::dofs!(m, d).ranges() {
            let forces = [&d.qfrc_passive, &d.qfrc_bias, &d.qfrc_applied, &d.qfrc_actuator];
            let (forces, sum) = (forces.map(|f| &f[dofs.clone()]), &mut d.qfrc_smooth[dofs]);
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
pub(crate) fn add_body_forces(m: &Model, d: &Data, qfrc: &mut [f64]) {
    for (i, applied) in d.xfrc_applied.iter().enumerate().skip(1) {
        if *applied != Spatial::ZERO {
            if !applied.0.iter().all(|x| x.is_finite()) && !is_sparse(m) {
                qfrc.fill(f64::NAN);
                return;
            }
            // The first half is the force here.
            let (force, torque): (Vec3, Vec3) = (applied.rot(), applied.lin());
            support::apply_force(d, force, torque, d.xipos[i], i, qfrc);
        }
    }
}
