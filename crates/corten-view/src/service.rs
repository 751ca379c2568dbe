//! A server on threads of its own.

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::mail::SessionHandle;
use crate::server::{Options, Server, ServerError};

/// Serves until it is dropped.
#[derive(Debug)]
pub struct Service {
    url: String,
    end: Option<oneshot::Sender<()>>,
    runtime: Option<Runtime>,
}

impl Service {
    /// Takes the port and starts to serve.
    pub fn start(options: &Options, session: SessionHandle) -> Result<Service, ServerError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("corten-view")
            .enable_all()
            .build()
            .map_err(ServerError::Threads)?;
        let server = runtime.block_on(Server::bind(options, session))?;
        let url = server.url();
        let (end, ended) = oneshot::channel::<()>();
        runtime.spawn(server.run(async {
            // A sender that is gone ends it as well.
            let _ = ended.await;
        }));
        Ok(Service { url, end: Some(end), runtime: Some(runtime) })
    }

    /// The address to open, with its token.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
