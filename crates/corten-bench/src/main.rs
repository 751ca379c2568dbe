//! `corten-bench`: speed against MuJoCo, in one process, on one core, from the same states.
//!
//! States are saved along a trajectory of the reference in three regimes; every engine replays
//! short bursts from each of them, in alternation. The figure is the ratio of times per round:
//! noise of the machine that lasts longer than a round cancels. Rounds in which another program had
//! the core do not count.

mod allocation;
mod batch;
mod cloth;
mod costs;
mod gate;
mod growth;
mod instructions;
mod machine;
mod memory;
mod plot;
mod progress;
mod reference;
mod regime;
mod stages;
mod table;
mod timing;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Parser;
use corten_sim::Model;
use indicatif::ProgressBar;
use reference::{Reference, ReferenceData, ReferenceModel};
use regime::{Engine, Own, Regime};
use table::{Against, Row};

/// Speed, memory and instructions of the CortenForge physics engine, against MuJoCo's own library.
#[derive(Parser)]
#[command(name = "corten-bench", version, arg_required_else_help = true)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Models to time.
    files: Vec<PathBuf>,
    /// File that lists models, one path per line, relative to the file.
    #[arg(long)]
    list: Option<PathBuf>,
    /// MuJoCo's shared library; the first is the reference that makes the states. Without it, the
    /// libraries in CORTEN_MUJOCO, or the one that Python finds.
    #[arg(long = "mujoco", value_name = "LIBRARY")]
    libraries: Vec<PathBuf>,
    /// Alternations per regime.
    #[arg(long, default_value_t = 30)]
    rounds: usize,
    /// Only this regime.
    #[arg(long, value_enum)]
    regime: Option<Regime>,
    /// Core to run on.
    #[arg(long, default_value_t = 0)]
    core: usize,
    /// Also the time of the first step after a state is set, and per stage.
    #[arg(long)]
    stages: bool,
    /// Also instructions per step, by running this program under valgrind.
    #[arg(long)]
    instructions: bool,
    /// Also resident memory per environment.
    #[arg(long)]
    memory: bool,
    /// Also what a step costs in a batch.
    #[arg(long)]
    batch: bool,
    /// Only what --instructions, --memory or --batch ask for: no timing.
    #[arg(long)]
    untimed: bool,
    /// Print a table in Markdown at the end.
    #[arg(long)]
    markdown: bool,
    /// Measure how cost grows with bodies, contacts, dofs, worlds and threads, and write plots to
    /// this folder.
    #[arg(long, value_name = "FOLDER")]
    growth: Option<PathBuf>,
    /// Only: how a cloth's cost grows with its vertices, as a table and a plot in this folder
    #[arg(long, value_name = "FOLDER")]
    cloth: Option<PathBuf>,
    /// Compare instruction counts with those in this file; fails if any rose by more than 2 %.
    #[arg(long, value_name = "FILE")]
    gate: Option<PathBuf>,
    /// Write the counts found into the file of --gate.
    #[arg(long, requires = "gate")]
    update: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Take steps for --instructions to count.
    #[command(hide = true)]
    CountSteps(instructions::CountArgs),
    /// Count what features cost and save, and compare with what they may and must.
    Costs {
        /// Only these.
        names: Vec<String>,
        /// File that lists models, as above: on these, too, islands may cost no more than allowed.
        #[arg(long)]
        list: Option<PathBuf>,
    },
}

#[global_allocator]
static ALLOCATOR: allocation::Counting = allocation::Counting;

fn main() -> ExitCode {
    let args = Args::parse();
    let result = match &args.command {
        Some(Command::CountSteps(args)) => instructions::run(args),
        Some(Command::Costs { names, list }) => {
            listed(list.as_deref()).and_then(|models| costs::run(names, models))
        }
        None => run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("{error:#}");
        ExitCode::FAILURE
    })
}

fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(file) = &args.gate {
        return gate::run(file, args.update);
    }
    if let Some(folder) = &args.cloth {
        return cloth::run(folder);
    }
    if let Some(folder) = &args.growth {
        return growth::run(folder, &args.libraries, args.rounds);
    }
    let machine = machine::description();
    machine::pin(args.core);
    let paths = machine::libraries(&args.libraries);
    let libraries: Vec<(PathBuf, Reference)> = paths
        .into_iter()
        .map(|path| Reference::open(&path).map(|library| (path, library)))
        .collect::<Result<_, _>>()?;
    if libraries.is_empty() {
        bail!(
            "no MuJoCo to compare with: give --mujoco path/to/libmujoco.so, or set CORTEN_MUJOCO"
        );
    }
    let files = [args.files.clone(), listed(args.list.as_deref())?].concat();
    if files.is_empty() {
        bail!("no models given");
    }
    let versions: Vec<String> = libraries.iter().map(|(_, l)| l.version()).collect();
    table::header(&versions);
    let mut rows = Vec::new();
    let bar = progress::bar(files.len() * Regime::ALL.len());
    for (i, file) in files.iter().enumerate() {
        bar.set_message(short(file));
        if let Err(error) = scene(args, &libraries, file, &mut rows, &bar) {
            bar.suspend(|| println!("{:40} {error:#}", short(file)));
        }
        bar.set_position(((i + 1) * Regime::ALL.len()) as u64);
    }
    bar.finish_and_clear();
    table::summary(&versions, &rows);
    if args.markdown {
        println!("\n{machine}\n");
        table::markdown(&versions, &rows);
    }
    Ok(ExitCode::SUCCESS)
}

