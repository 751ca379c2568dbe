//! Geoms as posed convex shapes and height fields, borrowed from the model.
//!
//! Addresses in a model can be overwritten by users: whatever does not fit its array makes the
//! shape disappear.

use corten_geom::field::{Field, PosedField};
use corten_geom::ray::TriangleMesh;
use corten_geom::sdf::Octree;
use corten_geom::{Geometry, HeightField, Hint, HullGraph, Mesh, Polygons, Pose, Shape};
use corten_math::array::MapInline;
use corten_math::{Mat3, Vec3, real};
use corten_model::enums::{EnableBit, GeomType};

use super::hulls::Hulls;

use crate::Model;

/// Meshes without hull are searched vertex by vertex up to this size.
const FEW_VERTICES: usize = 1000;

/// A geom of a convex type, inflated by half of `margin`.
#[inline(always)]
pub(crate) fn convex<'a>(
    m: &'a Model,
    hulls: Option<&'a Hulls>,
    geom: usize,
    pos: &Vec3,
    mat: &Mat3,
    margin: f64,
) -> Option<Shape<'a>> {
    let kind = GeomType::from_raw(m.geom_type[geom])?;
    let geometry = match kind {
        GeomType::Mesh | GeomType::Sdf => Geometry::Mesh {
            mesh: mesh(m, m.geom_dataid[geom], hulls)?,
            faceted: kind == GeomType::Mesh,
        },
        _ => primitive(m, geom)?,
    };
    Some(Shape::bounded(Pose::new(*pos, *mat), geometry, margin, m.geom_rbound[geom]))
}

/// A geom with a closed form of its support.
#[inline(always)]
pub(super) fn primitive(m: &Model, geom: usize) -> Option<Geometry<'static>> {
    let size = m.geom_size[geom];
    let [radius, half_length, _] = size.0;
    Some(match GeomType::from_raw(m.geom_type[geom])? {
        GeomType::Sphere => Geometry::Sphere { radius },
        GeomType::Capsule => Geometry::Capsule { radius, half_length },
        GeomType::Ellipsoid => Geometry::Ellipsoid { size },
        GeomType::Cylinder => Geometry::Cylinder { radius, half_length },
        GeomType::Box => Geometry::Box { size },
        _ => return None,
    })
}

/// How far a geom reaches along a unit vector in its own frame; without bound for meshes that take
/// long to search. A search may start at the hint, and leaves there where it ended.
#[inline]
pub(super) fn reach(m: &Model, hulls: &Hulls, geom: usize, dir: Vec3, hint: &mut Hint) -> f64 {
    if let Some(geometry) = primitive(m, geom) {
        return geometry.reach(dir);
    }
    let mut reach = || {
        let id = usize::try_from(m.geom_dataid[geom]).ok().filter(|&id| id < m.nmesh)?;
        let vert = run(&m.mesh_vert, m.mesh_vertadr[id], m.mesh_vertnum[id])?;
        let along = |v: &[f32; 3]| dir.dot(Vec3(v.map_inline(f64::from)));
        match hulls.get(id) {
            Some(hull) => hull.reach(vert, dir, hint),
            None if vert.len() > FEW_VERTICES => None,
            None => Some(vert.iter().map(along).fold(f64::MIN, f64::max)),
        }
    };
    reach().unwrap_or(f64::INFINITY)
}

/// A radius around the origin of a geom that its shape is within; without bound if that is not known.
pub(crate) fn radius(m: &Model, geom: usize) -> f64 {
    match primitive(m, geom) {
        Some(Geometry::Sphere { radius }) => radius,
        Some(Geometry::Capsule { radius, half_length }) => radius + half_length,
        Some(Geometry::Cylinder { radius, half_length }) => real::hypot(radius, half_length),
        Some(Geometry::Ellipsoid { size: Vec3([x, y, z]) }) => x.max(y).max(z),
        Some(Geometry::Box { size }) => size.norm(),
        Some(Geometry::Mesh { .. }) | None if m.geom_type[geom] == GeomType::Mesh.raw() => {
            let aabb = &m.geom_aabb[geom];
            Vec3::from_slice(aabb).norm() + Vec3::from_slice(&aabb[3..]).norm()
        }
        _ => f64::INFINITY,
    }
}

