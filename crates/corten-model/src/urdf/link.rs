//! Links: inertia, and the shapes for sight and contact.

use corten_math::Quat;

use super::{Robot, child, origin, require_child, require_number};
use crate::diagnostic::Diagnostic;
use crate::mjcf::forest::Elem;
use crate::mjcf::read::value::{require, require_text, text};
use crate::spec::{Body, Key, Spec};

impl Robot<'_, '_> {
    pub(super) fn link(&mut self, elem: Elem<'_>) {
        let name = text(elem, "name").unwrap_or_default();
        let Some(&body) = self.links.get(&name) else { return };
        // The colour of a visual also colours the collision shapes after it.
        let mut rgba: Option<[f32; 4]> = None;
        for part in elem.children() {
            match part.name() {
                "inertial" => self.inertial(part, body),
                "visual" => {
                    rgba = self.color(part).or(rgba);
                    if !self.reader.spec.compiler.discardvisual {
                        self.shape(part, body, false, rgba);
                    }
                }
                "collision" => self.shape(part, body, true, rgba),
                _ => {}
            }
        }
    }

    fn inertial(&mut self, elem: Elem<'_>, body: Key<Body>) {
        if body == Spec::WORLD {
            let item = Diagnostic::note("the inertia of the world has no effect on motion");
            self.reader.report(elem, item);
        }
        let (pos, quat) = origin(self.reader, elem);
        let mass = require_child(self.reader, elem, "mass")
            .map_or(0.0, |mass| require_number(self.reader, mass, "value"));
        let full = require_child(self.reader, elem, "inertia").map(|inertia| {
            ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]
                .map(|name| require_number(self.reader, inertia, name))
        });
        // All zero stands for an unknown inertia.
        let full = full.filter(|full| full.iter().any(|&x| x != 0.0));
        if full.is_some() && quat != Quat::IDENTITY {
            let message = "the rotation of this inertial frame has no effect, as in MuJoCo: the \
                           inertia is taken along the axes of the link";
            let item =
                Diagnostic::warning(message).hint("give the inertia in the frame of the link");
            self.reader.report(elem, item);
        }
        let body = &mut self.reader.spec.bodies[body];
        body.explicitinertial = true;
        body.mass = mass;
        (body.ipos, body.iquat) = (Some(pos), quat);
        body.fullinertia = full;
    }

    fn color(&mut self, visual: Elem<'_>) -> Option<[f32; 4]> {
        let material = child(visual, "material")?;
        if let Some(color) = child(material, "color") {
            let mut rgba = [0.0; 4];
            require(&mut self.reader.diags, color, "rgba", &mut rgba);
            return Some(rgba);
        }
        let name = require_text(&mut self.reader.diags, material, "name");
        self.colors.get(&name).copied()
    }

    /// Registers the name of a shape; `None` with a warning if it is taken.
    pub(super) fn geom_name(&mut self, elem: Elem<'_>) -> String {
        let name = text(elem, "name").unwrap_or_default();
        if name.is_empty() || self.geom_names.insert(name.clone()) {
            return name;
        }
        let message = format!("the name '{name}' is taken: this shape gets none");
        self.reader.report(elem, Diagnostic::warning(message));
        String::new()
    }
}
