//! What can go wrong.

use std::path::PathBuf;

use thiserror::Error;

/// Why something was not recorded, or cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The name does not say what to write.
    #[error("{}: expected a name that ends in {expected}", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
        /// What is possible.
        expected: &'static str,
    },
    /// The contents make no sense.
    #[error("not a recording: {0}")]
    Format(String),
    /// There is no such array.
    #[error("no array '{name}'; there are {known}")]
    NoArray {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A video needs a program that is not installed.
    #[error("{what} needs the program ffmpeg, which is not installed: write .gif or .png instead")]
    NoEncoder {
        /// The kind of video.
        what: String,
    },
    /// The program that encodes the video has failed.
    #[error("ffmpeg has failed: {0}")]
    Encoder(String),
    /// A picture of another size than those before.
    #[error("a picture of {found:?} pixels in a video of {expected:?}")]
    Size {
        /// Size of the video.
        expected: [usize; 2],
        /// Size of the picture.
        found: [usize; 2],
    },
    /// The state does not fit the model.
    #[error(transparent)]
    State(#[from] corten_sim::state::StateError),
    /// Nothing follows from a state.
    #[error(transparent)]
    Step(#[from] corten_sim::StepError),
}

impl RecordError {
    /// An error of the system with the file that it is about.
    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> RecordError {
        let path = path.to_owned();
        move |source| RecordError::File { path, source }
    }
}
