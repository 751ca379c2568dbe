use std::fmt;
use std::sync::Arc;

use corten_geom::DistanceField;
use corten_model::ModelArrays;
use corten_model::arrays::GainChoice;
use corten_model::enums::{Dynamics, ObjType, Stage};
use corten_model::plugin::{Capabilities, Config, ConfigError};

use super::laws::Laws;
use super::{
    ActuatorGainModel, Failure, Hooks, Mark, Outcome, Plugin, PluginInstance, Registry, Setting,
};
use crate::chain::index;
use crate::stage::kinematics;
use crate::{Data, Model};

/// The extensions of one model, shared by its copies.
///
/// A model without any holds nothing, and its steps do nothing for them but look.
#[derive(Clone, Default)]
pub struct Extensions(Option<Arc<Held>>);

#[derive(Clone, Default)]
struct Held {
    /// Instances of plugins, by number.
    plugins: Vec<Installed>,
    /// Gain models, by actuator; empty if there are none.
    gains: Vec<Option<Arc<dyn ActuatorGainModel>>>,
    hook: Hooks,
    laws: Laws,
}

#[derive(Clone)]
struct Installed {
    /// What messages call it.
    name: String,
    capabilities: Capabilities,
    stage: Stage,
    instance: Arc<dyn PluginInstance>,
}

/// Where in a step plugins are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    Rates,
    Forces,
    Passive,
    Sensors(Stage),
    Advance,
}

/// Stands where a plugin could not be made: the first step that needs it says why.
struct Absent(String);

impl PluginInstance for Absent {
    fn activation_rates(&self, _: &Model, _: &mut Data) -> Outcome {
        Err(self.0.clone().into())
    }

    fn actuator_forces(&self, _: &Model, _: &mut Data) -> Outcome {
        Err(self.0.clone().into())
    }

    fn sensors(&self, _: &Model, _: &mut Data) -> Outcome {
        Err(self.0.clone().into())
    }

    fn passive(&self, _: &Model, _: &mut Data) -> Outcome {
        Err(self.0.clone().into())
    }

    fn advance(&self, _: &Model, _: &mut Data) -> Outcome {
        Err(self.0.clone().into())
    }
}

/// Why an extension could not be made, and of which object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refused {
    pub kind: ObjType,
    pub index: usize,
    pub message: String,
}

/// The gain models that a model names, by actuator.
fn gains(
    m: &Model,
    registry: &Registry,
    refused: &mut Vec<Refused>,
) -> Vec<Option<Arc<dyn ActuatorGainModel>>> {
    let make = |(i, choice): (usize, &GainChoice)| {
        if choice.model.is_empty() {
            return None;
        }
        let why = match registry.gain(&choice.model, &choice.params) {
            Some(Ok(gain)) if own_activations(m, i) == gain.activations() => return Some(gain),
            Some(Ok(gain)) => format!(
                "it needs {} activations of its own, but there are {}",
                gain.activations(),
                own_activations(m, i)
            ),
            Some(Err(why)) => why.to_string(),
            None => "it is not in the registry of the loader".to_owned(),
        };
        let message = format!("gain model '{}': {why}", choice.model);
        refused.push(Refused { kind: ObjType::Actuator, index: i, message });
        None
    };
    m.extension_names.gains.iter().enumerate().map(make).collect()
}

/// How many activations an actuator has besides that of built-in dynamics.
pub(crate) fn own_activations(m: &ModelArrays, actuator: usize) -> usize {
    let count = m.actuator_actnum.get(actuator).map_or(0, |&n| n.max(0) as usize);
    match m.actuator_dyntype.get(actuator).and_then(|&kind| Dynamics::from_raw(kind)) {
        Some(Dynamics::None) | None => count,
        _ => count.saturating_sub(1),
    }
}

