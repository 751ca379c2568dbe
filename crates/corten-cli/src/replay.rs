//! `corten replay`: shows again how a world of a batch failed.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use corten::Dump;

#[derive(clap::Args)]
pub struct Args {
    /// File that a batch wrote for a world that failed.
    file: PathBuf,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let context = || format!("cannot read {}", args.file.display());
    let bytes = std::fs::read(&args.file).with_context(context)?;
    let dump = Dump::from_bytes(&bytes).with_context(context)?;
    let mut data = dump.data()?;
    println!("{}, world {}, at time {}", dump.model.name, dump.world, data.time);
    println!("recorded: {}", dump.cause);
    for step in 1..=dump.steps {
        if let Err(error) = data.step(&dump.model) {
            println!("repeated: {error}");
            println!("          in step {step} of {}", dump.steps);
            let same = error.to_string() == dump.cause;
            return Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    println!("repeated: nothing went wrong in {} steps", dump.steps);
    Ok(ExitCode::FAILURE)
}
