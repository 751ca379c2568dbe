//! Simulations.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use corten_model::Model;
use corten_model::arrays::ArrayRef;
use corten_model::container::Values;
use corten_sim::stage::constraint;
use corten_sim::{Data, solve};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::fields;
use crate::memory::{Owner, Place, Scalar, Shared};
use crate::model::{PyModel, cannot_set};
use crate::run::{protect, run};
use crate::saved;

/// The changing part of a simulation, under MuJoCo's field names.
///
/// Arrays whose lengths follow from the model are writable NumPy views of the simulation's own
/// memory. What grows with contacts and constraints is returned as a read-only copy.
#[pyclass(name = "DataBase", module = "corten._corten", frozen, subclass, dict, weakref)]
pub struct PyData {
    pub data: Arc<Shared<Data>>,
    pub model: Py<PyModel>,
    owner: Py<Owner>,
    /// An array was lost when the engine failed.
    broken: AtomicBool,
}

/// What a simulation is copied from.
#[derive(FromPyObject)]
enum Source<'py> {
    Data(Bound<'py, PyData>),
    Bytes(PyBackedBytes),
}

/// Small fixed arrays inside of the data.
const INLINE: [&str; 4] = ["energy", "solver_fwdinv", "solver_niter", "solver_nnz"];

/// Fields in MuJoCo's layout that are stored in another form and converted on demand.
const CONVERTED: [&str; 7] =
    ["qM", "ten_J", "ten_J_colind", "bvh_active", "flexedge_J", "flexedge_J_colind", "plugin"];

