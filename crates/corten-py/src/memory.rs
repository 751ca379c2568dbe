//! Memory shared between Rust and NumPy: the only module of this crate with `unsafe` code.
//!
//! # What is shared
//!
//! A model or a simulation lives in a [`Shared`], itself in an [`Arc`]. A NumPy view points into
//! an array of it and holds an [`Owner`], that is, another reference to the same `Arc`: the
//! memory outlives every view, whatever Python deletes first.
//!
//! # Why the pointers stay valid
//!
//! * Views are only made of arrays that never change their length after the model or the data is
//!   made (`FIXED_ARRAYS`), so their buffers never move, and of fields inside the `Shared`, which
//!   does not move because it is in an `Arc`. Nothing here hands out `&mut Vec`, and the engine
//!   gets no length to change. What grows while simulating is returned as a copy.
//! * Pointers come from `Vec::as_mut_ptr` or from `UnsafeCell::get`, not from a reference, so a
//!   later `&mut` made by the engine does not invalidate them.
//! * Every scalar type has no invalid bit patterns, so whatever Python writes is a value.
//!
//! * A stage may take an array out of the data while it works and put it back. If it panics in
//!   between, the array would be freed with the stack frame: therefore the [`Allocator`] frees
//!   nothing while a thread unwinds, and a value that lost an array is not used again
//!   ([`Shared::is_intact`]). The views keep showing the old memory.
//!
//! # Who may access when
//!
//! Rust code takes references through [`Shared::read`] and [`Shared::write`], which are guarded
//! by a lock; the interpreter lock is released while waiting. No reference lives while Python
//! code runs, with one exception: the engine releases the interpreter lock while it steps. A
//! second thread that writes into a view of the same data in that time races with the engine, as
//! it would with any program that computes on NumPy memory without the interpreter lock. Such a
//! program gets arbitrary numbers; it does not reach memory outside of the arrays, since the
//! engine checks every index that it reads from them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use corten_model::Model;
use corten_sim::Data;
use numpy::ndarray::{ArrayView, IxDyn};
use numpy::{Element, PyArray, PyArrayDyn, PyArrayMethods};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// The system's allocator, except that memory freed while a panic unwinds is lost instead: a view
/// may point into it.
pub struct Allocator;

// SAFETY: the system's allocator; to leave memory unfreed is always sound.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract.
        unsafe { System.realloc(start, layout, size) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if !std::thread::panicking() {
            // SAFETY: the caller's contract.
            unsafe { System.dealloc(start, layout) }
        }
    }
}

/// A value whose arrays NumPy views may point into.
pub struct Shared<T> {
    lock: RwLock<()>,
    /// Where the arrays of fixed length were when the value came here, and their lengths.
    places: Vec<(usize, usize)>,
    value: UnsafeCell<T>,
}

/// A value with arrays of fixed length.
pub trait Arrays {
    /// Addresses and lengths of these arrays.
    fn places(&mut self) -> Vec<(usize, usize)>;
}

impl Arrays for Model {
    fn places(&mut self) -> Vec<(usize, usize)> {
        (0..Model::FIXED_ARRAYS)
            .filter_map(|i| self.array_place(i).map(|(start, count)| (start as usize, count)))
            .collect()
    }
}

impl Arrays for Data {
    fn places(&mut self) -> Vec<(usize, usize)> {
        (0..Data::FIXED_ARRAYS)
            .filter_map(|i| self.array_place(i).map(|(start, count)| (start as usize, count)))
            .collect()
    }
}

// SAFETY: references to the value are only made while the lock is held, shared for `&T` and
// exclusive for `&mut T`.
unsafe impl<T: Send> Send for Shared<T> {}
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

pub struct Read<'a, T> {
    _held: RwLockReadGuard<'a, ()>,
    value: &'a T,
}

pub struct Write<'a, T> {
    _held: RwLockWriteGuard<'a, ()>,
    value: &'a mut T,
}

impl<T> Deref for Read<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> Deref for Write<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for Write<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value
    }
}

impl<T: Arrays + Send + Sync> Shared<T> {
    pub fn new(mut value: T) -> Arc<Shared<T>> {
        let places = value.places();
        Arc::new(Shared { lock: RwLock::new(()), places, value: UnsafeCell::new(value) })
    }

    /// Whether every array of fixed length is still where the views expect it.
    pub fn is_intact(&self) -> bool {
        self.write().places() == self.places
    }

