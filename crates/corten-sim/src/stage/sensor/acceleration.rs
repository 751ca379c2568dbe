//! Sensors of accelerations and forces.

use corten_math::Spatial;
use corten_model::enums::{ConstraintType, ObjType, SensorType, Stage, Transmission};

use super::{Sensor, Shared, contact, limit_row, tactile, write};
use crate::chain::{self, index};
use crate::support::object_acceleration;
use crate::{Data, Model};

/// Measures one of them. Not inlined: a step would load the addresses of all that any of them needs.
#[inline(never)]
pub(super) fn measure(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut Shared,
    out: &mut [f64],
) -> Option<()> {
    if matches!(
        sensor.kind,
        SensorType::Accelerometer
            | SensorType::Force
            | SensorType::Torque
            | SensorType::FrameLinAcc
            | SensorType::FrameAngAcc
    ) {
        shared.prepare(m, d, Stage::Acc);
    }
    match sensor.kind {
        SensorType::Touch => contact::touch(m, d, sensor, out),
        SensorType::Contact => contact::measure(m, d, sensor, out),
        SensorType::Tactile => tactile::measure(m, d, sensor, out),
        SensorType::Accelerometer => {
            let site = sensor.object(m.nsite)?;
            write(out, &object_acceleration(m, d, ObjType::Site, site, true)?.lin().0)
        }
        SensorType::Force => write(out, &interaction(m, d, sensor)?.lin().0),
        SensorType::Torque => write(out, &interaction(m, d, sensor)?.rot().0),
        SensorType::ActuatorFrc => write(out, &[d.actuator_force[sensor.object(m.nu)?]]),
        SensorType::JointActFrc => {
            let dof = index(m.jnt_dofadr[sensor.object(m.njnt)?], m.nv)?;
            write(out, &[d.qfrc_actuator[dof]])
        }
        SensorType::TendonActFrc => {
            let total: f64 = (0..m.nu)
                .filter(|&i| m.actuator_trntype[i] == Transmission::Tendon.raw())
                .filter(|&i| m.actuator_trnid[i][0] == sensor.object.1)
                .map(|i| d.actuator_force[i])
                .sum();
            write(out, &[total])
        }
        SensorType::JointLimitFrc => limit(d, ConstraintType::LimitJoint, sensor, out),
        SensorType::TendonLimitFrc => limit(d, ConstraintType::LimitTendon, sensor, out),
        SensorType::FrameLinAcc => write(out, &acceleration(m, d, sensor)?.lin().0),
        SensorType::FrameAngAcc => write(out, &acceleration(m, d, sensor)?.rot().0),
        _ => None,
    }
}

fn acceleration(m: &Model, d: &Data, sensor: &Sensor) -> Option<Spatial> {
    let (kind, id) = sensor.object;
    object_acceleration(m, d, kind, usize::try_from(id).ok()?, false)
}

/// Force and torque that the parent exerts on the site's body, at the site and in its axes.
fn interaction(m: &Model, d: &Data, sensor: &Sensor) -> Option<Spatial> {
    let site = sensor.site(m, d)?;
    let reference = chain::reference(m, d, site.body as i32);
    Some(d.cfrc_int[site.body].force_at(site.pos, reference).in_frame(site.mat))
}

fn limit(d: &Data, kind: ConstraintType, sensor: &Sensor, out: &mut [f64]) -> Option<()> {
    write(out, &[d.efc_force[limit_row(d, kind, sensor.object.1)?]])
}
