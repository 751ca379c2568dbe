//! Finite differences of whole steps and of inverse dynamics.
//!
//! States are `(qpos, qvel, act)`; positions are perturbed and compared in the tangent space, so a
//! state has `2 nv + na` coordinates. Stages that a perturbation cannot reach are not repeated.
//! Answers to `mjd_transitionFD` and `mjd_inverseFD`.

use corten_math::memory;
use corten_model::enums::{DisableBit, EnableBit, Integrator, Stage, StateBit};

use crate::integrate::{Factor, euler_with, implicit_with, runge_kutta, spring_damper_with};
use crate::stage::{actuation, inertia};
use crate::{Data, Model, StepError, check, inverse, state, step, support};

/// Why derivatives could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
// The messages say what the fields are.
#[allow(missing_docs)]
pub enum DerivativeError {
    #[error("{what} has {found} elements, {expected} expected")]
    Size { what: &'static str, expected: usize, found: usize },
    #[error("inverse dynamics cannot be differentiated with {0}")]
    Unsupported(&'static str),
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Which transition matrices to compute, row-major: `dx⁺ = A dx + B du`, `ds = C dx + D du`, with
/// sensors `s` and controls `u`.
#[derive(Debug, Default)]
pub struct Transition<'a> {
    /// Next state by state.
    pub a: Option<&'a mut [f64]>,
    /// Next state by controls.
    pub b: Option<&'a mut [f64]>,
    /// Sensors by state.
    pub c: Option<&'a mut [f64]>,
    /// Sensors by controls.
    pub d: Option<&'a mut [f64]>,
}

/// Coordinates of a state.
pub(super) fn state_size(m: &Model) -> usize {
    2 * m.nv + m.na
}

pub(super) fn check_size(
    what: &'static str,
    matrix: Option<&[f64]>,
    expected: usize,
) -> Result<(), DerivativeError> {
    match matrix.map(<[f64]>::len) {
        Some(found) if found != expected => Err(DerivativeError::Size { what, expected, found }),
        _ => Ok(()),
    }
}

/// What a step leads to.
#[derive(Clone, Default)]
struct Outcome {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    act: Vec<f64>,
    sensors: Vec<f64>,
}

impl Outcome {
    fn of(d: &Data) -> Outcome {
        Outcome {
            qpos: d.qpos.clone(),
            qvel: d.qvel.clone(),
            act: d.act.clone(),
            sensors: d.sensordata.clone(),
        }
    }

    /// `(other − self) / h`, in the tangent space.
    fn rate(&self, m: &Model, other: &Outcome, h: f64) -> Vec<f64> {
        let mut rate = memory::zeroed(m.nv);
        support::differentiate_pos(m, &mut rate, h, &self.qpos, &other.qpos);
        let scaled = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| (b - a) / h).collect()
        };
        rate.extend(scaled(&self.qvel, &other.qvel));
        rate.extend(scaled(&self.act, &other.act));
        rate
    }

    fn sensor_rate(&self, other: &Outcome, h: f64) -> Vec<f64> {
        self.sensors.iter().zip(&other.sensors).map(|(a, b)| (b - a) / h).collect()
    }
}

/// Steps from one state with one input changed at a time.
pub(super) struct Differences<'a> {
    m: &'a Model,
    d: &'a mut Data,
    saved: Vec<f64>,
    parts: u32,
    sensors: bool,
    eps: f64,
    centred: bool,
    base: Outcome,
}

/// Derivative of the next state and of the sensors by one input.
pub(super) struct Column {
    pub state: Vec<f64>,
    pub sensors: Vec<f64>,
}

