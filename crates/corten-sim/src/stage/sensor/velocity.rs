//! Sensors of velocities.

use corten_math::Spatial;
use corten_model::enums::{ConstraintType, ObjType};

use super::{Sensor, limit_row};
use crate::chain::index;
use crate::support::object_velocity;
use crate::{Data, Model};

/// Velocity of the sensor's site in its own axes.
pub(super) fn at_site(m: &Model, d: &Data, sensor: &Sensor) -> Option<Spatial> {
    object_velocity(m, d, ObjType::Site, sensor.object(m.nsite)?, true)
}

/// Velocities from the first dof of a joint on.
pub(super) fn joint<'a>(m: &Model, d: &'a Data, sensor: &Sensor) -> Option<&'a [f64]> {
    d.qvel.get(index(m.jnt_dofadr[sensor.object(m.njnt)?], m.nv)?..)
}

pub(super) fn limit(d: &Data, kind: ConstraintType, sensor: &Sensor) -> Option<f64> {
    Some(d.efc_vel[limit_row(d, kind, sensor.object.1)?])
}

/// Velocity of a frame as seen from the reference frame, which may turn: v − v₀ − ω₀ × r.
pub(super) fn relative(m: &Model, d: &Data, sensor: &Sensor) -> Option<Spatial> {
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
