//! Reads models and shows what is wrong with them: `check_mjcf [--quiet] FILE...`.

use corten_model::{Assets, Spec};

fn main() {
    let mut quiet = false;
    let mut failed = 0;
    for path in std::env::args().skip(1) {
        if path == "--quiet" {
            quiet = true;
            continue;
        }
        match Spec::from_file_with_warnings(&path, &Assets::new()) {
            Ok((spec, warnings)) if !quiet => {
                let bodies = spec.bodies.len();
                println!("{path}: {bodies} bodies, {} geoms\n{warnings}", spec.geoms.len());
            }
            Ok(_) => {}
            Err(findings) => {
                failed += 1;
                println!("{path}: refused\n{findings}\n");
            }
        }
    }
    std::process::exit(i32::from(failed > 0));
}
