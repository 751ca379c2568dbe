//! Transition matrices, analytic where that is exact.
//!
//! Without constraint rows, a step of an integrator with a matrix `H` that does not depend on
//! velocity is `v⁺ = v + h H⁻¹ f`, `q⁺ = q ⊕ h v⁺`. Then `∂v⁺/∂v = 1 + h H⁻¹ ∂f/∂v` with the analytic
//! `qDeriv`, and the columns of activations and controls follow from the gain and the moment of
//! their actuator. Positions enter everything: their columns are differences of steps, and so is
//! whatever the formulas do not cover: constraint rows, other integrators, muscles, user dynamics,
//! and limits of controls, activations and actuator forces, which make kinks.

use corten_math::real::exp;
use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::{DisableBit, Dynamics, Gain, Integrator, JointType};

use super::finite::{Differences, check_size, set_column, state_size};
use super::rotation::quat_integrate;
use super::{DerivativeError, Transition, smooth_velocity, transition_fd};
use crate::prepared::structure::Structure;
use crate::stage::{actuation, passive};
use crate::{Data, Model};

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
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

/// Linearises one step from the current state.
pub fn transition(
    m: &Model,
    d: &mut Data,
    config: &DerivativeConfig,
) -> Result<TransitionMatrices, DerivativeError> {
    let nx = state_size(m);
    let mut result = TransitionMatrices { a: vec![0.0; nx * nx], b: vec![0.0; nx * m.nu] };
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
    let analytic = Analytic::new(m, differences.data());

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
            Some(f) if x >= nv && !f.limited => Some(f.by_velocity(m, differences.data(), x - nv)),
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

/// What the analytic columns share, at the state of a computed `Data`.
struct Analytic {
    /// Whether the factor of the integrator is in `qH` rather than in `qLD`.
    damped: bool,
    /// Velocity after the step.
    next: Vec<f64>,
    /// `∂f/∂v` in full, row-major.
    force_by_velocity: Vec<f64>,
    /// Whether some limit may cut actuator forces.
    limited: bool,
}

impl Analytic {
    /// `None` if the formulas do not hold. The last step of `d` started from its current state.
    fn new(m: &Model, d: &mut Data) -> Option<Analytic> {
        let s = d.prepared.structure.clone();
        let damped = match m.opt.integrator {
            Integrator::Euler => {
                !m.opt.disabled(DisableBit::EulerDamp)
                    && !m.opt.disabled(DisableBit::Damper)
                    && m.dof_damping.iter().any(|&b| b > 0.0)
            }
            Integrator::ImplicitFast => true,
            Integrator::Rk4 | Integrator::Implicit | Integrator::ImplicitSpringDamper => {
                return None;
            }
        };
        let fast = m.opt.integrator == Integrator::ImplicitFast;
        let limited = [&m.actuator_forcelimited, &m.jnt_actfrclimited, &m.tendon_actfrclimited]
            .into_iter()
            .any(|limits| limits.contains(&1));
        let muscles = m.actuator_gaintype.contains(&Gain::Muscle.raw());
        if d.nefc > 0
            || s.square.size() != m.nv
            || fast && (muscles || passive::fluid::present(m))
            || m.tendon_armature.iter().any(|&a| a != 0.0)
        {
            return None;
        }
        let mut next: Vec<f64> =
            d.qfrc_smooth.iter().zip(&d.qfrc_constraint).map(|(a, b)| a + b).collect();
        solve(&s, d, damped, &mut next);
        for (a, v) in next.iter_mut().zip(&d.qvel) {
            *a = v + m.opt.timestep * *a;
        }
        // The derivative of all smooth forces; the integrator's own matrix is already factored.
        smooth_velocity(m, d, true);
        let mut force_by_velocity = vec![0.0; m.nv * m.nv];
        s.square.add_to_dense(&d.qDeriv, 1.0, &mut force_by_velocity);
        Some(Analytic { damped, next, force_by_velocity, limited })
    }

    /// The column of a change `df` of the forces, `dv` of the velocity, `da` of activation `k`
    /// after the step.
    fn column(
        &self,
        m: &Model,
        d: &Data,
        mut df: Vec<f64>,
        dv: Option<usize>,
        da: Option<(usize, f64)>,
    ) -> Vec<f64> {
        let h = m.opt.timestep;
        let s = &d.prepared.structure;
        solve(s, d, self.damped, &mut df);
        for x in &mut df {
            *x *= h;
        }
        if let Some(k) = dv {
            df[k] += 1.0;
        }
        let mut column = self.position_change(s, &df, h);
        column.extend(df);
        column.resize(state_size(m), 0.0);
        if let Some((k, x)) = da {
            column[2 * m.nv + k] = x;
        }
        column
    }

    /// Change of the next position, in its tangent space, with the next velocity.
    fn position_change(&self, s: &Structure, dv: &[f64], h: f64) -> Vec<f64> {
        let mut dq: Vec<f64> = dv.iter().map(|x| h * x).collect();
        for joint in &s.joints {
            let k = match joint.kind {
                JointType::Ball => joint.dof(),
                JointType::Free => joint.dof() + 3,
                JointType::Hinge | JointType::Slide => continue,
            };
            let (_, by_vel, _) = quat_integrate(Vec3::from_slice(&self.next[k..]), h);
            let turned = by_vel * Vec3::from_slice(&dq[k..]);
            dq[k..k + 3].copy_from_slice(&turned.0);
        }
        dq
    }

    fn by_velocity(&self, m: &Model, d: &Data, k: usize) -> Vec<f64> {
        let df = self.force_by_velocity.chunks_exact(m.nv).map(|row| row[k]).collect();
        self.column(m, d, df, Some(k), None)
    }

    fn by_activation(&self, m: &Model, d: &Data, k: usize) -> Option<Vec<f64>> {
        let i = (0..m.nu).find(|&i| {
            let first = m.actuator_actadr[i];
            first >= 0 && (first..first + m.actuator_actnum[i]).contains(&(k as i32))
        })?;
        let tau = m.actuator_dynprm[i][0].max(MIN_VAL);
        let h = m.opt.timestep;
        let decay = match Dynamics::from_raw(m.actuator_dyntype[i])? {
            Dynamics::Integrator => 1.0,
            Dynamics::Filter => 1.0 - h / tau,
            Dynamics::FilterExact => exp(-h / tau),
            Dynamics::None | Dynamics::Muscle | Dynamics::User => return None,
        };
        if m.actuator_actlimited[i] != 0 || m.actuator_actnum[i] != 1 {
            return None;
        }
        let decay = if actuation::is_disabled(m, i) { 1.0 } else { decay };
        let early = if m.actuator_actearly[i] != 0 { decay } else { 1.0 };
        let df = self.actuator_force(m, d, i, early)?;
        Some(self.column(m, d, df, None, Some((k, decay))))
    }

    fn by_control(&self, m: &Model, d: &Data, i: usize) -> Option<Vec<f64>> {
        if m.actuator_dyntype[i] != Dynamics::None.raw() || m.actuator_ctrllimited[i] != 0 {
            return None;
        }
        let df = self.actuator_force(m, d, i, 1.0)?;
        Some(self.column(m, d, df, None, None))
    }

    /// Generalised force of a unit input of an actuator, scaled; `None` if limits may cut it or its
    /// gain is not known.
    fn actuator_force(&self, m: &Model, d: &Data, i: usize, scale: f64) -> Option<Vec<f64>> {
        if self.limited {
            return None;
        }
        let prm = &m.actuator_gainprm[i];
        let gain = match Gain::from_raw(m.actuator_gaintype[i])? {
            Gain::Fixed => prm[0],
            Gain::Affine => {
                prm[0] + prm[1] * d.actuator_length[i] + prm[2] * d.actuator_velocity[i]
            }
            Gain::Muscle | Gain::User => return None,
        };
        let disabled = actuation::is_disabled(m, i) || m.opt.disabled(DisableBit::Actuation);
        let gain = if disabled { 0.0 } else { gain * scale };
        let mut force = vec![0.0; m.nv];
        let start = d.moment_rowadr[i] as usize;
        let row = start..start + d.moment_rownnz[i] as usize;
        for (x, &k) in d.actuator_moment[row.clone()].iter().zip(&d.moment_colind[row]) {
            force[k as usize] += gain * x;
        }
        Some(force)
    }
}

/// `x ← H⁻¹ x` with the factor of the last step.
fn solve(s: &Structure, d: &Data, damped: bool, x: &mut [f64]) {
    if damped {
        s.mass.solve(&d.qH, &d.qHDiagInv, x);
    } else {
        s.mass.solve(&d.qLD, &d.qLDiagInv, x);
    }
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
