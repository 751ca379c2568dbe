//! Objects by name: found once, then used as indices that know what they are indices of.

use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <worldbody>
    <body name="arm">
      <joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03"/>
      <body name="hand" pos=".5 0 0">
        <joint name="wrist" type="ball"/>
        <geom name="palm" type="box" size=".05 .02 .05"/>
        <site name="tip" pos=".1 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let (shoulder, wrist) = (model.joint("shoulder")?, model.joint("wrist")?);
    let (hand, tip) = (model.body("hand")?, model.site("tip")?);

    let mut data = model.make_data();
    data.qpos_of_mut(shoulder)[0] = 0.5;
    data.qvel_of_mut(wrist)[2] = 3.0;
    data.forward(&model)?;
    println!("hand {:.3?}, tip {:.3?}", data.xpos(hand), data.site_xpos(tip));
    println!("the wrist is a quaternion: {:?}", data.qpos_of(wrist));

    for body in model.bodies() {
        println!("{:?}: {:.3} kg", model.body_name(body), model.body_mass[body.index()]);
    }

    // A name that does not exist is an error that helps.
    let error = model.joint("sholder").unwrap_err();
    println!("{error}");
    assert_eq!(error.did_you_mean.as_deref(), Some("shoulder"));
    Ok(())
}
