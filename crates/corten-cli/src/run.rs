//! `corten run`: simulate and print a table of what happens.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use corten::enums::{Timer, Warning};
use corten::{Data, Hooks, Model, Stopwatch};

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
    /// Keyframe to start from, by name or number; the reference pose otherwise.
    #[arg(long)]
    key: Option<String>,
    /// Control of an actuator, as NAME=VALUE; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    ctrl: Vec<String>,
    /// Also print how long the stages of a step take.
    #[arg(long)]
    profile: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let model = corten::load_file(&args.file)
        .with_context(|| format!("cannot load {}", args.file.display()))?;
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

    let mut data = model.make_data();
    if let Some(key) = &args.key {
        let by_number = || model.keyframes().nth(key.parse().ok()?);
        match model.keyframe(key).ok().or_else(by_number) {
            Some(key) => data.reset_to(&model, key)?,
            None => bail!("no keyframe '{key}'; the model has {}", keyframes(&model)),
        }
    }
    for assignment in &args.ctrl {
        let (name, value) = assignment.split_once('=').context("--ctrl takes NAME=VALUE")?;
        let value = value.parse().with_context(|| format!("control of '{name}'"))?;
        data.set_ctrl(model.actuator(name)?, value);
    }

    if args.profile {
        data.hooks = Hooks::new(Stopwatch::default());
    }
    let steps = match args.steps {
        Some(steps) => steps,
        None => (args.time / model.opt.timestep).round() as usize,
    };
    simulate(&model, &mut data, steps)
}

fn simulate(m: &Model, d: &mut Data, steps: usize) -> anyhow::Result<ExitCode> {
    println!("\n    time     height of   speed of                solver");
    println!("     [s]     mass [m]    mass [m/s]   contacts   iterations");
    let interval = steps.div_ceil(ROWS).max(1);
    let mut trouble = None;
    let mut stepping = 0.0;
    for i in 0..steps {
        let start = Instant::now();
        let result = d.step(m);
        stepping += start.elapsed().as_secs_f64();
        if let (Err(error), None) = (result, &trouble) {
            trouble = Some(error);
        }
        if (i + 1) % interval == 0 || i + 1 == steps {
            row(m, d);
        }
    }

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
    if let Some(error) = trouble {
        println!("\nthe simulation went bad: {error}");
        for warning in Warning::ALL {
            let stat = d.warning_mut(*warning);
            if stat.number > 0 {
                println!("  {}: {} times", warning.mj_name(), stat.number);
            }
        }
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
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

fn keyframes(m: &Model) -> String {
    let names: Vec<&str> = m.keyframes().filter_map(|key| m.keyframe_name(key)).collect();
    match names.is_empty() {
        true => format!("{} without a name", m.nkey),
        false => names.join(", "),
    }
}
