//! Actuators with a force law of your own: a pneumatic cylinder, beside a series elastic actuator.

use corten::extend::{ActuatorGainModel, ConfigError, GainInput};
use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <option gravity="0 0 0" integrator="implicitfast"/>
  <worldbody>
    <body><joint name="piston" type="slide" damping="20"/><geom size=".05" mass="2"/></body>
    <body pos="0 1 0"><joint name="hip" damping=".1"/><geom size=".05" pos=".3 0 0" mass="1"/></body>
  </worldbody>
  <actuator>
    <general joint="piston" gaintype="custom" ctrlrange="-1 1" cortenforge:gain_model="pneumatic"
      cortenforge:gain_params="1e-3 2e-4 6e5 1e5 2e-5"/>
    <general joint="hip" gaintype="custom" cortenforge:gain_model="series_elastic"
      cortenforge:gain_params="200 5 1"/>
  </actuator>
</mujoco>"#;

/// Gas in a cylinder: `p V` is its amount, which is the activation, and grows or shrinks through a
/// valve that the control opens to the supply or to the ambient. The piston moves the volume.
#[derive(Debug)]
struct Pneumatic {
    /// Of the piston.
    area: f64,
    /// Of the chamber at length zero.
    dead_volume: f64,
    /// Pressures.
    supply: f64,
    ambient: f64,
    /// Volume that passes the open valve per time and relative pressure drop.
    flow: f64,
}

impl Pneumatic {
    fn new(params: &[f64]) -> Result<Pneumatic, ConfigError> {
        let &[area, dead_volume, supply, ambient, flow] = params else {
            return Err("five numbers: area, dead volume, supply, ambient, flow".into());
        };
        Ok(Pneumatic { area, dead_volume, supply, ambient, flow })
    }

    fn volume(&self, at: &GainInput<'_>) -> f64 {
        (self.dead_volume + self.area * at.length).max(0.1 * self.dead_volume)
    }

    /// The cylinder starts with ambient pressure at length zero.
    fn pressure(&self, at: &GainInput<'_>) -> f64 {
        (self.ambient * self.dead_volume + at.act[0]) / self.volume(at)
    }
}

impl ActuatorGainModel for Pneumatic {
    fn force(&self, at: &GainInput<'_>) -> f64 {
        (self.pressure(at) - self.ambient) * self.area
    }

    fn force_by_velocity(&self, _: &GainInput<'_>) -> f64 {
        0.0
    }

    fn activations(&self) -> usize {
        1
    }

    fn rates(&self, at: &GainInput<'_>, rates: &mut [f64]) {
        let source = if at.drive > 0.0 { self.supply } else { self.ambient };
        rates[0] = self.flow * at.drive.abs() * (source - self.pressure(at));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::new().with_gain("pneumatic", Pneumatic::new)?;
    let model = registry.load_str(SCENE, &Assets::new())?;
    let mut data = model.make_data();
    data.ctrl.copy_from_slice(&[1.0, 0.4]);
    while data.time < 0.5 {
        data.step(&model)?;
    }
    let out = data.qpos[0];
    data.ctrl[0] = -1.0;
    while data.time < 3.0 {
        data.step(&model)?;
    }
    println!("the piston went out to {out:.3} m; the hip stands at {:.4} rad", data.qpos[1]);
    assert!(out > 0.02 && (data.qpos[1] - 0.4).abs() < 1e-3);
    assert!(data.actuator_force[0].abs() < 5.0, "the cylinder has lost its pressure");
    Ok(())
}
