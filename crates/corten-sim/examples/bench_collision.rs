//! Time of collision detection along a trajectory from reference data:
//! `cargo run --release --example bench_collision -- FILE.cfa [STEPS]`

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use corten_sim::stage::collision::collision;
use corten_sim::{Data, step};
use support::Golden;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        return eprintln!("usage: bench_collision FILE.cfa [STEPS]");
    };
    let steps = args.next().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let golden = Golden::read(Path::new(&path));
    let m = golden.model();
    let mut d = golden.states().first().map_or_else(|| Data::new(&m), |&k| golden.data(&m, k));
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        // Speed is measured, not validity.
        let _ = step(&m, &mut d);
        corten_sim::stage::kinematics::kinematics(&m, &mut d);
        let begin = Instant::now();
        collision(&m, &mut d);
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    let us = |t: Duration| t.as_secs_f64() * 1e6;
    println!(
        "median {:.3} us, least {:.3} us, {} contacts",
        us(times[steps / 2]),
        us(times[0]),
        d.ncon
    );
}
