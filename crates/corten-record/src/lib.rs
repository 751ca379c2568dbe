//! Recordings: states that replay bit for bit, tables for other programs, pictures and video.
//!
//! A [`Recorder`] takes states as a simulation runs and writes them as NPZ (NumPy), CSV or MCAP
//! (Foxglove, Rerun); an NPZ recording has the model inside and can be [read](Recording::load) and
//! replayed. A [`Video`] takes pictures and writes GIF, APNG, numbered PNGs, or, where `ffmpeg` is
//! installed, MP4 and WebM.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod csv;
mod error;
mod gif;
mod mcap;
mod npz;
mod picture;
mod plot;
mod recording;
mod video;

pub use error::RecordError;
pub use npz::{Array, Values, read_npz, write_npz};
pub use picture::{to_png, write_png};
pub use plot::{Curve, plot_png, plot_svg};
pub use recording::{Recorder, Recording, Replay};
pub use video::Video;
