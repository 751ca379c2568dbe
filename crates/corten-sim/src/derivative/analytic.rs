//! Columns of transition matrices without differences of steps.
//!
//! A step takes velocities to `v⁺ = v + h a` with `H a = F`, where `H` is the integrator's matrix and `F`
//! the sum of smooth and constraint forces, and positions to `q⁺ = q ⊕ h v⁺`. For a velocity, a control
//! or an activation `x`,
//!
//! ```text
//! ∂v⁺/∂x = ∂v/∂x + h H⁻¹ (∂F/∂x − (∂H/∂x) a).
//! ```
//!
//! *Constraints.* With the rows that push kept fixed, `M qacc = f + Jᵀ D (aref − J qacc)`, hence
//! `∂F/∂x = M ∂qacc/∂x = M (M + JᵀDJ)⁻¹ (∂f/∂x + JᵀD ∂aref/∂x)`; reference accelerations depend on
//! velocity by `∂aref/∂v = −B J`.
//!
//! *Implicit integrators.* `H = M − h D(v)`, so that `−(∂H/∂v_k) a = h (∂D/∂v_k) a`. Since `D` is the
//! derivative of a force, its second derivatives are symmetric, and `(∂D/∂v_k) a` is column `k` of the
//! derivative of `D` along `a`: one difference of the analytic `D`, exact for Coriolis forces, in which
//! it is linear. Inputs enter `D` through gains that depend on velocity; there `H` counts as fixed, as
//! MuJoCo's differences have it, which reuse its factor when a control or an activation changes.
//!
//! Actuators at the limit of their force, and joints at that of theirs, pass no change on; the
//! integrators' `D` does not know of these limits, as in MuJoCo.

use corten_math::dense::{cholesky, cholesky_solve};
use corten_math::memory;
use corten_math::real::exp;
use corten_math::{MIN_VAL, Vec3};
use corten_model::enums::{
    Cone, ConstraintType, DisableBit, Dynamics, Gain, Integrator, JointType, Solver,
};

use super::finite::state_size;
use super::rotation::quat_integrate;
use super::smooth::{bias_velocity, passive_velocity, slopes, smooth_velocity};
use crate::extend::Slopes;
use crate::integrate::spring_damper::stiffness;
use crate::prepared::structure::Structure;
use crate::stage::actuation::{self, muscle::Muscle};
use crate::stage::passive;
use crate::{Data, Model, sleep, solve, step, support};

/// What the analytic columns share, at the state of a computed `Data`.
pub(super) struct Analytic {
    factor: Factor,
    /// Velocity after the step.
    next: Vec<f64>,
    /// `∂f/∂v` of the smooth forces, in full and row-major.
    force_by_velocity: Vec<f64>,
    /// Column `k` is `(∂D/∂v_k) a`, where the integrator's matrix depends on velocity.
    matrix_by_velocity: Option<Vec<f64>>,
    rows: Option<ActiveRows>,
    /// Perturbation of the columns that are differences: nearer to a kink than this, so are all.
    eps: f64,
}

/// Where the factor of the integrator's matrix is.
#[derive(Clone, Copy, PartialEq)]
enum Factor {
    Mass,
    Modified,
    Unsymmetric,
}

/// What a column is about: how the force, the velocity and an activation change, and how the
/// integrator's matrix does, times the acceleration.
#[derive(Default)]
struct Change {
    force: Vec<f64>,
    velocity: Option<usize>,
    activation: Option<(usize, f64)>,
    matrix: Option<Vec<f64>>,
}

