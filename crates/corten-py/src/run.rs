//! Running the engine on behalf of Python: without the interpreter lock, and with panics turned
//! into exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use corten_sim::hook::Hooks;
use corten_sim::{Data, Model, StepError};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::callbacks::Callbacks;
use crate::data::PyData;
use crate::model::PyModel;

/// Runs `f` without the interpreter lock. A panic, which is a defect of the engine or the result
/// of nonsense in the model's arrays, becomes a `RuntimeError`.
pub fn protect<R: Send>(py: Python<'_>, f: impl FnOnce() -> R + Send) -> PyResult<R> {
    py.detach(|| catch_unwind(AssertUnwindSafe(f))).map_err(|panic| {
        let reason = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown reason");
        PyRuntimeError::new_err(format!("the engine failed: {reason}"))
    })
}

/// Runs `f` on a model and data that belongs to it. If that fails in the middle and an array gets
/// lost, the data is not used again.
pub fn run<R: Send>(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    f: impl FnOnce(&Model, &mut Data) -> R + Send,
) -> PyResult<R> {
    d.check_usable()?;
    d.check_model(py, m)?;
    let callbacks = Callbacks::of(py, m, d)?;
    let hook = callbacks.clone();
    let (model, data) = (&m.model, &d.data);
    let result = protect(py, move || {
        let model = model.read_current();
        let mut data = data.write();
        data.bind(&model)?;
        d.adopt(&model, &mut data);
        let own = hook.map(|hook| std::mem::replace(&mut data.hooks, Hooks::from(hook)));
        let result = f(&model, &mut data);
        if let Some(own) = own {
            data.hooks = own;
        }
        d.refresh(&model, &data);
        Ok(result)
    });
    d.note_failure(result.is_err());
    if let Some(error) = callbacks.and_then(|callbacks| callbacks.failure()) {
        return Err(error);
    }
    debug_assert!(result.is_err() || d.data.is_intact(), "a stage moved an array");
    result?.map_err(|e: StepError| PyValueError::new_err(e.to_string()))
}

/// Runs `f` on a model and data that belongs to it, without changing either.
pub fn read<R: Send>(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    f: impl FnOnce(&Model, &Data) -> R + Send,
) -> PyResult<R> {
    d.check_usable()?;
    d.check_model(py, m)?;
    let (model, data) = (&m.model, &d.data);
    protect(py, move || {
        let model = model.read();
        let data = data.read();
        f(&model, &data)
    })
}
