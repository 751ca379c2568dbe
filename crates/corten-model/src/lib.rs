//! From MJCF text to the frozen [`Model`].
//!
//! Data flows one way: `mjcf` reads text into a [`spec`], `compile` turns the spec into the flat
//! arrays of a [`Model`].

pub mod arrays;
pub mod container;
pub mod enums;
mod names;
mod option;

pub use arrays::Model;
pub use names::{Names, ObjectId};
pub use option::{Options, Statistic, Visual};
