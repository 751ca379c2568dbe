//! The abstract scene: MuJoCo's `mjv` layer.
//!
//! Python owns the memory of its records, NumPy arrays of bytes in the layout of the Rust types
//! ([`record`]). A function copies what it needs from there, runs on Rust values, and writes back what
//! it changed ([`memory`]).

mod interact;
pub mod memory;
pub mod record;
mod update;

use corten_scene::SceneError;
use pyo3::prelude::*;

use crate::errors::fatal;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    record::register(module)?;
    update::register(module)?;
    interact::register(module)
}

/// What MuJoCo's error handler would be told.
fn raise(error: SceneError) -> PyErr {
    fatal(error.to_string())
}