impl<'a> Differences<'a> {
    /// Saves the state of `d` and steps from it once.
    pub fn new(
        m: &'a Model,
        d: &'a mut Data,
        eps: f64,
        centred: bool,
        sensors: bool,
    ) -> Result<Differences<'a>, StepError> {
        let mut parts = StateBit::FullPhysics.raw() | StateBit::Ctrl.raw();
        if !m.opt.disabled(DisableBit::WarmStart) {
            parts |= StateBit::WarmStart.raw();
        }
        let parts = parts as u32;
        let mut saved = memory::zeroed(state::size(m, parts).unwrap_or(0));
        // The vector has the length of the signature.
        let _ = state::get(m, d, &mut saved, parts);
        let base = Outcome::default();
        let mut this = Differences { m, d, saved, parts, sensors, eps, centred, base };
        this.base = this.step(Stage::None, |_, _| {})?;
        Ok(this)
    }

    /// The data, in the saved state, with the results of the last step.
    pub fn data(&mut self) -> &mut Data {
        self.d
    }

    /// The outcome of one step from the saved state after `change`, reusing all stages up to
    /// `done`, whose results must be those of the saved state.
    fn step(
        &mut self,
        done: Stage,
        change: impl FnOnce(&Model, &mut Data),
    ) -> Result<Outcome, StepError> {
        let (m, d) = (self.m, &mut *self.d);
        // The Runge-Kutta integrator evaluates stages at other states: nothing can be reused.
        let rk4 = m.opt.integrator == Integrator::Rk4;
        change(m, d);
        let result = step_skip(m, d, if rk4 { Stage::None } else { done }, self.sensors);
        let outcome = Outcome::of(d);
        let _ = state::set(m, d, &self.saved, self.parts);
        result.map(|()| outcome)
    }

    fn column(&self, from: &Outcome, to: &Outcome, h: f64) -> Column {
        Column { state: from.rate(self.m, to, h), sensors: from.sensor_rate(to, h) }
    }

    /// Derivative by one coordinate of the state. Activations must come before velocities, and
    /// these before positions, because each spoils the results that the one before reuses.
    pub fn by_state(&mut self, x: usize) -> Result<Column, StepError> {
        let nv = self.m.nv;
        let done = if x >= 2 * nv {
            Stage::Vel
        } else if x >= nv {
            Stage::Pos
        } else {
            Stage::None
        };
        let nudge = |m: &Model, d: &mut Data, e: f64| match done {
            Stage::Vel => d.act[x - 2 * nv] += e,
            Stage::Pos => d.qvel[x - nv] += e,
            _ => nudge_position(m, d, x, e),
        };
        let eps = self.eps;
        let plus = self.step(done, |m, d| nudge(m, d, eps))?;
        if self.centred {
            let minus = self.step(done, |m, d| nudge(m, d, -eps))?;
            Ok(self.column(&minus, &plus, 2.0 * eps))
        } else {
            Ok(self.column(&self.base, &plus, eps))
        }
    }

    /// Derivative by one control; differences stay within the range of the control. Controls must
    /// come before coordinates of the state.
    pub fn by_control(&mut self, i: usize) -> Result<Column, StepError> {
        let (m, eps) = (self.m, self.eps);
        let u = self.d.ctrl[i];
        let [low, high] = m.actuator_ctrlrange[i];
        let allowed = |a: f64, b: f64| {
            m.actuator_ctrllimited[i] == 0 || (low..=high).contains(&a) && (low..=high).contains(&b)
        };
        let forward = allowed(u, u + eps);
        let backward = (self.centred || !forward) && allowed(u - eps, u);
        let mut nudged = |wanted: bool, e: f64| {
            wanted.then(|| self.step(Stage::Vel, |_, d| d.ctrl[i] += e)).transpose()
        };
        let (plus, minus) = (nudged(forward, eps)?, nudged(backward, -eps)?);
        Ok(match (plus, minus) {
            (Some(plus), None) => self.column(&self.base, &plus, eps),
            (None, Some(minus)) => self.column(&minus, &self.base, eps),
            // Centred differences of sensors by controls have the opposite sign in MuJoCo 3.4.0.
            (Some(plus), Some(minus)) => Column {
                state: minus.rate(m, &plus, 2.0 * eps),
                sensors: plus.sensor_rate(&minus, 2.0 * eps),
            },
            (None, None) => Column {
                state: memory::zeroed(state_size(m)),
                sensors: memory::zeroed(m.nsensordata),
            },
        })
    }
}

