//! Sensors, by the stage after which they can be read.
//!
//! Reads everything, writes `sensordata` (and what only sensors need: energies, subtree momenta,
//! body accelerations and forces). Answers to MuJoCo's `mj_sensorPos`, `mj_sensorVel` and
//! `mj_sensorAcc`. User sensors read zero unless a hook fills
//! them.

mod acceleration;
mod camera;
mod contact;
mod position;
mod tactile;
mod velocity;

use corten_math::Vec3;
use corten_model::Model;
use corten_model::enums::{
    ConstraintType, DisableBit, GeomType, ObjType, SensorDataType, SensorType, SleepState, Stage,
};

use crate::chain::index;
use crate::stage::actuation::clip;
use crate::stage::{body_force, velocity as velocities};
use crate::support::{Frame, object_frame};
use crate::{Data, sleep};

pub(crate) use contact::Memory;

/// Sensors of positions.
pub fn position(m: &Model, d: &mut Data) {
    run(m, d, Stage::Pos);
}

/// Sensors of velocities.
pub fn velocity(m: &Model, d: &mut Data) {
    run(m, d, Stage::Vel);
}

/// Sensors of accelerations and forces.
pub fn acceleration(m: &Model, d: &mut Data) {
    run(m, d, Stage::Acc);
}

/// One sensor with its resolved parameters.
#[derive(Clone, Copy)]
struct Sensor {
    id: usize,
    kind: SensorType,
    object: (ObjType, i32),
    reference: (ObjType, i32),
}

impl Sensor {
    fn new(m: &Model, id: usize) -> Option<Sensor> {
        Some(Sensor {
            id,
            kind: SensorType::from_raw(m.sensor_type[id])?,
            object: (ObjType::from_raw(m.sensor_objtype[id])?, m.sensor_objid[id]),
            reference: (ObjType::from_raw(m.sensor_reftype[id])?, m.sensor_refid[id]),
        })
    }

    /// Index of the measured object among `count` of its type.
    fn object(&self, count: usize) -> Option<usize> {
        index(self.object.1, count)
    }

    fn object_frame<'a>(&self, m: &Model, d: &'a Data) -> Option<Frame<'a>> {
        frame(m, d, self.object)
    }

    /// The frame in which the result is expressed; `None` for the world.
    fn reference_frame<'a>(&self, m: &Model, d: &'a Data) -> Option<Frame<'a>> {
        frame(m, d, self.reference)
    }

    /// The frame of the site that the sensor is mounted on.
    fn site<'a>(&self, m: &Model, d: &'a Data) -> Option<Frame<'a>> {
        frame(m, d, (ObjType::Site, self.object.1))
    }
}

fn frame<'a>(m: &Model, d: &'a Data, (kind, id): (ObjType, i32)) -> Option<Frame<'a>> {
    object_frame(m, d, kind, usize::try_from(id).ok()?)
}

fn run(m: &Model, d: &mut Data, stage: Stage) {
    if m.nsensor == 0 || m.opt.disabled(DisableBit::Sensor) {
        return;
    }
    let filter = sleep::filters(m, d);
    let mut data = std::mem::take(&mut d.sensordata);
    let mut shared = Shared::default();
    let mut user = false;
    for id in 0..m.nsensor {
        if m.sensor_needstage[id] != stage.raw()
            || (filter && sleep::state(m, d, ObjType::Sensor, id) == SleepState::Asleep)
        {
            continue;
        }
        let (Some(sensor), Some(out)) = (Sensor::new(m, id), output(m, id, &mut data)) else {
            continue;
        };
        let measured = match (sensor.kind, stage) {
            (SensorType::Plugin, _) => continue,
            (SensorType::User, _) => {
                out.fill(0.0);
                shared.prepare(m, d, stage);
                user = true;
                Some(())
            }
            (_, Stage::Pos) => position::measure(m, d, &sensor, &mut shared, out),
            (_, Stage::Vel) => velocity::measure(m, d, &sensor, &mut shared, out),
            _ => acceleration::measure(m, d, &sensor, &mut shared, out),
        };
        // A sensor of something that does not exist reads zero.
        if measured.is_none() {
            out.fill(0.0);
        }
        apply_cutoff(m, &sensor, out);
    }
    d.sensordata = data;
    if user && let Some(hook) = d.hooks.get() {
        hook.sensor(m, d, stage);
        let mut data = std::mem::take(&mut d.sensordata);
        for id in (0..m.nsensor).filter(|&i| m.sensor_needstage[i] == stage.raw()) {
            if let (Some(sensor), Some(out)) = (Sensor::new(m, id), output(m, id, &mut data))
                && sensor.kind == SensorType::User
            {
                apply_cutoff(m, &sensor, out);
            }
        }
        d.sensordata = data;
    }
}

