//! Models from files and text.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use corten_model::{Assets, Diagnostics, Limits, ReadOptions, Spec};
use corten_sim::{BINARY, Loaded, build, load_file};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

use crate::args::Text;
use crate::errors::{fatal, model_error};
use crate::interrupt::abandonable;
use crate::model::ModelHandle;
use crate::run::{failure, protect};
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

/// How the files of a dictionary are found.
#[derive(Clone, Copy, PartialEq)]
pub enum Keys {
    /// By their names without directories, in lower case: as `MjModel` and readers of `MjSpec` do.
    Stripped,
    /// By what is written: as `MjSpec.compile` does.
    Written,
}

pub fn in_memory(files: Option<Files>, keys: Keys) -> PyResult<Assets> {
    let mut assets = Assets::new();
    for (name, content) in files.unwrap_or_default() {
        let bytes: &[u8] = match &content {
            Content::Bytes(bytes) => bytes,
            Content::Text(text) => text.as_bytes(),
        };
        let added = match keys {
            Keys::Stripped => assets.insert_stripped(&name, bytes),
            Keys::Written => assets.insert(&name, bytes),
        };
        if !added {
            let message = format!("Repeated file name in assets dict: {name}");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(assets)
}

/// Limits by name, beside the defaults.
pub type GivenLimits = HashMap<String, usize>;

/// Choices of reading: as MuJoCo, within the given limits.
pub fn read_options(given: Option<GivenLimits>) -> PyResult<ReadOptions> {
    let mut options = ReadOptions::MUJOCO;
    for (name, value) in given.unwrap_or_default() {
        let mut fields = options.limits.fields_mut();
        match fields.iter_mut().find(|(field, _)| *field == name) {
            Some((_, limit)) => **limit = value,
            None => {
                let known = fields.map(|(field, _)| field).join(", ");
                let message = format!("there is no limit '{name}'; the limits are {known}");
                return Err(PyValueError::new_err(message));
            }
        }
    }
    Ok(options)
}

/// To be called in a new process, before anything else of this module.
#[pyfunction]
fn after_fork() {
    crate::memory::note_fork();
}

/// What a file or a call may ask for unless said otherwise, by name.
#[pyfunction]
fn default_limits() -> HashMap<&'static str, usize> {
    Limits::default().fields_mut().map(|(name, value)| (name, *value)).into()
}

/// The grammar of MJCF, as text.
#[pyfunction]
fn grammar() -> String {
    corten_model::mjcf::grammar()
}

/// The spec of the last model that was loaded, for `mj_saveLastXML`.
static LAST: Mutex<Option<Spec>> = Mutex::new(None);

fn last() -> MutexGuard<'static, Option<Spec>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(path: &str, assets: &Assets, options: ReadOptions) -> Result<Loaded, Diagnostics> {
    if BINARY.iter().any(|ending| path.to_ascii_lowercase().ends_with(ending)) {
        return load_file(path, assets, options);
    }
    let (spec, warnings) = Spec::read_file(path, assets, options)?;
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

fn load(
    py: Python<'_>,
    path: String,
    assets: Assets,
    limits: Option<GivenLimits>,
) -> PyResult<(ModelHandle, Vec<String>)> {
    let options = read_options(limits)?;
    let loaded = abandonable(py, move || read(&path, &assets, options))?
        .map_err(|panic| failure(&*panic))?
        .map_err(|findings| model_error(&findings))?;
    let warnings = loaded.warnings.iter().map(ToString::to_string).collect();
    Ok((ModelHandle::new(loaded.model), warnings))
}

/// The model in a file, and warnings about it.
#[pyfunction]
#[pyo3(signature = (path, assets=None, limits=None))]
fn load_path(
    py: Python<'_>,
    path: Text,
    assets: Option<Files>,
    limits: Option<GivenLimits>,
) -> PyResult<(ModelHandle, Vec<String>)> {
    load(py, path.to_string(), in_memory(assets, Keys::Stripped)?, limits)
}

/// The model in a text, and warnings about it.
#[pyfunction]
#[pyo3(signature = (xml, assets=None, limits=None))]
fn load_text(
    py: Python<'_>,
    xml: Text,
    assets: Option<Files>,
    limits: Option<GivenLimits>,
) -> PyResult<(ModelHandle, Vec<String>)> {
    let mut assets = in_memory(assets, Keys::Stripped)?;
    assets.insert(UNNAMED, xml.as_bytes());
    load(py, UNNAMED.to_owned(), assets, limits)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; grammar, last_xml, load_path, load_text, default_limits, after_fork);
    Ok(())
}
