//! What a step costs in a batch, compared with stepping one simulation.
//!
//! The same trajectories, from the first keyframe or the reference pose with noise in the
//! velocities and control noise, three times over: one after the other in one `Data`; by
//! [`rollout`](corten_batch::rollout), which also writes every state; and in a [`BatchSim`], which
//! turns to another world after every step. All on one thread, whose clock counts.

use std::sync::Arc;

use corten_batch::rollout::{Inputs, Outputs, PHYSICS, rollout};
use corten_batch::{BatchSim, Pool};
use corten_model::enums::StateBit;
use corten_sim::{Data, Model, state};

use crate::machine::cpu_seconds;
use crate::quantile;
use crate::regime::{BURST, CONTROL_NOISE, Engine, Noise, Own, controls};

/// Trajectories.
const WORLDS: usize = 32;
/// Steps of each.
const STEPS: usize = 100;
/// Standard deviation, or so, of the velocities at the start.
const VELOCITY_NOISE: f64 = 0.01;

/// Initial states and the controls of every step.
struct Task {
    states: Vec<f64>,
    controls: Vec<f64>,
}

impl Task {
    fn new(m: &Model) -> Task {
        let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
        let (mut states, mut all) = (Vec::new(), Vec::new());
        let mut start = Own::new(m);
        for _ in 0..WORLDS {
            start.start();
            start.data.qvel.fill_with(|| VELOCITY_NOISE * noise.uniform());
            let mut row = vec![0.0; state::size(m, PHYSICS).unwrap_or(0)];
            let _ = state::get(m, &start.data, &mut row, PHYSICS);
            states.append(&mut row);
            for _ in (0..STEPS).step_by(BURST) {
                all.extend_from_slice(&controls(m, &mut noise, CONTROL_NOISE).repeat(BURST));
            }
        }
        Task { states, controls: all }
    }

    /// One trajectory after the other.
    fn in_turn(&self, m: &Model, d: &mut Data) {
        let width = self.states.len() / WORLDS;
        for world in 0..WORLDS {
            d.qacc_warmstart.fill(0.0);
            let _ = state::set(m, d, &self.states[world * width..(world + 1) * width], PHYSICS);
            for t in 0..STEPS {
                let row = (world * STEPS + t) * m.nu;
                d.ctrl.copy_from_slice(&self.controls[row..row + m.nu]);
                let _ = corten_sim::step(m, d);
            }
        }
    }

    fn rollout(&self, m: &Model, d: &mut Data, states: &mut [f64]) {
        let inputs = Inputs {
            steps: STEPS,
            control_spec: StateBit::Ctrl.raw() as u32,
            initial: &self.states,
            warmstart: None,
            control: Some(&self.controls),
        };
        let outputs = Outputs { state: states, ..Outputs::default() };
        rollout(&Pool::none(), |_| m, &mut [d], WORLDS, WORLDS, inputs, outputs);
    }

    fn batch(&self, m: &Model, batch: &mut BatchSim) {
        batch.reset_all();
        let width = self.states.len() / WORLDS;
        for (name, first, n) in [("qpos", 1, m.nq), ("qvel", 1 + m.nq, m.nv)] {
            let rows = batch.f64_mut(name).unwrap_or_default().chunks_mut(n.max(1));
            for (row, state) in rows.zip(self.states.chunks(width)) {
                row.copy_from_slice(&state[first..first + n]);
            }
        }
        for t in 0..STEPS {
            let rows = batch.f64_mut("ctrl").unwrap_or_default().chunks_mut(m.nu.max(1));
            for (world, row) in rows.enumerate() {
                row.copy_from_slice(&self.controls[(world * STEPS + t) * m.nu..][..m.nu]);
            }
            batch.step_all();
        }
    }
}

/// Prints microseconds per step of each way, and the medians of their ratios to the first.
pub fn report(m: &Model, rounds: usize) {
    let task = Task::new(m);
    let (mut single, mut rolled) = (Data::new(m), Data::new(m));
    let mut batch = BatchSim::new(Arc::new(m.clone()), WORLDS).with_threads(1);
    let mut states = vec![0.0; task.states.len() * STEPS];
    let mut times: [Vec<f64>; 3] = Default::default();
    for round in 0..=rounds.max(1) {
        let clock = cpu_seconds();
        task.in_turn(m, &mut single);
        let after_single = cpu_seconds();
        task.rollout(m, &mut rolled, &mut states);
        let after_rollout = cpu_seconds();
        task.batch(m, &mut batch);
        let after_batch = cpu_seconds();
        if round > 0 {
            times[0].push(after_single - clock);
            times[1].push(after_rollout - after_single);
            times[2].push(after_batch - after_rollout);
        }
    }
    let scale = 1e6 / (WORLDS * STEPS) as f64;
    let time = |k: usize| scale * quantile(&times[k], 0.5);
    let extra = |k: usize| {
        let ratios: Vec<f64> = times[k].iter().zip(&times[0]).map(|(a, b)| a / b).collect();
        100.0 * (quantile(&ratios, 0.5) - 1.0)
    };
    println!(
        "{:40}   us per step: alone {:.2}, rollout {:.2} ({:+.1} %), batch {:.2} ({:+.1} %)",
        "",
        time(0),
        time(1),
        extra(1),
        time(2),
        extra(2)
    );
}
