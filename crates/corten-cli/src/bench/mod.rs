//! `corten bench`: speed against MuJoCo, in one process, on one core, from the same states.
//!
//! States are saved along a trajectory of the reference in three regimes; every engine replays
//! short bursts from each of them, in alternation. The figure is the ratio of times per round:
//! noise of the machine that lasts longer than a round cancels.

mod memory;
mod reference;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use corten_model::enums::StateBit;
use corten_sim::{Data, Model, state};
use reference::{Reference, ReferenceData};

/// Steps replayed from each saved state.
const BURST: usize = 20;
/// Saved states per regime.
const STATES: usize = 5;
/// Steps after which a scene counts as settled.
const SETTLING: usize = 500;
/// Share of the control range of the noise in the active regime.
const CONTROL_NOISE: f64 = 0.3;
const ALL: i32 = StateBit::Integration.raw();

#[derive(clap::Args)]
pub struct Args {
    /// Models to time.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// MuJoCo's shared library; the first is the reference that makes the states.
    #[arg(long = "mujoco", value_name = "LIBRARY", required = true)]
    libraries: Vec<PathBuf>,
    /// Alternations per regime.
    #[arg(long, default_value_t = 30)]
    rounds: usize,
    /// Only this regime: falling, settled or active.
    #[arg(long)]
    regime: Option<String>,
    /// Core to run on.
    #[arg(long, default_value_t = 0)]
    core: usize,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    pin(args.core);
    let libraries: Vec<Reference> =
        args.libraries.iter().map(|p| Reference::open(p)).collect::<Result<_, _>>()?;
    print!("{:40} {:8} {:>10}", "scene", "regime", "corten us");
    for library in &libraries {
        print!(" {:>14} {:>7} {:>13}", format!("{} us", library.version()), "ratio", "5-95 %");
    }
    println!(" {:>9}", "|dqacc|");

