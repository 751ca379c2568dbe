//! Writes the arrays of a model as the compiler makes them, also of models that cannot be
//! simulated: `cargo run --example dump_model -- MODEL.xml OUT.cfa [SAVED.xml]`

use corten_model::{Assets, Spec};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let assets = Assets::default();
    for pair in arguments.chunks(2) {
        let [path, out] = pair else { continue };
        let start = std::time::Instant::now();
        let result = Spec::from_file_with_warnings(path, &assets).and_then(|(spec, warnings)| {
            print!("{warnings}");
            let read = start.elapsed();
            let draft = corten_model::compile(&spec, &assets)?;
            print!("{}", draft.warnings);
            let compiled = start.elapsed();
            let model = corten_sim::constants::finish_unsupported(draft)?;
            println!("{path}: read {read:?} compiled {compiled:?} finished {:?}", start.elapsed());
            Ok((spec, model))
        });
        match result {
            Ok((spec, model)) => {
                if let Ok(text) = spec.to_xml() {
                    let _ = std::fs::write(format!("{out}.xml"), text);
                }
                let _ = std::fs::write(out, model.to_bytes());
            }
            Err(errors) => println!("{path}: {errors}"),
        }
    }
}
