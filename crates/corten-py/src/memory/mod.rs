//! Memory shared between Rust and NumPy: the only module of this crate with `unsafe` code.
//!
//! # What is shared
//!
//! A model or a simulation lives in a [`Shared`]: behind a lock, in an [`Arc`]. A NumPy view points
//! into the heap buffer of one of its arrays, never into the struct, and holds an [`Owner`]:
//! another reference to the same `Arc`, and a [`pin::Pin`] of the buffer. The memory outlives every
//! view, whatever Python deletes first. Settings that are inside of the model's struct have a copy
//! for Python ([`Settings`]).
//!
//! # Why the pointers stay valid
//!
//! * An array's buffer is pinned while the value's lock is held and stays pinned as long as the
//!   view lives. When the engine moves or drops a pinned array, because a scene needs more rows or
//!   because a stage failed in the middle of its work, the old buffer is kept for its views.
//! * Pointers come from `Vec::as_mut_ptr` of a vector that was borrowed exclusively. References to
//!   the struct that holds the vector, which the engine has while it runs, do not cover the buffer.
//!   Those to elements of the buffer end before the engine calls Python code.
//! * Every scalar type has no invalid bit patterns, so whatever Python writes is a value.
//!
//! Arrays whose lengths follow from the model stay where they are for the life of the value, so
//! their views always show the present numbers.
//!
//! # Who may access when
//!
//! Rust code takes references through the lock: [`Shared::read`] and [`Shared::write`], or
//! [`Shared::read_attached`] and [`Shared::write_attached`], which release the interpreter lock
//! while they wait. No reference lives while Python code runs, but for callbacks: Python code in
//! the middle of a step. The engine lends to it what it was itself given, the model to be read and
//! the data to be written ([`lend`]): on this thread, until the callback returns, guards are made
//! from these very references, and one that would need more is refused ([`Busy`]).
//!
//! The engine releases the interpreter lock while it steps. A second thread that writes into a
//! view of the same data in that time races with the engine, as it would with any program that
//! computes on NumPy memory without the interpreter lock. Such a program gets arbitrary numbers.
//! What says which memory is touched does not come from there: structure is read from a private
//! copy ([`Model::expose`]), and the engine checks every other index that it reads.

mod arguments;
mod element;
mod fork;
mod lend;
mod pin;
mod settings;

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use corten_batch::BatchSim;
use corten_sim::{Data, HeapArray, Model};
use numpy::ndarray::{ArrayView, IxDyn};
use numpy::{Element, PyArray};
use pyo3::prelude::*;

pub use arguments::{In, Out};
pub use element::{PyStruct, StructField};
pub use fork::note_fork;
use lend::Loan;
pub use lend::{Busy, address, is_lending, lend_exclusive, lend_shared, occupy, occupy_all};
pub use pin::Allocator;
use pin::Pin;
pub use settings::{Place, Settings, Values};

/// A value whose arrays NumPy views may point into.
pub struct Shared<T: Arrays> {
    value: RwLock<T>,
    /// The arrays, of a value that views are made of while it can only be read.
    bases: Mutex<Vec<Base>>,
    uses: fork::Uses,
}

/// What keeps the memory of all views of a model: each pins its buffer.
pub type Keeper = Py<Owner>;

/// Where an array is, and how many scalars it has.
type Base = (AtomicPtr<u8>, usize);

/// A value with arrays that views can be made of.
pub trait Arrays: Send + Sync + 'static {
    /// All arrays, if views are made of them while the value can only be read.
    fn bases(&mut self) -> Vec<Base> {
        Vec::new()
    }

    /// The buffer of an array, made long enough for so many scalars if it can grow.
    fn room(&mut self, index: usize, count: usize) -> Option<Room>;
}

/// The buffer of a `Vec`: where it starts and how many scalars it holds.
pub struct Room {
    start: *mut u8,
    count: usize,
}

impl Room {
    /// The bytes of a vector's elements.
    pub fn bytes<T>(values: &mut Vec<T>) -> Room {
        Room { start: values.as_mut_ptr().cast(), count: size_of_val(&values[..]) }
    }

