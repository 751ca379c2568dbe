//! The program of the README. Run from the root of the repository.

use corten::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    let model = load_file("scenes/humanoid.xml")?;
    let torso = model.body("torso")?;
    let mut data = model.make_data();
    while data.time < 2.0 {
        data.step(&model)?;
    }
    println!("{:?} {:?}", data.xpos(torso), data.qpos);
    assert!(data.xpos(torso)[2] < 1.0, "it falls");
    Ok(())
}