/// The part of `sensordata` that belongs to a sensor.
fn output<'a>(m: &Model, id: usize, data: &'a mut [f64]) -> Option<&'a mut [f64]> {
    let start = usize::try_from(m.sensor_adr[id]).ok()?;
    let len = usize::try_from(m.sensor_dim[id]).ok()?;
    data.get_mut(start..start.checked_add(len)?)
}

/// What several sensors of a stage share, computed when the first of them asks.
#[derive(Default)]
struct Shared {
    ready: bool,
    distance: Option<position::Distance>,
}

impl Shared {
    /// Subtree momenta in the velocity stage, body accelerations in the acceleration stage.
    fn prepare(&mut self, m: &Model, d: &mut Data, stage: Stage) {
        if !std::mem::replace(&mut self.ready, true) {
            match stage {
                Stage::Vel => velocities::subtree_velocities(m, d),
                Stage::Acc => body_force::body_forces(m, d),
                _ => {}
            }
        }
    }
}

/// Writes as much as there is room for.
fn write(out: &mut [f64], values: &[f64]) -> Option<()> {
    for (o, v) in out.iter_mut().zip(values) {
        *o = *v;
    }
    Some(())
}

fn apply_cutoff(m: &Model, sensor: &Sensor, out: &mut [f64]) {
    let cutoff = m.sensor_cutoff[sensor.id];
    // For the segment between two geoms, the cutoff is the largest distance searched.
    if cutoff <= 0.0 || sensor.kind == SensorType::GeomFromTo {
        return;
    }
    match SensorDataType::from_raw(m.sensor_datatype[sensor.id]) {
        Some(SensorDataType::Real) => {
            out.iter_mut().for_each(|x| *x = clip(*x, [-cutoff, cutoff]));
        }
        Some(SensorDataType::Positive) => out.iter_mut().for_each(|x| *x = x.min(cutoff)),
        _ => {}
    }
}

/// The first limit row of a joint or tendon.
fn limit_row(d: &Data, kind: ConstraintType, id: i32) -> Option<usize> {
    (d.ne + d.nf..d.nefc).find(|&r| d.efc_type[r] == kind.raw() && d.efc_id[r] == id)
}

/// Whether a point lies inside a primitive shape; the side below for a plane.
fn contains(frame: &Frame<'_>, size: Vec3, kind: i32, point: Vec3) -> bool {
    let gap = point - frame.pos;
    let p = frame.mat.tmul(gap);
    let disc = p[0] * p[0] + p[1] * p[1];
    match GeomType::from_raw(kind) {
        Some(GeomType::Sphere) => gap.dot(gap) < size[0] * size[0],
        Some(GeomType::Capsule) => {
            let beyond = p[2] - clip(p[2], [-size[1], size[1]]);
            disc + beyond * beyond < size[0] * size[0]
        }
        Some(GeomType::Ellipsoid) => {
            (0..3).map(|i| p[i] * p[i] / (size[i] * size[i])).sum::<f64>() < 1.0
        }
        Some(GeomType::Cylinder) => p[2].abs() < size[1] && disc < size[0] * size[0],
        Some(GeomType::Box) => (0..3).all(|i| p[i].abs() < size[i]),
        Some(GeomType::Plane) => p[2] < 0.0,
        _ => false,
    }
}