    /// The elements of a vector of scalars.
    pub fn scalars<T: Element>(values: &mut Vec<T>) -> Room {
        Room { start: values.as_mut_ptr().cast(), count: values.len() }
    }

    /// The elements of an array of scalars.
    pub fn array<T: Element, const N: usize>(values: &mut HeapArray<T, N>) -> Room {
        Room { start: values.as_mut_ptr().cast(), count: N }
    }

    /// Whether it has the scalars of a view, and that has any.
    fn fits(&self, shape: &[usize]) -> bool {
        let count: usize = shape.iter().product();
        count > 0 && count <= self.count
    }

    /// Pins the buffer: to be called while it cannot be freed.
    fn pin(&self) -> (*mut u8, Pin) {
        (self.start, Pin::new(self.start))
    }

    /// The bytes of an array's elements.
    pub fn array_bytes<T, const N: usize>(values: &mut HeapArray<T, N>) -> Room {
        Room { start: values.as_mut_ptr().cast(), count: size_of::<[T; N]>() }
    }
}

impl Arrays for Model {
    fn bases(&mut self) -> Vec<Base> {
        let found = (0..Model::ARRAYS.len()).filter_map(|i| self.array_place(i, 0));
        found.map(|(start, count)| (AtomicPtr::new(start), count)).collect()
    }

    fn room(&mut self, index: usize, count: usize) -> Option<Room> {
        self.array_place(index, count).map(|(start, count)| Room { start, count })
    }
}

impl Arrays for Data {
    fn room(&mut self, index: usize, count: usize) -> Option<Room> {
        self.array_place(index, count).map(|(start, count)| Room { start, count })
    }
}

impl Arrays for BatchSim {
    fn room(&mut self, index: usize, _: usize) -> Option<Room> {
        self.array_place(index).map(|(start, count)| Room { start, count })
    }
}

/// Shared access to a value, through its lock or a loan.
pub struct Read<'a, T>(ReadAccess<'a, T>);

enum ReadAccess<'a, T> {
    Locked(RwLockReadGuard<'a, T>),
    Lent(Loan<T>),
}

/// Exclusive access to a value, through its lock or a loan.
pub struct Write<'a, T: Arrays> {
    shared: &'a Shared<T>,
    access: WriteAccess<'a, T>,
}

enum WriteAccess<'a, T> {
    Locked(RwLockWriteGuard<'a, T>),
    Lent(Loan<T>),
}

impl<T> Deref for Read<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.0 {
            ReadAccess::Locked(held) => held,
            ReadAccess::Lent(loan) => loan.get(),
        }
    }
}

impl<T: Arrays> Deref for Write<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.access {
            WriteAccess::Locked(held) => held,
            WriteAccess::Lent(loan) => loan.get(),
        }
    }
}

impl<T: Arrays> DerefMut for Write<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.access {
            WriteAccess::Locked(held) => held,
            WriteAccess::Lent(loan) => loan.get_mut(),
        }
    }
}

impl<T: Arrays> Drop for Write<'_, T> {
    fn drop(&mut self) {
        let bases = self.bases();
        if !bases.is_empty() {
            *self.shared.bases.lock().unwrap_or_else(PoisonError::into_inner) = bases;
        }
    }
}

impl<T: Arrays> Shared<T> {
    pub fn new(mut value: T) -> Arc<Shared<T>> {
        let bases = Mutex::new(value.bases());
        Arc::new(Shared { value: RwLock::new(value), bases, uses: fork::Uses::default() })
    }

