//! Exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};

create_exception!(
    corten.mujoco,
    FatalError,
    PyException,
    "A call that MuJoCo would have answered with its error handler."
);
create_exception!(
    corten.mujoco,
    UnexpectedError,
    PyException,
    "A failure that no caller is expected to handle."
);

create_exception!(
    corten,
    StepError,
    PyRuntimeError,
    "The simulation went bad: which joint, and when."
);
create_exception!(
    corten,
    ModelError,
    PyValueError,
    "What is wrong with a model: every finding with file, line and column."
);

/// A [`FatalError`] with this message.
pub fn fatal(message: impl Into<String>) -> pyo3::PyErr {
    FatalError::new_err(message.into())
}
