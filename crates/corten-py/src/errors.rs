//! Exceptions.

use corten_model::Diagnostics;
use corten_model::limits::MEMORY;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyRuntimeError, PyValueError};

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

/// A `MemoryError` if the machine had no more, else a [`ModelError`] that tells all findings; at the end stands the line of the first in words, which
/// programs look for that show it to their users.
pub fn model_error(findings: &Diagnostics) -> pyo3::PyErr {
    let mut text = findings.to_string();
    if findings.errors().any(|finding| finding.limit == Some(MEMORY)) {
        return PyMemoryError::new_err(text);
    }
    if let Some(place) = findings.errors().find_map(|finding| finding.place.as_ref()) {
        text.push_str(&format!("\n(line {})", place.line));
    }
    ModelError::new_err(text)
}

/// A step that was not taken or went bad.
pub fn step_error(error: &corten_sim::StepError) -> pyo3::PyErr {
    match error {
        corten_sim::StepError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        _ => StepError::new_err(error.to_string()),
    }
}

/// A [`FatalError`] with this message.
pub fn fatal(message: impl Into<String>) -> pyo3::PyErr {
    FatalError::new_err(message.into())
}
