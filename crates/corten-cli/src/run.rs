//! `corten run`: simulate and print a table of what happens.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use corten::enums::{Timer, Warning};
use corten::{Data, Hooks, Model, StepError, Stopwatch};
use corten_record::write_png;
use serde_json::json;

use crate::inputs::Inputs;
use crate::progress::Bar;
use crate::render::{default_path, picture};
use crate::start::{self, Start};

/// Lines of the table, whatever the length of the simulation.
const ROWS: usize = 10;

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF file.
    file: PathBuf,
    /// Simulated seconds.
    #[arg(long, default_value_t = 2.0, conflicts_with = "steps")]
    time: f64,
    /// Number of steps instead of a time.
    #[arg(long)]
    steps: Option<usize>,
    #[command(flatten)]
    start: Start,
    /// Controls of every step: a CSV file with a row per step and a column per actuator (named in the first
    /// row, or all of them in order), or an array `ctrl` of an NPZ file. The last row stays.
    #[arg(long, value_name = "FILE")]
    pub controls: Option<PathBuf>,
    /// Standard deviation of noise on every control.
    #[arg(long, default_value_t = 0.0)]
    pub noise: f64,
    /// Beginning of the random numbers for noise.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Write every state: `.npz` (can be replayed), `.csv` or `.mcap`; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub record: Vec<PathBuf>,
    /// Where to write a picture of the last state; the system's directory for temporary files by default.
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,
    /// No picture.
    #[arg(long, conflicts_with = "picture")]
    no_picture: bool,
    /// Also print how long the stages of a step take.
    #[arg(long)]
    profile: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    crate::watch_interrupts();
    let start = Instant::now();
    let (model, mut data) = start::load(&args.file, &args.start)?;
    if !args.json {
        println!(
            "{}: {} bodies, {} degrees of freedom, {} geoms, {} actuators, {} sensors; loaded in {:.1} ms",
            model.name,
            model.nbody - 1,
            model.nv,
            model.ngeom,
            model.nu,
            model.nsensor,
            1e3 * start.elapsed().as_secs_f64()
        );
    }
    if args.profile {
        data.hooks = Hooks::new(Stopwatch::default());
    }
    let steps = match args.steps {
        Some(steps) => steps,
        None => (args.time / model.opt.timestep).round() as usize,
    };
    let mut inputs = Inputs::new(&model, args)?;
    let outcome = simulate(&model, &mut data, steps, &mut inputs, args)?;
    finish(&model, &mut data, &outcome, &inputs, args)
}

/// What happened.
struct Outcome {
    steps: usize,
    seconds: f64,
    trouble: Option<StepError>,
}

fn simulate(
    m: &Model,
    d: &mut Data,
    steps: usize,
    inputs: &mut Inputs,
    args: &Args,
) -> anyhow::Result<Outcome> {
    if !args.json {
        println!("\n    time     height of   speed of                solver");
        println!("     [s]     mass [m]    mass [m/s]   contacts   iterations");
    }
    let interval = steps.div_ceil(ROWS).max(1);
    let mut bar = Bar::new(steps);
    let mut outcome = Outcome { steps: 0, seconds: 0.0, trouble: None };
    for i in 0..steps {
        inputs.apply(d, i);
        inputs.record(m, d)?;
        let start = Instant::now();
        let result = d.step(m);
        outcome.seconds += start.elapsed().as_secs_f64();
        outcome.steps += 1;
        if let (Err(error), None) = (result, &outcome.trouble) {
            outcome.trouble = Some(error);
        }
        if i % 64 == 0 {
            bar.set_position(i);
        }
        if !args.json && ((i + 1) % interval == 0 || i + 1 == steps) {
            bar.suspend(|| row(m, d));
        }
        if crate::interrupted() {
            break;
        }
    }
    bar.clear();
    inputs.record(m, d)?;
    Ok(outcome)
}

