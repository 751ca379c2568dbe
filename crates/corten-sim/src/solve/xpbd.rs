//! Extended position-based dynamics on the rows of a step.
//!
//! With the rows as they are at the start, the violation of row `i` after a substep of length `h` is `C + h J v`. Multipliers `λ`, which
//! are forces times `h²`, change row by row, as in M. Macklin et al., "XPBD", 2016, equations 18 and 26:
//!
//! ```text
//! Δλ = (−(C + h J v) − α̃ λ − γ h J v) / ((1 + γ) A + α̃),   v += M⁻¹ Jᵀ Δλ / h,   α̃ = α/h²,   γ = τ/h
//! ```
//!
//! A row's stiffness at rest is `K·imp/R` and its damping `B/R` (see `stage/constraint/impedance`): its compliance is `α = R/(K·imp)` and
//! its relaxation time `τ = B/(K·imp)`. Rows without a position to restore, those of friction, hold the velocity at zero with the
//! regularisation `R`. What a multiplier may be is what a force may be ([`project`]); friction of an elliptic contact is scaled back to its cone.
//! Multipliers start at zero in every substep: nothing is kept from step to step.

use corten_math::real;

use super::dual::{self, Dual};
use super::primal::{Iterate, Record};
use super::problem::{Limits, Problem};
use super::row_cost::project;
use super::rows::{Block, Kind};
use crate::SolverStat;

/// What the rows say besides their costs.
#[derive(Clone, Copy)]
pub(super) struct Motion<'a> {
    pub position: &'a [f64],
    pub margin: &'a [f64],
    pub velocity: &'a [f64],
    /// Stiffness, damping, impedance and its slope.
    pub gains: &'a [[f64; 4]],
    pub timestep: f64,
    pub substeps: usize,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// By row: violation and rate at the start of a substep, change of the rate without constraints, multipliers.
    violation: Vec<f64>,
    rate: Vec<f64>,
    free: Vec<f64>,
    lambda: Vec<f64>,
}

/// Fills `x.force`, `x.state`, `x.qfrc_constraint` and `x.qacc`; returns the number of iterations.
pub(super) fn solve(
    p: &Problem<'_>,
    limits: &Limits,
    motion: Motion<'_>,
    dual: &mut Dual,
    memory: &mut Scratch,
    x: &mut Iterate<'_>,
    record: Record<'_>,
) -> usize {
    let rows = p.rows.len();
    let Scratch { violation, rate, free, lambda } = memory;
    for v in [&mut *violation, &mut *rate, &mut *free, &mut *lambda] {
        v.clear();
        v.resize(rows, 0.0);
    }
    p.rows.jacobian.mul(p.qacc_smooth, free);
    rate.copy_from_slice(&motion.velocity[..rows]);
    for (i, c) in violation.iter_mut().enumerate() {
        *c = motion.position[i] - motion.margin[i];
    }
    x.force.fill(0.0);
    let substeps = motion.substeps.max(1);
    let h = motion.timestep / substeps as f64;
    let mut iterations = 0;
    'substeps: for _ in 0..substeps {
        rate.iter_mut().zip(&*free).for_each(|(v, a)| *v += h * a);
        lambda.fill(0.0);
        dual.clear_forces();
        let mut sweep = Sweep { p, gains: motion.gains, h, dual, violation, rate, lambda };
        for _ in 0..limits.iterations.max(1) {
            if limits.is_cancelled(rows) {
                break 'substeps;
            }
            let (change, size) = sweep.run();
            record(iterations, SolverStat { improvement: change, ..SolverStat::default() });
            iterations += 1;
            if !(change > limits.tolerance * limits.tolerance * size) {
                break;
            }
        }
        let share = 1.0 / (h * h * substeps as f64);
        for (block, b) in p.rows.jacobian.blocks.iter().enumerate() {
            for i in b.rows() {
                rate[i] += dual.product(&p.rows.jacobian, block, i) / h;
                violation[i] += h * rate[i];
                x.force[i] += share * lambda[i];
            }
        }
    }
    dual::states(&p.rows, x.force, x.state);
    dual::accelerations(p, limits, x);
    iterations
}

struct Sweep<'a> {
    p: &'a Problem<'a>,
    gains: &'a [[f64; 4]],
    h: f64,
    dual: &'a mut Dual,
    violation: &'a [f64],
    rate: &'a [f64],
    lambda: &'a mut [f64],
}

impl Sweep<'_> {
    /// One pass over all rows; returns squares of changes and of multipliers, by the inertia they move.
    fn run(&mut self) -> (f64, f64) {
        let (mut change, mut size) = (0.0, 0.0);
        for (block, b) in self.p.rows.jacobian.blocks.iter().enumerate() {
            if b.kind == Kind::Elliptic {
                self.elliptic(block, b, &mut change, &mut size);
                continue;
            }
            for i in b.rows() {
                let loss = self.p.rows.frictionloss[i] * self.h * self.h;
                let (wanted, weight) = self.wanted(block, i);
                let new = project(b.kind, loss, wanted);
                self.set([block, i], new, weight, &mut change, &mut size);
            }
        }
        (change, size)
    }

    /// The multiplier that meets row `i` of a block, and the inverse inertia that it moves.
    fn wanted(&self, block: usize, i: usize) -> (f64, f64) {
        let (h, r) = (self.h, self.p.rows.r[i]);
        let [stiffness, damping, impedance, _] = self.gains[i];
        let jacobian = &self.p.rows.jacobian;
        let weight = self.dual.weight(jacobian, block, i);
        let moved = h * self.rate[i] + self.dual.product(jacobian, block, i);
        let k = stiffness * impedance;
        let lambda = self.lambda[i];
        let delta = if k > 0.0 {
            let (compliance, gamma) = (r / (k * h * h), damping / (k * h));
            (-self.violation[i] - moved - compliance * lambda - gamma * moved)
                / ((1.0 + gamma) * weight + compliance)
        } else {
            (-moved - r * lambda) / (weight + r)
        };
        (lambda + delta, weight)
    }

    fn set(
        &mut self,
        [block, i]: [usize; 2],
        new: f64,
        weight: f64,
        change: &mut f64,
        size: &mut f64,
    ) {
        let delta = new - self.lambda[i];
        self.lambda[i] = new;
        self.dual.add(&self.p.rows.jacobian, block, i, delta);
        *change += delta * delta * weight;
        *size += new * new * weight;
    }

    /// The normal row first, then friction, each direction to its wish and all of them back to the cone.
    fn elliptic(&mut self, block: usize, b: &Block, change: &mut f64, size: &mut f64) {
        let rows = b.rows();
        let (normal, weight) = self.wanted(block, rows.start);
        let normal = normal.max(0.0);
        self.set([block, rows.start], normal, weight, change, size);
        let friction = &self.p.rows.jacobian.cones[b.cone as usize].friction;
        let mut square = 0.0;
        for (i, mu) in rows.clone().skip(1).zip(friction) {
            let (wanted, weight) = self.wanted(block, i);
            self.set([block, i], wanted, weight, change, size);
            square += if *mu > 0.0 { real::powi(wanted / mu, 2) } else { f64::INFINITY };
        }
        if square > normal * normal {
            let scale = normal / square.sqrt();
            for i in rows.skip(1) {
                let weight = self.dual.weight(&self.p.rows.jacobian, block, i);
                let new = scale * self.lambda[i];
                self.set([block, i], new, weight, change, size);
            }
        }
    }
}
