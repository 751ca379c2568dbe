//! The reader: sections in the order of MuJoCo's `mjXReader::Parse`, whatever their order in the
//! file, so that settings and classes are known before the elements that need them.

mod actuator;
mod asset;
mod attach;
mod body;
mod composite;
mod constraint;
mod custom;
mod default;
mod deformable;
mod flex;
mod flexcomp;
mod plugin;
mod ribbon;
pub(super) mod sensor;
pub(super) mod settings;
pub(crate) mod value;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use super::forest::{Elem, Forest, decode};
use super::schema;
use crate::assets::{Assets, dir_name, is_absolute, join, normalize};
use crate::diagnostic::{Diagnostic, Diagnostics, Subject};
use crate::limits::Limits;
use crate::spec::{DefaultClass, Key, Spec};

/// Name shown for text that came without a file.
const ANONYMOUS: &str = "<string>";

/// Where a reading may differ from MuJoCo's, and how much a text may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Joints of a URDF that mimic others follow them, by an equality constraint. MuJoCo lets
    /// them move on their own.
    pub mimic: bool,
    /// How much the text may ask for; the spec and the model keep them.
    pub limits: Limits,
}

impl ReadOptions {
    /// Everything as MuJoCo reads it.
    pub const MUJOCO: ReadOptions = ReadOptions { mimic: false, limits: Limits::DEFAULT };
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions { mimic: true, limits: Limits::DEFAULT }
    }
}

impl Spec {
    /// Reads a model from MJCF or URDF text, as MuJoCo does. Files it refers to are taken from
    /// `assets`.
    pub fn from_xml_str(text: &str, assets: &Assets) -> Result<Spec, Diagnostics> {
        Spec::from_xml_str_with_warnings(text, assets).map(|(spec, _)| spec)
    }

    /// Like [`Spec::from_xml_str`], with the warnings of a successful reading.
    pub fn from_xml_str_with_warnings(
        text: &str,
        assets: &Assets,
    ) -> Result<(Spec, Diagnostics), Diagnostics> {
        Spec::read_str(text, assets, ReadOptions::MUJOCO)
    }

    /// Reads a model from a file, as MuJoCo does.
    pub fn from_file(path: &str, assets: &Assets) -> Result<Spec, Diagnostics> {
        Spec::from_file_with_warnings(path, assets).map(|(spec, _)| spec)
    }

    /// Like [`Spec::from_file`], with the warnings of a successful reading.
    pub fn from_file_with_warnings(
        path: &str,
        assets: &Assets,
    ) -> Result<(Spec, Diagnostics), Diagnostics> {
        Spec::read_file(path, assets, ReadOptions::MUJOCO)
    }

    /// Reads a model from text; with the warnings.
    pub fn read_str(
        text: &str,
        assets: &Assets,
        options: ReadOptions,
    ) -> Result<(Spec, Diagnostics), Diagnostics> {
        let context = Reading { assets, options, depth: 0, spent: &Spent::default() };
        let text = decode(text.as_bytes(), ANONYMOUS, &mut Diagnostics::new());
        read(ANONYMOUS, text, "", context, Diagnostics::new())
    }

    /// Reads a model from a file; with the warnings.
    pub fn read_file(
        path: &str,
        assets: &Assets,
        options: ReadOptions,
    ) -> Result<(Spec, Diagnostics), Diagnostics> {
        read_file(path, Reading { assets, options, depth: 0, spent: &Spent::default() })
    }
}

/// Circumstances of a reading.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub assets: &'a Assets,
    pub options: ReadOptions,
    /// How many model assets enclose this one.
    pub depth: usize,
    pub spent: &'a Spent,
}

/// What a reading has taken of its limits, attached models included.
#[derive(Default)]
pub(crate) struct Spent {
    files: Cell<usize>,
    elements: Cell<usize>,
}

impl Reading<'_> {
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// Counts a file; `false` beyond the limit.
    pub fn take_file(&self) -> bool {
        let files = self.spent.files.get();
        self.spent.files.set(files.saturating_add(1));
        files < self.limits().files
    }

    /// Whether so many elements may still be made.
    pub fn has_room(&self, elements: usize) -> bool {
        self.spent.elements.get().saturating_add(elements) <= self.limits().elements
    }

    /// Counts elements that are about to be made; `false` beyond the limit.
    pub fn take_elements(&self, elements: usize) -> bool {
        let has_room = self.has_room(elements);
        self.spent.elements.set(self.spent.elements.get().saturating_add(elements));
        has_room
    }
}

/// Deepest nesting of model assets.
const MAX_MODEL_DEPTH: usize = 20;

/// Why no further file is read.
pub(super) fn too_many_files(limits: &Limits) -> Diagnostic {
    Diagnostic::error(format!("the model consists of more than {} files", limits.files))
        .beyond("files")
}

fn read_file(path: &str, context: Reading<'_>) -> Result<(Spec, Diagnostics), Diagnostics> {
    let mut diags = Diagnostics::new();
    if !context.take_file() {
        return Err(too_many_files(context.limits()).into());
    }
    let bytes = match context.assets.read("", path, context.limits()) {
        Ok(bytes) => bytes,
        Err(error) => return Err(Diagnostic::error(error.to_string()).into()),
    };
    let text = decode(&bytes, path, &mut diags);
    read(path, text, dir_name(path), context, diags)
}

