//! Settings of a model that Python sees: options, statistics, viewing parameters.
//!
//! They are inside of the model's struct, which the engine holds references to while callbacks
//! run. Python therefore has a copy of its own, and the model takes over what was written to it
//! when it is used next ([`Settings::differ`], [`Settings::copy_to`]).

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use corten_model::{ModelArrays, Options, Statistic, Visual};
use pyo3::prelude::*;

use super::{Owner, Scalar, view};

/// The values themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    pub opt: Options,
    pub stat: Statistic,
    pub vis: Visual,
}

impl Values {
    pub fn of(m: &ModelArrays) -> Values {
        Values { opt: m.opt.clone(), stat: m.stat.clone(), vis: m.vis.clone() }
    }
}

/// Parts that are compared separately.
const OPT: u8 = 1;
const STAT: u8 = 2;
const VIS: u8 = 4;

fn part(section: &str) -> u8 {
    match section {
        "opt" => OPT,
        "stat" => STAT,
        _ => VIS,
    }
}

/// See the module. Its memory is only touched by code that holds the interpreter lock.
pub struct Settings {
    values: UnsafeCell<Values>,
    /// Parts that have been written to since the model took them over.
    written: AtomicU8,
    /// Parts that there are views of, so that they may be written to at any time.
    viewed: AtomicU8,
}

// SAFETY: whoever touches the values has the interpreter lock, as the `Python` argument proves;
// views are NumPy arrays, whose users have it too.
unsafe impl Sync for Settings {}

impl Settings {
    pub fn new(values: Values) -> Arc<Settings> {
        let (written, viewed) = (AtomicU8::new(0), AtomicU8::new(0));
        Arc::new(Settings { values: UnsafeCell::new(values), written, viewed })
    }

    /// Looks at the values. `f` runs no Python code: it could write to them.
    pub fn read<R>(&self, _: Python<'_>, f: impl FnOnce(&Values) -> R) -> R {
        // SAFETY: the interpreter lock is held, and kept until the reference is gone.
        f(unsafe { &*self.values.get() })
    }

    /// Changes the values of a section. `f` runs no Python code: it could look at them.
    pub fn write<R>(&self, _: Python<'_>, section: &str, f: impl FnOnce(&mut Values) -> R) -> R {
        self.written.fetch_or(part(section), Ordering::Relaxed);
        // SAFETY: as above.
        f(unsafe { &mut *self.values.get() })
    }

    /// Takes over the statistics of a model that the engine has computed.
    pub fn take_statistics(&self, _: Python<'_>, m: &ModelArrays) {
        // SAFETY: as above.
        unsafe { &mut *self.values.get() }.stat.clone_from(&m.stat);
    }

    /// Whether something may have been written that the model does not know of.
    #[inline]
    pub fn is_pending(&self) -> bool {
        (self.written.load(Ordering::Relaxed) | self.viewed.load(Ordering::Relaxed)) != 0
    }

    /// Whether something was written that the model does not know of.
    pub fn differ(&self, py: Python<'_>, m: &ModelArrays) -> bool {
        let parts = self.written.load(Ordering::Relaxed) | self.viewed.load(Ordering::Relaxed);
        self.read(py, |values| {
            (parts & OPT != 0 && values.opt != m.opt)
                || (parts & STAT != 0 && values.stat != m.stat)
                || (parts & VIS != 0 && values.vis != m.vis)
        })
    }

    /// Hands everything to the model.
    pub fn copy_to(&self, py: Python<'_>, m: &mut ModelArrays) {
        let Values { opt, stat, vis } = self.read(py, Values::clone);
        (m.opt, m.stat, m.vis) = (opt, stat, vis);
        self.settled();
    }

    /// Notes that the model has all that was written.
    pub fn settled(&self) {
        self.written.store(0, Ordering::Relaxed);
    }

    /// A view of a vector in a section.
    pub fn view<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        section: &str,
        place: impl FnOnce(&Values) -> Place,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.viewed.fetch_or(part(section), Ordering::Relaxed);
        let Place { offset, kind, count } = self.read(py, place);
        assert!(offset + count * kind.bytes() <= size_of::<Values>());
        let owner = Bound::new(py, Owner::new(self.clone(), None))?;
        // SAFETY: the field lies within the values, which do not move and which `owner` keeps.
        Ok(unsafe { view(kind, self.values.get().cast::<u8>().add(offset), &[count], &owner) })
    }
}

/// Where the scalars of a field are inside of the values.
pub struct Place {
    offset: usize,
    kind: Scalar,
    count: usize,
}

impl Place {
    /// A field of `values`, as scalars of this kind.
    pub fn inside<S>(values: &Values, field: &[S], kind: Scalar) -> Place {
        let offset = (field.as_ptr() as usize).wrapping_sub(std::ptr::from_ref(values) as usize);
        let bytes = size_of_val(field);
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= size_of::<Values>()));
        assert!(bytes.is_multiple_of(kind.bytes()) && offset.is_multiple_of(kind.bytes()));
        Place { offset, kind, count: bytes / kind.bytes() }
    }
}
