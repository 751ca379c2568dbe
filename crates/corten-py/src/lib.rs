//! The extension module behind the Python package `corten`.
//!
//! Rust provides the memory (`ModelBase`, `DataBase`, `RecordBase`: arrays as NumPy views) and the
//! functions; the package's Python files add what is convenience: named access, enumerations,
//! pickling, printing.

// Functions carry MuJoCo's names.
#![allow(non_snake_case)]

mod args;
mod attributes;
mod batch;
mod callbacks;
mod converted;
mod data;
mod errors;
mod fields;
mod interrupt;
mod lists;
mod load;
mod memory;
mod model;
mod record;
mod render;
mod rollout;
mod run;
mod saved;
mod scene;
mod soft;
mod spec;
mod stages;
mod support;
mod util;
mod viewer;

use corten_model::enums::ENUMS;
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

#[pymodule]
fn _corten(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ENUMS", enumerations(module.py())?)?;
    module.add("ModelError", module.py().get_type::<errors::ModelError>())?;
    module.add("StepError", module.py().get_type::<errors::StepError>())?;
    module.add("FatalError", module.py().get_type::<errors::FatalError>())?;
    module.add("UnexpectedError", module.py().get_type::<errors::UnexpectedError>())?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<model::ModelHandle>()?;
    module.add_class::<data::PyData>()?;
    attributes::register(module)?;
    module.add_class::<memory::PyStruct>()?;
    module.add_class::<memory::StructField>()?;
    module.add_class::<record::PyRecord>()?;
    module.add_class::<record::RecordField>()?;
    load::register(module)?;
    soft::register(module)?;
    spec::register(module)?;
    callbacks::register(module)?;
    rollout::register(module)?;
    batch::register(module)?;
    lists::register(module)?;
    support::register(module)?;
    util::register(module)?;
    render::register(module)?;
    viewer::register(module)?;
    scene::register(module)?;
    stages::register(module)
}

/// MuJoCo's enumerations: names and values by type.
fn enumerations(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let types = PyDict::new(py);
    for (name, values) in ENUMS {
        let members = PyDict::new(py);
        // Values that only this engine has are not MuJoCo's to name.
        for (member, value) in values.iter().filter(|(member, _)| member.starts_with("mj")) {
            members.set_item(member, value)?;
        }
        types.set_item(name, members)?;
    }
    Ok(types)
}
