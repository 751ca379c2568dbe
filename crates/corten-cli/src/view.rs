//! `corten view`: a live page of a model, or of a recording.

use std::net::IpAddr;
use std::path::PathBuf;

#[cfg(feature = "view")]
mod served;

#[cfg(feature = "view")]
pub use served::run;

/// The command for the page of a model.
#[cfg(feature = "view")]
pub const COMMAND: &str = "corten view";

/// The command for the page of a model, and for a program that has it, from the source.
#[cfg(not(feature = "view"))]
pub const COMMAND: &str = "cargo run --release -p corten-cli --features view -- view";

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF file, a compiled model (.cfa, .mjb), or a recording (.npz).
    file: PathBuf,
    /// Port of the page; 0 for any that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Address to listen at. Others than loopback let the network in: whoever has the token can look
    /// and move things.
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Start the simulation at once.
    #[arg(long)]
    play: bool,
    /// Print the address as JSON.
    #[arg(long)]
    json: bool,
}

/// Without the page there is nothing to show it with.
#[cfg(not(feature = "view"))]
pub fn run(args: &Args) -> anyhow::Result<std::process::ExitCode> {
    anyhow::bail!(
        "the page is not part of this build, which is quicker to compile without it: './tools/web' (needs Node) makes \
         it, '{COMMAND} {}' builds and shows it",
        args.file.display()
    )
}
