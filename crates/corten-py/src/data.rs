//! Simulations.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use corten_sim::hook::Hooks;
use corten_sim::stage::constraint;
use corten_sim::{Contact, Data, Model, NISLAND, OnExcess, solve};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::attributes::{DATA_FIELDS, Handed};
use crate::converted::{CONVERTED, Shown};
use crate::errors::fatal;
use crate::fields;
use crate::memory::{Arrays, Busy, Kept, Room, Scalar, Shared, is_lending};
use crate::model::PyModel;
use crate::run::{access, run};
use crate::saved;

/// The changing part of a simulation, under MuJoCo's field names.
///
/// Arrays are writable NumPy views of the simulation's own memory. Those whose lengths follow from
/// the model show the present numbers for as long as they live. Those that grow with contacts and
/// constraints show them until the next step; later, the memory that was theirs, with whatever it
/// holds.
#[pyclass(name = "DataBase", module = "corten._corten", frozen, subclass)]
pub struct PyData(Arc<DataContent>);

/// What the objects of one simulation share: Python's own, and the one that named views hold.
pub struct DataContent {
    pub data: Arc<Shared<Data>>,
    pub model: Py<PyModel>,
    /// Arrays in MuJoCo's form that have been looked at.
    pub shown: Shown,
    /// Which of the fields that are only computed on demand are up to date: bits of [`Filled`].
    filled: AtomicU8,
    /// Views of arrays that grow with the scene, by array; after them, contacts and statistics.
    views: Mutex<Vec<Option<Kept>>>,
    /// Whether contacts have been looked at since the engine ran.
    pub contacts_shown: AtomicBool,
    /// How often the engine has run.
    runs: AtomicU64,
    /// Views of arrays that stay where they are.
    pub handed: Handed,
    /// Weak reference to the Python object, for callbacks.
    object: OnceLock<Py<PyAny>>,
}

impl Deref for PyData {
    type Target = DataContent;
    fn deref(&self) -> &DataContent {
        &self.0
    }
}

/// How fields start that repeat vectors, rows and inertia island by island.
const BY_ISLAND: [&str; 5] = ["iM", "iLD", "ifrc_", "iacc", "iefc_"];

/// Fields that the engine only computes for those who look at them.
#[derive(Clone, Copy, PartialEq)]
pub enum Filled {
    Jacobian = 1,
    Dual = 2,
    Islands = 4,
}

impl Filled {
    /// What a field is part of.
    pub fn of(field: &str) -> Option<Filled> {
        match field {
            "nJ" => Some(Filled::Jacobian),
            "nA" => Some(Filled::Dual),
            _ if field.starts_with("efc_J") => Some(Filled::Jacobian),
            _ if field.starts_with("efc_AR") => Some(Filled::Dual),
            _ if BY_ISLAND.iter().any(|start| field.starts_with(start)) => Some(Filled::Islands),
            _ => None,
        }
    }
}

/// What a simulation is copied from.
#[derive(FromPyObject)]
enum Source<'py> {
    Data(Bound<'py, PyData>),
    Bytes(PyBackedBytes),
}

/// Small arrays of a fixed length.
pub const INLINE: [&str; 4] = ["energy", "solver_fwdinv", "solver_niter", "solver_nnz"];

impl DataContent {
    /// The Python object, if it is known.
    pub fn object(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.object.get().map(|reference| reference.call0(py)).transpose()
    }

