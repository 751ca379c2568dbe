//! Geoms as shapes: borrows model arrays, copies nothing but the pose.
//!
//! Arrays may hold anything a user wrote; what lies outside becomes an empty slice or `None`.

use corten_geom::{Geometry, HeightField, HullGraph, Mesh, Polygons, Pose, Shape, ccd};
use corten_model::Model;
use corten_model::enums::GeomType;

use crate::Data;

/// `values[adr..][..num]`, empty if that lies outside.
fn part<T>(values: &[T], adr: i32, num: i32) -> &[T] {
    let range = || {
        let (adr, num) = (usize::try_from(adr).ok()?, usize::try_from(num).ok()?);
        values.get(adr..)?.get(..num)
    };
    range().unwrap_or_default()
}

/// A mesh of the model.
pub fn mesh(m: &Model, id: i32) -> Option<Mesh<'_>> {
    let id = usize::try_from(id).ok().filter(|&i| i < m.nmesh)?;
    let (vertadr, vertnum) = (m.mesh_vertadr[id], m.mesh_vertnum[id]);
    let (polyadr, polynum) = (m.mesh_polyadr[id], m.mesh_polynum[id]);
    let graph = usize::try_from(m.mesh_graphadr[id]).ok().and_then(|a| m.mesh_graph.get(a..));
    Some(Mesh {
        vert: part(&m.mesh_vert, vertadr, vertnum),
        graph: graph.and_then(HullGraph::parse),
        polygons: Polygons {
            normal: part(&m.mesh_polynormal, polyadr, polynum),
            vertadr: part(&m.mesh_polyvertadr, polyadr, polynum),
            vertnum: part(&m.mesh_polyvertnum, polyadr, polynum),
            vert: &m.mesh_polyvert,
            mapadr: part(&m.mesh_polymapadr, vertadr, vertnum),
            mapnum: part(&m.mesh_polymapnum, vertadr, vertnum),
            map: &m.mesh_polymap,
        },
    })
}

/// A height field of the model.
pub fn height_field(m: &Model, id: i32) -> Option<HeightField<'_>> {
    let id = usize::try_from(id).ok().filter(|&i| i < m.nhfield)?;
    let nrow = usize::try_from(m.hfield_nrow[id]).ok()?;
    let ncol = usize::try_from(m.hfield_ncol[id]).ok()?;
    let data = m.hfield_data.get(usize::try_from(m.hfield_adr[id]).ok()?..)?;
    let data = data.get(..nrow.checked_mul(ncol)?)?;
    Some(HeightField { nrow, ncol, size: m.hfield_size[id], data })
}

/// Pose of a geom.
#[inline]
pub fn pose(d: &Data, geom: usize) -> Pose {
    Pose::new(d.geom_xpos[geom], d.geom_xmat[geom])
}

/// A geom as a convex shape at a given pose, inflated by half of `margin`; `None` for planes, height
/// fields and geoms without data.
pub fn shape(m: &Model, geom: usize, pose: Pose, margin: f64) -> Option<Shape<'_>> {
    let size = m.geom_size[geom];
    let geometry = match GeomType::from_raw(m.geom_type[geom])? {
        GeomType::Sphere => Geometry::Sphere { radius: size[0] },
        GeomType::Capsule => Geometry::Capsule { radius: size[0], half_length: size[1] },
        GeomType::Ellipsoid => Geometry::Ellipsoid { size },
        GeomType::Cylinder => Geometry::Cylinder { radius: size[0], half_length: size[1] },
        GeomType::Box => Geometry::Box { size },
        kind @ (GeomType::Mesh | GeomType::Sdf) => {
            Geometry::Mesh { mesh: mesh(m, m.geom_dataid[geom])?, faceted: kind == GeomType::Mesh }
        }
        _ => return None,
    };
    Some(Shape::new(pose, geometry, margin).with_rbound(m.geom_rbound[geom]))
}

/// The model's settings for convex queries.
pub fn ccd_options(m: &Model) -> ccd::Options {
    ccd::Options { iterations: m.opt.ccd_iterations, tolerance: m.opt.ccd_tolerance }
}