    /// Shared access, from code that does not hold the interpreter lock.
    ///
    /// A panic while the lock was held leaves a value whose numbers may be inconsistent, never
    /// one that is unsafe to use: poisoning is ignored.
    pub fn read(&self) -> Result<Read<'_, T>, Busy> {
        if let Some(loan) = Loan::read(self) {
            return loan.map(|loan| Read(ReadAccess::Lent(loan)));
        }
        let held = self.uses.lock(|| self.value.try_read(), || drop(self.value.read()))?;
        Ok(Read(ReadAccess::Locked(held)))
    }

    /// Exclusive access, from code that does not hold the interpreter lock.
    pub fn write(&self) -> Result<Write<'_, T>, Busy> {
        let access = match Loan::write(self) {
            Some(loan) => WriteAccess::Lent(loan?),
            None => WriteAccess::Locked(
                self.uses.lock(|| self.value.try_write(), || drop(self.value.write()))?,
            ),
        };
        Ok(Write { shared: self, access })
    }

    /// Shared access, from code that holds the interpreter lock: it is released while another
    /// thread computes on this value. The guard must be dropped before any Python code runs.
    pub fn read_attached(&self, py: Python<'_>) -> Result<Read<'_, T>, Busy> {
        if let Some(loan) = Loan::read(self) {
            return loan.map(|loan| Read(ReadAccess::Lent(loan)));
        }
        let wait = || py.detach(|| drop(self.value.read()));
        let held = self.uses.lock(|| self.value.try_read(), wait)?;
        Ok(Read(ReadAccess::Locked(held)))
    }

    /// Exclusive access, from code that holds the interpreter lock; see [`Self::read_attached`].
    pub fn write_attached(&self, py: Python<'_>) -> Result<Write<'_, T>, Busy> {
        if let Some(loan) = Loan::write(self) {
            return Ok(Write { shared: self, access: WriteAccess::Lent(loan?) });
        }
        let wait = || py.detach(|| drop(self.value.write()));
        let held = self.uses.lock(|| self.value.try_write(), wait)?;
        Ok(Write { shared: self, access: WriteAccess::Locked(held) })
    }

    /// Whether the engine uses the value on this thread: a callback asks.
    pub fn is_in_use(&self) -> bool {
        lend::is_in_use(self)
    }

    /// A view of an array. It has so many scalars at least, or grows; where it cannot, the view is
    /// empty.
    pub fn array<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        index: usize,
        kind: Scalar,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = shape.iter().product();
        self.buffer(py, kind, shape, |value| value.room(index, count))
    }

    /// A view of the leading scalars of a buffer.
    pub fn buffer<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        kind: Scalar,
        shape: &[usize],
        room: impl FnOnce(&mut T) -> Option<Room>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.kept_buffer(py, None, kind, shape, room)
    }

    /// [`Self::buffer`], or the view that was kept of the last time, if it still shows the same
    /// memory.
    pub fn kept_buffer<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        kept: Option<&mut Option<Kept>>,
        kind: Scalar,
        shape: &[usize],
        room: impl FnOnce(&mut T) -> Option<Room>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut value = self.write_attached(py)?;
        let found = room(&mut value).filter(|room| room.fits(shape));
        if let (Some(room), Some(Some(kept))) = (&found, &kept)
            && kept.start == room.start as usize
            && kept.shape == shape
        {
            return Ok(kept.view.bind(py).clone());
        }
        let pinned = found.map(|room| room.pin());
        drop(value);
        let view = self.pinned_view(py, kind, shape, pinned)?;
        if let (Some(kept), Some((start, view))) = (kept, view.0.zip(Some(&view.1))) {
            let (start, shape) = (start as usize, shape.to_vec());
            *kept = Some(Kept { start, shape, view: view.clone().unbind() });
        }
        Ok(view.1)
    }

    /// A view of what was pinned, and where it starts; an empty one of nothing.
    fn pinned_view<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        kind: Scalar,
        shape: &[usize],
        pinned: Option<(*mut u8, Pin)>,
    ) -> PyResult<(Option<*mut u8>, Bound<'py, PyAny>)> {
        let Some((start, pin)) = pinned else {
            let is_empty = shape.contains(&0);
            let shape: Vec<usize> = shape.iter().map(|&n| if is_empty { n } else { 0 }).collect();
            return Ok((None, empty(py, kind, &shape)));
        };
        let owner = Bound::new(py, Owner::new(self.clone(), Some(pin)))?;
        // SAFETY: `start` points to as many scalars of this kind as the shape has, and `owner`
        // keeps them.
        Ok((Some(start), unsafe { view(kind, start, shape, &owner) }))
    }
}

impl Shared<Model> {
    /// What keeps the memory of views: one for all of them.
    pub fn keeper(self: &Arc<Self>, py: Python<'_>) -> PyResult<Keeper> {
        Py::new(py, Owner::new(self.clone(), None))
    }

