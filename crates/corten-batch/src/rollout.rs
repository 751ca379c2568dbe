//! Open-loop trajectories from many initial states.
//!
//! Answers to MuJoCo's `rollout`: every trajectory starts from its initial state with all inputs
//! at their defaults, applies its controls step by step, and reports states and sensors after each
//! step. Once a trajectory's numbers go bad, its outputs stay as they are.

use std::ops::DerefMut;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use corten_math::Spatial;
use corten_model::enums::StateBit;
use corten_sim::{Data, Model, WarningStat, state, step};

use crate::pool::Pool;

/// The parts of a state that initial states and outputs hold.
pub const PHYSICS: u32 = StateBit::FullPhysics.raw() as u32;

/// Inputs of all trajectories, row-major: trajectory, step, numbers.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Steps per trajectory.
    pub steps: usize,
    /// The parts of a state that controls hold.
    pub control_spec: u32,
    pub initial: &'a [f64],
    pub warmstart: Option<&'a [f64]>,
    pub control: Option<&'a [f64]>,
}

/// What trajectories leave, row-major: trajectory, step, numbers. Empty arrays are not filled.
#[derive(Debug, Default)]
pub struct Outputs<'a> {
    pub state: &'a mut [f64],
    pub sensordata: &'a mut [f64],
}

fn has(spec: u32, part: StateBit) -> bool {
    spec & part.raw() as u32 != 0
}

/// The part of a flat array that belongs to row `i` of `n` numbers.
fn row(values: &[f64], i: usize, n: usize) -> &[f64] {
    &values[i * n..(i + 1) * n]
}

/// Runs `count` trajectories, `chunk` at a time, on as many threads as the pool and `datas` have.
/// Returns whether all ran without a panic.
///
/// `model` gives the model of a trajectory; all must have the sizes for which the data were made.
/// Arrays must be as long as `count`, `steps` and the model's sizes ask for.
pub fn rollout<'m, D: DerefMut<Target = Data> + Send>(
    pool: &Pool,
    model: impl Fn(usize) -> &'m Model + Sync,
    datas: &mut [D],
    count: usize,
    chunk: usize,
    inputs: Inputs<'_>,
    outputs: Outputs<'_>,
) -> bool {
    let per_trajectory = |values: &[f64]| values.len() / count.max(1);
    let (nstate, nsensor) = (per_trajectory(outputs.state), per_trajectory(outputs.sensordata));
    let chunk = chunk.max(1);
    let mut states = outputs.state.chunks_mut((chunk * nstate).max(1));
    let mut sensors = outputs.sensordata.chunks_mut((chunk * nsensor).max(1));
    let jobs = (0..count).step_by(chunk).map(move |first| {
        let trajectories = first..(first + chunk).min(count);
        (trajectories, states.next().unwrap_or_default(), sensors.next().unwrap_or_default())
    });
    let failed = AtomicBool::new(false);
    pool.run(datas, jobs, |data, (trajectories, states, sensors)| {
        let mut states = states.chunks_mut(nstate.max(1));
        let mut sensors = sensors.chunks_mut(nsensor.max(1));
        for trajectory in trajectories {
            let (states, sensors) =
                (states.next().unwrap_or_default(), sensors.next().unwrap_or_default());
            let run = || inputs.run(model(trajectory), data, trajectory, states, sensors);
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                failed.store(true, Ordering::Relaxed);
            }
        }
    });
    !failed.into_inner()
}

impl Inputs<'_> {
    fn run(
        &self,
        m: &Model,
        d: &mut Data,
        trajectory: usize,
        states: &mut [f64],
        sensors: &mut [f64],
    ) {
        let nstate = state::size(m, PHYSICS).unwrap_or(0);
        let ncontrol = state::size(m, self.control_spec).unwrap_or(0);
        self.begin(m, d, trajectory);
        for t in 0..self.steps {
            // Once the numbers went bad, the outputs stay as they are.
            if d.warning.iter().all(|w| w.number == 0) {
                if let Some(control) = self.control {
                    let now = row(control, trajectory * self.steps + t, ncontrol);
                    let _ = state::set(m, d, now, self.control_spec);
                }
                let _ = step(m, d);
            }
            if !states.is_empty() {
                let _ = state::get(m, d, &mut states[t * nstate..(t + 1) * nstate], PHYSICS);
            }
            if !sensors.is_empty() {
                sensors[t * m.nsensordata..(t + 1) * m.nsensordata].copy_from_slice(&d.sensordata);
            }
        }
    }

    /// Brings all inputs that the controls do not cover to their defaults, and the state to the
    /// start of a trajectory.
    fn begin(&self, m: &Model, d: &mut Data, trajectory: usize) {
        let spec = self.control_spec;
        if !has(spec, StateBit::Ctrl) {
            d.ctrl.fill(0.0);
        }
        if !has(spec, StateBit::QfrcApplied) {
            d.qfrc_applied.fill(0.0);
        }
        if !has(spec, StateBit::XfrcApplied) {
            d.xfrc_applied.fill(Spatial::ZERO);
        }
        for body in 0..m.nbody {
            let Ok(mocap) = usize::try_from(m.body_mocapid[body]) else { continue };
            if mocap >= d.mocap_pos.len() {
                continue;
            }
            if !has(spec, StateBit::MocapPos) {
                d.mocap_pos[mocap] = m.body_pos[body];
            }
            if !has(spec, StateBit::MocapQuat) {
                d.mocap_quat[mocap] = m.body_quat[body];
            }
        }
        if !has(spec, StateBit::EqActive) {
            d.eq_active.copy_from_slice(&m.eq_active0);
        }
        let n = state::size(m, PHYSICS).unwrap_or(0);
        let _ = state::set(m, d, row(self.initial, trajectory, n), PHYSICS);
        match self.warmstart {
            Some(all) => d.qacc_warmstart.copy_from_slice(row(all, trajectory, m.nv)),
            None => d.qacc_warmstart.fill(0.0),
        }
        d.warning.fill(WarningStat::default());
    }
}
