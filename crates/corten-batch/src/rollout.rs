//! Open-loop trajectories from many initial states.
//!
//! Answers to MuJoCo's `rollout`: every trajectory starts from its initial state with all inputs
//! at their defaults, applies its controls step by step, and reports states and sensors after each
//! step. Once a trajectory's numbers go bad, its outputs stay as they are.

use std::ops::{DerefMut, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use corten_math::Spatial;
use corten_model::enums::StateBit;
use corten_sim::lanes::{self, LaneGroup};
use corten_sim::{Data, Model, StepError, WarningStat, state, step};

use crate::pool::Pool;

/// The parts of a state that initial states and outputs hold.
pub const PHYSICS: u32 = StateBit::FullPhysics.raw() as u32;

/// What the next step of a trajectory starts from.
const RESUME: u32 = PHYSICS | StateBit::WarmStart.raw() as u32;

/// So many pieces for every thread: one that is held up then delays the others little.
const PIECES: usize = 16;

/// Fewest steps of a piece.
const SHORTEST: usize = 8;

/// Inputs of all trajectories, row-major: trajectory, step, numbers.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Steps per trajectory.
    pub steps: usize,
    /// The parts of a state that controls hold.
    pub control_spec: u32,
    /// Initial states, a row per trajectory.
    pub initial: &'a [f64],
    /// Accelerations to start the solver from, a row per trajectory.
    pub warmstart: Option<&'a [f64]>,
    /// Controls, a row per step; none keeps those of the data.
    pub control: Option<&'a [f64]>,
}

/// What trajectories leave, row-major: trajectory, step, numbers. Empty arrays are not filled.
#[derive(Debug, Default)]
pub struct Outputs<'a> {
    /// States after every step.
    pub state: &'a mut [f64],
    /// Sensor readings.
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
///
/// Trajectories that share a model run in groups of [`lanes::WORLDS`] as long as there is a group
/// for every thread, the rest one by one; each data then keeps those that its own ran together with.
/// Where there are few groups, threads pass them on to each other every now and then.
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
    let threads = pool.width().min(datas.len()).max(1);
    datas.iter_mut().for_each(|d| LaneGroup::forget_model(d));
    let round = lanes::WORLDS * threads;
    let grouped = match datas.first() {
        Some(d) if count > 0 && lanes::supported(model(0), d) => count / round * round,
        _ => 0,
    };
    let (mut states, mut sensors) = (outputs.state, outputs.sensordata);
    let mut first = 0;
    let jobs = std::iter::from_fn(move || {
        let (chunk, end) = if first < grouped {
            (chunk.max(1).next_multiple_of(lanes::WORLDS), grouped)
        } else {
            (chunk.max(1), count)
        };
        let n = chunk.min(end - first);
        let trajectories = first..first + n;
        first = trajectories.end;
        let (own, rest) = std::mem::take(&mut states).split_at_mut(n * nstate);
        let (own_sensors, rest_sensors) = std::mem::take(&mut sensors).split_at_mut(n * nsensor);
        (states, sensors) = (rest, rest_sensors);
        let begin = Progress::default();
        (n > 0).then_some(Job { trajectories, states: own, sensors: own_sensors, begin })
    });
    let groups = (grouped / lanes::WORLDS).max(1);
    let pieces = (PIECES * threads).div_ceil(groups);
    let piece = match threads {
        1 => inputs.steps,
        _ => inputs.steps.div_ceil(pieces).max(SHORTEST),
    };
    let failed = AtomicBool::new(false);
    let cancel = datas.first().and_then(|d| d.cancel.clone());
    pool.run(datas, jobs, cancel.as_ref(), |data, mut job| {
        let mut states = job.states.chunks_mut(nstate.max(1));
        let mut sensors = job.sensors.chunks_mut(nsensor.max(1));
        let Range { start, end } = job.trajectories;
        let mut next = start;
        while next < end {
            let m = model(next);
            let mut out = || Trajectory {
                states: states.next().unwrap_or_default(),
                sensors: sensors.next().unwrap_or_default(),
            };
            let four = end - next >= lanes::WORLDS
                && (next..next + lanes::WORLDS).all(|t| std::ptr::eq(model(t), m))
                && lanes::supported(m, data);
            let n = if four { lanes::WORLDS } else { 1 };
            // A group that is a job of its own may go on elsewhere: its states are all there is, since
            // groups have neither hooks nor anything asleep.
            let steps = if n == end - start { piece } else { inputs.steps };
            let run = AssertUnwindSafe(|| {
                if four {
                    let group = std::array::from_fn(|_| out());
                    inputs.run_group(m, data, next, group, &job.begin, steps)
                } else {
                    inputs.run(m, data, next, out(), &job.begin).map(|()| None)
                }
            });
            match catch_unwind(run) {
                Ok(Ok(Some(progress))) => {
                    job.begin = progress;
                    return Some(job);
                }
                Ok(Ok(None)) => {}
                Ok(Err(_)) | Err(_) => failed.store(true, Ordering::Relaxed),
            }
            next += n;
        }
        None
    });
    !failed.into_inner()
}

