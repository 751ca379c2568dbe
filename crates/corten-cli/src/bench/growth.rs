//! How cost grows with the size of a scene, the number of worlds and the number of threads.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use corten_batch::BatchSim;
use corten_sim::Model;

use super::machine::{self, cpu_seconds, process_seconds, wall_seconds};
use super::plot::{self, Line};
use super::quantile;
use super::reference::Reference;
use super::regime::{Engine, Own};

/// Steps after which a scene is at rest.
const SETTLING: usize = 300;
/// Seconds of a measurement, at least.
const SPELL: f64 = 0.02;

/// Series of scenes: title, file, name of the size, sizes, and the MJCF of a size.
type Series = (&'static str, &'static str, &'static str, &'static [usize], fn(usize) -> String);

const SCENES: [Series; 3] = [
    (
        "Free bodies at rest",
        "growth_bodies",
        "spheres on a plane",
        &[1, 3, 10, 30, 100, 300, 1000],
        spheres,
    ),
    (
        "Contacts",
        "growth_contacts",
        "contacts of boxes in stacks of five",
        &[1, 2, 6, 20, 60],
        stacks,
    ),
    ("Dofs in a chain", "growth_chain", "hinges in one chain", &[1, 3, 10, 30, 100], chain),
];

pub fn run(folder: &Path, rounds: usize) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder)?;
    let paths = machine::libraries(&[]);
    let libraries: Vec<Reference> = paths.iter().flat_map(|p| Reference::open(p)).collect();
    for series in &SCENES {
        scenes(folder, series, &libraries, rounds)?;
    }
    worlds(folder, rounds)?;
    threads(folder, rounds)?;
    Ok(ExitCode::SUCCESS)
}

fn scenes(
    folder: &Path,
    &(title, file, size_name, sizes, text): &Series,
    libraries: &[Reference],
    rounds: usize,
) -> anyhow::Result<()> {
    let name = |library: &Reference| format!("MuJoCo {}", library.version());
    let mut lines = vec![Line { name: "CortenForge".into(), points: Vec::new() }];
    lines.extend(libraries.iter().map(|l| Line { name: name(l), points: Vec::new() }));
    let scene = folder.join("growth_scene.xml");
    for &size in sizes {
        let text = text(size);
        let model = corten_sim::load_model_str(&text, &Default::default()).context(title)?;
        let mut own = Own::new(&model);
        own.start();
        own.advance(SETTLING);
        let x = if file == "growth_contacts" { own.data.ncon } else { size } as f64;
        lines[0].points.push((x, time_steps(&mut own, rounds)));
        std::fs::write(&scene, text)?;
        for (library, line) in libraries.iter().zip(&mut lines[1..]) {
            let model = library.load(&scene)?;
            let mut data = model.make_data();
            data.start();
            data.advance(SETTLING);
            line.points.push((x, time_steps(&mut data, rounds)));
        }
    }
    std::fs::remove_file(&scene)?;
    report(title, &lines);
    let svg = plot::svg(title, size_name, "µs per step", &lines);
    Ok(std::fs::write(folder.join(file).with_extension("svg"), svg)?)
}

/// Microseconds per step: the median over the rounds.
fn time_steps(engine: &mut dyn Engine, rounds: usize) -> f64 {
    let state = engine.save();
    let once = seconds(|| engine.advance(1), cpu_seconds);
    let steps = ((SPELL / once.max(1e-9)) as usize).clamp(1, 2000);
    let times: Vec<f64> = (0..rounds.max(1))
        .map(|_| {
            engine.restore(&state);
            seconds(|| engine.advance(steps), cpu_seconds) / steps as f64
        })
        .collect();
    1e6 * quantile(&times, 0.5)
}

fn seconds(work: impl FnOnce(), clock: fn() -> f64) -> f64 {
    let start = clock();
    work();
    clock() - start
}

/// Microseconds per step of a whole batch by a clock: the median over the rounds.
fn time_batch(
    model: &Arc<Model>,
    worlds: usize,
    threads: usize,
    rounds: usize,
    clock: fn() -> f64,
) -> f64 {
    let mut batch = BatchSim::new(model.clone(), worlds).with_threads(threads);
    let mut step = |n: usize| {
        for _ in 0..n {
            batch.step_all();
        }
    };
    step(100);
    let steps = (2000 / worlds).max(2);
    let times: Vec<f64> =
        (0..rounds.max(1)).map(|_| seconds(|| step(steps), clock) / steps as f64).collect();
    1e6 * quantile(&times, 0.5)
}

