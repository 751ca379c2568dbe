//! The pipeline's table of contents.

use corten_math::hint::rarely;
use corten_model::Options;
use corten_model::enums::{DisableBit, EnableBit, Integrator, Stage, Timer};

use crate::stage::{
    acceleration, actuation, collision, constraint, energy, flex, inertia, kinematics, passive,
    sensor, tendon, transmission, velocity as velocities,
};
use crate::{Data, Model, StepError, check, integrate, inverse, sleep, solve, timer};

/// Advances the simulation by one time step.
///
/// If numbers go bad, the counters in `Data::warning` rise and, unless automatic reset is
/// disabled, the data is reset before the step goes on, as in MuJoCo; the returned error tells
/// which joint it was and when.
pub fn step(m: &Model, d: &mut Data) -> Result<(), StepError> {
    d.bind(m)?;
    d.look_for_cancellation(step_work(m, d))?;
    let timer = timer::start(d);
    let state = check::state(m, d);
    let unconverged = d.solver.unconverged;
    forward_bound(m, d, Stage::None, Outputs::All);
    d.check_stop()?;
    let control = check::control(m, d);
    let acceleration = check::acceleration(m, d);
    d.check_stop()?;
    check::solved(m, d, unconverged)?;
    if m.opt.enabled(EnableBit::FwdInv) {
        d.attempt(|d| inverse::compare_forward(m, d));
    }
    integrate::advance(m, d);
    d.check_stop()?;
    timer.stop(d, Timer::Step);
    if rarely(state.is_err() || control.is_err() || acceleration.is_err()) {
        return state.and(control).and(acceleration);
    }
    check::solved(m, d, unconverged).and_then(|()| check::integrated(m, d))
}

/// What a step costs at least, in multiplications or so.
fn step_work(m: &Model, d: &Data) -> usize {
    100 * (m.nv + m.ngeom + d.nefc)
}

/// The first half of [`step`], up to the point where controls are needed.
pub fn step1(m: &Model, d: &mut Data) -> Result<(), StepError> {
    d.bind(m)?;
    let timer = timer::start(d);
    let state = check::state(m, d);
    d.attempt(|d| position_bound(m, d, Outputs::NoSensors));
    d.check_stop()?;
    d.attempt(|d| {
        position_outputs(m, d, true);
        velocity_bound(m, d);
        velocity_outputs(m, d, true);
        control(m, d);
    });
    timer.stop(d, Timer::Step);
    d.check_stop()?;
    state
}

/// The second half of [`step`]; Runge-Kutta integrates as Euler here, as in MuJoCo.
pub fn step2(m: &Model, d: &mut Data) -> Result<(), StepError> {
    d.bind(m)?;
    let timer = timer::start(d);
    d.check_stop()?;
    let unconverged = d.solver.unconverged;
    d.attempt(|d| dynamics_bound(m, d));
    d.check_stop()?;
    d.attempt(|d| sensor::acceleration(m, d));
    d.check_stop()?;
    let control = check::control(m, d);
    let acceleration = check::acceleration(m, d);
    check::solved(m, d, unconverged)?;
    if m.opt.enabled(EnableBit::FwdInv) {
        d.attempt(|d| inverse::compare_forward(m, d));
    }
    match m.opt.integrator {
        Integrator::Rk4 => {
            let timer = timer::start(d);
            d.attempt(|d| integrate::euler(m, d));
            timer.stop(d, Timer::Advance);
        }
        _ => integrate::advance(m, d),
    }
    timer.add(d, Timer::Step);
    d.check_stop()?;
    control.and(acceleration).and_then(|()| check::integrated(m, d))
}

/// Everything that follows from the state and the controls, without advancing time. Fails only
/// if the data was made for a model of other sizes, or if contacts and rows take more than its budget, as
/// all functions here that do not step, or if the strict solver does not converge.
pub fn forward(m: &Model, d: &mut Data) -> Result<(), StepError> {
    forward_skip(m, d, Stage::None, true)
}

