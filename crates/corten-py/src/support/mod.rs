//! Functions on a model and its data that are no stage of the pipeline.

mod constants;
mod constraint;
mod derivative;
mod inertia;
mod jacobian;
mod model;
mod motion;
mod ray;
mod state;

use pyo3::prelude::*;

use crate::args::type_error;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    constants::register(module)?;
    constraint::register(module)?;
    derivative::register(module)?;
    inertia::register(module)?;
    jacobian::register(module)?;
    model::register(module)?;
    motion::register(module)?;
    ray::register(module)?;
    state::register(module)
}

/// An index argument, checked.
fn index(name: &str, id: i32, count: usize) -> PyResult<usize> {
    usize::try_from(id).ok().filter(|&i| i < count).ok_or_else(|| {
        type_error(format!("{name} is {id}, the model has {count} objects of this type"))
    })
}
