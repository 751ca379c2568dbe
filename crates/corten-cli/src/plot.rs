//! `corten plot`: numbers of a recording over time.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use corten_record::{Curve, Recording, plot_png, plot_svg, write_png};
use serde_json::json;

#[derive(clap::Args)]
pub struct Args {
    /// Recording that `corten run --record FILE.npz` wrote.
    file: PathBuf,
    /// What to plot: `qpos`, `qvel`, `act`, `ctrl`, `sensordata`, `energy` or `state`, all of it or, as in
    /// `qpos[2]`, one number; or the name of a sensor.
    #[arg(required = true)]
    fields: Vec<String>,
    /// Where to write, `.svg` or `.png`.
    #[arg(long, short)]
    out: PathBuf,
    /// Width in pixels.
    #[arg(long, default_value_t = 800)]
    width: usize,
    /// Height in pixels.
    #[arg(long, default_value_t = 450)]
    height: usize,
    /// Print what was written as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let recording = Recording::load(&args.file)?;
    let mut curves = Vec::new();
    for field in &args.fields {
        add_curves(&recording, field, &mut curves)?;
    }
    let title = args.fields.join(", ");
    let extension =
        args.out.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match extension.as_str() {
        "svg" => std::fs::write(&args.out, plot_svg(&title, &curves, args.width, args.height))
            .with_context(|| format!("cannot write {}", args.out.display()))?,
        "png" => write_png(&args.out, &plot_png(&title, &curves, args.width, args.height)?)?,
        _ => bail!("{}: expected a name that ends in .svg or .png", args.out.display()),
    }
    if args.json {
        let names: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
        println!("{}", json!({"file": args.out, "curves": names, "points": recording.time.len()}));
    } else {
        println!("{}", args.out.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn add_curves(recording: &Recording, field: &str, curves: &mut Vec<Curve>) -> anyhow::Result<()> {
    let m = &recording.model;
    let curve = |name: String, array: &str, column: usize| -> anyhow::Result<Curve> {
        let values = recording.column(array, column)?;
        Ok(Curve {
            name,
            points: recording.time.iter().zip(values).map(|(&t, x)| [t, x]).collect(),
        })
    };
    if let Ok(sensor) = m.sensor(field) {
        let start = m.sensor_adr[sensor.index()].max(0) as usize;
        let dim = m.sensor_dim[sensor.index()].max(0) as usize;
        for i in 0..dim {
            let name = if dim == 1 { field.to_owned() } else { format!("{field}[{i}]") };
            curves.push(curve(name, "sensordata", start + i)?);
        }
        return Ok(());
    }
    let (name, index) = match field.split_once('[') {
        Some((name, rest)) => {
            let index = rest.trim_end_matches(']').parse::<usize>();
            (
                name,
                Some(index.with_context(|| format!("'{field}': expected a number in brackets"))?),
            )
        }
        None => (field, None),
    };
    let width = recording.width(name)?;
    match index {
        Some(i) if i < width => curves.push(curve(field.to_owned(), name, i)?),
        Some(i) => bail!("{name} has {width} numbers per state: there is no {name}[{i}]"),
        None => {
            for i in 0..width {
                curves.push(curve(format!("{name}[{i}]"), name, i)?);
            }
        }
    }
    Ok(())
}
