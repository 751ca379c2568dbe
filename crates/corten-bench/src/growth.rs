//! How cost grows with the size of a scene, the number of worlds and the number of threads.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use corten_batch::BatchSim;
use corten_sim::Model;
use indicatif::ProgressBar;

use crate::machine::{self, cpu_seconds, process_seconds, wall_seconds};
use crate::plot::{self, Line};
use crate::progress;
use crate::quantile;
use crate::reference::Reference;
use crate::regime::{Engine, Own};

/// Steps after which a scene is at rest.
const SETTLING: usize = 300;
/// The share of rounds that are at least as fast as the one that counts.
const UNDISTURBED: f64 = 0.1;
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

pub fn run(folder: &Path, libraries: &[PathBuf], rounds: usize) -> anyhow::Result<ExitCode> {
    let paths = machine::libraries(libraries);
    let libraries: Vec<Reference> =
        paths.iter().map(|p| Reference::open(p)).collect::<Result<_, _>>()?;
    std::fs::create_dir_all(folder)?;
    let bar = progress::bar(SCENES.len() + 2);
    for series in &SCENES {
        bar.set_message(series.0);
        scenes(folder, series, &libraries, rounds, &bar)?;
        bar.inc(1);
    }
    bar.set_message("Worlds");
    worlds(folder, rounds, &bar)?;
    bar.inc(1);
    bar.set_message("Threads");
    threads(folder, rounds, &bar)?;
    bar.finish_and_clear();
    Ok(ExitCode::SUCCESS)
}

fn scenes(
    folder: &Path,
    &(title, file, size_name, sizes, text): &Series,
    libraries: &[Reference],
    rounds: usize,
    bar: &ProgressBar,
) -> anyhow::Result<()> {
    let texts: Vec<String> = sizes.iter().map(|&size| text(size)).collect();
    let load = |text: &String| corten_sim::load_model_str(text, &Default::default());
    let models = texts.iter().map(load).collect::<Result<Vec<Model>, _>>().context(title)?;
    let scene = folder.join("growth_scene.xml");
    let mut references = Vec::new();
    for library in libraries {
        for text in &texts {
            std::fs::write(&scene, text)?;
            references.push(library.load(&scene)?);
        }
    }
    if !libraries.is_empty() {
        std::fs::remove_file(&scene)?;
    }

    let mut xs = Vec::new();
    let mut engines: Vec<Box<dyn Engine + '_>> = Vec::new();
    for (model, &size) in models.iter().zip(sizes) {
        let mut own = Own::new(model);
        settle(&mut own);
        xs.push(if file == "growth_contacts" { own.data.ncon } else { size } as f64);
        engines.push(Box::new(own));
    }
    for model in &references {
        let mut data = model.make_data();
        settle(&mut data);
        engines.push(Box::new(data));
    }
    let times = time_steps(&mut engines, rounds);

    let versions = libraries.iter().map(|l| format!("MuJoCo {}", l.version()));
    let names = std::iter::once("CortenForge".to_owned()).chain(versions);
    let lines: Vec<Line> = names
        .zip(times.chunks(sizes.len()))
        .map(|(name, times)| Line {
            name,
            points: xs.iter().copied().zip(times.iter().copied()).collect(),
        })
        .collect();
    bar.suspend(|| report(title, &lines));
    let file = folder.join(file).with_extension("svg");
    plot::svg(&file, title, size_name, "µs per step", &lines)
}

fn settle(engine: &mut dyn Engine) {
    engine.start();
    engine.advance(SETTLING);
}

