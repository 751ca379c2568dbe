//! What the engine uses on this thread, and what of it is lent to the Python code that it calls.
//!
//! A callback gets at model and data through the references that the engine hands to it: a model
//! can then be read, data can be written. The references are kept as pointers, innermost last,
//! for as long as the callback runs; every guard that is made from one is counted, so that none is
//! alive beside another that excludes it, or after the callback.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::PyErr;
use pyo3::exceptions::PyRuntimeError;

use super::{Arrays, Shared};

/// The engine uses a value on this thread and has not lent it, or not for this purpose.
#[derive(Clone, Copy, Debug)]
pub enum Busy {
    Engine,
    /// Another thread used it when the process was forked.
    Forked,
}

impl From<Busy> for PyErr {
    fn from(busy: Busy) -> PyErr {
        PyRuntimeError::new_err(match busy {
            Busy::Engine => "a callback cannot do this: the engine is using the object",
            Busy::Forked => {
                "another thread was using the object when the process was forked: make a new one"
            }
        })
    }
}

#[derive(Clone, Copy)]
enum Access {
    None,
    Shared(NonNull<()>),
    Exclusive(NonNull<()>),
}

struct Frame {
    /// Address of the [`Shared`] whose value this is about.
    owner: usize,
    access: Access,
    /// Guards that are alive: how many that read, or -1 for one that writes.
    guards: Rc<Cell<isize>>,
}

/// Frames of all threads: mostly none, and then no thread looks for its own.
static COUNT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// Ends a frame, also when a callback panics.
struct End(Rc<Cell<isize>>);

impl Drop for End {
    fn drop(&mut self) {
        FRAMES.with_borrow_mut(|frames| frames.pop());
        COUNT.fetch_sub(1, Ordering::Relaxed);
        if self.0.get() != 0 {
            // A guard has left the callback that it was made in: its pointer is about to dangle.
            std::process::abort();
        }
    }
}

fn begin(owner: usize, access: Access) -> End {
    let guards = Rc::new(Cell::new(0));
    let frame = Frame { owner, access, guards: guards.clone() };
    COUNT.fetch_add(1, Ordering::Relaxed);
    FRAMES.with_borrow_mut(|frames| frames.push(frame));
    End(guards)
}

fn during<R>(owner: usize, access: Access, f: impl FnOnce() -> R) -> R {
    let _end = begin(owner, access);
    f()
}

pub fn address<T: Arrays>(owner: &Shared<T>) -> usize {
    std::ptr::from_ref(owner) as usize
}

/// Runs `f`, during which this thread can read `value` as that of `owner`.
pub fn lend_shared<T: Arrays, R>(owner: &Shared<T>, value: &T, f: impl FnOnce() -> R) -> R {
    during(address(owner), Access::Shared(NonNull::from(value).cast()), f)
}

/// Runs `f`, during which this thread can read and write `value` as that of `owner`.
pub fn lend_exclusive<T: Arrays, R>(owner: &Shared<T>, value: &mut T, f: impl FnOnce() -> R) -> R {
    during(address(owner), Access::Exclusive(NonNull::from(value).cast()), f)
}

/// Runs `f`, during which this thread has no access to the value of `owner`, which it holds the
/// lock of, unless it is lent.
pub fn occupy<T: Arrays, R>(owner: &Shared<T>, f: impl FnOnce() -> R) -> R {
    during(address(owner), Access::None, f)
}

/// [`occupy`] for several values, by [`address`].
pub fn occupy_all<R>(owners: &[usize], f: impl FnOnce() -> R) -> R {
    let _ends: Vec<End> = owners.iter().map(|&owner| begin(owner, Access::None)).collect();
    f()
}

/// What `f` finds in the frames of this thread, if it has any.
#[inline]
fn search<R>(f: impl FnOnce(&[Frame]) -> Option<R>) -> Option<R> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return None;
    }
    FRAMES.with_borrow(|frames| f(frames))
}

/// The innermost frame about the value of `owner`.
fn innermost<'a, T: Arrays>(frames: &'a [Frame], owner: &Shared<T>) -> Option<&'a Frame> {
    frames.iter().rev().find(|frame| frame.owner == address(owner))
}

/// Whether there is a frame about the value of `owner`.
pub(super) fn is_in_use<T: Arrays>(owner: &Shared<T>) -> bool {
    search(|frames| innermost(frames, owner).map(|_| ())).is_some()
}

/// Whether this thread is inside of a callback.
pub fn is_lending() -> bool {
    search(|frames| frames.last().map(|_| ())).is_some()
}

/// A value that is lent, for one use of it.
pub(super) struct Loan<T> {
    value: NonNull<T>,
    guards: Rc<Cell<isize>>,
    count: isize,
}

impl<T: Arrays> Loan<T> {
    /// What is lent of the value of `owner` by the innermost frame about it, to be read; `None`
    /// if there is no such frame.
    pub fn read(owner: &Shared<T>) -> Option<Result<Loan<T>, Busy>> {
        Self::find(owner, |access, guards| match access {
            Access::Shared(value) | Access::Exclusive(value) if guards >= 0 => Some((value, 1)),
            _ => None,
        })
    }

    /// [`Self::read`], to be written.
    pub fn write(owner: &Shared<T>) -> Option<Result<Loan<T>, Busy>> {
        Self::find(owner, |access, guards| match access {
            Access::Exclusive(value) if guards == 0 => Some((value, -1)),
            _ => None,
        })
    }

    fn find(
        owner: &Shared<T>,
        allow: impl FnOnce(Access, isize) -> Option<(NonNull<()>, isize)>,
    ) -> Option<Result<Loan<T>, Busy>> {
        search(|frames| {
            let frame = innermost(frames, owner)?;
            let Some((value, count)) = allow(frame.access, frame.guards.get()) else {
                return Some(Err(Busy::Engine));
            };
            let guards = frame.guards.clone();
            guards.set(guards.get() + count);
            Some(Ok(Loan { value: value.cast(), guards, count }))
        })
    }
}

impl<T> Loan<T> {
    pub fn get(&self) -> &T {
        // SAFETY: the value was lent by a reference that lives until the frame ends, which aborts
        // if this loan were alive then. Its type is that of the owner, which the reference to it
        // keeps in place. Guards that write exclude all others, and the lender rests.
        unsafe { self.value.as_ref() }
    }

    pub fn get_mut(&mut self) -> &mut T {
        assert!(self.count < 0, "lent to be read");
        // SAFETY: as above, and lent by an exclusive reference.
        unsafe { self.value.as_mut() }
    }
}

impl<T> Drop for Loan<T> {
    fn drop(&mut self) {
        self.guards.set(self.guards.get() - self.count);
    }
}
