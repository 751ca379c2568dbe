//! A thousand steps of every scene give the committed bits, on every platform.
//!
//! `tools/same_bits` runs this for other targets than the one at hand. After a change that is meant to change results,
//! `CORTEN_UPDATE=1 cargo test -p corten-sim --test same_bits` writes the file anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use corten_sim::{Data, Model};

const STEPS: usize = 1000;

fn scenes(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            scenes(&path, found);
        } else if path.extension().is_some_and(|e| e == "xml") {
            found.push(path);
        }
    }
}

/// FNV-1a over the bits of states, accelerations, forces and sensors of every step.
fn hash(m: &Model) -> u64 {
    let mut d = Data::new(m);
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for step in 0..STEPS {
        for (k, u) in d.ctrl.iter_mut().enumerate() {
            *u = 0.3 * ((step / 10 * 7 + k * 13) % 11) as f64 / 11.0 - 0.1;
        }
        d.step(m).unwrap();
        let arrays = [&d.qpos, &d.qvel, &d.act, &d.qacc, &d.qfrc_constraint, &d.sensordata];
        for x in arrays.into_iter().flat_map(|array| array.iter()) {
            sum = (sum ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert!(d.qpos.iter().all(|x| x.is_finite()));
    sum
}

#[test]
fn a_thousand_steps_of_every_scene() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    scenes(&root.join("scenes"), &mut paths);
    paths.sort();
    assert!(paths.len() > 20, "{}", paths.len());
    let mut text = format!("# FNV-1a of {STEPS} steps, by crates/corten-sim/tests/same_bits.rs.\n");
    for path in paths {
        let m = corten_sim::load_model(&path).unwrap();
        let name = path.strip_prefix(root.join("scenes")).unwrap().display();
        writeln!(text, "{name} {:016x}", hash(&m)).unwrap();
    }
    let file = root.join("conformance/bits.txt");
    if std::env::var_os("CORTEN_UPDATE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap();
    for (now, then) in text.lines().zip(committed.lines()) {
        assert_eq!(now, then);
    }
    assert_eq!(text.lines().count(), committed.lines().count());
}
