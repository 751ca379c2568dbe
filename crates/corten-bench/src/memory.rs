//! Resident memory of one more simulation of a model that is already loaded.

use std::sync::Arc;

use corten_batch::BatchSim;
use corten_sim::Model;

use crate::machine::resident;
use crate::reference::ReferenceModel;
use crate::regime::{BURST, Engine, Own};

/// Enough simulations to drown the page size of small models, few enough for large ones.
fn count(m: &Model) -> usize {
    (40_000 / (m.nv + m.ngeom).max(1)).clamp(8, 400)
}

/// Kilobytes of resident memory per `Data`, each after a burst of steps from every state.
pub fn own(m: &Model, states: &[Vec<f64>]) -> f64 {
    growth(count(m), states, || Own::new(m))
}

/// Kilobytes of resident memory per MuJoCo data, each after a burst of steps from every state.
pub fn theirs(m: &Model, reference: &ReferenceModel<'_>, states: &[Vec<f64>]) -> f64 {
    growth(count(m), states, || reference.make_data())
}

/// Kilobytes of resident memory per world of a batch on one thread, after two steps.
pub fn world(m: &Model) -> f64 {
    let worlds = 10 * count(m);
    let mut batch = BatchSim::new(Arc::new(m.clone()), worlds / 10).with_threads(1);
    batch.step_all();
    let before = resident();
    let mut more = BatchSim::new(batch.model().clone(), worlds).with_threads(1);
    for _ in 0..2 {
        more.step_all();
    }
    (resident() - before).max(0.0) / worlds as f64
}

fn growth<E: Engine>(count: usize, states: &[Vec<f64>], make: impl Fn() -> E) -> f64 {
    let warm = || {
        let mut engine = make();
        for state in states {
            engine.restore(state);
            engine.advance(BURST.min(4));
        }
        engine
    };
    // The first one may fill caches that all share.
    let first = warm();
    let mut kept = Vec::with_capacity(count);
    let before = resident();
    kept.extend((0..count).map(|_| warm()));
    let after = resident();
    drop((kept, first));
    (after - before).max(0.0) / count as f64
}
