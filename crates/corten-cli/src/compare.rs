//! `corten compare`: two recordings or two models, field by field.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use corten::Model;
use corten_model::arrays::ArrayRef;
use corten_record::Archive;
use serde_json::json;

#[derive(clap::Args)]
pub struct Args {
    /// A recording (.npz) or a model.
    first: PathBuf,
    /// Another one.
    second: PathBuf,
    /// Largest difference that counts as equal, relative to the numbers where they are above one.
    #[arg(long, default_value_t = 0.0)]
    tolerance: f64,
    /// Print every difference as JSON.
    #[arg(long)]
    json: bool,
}

/// Numbers that are compared at once.
const BLOCK: usize = 1 << 16;

/// What is compared: arrays, those of a recording in their file.
enum Side {
    Recording(Archive),
    Model(Vec<(String, Vec<f64>)>),
}

impl Side {
    fn load(file: &Path) -> anyhow::Result<Side> {
        let context = || format!("cannot load {}", file.display());
        if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz")) {
            return Ok(Side::Recording(Archive::open(file).with_context(context)?));
        }
        Ok(Side::Model(model_arrays(&corten::load_file(file).with_context(context)?)))
    }

    /// Names and sizes of the arrays, the model inside of a recording aside.
    fn arrays(&self) -> Vec<(String, Vec<usize>)> {
        match self {
            Side::Recording(archive) => archive
                .entries()
                .iter()
                .filter(|entry| entry.name != "model")
                .map(|entry| (entry.name.clone(), entry.shape.clone()))
                .collect(),
            Side::Model(arrays) => {
                arrays.iter().map(|(name, values)| (name.clone(), vec![values.len()])).collect()
            }
        }
    }

    /// Numbers of an array, beginning with the given one.
    fn read(&self, name: &str, first: usize, out: &mut [f64]) -> anyhow::Result<()> {
        match self {
            Side::Recording(archive) => archive.read(archive.find(name)?, first, out)?,
            Side::Model(arrays) => {
                let (_, values) = arrays.iter().find(|(own, _)| own == name).context("no array")?;
                out.copy_from_slice(&values[first..first + out.len()]);
            }
        }
        Ok(())
    }
}

fn model_arrays(m: &Model) -> Vec<(String, Vec<f64>)> {
    let sizes = Model::SIZES
        .iter()
        .map(|size| ((*size).to_owned(), vec![m.size(size).unwrap_or(0) as f64]));
    let fields = Model::ARRAYS.iter().enumerate().filter_map(|(i, info)| {
        let values: Vec<f64> = match m.array(i)? {
            ArrayRef::F64(x) => x.to_vec(),
            ArrayRef::F32(x) => x.iter().map(|&x| x.into()).collect(),
            ArrayRef::I32(x) => x.iter().map(|&x| x.into()).collect(),
            ArrayRef::U8(x) => x.iter().map(|&x| x.into()).collect(),
        };
        Some((info.name.to_owned(), values))
    });
    sizes.chain(fields).collect()
}

/// The largest difference of two arrays of one size, and where it is.
fn difference(a: &Side, b: &Side, name: &str, length: usize) -> anyhow::Result<(f64, usize)> {
    let away = |a: f64, b: f64| match a.to_bits() == b.to_bits() || a == b {
        true => 0.0,
        false => (a - b).abs() / a.abs().max(b.abs()).max(1.0),
    };
    let mut most = (0.0, 0);
    let [mut x, mut y] = [const { Vec::new() }; 2];
    for first in (0..length).step_by(BLOCK) {
        let count = BLOCK.min(length - first);
        for (side, block) in [(a, &mut x), (b, &mut y)] {
            block.resize(count, 0.0);
            side.read(name, first, block)?;
        }
        for (i, (&a, &b)) in x.iter().zip(&y).enumerate() {
            let d = away(a, b);
            let d = if d.is_nan() { f64::INFINITY } else { d };
            if d > most.0 {
                most = (d, first + i);
            }
        }
    }
    Ok(most)
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (a, b) = (Side::load(&args.first)?, Side::load(&args.second)?);
    let (first, second) = (a.arrays(), b.arrays());
    let mut differences = Vec::new();
    for (name, shape) in &first {
        match second.iter().find(|(other, _)| other == name) {
            Some((_, other)) if shape == other => {
                let (most, at) = difference(&a, &b, name, shape.iter().product())?;
                if most > args.tolerance {
                    differences.push((name.clone(), most, at, None));
                }
            }
            Some((_, other)) => {
                let shapes = Some((shape.clone(), other.clone()));
                differences.push((name.clone(), f64::INFINITY, 0, shapes));
            }
            None => differences.push((name.clone(), f64::INFINITY, 0, None)),
        }
    }
    let missing = second.iter().filter(|(name, _)| !first.iter().any(|(own, _)| own == name));
    differences.extend(missing.map(|(name, _)| (name.clone(), f64::INFINITY, 0, None)));
    report(args, first.len(), &differences);
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

type Difference = (String, f64, usize, Option<(Vec<usize>, Vec<usize>)>);

fn report(args: &Args, count: usize, differences: &[Difference]) {
    if args.json {
        let list: Vec<_> = differences
            .iter()
            .map(|(name, most, at, shapes)| {
                let most = if most.is_finite() { json!(most) } else { json!(null) };
                json!({"field": name, "difference": most, "index": at, "shapes": shapes})
            })
            .collect();
        println!("{}", json!({"fields": count, "differences": list}));
        return;
    }
    for (name, most, at, shapes) in differences {
        match shapes {
            Some((a, b)) => println!("{name:28} sizes {a:?} and {b:?}"),
            None if most.is_infinite() => println!("{name:28} not comparable, or in one only"),
            None => println!("{name:28} {most:.3e} at {at}"),
        }
    }
    println!("{} of {count} fields differ", differences.len());
}
