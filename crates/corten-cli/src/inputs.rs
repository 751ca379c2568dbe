//! Controls from files, noise, and the recording of a run.

use std::path::Path;

use anyhow::{Context, bail};
use corten::{Data, Model};
use corten_math::{Random, real};
use corten_record::{Archive, Kind, Recorder};

use crate::run::Args;

/// What a run takes in and keeps.
pub struct Inputs {
    /// Controls of every step; empty: as they are.
    rows: Vec<Vec<f64>>,
    /// Controls without noise.
    base: Vec<f64>,
    noise: f64,
    random: Random,
    pub recorder: Option<Recorder>,
}

impl Inputs {
    pub fn new(m: &Model, args: &Args) -> anyhow::Result<Inputs> {
        let rows = match &args.controls {
            Some(file) => read_controls(m, file).with_context(|| file.display().to_string())?,
            None => Vec::new(),
        };
        // Before the simulation, not after it.
        for path in &args.record {
            Recorder::format(path)?;
            let mut file = std::fs::OpenOptions::new();
            let file = file.write(true).create(true).truncate(false);
            file.open(path).with_context(|| path.display().to_string())?;
        }
        let recorder = if args.record.is_empty() { None } else { Some(Recorder::new(m)?) };
        Ok(Inputs {
            rows,
            base: Vec::new(),
            noise: args.noise,
            random: Random(args.seed),
            recorder,
        })
    }

    /// Sets the controls of a step.
    pub fn apply(&mut self, d: &mut Data, step: usize) {
        if let Some(row) = self.rows.get(step) {
            d.ctrl.copy_from_slice(row);
            self.base.clone_from(row);
        }
        if self.noise > 0.0 {
            if self.base.is_empty() {
                self.base = d.ctrl.to_vec();
            }
            for (ctrl, base) in d.ctrl.iter_mut().zip(&self.base) {
                *ctrl = base + self.noise * normal(&mut self.random);
            }
        }
    }

    /// Keeps the present state, if a recording is wanted.
    pub fn record(&mut self, m: &Model, d: &Data) -> anyhow::Result<()> {
        if let Some(recorder) = &mut self.recorder {
            recorder.push(m, d)?;
        }
        Ok(())
    }
}

/// A normally distributed number, by the method of Box and Muller.
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * real::ln(1.0 - random.unit())).sqrt();
    radius * real::cos(std::f64::consts::TAU * random.unit())
}

fn read_controls(m: &Model, file: &Path) -> anyhow::Result<Vec<Vec<f64>>> {
    if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz")) {
        let archive = Archive::open(file)?;
        let ctrl = archive.find("ctrl")?;
        let [rows, width] = ctrl.shape[..] else { bail!("'ctrl' must have a row per step") };
        if width != m.nu || ctrl.kind == Kind::U8 {
            bail!("'ctrl' has {width} columns, the model {} actuators", m.nu);
        }
        if width == 0 {
            return Ok(Vec::new());
        }
        let mut values = vec![vec![0.0; width]; rows];
        for (i, row) in values.iter_mut().enumerate() {
            archive.read(ctrl, i * width, row)?;
        }
        return Ok(values);
    }
    parse_table(m, &std::fs::read_to_string(file)?)
}

fn parse_table(m: &Model, text: &str) -> anyhow::Result<Vec<Vec<f64>>> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    let mut columns: Vec<usize> = (0..m.nu).collect();
    if let Some((_, first)) = lines.peek() {
        let words: Vec<&str> = first.split(',').map(str::trim).collect();
        if words.iter().any(|word| word.parse::<f64>().is_err()) {
            let find = |name: &&str| Ok(m.actuator(name)?.index());
            columns = words.iter().map(find).collect::<anyhow::Result<_>>()?;
            lines.next();
        }
    }
    let mut rows = Vec::new();
    let mut row = vec![0.0; m.nu];
    for (number, line) in lines {
        let values: Result<Vec<f64>, _> = line.split(',').map(|word| word.trim().parse()).collect();
        let values = values.with_context(|| format!("line {}", number + 1))?;
        if values.len() != columns.len() {
            bail!("line {}: {} numbers, expected {}", number + 1, values.len(), columns.len());
        }
        for (&column, value) in columns.iter().zip(values) {
            row[column] = value;
        }
        rows.push(row.clone());
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r#"<mujoco><worldbody><body><joint name="a"/><joint name="b" axis="1 0 0"/>
        <geom size=".1"/></body></worldbody><actuator><motor name="first" joint="a"/>
        <motor name="second" joint="b"/></actuator></mujoco>"#;

    #[test]
    fn tables_with_and_without_names() {
        let m = corten::load_model(MODEL).unwrap();
        let plain = parse_table(&m, "1,2\n3, 4\n").unwrap();
        assert_eq!(plain, [[1.0, 2.0], [3.0, 4.0]]);
        let named = parse_table(&m, "second\n5\n6\n").unwrap();
        assert_eq!(named, [[0.0, 5.0], [0.0, 6.0]]);
        for bad in ["1,2,3", "first,third\n1,2", "1,2\nx,y"] {
            assert!(parse_table(&m, bad).is_err(), "{bad}");
        }
    }
}
