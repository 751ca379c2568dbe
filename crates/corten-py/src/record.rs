//! Options, statistics and viewing parameters: groups of scalars and small vectors.

use std::sync::Arc;

use corten_model::arrays::{ArrayRef, Columns, ScalarKind};
use corten_model::spec::FieldError;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::fields;
use crate::memory::{Place, Scalar, Shared};
use crate::model::{PyModel, cannot_set};
use corten_sim::Model;

/// Declares the records of a model with the paths under which they are found.
macro_rules! sections {
    ($($name:literal => $($path:ident).+;)*) => {
        const SECTIONS: &[&str] = &[$($name),*];

        fn field<'a>(m: &'a Model, section: &str, name: &str) -> Option<(Columns, ArrayRef<'a>)> {
            match section {
                $($name => m.$($path).+.field(name),)*
                _ => None,
            }
        }

        fn set_field(
            m: &mut Model,
            section: &str,
            name: &str,
            values: ArrayRef<'_>,
        ) -> Result<(), FieldError> {
            match section {
                $($name => m.$($path).+.set_field(name, values),)*
                _ => Err(FieldError::Unknown),
            }
        }

        fn copy(to: &mut Model, from: &Model, section: &str) {
            match section {
                $($name => to.$($path).+ = from.$($path).+.clone(),)*
                _ => {}
            }
        }

        fn names(m: &Model, section: &str) -> &'static [&'static str] {
            fn of<R: Named>(_: &R) -> &'static [&'static str] {
                R::FIELDS
            }
            match section {
                $($name => of(&m.$($path).+),)*
                _ => &[],
            }
        }
    };
}

sections! {
    "opt" => opt;
    "stat" => stat;
    "vis.global" => vis.global;
    "vis.quality" => vis.quality;
    "vis.headlight" => vis.headlight;
    "vis.map" => vis.map;
    "vis.scale" => vis.scale;
    "vis.rgba" => vis.rgba;
}

trait Named {
    const FIELDS: &'static [&'static str];
}

macro_rules! named {
    ($($record:ty),*) => {$(
        impl Named for $record {
            const FIELDS: &'static [&'static str] = <$record>::FIELDS;
        }
    )*};
}

named!(
    corten_model::Options,
    corten_model::Statistic,
    corten_model::VisualGlobal,
    corten_model::VisualQuality,
    corten_model::VisualHeadlight,
    corten_model::VisualMap,
    corten_model::VisualScale,
    corten_model::VisualRgba
);

/// A record of a model, or one of its own.
///
/// Scalars are attributes; vectors are writable NumPy views. A record that belongs to no model
/// lives in an otherwise empty one.
#[pyclass(name = "RecordBase", module = "corten._corten", frozen, subclass, dict)]
pub struct PyRecord {
    model: Arc<Shared<Model>>,
    section: &'static str,
}

#[pymethods]
impl PyRecord {
    #[new]
    #[pyo3(signature = (section, model=None))]
    fn new(section: &str, model: Option<&PyModel>) -> PyResult<PyRecord> {
        let section = SECTIONS
            .iter()
            .find(|s| **s == section)
            .ok_or_else(|| PyValueError::new_err(format!("no section '{section}'")))?;
        let model = model.map_or_else(|| Shared::new(Model::default()), |m| m.model.clone());
        Ok(PyRecord { model, section })
    }

    /// Takes over all values of another record of the same section.
    fn assign(&self, py: Python<'_>, other: &PyRecord) -> PyResult<()> {
        if self.section != other.section {
            return Err(PyValueError::new_err("the records are of different kinds"));
        }
        let mut values = Model::default();
        copy(&mut values, &other.model.read_attached(py), self.section);
        copy(&mut self.model.write_attached(py), &values, self.section);
        Ok(())
    }

    #[getter]
    fn _fields(&self, py: Python<'_>) -> Vec<&'static str> {
        names(&self.model.read_attached(py), self.section).to_vec()
    }

    fn __getattr__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let wanted = name.to_cow()?;
        let m = this.model.read_attached(py);
        let Some((columns, values)) = field(&m, this.section, &wanted) else {
            drop(m);
            let class = slf.get_type().name()?;
            let message = format!("'{class}' object has no attribute '{wanted}'");
            return Err(PyAttributeError::new_err(message));
        };
        if columns == Columns::One {
            return Ok(match values {
                ArrayRef::F64(v) => v[0].into_pyobject(py)?.into_any(),
                ArrayRef::F32(v) => v[0].into_pyobject(py)?.into_any(),
                ArrayRef::I32(v) => v[0].into_pyobject(py)?.into_any(),
                ArrayRef::U8(v) => v[0].into_pyobject(py)?.into_any(),
            });
        }
        drop(m);
        let view = this.model.field(py, |m| match field(m, this.section, &wanted) {
            Some((_, ArrayRef::F64(v))) => Place::inside(m, v, Scalar::F64),
            Some((_, ArrayRef::F32(v))) => Place::inside(m, v, Scalar::F32),
            Some((_, ArrayRef::I32(v))) => Place::inside(m, v, Scalar::I32),
            Some((_, ArrayRef::U8(v))) => Place::inside(m, v, Scalar::U8),
            None => Place::inside::<_, f64>(m, &[], Scalar::F64),
        })?;
        fields::attributes(slf.as_any())?.set_item(name, &view)?;
        Ok(view)
    }

    fn __setattr__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (py, this) = (slf.py(), slf.get());
        let wanted = name.to_cow()?;
        let kind = field(&this.model.read_attached(py), this.section, &wanted)
            .map(|(columns, values)| (columns, values.kind()));
        let Some((columns, kind)) = kind else { return Err(cannot_set(slf.as_any(), &wanted)) };
        if columns != Columns::One {
            return fields::assign(&slf.getattr(name)?, value);
        }
        let set = |values: ArrayRef<'_>| {
            set_field(&mut this.model.write_attached(py), this.section, &wanted, values)
        };
        match kind {
            ScalarKind::F64 => set(ArrayRef::F64(&[value.extract::<f64>()?])),
            ScalarKind::F32 => set(ArrayRef::F32(&[value.extract::<f64>()? as f32])),
            ScalarKind::I32 => set(ArrayRef::I32(&[value.extract::<i32>()?])),
            ScalarKind::U8 => set(ArrayRef::U8(&[value.extract::<i32>()? as u8])),
        }
        .map_err(|why| PyValueError::new_err(format!("{wanted}: {why}")))
    }

    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let class = slf.get_type();
        let listed = py.import("builtins")?.call_method1("dir", (class,))?.cast_into::<PyList>()?;
        for name in slf.get()._fields(py) {
            listed.append(name)?;
        }
        listed.sort()?;
        Ok(listed)
    }
}
