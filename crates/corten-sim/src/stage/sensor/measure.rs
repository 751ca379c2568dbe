//! What each sensor reads: one arm per sensor.

use corten_model::enums::ConstraintType::{LimitJoint, LimitTendon};
use corten_model::enums::{SensorType as S, Stage};

use super::{OnDemand, Sensor, acceleration, contact, position, tactile, velocity};
use crate::stage::energy;
use crate::{Data, Model};

/// The first numbers that a sensor reads; one that reads more writes the others by itself.
pub(super) struct Reading {
    values: [f64; 6],
    len: usize,
}

impl<const N: usize> From<[f64; N]> for Reading {
    #[inline(always)]
    fn from(given: [f64; N]) -> Reading {
        let mut values = [0.0; 6];
        values[..N].copy_from_slice(&given);
        Reading { values, len: N }
    }
}

impl Reading {
    /// Writes as much as there is room for.
    pub fn write(&self, out: &mut [f64]) {
        for (o, v) in out.iter_mut().zip(&self.values[..self.len]) {
            *o = *v;
        }
    }
}

/// The reading of a sensor; `None` if what it measures does not exist, or if a hook is to measure
/// it. Not inlined: a step would load the addresses of all that any sensor needs.
#[inline(never)]
pub(super) fn measure(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut OnDemand,
) -> Option<Reading> {
    Some(match sensor.kind {
        S::Touch => [contact::touch(m, d, sensor)?].into(),
        S::Accelerometer => acceleration::at_site(m, d, sensor, shared)?.lin().0.into(),
        S::Velocimeter => velocity::at_site(m, d, sensor)?.lin().0.into(),
        S::Gyro => velocity::at_site(m, d, sensor)?.rot().0.into(),
        S::Force => acceleration::interaction(m, d, sensor, shared)?.lin().0.into(),
        S::Torque => acceleration::interaction(m, d, sensor, shared)?.rot().0.into(),
        S::Magnetometer => sensor.site(m, d)?.mat.tmul(m.opt.magnetic).0.into(),
        S::Rangefinder => [position::range(m, d, sensor)?].into(),
        S::CamProjection => position::projection(m, d, sensor)?.into(),
        S::JointPos => [position::joint(m, d, sensor)?].into(),
        S::JointVel => [*velocity::joint(m, d, sensor)?.first()?].into(),
        S::TendonPos => [d.ten_length[sensor.object(m.ntendon)?]].into(),
        S::TendonVel => [d.ten_velocity[sensor.object(m.ntendon)?]].into(),
        S::ActuatorPos => [d.actuator_length[sensor.object(m.nu)?]].into(),
        S::ActuatorVel => [d.actuator_velocity[sensor.object(m.nu)?]].into(),
        S::ActuatorFrc => [d.actuator_force[sensor.object(m.nu)?]].into(),
        S::JointActFrc => [acceleration::joint_actuators(m, d, sensor)?].into(),
        S::TendonActFrc => [acceleration::tendon_actuators(m, d, sensor)].into(),
        S::BallQuat => position::ball(m, d, sensor)?.0.into(),
        S::BallAngVel => velocity::joint(m, d, sensor)?.first_chunk::<3>().copied()?.into(),
        S::JointLimitPos => [position::limit(d, LimitJoint, sensor)?].into(),
        S::JointLimitVel => [velocity::limit(d, LimitJoint, sensor)?].into(),
        S::JointLimitFrc => [acceleration::limit(d, LimitJoint, sensor)?].into(),
        S::TendonLimitPos => [position::limit(d, LimitTendon, sensor)?].into(),
        S::TendonLimitVel => [velocity::limit(d, LimitTendon, sensor)?].into(),
        S::TendonLimitFrc => [acceleration::limit(d, LimitTendon, sensor)?].into(),
        S::FramePos => position::frame(m, d, sensor)?.0.into(),
        S::FrameQuat => position::orientation(m, d, sensor)?.0.into(),
        S::FrameXAxis => position::axis(m, d, sensor, 0)?.0.into(),
        S::FrameYAxis => position::axis(m, d, sensor, 1)?.0.into(),
        S::FrameZAxis => position::axis(m, d, sensor, 2)?.0.into(),
        S::FrameLinVel => velocity::relative(m, d, sensor)?.lin().0.into(),
        S::FrameAngVel => velocity::relative(m, d, sensor)?.rot().0.into(),
        S::FrameLinAcc => acceleration::frame(m, d, sensor, shared)?.lin().0.into(),
        S::FrameAngAcc => acceleration::frame(m, d, sensor, shared)?.rot().0.into(),
        S::SubtreeCom => d.subtree_com[sensor.object(m.nbody)?].0.into(),
        S::SubtreeLinVel => {
            shared.prepare(m, d, Stage::Vel);
            d.subtree_linvel[sensor.object(m.nbody)?].0.into()
        }
        S::SubtreeAngMom => {
            shared.prepare(m, d, Stage::Vel);
            d.subtree_angmom[sensor.object(m.nbody)?].0.into()
        }
        S::InsideSite => [position::inside(m, d, sensor)?].into(),
        S::GeomDist => [position::distance(m, d, sensor, shared)?.distance].into(),
        S::GeomNormal => position::normal(m, d, sensor, shared)?.0.into(),
        S::GeomFromTo => {
            let [from, to] = position::distance(m, d, sensor, shared)?.segment;
            [from[0], from[1], from[2], to[0], to[1], to[2]].into()
        }
        S::Contact => contact::measure(m, d, sensor),
        S::PotentialEnergy => {
            energy::potential(m, d);
            [d.energy[0]].into()
        }
        S::KineticEnergy => {
            energy::kinetic(m, d);
            [d.energy[1]].into()
        }
        S::Clock => [d.time].into(),
        S::Tactile => tactile::measure(m, d, sensor)?,
        S::Plugin | S::User => return None,
    })
}
