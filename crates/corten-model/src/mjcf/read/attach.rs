//! Parts of models that are copied: `replicate` and `attach`.

use corten_math::{Quat, Vec3};

use super::Reader;
use super::body::Scope;
use super::value::{read, require, require_text, text};
use crate::compile::orientation::quaternion;
use crate::diagnostic::{Diagnostic, closest};
use crate::mjcf::forest::Elem;
use crate::spec::{AttachError, Body, Frame, Key, Orientation, Spec};

impl Reader<'_> {
    pub(super) fn replicate(&mut self, elem: Elem<'_>, scope: Scope) {
        // Copies of copies multiply: the outermost knows the product before anything is made.
        if self.replicates == 0 {
            let elements = self.expanded_size(elem);
            if !self.context.has_room(elements) {
                self.take_elements(elem, "'count'", elements);
                return;
            }
        }
        self.replicates += 1;
        let template = self.open_template(elem, scope);
        self.body_children(elem, template);
        self.copy_template(elem, scope, template);
        self.replicates -= 1;
    }

    /// Counts elements that are about to be made; `false` and a finding if they are too many. One
    /// finding is enough: whatever follows only exceeds the limit further.
    pub(super) fn take_elements(&mut self, elem: Elem<'_>, what: &str, elements: usize) -> bool {
        let had_room = self.context.has_room(0);
        if self.context.take_elements(elements) {
            return true;
        }
        if had_room {
            let limit = self.context.limits().elements;
            let message = format!("{what} would create more than {limit} elements");
            self.report(elem, Diagnostic::error(message).beyond("elements"));
        }
        false
    }

    /// How many elements of the tree an element of the text stands for, at least.
    fn expanded_size(&self, elem: Elem<'_>) -> usize {
        let inside = elem.children().into_iter().map(|child| self.expanded_size(child));
        let inside = inside.fold(0, usize::saturating_add);
        match elem.name() {
            "replicate" => {
                let count = elem.attr("count").and_then(|n| n.value().trim().parse().ok());
                inside.saturating_add(1).saturating_mul(count.unwrap_or(0))
            }
            "attach" => {
                let name = text(elem, "model").unwrap_or_default();
                let model = self.spec.models.values().find(|model| model.spec.modelname == name);
                model.map_or(1, |model| match text(elem, "body") {
                    Some(body) => {
                        let root = model.spec.find_body(&body);
                        root.map_or(1, |root| model.spec.subtree_size(root))
                    }
                    None => model.spec.subtree_size(Spec::WORLD),
                })
            }
            _ => inside.saturating_add(1),
        }
    }

    /// A body for the content, which makes way for its copies.
    #[inline(never)]
    fn open_template(&mut self, elem: Elem<'_>, scope: Scope) -> Scope {
        let class = self.class_attr(elem, "childclass").unwrap_or(scope.class);
        let body = self.spec.bodies.insert(Body {
            parent: Some(scope.body),
            class: Some(class),
            source: elem.source(),
            ..Default::default()
        });
        self.spec.bodies[scope.body].bodies.push(body);
        Scope { body, frame: None, class, template: true }
    }

    #[inline(never)]
    fn copy_template(&mut self, elem: Elem<'_>, scope: Scope, template: Scope) {
        let (mut count, mut offset, mut euler) = (0i32, Vec3::ZERO, Vec3::ZERO);
        let diags = &mut self.diags;
        require(diags, elem, "count", &mut count);
        read(diags, elem, "offset", &mut offset);
        read(diags, elem, "euler", &mut euler);
        let separator = text(elem, "sep").unwrap_or_default();
        let Scope { body: template, class, .. } = template;
        let count = usize::try_from(count).unwrap_or(0);
        let elements = self.spec.subtree_size(template).saturating_mul(count);
        if !self.take_elements(elem, "'count'", elements) {
            return;
        }

        let width = count.to_string().len();
        let mut pos = Vec3::ZERO;
        let mut frames: Vec<(Key<Frame>, String)> = Vec::with_capacity(count);
        for i in 0..count {
            let angles = euler * i as f64;
            let alt =
                if euler == Vec3::ZERO { Orientation::Quat } else { Orientation::Euler(angles) };
            let frame = Frame {
                body: Some(scope.body),
                frame: scope.frame,
                class: Some(class),
                source: elem.source(),
                pos,
                alt,
                ..Default::default()
            };
            let key = self.spec.frames.insert(frame);
            self.spec.bodies[scope.body].frames.push(key);
            frames.push((key, format!("{separator}{i:0width$}")));
            let rotation = Orientation::Euler(angles);
            let turn = quaternion(Quat::IDENTITY, &rotation, &self.spec.compiler);
            pos += turn.unwrap_or_default().to_mat() * offset;
        }
        if let Err(error) = self.spec.replicate(template, &frames) {
            let hint = match error {
                AttachError::KeyframeSize { .. } => {
                    "values must fit the model as read up to here, before copying"
                }
                _ => "names inside of a 'replicate' must differ from those before it",
            };
            self.report(elem, Diagnostic::error(error.to_string()).hint(hint));
        }
    }

    #[inline(never)]
    pub(super) fn attach(&mut self, elem: Elem<'_>, scope: Scope) {
        let model_name = require_text(&mut self.diags, elem, "model");
        let prefix = require_text(&mut self.diags, elem, "prefix");
        let body_name = text(elem, "body").unwrap_or_default();
        let frame = scope.frame.unwrap_or_else(|| {
            let frame = Frame {
                body: Some(scope.body),
                class: Some(scope.class),
                source: elem.source(),
                ..Default::default()
            };
            let key = self.spec.frames.insert(frame);
            self.spec.bodies[scope.body].frames.push(key);
            key
        });

        let full_name = format!("{prefix}{body_name}");
        if let Some(existing) = self.spec.find_body(&full_name).filter(|_| !full_name.is_empty()) {
            self.reframe(elem, existing, scope.body, frame);
            return;
        }
        let found = self.spec.models.iter().find(|(_, model)| model.spec.modelname == model_name);
        let Some((key, _)) = found else {
            if self.model_missing {
                return;
            }
            let known: Vec<&str> =
                self.spec.models.values().map(|model| model.spec.modelname.as_str()).collect();
            let item = Diagnostic::error(format!("no model '{model_name}' among the assets"))
                .did_you_mean(closest(&model_name, known))
                .hint("declare it by <asset><model name=\"...\" file=\"...\"/></asset>");
            self.report(elem, item);
            return;
        };
        let child = &self.spec.models[key].spec;
        let root =
            if body_name.is_empty() { Some(Spec::WORLD) } else { child.find_body(&body_name) };
        let elements = root.map_or(0, |root| child.subtree_size(root) + child.elements_outside());
        if !self.take_elements(elem, "the attached model", elements) {
            return;
        }
        let child = std::mem::replace(&mut self.spec.models[key].spec, Box::new(Spec::empty()));
        let result = if body_name.is_empty() {
            self.spec.attach_world(frame, &child, &prefix, "")
        } else if let Some(body) = child.find_body(&body_name) {
            self.spec.attach_body(frame, &child, body, &prefix, "").map(|_| ())
        } else {
            self.error(elem, format!("no body '{body_name}' in model '{model_name}'"));
            Ok(())
        };
        let flexes = !child.flexes.is_empty() && !prefix.is_empty();
        self.spec.models[key].spec = child;
        if flexes {
            let item = Diagnostic::warning("attached flexes keep their names, without the prefix");
            self.report(elem, item.hint("as in MuJoCo 3.4.0, unless a name is taken"));
        }
        if let Err(error) = result {
            self.error(elem, error.to_string());
        }
        for (key, class) in self.spec.defaults.iter() {
            self.classes.entry(class.name.clone()).or_insert(key);
        }
    }

    /// Moves a body that is there already into a frame.
    fn reframe(&mut self, elem: Elem<'_>, key: Key<Body>, parent: Key<Body>, frame: Key<Frame>) {
        let body = &mut self.spec.bodies[key];
        if body.parent == Some(parent) {
            body.frame = Some(frame);
        } else {
            let message = format!("body '{}' is attached already, in another body", body.name);
            self.error(elem, message);
        }
    }
}
