//! Compiles models and compares them with reference data, or writes them for comparison:
//!
//! ```text
//! cargo run --release --example compile_model -- MODEL.xml GOLDEN.cfa   # prints deviating fields
//! cargo run --release --example compile_model -- MODEL.xml --out OUT.cfa
//! cargo run --release --example compile_model -- --batch LIST           # lines: MODEL.xml OUT.cfa
//! ```

use std::collections::BTreeMap;
use std::time::Instant;

use corten_model::arrays::ArrayRef;
use corten_model::container::{self, Values};
use corten_model::{Assets, Draft, Spec, compile};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--batch", list] => {
            let lines = std::fs::read_to_string(list).unwrap_or_else(|e| panic!("{list}: {e}"));
            for (model, out) in lines.lines().filter_map(|l| l.split_once(' ')) {
                write(model, out);
            }
        }
        [model, "--out", out] => write(model, out),
        [model, golden] => compare(model, golden),
        _ => eprintln!("usage: MODEL.xml GOLDEN.cfa | MODEL.xml --out OUT.cfa | --batch LIST"),
    }
}

fn load(path: &str) -> Option<Draft> {
    let start = Instant::now();
    let assets = Assets::new();
    let result = Spec::from_file(path, &assets);
    let read = start.elapsed();
    let result = result.and_then(|spec| compile(&spec, &assets));
    let total = start.elapsed();
    match result {
        Ok(draft) => {
            println!(
                "{path}: read {:.2} ms, compiled {:.2} ms",
                read.as_secs_f64() * 1e3,
                (total - read).as_secs_f64() * 1e3
            );
            Some(draft)
        }
        Err(errors) => {
            println!("{path}: failed\n{errors}");
            None
        }
    }
}

fn write(model: &str, out: &str) {
    let Some(draft) = load(model) else {
        let _ = std::fs::remove_file(out);
        return;
    };
    let entries = draft.model().pack();
    let bytes = container::write(entries.iter().map(|e| (e.name.as_str(), e.values.as_ref())));
    std::fs::write(out, bytes).unwrap_or_else(|e| panic!("{out}: {e}"));
}

fn numbers(values: ArrayRef<'_>) -> Vec<f64> {
    match values {
        ArrayRef::F64(v) => v.to_vec(),
        ArrayRef::F32(v) => v.iter().map(|&x| x.into()).collect(),
        ArrayRef::I32(v) => v.iter().map(|&x| x.into()).collect(),
        ArrayRef::U8(v) => v.iter().map(|&x| x.into()).collect(),
    }
}

fn compare(model: &str, golden: &str) {
    let Some(draft) = load(model) else { return };
    let bytes = std::fs::read(golden).unwrap_or_else(|e| panic!("{golden}: {e}"));
    let entries = container::read(&bytes).unwrap_or_else(|e| panic!("{golden}: {e}"));
    let expected: BTreeMap<String, Values> =
        entries.into_iter().map(|e| (e.name, e.values)).collect();
    for entry in draft.model().pack() {
        let Some(want) = expected.get(&format!("model.{}", entry.name)) else { continue };
        let (want, found) = (numbers(want.as_ref()), numbers(entry.values.as_ref()));
        if want.len() != found.len() {
            println!("  {:28} {} values instead of {}", entry.name, found.len(), want.len());
            continue;
        }
        let scale = want.iter().fold(1.0f64, |s, x| s.max(x.abs()));
        let worst = want.iter().zip(&found).map(|(a, b)| (a - b).abs() / scale).fold(0.0, f64::max);
        if worst.is_nan() || worst > 1e-9 {
            println!("  {:28} {worst:.1e}", entry.name);
        }
    }
}
