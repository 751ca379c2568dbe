//! Extended position-based dynamics.
//!
//! M. Macklin, M. Müller, N. Chentanez, "XPBD: position-based simulation of compliant constrained dynamics", 2016, with the short
//! substeps of M. Macklin et al., "Small steps in physics simulation", 2019. A substep of length `h` moves the particles freely and
//! then works through the constraints, one after the other, with
//!
//! ```text
//! Δλ = (−C − α̃ λ − γ ∇C·(x − x₀)) / ((1 + γ) ∇C M⁻¹ ∇Cᵀ + α̃),   x += M⁻¹ ∇Cᵀ Δλ,   α̃ = α/h²,   γ = τ/h
//! ```
//!
//! where `λ` is what has been added so far and `τ` the material's relaxation time: the fixed point is a step of the implicit Euler
//! method, whatever the number of iterations. Without the accumulated `λ`, stiffness would grow with iterations.

use corten_math::{Vec3, real};

use crate::error::{expect, not_negative, positive};
use crate::{Constraint, ConstraintSet, Deformable, DeformableBody, Measure, SoftError};

/// Most passes over the constraints in one step: beyond them, a shorter step is what is meant.
const MOST_PASSES: usize = 1_000_000;

/// Steps bodies. Holds settings and working memory, no state of a body: one solver serves any number of them.
#[derive(Clone, Debug)]
pub struct XpbdSolver {
    /// Parts of a step, at least one. More of them are stiffer and keep more energy.
    pub substeps: usize,
    /// Passes over the constraints in each part, at least one.
    pub iterations: usize,
    /// Rate at which velocities decay, 1/s, as by the resistance of air.
    pub damping: f64,
    /// A body falls asleep when no particle is faster than this for a while, m/s; zero: never.
    pub sleep_speed: f64,
    /// How long it has to be that slow, s.
    pub sleep_after: f64,
    work: Work,
}

impl Default for XpbdSolver {
    fn default() -> XpbdSolver {
        XpbdSolver {
            substeps: 10,
            iterations: 1,
            damping: 0.0,
            sleep_speed: 0.0,
            sleep_after: 0.5,
            work: Work::default(),
        }
    }
}

/// Multipliers and positions of a substep.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Accumulated multipliers of the constraints, in their order: force times `h²`.
    pub lambda: Vec<f64>,
    /// Those of friction, of collisions in their order.
    pub friction: Vec<Vec3>,
    /// Positions at the start of the substep.
    pub start: Vec<Vec3>,
}

impl Work {
    /// No force yet, from some positions.
    pub fn begin(&mut self, constraints: &ConstraintSet, position: &[Vec3]) {
        self.lambda.clear();
        self.lambda.resize(constraints.as_slice().len(), 0.0);
        self.friction.clear();
        self.friction.resize(constraints.collisions(), Vec3::ZERO);
        self.start.clear();
        self.start.extend_from_slice(position);
    }
}

impl XpbdSolver {
    /// A solver with that many substeps and otherwise the defaults.
    pub fn new(substeps: usize) -> XpbdSolver {
        XpbdSolver { substeps, ..XpbdSolver::default() }
    }

    /// The same with another number of iterations per substep.
    pub fn with_iterations(self, iterations: usize) -> XpbdSolver {
        XpbdSolver { iterations, ..self }
    }

    /// The same with resistance of air, 1/s.
    pub fn with_damping(self, damping: f64) -> XpbdSolver {
        XpbdSolver { damping, ..self }
    }

    /// The same, with bodies that fall asleep once no particle was faster than `speed` for `after` seconds.
    pub fn with_sleep(self, speed: f64, after: f64) -> XpbdSolver {
        XpbdSolver { sleep_speed: speed, sleep_after: after, ..self }
    }

    /// Whether the solver lets the body rest until something wakes it.
    pub fn is_asleep(&self, body: &(impl DeformableBody + ?Sized)) -> bool {
        self.sleep_speed > 0.0 && body.deformable().still >= self.sleep_after
    }

