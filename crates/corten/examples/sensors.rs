//! Sensors: declared in the model, read by name.

use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .5">
      <freejoint/>
      <geom type="box" size=".1 .1 .1"/>
      <site name="imu"/>
      <site name="foot" pos="0 0 -.1" size=".2"/>
    </body>
  </worldbody>
  <sensor>
    <accelerometer name="acceleration" site="imu"/>
    <touch name="touch" site="foot"/>
  </sensor>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let (acceleration, touch) = (model.sensor("acceleration")?, model.sensor("touch")?);
    let mut data = model.make_data();

    data.step(&model)?;
    println!("falling: {:.3?} m/s², {:?} N", data.sensor(acceleration), data.sensor(touch));
    assert!(data.sensor(acceleration)[2].abs() < 1e-9, "in free fall nothing is felt");

    while data.time < 2.0 {
        data.step(&model)?;
    }
    println!("at rest: {:.3?} m/s², {:.2?} N", data.sensor(acceleration), data.sensor(touch));
    assert!((data.sensor(acceleration)[2] - 9.81).abs() < 1e-2);
    assert!((data.sensor(touch)[0] - 8.0 * 9.81).abs() < 0.1, "the floor carries eight kilograms");
    Ok(())
}