fn worlds(folder: &Path, rounds: usize) -> anyhow::Result<()> {
    let model = Arc::new(corten_sim::load_model_str(&walker(), &Default::default())?);
    let points = [1, 10, 100, 1000, 10_000]
        .map(|n| (n as f64, time_batch(&model, n, 1, rounds, cpu_seconds)));
    let lines = [Line { name: "quadruped, one thread".into(), points: points.to_vec() }];
    report("Worlds", &lines);
    let svg = plot::svg("Worlds of a batch", "worlds", "µs per step of all", &lines);
    Ok(std::fs::write(folder.join("growth_worlds.svg"), svg)?)
}

/// Time of a world step by the number of threads: by the wall clock, and of all processors together,
/// which other programs on the machine hardly disturb.
fn threads(folder: &Path, rounds: usize) -> anyhow::Result<()> {
    const WORLDS: usize = 256;
    let model = Arc::new(corten_sim::load_model_str(&walker(), &Default::default())?);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let line = |name: &str, clock: fn() -> f64| Line {
        name: format!("{name}, {cores} cores"),
        points: [1, 2, 4, 8]
            .map(|n| (n as f64, time_batch(&model, WORLDS, n, rounds, clock) / WORLDS as f64))
            .to_vec(),
    };
    let lines = [line("wall time", wall_seconds), line("processor time", process_seconds)];
    report("Threads", &lines);
    let svg = plot::svg("Threads of a batch", "threads", "µs per step of a world", &lines);
    Ok(std::fs::write(folder.join("growth_threads.svg"), svg)?)
}

/// The points, and the growth of the cost when the size grows tenfold.
fn report(title: &str, lines: &[Line]) {
    println!("{title}: µs per step by size");
    for line in lines {
        let points: Vec<String> =
            line.points.iter().map(|(x, y)| format!("{x:.0}: {y:.2}")).collect();
        println!("  {:24} {}", line.name, points.join("  "));
        for (x, y) in &line.points {
            let tenfold = line.points.iter().find(|p| (p.0 / x - 10.0).abs() < 1e-9);
            if let Some((x10, y10)) = tenfold {
                println!("  {:24} {x:.0} to {x10:.0}: {:.1} times the cost", "", y10 / y);
            }
        }
    }
}

/// Spheres on a plane, apart from each other.
fn spheres(n: usize) -> String {
    let side = (n as f64).sqrt().ceil() as usize;
    let bodies: String = (0..n)
        .map(|i| {
            let (x, y) = (0.3 * (i % side) as f64, 0.3 * (i / side) as f64);
            format!("<body pos='{x} {y} 0.1'><freejoint/><geom size='.1'/></body>")
        })
        .collect();
    scene(&bodies)
}

/// Stacks of five boxes on a plane.
fn stacks(n: usize) -> String {
    let side = (n as f64).sqrt().ceil() as usize;
    let bodies: String = (0..5 * n)
        .map(|i| {
            let (stack, level) = (i / 5, i % 5);
            let (x, y) = (0.5 * (stack % side) as f64, 0.5 * (stack / side) as f64);
            let z = 0.1 + 0.2 * level as f64;
            format!("<body pos='{x} {y} {z}'><freejoint/><geom type='box' size='.1 .1 .1'/></body>")
        })
        .collect();
    scene(&bodies)
}

/// Links that hang on each other.
fn chain(n: usize) -> String {
    let open = "<body pos='0 0 -.1'><joint axis='0 1 0' damping='.1'/>\
                <geom type='capsule' size='.02' fromto='0 0 0 0 0 -.1' contype='0' conaffinity='0'/>";
    scene(&(open.repeat(n) + &"</body>".repeat(n)))
}

/// A trunk on four legs.
fn walker() -> String {
    let leg = |x: f64, y: f64| {
        format!(
            "<body pos='{x} {y} 0'><joint axis='0 1 0' range='-1 1' limited='true' damping='1' stiffness='20'/>\
             <geom type='capsule' size='.03' fromto='0 0 0 0 0 -.2'/>\
             <body pos='0 0 -.2'><joint axis='0 1 0' range='-1 1' limited='true' damping='1' stiffness='20'/>\
             <geom type='capsule' size='.03' fromto='0 0 0 0 0 -.2'/></body></body>"
        )
    };
    let legs = leg(0.2, 0.15) + &leg(0.2, -0.15) + &leg(-0.2, 0.15) + &leg(-0.2, -0.15);
    scene(&format!(
        "<body pos='0 0 .45'><freejoint/><geom type='box' size='.25 .1 .05'/>{legs}</body>"
    ))
}

fn scene(bodies: &str) -> String {
    format!("<mujoco><worldbody><geom type='plane' size='0 0 1'/>{bodies}</worldbody></mujoco>")
}