impl PyData {
    pub fn check_usable(&self) -> PyResult<()> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(PyRuntimeError::new_err(
                "this data was left incomplete when the engine failed: make a new one",
            ));
        }
        Ok(())
    }

    /// After a run of the engine: if it failed, looks whether the data can still be used.
    pub fn note_failure(&self, failed: bool) {
        if failed && !self.data.is_intact() {
            self.broken.store(true, Ordering::Relaxed);
        }
    }

    /// Fills a field that the engine only computes for those who look at it.
    fn materialize(&self, py: Python<'_>, field: &str) -> PyResult<()> {
        let fill: fn(&Model, &mut Data) = match field {
            "nJ" | "efc_J" | "efc_J_rownnz" | "efc_J_rowadr" | "efc_J_rowsuper"
            | "efc_J_colind" => constraint::materialize_jacobian,
            "nA" | "efc_AR" | "efc_AR_rownnz" | "efc_AR_rowadr" | "efc_AR_colind" => {
                solve::materialize_dual
            }
            "iLD" | "iLDiagInv" => solve::materialize_islands,
            _ if field.starts_with("iM") || field.starts_with("iefc_") => {
                solve::materialize_islands
            }
            _ => return Ok(()),
        };
        run(py, self.model.get(), self, fill)
    }

    /// Checks that `m` can be used with this data: it is the model it was made for, or one of the
    /// same sizes.
    pub fn check_model(&self, py: Python<'_>, m: &PyModel) -> PyResult<()> {
        let own = &self.model.get().model;
        if Arc::ptr_eq(own, &m.model) {
            return Ok(());
        }
        let (own, other) = (own.read_attached(py), m.model.read_attached(py));
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

    fn fixed_view<'py>(&self, py: Python<'py>, index: usize) -> Bound<'py, PyAny> {
        let info = &Data::ARRAYS[index];
        let m = self.model.get().model.read_attached(py);
        let shape = fields::shape(&m, info, m.size(info.rows).unwrap_or(0));
        drop(m);
        let place = self.data.write_attached(py).array_place(index);
        let place = place.unwrap_or((std::ptr::dangling_mut::<f64>().cast(), 0));
        self.data.view(Place::buffer(place, fields::scalar(info)), &shape, self.owner.bind(py))
    }

    fn inline_view<'py>(&self, py: Python<'py>, field: &str) -> Bound<'py, PyAny> {
        let d = self.data.read_attached(py);
        let place = match field {
            "energy" => Place::inside(&*d, &d.energy, Scalar::F64),
            "solver_fwdinv" => Place::inside(&*d, &d.solver_fwdinv, Scalar::F64),
            "solver_niter" => Place::inside(&*d, &d.solver_niter, Scalar::I32),
            _ => Place::inside(&*d, &d.solver_nnz, Scalar::I32),
        };
        let count = place.count();
        drop(d);
        self.data.view(place, &[count], self.owner.bind(py))
    }

    /// The valid part of an array that grows, and its shape.
    fn dynamic_values(&self, py: Python<'_>, index: usize) -> (Values, Vec<usize>) {
        let info = &Data::ARRAYS[index];
        let m = self.model.get().model.read_attached(py);
        let d = self.data.read_attached(py);
        let values = d.array(index).unwrap_or(ArrayRef::F64(&[]));
        let columns = fields::shape(&m, info, 1).iter().product::<usize>().max(1);
        // Vectors may keep room from earlier, larger scenes, and stay empty while not needed: the
        // size says how many rows there are.
        let stored = values.len() / columns;
        let rows = d.size(info.rows).or_else(|| m.size(info.rows)).unwrap_or(stored);
        (fields::copied(values, rows * columns), fields::shape(&m, info, rows))
    }

    /// A field in MuJoCo's layout, and its shape.
    fn converted_values(&self, py: Python<'_>, field: &str) -> (Values, Vec<usize>) {
        let m = self.model.get().model.read_attached(py);
        let d = self.data.read_attached(py);
        match field {
            "qM" => (Values::F64(packed_mass_matrix(&m, &d)), vec![m.nM]),
            "plugin" => (Values::I32(m.plugin.clone()), vec![m.nplugin]),
            "bvh_active" => (Values::U8(vec![0; m.nbvh]), vec![m.nbvh]),
            "ten_J" if constraint::is_sparse(&m) => {
                (fields::copied(ArrayRef::F64(&d.ten_J), m.ntendon * m.nv), vec![m.ntendon, m.nv])
            }
            "ten_J" => (Values::F64(tendon_rows(&m, &d)), vec![m.ntendon, m.nv]),
            "ten_J_colind" => {
                let stored = ArrayRef::I32(&d.ten_J_colind);
                (fields::copied(stored, m.ntendon * m.nv), vec![m.ntendon, m.nv])
            }
            "flexedge_J" => (Values::F64(vec![0.0; m.nflexedge * m.nv]), vec![m.nflexedge, m.nv]),
            _ => (Values::I32(vec![0; m.nflexedge * m.nv]), vec![m.nflexedge, m.nv]),
        }
    }
}

/// The mass matrix in MuJoCo's older layout: each dof's diagonal, then its ancestors upwards.
fn packed_mass_matrix(m: &Model, d: &Data) -> Vec<f64> {
    let mut packed = vec![0.0; m.nM];
    for (&at, &value) in m.mapM2M.iter().zip(&d.M) {
        if let Some(slot) = usize::try_from(at).ok().and_then(|at| packed.get_mut(at)) {
            *slot = value;
        }
    }
    packed
}

/// Tendon Jacobians as full rows.
fn tendon_rows(m: &Model, d: &Data) -> Vec<f64> {
    let mut rows = vec![0.0; m.ntendon * m.nv];
    each_nonzero(&d.ten_J_rownnz, &d.ten_J_rowadr, &mut |row, at| {
        let column = usize::try_from(*d.ten_J_colind.get(at)?).ok().filter(|&c| c < m.nv)?;
        *rows.get_mut(row * m.nv + column)? = *d.ten_J.get(at)?;
        Some(())
    });
    rows
}

