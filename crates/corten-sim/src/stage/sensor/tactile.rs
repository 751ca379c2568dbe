//! The tactile sensor: pressure and sliding speed at the vertices of a mesh.
//!
//! Every vertex that lies inside a geom in contact with the sensor's body reads a pressure that
//! grows with its depth, and the speed along the two tangents stored with the mesh normals.

use corten_geom::sdf::{self, Octree};
use corten_math::array::MapInline;
use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::GeomType;

use super::Sensor;
use super::measure::Reading;
use crate::chain::{self, index};
use crate::{Data, Model};

/// Depth at which the pressure is one half, m.
const HALF_PRESSURE_DEPTH: f64 = 0.05;

pub(super) fn measure(m: &Model, d: &mut Data, sensor: &Sensor) -> Option<Reading> {
    sensor.output(d).fill(0.0);
    let mesh = sensor.object(m.nmesh)?;
    let geom = index(sensor.reference.1, m.ngeom)?;
    let weld = weld_of(m, geom)?;
    for k in 0..d.ncon {
        for (mine, other) in [(0, 1), (1, 0)] {
            let [Some(own), Some(touched)] =
                [mine, other].map_inline(|side| index(d.contact[k].geom[side], m.ngeom))
            else {
                continue;
            };
            let known = |earlier: &crate::Contact| partner(m, earlier, weld, touched);
            if weld_of(m, own) == Some(weld) && !d.contact[..k].iter().any(known) {
                press(m, d, sensor, mesh, geom, weld, touched);
            }
        }
    }
    Some(Reading::from([]))
}

fn weld_of(m: &Model, geom: usize) -> Option<usize> {
    index(m.body_weldid[index(m.geom_bodyid[geom], m.nbody)?], m.nbody)
}

/// Whether a contact is one of the welded body with the given geom.
fn partner(m: &Model, contact: &crate::Contact, weld: usize, touched: usize) -> bool {
    [(0, 1), (1, 0)].into_iter().any(|(mine, other)| {
        contact.geom[other] == touched as i32
            && index(contact.geom[mine], m.ngeom).and_then(|g| weld_of(m, g)) == Some(weld)
    })
}

/// Readings of all vertices that lie inside one geom.
fn press(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    mesh: usize,
    geom: usize,
    weld: usize,
    touched: usize,
) -> Option<()> {
    let vertices = part(&m.mesh_vert, m.mesh_vertadr[mesh], m.mesh_vertnum[mesh])?;
    // Three vectors per vertex: the normal and two tangents.
    let normals = m.mesh_normal.get(usize::try_from(m.mesh_normaladr[mesh]).ok()?..)?;
    let body = index(m.geom_bodyid[touched], m.nbody)?;
    let other_velocity =
        d.cvel[body].motion_at(d.geom_xpos[touched], chain::reference(m, d, body as i32)).lin();
    let reference = chain::reference(m, d, weld as i32);
    for (v, (vertex, axes)) in vertices.iter().zip(normals.chunks_exact(3)).enumerate() {
        let point = d.geom_xmat[geom] * single(vertex) + d.geom_xpos[geom];
        let local = d.geom_xmat[touched].tmul(point - d.geom_xpos[touched]);
        let depth = distance(m, touched, local)?.min(0.0);
        if depth == 0.0 {
            continue;
        }
        let sliding = d.cvel[weld].motion_at(point, reference).lin() - other_velocity;
        let axis = |k: usize| m.mesh_quat[mesh].rotate(single(&axes[k]));
        let pressure = depth / (HALF_PRESSURE_DEPTH - depth).max(MIN_VAL);
        let normal = axis(0);
        let readings = [
            (normal * pressure).dot(normal),
            sliding.dot(axis(1)).abs(),
            sliding.dot(axis(2)).abs(),
        ];
        for (channel, reading) in sensor.output(d).chunks_exact_mut(vertices.len()).zip(readings) {
            channel[v] = reading;
        }
    }
    Some(())
}

fn part<T>(all: &[T], start: i32, count: i32) -> Option<&[T]> {
    all.get(usize::try_from(start).ok()?..)?.get(..usize::try_from(count).ok()?)
}

fn single(v: &[f32; 3]) -> Vec3 {
    Vec3(v.map_inline(f64::from))
}

/// Signed distance of a point in a geom's frame; `None` for geoms that have no such field.
fn distance(m: &Model, geom: usize, p: Vec3) -> Option<f64> {
    let size = m.geom_size[geom];
    match GeomType::from_raw(m.geom_type[geom])? {
        GeomType::Plane => Some(sdf::plane(p)),
        GeomType::Sphere => Some(sdf::sphere(p, size[0])),
        GeomType::Capsule => Some(sdf::capsule(p, size[0], size[1])),
        GeomType::Ellipsoid => Some(sdf::ellipsoid(p, size)),
        GeomType::Cylinder => Some(sdf::cylinder(p, size[0], size[1])),
        GeomType::Box => Some(sdf::cuboid(p, size)),
        GeomType::Sdf if m.geom_plugin[geom] >= 0 => {
            // Plugins measure in the frame of the mesh as it was made.
            let mesh = index(m.geom_dataid[geom], m.nmesh)?;
            let p = m.mesh_quat[mesh].to_mat() * p + m.mesh_pos[mesh];
            Some(m.extensions().field(m.geom_plugin[geom])?.distance(p))
        }
        GeomType::Mesh | GeomType::Sdf => {
            let mesh = index(m.geom_dataid[geom], m.nmesh)?;
            let (start, count) = (m.mesh_octadr[mesh], m.mesh_octnum[mesh]);
            Octree {
                aabb: part(&m.oct_aabb, start, count)?,
                child: part(&m.oct_child, start, count)?,
                coeff: part(&m.oct_coeff, start, count)?,
            }
            .distance(p)
        }
        _ => None,
    }
}
