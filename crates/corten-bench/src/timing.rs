//! Time per step: engines take turns, in blocks long enough that a switch of engines does not count.

use std::time::Instant;

use crate::machine::cpu_seconds;
use crate::reference::ReferenceData;
use crate::regime::{BURST, Engine, Own};
use crate::table::Row;
use crate::{allocation, quantile};

/// Seconds that an engine works before it is the turn of another.
const BLOCK: f64 = 0.02;
/// Largest share by which wall time may exceed processor time before a round counts as disturbed.
const DISTURBED: f64 = 0.02;

/// Wall seconds per step.
struct Block {
    /// Of all steps, and of those that follow a change of the state.
    step: f64,
    first: f64,
    /// Whether something else had the core meanwhile.
    disturbed: bool,
}

/// Some passes over the states, with a burst from each.
fn block(engine: &mut dyn Engine, states: &[Vec<f64>], passes: usize) -> Block {
    let (mut seconds, mut first) = (0.0, 0.0);
    let (wall, cpu) = (Instant::now(), cpu_seconds());
    for state in (0..passes).flat_map(|_| states) {
        engine.restore(state);
        let start = Instant::now();
        engine.advance(1);
        first += start.elapsed().as_secs_f64();
        engine.advance(BURST - 1);
        seconds += start.elapsed().as_secs_f64();
    }
    let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
    let bursts = (passes * states.len()).max(1) as f64;
    Block {
        step: seconds / (bursts * BURST as f64),
        first: first / bursts,
        disturbed: wall > (1.0 + DISTURBED) * cpu,
    }
}

/// Passes over the states that fill a block.
fn passes(engine: &mut dyn Engine, states: &[Vec<f64>]) -> usize {
    let pass = block(engine, states, 1).step * (states.len() * BURST) as f64;
    (BLOCK / pass.max(1e-9)).ceil() as usize
}

/// Times every engine from every state, and fills the columns of times.
pub fn time(
    rounds: usize,
    own: &mut Own<'_>,
    others: &mut [Option<ReferenceData<'_>>],
    states: &[Vec<f64>],
    row: &mut Row,
) {
    // Buffers that swap places from step to step need two passes to reach their size.
    block(own, states, 2);
    let before = allocation::count();
    block(own, states, 1);
    row.allocations = (allocation::count() - before) as f64 / (states.len() * BURST) as f64;

    let mut engines: Vec<(&mut dyn Engine, Option<usize>)> = vec![(own, None)];
    for (k, other) in others.iter_mut().enumerate() {
        engines.extend(other.as_mut().map(|other| (other as &mut dyn Engine, Some(k))));
    }
    let counts: Vec<usize> = engines.iter_mut().map(|(e, _)| passes(*e, states)).collect();
    let (mut quiet, mut disturbed) = (Vec::new(), Vec::new());
    // A machine that never is quiet is measured as it is.
    while quiet.len() < rounds.max(1) && disturbed.len() < 2 * rounds.max(1) {
        let blocks = engines.iter_mut().zip(&counts).map(|((e, _), &n)| block(*e, states, n));
        let round: Vec<Block> = blocks.collect();
        let place = if round.iter().any(|b| b.disturbed) { &mut disturbed } else { &mut quiet };
        place.push(round);
    }
    if quiet.len() < rounds.max(1) / 2 {
        quiet.append(&mut disturbed);
    }
    let all = |of: &dyn Fn(&[Block]) -> f64| quiet.iter().map(|r| of(r)).collect::<Vec<f64>>();
    let median = |of: &dyn Fn(&[Block]) -> f64| Some(1e6 * quantile(&all(of), 0.5));
    row.time = median(&|round| round[0].step);
    row.first = median(&|round| round[0].first);
    for (i, (_, library)) in engines.iter().enumerate() {
        let Some(against) = library.and_then(|k| row.against.get_mut(k)) else { continue };
        against.time = median(&|round| round[i].step);
        against.first = median(&|round| round[i].first);
        let ratios = all(&|round| round[i].step / round[0].step);
        against.ratio = Some([0.5, 0.05, 0.95].map(|q| quantile(&ratios, q)));
    }
}
