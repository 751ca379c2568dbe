//! Memory shared between Rust and NumPy: the only module of this crate with `unsafe` code.
//!
//! # What is shared
//!
//! A model or a simulation lives in a [`Shared`], itself in an [`Arc`]. A NumPy view points into
//! an array of it, or to a field inside of it, and holds an [`Owner`]: another reference to the
//! same `Arc`, and a [`pin::Pin`] of the array's buffer. The memory outlives every view, whatever
//! Python deletes first.
//!
//! # Why the pointers stay valid
//!
//! * An array's buffer is pinned while the value's lock is held and stays pinned as long as the
//!   view lives. When the engine moves or drops a pinned array, because a scene needs more rows or
//!   because a stage failed in the middle of its work, the old buffer is kept for its views.
//! * Fields inside of the `Shared` do not move, because it is in an `Arc`.
//! * Pointers come from `Vec::as_mut_ptr` or from `UnsafeCell::get`, not from a reference, so a
//!   later `&mut` made by the engine does not invalidate them.
//! * Every scalar type has no invalid bit patterns, so whatever Python writes is a value.
//!
//! Arrays whose lengths follow from the model stay where they are for the life of the value, so
//! their views always show the present numbers. A value that lost such an array to a failure is
//! not used again ([`Shared::is_intact`]).
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
//!
//! A callback is Python code that runs in the middle of a step. The engine lends model and data to
//! it ([`lend`]): on this thread, until the callback returns, access goes through the engine's own
//! references instead of the lock, which the engine holds.

mod arguments;
mod lend;
mod pin;

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use corten_batch::BatchSim;
use corten_sim::{Data, Model};
use numpy::ndarray::{ArrayView, IxDyn};
use numpy::{Element, PyArray};
use pyo3::prelude::*;

pub use arguments::{In, Out};
pub use lend::{is_lending, lend};
pub use pin::Allocator;
use pin::Pin;

/// A value whose arrays NumPy views may point into.
pub struct Shared<T> {
    lock: RwLock<()>,
    /// Where the arrays of fixed length were when the value came here, and their lengths.
    places: Vec<(usize, usize)>,
    value: UnsafeCell<T>,
}

/// A value with arrays that views can be made of.
pub trait Arrays: Send + Sync {
    /// Addresses and lengths of the arrays of fixed length.
    fn places(&mut self) -> Vec<(usize, usize)>;

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
}

macro_rules! arrays {
    ($($Value:ty),*) => {$(
        impl Arrays for $Value {
            fn places(&mut self) -> Vec<(usize, usize)> {
                let place = |i| self.array_place(i, 0);
                let found = (0..<$Value>::FIXED_ARRAYS).filter_map(place);
                found.map(|(start, count)| (start as usize, count)).collect()
            }

            fn room(&mut self, index: usize, count: usize) -> Option<Room> {
                self.array_place(index, count).map(|(start, count)| Room { start, count })
            }
        }
    )*};
}

arrays!(Model, Data);

impl Arrays for BatchSim {
    fn places(&mut self) -> Vec<(usize, usize)> {
        let found = (0..self.array_count()).filter_map(|i| self.array_place(i));
        found.map(|(start, count)| (start as usize, count)).collect()
    }

    fn room(&mut self, index: usize, _: usize) -> Option<Room> {
        self.array_place(index).map(|(start, count)| Room { start, count })
    }
}

// SAFETY: references to the value are only made while the lock is held, shared for `&T` and
// exclusive for `&mut T`.
unsafe impl<T: Send> Send for Shared<T> {}
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

pub struct Read<'a, T> {
    _held: Option<RwLockReadGuard<'a, ()>>,
    value: &'a T,
}

pub struct Write<'a, T> {
    _held: Option<RwLockWriteGuard<'a, ()>>,
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

