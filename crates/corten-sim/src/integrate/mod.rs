//! Integrators.
//!
//! Each turns the results of the forward pass into an acceleration over the step and hands it to
//! [`advance_state`]. Answers to the integrators of `engine_forward.c`.

mod euler;
mod implicit;
mod rk4;
pub(crate) mod spring_damper;

use std::ops::Range;

use corten_math::{map_fours, wide};
use corten_model::enums::{DisableBit, Integrator, Stage, Timer};

pub use euler::euler;
pub(crate) use euler::{damped, euler_with};
pub use implicit::implicit;
pub(crate) use implicit::implicit_with;
pub use rk4::runge_kutta;
pub use spring_damper::spring_damper;
pub(crate) use spring_damper::spring_damper_with;

use crate::stage::actuation;
use crate::{Data, Model, awake, sleep, step, support, timer};

/// Whether the factor of the last step of the same integrator is still that of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factor {
    Compute,
    Reuse,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    qacc: Vec<f64>,
    rk4: rk4::Memory,
}

/// Advances the state with the integrator of the model.
pub fn advance(m: &Model, d: &mut Data) {
    let timer = timer::start(d);
    match m.opt.integrator {
        Integrator::Euler => euler(m, d),
        // Mostly forward passes, which have timers of their own.
        Integrator::Rk4 => return runge_kutta(m, d),
        Integrator::Implicit | Integrator::ImplicitFast => implicit(m, d),
        Integrator::ImplicitSpringDamper => spring_damper(m, d),
    }
    timer.stop(d, Timer::Advance);
}

/// Advances activations, velocities, positions and time by one step, given accelerations and
/// activation rates (those in `d` unless given); positions move with `qvel` if given, else with
/// the new velocity, which makes the scheme semi-implicit (`mj_advance`).
fn advance_state(
    m: &Model,
    d: &mut Data,
    act_dot: Option<&[f64]>,
    qacc: &[f64],
    qvel: Option<&[f64]>,
) {
    let h = m.opt.timestep;
    if m.na > 0 && !m.opt.disabled(DisableBit::Actuation) {
        advance_activations(m, d, act_dot);
    }

    if sleep::fall_asleep(m, d) > 0 {
        // Velocities have changed: so has all that depends on them.
        step::forward_skip(m, d, Stage::Pos, true);
        sleep::update(m, d);
    }

    for dofs in awake::dofs!(m, d).ranges() {
        for (v, a) in d.qvel[dofs.clone()].iter_mut().zip(&qacc[dofs]) {
            *v += a * h;
        }
    }
    let s = &d.prepared.structure;
    let rate = qvel.unwrap_or(&d.qvel);
    let bodies = awake::bodies!(m, d);
    match bodies.list() {
        None => support::integrate_all_joints(s, &mut d.qpos, rate, h),
        Some(_) => support::integrate_joints(s, bodies.iter(), &mut d.qpos, rate, h),
    }
    d.time += h;
    d.qacc_warmstart.copy_from_slice(&d.qacc);
}

/// What [`advance_state`] does besides velocities and positions, for a model without sleep.
pub(crate) fn advance_rest(m: &Model, d: &mut Data) {
    if m.na > 0 && !m.opt.disabled(DisableBit::Actuation) {
        advance_activations(m, d, None);
    }
    d.time += m.opt.timestep;
    d.qacc_warmstart.copy_from_slice(&d.qacc);
}

fn advance_activations(m: &Model, d: &mut Data, act_dot: Option<&[f64]>) {
    let (act, rates) = (&mut d.act[..m.na], &act_dot.unwrap_or(&d.act_dot)[..m.na]);
    let states = m.actuator_actadr.iter().zip(&m.actuator_actnum);
    for (i, (&first, &count)) in states.enumerate() {
        // A negative address is beyond all.
        let (first, count) = (first as usize, count.max(0) as usize);
        if count == 1 && first < m.na && !actuation::is_disabled(m, i) {
            act[first] = actuation::next_activation(m, i, act[first], rates[first]);
        } else if count > 0 {
            let last = first.saturating_add(count).min(m.na);
            advance_several(m, i, act, rates, first..last);
        }
    }
}

/// The activations of an actuator that has several or is disabled.
#[inline(never)]
fn advance_several(m: &Model, i: usize, act: &mut [f64], rates: &[f64], states: Range<usize>) {
    let disabled = actuation::is_disabled(m, i);
    for j in states {
        let rate = if disabled { 0.0 } else { rates[j] };
        act[j] = actuation::next_activation(m, i, act[j], rate);
    }
}

/// `qfrc_smooth + qfrc_constraint` of what is awake, into `force`.
#[inline(always)]
fn total_force(m: &Model, d: &Data, force: &mut Vec<f64>) {
    if force.len() != m.nv {
        force.resize(m.nv, 0.0);
    }
    sum_of_forces(m, d, force);
}

wide! {
    fn sum_of_forces(m: &Model, d: &Data, force: &mut [f64]) {
        for dofs in awake::dofs!(m, d).ranges() {
            let forces = [&d.qfrc_smooth, &d.qfrc_constraint].map(|f| &f[dofs.clone()]);
            map_fours::<Simd, 2, 1>(forces, [&mut force[dofs]], |[smooth, constraint]| {
                [smooth + constraint]
            });
        }
    }
}

/// `x ← (LᵀDL)⁻¹ x` for what is awake, with the factor in `qH`.
fn solve_awake(m: &Model, d: &Data, x: &mut [f64]) {
    for dofs in awake::dofs!(m, d).ranges() {
        let x = &mut x[dofs.clone()];
        d.prepared.structure.mass.solve_range(dofs.start, &d.qH, &d.qHDiagInv, x);
    }
}
