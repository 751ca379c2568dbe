//! From accelerations to the next states, in lanes.

use corten_math::{Four, transpose, wide};
use corten_model::enums::Integrator;

use super::plan::Plan;
use super::{WORLDS, forces, gather, is_sane, scatter};
use crate::data::smooth::{Lanes, SmoothState};
use crate::{Data, Model, StepError, check, integrate, support};

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
            if integrate::damped(m, worlds[0]) {
                gather!(l, worlds; qfrc_smooth qfrc_constraint);
                damped_acceleration(m, l);
                if all {
                    scatter!(l, worlds; qH qHDiagInv);
                }
            } else {
                gather!(l, worlds; qacc);
            }
        }
        Integrator::ImplicitFast if with_forces => {
            gather!(l, worlds; qfrc_smooth qfrc_constraint);
            implicit_acceleration(m, l);
        }
        _ => {
            worlds.iter_mut().for_each(|d| integrate::advance(m, d));
            return;
        }
    }
    move_joints(m, l);
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
) -> [Result<(), StepError>; WORLDS] {
    l.qfrc_constraint.fill(Four::default());
    if m.opt.integrator == Integrator::ImplicitFast {
        implicit_acceleration(m, l);
    } else if integrate::damped(m, worlds[0]) {
        damped_acceleration(m, l);
    } else {
        l.qacc.copy_from_slice(&l.qacc_smooth);
    }
    move_joints(m, l);
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

/// The acceleration over the step, implicit in the damping of joints.
fn damped_acceleration(m: &Model, l: &mut Lanes) {
    damped(m, l);
    solve(l);
}

/// The acceleration over the step, implicit in velocity.
fn implicit_acceleration(m: &Model, l: &mut Lanes) {
    l.qH.copy_from_slice(&l.M);
    forces::subtract_velocity_derivative(m, l);
    solve(l);
}

/// The acceleration that goes with all forces and the inertia in `qH`, which is factored.
fn solve(l: &mut Lanes) {
    let pattern = &l.prepared.structure.mass;
    pattern.factor(&mut l.qH, &mut l.qHDiagInv);
    add(&l.qfrc_smooth, &l.qfrc_constraint, &mut l.qacc);
    pattern.solve(&l.qH, &l.qHDiagInv, &mut l.qacc);
}

wide! {
    fn add(a: &[Four], b: &[Four], sum: &mut [Four]) {
        let [a, b]: [&[Simd]; 2] = [a, b].map(bytemuck::cast_slice);
        for (sum, (a, b)) in bytemuck::cast_slice_mut(sum).iter_mut().zip(a.iter().zip(b)) {
            *sum = *a + *b;
        }
    }

    /// `qH`: the mass matrix, with the damping of joints over a time step.
    fn damped(m: &Model, l: &mut Lanes) {
        let pattern = &l.prepared.structure.mass;
        l.qH.copy_from_slice(&l.M);
        for (i, b) in m.dof_damping.iter().enumerate().take(pattern.size()) {
            let entry: &mut Simd = bytemuck::cast_mut(&mut l.qH[pattern.diagonal_entry(i)]);
            *entry += Simd::splat(m.opt.timestep * b);
        }
    }

    /// Velocities and positions at the end of the step.
    fn move_joints(m: &Model, l: &mut Lanes) {
        let v = l.smooth::<Simd>(m);
        let h = m.opt.timestep;
        for (vel, a) in v.qvel.iter_mut().zip(v.qacc.iter()) {
            *vel += *a * Simd::splat(h);
        }
        support::integrate_all_joints(v.structure, v.qpos, v.qvel, h);
    }
}
