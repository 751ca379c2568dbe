//! Recordings that were written, state by state.

use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use corten_model::arrays::ArrayRef;
use corten_model::enums::StateBit;
use corten_sim::{Data, Model, state};

use crate::columns::{Columns, SIGNATURE, Visit, export};
use crate::error::RecordError;
use crate::npz::{Archive, Entry, Kind};
use crate::recorder::Recorder;

/// Numbers that are read at once where all states are gone through.
const BLOCK: usize = 1 << 16;

/// A recording. Model and times are in memory, states stay in the file.
#[derive(Debug)]
pub struct Recording {
    /// The model that was simulated.
    pub model: Model,
    /// Times of the states.
    pub time: Vec<f64>,
    archive: Archive,
    states: Entry,
}

/// One of the numbers of an array.
fn number(values: ArrayRef<'_>, k: usize) -> Option<f64> {
    match values {
        ArrayRef::F64(values) => values.get(k).copied(),
        ArrayRef::F32(values) => values.get(k).map(|&x| x.into()),
        ArrayRef::I32(values) => values.get(k).map(|&x| x.into()),
        ArrayRef::U8(values) => values.get(k).map(|&x| x.into()),
    }
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
    /// Opens an NPZ recording.
    pub fn load(path: &Path) -> Result<Recording, RecordError> {
        Recording::of(Archive::open(path)?)
    }

    /// Reads the contents of an NPZ recording.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Recording, RecordError> {
        Recording::of(Archive::from_bytes(bytes)?)
    }

    fn of(archive: Archive) -> Result<Recording, RecordError> {
        let missing = |what: &str| RecordError::Format(format!("it has no {what}"));
        let model = archive.find("model").ok().filter(|entry| entry.kind == Kind::U8);
        let model = archive.bytes(model.ok_or_else(|| missing("model"))?)?;
        let model = Model::from_bytes(&model).map_err(|e| RecordError::Format(e.to_string()))?;
        let times = archive.find("time").map_err(|_| missing("times"))?;
        let mut time = vec![0.0; times.len()];
        archive.read(times, 0, &mut time)?;
        let states = archive.find("state").map_err(|_| missing("states"))?.clone();
        let expected = [time.len(), state::size(&model, SIGNATURE)?];
        if states.shape != expected {
            let found = &states.shape;
            return Err(RecordError::Format(format!(
                "its states are {found:?}, expected {expected:?}"
            )));
        }
        Ok(Recording { model, time, archive, states })
    }

    /// The file with its arrays.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Numbers per state of an array.
    pub fn width(&self, name: &str) -> Result<usize, RecordError> {
        Ok(self.field(name)?.shape.get(1).copied().unwrap_or(1))
    }

    /// An array that has a row per state.
    fn field(&self, name: &str) -> Result<&Entry, RecordError> {
        let entry = self.archive.find(name)?;
        if entry.shape.first() != Some(&self.time.len()) || entry.shape.len() > 2 {
            return Err(RecordError::Format(format!("array '{name}' has no row per state")));
        }
        Ok(entry)
    }

    /// One number of an array in all states, one after another.
    pub fn column(&self, name: &str, index: usize) -> Result<Vec<f64>, RecordError> {
        let (entry, width) = (self.field(name)?, self.width(name)?);
        if index >= width {
            return Err(RecordError::Format(format!("array '{name}' has {width} columns")));
        }
        let mut column = Vec::with_capacity(self.time.len());
        let mut block = vec![0.0; (BLOCK / width).max(1).min(self.time.len()) * width];
        while column.len() < self.time.len() {
            let rows = (block.len() / width).min(self.time.len() - column.len());
            let block = &mut block[..rows * width];
            self.archive.read(entry, column.len() * width, block)?;
            column.extend(block.iter().skip(index).step_by(width));
        }
        Ok(column)
    }

    /// Numbers of a field of the data in all states, one after another; the field follows from each
    /// state, and where it is shorter than that, numbers are missing (NaN).
    pub fn computed(
        &self,
        name: &str,
        numbers: Range<usize>,
        mut progress: impl FnMut(usize),
    ) -> Result<Vec<Vec<f64>>, RecordError> {
        let index = Data::array_index(name)
            .ok_or_else(|| RecordError::Format(format!("data have no field '{name}'")))?;
        let mut columns = vec![Vec::with_capacity(self.time.len()); numbers.len()];
        let mut data = Data::new(&self.model);
        for i in 0..self.time.len() {
            self.restore(&mut data, i)?;
            data.forward(&self.model)?;
            let values = data.array(index);
            for (column, k) in columns.iter_mut().zip(numbers.clone()) {
                column.push(values.and_then(|values| number(values, k)).unwrap_or(f64::NAN));
            }
            progress(i);
        }
        Ok(columns)
    }

    /// Brings data to one of the states.
    pub fn restore(&self, d: &mut Data, index: usize) -> Result<(), RecordError> {
        let mut row = vec![0.0; self.states.shape[1]];
        self.read_state(index, &mut row)?;
        Ok(state::set(&self.model, d, &row, SIGNATURE)?)
    }

    fn read_state(&self, index: usize, out: &mut [f64]) -> Result<(), RecordError> {
        if index >= self.time.len() {
            return Err(RecordError::Format(format!("it has no state {index}")));
        }
        self.archive.read(&self.states, index * out.len(), out)
    }

    /// Writes the states as `.csv` or `.mcap`, as the name says.
    pub fn export(&self, path: &Path, progress: impl FnMut(usize)) -> Result<(), RecordError> {
        let extension = Recorder::format(path)?;
        if extension == "npz" {
            return Err(RecordError::Extension {
                path: path.to_owned(),
                expected: ".csv or .mcap",
            });
        }
        let file = std::fs::File::create(path).map_err(RecordError::file(path))?;
        let mut out = BufWriter::new(file);
        export(&self.model, &extension, path, &mut out, |visit| self.visit(visit, progress))?;
        out.flush().map_err(RecordError::file(path))
    }

    /// Goes through the rows of fields and states.
    fn visit(&self, visit: Visit, mut progress: impl FnMut(usize)) -> Result<(), RecordError> {
        let columns = Columns::of(&self.model)?;
        let parts: Vec<_> = columns.parts().collect();
        let mut entries = Vec::new();
        for (name, part) in &parts {
            if self.width(name)? != part.len() {
                return Err(RecordError::Format(format!("array '{name}' is not of its model")));
            }
            entries.push(self.field(name)?);
        }
        let most = (BLOCK / columns.width()).max(1);
        let mut blocks: Vec<Vec<f64>> =
            parts.iter().map(|(_, part)| vec![0.0; most * part.len()]).collect();
        let mut row = vec![0.0; columns.width()];
        for first in (0..self.time.len()).step_by(most) {
            let count = most.min(self.time.len() - first);
            for ((block, entry), (_, part)) in blocks.iter_mut().zip(&entries).zip(&parts) {
                self.archive.read(entry, first * part.len(), &mut block[..count * part.len()])?;
            }
            for i in 0..count {
                for (block, (_, part)) in blocks.iter().zip(&parts) {
                    row[part.clone()].copy_from_slice(&block[i * part.len()..][..part.len()]);
                }
                visit(&row)?;
            }
            progress(first + count);
        }
        Ok(())
    }

    /// Simulates again from each state to the next, with the recorded inputs, and compares every
    /// bit of positions, velocities and activations.
    pub fn replay(&self, mut progress: impl FnMut(usize)) -> Result<Replay, RecordError> {
        const COMPARED: u32 = StateBit::FullPhysics.raw() as u32;
        let m = &self.model;
        let mut d = m.make_data();
        let width = state::size(m, COMPARED)?;
        let (mut repeated, mut recorded) = (vec![0.0; width], vec![0.0; width]);
        let (mut before, mut after) = (vec![0.0; self.states.shape[1]], Vec::new());
        after.clone_from(&before);
        if !self.time.is_empty() {
            self.read_state(0, &mut before)?;
        }
        let mut steps = 0;
        for i in 1..self.time.len() {
            self.read_state(i, &mut after)?;
            state::set(m, &mut d, &before, SIGNATURE)?;
            let half = 0.5 * m.opt.timestep;
            while d.time < self.time[i] - half {
                // A step that reports bad numbers has been recorded as well.
                let _ = d.step(m);
                steps += 1;
            }
            state::get(m, &d, &mut repeated, COMPARED)?;
            state::extract(m, &after, SIGNATURE, &mut recorded, COMPARED)?;
            let same = repeated.iter().zip(&recorded).all(|(a, b)| a.to_bits() == b.to_bits());
            if !same {
                let away = repeated.iter().zip(&recorded).map(|(a, b)| (a - b).abs());
                let most = away.fold(0.0, f64::max);
                return Ok(Replay { steps, difference: Some((i, most)) });
            }
            std::mem::swap(&mut before, &mut after);
            progress(i);
        }
        Ok(Replay { steps, difference: None })
    }
}
