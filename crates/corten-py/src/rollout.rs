//! Many trajectories of one or several models, on a pool of threads with one data each.

use std::sync::Arc;

use corten_batch::Pool;
use corten_batch::rollout::{self, Inputs, Outputs, PHYSICS};
use corten_model::Limits;
use corten_sim::{CancelToken, Data, Model, state};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::data::PyData;
use crate::interrupt::{self, interruptible};
use crate::memory::{Busy, In, Out, Shared, Write, address};
use crate::model::PyModel;

/// Threads for rollouts; without any, the caller's thread does the work.
#[pyclass(name = "RolloutPool", module = "corten._corten", frozen)]
pub struct PyPool {
    pool: Pool,
    threads: usize,
}

#[pymethods]
impl PyPool {
    #[new]
    fn new(threads: usize) -> PyPool {
        let most = Limits::DEFAULT.threads;
        let pool = if threads == 0 { Pool::none() } else { Pool::new(threads.min(most)) };
        PyPool { pool, threads }
    }

    /// Simulates `nstep` steps from each row of `initial_state`, with the model of that row.
    ///
    /// Arrays are flat over trajectories and steps; sizes are checked, shapes are the caller's.
    #[pyo3(signature = (models, datas, nstep, control_spec, initial_state, initial_warmstart, control, state, sensordata, chunk_size=None))]
    fn rollout(
        &self,
        py: Python<'_>,
        models: Vec<Bound<'_, PyModel>>,
        datas: Vec<Bound<'_, PyData>>,
        nstep: i64,
        control_spec: u32,
        initial_state: In,
        initial_warmstart: Option<In>,
        control: Option<In>,
        state: Option<Out<'_>>,
        sensordata: Option<Out<'_>>,
        chunk_size: Option<usize>,
    ) -> PyResult<()> {
        let nbatch = initial_state.shape.first().copied().unwrap_or(0);
        let mut models = models;
        if models.len() < nbatch {
            let message = format!("{nbatch} initial states but {} models", models.len());
            return Err(PyValueError::new_err(message));
        }
        models.truncate(nbatch);
        self.check_datas(py, &models, &datas)?;
        let Some(nstep) = usize::try_from(nstep).ok().filter(|&n| n > 0) else { return Ok(()) };
        let Some(first) = models.first() else { return Ok(()) };
        let (nstate, ncontrol, nv, nsensor) = {
            let m = first.get().read(py)?;
            let invalid = |e: state::StateError| PyValueError::new_err(e.to_string());
            let sizes = (state::size(&m, PHYSICS), state::size(&m, control_spec));
            (sizes.0.map_err(invalid)?, sizes.1.map_err(invalid)?, m.nv, m.nsensordata)
        };
        let check = |name: &str, found: Option<usize>, expected: usize| match found {
            Some(found) if found != expected => {
                let message = format!("{name}.size should be {expected}, got {found}");
                Err(PyValueError::new_err(message))
            }
            _ => Ok(()),
        };
        let len = |array: &Option<In>| array.as_ref().map(|a| a.values.len());
        check("state0", Some(initial_state.values.len()), nbatch * nstate)?;
        check("warmstart0", len(&initial_warmstart), nbatch * nv)?;
        check("control", len(&control), nbatch * nstep * ncontrol)?;
        check("state", state.as_ref().map(Out::len), nbatch * nstep * nstate)?;
        check("sensordata", sensordata.as_ref().map(Out::len), nbatch * nstep * nsensor)?;

        let inputs = Inputs {
            steps: nstep,
            control_spec,
            initial: &initial_state.values,
            warmstart: initial_warmstart.as_ref().map(|a| &a.values[..]),
            control: control.as_ref().map(|a| &a.values[..]),
        };
        let mut states = vec![0.0; if state.is_some() { nbatch * nstep * nstate } else { 0 }];
        let mut sensors =
            vec![0.0; if sensordata.is_some() { nbatch * nstep * nsensor } else { 0 }];
        let chunk = chunk_size.unwrap_or(nbatch / (10 * self.threads.max(1)));
        let models: Vec<_> =
            models.iter().map(|m| m.get().model(py).cloned()).collect::<PyResult<_>>()?;
        let shared: Vec<_> = datas.iter().map(|d| d.get().data.clone()).collect();
        let outputs = Outputs { state: &mut states, sensordata: &mut sensors };
        let token = interrupt::token();
        let mut owners: Vec<usize> = shared.iter().map(|d| address(&**d)).collect();
        owners.extend(models.iter().map(|m| address(&**m)));
        let fine = py.detach(|| {
            interruptible(&token, owners, || {
                run(&self.pool, &models, &shared, chunk, inputs, outputs, &token)
            })
        });
        for data in &datas {
            let data = data.get();
            let (m, d) = (data.model.get().read(py)?, data.data.read_attached(py)?);
            data.refresh(&m, &d)?;
        }
        if !fine?? {
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
}

impl PyPool {
    /// One data per thread, each of its own and for these models.
    fn check_datas(
        &self,
        py: Python<'_>,
        models: &[Bound<'_, PyModel>],
        datas: &[Bound<'_, PyData>],
    ) -> PyResult<()> {
        let complaint = match (datas.len(), self.threads) {
            (0, _) => Some("The list of data instances is empty".to_owned()),
            (1, 0) => None,
            (_, 0) => Some(
                "More than one data instance passed but rollout is configured to run on main thread"
                    .to_owned(),
            ),
            (given, threads) if given != threads => {
                Some(format!("Length of data: {given} not equal to nthread: {threads}"))
            }
            _ => None,
        };
        if let Some(complaint) = complaint {
            return Err(PyValueError::new_err(complaint));
        }
        for data in datas {
            for m in models {
                data.get().check_model(py, m.get())?;
            }
        }
        let mut seen: Vec<_> = datas.iter().map(|d| Arc::as_ptr(&d.get().data)).collect();
        seen.sort_unstable();
        if seen.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(PyValueError::new_err("each thread needs data of its own"));
        }
        Ok(())
    }
}

/// Runs all trajectories; whether none failed.
///
/// Locks are taken once, each by this thread, in the order of their addresses: two rollouts that
/// share some of them wait for each other instead of blocking each other.
fn run(
    pool: &Pool,
    models: &[Arc<Shared<Model>>],
    datas: &[Arc<Shared<Data>>],
    chunk: usize,
    inputs: Inputs<'_>,
    outputs: Outputs<'_>,
    token: &CancelToken,
) -> Result<bool, Busy> {
    let mut distinct: Vec<&Arc<Shared<Model>>> = models.iter().collect();
    distinct.sort_unstable_by_key(|m| Arc::as_ptr(m));
    distinct.dedup_by_key(|m| Arc::as_ptr(m));
    let held = distinct.iter().map(|m| m.read_current()).collect::<Result<Vec<_>, Busy>>()?;
    let by_trajectory: Vec<&Model> = models
        .iter()
        .map(|m| &*held[distinct.partition_point(|d| Arc::as_ptr(d) < Arc::as_ptr(m))])
        .collect();

    let mut order: Vec<usize> = (0..datas.len()).collect();
    order.sort_unstable_by_key(|&i| Arc::as_ptr(&datas[i]));
    let mut guards: Vec<(usize, Write<'_, Data>)> = Vec::new();
    for i in order {
        guards.push((i, datas[i].write()?));
    }
    guards.sort_unstable_by_key(|guard| guard.0);
    guards.iter_mut().for_each(|(_, data)| data.cancel = Some(token.clone()));
    let mut by_thread: Vec<&mut Data> = guards.iter_mut().map(|(_, data)| &mut **data).collect();
    let model = |trajectory: usize| by_trajectory[trajectory];
    let count = models.len();
    Ok(rollout::rollout(pool, model, &mut by_thread, count, chunk, inputs, outputs))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyPool>()
}
