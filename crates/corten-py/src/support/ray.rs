//! Rays and distances between geoms.

use corten_math::Vec3;
use corten_model::enums::GeomType;
use corten_sim::distance;
use corten_sim::ray::{self, FlexParts, NGROUP, RayHit, Selection};
use pyo3::prelude::*;

use super::index;
use crate::args::{List, ListOut, MatrixOut, Vector, type_error};
use crate::data::PyData;
use crate::model::PyModel;
use crate::run::{read, run};
use crate::util::add_functions;

fn groups(geomgroup: Option<List<u8>>) -> PyResult<Option<[u8; NGROUP]>> {
    let Some(given) = geomgroup else { return Ok(None) };
    given.expect("geomgroup", NGROUP)?;
    Ok(Some(std::array::from_fn(|i| given.0[i])))
}

/// Geom and distance of a hit; −1 for both if there is none.
fn answer(hit: Option<RayHit>) -> (i32, f64) {
    hit.map_or((-1, -1.0), |hit| (hit.geom as i32, hit.dist))
}

/// Distance to the nearest geom along a ray, −1 if there is none.
#[pyfunction]
#[pyo3(signature = (m, d, pnt, vec, geomgroup, flg_static, bodyexclude, geomid))]
fn mj_ray(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    pnt: Vector<3>,
    vec: Vector<3>,
    geomgroup: Option<List<u8>>,
    flg_static: i32,
    bodyexclude: i32,
    geomid: Option<ListOut<'_, i32>>,
) -> PyResult<f64> {
    if let Some(geomid) = &geomid {
        geomid.expect("geomid", 1)?;
    }
    let groups = groups(geomgroup)?;
    let hit = read(py, m, d, move |m, d| {
        let selection =
            Selection { geomgroup: groups.as_ref(), flg_static: flg_static != 0, bodyexclude };
        ray::cast(m, d, pnt.vec3(), vec.vec3(), &selection)
    })?;
    let (geom, dist) = answer(hit);
    if let Some(geomid) = geomid {
        geomid.set(&[geom]);
    }
    Ok(dist)
}

/// Distances to the nearest geoms along several rays from one point.
#[pyfunction]
#[pyo3(signature = (m, d, pnt, vec, geomgroup, flg_static, bodyexclude, geomid, dist, nray, cutoff))]
fn mj_multiRay(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    pnt: Vector<3>,
    vec: List,
    geomgroup: Option<List<u8>>,
    flg_static: i32,
    bodyexclude: i32,
    geomid: ListOut<'_, i32>,
    dist: ListOut<'_>,
    nray: i32,
    cutoff: f64,
) -> PyResult<()> {
    let rays = usize::try_from(nray).map_err(|_| type_error("nray must not be negative"))?;
    vec.expect("vec", 3 * rays)?;
    geomid.expect("geomid", rays)?;
    dist.expect("dist", rays)?;
    let groups = groups(geomgroup)?;
    let hits = read(py, m, d, move |m, d| {
        let selection =
            Selection { geomgroup: groups.as_ref(), flg_static: flg_static != 0, bodyexclude };
        let vecs: Vec<Vec3> = vec.0.chunks_exact(3).map(Vec3::from_slice).collect();
        ray::cast_many(m, d, pnt.vec3(), &vecs, &selection, cutoff)
    })?;
    let (geoms, dists): (Vec<i32>, Vec<f64>) = hits.into_iter().map(answer).unzip();
    geomid.set(&geoms);
    dist.set(&dists);
    Ok(())
}

/// Declares functions that give the distance along a ray to one geom of a type.
macro_rules! single_geom_rays {
    ($($(#[$doc:meta])* $name:ident = $cast:path;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        fn $name(
            py: Python<'_>,
            m: &PyModel,
            d: &PyData,
            geomid: i32,
            pnt: Vector<3>,
            vec: Vector<3>,
        ) -> PyResult<f64> {
            let geom = index("geomid", geomid, m.read(py)?.ngeom)?;
            let found = read(py, m, d, move |m, d| $cast(m, d, geom, pnt.vec3(), vec.vec3()))?;
            Ok(found.unwrap_or(-1.0))
        }
    )*};
}

single_geom_rays! {
    /// Distance along a ray to one height field.
    mj_rayHfield = ray::height_field;
    /// Distance along a ray to one mesh.
    mj_rayMesh = ray::mesh;
}

/// Distance along a ray to a primitive shape.
#[pyfunction]
fn mju_rayGeom(
    pos: Vector<3>,
    mat: Vector<9>,
    size: Vector<3>,
    pnt: Vector<3>,
    vec: Vector<3>,
    geomtype: i32,
) -> PyResult<f64> {
    let kind = GeomType::from_raw(geomtype)
        .ok_or_else(|| type_error(format!("there is no geom type {geomtype}")))?;
    let (pos, mat, size) = (pos.vec3(), mat.mat3(), size.vec3());
    Ok(ray::primitive_geom(pos, mat, size, pnt.vec3(), vec.vec3(), kind).unwrap_or(-1.0))
}

/// Distance along a ray to the parts of a flex that are drawn, −1 if it meets none, and the vertex nearest
/// to where it does.
#[pyfunction]
fn mju_rayFlex(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    flex_layer: i32,
    flg_vert: i32,
    flg_edge: i32,
    flg_face: i32,
    flg_skin: i32,
    flexid: i32,
    pnt: Vector<3>,
    vec: Vector<3>,
    vertid: ListOut<'_, i32>,
) -> PyResult<f64> {
    vertid.expect("vertid", 1)?;
    let flex = index("flexid", flexid, m.read(py)?.nflex)?;
    let parts = FlexParts {
        vertices: flg_vert != 0,
        edges: flg_edge != 0,
        faces: flg_face != 0,
        skin: flg_skin != 0,
        layer: flex_layer,
    };
    let hit = read(py, m, d, move |m, d| ray::flex(m, d, flex, &parts, pnt.vec3(), vec.vec3()))?;
    // As in MuJoCo, a ray that meets nothing leaves the vertex as it is.
    let Some(hit) = hit else { return Ok(-1.0) };
    vertid.set(&[hit.vertex]);
    Ok(hit.dist)
}

/// Signed distance between two geoms, at most `distmax`, and optionally the segment between their
/// nearest points.
#[pyfunction]
#[pyo3(signature = (m, d, geom1, geom2, distmax, fromto))]
fn mj_geomDistance(
    py: Python<'_>,
    m: &PyModel,
    d: &PyData,
    geom1: i32,
    geom2: i32,
    distmax: f64,
    fromto: Option<MatrixOut<'_>>,
) -> PyResult<f64> {
    let count = m.read(py)?.ngeom;
    let (g1, g2) = (index("geom1", geom1, count)?, index("geom2", geom2, count)?);
    if fromto.as_ref().is_some_and(|out| out.rows * out.cols != 6) {
        return Err(type_error("fromto must have 6 elements"));
    }
    let found = run(py, m, d, move |m, d| distance::geom_distance(m, d, g1, g2, distmax))?;
    if let Some(fromto) = fromto {
        fromto.set(found.fromto.map(|p| p.0).as_flattened());
    }
    Ok(found.dist)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module;
        mj_ray, mj_multiRay, mj_rayHfield, mj_rayMesh, mju_rayFlex, mju_rayGeom, mj_geomDistance,
    );
    Ok(())
}