/// The models that a file lists, if there is one.
fn listed(list: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let Some(list) = list else { return Ok(Vec::new()) };
    let base = list.parent().unwrap_or(Path::new("."));
    let text = std::fs::read_to_string(list).with_context(|| list.display().to_string())?;
    let first = text.lines().filter_map(|line| line.split_whitespace().next());
    Ok(first.filter(|word| !word.starts_with('#')).map(|word| base.join(word)).collect())
}

/// Measures one scene in every regime.
fn scene(
    args: &Args,
    libraries: &[(PathBuf, Reference)],
    file: &Path,
    rows: &mut Vec<Row>,
    bar: &ProgressBar,
) -> anyhow::Result<()> {
    let model = corten_sim::load_model(file).context("corten cannot load it")?;
    // A later version may refuse the model; the first is the reference and may not.
    let references: Vec<Option<ReferenceModel<'_>>> =
        libraries.iter().map(|(_, l)| l.load(file).ok()).collect();
    let Some(first) = references.first().and_then(Option::as_ref) else {
        bail!("MuJoCo {} cannot load it", libraries[0].1.version());
    };
    let mut source = first.make_data();
    let mut own = Own::new(&model);
    let mut others: Vec<Option<ReferenceData<'_>>> =
        references.iter().map(|r| r.as_ref().map(|m| m.make_data())).collect();
    for regime in Regime::ALL {
        if args.regime.is_some_and(|r| r != regime) {
            continue;
        }
        let states = regime::states(&model, &mut source, regime);
        let mut row =
            Row { scene: short(file), regime: regime.name(), nv: model.nv, ..Row::default() };
        row.against = vec![Against::default(); libraries.len()];
        row.deviation = deviation(&model, &mut own, &mut source, &states);
        row.contacts = own.data.ncon;
        if !args.untimed {
            timing::time(args.rounds, &mut own, &mut others, &states, &mut row);
        }
        if args.instructions {
            let folder = instructions::Folder::new()?;
            row.instructions = Some(instructions::own(&folder, &model, &states)?);
            for (k, reference) in references.iter().enumerate() {
                let Some(reference) = reference else { continue };
                let library = &libraries[k].0;
                let count = instructions::theirs(&folder, &model, reference, library, &states)?;
                row.against[k].instructions = Some(count);
            }
        }
        if args.memory {
            row.memory = Some(memory::own(&model, &states));
            row.world = Some(memory::world(&model));
            for (k, reference) in references.iter().enumerate() {
                let Some(reference) = reference else { continue };
                row.against[k].memory = Some(memory::theirs(&model, reference, &states));
            }
        }
        bar.suspend(|| row.print());
        if args.stages {
            let rounds = args.rounds.min(10);
            let mut columns = vec![("corten".to_owned(), stages::own(&mut own, &states, rounds))];
            for ((_, library), data) in libraries.iter().zip(&mut others) {
                let Some(data) = data else { continue };
                let times = stages::theirs(library, &model, data, &states, rounds);
                columns.push((library.version(), times));
            }
            bar.suspend(|| {
                row.print_first();
                table::stages(&columns);
            });
        }
        rows.push(row);
        bar.inc(1);
    }
    if args.batch {
        bar.suspend(|| batch::report(&model, args.rounds));
    }
    Ok(())
}

/// Largest relative difference of the acceleration after one step from each state.
fn deviation(
    m: &Model,
    own: &mut Own<'_>,
    reference: &mut ReferenceData<'_>,
    states: &[Vec<f64>],
) -> f64 {
    // The warm start of the next step is this step's acceleration.
    let warmstart = corten_model::enums::StateBit::WarmStart.raw();
    let mut worst: f64 = 0.0;
    for state in states {
        own.restore(state);
        own.advance(1);
        reference.restore(state);
        reference.advance(1);
        let expected = reference.state(warmstart);
        let scale = expected.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        for (a, b) in own.data.qacc_warmstart[..m.nv].iter().zip(&expected) {
            worst = worst.max((a - b).abs() / scale);
        }
    }
    worst
}

fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * q).round() as usize).copied().unwrap_or(f64::NAN)
}

/// The last two parts of a path: the name of a scene.
fn short(file: &Path) -> String {
    let parts: Vec<_> =
        file.components().rev().take(2).map(|c| c.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}