/// A step that reuses the results of all stages up to `done`, and with them the factors of the
/// integrator (`mj_stepSkip`).
fn step_skip(m: &Model, d: &mut Data, done: Stage, sensors: bool) -> Result<(), StepError> {
    let before = check::state(m, d);
    step::forward_skip(m, d, done, sensors)?;
    let after = check::acceleration(m, d);
    if m.opt.enabled(EnableBit::FwdInv) {
        inverse::compare_forward(m, d);
    }
    let reuse = |last: Stage| if done >= last { Factor::Reuse } else { Factor::Compute };
    match m.opt.integrator {
        Integrator::Euler => euler_with(m, d, reuse(Stage::Pos)),
        Integrator::Rk4 => runge_kutta(m, d),
        Integrator::Implicit | Integrator::ImplicitFast => {
            implicit_with(m, d, reuse(Stage::Vel));
        }
        Integrator::ImplicitSpringDamper => spring_damper_with(m, d, reuse(Stage::Pos)),
    }
    before.and(after)
}

/// Transition matrices of one step by finite differences with step `eps`, centred or forward.
/// The state and the controls of `d` are kept; its results are those of the last perturbed step.
/// Unlike MuJoCo, any integrator will do.
pub fn transition_fd(
    m: &Model,
    d: &mut Data,
    eps: f64,
    centred: bool,
    mut out: Transition<'_>,
) -> Result<(), DerivativeError> {
    let (nx, nu, ns) = (state_size(m), m.nu, m.nsensordata);
    check_size("A", out.a.as_deref(), nx * nx)?;
    check_size("B", out.b.as_deref(), nx * nu)?;
    check_size("C", out.c.as_deref(), ns * nx)?;
    check_size("D", out.d.as_deref(), ns * nu)?;

    let sensors = out.c.is_some() || out.d.is_some();
    let mut differences = Differences::new(m, d, eps, centred, sensors)?;
    if out.b.is_some() || out.d.is_some() {
        for i in 0..nu {
            let column = differences.by_control(i)?;
            set_column(out.b.as_deref_mut(), nu, i, &column.state);
            set_column(out.d.as_deref_mut(), nu, i, &column.sensors);
        }
    }
    if out.a.is_some() || out.c.is_some() {
        for x in (0..nx).rev() {
            let column = differences.by_state(x)?;
            set_column(out.a.as_deref_mut(), nx, x, &column.state);
            set_column(out.c.as_deref_mut(), nx, x, &column.sensors);
        }
    }
    Ok(())
}

fn nudge_position(m: &Model, d: &mut Data, dof: usize, eps: f64) {
    let mut direction = memory::zeroed(m.nv);
    direction[dof] = 1.0;
    support::integrate_pos(m, &mut d.qpos, &direction, eps);
}

/// Writes column `j` of a row-major matrix.
pub(super) fn set_column(matrix: Option<&mut [f64]>, columns: usize, j: usize, values: &[f64]) {
    if let Some(matrix) = matrix {
        for (row, x) in matrix.chunks_exact_mut(columns.max(1)).zip(values) {
            row[j] = *x;
        }
    }
}

/// Which Jacobians of inverse dynamics to compute. Each is row-major with one row per perturbed
/// degree of freedom (transposed with respect to control theory, as in MuJoCo).
#[derive(Debug, Default)]
pub struct InverseJacobians<'a> {
    /// Force by position, velocity, acceleration: `nv × nv`.
    pub force_by_position: Option<&'a mut [f64]>,
    /// See [`force_by_position`](Self::force_by_position).
    pub force_by_velocity: Option<&'a mut [f64]>,
    /// See [`force_by_position`](Self::force_by_position).
    pub force_by_acceleration: Option<&'a mut [f64]>,
    /// Sensors by position, velocity, acceleration: `nv × nsensordata`.
    pub sensors_by_position: Option<&'a mut [f64]>,
    /// See [`sensors_by_position`](Self::sensors_by_position).
    pub sensors_by_velocity: Option<&'a mut [f64]>,
    /// See [`sensors_by_position`](Self::sensors_by_position).
    pub sensors_by_acceleration: Option<&'a mut [f64]>,
    /// Mass matrix, in the legacy form, by position: `nv × nM`.
    pub mass_by_position: Option<&'a mut [f64]>,
}

