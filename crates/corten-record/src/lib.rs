//! Recordings: states that replay bit for bit, tables for other programs, pictures and video.
//!
//! A [`Recorder`] takes states as a simulation runs and writes them as NPZ (NumPy), CSV or MCAP
//! (Foxglove, Rerun); an NPZ recording has the model inside and can be [read](Recording::load) and
//! replayed. A [`Video`] takes pictures and writes GIF, APNG, numbered PNGs, or, where `ffmpeg` is
//! installed, MP4 and WebM.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod columns;
mod csv;
mod error;
mod gif;
mod mcap;
mod npz;
mod picture;
mod plot;
mod recorder;
mod recording;
mod video;

pub use error::RecordError;
pub use npz::{Archive, Entry, Kind};
pub use picture::{to_png, write_png};
pub use plot::{Curve, plot_png, plot_svg};
pub use recorder::Recorder;
pub use recording::{Recording, Replay};
pub use video::Video;
