//! Making scenes.

use corten_model::enums::Warning;
use corten_scene::{self as scene, Camera, Connector, Geom, GlCamera, Perturb, Scene, VisOption};
use pyo3::prelude::*;

use super::memory::SceneArgument;
use super::raise;
use super::record::Argument;
use crate::args::{List, Vector};
use crate::data::PyData;
use crate::model::PyModel;
use crate::run::{read, run};
use crate::util::add_functions;

/// Sizes of the arrays that a scene of a model has, by name.
#[pyfunction]
#[pyo3(signature = (m=None))]
fn scene_sizes(py: Python<'_>, m: Option<&PyModel>) -> PyResult<Vec<(&'static str, usize)>> {
    let scene = empty(py, m, 0)?;
    let faces = scene.flex.face.len();
    Ok(vec![
        ("flexedgeadr", scene.flex.edgeadr.len()),
        ("flexedgenum", scene.flex.edgenum.len()),
        ("flexvertadr", scene.flex.vertadr.len()),
        ("flexvertnum", scene.flex.vertnum.len()),
        ("flexfaceadr", scene.flex.faceadr.len()),
        ("flexfacenum", scene.flex.facenum.len()),
        ("flexfaceused", scene.flex.faceused.len()),
        ("flexedge", 2 * scene.flex.edge.len()),
        ("flexvert", 3 * scene.flex.vert.len()),
        ("flexface", 9 * faces),
        ("flexnormal", 9 * faces),
        ("flextexcoord", 6 * faces),
        ("skinfacenum", scene.skin.facenum.len()),
        ("skinvertadr", scene.skin.vertadr.len()),
        ("skinvertnum", scene.skin.vertnum.len()),
        ("skinvert", 3 * scene.skin.vert.len()),
        ("skinnormal", 3 * scene.skin.normal.len()),
    ])
}

fn empty(py: Python<'_>, m: Option<&PyModel>, maxgeom: usize) -> PyResult<Scene> {
    match m {
        Some(m) => Ok(Scene::new(&*m.read(py)?, maxgeom)),
        None => Ok(Scene::without_model(maxgeom)),
    }
}

/// Fills a new scene, whose arrays have the right sizes.
#[pyfunction]
#[pyo3(signature = (scn, m, maxgeom))]
fn make_scene(
    py: Python<'_>,
    scn: SceneArgument<'_>,
    m: Option<&PyModel>,
    maxgeom: usize,
) -> PyResult<()> {
    scn.fill(&empty(py, m, maxgeom)?)
}

/// Set default camera.
#[pyfunction]
fn mjv_defaultCamera(cam: Argument<'_, Camera>) {
    cam.set(&Camera::default());
}

/// Set default free camera.
#[pyfunction]
fn mjv_defaultFreeCamera(py: Python<'_>, m: &PyModel, cam: Argument<'_, Camera>) -> PyResult<()> {
    cam.set(&Camera::free(&*m.read(py)?));
    Ok(())
}

/// Set default perturbation.
#[pyfunction]
fn mjv_defaultPerturb(pert: Argument<'_, Perturb>) {
    pert.set(&Perturb::default());
}

/// Set default visualization options.
#[pyfunction]
fn mjv_defaultOption(opt: Argument<'_, VisOption>) {
    opt.set(&VisOption::default());
}