/// Consecutive trajectories, and where they go.
struct Job<'a> {
    trajectories: Range<usize>,
    states: &'a mut [f64],
    sensors: &'a mut [f64],
    begin: Progress,
}

/// How far trajectories have come.
#[derive(Default)]
struct Progress {
    steps: usize,
    /// [`Inputs::resume`] of each, from trajectory `first` on; nothing before the first step.
    states: Vec<f64>,
    first: usize,
}

impl Progress {
    /// After so many steps of worlds that follow the trajectories from `first` on.
    fn of<'a>(
        m: &Model,
        worlds: impl Iterator<Item = &'a Data>,
        parts: u32,
        first: usize,
        steps: usize,
    ) -> Progress {
        let n = state::size(m, parts).unwrap_or(0);
        let mut states = Vec::new();
        for d in worlds {
            let start = states.len();
            states.resize(start + n, 0.0);
            let _ = state::get(m, d, &mut states[start..], parts);
        }
        Progress { steps, states, first }
    }
}

/// Where a trajectory goes.
struct Trajectory<'a> {
    states: &'a mut [f64],
    sensors: &'a mut [f64],
}

impl Trajectory<'_> {
    /// Keeps what step `t` left.
    fn record(&mut self, m: &Model, d: &Data, t: usize, nstate: usize) {
        if !self.states.is_empty() {
            let _ = state::get(m, d, &mut self.states[t * nstate..(t + 1) * nstate], PHYSICS);
        }
        if !self.sensors.is_empty() {
            let n = m.nsensordata;
            self.sensors[t * n..(t + 1) * n].copy_from_slice(&d.sensordata);
        }
    }
}

/// Passes on errors of steps that were not taken. The others are in the counters of warnings.
fn ended(result: Result<(), StepError>) -> Result<(), StepError> {
    match result {
        Err(
            StepError::Cancelled { .. }
            | StepError::Limit { .. }
            | StepError::Memory { .. }
            | StepError::Extension { .. },
        ) => result,
        _ => Ok(()),
    }
}

/// Once the numbers went bad, a trajectory stays as it is.
fn is_well(d: &Data) -> bool {
    d.warning.iter().all(|w| w.number == 0)
}

