//! Constants of a model that follow from its reference pose.

use corten_model::enums::LengthRangeMode;
use corten_sim::constants::{self, length_range};
use pyo3::prelude::*;

use crate::data::PyData;
use crate::errors::fatal;
use crate::model::PyModel;
use crate::run::access;
use crate::util::add_functions;

/// Runs `f` with both model and data writable.
fn change<E: std::fmt::Display + Send>(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    f: impl FnOnce(&mut corten_sim::Model, &mut corten_sim::Data) -> Result<(), E> + Send,
) -> PyResult<()> {
    d.check_model(py, m)?;
    let (model, data) = (m.model(py)?, &d.data);
    let result = access(py, move || {
        let (mut model, mut data) = (model.write()?, data.write()?);
        model.notice_writes();
        let result = f(&mut model, &mut data);
        d.refresh(&model, &data)?;
        Ok(result)
    })?;
    m.settings().take_statistics(py, &**m.shared().read_attached(py)?);
    result.map_err(|e| fatal(e.to_string()))
}

/// Recomputes what follows from the reference pose, after parameters of the model changed.
#[pyfunction]
fn mj_setConst(py: Python<'_>, m: &PyModel, d: &PyData) -> PyResult<()> {
    change(py, m, d, constants::set_const)
}

/// Finds the range of lengths that an actuator can reach; `opt` is an `MjLROpt`.
#[pyfunction]
fn mj_setLengthRange(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    index: i32,
    opt: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let number = |name: &str| -> PyResult<f64> { opt.getattr(name)?.extract() };
    let mode = opt.getattr("mode")?.extract()?;
    let options = length_range::LengthRangeOptions {
        mode: LengthRangeMode::from_raw(mode)
            .ok_or_else(|| fatal(format!("there is no length range mode {mode}")))?,
        useexisting: number("useexisting")? != 0.0,
        uselimit: number("uselimit")? != 0.0,
        accel: number("accel")?,
        maxforce: number("maxforce")?,
        timeconst: number("timeconst")?,
        timestep: number("timestep")?,
        inttotal: number("inttotal")?,
        interval: number("interval")?,
        tolrange: number("tolrange")?,
    };
    let actuator = super::index("index", index, m.read(py)?.nu)?;
    change(py, m, d, move |m, d| length_range::set(m, d, actuator, &options))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module; mj_setConst, mj_setLengthRange);
    Ok(())
}
