//! Array arguments with MuJoCo's conventions: vectors and matrices that are read or written.
//!
//! Whatever is read converts from any array-like; whatever is written must be a writable NumPy
//! array of the right type and size. A wrong size is a `TypeError`, as in MuJoCo.

use corten_math::{Mat3, Quat, Vec3};
use numpy::Element;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;

use crate::memory::{In, Out};

/// Text, as `str` or as `bytes`.
pub enum Text {
    Str(PyBackedStr),
    Bytes(String),
}

impl std::ops::Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        match self {
            Text::Str(text) => text,
            Text::Bytes(text) => text,
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;
    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match obj.cast::<PyBytes>() {
            Ok(bytes) => match std::str::from_utf8(bytes.as_bytes()) {
                Ok(text) => Ok(Text::Bytes(text.to_owned())),
                Err(error) => Err(PyValueError::new_err(format!("text must be UTF-8: {error}"))),
            },
            Err(_) => Ok(Text::Str(obj.extract()?)),
        }
    }
}

/// A vector of fixed size that is read.
pub struct Vector<const N: usize>(pub [f64; N]);

/// A vector of fixed size that is written.
pub struct VectorOut<'py, const N: usize>(Out<'py>);

/// A matrix that is read; one dimension means a single column.
pub struct Matrix {
    pub rows: usize,
    pub cols: usize,
    pub values: Vec<f64>,
}

/// A row-major matrix that is written.
pub struct MatrixOut<'py> {
    pub rows: usize,
    pub cols: usize,
    array: Out<'py>,
}

/// A vector of any size that is read.
pub struct List<T: Element + Copy = f64>(pub Vec<T>);

/// A vector of any size that is written.
pub struct ListOut<'py, T: Element + Copy = f64>(Out<'py, T>);

pub fn type_error(message: impl Into<String>) -> PyErr {
    PyTypeError::new_err(message.into())
}

/// Whether a shape is that of a vector: one dimension, or two of which one is 1.
fn is_vector(shape: &[usize]) -> bool {
    match shape {
        [_] => true,
        [rows, cols] => *rows == 1 || *cols == 1,
        _ => false,
    }
}

fn check_vector(shape: &[usize], wanted: Option<usize>) -> PyResult<()> {
    let count: usize = shape.iter().product();
    if is_vector(shape) && wanted.is_none_or(|n| n == count) {
        return Ok(());
    }
    Err(type_error(match wanted {
        Some(n) => format!("expected a vector of {n} numbers, found shape {shape:?}"),
        None => format!("expected a vector, found shape {shape:?}"),
    }))
}

fn matrix_shape(shape: &[usize]) -> PyResult<(usize, usize)> {
    match shape {
        [rows] => Ok((*rows, 1)),
        [rows, cols] => Ok((*rows, *cols)),
        _ => Err(type_error(format!("expected a matrix, found shape {shape:?}"))),
    }
}

impl<'a, 'py, const N: usize> FromPyObject<'a, 'py> for Vector<N> {
    type Error = PyErr;
    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let given: In = obj.extract()?;
        check_vector(&given.shape, Some(N))?;
        Ok(Vector(std::array::from_fn(|i| given.values[i])))
    }
}

impl Vector<3> {
    pub fn vec3(&self) -> Vec3 {
        Vec3(self.0)
    }
}

impl Vector<4> {
    pub fn quat(&self) -> Quat {
        Quat(self.0)
    }
}

impl Vector<9> {
    pub fn mat3(&self) -> Mat3 {
        Mat3(self.0)
    }
}

impl<'a, 'py, const N: usize> FromPyObject<'a, 'py> for VectorOut<'py, N> {
    type Error = PyErr;
    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array: Out<'py> = obj.extract()?;
        check_vector(array.shape(), Some(N))?;
        Ok(VectorOut(array))
    }
}

impl<const N: usize> VectorOut<'_, N> {
    pub fn get(&self) -> [f64; N] {
        let values = self.0.to_vec();
        std::array::from_fn(|i| values[i])
    }

    pub fn set(&self, values: [f64; N]) {
        self.0.write(&values);
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Matrix {
    type Error = PyErr;
    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let given: In = obj.extract()?;
        let (rows, cols) = matrix_shape(&given.shape)?;
        Ok(Matrix { rows, cols, values: given.values })
    }
}

impl Matrix {
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for MatrixOut<'py> {
    type Error = PyErr;
    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array: Out<'py> = obj.extract()?;
        let (rows, cols) = matrix_shape(array.shape())?;
        Ok(MatrixOut { rows, cols, array })
    }
}

impl MatrixOut<'_> {
    pub fn get(&self) -> Vec<f64> {
        self.array.to_vec()
    }

    pub fn set(&self, values: &[f64]) {
        self.array.write(values);
    }

    /// Checks the shape.
    pub fn expect(&self, name: &str, rows: usize, cols: usize) -> PyResult<()> {
        // One dimension is accepted where the number of elements leaves no doubt.
        let flat = self.array.shape().len() == 1 && self.rows == rows * cols;
        if flat || (self.rows, self.cols) == (rows, cols) {
            return Ok(());
        }
        let found = self.array.shape();
        Err(type_error(format!("{name} must have shape ({rows}, {cols}), found {found:?}")))
    }
}

impl<'a, 'py, T: Element + Copy> FromPyObject<'a, 'py> for List<T> {
    type Error = PyErr;
    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let given: In<T> = obj.extract()?;
        check_vector(&given.shape, None)?;
        Ok(List(given.values))
    }
}

impl<T: Element + Copy> List<T> {
    /// Checks the size.
    pub fn expect(&self, name: &str, size: usize) -> PyResult<()> {
        expect_size(name, self.0.len(), size)
    }
}

impl<'a, 'py, T: Element + Copy> FromPyObject<'a, 'py> for ListOut<'py, T> {
    type Error = PyErr;
    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array: Out<'py, T> = obj.extract()?;
        check_vector(array.shape(), None)?;
        Ok(ListOut(array))
    }
}

impl<T: Element + Copy> ListOut<'_, T> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self) -> Vec<T> {
        self.0.to_vec()
    }

    pub fn set(&self, values: &[T]) {
        self.0.write(values);
    }

    /// Checks the size.
    pub fn expect(&self, name: &str, size: usize) -> PyResult<()> {
        expect_size(name, self.len(), size)
    }
}

fn expect_size(name: &str, found: usize, wanted: usize) -> PyResult<()> {
    if found == wanted {
        return Ok(());
    }
    Err(type_error(format!("{name} must have {wanted} elements, found {found}")))
}

/// Checks that two arrays have the same number of elements.
pub fn same_size(name1: &str, size1: usize, name2: &str, size2: usize) -> PyResult<()> {
    if size1 == size2 {
        return Ok(());
    }
    Err(type_error(format!(
        "{name1} and {name2} must have the same size, found {size1} and {size2}"
    )))
}
