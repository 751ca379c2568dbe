//! The tour of `docs/tour.md`: a model, names, steps, contacts. Run from the root of the repository.

use corten::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    let model = load_file("scenes/humanoid.xml")?;
    let (torso, knee) = (model.body("torso")?, model.joint("right_knee")?);
    let mut data = model.make_data();

    data.qpos_of_mut(knee)[0] = -0.5;
    data.ctrl.fill(0.1);
    while data.time < 1.0 {
        data.step(&model)?;
    }
    println!("{:.3?} at {:.3?}", data.time, data.xpos(torso));

    for contact in &data.contact {
        println!("{:?} {:.4}", contact.geom, contact.dist);
    }
    assert!(data.time >= 1.0);
    Ok(())
}
