//! Many trajectories of one or several models, on as many threads as there are data.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use corten_model::Model;
use corten_model::enums::StateBit;
use corten_sim::{Data, WarningStat, state, step};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::data::PyData;
use crate::memory::{In, Out, Shared};
use crate::model::PyModel;
use crate::util::add_functions;

const PHYSICS: u32 = StateBit::FullPhysics.raw() as u32;

/// Inputs that all trajectories share, by trajectory.
struct Inputs {
    nstep: usize,
    control_spec: u32,
    initial: Vec<f64>,
    warmstart: Option<Vec<f64>>,
    control: Option<Vec<f64>>,
}

/// One trajectory: its number and where its results go.
type Job<'a> = (usize, &'a mut [f64], &'a mut [f64]);

fn has(spec: u32, part: StateBit) -> bool {
    spec & part.raw() as u32 != 0
}

/// The part of a flat array that belongs to row `i` of `n`.
fn row(values: &[f64], i: usize, n: usize) -> &[f64] {
    &values[i * n..(i + 1) * n]
}

impl Inputs {
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
            d.xfrc_applied.fill(corten_math::Spatial::ZERO);
        }
        for body in 0..m.nbody {
            let Ok(mocap) = usize::try_from(m.body_mocapid[body]) else { continue };
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
        let _ = state::set(m, d, row(&self.initial, trajectory, n), PHYSICS);
        match &self.warmstart {
            Some(all) => d.qacc_warmstart.copy_from_slice(row(all, trajectory, m.nv)),
            None => d.qacc_warmstart.fill(0.0),
        }
        d.warning.fill(WarningStat::default());
    }

    fn run(&self, m: &Model, d: &mut Data, (trajectory, states, sensors): Job<'_>) {
        let nstate = state::size(m, PHYSICS).unwrap_or(0);
        let ncontrol = state::size(m, self.control_spec).unwrap_or(0);
        self.begin(m, d, trajectory);
        for t in 0..self.nstep {
            // Once the numbers went bad, the outputs stay as they are.
            if d.warning.iter().all(|w| w.number == 0) {
                if let Some(control) = &self.control {
                    let now = row(control, trajectory * self.nstep + t, ncontrol);
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
}

/// Simulates `nstep` steps from each row of `initial_state`, with the model of that row.
///
/// Arrays are flat over trajectories and steps; sizes are checked, shapes are the caller's.
#[pyfunction]
#[pyo3(signature = (models, datas, nstep, control_spec, initial_state, initial_warmstart, control, state, sensordata))]
fn rollout(
    py: Python<'_>,
    models: Vec<Bound<'_, PyModel>>,
    datas: Vec<Bound<'_, PyData>>,
    nstep: usize,
    control_spec: u32,
    initial_state: In,
    initial_warmstart: Option<In>,
    control: Option<In>,
    state: Option<Out<'_>>,
    sensordata: Option<Out<'_>>,
) -> PyResult<()> {
    let (Some(first), false) = (models.first(), datas.is_empty()) else {
        return Err(PyValueError::new_err("rollout needs models and data"));
    };
    for data in &datas {
        data.get().check_usable()?;
        for m in &models {
            data.get().check_model(py, m.get())?;
        }
    }
    let mut seen: Vec<_> = datas.iter().map(|d| Arc::as_ptr(&d.get().data)).collect();
    seen.sort_unstable();
    if seen.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(PyValueError::new_err("each thread needs data of its own"));
    }
    let nbatch = models.len();
    let (nstate, ncontrol, nv, nsensor) = {
        let m = first.get().model.read_attached(py);
        let invalid = |e: state::StateError| PyValueError::new_err(e.to_string());
        let sizes = (state::size(&m, PHYSICS), state::size(&m, control_spec));
        (sizes.0.map_err(invalid)?, sizes.1.map_err(invalid)?, m.nv, m.nsensordata)
    };
    let check = |name: &str, found: Option<usize>, expected: usize| match found {
        Some(found) if found != expected => Err(PyValueError::new_err(format!(
            "{name} must have {expected} elements in all, found {found}"
        ))),
        _ => Ok(()),
    };
    check("initial_state", Some(initial_state.values.len()), nbatch * nstate)?;
    check("initial_warmstart", initial_warmstart.as_ref().map(|a| a.values.len()), nbatch * nv)?;
    check("control", control.as_ref().map(|a| a.values.len()), nbatch * nstep * ncontrol)?;
    check("state", state.as_ref().map(Out::len), nbatch * nstep * nstate)?;
    check("sensordata", sensordata.as_ref().map(Out::len), nbatch * nstep * nsensor)?;

    let inputs = Inputs {
        nstep,
        control_spec,
        initial: initial_state.values,
        warmstart: initial_warmstart.map(|a| a.values),
        control: control.map(|a| a.values),
    };
    let mut states = vec![0.0; if state.is_some() { nbatch * nstep * nstate } else { 0 }];
    let mut sensors = vec![0.0; if sensordata.is_some() { nbatch * nstep * nsensor } else { 0 }];
    let models: Vec<Arc<Shared<Model>>> = models.iter().map(|m| m.get().model.clone()).collect();
    let shared: Vec<Arc<Shared<Data>>> = datas.iter().map(|d| d.get().data.clone()).collect();
    let failed = py.detach(|| simulate(&inputs, &models, &shared, &mut states, &mut sensors));
    for data in &datas {
        let data = data.get();
        data.note_failure(failed);
        data.refresh(&data.model.get().model.read_attached(py), &data.data.read_attached(py));
    }
    if failed {
        return Err(PyRuntimeError::new_err("the engine failed in a rollout"));
    }
    if let Some(out) = state {
        out.write(&states);
    }
    if let Some(out) = sensordata {
        out.write(&sensors);
    }
    Ok(())
}

/// Runs all trajectories, one thread per data; whether any failed.
fn simulate(
    inputs: &Inputs,
    models: &[Arc<Shared<Model>>],
    datas: &[Arc<Shared<Data>>],
    states: &mut [f64],
    sensors: &mut [f64],
) -> bool {
    let nbatch = models.len();
    let mut states = states.chunks_mut((states.len() / nbatch).max(1));
    let mut sensors = sensors.chunks_mut((sensors.len() / nbatch).max(1));
    let jobs = (0..nbatch)
        .map(|i| (i, states.next().unwrap_or_default(), sensors.next().unwrap_or_default()));
    let jobs = Mutex::new(jobs);
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = |data: &Shared<Data>| {
        catch_unwind(AssertUnwindSafe(|| {
            let mut data = data.write();
            while let Some(job) = next() {
                inputs.run(&models[job.0].read(), &mut data, job);
            }
        }))
        .is_err()
    };
    match datas {
        [only] => worker(only),
        _ => std::thread::scope(|scope| {
            let threads: Vec<_> = datas.iter().map(|d| scope.spawn(|| worker(d))).collect();
            // Every thread is joined, even after a failure.
            let failed: Vec<bool> = threads.into_iter().map(|t| t.join().unwrap_or(true)).collect();
            failed.contains(&true)
        }),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; rollout);
    Ok(())
}