/// Prints the end, and writes what was asked for.
fn finish(
    m: &Model,
    d: &mut Data,
    outcome: &Outcome,
    inputs: &Inputs,
    args: &Args,
) -> anyhow::Result<ExitCode> {
    for path in &args.record {
        if let Some(recorder) = &inputs.recorder {
            recorder.save(m, path)?;
        }
    }
    let picture = match args.no_picture || m.ngeom + m.nsite + m.nflex + m.nskin == 0 {
        true => None,
        false => {
            let path = args.picture.clone().unwrap_or_else(|| default_path(&args.file));
            write_png(&path, &picture(m, d)?)?;
            Some(path)
        }
    };
    let code = if outcome.trouble.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    if args.json {
        let sensors: serde_json::Map<String, serde_json::Value> = m
            .sensors()
            .map(|s| {
                let name =
                    m.sensor_name(s).map_or_else(|| format!("#{}", s.index()), str::to_owned);
                (name, json!(d.sensor(s)))
            })
            .collect();
        let value = json!({
            "model": m.name, "steps": outcome.steps, "time": d.time, "seconds": outcome.seconds,
            "qpos": &d.qpos[..], "qvel": &d.qvel[..], "contacts": d.ncon, "sensors": sensors,
            "recorded": args.record, "picture": picture,
            "error": outcome.trouble.as_ref().map(ToString::to_string),
        });
        println!("{value}");
        return Ok(code);
    }
    let (steps, stepping) = (outcome.steps, outcome.seconds);
    println!(
        "\n{steps} steps in {:.1} ms: {:.1} us per step, {:.0} times real time",
        1e3 * stepping,
        1e6 * stepping / steps.max(1) as f64,
        steps as f64 * m.opt.timestep / stepping.max(1e-12),
    );
    stages(d);
    sensors(m, d);
    if let Some(message) = d.solver.take_message() {
        println!("\n{message} ({} times)", d.solver.unconverged);
    }
    if let Some(error) = &outcome.trouble {
        println!("\nthe simulation went bad: {error}");
        for warning in Warning::ALL {
            let stat = d.warning_mut(*warning);
            if stat.number > 0 {
                println!("  {}: {} times", warning.mj_name(), stat.number);
            }
        }
    }
    for path in &args.record {
        println!("\nrecorded: {}", path.display());
    }
    if let Some(path) = picture {
        println!("\npicture of the last state: {}", path.display());
        println!("to see it move: {} {}", crate::view::COMMAND, args.file.display());
    }
    Ok(code)
}

fn row(m: &Model, d: &mut Data) {
    corten::subtree_velocities(m, d);
    println!(
        "{:8.3} {:12.4} {:12.4} {:10} {:12}",
        d.time,
        d.subtree_com[0][2],
        d.subtree_linvel[0].norm(),
        d.ncon,
        d.solver_niter[0]
    );
}

/// Time of the stages, each below the one that it is a part of.
fn stages(d: &Data) {
    const STAGES: [(Timer, &str); 14] = [
        (Timer::Step, "step"),
        (Timer::Forward, "  forward"),
        (Timer::Position, "    position"),
        (Timer::PosKinematics, "      kinematics"),
        (Timer::PosInertia, "      inertia"),
        (Timer::PosCollision, "      collision"),
        (Timer::ColBroad, "        broad phase"),
        (Timer::ColNarrow, "        narrow phase"),
        (Timer::PosMake, "      constraint rows"),
        (Timer::PosProject, "      projection"),
        (Timer::Velocity, "    velocity"),
        (Timer::Actuation, "    actuation"),
        (Timer::Constraint, "    solver"),
        (Timer::Advance, "  integration"),
    ];
    let whole = d.timer_of(Timer::Step);
    if whole.number == 0 {
        return;
    }
    println!("\nstage                      calls   us per step    share");
    for (timer, name) in STAGES {
        let stat = d.timer_of(timer);
        println!(
            "{name:22} {:9} {:13.3} {:7.1} %",
            stat.number,
            1e6 * stat.duration / f64::from(whole.number),
            100.0 * stat.duration / whole.duration,
        );
    }
}

fn sensors(m: &Model, d: &Data) {
    if m.nsensor > 0 {
        println!("\nsensors");
    }
    for sensor in m.sensors() {
        let name = m.sensor_name(sensor).unwrap_or("(unnamed)");
        let values: Vec<String> = d.sensor(sensor).iter().map(|x| format!("{x:.4}")).collect();
        println!("  {name:24} {}", values.join("  "));
    }
}
