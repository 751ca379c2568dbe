//! Moving cameras, the model and bodies with the mouse, and selecting.

use corten_scene::{self as scene, Camera, Mouse, Perturb, SceneError, VisOption};
use pyo3::prelude::*;

use super::memory::SceneArgument;
use super::raise;
use super::record::Argument;
use crate::args::{ListOut, Vector, VectorOut};
use crate::data::PyData;
use crate::model::PyModel;
use crate::run::{read, run};
use crate::util::add_functions;

fn mouse(action: i32) -> PyResult<Mouse> {
    Mouse::from_raw(action).ok_or_else(|| raise(SceneError::Mouse(action)))
}

/// Transform pose from room to model space.
#[pyfunction]
fn mjv_room2model(
    modelpos: VectorOut<'_, 3>,
    modelquat: VectorOut<'_, 4>,
    roompos: Vector<3>,
    roomquat: Vector<4>,
    scn: SceneArgument<'_>,
) -> PyResult<()> {
    let (pos, quat) =
        scene::room_to_model(&scn.view()?, roompos.vec3(), roomquat.quat()).map_err(raise)?;
    modelpos.set(pos.0);
    modelquat.set(quat.0);
    Ok(())
}

/// Transform pose from model to room space.
#[pyfunction]
fn mjv_model2room(
    roompos: VectorOut<'_, 3>,
    roomquat: VectorOut<'_, 4>,
    modelpos: Vector<3>,
    modelquat: Vector<4>,
    scn: SceneArgument<'_>,
) -> PyResult<()> {
    let (pos, quat) =
        scene::model_to_room(&scn.view()?, modelpos.vec3(), modelquat.quat()).map_err(raise)?;
    roompos.set(pos.0);
    roomquat.set(quat.0);
    Ok(())
}

/// Get camera info in model space; average left and right OpenGL cameras.
#[pyfunction]
fn mjv_cameraInModel(
    headpos: VectorOut<'_, 3>,
    forward: VectorOut<'_, 3>,
    up: VectorOut<'_, 3>,
    scn: SceneArgument<'_>,
) -> PyResult<()> {
    let head = scene::camera_in_model(&scn.view()?).map_err(raise)?;
    headpos.set(head.headpos.0);
    forward.set(head.forward.0);
    up.set(head.up.0);
    Ok(())
}

/// Get camera info in room space; average left and right OpenGL cameras.
#[pyfunction]
fn mjv_cameraInRoom(
    headpos: VectorOut<'_, 3>,
    forward: VectorOut<'_, 3>,
    up: VectorOut<'_, 3>,
    scn: SceneArgument<'_>,
) -> PyResult<()> {
    let head = scene::camera_in_room(&scn.view()?).map_err(raise)?;
    headpos.set(head.headpos.0);
    forward.set(head.forward.0);
    up.set(head.up.0);
    Ok(())
}

/// Get frustum height at unit distance from camera; average left and right OpenGL cameras.
#[pyfunction]
fn mjv_frustumHeight(scn: SceneArgument<'_>) -> PyResult<f64> {
    scene::frustum_height(&scn.view()?).map_err(raise)
}

/// Rotate 3D vec in horizontal plane by angle between (0,1) and (forward_x,forward_y).
#[pyfunction]
fn mjv_alignToCamera(res: VectorOut<'_, 3>, vec: Vector<3>, forward: Vector<3>) {
    res.set(scene::align_to_camera(vec.vec3(), forward.vec3()).0);
}

/// Move camera with mouse; action is mjtMouse.
#[pyfunction]
fn mjv_moveCamera(
    py: Python<'_>,
    m: &PyModel,
    action: i32,
    reldx: f64,
    reldy: f64,
    scn: SceneArgument<'_>,
    cam: Argument<'_, Camera>,
) -> PyResult<()> {
    let (mut camera, view, action) = (cam.get(), scn.view()?, mouse(action)?);
    scene::move_camera(&*m.read(py)?, action, reldx, reldy, &view, &mut camera).map_err(raise)?;
    cam.set(&camera);
    Ok(())
}

/// Move perturb object with mouse; action is mjtMouse.
#[pyfunction]
fn mjv_movePerturb(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    action: i32,
    reldx: f64,
    reldy: f64,
    scn: SceneArgument<'_>,
    pert: Argument<'_, Perturb>,
) -> PyResult<()> {
    let (mut value, view, action) = (pert.get(), scn.view()?, mouse(action)?);
    let result =
        read(py, m, d, |m, d| scene::move_perturb(m, d, action, reldx, reldy, &view, &mut value))?;
    result.map_err(raise)?;
    pert.set(&value);
    Ok(())
}

