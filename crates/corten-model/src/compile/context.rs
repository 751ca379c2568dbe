//! What all passes share: input, files, findings.

use crate::assets::Assets;
use crate::diagnostic::{Diagnostic, Diagnostics, Subject, closest};
use crate::enums::ObjType;
use crate::names::Names;
use crate::spec::{Element, Spec};

pub(super) struct Context<'a> {
    pub spec: &'a Spec,
    pub assets: &'a Assets,
    pub diagnostics: Diagnostics,
    /// Names after bodies were fused; `names` have the numbering from before.
    pub moved: Option<Moved<'a>>,
}

/// Names of the elements that fused bodies handed over to their parents, as they are now.
pub(super) struct Moved<'a> {
    pub geoms: Vec<&'a str>,
    pub sites: Vec<&'a str>,
}

impl<'a> Context<'a> {
    pub fn new(spec: &'a Spec, assets: &'a Assets) -> Context<'a> {
        Context { spec, assets, diagnostics: Diagnostics::new(), moved: None }
    }

    /// Records an error about an element; `kind` is its XML name.
    pub fn error(&mut self, kind: &str, element: &impl Element, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(message).on(kind, element));
    }

    /// The index of the object that `element` refers to, or an error that suggests a similar name.
    /// Where static bodies were fused it may be another object than the author meant, as in MuJoCo.
    pub fn resolve(
        &mut self,
        names: &Names,
        target: ObjType,
        name: &str,
        kind: &str,
        element: &impl Element,
    ) -> Option<usize> {
        let found = names.id(target, name);
        match found {
            Some(found) => self.check_moved(target, found, name, kind, element),
            None => self.diagnostics.push(unknown(names, target, name).on(kind, element)),
        }
        found
    }

    /// The index of a material; `None` for no name. As in MuJoCo, nothing but a geom may have a
    /// material of its own when `discardvisual` removes them all.
    pub fn material(
        &mut self,
        names: &Names,
        name: &str,
        kind: &str,
        element: &impl Element,
    ) -> Option<usize> {
        if name.is_empty() {
            return None;
        }
        if self.spec.compiler.discardvisual {
            let message = format!("'discardvisual' removes the material '{name}'");
            let item = Diagnostic::error(message).hint("give it a colour instead");
            self.diagnostics.push(item.on(kind, element));
            return None;
        }
        self.resolve(names, ObjType::Material, name, kind, element)
    }

    /// Warns of a name that now stands for another object.
    pub fn check_moved(
        &mut self,
        target: ObjType,
        found: usize,
        name: &str,
        kind: &str,
        element: &impl Element,
    ) {
        let Some(moved) = &self.moved else { return };
        let list = match target {
            ObjType::Geom => &moved.geoms,
            ObjType::Site => &moved.sites,
            _ => return,
        };
        if let Some(&now) = list.get(found).filter(|&&now| now != name) {
            let what = target.xml_name();
            let message = format!("'fusestatic' makes {what} '{name}' mean {what} '{now}'");
            let item = Diagnostic::warning(message).hint("leave static bodies unfused");
            self.diagnostics.push(item.on(kind, element));
        }
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
        .about(Subject::Name)
        .did_you_mean(closest(name, candidates))
}

/// An index as it is stored in arrays: −1 for none.
pub(super) fn id(index: Option<usize>) -> i32 {
    index.map_or(-1, |i| i as i32)
}
