//! Fields of models and simulations as attributes of their classes: `MjModel.nq`, `dir(MjModel)`.
//!
//! Views of arrays that stay where they are, and what never changes, are made once and kept with
//! the object's content: each access gives the same Python object.

use std::sync::OnceLock;

use corten_model::arrays::ArrayRef;
use corten_sim::{Data, Model};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::converted::CONVERTED;
use crate::data::{Filled, INLINE, PyData};
use crate::fields;
use crate::memory::is_lending;
use crate::model::PyModel;

/// Python objects that have been handed out once, by the number of their field.
pub struct Handed(Box<[OnceLock<Py<PyAny>>]>);

impl Handed {
    pub fn new(count: usize) -> Handed {
        Handed((0..count).map(|_| OnceLock::new()).collect())
    }

    /// The object, if it has been handed out.
    #[inline]
    fn get<'py>(&self, py: Python<'py>, slot: usize) -> Option<Bound<'py, PyAny>> {
        self.0[slot].get().map(|object| object.bind(py).clone())
    }

    /// Keeps an object, unless there is one by now.
    fn keep<'py>(
        &self,
        py: Python<'py>,
        slot: usize,
        object: Bound<'py, PyAny>,
    ) -> Bound<'py, PyAny> {
        self.0[slot].get_or_init(|| object.unbind()).bind(py).clone()
    }
}

/// Fields of models that MuJoCo's Python package presents as text.
const TEXT: [&str; 3] = ["names", "paths", "text_data"];

/// Number of fields that [`Handed`] objects of a model belong to.
pub const MODEL_FIELDS: usize = Model::SIZES.len() + Model::ARRAYS.len();

/// A size or an array of models: first come the sizes.
#[pyclass(frozen, module = "corten._corten")]
pub struct ModelField {
    slot: usize,
}

impl ModelField {
    fn field(&self) -> &'static str {
        match self.array() {
            Some(index) => Model::ARRAYS[index].name,
            None => Model::SIZES[self.slot],
        }
    }

    fn array(&self) -> Option<usize> {
        self.slot.checked_sub(Model::SIZES.len())
    }

    #[cold]
    fn make<'py>(&self, py: Python<'py>, m: &PyModel) -> PyResult<Bound<'py, PyAny>> {
        let Some(index) = self.array() else {
            let size = m.shared().read_attached(py)?.size(self.field()).unwrap_or(0);
            return Ok(size.into_pyobject(py)?.into_any());
        };
        if !TEXT.contains(&self.field()) {
            return m.view(py, index);
        }
        let held = m.shared().read_attached(py)?;
        match held.array(index) {
            Some(ArrayRef::U8(text)) => Ok(PyBytes::new(py, text).into_any()),
            _ => Err(PyAttributeError::new_err("text expected")),
        }
    }
}

#[pymethods]
impl ModelField {
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: Option<&Bound<'py, PyModel>>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(object) = object else { return Ok(slf.clone().into_any()) };
        let (py, this, m) = (slf.py(), slf.get(), object.get());
        match m.handed.get(py, this.slot) {
            Some(known) => Ok(known),
            None => Ok(m.handed.keep(py, this.slot, this.make(py, m)?)),
        }
    }

    fn __set__(
        slf: &Bound<'_, Self>,
        object: &Bound<'_, PyModel>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let field = slf.get().field();
        if slf.get().array().is_none() || TEXT.contains(&field) {
            return Err(not_writable(object.as_any(), field));
        }
        fields::assign(&Self::__get__(slf, Some(object), None)?, value)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.field()
    }

    fn __repr__(&self) -> String {
        format!("<field '{}' of models>", self.field())
    }
}

