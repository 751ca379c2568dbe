//! URDF text to [`Spec`](crate::spec::Spec).
//!
//! Answers to MuJoCo's `mjXURDF`. A robot is links and joints by name; the tree follows from
//! the joints. A `mujoco` element may carry compiler settings, options and sizes. Parts of URDF
//! that have no counterpart here are reported once per kind. Beyond MuJoCo: `package://` is looked
//! up where packages are kept, and `mimic` can become an equality constraint.

mod geometry;
mod link;
mod repeated;

use std::collections::{BTreeSet, HashMap, HashSet};

use corten_math::{Quat, Vec3};

use crate::compile::orientation::quaternion;
use crate::diagnostic::Diagnostic;
use crate::enums::{EqualityType, JointType, Limited};
use crate::mjcf::forest::Elem;
use crate::mjcf::read::Reader;
use crate::mjcf::read::value::{missing, read, require, require_text, text};
use crate::mjcf::schema;
use crate::spec::{Body, Compiler, Equality, Joint, Key, Mesh, Orientation, Spec};

/// Reads a `robot` element.
pub(crate) fn read_robot(reader: &mut Reader<'_>, root: Elem<'_>) {
    let mut robot = Robot {
        reader,
        links: HashMap::new(),
        colors: HashMap::new(),
        geom_names: HashSet::new(),
        meshes: HashMap::new(),
    };
    robot.read(root);
}

struct Robot<'r, 'a> {
    reader: &'r mut Reader<'a>,
    links: HashMap<String, Key<Body>>,
    /// Colours of named materials.
    colors: HashMap<String, [f32; 4]>,
    geom_names: HashSet<String>,
    /// Meshes by the name of their file, one per scale.
    meshes: HashMap<String, Vec<Key<Mesh>>>,
}

/// The first child of this name.
fn child<'a>(elem: Elem<'a>, name: &str) -> Option<Elem<'a>> {
    elem.children().into_iter().find(|child| child.name() == name)
}

/// Pose of an `origin` element; the identity if there is none.
fn origin(reader: &mut Reader<'_>, elem: Elem<'_>) -> (Vec3, Quat) {
    let (mut pos, mut angles) = (Vec3::ZERO, Vec3::ZERO);
    if let Some(origin) = child(elem, "origin") {
        read(&mut reader.diags, origin, "xyz", &mut pos);
        read(&mut reader.diags, origin, "rpy", &mut angles);
    }
    let fixed_axes = Compiler { eulerseq: *b"XYZ", degree: false, ..Default::default() };
    let quat = quaternion(Quat::IDENTITY, &Orientation::Euler(angles), &fixed_axes);
    (pos, quat.unwrap_or_default())
}

impl Robot<'_, '_> {
    fn read(&mut self, root: Elem<'_>) {
        let spec = &mut self.reader.spec;
        spec.strippath = true;
        spec.compiler.fusestatic = true;
        spec.compiler.discardvisual = true;
        if let Some(settings) = child(root, "mujoco") {
            self.settings(settings);
        }
        repeated::check(self.reader, root);
        // Angles of URDF are radians, whatever the settings say.
        self.reader.spec.compiler.degree = false;
        if let Some(name) = text(root, "name") {
            self.reader.spec.modelname = name;
        }
        self.materials(root);
        let elements = root.children();
        let named = |name: &'static str| elements.iter().copied().filter(move |e| e.name() == name);
        self.tree(named("link").collect(), named("joint").collect());
        for link in named("link") {
            self.link(link);
        }
        for joint in named("joint") {
            self.joint(joint);
        }
        self.report_ignored(&elements);
    }

    fn settings(&mut self, elem: Elem<'_>) {
        schema::check_settings(elem, &["compiler", "option", "size"], &mut self.reader.diags);
        for section in elem.children() {
            match section.name() {
                "compiler" => self.reader.compiler(section),
                "option" => self.reader.option(section),
                "size" => self.reader.size(section),
                _ => {}
            }
        }
    }

    /// Materials anywhere in the file that have a name and a colour; the first of a name counts.
    fn materials(&mut self, root: Elem<'_>) {
        let mut pending = vec![root];
        while let Some(elem) = pending.pop() {
            if elem.name() == "material"
                && let (Some(name), Some(color)) = (text(elem, "name"), child(elem, "color"))
                && !self.colors.contains_key(&name)
            {
                let mut rgba = [0.0; 4];
                require(&mut self.reader.diags, color, "rgba", &mut rgba);
                self.colors.insert(name, rgba);
            }
            let mut children = elem.children();
            children.reverse();
            pending.extend(children);
        }
    }