/// Initialize given geom fields when not None, set the rest to their default values.
#[pyfunction]
#[pyo3(signature = (geom, r#type, size, pos, mat, rgba))]
fn mjv_initGeom(
    geom: Argument<'_, Geom>,
    r#type: i32,
    size: Option<Vector<3>>,
    pos: Option<Vector<3>>,
    mat: Option<List>,
    rgba: Option<Vector<4>>,
) -> PyResult<()> {
    let mut value = geom.get();
    let mat = match mat {
        Some(mat) => {
            mat.expect("mat", 9)?;
            Some(corten_math::Mat3(std::array::from_fn(|k| mat.0[k])))
        }
        None => None,
    };
    let rgba = rgba.map(|rgba| rgba.0.map(|x| x as f32));
    value.init(r#type, size.map(|v| v.vec3()), pos.map(|v| v.vec3()), mat, rgba);
    geom.set(&value);
    Ok(())
}

/// Set (type, size, pos, mat) for connector-type geom between given points.
#[pyfunction]
#[pyo3(signature = (geom, r#type, width, from_, to))]
fn mjv_connector(
    geom: Argument<'_, Geom>,
    r#type: i32,
    width: f64,
    from_: Vector<3>,
    to: Vector<3>,
) -> PyResult<()> {
    let known = corten_model::enums::GeomType::from_raw(r#type);
    let kind = known.and_then(Connector::from_geom_type);
    let kind = kind.ok_or_else(|| raise(scene::SceneError::Connector(known)))?;
    let mut value = geom.get();
    value.connect(kind, width, from_.vec3(), to.vec3());
    geom.set(&value);
    Ok(())
}

/// Update entire scene given model state.
#[pyfunction]
#[pyo3(signature = (m, d, opt, pert, cam, catmask, scn))]
fn mjv_updateScene(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    opt: Argument<'_, VisOption>,
    pert: Option<Argument<'_, Perturb>>,
    cam: Option<Argument<'_, Camera>>,
    catmask: i32,
    scn: SceneArgument<'_>,
) -> PyResult<()> {
    let (options, pert) = (opt.get(), pert.map(|pert| pert.get()));
    let mut camera = cam.as_ref().map(Argument::get);
    let mut made = scn.surfaces()?;
    let result = read(py, m, d, |m, d| {
        let camera = camera.as_mut();
        scene::update_scene(m, d, &options, pert.as_ref(), camera, catmask, &mut made)
    })?;
    if let (Some(cam), Some(camera)) = (cam, camera) {
        cam.set(&camera);
    }
    result.map_err(raise)?;
    scn.set(&made)?;
    note_overflow(py, m, d, &made)
}

/// Counts a scene without room for all geoms among the warnings.
fn note_overflow(py: Python<'_>, m: &PyModel, d: &PyData, scene: &Scene) -> PyResult<()> {
    if scene.status == 0 {
        return Ok(());
    }
    let maxgeom = scene.maxgeom as i32;
    run(py, m, d, |_, d| {
        let warning = d.warning_mut(Warning::VgeomFull);
        warning.lastinfo = maxgeom;
        warning.number += 1;
    })
}

/// Add geoms from selected categories.
#[pyfunction]
#[pyo3(signature = (m, d, opt, pert, catmask, scn))]
fn mjv_addGeoms(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    opt: Argument<'_, VisOption>,
    pert: Option<Argument<'_, Perturb>>,
    catmask: i32,
    scn: SceneArgument<'_>,
) -> PyResult<()> {
    let (options, pert) = (opt.get(), pert.map(|pert| pert.get()));
    let mut made = scn.get()?;
    let result =
        read(py, m, d, |m, d| scene::add_geoms(m, d, &options, pert.as_ref(), catmask, &mut made))?;
    result.map_err(raise)?;
    scn.set(&made)
}

/// Make list of lights.
#[pyfunction]
fn mjv_makeLights(py: Python<'_>, m: &PyModel, d: &PyData, scn: SceneArgument<'_>) -> PyResult<()> {
    let mut made = scn.view()?;
    read(py, m, d, |m, d| scene::make_lights(m, d, &mut made))?.map_err(raise)?;
    scn.set_lights(&made)
}

/// Update camera.
#[pyfunction]
fn mjv_updateCamera(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    cam: Argument<'_, Camera>,
    scn: SceneArgument<'_>,
) -> PyResult<()> {
    let (mut camera, mut view) = (cam.get(), scn.view()?);
    let result = read(py, m, d, |m, d| scene::update_camera(m, d, &mut camera, &mut view))?;
    cam.set(&camera);
    result.map_err(raise)?;
    scn.set_view(&view)
}

/// Update skins.
#[pyfunction]
fn mjv_updateSkin(py: Python<'_>, m: &PyModel, d: &PyData, scn: SceneArgument<'_>) -> PyResult<()> {
    let mut made = scn.surfaces()?;
    read(py, m, d, |m, d| scene::update_skin(m, d, &mut made))?.map_err(raise)?;
    scn.set_surfaces(&made)
}

/// Return the average of two OpenGL cameras: writes it to `out`.
#[pyfunction]
fn average_camera(
    cam1: Argument<'_, GlCamera>,
    cam2: Argument<'_, GlCamera>,
    out: Argument<'_, GlCamera>,
) -> PyResult<()> {
    out.set(&scene::average_camera(&[cam1.get(), cam2.get()]).map_err(raise)?);
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        scene_sizes, make_scene, mjv_defaultCamera, mjv_defaultFreeCamera, mjv_defaultPerturb,
        mjv_defaultOption, mjv_initGeom, mjv_connector, mjv_updateScene, mjv_addGeoms, mjv_makeLights,
        mjv_updateCamera, mjv_updateSkin, average_camera,
    );
    Ok(())
}
