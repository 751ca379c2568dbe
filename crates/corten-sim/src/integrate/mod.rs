//! Integrators.
//!
//! Each turns the results of the forward pass into an acceleration over the step and hands it to
//! `advance_state`. Answers to the integrators of `engine_forward.c`.

mod euler;
mod implicit;
mod rk4;
pub(crate) mod spring_damper;

use std::ops::Range;

use corten_math::array::MapInline;
use corten_math::hint::rarely;
use corten_math::{Four, Number, map_fours, wide};
use corten_model::enums::{DisableBit, Integrator, Stage, Timer};

pub use euler::euler;
pub(crate) use euler::{euler_with, is_damped};
pub use implicit::implicit;
pub(crate) use implicit::implicit_with;
pub(crate) use rk4::Scratch;
pub use rk4::runge_kutta;
pub use spring_damper::spring_damper;
pub(crate) use spring_damper::spring_damper_with;

use crate::awake::Selection;
use crate::data::smooth::SmoothState;
use crate::extend::Point;
use crate::sleepers::unsettled_dofs;
use crate::stage::actuation;
use crate::{Data, Model, awake, sleep, step, support, timer};

/// Whether the factor of the last step of the same integrator is still that of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factor {
    Compute,
    Reuse,
}

/// Advances the state with the integrator of the model; not at all where the step has to end.
pub fn advance(m: &Model, d: &mut Data) {
    if rarely(d.is_stopped()) {
        return;
    }
    let timer = timer::start(d);
    let integrate = match m.opt.integrator {
        Integrator::Euler => euler,
        Integrator::Rk4 => runge_kutta,
        Integrator::Implicit | Integrator::ImplicitFast => implicit,
        Integrator::ImplicitSpringDamper => spring_damper,
    };
    d.attempt(|d| integrate(m, d));
    // Runge-Kutta is mostly forward passes, which have timers of their own.
    if m.opt.integrator != Integrator::Rk4 {
        timer.stop(d, Timer::Advance);
    }
}

/// With which rates activations and positions advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    /// Those of the forward pass, and the velocity at the end of the step.
    SemiImplicit,
    /// The mean over the stages of Runge-Kutta.
    RungeKutta,
}

/// Advances activations, velocities, positions and time by one step, with the acceleration in
/// `scratch.step_acc` (`mj_advance`).
fn advance_state(m: &Model, d: &mut Data, scheme: Scheme) {
    advance_activations(m, d, scheme);
    if sleep::fall_asleep(m, d) > 0 {
        // Velocities have changed: so has all that depends on them.
        step::forward_bound(m, d, Stage::Pos, step::Outputs::All);
        sleep::update(m, d);
    }
    advance_velocities(m, awake::dofs!(m, d), &mut d.qvel, &d.scratch.step_acc);
    advance_positions(m, d, scheme);
    end_step(m, d);
}

/// Advances activations, positions and time by one step, by the velocity that is there.
pub(crate) fn advance_without_velocity(m: &Model, d: &mut Data) {
    advance_activations(m, d, Scheme::SemiImplicit);
    advance_positions(m, d, Scheme::SemiImplicit);
    end_step(m, d);
}

fn advance_positions(m: &Model, d: &mut Data, scheme: Scheme) {
    let rate = match scheme {
        Scheme::SemiImplicit => &d.qvel,
        Scheme::RungeKutta => &d.scratch.runge_kutta.mean_qvel,
    };
    let (s, h) = (&d.prepared.structure, m.opt.timestep);
    support::integrate_joints(s, awake::bodies!(m, d), &mut d.qpos, rate, h);
}

/// Velocities at the end of the step.
#[inline(always)]
fn advance_velocities<T: Number>(m: &Model, dofs: Selection<'_>, qvel: &mut [T], step_acc: &[T]) {
    let h = T::splat(m.opt.timestep);
    for dofs in dofs.ranges() {
        for (v, a) in qvel[dofs.clone()].iter_mut().zip(&step_acc[dofs]) {
            *v += *a * h;
        }
    }
}

