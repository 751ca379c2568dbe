//! `corten plot`: numbers of a recording over time.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::progress::Bar;

use anyhow::{Context, bail};
use corten::{Data, Model};
use corten_record::{Curve, Recording, plot_png, plot_svg, write_png};
use serde_json::json;

#[derive(clap::Args)]
pub struct Args {
    /// Recording that `corten run --record FILE.npz` wrote.
    file: PathBuf,
    /// What to plot: the name of a sensor, or any field of the state or of what follows from it, such as
    /// `qpos`, `energy`, `xpos` or `actuator_force`: all of it or, as in `qpos[2]`, one number; by name, as in
    /// `qpos[knee]` or `xpos[torso]`, those of an element, and `xpos[torso][2]` one of them.
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

/// A field as it was asked for: its array, what is in the first pair of brackets and in the second.
struct Wanted<'a> {
    array: &'a str,
    row: Option<&'a str>,
    part: Option<&'a str>,
}

impl Wanted<'_> {
    fn parse(field: &str) -> anyhow::Result<Wanted<'_>> {
        let (array, mut rest) = field.split_at(field.find('[').unwrap_or(field.len()));
        let mut next = || -> anyhow::Result<Option<&str>> {
            if rest.is_empty() {
                return Ok(None);
            }
            let inside = rest.strip_prefix('[').and_then(|inside| inside.split_once(']'));
            let (inside, after) = inside
                .with_context(|| format!("'{field}': expected a name or number in brackets"))?;
            rest = after;
            Ok(Some(inside))
        };
        let wanted = Wanted { array, row: next()?, part: next()? };
        anyhow::ensure!(rest.is_empty(), "'{field}': at most two pairs of brackets");
        Ok(wanted)
    }

    /// Numbers of the array that are meant, of so many.
    fn columns(&self, m: &Model, width: usize) -> anyhow::Result<Range<usize>> {
        let Wanted { array, row, part } = self;
        let Some(row) = row else { return Ok(0..width) };
        let all = match row.parse::<usize>() {
            Ok(i) => i..i + 1,
            Err(_) => rows_of(m, array, width, row)?,
        };
        let range = match part {
            None => all,
            Some(part) => {
                let k = part.parse::<usize>().ok().filter(|&k| k < all.len());
                let k = k.with_context(|| {
                    format!("{array}[{row}] has {} numbers: there is no [{part}]", all.len())
                })?;
                all.start + k..all.start + k + 1
            }
        };
        if range.end > width {
            bail!("{array} has {width} numbers per state: there is no {array}[{row}]");
        }
        Ok(range)
    }
}

/// Numbers of an array that belong to an element of the model.
fn rows_of(m: &Model, array: &str, width: usize, name: &str) -> anyhow::Result<Range<usize>> {
    let info = Data::array_index(array).map(|i| Data::ARRAYS[i]);
    let counted = info.map_or("", |info| info.rows);
    let one = |index: usize, count: usize| {
        let each = width / count.max(1);
        index * each..(index + 1) * each
    };
    let of_joint = |adr: &[i32], count: usize| -> anyhow::Result<Range<usize>> {
        let joint = m.joint(name)?.index();
        let end = adr.get(joint + 1).map_or(count, |&next| next as usize);
        Ok(adr[joint] as usize..end)
    };
    match counted {
        "nbody" => Ok(one(m.body(name)?.index(), m.nbody)),
        "njnt" => Ok(one(m.joint(name)?.index(), m.njnt)),
        "ngeom" => Ok(one(m.geom(name)?.index(), m.ngeom)),
        "nsite" => Ok(one(m.site(name)?.index(), m.nsite)),
        "ncam" => Ok(one(m.camera(name)?.index(), m.ncam)),
        "nlight" => Ok(one(m.light(name)?.index(), m.nlight)),
        "ntendon" => Ok(one(m.tendon(name)?.index(), m.ntendon)),
        "nu" => Ok(one(m.actuator(name)?.index(), m.nu)),
        "nq" => of_joint(&m.jnt_qposadr, m.nq),
        "nv" => of_joint(&m.jnt_dofadr, m.nv),
        _ => bail!(
            "'{array}[{name}]': numbers of {array} have no names, expected a number in brackets"
        ),
    }
}

fn add_curves(recording: &Recording, field: &str, curves: &mut Vec<Curve>) -> anyhow::Result<()> {
    let m = &recording.model;
    let mut add = |name: String, values: Vec<f64>| {
        let points = recording.time.iter().zip(values).map(|(&t, x)| [t, x]);
        curves.push(Curve { name, points: points.filter(|[_, x]| x.is_finite()).collect() });
    };
    if let Ok(sensor) = m.sensor(field) {
        let start = m.sensor_adr[sensor.index()].max(0) as usize;
        let dim = m.sensor_dim[sensor.index()].max(0) as usize;
        for i in 0..dim {
            let name = if dim == 1 { field.to_owned() } else { format!("{field}[{i}]") };
            add(name, recording.column("sensordata", start + i)?);
        }
        return Ok(());
    }
    let wanted = Wanted::parse(field)?;
    let array = wanted.array;
    let (range, columns) = match recording.width(array) {
        Ok(width) => {
            let range = wanted.columns(m, width)?;
            let columns = range.clone().map(|i| recording.column(array, i));
            (range, columns.collect::<Result<Vec<_>, _>>()?)
        }
        Err(error) => {
            // What is not recorded follows from the states.
            let Some(index) = Data::array_index(array) else { return Err(error.into()) };
            let mut data = m.make_data();
            data.forward(m)?;
            let width = data.array(index).map_or(0, |values| values.len());
            let range = wanted.columns(m, width)?;
            let mut bar = Bar::new(recording.time.len());
            let columns = recording.computed(array, range.clone(), |i| bar.set_position(i))?;
            bar.clear();
            (range, columns)
        }
    };
    let single = columns.len() == 1;
    for (i, values) in range.clone().zip(columns) {
        let name = match wanted.row {
            _ if single => field.to_owned(),
            Some(row) => format!("{array}[{row}][{}]", i - range.start),
            None => format!("{array}[{i}]"),
        };
        add(name, values);
    }
    Ok(())
}
