//! Prints how far the engine is from reference data, field by field:
//! `cargo run --example compare_golden -- FILE.cfa...`

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;

use support::Golden;

fn main() {
    for path in std::env::args().skip(1) {
        println!("{path}");
        let golden = Golden::read(Path::new(&path));
        let model = golden.model();
        for report in [golden.compare_forward(&model), golden.compare_trajectory(&model)] {
            for (field, error) in report.fields {
                let mark = if error <= 1e-9 { ' ' } else { '*' };
                println!("  {mark} {field:24} {error:.1e}");
            }
        }
    }
}
