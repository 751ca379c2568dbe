//! An actuator, a sensor, a shape and a material that CortenForge does not have, in a batch of worlds.
//!
//! A bead with the shape of a superellipsoid drops onto a plane. A fan blows at it; its thrust falls
//! with the square of the speed, and its propeller has inertia. A sensor tells how much
//! work the fan has done. Beside it drops a cube of a foam that stiffens as it is strained.

use corten::extend::flex::{Lame, StrainEnergy};
use corten::extend::{
    ActuatorGainModel, Capabilities, Config, ConfigError, DistanceField, GainInput, Outcome, Plugin,
    PluginInstance, PluginKind, Registry, Setting,
};
use corten::prelude::*;

/// A fan: its speed follows the control with a time constant.
#[derive(Debug)]
struct Fan {
    thrust: f64,
    drag: f64,
    time_constant: f64,
}

impl Fan {
    fn new(params: &[f64]) -> Result<Fan, ConfigError> {
        let &[thrust, drag, time_constant] = params else {
            return Err("three numbers: thrust, drag, time constant".into());
        };
        Ok(Fan { thrust, drag, time_constant })
    }
}

impl ActuatorGainModel for Fan {
    fn force(&self, at: &GainInput<'_>) -> f64 {
        self.thrust * at.act[0] * at.act[0].abs() - self.drag * at.velocity * at.velocity.abs()
    }

    fn force_by_velocity(&self, at: &GainInput<'_>) -> f64 {
        -2.0 * self.drag * at.velocity.abs()
    }

    fn activations(&self) -> usize {
        1
    }

    fn rates(&self, at: &GainInput<'_>, rates: &mut [f64]) {
        rates[0] = (at.drive - at.act[0]) / self.time_constant;
    }
}

/// The work that an actuator has done, as plugin state and as a sensor.
struct WorkMeter;

struct Meter {
    /// Its place in `plugin_state`, and in `sensordata`.
    state: usize,
    reading: usize,
}

impl PluginKind for WorkMeter {
    fn name(&self) -> &str {
        "stranger.work"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::SENSOR
    }

    fn state_size(&self, _: &Config) -> Result<usize, ConfigError> {
        Ok(1)
    }

    fn sensor_size(&self, _: &Config) -> Result<usize, ConfigError> {
        Ok(1)
    }
}

impl Plugin for WorkMeter {
    fn instance(&self, s: &Setting<'_>) -> Result<Box<dyn PluginInstance>, ConfigError> {
        let sensor = *s.sensors().first().ok_or("no sensor uses it")?;
        Ok(Box::new(Meter {
            state: s.model.plugin_stateadr[s.instance] as usize,
            reading: s.model.sensor_adr[sensor] as usize,
        }))
    }
}

impl PluginInstance for Meter {
    fn sensors(&self, _: &Model, d: &mut Data) -> Outcome {
        d.sensordata[self.reading] = d.plugin_state[self.state];
        Ok(())
    }

    fn advance(&self, m: &Model, d: &mut Data) -> Outcome {
        let power = d.actuator_force[0] * d.actuator_velocity[0];
        d.plugin_state[self.state] += power * m.opt.timestep;
        if d.plugin_state[self.state].abs() > 1e6 { Err("the meter overflows".into()) } else { Ok(()) }
    }
}

/// `(|x/a|ⁿ + |y/b|ⁿ + |z/c|ⁿ)^(1/n) = 1`.
struct Superellipsoid;

#[derive(Debug)]
struct Bead {
    size: [f64; 3],
    exponent: i32,
}

impl DistanceField for Bead {
    fn distance(&self, p: Vec3) -> f64 {
        let smallest = self.size.iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 = (0..3).map(|k| (p[k] / self.size[k]).abs().powi(self.exponent)).sum();
        (sum.powf(1.0 / f64::from(self.exponent)) - 1.0) * smallest
    }

    fn bounds(&self) -> [f64; 6] {
        let [a, b, c] = self.size;
        [0.0, 0.0, 0.0, a, b, c]
    }
}

struct Shape(Bead);

impl PluginKind for Superellipsoid {
    fn name(&self) -> &str {
        "stranger.superellipsoid"
    }

    fn attributes(&self) -> &[&str] {
        &["size", "exponent"]
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::SDF
    }

    fn field(&self, config: &Config) -> Result<Box<dyn DistanceField>, ConfigError> {
        Ok(Box::new(bead(config)?))
    }
}

fn bead(config: &Config) -> Result<Bead, ConfigError> {
    let size = config.numbers("size")?.try_into().map_err(|_| "'size' must be three numbers")?;
    let exponent = config.number("exponent")?.unwrap_or(4.0) as i32;
    Ok(Bead { size, exponent })
}

