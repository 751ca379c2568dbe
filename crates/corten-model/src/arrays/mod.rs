//! The model as flat arrays, declared once.

mod declare;
mod model;
mod pack;
mod reflect;
mod validate;

pub use model::Model;
pub use pack::{NAMED, UnpackError};
pub use reflect::{ArrayInfo, ArrayMut, ArrayRef, Cell, Columns, ScalarKind};
pub use validate::InvalidReference;
pub(crate) use validate::MAX_VALUES;
