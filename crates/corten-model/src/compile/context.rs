//! What all passes share: input, files, findings.

use std::sync::atomic::{AtomicUsize, Ordering};

use corten_math::memory::OutOfMemory;

use crate::assets::Assets;
use crate::diagnostic::{Diagnostic, Diagnostics, Subject, closest};
use crate::enums::ObjType;
use crate::limits::MEMORY;
use crate::names::Names;
use crate::plugin::Catalog;
use crate::spec::{Element, Spec};

pub(super) struct Context<'a> {
    pub spec: &'a Spec,
    pub assets: &'a Assets,
    pub catalog: &'a dyn Catalog,
    pub diagnostics: Diagnostics,
    /// Bytes of images so far, against the limit.
    image_bytes: AtomicUsize,
    /// Names after bodies were fused; `names` have the numbering from before.
    pub moved: Option<Moved<'a>>,
}

/// Names of the elements that fused bodies handed over to their parents, as they are now.
pub(super) struct Moved<'a> {
    pub geoms: Vec<&'a str>,
    pub sites: Vec<&'a str>,
}

/// What is wrong with an asset.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    message: String,
    limit: Option<&'static str>,
}

impl From<String> for Fault {
    fn from(message: String) -> Fault {
        Fault { message, limit: None }
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Fault {
        message.to_owned().into()
    }
}

impl From<OutOfMemory> for Fault {
    fn from(error: OutOfMemory) -> Fault {
        Fault { message: error.to_string(), limit: Some(MEMORY) }
    }
}

impl Fault {
    pub fn beyond(limit: &'static str, message: String) -> Fault {
        Fault { message, limit: Some(limit) }
    }

    /// With what it is about in front.
    pub fn in_context(self, context: &str) -> Fault {
        Fault { message: format!("{context}: {}", self.message), ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.message.is_empty()
    }
}

impl<'a> Context<'a> {
    pub fn new(spec: &'a Spec, assets: &'a Assets, catalog: &'a dyn Catalog) -> Context<'a> {
        let (diagnostics, image_bytes) = (Diagnostics::new(), AtomicUsize::new(0));
        Context { spec, assets, catalog, diagnostics, image_bytes, moved: None }
    }

    /// Counts the bytes of an image before they are made.
    pub fn take_image_bytes(&self, width: usize, height: usize, each: usize) -> Result<(), Fault> {
        let bytes = width.saturating_mul(height).saturating_mul(each);
        let before = self.image_bytes.fetch_add(bytes, Ordering::Relaxed);
        let limit = self.spec.limits.image_bytes;
        if before.saturating_add(bytes) <= limit {
            return Ok(());
        }
        // What is refused takes nothing; sums must not wrap around.
        self.image_bytes.fetch_sub(bytes, Ordering::Relaxed);
        let message =
            format!("{width} by {height} is too large: images would take more than {limit} bytes");
        Err(Fault::beyond("image_bytes", message))
    }

    /// Records what is wrong with an asset.
    pub fn fault(&mut self, kind: &str, element: &impl Element, fault: Fault) {
        let item = Diagnostic::error(fault.message).on(kind, element);
        self.diagnostics.push(match fault.limit {
            Some(limit) => item.beyond(limit),
            None => item,
        });
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
