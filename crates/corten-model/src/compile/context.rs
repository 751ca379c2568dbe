//! What all passes share: input, files, findings.

use crate::assets::Assets;
use crate::diagnostic::{Diagnostic, Diagnostics, closest};
use crate::enums::ObjType;
use crate::names::Names;
use crate::spec::{Element, Spec};

pub(super) struct Context<'a> {
    pub spec: &'a Spec,
    pub assets: &'a Assets,
    pub diagnostics: Diagnostics,
}

impl<'a> Context<'a> {
    pub fn new(spec: &'a Spec, assets: &'a Assets) -> Context<'a> {
        Context { spec, assets, diagnostics: Diagnostics::new() }
    }

    /// Records an error about an element; `kind` is its XML name.
    pub fn error(&mut self, kind: &str, element: &impl Element, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(message).on(kind, element));
    }

    /// The index of the object that `element` refers to, or an error that suggests a similar name.
    pub fn resolve(
        &mut self,
        names: &Names,
        target: ObjType,
        name: &str,
        kind: &str,
        element: &impl Element,
    ) -> Option<usize> {
        let found = names.id(target, name);
        if found.is_none() {
            self.diagnostics.push(unknown(names, target, name).on(kind, element));
        }
        found
    }

    pub fn finish(mut self) -> Diagnostics {
        self.diagnostics.locate(&self.spec.sources);
        self.diagnostics
    }
}

/// "No such object", with the closest existing name.
pub(super) fn unknown(names: &Names, target: ObjType, name: &str) -> Diagnostic {
    let what = kind_name(target);
    if name.is_empty() {
        return Diagnostic::error(format!("the name of the {what} is missing"));
    }
    let candidates = names.all(if target == ObjType::Xbody { ObjType::Body } else { target });
    let candidates = candidates.iter().map(String::as_str).filter(|n| !n.is_empty());
    Diagnostic::error(format!("there is no {what} named '{name}'"))
        .did_you_mean(closest(name, candidates))
}

/// XML name of a type of objects.
pub(super) fn kind_name(kind: ObjType) -> &'static str {
    match kind {
        ObjType::Body | ObjType::Xbody => "body",
        ObjType::Joint => "joint",
        ObjType::Geom => "geom",
        ObjType::Site => "site",
        ObjType::Camera => "camera",
        ObjType::Light => "light",
        ObjType::Flex => "flex",
        ObjType::Mesh => "mesh",
        ObjType::Skin => "skin",
        ObjType::HField => "hfield",
        ObjType::Texture => "texture",
        ObjType::Material => "material",
        ObjType::Pair => "pair",
        ObjType::Exclude => "exclude",
        ObjType::Equality => "equality",
        ObjType::Tendon => "tendon",
        ObjType::Actuator => "actuator",
        ObjType::Sensor => "sensor",
        ObjType::Numeric => "numeric",
        ObjType::Text => "text",
        ObjType::Tuple => "tuple",
        ObjType::Key => "key",
        ObjType::Plugin => "plugin",
        ObjType::Frame => "frame",
        _ => "object",
    }
}

/// An index as it is stored in arrays: −1 for none.
pub(super) fn id(index: Option<usize>) -> i32 {
    index.map_or(-1, |i| i as i32)
}
