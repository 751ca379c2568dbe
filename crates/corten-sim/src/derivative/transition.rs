//! Transition matrices, analytic where that is exact.
//!
//! Columns of velocities, activations and controls follow from the analytic derivatives of forces
//! (`analytic`). Positions enter everything: their columns are differences of steps, and so is whatever
//! the formulas do not cover: Runge-Kutta, rows of elliptic cones, solvers other than Newton's, fluids
//! under `implicitfast`, armature and force limits of tendons, dynamics of muscles and users, and
//! inputs at their limits, which make kinks.

use super::analytic::Analytic;
use super::finite::{Differences, check_size, set_column, state_size};
use super::{DerivativeError, Transition, transition_fd};
use crate::{Data, Model};
use corten_math::memory;

/// How to compute transition matrices.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivativeConfig {
    /// Perturbation.
    pub eps: f64,
    /// Centred differences instead of forward ones: twice the cost, an error of second order.
    pub centered: bool,
    /// Analytic columns where they are exact.
    pub use_analytical: bool,
}

impl Default for DerivativeConfig {
    fn default() -> DerivativeConfig {
        DerivativeConfig { eps: 1e-6, centered: true, use_analytical: true }
    }
}

/// `dx⁺ = A dx + B du`, row-major, with the state in `2 nv + na` tangent coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransitionMatrices {
    /// Next state by state.
    pub a: Vec<f64>,
    /// Next state by controls.
    pub b: Vec<f64>,
}

/// Linearises one step from the current state.
pub fn transition(
    m: &Model,
    d: &mut Data,
    config: &DerivativeConfig,
) -> Result<TransitionMatrices, DerivativeError> {
    let nx = state_size(m);
    let mut result =
        TransitionMatrices { a: memory::zeroed(nx * nx), b: memory::zeroed(nx * m.nu) };
    let TransitionMatrices { a, b } = &mut result;
    if config.use_analytical {
        transition_hybrid(m, d, config.eps, config.centered, a, b)?;
    } else {
        let out = Transition { a: Some(a), b: Some(b), ..Transition::default() };
        transition_fd(m, d, config.eps, config.centered, out)?;
    }
    Ok(result)
}

impl Data {
    /// [`transition`] from the current state.
    pub fn transition_derivatives(
        &mut self,
        m: &Model,
        config: &DerivativeConfig,
    ) -> Result<TransitionMatrices, DerivativeError> {
        transition(m, self, config)
    }
}

/// Transition matrices with analytic columns for velocities, activations and controls where they
/// are exact, and differences for the rest.
pub fn transition_hybrid(
    m: &Model,
    d: &mut Data,
    eps: f64,
    centred: bool,
    a: &mut [f64],
    b: &mut [f64],
) -> Result<(), DerivativeError> {
    let (nx, nv) = (state_size(m), m.nv);
    check_size("A", Some(a), nx * nx)?;
    check_size("B", Some(b), nx * m.nu)?;
    let mut differences = Differences::new(m, d, eps, centred, false)?;
    let analytic = Analytic::new(m, differences.data(), eps);

    for i in 0..m.nu {
        let column = match analytic.as_ref().and_then(|f| f.by_control(m, differences.data(), i)) {
            Some(column) => column,
            None => differences.by_control(i)?.state,
        };
        set_column(Some(b), m.nu, i, &column);
    }
    for x in (0..nx).rev() {
        let column = match &analytic {
            Some(f) if x >= 2 * nv => f.by_activation(m, differences.data(), x - 2 * nv),
            Some(f) if x >= nv => Some(f.by_velocity(m, differences.data(), x - nv)),
            _ => None,
        };
        let column = match column {
            Some(column) => column,
            None => differences.by_state(x)?.state,
        };
        set_column(Some(a), nx, x, &column);
    }
    Ok(())
}

/// Largest `|a − b| / max(1, |a|, |b|)` over two matrices; infinite if their sizes differ.
pub fn max_relative_error(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    a.iter().zip(b).fold(0.0, |worst, (a, b)| {
        let error = (a - b).abs() / 1f64.max(a.abs()).max(b.abs());
        if error.is_nan() { f64::INFINITY } else { worst.max(error) }
    })
}

/// Largest relative error between the hybrid transition matrices and pure differences.
pub fn validate_analytical_vs_fd(
    m: &Model,
    d: &mut Data,
    eps: f64,
) -> Result<f64, DerivativeError> {
    let config = DerivativeConfig { eps, ..DerivativeConfig::default() };
    let hybrid = transition(m, d, &config)?;
    let fd = transition(m, d, &DerivativeConfig { use_analytical: false, ..config })?;
    Ok(max_relative_error(&hybrid.a, &fd.a).max(max_relative_error(&hybrid.b, &fd.b)))
}

/// Largest relative change of the differences when `eps` shrinks to a tenth: small where the
/// dynamics are smooth, of order one across a change of contacts.
pub fn fd_convergence_check(m: &Model, d: &mut Data, eps: f64) -> Result<f64, DerivativeError> {
    let config = DerivativeConfig { eps, use_analytical: false, ..DerivativeConfig::default() };
    let coarse = transition(m, d, &config)?;
    let fine = transition(m, d, &DerivativeConfig { eps: 0.1 * eps, ..config })?;
    Ok(max_relative_error(&coarse.a, &fine.a).max(max_relative_error(&coarse.b, &fine.b)))
}
