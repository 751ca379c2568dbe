//! The editable tree: a model as its author means it, before compilation.
//!
//! Answers to MuJoCo's `mjSpec`; fields carry the names of its `mjs*` structs, with `type_` and
//! `ref_` where Rust has a keyword. Elements live in [`Arena`]s in order of creation and refer
//! to each other by [`Key`] within the tree and by name elsewhere, as in a file. Nothing is
//! resolved here: orientations stay as written, angles in the author's unit, names as names.

mod actuator;
mod arena;
mod asset;
mod attach;
mod compiler;
mod constraint;
mod copy;
mod custom;
mod default;
mod delete;
mod edit;
mod element;
mod field;
mod flex;
mod keyframe;
mod plain;
mod plugin;
mod references;
mod sensor;
mod source;
mod tree;

pub use actuator::{Actuator, NPRM};
pub use arena::{Arena, Key};
pub use asset::{HField, Material, Mesh, ModelAsset, Skin, TEXTURE_ROLES, Texture};
pub use attach::{Anchor, AttachError, Attached, Part};
pub use compiler::{Compiler, LengthRangeOptions, Sizes, StatisticOverride};
pub use constraint::{Equality, Exclude, NEQDATA, Pair, Tendon, Wrap, WrapTarget};
pub use custom::{AttachedKeyframe, Keyframe, Numeric, Text, Tuple};
pub use default::DefaultClass;
pub use edit::{Child, EditError, Item, Parent};
pub use element::{Element, Header, Orientation, SOLIMP, SOLREF};
pub use field::{FieldError, Fields, Value, narrow};
pub use flex::Flex;
pub use plugin::{ActivePlugin, Plugin, PluginConfig, PluginUse};
pub use sensor::{NSENS, Sensor};
pub(crate) use source::Lines;
pub use source::{FileId, Source, SourceFile, SourceMap};
pub use tree::{Body, Camera, Frame, Geom, Joint, Light, Site};

use crate::limits::Limits;
use crate::option::{Options, Visual};

/// Which model an element came from: the spec itself, or one attached to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OriginId(u32);

impl OriginId {
    pub const MAIN: OriginId = OriginId(0);
}

impl Default for OriginId {
    fn default() -> OriginId {
        OriginId::MAIN
    }
}

/// Settings of an attached model that still apply to the elements it brought along.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    pub compiler: Compiler,
    pub strippath: bool,
    /// Directory of the model file, with a trailing separator unless empty.
    pub modelfiledir: String,
}

/// A model under construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    pub modelname: String,
    /// Comment at the top of the file.
    pub comment: String,
    /// Directory of the model file, with a trailing separator unless empty.
    pub modelfiledir: String,
    pub compiler: Compiler,
    /// Drop directories from the file names of assets.
    pub strippath: bool,
    pub option: Options,
    pub visual: Visual,
    pub stat: StatisticOverride,
    pub sizes: Sizes,
    /// Default classes; the first is `main`, the root of their tree.
    pub defaults: Arena<DefaultClass>,
    /// Bodies; the first is the world.
    pub bodies: Arena<Body>,
    pub frames: Arena<Frame>,
    pub joints: Arena<Joint>,
    pub geoms: Arena<Geom>,
    pub sites: Arena<Site>,
    pub cameras: Arena<Camera>,
    pub lights: Arena<Light>,
    pub meshes: Arena<Mesh>,
    pub hfields: Arena<HField>,
    pub flexes: Arena<Flex>,
    pub skins: Arena<Skin>,
    pub textures: Arena<Texture>,
    pub materials: Arena<Material>,
    pub pairs: Arena<Pair>,
    pub excludes: Arena<Exclude>,
    pub equalities: Arena<Equality>,
    pub tendons: Arena<Tendon>,
    pub actuators: Arena<Actuator>,
    pub sensors: Arena<Sensor>,
    /// Instances of plugins.
    pub plugins: Arena<Plugin>,
    /// Kinds of plugins that may be used.
    pub active_plugins: Vec<ActivePlugin>,
    pub numerics: Arena<Numeric>,
    pub texts: Arena<Text>,
    pub tuples: Arena<Tuple>,
    pub keys: Arena<Keyframe>,
    /// Keyframes of attached models, which follow those of `keys`.
    pub attached_keys: Vec<AttachedKeyframe>,
    /// Number of joints ever made when this was last compiled.
    compiled_joints: usize,
    /// Models available to `attach`.
    pub models: Arena<ModelAsset>,
    /// Attached models, behind [`OriginId`]s other than `MAIN`.
    pub origins: Vec<Origin>,
    /// How much compiling may ask for; the model keeps them.
    pub limits: Limits,
    /// The files this was read from.
    pub sources: SourceMap,
}