/// Visits the entries of sparse rows: row, and position in the values.
fn each_nonzero(rownnz: &[i32], rowadr: &[i32], visit: &mut dyn FnMut(usize, usize) -> Option<()>) {
    for (row, (&nnz, &adr)) in rownnz.iter().zip(rowadr).enumerate() {
        for k in 0..usize::try_from(nnz).unwrap_or(0) {
            if visit(row, usize::try_from(adr).unwrap_or(0) + k).is_none() {
                break;
            }
        }
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
        let shared = model.get().model.clone();
        let data = match source {
            None => protect(py, move || Data::new(&shared.read()))?,
            Some(Source::Data(other)) => {
                other.get().check_model(py, model.get())?;
                let data = other.get().data.clone();
                protect(py, move || data.read().clone())?
            }
            Some(Source::Bytes(bytes)) => {
                let bytes = bytes.to_vec();
                protect(py, move || saved::from_bytes(&shared.read(), &bytes))?
                    .map_err(PyValueError::new_err)?
            }
        };
        let data = Shared::new(data);
        let owner = Py::new(py, Owner::new(data.clone()))?;
        Ok(PyData { data, model: model.clone().unbind(), owner, broken: AtomicBool::new(false) })
    }

    /// Everything in the data, for the constructor's `source`.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.materialize(py, "efc_J")?;
        self.materialize(py, "efc_AR")?;
        let bytes = saved::to_bytes(&self.data.read_attached(py));
        Ok(PyBytes::new(py, &bytes))
    }

    #[getter]
    fn model(&self, py: Python<'_>) -> Py<PyModel> {
        self.model.clone_ref(py)
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        self.data.read_attached(py).time
    }

    #[getter]
    fn ncon(&self, py: Python<'_>) -> usize {
        self.data.read_attached(py).ncon
    }

    #[getter]
    fn nplugin(&self, py: Python<'_>) -> usize {
        self.model.get().model.read_attached(py).nplugin
    }

    #[getter]
    fn nefc(&self, py: Python<'_>) -> usize {
        self.data.read_attached(py).nefc
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

    fn __getattr__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let field = name.to_cow()?;
        if CONVERTED.contains(&field.as_ref()) {
            let (values, shape) = this.converted_values(py, &field);
            return fields::frozen_values(py, values, &shape);
        }
        if let Some(index) = Data::array_index(&field) {
            if index >= Data::FIXED_ARRAYS {
                this.materialize(py, &field)?;
                let (values, shape) = this.dynamic_values(py, index);
                return fields::frozen_values(py, values, &shape);
            }
            let view = this.fixed_view(py, index);
            fields::attributes(slf)?.set_item(name, &view)?;
            return Ok(view);
        }
        if INLINE.contains(&field.as_ref()) {
            let view = this.inline_view(py, &field);
            fields::attributes(slf)?.set_item(name, &view)?;
            return Ok(view);
        }
        this.materialize(py, &field)?;
        if let Some(size) = this.data.read_attached(py).size(&field) {
            return Ok(size.into_pyobject(py)?.into_any());
        }
        let class = slf.get_type().name()?;
        Err(PyAttributeError::new_err(format!("'{class}' object has no attribute '{field}'")))
    }

    fn __setattr__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let field = name.to_cow()?;
        if field == "time" {
            let time = value.extract()?;
            slf.get().data.write_attached(slf.py()).time = time;
            return Ok(());
        }
        let fixed = Data::array_index(&field).is_some_and(|i| i < Data::FIXED_ARRAYS);
        if fixed || INLINE.contains(&field.as_ref()) {
            return fields::assign(&slf.getattr(name)?, value);
        }
        Err(cannot_set(slf.as_any(), &field))
    }

    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let class = slf.get_type();
        let names = py.import("builtins")?.call_method1("dir", (class,))?.cast_into::<PyList>()?;
        for name in Data::SIZES.iter().copied().chain(all_arrays()) {
            names.append(name)?;
        }
        names.sort()?;
        Ok(names)
    }
}

/// Names of all array fields, each once.
fn all_arrays() -> impl Iterator<Item = &'static str> {
    let listed = Data::ARRAYS.iter().map(|info| info.name);
    let converted = CONVERTED.into_iter().filter(|name| Data::array_index(name).is_none());
    listed.chain(INLINE).chain(converted)
}
