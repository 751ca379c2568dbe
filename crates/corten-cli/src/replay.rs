//! `corten replay`: shows again how a world of a batch failed.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::progress::Bar;

use anyhow::Context;
use corten::Dump;
use corten_record::Recording;
use serde_json::json;

#[derive(clap::Args)]
pub struct Args {
    /// Recording (.npz), or file that a batch wrote for a world that failed.
    file: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz")) {
        return recording(args);
    }
    let context = || format!("cannot read {}", args.file.display());
    let bytes = std::fs::read(&args.file).with_context(context)?;
    let dump = Dump::from_bytes(&bytes).with_context(context)?;
    let mut data = dump.data()?;
    let mut repeated = None;
    for step in 1..=dump.steps {
        if let Err(error) = data.step(&dump.model) {
            repeated = Some((step, error.to_string()));
            break;
        }
    }
    let same = repeated.as_ref().is_some_and(|(_, cause)| *cause == dump.cause);
    if args.json {
        let (step, cause) = repeated.unzip();
        let value = json!({
            "model": dump.model.name, "world": dump.world, "recorded": dump.cause,
            "repeated": cause, "step": step, "steps": dump.steps, "same": same,
        });
        println!("{value}");
    } else {
        println!("{}, world {}", dump.model.name, dump.world);
        println!("recorded: {}", dump.cause);
        match repeated {
            Some((step, cause)) => {
                println!("repeated: {cause}");
                println!("          in step {step} of {}, at time {}", dump.steps, data.time);
            }
            None => println!("repeated: nothing went wrong in {} steps", dump.steps),
        }
    }
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Repeats a recording, state by state.
fn recording(args: &Args) -> anyhow::Result<ExitCode> {
    let recording = Recording::load(&args.file)?;
    let mut bar = Bar::new(recording.time.len());
    let replay = recording.replay(|state| bar.set_position(state))?;
    bar.clear();
    let same = replay.difference.is_none();
    if args.json {
        let (state, most) = replay.difference.unzip();
        let value = json!({
            "model": recording.model.name, "states": recording.time.len(), "steps": replay.steps,
            "same": same, "state": state, "difference": most,
        });
        println!("{value}");
    } else {
        println!(
            "{}: {} states, {} steps repeated",
            recording.model.name,
            recording.time.len(),
            replay.steps
        );
        match replay.difference {
            None => println!("every bit is the same"),
            Some((state, most)) => println!(
                "state {state}, at time {}, differs by up to {most:.3e}",
                recording.time[state]
            ),
        }
    }
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
