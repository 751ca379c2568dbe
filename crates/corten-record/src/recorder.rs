//! States of a simulation as they are taken, and the files that they become.

use std::io::{BufWriter, Seek, Write};
use std::path::Path;

use corten_sim::{Data, Model, state};

use crate::columns::{Columns, FIELDS, SIGNATURE, export};
use crate::error::RecordError;
use crate::npz::{Kind, Writer};

/// Takes states as a simulation runs.
#[derive(Clone, Debug)]
pub struct Recorder {
    model: Vec<u8>,
    columns: Columns,
    /// A row of fields and state after another.
    rows: Vec<f64>,
}

impl Recorder {
    /// For simulations of a model.
    pub fn new(m: &Model) -> Result<Recorder, RecordError> {
        Ok(Recorder { model: m.to_bytes(), columns: Columns::of(m)?, rows: Vec::new() })
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
        self.rows.len() / self.columns.width()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds the present state. To be called before each step: the state includes the controls that
    /// the step will use.
    pub fn push(&mut self, m: &Model, d: &Data) -> Result<(), RecordError> {
        let start = self.rows.len();
        self.rows.resize(start + self.columns.width(), 0.0);
        let row = &mut self.rows[start..];
        for ((_, field), (_, part)) in FIELDS.iter().zip(self.columns.parts()) {
            row[part].copy_from_slice(field(d));
        }
        let taken = state::get(m, d, &mut row[self.columns.state()], SIGNATURE);
        if taken.is_err() {
            self.rows.truncate(start);
        }
        Ok(taken?)
    }

    /// Writes everything: `.npz`, `.csv` or `.mcap`, as the name says.
    pub fn save(&self, m: &Model, path: &Path) -> Result<(), RecordError> {
        let extension = Recorder::format(path)?;
        let file = std::fs::File::create(path).map_err(RecordError::file(path))?;
        let mut out = BufWriter::new(file);
        if extension == "npz" {
            self.write_npz(&mut out).map_err(RecordError::file(path))?;
        } else {
            let mut rows = self.rows.chunks_exact(self.columns.width());
            export(m, &extension, path, &mut out, |visit| rows.try_for_each(visit))?;
        }
        out.flush().map_err(RecordError::file(path))
    }

    /// Arrays `time`, fields by name, `state` with all that a step depends on, and the compiled
    /// `model`.
    fn write_npz(&self, out: &mut (impl Write + Seek)) -> std::io::Result<()> {
        let mut npz = Writer::new(out);
        for (name, part) in self.columns.parts() {
            let shape = [self.len(), part.len()];
            npz.begin(name, if name == "time" { &shape[..1] } else { &shape }, Kind::F64)?;
            for row in self.rows.chunks_exact(self.columns.width()) {
                npz.numbers(&row[part.clone()])?;
            }
        }
        npz.begin("model", &[self.model.len()], Kind::U8)?;
        npz.bytes(&self.model)?;
        npz.finish()
    }
}
