//! Batches of worlds: their arrays as NumPy views, their steps without the interpreter lock.

use std::sync::Arc;

use corten_batch::{BatchError, BatchSim, Dump, OnFailure, ParameterError};
use corten_model::arrays::ScalarKind;
use corten_model::enums::ObjType;
use corten_sim::{Data, Model};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::step_error;
use crate::fields;
use crate::interrupt::{self, interruptible};
use crate::memory::{In, Scalar, Shared, address};
use crate::model::{ModelHandle, PyModel};
use crate::run::{access, protect};

/// Many worlds of one model; `corten.BatchSim` is the class to use.
#[pyclass(name = "BatchBase", module = "corten._corten", frozen, subclass, dict)]
pub struct PyBatch {
    batch: Arc<Shared<BatchSim>>,
}

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Too many worlds are a matter of memory.
fn batch_error(error: BatchError) -> PyErr {
    match error {
        BatchError::Worlds { .. } | BatchError::Memory { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        other => value_error(other),
    }
}

fn parameter_error(error: ParameterError) -> PyErr {
    match error {
        ParameterError::World { .. } => PyIndexError::new_err(error.to_string()),
        other => value_error(other),
    }
}

#[pymethods]
impl PyBatch {
    #[new]
    fn new(
        py: Python<'_>,
        model: &Bound<'_, PyModel>,
        count: usize,
        threads: usize,
        keyframe: Option<usize>,
        outputs: Vec<String>,
        reset_failed: bool,
    ) -> PyResult<PyBatch> {
        let shared = model.get().model(py)?.clone();
        let model = access(py, move || Ok(Arc::new(Model::clone(&*shared.read_current()?))))?;
        let batch = protect(py, move || -> Result<BatchSim, BatchError> {
            let policy = if reset_failed { OnFailure::Reset } else { OnFailure::Stop };
            let batch = BatchSim::try_new(model, count)?;
            let batch = batch.with_cancel(interrupt::token());
            let mut batch = batch.with_threads(threads).with_failure_policy(policy);
            for name in &outputs {
                batch = batch.with_output(name)?;
            }
            match keyframe {
                Some(key) => batch.with_keyframe(key),
                None => Ok(batch),
            }
        })?
        .map_err(batch_error)?;
        Ok(PyBatch { batch: Shared::new(batch) })
    }

    /// Number of worlds.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.batch.read_attached(py)?.len())
    }

    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.batch.read_attached(py)?.threads())
    }

    /// Names of the arrays that every world keeps.
    fn array_names(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        Ok(self.batch.read_attached(py)?.arrays().collect())
    }

    /// A view of an array of all worlds, one row per world.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let batch = self.batch.read_attached(py)?;
        let Some((index, kind)) = batch.array_index(name) else { return Ok(None) };
        let mut shape = vec![batch.len()];
        if let Some(info) = Data::array_index(name).map(|i| &Data::ARRAYS[i]) {
            let m = batch.model();
            shape.extend(fields::shape(m, info, m.size(info.rows).unwrap_or(0)));
        }
        drop(batch);
        let kind = match kind {
            ScalarKind::F64 => Scalar::F64,
            ScalarKind::F32 => Scalar::F32,
            ScalarKind::I32 => Scalar::I32,
            ScalarKind::U8 => Scalar::U8,
        };
        self.batch.array(py, index, kind, &shape).map(Some)
    }

    /// A view of a parameter of all worlds, one row per world.
    fn parameter<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut batch = self.batch.write_attached(py)?;
        let count = batch.parameter(name).map_err(parameter_error)?.len();
        let worlds = batch.len();
        let mut shape = vec![worlds];
        match Model::array_index(name).map(|i| &Model::ARRAYS[i]) {
            Some(info) => {
                let m = batch.model();
                shape.extend(fields::shape(m, info, m.size(info.rows).unwrap_or(0)));
            }
            None if count > worlds => shape.push(count / worlds),
            None => {}
        }
        let index = batch.array_index(name).map_or(usize::MAX, |found| found.0);
        drop(batch);
        self.batch.array(py, index, Scalar::F64, &shape)
    }

    fn parameter_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.batch.read_attached(py)?.parameters().collect())
    }

    fn derive_constants(&self, py: Python<'_>) -> PyResult<()> {
        access(py, || Ok(self.batch.write()?.derive_constants()))?.map_err(parameter_error)
    }

    /// Adds an array to those that every world keeps.
    fn add_output(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.batch.write_attached(py)?.add_output(name).map_err(batch_error)
    }

    /// Advances every world that has not failed, of a mask if there is one, by `count` time steps.
    #[pyo3(signature = (count, mask=None))]
    fn advance(&self, py: Python<'_>, count: usize, mask: Option<In<bool>>) -> PyResult<()> {
        access(py, || {
            let mut batch = self.batch.write()?;
            batch.set_steps(count);
            let token = batch.cancel().cloned().unwrap_or_default();
            Ok(interruptible(&token, [address(&*self.batch)], || match mask {
                Some(mask) => batch.step_where(&mask.values).map(drop),
                None => {
                    batch.step_all();
                    Ok(())
                }
            }))
        })??
        .map_err(value_error)
    }

    /// Computes the results of the worlds of a mask, of all of them without one, in their present states.
    fn forward_worlds(&self, py: Python<'_>, mask: Option<In<bool>>) -> PyResult<()> {
        access(py, || {
            let mut batch = self.batch.write()?;
            Ok(match mask {
                Some(mask) => batch.forward_where(&mask.values),
                None => {
                    batch.forward_all();
                    Ok(())
                }
            })
        })?
        .map_err(value_error)
    }

    /// Resets the worlds of a mask; all of them without one.
    fn reset_worlds(&self, py: Python<'_>, mask: Option<In<bool>>) -> PyResult<()> {
        access(py, || {
            let mut batch = self.batch.write()?;
            Ok(match mask {
                Some(mask) => batch.reset_where(&mask.values),
                None => {
                    batch.reset_all();
                    Ok(())
                }
            })
        })?
        .map_err(value_error)
    }

    /// The causes of the worlds that failed.
    fn causes(&self, py: Python<'_>) -> PyResult<Vec<(usize, String)>> {
        let batch = self.batch.read_attached(py)?;
        let errors = batch.result().errors.iter().flatten();
        Ok(errors.map(|failure| (failure.world, failure.cause.to_string())).collect())
    }

    /// The failure of a world as a file's content.
    fn dump<'py>(&self, py: Python<'py>, world: usize) -> PyResult<Bound<'py, PyBytes>> {
        let dump = access(py, || Ok(self.batch.read()?.dump(world).map(|dump| dump.to_bytes())))?;
        let bytes = dump.ok_or_else(|| value_error(format!("world {world} has not failed")))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The model of a world, with its parameters.
    fn world_model(&self, py: Python<'_>, world: usize) -> PyResult<ModelHandle> {
        let batch = self.batch.read_attached(py)?;
        let worlds = batch.len();
        if world >= worlds {
            return Err(parameter_error(ParameterError::World { world, worlds }));
        }
        Ok(ModelHandle::new(batch.world_model(world)))
    }
}

/// What a file of [`PyBatch::dump`] holds: model, state, steps to take, cause.
#[pyfunction]
fn read_failure(
    py: Python<'_>,
    content: &[u8],
) -> PyResult<(ModelHandle, Vec<f64>, usize, String)> {
    let dump = protect(py, || Dump::from_bytes(content))?.map_err(value_error)?;
    Ok((ModelHandle::new(dump.model), dump.state, dump.steps, dump.cause))
}

/// Repeats the step that failed.
#[pyfunction]
fn replay_failure(py: Python<'_>, content: &[u8]) -> PyResult<()> {
    let dump = protect(py, || Dump::from_bytes(content))?.map_err(value_error)?;
    let result = protect(py, || dump.replay())?.map_err(value_error)?;
    result.map_err(|e| step_error(&e))
}

/// The number of a keyframe.
#[pyfunction]
fn keyframe_index(
    py: Python<'_>,
    model: &Bound<'_, PyModel>,
    name: &str,
) -> PyResult<Option<usize>> {
    Ok(model.get().read(py)?.object_names.id(ObjType::Key, name))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyBatch>()?;
    crate::util::add_functions!(module; read_failure, replay_failure, keyframe_index);
    Ok(())
}
