//! Elements that may occur once in their parent: a second one is an error, as in MuJoCo.

use crate::diagnostic::Diagnostic;
use crate::mjcf::forest::Elem;
use crate::mjcf::read::Reader;

/// Children that are looked up by name, per parent.
const ONCE: [(&str, &[&str]); 9] = [
    ("robot", &["mujoco"]),
    ("mujoco", &["compiler", "option", "size"]),
    ("link", &["inertial"]),
    ("inertial", &["origin", "mass", "inertia"]),
    ("visual", &["origin", "geometry", "material"]),
    ("collision", &["origin", "geometry"]),
    ("geometry", &["box", "cylinder", "sphere", "capsule", "mesh"]),
    ("joint", &["parent", "child", "origin", "axis", "dynamics", "limit"]),
    ("material", &["color"]),
];

/// Checks a whole robot. Shapes for sight that are going to be discarded may be anything.
pub(super) fn check(reader: &mut Reader<'_>, root: Elem<'_>) {
    let discardvisual = reader.spec.compiler.discardvisual;
    // The root may be written in any case.
    let mut pending = vec![(root, "robot")];
    while let Some((elem, name)) = pending.pop() {
        let Some((_, once)) = ONCE.iter().find(|(parent, _)| *parent == name) else { continue };
        let discarded = name == "visual" && discardvisual;
        let children = elem.children();
        for unique in once.iter().filter(|unique| !discarded || **unique == "material") {
            for again in children.iter().filter(|c| c.name() == *unique).skip(1) {
                let item = Diagnostic::error(format!("more than one '{unique}' in '{name}'"));
                reader.report(*again, item);
            }
        }
        let kept = children.into_iter().rev().filter(|c| !discarded || c.name() == "material");
        pending.extend(kept.map(|child| (child, child.name())));
    }
}
