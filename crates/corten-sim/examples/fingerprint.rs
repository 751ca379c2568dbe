//! Prints a hash of every bit that the engine computes for each model: of all arrays of `Data` after
//! steps with changing controls, after a forward pass and after inverse dynamics. Two builds that
//! print the same lines compute the same.
//!
//! `cargo run --example fingerprint -- [--steps N] [--fields] MODEL...`; with `--fields`, a hash of
//! each array.

use corten_model::arrays::ArrayRef;
use corten_sim::{Data, Model, forward, inverse, step};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut steps, mut by_field) = (50, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--steps" => steps = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(steps),
            "--fields" => by_field = true,
            path => match corten_sim::load_model(path) {
                Ok(model) => fingerprint(path, &model, steps, by_field),
                Err(_) => println!("{path} does not load"),
            },
        }
    }
}

fn fingerprint(path: &str, m: &Model, steps: usize, by_field: bool) {
    let mut d = Data::new(m);
    if m.nkey > 0 {
        d.reset_to_keyframe(m, 0).unwrap();
    }
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut noise = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut hashes = Vec::new();
    for _ in 0..steps {
        for (ctrl, range) in d.ctrl.iter_mut().zip(&m.actuator_ctrlrange) {
            let reach = if range[0] < range[1] { range[1] - range[0] } else { 1.0 };
            *ctrl = 0.5 * reach * noise();
        }
        let _ = step(m, &mut d);
        hashes.push(hash_data(&d));
    }
    forward(m, &mut d).unwrap();
    hashes.push(hash_data(&d));
    inverse::inverse(m, &mut d).unwrap();
    hashes.push(hash_data(&d));
    let all = hashes.iter().fold(SEED, |all, &hash| mix(all, hash));
    println!("{all:016x} {path}");
    if by_field {
        for (i, info) in Data::ARRAYS.iter().enumerate() {
            println!("  {:016x} {}", hash_array(&d, i), info.name);
        }
    }
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of FNV-1a over words.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}

fn hash_data(d: &Data) -> u64 {
    (0..Data::ARRAYS.len()).fold(mix(SEED, d.ncon as u64), |all, i| mix(all, hash_array(d, i)))
}

/// NaN counts as one value: its sign and payload are without meaning.
fn hash_array(d: &Data, index: usize) -> u64 {
    let bits = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    match d.array(index) {
        Some(ArrayRef::F64(v)) => v.iter().fold(SEED, |all, &x| mix(all, bits(x))),
        Some(ArrayRef::F32(v)) => v.iter().fold(SEED, |all, &x| mix(all, bits(x.into()))),
        Some(ArrayRef::I32(v)) => v.iter().fold(SEED, |all, &x| mix(all, x as u64)),
        Some(ArrayRef::U8(v)) => v.iter().fold(SEED, |all, &x| mix(all, x.into())),
        None => SEED,
    }
}
