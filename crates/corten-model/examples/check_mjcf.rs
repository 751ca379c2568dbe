//! Reads models and shows what is wrong with them:
//!
//! ```text
//! check_mjcf [--quiet] FILE...
//! check_mjcf --compile FILE...   # also compiles
//! check_mjcf --save OUT FILE     # writes the model back as MJCF
//! ```

use corten_model::{Assets, Spec, compile};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let failed = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--save", out, path] => !save(path, out),
        ["--compile", ..] => !args[1..].iter().map(|path| build(path)).fold(true, |a, b| a & b),
        ["--quiet", ..] => !args[1..].iter().map(|path| check(path, true)).fold(true, |a, b| a & b),
        _ => !args.iter().map(|path| check(path, false)).fold(true, |a, b| a & b),
    };
    std::process::exit(i32::from(failed));
}

fn check(path: &str, quiet: bool) -> bool {
    match Spec::from_file_with_warnings(path, &Assets::new()) {
        Ok((spec, warnings)) => {
            if !quiet {
                let (bodies, geoms) = (spec.bodies.len(), spec.geoms.len());
                println!("{path}: {bodies} bodies, {geoms} geoms\n{warnings}");
            }
            true
        }
        Err(findings) => {
            println!("{path}: refused\n{findings}\n");
            false
        }
    }
}

fn build(path: &str) -> bool {
    let assets = Assets::new();
    let result = Spec::from_file(path, &assets).and_then(|spec| compile(&spec, &assets));
    match result {
        Ok(_) => println!("{path}: ok"),
        Err(findings) => {
            println!("{path}: refused\n{findings}\n");
            return false;
        }
    }
    true
}

fn save(path: &str, out: &str) -> bool {
    let spec = match Spec::from_file(path, &Assets::new()) {
        Ok(spec) => spec,
        Err(findings) => {
            println!("{findings}");
            return false;
        }
    };
    match spec.to_xml() {
        Ok(text) => std::fs::write(out, text).is_ok(),
        Err(error) => {
            println!("{error}");
            false
        }
    }
}
