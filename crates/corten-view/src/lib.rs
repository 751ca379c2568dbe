//! A live page of a simulation: a small server on loopback, and a browser that draws.
//!
//! [`Session`] owns model and data, steps in real time and answers commands; [`Server`] hands its frames
//! to any number of tabs, over WebSockets, and their commands back. The page itself is made by
//! `./tools/web` and part of the binary; without it everything else works, and [`Server::bind`] tells
//! what to do.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod access;
mod command;
mod describe;
mod frame;
mod page;
mod pulling;
mod server;
mod session;
mod shape;
mod state;

pub use command::{Command, View};
pub use page::is_built;
pub use server::{Options, Server, ServerError};
pub use session::{Answer, Session, SessionHandle, Shown, obey};
