//! Running the engine on behalf of Python: without the interpreter lock, and with panics turned
//! into exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use corten_math::memory::OutOfMemory;
use corten_sim::extend::Hooks;
use corten_sim::{Data, Model, StepError};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::callbacks::Callbacks;
use crate::data::DataContent;
use crate::errors::step_error;
use crate::interrupt::{self, interruptible};
use crate::memory::{Busy, address, lend_shared, occupy};
use crate::model::PyModel;

/// Runs `f` without the interpreter lock. A panic, which is a defect of the engine or the result
/// of nonsense in the model's arrays, becomes a `RuntimeError`.
pub fn protect<R: Send>(py: Python<'_>, f: impl FnOnce() -> R + Send) -> PyResult<R> {
    py.detach(|| catch_unwind(AssertUnwindSafe(f))).map_err(|panic| failure(&*panic))
}

/// What a panic is told as.
pub fn failure(panic: &(dyn std::any::Any + Send)) -> PyErr {
    if let Some(refused) = panic.downcast_ref::<OutOfMemory>() {
        return PyMemoryError::new_err(refused.to_string());
    }
    let reason = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown reason");
    PyRuntimeError::new_err(format!("the engine failed: {reason}"))
}

/// [`protect`], with access to values that the engine may be using.
pub fn access<R: Send>(py: Python<'_>, f: impl FnOnce() -> Result<R, Busy> + Send) -> PyResult<R> {
    Ok(protect(py, f)??)
}

/// Runs `f` on a model and data that belongs to it.
pub fn run<R: Send>(
    py: Python<'_>,
    m: &PyModel,
    d: &DataContent,
    f: impl FnOnce(&Model, &mut Data) -> R + Send,
) -> PyResult<R> {
    d.check_model(py, m)?;
    let callbacks = Callbacks::of(py, m, d)?;
    let hook = callbacks.clone();
    let (shared, data) = (m.model(py)?, &d.data);
    let result = protect(py, move || -> Result<R, RunError> {
        let model = shared.read_current()?;
        let mut held = data.write()?;
        let (data, owner) = (&mut *held, data);
        data.bind(&model)?;
        d.adopt(&model, data)?;
        let token = data.cancel.get_or_insert_with(interrupt::token).clone();
        let owners = [address(owner), address(shared)];
        let result = interruptible(&token, owners, || match hook {
            None => f(&model, data),
            Some(hook) => {
                let own = std::mem::replace(&mut data.hooks, Hooks::from(hook));
                // The clock is asked without being lent anything.
                let result = lend_shared(shared, &*model, || occupy(owner, || f(&model, data)));
                data.hooks = own;
                result
            }
        });
        d.refresh(&model, data)?;
        Ok(result?)
    });
    if let Some(error) = callbacks.and_then(|callbacks| callbacks.failure()) {
        return Err(error);
    }
    result?.map_err(PyErr::from)
}

/// Why the engine did not run.
enum RunError {
    Busy(Busy),
    Step(StepError),
    /// A handler of a signal raised something.
    Raised(PyErr),
}

impl From<PyErr> for RunError {
    fn from(error: PyErr) -> RunError {
        RunError::Raised(error)
    }
}

impl From<Busy> for RunError {
    fn from(busy: Busy) -> RunError {
        RunError::Busy(busy)
    }
}

impl From<StepError> for RunError {
    fn from(error: StepError) -> RunError {
        RunError::Step(error)
    }
}

impl From<RunError> for PyErr {
    fn from(error: RunError) -> PyErr {
        match error {
            RunError::Busy(busy) => busy.into(),
            RunError::Step(error @ StepError::Memory { .. }) => step_error(&error),
            RunError::Step(error) => PyValueError::new_err(error.to_string()),
            RunError::Raised(error) => error,
        }
    }
}

/// Runs `f` on a model and data that belongs to it, without changing either.
pub fn read<R: Send>(
    py: Python<'_>,
    m: &PyModel,
    d: &DataContent,
    f: impl FnOnce(&Model, &Data) -> R + Send,
) -> PyResult<R> {
    d.check_model(py, m)?;
    let (model, data) = (m.model(py)?, &d.data);
    access(py, move || {
        let model = model.read()?;
        let data = data.read()?;
        Ok(f(&model, &data))
    })
}