impl Default for Spec {
    fn default() -> Spec {
        Spec::new()
    }
}

impl Spec {
    /// The key of the world body in every spec made by [`Spec::new`].
    pub const WORLD: Key<Body> = Key::new(0);
    /// The key of the root default class.
    pub const MAIN_CLASS: Key<DefaultClass> = Key::new(0);

    /// A spec that holds the world body and the default class `main`.
    pub fn new() -> Spec {
        let mut spec = Spec::empty();
        spec.modelname = "MuJoCo Model".into();
        spec.defaults.insert(DefaultClass { name: "main".into(), ..Default::default() });
        spec.bodies.insert(Body { name: "world".into(), ..Default::default() });
        spec
    }

    pub(crate) fn empty() -> Spec {
        Spec {
            modelname: String::new(),
            comment: String::new(),
            modelfiledir: String::new(),
            compiler: Compiler::default(),
            strippath: false,
            option: Options::default(),
            visual: Visual::default(),
            stat: StatisticOverride::default(),
            sizes: Sizes::default(),
            defaults: Arena::default(),
            bodies: Arena::default(),
            frames: Arena::default(),
            joints: Arena::default(),
            geoms: Arena::default(),
            sites: Arena::default(),
            cameras: Arena::default(),
            lights: Arena::default(),
            meshes: Arena::default(),
            hfields: Arena::default(),
            flexes: Arena::default(),
            skins: Arena::default(),
            textures: Arena::default(),
            materials: Arena::default(),
            pairs: Arena::default(),
            excludes: Arena::default(),
            equalities: Arena::default(),
            tendons: Arena::default(),
            actuators: Arena::default(),
            sensors: Arena::default(),
            plugins: Arena::default(),
            active_plugins: Vec::new(),
            numerics: Arena::default(),
            texts: Arena::default(),
            tuples: Arena::default(),
            keys: Arena::default(),
            attached_keys: Vec::new(),
            compiled_joints: 0,
            models: Arena::default(),
            origins: Vec::new(),
            limits: Limits::default(),
            sources: SourceMap::default(),
        }
    }

    /// Compiler settings that apply to an element.
    pub fn compiler_of(&self, element: &impl Element) -> &Compiler {
        self.origin(element.origin()).map_or(&self.compiler, |origin| &origin.compiler)
    }

    /// Directory that relative asset paths of an element start from.
    pub fn modelfiledir_of(&self, element: &impl Element) -> &str {
        self.origin(element.origin()).map_or(&self.modelfiledir, |origin| &origin.modelfiledir)
    }

    /// Whether asset paths of an element lose their directories.
    pub fn strippath_of(&self, element: &impl Element) -> bool {
        self.origin(element.origin()).map_or(self.strippath, |origin| origin.strippath)
    }

    /// An attached model; `None` for the spec itself.
    pub fn origin(&self, id: OriginId) -> Option<&Origin> {
        self.origins.get((id.0 as usize).checked_sub(1)?)
    }

    pub(crate) fn add_origin(&mut self, origin: Origin) -> OriginId {
        self.origins.push(origin);
        OriginId(self.origins.len() as u32)
    }

    /// The default class an element belongs to.
    pub fn class(&self, key: Option<Key<DefaultClass>>) -> &DefaultClass {
        let key = key.filter(|&key| self.defaults.contains(key));
        &self.defaults[key.unwrap_or(Spec::MAIN_CLASS)]
    }

    /// The default class of this name.
    pub fn find_class(&self, name: &str) -> Option<Key<DefaultClass>> {
        self.defaults.iter().find(|(_, class)| class.name == name).map(|(key, _)| key)
    }

    /// The body of this name.
    pub fn find_body(&self, name: &str) -> Option<Key<Body>> {
        self.bodies.iter().find(|(_, body)| body.name == name).map(|(key, _)| key)
    }
}
