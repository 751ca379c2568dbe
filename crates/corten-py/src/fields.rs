//! Array fields of models and simulations: scalar types, shapes, copies, assignment.

use corten_model::arrays::{ArrayInfo, ArrayRef, Columns, ScalarKind};
use corten_model::container::Values;
use numpy::PyArray;
use pyo3::intern;
use pyo3::prelude::*;

use crate::memory::{In, Scalar};
use corten_sim::Model;

/// The scalar type of a field's view, as MuJoCo's Python package has it.
pub fn scalar(info: &ArrayInfo) -> Scalar {
    match info.scalar {
        ScalarKind::F64 => Scalar::F64,
        ScalarKind::F32 => Scalar::F32,
        ScalarKind::I32 => Scalar::I32,
        // Text rather than a flag.
        ScalarKind::U8 if info.name == "plugin_attr" => Scalar::I8,
        ScalarKind::U8 => Scalar::U8,
    }
}

/// The shape of a field with this many rows.
pub fn shape(m: &Model, info: &ArrayInfo, rows: usize) -> Vec<usize> {
    match info.columns {
        Columns::One => vec![rows],
        Columns::Fixed(n) => vec![rows, n],
        Columns::Sized(size, factor) => vec![rows, m.size(size).unwrap_or(0) * factor],
    }
}

/// A copy of the first `count` scalars, zero beyond those that there are.
pub fn copied(values: ArrayRef<'_>, count: usize) -> Values {
    fn padded<T: Copy + Default>(values: &[T], count: usize) -> Vec<T> {
        let mut copy = values[..count.min(values.len())].to_vec();
        copy.resize(count, T::default());
        copy
    }
    match values {
        ArrayRef::F64(v) => Values::F64(padded(v, count)),
        ArrayRef::F32(v) => Values::F32(padded(v, count)),
        ArrayRef::I32(v) => Values::I32(padded(v, count)),
        ArrayRef::U8(v) => Values::U8(padded(v, count)),
    }
}

/// A writable array of its own.
pub fn owned<'py>(py: Python<'py>, values: Values) -> Bound<'py, PyAny> {
    match values {
        Values::F64(v) => PyArray::from_vec(py, v).into_any(),
        Values::F32(v) => PyArray::from_vec(py, v).into_any(),
        Values::I32(v) => PyArray::from_vec(py, v).into_any(),
        Values::U8(v) => PyArray::from_vec(py, v).into_any(),
    }
}

/// The values of a Python array as scalars of this kind.
pub fn values(array: &Bound<'_, PyAny>, kind: ScalarKind) -> PyResult<Values> {
    Ok(match kind {
        ScalarKind::F64 => Values::F64(array.extract::<In<f64>>()?.values),
        ScalarKind::F32 => Values::F32(array.extract::<In<f32>>()?.values),
        ScalarKind::I32 => Values::I32(array.extract::<In<i32>>()?.values),
        ScalarKind::U8 => Values::U8(array.extract::<In<u8>>()?.values),
    })
}

/// `view[...] = value`, with NumPy's broadcasting and conversion.
pub fn assign(view: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    view.set_item(view.py().Ellipsis(), value)
}

/// The attributes of `object`'s own dictionary: where views are kept once made.
pub fn attributes<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    object.getattr(intern!(object.py(), "__dict__"))
}
