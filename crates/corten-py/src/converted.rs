//! Arrays that the engine stores in another form than MuJoCo: shown through buffers of their own.
//!
//! A buffer is filled when somebody asks for the array, and is brought up to date whenever the
//! engine has run, for as long as there is a view of it. What Python wrote is handed to the
//! engine before it runs, where the engine reads such an array at all: the tendon Jacobian.

use std::sync::{Arc, Mutex, PoisonError};

use corten_model::container::Values;
use corten_sim::stage::{constraint, flex};
use corten_sim::{Data, Model};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::memory::{Arrays, Busy, Room, Scalar, Shared};

/// Names of these arrays.
pub const CONVERTED: [&str; 7] =
    ["qM", "ten_J", "ten_J_colind", "bvh_active", "flexedge_J", "flexedge_J_colind", "plugin"];

/// One array in MuJoCo's form.
struct Converted {
    name: &'static str,
    values: Values,
    shape: Vec<usize>,
}

impl Arrays for Converted {
    fn room(&mut self, _: usize, _: usize) -> Option<Room> {
        Some(match &mut self.values {
            Values::F64(v) => Room::scalars(v),
            Values::F32(v) => Room::scalars(v),
            Values::I32(v) => Room::scalars(v),
            Values::U8(v) => Room::scalars(v),
        })
    }
}

/// Refuses an array of edges and dofs that would take more than two gigabytes.
fn check_size(name: &str, m: &Model) -> PyResult<()> {
    const MAX_NUMBERS: usize = 1 << 28;
    let numbers = m.nflexedge.saturating_mul(m.nv);
    if name.starts_with("flexedge_J") && numbers > MAX_NUMBERS {
        let message = format!(
            "{name} has nflexedge x nv = {} x {} numbers, too many to write out; rows of flexes with \
             equality constraints are in efc_J",
            m.nflexedge, m.nv
        );
        return Err(PyMemoryError::new_err(message));
    }
    Ok(())
}

impl Converted {
    fn new(name: &'static str, m: &Model) -> Converted {
        let shape = match name {
            "qM" => vec![m.nM],
            "plugin" => vec![m.nplugin],
            "bvh_active" => vec![m.nbvh],
            "ten_J" | "ten_J_colind" => vec![m.ntendon, m.nv],
            _ => vec![m.nflexedge, m.nv],
        };
        let count = shape.iter().product();
        let values = match name {
            "qM" | "ten_J" | "flexedge_J" => Values::F64(vec![0.0; count]),
            "bvh_active" => Values::U8(vec![0; count]),
            _ => Values::I32(vec![0; count]),
        };
        Converted { name, values, shape }
    }

    fn kind(&self) -> Scalar {
        match self.values {
            Values::F64(_) => Scalar::F64,
            Values::F32(_) => Scalar::F32,
            Values::I32(_) => Scalar::I32,
            Values::U8(_) => Scalar::U8,
        }
    }

    /// Takes over what the engine has.
    fn fill(&mut self, m: &Model, d: &Data) {
        match (self.name, &mut self.values) {
            ("qM", Values::F64(packed)) => mass_matrix(m, d, packed),
            ("ten_J", Values::F64(rows)) if constraint::is_sparse(m) => leading(rows, &d.ten_J),
            ("ten_J", Values::F64(rows)) => {
                rows.fill(0.0);
                tendon_entries(m, d, |at, k| {
                    if let (Some(to), Some(from)) = (rows.get_mut(at), d.ten_J.get(k)) {
                        *to = *from;
                    }
                });
            }
            ("ten_J_colind", Values::I32(columns)) => leading(columns, &d.ten_J_colind),
            ("flexedge_J", Values::F64(rows)) if constraint::is_sparse(m) => {
                edge_rows(m, d, rows, |_, entries| entries);
            }
            ("flexedge_J", Values::F64(rows)) => {
                rows.fill(0.0);
                flex::for_each_edge_row(m, d, |edge, columns, entries| {
                    let Some(row) = rows.get_mut(edge * m.nv..(edge + 1) * m.nv) else { return };
                    for (&column, &entry) in columns.iter().zip(entries) {
                        row[column as usize] = entry;
                    }
                });
            }
            ("flexedge_J_colind", Values::I32(columns)) if constraint::is_sparse(m) => {
                edge_rows(m, d, columns, |columns, _| columns);
            }
            ("plugin", Values::I32(plugins)) => leading(plugins, &m.plugin),
            _ => {}
        }
    }

