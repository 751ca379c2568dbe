//! The state as one vector.

use std::sync::Arc;

use corten_sim::state::{self, StateError};
use pyo3::prelude::*;

use crate::args::{List, ListOut, type_error};
use crate::data::PyData;
use crate::errors::fatal;
use crate::model::PyModel;
use crate::run::access;
use crate::util::add_functions;

/// Number of parts that a state may have.
const PARTS: u32 = 13;

/// A signature, with MuJoCo's words for one that says nothing.
fn signature(function: &str, sig: i64) -> PyResult<u32> {
    let invalid = |how: String| fatal(format!("{function}: invalid state signature {sig} {how}"));
    let bits = u32::try_from(sig).map_err(|_| invalid("< 0".into()))?;
    if bits >> PARTS == 0 { Ok(bits) } else { Err(invalid(">= 2^mjNSTATE".into())) }
}

fn error(e: StateError) -> PyErr {
    match e {
        StateError::Length { .. } => type_error("state size should equal mj_stateSize(m, sig)"),
        _ => fatal(e.to_string()),
    }
}

/// Number of elements of the state selected by a signature.
#[pyfunction]
fn mj_stateSize(py: Python<'_>, m: &PyModel, sig: i64) -> PyResult<usize> {
    state::size(&*m.read(py)?, signature("mj_stateSize", sig)?).map_err(error)
}

/// Copies the selected state into a vector.
#[pyfunction]
fn mj_getState(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    state: ListOut<'_>,
    sig: i64,
) -> PyResult<()> {
    d.check_model(py, m)?;
    let sig = signature("mj_getState", sig)?;
    let mut values = state.get();
    {
        let model = m.read(py)?;
        let data = d.data.read_attached(py)?;
        state::get(&model, &data, &mut values, sig).map_err(error)?;
    }
    state.set(&values);
    Ok(())
}

/// Copies a vector into the selected state.
#[pyfunction]
fn mj_setState(py: Python<'_>, m: &PyModel, d: &PyData, state: List, sig: i64) -> PyResult<()> {
    d.check_model(py, m)?;
    let sig = signature("mj_setState", sig)?;
    let model = m.read(py)?;
    let mut data = d.data.write_attached(py)?;
    state::set(&model, &mut data, &state.0, sig).map_err(error)
}

/// Picks part of a state vector.
#[pyfunction]
fn mj_extractState(
    py: Python<'_>,
    m: &PyModel,
    src: List,
    srcsig: i64,
    dst: ListOut<'_>,
    dstsig: i64,
) -> PyResult<()> {
    let (given, wanted) =
        (signature("mj_extractState", srcsig)?, signature("mj_extractState", dstsig)?);
    let mut values = dst.get();
    state::extract(&*m.read(py)?, &src.0, given, &mut values, wanted).map_err(error)?;
    dst.set(&values);
    Ok(())
}

/// Copies the selected state from one data to another.
#[pyfunction]
fn mj_copyState(py: Python<'_>, m: &PyModel, src: &PyData, dst: &PyData, sig: i64) -> PyResult<()> {
    src.check_model(py, m)?;
    dst.check_model(py, m)?;
    let sig = signature("mj_copyState", sig)?;
    if Arc::ptr_eq(&src.data, &dst.data) {
        return Ok(());
    }
    let (model, from, to) = (m.model(py)?, &src.data, &dst.data);
    access(py, move || {
        let model = model.read()?;
        let from = from.read()?.clone();
        Ok(state::copy(&model, &from, &mut *to.write()?, sig))
    })?
    .map_err(error)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mj_stateSize, mj_getState, mj_setState, mj_extractState, mj_copyState,
    );
    Ok(())
}
