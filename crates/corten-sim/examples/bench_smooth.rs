//! Time per step on reference data, with and without constraints:
//! `cargo run --release --example bench_smooth -- FILE.cfa [STEPS]`

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::time::Instant;

use corten_model::enums::DisableBit;
use corten_sim::{Data, Model, step};
use support::Golden;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else { return eprintln!("usage: bench_smooth FILE.cfa [STEPS]") };
    let steps = args.next().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let golden = Golden::read(Path::new(&path));
    let full = golden.model();
    let mut smooth = full.clone();
    smooth.opt.disableflags |= DisableBit::Constraint.raw();
    for (name, m) in [("smooth", &smooth), ("full", &full)] {
        let data = golden.states().first().map_or_else(|| Data::new(m), |&k| golden.data(m, k));
        println!("{name:8} {:8.3} us/step", fastest(m, &data, steps));
    }
}

/// Microseconds per step, the best of several runs of the same trajectory.
fn fastest(m: &Model, start: &Data, steps: usize) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let mut d = start.clone();
        let begin = Instant::now();
        for _ in 0..steps {
            // Speed is measured, not validity.
            let _ = step(m, &mut d);
        }
        best = best.min(begin.elapsed().as_secs_f64() * 1e6 / steps as f64);
    }
    best
}
