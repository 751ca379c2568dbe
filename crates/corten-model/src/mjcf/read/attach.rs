//! Parts of models that are copied: `replicate` and `attach`.

use corten_math::{Quat, Vec3};

use super::Reader;
use super::body::Place;
use super::value::{read, require, require_text, text};
use crate::compile::orientation::quaternion;
use crate::diagnostic::{Diagnostic, closest};
use crate::mjcf::forest::Elem;
use crate::spec::{Body, Frame, Key, Orientation, Spec};

/// Most elements that the `replicate`s of a model may create together, one inside the other
/// included: about 2 GB.
pub(super) const MAX_COPIES: usize = 5_000_000;

impl Reader<'_> {
    pub(super) fn replicate(&mut self, elem: Elem<'_>, place: Place) {
        let template = self.open_template(elem, place);
        self.body_children(elem, template);
        self.copy_template(elem, place, template);
    }

    /// A body for the content, which makes way for its copies.
    #[inline(never)]
    fn open_template(&mut self, elem: Elem<'_>, place: Place) -> Place {
        let class = self.class_attr(elem, "childclass").unwrap_or(place.class);
        let body = self.spec.bodies.insert(Body {
            parent: Some(place.body),
            class: Some(class),
            source: elem.source(),
            ..Default::default()
        });
        self.spec.bodies[place.body].bodies.push(body);
        Place { body, frame: None, class, template: true }
    }

    #[inline(never)]
    fn copy_template(&mut self, elem: Elem<'_>, place: Place, template: Place) {
        let (mut count, mut offset, mut euler) = (0i32, Vec3::ZERO, Vec3::ZERO);
        let diags = &mut self.diags;
        require(diags, elem, "count", &mut count);
        read(diags, elem, "offset", &mut offset);
        read(diags, elem, "euler", &mut euler);
        let separator = text(elem, "sep").unwrap_or_default();
        let Place { body: template, class, .. } = template;
        let count = usize::try_from(count).unwrap_or(0);
        let copies = self.subtree_size(template).saturating_mul(count);
        self.copies = self.copies.saturating_add(copies);
        if self.copies > MAX_COPIES {
            // One finding is enough: enclosing elements would only exceed it further.
            if self.copies - copies <= MAX_COPIES {
                self.error(elem, format!("'count' would create more than {MAX_COPIES} elements"));
            }
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
                body: Some(place.body),
                frame: place.frame,
                class: Some(class),
                source: elem.source(),
                pos,
                alt,
                ..Default::default()
            };
            let key = self.spec.frames.insert(frame);
            self.spec.bodies[place.body].frames.push(key);
            frames.push((key, format!("{separator}{i:0width$}")));
            let rotation = Orientation::Euler(angles);
            let turn = quaternion(Quat::IDENTITY, &rotation, &self.spec.compiler);
            pos += turn.unwrap_or_default().to_mat() * offset;
        }
        if let Err(error) = self.spec.replicate(template, &frames) {
            let item = Diagnostic::error(error.to_string());
            self.report(
                elem,
                item.hint("values must fit the model as read up to here, before copying"),
            );
        }
    }

    /// Number of elements in and below a body.
    fn subtree_size(&self, root: Key<Body>) -> usize {
        let (mut total, mut pending) = (0, vec![root]);
        while let Some(body) = pending.pop().and_then(|key| self.spec.bodies.get(key)) {
            total += 1 + body.joints.len() + body.geoms.len() + body.sites.len();
            total += body.frames.len() + body.cameras.len() + body.lights.len();
            pending.extend(&body.bodies);
        }
        total
    }

    #[inline(never)]
    pub(super) fn attach(&mut self, elem: Elem<'_>, place: Place) {
        let model_name = require_text(&mut self.diags, elem, "model");
        let prefix = require_text(&mut self.diags, elem, "prefix");
        let body_name = text(elem, "body").unwrap_or_default();
        let frame = place.frame.unwrap_or_else(|| {
            let frame = Frame {
                body: Some(place.body),
                class: Some(place.class),
                source: elem.source(),
                ..Default::default()
            };
            let key = self.spec.frames.insert(frame);
            self.spec.bodies[place.body].frames.push(key);
            key
        });

        let full_name = format!("{prefix}{body_name}");
        if let Some(existing) = self.spec.find_body(&full_name).filter(|_| !full_name.is_empty()) {
            self.reframe(elem, existing, place.body, frame);
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
