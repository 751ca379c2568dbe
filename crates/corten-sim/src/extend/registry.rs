use std::fmt;
use std::path::Path;
use std::sync::Arc;

use corten_model::arrays::UnpackError;
use corten_model::plugin::{BUILTIN_KINDS, Catalog, ConfigError, PluginKind};
use corten_model::{Assets, Diagnostics, ModelArrays, ReadOptions, Spec};

use super::{ActuatorGainModel, DcMotorGain, Extensions, Plugin, SeriesElasticGain};
use crate::Model;
use crate::load::{self, Loaded};

/// The extensions that a model may ask for by name, and the ways to load one that does.
///
/// What comes with MuJoCo is always in it. Users add their own; a registry is a plain value, and
/// no other loader sees what was added to it.
///
/// ```
/// use corten_sim::extend::{Capabilities, PluginKind, Plugin, PluginInstance, Registry, Setting};
/// use corten_sim::extend::{ConfigError, Outcome};
/// use corten_sim::{Data, Model};
///
/// /// A constant force on all degrees of freedom.
/// struct Wind;
/// struct Blowing(f64);
///
/// impl PluginKind for Wind {
///     fn name(&self) -> &str { "example.wind" }
///     fn attributes(&self) -> &[&str] { &["force"] }
///     fn capabilities(&self) -> Capabilities { Capabilities::PASSIVE }
/// }
///
/// impl Plugin for Wind {
///     fn instance(&self, s: &Setting<'_>) -> Result<Box<dyn PluginInstance>, ConfigError> {
///         Ok(Box::new(Blowing(s.config.number("force")?.ok_or("'force' is missing")?)))
///     }
/// }
///
/// impl PluginInstance for Blowing {
///     fn passive(&self, _: &Model, d: &mut Data) -> Outcome {
///         d.qfrc_passive.iter_mut().for_each(|f| *f += self.0);
///         Ok(())
///     }
/// }
///
/// let registry = Registry::new().with_plugin(Wind)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Registry {
    plugins: Vec<Arc<dyn Plugin>>,
    gains: Vec<GainKind>,
}

/// A gain model by name.
#[derive(Clone)]
struct GainKind {
    name: String,
    make: Arc<MakeGain>,
}

type MadeGain = Result<Arc<dyn ActuatorGainModel>, ConfigError>;
type MakeGain = dyn Fn(&[f64]) -> MadeGain + Send + Sync;

/// A name that something else has already.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is an extension named '{0}' already")]
pub struct NameTaken(String);

impl Default for Registry {
    fn default() -> Registry {
        let builtin = |&kind| Arc::new(kind) as Arc<dyn Plugin>;
        let plugins = BUILTIN_KINDS.iter().map(builtin).collect();
        let mut registry = Registry { plugins, gains: Vec::new() };
        registry.add_gain("series_elastic", SeriesElasticGain::from_params);
        registry.add_gain("dc_motor", DcMotorGain::from_params);
        registry
    }
}

impl Registry {
    /// With what is always there.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Adds a kind of plugin, by its name.
    pub fn with_plugin(mut self, plugin: impl Plugin + 'static) -> Result<Registry, NameTaken> {
        if self.plugin(plugin.name()).is_some() {
            return Err(NameTaken(plugin.name().to_owned()));
        }
        self.plugins.push(Arc::new(plugin));
        Ok(self)
    }

    /// Adds a gain model, by the name that `cortenforge:gain_model` has. It is made from the numbers
    /// in `cortenforge:gain_params`.
    pub fn with_gain<G: ActuatorGainModel + 'static>(
        mut self,
        name: &str,
        make: impl Fn(&[f64]) -> Result<G, ConfigError> + Send + Sync + 'static,
    ) -> Result<Registry, NameTaken> {
        if self.gains.iter().any(|gain| gain.name == name) {
            return Err(NameTaken(name.to_owned()));
        }
        self.add_gain(name, make);
        Ok(self)
    }

    fn add_gain<G: ActuatorGainModel + 'static>(
        &mut self,
        name: &str,
        make: impl Fn(&[f64]) -> Result<G, ConfigError> + Send + Sync + 'static,
    ) {
        let make = move |params: &[f64]| Ok(Arc::new(make(params)?) as Arc<dyn ActuatorGainModel>);
        self.gains.push(GainKind { name: name.to_owned(), make: Arc::new(make) });
    }

    /// The gain model of a name, with these parameters; `None` if there is none of that name.
    pub fn gain(&self, name: &str, params: &[f64]) -> Option<MadeGain> {
        let kind = self.gains.iter().find(|gain| gain.name == name)?;
        Some((kind.make)(params))
    }

    /// A kind of plugin.
    pub fn plugin(&self, name: &str) -> Option<&dyn Plugin> {
        self.plugins.iter().map(|plugin| &**plugin).find(|plugin| plugin.name() == name)
    }

    /// Loads a model from the text of an MJCF or URDF file; files that it names are taken from
    /// `assets`.
    pub fn load_str(&self, text: &str, assets: &Assets) -> Result<Model, Diagnostics> {
        let (spec, warnings) = Spec::read_str(text, assets, ReadOptions::default())?;
        self.build(&spec, assets, warnings).map(|loaded| loaded.model)
    }

    /// Loads a model from a file, or from the binary form of one (`.cfa`, `.mjb`); files in `assets` stand
    /// before those on disk.
    pub fn load_file(
        &self,
        path: impl AsRef<Path>,
        assets: &Assets,
        options: ReadOptions,
    ) -> Result<Loaded, Diagnostics> {
        load::load_file_by(self, path.as_ref(), assets, options)
    }

    /// Compiles a spec into a complete model.
    pub fn compile(&self, spec: &Spec, assets: &Assets) -> Result<Model, Diagnostics> {
        self.build(spec, assets, Diagnostics::new()).map(|loaded| loaded.model)
    }

    /// [`Self::compile`], with the warnings of reading and compiling.
    pub fn build(
        &self,
        spec: &Spec,
        assets: &Assets,
        warnings: Diagnostics,
    ) -> Result<Loaded, Diagnostics> {
        load::build_by(self, spec, assets, warnings)
    }

    /// The model in a file that [`ModelArrays::to_bytes`] made. What its extensions refuse ends the
    /// first step that needs them.
    pub fn load_bytes(&self, file: &[u8]) -> Result<Model, UnpackError> {
        ModelArrays::from_bytes(file).map(|arrays| self.equip(arrays))
    }

    /// The model of these arrays, with its extensions.
    pub fn equip(&self, arrays: ModelArrays) -> Model {
        let mut model = Model::bare(arrays);
        let (extensions, _) = Extensions::new(&model, self);
        model.install(extensions);
        model
    }
}

impl Catalog for Registry {
    fn plugin(&self, name: &str) -> Option<(usize, &dyn PluginKind)> {
        let slot = self.plugins.iter().position(|plugin| plugin.name() == name)?;
        Some((slot, &*self.plugins[slot]))
    }

    fn plugin_names(&self) -> Vec<&str> {
        self.plugins.iter().map(|plugin| plugin.name()).collect()
    }

    fn gain_activations(&self, name: &str, params: &[f64]) -> Option<Result<usize, ConfigError>> {
        Some(self.gain(name, params)?.map(|gain| gain.activations()))
    }

    fn gain_names(&self) -> Vec<&str> {
        self.gains.iter().map(|gain| gain.name.as_str()).collect()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.plugin_names()).finish()
    }
}
