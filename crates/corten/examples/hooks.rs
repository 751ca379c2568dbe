//! Hooks: your own code inside of a step, here a magnet that pulls a ball upwards.

use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <worldbody>
    <body name="ball"><freejoint name="free"/><geom size=".1" mass="1"/></body>
  </worldbody>
</mujoco>"#;

/// Adds a force along z to the passive forces of a joint.
struct Magnet {
    joint: JointId,
    force: f64,
}

impl Hook for Magnet {
    fn passive(&self, _: &Model, d: &mut Data) -> Outcome {
        d.qfrc_passive[self.joint.qvel()][2] += self.force;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let mut data = model.make_data();
    data.hooks = Hooks::new(Magnet { joint: model.joint("free")?, force: 9.81 });
    while data.time < 1.0 {
        data.step(&model)?;
    }
    println!("after one second the ball hangs at {:.2e} m", data.qpos[2]);
    assert!(data.qpos[2].abs() < 1e-9, "the magnet carries its weight");
    Ok(())
}