/// Jacobians of inverse dynamics by forward differences; actuator forces are subtracted on request
/// (`mjd_inverseFD`).
pub fn inverse_fd(
    m: &Model,
    d: &mut Data,
    eps: f64,
    subtract_actuation: bool,
    mut out: InverseJacobians<'_>,
) -> Result<(), DerivativeError> {
    if m.opt.integrator == Integrator::Rk4 {
        return Err(DerivativeError::Unsupported("the Runge-Kutta integrator"));
    }
    if m.opt.noslip_iterations != 0 {
        return Err(DerivativeError::Unsupported("the no-slip solver"));
    }
    let (nv, ns) = (m.nv, m.nsensordata);
    check_size("DfDq", out.force_by_position.as_deref(), nv * nv)?;
    check_size("DfDv", out.force_by_velocity.as_deref(), nv * nv)?;
    check_size("DfDa", out.force_by_acceleration.as_deref(), nv * nv)?;
    check_size("DsDq", out.sensors_by_position.as_deref(), nv * ns)?;
    check_size("DsDv", out.sensors_by_velocity.as_deref(), nv * ns)?;
    check_size("DsDa", out.sensors_by_acceleration.as_deref(), nv * ns)?;
    check_size("DmDq", out.mass_by_position.as_deref(), nv * m.nM)?;
    let sensors = out.sensors_by_position.is_some()
        || out.sensors_by_velocity.is_some()
        || out.sensors_by_acceleration.is_some();

    d.bind(m)?;
    let qpos = d.qpos.clone();
    let evaluate = |d: &mut Data, done: Stage| {
        inverse::inverse_bound(m, d, done, sensors);
        let mut force = d.qfrc_inverse.clone();
        if subtract_actuation {
            actuation::actuation(m, d);
            force.iter_mut().zip(&d.qfrc_actuator).for_each(|(f, a)| *f -= a);
        }
        force
    };
    let mass = |d: &Data| {
        let mut mass = memory::zeroed(m.nM);
        inertia::legacy_mass_matrix(m, d, &mut mass);
        mass
    };
    let force = evaluate(d, Stage::None);
    let sensed = d.sensordata.clone();
    let inertia = mass(d);
    let set_row = |matrix: Option<&mut [f64]>, i: usize, from: &[f64], to: &[f64]| {
        if let Some(matrix) = matrix {
            let row = &mut matrix[i * from.len()..(i + 1) * from.len()];
            for ((x, a), b) in row.iter_mut().zip(from).zip(to) {
                *x = (b - a) / eps;
            }
        }
    };

    if out.force_by_acceleration.is_some() || out.sensors_by_acceleration.is_some() {
        for i in 0..nv {
            let kept = d.qacc[i];
            d.qacc[i] += eps;
            let nudged = evaluate(d, Stage::Vel);
            d.qacc[i] = kept;
            set_row(out.force_by_acceleration.as_deref_mut(), i, &force, &nudged);
            set_row(out.sensors_by_acceleration.as_deref_mut(), i, &sensed, &d.sensordata);
        }
    }
    if out.force_by_velocity.is_some() || out.sensors_by_velocity.is_some() {
        for i in 0..nv {
            let kept = d.qvel[i];
            d.qvel[i] += eps;
            let nudged = evaluate(d, Stage::Pos);
            d.qvel[i] = kept;
            set_row(out.force_by_velocity.as_deref_mut(), i, &force, &nudged);
            set_row(out.sensors_by_velocity.as_deref_mut(), i, &sensed, &d.sensordata);
        }
    }
    if out.force_by_position.is_some()
        || out.sensors_by_position.is_some()
        || out.mass_by_position.is_some()
    {
        for i in 0..nv {
            nudge_position(m, d, i, eps);
            let nudged = evaluate(d, Stage::None);
            d.qpos.copy_from_slice(&qpos);
            set_row(out.force_by_position.as_deref_mut(), i, &force, &nudged);
            set_row(out.sensors_by_position.as_deref_mut(), i, &sensed, &d.sensordata);
            set_row(out.mass_by_position.as_deref_mut(), i, &inertia, &mass(d));
        }
    }
    Ok(())
}
