//! The command `corten`.

use std::process::ExitCode;

fn main() -> ExitCode {
    corten_cli::main()
}
