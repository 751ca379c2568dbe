//! Array arguments of functions.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// An array argument that is only read: anything that converts to an array of `T`, copied.
pub struct In<T = f64> {
    pub shape: Vec<usize>,
    pub values: Vec<T>,
}

/// An array argument that results are written to: a writable array of exactly this type.
pub struct Out<'py, T: Element = f64> {
    array: Bound<'py, PyArrayDyn<T>>,
}

impl<'a, 'py, T: Element + Copy> FromPyObject<'a, 'py> for In<T> {
    type Error = PyErr;

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<In<T>> {
        let array = match obj.cast::<PyArrayDyn<T>>() {
            Ok(array) => array.to_owned(),
            Err(_) => converted(&obj)?,
        };
        let shape = array.shape().to_vec();
        Ok(In { shape, values: copied(&array)? })
    }
}

/// An array-like as a contiguous, aligned array of `T`.
fn converted<'py, T: Element>(obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = obj.py();
    let options = [
        ("dtype", numpy::dtype::<T>(py).into_any()),
        ("requirements", "CA".into_pyobject(py)?.into_any()),
    ];
    let array =
        py.import("numpy")?.call_method("require", (obj,), Some(&options.into_py_dict(py)?))?;
    Ok(array.cast_into()?)
}

/// The elements of an array in row-major order.
fn copied<T: Element + Copy>(array: &Bound<'_, PyArrayDyn<T>>) -> PyResult<Vec<T>> {
    if array.is_c_contiguous() && is_aligned(array) {
        // SAFETY: contiguous and aligned, alive for the copy; no Python code runs meanwhile.
        return Ok(unsafe { array.as_slice()? }.to_vec());
    }
    let tidy = converted::<T>(array.as_any())?;
    // SAFETY: as above.
    Ok(unsafe { tidy.as_slice()? }.to_vec())
}

fn flags<T>(array: &Bound<'_, PyArrayDyn<T>>) -> i32 {
    // SAFETY: a valid array object.
    unsafe { (*array.as_array_ptr()).fields.flags }
}

fn is_aligned<T>(array: &Bound<'_, PyArrayDyn<T>>) -> bool {
    flags(array) & numpy::npyffi::NPY_ARRAY_ALIGNED != 0
}

impl<'a, 'py, T: Element + Copy> FromPyObject<'a, 'py> for Out<'py, T> {
    type Error = PyErr;

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Out<'py, T>> {
        let Ok(array) = obj.cast::<PyArrayDyn<T>>() else {
            let found = match obj.cast::<PyUntypedArray>() {
                Ok(array) => format!("an array of {}", array.dtype().str()?),
                Err(_) => obj.get_type().name()?.to_string(),
            };
            let wanted = numpy::dtype::<T>(obj.py());
            return Err(PyTypeError::new_err(format!(
                "expected a writable NumPy array of {wanted}, found {found}"
            )));
        };
        if flags(&array) & numpy::npyffi::NPY_ARRAY_WRITEABLE == 0 {
            return Err(PyTypeError::new_err("expected a writable NumPy array, it is read-only"));
        }
        if !array.is_c_contiguous() || !is_aligned(&array) {
            return Err(PyTypeError::new_err("expected a C-contiguous, aligned NumPy array"));
        }
        Ok(Out { array: array.to_owned() })
    }
}

impl<T: Element + Copy> Out<'_, T> {
    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    pub fn len(&self) -> usize {
        self.array.len()
    }

    pub fn to_vec(&self) -> Vec<T> {
        // SAFETY: contiguous and aligned as checked on extraction; alive for the copy; no Python
        // code runs meanwhile.
        unsafe { self.array.as_slice() }.map(<[T]>::to_vec).unwrap_or_default()
    }

    /// Writes the leading elements, in row-major order.
    pub fn write(&self, values: &[T]) {
        // SAFETY: as above, and writable; no other reference into it exists while this code runs.
        if let Ok(slice) = unsafe { self.array.as_slice_mut() } {
            let n = values.len().min(slice.len());
            slice[..n].copy_from_slice(&values[..n]);
        }
    }
}
