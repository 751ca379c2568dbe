//! The model that simulations share.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use corten_model::arrays::{ArrayInfo, GainChoice, UnpackError};
use corten_model::container::Entry;
use corten_model::enums::Gain;
use corten_model::{Limits, ModelArrays};

use crate::extend::{Extensions, GainDispatch, GainError, Hooks, Laws, Registry, own_activations};
use crate::prepared::{Prepared, Which};

/// A compiled model: everything that stays constant while simulating.
///
/// It gives access to all fields of [`ModelArrays`], under MuJoCo's names. Share it between
/// simulations as `Arc<Model>`.
///
/// What follows from its structure is made when first needed, and belongs to the model and its
/// copies. Whoever writes to a field, which takes a `&mut Model`, makes it doubtful: the next use
/// compares the arrays that it was made from, and makes it anew where they differ.
#[derive(Debug, Default)]
pub struct Model {
    arrays: ModelArrays,
    prepared: OnceLock<Arc<Prepared>>,
    /// What was prepared before the last write.
    doubtful: Option<Arc<Prepared>>,
    revision: OnceLock<Revision>,
    /// Structural arrays that may be written to without the model's knowledge: bits of [`Which`].
    exposed: [AtomicU64; 2],
    /// What data and batches of this model may ask for; not saved with it.
    pub limits: Limits,
    extensions: Extensions,
}

/// The state of a model between two writes: equal for a model and its copies until one of them may
/// have been changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Revision(Arc<()>);

impl PartialEq for Revision {
    fn eq(&self, other: &Revision) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Model {
    /// Every array field, in declaration order.
    pub const ARRAYS: &'static [ArrayInfo] = ModelArrays::ARRAYS;

    /// How many of [`Self::ARRAYS`] have lengths that the sizes fix: all.
    pub const FIXED_ARRAYS: usize = ModelArrays::FIXED_ARRAYS;

    /// The sizes, by name.
    pub const SIZES: &'static [&'static str] = ModelArrays::SIZES;

    /// Position of a field in [`Self::ARRAYS`].
    pub fn array_index(name: &str) -> Option<usize> {
        ModelArrays::array_index(name)
    }

    /// The model of named arrays; see [`ModelArrays::unpack`].
    pub fn unpack(entries: &[Entry]) -> Result<Model, UnpackError> {
        ModelArrays::unpack(entries).map(Model::from)
    }

    /// The model in a file that [`ModelArrays::to_bytes`] made.
    pub fn from_bytes(file: &[u8]) -> Result<Model, UnpackError> {
        ModelArrays::from_bytes(file).map(Model::from)
    }

