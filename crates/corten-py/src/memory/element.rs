//! Small structs as Python objects: contacts and statistics, in the memory of a simulation or of their own.

use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::{Scalar, borrowed};
use crate::fields;

/// One struct inside of an array of bytes.
#[pyclass(name = "StructBase", module = "corten._corten", frozen, subclass)]
pub struct PyStruct {
    /// Keeps the memory.
    bytes: Py<PyArray1<u8>>,
    start: usize,
    size: usize,
}

impl PyStruct {
    /// Where `count` scalars are.
    fn place(
        &self,
        py: Python<'_>,
        offset: usize,
        kind: Scalar,
        count: usize,
    ) -> PyResult<*mut u8> {
        let bytes = self.bytes.bind(py);
        let end = offset + kind.bytes() * count;
        if end > self.size || self.start + self.size > bytes.len() || !bytes.is_c_contiguous() {
            return Err(PyValueError::new_err("the memory of a struct has changed its shape"));
        }
        // SAFETY: within the bytes of the array.
        Ok(unsafe { bytes.data().add(self.start + offset) })
    }
}

#[pymethods]
impl PyStruct {
    /// The struct of `size` bytes from `start` on.
    #[new]
    fn new(bytes: &Bound<'_, PyArray1<u8>>, start: usize, size: usize) -> PyResult<PyStruct> {
        let found = PyStruct { bytes: bytes.clone().unbind(), start, size };
        let end = start.checked_add(size).filter(|&end| end <= bytes.len());
        let aligned = (bytes.data() as usize + start).is_multiple_of(align_of::<f64>());
        match end {
            Some(_) if aligned && bytes.is_c_contiguous() => Ok(found),
            _ => Err(PyValueError::new_err("a struct lies within contiguous, aligned bytes")),
        }
    }

    /// The bytes that the struct takes: a view.
    #[getter]
    fn _bytes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let start = this.place(py, 0, Scalar::U8, this.size)?;
        // SAFETY: `place` found so many bytes in the array, which the view keeps.
        Ok(unsafe { borrowed::<u8>(start, &[this.size], this.bytes.bind(py).as_any()) })
    }
}

/// A field of a struct: a number, or a vector of them.
#[pyclass(frozen, module = "corten._corten")]
pub struct StructField {
    #[pyo3(get)]
    __name__: String,
    kind: Scalar,
    /// Zero for a number.
    count: usize,
    offset: usize,
}

#[pymethods]
impl StructField {
    /// A field at an offset, of the NumPy types f8, i4 or u1.
    #[new]
    fn new(name: String, kind: &str, count: usize, offset: usize) -> PyResult<StructField> {
        let kind = match kind {
            "f8" => Scalar::F64,
            "i4" => Scalar::I32,
            "u1" => Scalar::U8,
            _ => return Err(PyValueError::new_err(format!("no type '{kind}'"))),
        };
        Ok(StructField { __name__: name, kind, count, offset })
    }

    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: Option<&Bound<'py, PyStruct>>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(object) = object else { return Ok(slf.clone().into_any()) };
        let (py, this, held) = (slf.py(), slf.get(), object.get());
        let place = held.place(py, this.offset, this.kind, this.count.max(1))?;
        let (owner, shape) = (held.bytes.bind(py).as_any(), [this.count]);
        // SAFETY: `place` found the scalars in the array, which views keep; their bits are valid values.
        Ok(unsafe {
            match (this.kind, this.count) {
                (Scalar::F64, 0) => {
                    place.cast::<f64>().read_unaligned().into_pyobject(py)?.into_any()
                }
                (Scalar::I32, 0) => {
                    place.cast::<i32>().read_unaligned().into_pyobject(py)?.into_any()
                }
                (_, 0) => place.read().into_pyobject(py)?.into_any(),
                (Scalar::F64, _) => borrowed::<f64>(place.cast(), &shape, owner),
                (Scalar::I32, _) => borrowed::<i32>(place.cast(), &shape, owner),
                _ => borrowed::<u8>(place, &shape, owner),
            }
        })
    }

    fn __set__(
        slf: &Bound<'_, Self>,
        object: &Bound<'_, PyStruct>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let this = slf.get();
        if this.count > 0 {
            return fields::assign(&Self::__get__(slf, Some(object), None)?, value);
        }
        let place = |kind| object.get().place(slf.py(), this.offset, kind, 1);
        match this.kind {
            Scalar::F64 => {
                let value: f64 = value.extract()?;
                // SAFETY: as above.
                unsafe { place(this.kind)?.cast::<f64>().write_unaligned(value) }
            }
            Scalar::I32 => {
                let value: i32 = value.extract()?;
                // SAFETY: as above.
                unsafe { place(this.kind)?.cast::<i32>().write_unaligned(value) }
            }
            kind => {
                let value: u8 = value.extract()?;
                // SAFETY: as above.
                unsafe { place(kind)?.write(value) }
            }
        }
        Ok(())
    }
}
