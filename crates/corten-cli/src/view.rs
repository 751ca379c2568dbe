//! `corten view`: a live page of a model.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use corten_view::{Options, Server, Session, is_built};

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF file, or a compiled model (.cfa, .mjb).
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
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        is_built(),
        "the page is not part of this build: make it with './tools/web' (needs Node) and build again"
    );
    let model = corten::load_file(&args.file)
        .with_context(|| format!("cannot load {}", args.file.display()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the server")?;
    let session = Session::start(model, args.play);
    let options = Options { host: args.host, port: args.port };
    runtime.block_on(async {
        let server = Server::bind(&options, session.handle()).await?;
        println!("{}  (Ctrl-C ends)", server.url());
        let end = async {
            // Without signals, it runs until it is killed.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        server.run(end).await.context("the server stopped")
    })?;
    drop(session);
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}