wide! {
    /// Velocities and positions at the end of the step, of any worlds.
    pub(crate) fn advance_joints_kernel[W: SmoothState](m: &Model, state: &mut W) {
        let v = state.smooth::<Simd>(m);
        advance_velocities(m, v.dofs, v.qvel, v.step_acc);
        support::integrate_joints(v.structure, v.bodies, v.qpos, v.qvel, m.opt.timestep);
    }
}

/// What [`advance_state`] does besides velocities and positions, for a model without sleep.
pub(crate) fn advance_rest(m: &Model, d: &mut Data) {
    advance_activations(m, d, Scheme::SemiImplicit);
    end_step(m, d);
}

fn end_step(m: &Model, d: &mut Data) {
    d.time += m.opt.timestep;
    m.extensions().call(m, d, Point::Advance);
    for dofs in unsettled_dofs!(m, d).ranges() {
        d.qacc_warmstart[dofs.clone()].copy_from_slice(&d.qacc[dofs]);
    }
    d.scratch.sleepers.memory.end_step();
}

fn advance_activations(m: &Model, d: &mut Data, scheme: Scheme) {
    if m.na == 0 || m.opt.disabled(DisableBit::Actuation) {
        return;
    }
    let rates = match scheme {
        Scheme::SemiImplicit => &d.act_dot[..m.na],
        Scheme::RungeKutta => &d.scratch.runge_kutta.mean_act_dot[..m.na],
    };
    let act = &mut d.act[..m.na];
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

/// The acceleration over the step, implicit in damping; of any worlds.
#[inline(always)]
pub(crate) fn damped_acceleration<W: SmoothState>(
    m: &Model,
    state: &mut W,
    factor: Factor,
    damping: impl Fn(usize) -> f64,
) {
    if factor == Factor::Compute {
        factor_damped(m, state, damping);
    }
    total_force_kernel(m, state);
    solve_damped(m, state);
}

/// `qH`: the factor of `M + h diag(damping)`, of any worlds.
#[inline(always)]
fn factor_damped<W: SmoothState>(m: &Model, state: &mut W, damping: impl Fn(usize) -> f64) {
    let v = state.smooth::<Four>(m);
    let (pattern, h) = (&v.structure.mass, m.opt.timestep);
    for dofs in v.dofs.ranges() {
        let entries = pattern.entries_of(dofs.clone());
        v.qH[entries.clone()].copy_from_slice(&v.M[entries]);
        for (entry, k) in pattern.diagonal_entries(dofs.clone()).zip(dofs.clone()) {
            v.qH[entry] += W::Stored::splat(h * damping(k));
        }
        pattern.factor_range(dofs, v.qH, v.qHDiagInv);
    }
}

wide! {
    /// `qfrc_smooth + qfrc_constraint` of any worlds, where the acceleration will be.
    fn total_force_kernel[W: SmoothState](m: &Model, state: &mut W) {
        let v = state.smooth::<Simd>(m);
        for dofs in v.dofs.ranges() {
            let forces = [&v.qfrc_smooth, &v.qfrc_constraint];
            let forces = forces.map_inline(|f| bytemuck::cast_slice(&f[dofs.clone()]));
            let sum = bytemuck::cast_slice_mut(&mut v.step_acc[dofs]);
            map_fours::<Simd, 2, 1>(forces, [sum], |[smooth, constraint]| [smooth + constraint]);
        }
    }
}

/// From the force in its place to the acceleration over the step, with the factor in `qH`; of any
/// worlds.
#[inline(always)]
fn solve_damped<W: SmoothState>(m: &Model, state: &mut W) {
    let v = state.smooth::<Four>(m);
    for dofs in v.dofs.ranges() {
        let x = &mut v.step_acc[dofs.clone()];
        v.structure.mass.solve_range(dofs.start, v.qH, v.qHDiagInv, x);
    }
}
