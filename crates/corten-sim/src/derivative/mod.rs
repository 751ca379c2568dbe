//! Derivatives of the dynamics.
//!
//! [`smooth_velocity`] is analytic: how smooth forces depend on velocities, as the implicit
//! integrators need it. [`transition_fd`] and [`inverse_fd`] differentiate whole steps and inverse
//! dynamics numerically. [`rotation`] holds the derivatives of quaternion arithmetic.

mod finite;
mod fluid;
pub mod rotation;
mod smooth;

pub use finite::{DerivativeError, InverseJacobians, Transition, inverse_fd, transition_fd};
pub(crate) use smooth::Memory;
pub use smooth::{actuators, passive_velocity, smooth_velocity};