impl Inputs<'_> {
    /// The inputs that stay as they are in the data: those that the controls would hold, if there are
    /// no controls.
    fn kept(&self) -> u32 {
        if self.control.is_none() { self.control_spec } else { 0 }
    }

    /// What a trajectory needs to go on elsewhere with the same bits.
    fn resume(&self) -> u32 {
        RESUME | self.kept()
    }

    /// Runs a trajectory, or what is left of it.
    fn run(
        &self,
        m: &Model,
        d: &mut Data,
        trajectory: usize,
        mut out: Trajectory<'_>,
        begin: &Progress,
    ) -> Result<(), StepError> {
        d.bind(m)?;
        let nstate = state::size(m, PHYSICS).unwrap_or(0);
        self.begin(m, d, trajectory, begin);
        for t in begin.steps..self.steps {
            if is_well(d) {
                self.control(m, d, trajectory, t);
                ended(step(m, d))?;
            }
            out.record(m, d, t, nstate);
        }
        Ok(())
    }

    /// [`Self::run`] for so many steps of consecutive trajectories, side by side until one of them
    /// goes bad; returns where to go on, if steps are left.
    fn run_group(
        &self,
        m: &Model,
        d: &mut Data,
        first: usize,
        mut out: [Trajectory<'_>; lanes::WORLDS],
        begin: &Progress,
        steps: usize,
    ) -> Result<Option<Progress>, StepError> {
        let nstate = state::size(m, PHYSICS).unwrap_or(0);
        let mut group = LaneGroup::take_or_make(m, d)?;
        let LaneGroup { others, lanes } = &mut *group;
        let [a, b, c] = others;
        if self.kept() != 0 {
            let mut inputs = vec![0.0; state::size(m, self.kept()).unwrap_or(0)];
            let _ = state::get(m, d, &mut inputs, self.kept());
            for other in [&mut *a, &mut *b, &mut *c] {
                let _ = state::set(m, other, &inputs, self.kept());
            }
        }
        let mut worlds = [&mut *d, a, b, c];
        for (d, trajectory) in worlds.iter_mut().zip(first..) {
            self.begin(m, d, trajectory, begin);
        }
        let end = begin.steps + steps;
        let mut rest = None;
        for t in begin.steps..self.steps {
            let well = worlds.each_ref().map(|d| is_well(d));
            if t == end && well == [true; lanes::WORLDS] {
                let worlds = worlds.iter().map(|d| &**d);
                rest = Some(Progress::of(m, worlds, self.resume(), first, t));
                break;
            }
            for ((d, trajectory), well) in worlds.iter_mut().zip(first..).zip(well) {
                if well {
                    self.control(m, d, trajectory, t);
                }
            }
            if well == [true; lanes::WORLDS] {
                let last = t + 1 == self.steps || t + 1 == end;
                for result in lanes::step(m, lanes, &mut worlds, last) {
                    ended(result)?;
                }
            } else {
                for (d, _) in worlds.iter_mut().zip(well).filter(|(_, well)| *well) {
                    ended(step(m, d))?;
                }
            }
            for (d, out) in worlds.iter().zip(&mut out) {
                out.record(m, d, t, nstate);
            }
        }
        group.give_back(d);
        Ok(rest)
    }

    /// Sets the controls of step `t`.
    fn control(&self, m: &Model, d: &mut Data, trajectory: usize, t: usize) {
        if let Some(control) = self.control {
            let n = state::size(m, self.control_spec).unwrap_or(0);
            let now = row(control, trajectory * self.steps + t, n);
            let _ = state::set(m, d, now, self.control_spec);
        }
    }

    /// Brings all inputs that the controls do not cover to their defaults, and the state to the
    /// start of a trajectory, or to where it has come.
    fn begin(&self, m: &Model, d: &mut Data, trajectory: usize, progress: &Progress) {
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
        d.warning.fill(WarningStat::default());
        if !progress.states.is_empty() {
            let parts = self.resume();
            let n = state::size(m, parts).unwrap_or(0);
            let _ = state::set(m, d, row(&progress.states, trajectory - progress.first, n), parts);
            return;
        }
        let n = state::size(m, PHYSICS).unwrap_or(0);
        let _ = state::set(m, d, row(self.initial, trajectory, n), PHYSICS);
        match self.warmstart {
            Some(all) => d.qacc_warmstart.copy_from_slice(row(all, trajectory, m.nv)),
            None => d.qacc_warmstart.fill(0.0),
        }
    }
}
