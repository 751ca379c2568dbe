//! Sensors of accelerations and forces.

use corten_math::Spatial;
use corten_model::enums::{ConstraintType, ObjType, Stage, Transmission};

use super::{OnDemand, Sensor, limit_row};
use crate::chain::{self, index};
use crate::support::object_acceleration;
use crate::{Data, Model};

/// Acceleration of the sensor's site in its own axes, without gravity's pull.
pub(super) fn at_site(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut OnDemand,
) -> Option<Spatial> {
    shared.prepare(m, d, Stage::Acc);
    object_acceleration(m, d, ObjType::Site, sensor.object(m.nsite)?, true)
}

pub(super) fn frame(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut OnDemand,
) -> Option<Spatial> {
    shared.prepare(m, d, Stage::Acc);
    let (kind, id) = sensor.object;
    object_acceleration(m, d, kind, usize::try_from(id).ok()?, false)
}

/// Force and torque that the parent exerts on the site's body, at the site and in its axes.
pub(super) fn interaction(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut OnDemand,
) -> Option<Spatial> {
    shared.prepare(m, d, Stage::Acc);
    let site = sensor.site(m, d)?;
    let reference = chain::reference(m, d, site.body as i32);
    Some(d.cfrc_int[site.body].force_at(site.pos, reference).in_frame(site.mat))
}

/// Total force of the actuators on a joint.
pub(super) fn joint_actuators(m: &Model, d: &Data, sensor: &Sensor) -> Option<f64> {
    Some(d.qfrc_actuator[index(m.jnt_dofadr[sensor.object(m.njnt)?], m.nv)?])
}

/// Total force of the actuators on a tendon.
pub(super) fn tendon_actuators(m: &Model, d: &Data, sensor: &Sensor) -> f64 {
    (0..m.nu)
        .filter(|&i| m.actuator_trntype[i] == Transmission::Tendon.raw())
        .filter(|&i| m.actuator_trnid[i][0] == sensor.object.1)
        .map(|i| d.actuator_force[i])
        .sum()
}

pub(super) fn limit(d: &Data, kind: ConstraintType, sensor: &Sensor) -> Option<f64> {
    Some(d.efc_force[limit_row(d, kind, sensor.object.1)?])
}
