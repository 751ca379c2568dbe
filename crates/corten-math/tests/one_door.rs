//! Transcendental functions come from `corten_math::real` alone: the standard library takes them from the
//! operating system, whose last bits differ.

use std::path::{Path, PathBuf};

/// Methods of floating-point numbers that IEEE 754 does not round exactly.
const METHODS: [&str; 22] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sin_cos", "exp", "exp2", "exp_m1", "ln",
    "ln_1p", "log", "log2", "log10", "powf", "sinh", "cosh", "tanh", "cbrt", "hypot",
];

/// Crates whose results are those of the engine.
const CRATES: [&str; 6] =
    ["corten-math", "corten-geom", "corten-model", "corten-sim", "corten-batch", "corten-py"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs")
            && path.file_stem().is_none_or(|name| name != "tests")
        {
            found.push(path);
        }
    }
}

#[test]
fn nobody_calls_the_operating_system() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    CRATES.iter().for_each(|name| sources(&crates.join(name).join("src"), &mut files));
    assert!(files.len() > 200, "{}", files.len());
    let mut calls = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // Tests stand at the end of a file.
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            let line = line.split("//").next().unwrap();
            let called = |name: &&str| {
                line.contains(&format!(".{name}()"))
                    && !matches!(*name, "powf" | "atan2" | "hypot" | "log")
                    || matches!(*name, "powf" | "atan2" | "hypot" | "log")
                        && line.contains(&format!(".{name}("))
                    || line.contains(&format!("f64::{name}("))
            };
            if METHODS.iter().any(called) {
                calls.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(calls.is_empty(), "use corten_math::real:\n{}", calls.join("\n"));
}
