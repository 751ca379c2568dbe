//! The constraint Jacobian and the cost of constraint violations.

use corten_sim::solve;
use pyo3::prelude::*;

use crate::args::{List, ListOut, VectorOut};
use crate::data::PyData;
use crate::model::PyModel;
use crate::run::{read, run};
use crate::util::add_functions;

/// Constraint velocities or accelerations from those of joints.
#[pyfunction]
fn mj_mulJacVec(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    res: ListOut<'_>,
    vec: List,
) -> PyResult<()> {
    let nefc = d.data.read_attached(py).nefc;
    res.expect("res", nefc)?;
    vec.expect("vec", m.model.read_attached(py).nv)?;
    let rows = read(py, m, d, move |_, d| {
        let mut rows = vec![0.0; nefc];
        solve::mul_jacobian(d, &vec.0, &mut rows);
        rows
    })?;
    res.set(&rows);
    Ok(())
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
    let nv = m.model.read_attached(py).nv;
    res.expect("res", nv)?;
    vec.expect("vec", d.data.read_attached(py).nefc)?;
    let forces = read(py, m, d, move |_, d| {
        let mut forces = vec![0.0; nv];
        solve::mul_jacobian_transposed(d, &vec.0, &mut forces);
        forces
    })?;
    res.set(&forces);
    Ok(())
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
    jar.expect("jar", d.data.read_attached(py).nefc)?;
    let value = run(py, m, d, move |m, d| solve::constraint_update(m, d, &jar.0))?;
    if let Some(cost) = cost {
        cost.set([value]);
    }
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; mj_mulJacVec, mj_mulJacTVec, mj_constraintUpdate);
    Ok(())
}
