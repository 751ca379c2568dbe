//! Shapes by their signed distance: a ring, and a ball that falls into its hole.

use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <option sdf_iterations="10" sdf_initpoints="20"/>
  <extension>
    <plugin plugin="mujoco.sdf.torus"><instance name="ring"><config key="radius2" value=".1"/></instance></plugin>
  </extension>
  <asset><mesh name="ring"><plugin instance="ring"/></mesh></asset>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body name="ring" pos="0 0 .3"><freejoint/>
      <geom type="sdf" mesh="ring"><plugin instance="ring"/></geom>
    </body>
    <body name="ball" pos="0 0 .5"><freejoint/><geom size=".15"/></body>
  </worldbody>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let [ring, ball] = [model.body("ring")?, model.body("ball")?];
    let mut data = model.make_data();
    while data.time < 2.0 {
        data.step(&model)?;
    }
    let [ring, ball] = [ring, ball].map(|body| data.xpos(body)[2]);
    println!("the ring lies at {ring:.3} m; the ball has fallen through its hole to {ball:.3} m");
    assert!((ring - 0.1).abs() < 0.02 && ball < 0.2);
    Ok(())
}
