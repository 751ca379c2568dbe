//! The command `corten`.

mod check;
mod convert;
mod info;
mod replay;
mod run;
mod schema;
mod view;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Physics simulation of robots: MuJoCo's models and results.
#[derive(Parser)]
#[command(name = "corten", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a model and print what happens.
    Run(run::Args),
    /// Show a model in the browser: a live page on loopback.
    View(view::Args),
    /// Print sizes and structure of a model.
    Info(info::Args),
    /// Load models and report every error and warning; fails if any model has errors.
    Check(check::Args),
    /// Repeat the step in which a world of a batch failed; succeeds if it fails in the same way.
    Replay(replay::Args),
    /// Write a model as MJCF or in compiled form.
    Convert(convert::Args),
    /// Print the elements and attributes of MJCF that are known here.
    Schema,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::View(args) => view::run(&args),
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

/// How far long work is, and what it is at. Bars show on a terminal only.
fn bar_style() -> indicatif::ProgressStyle {
    indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}")
        .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar())
}
