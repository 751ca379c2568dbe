//! States of a simulation, one after another.

use std::io::{BufWriter, Write};
use std::path::Path;

use corten_model::enums::StateBit;
use corten_sim::{Data, Model, state};

use crate::csv::write_csv;
use crate::error::RecordError;
use crate::mcap::write_mcap;
use crate::npz::{Array, Values, read_npz, write_npz};

/// Everything that the next step depends on.
const SIGNATURE: u32 = StateBit::Integration.raw() as u32;

/// How to find a field in data.
type Field = fn(&Data) -> &[f64];

/// Fields of data that are recorded for reading, besides the state.
const FIELDS: [(&str, Field); 6] = [
    ("qpos", |d| &d.qpos),
    ("qvel", |d| &d.qvel),
    ("act", |d| &d.act),
    ("ctrl", |d| &d.ctrl),
    ("sensordata", |d| &d.sensordata),
    ("energy", |d| &d.energy[..]),
];

/// Takes states as a simulation runs.
#[derive(Clone, Debug)]
pub struct Recorder {
    model: Vec<u8>,
    width: usize,
    time: Vec<f64>,
    states: Vec<f64>,
    fields: Vec<Vec<f64>>,
}

impl Recorder {
    /// For simulations of a model.
    pub fn new(m: &Model) -> Result<Recorder, RecordError> {
        Ok(Recorder {
            model: m.to_bytes(),
            width: state::size(m, SIGNATURE)?,
            time: Vec::new(),
            states: Vec::new(),
            fields: vec![Vec::new(); FIELDS.len()],
        })
    }

    /// What a file of this name would hold: `npz`, `csv` or `mcap`.
    pub fn format(path: &Path) -> Result<String, RecordError> {
        let extension =
            path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        if ["npz", "csv", "mcap"].contains(&extension.as_str()) {
            return Ok(extension);
        }
        Err(RecordError::Extension { path: path.to_owned(), expected: ".npz, .csv or .mcap" })
    }

    /// Number of states so far.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// Adds the present state. To be called before each step: the state includes the controls that
    /// the step will use.
    pub fn push(&mut self, m: &Model, d: &Data) -> Result<(), RecordError> {
        let start = self.states.len();
        self.states.resize(start + self.width, 0.0);
        let taken = state::get(m, d, &mut self.states[start..], SIGNATURE);
        if taken.is_err() {
            self.states.truncate(start);
        }
        taken?;
        self.time.push(d.time);
        for (values, (_, field)) in self.fields.iter_mut().zip(FIELDS) {
            values.extend_from_slice(field(d));
        }
        Ok(())
    }

    /// Writes everything: `.npz`, `.csv` or `.mcap`, as the name says.
    pub fn save(&self, m: &Model, path: &Path) -> Result<(), RecordError> {
        let extension = Recorder::format(path)?;
        let file = std::fs::File::create(path).map_err(RecordError::file(path))?;
        let mut out = BufWriter::new(file);
        match extension.as_str() {
            "npz" => write_npz(&mut out, &self.arrays()),
            "csv" => self.write_table(m, &mut out),
            _ => self.write_log(m, &mut out),
        }
        .and_then(|()| out.flush())
        .map_err(RecordError::file(path))
    }

    /// Everything as arrays: `time`, fields by name, `state` with all that a step depends on, and
    /// the compiled `model`.
    pub fn arrays(&self) -> Vec<Array> {
        let rows = self.len();
        let array = |name: &str, values: &Vec<f64>| Array {
            name: name.to_owned(),
            shape: vec![rows, values.len().checked_div(rows).unwrap_or(0)],
            values: Values::F64(values.clone()),
        };
        let time = Array {
            name: "time".to_owned(),
            shape: vec![rows],
            values: Values::F64(self.time.clone()),
        };
        let model = Array {
            name: "model".to_owned(),
            shape: vec![self.model.len()],
            values: Values::U8(self.model.clone()),
        };
        let fields = self.fields.iter().zip(FIELDS).map(|(values, (name, _))| array(name, values));
        std::iter::once(time).chain(fields).chain([array("state", &self.states), model]).collect()
    }

    /// Numbers of one row of a field.
    fn row(&self, field: usize, row: usize) -> &[f64] {
        let width = self.fields[field].len().checked_div(self.len()).unwrap_or(0);
        &self.fields[field][row * width..(row + 1) * width]
    }

    fn write_table(&self, m: &Model, out: &mut impl Write) -> std::io::Result<()> {
        let mut names = vec!["time".to_owned()];
        for (field, (name, _)) in FIELDS.iter().enumerate() {
            let width = self.fields[field].len().checked_div(self.len()).unwrap_or(0);
            if *name == "sensordata" {
                names.extend(sensor_columns(m));
            } else {
                names.extend((0..width).map(|i| format!("{name}[{i}]")));
            }
        }
        let rows = (0..self.len()).map(|row| {
            let fields =
                (0..FIELDS.len()).flat_map(move |field| self.row(field, row).iter().copied());
            std::iter::once(self.time[row]).chain(fields)
        });
        write_csv(out, &names, rows)
    }

