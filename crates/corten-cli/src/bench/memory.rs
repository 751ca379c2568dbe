//! Resident memory of one more simulation of a model that is already loaded.

use corten_sim::{Data, Model};

use super::reference::ReferenceModel;

/// Simulations made at once; enough to drown the page size of small models.
const COUNT: usize = 64;

/// Kilobytes of resident memory per `Data`, each stepped once.
pub fn per_data(m: &Model) -> f64 {
    growth(|| {
        (0..COUNT)
            .map(|_| {
                let mut d = Data::new(m);
                let _ = corten_sim::step(m, &mut d);
                d
            })
            .collect::<Vec<_>>()
    })
}

/// Kilobytes of resident memory per MuJoCo data, each stepped once.
pub fn per_reference(m: &ReferenceModel<'_>) -> f64 {
    growth(|| {
        (0..COUNT)
            .map(|_| {
                let mut d = m.make_data();
                d.step(1);
                d
            })
            .collect::<Vec<_>>()
    })
}

fn growth<T>(make: impl FnOnce() -> T) -> f64 {
    let before = resident();
    let kept = make();
    let after = resident();
    drop(kept);
    (after - before).max(0.0) / COUNT as f64
}

/// Resident kilobytes of this process; zero where the system does not tell.
fn resident() -> f64 {
    const PAGE_KB: f64 = 4.0;
    std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|s| s.split_whitespace().nth(1)?.parse::<f64>().ok())
        .map_or(0.0, |pages| pages * PAGE_KB)
}
