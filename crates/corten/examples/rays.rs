//! Rays: a range finder that looks around, and the distance between two geoms.

use corten::distance::geom_distance;
use corten::prelude::*;
use corten::ray::{self, Selection};

const SCENE: &str = r#"
<mujoco>
  <worldbody>
    <geom name="ball" size=".2" pos="2 0 0"/>
    <geom name="wall" type="box" size=".1 3 1" pos="-1.1 0 0"/>
  </worldbody>
</mujoco>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_model(SCENE)?;
    let mut data = model.make_data();
    data.forward(&model)?;
    let geoms: Vec<GeomId> = model.geoms().collect();
    for step in 0..4 {
        let angle = std::f64::consts::FRAC_PI_2 * f64::from(step);
        let direction = Vec3::new(angle.cos(), angle.sin(), 0.0);
        match ray::cast(&model, &data, Vec3::ZERO, direction, &Selection::default()) {
            Some(hit) => {
                let name = model.geom_name(geoms[hit.geom]).unwrap_or("?");
                println!("{:3.0}°: {name} at {:.3} m", angle.to_degrees(), hit.dist);
            }
            None => println!("{:3.0}°: nothing", angle.to_degrees()),
        }
    }
    let (ball, wall) = (model.geom("ball")?, model.geom("wall")?);
    let gap = geom_distance(&model, &mut data, ball.index(), wall.index(), 10.0);
    println!("{:.3} m from ball to wall", gap.dist);
    assert!((gap.dist - 2.8).abs() < 1e-6);
    Ok(())
}
