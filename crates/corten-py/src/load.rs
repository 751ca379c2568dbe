//! Models from files and text.

use std::collections::HashMap;

use corten_model::{Assets, Spec};
use corten_sim::{compile_spec, load_file};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

use crate::errors::ModelError;
use crate::model::ModelHandle;
use crate::run::protect;
use crate::util::add_functions;

/// Name in messages of text that comes without a file.
const UNNAMED: &str = "<string>";

/// Content of a file that is given in memory.
#[derive(FromPyObject)]
enum Content {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
}

type Files = HashMap<String, Content>;

fn in_memory(files: Option<Files>) -> PyResult<Assets> {
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

fn load(py: Python<'_>, path: String, assets: Assets) -> PyResult<(ModelHandle, Vec<String>)> {
    let loaded = protect(py, move || load_file(path, &assets))?
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

/// A model as its author wrote it: read, compiled on request, written back.
#[pyclass(module = "corten._corten", frozen, subclass)]
pub struct SpecBase {
    spec: Spec,
    assets: Assets,
}

#[pymethods]
impl SpecBase {
    /// Reads a file, or text if there is no path; without either, an empty model.
    #[new]
    #[pyo3(signature = (path=None, xml=None, assets=None))]
    fn new(
        py: Python<'_>,
        path: Option<String>,
        xml: Option<String>,
        assets: Option<Files>,
    ) -> PyResult<SpecBase> {
        let assets = in_memory(assets)?;
        let files = assets.clone();
        let spec = protect(py, move || match (path, xml) {
            (Some(path), _) => Spec::from_file(&path, &files),
            (None, Some(xml)) => Spec::from_xml_str(&xml, &files),
            (None, None) => Ok(Spec::new()),
        })?;
        Ok(SpecBase { spec: spec.map_err(|e| ModelError::new_err(e.to_string()))?, assets })
    }

    fn compile_model(&self, py: Python<'_>) -> PyResult<ModelHandle> {
        let (spec, assets) = (&self.spec, &self.assets);
        let model = protect(py, move || compile_spec(spec, assets))?
            .map_err(|e| ModelError::new_err(e.to_string()))?;
        Ok(ModelHandle::new(model))
    }

    /// The model as MJCF text.
    fn to_xml(&self, py: Python<'_>) -> PyResult<String> {
        let spec = &self.spec;
        protect(py, move || spec.to_xml())?.map_err(|e| ModelError::new_err(e.to_string()))
    }

    #[getter]
    fn modelname(&self) -> &str {
        &self.spec.modelname
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<SpecBase>()?;
    add_functions!(module; load_path, load_text);
    Ok(())
}
