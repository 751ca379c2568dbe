//! What can go wrong.

use thiserror::Error;

/// Why nothing was drawn.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenderError {
    /// A mesh, height field or texture that the context does not have.
    #[error("invalid {kind} index {id}")]
    Index {
        /// What it is.
        kind: &'static str,
        /// Its number.
        id: usize,
    },
    /// An image larger than [`MAX_SIZE`](crate::MAX_SIZE) in one direction.
    #[error(
        "a buffer of {width} x {height} pixels is too large: at most {} each way",
        crate::MAX_SIZE
    )]
    TooLarge {
        /// Width in pixels.
        width: i64,
        /// Height in pixels.
        height: i64,
    },
    /// The camera has no near plane.
    #[error("mjvScene frustum_near too small in mjr_render: update the scene before rendering it")]
    NoFrustum,
    /// The two cameras of the scene differ in kind.
    #[error("cannot average perspective and orthographic cameras")]
    MixedCameras,
    /// A number outside of its range.
    #[error("{what} {value} is out of range")]
    Range {
        /// What it says.
        what: &'static str,
        /// The number.
        value: i64,
    },
    /// The array for pixels has the wrong length.
    #[error("{what} must have {expected} elements, but has {found}")]
    Length {
        /// What it holds.
        what: &'static str,
        /// Elements that are needed.
        expected: usize,
        /// Elements that there are.
        found: usize,
    },
}
