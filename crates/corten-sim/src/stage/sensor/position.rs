//! Sensors of positions.

use corten_math::Quat;
use corten_model::Model;
use corten_model::enums::{ConstraintType, ObjType, SensorType};

use super::{Sensor, Shared, camera, contains, limit_row, write};
use crate::Data;
use crate::chain::index;
use crate::stage::energy;

pub(super) fn measure(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    _shared: &mut Shared,
    out: &mut [f64],
) -> Option<()> {
    match sensor.kind {
        SensorType::Magnetometer => write(out, &sensor.site(m, d)?.mat.tmul(m.opt.magnetic).0),
        SensorType::CamProjection => {
            let point = sensor.site(m, d)?.pos;
            let camera = index(sensor.reference.1, m.ncam)?;
            write(out, &camera::project(m, d, camera, point))
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