    /// Creates the bodies: links in the order in which joints hang them below each other.
    fn tree(&mut self, links: Vec<Elem<'_>>, joints: Vec<Elem<'_>>) {
        let mut order: Vec<(String, Elem<'_>)> = Vec::new();
        let mut index: HashMap<String, usize> = HashMap::new();
        for link in links {
            let name = require_text(&mut self.reader.diags, link, "name");
            if index.contains_key(&name) {
                self.reader.error(link, format!("link '{name}' is declared twice"));
            } else {
                index.insert(name.clone(), order.len());
                order.push((name, link));
            }
        }
        let mut parent: Vec<Option<usize>> = vec![None; order.len()];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for joint in joints {
            let ends = ["parent", "child"].map(|end| self.end_of(joint, end, &index));
            if let [Some(from), Some(to)] = ends {
                if parent[to].is_some() {
                    let name = &order[to].0;
                    self.reader.error(joint, format!("link '{name}' has more than one parent"));
                } else {
                    parent[to] = Some(from);
                    children[from].push(to);
                }
            }
        }
        for root in (0..order.len()).filter(|&i| parent[i].is_none()) {
            let mut pending = vec![(root, Spec::WORLD)];
            while let Some((i, above)) = pending.pop() {
                let key = self.add_body(&order[i].0, order[i].1, above);
                pending.extend(children[i].iter().rev().map(|&below| (below, key)));
            }
        }
        for (name, link) in &order {
            if !self.links.contains_key(name) {
                self.reader.error(*link, format!("link '{name}' is part of a loop of joints"));
            }
        }
    }

    fn end_of(
        &mut self,
        joint: Elem<'_>,
        end: &str,
        index: &HashMap<String, usize>,
    ) -> Option<usize> {
        let Some(elem) = child(joint, end) else {
            let message = format!("required element '{end}' is missing");
            self.reader.error(joint, message);
            return None;
        };
        let name = require_text(&mut self.reader.diags, elem, "link");
        let found = index.get(&name).copied();
        if found.is_none() && !name.is_empty() {
            let known = index.keys().map(String::as_str).collect::<BTreeSet<_>>();
            let item = Diagnostic::error(format!("no link '{name}'"))
                .did_you_mean(crate::diagnostic::closest(&name, known));
            self.reader.report(elem, item);
        }
        found
    }

    /// A link called `world` is the world itself.
    fn add_body(&mut self, name: &str, elem: Elem<'_>, parent: Key<Body>) -> Key<Body> {
        let spec = &mut self.reader.spec;
        let key = if name == "world" {
            Spec::WORLD
        } else {
            let key = spec.bodies.insert(Body {
                name: name.to_owned(),
                parent: Some(parent),
                source: elem.source(),
                ..Default::default()
            });
            spec.bodies[parent].bodies.push(key);
            key
        };
        self.links.insert(name.to_owned(), key);
        key
    }

    fn joint(&mut self, elem: Elem<'_>) {
        let kind = require_text(&mut self.reader.diags, elem, "type");
        let name = require_text(&mut self.reader.diags, elem, "name");
        let below = child(elem, "child").and_then(|end| text(end, "link"));
        let Some(&body) = below.and_then(|link| self.links.get(&link)) else { return };
        if body == Spec::WORLD {
            self.reader.error(elem, "the world cannot be below a joint");
            return;
        }
        let (pos, quat) = origin(self.reader, elem);
        let target = &mut self.reader.spec.bodies[body];
        (target.pos, target.quat) = (pos, quat);
        let mut axis = Vec3::X;
        if let Some(direction) = child(elem, "axis") {
            require(&mut self.reader.diags, direction, "xyz", &mut axis);
        }
        let plain = Joint { body: Some(body), source: elem.source(), ..Default::default() };
        let simple =
            |type_: JointType| vec![Joint { name: name.clone(), type_, axis, ..plain.clone() }];
        let mut joints = match kind.as_str() {
            "revolute" | "continuous" => simple(JointType::Hinge),
            "prismatic" => simple(JointType::Slide),
            "spherical" => simple(JointType::Ball),
            "floating" => vec![Joint { axis: Vec3::Z, ..simple(JointType::Free).remove(0) }],
            "fixed" => Vec::new(),
            "planar" => planar(&name, axis, &plain),
            "" if elem.attr("type").is_none() => return,
            other => {
                let item = Diagnostic::error(format!("unknown type of joint '{other}'")).expected(
                    "revolute, continuous, prismatic, fixed, floating, planar, spherical",
                );
                self.reader.report(elem, item);
                return;
            }
        };
        if !joints.is_empty() {
            self.dynamics(elem, &mut joints);
            self.limits(elem, &mut joints[0]);
        }
        if let Some(mimic) = child(elem, "mimic") {
            self.mimic(mimic, &joints);
        }
        let spec = &mut self.reader.spec;
        for joint in joints {
            let key = spec.joints.insert(joint);
            spec.bodies[body].joints.push(key);
        }
    }

    /// A joint that follows another: `position = multiplier * other + offset`.
    fn mimic(&mut self, elem: Elem<'_>, joints: &[Joint]) {
        let leader = require_text(&mut self.reader.diags, elem, "joint");
        let single = match joints {
            [joint] if matches!(joint.type_, JointType::Hinge | JointType::Slide) => joint,
            _ => {
                let message =
                    "'mimic' has no effect: only a joint with one axis can follow another";
                self.reader.report(elem, Diagnostic::warning(message));
                return;
            }
        };
        let name = &single.name;
        if !self.reader.context.options.mimic {
            let message =
                format!("'mimic' has no effect: joint '{name}' does not follow '{leader}'");
            let item = Diagnostic::warning(message);
            self.reader.report(elem, item.hint("couple them by an equality constraint"));
            return;
        }
        let (mut multiplier, mut offset) = (1.0, 0.0);
        read(&mut self.reader.diags, elem, "multiplier", &mut multiplier);
        read(&mut self.reader.diags, elem, "offset", &mut offset);
        let mut equality = Equality {
            type_: EqualityType::Joint,
            name1: name.clone(),
            name2: leader.clone(),
            source: elem.source(),
            ..self.reader.spec.defaults[Spec::MAIN_CLASS].equality.clone()
        };
        equality.data[..2].copy_from_slice(&[offset, multiplier]);
        let message = format!("joint '{name}' follows '{leader}' by an equality constraint");
        self.reader.report(elem, Diagnostic::note(message));
        self.reader.spec.equalities.insert(equality);
    }

    fn dynamics(&mut self, elem: Elem<'_>, joints: &mut [Joint]) {
        let Some(dynamics) = child(elem, "dynamics") else { return };
        let (mut damping, mut friction) = (0.0, 0.0);
        read(&mut self.reader.diags, dynamics, "damping", &mut damping);
        read(&mut self.reader.diags, dynamics, "friction", &mut friction);
        for joint in joints {
            (joint.damping, joint.frictionloss) = (damping, friction);
        }
    }

    fn limits(&mut self, elem: Elem<'_>, joint: &mut Joint) {
        let Some(limit) = child(elem, "limit") else { return };
        let diags = &mut self.reader.diags;
        let lower = read(diags, limit, "lower", &mut joint.range[0]);
        let upper = read(diags, limit, "upper", &mut joint.range[1]);
        if lower != upper || joint.range[0] > joint.range[1] {
            joint.limited = Limited::False;
        }
        let mut effort = 0.0f64;
        read(diags, limit, "effort", &mut effort);
        if effort != 0.0 {
            joint.actfrcrange = [-effort.abs(), effort.abs()];
        }
    }

    /// Warns of what has no counterpart, once per kind.
    fn report_ignored(&mut self, elements: &[Elem<'_>]) {
        let mut reported = BTreeSet::new();
        for elem in elements {
            let known = matches!(elem.name(), "link" | "joint" | "material" | "mujoco");
            if !known && reported.insert(elem.name().to_owned()) {
                let message = format!("element '{}' has no effect here", elem.name());
                self.reader.report(*elem, Diagnostic::warning(message));
            }
            for part in elem.children().into_iter().filter(|_| elem.name() == "joint") {
                let ignored = matches!(part.name(), "safety_controller" | "calibration");
                if ignored && reported.insert(part.name().to_owned()) {
                    let message = format!("'{}' of joints has no effect here", part.name());
                    self.reader.report(part, Diagnostic::note(message));
                }
                if part.attr("velocity").is_some() && reported.insert("velocity".to_owned()) {
                    let message = "limits of velocity have no effect here";
                    self.reader.report(part, Diagnostic::note(message));
                }
            }
        }
    }
}

/// Two slides in a plane and a hinge about its normal.
fn planar(name: &str, axis: Vec3, plain: &Joint) -> Vec<Joint> {
    let frame = Quat::from_z_to(axis).to_mat();
    let slide = |suffix: &str, direction: Vec3| Joint {
        name: format!("{name}_{suffix}"),
        type_: JointType::Slide,
        axis: direction,
        ..plain.clone()
    };
    vec![
        slide("TX", frame * Vec3::X),
        slide("TY", frame * Vec3::Y),
        Joint { name: format!("{name}_RZ"), type_: JointType::Hinge, axis, ..plain.clone() },
    ]
}

/// Reports a child element that must be there.
fn require_child<'a>(reader: &mut Reader<'_>, elem: Elem<'a>, name: &str) -> Option<Elem<'a>> {
    let found = child(elem, name);
    if found.is_none() {
        reader.error(elem, format!("required element '{name}' is missing"));
    }
    found
}

/// A number that must be there; zero if it is not.
fn require_number(reader: &mut Reader<'_>, elem: Elem<'_>, name: &str) -> f64 {
    let mut value = 0.0;
    if !read(&mut reader.diags, elem, name, &mut value) {
        missing(&mut reader.diags, elem, name);
    }
    value
}
