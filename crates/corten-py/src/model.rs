//! Compiled models.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use corten_model::ModelArrays;
use corten_model::arrays::{GainChoice, ScalarKind};
use corten_model::container::Entry;
use corten_model::enums::{Gain, ObjType};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::args::Text;
use crate::attributes::{Handed, MODEL_FIELDS};
use crate::errors::fatal;
use crate::fields;
use crate::memory::{Keeper, Read, Settings, Shared, Values, Write};
use corten_sim::extend::GainDispatch;
use corten_sim::{Model, Registry};

/// A compiled model: sizes, arrays and names, under MuJoCo's field names.
///
/// Arrays are writable NumPy views of the model's own memory.
#[pyclass(name = "ModelBase", module = "corten._corten", frozen, subclass)]
pub struct PyModel(Arc<ModelContent>);

/// What the objects of one model share: Python's own, and the one that named views hold.
pub struct ModelContent {
    shared: Arc<Shared<Model>>,
    settings: Arc<Settings>,
    /// The `base` of all views of arrays.
    keeper: OnceLock<Keeper>,
    /// Sizes, texts and views of arrays.
    pub handed: Handed,
    /// Weak reference to the Python object, for callbacks.
    object: OnceLock<Py<PyAny>>,
}

impl Deref for PyModel {
    type Target = ModelContent;
    fn deref(&self) -> &ModelContent {
        &self.0
    }
}

/// A model on its way to an object of some class: the only thing that [`PyModel`] is made of.
#[pyclass(module = "corten._corten", frozen)]
pub struct ModelHandle(Arc<Shared<Model>>, Arc<Settings>);

impl ModelHandle {
    pub fn new(model: Model) -> ModelHandle {
        let settings = Settings::new(Values::of(&model));
        ModelHandle(Shared::new(model), settings)
    }
}

impl ModelContent {
    /// The Python object, if it is known.
    pub fn object(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.object.get().map(|reference| reference.call0(py)).transpose()
    }

    /// The model's memory, as it is.
    pub fn shared(&self) -> &Arc<Shared<Model>> {
        &self.shared
    }

    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// The model's memory, which now has the settings that Python wrote, unless the engine uses it
    /// on this thread: then it has them when the engine has run.
    #[inline]
    pub fn model(&self, py: Python<'_>) -> PyResult<&Arc<Shared<Model>>> {
        if self.settings.is_pending() {
            self.settle(py)?;
        }
        Ok(&self.shared)
    }

    #[inline(never)]
    fn settle(&self, py: Python<'_>) -> PyResult<()> {
        if self.shared.is_in_use() {
            return Ok(());
        }
        if self.settings.differ(py, &**self.shared.read_attached(py)?) {
            self.settings.copy_to(py, &mut **self.shared.write_attached(py)?);
        } else {
            self.settings.settled();
        }
        Ok(())
    }

    /// Shared access to the model; see [`Shared::read_attached`].
    pub fn read(&self, py: Python<'_>) -> PyResult<Read<'_, Model>> {
        Ok(self.model(py)?.read_attached(py)?)
    }

    /// Exclusive access to the model; see [`Shared::write_attached`].
    pub fn write(&self, py: Python<'_>) -> PyResult<Write<'_, Model>> {
        Ok(self.model(py)?.write_attached(py)?)
    }

    pub fn view<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let info = &Model::ARRAYS[index];
        let shape = {
            let m = self.shared.read_attached(py)?;
            fields::shape(&m, info, m.size(info.rows).unwrap_or(0))
        };
        let keeper = match self.keeper.get() {
            Some(keeper) => keeper,
            None => {
                let fresh = self.shared.keeper(py)?;
                self.keeper.get_or_init(|| fresh)
            }
        };
        self.shared.fixed_array(py, keeper, index, fields::scalar(info), &shape)
    }
}

#[pymethods]
impl PyModel {
    #[new]
    fn new(handle: &ModelHandle) -> PyModel {
        let (shared, settings) = (handle.0.clone(), handle.1.clone());
        let (handed, keeper, object) =
            (Handed::new(MODEL_FIELDS), OnceLock::new(), OnceLock::new());
        PyModel(Arc::new(ModelContent { shared, settings, keeper, handed, object }))
    }

