//! What sleeping saves, and what it costs when nothing sleeps.
//!
//! ```text
//! cargo run --release -p corten-sim --example sleep_benchmark
//! ```
//!
//! Prints two ratios of wall time, the best of several rounds each, measured in turn so that a
//! busy machine hits both sides alike: a hundred sleeping boxes and one moving one, without and
//! with sleep (at least 3 is expected); and a hundred boxes that may never sleep, with and without
//! the flag (at most 1.02). Then the mass matrix and its factor on fifty trees of four hinges, of
//! which fewer and fewer are awake: the time should fall with the awake part. With an argument, one of `asleep-off`, `asleep-on`, `awake-off`,
//! `awake-on`, it runs that side alone for a fixed number of steps, for counting instructions:
//! `valgrind --tool=callgrind target/release/examples/sleep_benchmark asleep-on`.

use std::time::{Duration, Instant};

use corten_model::Assets;
use corten_model::enums::EnableBit;
use corten_sim::stage::inertia;
use corten_sim::{Data, Model, load_model_str, step};

const BOXES: usize = 100;
const TREES: usize = 50;
const ROUNDS: usize = 15;
const STEPS: usize = 60;

/// Boxes at rest on a plane, and a pendulum that never rests.
fn boxes(policy: &str, sleep: bool) -> Model {
    let mut bodies = String::new();
    for i in 0..BOXES {
        bodies += &format!(
            r#"<body pos="{} {} .1" sleep="{policy}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#,
            0.5 * (i % 10) as f64,
            0.5 * (i / 10) as f64,
        );
    }
    let xml = format!(
        r#"<mujoco><worldbody><geom type="plane" size="20 20 .1"/>{bodies}
           <body pos="-2 0 2" sleep="never"><joint axis="0 1 0"/><geom pos=".5 0 0" size=".1"/></body>
           </worldbody></mujoco>"#
    );
    let mut m = load_model_str(&xml, &Assets::default()).expect("a valid model");
    if sleep {
        m.opt.enableflags |= EnableBit::Sleep.raw();
    }
    m
}

/// Long enough for everything to settle.
fn settled(m: &Model) -> Data {
    let mut d = Data::new(m);
    run(m, &mut d, 400);
    d
}

fn run(m: &Model, d: &mut Data, steps: usize) {
    for _ in 0..steps {
        step(m, d).expect("a stable scene");
    }
}

fn time(m: &Model, d: &mut Data) -> Duration {
    let start = Instant::now();
    run(m, d, STEPS);
    start.elapsed()
}

/// Best times without and with sleep.
fn measure(policy: &str) -> (Duration, Duration, usize) {
    let models = [boxes(policy, false), boxes(policy, true)];
    let mut data = [settled(&models[0]), settled(&models[1])];
    let awake = data[1].ntree_awake;
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for side in 0..2 {
            best[side] = best[side].min(time(&models[side], &mut data[side]));
        }
    }
    (best[0], best[1], awake)
}

/// Trees of four hinges each, without gravity; the first ones may never sleep.
fn trees(awake: usize) -> Model {
    let link = r#"<body pos=".2 0 0"><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .2 0 0"/>"#;
    let mut bodies = String::new();
    for i in 0..TREES {
        let policy = if i < awake { "never" } else { "allowed" };
        let root =
            link.replacen(r#"pos=".2 0 0""#, &format!(r#"pos="0 {i} 0" sleep="{policy}""#), 1);
        bodies += &format!("{root}{}{}", link.repeat(3), "</body>".repeat(4));
    }
    let xml = format!(
        r#"<mujoco><option gravity="0 0 0"><flag sleep="enable"/></option>
           <worldbody>{bodies}</worldbody></mujoco>"#
    );
    load_model_str(&xml, &Assets::default()).expect("a valid model")
}

/// Best times of the mass matrix and of its factor, and the awake degrees of freedom.
fn inertia_times(awake: usize) -> (Duration, Duration, usize) {
    let m = trees(awake);
    let mut d = settled(&m);
    let (mut matrix, mut factor) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        (0..STEPS).for_each(|_| inertia::mass_matrix(&m, &mut d));
        let middle = Instant::now();
        (0..STEPS).for_each(|_| inertia::factor(&m, &mut d));
        factor = factor.min(middle.elapsed());
        matrix = matrix.min(middle - start);
    }
    (matrix, factor, d.nv_awake)
}

fn main() {
    let per_step = |t: Duration| t.as_secs_f64() * 1e6 / STEPS as f64;
    if let Some(side) = std::env::args().nth(1) {
        let policy = if side.starts_with("asleep") { "allowed" } else { "never" };
        let m = boxes(policy, side.ends_with("on"));
        run(&m, &mut settled(&m), 400);
        return;
    }
    let (off, on, awake) = measure("allowed");
    println!(
        "{BOXES} asleep, {awake} awake: {:.1} µs per step without sleep, {:.1} µs with: {:.1}x faster (expected: at least 3x)",
        per_step(off),
        per_step(on),
        off.as_secs_f64() / on.as_secs_f64()
    );
    let (off, on, awake) = measure("never");
    println!(
        "all {awake} awake: {:.1} µs per step without sleep, {:.1} µs with: {:+.1} % (expected: at most +2 %)",
        per_step(off),
        per_step(on),
        100.0 * (on.as_secs_f64() / off.as_secs_f64() - 1.0)
    );
    let (whole_matrix, whole_factor, nv) = inertia_times(TREES);
    for awake in [TREES, TREES / 2, TREES / 5, TREES / 10] {
        let (matrix, factor, nv_awake) = inertia_times(awake);
        println!(
            "{nv_awake} of {nv} degrees of freedom awake ({:.0} %): mass matrix {:.2} µs ({:.0} %), factor {:.2} µs ({:.0} %)",
            100.0 * nv_awake as f64 / nv as f64,
            per_step(matrix),
            100.0 * matrix.as_secs_f64() / whole_matrix.as_secs_f64(),
            per_step(factor),
            100.0 * factor.as_secs_f64() / whole_factor.as_secs_f64()
        );
    }
}
