//! The classical Runge-Kutta method of fourth order.
//!
//! Positions live on a manifold: every stage starts from the same configuration and moves along
//! the weighted mean of the velocities found so far.

use corten_model::enums::Stage;

use super::{Scheme, advance_state};
use crate::awake::Selection;
use crate::step::{self, Outputs};
use crate::{Data, Model, support};

/// Fraction of the step at which stages 2 to 4 are evaluated, along the rates of the stage before.
const NODES: [f64; 3] = [0.5, 0.5, 1.0];
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The state at the beginning of the step.
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    act: Vec<f64>,
    /// Weighted sums of the rates of the stages; that of accelerations is `Scratch::step_acc`.
    pub mean_qvel: Vec<f64>,
    pub mean_act_dot: Vec<f64>,
}

/// Fourth-order Runge-Kutta; the forward pass of the first stage is done (`mj_RungeKutta`).
pub fn runge_kutta(m: &Model, d: &mut Data) {
    let Scratch { qpos, qvel, act, mean_qvel, mean_act_dot } = &mut d.scratch.runge_kutta;
    qpos.clone_from(&d.qpos);
    qvel.clone_from(&d.qvel);
    act.clone_from(&d.act);
    for (sum, n) in [(mean_qvel, m.nv), (mean_act_dot, m.na), (&mut d.scratch.step_acc, m.nv)] {
        sum.clear();
        sum.resize(n, 0.0);
    }
    let (time, h) = (d.time, m.opt.timestep);
    add_rates(d, WEIGHTS[0]);
    // What the last stage leaves is seen by all; what those before it do, by the user's code alone.
    let seen = d.hooks.is_some() || !m.extensions().is_empty();

    let stages = NODES.into_iter().zip(WEIGHTS.into_iter().skip(1));
    for (stage, (node, weight)) in stages.enumerate() {
        // The velocity of the stage before is the rate of positions: read it before it changes.
        let Scratch { qpos, qvel, act, .. } = &d.scratch.runge_kutta;
        let s = &d.prepared.structure;
        d.qpos.copy_from_slice(qpos);
        let scaled = &mut d.scratch.dof[0];
        scaled.clear();
        scaled.extend(d.qvel.iter().map(|v| v * node));
        support::integrate_joints(s, Selection::all(m.nbody), &mut d.qpos, scaled, h);
        for ((v, v0), a) in d.qvel.iter_mut().zip(qvel).zip(&d.qacc) {
            *v = v0 + h * (node * a);
        }
        for ((x, x0), rate) in d.act.iter_mut().zip(act).zip(&d.act_dot) {
            *x = x0 + h * (node * rate);
        }
        d.time = time + node * h;
        let outputs =
            if seen || stage == NODES.len() - 1 { Outputs::NoSensors } else { Outputs::Nothing };
        step::forward_bound(m, d, Stage::None, outputs);
        if d.is_stopped() {
            break;
        }
        add_rates(d, weight);
    }

    let Scratch { qpos, qvel, act, .. } = &d.scratch.runge_kutta;
    d.time = time;
    d.qpos.copy_from_slice(qpos);
    d.qvel.copy_from_slice(qvel);
    d.act.copy_from_slice(act);
    if !d.is_stopped() {
        advance_state(m, d, Scheme::RungeKutta);
    }
}

/// Adds the rates that `d` holds after a forward pass to their mean.
fn add_rates(d: &mut Data, weight: f64) {
    let Scratch { mean_qvel, mean_act_dot, .. } = &mut d.scratch.runge_kutta;
    let step_acc = &mut d.scratch.step_acc;
    for (sum, rate) in [(mean_qvel, &d.qvel), (step_acc, &d.qacc), (mean_act_dot, &d.act_dot)] {
        for (s, r) in sum.iter_mut().zip(rate) {
            *s += r * weight;
        }
    }
}
