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
    let what = target.xml_name();
    if name.is_empty() {
        return Diagnostic::error(format!("the name of the {what} is missing"));
    }
    let candidates = names.all(if target == ObjType::Xbody { ObjType::Body } else { target });
    let candidates = candidates.iter().map(String::as_str).filter(|n| !n.is_empty());
    Diagnostic::error(format!("there is no {what} named '{name}'"))
        .did_you_mean(closest(name, candidates))
}

/// An index as it is stored in arrays: −1 for none.
pub(super) fn id(index: Option<usize>) -> i32 {
    index.map_or(-1, |i| i as i32)
}
