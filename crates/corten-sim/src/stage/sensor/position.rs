//! Sensors of positions.

use corten_math::{Quat, Vec3};
use corten_model::enums::{ConstraintType, ObjType};

use super::{OnDemand, Sensor, camera, contains, limit_row};
use crate::chain::index;
use crate::distance::{Neighbourhood, geom_distance};
use crate::{Data, Model, ray};

/// The shortest segment between two sets of geoms, kept for the sensors that follow and ask for
/// the same.
#[derive(Clone, Copy)]
pub(super) struct Distance {
    between: [(ObjType, i32); 2],
    cutoff: f64,
    pub(super) distance: f64,
    pub(super) segment: [Vec3; 2],
}

/// Pixel coordinates of a site in a camera's image.
pub(super) fn projection(m: &Model, d: &Data, sensor: &Sensor) -> Option<[f64; 2]> {
    let point = sensor.site(m, d)?.pos;
    Some(camera::project(m, d, index(sensor.reference.1, m.ncam)?, point))
}

/// Distance to what the site's z-axis meets first; −1 if it meets nothing.
pub(super) fn range(m: &Model, d: &mut Data, sensor: &Sensor) -> Option<f64> {
    let site = sensor.site(m, d)?;
    let selection =
        ray::Selection { geomgroup: None, flg_static: true, bodyexclude: site.body as i32 };
    let hit = ray::cast(m, d, site.pos, site.mat.col(2), &selection);
    Some(hit.map_or(-1.0, |h| h.dist))
}

/// The coordinates of a joint, from the first on.
fn coordinates<'a>(m: &Model, d: &'a Data, sensor: &Sensor) -> Option<&'a [f64]> {
    d.qpos.get(index(m.jnt_qposadr[sensor.object(m.njnt)?], m.nq)?..)
}

pub(super) fn joint(m: &Model, d: &Data, sensor: &Sensor) -> Option<f64> {
    coordinates(m, d, sensor)?.first().copied()
}

pub(super) fn ball(m: &Model, d: &Data, sensor: &Sensor) -> Option<Quat> {
    Some(Quat::from_slice(coordinates(m, d, sensor)?.get(..4)?).normalized())
}

pub(super) fn limit(d: &Data, kind: ConstraintType, sensor: &Sensor) -> Option<f64> {
    let row = limit_row(d, kind, sensor.object.1)?;
    Some(d.efc_pos[row] - d.efc_margin[row])
}

pub(super) fn frame(m: &Model, d: &Data, sensor: &Sensor) -> Option<Vec3> {
    let pos = sensor.object_frame(m, d)?.pos;
    Some(sensor.reference_frame(m, d).map_or(pos, |r| r.mat.tmul(pos - r.pos)))
}

pub(super) fn axis(m: &Model, d: &Data, sensor: &Sensor, column: usize) -> Option<Vec3> {
    let axis = sensor.object_frame(m, d)?.mat.col(column);
    Some(sensor.reference_frame(m, d).map_or(axis, |r| r.mat.tmul(axis)))
}

pub(super) fn orientation(m: &Model, d: &Data, sensor: &Sensor) -> Option<Quat> {
    let object = quat(m, d, sensor.object)?;
    let reference = quat(m, d, sensor.reference);
    Some(reference.map_or(object, |reference| reference.conjugate() * object))
}

/// Whether an object is inside the volume of a site: 1 or 0.
pub(super) fn inside(m: &Model, d: &Data, sensor: &Sensor) -> Option<f64> {
    let point = sensor.object_frame(m, d)?.pos;
    let zone = sensor.reference_frame(m, d)?;
    let site = index(sensor.reference.1, m.nsite)?;
    let inside = contains(&zone, m.site_size[site], m.site_type[site], point);
    Some(f64::from(u8::from(inside)))
}

/// The direction of the shortest segment; zero if it has no length.
pub(super) fn normal(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut OnDemand,
) -> Option<Vec3> {
    let [from, to] = distance(m, d, sensor, shared)?.segment;
    let gap = to - from;
    Some(if gap == Vec3::ZERO { gap } else { gap.normalized().0 })
}

/// Orientation of an object with a frame.
fn quat(m: &Model, d: &Data, (kind, id): (ObjType, i32)) -> Option<Quat> {
    let attached = |bodies: &[i32], quats: &[Quat]| {
        let id = index(id, bodies.len())?;
        Some(d.xquat[index(bodies[id], m.nbody)?] * quats[id])
    };
    match kind {
        ObjType::Xbody => Some(d.xquat[index(id, m.nbody)?]),
        ObjType::Body => index(id, m.nbody).map(|b| d.xquat[b] * m.body_iquat[b]),
        ObjType::Geom => attached(&m.geom_bodyid, &m.geom_quat),
        ObjType::Site => attached(&m.site_bodyid, &m.site_quat),
        ObjType::Camera => attached(&m.cam_bodyid, &m.cam_quat),
        _ => None,
    }
}

/// The geoms of a body, or a single geom.
fn geoms(m: &Model, (kind, id): (ObjType, i32)) -> Option<std::ops::Range<usize>> {
    if kind == ObjType::Body {
        let body = index(id, m.nbody)?;
        let start = usize::try_from(m.body_geomadr[body]).unwrap_or(0);
        let count = usize::try_from(m.body_geomnum[body]).unwrap_or(0);
        Some(start.min(m.ngeom)..(start + count).min(m.ngeom))
    } else {
        let geom = index(id, m.ngeom)?;
        Some(geom..geom + 1)
    }
}

/// The smallest distance between the geoms of two objects, up to the sensor's cutoff.
pub(super) fn distance(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut OnDemand,
) -> Option<Distance> {
    let cutoff = m.sensor_cutoff[sensor.id];
    let between = [sensor.object, sensor.reference];
    if let Some(known) = shared.distance.filter(|k| k.between == between && k.cutoff == cutoff) {
        return Some(known);
    }
    let mut best = Distance { between, cutoff, distance: cutoff, segment: [Vec3::ZERO; 2] };
    for first in geoms(m, between[0])? {
        let near = Neighbourhood::new(m, d, first);
        for second in geoms(m, between[1])? {
            if near.excludes(m, d, second, best.distance) {
                continue;
            }
            let found = geom_distance(m, d, first, second, cutoff);
            if found.dist < best.distance {
                best = Distance { distance: found.dist, segment: found.fromto, ..best };
            }
        }
    }
    shared.distance = Some(best);
    Some(best)
}
