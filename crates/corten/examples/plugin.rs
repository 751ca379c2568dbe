//! A plugin of your own, by name in MJCF: a magnet that pulls bodies towards the origin.

use corten::extend::{
    Capabilities, ConfigError, Outcome, Plugin, PluginInstance, PluginKind, Setting,
};
use corten::prelude::*;

const SCENE: &str = r#"
<mujoco>
  <option gravity="0 0 0"><flag contact="disable"/></option>
  <extension>
    <plugin plugin="example.magnet">
      <instance name="magnet"><config key="stiffness" value="4"/></instance>
    </plugin>
  </extension>
  <worldbody>
    <body pos="1 0 0"><freejoint/><geom size=".1" mass="1"/><plugin instance="magnet"/></body>
    <body pos="0 2 0"><freejoint/><geom size=".1" mass="1"/><plugin instance="magnet"/></body>
  </worldbody>
</mujoco>"#;

/// The kind: what the compiler has to know.
struct Magnet;

/// An instance: what runs in every step of every simulation of a model.
struct Pull {
    bodies: Vec<usize>,
    stiffness: f64,
}

impl PluginKind for Magnet {
    fn name(&self) -> &str {
        "example.magnet"
    }

    fn attributes(&self) -> &[&str] {
        &["stiffness"]
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::PASSIVE
    }
}

impl Plugin for Magnet {
    fn instance(&self, at: &Setting<'_>) -> Result<Box<dyn PluginInstance>, ConfigError> {
        let stiffness = at.config.number("stiffness")?.ok_or("'stiffness' is missing")?;
        Ok(Box::new(Pull { bodies: at.bodies(), stiffness }))
    }
}

impl PluginInstance for Pull {
    fn passive(&self, _: &Model, d: &mut Data) -> Outcome {
        for &body in &self.bodies {
            let at = d.xipos[body];
            d.apply_passive(body, at * -self.stiffness, Vec3::ZERO, at);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::new().with_plugin(Magnet)?;
    let model = registry.load_str(SCENE, &Assets::new())?;
    let mut data = model.make_data();
    // Half a period of a mass of 1 kg on a spring of 4 N/m.
    while data.time < std::f64::consts::PI / 2.0 {
        data.step(&model)?;
    }
    println!("the bodies have swung to x = {:.3} and y = {:.3}", data.qpos[0], data.qpos[8]);
    assert!((data.qpos[0] + 1.0).abs() < 0.01 && (data.qpos[8] + 2.0).abs() < 0.01);
    Ok(())
}
