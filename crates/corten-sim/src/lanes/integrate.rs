//! From accelerations to the next states, in lanes.

use corten_math::{Four, transpose};
use corten_model::enums::Integrator;

use super::plan::Plan;
use super::{WORLDS, gather, is_sane, scatter};
use crate::data::smooth::Lanes;
use crate::integrate::{self, Factor};
use crate::{Data, Model, StepError, check};

/// Advances worlds after their forward passes, with the results of these in each `Data`.
pub(super) fn advance(
    m: &Model,
    l: &mut Lanes,
    worlds: &mut [&mut Data; WORLDS],
    plan: &Plan,
    [all, with_forces]: [bool; 2],
    alone: [bool; WORLDS],
) {
    match m.opt.integrator {
        Integrator::Euler if plan.joint_inertia => {
            if integrate::is_damped(m, worlds[0]) {
                gather!(l, worlds; qfrc_smooth qfrc_constraint);
                integrate::damped_acceleration(m, l, Factor::Compute);
                if all {
                    scatter!(l, worlds; qH qHDiagInv);
                }
            } else {
                transpose::gather(worlds.each_ref().map(|d| &d.qacc[..]), &mut l.step_acc);
            }
        }
        Integrator::ImplicitFast if with_forces => {
            gather!(l, worlds; qfrc_smooth qfrc_constraint);
            implicit_acceleration(m, l, plan);
        }
        _ => {
            worlds.iter_mut().for_each(|d| integrate::advance(m, d));
            return;
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
) -> [Result<(), StepError>; WORLDS] {
    l.qfrc_constraint.fill(Four::default());
    if m.opt.integrator == Integrator::ImplicitFast {
        implicit_acceleration(m, l, plan);
    } else if integrate::is_damped(m, worlds[0]) {
        integrate::damped_acceleration(m, l, Factor::Compute);
    } else {
        l.step_acc.copy_from_slice(&l.qacc_smooth);
    }
    integrate::advance_joints_kernel(m, l);
    scatter!(l, worlds; qvel qpos);
    transpose::scatter(&l.qacc_smooth, worlds.each_mut().map(|d| &mut d.qacc_warmstart[..]));
    for d in worlds.iter_mut() {
        d.time += m.opt.timestep;
    }
    if is_sane(&[&l.qvel]) {
        [const { Ok(()) }; WORLDS]
    } else {
        worlds.each_ref().map(|d| check::integrated(m, d))
    }
}

/// The acceleration over the step, implicit in velocity.
fn implicit_acceleration(m: &Model, l: &mut Lanes, plan: &Plan) {
    integrate::factor_damped(m, l, |k| -plan.velocity_derivative[k]);
    integrate::total_force_kernel(m, l);
    integrate::solve_damped(m, l);
}