    /// Shared access, from code that does not hold the interpreter lock.
    ///
    /// A panic while the lock was held leaves a value whose numbers may be inconsistent, never
    /// one that is unsafe to use: poisoning is ignored.
    pub fn read(&self) -> Read<'_, T> {
        let held = self.lock.read().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the lock is held for as long as the reference lives.
        Read { _held: held, value: unsafe { &*self.value.get() } }
    }

    /// Exclusive access, from code that does not hold the interpreter lock.
    pub fn write(&self) -> Write<'_, T> {
        let held = self.lock.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the lock is held exclusively for as long as the reference lives.
        Write { _held: held, value: unsafe { &mut *self.value.get() } }
    }

    /// Shared access, from code that holds the interpreter lock: it is released while another
    /// thread computes on this value. The guard must be dropped before any Python code runs.
    pub fn read_attached(&self, py: Python<'_>) -> Read<'_, T> {
        loop {
            let held = match self.lock.try_read() {
                Ok(held) => held,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    py.detach(|| drop(self.read()));
                    continue;
                }
            };
            // SAFETY: the lock is held for as long as the reference lives.
            return Read { _held: held, value: unsafe { &*self.value.get() } };
        }
    }

    /// Exclusive access, from code that holds the interpreter lock; see [`Self::read_attached`].
    pub fn write_attached(&self, py: Python<'_>) -> Write<'_, T> {
        loop {
            let held = match self.lock.try_write() {
                Ok(held) => held,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    py.detach(|| drop(self.write()));
                    continue;
                }
            };
            // SAFETY: the lock is held exclusively for as long as the reference lives.
            return Write { _held: held, value: unsafe { &mut *self.value.get() } };
        }
    }

    /// A view of `count` scalars at `place`, which was taken from this value: inside of it, or in
    /// the buffer of one of its arrays whose length never changes.
    pub fn view<'py>(
        &self,
        place: Place,
        shape: &[usize],
        owner: &Bound<'py, Owner>,
    ) -> Bound<'py, PyAny> {
        let count: usize = shape.iter().product();
        let start: *mut u8 = match place.start {
            Start::Buffer(buffer) => buffer,
            // SAFETY: `Place::inside` found this offset to lie within the value.
            Start::Inside(offset) => unsafe { self.value.get().cast::<u8>().add(offset) },
        };
        assert!(count <= place.count, "a view must stay within its array");
        // SAFETY: `start` points to `place.count` scalars of this kind, as found by `Place`, in
        // memory that does not move and that `owner` keeps alive (see the module's header).
        unsafe {
            match place.kind {
                Scalar::F64 => borrowed::<f64>(start.cast(), shape, owner),
                Scalar::F32 => borrowed::<f32>(start.cast(), shape, owner),
                Scalar::I32 => borrowed::<i32>(start.cast(), shape, owner),
                Scalar::U8 => borrowed::<u8>(start.cast(), shape, owner),
                Scalar::I8 => borrowed::<i8>(start.cast(), shape, owner),
            }
        }
    }
}

/// The scalar type of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    F64,
    F32,
    I32,
    U8,
    I8,
}

impl Scalar {
    fn bytes(self) -> usize {
        match self {
            Scalar::F64 => 8,
            Scalar::F32 | Scalar::I32 => 4,
            Scalar::U8 | Scalar::I8 => 1,
        }
    }
}

/// Where the scalars of a view are.
pub struct Place {
    start: Start,
    kind: Scalar,
    count: usize,
}

enum Start {
    Buffer(*mut u8),
    Inside(usize),
}

impl Place {
    /// An array's buffer: what `array_place` of a model or a simulation returned.
    pub fn buffer((start, count): (*mut u8, usize), kind: Scalar) -> Place {
        Place { start: Start::Buffer(start), kind, count }
    }

    /// A field inside `value`, which is the content of the `Shared` that the view is made of.
    pub fn inside<T, S>(value: &T, field: &[S], kind: Scalar) -> Place {
        let offset = (field.as_ptr() as usize).wrapping_sub(std::ptr::from_ref(value) as usize);
        let bytes = size_of_val(field);
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= size_of::<T>()));
        assert!(bytes == field.len() * kind.bytes());
        Place { start: Start::Inside(offset), kind, count: field.len() }
    }

    /// Number of scalars.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// # Safety
/// `start` points to as many initialised `T` as the shape has elements, aligned, in memory that
/// does not move while `owner` lives.
unsafe fn borrowed<'py, T: Element>(
    start: *mut T,
    shape: &[usize],
    owner: &Bound<'py, Owner>,
) -> Bound<'py, PyAny> {
    // SAFETY: by this function's contract.
    unsafe {
        let array = ArrayView::from_shape_ptr(IxDyn(shape), start.cast_const());
        PyArray::borrow_from_array(&array, owner.clone().into_any()).into_any()
    }
}

/// What keeps the memory of a view alive; the `base` of the NumPy array.
#[pyclass(frozen, module = "corten._corten")]
pub struct Owner {
    _value: Arc<dyn Send + Sync>,
}

impl Owner {
    pub fn new(value: Arc<dyn Send + Sync>) -> Owner {
        Owner { _value: value }
    }
}

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
