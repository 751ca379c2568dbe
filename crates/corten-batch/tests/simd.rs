//! The baseline of the processor computes the bits that its wide registers do, in single steps and in
//! batches, whose worlds go side by side in lanes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use corten_batch::BatchSim;
use corten_math::simd;
use corten_model::arrays::ArrayRef;
use corten_sim::{Data, Model};

const SCENES: [&str; 6] = [
    "humanoid.xml",
    "arm_gripper.xml",
    "muscle_arm.xml",
    "mixed_pile.xml",
    "wrapping.xml",
    "swimmer.xml",
];
const STEPS: usize = 40;
const WORLDS: usize = 5;

/// Where a child process is to write its hashes.
const OUTPUT: &str = "CORTEN_TEST_OUTPUT";

#[test]
fn the_baseline_gives_the_same_bits() {
    if let Some(output) = std::env::var_os(OUTPUT) {
        assert!(!simd::is_native());
        return std::fs::write(output, hashes()).unwrap();
    }
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("baseline.txt");
    let test = std::env::current_exe().unwrap();
    let child = Command::new(test)
        .args(["--exact", "the_baseline_gives_the_same_bits"])
        .env(OUTPUT, &output)
        .env("CORTEN_SIMD", "baseline")
        .status()
        .unwrap();
    assert!(child.success());
    assert_eq!(hashes(), std::fs::read_to_string(output).unwrap());
}

/// A line per scene.
fn hashes() -> String {
    let line = |name: &&str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
        let m = corten_sim::load_model(path).unwrap();
        format!("{name} {:x} {:x}\n", hash_of_steps(&m), hash_of_batch(m))
    };
    SCENES.iter().map(line).collect()
}

fn control(step: usize, k: usize) -> f64 {
    0.4 * ((step * 7 + k * 13) % 11) as f64 / 11.0 - 0.2
}

/// Of all arrays, after every step.
fn hash_of_steps(m: &Model) -> u64 {
    let (mut d, mut hash) = (Data::new(m), SEED);
    for step in 0..STEPS {
        d.ctrl.iter_mut().enumerate().for_each(|(k, u)| *u = control(step, k));
        corten_sim::step(m, &mut d).unwrap();
        for i in 0..Data::ARRAYS.len() {
            hash = match d.array(i) {
                Some(ArrayRef::F64(v)) => v.iter().fold(hash, |hash, x| mix(hash, x.to_bits())),
                Some(ArrayRef::I32(v)) => v.iter().fold(hash, |hash, &x| mix(hash, x as u64)),
                _ => hash,
            };
        }
    }
    hash
}

/// Of the states of all worlds, after every step.
fn hash_of_batch(m: Model) -> u64 {
    let (mut batch, mut hash) = (BatchSim::new(Arc::new(m), WORLDS).with_threads(1), SEED);
    for (k, v) in batch.f64_mut("qvel").unwrap().iter_mut().enumerate() {
        *v = 0.1 * (k % 7) as f64 - 0.2;
    }
    for step in 0..STEPS {
        let ctrl = batch.f64_mut("ctrl").unwrap().iter_mut().enumerate();
        ctrl.for_each(|(k, u)| *u = control(step, k));
        assert!(batch.step_all().errors.iter().all(Option::is_none));
        for name in ["qpos", "qvel"] {
            let numbers = batch.f64(name).unwrap().iter();
            hash = numbers.fold(hash, |hash, x| mix(hash, x.to_bits()));
        }
    }
    hash
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of FNV-1a over words.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}
