//! A live page of a simulation: a small server on loopback, and a browser that draws.
//!
//! [`Session`] owns model and data, steps in real time and answers commands, or shows what its owner
//! simulates, or a recording; [`Server`] hands its frames to any number of tabs, over WebSockets, and
//! their commands back; [`Service`] runs one on threads of its own. The page itself is made by
//! `./tools/web` and part of the binary; without it everything else works, and the address tells what
//! to do.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod access;
mod command;
mod describe;
mod frame;
mod history;
mod looks;
mod mail;
mod obey;
mod page;
mod pulling;
mod server;
mod service;
mod session;
mod shape;
mod state;

pub use command::{Command, View};
pub use history::Restore;
pub use mail::{Answer, Overlay, Overlays, SessionHandle, Shown};
pub use obey::obey;
pub use page::is_built;
pub use server::{Options, Server, ServerError};
pub use service::Service;
pub use session::{Loader, Session};
pub use state::Pace;
