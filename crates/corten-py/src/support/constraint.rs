//! The constraint Jacobian, the cost of constraint violations, and parameters of contacts.

use corten_sim::extend::contact::{Compliance, FittedContact};
use corten_sim::{Data, solve};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::args::{List, ListOut, VectorOut};
use crate::data::PyData;
use crate::model::PyModel;
use crate::run::{read, run};
use crate::util::add_functions;

/// `res = product(vec)` for a product with the constraint Jacobian, between spaces of the given
/// sizes.
fn multiply(
    py: Python<'_>,
    (m, d): (&PyModel, &PyData),
    (res, rows): (ListOut<'_>, usize),
    (vec, columns): (List, usize),
    product: fn(&Data, &[f64], &mut [f64]),
) -> PyResult<()> {
    res.expect("res", rows)?;
    vec.expect("vec", columns)?;
    let values = read(py, m, d, move |_, d| {
        let mut values = vec![0.0; rows];
        product(d, &vec.0, &mut values);
        values
    })?;
    res.set(&values);
    Ok(())
}

/// Constraint velocities or accelerations from those of joints.
#[pyfunction]
fn mj_mulJacVec(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    res: ListOut<'_>,
    vec: List,
) -> PyResult<()> {
    let (nefc, nv) = sizes(py, m, d)?;
    multiply(py, (m, d), (res, nefc), (vec, nv), solve::mul_jacobian)
}

/// Joint forces from constraint forces.
#[pyfunction]
fn mj_mulJacTVec(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    res: ListOut<'_>,
    vec: List,
) -> PyResult<()> {
    let (nefc, nv) = sizes(py, m, d)?;
    multiply(py, (m, d), (res, nv), (vec, nefc), solve::mul_jacobian_transposed)
}

fn sizes(py: Python<'_>, m: &PyModel, d: &PyData) -> PyResult<(usize, usize)> {
    Ok((d.data.read_attached(py)?.nefc, m.shared().read_attached(py)?.nv))
}

/// Constraint states and forces from `J qacc - aref`, and their cost. The Hessian of the cone is
/// not kept, whatever `flg_coneHessian` asks for.
#[pyfunction]
#[pyo3(signature = (m, d, jar, cost, flg_coneHessian))]
fn mj_constraintUpdate(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    jar: List,
    cost: Option<VectorOut<'_, 1>>,
    flg_coneHessian: i32,
) -> PyResult<()> {
    let _ = flg_coneHessian;
    jar.expect("jar", d.data.read_attached(py)?.nefc)?;
    let value = run(py, m, d, move |m, d| solve::constraint_update(m, d, &jar.0))?;
    if let Some(cost) = cost {
        cost.set([value]);
    }
    Ok(())
}

/// `solref`, `solimp` and the misfit of a contact with a stiffness and a dissipation.
#[pyfunction]
fn fit_compliance(
    stiffness: f64,
    dissipation: f64,
    mass: f64,
    load: f64,
    speed: f64,
) -> PyResult<([f64; 2], [f64; 5], f64)> {
    for (name, value) in [("stiffness", stiffness), ("mass", mass), ("load", load)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(PyValueError::new_err(format!("{name} must be above zero: it is {value}")));
        }
    }
    for (name, value) in [("dissipation", dissipation), ("speed", speed)] {
        if !(value >= 0.0 && value.is_finite()) {
            let message = format!("{name} must not be negative: it is {value}");
            return Err(PyValueError::new_err(message));
        }
    }
    let fitted = Compliance { stiffness, dissipation }.fit(mass, load, speed);
    let FittedContact { solref, solimp, misfit } = fitted;
    Ok((solref, solimp, misfit))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; mj_mulJacVec, mj_mulJacTVec, mj_constraintUpdate, fit_compliance);
    Ok(())
}
