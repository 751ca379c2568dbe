//! Sleep: what rests costs nothing, until something wakes it.

use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <option><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="crate" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="ball" pos="0 0 30"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let body = model.body("crate")?;
    let mut data = model.make_data();
    let (mut slept, mut woke) = (false, false);
    while data.time < 4.0 {
        data.step(&model)?;
        let awake = data.body_awake[body.index()] == 1;
        if !slept && !awake {
            slept = true;
            println!("{:.2} s: the crate sleeps", data.time);
        } else if slept && !woke && awake {
            woke = true;
            println!("{:.2} s: the ball wakes it", data.time);
        }
    }
    assert!(slept && woke);
    Ok(())
}
