//! Sensors, by the stage after which they can be read.
//!
//! Reads everything, writes `sensordata` (and what only sensors need: energies, subtree momenta,
//! body accelerations and forces). Answers to MuJoCo's `mj_sensorPos`, `mj_sensorVel` and
//! `mj_sensorAcc`. User sensors read zero unless a hook fills
//! them.

mod acceleration;
mod camera;
mod contact;
mod measure;
mod position;
mod tactile;
mod velocity;

use corten_math::Vec3;
use corten_math::array::MapInline;
use corten_math::hint::rarely;
use corten_model::ModelArrays;
use corten_model::enums::{
    ConstraintType, DisableBit, GeomType, ObjType, SensorDataType, SensorType, SleepState, Stage,
};

use crate::chain::index;
use crate::extend::Point;
use crate::stage::actuation::clip;
use crate::stage::{body_force, velocity as velocities};
use crate::support::{Frame, object_frame};
use crate::{Data, Model, sleep};

pub(crate) use contact::Scratch;

/// Sensors of positions.
pub fn position(m: &Model, d: &mut Data) {
    run(m, d, Stage::Pos, |plan| &plan.position);
}

/// Sensors of velocities.
pub fn velocity(m: &Model, d: &mut Data) {
    run(m, d, Stage::Vel, |plan| &plan.velocity);
}

/// Sensors of accelerations and forces.
pub fn acceleration(m: &Model, d: &mut Data) {
    run(m, d, Stage::Acc, |plan| &plan.acceleration);
}

/// The sensors of a model by stage, with what structure says of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    position: Vec<Entry>,
    velocity: Vec<Entry>,
    acceleration: Vec<Entry>,
    /// Whether there are sensors of potential and kinetic energy.
    pub energy: [bool; 2],
}

/// One sensor of a [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    id: usize,
    kind: SensorType,
    object: ObjType,
    reference: ObjType,
    /// Its part of `sensordata`.
    start: usize,
    end: usize,
}

impl Plan {
    pub fn new(m: &ModelArrays) -> Plan {
        let of_stage = |stage: Stage| {
            let ids = (0..m.nsensor).filter(|&i| m.sensor_needstage[i] == stage.raw());
            ids.filter_map(|id| Entry::new(m, id, stage)).collect()
        };
        let measured = |kind: SensorType| m.sensor_type.contains(&kind.raw());
        Plan {
            position: of_stage(Stage::Pos),
            velocity: of_stage(Stage::Vel),
            acceleration: of_stage(Stage::Acc),
            energy: [SensorType::PotentialEnergy, SensorType::KineticEnergy].map_inline(measured),
        }
    }
}

impl Entry {
    /// A sensor that the stage can read, with a place for its output.
    fn new(m: &ModelArrays, id: usize, stage: Stage) -> Option<Entry> {
        let start = usize::try_from(m.sensor_adr[id]).ok()?;
        let end = start.checked_add(usize::try_from(m.sensor_dim[id]).ok()?)?;
        let entry = Entry {
            id,
            kind: SensorType::from_raw(m.sensor_type[id])?,
            object: ObjType::from_raw(m.sensor_objtype[id])?,
            reference: ObjType::from_raw(m.sensor_reftype[id])?,
            start,
            end,
        };
        let readable = entry.kind.info().stage.is_none_or(|needed| needed == stage);
        (end <= m.nsensordata && readable).then_some(entry)
    }
}

/// One sensor and what it looks at.
#[derive(Clone, Copy)]
struct Sensor {
    id: usize,
    kind: SensorType,
    object: (ObjType, i32),
    reference: (ObjType, i32),
    /// Its part of `sensordata`.
    start: usize,
    end: usize,
}

impl Sensor {
    #[inline]
    fn new(m: &Model, entry: &Entry) -> Sensor {
        let &Entry { id, kind, object, reference, start, end } = entry;
        let (object, reference) = ((object, m.sensor_objid[id]), (reference, m.sensor_refid[id]));
        Sensor { id, kind, object, reference, start, end }
    }

    /// Where the reading goes.
    #[inline]
    fn output<'a>(&self, d: &'a mut Data) -> &'a mut [f64] {
        d.sensordata.get_mut(self.start..self.end).unwrap_or(&mut [])
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

/// Reads the sensors of a stage.
#[inline(always)]
fn run(m: &Model, d: &mut Data, stage: Stage, entries: impl Fn(&Plan) -> &[Entry]) {
    let count = entries(&d.prepared.sensors).len();
    let plugin = rarely(!m.extensions().is_empty()) && m.extensions().has_sensors(stage);
    if count == 0 && !plugin || m.opt.disabled(DisableBit::Sensor) {
        return;
    }
    let filter = sleep::filters(m, d);
    let mut shared = OnDemand::default();
    let mut user = false;
    for k in 0..count {
        let entry = entries(&d.prepared.sensors)[k];
        if filter && sleep::state(m, d, ObjType::Sensor, entry.id) == SleepState::Asleep {
            continue;
        }
        let sensor = Sensor::new(m, &entry);
        if sensor.kind == SensorType::Plugin {
            continue;
        }
        if sensor.kind == SensorType::User {
            shared.prepare(m, d, stage);
            user = true;
        }
        let reading = measure::measure(m, d, &sensor, &mut shared);
        let out = sensor.output(d);
        match reading {
            Some(reading) => reading.write(out),
            // What measures something that does not exist reads zero, and what a hook is to fill.
            None => out.fill(0.0),
        }
        apply_cutoff(m, &sensor, out);
    }
    if user && let Some(hook) = d.hooks.get() {
        let answer = hook.sensor(m, d, stage);
        d.heed(|| hook.name().into(), answer);
        for k in 0..count {
            let sensor = Sensor::new(m, &entries(&d.prepared.sensors)[k]);
            if sensor.kind == SensorType::User {
                apply_cutoff(m, &sensor, sensor.output(d));
            }
        }
    }
    if plugin {
        shared.prepare(m, d, stage);
        m.extensions().call(m, d, Point::Sensors(stage));
        for k in 0..count {
            let sensor = Sensor::new(m, &entries(&d.prepared.sensors)[k]);
            if sensor.kind == SensorType::Plugin {
                apply_cutoff(m, &sensor, sensor.output(d));
            }
        }
    }
}

/// What several sensors of a stage share, computed when the first of them asks.
#[derive(Default)]
struct OnDemand {
    ready: bool,
    distance: Option<position::Distance>,
}

impl OnDemand {
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

#[inline]
fn apply_cutoff(m: &Model, sensor: &Sensor, out: &mut [f64]) {
    let cutoff = m.sensor_cutoff[sensor.id];
    // For the segment between two geoms, the cutoff is the largest distance searched.
    if cutoff > 0.0 && sensor.kind != SensorType::GeomFromTo {
        cut_off(m, sensor, cutoff, out);
    }
}

#[inline(never)]
fn cut_off(m: &Model, sensor: &Sensor, cutoff: f64, out: &mut [f64]) {
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