    let mut logs = vec![0.0; libraries.len()];
    let mut count = 0;
    for file in &args.files {
        match scene(args, &libraries, file, &mut logs) {
            Ok(n) => count += n,
            Err(error) => println!("{:40} {error:#}", short(file)),
        }
    }
    if count > 0 {
        for (library, log) in libraries.iter().zip(&logs) {
            let mean = (log / count as f64).exp();
            println!("geometric mean against {}: {mean:.2}x", library.version());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Times one scene in every regime; returns the number of regimes.
fn scene(
    args: &Args,
    libraries: &[Reference],
    file: &Path,
    logs: &mut [f64],
) -> anyhow::Result<usize> {
    let model = corten_sim::load_model(file).context("corten cannot load it")?;
    let references: Vec<_> = libraries.iter().map(|l| l.load(file)).collect::<Result<_, _>>()?;
    let mut data = Data::new(&model);
    let mut others: Vec<ReferenceData<'_>> = references.iter().map(|m| m.make_data()).collect();
    let mut count = 0;
    for regime in ["falling", "settled", "active"] {
        if args.regime.as_deref().is_some_and(|r| r != regime) {
            continue;
        }
        let states = saved_states(&model, &mut others[0], regime);
        let deviation = deviation(&model, &mut data, &mut others[0], &states);
        let rounds = time_rounds(args.rounds, &model, &mut data, &mut others, &states);
        let per_step = 1e6 / (states.len() * BURST) as f64;
        let own: Vec<f64> = rounds.iter().map(|r| r[0]).collect();
        print!("{:40} {regime:8} {:10.2}", short(file), per_step * quantile(&own, 0.5));
        for k in 1..=others.len() {
            let theirs: Vec<f64> = rounds.iter().map(|r| r[k]).collect();
            let ratios: Vec<f64> = rounds.iter().map(|r| r[k] / r[0]).collect();
            let ratio = quantile(&ratios, 0.5);
            logs[k - 1] += ratio.ln();
            print!(
                " {:14.2} {ratio:6.2}x {:6.2}-{:<6.2}",
                per_step * quantile(&theirs, 0.5),
                quantile(&ratios, 0.05),
                quantile(&ratios, 0.95)
            );
        }
        println!(" {deviation:9.1e}");
        count += 1;
    }
    print!("{:40} memory per environment [KB]: corten {:.0}", "", memory::per_data(&model));
    for (library, reference) in libraries.iter().zip(&references) {
        print!(", {} {:.0}", library.version(), memory::per_reference(reference));
    }
    println!();
    Ok(count)
}

/// States along a trajectory of the reference.
fn saved_states(m: &Model, d: &mut ReferenceData<'_>, regime: &str) -> Vec<Vec<f64>> {
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    d.reset_to_keyframe(0);
    let mut states = Vec::new();
    match regime {
        "falling" => {}
        "settled" => {
            set_controls(m, d, &mut noise, 0.1);
            d.step(SETTLING);
        }
        _ => {
            for _ in 0..SETTLING / BURST {
                set_controls(m, d, &mut noise, CONTROL_NOISE);
                d.step(BURST);
            }
        }
    }
    for _ in 0..STATES {
        if regime == "active" {
            set_controls(m, d, &mut noise, CONTROL_NOISE);
        }
        states.push(d.state(ALL));
        d.step(BURST);
    }
    states
}

fn set_controls(m: &Model, d: &mut ReferenceData<'_>, noise: &mut Noise, share: f64) {
    let controls: Vec<f64> = (0..m.nu)
        .map(|i| {
            let limited = m.actuator_ctrllimited[i] != 0;
            let [low, high] = if limited { m.actuator_ctrlrange[i] } else { [-1.0, 1.0] };
            0.5 * (low + high) + share * 0.5 * (high - low) * noise.uniform()
        })
        .collect();
    d.set_state(&controls, StateBit::Ctrl.raw());
}

/// Largest relative difference of the acceleration after one step from each state.
fn deviation(m: &Model, d: &mut Data, r: &mut ReferenceData<'_>, states: &[Vec<f64>]) -> f64 {
    let mut worst: f64 = 0.0;
    for s in states {
        r.set_state(s, ALL);
        r.step(1);
        restore(m, d, s);
        let _ = corten_sim::step(m, d);
        let theirs = r.state(StateBit::WarmStart.raw());
        let scale = theirs.iter().fold(1.0f64, |a, x| a.max(x.abs()));
        for (a, b) in theirs.iter().zip(&d.qacc_warmstart) {
            worst = worst.max((a - b).abs() / scale);
        }
    }
    worst
}

fn restore(m: &Model, d: &mut Data, s: &[f64]) {
    if let Err(error) = state::set(m, d, s, ALL as u32) {
        unreachable!("states have the model's size: {error}");
    }
}

/// Per round: seconds of our engine, then of every reference.
fn time_rounds(
    rounds: usize,
    m: &Model,
    d: &mut Data,
    others: &mut [ReferenceData<'_>],
    states: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let mut own = || {
        let mut seconds = 0.0;
        for s in states {
            restore(m, d, s);
            let start = Instant::now();
            for _ in 0..BURST {
                // A bad state shows in the deviation; here only time counts.
                let _ = corten_sim::step(m, d);
            }
            seconds += start.elapsed().as_secs_f64();
        }
        seconds
    };
    own();
    (0..rounds)
        .map(|_| {
            let mut times = vec![own()];
            for other in others.iter_mut() {
                let mut seconds = 0.0;
                for s in states {
                    other.set_state(s, ALL);
                    let start = Instant::now();
                    other.step(BURST);
                    seconds += start.elapsed().as_secs_f64();
                }
                times.push(seconds);
            }
            times
        })
        .collect()
}

fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * q).round() as usize]
}

fn short(file: &Path) -> String {
    let parts: Vec<_> =
        file.components().rev().take(2).map(|c| c.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// Small deterministic generator (xorshift), so that every run replays the same controls.
struct Noise(u64);

impl Noise {
    /// Uniform in [−1, 1).
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[cfg(target_os = "linux")]
fn pin(core: usize) {
    // SAFETY: the set is a plain bit array that lives across the call; CPU_SET ignores a core
    // out of range.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

#[cfg(not(target_os = "linux"))]
fn pin(_core: usize) {}
