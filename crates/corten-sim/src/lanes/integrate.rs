//! From accelerations to the next states, in lanes.

use corten_math::array::MapInline;
use corten_math::{Four, transpose};
use corten_model::enums::Integrator;

use super::plan::Plan;
use super::{Results, WORLDS, gather, is_sane, note_integrated, scatter};
use crate::data::smooth::Lanes;
use crate::integrate::{self, Factor};
use crate::{Data, Model};

/// Advances worlds after their forward passes, with the results of these in each `Data`.
pub(super) fn advance(
    m: &Model,
    l: &mut Lanes,
    worlds: &mut [&mut Data; WORLDS],
    plan: &Plan,
    [all, with_forces]: [bool; 2],
    alone: [bool; WORLDS],
) {
    let in_lanes = match m.opt.integrator {
        Integrator::Euler => plan.joint_inertia,
        Integrator::ImplicitFast => with_forces,
        _ => false,
    };
    if !in_lanes {
        worlds.iter_mut().for_each(|d| integrate::advance(m, d));
        return;
    }
    if plan.damping.is_empty() {
        transpose::gather(worlds.each_ref().map_inline(|d| &d.qacc[..]), &mut l.step_acc);
    } else {
        gather!(l, worlds; qfrc_smooth qfrc_constraint);
        integrate::damped_acceleration(m, l, Factor::Compute, |k| plan.damping[k]);
        if all {
            scatter!(l, worlds; qH qHDiagInv);
        }
    }
    integrate::advance_joints_kernel(m, l);
    if alone.contains(&true) {
        for (lane, d) in worlds.iter_mut().enumerate() {
            if !alone[lane] {
                transpose::scatter_one(&l.qvel, lane, &mut d.qvel);
                transpose::scatter_one(&l.qpos, lane, &mut d.qpos);
            }
        }
    } else {
        scatter!(l, worlds; qvel qpos);
    }
    for (d, alone) in worlds.iter_mut().zip(alone) {
        if alone {
            integrate::advance(m, d);
        } else {
            integrate::advance_rest(m, d);
        }
    }
}

/// Advances worlds that nothing constrains, straight from `qfrc_smooth` and `qacc_smooth` in lanes.
pub(super) fn advance_freely(
    m: &Model,
    l: &mut Lanes,
    worlds: &mut [&mut Data; WORLDS],
    plan: &Plan,
    results: &mut Results,
) {
    if plan.damping.is_empty() {
        l.step_acc.copy_from_slice(&l.qacc_smooth);
    } else {
        l.qfrc_constraint.fill(Four::default());
        integrate::damped_acceleration(m, l, Factor::Compute, |k| plan.damping[k]);
    }
    integrate::advance_joints_kernel(m, l);
    scatter!(l, worlds; qvel qpos);
    transpose::scatter(&l.qacc_smooth, worlds.each_mut().map_inline(|d| &mut d.qacc_warmstart[..]));
    for d in worlds.iter_mut() {
        d.time += m.opt.timestep;
    }
    if !is_sane(&[&l.qvel]) {
        note_integrated(m, worlds, results);
    }
}
