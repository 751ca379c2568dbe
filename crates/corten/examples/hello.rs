//! Loads a model, simulates a second, prints where it went.

use corten::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/humanoid.xml"))?;
    let mut data = model.make_data();
    while data.time < 1.0 {
        data.step(&model)?;
    }
    println!("after {:.2} s the centre of mass is at {:.3?}", data.time, data.subtree_com[0]);
    Ok(())
}
