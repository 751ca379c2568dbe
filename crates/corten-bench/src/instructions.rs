//! Instructions per step, counted by callgrind.
//!
//! The program runs itself under valgrind as `corten-bench count-steps`, on a model that is already
//! compiled, and has callgrind count inside of [`corten_counted_steps`] only. Counts do not depend
//! on the load of the machine; they do depend on the compiler and on the instruction sets that the
//! processor offers.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, bail};
use corten_model::arrays::ArrayRef;
use corten_model::container::{self, Values};
use corten_sim::Model;
use corten_sim::stage::inertia;

use crate::reference::{Reference, ReferenceModel};
use crate::regime::{BURST, Engine, Own};

/// Steps of the child process.
#[derive(clap::Args)]
pub struct CountArgs {
    /// Compiled model.
    model: PathBuf,
    /// States to start from.
    states: PathBuf,
    /// Steps from each state.
    steps: usize,
    /// MuJoCo's library; our engine if there is none.
    library: Option<PathBuf>,
    /// Steps from the beginning, in place of the states.
    #[arg(long)]
    settle: Option<usize>,
    /// What is counted.
    #[arg(long, value_enum, default_value_t = Work::Step)]
    work: Work,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Work {
    Step,
    MassMatrix,
    Factor,
}

impl Work {
    /// Its name on the command line.
    fn name(self) -> &'static str {
        match self {
            Work::Step => "step",
            Work::MassMatrix => "mass-matrix",
            Work::Factor => "factor",
        }
    }
}

/// Valgrind lacks an instruction of the processor that the compiler has used.
#[derive(Debug)]
pub struct UnknownInstruction;

impl std::fmt::Display for UnknownInstruction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("valgrind does not know an instruction of this program")
    }
}

impl std::error::Error for UnknownInstruction {}

