//! From MJCF text to the frozen [`ModelArrays`].
//!
//! Data flows one way: `mjcf` reads text into a [`spec`], `compile` turns the spec into the flat
//! arrays of a [`ModelArrays`].

#![forbid(unsafe_code)]

pub mod arrays;
pub mod assets;
mod compile;
pub mod container;
pub mod diagnostic;
pub mod enums;
pub mod equality;
pub mod flex;
mod flexcomp;
pub mod ids;
pub mod limits;
pub mod lint;
pub mod mjcf;
mod names;
mod option;
pub mod plugin;
pub mod sensor;
pub mod soft;
pub mod spec;
pub mod transmission;
mod urdf;
pub mod xml;

pub use arrays::ModelArrays;
pub use assets::Assets;
pub use compile::{Draft, Places, compile, compile_with, in_parallel};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use limits::Limits;
pub use mjcf::ReadOptions;
pub use names::{Names, ObjectId};
pub use option::{
    Options, Statistic, Visual, VisualGlobal, VisualHeadlight, VisualMap, VisualQuality,
    VisualRgba, VisualScale,
};
pub use spec::Spec;