    /// Another object of this model, which does not keep this one alive: for what this one keeps.
    fn twin(&self) -> PyModel {
        PyModel(self.0.clone())
    }

    /// Takes a weak reference to the object that this is the base of.
    fn remember(&self, reference: Py<PyAny>) {
        let _ = self.object.set(reference);
    }

    /// The model of named arrays, as `pack` returns them; `None` values stand for empty arrays.
    #[staticmethod]
    fn unpack(arrays: &Bound<'_, PyDict>) -> PyResult<ModelHandle> {
        let mut entries = Vec::new();
        for (key, value) in arrays {
            let name: String = key.extract()?;
            let values = match value.getattr("dtype")?.getattr("str")?.extract::<String>()?.as_str()
            {
                "<f8" => fields::values(&value, ScalarKind::F64)?,
                "<f4" => fields::values(&value, ScalarKind::F32)?,
                "<i4" => fields::values(&value, ScalarKind::I32)?,
                "|u1" => fields::values(&value, ScalarKind::U8)?,
                other => {
                    let message = format!("entry '{name}' has the unexpected type {other}");
                    return Err(PyTypeError::new_err(message));
                }
            };
            entries.push(Entry { name, values });
        }
        let model = Model::unpack(&entries).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(ModelHandle::new(model))
    }

    /// Everything in the model as named arrays.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let entries = self.read(py)?.pack();
        let dict = PyDict::new(py);
        for Entry { name, values } in entries {
            dict.set_item(name, fields::owned(py, values))?;
        }
        Ok(dict)
    }