impl Analytic {
    /// `None` if the formulas do not hold. The last step of `d` started from its current state.
    pub fn new(m: &Model, d: &mut Data, eps: f64) -> Option<Analytic> {
        let s = d.prepared.structure.clone();
        let factor = match m.opt.integrator {
            Integrator::Euler => {
                let damped = !m.opt.disabled(DisableBit::EulerDamp)
                    && !m.opt.disabled(DisableBit::Damper)
                    && m.dof_damping.iter().any(|&b| b > 0.0);
                if damped { Factor::Modified } else { Factor::Mass }
            }
            Integrator::ImplicitFast | Integrator::ImplicitSpringDamper => Factor::Modified,
            Integrator::Implicit => Factor::Unsymmetric,
            Integrator::Rk4 => return None,
        };
        let fast = m.opt.integrator == Integrator::ImplicitFast;
        if s.square.size() != m.nv
            || m.nflex > 0
            // The fast method keeps the symmetric part of a fluid's derivative.
            || fast && passive::fluid::present(m)
            || m.tendon_armature.iter().any(|&a| a != 0.0)
            || m.tendon_actfrclimited.contains(&1)
            || sleep::filters(m, d)
            // User code may depend on anything.
            || d.hooks.get().is_some()
            || !m.extensions().is_empty()
            || implicit(m) && (0..m.nu).any(|i| bends(m, i) && !on_pattern(&s, d, i))
        {
            return None;
        }
        let rows = if d.nefc > 0 { Some(ActiveRows::new(m, d)?) } else { None };
        let mut acc: Vec<f64> =
            d.qfrc_smooth.iter().zip(&d.qfrc_constraint).map(|(a, b)| a + b).collect();
        if m.opt.integrator == Integrator::ImplicitSpringDamper {
            for (k, f) in acc.iter_mut().enumerate() {
                *f -= m.opt.timestep * stiffness(m, k) * d.qvel[k];
            }
        }
        factor.solve(&s, d, &mut acc);
        let next = acc.iter().zip(&d.qvel).map(|(a, v)| v + m.opt.timestep * a).collect();
        let bends = !fast || (0..m.nu).any(|i| bends(m, i));
        let matrix_by_velocity = (implicit(m) && bends).then(|| matrix_along(m, d, &acc, !fast));
        let force_by_velocity = force_by_velocity(m, d);
        Some(Analytic { factor, next, force_by_velocity, matrix_by_velocity, rows, eps })
    }

