//! What the compiler has to know of plugins and other extensions that a model asks for by name.
//!
//! A [`PluginKind`] declares a kind of plugin: its attributes, what it can do, how much state an
//! instance has. What an instance does in a step is not known here. A [`Catalog`] finds kinds by
//! name; [`Builtin`] has those of MuJoCo 3.4.0.

mod builtin;
mod config;

use std::ops::BitOr;

use corten_geom::DistanceField;

pub use self::builtin::{BUILTIN_KINDS, Builtin, BuiltinKind, TouchGrid};
pub use self::config::{Config, ConfigError};
use crate::enums::Stage;

/// What a plugin can do (`mjtPluginCapabilityBit`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities(u8);

impl Capabilities {
    /// Forces of actuators.
    pub const ACTUATOR: Capabilities = Capabilities(1);
    /// Readings of sensors.
    pub const SENSOR: Capabilities = Capabilities(2);
    /// Passive forces.
    pub const PASSIVE: Capabilities = Capabilities(4);
    /// Shapes of geoms, by their signed distance.
    pub const SDF: Capabilities = Capabilities(8);

    /// Whether all of `others` are among them.
    pub fn contains(self, others: Capabilities) -> bool {
        self.0 & others.0 == others.0
    }
}

impl BitOr for Capabilities {
    type Output = Capabilities;

    fn bitor(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 | other.0)
    }
}

/// A kind of plugin, as the compiler sees it.
pub trait PluginKind: Send + Sync {
    /// The name that models use, such as `mujoco.pid`.
    fn name(&self) -> &str;

    /// Keys that a configuration may have.
    fn attributes(&self) -> &[&str] {
        &[]
    }

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// The stage after which its sensors can be read.
    fn stage(&self) -> Stage {
        Stage::Acc
    }

    /// How many numbers of `plugin_state` an instance has.
    fn state_size(&self, config: &Config) -> Result<usize, ConfigError> {
        let _ = config;
        Ok(0)
    }

    /// How many numbers a sensor gives; for kinds with [`Capabilities::SENSOR`].
    fn sensor_size(&self, config: &Config) -> Result<usize, ConfigError> {
        let _ = config;
        Ok(0)
    }

    /// The shape of a geom; for kinds with [`Capabilities::SDF`].
    fn field(&self, config: &Config) -> Result<Box<dyn DistanceField>, ConfigError> {
        let _ = config;
        Err(ConfigError::new("it has no signed distance"))
    }
}

/// Extensions by name.
pub trait Catalog: Sync {
    /// A kind of plugin, and its number, which `plugin` arrays hold.
    fn plugin(&self, name: &str) -> Option<(usize, &dyn PluginKind)>;

    /// Names of all kinds of plugins.
    fn plugin_names(&self) -> Vec<&str>;

    /// How many activations of its own a gain model has; `None` if there is none of that name.
    fn gain_activations(&self, name: &str, params: &[f64]) -> Option<Result<usize, ConfigError>>;

    /// Names of all gain models.
    fn gain_names(&self) -> Vec<&str>;
}
