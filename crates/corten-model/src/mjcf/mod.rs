//! MJCF text to [`Spec`](crate::spec::Spec) and back.
//!
//! Reading goes through a document tree (`forest`, includes resolved), is checked against the
//! grammar (`schema`), and fills the spec by the attribute tables (`tables`). All findings of
//! a file are reported together.

pub mod attr;
pub(crate) mod forest;
mod keywords;
pub(crate) mod read;
pub(crate) mod schema;
mod tables;
mod write;

pub use read::ReadOptions;
pub use schema::grammar;
pub use write::WriteError;
