//! Values of spec fields as Python objects.

use corten_model::arrays::{ArrayRef, Columns, ScalarKind};
use corten_model::container::Values;
use corten_model::spec::{self, FieldError, Value};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fields;
use crate::memory::In;

/// The Python object that stands for a value.
pub fn to_python<'py>(py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Int(x) => x.into_pyobject(py)?.into_any(),
        Value::Float(x) => x.into_pyobject(py)?.into_any(),
        Value::Text(x) => x.into_pyobject(py)?.into_any(),
        Value::Ints(v) => fields::owned(py, Values::I32(v)),
        Value::Floats(v) => fields::owned(py, Values::F64(v)),
        Value::Singles(v) => fields::owned(py, Values::F32(v)),
        Value::Bytes(v) => PyBytes::new(py, &v).into_any(),
        Value::Texts(v) => v.into_pyobject(py)?.into_any(),
        Value::IntLists(v) => v.into_pyobject(py)?.into_any(),
        Value::SingleLists(v) => v.into_pyobject(py)?.into_any(),
        Value::Orientation(kind, v) => (kind, v).into_pyobject(py)?.into_any(),
    })
}

/// A value of the same type as `like`, which is the field's present one.
pub fn from_python(object: &Bound<'_, PyAny>, like: &Value) -> PyResult<Value> {
    Ok(match like {
        Value::Text(_) => Value::Text(object.extract()?),
        Value::Int(_) => match object.extract::<i64>() {
            Ok(x) => Value::Int(x),
            Err(_) => Value::Float(object.extract()?),
        },
        Value::Float(_) => Value::Float(object.extract()?),
        Value::Ints(_) => Value::Ints(object.extract::<In<i32>>()?.values),
        Value::Floats(_) => Value::Floats(object.extract::<In<f64>>()?.values),
        Value::Singles(_) => Value::Singles(object.extract::<In<f32>>()?.values),
        Value::Bytes(_) => match object.extract::<Vec<u8>>() {
            Ok(bytes) => Value::Bytes(bytes),
            Err(_) => Value::Bytes(object.extract::<In<u8>>()?.values),
        },
        Value::Texts(_) => match object.extract::<String>() {
            Ok(text) => Value::Texts(text.chars().map(String::from).collect()),
            Err(_) => Value::Texts(object.extract()?),
        },
        Value::IntLists(_) => Value::IntLists(object.extract()?),
        Value::SingleLists(_) => Value::SingleLists(object.extract()?),
        Value::Orientation(..) => {
            let (kind, numbers) = object.extract()?;
            Value::Orientation(kind, numbers)
        }
    })
}

/// The exception of a field that cannot be read or written.
pub fn error(owner: &str, field: &str, why: FieldError) -> PyErr {
    match why {
        FieldError::Unknown => {
            PyAttributeError::new_err(format!("'{owner}' object has no attribute '{field}'"))
        }
        FieldError::Fixed => {
            PyAttributeError::new_err(format!("attribute '{field}' of '{owner}' cannot be set"))
        }
        FieldError::Type(_) => PyTypeError::new_err(format!("{field}: {why}")),
        _ => PyValueError::new_err(format!("{field}: {why}")),
    }
}

/// The value of a field of a record.
pub fn of_record((columns, values): (Columns, ArrayRef<'_>)) -> Value {
    match (columns, values) {
        (Columns::One, ArrayRef::F64(v)) => Value::Float(v[0]),
        (Columns::One, ArrayRef::F32(v)) => Value::Float(f64::from(v[0])),
        (Columns::One, ArrayRef::I32(v)) => Value::Int(i64::from(v[0])),
        (Columns::One, ArrayRef::U8(v)) => Value::Int(i64::from(v[0])),
        (_, ArrayRef::F64(v)) => Value::Floats(v.to_vec()),
        (_, ArrayRef::F32(v)) => Value::Singles(v.to_vec()),
        (_, ArrayRef::I32(v)) => Value::Ints(v.to_vec()),
        (_, ArrayRef::U8(v)) => Value::Bytes(v.to_vec()),
    }
}

/// Writes a value as scalars of the type of a record's field.
pub fn to_record(
    kind: ScalarKind,
    value: &Value,
    set: impl FnOnce(ArrayRef<'_>) -> Result<(), FieldError>,
) -> Result<(), FieldError> {
    match (kind, value) {
        (ScalarKind::F64, Value::Float(x)) => set(ArrayRef::F64(&[*x])),
        (ScalarKind::F64, Value::Floats(v)) => set(ArrayRef::F64(v)),
        (ScalarKind::F32, Value::Float(x)) => set(ArrayRef::F32(&[*x as f32])),
        (ScalarKind::F32, Value::Singles(v)) => set(ArrayRef::F32(v)),
        (ScalarKind::I32, Value::Int(_) | Value::Float(_)) => {
            set(ArrayRef::I32(&[spec::narrow(value.clone())?]))
        }
        (ScalarKind::I32, Value::Ints(v)) => set(ArrayRef::I32(v)),
        (ScalarKind::U8, Value::Int(x)) => set(ArrayRef::U8(&[*x as u8])),
        _ => Err(FieldError::Type("numbers")),
    }
}
