//! Models from files and text.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use corten_model::{Assets, Diagnostics, ReadOptions, Spec};
use corten_sim::{Loaded, build, load_file};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

use crate::errors::{ModelError, fatal};
use crate::model::ModelHandle;
use crate::run::protect;
use crate::util::add_functions;

/// Name in messages of text that comes without a file.
const UNNAMED: &str = "<string>";

/// Content of a file that is given in memory.
#[derive(FromPyObject)]
pub enum Content {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
}

pub type Files = HashMap<String, Content>;

pub fn in_memory(files: Option<Files>) -> PyResult<Assets> {
    let mut assets = Assets::new();
    for (name, content) in files.unwrap_or_default() {
        let bytes: &[u8] = match &content {
            Content::Bytes(bytes) => bytes,
            Content::Text(text) => text.as_bytes(),
        };
        if !assets.insert(&name, bytes) {
            return Err(PyValueError::new_err(format!("there are two assets named '{name}'")));
        }
    }
    Ok(assets)
}

/// The spec of the last model that was loaded, for `mj_saveLastXML`.
static LAST: Mutex<Option<Spec>> = Mutex::new(None);

fn last() -> MutexGuard<'static, Option<Spec>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(path: &str, assets: &Assets) -> Result<Loaded, Diagnostics> {
    if path.to_ascii_lowercase().ends_with(".cfa") {
        return load_file(path, assets, ReadOptions::MUJOCO);
    }
    let (spec, warnings) = Spec::read_file(path, assets, ReadOptions::MUJOCO)?;
    let loaded = build(&spec, assets, warnings)?;
    *last() = Some(spec);
    Ok(loaded)
}

/// The last model that was loaded from a file or from text, as MJCF.
#[pyfunction]
fn last_xml(py: Python<'_>) -> PyResult<String> {
    let spec = last().clone().ok_or_else(|| fatal("no model has been loaded from XML"))?;
    protect(py, move || spec.to_xml())?.map_err(|e| fatal(e.to_string()))
}

fn load(py: Python<'_>, path: String, assets: Assets) -> PyResult<(ModelHandle, Vec<String>)> {
    let loaded = protect(py, move || read(&path, &assets))?
        .map_err(|findings| ModelError::new_err(findings.to_string()))?;
    let warnings = loaded.warnings.iter().map(ToString::to_string).collect();
    Ok((ModelHandle::new(loaded.model), warnings))
}

/// The model in a file, and warnings about it.
#[pyfunction]
#[pyo3(signature = (path, assets=None))]
fn load_path(
    py: Python<'_>,
    path: String,
    assets: Option<Files>,
) -> PyResult<(ModelHandle, Vec<String>)> {
    load(py, path, in_memory(assets)?)
}

/// The model in a text, and warnings about it.
#[pyfunction]
#[pyo3(signature = (xml, assets=None))]
fn load_text(
    py: Python<'_>,
    xml: &str,
    assets: Option<Files>,
) -> PyResult<(ModelHandle, Vec<String>)> {
    let mut assets = in_memory(assets)?;
    assets.insert(UNNAMED, xml.as_bytes());
    load(py, UNNAMED.to_owned(), assets)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; last_xml, load_path, load_text);
    Ok(())
}