/// Microseconds per step of each engine.
fn time_steps(engines: &mut [Box<dyn Engine + '_>], rounds: usize) -> Vec<f64> {
    let cases = engines.iter_mut().map(|engine| {
        let state = engine.save();
        let once = seconds(|| engine.advance(1), cpu_seconds);
        let steps = ((SPELL / once.max(1e-9)) as usize).clamp(1, 2000);
        let prepared = move |measured: &mut dyn FnMut(&mut dyn FnMut())| {
            engine.restore(&state);
            measured(&mut || engine.advance(steps));
        };
        (steps, Box::new(prepared) as Case<'_>)
    });
    in_turns(cases.collect(), rounds, cpu_seconds)
}

/// Prepares a measurement, and hands what is to be measured to its argument.
type Case<'a> = Box<dyn FnMut(&mut dyn FnMut(&mut dyn FnMut())) + 'a>;

/// Microseconds per step of several cases, given with their numbers of steps. They take turns, and
/// the least disturbed rounds count: a machine that changes its speed must not look like growth.
fn in_turns(mut cases: Vec<(usize, Case<'_>)>, rounds: usize, clock: fn() -> f64) -> Vec<f64> {
    let mut times = vec![Vec::new(); cases.len()];
    for _ in 0..rounds.max(1) {
        for ((steps, case), times) in cases.iter_mut().zip(&mut times) {
            case(&mut |work| times.push(seconds(work, clock) / *steps as f64));
        }
    }
    times.iter().map(|times| 1e6 * quantile(times, UNDISTURBED)).collect()
}

fn seconds(work: impl FnOnce(), clock: fn() -> f64) -> f64 {
    let start = clock();
    work();
    clock() - start
}

/// Microseconds per step of whole batches, given by their numbers of worlds and threads, by a clock.
fn time_batches(
    model: &Arc<Model>,
    sizes: &[[usize; 2]],
    rounds: usize,
    clock: fn() -> f64,
) -> Vec<f64> {
    let cases = sizes.iter().map(|&[worlds, threads]| {
        let mut batch = BatchSim::new(model.clone(), worlds).with_threads(threads);
        let mut step = move |n: usize| {
            for _ in 0..n {
                batch.step_all();
            }
        };
        step(100);
        let steps = (2000 / worlds).max(2);
        let case = move |measured: &mut dyn FnMut(&mut dyn FnMut())| measured(&mut || step(steps));
        (steps, Box::new(case) as Case<'_>)
    });
    in_turns(cases.collect(), rounds, clock)
}

fn worlds(folder: &Path, rounds: usize, bar: &ProgressBar) -> anyhow::Result<()> {
    const WORLDS: [usize; 5] = [1, 10, 100, 1000, 10_000];
    let model = Arc::new(corten_sim::load_model_str(&walker(), &Default::default())?);
    let times = time_batches(&model, &WORLDS.map(|n| [n, 1]), rounds, cpu_seconds);
    let points = WORLDS.iter().map(|&n| n as f64).zip(times).collect();
    let lines = [Line { name: "quadruped, one thread".into(), points }];
    bar.suspend(|| report("Worlds", &lines));
    let file = folder.join("growth_worlds.svg");
    plot::svg(&file, "Worlds of a batch", "worlds", "µs per step of all", &lines)
}

/// Time of a world step by the number of threads: by the wall clock, and of all processors together,
/// which other programs on the machine hardly disturb.
fn threads(folder: &Path, rounds: usize, bar: &ProgressBar) -> anyhow::Result<()> {
    const WORLDS: usize = 256;
    const THREADS: [usize; 4] = [1, 2, 4, 8];
    let model = Arc::new(corten_sim::load_model_str(&walker(), &Default::default())?);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let line = |name: &str, clock: fn() -> f64| {
        let times = time_batches(&model, &THREADS.map(|n| [WORLDS, n]), rounds, clock);
        let point = |(&n, time): (&usize, f64)| (n as f64, time / WORLDS as f64);
        Line {
            name: format!("{name}, {cores} cores"),
            points: THREADS.iter().zip(times).map(point).collect(),
        }
    };
    let lines = [line("wall time", wall_seconds), line("processor time", process_seconds)];
    bar.suspend(|| report("Threads", &lines));
    let file = folder.join("growth_threads.svg");
    plot::svg(&file, "Threads of a batch", "threads", "µs per step of a world", &lines)
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
