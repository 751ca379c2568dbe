//! MuJoCo's callbacks: Python functions that the engine calls in the middle of a step.
//!
//! They are global, as in MuJoCo. While any is set, every run of the engine carries a [`Hook`]
//! that calls them with the Python objects of its model and data. The first exception stops
//! further calls and is raised when the run ends.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corten_model::enums::Stage;
use corten_sim::hook::Hook;
use corten_sim::{Data, Model};
use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::data::DataContent;
use crate::memory::{Shared, lend_exclusive, lend_shared};
use crate::model::PyModel;
use crate::util::add_functions;

const NAMES: [&str; 9] = [
    "mjcb_control",
    "mjcb_passive",
    "mjcb_sensor",
    "mjcb_act_dyn",
    "mjcb_act_gain",
    "mjcb_act_bias",
    "mjcb_contactfilter",
    "mjcb_time",
    "mju_user_warning",
];
const CONTROL: usize = 0;
const PASSIVE: usize = 1;
const SENSOR: usize = 2;
const ACT_DYN: usize = 3;
const ACT_GAIN: usize = 4;
const ACT_BIAS: usize = 5;
const CONTACT_FILTER: usize = 6;
const TIME: usize = 7;
/// Asked by nobody in the middle of a step.
const WARNING: usize = 8;

type Table = [Option<Py<PyAny>>; NAMES.len()];

static TABLE: Mutex<Table> = Mutex::new([const { None }; NAMES.len()]);
static ANY: AtomicBool = AtomicBool::new(false);

fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn position(name: &str) -> PyResult<usize> {
    let found = NAMES.iter().position(|known| *known == name);
    found.ok_or_else(|| PyValueError::new_err(format!("there is no callback '{name}'")))
}

/// Sets a callback, or removes it.
#[pyfunction]
#[pyo3(signature = (name, callback))]
fn set_callback(name: &str, callback: Option<Bound<'_, PyAny>>) -> PyResult<()> {
    if callback.as_ref().is_some_and(|f| !f.is_callable()) {
        // The words that callers know from MuJoCo.
        return Err(PyTypeError::new_err("callback is not an Optional[Callable]"));
    }
    let at = position(name)?;
    let old = std::mem::replace(&mut table()[at], callback.map(Bound::unbind));
    // Dropped outside of the lock: that may run Python code.
    drop(old);
    ANY.store(table()[..WARNING].iter().any(Option::is_some), Ordering::Release);
    Ok(())
}

/// The callback that is set, or None.
#[pyfunction]
fn get_callback(py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
    let at = position(name)?;
    Ok(table()[at].as_ref().map(|f| f.clone_ref(py)))
}

/// Tells about something that went wrong in a call that goes on: `mju_user_warning`, or else a
/// `RuntimeWarning`.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let handler = table()[WARNING].as_ref().map(|f| f.clone_ref(py));
    let Some(handler) = handler else {
        return PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &CString::new(text)?, 1);
    };
    // Functions of C, made with `ctypes`, take bytes.
    let from_c = py.import("ctypes")?.getattr("_CFuncPtr")?;
    if handler.bind(py).is_instance(&from_c)? {
        handler.call1(py, (PyBytes::new(py, text.as_bytes()),))?;
    } else {
        handler.call1(py, (text,))?;
    }
    Ok(())
}

/// Calls the callbacks for one run of the engine.
pub struct Callbacks {
    model: Py<PyAny>,
    data: Py<PyAny>,
    /// What the two objects show.
    shared: (Arc<Shared<Model>>, Arc<Shared<Data>>),
    table: Table,
    failure: Mutex<Option<PyErr>>,
}

impl Callbacks {
    /// What a run needs, if there are callbacks.
    pub fn of(py: Python<'_>, m: &PyModel, d: &DataContent) -> PyResult<Option<Arc<Callbacks>>> {
        if !ANY.load(Ordering::Acquire) {
            return Ok(None);
        }
        let object = |found: Option<Py<PyAny>>| {
            found.ok_or_else(|| PyRuntimeError::new_err("callbacks need an MjModel and an MjData"))
        };
        let (model, data) = (object(m.object(py)?)?, object(d.object(py)?)?);
        let table = table().each_ref().map(|f| f.as_ref().map(|f| f.clone_ref(py)));
        let shared = (m.shared().clone(), d.data.clone());
        let failure = Mutex::new(None);
        Ok(Some(Arc::new(Callbacks { model, data, shared, table, failure })))
    }

    /// The exception that a callback raised.
    pub fn failure(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn fail(&self, error: PyErr) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// Calls one of them with model, data and further numbers; what it returned.
    fn call(&self, which: usize, m: &Model, d: &mut Data, more: &[i64]) -> Option<f64> {
        self.table[which].as_ref()?;
        lend_shared(&self.shared.0, m, || {
            lend_exclusive(&self.shared.1, d, || {
                self.answer(which, |py| {
                    let mut arguments = vec![self.model.clone_ref(py), self.data.clone_ref(py)];
                    for number in more {
                        arguments.push(number.into_pyobject(py)?.into_any().unbind());
                    }
                    Ok(arguments)
                })
            })
        })
    }

    /// What one of them, if set, answers to arguments; an exception is kept, and nobody asked again.
    fn answer(
        &self,
        which: usize,
        arguments: impl FnOnce(Python<'_>) -> PyResult<Vec<Py<PyAny>>>,
    ) -> Option<f64> {
        let f = self.table[which].as_ref()?;
        if self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return None;
        }
        let call = |py: Python<'_>| -> PyResult<Option<f64>> {
            let answer = f.bind(py).call1(PyTuple::new(py, arguments(py)?)?)?;
            if answer.is_none() {
                return Ok(None);
            }
            answer.extract().map(Some).map_err(|_| {
                let name = NAMES[which];
                PyTypeError::new_err(format!("{name} callback did not return a number"))
            })
        };
        Python::attach(call).unwrap_or_else(|error| {
            self.fail(error);
            None
        })
    }
}

impl Hook for Callbacks {
    fn control(&self, m: &Model, d: &mut Data) {
        self.call(CONTROL, m, d, &[]);
    }

    fn passive(&self, m: &Model, d: &mut Data) {
        self.call(PASSIVE, m, d, &[]);
    }

    fn sensor(&self, m: &Model, d: &mut Data, stage: Stage) {
        self.call(SENSOR, m, d, &[i64::from(stage.raw())]);
    }

    fn activation_rate(&self, m: &Model, d: &mut Data, actuator: usize) -> Option<f64> {
        self.call(ACT_DYN, m, d, &[actuator as i64])
    }

    fn gain(&self, m: &Model, d: &mut Data, actuator: usize) -> Option<f64> {
        self.call(ACT_GAIN, m, d, &[actuator as i64])
    }

    fn bias(&self, m: &Model, d: &mut Data, actuator: usize) -> Option<f64> {
        self.call(ACT_BIAS, m, d, &[actuator as i64])
    }

    fn time(&self) -> Option<f64> {
        self.answer(TIME, |_| Ok(Vec::new()))
    }

    fn rejects(&self, m: &Model, d: &mut Data, geoms: [usize; 2]) -> bool {
        let geoms = geoms.map(|geom| geom as i64);
        self.call(CONTACT_FILTER, m, d, &geoms).is_some_and(|answer| answer != 0.0)
    }
}

/// Whether a callback runs on this thread, in the middle of a step.
#[pyfunction]
fn is_lending() -> bool {
    crate::memory::is_lending()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; set_callback, get_callback, is_lending);
    Ok(())
}
