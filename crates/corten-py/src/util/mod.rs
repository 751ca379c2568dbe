//! MuJoCo's utility functions on small vectors, rotations and matrices.
//!
//! Results go into array arguments, as in MuJoCo. Inputs are copied before anything is written,
//! so an output may be the same array as an input.

mod band;
mod boxqp;
mod matrix;
mod misc;
mod rotation;
mod vector;

use pyo3::prelude::*;

/// Adds functions to a module.
macro_rules! add_functions {
    ($module:expr; $($name:ident),* $(,)?) => {
        $($module.add_function(pyo3::wrap_pyfunction!($name, $module)?)?;)*
    };
}
pub(crate) use add_functions;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    vector::register(module)?;
    rotation::register(module)?;
    matrix::register(module)?;
    band::register(module)?;
    boxqp::register(module)?;
    misc::register(module)
}