impl Extensions {
    /// Makes what a model asks for; tells what could not be made, which fails when it is needed.
    pub(crate) fn new(m: &Model, registry: &Registry) -> (Extensions, Vec<Refused>) {
        if m.nplugin == 0 && m.extension_names.gains.is_empty() {
            return (Extensions::default(), Vec::new());
        }
        let mut reference = Data::new(m);
        kinematics::kinematics(m, &mut reference);
        let mut refused = Vec::new();
        let plugins = (0..m.nplugin)
            .map(|i| {
                Installed::new(m, &reference, registry, i).unwrap_or_else(|why| {
                    refused.push(Refused {
                        kind: ObjType::Plugin,
                        index: i,
                        message: why.to_string(),
                    });
                    Installed::absent(m, i, why.to_string())
                })
            })
            .collect();
        let gains = gains(m, registry, &mut refused);
        (Extensions(Some(Arc::new(Held { plugins, gains, ..Held::default() }))), refused)
    }

    /// Laws of the user's own.
    #[inline(always)]
    pub(crate) fn laws(&self) -> Option<&Laws> {
        self.0.as_ref().map(|held| &held.laws)
    }

    pub(crate) fn laws_mut(&mut self) -> &mut Laws {
        &mut Arc::make_mut(self.0.get_or_insert_default()).laws
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The hook that new data of the model start with.
    pub fn hook(&self) -> Hooks {
        self.0.as_ref().map_or_else(Hooks::default, |held| held.hook.clone())
    }

    pub(crate) fn set_hook(&mut self, hook: Hooks) {
        Arc::make_mut(self.0.get_or_insert_default()).hook = hook;
    }

    /// Calls the plugins that have something to do at a point of a step, until one fails.
    #[inline(always)]
    pub(crate) fn call(&self, m: &Model, d: &mut Data, point: Point) {
        if let Some(held) = &self.0 {
            held.call(m, d, point);
        }
    }

    /// Whether plugins have sensors of a stage.
    pub(crate) fn has_sensors(&self, stage: Stage) -> bool {
        let mut plugins = self.0.iter().flat_map(|held| &held.plugins);
        plugins.any(|plugin| plugin.has_part_in(Point::Sensors(stage)))
    }

    /// Initial states of plugins.
    #[inline(always)]
    pub(crate) fn reset(&self, m: &Model, d: &mut Data) {
        if let Some(held) = &self.0 {
            held.reset(m, d);
        }
    }

    /// Derivative of the force of a plugin's actuator by its velocity.
    pub(crate) fn force_by_velocity(&self, m: &Model, d: &Data, actuator: usize) -> f64 {
        let plugin = self.plugin(m.actuator_plugin[actuator]);
        plugin.map_or(0.0, |plugin| plugin.instance.force_by_velocity(m, d, actuator))
    }

    /// The shape that an instance of a plugin gives to geoms.
    pub(crate) fn field(&self, instance: i32) -> Option<&dyn DistanceField> {
        self.plugin(instance)?.instance.field()
    }

    /// The gain model of an actuator, if it has one.
    #[inline]
    pub fn gain(&self, actuator: usize) -> Option<&dyn ActuatorGainModel> {
        self.0.as_ref()?.gains.get(actuator)?.as_deref()
    }

    pub(crate) fn shared_gain(&self, actuator: usize) -> Option<Arc<dyn ActuatorGainModel>> {
        self.0.as_ref()?.gains.get(actuator)?.clone()
    }

    /// See [`Model::set_actuator_gain`].
    pub(crate) fn set_gain(
        &mut self,
        m: &ModelArrays,
        actuator: usize,
        gain: Option<Arc<dyn ActuatorGainModel>>,
    ) {
        let held = Arc::make_mut(self.0.get_or_insert_default());
        if held.gains.len() < m.nu {
            held.gains.resize(m.nu, None);
        }
        if let Some(slot) = held.gains.get_mut(actuator) {
            *slot = gain;
        }
    }

    /// What pictures show of plugins, instance by instance.
    pub fn marks(&self, m: &Model, d: &Data) -> Vec<Mark> {
        let plugins = self.0.iter().flat_map(|held| &held.plugins);
        plugins.flat_map(|plugin| plugin.instance.marks(m, d)).collect()
    }

    fn plugin(&self, instance: i32) -> Option<&Installed> {
        let held = self.0.as_ref()?;
        held.plugins.get(index(instance, held.plugins.len())?)
    }
}

impl Held {
    #[inline(never)]
    fn call(&self, m: &Model, d: &mut Data, point: Point) {
        for plugin in self.plugins.iter().filter(|plugin| plugin.has_part_in(point)) {
            let instance = &plugin.instance;
            let answer = match point {
                Point::Rates => instance.activation_rates(m, d),
                Point::Forces => instance.actuator_forces(m, d),
                Point::Passive => instance.passive(m, d),
                Point::Sensors(_) => instance.sensors(m, d),
                Point::Advance => instance.advance(m, d),
            };
            if d.heed(|| plugin.name.clone(), answer).is_none() {
                return;
            }
        }
    }

