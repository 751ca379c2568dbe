//! Derivatives of the dynamics.
//!
//! [`smooth_velocity`] is analytic: how smooth forces depend on velocities, as the implicit
//! integrators need it. [`transition_fd`] and [`inverse_fd`] differentiate whole steps and inverse
//! dynamics numerically; [`transition`] mixes both. [`rotation`] holds the derivatives of quaternion arithmetic.

mod analytic;
mod finite;
mod fluid;
pub mod rotation;
mod smooth;
mod transition;

pub use finite::{DerivativeError, InverseJacobians, Transition, inverse_fd, transition_fd};
pub(crate) use smooth::{Scratch, constant_damping};
pub use smooth::{actuators, bias_velocity, passive_velocity, smooth_velocity};
pub use transition::{
    DerivativeConfig, TransitionMatrices, fd_convergence_check, max_relative_error, transition,
    transition_hybrid, validate_analytical_vs_fd,
};