    /// Hands what Python wrote to the engine.
    fn adopt(&self, m: &Model, d: &mut Data) {
        let ("ten_J", Values::F64(rows)) = (self.name, &self.values) else { return };
        if constraint::is_sparse(m) {
            let n = rows.len().min(d.ten_J.len());
            d.ten_J[..n].copy_from_slice(&rows[..n]);
            return;
        }
        let mut stored = std::mem::take(&mut d.ten_J);
        tendon_entries(m, d, |at, k| {
            if let (Some(from), Some(to)) = (rows.get(at), stored.get_mut(k)) {
                *to = *from;
            }
        });
        d.ten_J = stored;
    }
}

fn leading<T: Copy>(to: &mut [T], from: &[T]) {
    let n = to.len().min(from.len());
    to[..n].copy_from_slice(&from[..n]);
}

/// Columns or entries of the edge Jacobian, row after row.
fn edge_rows<T: Copy>(
    m: &Model,
    d: &Data,
    mut to: &mut [T],
    part: impl for<'a> Fn(&'a [i32], &'a [f64]) -> &'a [T],
) {
    flex::for_each_edge_row(m, d, |_, columns, entries| {
        let from = part(columns, entries);
        let to_row = to.split_off_mut(..from.len().min(to.len()));
        leading(to_row.unwrap_or_default(), from);
    });
}

/// The mass matrix in MuJoCo's older layout: each dof's diagonal, then its ancestors upwards.
fn mass_matrix(m: &Model, d: &Data, packed: &mut [f64]) {
    for (&at, &value) in m.mapM2M.iter().zip(&d.M) {
        if let Some(slot) = usize::try_from(at).ok().and_then(|at| packed.get_mut(at)) {
            *slot = value;
        }
    }
}

/// Visits the entries of the tendon Jacobian: place in the full matrix, place where it is stored.
fn tendon_entries(m: &Model, d: &Data, mut visit: impl FnMut(usize, usize)) {
    for (row, (&nnz, &adr)) in d.ten_J_rownnz.iter().zip(&d.ten_J_rowadr).enumerate() {
        let start = usize::try_from(adr).unwrap_or(0);
        let columns = d.ten_J_colind.get(start..).unwrap_or(&[]);
        for (k, &column) in columns.iter().enumerate().take(usize::try_from(nnz).unwrap_or(0)) {
            if let Some(column) = usize::try_from(column).ok().filter(|&c| c < m.nv) {
                visit(row * m.nv + column, start + k);
            }
        }
    }
}

/// The arrays of one simulation that have been looked at.
#[derive(Default)]
pub struct Shown(Mutex<Vec<Arc<Shared<Converted>>>>);

impl Shown {
    /// A view of an array in MuJoCo's form.
    pub fn view<'py>(
        &self,
        py: Python<'py>,
        name: &'static str,
        m: &Shared<Model>,
        d: &Shared<Data>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let known = self.find(py, name)?;
        let array = match known {
            Some(array) => array,
            None => {
                let m = m.read_attached(py)?;
                check_size(name, &m)?;
                let mut fresh = Converted::new(name, &m);
                fresh.fill(&m, &*d.read_attached(py)?);
                let fresh = Shared::new(fresh);
                self.all().push(fresh.clone());
                fresh
            }
        };
        let (kind, shape) = {
            let array = array.read_attached(py)?;
            (array.kind(), array.shape.clone())
        };
        array.array(py, 0, kind, &shape)
    }

    fn find(&self, py: Python<'_>, name: &str) -> PyResult<Option<Arc<Shared<Converted>>>> {
        for array in self.all().iter() {
            if array.read_attached(py)?.name == name {
                return Ok(Some(array.clone()));
            }
        }
        Ok(None)
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Shared<Converted>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Before the engine runs: hands over what was written.
    pub fn adopt(&self, m: &Model, d: &mut Data) -> Result<(), Busy> {
        for array in self.all().iter() {
            array.read()?.adopt(m, d);
        }
        Ok(())
    }

    /// After the engine has run: brings arrays that are still in view up to date, and forgets the
    /// others.
    pub fn refresh(&self, m: &Model, d: &Data) -> Result<(), Busy> {
        let mut all = self.all();
        all.retain(|array| Arc::strong_count(array) > 1);
        for array in all.iter() {
            array.write()?.fill(m, d);
        }
        Ok(())
    }
}
