//! Damaged models give an error or a model, never a panic or a hang; what loads also steps.

use std::path::PathBuf;

use corten_math::Random;
use corten_model::Assets;
use corten_sim::{Data, load_model_str};

/// Mutations per scene.
const MUTATIONS: usize = 40;

/// Values that break what they meet: wrong types, extremes, nonsense.
const POISON: [&str; 14] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "-1e-320",
    "x",
    "",
    "1 2 3 4 5 6 7 8 9",
    "true",
    "auto",
    "99999999999",
    "&lt;",
    "torso",
];

/// One random change: of an attribute's value, of a name, of a line, of a few bytes.
fn mutate(text: &str, random: &mut Random) -> String {
    let quotes: Vec<usize> = text.match_indices('"').map(|(i, _)| i).collect();
    let lines: Vec<&str> = text.lines().collect();
    let pair = 2 * random.below(quotes.len() / 2);
    let line = random.below(lines.len());
    match random.below(6) {
        0 | 1 => {
            let value = POISON[random.below(POISON.len())];
            format!("{}{value}{}", &text[..=quotes[pair]], &text[quotes[pair + 1]..])
        }
        2 => {
            let other = 2 * random.below(quotes.len() / 2);
            let value = &text[quotes[other] + 1..quotes[other + 1]];
            format!("{}{value}{}", &text[..=quotes[pair]], &text[quotes[pair + 1]..])
        }
        3 => {
            let mut kept = lines.clone();
            kept.remove(line);
            kept.join("\n")
        }
        4 => {
            let mut doubled = lines.clone();
            doubled.insert(line, lines[random.below(lines.len())]);
            doubled.join("\n")
        }
        _ => {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..3 {
                let at = random.below(bytes.len());
                bytes[at] = b" <>\"/=a0-"[random.below(9)];
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }
}

#[test]
fn damaged_scenes_never_panic() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let (mut refused, mut loaded) = (0, 0);
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "xml")) {
        let text = std::fs::read_to_string(path).unwrap();
        let mut random = Random(text.len() as u64);
        for _ in 0..MUTATIONS {
            let damaged = mutate(&text, &mut random);
            match load_model_str(&damaged, &Assets::memory_only()) {
                Err(diagnostics) => {
                    assert!(diagnostics.has_errors(), "an error without a finding");
                    assert!(!diagnostics.to_string().is_empty());
                    refused += 1;
                }
                Ok(m) => {
                    let mut d = Data::new(&m);
                    for _ in 0..5 {
                        // Bad numbers are a typed result here.
                        let _ = corten_sim::step(&m, &mut d);
                    }
                    loaded += 1;
                }
            }
        }
    }
    // Both outcomes must occur, or the mutations test nothing.
    assert!(refused > 100 && loaded > 100, "{refused} refused, {loaded} loaded");
}
