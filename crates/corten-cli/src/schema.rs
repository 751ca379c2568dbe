//! `corten schema`: the grammar of MJCF that is accepted here.

use std::process::ExitCode;

pub fn run() -> anyhow::Result<ExitCode> {
    print!("{}", corten::grammar());
    Ok(ExitCode::SUCCESS)
}