/// What an attribute of simulations shows.
#[derive(Clone, Copy)]
enum Shows {
    /// An array whose length follows from the model.
    Fixed(usize),
    /// An array that grows with the scene.
    Growing(usize),
    /// A small array of a fixed length.
    Inline(&'static str),
    /// An array that the engine stores in another form.
    Converted(&'static str),
    Size(&'static str),
}

/// Number of fields that [`Handed`] objects of a simulation belong to.
pub const DATA_FIELDS: usize = Data::FIXED_ARRAYS + INLINE.len() + CONVERTED.len();

/// A field of simulations.
#[pyclass(frozen, module = "corten._corten")]
pub struct DataField {
    shows: Shows,
    slot: usize,
}

impl DataField {
    fn field(&self) -> &'static str {
        match self.shows {
            Shows::Fixed(index) | Shows::Growing(index) => Data::ARRAYS[index].name,
            Shows::Inline(name) | Shows::Converted(name) | Shows::Size(name) => name,
        }
    }

    /// What has no object of its own.
    fn read<'py>(&self, py: Python<'py>, d: &PyData) -> PyResult<Bound<'py, PyAny>> {
        match self.shows {
            Shows::Fixed(index) | Shows::Growing(index) => d.shown_array(py, index),
            Shows::Inline(name) => d.inline_view(py, name),
            Shows::Converted(name) => d.shown.view(py, name, d.model.get().shared(), &d.data),
            Shows::Size(name) => {
                if let Some(part) = Filled::of(name) {
                    d.materialize(py, part)?;
                }
                let size = d.data.read_attached(py)?.size(name).unwrap_or(0);
                Ok(size.into_pyobject(py)?.into_any())
            }
        }
    }

    #[cold]
    fn make<'py>(&self, py: Python<'py>, d: &PyData) -> PyResult<Bound<'py, PyAny>> {
        let view = self.read(py, d)?;
        // In the middle of a stage an array may be elsewhere for a moment.
        Ok(if is_lending() { view } else { d.handed.keep(py, self.slot, view) })
    }
}

#[pymethods]
impl DataField {
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: Option<&Bound<'py, PyData>>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(object) = object else { return Ok(slf.clone().into_any()) };
        let (py, this, d) = (slf.py(), slf.get(), object.get());
        match this.shows {
            Shows::Growing(_) | Shows::Size(_) => this.read(py, d),
            Shows::Fixed(_) | Shows::Inline(_) | Shows::Converted(_) => {
                match d.handed.get(py, this.slot) {
                    Some(known) => Ok(known),
                    None => this.make(py, d),
                }
            }
        }
    }

    fn __set__(
        slf: &Bound<'_, Self>,
        object: &Bound<'_, PyData>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        match slf.get().shows {
            Shows::Size(name) => Err(not_writable(object.as_any(), name)),
            _ => fields::assign(&Self::__get__(slf, Some(object), None)?, value),
        }
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.field()
    }

    fn __repr__(&self) -> String {
        format!("<field '{}' of simulations>", self.field())
    }
}

fn not_writable(object: &Bound<'_, PyAny>, field: &str) -> PyErr {
    let class = object.get_type().name().map_or_else(|_| String::new(), |n| n.to_string());
    let message = format!("attribute '{field}' of '{class}' objects is not writable");
    PyAttributeError::new_err(message)
}

/// Gives the classes of models and simulations their fields.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = py.get_type::<PyModel>();
    for slot in 0..MODEL_FIELDS {
        let field = ModelField { slot };
        class.setattr(field.field(), Bound::new(py, field)?)?;
    }
    let class = py.get_type::<PyData>();
    let converted = |name: &str| CONVERTED.contains(&name);
    let arrays = (0..Data::ARRAYS.len()).filter(|&index| !converted(Data::ARRAYS[index].name));
    let arrays = arrays.map(|index| match index < Data::FIXED_ARRAYS {
        true => (Shows::Fixed(index), index),
        false => (Shows::Growing(index), 0),
    });
    let inline = INLINE.iter().enumerate();
    let inline = inline.map(|(i, name)| (Shows::Inline(name), Data::FIXED_ARRAYS + i));
    let behind = Data::FIXED_ARRAYS + INLINE.len();
    let converted = CONVERTED.iter().enumerate();
    let converted = converted.map(|(i, name)| (Shows::Converted(name), behind + i));
    let sizes = Data::SIZES.iter().map(|name| (Shows::Size(name), 0));
    for (shows, slot) in arrays.chain(inline).chain(converted).chain(sizes) {
        let field = DataField { shows, slot };
        class.setattr(field.field(), Bound::new(py, field)?)?;
    }
    Ok(())
}