impl<T: Arrays + 'static> Shared<T> {
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
        if let Some(value) = self.lent() {
            // SAFETY: lent to this thread until the callback returns (see `lent`).
            return Read { _held: None, value: unsafe { &*value } };
        }
        let held = self.lock.read().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the lock is held for as long as the reference lives.
        Read { _held: Some(held), value: unsafe { &*self.value.get() } }
    }

    /// The value, if the engine has lent it to this thread.
    ///
    /// The lender does not touch the value meanwhile, and callbacks run one inside the other, so
    /// the innermost user is the only one. A model is lent although the engine only has a shared
    /// reference to it: what is written there are numbers inside of arrays and settings, never
    /// lengths or buffers, and the engine checks what it reads.
    fn lent(&self) -> Option<*mut T> {
        lend::find(self.value.get() as usize).map(|value| value.cast::<T>())
    }

    /// Exclusive access, from code that does not hold the interpreter lock.
    pub fn write(&self) -> Write<'_, T> {
        if let Some(value) = self.lent() {
            // SAFETY: lent to this thread until the callback returns (see `lent`).
            return Write { _held: None, value: unsafe { &mut *value } };
        }
        let held = self.lock.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the lock is held exclusively for as long as the reference lives.
        Write { _held: Some(held), value: unsafe { &mut *self.value.get() } }
    }

    /// Shared access, from code that holds the interpreter lock: it is released while another
    /// thread computes on this value. The guard must be dropped before any Python code runs.
    pub fn read_attached(&self, py: Python<'_>) -> Read<'_, T> {
        if self.lent().is_some() {
            return self.read();
        }
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
            return Read { _held: Some(held), value: unsafe { &*self.value.get() } };
        }
    }

    /// Exclusive access, from code that holds the interpreter lock; see [`Self::read_attached`].
    pub fn write_attached(&self, py: Python<'_>) -> Write<'_, T> {
        if self.lent().is_some() {
            return self.write();
        }
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
            return Write { _held: Some(held), value: unsafe { &mut *self.value.get() } };
        }
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
        let count: usize = shape.iter().product();
        let mut value = self.write_attached(py);
        let found = room(&mut value).filter(|room| count > 0 && count <= room.count);
        if let (Some(room), Some(Some(kept))) = (&found, &kept)
            && kept.start == room.start as usize
            && kept.shape == shape
        {
            return Ok(kept.view.bind(py).clone());
        }
        // Pinned before the lock is released: nothing can free the buffer in between.
        let pinned = found.map(|room| (room.start, Pin::new(room.start)));
        drop(value);
        let Some((start, pin)) = pinned else {
            let shape: Vec<usize> = shape.iter().map(|&n| if count > 0 { 0 } else { n }).collect();
            let owner = Bound::new(py, Owner { _value: self.clone(), _pin: None })?;
            // SAFETY: no elements; the pointer is aligned for every scalar.
            return Ok(unsafe {
                view(kind, std::ptr::dangling_mut::<f64>().cast(), &shape, &owner)
            });
        };
        let owner = Bound::new(py, Owner { _value: self.clone(), _pin: Some(pin) })?;
        // SAFETY: `start` points to `count` scalars of this kind at least, and `owner` keeps them.
        let view = unsafe { view(kind, start, shape, &owner) };
        if let Some(kept) = kept {
            let (start, shape) = (start as usize, shape.to_vec());
            *kept = Some(Kept { start, shape, view: view.clone().unbind() });
        }
        Ok(view)
    }

    /// A view of a field inside of the value.
    pub fn field<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        place: impl FnOnce(&T) -> Place,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Place { offset, kind, count } = place(&self.read_attached(py));
        assert!(offset + count * kind.bytes() <= size_of::<T>());
        let owner = Bound::new(py, Owner { _value: self.clone(), _pin: None })?;
        // SAFETY: the field lies within the value, which does not move and which `owner` keeps.
        Ok(unsafe { view(kind, self.value.get().cast::<u8>().add(offset), &[count], &owner) })
    }
}

impl Shared<Model> {
    /// Shared access for a run of the engine, from code that does not hold the interpreter lock:
    /// what was written to structural arrays through views counts from here on.
    pub fn read_current(&self) -> Read<'_, Model> {
        let model = self.read();
        if !model.has_unnoticed_writes() {
            return model;
        }
        drop(model);
        self.write().notice_writes();
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

/// Where the scalars of a field are inside of a value.
pub struct Place {
    offset: usize,
    kind: Scalar,
    count: usize,
}

impl Place {
    /// A field of `value`, as scalars of this kind.
    pub fn inside<T, S>(value: &T, field: &[S], kind: Scalar) -> Place {
        let offset = (field.as_ptr() as usize).wrapping_sub(std::ptr::from_ref(value) as usize);
        let bytes = size_of_val(field);
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= size_of::<T>()));
        assert!(bytes.is_multiple_of(kind.bytes()) && offset.is_multiple_of(kind.bytes()));
        Place { offset, kind, count: bytes / kind.bytes() }
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
    // SAFETY: by this function's contract.
    unsafe {
        match kind {
            Scalar::F64 => borrowed::<f64>(start.cast(), shape, owner),
            Scalar::F32 => borrowed::<f32>(start.cast(), shape, owner),
            Scalar::I32 => borrowed::<i32>(start.cast(), shape, owner),
            Scalar::U8 => borrowed::<u8>(start.cast(), shape, owner),
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
    _pin: Option<Pin>,
}
