//! The extension module behind the Python package `corten`.
//!
//! Rust provides the memory (`ModelBase`, `DataBase`, `RecordBase`: arrays as NumPy views) and the
//! functions; the package's Python files add what is convenience: named access, enumerations,
//! pickling, printing.

// Functions carry MuJoCo's names.
#![allow(non_snake_case)]

mod data;
mod fields;
mod lists;
mod memory;
mod model;
mod record;
mod run;
mod stages;

use pyo3::prelude::*;

#[pymodule]
fn _corten(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<model::ModelHandle>()?;
    module.add_class::<data::PyData>()?;
    module.add_class::<record::PyRecord>()?;
    lists::register(module)?;
    stages::register(module)
}