/// The elevation data of a height field geom.
pub(crate) fn height_field(m: &Model, geom: usize) -> Option<HeightField<'_>> {
    let id = usize::try_from(m.geom_dataid[geom]).ok().filter(|&id| id < m.nhfield)?;
    let [nrow, ncol, adr] =
        [m.hfield_nrow[id], m.hfield_ncol[id], m.hfield_adr[id]].map_inline(usize::try_from);
    let (nrow, ncol) = (nrow.ok()?, ncol.ok()?);
    let data = m.hfield_data.get(adr.ok()?..)?.get(..nrow.checked_mul(ncol)?)?;
    Some(HeightField { size: m.hfield_size[id], nrow, ncol, data })
}

#[inline(always)]
pub(super) fn mesh<'a>(m: &'a Model, id: i32, hulls: Option<&'a Hulls>) -> Option<Mesh<'a>> {
    let id = usize::try_from(id).ok().filter(|&id| id < m.nmesh)?;
    let vert = run(&m.mesh_vert, m.mesh_vertadr[id], m.mesh_vertnum[id])?;
    let graph = usize::try_from(m.mesh_graphadr[id])
        .ok()
        .and_then(|adr| m.mesh_graph.get(adr..))
        .and_then(HullGraph::parse);
    // Flat faces matter only where several contacts of a pair are asked for.
    let polygons = match m.opt.enabled(EnableBit::MultiCcd) {
        true => Some(polygons(m, id)?),
        false => None,
    };
    let extremes = hulls.and_then(|hulls| hulls.get(id));
    Some(Mesh { vert, graph, polygons, extremes })
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

/// The triangles of a mesh and their bounding tree.
pub(crate) fn triangles(m: &Model, id: i32) -> Option<TriangleMesh<'_>> {
    let id = usize::try_from(id).ok().filter(|&id| id < m.nmesh)?;
    let (bvhadr, bvhnum) = (m.mesh_bvhadr[id], m.mesh_bvhnum[id]);
    Some(TriangleMesh {
        vert: run(&m.mesh_vert, m.mesh_vertadr[id], m.mesh_vertnum[id])?,
        face: run(&m.mesh_face, m.mesh_faceadr[id], m.mesh_facenum[id])?,
        aabb: run(&m.bvh_aabb, bvhadr, bvhnum).unwrap_or_default(),
        child: run(&m.bvh_child, bvhadr, bvhnum).unwrap_or_default(),
        nodeid: run(&m.bvh_nodeid, bvhadr, bvhnum).unwrap_or_default(),
    })
}

/// A geom as a signed distance field, sampled or of a plugin; `None` if it has none.
pub(crate) fn field(m: &Model, geom: usize, pose: Pose) -> Option<PosedField<'_>> {
    let size = m.geom_size[geom];
    let [radius, half_length, _] = size.0;
    let field = match GeomType::from_raw(m.geom_type[geom])? {
        GeomType::Sphere => Field::Sphere { radius },
        GeomType::Capsule => Field::Capsule { radius, half_length },
        GeomType::Ellipsoid => Field::Ellipsoid { size },
        GeomType::Cylinder => Field::Cylinder { radius, half_length },
        GeomType::Box => Field::Box { size },
        // MuJoCo looks for samples in the mesh that has the number of the geom.
        GeomType::Mesh => match octree(m, geom) {
            Some(tree) => Field::Octree(tree),
            None => Field::Mesh { pose, size, mesh: triangles(m, m.geom_dataid[geom])? },
        },
        GeomType::Sdf if m.geom_plugin[geom] < 0 => {
            Field::Octree(octree(m, usize::try_from(m.geom_dataid[geom]).ok()?)?)
        }
        GeomType::Sdf => Field::Implicit(m.extensions().field(m.geom_plugin[geom])?),
        _ => return None,
    };
    Some(PosedField { field, pose, aabb: m.geom_aabb[geom] })
}

/// The sampled distances of a mesh.
fn octree(m: &Model, mesh: usize) -> Option<Octree<'_>> {
    let (adr, num) = (*m.mesh_octadr.get(mesh)?, *m.mesh_octnum.get(mesh)?);
    let aabb = run(&m.oct_aabb, adr, num).filter(|nodes| !nodes.is_empty())?;
    Some(Octree { aabb, child: run(&m.oct_child, adr, num)?, coeff: run(&m.oct_coeff, adr, num)? })
}

/// `all[adr..][..num]`.
fn run<T>(all: &[T], adr: i32, num: i32) -> Option<&[T]> {
    all.get(usize::try_from(adr).ok()?..)?.get(..usize::try_from(num).ok()?)
}