    /// The column of a change.
    fn column(&self, m: &Model, d: &Data, change: Change) -> Vec<f64> {
        let h = m.opt.timestep;
        let s = &d.prepared.structure;
        let mut x = change.force;
        if let Some(rows) = &self.rows {
            rows.add_response(&mut x, change.velocity);
        }
        if let Some(matrix) = change.matrix {
            x.iter_mut().zip(matrix).for_each(|(x, change)| *x += h * change);
        }
        if let Some(k) = change.velocity
            && m.opt.integrator == Integrator::ImplicitSpringDamper
        {
            x[k] -= h * stiffness(m, k);
        }
        self.factor.solve(s, d, &mut x);
        x.iter_mut().for_each(|x| *x *= h);
        if let Some(k) = change.velocity {
            x[k] += 1.0;
        }
        let mut column = self.position_change(s, &x, h);
        column.extend(x);
        column.resize(state_size(m), 0.0);
        if let Some((k, x)) = change.activation {
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

    pub fn by_velocity(&self, m: &Model, d: &Data, k: usize) -> Vec<f64> {
        let column = |matrix: &Vec<f64>| matrix.chunks_exact(m.nv).map(|row| row[k]).collect();
        let (force, matrix) =
            (column(&self.force_by_velocity), self.matrix_by_velocity.as_ref().map(column));
        self.column(m, d, Change { force, matrix, velocity: Some(k), ..Change::default() })
    }

    pub fn by_activation(&self, m: &Model, d: &Data, k: usize) -> Option<Vec<f64>> {
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
        let next = d.act[k] + actuation::activation_step(m, i, d.act_dot[k]);
        let free = m.actuator_actlimited[i] == 0 || self.inside(next, m.actuator_actrange[i]);
        if m.actuator_actnum[i] != 1 || !free {
            return None;
        }
        let decay = if actuation::is_disabled(m, i) { 1.0 } else { decay };
        let early = if m.actuator_actearly[i] != 0 { decay } else { 1.0 };
        let change = self.by_input(m, d, i, early)?;
        Some(self.column(m, d, Change { activation: Some((k, decay)), ..change }))
    }

    pub fn by_control(&self, m: &Model, d: &Data, i: usize) -> Option<Vec<f64>> {
        let free = m.actuator_ctrllimited[i] == 0
            || m.opt.disabled(DisableBit::ClampCtrl)
            || self.inside(d.ctrl[i], m.actuator_ctrlrange[i]);
        if m.actuator_dyntype[i] != Dynamics::None.raw() || !free {
            return None;
        }
        let change = self.by_input(m, d, i, 1.0)?;
        Some(self.column(m, d, change))
    }

    /// Whether a number is within its limits, and not as near to one as differences would look.
    fn inside(&self, x: f64, [low, high]: [f64; 2]) -> bool {
        x - low > self.eps && high - x > self.eps
    }

    /// Change of force by the input of an actuator, scaled; `None` if its gain is not known.
    fn by_input(&self, m: &Model, d: &Data, i: usize, scale: f64) -> Option<Change> {
        let prm = &m.actuator_gainprm[i];
        let (length, velocity) = (d.actuator_length[i], d.actuator_velocity[i]);
        let gain = match Gain::from_raw(m.actuator_gaintype[i])? {
            Gain::Fixed => prm[0],
            Gain::Affine => prm[0] + prm[1] * length + prm[2] * velocity,
            Gain::Muscle => {
                let (range, acc0) = (m.actuator_lengthrange[i], m.actuator_acc0[i]);
                Muscle::new(prm).gain(length, velocity, range, acc0)
            }
            Gain::User => return None,
        };
        let mut force = memory::zeroed(m.nv);
        if m.opt.disabled(DisableBit::Actuation) || actuation::is_disabled(m, i) {
            return Some(Change { force, ..Change::default() });
        }
        let (moment, columns) = moment(d, i);
        if !at_force_limit(m, d, i) {
            for (x, &k) in moment.iter().zip(columns) {
                force[k as usize] += gain * scale * x;
            }
            hold_limited_joints(m, d, |dof| force[dof] = 0.0);
        }
        Some(Change { force, ..Change::default() })
    }
}

impl Factor {
    /// `x ← H⁻¹ x` with the factor of the last step.
    fn solve(self, s: &Structure, d: &Data, x: &mut [f64]) {
        match self {
            Factor::Mass => s.mass.solve(&d.qLD, &d.qLDiagInv, x),
            Factor::Modified => s.mass.solve(&d.qH, &d.qHDiagInv, x),
            Factor::Unsymmetric => s.square.solve(&d.qLU, x),
        }
    }
}

/// Whether the integrator's matrix holds derivatives of forces.
fn implicit(m: &Model) -> bool {
    matches!(m.opt.integrator, Integrator::Implicit | Integrator::ImplicitFast)
}

/// Whether an actuator's force is other than linear in velocity.
fn bends(m: &Model, i: usize) -> bool {
    matches!(Gain::from_raw(m.actuator_gaintype[i]), Some(Gain::Muscle | Gain::User))
}

/// Moment of an actuator: entries and their degrees of freedom.
fn moment(d: &Data, i: usize) -> (&[f64], &[i32]) {
    let start = d.moment_rowadr[i] as usize;
    let row = start..start + d.moment_rownnz[i] as usize;
    (&d.actuator_moment[row.clone()], &d.moment_colind[row])
}

/// Whether the pattern of `qDeriv` couples all degrees of freedom that an actuator moves.
fn on_pattern(s: &Structure, d: &Data, i: usize) -> bool {
    let columns = moment(d, i).1;
    let coupled =
        |&a: &i32, &b: &i32| s.square.find(a.max(b) as usize, a.min(b) as usize).is_some();
    columns.iter().all(|a| columns.iter().all(|b| coupled(a, b)))
}

fn at_force_limit(m: &Model, d: &Data, i: usize) -> bool {
    let [low, high] = m.actuator_forcerange[i];
    m.actuator_forcelimited[i] != 0 && !(low < d.actuator_force[i] && d.actuator_force[i] < high)
}

/// Calls `hold` for every degree of freedom whose actuators are at the limit of the joint.
fn hold_limited_joints(m: &Model, d: &Data, mut hold: impl FnMut(usize)) {
    for j in (0..m.njnt).filter(|&j| m.jnt_actfrclimited[j] != 0) {
        let ([low, high], dof) = (m.jnt_actfrcrange[j], m.jnt_dofadr[j] as usize);
        if dof < m.nv && !(low < d.qfrc_actuator[dof] && d.qfrc_actuator[dof] < high) {
            hold(dof);
        }
    }
}

/// Derivative of `D` along `acc`, in full.
fn matrix_along(m: &Model, d: &mut Data, acc: &[f64], with_bias: bool) -> Vec<f64> {
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut result = memory::zeroed(m.nv * m.nv);
    let velocity = d.qvel.clone();
    // Long enough for rounding, short enough for the curvature of drag.
    let length = 1e-4 * norm(&velocity).max(1.0) / norm(acc).max(MIN_VAL);
    for step in [length, -length] {
        for ((v, v0), a) in d.qvel.iter_mut().zip(&velocity).zip(acc) {
            *v = v0 + step * a;
        }
        step::velocity_bound(m, d);
        smooth_velocity(m, d, with_bias);
        d.prepared.structure.square.add_to_dense(&d.qDeriv, 0.5 / step, &mut result);
    }
    d.qvel.copy_from_slice(&velocity);
    step::velocity_bound(m, d);
    result
}

/// `∂f/∂v` of the smooth forces, in full; leaves the part of passive and bias forces in `qDeriv`.
fn force_by_velocity(m: &Model, d: &mut Data) -> Vec<f64> {
    let mut actuators = memory::zeroed(m.nv * m.nv);
    let mut result = memory::zeroed(m.nv * m.nv);
    if !m.opt.disabled(DisableBit::Actuation) {
        for i in (0..m.nu).filter(|&i| !actuation::is_disabled(m, i)) {
            if at_force_limit(m, d, i) {
                continue;
            }
            let Slopes { gain, bias } = slopes(m, d, i);
            let slope = bias + gain * input(m, d, i);
            let (values, columns) = moment(d, i);
            for_each_pair(values, columns, |k, p, x| actuators[k * m.nv + p] += slope * x);
        }
        hold_limited_joints(m, d, |dof| actuators[dof * m.nv..(dof + 1) * m.nv].fill(0.0));
    }
    d.qDeriv.fill(0.0);
    passive_velocity(m, d);
    bias_velocity(m, d);
    let s = &d.prepared.structure;
    s.square.add_to_dense(&d.qDeriv, 1.0, &mut result);
    // Tendons also couple what the pattern does not.
    for t in (0..m.ntendon).filter(|&t| m.tendon_damping[t] != 0.0) {
        if m.opt.disabled(DisableBit::Damper) {
            break;
        }
        let row = support::tendon_row(d, t);
        for_each_pair(&d.ten_J[row.clone()], &d.ten_J_colind[row], |k, p, x| {
            if s.square.find(k.max(p), k.min(p)).is_none() {
                result[k * m.nv + p] -= m.tendon_damping[t] * x;
            }
        });
    }
    result.iter_mut().zip(actuators).for_each(|(x, y)| *x += y);
    result
}

/// Calls `visit(k, p, x)` for all entries of `v vᵀ`.
fn for_each_pair(values: &[f64], columns: &[i32], mut visit: impl FnMut(usize, usize, f64)) {
    for (&x, &k) in values.iter().zip(columns) {
        for (&y, &p) in values.iter().zip(columns) {
            visit(k as usize, p as usize, x * y);
        }
    }
}

/// The input that an actuator's force is computed with.
fn input(m: &Model, d: &Data, i: usize) -> f64 {
    if m.actuator_dyntype[i] == Dynamics::None.raw() {
        let [low, high] = m.actuator_ctrlrange[i];
        let clamped = m.actuator_ctrllimited[i] != 0 && !m.opt.disabled(DisableBit::ClampCtrl);
        return if clamped { d.ctrl[i].max(low).min(high) } else { d.ctrl[i] };
    }
    let last = m.actuator_actadr[i] + m.actuator_actnum[i] - 1;
    let Some((&act, &rate)) =
        usize::try_from(last).ok().and_then(|k| d.act.get(k).zip(d.act_dot.get(k)))
    else {
        return 0.0;
    };
    if m.actuator_actearly[i] != 0 { actuation::next_activation(m, i, act, rate) } else { act }
}

/// How constraint forces answer to a change, with the rows that push kept fixed.
struct ActiveRows {
    /// The mass matrix, in full.
    mass: Vec<f64>,
    /// Cholesky's factor of `M + JᵀDJ`.
    factor: Vec<f64>,
    /// `JᵀD ∂aref/∂v`, in full.
    reference: Vec<f64>,
}

impl ActiveRows {
    /// `None` for rows in a cone, whose force is not linear, and for solvers that stop before the
    /// solution.
    fn new(m: &Model, d: &Data) -> Option<ActiveRows> {
        let n = m.nv;
        let contact = |row: usize| d.efc_type[row] == ConstraintType::ContactElliptic.raw();
        let in_cone = |row: usize| contact(row) && d.efc_force[row] != 0.0;
        if m.opt.solver != Solver::Newton
            || m.opt.noslip_iterations > 0
            || m.opt.cone == Cone::Elliptic && (0..d.nefc).any(in_cone)
        {
            return None;
        }
        let mut mass = memory::zeroed(n * n);
        let s = &d.prepared.structure;
        for i in 0..n {
            for (k, &j) in s.mass.row(i).zip(s.mass.columns(i)) {
                (mass[i * n + j as usize], mass[j as usize * n + i]) = (d.M[k], d.M[k]);
            }
        }
        let mut jacobian = memory::zeroed(d.nefc * n);
        let (mut unit, mut column) = (memory::zeroed(n), memory::zeroed(d.nefc));
        for k in 0..n {
            unit[k] = 1.0;
            solve::mul_jacobian(d, &unit, &mut column);
            unit[k] = 0.0;
            column.iter().enumerate().for_each(|(row, x)| jacobian[row * n + k] = *x);
        }
        let (mut factor, mut reference) = (memory::copy_of(&mass), memory::zeroed(n * n));
        for row in (0..d.nefc).filter(|&row| is_quadratic(d, row)) {
            let values = &jacobian[row * n..(row + 1) * n];
            let (stiffness, damping) = (d.efc_D[row], d.efc_KBIP[row][1]);
            for (i, x) in values.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                for (j, y) in values.iter().enumerate() {
                    factor[i * n + j] += stiffness * x * y;
                    reference[i * n + j] -= stiffness * damping * x * y;
                }
            }
        }
        cholesky(&mut factor, n, MIN_VAL).then_some(ActiveRows { mass, factor, reference })
    }

    /// From the change of the smooth force to that of all forces.
    fn add_response(&self, force: &mut [f64], velocity: Option<usize>) {
        let n = force.len();
        if let Some(k) = velocity {
            for (f, row) in force.iter_mut().zip(self.reference.chunks_exact(n)) {
                *f += row[k];
            }
        }
        cholesky_solve(&self.factor, n, force);
        let qacc = force.to_vec();
        for (f, row) in force.iter_mut().zip(self.mass.chunks_exact(n)) {
            *f = row.iter().zip(&qacc).map(|(m, a)| m * a).sum();
        }
    }
}

/// Whether a row's force is linear in its residual.
fn is_quadratic(d: &Data, row: usize) -> bool {
    match ConstraintType::from_raw(d.efc_type[row]) {
        Some(
            ConstraintType::Equality | ConstraintType::FlexStiffness | ConstraintType::SoftBody,
        ) => true,
        Some(ConstraintType::FrictionDof | ConstraintType::FrictionTendon) => {
            d.efc_force[row].abs() < d.efc_frictionloss[row]
        }
        _ => d.efc_force[row] > 0.0,
    }
}
