//! Derivatives by finite differences.

use corten_sim::derivative::{self, DerivativeError, InverseJacobians, Transition};
use pyo3::prelude::*;

use crate::args::MatrixOut;
use crate::data::PyData;
use crate::errors::fatal;
use crate::model::PyModel;
use crate::run::run;
use crate::util::add_functions;

/// Matrices that may be asked for: their names, shapes and arrays.
struct Wanted<'py, const N: usize>([(&'static str, [usize; 2], Option<MatrixOut<'py>>); N]);

impl<const N: usize> Wanted<'_, N> {
    /// Memory for the matrices that were asked for, after a look at the shapes of their arrays.
    fn memory(&self) -> PyResult<[Option<Vec<f64>>; N]> {
        for (name, [rows, cols], out) in &self.0 {
            if let Some(out) = out {
                out.expect(name, *rows, *cols)?;
            }
        }
        Ok(std::array::from_fn(|i| {
            let (_, [rows, cols], out) = &self.0[i];
            out.as_ref().map(|_| vec![0.0; rows * cols])
        }))
    }

    fn set(&self, values: [Option<Vec<f64>>; N]) {
        for ((_, _, out), values) in self.0.iter().zip(values) {
            if let (Some(out), Some(values)) = (out, values) {
                out.set(&values);
            }
        }
    }
}

/// Transition matrices of a step: next state by state and control, sensors by state and control.
#[pyfunction]
#[pyo3(signature = (m, d, eps, flg_centered, A, B, C, D))]
fn mjd_transitionFD(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    eps: f64,
    flg_centered: i32,
    A: Option<MatrixOut<'_>>,
    B: Option<MatrixOut<'_>>,
    C: Option<MatrixOut<'_>>,
    D: Option<MatrixOut<'_>>,
) -> PyResult<()> {
    let (nx, nu, ns) = {
        let model = m.read(py)?;
        (2 * model.nv + model.na, model.nu, model.nsensordata)
    };
    let wanted =
        Wanted([("A", [nx, nx], A), ("B", [nx, nu], B), ("C", [ns, nx], C), ("D", [ns, nu], D)]);
    let mut memory = wanted.memory()?;
    let memory = run(py, m, d, move |m, d| {
        let [a, b, c, e] = memory.each_mut().map(Option::as_deref_mut);
        let out = Transition { a, b, c, d: e };
        derivative::transition_fd(m, d, eps, flg_centered != 0, out).map(|()| memory)
    })?
    .map_err(error)?;
    wanted.set(memory);
    Ok(())
}

/// Jacobians of inverse dynamics: forces, sensors and mass matrix by position, velocity and
/// acceleration, one row per perturbed degree of freedom.
#[pyfunction]
#[pyo3(signature = (m, d, eps, flg_actuation, DfDq, DfDv, DfDa, DsDq, DsDv, DsDa, DmDq))]
fn mjd_inverseFD(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    eps: f64,
    flg_actuation: i32,
    DfDq: Option<MatrixOut<'_>>,
    DfDv: Option<MatrixOut<'_>>,
    DfDa: Option<MatrixOut<'_>>,
    DsDq: Option<MatrixOut<'_>>,
    DsDv: Option<MatrixOut<'_>>,
    DsDa: Option<MatrixOut<'_>>,
    DmDq: Option<MatrixOut<'_>>,
) -> PyResult<()> {
    let (nv, ns, nm) = {
        let model = m.read(py)?;
        (model.nv, model.nsensordata, model.nM)
    };
    let wanted = Wanted([
        ("DfDq", [nv, nv], DfDq),
        ("DfDv", [nv, nv], DfDv),
        ("DfDa", [nv, nv], DfDa),
        ("DsDq", [nv, ns], DsDq),
        ("DsDv", [nv, ns], DsDv),
        ("DsDa", [nv, ns], DsDa),
        ("DmDq", [nv, nm], DmDq),
    ]);
    let mut memory = wanted.memory()?;
    let memory = run(py, m, d, move |m, d| {
        let [fq, fv, fa, sq, sv, sa, mq] = memory.each_mut().map(Option::as_deref_mut);
        let out = InverseJacobians {
            force_by_position: fq,
            force_by_velocity: fv,
            force_by_acceleration: fa,
            sensors_by_position: sq,
            sensors_by_velocity: sv,
            sensors_by_acceleration: sa,
            mass_by_position: mq,
        };
        derivative::inverse_fd(m, d, eps, flg_actuation != 0, out).map(|()| memory)
    })?
    .map_err(error)?;
    wanted.set(memory);
    Ok(())
}

fn error(e: DerivativeError) -> PyErr {
    fatal(e.to_string())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; mjd_transitionFD, mjd_inverseFD);
    Ok(())
}
