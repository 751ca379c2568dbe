//! Pictures of scenes, drawn by the processor alone: no graphics card, no display, no driver.
//!
//! A [`Context`] holds what a model contributes to every picture, and images to draw into; it answers
//! to MuJoCo's `mjrContext`, and its methods to the `mjr` functions. Pictures have MuJoCo's geometry
//! to the pixel (facets of curved shapes, frustum, order of drawing) and its lighting.
//!
//! The picture is divided into tiles, which are drawn in parallel: triangles are found by integer
//! arithmetic, only what is visible is shaded. It is the same to the bit for any number of threads.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod assemble;
mod assets;
mod buffer;
mod camera;
mod context;
mod corners;
mod draw;
mod error;
mod figure;
mod font;
mod frame;
mod geometry;
mod light;
mod linear;
mod mesh;
mod number;
mod overlay;
mod parallel;
mod pass;
mod raster;
mod renderer;
mod shade;
mod shadow;
mod shapes;
mod texture;

pub use buffer::{MAX_SIZE, Rect};
pub use context::{AUX, Context, DepthMap, Framebuffer};
pub use error::RenderError;
pub use frame::Settings;
pub use overlay::{FontKind, GridPos};
pub use renderer::{Image, PictureError, Renderer};
