//! The command `corten`, as a library: it is compiled while the engine still is, which a program is not.

mod check;
mod compare;
mod convert;
mod info;
mod inputs;
mod plot;
mod progress;
mod render;
mod replay;
mod run;
mod schema;
mod start;
mod view;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory, Parser, Subcommand};

/// Colours of help, on terminals that have them.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default())
    .error(AnsiColor::Red.on_default().bold());

/// Physics simulation of robots: MuJoCo's models and results.
#[derive(Parser)]
#[command(name = "corten", version, arg_required_else_help = true, styles = STYLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a model, print what happens, record it.
    Run(run::Args),
    /// Show a model in the browser: a live page on loopback.
    View(view::Args),
    /// Draw a picture of a model, or a video of a simulation or a recording.
    Render(render::Args),
    /// Plot numbers of a recording over time.
    Plot(plot::Args),
    /// Print sizes and structure of a model.
    Info(info::Args),
    /// Load models and report every error and warning; fails if any model has errors.
    Check(check::Args),
    /// Repeat a recording, or the step in which a world of a batch failed; succeeds if every bit is the
    /// same.
    Replay(replay::Args),
    /// Compare two recordings or two models, field by field; succeeds if they are equal.
    Compare(compare::Args),
    /// Write a model as MJCF or in compiled form.
    Convert(convert::Args),
    /// Print the elements and attributes of MJCF that are known here.
    Schema,
    /// Print what a shell needs to complete commands and options.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Does what the arguments of the process say.
pub fn main() -> ExitCode {
    if let Err(error) = corten_math::simd::check() {
        eprintln!("corten: {error}");
        return ExitCode::FAILURE;
    }
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::View(args) => view::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "corten", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Command::Info(args) => info::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Schema => schema::run(),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the user has pressed Ctrl-C; a second time ends the program at once.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on, Ctrl-C is noted; where that is not possible, it ends the program, as usual.
fn watch_interrupts() {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether to stop, and to write what there is.
fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