    /// Everything in the model, as a file of named arrays.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.read(py)?.to_bytes();
        Ok(PyBytes::new(py, &bytes))
    }

    /// The model in a file that `to_bytes` made.
    #[staticmethod]
    fn from_bytes(file: &[u8]) -> PyResult<ModelHandle> {
        let error = |e: &dyn std::error::Error| PyValueError::new_err(e.to_string());
        let model = Model::from_bytes(file).map_err(|e| error(&e))?;
        Ok(ModelHandle::new(model))
    }

    /// Gives an actuator a gain model by its name, or a built-in type of gain without one.
    #[pyo3(signature = (actuator, name, params, builtin=0))]
    fn set_gain(
        &self,
        py: Python<'_>,
        actuator: usize,
        name: &str,
        params: Vec<f64>,
        builtin: i32,
    ) -> PyResult<()> {
        let error = |e: &dyn std::error::Error| PyValueError::new_err(e.to_string());
        let gain = if name.is_empty() {
            let kind = Gain::from_raw(builtin);
            kind.ok_or_else(|| PyValueError::new_err("there is no such type of gain"))?.into()
        } else {
            let made = Registry::new().gain(name, &params);
            let made = made
                .ok_or_else(|| PyValueError::new_err(format!("there is no gain model '{name}'")))?;
            GainDispatch::Custom(made.map_err(|e| error(&e))?)
        };
        let mut model = self.write(py)?;
        model.notice_writes();
        model.set_actuator_gain(actuator, gain).map_err(|e| error(&e))?;
        if !name.is_empty() {
            let count = model.nu;
            let gains = &mut model.extension_names.gains;
            gains.resize(count, GainChoice::default());
            gains[actuator] = GainChoice { model: name.to_owned(), params };
        }
        Ok(())
    }

    /// A copy that shares nothing.
    fn duplicate(&self, py: Python<'_>) -> PyResult<ModelHandle> {
        Ok(ModelHandle::new(self.read(py)?.clone()))
    }

    /// The index of a named object; −1 if there is none.
    #[pyo3(name = "object_id")]
    pub fn id_of(&self, py: Python<'_>, kind: i32, name: Text) -> PyResult<i64> {
        let Some(kind) = ObjType::from_raw(kind) else { return Ok(-1) };
        let m = self.shared.read_attached(py)?;
        Ok(m.object_names.id(kind, &name).map_or(-1, |id| id as i64))
    }

    /// The name of an object; `None` if it has none or does not exist.
    #[pyo3(name = "object_name")]
    pub fn name_of(&self, py: Python<'_>, kind: i32, index: i64) -> PyResult<Option<String>> {
        let (Some(kind), Ok(index)) = (ObjType::from_raw(kind), usize::try_from(index)) else {
            return Ok(None);
        };
        let m = self.shared.read_attached(py)?;
        Ok(m.object_names.name(kind, index).map(str::to_owned))
    }

    /// All names of one kind of objects, empty where an object has none.
    fn object_names(&self, py: Python<'_>, kind: i32) -> PyResult<Vec<String>> {
        let Some(kind) = ObjType::from_raw(kind) else { return Ok(Vec::new()) };
        Ok(self.shared.read_attached(py)?.object_names.all(kind).to_vec())
    }

    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.shared.read_attached(py)?.name.clone())
    }

    #[getter]
    fn njmax(&self, py: Python<'_>) -> PyResult<i32> {
        Ok(self.shared.read_attached(py)?.njmax)
    }

    #[getter]
    fn nconmax(&self, py: Python<'_>) -> PyResult<i32> {
        Ok(self.shared.read_attached(py)?.nconmax)
    }

    /// Bytes of the arena that MuJoCo would give the model; here memory grows.
    #[getter]
    fn narena(&self, py: Python<'_>) -> PyResult<i64> {
        Ok(self.shared.read_attached(py)?.narena)
    }

    /// Bytes of all arrays, as MuJoCo lays them out.
    #[getter]
    fn nbuffer(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.shared.read_attached(py)?.buffer_bytes())
    }

    /// The model as a binary file of MuJoCo 3.4.0.
    fn to_mjb(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        let bytes = self.shared.read_attached(py)?.to_mjb();
        Ok(PyBytes::new(py, &bytes.map_err(|e| fatal(e.to_string()))?).unbind())
    }

    /// Bytes of that file.
    fn mjb_bytes(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.shared.read_attached(py)?.mjb_bytes())
    }

    #[getter]
    fn _address(&self) -> usize {
        Arc::as_ptr(&self.shared) as usize
    }

    #[classattr]
    fn _size_fields() -> Vec<&'static str> {
        Model::SIZES.iter().copied().chain(["njmax", "nconmax", "nbuffer"]).collect()
    }

    /// The size that counts the rows of each array field.
    #[classattr]
    fn _array_rows() -> HashMap<&'static str, &'static str> {
        Model::ARRAYS.iter().map(|info| (info.name, info.rows)).collect()
    }

    /// The arrays of MuJoCo's model.
    #[classattr]
    fn _array_fields() -> Vec<&'static str> {
        let mujoco = |name: &&str| !ModelArrays::OWN.contains(name);
        Model::ARRAYS.iter().map(|info| info.name).filter(mujoco).collect()
    }

    /// The arrays and options that MuJoCo lacks.
    #[classattr]
    fn _own_fields() -> Vec<&'static str> {
        ModelArrays::OWN.to_vec()
    }
}

/// The error of an attribute that cannot be assigned.
pub fn cannot_set(object: &Bound<'_, PyAny>, field: &str) -> PyErr {
    let class = object.get_type().name().map_or_else(|_| String::new(), |n| n.to_string());
    let known = object.hasattr(field).unwrap_or(false);
    PyAttributeError::new_err(if known {
        format!("attribute '{field}' of '{class}' objects is not writable")
    } else {
        format!("'{class}' object has no attribute '{field}'")
    })
}
