//! What each sensor reads: one arm per sensor.

use corten_model::enums::ConstraintType::{LimitJoint, LimitTendon};
use corten_model::enums::{SensorType as S, Stage};

use super::{Sensor, Shared, acceleration, contact, position, tactile, velocity};
use crate::stage::energy;
use crate::{Data, Model};

/// Writes the reading of a sensor, as much as there is room for; `None` if what it measures does
/// not exist, or if a hook is to measure it. Not inlined: a step would load the addresses of all
/// that any sensor needs.
#[inline(never)]
pub(super) fn measure(
    m: &Model,
    d: &mut Data,
    sensor: &Sensor,
    shared: &mut Shared,
    out: &mut [f64],
) -> Option<()> {
    match sensor.kind {
        S::Touch => write(out, &[contact::touch(m, d, sensor)?]),
        S::Accelerometer => write(out, &acceleration::at_site(m, d, sensor, shared)?.lin().0),
        S::Velocimeter => write(out, &velocity::at_site(m, d, sensor)?.lin().0),
        S::Gyro => write(out, &velocity::at_site(m, d, sensor)?.rot().0),
        S::Force => write(out, &acceleration::interaction(m, d, sensor, shared)?.lin().0),
        S::Torque => write(out, &acceleration::interaction(m, d, sensor, shared)?.rot().0),
        S::Magnetometer => write(out, &sensor.site(m, d)?.mat.tmul(m.opt.magnetic).0),
        S::Rangefinder => write(out, &[position::range(m, d, sensor)?]),
        S::CamProjection => write(out, &position::projection(m, d, sensor)?),
        S::JointPos => write(out, &[position::joint(m, d, sensor)?]),
        S::JointVel => write(out, velocity::joint(m, d, sensor)?.get(..1)?),
        S::TendonPos => write(out, &[d.ten_length[sensor.object(m.ntendon)?]]),
        S::TendonVel => write(out, &[d.ten_velocity[sensor.object(m.ntendon)?]]),
        S::ActuatorPos => write(out, &[d.actuator_length[sensor.object(m.nu)?]]),
        S::ActuatorVel => write(out, &[d.actuator_velocity[sensor.object(m.nu)?]]),
        S::ActuatorFrc => write(out, &[d.actuator_force[sensor.object(m.nu)?]]),
        S::JointActFrc => write(out, &[acceleration::joint_actuators(m, d, sensor)?]),
        S::TendonActFrc => write(out, &[acceleration::tendon_actuators(m, d, sensor)]),
        S::BallQuat => write(out, &position::ball(m, d, sensor)?.0),
        S::BallAngVel => write(out, velocity::joint(m, d, sensor)?.get(..3)?),
        S::JointLimitPos => write(out, &[position::limit(d, LimitJoint, sensor)?]),
        S::JointLimitVel => write(out, &[velocity::limit(d, LimitJoint, sensor)?]),
        S::JointLimitFrc => write(out, &[acceleration::limit(d, LimitJoint, sensor)?]),
        S::TendonLimitPos => write(out, &[position::limit(d, LimitTendon, sensor)?]),
        S::TendonLimitVel => write(out, &[velocity::limit(d, LimitTendon, sensor)?]),
        S::TendonLimitFrc => write(out, &[acceleration::limit(d, LimitTendon, sensor)?]),
        S::FramePos => write(out, &position::frame(m, d, sensor)?.0),
        S::FrameQuat => write(out, &position::orientation(m, d, sensor)?.0),
        S::FrameXAxis => write(out, &position::axis(m, d, sensor, 0)?.0),
        S::FrameYAxis => write(out, &position::axis(m, d, sensor, 1)?.0),
        S::FrameZAxis => write(out, &position::axis(m, d, sensor, 2)?.0),
        S::FrameLinVel => write(out, &velocity::relative(m, d, sensor)?.lin().0),
        S::FrameAngVel => write(out, &velocity::relative(m, d, sensor)?.rot().0),
        S::FrameLinAcc => write(out, &acceleration::frame(m, d, sensor, shared)?.lin().0),
        S::FrameAngAcc => write(out, &acceleration::frame(m, d, sensor, shared)?.rot().0),
        S::SubtreeCom => write(out, &d.subtree_com[sensor.object(m.nbody)?].0),
        S::SubtreeLinVel => {
            shared.prepare(m, d, Stage::Vel);
            write(out, &d.subtree_linvel[sensor.object(m.nbody)?].0)
        }
        S::SubtreeAngMom => {
            shared.prepare(m, d, Stage::Vel);
            write(out, &d.subtree_angmom[sensor.object(m.nbody)?].0)
        }
        S::InsideSite => write(out, &[position::inside(m, d, sensor)?]),
        S::GeomDist => write(out, &[position::distance(m, d, sensor, shared)?.distance]),
        S::GeomNormal => write(out, &position::normal(m, d, sensor, shared)?.0),
        S::GeomFromTo => {
            let segment = position::distance(m, d, sensor, shared)?.segment;
            write(out, segment.map(|p| p.0).as_flattened())
        }
        S::Contact => contact::measure(m, d, sensor, out),
        S::PotentialEnergy => {
            energy::potential(m, d);
            write(out, &d.energy[..1])
        }
        S::KineticEnergy => {
            energy::kinetic(m, d);
            write(out, &d.energy[1..])
        }
        S::Clock => write(out, &[d.time]),
        S::Tactile => tactile::measure(m, d, sensor, out),
        S::Plugin | S::User => None,
    }
}

/// Writes as much as there is room for.
fn write(out: &mut [f64], values: &[f64]) -> Option<()> {
    for (o, v) in out.iter_mut().zip(values) {
        *o = *v;
    }
    Some(())
}
