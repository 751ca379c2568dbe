//! Positions, velocities, forces of single objects.

use corten_model::enums::{ObjType, SameFrame};
use corten_sim::support;
use pyo3::prelude::*;

use super::index;
use crate::args::{List, ListOut, Vector, VectorOut};
use crate::data::PyData;
use crate::errors::fatal;
use crate::model::PyModel;
use crate::run::{access, read};
use crate::util::add_functions;

/// Advances positions by a velocity.
#[pyfunction]
fn mj_integratePos(
    py: Python<'_>,
    m: &PyModel,
    qpos: ListOut<'_>,
    qvel: List,
    dt: f64,
) -> PyResult<()> {
    let (nq, nv) = sizes(py, m)?;
    qpos.expect("qpos", nq)?;
    qvel.expect("qvel", nv)?;
    let (model, mut q) = (m.model(py)?, qpos.get());
    let q = access(py, move || {
        support::integrate_pos(&*model.read()?, &mut q, &qvel.0, dt);
        Ok(q)
    })?;
    qpos.set(&q);
    Ok(())
}

/// The velocity that leads from one position to another.
#[pyfunction]
fn mj_differentiatePos(
    py: Python<'_>,
    m: &PyModel,
    qvel: ListOut<'_>,
    dt: f64,
    qpos1: List,
    qpos2: List,
) -> PyResult<()> {
    let (nq, nv) = sizes(py, m)?;
    qvel.expect("qvel", nv)?;
    qpos1.expect("qpos1", nq)?;
    qpos2.expect("qpos2", nq)?;
    let model = m.model(py)?;
    let v = access(py, move || {
        let mut v = vec![0.0; nv];
        support::differentiate_pos(&*model.read()?, &mut v, dt, &qpos1.0, &qpos2.0);
        Ok(v)
    })?;
    qvel.set(&v);
    Ok(())
}

/// Gives all rotations in a position unit length.
#[pyfunction]
fn mj_normalizeQuat(py: Python<'_>, m: &PyModel, qpos: ListOut<'_>) -> PyResult<()> {
    qpos.expect("qpos", sizes(py, m)?.0)?;
    let (model, mut q) = (m.model(py)?, qpos.get());
    let q = access(py, move || {
        support::normalize_quat(&*model.read()?, &mut q);
        Ok(q)
    })?;
    qpos.set(&q);
    Ok(())
}

fn sizes(py: Python<'_>, m: &PyModel) -> PyResult<(usize, usize)> {
    let model = m.shared().read_attached(py)?;
    Ok((model.nq, model.nv))
}

/// Adds the joint forces of a force and torque on a body.
#[pyfunction]
fn mj_applyFT(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    force: Vector<3>,
    torque: Vector<3>,
    point: Vector<3>,
    body: i32,
    qfrc_target: ListOut<'_>,
) -> PyResult<()> {
    let body = index("body", body, m.read(py)?.nbody)?;
    qfrc_target.expect("qfrc_target", sizes(py, m)?.1)?;
    let mut q = qfrc_target.get();
    let q = read(py, m, d, move |_, d| {
        support::apply_force(d, force.vec3(), torque.vec3(), point.vec3(), body, &mut q);
        q
    })?;
    qfrc_target.set(&q);
    Ok(())
}

/// Force of a contact in its frame: normal and tangents, then torques.
#[pyfunction]
fn mj_contactForce(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    id: i32,
    result: VectorOut<'_, 6>,
) -> PyResult<()> {
    let contact = usize::try_from(id).unwrap_or(usize::MAX);
    let force = read(py, m, d, |m, d| {
        if contact < d.ncon.min(d.contact.len()) {
            support::contact_force(m, d, contact)
        } else {
            [0.0; 6]
        }
    })?;
    result.set(force);
    Ok(())
}

fn object(kind: i32, id: i32) -> PyResult<(ObjType, usize)> {
    match (ObjType::from_raw(kind), usize::try_from(id)) {
        (Some(kind), Ok(id)) => Ok((kind, id)),
        _ => Err(fatal(format!("there is no object of type {kind} with id {id}"))),
    }
}

/// Velocity of an object, rotation first, in the world's or its own orientation.
#[pyfunction]
fn mj_objectVelocity(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    objtype: i32,
    objid: i32,
    res: VectorOut<'_, 6>,
    flg_local: i32,
) -> PyResult<()> {
    let (kind, id) = object(objtype, objid)?;
    let found = read(py, m, d, |m, d| support::object_velocity(m, d, kind, id, flg_local != 0))?;
    let velocity = found.ok_or_else(|| no_frame(objtype, objid))?;
    res.set(velocity.0);
    Ok(())
}

/// Acceleration of an object, rotation first, in the world's or its own orientation.
#[pyfunction]
fn mj_objectAcceleration(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    objtype: i32,
    objid: i32,
    res: VectorOut<'_, 6>,
    flg_local: i32,
) -> PyResult<()> {
    let (kind, id) = object(objtype, objid)?;
    let found =
        read(py, m, d, |m, d| support::object_acceleration(m, d, kind, id, flg_local != 0))?;
    let acceleration = found.ok_or_else(|| no_frame(objtype, objid))?;
    res.set(acceleration.0);
    Ok(())
}

fn no_frame(kind: i32, id: i32) -> PyErr {
    fatal(format!("object {id} of type {kind} does not exist or has no frame"))
}

/// World pose of a frame given relative to a body.
#[pyfunction]
fn mj_local2Global(
    py: Python<'_>,
    d: &PyData,
    xpos: VectorOut<'_, 3>,
    xmat: VectorOut<'_, 9>,
    pos: Vector<3>,
    quat: Vector<4>,
    body: i32,
    sameframe: i32,
) -> PyResult<()> {
    let body = index("body", body, d.model.get().read(py)?.nbody)?;
    let same = SameFrame::from_raw(sameframe).unwrap_or(SameFrame::None);
    let data = &d.data;
    let (p, r) = access(py, move || {
        Ok(support::local_to_global(&*data.read()?, pos.vec3(), quat.quat(), body, same))
    })?;
    xpos.set(p.0);
    xmat.set(r.0);
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mj_integratePos, mj_differentiatePos, mj_normalizeQuat, mj_applyFT, mj_contactForce,
        mj_objectVelocity, mj_objectAcceleration, mj_local2Global,
    );
    Ok(())
}
