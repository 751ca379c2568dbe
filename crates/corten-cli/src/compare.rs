//! `corten compare`: two recordings or two models, field by field.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use corten::Model;
use corten_model::arrays::ArrayRef;
use corten_record::{Array, Values, read_npz};
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

/// What is compared: arrays by name.
fn arrays(file: &Path) -> anyhow::Result<Vec<Array>> {
    let context = || format!("cannot load {}", file.display());
    if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz")) {
        let all = read_npz(&std::fs::read(file).with_context(context)?).with_context(context)?;
        return Ok(all.into_iter().filter(|array| array.name != "model").collect());
    }
    let m = corten::load_file(file).with_context(context)?;
    Ok(model_arrays(&m))
}

fn model_arrays(m: &Model) -> Vec<Array> {
    let sizes = Model::SIZES.iter().map(|size| Array {
        name: (*size).to_owned(),
        shape: vec![],
        values: Values::F64(vec![m.size(size).unwrap_or(0) as f64]),
    });
    let fields = Model::ARRAYS.iter().enumerate().filter_map(|(i, info)| {
        let values: Vec<f64> = match m.array(i)? {
            ArrayRef::F64(x) => x.to_vec(),
            ArrayRef::F32(x) => x.iter().map(|&x| x.into()).collect(),
            ArrayRef::I32(x) => x.iter().map(|&x| x.into()).collect(),
            ArrayRef::U8(x) => x.iter().map(|&x| x.into()).collect(),
        };
        let (name, shape) = (info.name.to_owned(), vec![values.len()]);
        Some(Array { name, shape, values: Values::F64(values) })
    });
    sizes.chain(fields).collect()
}

/// The largest difference of two arrays and where it is; infinite where their sizes differ.
fn difference(a: &Array, b: &Array) -> (f64, usize) {
    match (&a.values, &b.values) {
        (Values::F64(x), Values::F64(y)) if a.shape == b.shape => {
            let away = |(a, b): (&f64, &f64)| match a.to_bits() == b.to_bits() || a == b {
                true => 0.0,
                false => (a - b).abs() / a.abs().max(b.abs()).max(1.0),
            };
            let all = x.iter().zip(y).map(away).map(|d| if d.is_nan() { f64::INFINITY } else { d });
            all.enumerate().fold((0.0, 0), |most, (i, d)| if d > most.0 { (d, i) } else { most })
        }
        (Values::U8(x), Values::U8(y)) if x == y => (0.0, 0),
        _ => (f64::INFINITY, 0),
    }
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (first, second) = (arrays(&args.first)?, arrays(&args.second)?);
    let mut differences = Vec::new();
    for a in &first {
        match second.iter().find(|b| b.name == a.name) {
            Some(b) => {
                let (most, at) = difference(a, b);
                if most > args.tolerance {
                    let shapes = (a.shape != b.shape).then(|| (a.shape.clone(), b.shape.clone()));
                    differences.push((a.name.clone(), most, at, shapes));
                }
            }
            None => differences.push((a.name.clone(), f64::INFINITY, 0, None)),
        }
    }
    let missing = second.iter().filter(|b| !first.iter().any(|a| a.name == b.name));
    differences.extend(missing.map(|b| (b.name.clone(), f64::INFINITY, 0, None)));
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
