//! The server: the page, what it loads, and a WebSocket per tab.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;

use crate::access::{Token, is_from_here};
use crate::command::Command;
use crate::describe::describe;
use crate::mail::SessionHandle;
use crate::page;
use crate::shape::Asset;

/// Where to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address to listen at: loopback, unless others shall see it.
    pub host: IpAddr,
    /// Port; 0 for any that is free.
    pub port: u16,
}

impl Default for Options {
    fn default() -> Options {
        Options { host: Ipv4Addr::LOCALHOST.into(), port: 0 }
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// Somebody else has the port.
    #[error(
        "port {port} of {host} is in use: choose another one (--port), or 0 for any that is free"
    )]
    Busy {
        /// Where.
        host: IpAddr,
        /// The port.
        port: u16,
    },
    /// The system refuses for another reason.
    #[error("cannot serve at {address}: {source}")]
    Io {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The system has no threads to serve on.
    #[error("cannot start threads to serve: {0}")]
    Threads(std::io::Error),
    /// The system has no randomness for the token.
    #[error("the system has no random numbers for the token: {0}")]
    Random(getrandom::Error),
}

/// What all requests share.
struct Shared {
    token: Token,
    /// Names that the server is known by; `*` for any.
    names: Vec<String>,
    session: SessionHandle,
}

/// A server that has its port.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl Server {
    /// Takes the port. Without a page ([`is_built`](crate::is_built)) the address tells how to make it.
    pub async fn bind(options: &Options, session: SessionHandle) -> Result<Server, ServerError> {
        let Options { host, port } = *options;
        let wanted = SocketAddr::new(host, port);
        let failure = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::AddrInUse => ServerError::Busy { host, port },
            _ => ServerError::Io { address: wanted, source },
        };
        let listener = TcpListener::bind(wanted).await.map_err(failure)?;
        let address = listener.local_addr().map_err(failure)?;
        let names = if host.is_loopback() {
            ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned).to_vec()
        } else {
            vec!["*".to_owned()]
        };
        let token = Token::random().map_err(ServerError::Random)?;
        Ok(Server { listener, shared: Arc::new(Shared { token, names, session }), address })
    }

    /// The address to open, with its token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.shared.token.text())
    }

    /// Serves until `end`.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let router = Router::new()
            .route("/", get(index))
            .route("/ws", get(socket))
            .route("/asset/{kind}/{id}", get(asset))
            .route("/{*path}", get(file))
            .with_state(self.shared);
        // A frame is two messages: the second must not wait until the first is acknowledged.
        let listener = self.listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let serving = axum::serve(listener, router);
        // Sockets of tabs stay open: end without waiting for them.
        tokio::select! {
            result = serving => result,
            () = end => Ok(()),
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Ticket {
    #[serde(default)]
    token: String,
}

impl Shared {
    /// What is answered to those who may not look.
    fn refusal(&self, headers: &HeaderMap, ticket: &Ticket) -> Option<Response> {
        if !is_from_here(headers, &self.names) {
            let text = "This page comes from elsewhere: only pages of this server may look.\n";
            return Some((StatusCode::FORBIDDEN, text).into_response());
        }
        if !self.token.admits(&ticket.token) {
            let text =
                "The token is missing or wrong: open the address that 'corten view' printed.\n";
            return Some((StatusCode::FORBIDDEN, text).into_response());
        }
        None
    }
}

/// Scripts come from here alone, and nothing goes anywhere else.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; \
                      connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'";

fn serve_file(path: &str) -> Response {
    match page::file(path) {
        Some((kind, bytes)) => {
            let headers = [
                (CONTENT_TYPE, kind),
                (CACHE_CONTROL, "no-cache"),
                (CONTENT_SECURITY_POLICY, POLICY),
            ];
            (headers, bytes.into_owned()).into_response()
        }
        None if path == "index.html" => (StatusCode::NOT_FOUND, page::MISSING).into_response(),
        None => (StatusCode::NOT_FOUND, "There is no such file.\n").into_response(),
    }
}

async fn index(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Query(ticket): Query<Ticket>,
) -> Response {
    shared.refusal(&headers, &ticket).unwrap_or_else(|| serve_file("index.html"))
}

/// Files of the page are no secret.
async fn file(Path(path): Path<String>) -> Response {
    serve_file(&path)
}

async fn asset(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Path((kind, id)): Path<(String, usize)>,
    Query(ticket): Query<Ticket>,
) -> Response {
    if let Some(refusal) = shared.refusal(&headers, &ticket) {
        return refusal;
    }
    let found = match kind.as_str() {
        "image" => shared.session.image(id),
        kind => {
            Asset::parse(kind).and_then(|kind| shared.session.with_model(|m| kind.bytes(m, id)))
        }
    };
    match found {
        Some(bytes) => ([(CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "The model has no such object.\n").into_response(),
    }
}

async fn socket(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Query(ticket): Query<Ticket>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if let Some(refusal) = shared.refusal(&headers, &ticket) {
        return refusal;
    }
    // Commands are short.
    upgrade.max_message_size(64 * 1024).on_upgrade(move |socket| tab(socket, shared))
}

/// One tab: frames to it, the latest only if it is slow; commands from it.
async fn tab(mut socket: WebSocket, shared: Arc<Shared>) {
    let session = shared.session.clone();
    let _open = session.tabs.enter();
    let mut pictures = session.pictures();
    let mut known = None;
    // Frames that the page has not asked for yet are not sent: it asks when it has drawn the last one.
    let mut ready = true;
    pictures.mark_changed();
    loop {
        tokio::select! {
            news = pictures.changed(), if ready => {
                if news.is_err() {
                    return;
                }
                let picture = pictures.borrow_and_update().clone();
                if picture.scene.is_empty() {
                    continue;
                }
                ready = false;
                if known != Some(picture.model) {
                    known = Some(picture.model);
                    let model = session.with_model(describe);
                    let hello = json!({ "kind": "model", "model": model }).to_string();
                    if socket.send(Message::Text(hello.into())).await.is_err() {
                        return;
                    }
                }
                let text = Utf8Bytes::from(picture.numbers.as_str());
                let frame = Bytes::from(picture.scene.as_ref().clone());
                if socket.send(Message::Text(text)).await.is_err()
                    || socket.send(Message::Binary(frame)).await.is_err()
                {
                    return;
                }
            }
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) if text.as_str() == "next" => ready = true,
                Some(Ok(Message::Text(text))) => {
                    match serde_json::from_str::<Command>(&text) {
                        Ok(command) => session.send(command),
                        Err(error) => {
                            let answer = json!({ "kind": "error", "text": error.to_string() });
                            if socket.send(Message::Text(answer.to_string().into())).await.is_err() {
                                return;
                            }
                        }
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
        }
    }
}