/// [`forward`], reusing the results of all stages up to `done`; sensors on request.
pub fn forward_skip(m: &Model, d: &mut Data, done: Stage, sensors: bool) -> Result<(), StepError> {
    d.bind(m)?;
    d.forget_failure();
    let unconverged = d.solver.unconverged;
    let outputs = if sensors { Outputs::All } else { Outputs::NoSensors };
    forward_bound(m, d, done, outputs);
    d.check_stop()?;
    check::solved(m, d, unconverged)
}

/// What a forward pass computes besides accelerations and what these depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outputs {
    All,
    /// Energies, and poses of cameras and lights, but no sensors.
    NoSensors,
    /// Nothing, for a pass whose results the next one replaces before anybody sees them.
    Nothing,
}

/// [`forward_skip`] of data that is bound to the model.
pub(crate) fn forward_bound(m: &Model, d: &mut Data, done: Stage, outputs: Outputs) {
    d.attempt(|d| stages(m, d, done, outputs));
}

fn stages(m: &Model, d: &mut Data, done: Stage, outputs: Outputs) {
    let timer = timer::start(d);
    let sensors = outputs == Outputs::All;
    if done < Stage::Pos {
        position_bound(m, d, outputs);
        if rarely(d.is_stopped()) {
            return;
        }
        if outputs != Outputs::Nothing {
            position_outputs(m, d, sensors);
        }
    }
    if done < Stage::Vel {
        velocity_bound(m, d);
        if outputs != Outputs::Nothing {
            velocity_outputs(m, d, sensors);
        }
    }
    if !m.opt.disabled(DisableBit::Actuation) {
        control(m, d);
    }
    dynamics_bound(m, d);
    if sensors && !d.is_stopped() {
        sensor::acceleration(m, d);
    }
    timer.stop(d, Timer::Forward);
}

/// All that depends on positions only.
pub fn position(m: &Model, d: &mut Data) -> Result<(), StepError> {
    d.bind(m)?;
    d.attempt(|d| position_bound(m, d, Outputs::NoSensors));
    d.check_stop()
}

fn position_bound(m: &Model, d: &mut Data, outputs: Outputs) {
    let timer = timer::start(d);
    poses(m, d, outputs);
    sleep::wake_by_tendon(m, d);
    inertias(m, d);
    rows(m, d);
    transmissions(m, d);
    timer.stop(d, Timer::Position);
}

/// Poses of all that has one, flexes and tendons.
pub(crate) fn poses(m: &Model, d: &mut Data, outputs: Outputs) {
    let timer = timer::start(d);
    kinematics::kinematics(m, d);
    inertia::centers_of_mass(m, d);
    if outputs != Outputs::Nothing {
        kinematics::cameras_and_lights(m, d);
    }
    flex::flex(m, d);
    tendon::tendon(m, d);
    timer.stop(d, Timer::PosKinematics);
}

/// The mass matrix and its factor.
pub(crate) fn inertias(m: &Model, d: &mut Data) {
    let timer = timer::start(d);
    inertia::mass_matrix(m, d);
    inertia::factor(m, d);
    timer.stop(d, Timer::PosInertia);
}

/// Lengths and moments of actuators, which MuJoCo times with the kinematics.
pub(crate) fn transmissions(m: &Model, d: &mut Data) {
    let timer = timer::start(d);
    transmission::transmission(m, d);
    timer.add(d, Timer::PosKinematics);
}

/// Contacts, constraint rows and their inertia.
pub(crate) fn rows(m: &Model, d: &mut Data) {
    collision::collision(m, d);
    if rarely(d.is_stopped()) {
        return constraint::make(m, d);
    }
    if sleep::wake_by_contact(m, d) {
        collision::collision(m, d);
    }
    sleep::wake_by_equality(m, d);
    rows_of_contacts(m, d);
}

/// Constraint rows and their inertia, for contacts that are known.
pub(crate) fn rows_of_contacts(m: &Model, d: &mut Data) {
    let timer = timer::start(d);
    constraint::make(m, d);
    timer.stop(d, Timer::PosMake);
    solve::island::find(m, d);
    let timer = timer::start(d);
    solve::project(m, d);
    timer.stop(d, Timer::PosProject);
}

