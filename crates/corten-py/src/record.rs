//! Options, statistics and viewing parameters: groups of scalars and small vectors.

use std::sync::Arc;

use corten_model::arrays::{ArrayRef, Columns, ScalarKind};
use corten_model::spec::FieldError;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::fields;
use crate::memory::{Place, Scalar, Settings, Values};
use crate::model::{PyModel, cannot_set};

/// Declares the records of a model with the paths under which they are found.
macro_rules! sections {
    ($($name:literal => $($path:ident).+;)*) => {
        const SECTIONS: &[&str] = &[$($name),*];

        fn field<'a>(m: &'a Values, section: &str, name: &str) -> Option<(Columns, ArrayRef<'a>)> {
            match section {
                $($name => m.$($path).+.field(name),)*
                _ => None,
            }
        }

        fn set_field(
            m: &mut Values,
            section: &str,
            name: &str,
            values: ArrayRef<'_>,
        ) -> Result<(), FieldError> {
            match section {
                $($name => m.$($path).+.set_field(name, values),)*
                _ => Err(FieldError::Unknown),
            }
        }

        fn copy(to: &mut Values, from: &Values, section: &str) {
            match section {
                $($name => to.$($path).+ = from.$($path).+.clone(),)*
                _ => {}
            }
        }

        fn names(m: &Values, section: &str) -> &'static [&'static str] {
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

/// The value of a field that is no vector.
enum Number {
    Real(f64),
    Whole(i32),
}

/// A record of a model, or one of its own.
///
/// Scalars are attributes; vectors are writable NumPy views. The model takes over what was written
/// when it is used next.
#[pyclass(name = "RecordBase", module = "corten._corten", frozen, subclass, dict)]
pub struct PyRecord {
    settings: Arc<Settings>,
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
        let settings =
            model.map_or_else(|| Settings::new(Values::default()), |m| m.settings().clone());
        Ok(PyRecord { settings, section })
    }

    /// Takes over all values of another record of the same section.
    fn assign(&self, py: Python<'_>, other: &PyRecord) -> PyResult<()> {
        if self.section != other.section {
            return Err(PyValueError::new_err("the records are of different kinds"));
        }
        let values = other.settings.read(py, Values::clone);
        self.settings.write(py, self.section, |own| copy(own, &values, self.section));
        Ok(())
    }

    #[getter]
    fn _fields(&self, py: Python<'_>) -> Vec<&'static str> {
        self.settings.read(py, |values| names(values, self.section).to_vec())
    }

    fn __getattr__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let wanted = name.to_cow()?;
        // Copied, since making a Python object may run Python code.
        let found = this.settings.read(py, |values| {
            field(values, this.section, &wanted).map(|(columns, values)| match values {
                _ if columns != Columns::One => None,
                ArrayRef::F64(v) => Some(Number::Real(v[0])),
                ArrayRef::F32(v) => Some(Number::Real(v[0].into())),
                ArrayRef::I32(v) => Some(Number::Whole(v[0])),
                ArrayRef::U8(v) => Some(Number::Whole(v[0].into())),
            })
        });
        let Some(number) = found else {
            let class = slf.get_type().name()?;
            let message = format!("'{class}' object has no attribute '{wanted}'");
            return Err(PyAttributeError::new_err(message));
        };
        match number {
            Some(Number::Real(x)) => return Ok(x.into_pyobject(py)?.into_any()),
            Some(Number::Whole(n)) => return Ok(n.into_pyobject(py)?.into_any()),
            None => {}
        }
        let view =
            this.settings.view(py, this.section, |m| match field(m, this.section, &wanted) {
                Some((_, ArrayRef::F64(v))) => Place::inside(m, v, Scalar::F64),
                Some((_, ArrayRef::F32(v))) => Place::inside(m, v, Scalar::F32),
                Some((_, ArrayRef::I32(v))) => Place::inside(m, v, Scalar::I32),
                Some((_, ArrayRef::U8(v))) => Place::inside(m, v, Scalar::U8),
                None => Place::inside::<f64>(m, &[], Scalar::F64),
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
        let kind = this.settings.read(py, |values| {
            field(values, this.section, &wanted).map(|(columns, values)| (columns, values.kind()))
        });
        let Some((columns, kind)) = kind else { return Err(cannot_set(slf.as_any(), &wanted)) };
        if columns != Columns::One {
            return fields::assign(&slf.getattr(name)?, value);
        }
        let set = |values: ArrayRef<'_>| {
            let section = this.section;
            this.settings.write(py, section, |own| set_field(own, section, &wanted, values))
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
        let listed =
            py.import("builtins")?.call_method1("dir", (&class,))?.cast_into::<PyList>()?;
        for name in slf.get()._fields(py) {
            if !class.hasattr(name)? {
                listed.append(name)?;
            }
        }
        listed.sort()?;
        Ok(listed)
    }
}

/// A field, as an attribute of a record's class: what is found there is not searched in vain before.
#[pyclass(frozen, module = "corten._corten")]
pub struct RecordField(Py<PyString>);

#[pymethods]
impl RecordField {
    #[new]
    fn new(name: Py<PyString>) -> RecordField {
        RecordField(name)
    }

    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: Option<&Bound<'py, PyRecord>>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match object {
            Some(record) => PyRecord::__getattr__(record, slf.get().0.bind(slf.py())),
            None => Ok(slf.clone().into_any()),
        }
    }
}
