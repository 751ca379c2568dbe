//! Cloth, soft bodies and chains: particles held together by constraints, stepped by extended position-based dynamics (XPBD).
//!
//! A body needs no model: make a [`Cloth`], a [`SoftBody`], a [`CapsuleChain`] or a [`Deformable`] of your own, and let an
//! [`XpbdSolver`] step it.
//!
//! ```
//! use corten_soft::{CapsuleChain, ChainPreset, DeformableBody, Vec3, XpbdSolver};
//!
//! let (start, end) = (Vec3::ZERO, Vec3::X);
//! let mut rope = CapsuleChain::preset(start, end, 20, &ChainPreset::ROPE)?;
//! rope.pin(0);
//! let mut solver = XpbdSolver::new(20).with_damping(0.5);
//! for _ in 0..50 {
//!     solver.step(&mut rope, Vec3::new(0.0, 0.0, -9.81), 0.01)?;
//! }
//! assert!(rope.positions()[20][2] < -0.3);
//! # Ok::<(), corten_soft::SoftError>(())
//! ```
//!
//! Results are the same bits in every run: constraints are worked through in their order. All quantities are in SI units.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod body;
mod chain;
mod cloth;
mod constraint;
mod error;
mod material;
mod mesh;
mod soft_body;
mod solver;

pub use body::{Deformable, DeformableBody};
pub use chain::{CapsuleChain, ChainPreset};
pub use cloth::{Cloth, ClothPreset};
pub use constraint::{Constraint, ConstraintSet, ConstraintType, Gradient, Measure};
pub use corten_math::Vec3;
pub use error::SoftError;
pub use material::Material;
pub use soft_body::{SoftBody, SoftBodyPreset};
pub use solver::{Work, XpbdSolver, project};
