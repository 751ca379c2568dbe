//! Every reader of files, on the inputs kept by fuzzing and on damaged copies of them.
//!
//! The fuzz targets and this test share their functions: whatever comes in, nothing panics,
//! hangs or asks for absurd memory, and what is accepted is written, compiled and stepped.

#[path = "../../../fuzz/src/readers.rs"]
mod readers;

use std::path::{Path, PathBuf};

use corten_math::Random;

type Reader = fn(&[u8]);

/// Readers, with the number of damaged copies per kept input.
const READERS: [(&str, Reader, usize); 10] = [
    ("mjcf", readers::mjcf, 30),
    ("urdf", readers::urdf, 60),
    ("obj", readers::obj, 80),
    ("stl", readers::stl, 80),
    ("msh", readers::msh, 80),
    ("gmsh", readers::gmsh, 80),
    ("png", readers::png, 80),
    ("hfield", readers::hfield, 80),
    ("model", readers::model, 60),
    ("mjb", readers::mjb, 200),
];

/// One to three random edits: a bit, a byte, a word of extreme value, a piece lost or doubled.
fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const WORDS: [[u8; 4]; 6] = [
        i32::MAX.to_le_bytes(),
        i32::MIN.to_le_bytes(),
        (-1i32).to_le_bytes(),
        0i32.to_le_bytes(),
        f32::NAN.to_le_bytes(),
        1e38f32.to_le_bytes(),
    ];
    let mut out = bytes.to_vec();
    for _ in 0..=random.below(3) {
        if out.is_empty() {
            break;
        }
        let at = random.below(out.len());
        match random.below(6) {
            0 => out[at] ^= 1 << random.below(8),
            1 => out[at] = b"\x00\xff09-.e<>\"/ "[random.below(12)],
            2 | 3 => {
                // Words lie on multiples of four in most formats.
                let at = at / 4 * 4;
                let word = WORDS[random.below(WORDS.len())];
                let end = (at + 4).min(out.len());
                out[at..end].copy_from_slice(&word[..end - at]);
            }
            4 => {
                drop(out.drain(at..(at + random.below(64)).min(bytes.len()).min(out.len()).max(at)))
            }
            _ => {
                let piece = out[at..(at + random.below(64)).min(out.len())].to_vec();
                let to = random.below(out.len());
                out.splice(to..to, piece);
            }
        }
    }
    out
}

/// Inputs kept for a reader, in a fixed order.
fn kept(reader: &str) -> Vec<PathBuf> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut files: Vec<PathBuf> = ["seeds", "regressions"]
        .iter()
        .filter_map(|kind| std::fs::read_dir(fuzz.join(kind).join(reader)).ok())
        .flat_map(|dir| dir.map(|entry| entry.unwrap().path()))
        .collect();
    files.sort();
    files
}

#[test]
fn kept_inputs_do_no_harm() {
    for (name, reader, _) in READERS {
        let files = kept(name);
        assert!(!files.is_empty(), "no inputs for {name}");
        for file in files {
            reader(&std::fs::read(&file).unwrap());
        }
    }
}

#[test]
fn damaged_inputs_do_no_harm() {
    for (name, reader, copies) in READERS {
        for file in kept(name) {
            let bytes = std::fs::read(&file).unwrap();
            let mut random = Random(bytes.len() as u64);
            for _ in 0..copies {
                reader(&damage(&bytes, &mut random));
            }
        }
    }
}
