//! The page and its server.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use corten_record::Recording;
use corten_view::{Options, Server, Session, is_built};
use serde_json::json;

use super::Args;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        is_built(),
        "the page is not part of this build: make it with './tools/web' (needs Node) and build again"
    );
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the server")?;
    let session = if args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz")) {
        recording(&args.file)?
    } else {
        live(&args.file, args.play)?
    };
    let options = Options { host: args.host, port: args.port };
    runtime.block_on(async {
        let server = Server::bind(&options, session.handle()).await?;
        match args.json {
            true => println!("{}", json!({ "url": server.url() })),
            false => println!("{}  (Ctrl-C ends)", server.url()),
        }
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

/// A simulation whose file is loaded again when a page asks for it.
fn live(file: &Path, playing: bool) -> anyhow::Result<Session> {
    let path = file.to_owned();
    let load = move || corten::load_file(&path).map_err(|error| error.to_string());
    let session = Session::load(Box::new(load), playing);
    session.map_err(anyhow::Error::msg).with_context(|| format!("cannot load {}", file.display()))
}

/// The states of a recording, to go through.
fn recording(file: &Path) -> anyhow::Result<Session> {
    let recording = Recording::load(file)?;
    anyhow::ensure!(!recording.time.is_empty(), "{}: there are no states in it", file.display());
    let (model, times) = (recording.model.clone(), recording.time.clone());
    let restore = move |d: &mut corten::Data, index| {
        recording.restore(d, index).map_err(|error| error.to_string())
    };
    Ok(Session::film(model, times, Box::new(restore)))
}
