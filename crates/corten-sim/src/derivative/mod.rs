//! Derivatives of the dynamics.
//!
//! [`smooth_velocity`] is analytic: how smooth forces depend on velocities, as the implicit
//! integrators need it. [`transition_fd`] and [`inverse_fd`] differentiate whole steps and inverse
//! dynamics numerically. [`rotation`] holds the derivatives of quaternion arithmetic.

mod fluid;
pub mod rotation;
mod smooth;

pub(crate) use smooth::Memory;
pub use smooth::smooth_velocity;