impl Plugin for Superellipsoid {
    fn instance(&self, s: &Setting<'_>) -> Result<Box<dyn PluginInstance>, ConfigError> {
        Ok(Box::new(Shape(bead(s.config)?)))
    }
}

impl PluginInstance for Shape {
    fn field(&self) -> Option<&dyn DistanceField> {
        Some(&self.0)
    }
}

/// Foam: `μ E:E + λ/2 tr²E` of Green's strain `E = (FᵀF − 1)/2`, and a term of the fourth order that locks it.
struct Foam {
    locking: f64,
}

impl Foam {
    fn strain(f: &Mat3) -> Mat3 {
        (f.tmul_mat(f) - Mat3::IDENTITY) * 0.5
    }

    fn square(e: &Mat3) -> f64 {
        e.0.iter().map(|x| x * x).sum()
    }
}

impl StrainEnergy for Foam {
    fn density(&self, f: &Mat3, k: &Lame) -> f64 {
        let e = Foam::strain(f);
        let square = Foam::square(&e);
        k.mu * square * (1.0 + self.locking * square) + 0.5 * k.lambda * e.trace() * e.trace()
    }

    fn stress(&self, f: &Mat3, k: &Lame) -> Mat3 {
        let e = Foam::strain(f);
        let stiffened = 2.0 * k.mu * (1.0 + 2.0 * self.locking * Foam::square(&e));
        *f * (e * stiffened + Mat3::IDENTITY * (k.lambda * e.trace()))
    }
}

const SCENE: &str = r#"
<mujoco>
  <option integrator="implicitfast" sdf_initpoints="12"/>
  <extension>
    <plugin plugin="stranger.superellipsoid">
      <instance name="bead"><config key="size" value=".1 .08 .06"/></instance>
    </plugin>
    <plugin plugin="stranger.work"/>
  </extension>
  <asset><mesh name="bead"><plugin instance="bead"/></mesh></asset>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="bead" pos="0 0 .12">
      <joint name="x" type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
      <geom type="sdf" mesh="bead" mass=".3"><plugin instance="bead"/></geom>
    </body>
    <flexcomp name="cube" type="grid" count="2 2 2" spacing=".1 .1 .1" pos="1 0 .2" dim="3" mass=".1" radius=".01">
      <contact selfcollide="none" internal="false"/><elasticity young="3e3" poisson=".2" damping=".01"/>
    </flexcomp>
  </worldbody>
  <actuator>
    <general joint="x" gaintype="custom" cortenforge:gain_model="fan" cortenforge:gain_params="2 .5 .1"/>
  </actuator>
  <sensor><plugin plugin="stranger.work"/></sensor>
</mujoco>"#;

const WORLDS: usize = 100;
const STEPS: usize = 150;

fn control(world: usize) -> f64 {
    (world as f64 / WORLDS as f64 - 0.3) * 2.0
}

/// The height of the cube's vertices in sum, once it has hit the ground.
fn height(model: &Model) -> Result<f64, StepError> {
    let mut data = model.make_data();
    for _ in 0..STEPS {
        data.step(model)?;
    }
    Ok(data.flexvert_xpos.iter().map(|x| x[2]).sum())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::new()
        .with_plugin(WorkMeter)?
        .with_plugin(Superellipsoid)?
        .with_gain("fan", Fan::new)?;
    let mut model = registry.load_str(SCENE, &Assets::memory_only())?;
    let plain = model.clone();
    model.set_flex_elasticity(0, Foam { locking: 20.0 })?;
    assert!(height(&plain)? != height(&model)?, "the material acts");
    let model = std::sync::Arc::new(model);

    let mut batch = BatchSim::new(model.clone(), WORLDS).with_threads(2);
    for (world, u) in batch.f64_mut("ctrl").ok_or("no controls")?.iter_mut().enumerate() {
        *u = control(world);
    }
    for _ in 0..STEPS {
        batch.step_all();
    }

    let mut touched = 0;
    for world in 0..WORLDS {
        let mut data = model.make_data();
        data.ctrl[0] = control(world);
        for _ in 0..STEPS {
            data.step(&model)?;
        }
        touched += data.ncon.min(1);
        for (name, alone) in [
            ("qpos", &data.qpos),
            ("qvel", &data.qvel),
            ("act", &data.act),
            ("plugin_state", &data.plugin_state),
        ] {
            let all = batch.f64(name).ok_or(name)?;
            let together = &all[world * alone.len()..(world + 1) * alone.len()];
            let same = alone.iter().zip(together).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "world {world}: {name} is {together:?}, alone {alone:?}");
        }
    }
    assert!(touched > WORLDS / 2, "beads lie on the plane");
    println!("{WORLDS} worlds on 2 threads have the bits of single ones; {touched} beads touch the plane");
    Ok(())
}