/// Whether valgrind can be run.
pub fn available() -> bool {
    let version = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// A folder for the files that a child process reads, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> anyhow::Result<Folder> {
        let path = std::env::temp_dir().join(format!("corten-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Instructions per step of our engine.
pub fn own(folder: &Folder, m: &Model, states: &[Vec<f64>]) -> anyhow::Result<f64> {
    count(folder, &save(folder, m)?, few(m, states), None)
}

/// [`own`] from all states, however large the scene is.
pub fn own_from_all(folder: &Folder, m: &Model, states: &[Vec<f64>]) -> anyhow::Result<f64> {
    count(folder, &save(folder, m)?, (states, BURST / 2), None)
}

/// Instructions of a piece of work of our engine, after so many steps.
pub fn settled(folder: &Folder, m: &Model, steps: usize, work: Work) -> anyhow::Result<f64> {
    let model = save(folder, m)?;
    let counted = BURST / 2;
    let total = run_counting(folder, |command| {
        command.args([&model, &model]).arg(counted.to_string());
        command.args(["--settle", &steps.to_string(), "--work", work.name()]);
    })?;
    Ok(total / counted as f64)
}

fn save(folder: &Folder, m: &Model) -> anyhow::Result<PathBuf> {
    let file = folder.0.join("model.cfa");
    let entries = m.pack();
    let bytes = container::write(entries.iter().map(|e| (e.name.as_str(), e.values.as_ref())));
    std::fs::write(&file, bytes)?;
    Ok(file)
}

/// Instructions per step of MuJoCo.
pub fn theirs(
    folder: &Folder,
    m: &Model,
    reference: &ReferenceModel<'_>,
    library: &Path,
    states: &[Vec<f64>],
) -> anyhow::Result<f64> {
    let file = folder.0.join("model.mjb");
    reference.save(&file)?;
    count(folder, &file, few(m, states), Some(library))
}

/// States to start from, and steps from each. Large scenes take long under valgrind, and most vary less from
/// step to step.
fn few<'a>(m: &Model, states: &'a [Vec<f64>]) -> (&'a [Vec<f64>], usize) {
    if m.nv > 200 { (&states[..1], 3) } else { (states, BURST / 2) }
}

fn count(
    folder: &Folder,
    model: &Path,
    (states, steps): (&[Vec<f64>], usize),
    library: Option<&Path>,
) -> anyhow::Result<f64> {
    let names: Vec<String> = (0..states.len()).map(|i| format!("{i}")).collect();
    let rows = names.iter().zip(states).map(|(name, s)| (name.as_str(), ArrayRef::F64(s)));
    let file = folder.0.join("states.cfa");
    std::fs::write(&file, container::write(rows))?;
    let total = run_counting(folder, |command| {
        command.args([model, &file]).arg(steps.to_string()).args(library);
    })?;
    Ok(total / (states.len() * steps) as f64)
}

/// Instructions inside of [`corten_counted_steps`], in a run of this program with the given arguments.
fn run_counting(folder: &Folder, arguments: impl Fn(&mut Command)) -> anyhow::Result<f64> {
    let report = folder.0.join("callgrind.out");
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=corten_counted_steps"])
        .arg(format!("--callgrind-out-file={}", report.display()))
        .arg(std::env::current_exe()?)
        .arg("count-steps");
    arguments(&mut command);
    let output = command.output().context("cannot run valgrind")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        if message.contains("unhandled instruction bytes") || message.contains("did not recognise")
        {
            return Err(UnknownInstruction.into());
        }
        bail!("valgrind failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = std::fs::read_to_string(&report)?;
    let total = text.lines().rev().find_map(|line| {
        let number = line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: "))?;
        number.trim().parse::<f64>().ok()
    });
    total.filter(|&n| n > 0.0).context("callgrind counted nothing")
}

/// `corten-bench count-steps`: the child process.
pub fn run(args: &CountArgs) -> anyhow::Result<ExitCode> {
    if let Some(settle) = args.settle {
        let model = Model::unpack(&container::read(&std::fs::read(&args.model)?)?)?;
        let mut engine = Own::new(&model);
        engine.advance(settle);
        corten_counted_steps(&mut Repeated { engine, work: args.work }, args.steps);
        return Ok(ExitCode::SUCCESS);
    }
    let entries = container::read(&std::fs::read(&args.states)?)?;
    let states: Vec<Vec<f64>> = entries
        .into_iter()
        .filter_map(|e| match e.values {
            Values::F64(v) => Some(v),
            _ => None,
        })
        .collect();
    match &args.library {
        Some(library) => {
            let library = Reference::open(library)?;
            let model = library.load_binary(&args.model)?;
            replay(&mut model.make_data(), &states, args.steps);
        }
        None => {
            let model = Model::unpack(&container::read(&std::fs::read(&args.model)?)?)?;
            replay(&mut Own::new(&model), &states, args.steps);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Our engine, of which a part of the step is repeated.
struct Repeated<'m> {
    engine: Own<'m>,
    work: Work,
}

impl Engine for Repeated<'_> {
    fn start(&mut self) {
        self.engine.start();
    }

    fn set_controls(&mut self, controls: &[f64]) {
        self.engine.set_controls(controls);
    }

    fn advance(&mut self, steps: usize) {
        let Own { model, data } = &mut self.engine;
        match self.work {
            Work::Step => self.engine.advance(steps),
            Work::MassMatrix => (0..steps).for_each(|_| inertia::mass_matrix(model, data)),
            Work::Factor => (0..steps).for_each(|_| inertia::factor(model, data)),
        }
    }

    fn save(&self) -> Vec<f64> {
        self.engine.save()
    }

    fn restore(&mut self, state: &[f64]) {
        self.engine.restore(state);
    }
}

/// Two passes over the states; the first, the warm-up, is not counted.
fn replay(engine: &mut dyn Engine, states: &[Vec<f64>], steps: usize) {
    for counted in [false, true] {
        for state in states {
            engine.restore(state);
            if counted {
                corten_counted_steps(engine, steps);
            } else {
                engine.advance(steps);
            }
        }
    }
}

/// What callgrind counts; it knows the function by its name.
#[unsafe(no_mangle)]
#[inline(never)]
fn corten_counted_steps(engine: &mut dyn Engine, steps: usize) {
    engine.advance(steps);
}