    fn write_log(&self, m: &Model, out: &mut impl Write) -> std::io::Result<()> {
        let mut d = m.make_data();
        let frames = (0..self.len()).map(|row| {
            let values = &self.states[row * self.width..(row + 1) * self.width];
            let placed = state::set(m, &mut d, values, SIGNATURE).is_ok() && d.forward(m).is_ok();
            let fields = FIELDS.iter().enumerate().map(|(i, (name, _))| (*name, self.row(i, row)));
            let poses = if placed { d.xpos.iter().zip(&d.xquat).collect() } else { Vec::new() };
            let poses = poses.into_iter().map(|(p, q)| (p.0, q.0)).collect();
            (self.time[row], fields.collect(), poses)
        });
        write_mcap(out, m, frames)
    }
}

/// Names of the columns of sensors.
fn sensor_columns(m: &Model) -> Vec<String> {
    let mut names = Vec::new();
    for sensor in m.sensors() {
        let own = m
            .sensor_name(sensor)
            .map_or_else(|| format!("sensor{}", sensor.index()), str::to_owned);
        let dim = m.sensor_dim[sensor.index()].max(0);
        names.extend((0..dim).map(|i| if dim == 1 { own.clone() } else { format!("{own}[{i}]") }));
    }
    names
}

/// A recording that was read.
#[derive(Debug)]
pub struct Recording {
    /// The model that was simulated.
    pub model: Model,
    /// Times of the states.
    pub time: Vec<f64>,
    arrays: Vec<Array>,
}

/// How a repeated simulation compares with its recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replay {
    /// Steps that were repeated.
    pub steps: usize,
    /// The first state that differs in any bit, and by how much at most.
    pub difference: Option<(usize, f64)>,
}

impl Recording {
    /// Reads an NPZ recording.
    pub fn load(path: &Path) -> Result<Recording, RecordError> {
        Recording::from_bytes(&std::fs::read(path).map_err(RecordError::file(path))?)
    }

    /// Reads the contents of an NPZ recording.
    pub fn from_bytes(bytes: &[u8]) -> Result<Recording, RecordError> {
        let arrays = read_npz(bytes)?;
        let find = |name: &str| arrays.iter().find(|array| array.name == name);
        let Some(Values::U8(model)) = find("model").map(|array| &array.values) else {
            return Err(RecordError::Format("it has no model".to_owned()));
        };
        let model = Model::from_bytes(model).map_err(|e| RecordError::Format(e.to_string()))?;
        let Some(Values::F64(time)) = find("time").map(|array| &array.values) else {
            return Err(RecordError::Format("it has no times".to_owned()));
        };
        let time = time.clone();
        let width = state::size(&model, SIGNATURE)?;
        let states = find("state").map_or(&[][..], |array| &array.shape[..]);
        if states != [time.len(), width] {
            return Err(RecordError::Format(format!(
                "its states are {states:?}, expected {:?}",
                [time.len(), width]
            )));
        }
        Ok(Recording { model, time, arrays })
    }

    /// Names and shapes of its arrays.
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// Numbers of an array, and how many there are per state.
    pub fn field(&self, name: &str) -> Result<(&[f64], usize), RecordError> {
        let found = self.arrays.iter().find(|array| array.name == name);
        match found.map(|array| (&array.values, &array.shape)) {
            Some((Values::F64(values), shape)) => Ok((values, shape.get(1).copied().unwrap_or(1))),
            _ => {
                let known = |a: &&Array| matches!(a.values, Values::F64(_));
                let known: Vec<&str> =
                    self.arrays.iter().filter(known).map(|a| a.name.as_str()).collect();
                Err(RecordError::NoArray { name: name.to_owned(), known: known.join(", ") })
            }
        }
    }

    /// Brings data to one of the states.
    pub fn restore(&self, d: &mut Data, index: usize) -> Result<(), RecordError> {
        let (states, width) = self.field("state")?;
        let row = states.get(index * width..(index + 1) * width);
        let row = row.ok_or_else(|| RecordError::Format(format!("it has no state {index}")))?;
        Ok(state::set(&self.model, d, row, SIGNATURE)?)
    }

    /// Simulates again from each state to the next, with the recorded inputs, and compares every
    /// bit of positions, velocities and activations.
    pub fn replay(&self, mut progress: impl FnMut(usize)) -> Result<Replay, RecordError> {
        const COMPARED: u32 = StateBit::FullPhysics.raw() as u32;
        let m = &self.model;
        let mut d = m.make_data();
        let width = state::size(m, COMPARED)?;
        let (mut repeated, mut recorded) = (vec![0.0; width], vec![0.0; width]);
        let (states, whole) = self.field("state")?;
        let mut steps = 0;
        for i in 1..self.time.len() {
            self.restore(&mut d, i - 1)?;
            let half = 0.5 * m.opt.timestep;
            while d.time < self.time[i] - half {
                // A step that reports bad numbers has been recorded as well.
                let _ = d.step(m);
                steps += 1;
            }
            state::get(m, &d, &mut repeated, COMPARED)?;
            state::extract(
                m,
                &states[i * whole..(i + 1) * whole],
                SIGNATURE,
                &mut recorded,
                COMPARED,
            )?;
            let same = repeated.iter().zip(&recorded).all(|(a, b)| a.to_bits() == b.to_bits());
            if !same {
                let away = repeated.iter().zip(&recorded).map(|(a, b)| (a - b).abs());
                let most = away.fold(0.0, f64::max);
                return Ok(Replay { steps, difference: Some((i, most)) });
            }
            progress(i);
        }
        Ok(Replay { steps, difference: None })
    }
}
