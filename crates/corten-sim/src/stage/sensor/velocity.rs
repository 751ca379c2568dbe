//! Sensors of velocities.

use corten_math::Spatial;
use corten_model::enums::{ConstraintType, ObjType, SensorType, Stage};

use super::{Sensor, Shared, limit_row, write};
use crate::chain::index;
use crate::support::object_velocity;
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
    match sensor.kind {
        SensorType::Velocimeter => write(out, &at_site(m, d, sensor)?.lin().0),
        SensorType::Gyro => write(out, &at_site(m, d, sensor)?.rot().0),
        SensorType::JointVel => write(out, joint_velocity(m, d, sensor)?.get(..1)?),
        SensorType::BallAngVel => write(out, joint_velocity(m, d, sensor)?.get(..3)?),
        SensorType::TendonVel => write(out, &[d.ten_velocity[sensor.object(m.ntendon)?]]),
        SensorType::ActuatorVel => write(out, &[d.actuator_velocity[sensor.object(m.nu)?]]),
        SensorType::JointLimitVel => limit(d, ConstraintType::LimitJoint, sensor, out),
        SensorType::TendonLimitVel => limit(d, ConstraintType::LimitTendon, sensor, out),
        SensorType::FrameLinVel => write(out, &relative(m, d, sensor)?.lin().0),
        SensorType::FrameAngVel => write(out, &relative(m, d, sensor)?.rot().0),
        SensorType::SubtreeLinVel => {
            shared.prepare(m, d, Stage::Vel);
            write(out, &d.subtree_linvel[sensor.object(m.nbody)?].0)
        }
        SensorType::SubtreeAngMom => {
            shared.prepare(m, d, Stage::Vel);
            write(out, &d.subtree_angmom[sensor.object(m.nbody)?].0)
        }
        _ => None,
    }
}

/// Velocity of the sensor's site in its own axes.
fn at_site(m: &Model, d: &Data, sensor: &Sensor) -> Option<Spatial> {
    object_velocity(m, d, ObjType::Site, sensor.object(m.nsite)?, true)
}

/// Velocities from the first dof of a joint on.
fn joint_velocity<'a>(m: &Model, d: &'a Data, sensor: &Sensor) -> Option<&'a [f64]> {
    d.qvel.get(index(m.jnt_dofadr[sensor.object(m.njnt)?], m.nv)?..)
}

fn limit(d: &Data, kind: ConstraintType, sensor: &Sensor, out: &mut [f64]) -> Option<()> {
    write(out, &[d.efc_vel[limit_row(d, kind, sensor.object.1)?]])
}

/// Velocity of a frame as seen from the reference frame, which may turn: v − v₀ − ω₀ × r.
fn relative(m: &Model, d: &Data, sensor: &Sensor) -> Option<Spatial> {
    let velocity =
        |(kind, id): (ObjType, i32)| object_velocity(m, d, kind, usize::try_from(id).ok()?, false);
    let object = sensor.object_frame(m, d)?;
    let object_velocity = velocity(sensor.object)?;
    let Some(reference) = sensor.reference_frame(m, d) else { return Some(object_velocity) };
    let reference_velocity = velocity(sensor.reference)?;
    let difference = object_velocity - reference_velocity;
    let dragged = (object.pos - reference.pos).cross(reference_velocity.rot());
    Some(Spatial::new(difference.rot(), difference.lin() + dragged).in_frame(reference.mat))
}
