//! Unconstrained acceleration.
//!
//! Reads all forces but those of constraints; writes `qfrc_smooth` and `qacc_smooth`. Answers to
//! `mj_fwdAcceleration`.

use corten_math::{Spatial, Vec3};

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
    match awake::dofs!(m, d).list() {
        None => {
            d.qacc_smooth.copy_from_slice(&d.qfrc_smooth);
            s.mass.solve(&d.qLD, &d.qLDiagInv, &mut d.qacc_smooth);
        }
        Some(list) => {
            for k in list.iter().map(|&k| k as usize) {
                d.qacc_smooth[k] = d.qfrc_smooth[k];
            }
            s.mass.solve_rows(&d.qLD, &d.qLDiagInv, &mut d.qacc_smooth, list);
        }
    }
}

/// `qfrc_smooth`: all forces but those of constraints.
pub(crate) fn force(m: &Model, d: &mut Data) {
    match awake::dofs!(m, d).list() {
        None => {
            let forces = [&d.qfrc_passive[..], &d.qfrc_bias, &d.qfrc_applied, &d.qfrc_actuator];
            support::combine(forces, [&mut d.qfrc_smooth], |[passive, bias, applied, actuator]| {
                [passive - bias + applied + actuator]
            });
        }
        Some(list) => {
            for k in list.iter().map(|&k| k as usize) {
                d.qfrc_smooth[k] =
                    d.qfrc_passive[k] - d.qfrc_bias[k] + d.qfrc_applied[k] + d.qfrc_actuator[k];
            }
        }
    }
    if has_applied_forces(d) {
        let mut force = std::mem::take(&mut d.qfrc_smooth);
        add_body_forces(m, d, &mut force);
        d.qfrc_smooth = force;
    }
}

/// Whether `xfrc_applied` has a component other than zero.
#[inline]
pub(crate) fn has_applied_forces(d: &Data) -> bool {
    support::any_nonzero(bytemuck::cast_slice(&d.xfrc_applied))
}

/// Adds `xfrc_applied`, a force and a torque at the centre of mass of each body
/// (`mj_xfrcAccumulate`). What is not a number shows in every degree of freedom if the model's
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
