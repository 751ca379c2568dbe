//! Exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyException;

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

/// A [`FatalError`] with this message.
pub fn fatal(message: impl Into<String>) -> pyo3::PyErr {
    FatalError::new_err(message.into())
}
