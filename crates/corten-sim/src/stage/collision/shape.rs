//! Geoms as posed convex shapes and height fields, borrowed from the model.
//!
//! Addresses in a model can be overwritten by users: whatever does not fit its array makes the
//! shape disappear.

use corten_geom::{Geometry, HeightField, HullGraph, Mesh, Polygons, Pose, Shape};
use corten_math::{Mat3, Vec3};
use corten_model::Model;
use corten_model::enums::{EnableBit, GeomType};

/// A geom of a convex type, inflated by half of `margin`.
pub(crate) fn convex<'a>(
    m: &'a Model,
    geom: usize,
    pos: Vec3,
    mat: Mat3,
    margin: f64,
) -> Option<Shape<'a>> {
    let size = m.geom_size[geom];
    let [radius, half_length, _] = size.0;
    let geometry = match GeomType::from_raw(m.geom_type[geom])? {
        GeomType::Sphere => Geometry::Sphere { radius },
        GeomType::Capsule => Geometry::Capsule { radius, half_length },
        GeomType::Ellipsoid => Geometry::Ellipsoid { size },
        GeomType::Cylinder => Geometry::Cylinder { radius, half_length },
        GeomType::Box => Geometry::Box { size },
        GeomType::Mesh => Geometry::Mesh { mesh: mesh(m, m.geom_dataid[geom])?, faceted: true },
        GeomType::Sdf => Geometry::Mesh { mesh: mesh(m, m.geom_dataid[geom])?, faceted: false },
        _ => return None,
    };
    Some(Shape::new(Pose::new(pos, mat), geometry, margin).with_rbound(m.geom_rbound[geom]))
}

/// The elevation data of a height field geom.
pub(crate) fn height_field(m: &Model, geom: usize) -> Option<HeightField<'_>> {
    let id = usize::try_from(m.geom_dataid[geom]).ok().filter(|&id| id < m.nhfield)?;
    let [nrow, ncol, adr] =
        [m.hfield_nrow[id], m.hfield_ncol[id], m.hfield_adr[id]].map(usize::try_from);
    let (nrow, ncol) = (nrow.ok()?, ncol.ok()?);
    let data = m.hfield_data.get(adr.ok()?..)?.get(..nrow.checked_mul(ncol)?)?;
    Some(HeightField { size: m.hfield_size[id], nrow, ncol, data })
}

fn mesh(m: &Model, id: i32) -> Option<Mesh<'_>> {
    let id = usize::try_from(id).ok().filter(|&id| id < m.nmesh)?;
    let vert = run(&m.mesh_vert, m.mesh_vertadr[id], m.mesh_vertnum[id])?;
    let graph = usize::try_from(m.mesh_graphadr[id])
        .ok()
        .and_then(|adr| m.mesh_graph.get(adr..))
        .and_then(HullGraph::parse);
    // Flat faces matter only where several contacts of a pair are asked for.
    let polygons = match m.opt.enabled(EnableBit::MultiCcd) {
        true => polygons(m, id)?,
        false => Polygons::default(),
    };
    Some(Mesh { vert, graph, polygons })
}

fn polygons(m: &Model, id: usize) -> Option<Polygons<'_>> {
    let (polyadr, polynum) = (m.mesh_polyadr[id], m.mesh_polynum[id]);
    let (vertadr, vertnum) = (m.mesh_vertadr[id], m.mesh_vertnum[id]);
    Some(Polygons {
        normal: run(&m.mesh_polynormal, polyadr, polynum)?,
        vertadr: run(&m.mesh_polyvertadr, polyadr, polynum)?,
        vertnum: run(&m.mesh_polyvertnum, polyadr, polynum)?,
        vert: &m.mesh_polyvert,
        mapadr: run(&m.mesh_polymapadr, vertadr, vertnum)?,
        mapnum: run(&m.mesh_polymapnum, vertadr, vertnum)?,
        map: &m.mesh_polymap,
    })
}

/// `all[adr..][..num]`.
fn run<T>(all: &[T], adr: i32, num: i32) -> Option<&[T]> {
    all.get(usize::try_from(adr).ok()?..)?.get(..usize::try_from(num).ok()?)
}
