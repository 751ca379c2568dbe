//! Functions of the model alone.

use corten_model::enums::Cone;
use corten_sim::stage::constraint;
use corten_sim::{solve, support};
use pyo3::prelude::*;

use crate::args::Text;
use crate::data::PyData;
use crate::errors::fatal;
use crate::model::PyModel;
use crate::util::add_functions;

/// As a number and as text.
const VERSION: (i32, &str) = (340, "3.4.0");

/// The version of MuJoCo whose results are given, as a number.
#[pyfunction]
fn mj_version() -> i32 {
    VERSION.0
}

/// The version of MuJoCo whose results are given.
#[pyfunction]
fn mj_versionString() -> &'static str {
    VERSION.1
}

/// Whether friction cones are pyramids.
#[pyfunction]
fn mj_isPyramidal(py: Python<'_>, m: &PyModel) -> PyResult<i32> {
    Ok((m.read(py)?.opt.cone == Cone::Pyramidal).into())
}

/// Whether constraint Jacobians are sparse.
#[pyfunction]
fn mj_isSparse(py: Python<'_>, m: &PyModel) -> PyResult<i32> {
    Ok(constraint::is_sparse(&*m.read(py)?).into())
}

/// Whether the solver works on the dual problem.
#[pyfunction]
fn mj_isDual(py: Python<'_>, m: &PyModel) -> PyResult<i32> {
    Ok(solve::is_dual(&*m.read(py)?).into())
}

/// The index of an object with a name; −1 if there is none.
#[pyfunction]
fn mj_name2id(py: Python<'_>, m: &PyModel, r#type: i32, name: Text) -> PyResult<i64> {
    m.id_of(py, r#type, name)
}

/// The name of an object.
#[pyfunction]
fn mj_id2name(py: Python<'_>, m: &PyModel, r#type: i32, id: i64) -> PyResult<Option<String>> {
    m.name_of(py, r#type, id)
}

/// Mass of all bodies.
#[pyfunction]
fn mj_getTotalmass(py: Python<'_>, m: &PyModel) -> PyResult<f64> {
    Ok(support::total_mass(&*m.read(py)?))
}

/// Scales all masses and inertias so that the total mass is `newmass`.
#[pyfunction]
fn mj_setTotalmass(py: Python<'_>, m: &PyModel, newmass: f64) -> PyResult<()> {
    /// Neither masses nor their scale may vanish.
    const SMALLEST: f64 = 1e-15;
    let mut model = m.write(py)?;
    let scale = (newmass / support::total_mass(&model).max(SMALLEST)).max(SMALLEST);
    model.body_mass.iter_mut().skip(1).for_each(|mass| *mass *= scale);
    model.body_inertia.iter_mut().skip(1).for_each(|inertia| *inertia *= scale);
    Ok(())
}

/// Copies the state into a keyframe of the model.
#[pyfunction]
fn mj_setKeyframe(py: Python<'_>, m: &PyModel, d: &PyData, k: i32) -> PyResult<()> {
    fn put(rows: &mut [f64], k: usize, values: &[f64]) {
        rows[k * values.len()..(k + 1) * values.len()].copy_from_slice(values);
    }
    d.check_model(py, m)?;
    let nkey = m.read(py)?.nkey;
    let k = usize::try_from(k).map_err(|_| fatal("mj_setKeyframe: index cannot be negative"))?;
    if k >= nkey {
        return Err(fatal(format!(
            "mj_setKeyframe: index must be smaller than {nkey} (keyframes allocated in model)"
        )));
    }
    let mut model = m.write(py)?;
    let data = d.data.read_attached(py)?;
    model.key_time[k] = data.time;
    put(&mut model.key_qpos, k, &data.qpos);
    put(&mut model.key_qvel, k, &data.qvel);
    put(&mut model.key_act, k, &data.act);
    put(&mut model.key_ctrl, k, &data.ctrl);
    put(&mut model.key_mpos, k, bytemuck::cast_slice(&data.mocap_pos));
    put(&mut model.key_mquat, k, bytemuck::cast_slice(&data.mocap_quat));
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mj_version, mj_versionString, mj_isPyramidal, mj_isSparse, mj_isDual, mj_name2id,
        mj_id2name, mj_getTotalmass, mj_setTotalmass, mj_setKeyframe,
    );
    Ok(())
}
