//! What is recorded of a state, and how rows of it are written for other programs.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use corten_model::enums::StateBit;
use corten_sim::{Data, Model, state};

use crate::csv::{write_names, write_row};
use crate::error::RecordError;
use crate::mcap::Log;

/// Everything that the next step depends on.
pub(crate) const SIGNATURE: u32 = StateBit::Integration.raw() as u32;

/// How to find a field in data.
pub(crate) type Field = fn(&Data) -> &[f64];

/// Fields of data that are recorded for reading, before the state.
pub(crate) const FIELDS: [(&str, Field); 7] = [
    ("time", |d| std::slice::from_ref(&d.time)),
    ("qpos", |d| &d.qpos),
    ("qvel", |d| &d.qvel),
    ("act", |d| &d.act),
    ("ctrl", |d| &d.ctrl),
    ("sensordata", |d| &d.sensordata),
    ("energy", |d| &d.energy[..]),
];

/// Where fields and state are in a row of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    ends: [usize; FIELDS.len() + 1],
}

impl Columns {
    pub(crate) fn of(m: &Model) -> Result<Columns, RecordError> {
        let widths = [1, m.nq, m.nv, m.na, m.nu, m.nsensordata, 2, state::size(m, SIGNATURE)?];
        let mut sum = 0;
        Ok(Columns {
            ends: widths.map(|width| {
                sum += width;
                sum
            }),
        })
    }

    /// Numbers of a row.
    pub(crate) fn width(&self) -> usize {
        self.ends[FIELDS.len()]
    }

    /// Names of the fields and of the state, and where they are in a row.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> {
        let names = FIELDS.iter().map(|(name, _)| *name).chain(["state"]);
        let starts = std::iter::once(&0).chain(&self.ends);
        names.zip(starts.zip(&self.ends).map(|(&start, &end)| start..end))
    }

    /// Where the state is.
    pub(crate) fn state(&self) -> Range<usize> {
        self.ends[FIELDS.len() - 1]..self.width()
    }
}

/// What rows are given to, one at a time.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&[f64]) -> Result<(), RecordError>;

/// Writes rows that `visit` goes through as a table, or as a log for Foxglove and Rerun.
pub(crate) fn export(
    m: &Model,
    extension: &str,
    path: &Path,
    out: &mut impl Write,
    visit: impl FnOnce(Visit) -> Result<(), RecordError>,
) -> Result<(), RecordError> {
    let columns = Columns::of(m)?;
    if extension == "csv" {
        write_names(out, &names(m, &columns)).map_err(RecordError::file(path))?;
        let end = columns.state().start;
        return visit(&mut |row| write_row(out, &row[..end]).map_err(RecordError::file(path)));
    }
    let mut d = m.make_data();
    let mut log = Log::new(out, m).map_err(RecordError::file(path))?;
    visit(&mut |row| {
        let state = &row[columns.state()];
        let placed = state::set(m, &mut d, state, SIGNATURE).is_ok() && d.forward(m).is_ok();
        let fields = columns.parts().skip(1).take(FIELDS.len() - 1);
        let fields = fields.map(|(name, part)| (name, &row[part])).collect();
        let poses = if placed { d.xpos.iter().zip(&d.xquat).collect() } else { Vec::new() };
        let poses = poses.into_iter().map(|(p, q)| (p.0, q.0)).collect();
        log.push((row[0], fields, poses)).map_err(RecordError::file(path))
    })?;
    log.finish().map_err(RecordError::file(path))
}

/// Names of the columns of a table.
fn names(m: &Model, columns: &Columns) -> Vec<String> {
    let mut names = Vec::new();
    for (name, part) in columns.parts().take(FIELDS.len()) {
        match name {
            "time" => names.push(name.to_owned()),
            "sensordata" => names.extend(sensor_names(m)),
            _ => names.extend((0..part.len()).map(|i| format!("{name}[{i}]"))),
        }
    }
    names
}

/// Names of the columns of sensors.
fn sensor_names(m: &Model) -> Vec<String> {
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