    /// The model in a file that [`ModelArrays::save`] wrote.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, UnpackError> {
        ModelArrays::load(path).map(Model::from)
    }

    /// The model without extensions.
    pub(crate) fn bare(arrays: ModelArrays) -> Model {
        Model { arrays, ..Model::default() }
    }

    pub(crate) fn install(&mut self, extensions: Extensions) {
        self.extensions = extensions;
    }

    /// Changes laws of the user's own. What depends on the model's arrays stays.
    pub(crate) fn change_laws(&mut self, change: impl FnOnce(&mut Laws)) {
        change(self.extensions.laws_mut());
        self.revision.take();
    }

    /// Plugins and other extensions of the model.
    #[inline(always)]
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Gives an actuator a gain of its own, or a built-in one back. The activations that a gain
    /// model needs must be there: a model that has any is chosen before compiling, as
    /// `cortenforge:gain_model`, and may be exchanged here for one with as many.
    ///
    /// ```
    /// # use corten_sim::{Model, load_model_str, extend::{GainDispatch, FixedGain}};
    /// # use corten_model::{Assets, enums::Gain};
    /// # let mut model = load_model_str(r#"<mujoco><worldbody><body><joint name="j"/>
    /// #   <geom size="1"/></body></worldbody><actuator><motor joint="j"/></actuator></mujoco>"#,
    /// #   &Assets::memory_only())?;
    /// model.set_actuator_gain(0, FixedGain { gain: 3.0 })?;
    /// assert!(matches!(model.actuator_gain(0), Some(GainDispatch::Custom(_))));
    /// model.set_actuator_gain(0, Gain::Fixed)?;
    /// assert!(matches!(model.actuator_gain(0), Some(GainDispatch::Builtin(Gain::Fixed))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_actuator_gain(
        &mut self,
        actuator: usize,
        gain: impl Into<GainDispatch>,
    ) -> Result<(), GainError> {
        if actuator >= self.nu {
            return Err(GainError::Actuator { actuator, count: self.nu });
        }
        if self.actuator_plugin[actuator] >= 0 {
            return Err(GainError::Plugin(actuator));
        }
        let (kind, custom) = match gain.into() {
            GainDispatch::Builtin(kind) => (kind, None),
            GainDispatch::Custom(gain) => (Gain::User, Some(gain)),
        };
        let found = own_activations(self, actuator);
        let needed = custom.as_ref().map_or(0, |gain| gain.activations());
        // The last activation of a built-in gain is what drives it.
        if custom.is_some() && needed != found || custom.is_none() && found > 1 {
            return Err(GainError::Activations { actuator, found, needed });
        }
        self.actuator_gaintype[actuator] = kind.raw();
        // What was chosen by name no longer holds.
        if let Some(choice) = self.extension_names.gains.get_mut(actuator) {
            *choice = GainChoice::default();
        }
        self.extensions.set_gain(&self.arrays, actuator, custom);
        Ok(())
    }

    /// The gain of an actuator.
    pub fn actuator_gain(&self, actuator: usize) -> Option<GainDispatch> {
        if let Some(gain) = self.extensions.shared_gain(actuator) {
            return Some(GainDispatch::Custom(gain));
        }
        Gain::from_raw(*self.actuator_gaintype.get(actuator)?).map(GainDispatch::Builtin)
    }

    /// Sets the hook that new data of this model and its copies start with.
    pub fn set_hook(&mut self, hook: Hooks) {
        self.extensions.set_hook(hook);
    }

    /// What follows from the structure of the model.
    #[inline]
    pub(crate) fn prepared(&self) -> &Arc<Prepared> {
        self.prepared.get_or_init(|| match &self.doubtful {
            Some(old) if old.inputs.fit(&self.arrays) => old.clone(),
            old => Arc::new(Prepared::new(&self.arrays, old.as_deref())),
        })
    }

    /// [`Self::prepared`], if somebody has needed it since the last write.
    #[inline]
    pub(crate) fn prepared_before(&self) -> Option<&Arc<Prepared>> {
        self.prepared.get()
    }

    #[inline]
    pub(crate) fn revision(&self) -> &Revision {
        self.revision.get_or_init(Revision::default)
    }

    /// Notes that somebody keeps a pointer to one of [`Self::ARRAYS`], and may write through it
    /// without holding a `&mut Model`. From then on, [`Self::notice_writes`] looks at that array.
    pub fn expose(&self, array: usize) {
        if let Some(info) = Self::ARRAYS.get(array) {
            for (word, bits) in self.exposed.iter().zip(Which::NONE.with(info.name).bits()) {
                word.fetch_or(bits, Ordering::Relaxed);
            }
        }
    }

    /// Whether [`Self::notice_writes`] has something to do.
    pub fn has_unnoticed_writes(&self) -> bool {
        let exposed =
            Which::of_bits(self.exposed.each_ref().map(|word| word.load(Ordering::Relaxed)));
        let current = |old: &Arc<Prepared>| old.inputs.match_arrays(&self.arrays, exposed);
        exposed != Which::NONE && !self.prepared.get().is_none_or(current)
    }

    /// Takes up what was written to structural arrays through pointers ([`Self::expose`]).
    pub fn notice_writes(&mut self) {
        if self.has_unnoticed_writes() {
            self.deref_mut();
        }
    }
}

/// A copy shares what is prepared. Pointers to the original's arrays do not concern it.
impl Clone for Model {
    fn clone(&self) -> Model {
        Model {
            arrays: self.arrays.clone(),
            prepared: self.prepared.clone(),
            doubtful: self.doubtful.clone(),
            revision: self.revision.clone(),
            exposed: Default::default(),
            limits: self.limits,
            extensions: self.extensions.clone(),
        }
    }
}

/// With the extensions that are always there; [`Registry::equip`] has others.
impl From<ModelArrays> for Model {
    fn from(arrays: ModelArrays) -> Model {
        let plain = arrays.nplugin == 0 && arrays.extension_names.gains.is_empty();
        if plain { Model::bare(arrays) } else { Registry::new().equip(arrays) }
    }
}

impl Deref for Model {
    type Target = ModelArrays;

    #[inline(always)]
    fn deref(&self) -> &ModelArrays {
        &self.arrays
    }
}

impl DerefMut for Model {
    fn deref_mut(&mut self) -> &mut ModelArrays {
        if let Some(prepared) = self.prepared.take() {
            self.doubtful = Some(prepared);
        }
        self.revision.take();
        &mut self.arrays
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        self.arrays == other.arrays
    }
}
