//! `corten convert`: a model, or a recording, from one form to another.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::progress::Bar;

use anyhow::{Context, bail};
use corten::{Assets, Spec};
use corten_record::Recording;
use serde_json::json;

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF file, or a recording (.npz).
    input: PathBuf,
    /// Where to write: `.xml` or `.mjcf` for MJCF with all includes and attachments resolved,
    /// `.cfa` for the compiled model, `.mjb` for MuJoCo's form of it; of a recording, `.csv` for a
    /// table and `.mcap` for Foxglove and Rerun.
    output: PathBuf,
    /// Write MJCF that MuJoCo 3.4.0 loads, and warn of each extension that is lost.
    #[arg(long)]
    mujoco: bool,
    /// Print what was written as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.input.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz")) {
        return recording(args);
    }
    let extension = args.output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let content = match extension.to_ascii_lowercase().as_str() {
        "xml" | "mjcf" => {
            let input = args.input.to_string_lossy();
            let (mut spec, mut warnings) = Spec::from_file_with_warnings(&input, &Assets::new())?;
            if args.mujoco {
                let (plain, lost) = spec.without_extensions();
                spec = plain;
                warnings.append(lost);
            }
            if !warnings.is_empty() {
                eprintln!("{warnings}");
            }
            spec.to_xml()?.into_bytes()
        }
        "cfa" if args.mujoco => bail!("--mujoco writes MJCF: name a file that ends in .xml"),
        "cfa" => corten::load_file(&args.input)?.to_bytes(),
        "mjb" => corten::load_file(&args.input)?.to_mjb()?,
        _ => {
            let output = args.output.display();
            bail!("'{output}': expected a name that ends in .xml, .mjcf, .cfa or .mjb")
        }
    };
    std::fs::write(&args.output, &content)
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    report(args, json!({"file": args.output, "bytes": content.len()}));
    Ok(ExitCode::SUCCESS)
}

fn report(args: &Args, value: serde_json::Value) {
    if args.json {
        println!("{value}");
    }
}

/// The states of a recording, for other programs.
fn recording(args: &Args) -> anyhow::Result<ExitCode> {
    let recording = Recording::load(&args.input)?;
    let mut bar = Bar::new(recording.time.len());
    recording.export(&args.output, |states| bar.set_position(states))?;
    bar.clear();
    report(args, json!({"file": args.output, "states": recording.time.len()}));
    Ok(ExitCode::SUCCESS)
}
