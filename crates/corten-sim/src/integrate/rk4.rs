//! The classical Runge-Kutta method of fourth order.
//!
//! Positions live on a manifold: every stage starts from the same configuration and moves along
//! the weighted mean of the velocities found so far.

use corten_model::enums::Stage;

use super::advance_state;
use crate::{Data, Model, step, support};

/// Fraction of the step at which stages 2 to 4 are evaluated, along the rates of the stage before.
const NODES: [f64; 3] = [0.5, 0.5, 1.0];
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    act: Vec<f64>,
    /// Weighted sums of the rates of the stages.
    sum: Rates,
}

/// Velocity, acceleration, activation rate.
#[derive(Clone, Debug, Default)]
struct Rates {
    qvel: Vec<f64>,
    qacc: Vec<f64>,
    act: Vec<f64>,
}

impl Rates {
    fn clear(&mut self, m: &Model) {
        for (v, n) in [(&mut self.qvel, m.nv), (&mut self.qacc, m.nv), (&mut self.act, m.na)] {
            v.clear();
            v.resize(n, 0.0);
        }
    }

    /// Adds the rates that `d` holds after a forward pass.
    fn add(&mut self, d: &Data, weight: f64) {
        for (sum, rate) in
            [(&mut self.qvel, &d.qvel), (&mut self.qacc, &d.qacc), (&mut self.act, &d.act_dot)]
        {
            for (s, r) in sum.iter_mut().zip(rate) {
                *s += r * weight;
            }
        }
    }
}

/// Fourth-order Runge-Kutta; the forward pass of the first stage is done (`mj_RungeKutta`).
pub fn runge_kutta(m: &Model, d: &mut Data) {
    let mut memory = std::mem::take(&mut d.scratch.integrate.rk4);
    let Memory { qpos, qvel, act, sum } = &mut memory;
    qpos.clone_from(&d.qpos);
    qvel.clone_from(&d.qvel);
    act.clone_from(&d.act);
    let time = d.time;
    sum.clear(m);
    sum.add(d, WEIGHTS[0]);

    for (node, weight) in NODES.into_iter().zip(WEIGHTS.into_iter().skip(1)) {
        let h = m.opt.timestep;
        // The velocity of the stage before is the rate of positions: read it before it changes.
        let s = &d.prepared.structure;
        d.qpos.copy_from_slice(qpos);
        let scaled = &mut d.scratch.dof[0];
        scaled.clear();
        scaled.extend(d.qvel.iter().map(|v| v * node));
        support::integrate_joints(s, 1..m.nbody, &mut d.qpos, scaled, h);
        for ((v, v0), a) in d.qvel.iter_mut().zip(&*qvel).zip(&d.qacc) {
            *v = v0 + h * (node * a);
        }
        for ((x, x0), rate) in d.act.iter_mut().zip(&*act).zip(&d.act_dot) {
            *x = x0 + h * (node * rate);
        }
        d.time = time + node * h;
        step::forward_skip(m, d, Stage::None, false);
        sum.add(d, weight);
    }

    d.time = time;
    d.qpos.copy_from_slice(qpos);
    d.qvel.copy_from_slice(qvel);
    d.act.copy_from_slice(act);
    advance_state(m, d, Some(&sum.act), &sum.qacc, Some(&sum.qvel));
    d.scratch.integrate.rk4 = memory;
}