    /// Fills a field that the engine only computes for those who look at it.
    pub fn materialize(&self, py: Python<'_>, part: Filled) -> PyResult<()> {
        let filled = self.filled.load(Ordering::Relaxed);
        if filled & part as u8 != 0 {
            return Ok(());
        }
        let fill: fn(&Model, &mut Data) = match part {
            Filled::Jacobian => constraint::materialize_jacobian,
            Filled::Dual => solve::materialize_dual,
            Filled::Islands => solve::materialize_islands,
        };
        run(py, self.model.get(), self, fill)?;
        // In the middle of a stage, rows may still change before the engine has run to its end.
        if !is_lending() {
            self.filled.store(filled | part as u8, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Before the engine runs: hands over what Python wrote into arrays whose working form lies
    /// elsewhere.
    pub fn adopt(&self, m: &Model, d: &mut Data) -> Result<(), Busy> {
        self.shown.adopt(m, d)?;
        let contacts = self.contacts_shown.swap(false, Ordering::Relaxed);
        constraint::adopt(m, d, contacts);
        Ok(())
    }

    /// After the engine has run: brings what Python looks at up to date.
    pub fn refresh(&self, m: &Model, d: &Data) -> Result<(), Busy> {
        self.filled.store(0, Ordering::Relaxed);
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.shown.refresh(m, d)
    }

    /// Checks that `m` can be used with this data: it is the model it was made for, or one of the
    /// same sizes.
    pub fn check_model(&self, py: Python<'_>, m: &PyModel) -> PyResult<()> {
        let (own, other) = (self.model.get().shared(), m.shared());
        if Arc::ptr_eq(own, other) {
            return Ok(());
        }
        let (own, other) = (own.read_attached(py)?, other.read_attached(py)?);
        let differing = Model::SIZES.iter().find(|size| own.size(size) != other.size(size));
        match differing {
            None => Ok(()),
            Some(size) => Err(PyValueError::new_err(format!(
                "the data was made for another model: its {size} is {}, the given model's is {}",
                own.size(size).unwrap_or(0),
                other.size(size).unwrap_or(0)
            ))),
        }
    }

    /// A view of an array, filled if need be.
    pub fn shown_array<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        if let Some(part) = Filled::of(Data::ARRAYS[index].name) {
            self.materialize(py, part)?;
        }
        self.array_view(py, index)
    }

    fn array_view<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let info = &Data::ARRAYS[index];
        let shape = {
            let m = self.model.get().shared().read_attached(py)?;
            // The size says how many rows there are: vectors may keep room from larger scenes,
            // and stay empty while not needed.
            let own = self.data.read_attached(py)?.size(info.rows);
            fields::shape(&m, info, own.or_else(|| m.size(info.rows)).unwrap_or(0))
        };
        let count = shape.iter().product();
        self.kept_view(py, index, fields::scalar(info), &shape, |d| d.room(index, count))
    }

    /// A view of a buffer that may move from step to step, under the number of its array.
    pub fn kept_view<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        kind: Scalar,
        shape: &[usize],
        room: impl FnOnce(&mut Data) -> Option<Room>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let place = || self.views.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out, since a new view calls into Python, which may release the interpreter lock.
        let mut kept = place().get_mut(index).and_then(Option::take);
        let view = self.data.kept_buffer(py, Some(&mut kept), kind, shape, room);
        let mut views = place();
        if views.len() <= index {
            views.resize_with(index + 1, || None);
        }
        let old = std::mem::replace(&mut views[index], kept);
        drop(views);
        drop(old);
        view
    }

    pub fn inline_view<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let (kind, count) = match field {
            "energy" | "solver_fwdinv" => (Scalar::F64, 2),
            _ => (Scalar::I32, NISLAND),
        };
        self.data.buffer(py, kind, &[count], |d| {
            Some(match field {
                "energy" => Room::array(&mut d.energy),
                "solver_fwdinv" => Room::array(&mut d.solver_fwdinv),
                "solver_niter" => Room::array(&mut d.solver_niter),
                _ => Room::array(&mut d.solver_nnz),
            })
        })
    }
}

#[pymethods]
impl PyData {
    /// Data for a model, in its reference pose; or a copy of `source`, data or bytes, which must
    /// belong to a model of the same sizes.
    #[new]
    #[pyo3(signature = (model, source=None))]
    fn new(
        py: Python<'_>,
        model: &Bound<'_, PyModel>,
        source: Option<Source<'_>>,
    ) -> PyResult<PyData> {
        let shared = model.get().model(py)?.clone();
        let mut data = match source {
            None => access(py, move || Ok(Data::new(&*shared.read_current()?)))?,
            Some(Source::Data(other)) => {
                other.get().check_model(py, model.get())?;
                let data = other.get().data.clone();
                let mut copy = access(py, move || Ok(data.read()?.clone()))?;
                copy.hooks = Hooks::default();
                copy
            }
            Some(Source::Bytes(bytes)) => {
                let bytes = bytes.to_vec();
                access(py, move || Ok(saved::from_bytes(&*shared.read_current()?, &bytes)))?
                    .map_err(PyValueError::new_err)?
            }
        };
        // As in MuJoCo: the first contacts are kept. Functions that raise `StepError` say otherwise.
        data.budget.on_excess = OnExcess::Keep;
        Ok(PyData(Arc::new(DataContent {
            data: Shared::new(data),
            model: model.clone().unbind(),
            shown: Shown::default(),
            filled: AtomicU8::new(0),
            views: Mutex::default(),
            contacts_shown: AtomicBool::new(false),
            runs: AtomicU64::new(0),
            handed: Handed::new(DATA_FIELDS),
            object: OnceLock::new(),
        })))
    }

    /// Another object of this simulation, which does not keep this one alive: for what this one keeps.
    fn twin(&self) -> PyData {
        PyData(self.0.clone())
    }

    /// A number that changes whenever the engine has run.
    #[getter]
    fn _runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Takes a weak reference to the object that this is the base of.
    fn remember(&self, reference: Py<PyAny>) {
        let _ = self.object.set(reference);
    }

    /// Adds a contact with default values.
    fn add_contact(&self, py: Python<'_>) -> PyResult<()> {
        let mut d = self.data.write_attached(py)?;
        let n = d.ncon;
        d.contact.truncate(n);
        d.contact.push(Contact::default());
        d.ncon = d.contact.len();
        Ok(())
    }

