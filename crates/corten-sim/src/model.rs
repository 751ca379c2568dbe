//! The model that simulations share.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use corten_model::ModelArrays;
use corten_model::arrays::{ArrayInfo, UnpackError};
use corten_model::container::Entry;

/// A compiled model: everything that stays constant while simulating.
///
/// It gives access to all fields of [`ModelArrays`], under MuJoCo's names. Share it between
/// simulations as `Arc<Model>`.
#[derive(Clone, Debug, Default)]
pub struct Model {
    arrays: ModelArrays,
}

impl Model {
    /// Every array field, in declaration order.
    pub const ARRAYS: &'static [ArrayInfo] = ModelArrays::ARRAYS;

    /// How many of [`Self::ARRAYS`] have lengths that the sizes fix: all.
    pub const FIXED_ARRAYS: usize = ModelArrays::FIXED_ARRAYS;

    /// The sizes, by name.
    pub const SIZES: &'static [&'static str] = ModelArrays::SIZES;

    /// Position of a field in [`Self::ARRAYS`].
    pub fn array_index(name: &str) -> Option<usize> {
        ModelArrays::array_index(name)
    }

    /// The model of named arrays; see [`ModelArrays::unpack`].
    pub fn unpack(entries: &[Entry]) -> Result<Model, UnpackError> {
        ModelArrays::unpack(entries).map(Model::from)
    }

    /// The model in a file that [`ModelArrays::to_bytes`] made.
    pub fn from_bytes(file: &[u8]) -> Result<Model, UnpackError> {
        ModelArrays::from_bytes(file).map(Model::from)
    }

    /// The model in a file that [`ModelArrays::save`] wrote.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, UnpackError> {
        ModelArrays::load(path).map(Model::from)
    }
}

impl From<ModelArrays> for Model {
    fn from(arrays: ModelArrays) -> Model {
        Model { arrays }
    }
}

impl Deref for Model {
    type Target = ModelArrays;

    #[inline(always)]
    fn deref(&self) -> &ModelArrays {
        &self.arrays
    }
}

impl DerefMut for Model {
    fn deref_mut(&mut self) -> &mut ModelArrays {
        &mut self.arrays
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        self.arrays == other.arrays
    }
}
