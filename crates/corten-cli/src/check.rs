//! `corten check`: every error and warning of many files.

use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut failed = 0;
    for file in &args.files {
        match corten_sim::load_model(file) {
            Ok(_) => println!("{}: ok", file.display()),
            Err(diagnostics) => {
                failed += 1;
                eprintln!("{diagnostics}");
            }
        }
    }
    println!("{} checked, {failed} with errors", args.files.len());
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