    /// A view of an array, also while the model can only be read.
    pub fn fixed_array<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        keeper: &Keeper,
        index: usize,
        kind: Scalar,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let model = self.read_attached(py)?;
        model.expose(index);
        let room = {
            let bases = self.bases.lock().unwrap_or_else(PoisonError::into_inner);
            let base = bases.get(index);
            base.map(|(start, count)| Room { start: start.load(Ordering::Relaxed), count: *count })
        };
        let pinned = room.filter(|room| room.fits(shape)).map(|room| room.pin());
        drop(model);
        let keeper = keeper.bind(py);
        let Some((start, pin)) = pinned else {
            return Ok(self.pinned_view(py, kind, shape, None)?.1);
        };
        keeper.get().pins.lock().unwrap_or_else(PoisonError::into_inner).push(pin);
        // SAFETY: `start` points to as many scalars of this kind as the shape has, and `keeper`
        // keeps them.
        Ok(unsafe { view(kind, start, shape, keeper) })
    }

    /// Shared access for a run of the engine, from code that does not hold the interpreter lock:
    /// what was written to structural arrays through views counts from here on, unless the engine
    /// uses the model on this thread already.
    pub fn read_current(&self) -> Result<Read<'_, Model>, Busy> {
        let model = self.read()?;
        if !model.has_unnoticed_writes() || self.is_in_use() {
            return Ok(model);
        }
        drop(model);
        self.write()?.notice_writes();
        self.read()
    }
}

/// A view, and what it shows: it pins the memory, so that no other buffer can be there.
pub struct Kept {
    start: usize,
    shape: Vec<usize>,
    view: Py<PyAny>,
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

/// An array without elements, which needs no memory of anybody.
fn empty<'py>(py: Python<'py>, kind: Scalar, shape: &[usize]) -> Bound<'py, PyAny> {
    let shape = IxDyn(shape);
    match kind {
        Scalar::F64 => PyArray::<f64, _>::zeros(py, shape, false).into_any(),
        Scalar::F32 => PyArray::<f32, _>::zeros(py, shape, false).into_any(),
        Scalar::I32 => PyArray::<i32, _>::zeros(py, shape, false).into_any(),
        Scalar::U8 => PyArray::<u8, _>::zeros(py, shape, false).into_any(),
        Scalar::I8 => PyArray::<i8, _>::zeros(py, shape, false).into_any(),
    }
}

/// # Safety
/// As [`borrowed`], with `kind` the type of the scalars.
unsafe fn view<'py>(
    kind: Scalar,
    start: *mut u8,
    shape: &[usize],
    owner: &Bound<'py, Owner>,
) -> Bound<'py, PyAny> {
    let owner = owner.as_any();
    // SAFETY: by this function's contract.
    unsafe {
        match kind {
            Scalar::F64 => borrowed::<f64>(start.cast(), shape, owner),
            Scalar::F32 => borrowed::<f32>(start.cast(), shape, owner),
            Scalar::I32 => borrowed::<i32>(start.cast(), shape, owner),
            Scalar::U8 => borrowed::<u8>(start, shape, owner),
            Scalar::I8 => borrowed::<i8>(start.cast(), shape, owner),
        }
    }
}

/// # Safety
/// `start` points to as many initialised `T` as the shape has elements, aligned, in memory that
/// does not move while `owner` lives.
unsafe fn borrowed<'py, T: Element>(
    start: *mut T,
    shape: &[usize],
    owner: &Bound<'py, PyAny>,
) -> Bound<'py, PyAny> {
    // SAFETY: by this function's contract.
    unsafe {
        let array = ArrayView::from_shape_ptr(IxDyn(shape), start.cast_const());
        PyArray::borrow_from_array(&array, owner.clone()).into_any()
    }
}

/// What keeps the memory of a view alive; the `base` of the NumPy array.
#[pyclass(frozen, module = "corten._corten")]
pub struct Owner {
    _value: Arc<dyn Send + Sync>,
    _pin: Option<Pin>,
    /// Of an owner that several views have.
    pins: Mutex<Vec<Pin>>,
}

impl Owner {
    fn new(value: Arc<dyn Send + Sync>, pin: Option<Pin>) -> Owner {
        Owner { _value: value, _pin: pin, pins: Mutex::default() }
    }
}
