use corten_geom::DistanceField;
use corten_model::plugin::{Config, ConfigError, PluginKind};

use super::{Mark, Outcome};
use crate::{Data, Model};

/// A kind of plugin: what the compiler has to know ([`PluginKind`]), and how to make instances.
pub trait Plugin: PluginKind {
    /// An instance, as a model asks for it. What is wrong with its configuration is an error of
    /// the model.
    fn instance(&self, setting: &Setting<'_>) -> Result<Box<dyn PluginInstance>, ConfigError>;
}

/// Where an instance of a plugin stands.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The model, whose fields `body_plugin`, `geom_plugin`, `actuator_plugin` and `sensor_plugin`
    /// tell which objects an instance serves.
    pub model: &'a Model,
    /// Data of the model in the reference pose, positions of bodies computed.
    pub reference: &'a Data,
    /// The number of the instance.
    pub instance: usize,
    /// Its configuration.
    pub config: &'a Config,
}

impl Setting<'_> {
    fn users(&self, of: &[i32]) -> Vec<usize> {
        let own = |&(_, &instance): &(usize, &i32)| usize::try_from(instance) == Ok(self.instance);
        of.iter().enumerate().filter(own).map(|(i, _)| i).collect()
    }

    /// The bodies of the instance, in order.
    pub fn bodies(&self) -> Vec<usize> {
        self.users(&self.model.body_plugin)
    }

    /// The geoms of the instance, in order.
    pub fn geoms(&self) -> Vec<usize> {
        self.users(&self.model.geom_plugin)
    }

    /// The actuators of the instance, in order.
    pub fn actuators(&self) -> Vec<usize> {
        self.users(&self.model.actuator_plugin)
    }

    /// The sensors of the instance, in order.
    pub fn sensors(&self) -> Vec<usize> {
        self.users(&self.model.sensor_plugin)
    }
}

/// An instance of a plugin. It belongs to a model and serves all of its simulations: what changes
/// in time is in `act` and `plugin_state` of the data.
///
/// Methods are called according to the capabilities of the plugin, at the points where MuJoCo calls
/// those of its plugins, instances in the order of their numbers.
pub trait PluginInstance: Send + Sync {
    /// Sets the initial state; it is zero before.
    fn reset(&self, m: &Model, state: &mut [f64]) {
        let _ = (m, state);
    }

    /// Writes `act_dot` of the instance's actuators, after the rates of built-in dynamics.
    fn activation_rates(&self, m: &Model, d: &mut Data) -> Outcome {
        let _ = (m, d);
        Ok(())
    }

    /// Writes `actuator_force` of the instance's actuators.
    fn actuator_forces(&self, m: &Model, d: &mut Data) -> Outcome {
        let _ = (m, d);
        Ok(())
    }

    /// Derivative of an actuator's force by its velocity, which implicit integrators use; MuJoCo
    /// takes it as zero.
    fn force_by_velocity(&self, m: &Model, d: &Data, actuator: usize) -> f64 {
        let _ = (m, d, actuator);
        0.0
    }

    /// Writes the readings of the instance's sensors to `sensordata`, after those of built-in
    /// sensors of the same stage.
    fn sensors(&self, m: &Model, d: &mut Data) -> Outcome {
        let _ = (m, d);
        Ok(())
    }

    /// Adds to `qfrc_passive`.
    fn passive(&self, m: &Model, d: &mut Data) -> Outcome {
        let _ = (m, d);
        Ok(())
    }

    /// Advances the instance's part of `plugin_state` over a step, at whose end the data is.
    fn advance(&self, m: &Model, d: &mut Data) -> Outcome {
        let _ = (m, d);
        Ok(())
    }

    /// What pictures show of it (MuJoCo's `visualize`), in the state of the last forward pass.
    fn marks(&self, m: &Model, d: &Data) -> Vec<Mark> {
        let _ = (m, d);
        Vec::new()
    }

    /// The shape of the instance's geoms.
    fn field(&self) -> Option<&dyn DistanceField> {
        None
    }
}
