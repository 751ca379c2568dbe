//! Controls: a pole is kept upright by a feedback law.

use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0"/>
      <geom type="box" size=".2 .1 .1" mass="1"/>
      <body name="pole">
        <joint name="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size=".03" mass=".1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="slide"/></actuator>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let (slide, hinge) = (model.joint("slide")?, model.joint("hinge")?);
    let push = model.actuator("push")?;
    let mut data = model.make_data();
    data.qpos_of_mut(hinge)[0] = 0.2;

    while data.time < 10.0 {
        let (x, angle) = (data.qpos_of(slide)[0], data.qpos_of(hinge)[0]);
        let (v, turn) = (data.qvel_of(slide)[0], data.qvel_of(hinge)[0]);
        data.set_ctrl(push, 2.0 * x + 3.0 * v + 40.0 * angle + 8.0 * turn);
        data.step(&model)?;
    }
    println!("after 10 s: cart at {:.4} m, pole at {:.4} rad", data.qpos[0], data.qpos[1]);
    assert!(data.qpos_of(hinge)[0].abs() < 1e-2);
    Ok(())
}
