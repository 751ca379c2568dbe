//! The command `corten`.

mod bench;
mod check;
mod info;
mod replay;
mod run;

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
    /// Print sizes and structure of a model.
    Info(info::Args),
    /// Load models and report every error and warning; fails if any model has errors.
    Check(check::Args),
    /// Repeat the step in which a world of a batch failed; succeeds if it fails in the same way.
    Replay(replay::Args),
    /// Time models against MuJoCo's own library.
    Bench(bench::Args),
    /// Take steps for `bench --instructions` to count.
    #[command(hide = true)]
    CountSteps(bench::instructions::CountArgs),
}

#[global_allocator]
static ALLOCATOR: bench::allocation::Counting = bench::allocation::Counting;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::CountSteps(args) => bench::instructions::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
