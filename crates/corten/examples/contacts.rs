//! Contacts: who touches whom, where, and how hard.

use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body pos="0 0 .1"><freejoint/><geom name="crate" type="box" size=".1 .1 .1" mass="2"/></body>
    <body pos="0 0 .3"><freejoint/><geom name="ball" size=".1" mass="1"/></body>
  </worldbody>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let mut data = model.make_data();
    while data.time < 1.0 {
        data.step(&model)?;
    }
    let geoms: Vec<GeomId> = model.geoms().collect();
    let mut on_floor = 0.0;
    for (i, contact) in data.contacts().iter().enumerate() {
        let [a, b] = contact.geom.map(|g| model.geom_name(geoms[g as usize]).unwrap_or("?"));
        // Normal force, two of friction, then torques.
        let force = corten::contact_force(&model, &data, i);
        println!(
            "{a} and {b} at {:.3?}: {:.3} N, depth {:.1e} m",
            contact.pos, force[0], -contact.dist
        );
        if a == "floor" {
            on_floor += force[0];
        }
    }
    println!("the floor carries {on_floor:.3} N");
    assert!((on_floor - 3.0 * 9.81).abs() < 1e-2);
    Ok(())
}
