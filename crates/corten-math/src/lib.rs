//! Leaf numerics: vectors, rotations, spatial algebra and small factorisations. No physics.
//!
//! All types are plain `f64` arrays in MuJoCo's component order (quaternions `w x y z`,
//! matrices row-major, spatial vectors rotation first), so that a `Vec<Vec3>` is at the same
//! time the flat array that a user reads as `xpos`.

#![warn(missing_docs)]

pub mod array;
pub mod dense;
mod dihedral;
mod eig3;
mod eights;
mod four;
pub mod fours;
pub mod hint;
mod mat3;
mod mat6;
pub mod memory;
mod number;
mod quat;
mod random;
pub mod real;
pub mod simd;
mod spatial;
pub mod transpose;
mod tree;
mod trig;
mod vec3;

pub use dihedral::{Dihedral, dihedral};
pub use eig3::{Eig3, eig3, principal_axes};
pub use eights::{F32x8, I32x8, Mask32x8};
pub use four::Four;
pub use fours::{map_fours, sum_fours};
pub use mat3::Mat3;
pub use mat6::Mat6;
pub use number::{Mask, Number, Stored, Wide};
pub use quat::Quat;
pub use random::{Random, halton};
pub use spatial::{Inertia, Spatial};
pub use tree::{AncestorAxes, AxisStack, Factored, SquarePattern, TreePattern};
pub use trig::{acos, sin_cos_all};
pub use vec3::Vec3;

/// Smallest magnitude that the engine divides by or normalises (MuJoCo's `mjMINVAL`).
pub const MIN_VAL: f64 = 1e-15;