    #[inline(never)]
    fn reset(&self, m: &Model, d: &mut Data) {
        for (i, plugin) in self.plugins.iter().enumerate() {
            let (Some(&start), Some(&count)) = (m.plugin_stateadr.get(i), m.plugin_statenum.get(i))
            else {
                continue;
            };
            let (start, count) = (start.max(0) as usize, count.max(0) as usize);
            if let Some(state) = d.plugin_state.get_mut(start..start.saturating_add(count)) {
                plugin.instance.reset(m, state);
            }
        }
    }
}

impl Installed {
    fn new(
        m: &Model,
        reference: &Data,
        registry: &Registry,
        instance: usize,
    ) -> Result<Installed, ConfigError> {
        let kind = m.extension_names.plugin_kind(instance);
        let plugin: &dyn Plugin = registry.plugin(kind).ok_or_else(|| {
            ConfigError::new(format!("there is no plugin '{kind}' in the registry of the loader"))
        })?;
        let start = m.plugin_attradr.get(instance).copied().unwrap_or(0);
        let values = m.plugin_attr.get(start.max(0) as usize..).unwrap_or_default();
        let config = Config::from_bytes(plugin.attributes(), values);
        let setting = Setting { model: m, reference, instance, config: &config };
        Ok(Installed {
            name: display_name(m, instance),
            capabilities: plugin.capabilities(),
            stage: plugin.stage(),
            instance: plugin.instance(&setting)?.into(),
        })
    }

    fn absent(m: &Model, instance: usize, why: String) -> Installed {
        use Capabilities as C;
        Installed {
            name: display_name(m, instance),
            capabilities: C::ACTUATOR | C::SENSOR | C::PASSIVE,
            stage: Stage::Pos,
            instance: Arc::new(Absent(why)),
        }
    }

    fn has_part_in(&self, point: Point) -> bool {
        match point {
            Point::Rates | Point::Forces => self.capabilities.contains(Capabilities::ACTUATOR),
            Point::Passive => self.capabilities.contains(Capabilities::PASSIVE),
            Point::Sensors(stage) => {
                let own = if self.stage == Stage::None { Stage::Pos } else { self.stage };
                own == stage && self.capabilities.contains(Capabilities::SENSOR)
            }
            Point::Advance => true,
        }
    }
}

/// What messages call an instance of a plugin.
pub(crate) fn display_name(m: &Model, instance: usize) -> String {
    let kind = m.extension_names.plugin_kind(instance);
    match m.object_names.name(ObjType::Plugin, instance) {
        Some(name) => format!("plugin '{kind}', instance '{name}'"),
        None => format!("plugin '{kind}', instance {instance}"),
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::new(error.to_string())
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().flat_map(|held| held.plugins.iter().map(|plugin| &plugin.name));
        f.debug_list().entries(names).finish()
    }
}
