//! Physics that a model's user supplies.
//!
//! A small family of traits, all with `&self` methods, so that one instance serves every simulation
//! of its model:
//!
//! | trait | what it adds | who holds it |
//! |---|---|---|
//! | [`Plugin`], [`PluginInstance`] | actuators, sensors, passive forces and shapes, by name in MJCF | the model |
//! | [`ActuatorGainModel`] | forces of actuators, by name in MJCF or with `Model::set_actuator_gain` | the model |
//! | [`Hook`] | MuJoCo's callbacks: controls, user types, passive forces, choice of contacts | the data, which takes that of its model |
//!
//! Instances live in the [`Extensions`] of a [`Model`](crate::Model), shared by its copies; a [`Registry`] finds
//! kinds by name where a model is loaded. Nothing is global.
//!
//! What evolves in time is declared: activations (`act`, advanced by `act_dot`) or `plugin_state`.
//! Both are part of the state, so that saving, restoring, copies, batches, rollouts and finite
//! differences include them. An extension keeps nothing else from step to step.
//!
//! A method that cannot go on returns a [`Failure`]; the step ends with
//! [`StepError::Extension`](crate::StepError::Extension), which names the extension, and leaves the
//! state as it was.

mod builtin;
pub mod contact;
mod extensions;
mod failure;
pub mod flex;
mod gain;
mod hook;
mod laws;
mod mark;
mod plugin;
mod registry;

pub use self::extensions::Extensions;
pub(crate) use self::extensions::{Point, display_name, own_activations};
pub use self::failure::{Failure, Outcome};
pub use self::gain::{
    ActuatorGainModel, AffineGain, DcMotorGain, DefaultGain, FixedGain, GainDispatch, GainError,
    GainInput, MuscleGain, SeriesElasticGain,
};
pub use self::hook::{Hook, Hooks, Slopes};
pub(crate) use self::laws::Laws;
pub use self::laws::NoSuchFlex;
pub use self::mark::Mark;
pub use self::plugin::{Plugin, PluginInstance, Setting};
pub use self::registry::{NameTaken, Registry};

#[doc(no_inline)]
pub use corten_geom::DistanceField;
#[doc(no_inline)]
pub use corten_model::plugin::{Capabilities, Config, ConfigError, PluginKind};

/// So many finite numbers, or an error that names them.
pub(crate) fn named_numbers<const N: usize>(
    given: &[f64],
    names: [&str; N],
) -> Result<[f64; N], ConfigError> {
    let found = given.len();
    let numbers = <[f64; N]>::try_from(given).map_err(|_| {
        ConfigError::new(format!("{found} parameters, {N} expected: {}", names.join(", ")))
    })?;
    match numbers.iter().zip(names).find(|(x, _)| !x.is_finite()) {
        Some((x, name)) => Err(ConfigError::new(format!("'{name}' is {x}: it must be finite"))),
        None => Ok(numbers),
    }
}
