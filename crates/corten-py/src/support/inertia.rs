//! The mass matrix and its factor.

use corten_sim::stage::{inertia, velocity};
use pyo3::prelude::*;

use crate::args::{List, ListOut, Matrix, MatrixOut, type_error};
use crate::data::PyData;
use crate::model::PyModel;
use crate::run::{read, run};
use crate::util::add_functions;

/// Expands a mass matrix from MuJoCo's packed layout, as in `qM`, to all entries.
#[pyfunction]
fn mj_fullM(py: Python<'_>, m: &PyModel, dst: MatrixOut<'_>, M: List) -> PyResult<()> {
    let model = m.read(py)?;
    let nv = model.nv;
    M.expect("M", model.nM)?;
    dst.expect("dst", nv, nv)?;
    let mut full = vec![0.0; nv * nv];
    let mut packed = M.0.iter();
    for i in 0..nv {
        // A dof's entries: the diagonal, then its ancestors upwards.
        let mut j = Some(i);
        while let Some(column) = j {
            let Some(&x) = packed.next() else { break };
            full[i * nv + column] = x;
            full[column * nv + i] = x;
            j = usize::try_from(model.dof_parentid[column]).ok().filter(|&p| p < column);
        }
    }
    drop(model);
    dst.set(&full);
    Ok(())
}

/// Multiplies by the mass matrix.
#[pyfunction]
fn mj_mulM(py: Python<'_>, m: &PyModel, d: &PyData, res: ListOut<'_>, vec: List) -> PyResult<()> {
    product(py, m, d, res, vec, inertia::mul)
}

/// Multiplies by the square root of the mass matrix.
#[pyfunction]
fn mj_mulM2(py: Python<'_>, m: &PyModel, d: &PyData, res: ListOut<'_>, vec: List) -> PyResult<()> {
    product(py, m, d, res, vec, inertia::mul_half)
}

fn product(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    res: ListOut<'_>,
    vec: List,
    multiply: impl FnOnce(&corten_sim::Data, &[f64], &mut [f64]) + Send,
) -> PyResult<()> {
    let nv = m.read(py)?.nv;
    res.expect("res", nv)?;
    vec.expect("vec", nv)?;
    let result = read(py, m, d, |_, d| {
        let mut result = vec![0.0; nv];
        multiply(d, &vec.0, &mut result);
        result
    })?;
    res.set(&result);
    Ok(())
}

/// Solves with the factored mass matrix: one right-hand side per row.
#[pyfunction]
fn mj_solveM(py: Python<'_>, m: &PyModel, d: &PyData, x: MatrixOut<'_>, y: Matrix) -> PyResult<()> {
    solve(py, m, d, x, y, inertia::solve)
}

/// Half of a solve: the result's squared norm is `yᵀ M⁻¹ y`.
#[pyfunction]
#[pyo3(signature = (m, d, x, y, sqrtInvD))]
fn mj_solveM2(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    x: MatrixOut<'_>,
    y: Matrix,
    sqrtInvD: List,
) -> PyResult<()> {
    sqrtInvD.expect("sqrtInvD", m.read(py)?.nv)?;
    solve(py, m, d, x, y, move |d, v| inertia::solve_half(d, &sqrtInvD.0, v))
}

fn solve(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    x: MatrixOut<'_>,
    y: Matrix,
    solver: impl Fn(&corten_sim::Data, &mut [f64]) + Send,
) -> PyResult<()> {
    let nv = m.read(py)?.nv;
    if y.cols != nv {
        return Err(type_error(format!("the last dimension of y must be nv = {nv}")));
    }
    x.expect("x", y.rows, nv)?;
    let result = read(py, m, d, move |_, d| {
        let mut values = y.values;
        values.chunks_exact_mut(nv.max(1)).for_each(|row| solver(d, row));
        values
    })?;
    x.set(&result);
    Ok(())
}

/// Adds the mass matrix to a sparse matrix whose rows have room for its entries.
#[pyfunction]
fn mj_addM(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    dst: ListOut<'_>,
    rownnz: ListOut<'_, i32>,
    rowadr: ListOut<'_, i32>,
    colind: ListOut<'_, i32>,
) -> PyResult<()> {
    d.check_model(py, m)?;
    let model = m.read(py)?;
    let data = d.data.read_attached(py)?;
    dst.expect("dst", model.nM)?;
    rownnz.expect("rownnz", model.nv)?;
    rowadr.expect("rowadr", model.nv)?;
    colind.expect("colind", model.nM)?;
    let (mut values, mut columns) = (dst.get(), colind.get());
    let (mut counts, starts) = (rownnz.get(), rowadr.get());
    for i in 0..model.nv {
        let size = |x: i32| usize::try_from(x).unwrap_or(0);
        let (start, count) = (size(starts[i]), size(counts[i]));
        let (own, n) = (size(model.M_rowadr[i]), size(model.M_rownnz[i]));
        let given =
            (start..start + count).filter_map(|k| Some((*columns.get(k)?, *values.get(k)?)));
        let mut row: Vec<(i32, f64)> = given.collect();
        for k in own..own + n {
            let (Some(&column), Some(&x)) = (model.M_colind.get(k), data.M.get(k)) else { break };
            match row.binary_search_by_key(&column, |entry| entry.0) {
                Ok(at) => row[at].1 += x,
                Err(at) => row.insert(at, (column, x)),
            }
        }
        if start + row.len() > values.len() {
            return Err(type_error(format!("row {i} has no room for its entries")));
        }
        for (k, (column, x)) in row.iter().enumerate() {
            columns[start + k] = *column;
            values[start + k] = *x;
        }
        counts[i] = row.len() as i32;
    }
    drop((model, data));
    dst.set(&values);
    colind.set(&columns);
    rownnz.set(&counts);
    Ok(())
}

/// Inverse dynamics without constraints, with or without the effect of accelerations.
#[pyfunction]
fn mj_rne(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    flg_acc: i32,
    result: ListOut<'_>,
) -> PyResult<()> {
    let nv = m.read(py)?.nv;
    result.expect("result", nv)?;
    let force = run(py, m, d, |m, d| {
        let mut force = vec![0.0; nv];
        velocity::newton_euler(m, d, flg_acc != 0, &mut force);
        force
    })?;
    result.set(&force);
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; mj_fullM, mj_mulM, mj_mulM2, mj_solveM, mj_solveM2, mj_addM, mj_rne);
    Ok(())
}