/// Move model with mouse; action is mjtMouse.
#[pyfunction]
fn mjv_moveModel(
    py: Python<'_>,
    m: &PyModel,
    action: i32,
    reldx: f64,
    reldy: f64,
    roomup: Vector<3>,
    scn: SceneArgument<'_>,
) -> PyResult<()> {
    let (mut view, action) = (scn.view()?, mouse(action)?);
    let up = roomup.vec3();
    scene::move_model(&*m.read(py)?, action, reldx, reldy, up, &mut view).map_err(raise)?;
    scn.set_view(&view)
}

/// Copy perturb pos,quat from selected body; set scale for perturbation.
#[pyfunction]
fn mjv_initPerturb(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    scn: SceneArgument<'_>,
    pert: Argument<'_, Perturb>,
) -> PyResult<()> {
    let (mut value, view) = (pert.get(), scn.view()?);
    read(py, m, d, |m, d| scene::init_perturb(m, d, &view, &mut value))?.map_err(raise)?;
    pert.set(&value);
    Ok(())
}

/// Set perturb pos,quat in d->mocap when selected body is mocap, and in d->qpos otherwise.
#[pyfunction]
fn mjv_applyPerturbPose(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    pert: Argument<'_, Perturb>,
    flg_paused: i32,
) -> PyResult<()> {
    let value = pert.get();
    run(py, m, d, |m, d| scene::apply_perturb_pose(m, d, &value, flg_paused != 0))?.map_err(raise)
}

/// Set perturb force,torque in d->xfrc_applied, if selected body is dynamic.
#[pyfunction]
fn mjv_applyPerturbForce(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    pert: Argument<'_, Perturb>,
) -> PyResult<()> {
    let value = pert.get();
    run(py, m, d, |m, d| scene::apply_perturb_force(m, d, &value))?.map_err(raise)
}

/// Select geom, flex or skin with mouse, return bodyid; -1: none selected.
#[pyfunction]
fn mjv_select(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    vopt: Argument<'_, VisOption>,
    aspectratio: f64,
    relx: f64,
    rely: f64,
    scn: SceneArgument<'_>,
    selpnt: VectorOut<'_, 3>,
    geomid: ListOut<'_, i32>,
    flexid: ListOut<'_, i32>,
    skinid: ListOut<'_, i32>,
) -> PyResult<i32> {
    for (name, list) in [("geomid", &geomid), ("flexid", &flexid), ("skinid", &skinid)] {
        list.expect(name, 1)?;
    }
    let (options, view) = (vopt.get(), scn.surfaces()?);
    let found =
        read(py, m, d, |m, d| scene::select(m, d, &options, aspectratio, relx, rely, &view))?;
    let found = found.map_err(raise)?;
    let ids = found.map_or([-1; 4], |s| [s.body, s.geom, s.flex, s.skin]);
    geomid.set(&ids[1..2]);
    flexid.set(&ids[2..3]);
    skinid.set(&ids[3..4]);
    if let Some(found) = found {
        selpnt.set(found.point.0);
    }
    Ok(ids[0])
}

/// Get camera position, forward, up and right directions.
#[pyfunction]
fn mjv_cameraFrame(
    py: Python<'_>,
    headpos: VectorOut<'_, 3>,
    forward: VectorOut<'_, 3>,
    up: VectorOut<'_, 3>,
    right: VectorOut<'_, 3>,
    d: &PyData,
    cam: Argument<'_, Camera>,
) -> PyResult<()> {
    let frame = scene::camera_frame(&*d.data.read_attached(py)?, &cam.get()).map_err(raise)?;
    headpos.set(frame.headpos.0);
    forward.set(frame.forward.0);
    up.set(frame.up.0);
    right.set(frame.right.0);
    Ok(())
}

/// Get camera frustum: vertical, horizontal extents on the near plane and clip distances.
#[pyfunction]
fn mjv_cameraFrustum(
    py: Python<'_>,
    zver: ListOut<'_, f32>,
    zhor: ListOut<'_, f32>,
    zclip: ListOut<'_, f32>,
    m: &PyModel,
    cam: Argument<'_, Camera>,
) -> PyResult<()> {
    for (name, list) in [("zver", &zver), ("zhor", &zhor), ("zclip", &zclip)] {
        list.expect(name, 2)?;
    }
    let frustum = scene::camera_frustum(&*m.read(py)?, &cam.get()).map_err(raise)?;
    zver.set(&frustum.zver);
    zhor.set(&frustum.zhor);
    zclip.set(&frustum.zclip);
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mjv_room2model, mjv_model2room, mjv_cameraInModel, mjv_cameraInRoom, mjv_frustumHeight,
        mjv_alignToCamera, mjv_moveCamera, mjv_movePerturb, mjv_moveModel, mjv_initPerturb,
        mjv_applyPerturbPose, mjv_applyPerturbForce, mjv_select, mjv_cameraFrame, mjv_cameraFrustum,
    );
    Ok(())
}