fn read(
    name: &str,
    text: Arc<String>,
    modelfiledir: &str,
    context: Reading<'_>,
    mut diags: Diagnostics,
) -> Result<(Spec, Diagnostics), Diagnostics> {
    let mut spec = Spec::new();
    spec.limits = *context.limits();
    spec.modelfiledir = modelfiledir.to_owned();
    let forest = Forest::load(name, text, modelfiledir, context, &mut spec.sources, &mut diags);
    if let Some(forest) = &forest {
        let root = forest.root();
        let robot = root.name().eq_ignore_ascii_case("robot");
        if !robot && root.name() != "mujoco" {
            diags.push(
                Diagnostic::error(format!("unknown kind of model '{}'", root.name()))
                    .at(root.source())
                    .expected("a root element 'mujoco' or 'robot'"),
            );
        } else if robot || schema::check(root, &mut diags) {
            let mut reader = Reader {
                context,
                spec,
                diags,
                classes: HashMap::from([("main".to_owned(), Spec::MAIN_CLASS)]),
                model_missing: false,
                replicates: 0,
            };
            if robot {
                crate::urdf::read_robot(&mut reader, root);
            } else {
                reader.model(root, forest.comment());
            }
            (spec, diags) = (reader.spec, reader.diags);
        }
    }
    diags.locate(&spec.sources);
    if !diags.has_errors() {
        return Ok((spec, diags));
    }
    if !diags.has_any_about(Subject::Missing) {
        diags.append(crate::compile::check_names(&spec, context.assets));
    }
    Err(diags)
}

/// State of a reading.
pub(crate) struct Reader<'a> {
    pub(crate) context: Reading<'a>,
    pub(crate) spec: Spec,
    pub(crate) diags: Diagnostics,
    classes: HashMap<String, Key<DefaultClass>>,
    /// A model asset could not be read, so that `attach` may miss it through no other fault.
    model_missing: bool,
    /// How many `replicate`s enclose what is being read.
    replicates: usize,
}

/// A default class in effect.
type Class = Key<DefaultClass>;

impl Reader<'_> {
    fn model(&mut self, root: Elem<'_>, comment: Option<&str>) {
        let sections = root.children();
        if let Some(model) = root.attr("model") {
            self.spec.modelname = model.value().into_owned();
        }
        comment.unwrap_or_default().clone_into(&mut self.spec.comment);

        let mut each = |name: &str, read: fn(&mut Self, Elem<'_>)| {
            for &section in sections.iter().filter(|section| section.name() == name) {
                read(self, section);
            }
        };
        each("compiler", Self::compiler);
        each("option", Self::option);
        each("size", Self::size);
        each("visual", Self::visual);
        each("statistic", Self::statistic);
        each("default", Self::main_default);
        each("extension", Self::extension);
        each("custom", Self::custom);
        each("asset", Self::asset);
        each("contact", Self::contact);
        each("deformable", Self::asset);
        each("equality", Self::equality);
        each("tendon", Self::tendon);
        each("actuator", Self::actuator);
        each("sensor", Self::sensor);
        each("keyframe", Self::keyframe);
        each("worldbody", Self::worldbody);
    }

    /// Reports an error at an element.
    pub(crate) fn error(&mut self, elem: Elem<'_>, message: impl Into<String>) {
        self.report(elem, Diagnostic::error(message));
    }

    pub(crate) fn report(&mut self, elem: Elem<'_>, item: Diagnostic) {
        self.diags.push(item.at(elem.source()).element(elem.name()));
    }

    /// The class named by an attribute; `None` if there is none or it is unknown.
    fn class_attr(&mut self, elem: Elem<'_>, attr: &str) -> Option<Class> {
        let attr = elem.attr(attr)?;
        let name = attr.value();
        let found = self.classes.get(name.as_ref()).copied();
        if found.is_none() {
            let known = self.classes.keys().map(String::as_str);
            let mut sorted: Vec<&str> = known.collect();
            sorted.sort_unstable();
            let item = Diagnostic::error(format!("unknown default class '{name}'"))
                .did_you_mean(crate::diagnostic::closest(&name, sorted))
                .hint("declare it in the 'default' section");
            let at = elem.attr_source(attr);
            self.diags.push(item.at(at).element(elem.name()).marking(attr.name().len()));
        }
        found
    }

    /// The class an element outside the body tree belongs to.
    fn class_of(&mut self, elem: Elem<'_>) -> Class {
        self.class_attr(elem, "class").unwrap_or(Spec::MAIN_CLASS)
    }

    /// The path of an asset as the spec keeps it: as written if the file is found from the
    /// main file, else resolved against the included file that names it.
    fn resolve_file(&self, elem: Elem<'_>, file: &str, dir: &str) -> String {
        let file = normalize(file);
        let base = join(&self.spec.modelfiledir, dir);
        if is_absolute(&file) || self.context.assets.exists("", &join(&base, &file)) {
            return file;
        }
        match elem.include_dir() {
            None | Some("") => file,
            Some(include_dir) => {
                let path = join(include_dir, &file);
                if is_absolute(&path) || !self.context.assets.exists("", &path) {
                    return path;
                }
                // Relative to the working directory: made absolute so that directories of the
                // compiler settings are not put in front of it.
                match std::path::absolute(&path) {
                    Ok(absolute) => absolute.to_string_lossy().into_owned(),
                    Err(_) => path,
                }
            }
        }
    }
}
