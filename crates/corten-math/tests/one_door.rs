//! Transcendental functions come from `corten_math::real` alone: the standard library takes them from the operating
//! system, whose last bits differ.

use std::path::{Path, PathBuf};

/// Methods of floating-point numbers that IEEE 754 does not round exactly, without an argument.
const ALONE: [&str; 20] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sin_cos", "exp", "exp2", "exp_m1", "ln", "ln_1p",
    "log2", "log10", "sinh", "cosh", "tanh", "asinh", "acosh", "cbrt",
];

/// Those with an argument.
const WITH_ANOTHER: [&str; 5] = ["atan2", "log", "powf", "powi", "hypot"];

/// Crates that decide what a state becomes.
const CRATES: [&str; 8] = [
    "corten",
    "corten-math",
    "corten-geom",
    "corten-soft",
    "corten-model",
    "corten-sim",
    "corten-batch",
    "corten-py",
];

/// A picture's angle of view, which is the C library's in MuJoCo; no state depends on it.
const EXCEPTION: &str = "(camera.sensor_size[1] / 2.0).atan2(plan.intrinsic[1])";

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

/// Where code calls a function of the standard library: `x.name(…)` or `f64::name`.
fn calls_of_the_system(code: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut look = |pattern: String, follows: &dyn Fn(&str) -> bool| {
        let places = code.match_indices(&pattern).map(|(at, _)| at);
        found.extend(places.filter(|at| follows(&code[at + pattern.len()..])));
    };
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    for name in ALONE {
        look(format!(".{name}("), &|rest| rest.starts_with(')'));
    }
    for name in WITH_ANOTHER {
        look(format!(".{name}("), &|rest| !rest.starts_with(')'));
    }
    for name in ALONE.iter().chain(&WITH_ANOTHER) {
        look(format!("f64::{name}"), &ends);
        look(format!("f32::{name}"), &ends);
    }
    found
}

#[test]
fn nobody_calls_the_operating_system() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    CRATES.iter().for_each(|name| sources(&crates.join(name).join("src"), &mut files));
    assert!(files.len() > 200, "{}", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // Tests stand at the end of a file.
        let code = text.split("#[cfg(test)]").next().unwrap();
        for at in calls_of_the_system(code) {
            let start = code[..at].rfind('\n').map_or(0, |k| k + 1);
            let line = code[start..].lines().next().unwrap();
            if !code[start..at].contains("//") && !line.contains(EXCEPTION) {
                let number = code[..start].lines().count() + 1;
                found.push(format!("{}:{number}: {}", file.display(), line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "use corten_math::real:\n{}", found.join("\n"));
}

#[test]
fn calls_are_recognised() {
    for code in
        ["x.sin()", "(a + b).powf(2.0)", "y.atan2(x)", "map(f64::exp)", "f64::ln(x)", "x.powi(3)"]
    {
        assert!(!calls_of_the_system(code).is_empty(), "{code}");
    }
    for code in
        ["real::sin(x)", "x.sqrt()", "self.sin", "journal.log()", "f64::EPSILON", "f64::exponent"]
    {
        assert!(calls_of_the_system(code).is_empty(), "{code}");
    }
}
