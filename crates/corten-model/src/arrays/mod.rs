//! The model as flat arrays, declared once.

mod declare;
mod extension_names;
mod mjb;
mod model;
mod pack;
mod reflect;
mod validate;
mod validate_flex;

use corten_math::memory::{self, Grow};

pub use extension_names::{ExtensionNames, GainChoice};
pub(crate) use mjb::arena_bytes;
pub use mjb::{MjbError, is_mjb};
pub use model::ModelArrays;
pub use pack::{NAMED, UnpackError};
pub use reflect::{ArrayInfo, ArrayMut, ArrayRef, Cell, Columns, RecordField, ScalarKind};
pub use validate::InvalidReference;
pub(crate) use validate::MAX_VALUES;

/// Gives an array so many elements; new ones are zero. An array that was empty takes no memory until
/// it is written to, where the system hands out zeros by itself.
pub fn resize<T: bytemuck::Zeroable + Clone>(array: &mut Vec<T>, n: usize) {
    if array.is_empty() {
        *array = memory::zeroed(n);
    } else {
        array.grow_resize(n, T::zeroed());
    }
}
