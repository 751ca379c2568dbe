//! Sensors of positions.

use corten_math::{Quat, Vec3};
use corten_model::enums::{ConstraintType, ObjType, SensorType};

use super::{Sensor, Shared, camera, contains, limit_row, write};
use crate::chain::index;
use crate::distance::geom_distance;
use crate::stage::energy;
use crate::{Data, Model, ray};

/// The shortest segment between two sets of geoms, kept for the sensors that follow and ask for
/// the same.
#[derive(Clone, Copy)]
pub(super) struct Distance {
    between: [(ObjType, i32); 2],
    cutoff: f64,
    distance: f64,
    segment: [Vec3; 2],
}

/// Measures one of them. Not inlined: a step would load the addresses of all that any of them needs.
#[inline(never)]
pub(super) fn measure(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut Shared,
    out: &mut [f64],
) -> Option<()> {
    match sensor.kind {
        SensorType::Magnetometer => write(out, &sensor.site(m, d)?.mat.tmul(m.opt.magnetic).0),
        SensorType::CamProjection => {
            let point = sensor.site(m, d)?.pos;
            let camera = index(sensor.reference.1, m.ncam)?;
            write(out, &camera::project(m, d, camera, point))
        }
        SensorType::Rangefinder => {
            let site = sensor.site(m, d)?;
            let selection =
                ray::Selection { geomgroup: None, flg_static: true, bodyexclude: site.body as i32 };
            let hit = ray::cast(m, d, site.pos, site.mat.col(2), &selection);
            write(out, &[hit.map_or(-1.0, |h| h.dist)])
        }
        SensorType::JointPos => {
            write(out, d.qpos.get(index(m.jnt_qposadr[sensor.object(m.njnt)?], m.nq)?..)?.get(..1)?)
        }
        SensorType::BallQuat => {
            let start = index(m.jnt_qposadr[sensor.object(m.njnt)?], m.nq)?;
            write(out, &Quat::from_slice(d.qpos.get(start..start + 4)?).normalized().0)
        }
        SensorType::TendonPos => write(out, &[d.ten_length[sensor.object(m.ntendon)?]]),
        SensorType::ActuatorPos => write(out, &[d.actuator_length[sensor.object(m.nu)?]]),
        SensorType::JointLimitPos => limit(d, ConstraintType::LimitJoint, sensor, out),
        SensorType::TendonLimitPos => limit(d, ConstraintType::LimitTendon, sensor, out),
        SensorType::FramePos => {
            let object = sensor.object_frame(m, d)?;
            let pos =
                sensor.reference_frame(m, d).map_or(object.pos, |r| r.mat.tmul(object.pos - r.pos));
            write(out, &pos.0)
        }
        SensorType::FrameXAxis => axis(m, d, sensor, 0, out),
        SensorType::FrameYAxis => axis(m, d, sensor, 1, out),
        SensorType::FrameZAxis => axis(m, d, sensor, 2, out),
        SensorType::FrameQuat => {
            let object = quat(m, d, sensor.object)?;
            let relative = quat(m, d, sensor.reference)
                .map_or(object, |reference| reference.conjugate() * object);
            write(out, &relative.0)
        }
        SensorType::SubtreeCom => write(out, &d.subtree_com[sensor.object(m.nbody)?].0),
        SensorType::InsideSite => {
            let point = sensor.object_frame(m, d)?.pos;
            let zone = sensor.reference_frame(m, d)?;
            let site = index(sensor.reference.1, m.nsite)?;
            let inside = contains(&zone, m.site_size[site], m.site_type[site], point);
            write(out, &[f64::from(u8::from(inside))])
        }
        SensorType::GeomDist => write(out, &[distance(m, d, sensor, shared)?.distance]),
        SensorType::GeomNormal => {
            let [from, to] = distance(m, d, sensor, shared)?.segment;
            let gap = to - from;
            let normal = if gap == Vec3::ZERO { gap } else { gap.normalized().0 };
            write(out, &normal.0)
        }
        SensorType::GeomFromTo => {
            let segment = distance(m, d, sensor, shared)?.segment;
            write(out, segment.map(|p| p.0).as_flattened())
        }
        SensorType::PotentialEnergy => {
            energy::potential(m, d);
            write(out, &d.energy[..1])
        }
        SensorType::KineticEnergy => {
            energy::kinetic(m, d);
            write(out, &d.energy[1..])
        }
        SensorType::Clock => write(out, &[d.time]),
        _ => None,
    }
}

fn axis(m: &Model, d: &Data, sensor: &Sensor, column: usize, out: &mut [f64]) -> Option<()> {
    let axis = sensor.object_frame(m, d)?.mat.col(column);
    write(out, &sensor.reference_frame(m, d).map_or(axis, |r| r.mat.tmul(axis)).0)
}

fn limit(d: &Data, kind: ConstraintType, sensor: &Sensor, out: &mut [f64]) -> Option<()> {
    let row = limit_row(d, kind, sensor.object.1)?;
    write(out, &[d.efc_pos[row] - d.efc_margin[row]])
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
fn distance(m: &Model, d: &mut Data, sensor: &Sensor, shared: &mut Shared) -> Option<Distance> {
    let cutoff = m.sensor_cutoff[sensor.id];
    let between = [sensor.object, sensor.reference];
    if let Some(known) = shared.distance.filter(|k| k.between == between && k.cutoff == cutoff) {
        return Some(known);
    }
    let mut best = Distance { between, cutoff, distance: cutoff, segment: [Vec3::ZERO; 2] };
    for first in geoms(m, between[0])? {
        for second in geoms(m, between[1])? {
            let found = geom_distance(m, d, first, second, cutoff);
            if found.dist < best.distance {
                best = Distance { distance: found.dist, segment: found.fromto, ..best };
            }
        }
    }
    shared.distance = Some(best);
    Some(best)
}