    /// Advances a body by `dt` seconds. After an error its particles are where the step has left them.
    pub fn step(
        &mut self,
        body: &mut dyn DeformableBody,
        gravity: Vec3,
        dt: f64,
    ) -> Result<(), SoftError> {
        positive("time step", dt)?;
        not_negative("damping", self.damping)?;
        let (substeps, iterations) = (self.substeps.max(1), self.iterations.max(1));
        let passes = substeps.saturating_mul(iterations);
        expect(
            passes <= MOST_PASSES,
            "substeps times iterations",
            passes as f64,
            "a million or less",
        )?;
        let asleep = self.is_asleep(body);
        let body = body.deformable_mut();
        body.check()?;
        if asleep && body.velocity.iter().all(|v| v.is_zero()) {
            return Ok(());
        }
        let h = dt / substeps as f64;
        for _ in 0..substeps {
            self.substep(body, gravity, h);
        }
        self.fall_asleep(body, dt);
        match body.position.iter().position(|x| !x.is_finite()) {
            Some(particle) => Err(SoftError::NotFinite { particle }),
            None => Ok(()),
        }
    }

    fn substep(&mut self, body: &mut Deformable, gravity: Vec3, h: f64) {
        let Deformable { position, velocity, inverse_mass, constraints, material, .. } = body;
        self.work.begin(constraints, position);
        let keep = real::exp(-self.damping * h);
        for ((x, v), &w) in position.iter_mut().zip(&mut *velocity).zip(&*inverse_mass) {
            if w > 0.0 {
                *v = (*v + gravity * h) * keep;
                *x += *v * h;
            }
        }
        for _ in 0..self.iterations.max(1) {
            project(constraints, inverse_mass, material.damping, h, position, &mut self.work);
        }
        let moved = position.iter().zip(&self.work.start);
        for (((x, start), v), &w) in moved.zip(velocity).zip(&*inverse_mass) {
            if w > 0.0 {
                *v = (*x - *start) * (1.0 / h);
            }
        }
    }

    fn fall_asleep(&self, body: &mut Deformable, dt: f64) {
        let limit = self.sleep_speed * self.sleep_speed;
        let still = limit > 0.0 && body.velocity.iter().all(|v| v.norm_squared() <= limit);
        body.still = if still { body.still + dt } else { 0.0 };
        if still && body.still >= self.sleep_after {
            body.velocity.fill(Vec3::ZERO);
        }
    }
}

/// One pass over the constraints of a substep of length `h`, in their order.
pub fn project(
    constraints: &ConstraintSet,
    inverse_mass: &[f64],
    damping: f64,
    h: f64,
    x: &mut [Vec3],
    work: &mut Work,
) {
    let (per_h2, gamma) = (1.0 / (h * h), damping / h);
    let Work { lambda, friction, start } = work;
    let mut friction = friction.iter_mut();
    for (c, lambda) in constraints.as_slice().iter().zip(lambda) {
        if let Measure::Collision { .. } = c.measure {
            if let Some(friction) = friction.next() {
                collide(c, inverse_mass, h, x, start, lambda, friction);
            }
            continue;
        }
        let Some(g) = c.gradient(x) else { continue };
        let (mut weight, mut moved) = (0.0, 0.0);
        for k in 0..g.count {
            let i = g.particles[k];
            weight += inverse_mass[i] * g.by[k].norm_squared();
            moved += g.by[k].dot(x[i] - start[i]);
        }
        let compliance = c.compliance * per_h2;
        let stiffness = (1.0 + gamma) * weight + compliance;
        if weight <= 0.0 {
            continue;
        }
        let change = (-g.value - compliance * *lambda - gamma * moved) / stiffness;
        *lambda += change;
        for k in 0..g.count {
            let i = g.particles[k];
            x[i] += g.by[k] * (inverse_mass[i] * change);
        }
    }
}

/// A particle and a plane: pushes only, and slides where friction would have to exceed its coefficient times the push.
fn collide(
    c: &Constraint,
    inverse_mass: &[f64],
    h: f64,
    x: &mut [Vec3],
    start: &[Vec3],
    lambda: &mut f64,
    tangent: &mut Vec3,
) {
    let Measure::Collision { particle, normal, offset, friction, velocity } = c.measure else {
        return;
    };
    let i = particle as usize;
    let w = inverse_mass[i];
    if w <= 0.0 {
        return;
    }
    let compliance = c.compliance / (h * h);
    let height = normal.dot(x[i]) - offset;
    let change = (-height - compliance * *lambda) / (w + compliance);
    let pushed = (*lambda + change).max(0.0);
    x[i] += normal * (w * (pushed - *lambda));
    *lambda = pushed;
    let slip = x[i] - start[i] - velocity * h;
    let slip = slip - normal * normal.dot(slip);
    let wanted = *tangent - slip * (1.0 / w);
    let (limit, size) = (friction * pushed, wanted.norm());
    let held = if size > limit { wanted * (limit / size) } else { wanted };
    x[i] += (held - *tangent) * w;
    *tangent = held;
}