    /// Says that there are so many contacts, constraint rows and nonzeros of their Jacobian, with room for
    /// them; what they hold is for the caller to write.
    fn resize_constraints(
        &self,
        py: Python<'_>,
        ncon: usize,
        nefc: usize,
        nJ: usize,
    ) -> PyResult<()> {
        let mut d = self.data.write_attached(py)?;
        // Rows have about twenty numbers each, besides their entries of the Jacobian.
        let row = 20 * size_of::<f64>();
        let parts = [(ncon, size_of::<Contact>()), (nefc, row), (nJ, size_of::<f64>())];
        let bytes =
            parts.iter().fold(0usize, |sum, (n, size)| sum.saturating_add(n.saturating_mul(*size)));
        let fits = bytes <= d.budget.bytes;
        let (ncon, nefc, nJ) = if fits { (ncon, nefc, nJ) } else { (0, 0, 0) };
        d.contact.resize(ncon, Contact::default());
        (d.ncon, d.nefc, d.nJ) = (ncon, nefc, nJ);
        self.filled.store(Filled::Jacobian as u8 | Filled::Dual as u8, Ordering::Relaxed);
        if fits {
            return Ok(());
        }
        let megabytes = d.budget.bytes >> 20;
        Err(fatal(format!(
            "Insufficient arena memory, currently allocated memory=\"{megabytes}M\". Increase using \
             <size memory=\"X\"/>."
        )))
    }

    /// Number of threads that may solve constraint islands, 1 at first. Not part of MuJoCo's interface.
    ///
    /// Results have the same bits for any number. Pays in scenes with several large islands.
    fn set_threads(&self, py: Python<'_>, count: usize) -> PyResult<()> {
        if count == 0 {
            return Err(PyValueError::new_err("there must be one thread at least"));
        }
        self.data.write_attached(py)?.set_threads(count);
        Ok(())
    }

    /// Bytes that pairs, contacts and constraint rows may take, and the matrix of the solver; at first the
    /// model's limit `data_bytes`. Not part of MuJoCo's interface.
    #[getter]
    fn memory_limit(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.data.read_attached(py)?.budget.bytes)
    }

    fn set_memory_limit(&self, py: Python<'_>, bytes: usize) -> PyResult<()> {
        self.data.write_attached(py)?.budget.bytes = bytes;
        Ok(())
    }

    /// Force of each joint's limit, zero within the range; a copy. Not part of MuJoCo's interface.
    #[getter]
    fn jnt_limit_frc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.data.read_attached(py)?.jnt_limit_frc))
    }

    /// Force of each tendon's limit, zero within the range; a copy. Not part of MuJoCo's interface.
    #[getter]
    fn ten_limit_frc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.data.read_attached(py)?.ten_limit_frc))
    }

    /// How often conjugate gradients stopped at the limit of iterations, short of the tolerance, since
    /// the last reset. Not part of MuJoCo's interface.
    #[getter]
    fn solver_unconverged(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.data.read_attached(py)?.solver.unconverged)
    }

    /// Everything in the data, for the constructor's `source`.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.materialize(py, Filled::Jacobian)?;
        self.materialize(py, Filled::Dual)?;
        let bytes = saved::to_bytes(&*self.data.read_attached(py)?);
        Ok(PyBytes::new(py, &bytes))
    }

    #[getter]
    fn model(&self, py: Python<'_>) -> Py<PyModel> {
        self.model.clone_ref(py)
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.data.read_attached(py)?.time)
    }

    #[setter]
    fn set_time(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        self.data.write_attached(py)?.time = time;
        Ok(())
    }

    #[getter]
    fn nplugin(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.model.get().shared().read_attached(py)?.nplugin)
    }

    #[getter]
    fn _address(&self) -> usize {
        Arc::as_ptr(&self.data) as usize
    }

    /// The size that counts the rows of each array field.
    #[classattr]
    fn _array_rows() -> HashMap<&'static str, &'static str> {
        Data::ARRAYS.iter().map(|info| (info.name, info.rows)).collect()
    }

    #[classattr]
    fn _array_fields() -> Vec<&'static str> {
        all_arrays().collect()
    }

    /// Arrays whose lengths follow from the model.
    #[classattr]
    fn _fixed_fields() -> Vec<&'static str> {
        Data::ARRAYS[..Data::FIXED_ARRAYS].iter().map(|info| info.name).collect()
    }
}

/// Names of all array fields, each once.
fn all_arrays() -> impl Iterator<Item = &'static str> {
    let listed = Data::ARRAYS.iter().map(|info| info.name);
    let converted = CONVERTED.into_iter().filter(|name| Data::array_index(name).is_none());
    listed.chain(INLINE).chain(converted)
}