/// All that depends on positions and velocities.
pub fn velocity(m: &Model, d: &mut Data) -> Result<(), StepError> {
    d.bind(m)?;
    d.forget_failure();
    d.attempt(|d| velocity_bound(m, d));
    d.check_stop()
}

pub(crate) fn velocity_bound(m: &Model, d: &mut Data) {
    let timer = timer::start(d);
    velocities::velocities_and_bias(m, d);
    velocity_effects(m, d);
    timer.stop(d, Timer::Velocity);
}

/// What follows from velocities besides those of bodies.
pub(crate) fn velocity_effects(m: &Model, d: &mut Data) {
    flex::velocity(m, d);
    tendon::velocity(m, d);
    transmission::velocity(m, d);
    passive::passive(m, d);
    constraint::reference_with_edges(m, d);
    tendon::bias(m, d);
}

/// All that depends on positions, velocities and inputs.
pub fn dynamics(m: &Model, d: &mut Data) -> Result<(), StepError> {
    d.bind(m)?;
    d.forget_failure();
    d.attempt(|d| dynamics_bound(m, d));
    d.check_stop()
}

fn dynamics_bound(m: &Model, d: &mut Data) {
    smooth_dynamics(m, d);
    constraint_forces(m, d);
    if rarely(!d.prepared.softs.is_empty()) {
        couple_again(m, d);
    }
}

/// Goes over bodies of particles again, as often as the options say: rows about predicted positions, and their forces.
#[cold]
#[inline(never)]
fn couple_again(m: &Model, d: &mut Data) {
    for _ in 1..m.opt.coupling_iterations.clamp(1, Options::MOST_COUPLING_ITERATIONS) {
        constraint::predict(m, d);
        rows_of_contacts(m, d);
        constraint::reference(m, d);
        constraint_forces(m, d);
    }
    constraint::forget_prediction(d);
}

/// Forces of actuators, and accelerations without constraints.
pub(crate) fn smooth_dynamics(m: &Model, d: &mut Data) {
    let timer = timer::start(d);
    actuation::actuation(m, d);
    if timer.is_on() && m.nu > 0 && !m.opt.disabled(DisableBit::Actuation) {
        timer.stop(d, Timer::Actuation);
    }
    acceleration::acceleration(m, d);
}

/// Forces of constraints, and accelerations with them.
pub(crate) fn constraint_forces(m: &Model, d: &mut Data) {
    let timer = timer::start(d);
    match m.extensions().laws().and_then(|laws| laws.solver.as_ref()) {
        None => solve::constraint(m, d),
        Some(solver) => {
            let answer = solver.solve(m, d);
            d.heed(|| "contact solver".to_owned(), answer);
        }
    }
    timer.stop(d, Timer::Constraint);
}

/// Lets the user set controls.
fn control(m: &Model, d: &mut Data) {
    if let Some(hook) = d.hooks.get() {
        let answer = hook.control(m, d);
        d.heed(|| hook.name().into(), answer);
    }
}

/// Sensors of positions, and potential energy unless a sensor has computed it.
pub(crate) fn position_outputs(m: &Model, d: &mut Data, sensors: bool) {
    if sensors {
        sensor::position(m, d);
    }
    if !(sensors && measures_energy(m, d)[0]) {
        if m.opt.enabled(EnableBit::Energy) {
            energy::potential(m, d);
        } else {
            d.energy.fill(0.0);
        }
    }
}

/// Sensors of velocities, and kinetic energy unless a sensor has computed it.
pub(crate) fn velocity_outputs(m: &Model, d: &mut Data, sensors: bool) {
    if sensors {
        sensor::velocity(m, d);
    }
    if m.opt.enabled(EnableBit::Energy) && !(sensors && measures_energy(m, d)[1]) {
        energy::kinetic(m, d);
    }
}

/// Whether sensors compute potential and kinetic energy.
fn measures_energy(m: &Model, d: &Data) -> [bool; 2] {
    if m.opt.disabled(DisableBit::Sensor) { [false; 2] } else { d.prepared.sensors.energy }
}
