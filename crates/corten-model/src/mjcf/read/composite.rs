//! Composite objects: the cable, a chain of bodies along a curve.
//!
//! Answers to `mjCComposite`. Other types of composite objects are gone from MuJoCo; what to use
//! instead is said in the error.

use corten_math::{Quat, Vec3, real};

use super::Reader;
use super::body::Scope;
use super::value::{apply_except, misread, read, read_as, text};
use crate::diagnostic::Diagnostic;
use crate::enums::{GeomType, JointType};
use crate::mjcf::attr::{Misread, upto, words};
use crate::mjcf::forest::Elem;
use crate::spec::{Body, Exclude, Geom, Joint, Key, PluginUse, Site, Text};

/// Squared length below which a vector has no direction.
const EPS: f64 = 1e-14;
/// Group of elements that are hidden unless the author says otherwise.
const HIDDEN_GROUP: i32 = 3;
/// Most vertices of a cable: no model may have more bodies.
const MAX_LINKS: i32 = 65_533;
/// What a link of a cable consists of: body, joint, geom, exclusion.
const LINK_ELEMENTS: usize = 4;

/// The plugin that links of a cable can share.
const CABLE_PLUGIN: &str = "mujoco.elasticity.cable";

/// Types that are gone, and what took their place.
const REPLACED: [(&str, &str); 5] = [
    ("particle", "replicate"),
    ("grid", "flex"),
    ("rope", "a composite of type 'cable'"),
    ("loop", "flexcomp"),
    ("cloth", "flexcomp"),
];

/// A coordinate of a curve as a function of its parameter.
#[derive(Clone, Copy)]
enum Coordinate {
    Line,
    Cos,
    Sin,
    Zero,
}

pub(super) struct Cable {
    pub(super) prefix: String,
    /// Number of vertices; there is one link less.
    pub(super) count: usize,
    offset: Vec3,
    /// `free`, `ball` or `none`: how the first link is connected to its parent.
    initial: String,
    /// Three coordinates per vertex, in the precision MuJoCo keeps them.
    vertices: Vec<f32>,
    pub(super) geom: Geom,
    site: Site,
    joint: Joint,
    /// The plugin that all links share.
    plugin: PluginUse,
}

impl Reader<'_> {
    #[inline(never)]
    pub(super) fn composite(&mut self, elem: Elem<'_>, scope: Scope) {
        let Some(kind) = text(elem, "type") else {
            super::value::missing(&mut self.diags, elem, "type");
            return;
        };
        if let Some((_, instead)) = REPLACED.into_iter().find(|(name, _)| *name == kind) {
            let item = Diagnostic::error(format!("composite type '{kind}' no longer exists"));
            self.report(elem, item.hint(format!("use {instead}")));
            return;
        }
        if kind != "cable" {
            let item = Diagnostic::error(format!("unknown composite type '{kind}'"));
            self.report(elem, item.expected("cable"));
            return;
        }
        if let Some(cable) = self.read_cable(elem) {
            self.make_cable(elem, scope, &cable);
        }
    }

    fn read_cable(&mut self, elem: Elem<'_>) -> Option<Cable> {
        let diags = &mut self.diags;
        let (mut count, mut size) = ([1i32; 3], [1.0, 0.0, 0.0]);
        let (mut offset, mut quat) = (Vec3::ZERO, Quat::IDENTITY);
        let mut vertices: Vec<f32> = Vec::new();
        read_as::<upto, _>(diags, elem, "count", &mut count);
        read_as::<upto, _>(diags, elem, "size", &mut size);
        read(diags, elem, "offset", &mut offset);
        read(diags, elem, "quat", &mut quat);
        read(diags, elem, "vertex", &mut vertices);
        let curve = self.curve(elem);

        if count.iter().any(|&n| n < 1) {
            self.error(elem, "'count' must be positive");
            return None;
        }
        if vertices.is_empty() {
            if Vec3(size).dot(Vec3(size)) < corten_math::MIN_VAL {
                self.error(elem, "'size' must be positive");
                return None;
            }
        } else {
            if count[0] > 1 {
                self.error(elem, "'vertex' and 'count' cannot both be given");
                return None;
            }
            count[0] = i32::try_from(vertices.len() / 3).unwrap_or(i32::MAX);
            count[1] = 1;
        }
        if count[0] < 2 || count[1] != 1 || count[2] != 1 {
            let item = Diagnostic::error("a cable must be one-dimensional");
            self.report(elem, item.expected("a first count of at least 2, others 1"));
            return None;
        }
        if count[0] > MAX_LINKS {
            self.error(elem, format!("a cable cannot have more than {MAX_LINKS} vertices"));
            return None;
        }
        if !self.take_elements(elem, "'count'", LINK_ELEMENTS * count[0] as usize) {
            return None;
        }
        let count = count[0] as usize;
        if vertices.is_empty() {
            vertices = curve_vertices(curve, size, count, quat);
        }
        let mut cable = Cable {
            prefix: text(elem, "prefix").unwrap_or_default(),
            count,
            offset,
            initial: text(elem, "initial").unwrap_or_else(|| "ball".into()),
            vertices,
            geom: Geom { source: elem.source(), ..Default::default() },
            site: Site { group: HIDDEN_GROUP, source: elem.source(), ..Default::default() },
            joint: Joint { group: HIDDEN_GROUP, source: elem.source(), ..Default::default() },
            plugin: PluginUse::default(),
        };
        self.cable_parts(elem, &mut cable);
        if let Some(plugin) = self.shared_plugin(elem, format!("composite{}", cable.prefix)) {
            if plugin.plugin_name != CABLE_PLUGIN {
                let item = Diagnostic::error(format!(
                    "a cable cannot use plugin '{}'",
                    plugin.plugin_name
                ));
                self.report(elem, item.expected(CABLE_PLUGIN));
                return None;
            }
            cable.plugin = plugin;
        }
        if !matches!(cable.geom.type_, GeomType::Cylinder | GeomType::Capsule | GeomType::Box) {
            let item = Diagnostic::error("wrong type of geom for a cable");
            self.report(elem, item.expected("a 'geom' of type cylinder, capsule or box"));
            return None;
        }
        Some(cable)
    }

    /// The curve as a word per coordinate; missing ones are zero.
    fn curve(&mut self, elem: Elem<'_>) -> [Coordinate; 3] {
        let mut curve = [Coordinate::Zero; 3];
        let Some(attr) = elem.attr("curve") else { return curve };
        let expected = "up to three of: s, cos(s), sin(s), 0";
        let value = attr.value();
        for (i, word) in words(&value).enumerate() {
            let shape = match word {
                "s" => Some(Coordinate::Line),
                "cos(s)" => Some(Coordinate::Cos),
                "sin(s)" => Some(Coordinate::Sin),
                "0" => Some(Coordinate::Zero),
                _ => None,
            };
            match (curve.get_mut(i), shape) {
                (Some(slot), Some(shape)) => *slot = shape,
                (None, _) => {
                    misread(&mut self.diags, elem, attr, Misread::new("too many words", expected));
                    break;
                }
                (_, None) => {
                    let why = Misread::new(format!("'{word}' is not a shape"), expected);
                    misread(&mut self.diags, elem, attr, why);
                }
            }
        }
        curve
    }

    /// The prototypes of joint, geom and site.
    fn cable_parts(&mut self, elem: Elem<'_>, cable: &mut Cable) {
        let mut joints = 0;
        for child in elem.children() {
            match child.name() {
                "geom" => apply_except(&mut self.diags, child, &mut cable.geom, &[]),
                "site" => apply_except(&mut self.diags, child, &mut cable.site, &[]),
                "joint" => {
                    joints += 1;
                    if joints > 1 {
                        self.error(child, "a cable has one kind of joint");
                        continue;
                    }
                    let kind = super::value::require_text(&mut self.diags, child, "kind");
                    if child.attr("kind").is_some() && kind != "main" {
                        let item = Diagnostic::error(format!("unknown kind of joint '{kind}'"));
                        self.report(child, item.expected("main"));
                    }
                    if child.attr("limited").is_some() {
                        let message = "'limited' of a composite joint is ignored";
                        let item = Diagnostic::warning(message).hint("give a 'range' instead");
                        self.report(child, item);
                    }
                    apply_except(&mut self.diags, child, &mut cable.joint, &["limited"]);
                }
                _ => {}
            }
        }
    }

    fn make_cable(&mut self, elem: Elem<'_>, scope: Scope, cable: &Cable) {
        let prefix = &cable.prefix;
        self.spec.texts.insert(Text {
            name: format!("composite_{prefix}"),
            data: format!("rope_{prefix}"),
            source: elem.source(),
            ..Default::default()
        });
        let mut parent = scope.body;
        let mut moving = MovingFrame { normal: Vec3::Y, quat: Quat::IDENTITY };
        for link in 0..cable.count - 1 {
            let frame = scope.frame.filter(|_| link == 0);
            parent = self.cable_link(
                elem,
                cable,
                link,
                Scope { body: parent, frame, ..scope },
                &mut moving,
            );
        }
        if cable.geom.type_ == GeomType::Box {
            self.cable_skin(elem, cable);
        }
    }

    fn cable_link(
        &mut self,
        elem: Elem<'_>,
        cable: &Cable,
        link: usize,
        scope: Scope,
        moving: &mut MovingFrame,
    ) -> Key<Body> {
        let (first, last) = (link == 0, link == cable.count - 2);
        let edge = cable.edge(link);
        let previous = if first { (Vec3::ZERO, 0.0) } else { unit(cable.edge(link - 1)) };
        let next = if last { Vec3::ZERO } else { unit(cable.edge(link + 1)).0 };
        let before = moving.quat;
        let length = moving.advance(edge, previous.0, next, first);

        let name = cable.body_name(link);
        let (pos, quat) = if first {
            (cable.offset + cable.vertex(0), moving.quat)
        } else {
            let turn = (before.conjugate() * moving.quat).normalized();
            (Vec3::new(previous.1, 0.0, 0.0), turn)
        };
        let body = Body {
            name: name.clone(),
            parent: Some(scope.body),
            frame: scope.frame,
            class: Some(scope.class),
            source: elem.source(),
            pos,
            quat,
            plugin: cable.plugin.clone(),
            ..Default::default()
        };
        let key = self.spec.bodies.insert(body);
        self.spec.bodies[scope.body].bodies.push(key);

        let mut geom = cable.geom.clone();
        geom.name = format!("{}G{link}", cable.prefix);
        (geom.body, geom.class) = (Some(key), Some(scope.class));
        if geom.type_ == GeomType::Box {
            geom.pos = Vec3::new(length / 2.0, 0.0, 0.0);
            geom.size[0] = length / 2.0;
        } else {
            geom.fromto = Some([0.0, 0.0, 0.0, length, 0.0, 0.0]);
        }
        let geom = self.spec.geoms.insert(geom);
        self.spec.bodies[key].geoms.push(geom);

        if !first || cable.initial != "none" {
            let joint = self.spec.joints.insert(cable.link_joint(link, key, scope));
            self.spec.bodies[key].joints.push(joint);
        }
        if !last {
            self.spec.excludes.insert(Exclude {
                bodyname1: name,
                bodyname2: cable.body_name(link + 1),
                source: elem.source(),
                ..Default::default()
            });
        }
        if first || last {
            let mut site = cable.site.clone();
            site.name = format!("{}S_{}", cable.prefix, if first { "first" } else { "last" });
            (site.body, site.class) = (Some(key), Some(scope.class));
            site.pos = Vec3::new(if last { length } else { 0.0 }, 0.0, 0.0);
            let site = self.spec.sites.insert(site);
            self.spec.bodies[key].sites.push(site);
        }
        key
    }
}

impl Cable {
    fn vertex(&self, i: usize) -> Vec3 {
        Vec3(std::array::from_fn(|k| f64::from(self.vertices[3 * i + k])))
    }

    /// From a vertex to the next. The difference is taken in single precision, as the vertices
    /// are stored.
    fn edge(&self, i: usize) -> Vec3 {
        Vec3(std::array::from_fn(|k| {
            f64::from(self.vertices[3 * i + 3 + k] - self.vertices[3 * i + k])
        }))
    }

    pub(super) fn body_name(&self, link: usize) -> String {
        self.numbered("B", link)
    }

    fn numbered(&self, letter: &str, link: usize) -> String {
        let prefix = &self.prefix;
        if link == 0 {
            format!("{prefix}{letter}_first")
        } else if link == self.count - 2 {
            format!("{prefix}{letter}_last")
        } else {
            format!("{prefix}{letter}_{link}")
        }
    }

    fn link_joint(&self, link: usize, body: Key<Body>, scope: Scope) -> Joint {
        let mut joint = self.joint.clone();
        joint.name = self.numbered("J", link);
        (joint.body, joint.class) = (Some(body), Some(scope.class));
        if link == 0 && self.initial == "free" {
            joint.type_ = JointType::Free;
            (joint.damping, joint.armature, joint.frictionloss) = (0.0, 0.0, 0.0);
        } else {
            joint.type_ = JointType::Ball;
        }
        joint
    }
}

fn curve_vertices(curve: [Coordinate; 3], size: [f64; 3], count: usize, quat: Quat) -> Vec<f32> {
    let last = (count - 1) as f64;
    let mut vertices = Vec::with_capacity(3 * count);
    for i in 0..count {
        let i = i as f64;
        let phase = std::f64::consts::PI * i * size[2] / last;
        let point = Vec3(curve.map(|shape| match shape {
            Coordinate::Line => i * size[0] / last,
            Coordinate::Cos => size[1] * real::cos(phase),
            Coordinate::Sin => size[1] * real::sin(phase),
            Coordinate::Zero => 0.0,
        }));
        vertices.extend(quat.rotate(point).0.map(|x| x as f32));
    }
    vertices
}

/// Unit vector and length; a vector without direction stays as it is, with length zero.
fn unit(v: Vec3) -> (Vec3, f64) {
    let square = v.norm_squared();
    if square < EPS {
        return (v, 0.0);
    }
    let norm = square.sqrt();
    if (norm - 1.0).abs() > EPS { (v / norm, norm) } else { (v, norm) }
}

/// A frame that moves along a curve with the least twist: from edge to edge it turns about
/// their common perpendicular.
struct MovingFrame {
    normal: Vec3,
    quat: Quat,
}

impl MovingFrame {
    /// Moves to an edge; its length.
    fn advance(&mut self, edge: Vec3, previous: Vec3, next: Vec3, first: bool) -> f64 {
        let tangent = unit(edge).0;
        let binormal = if first {
            let binormal = unit(tangent.cross(next)).0;
            self.normal = unit(binormal.cross(tangent)).0;
            binormal
        } else {
            let (axis, sine) = unit(previous.cross(tangent));
            let angle = real::atan2(sine, previous.dot(tangent));
            let turn = Quat::from_axis_angle(axis, angle);
            self.normal = unit(turn.rotate(self.normal)).0;
            unit(tangent.cross(self.normal)).0
        };
        self.quat = from_columns([tangent, self.normal, binormal]);
        edge.norm()
    }
}

/// The rotation whose matrix has these columns, by the largest component of the quaternion. For
/// a straight curve normal and binormal vanish; the rest then comes from the normalization.
fn from_columns([x, y, z]: [Vec3; 3]) -> Quat {
    let (xx, yy, zz) = (x[0], y[1], z[2]);
    let quat = if xx + yy + zz > 0.0 {
        let w = 0.5 * (1.0 + xx + yy + zz).sqrt();
        [w, 0.25 * (y[2] - z[1]) / w, 0.25 * (z[0] - x[2]) / w, 0.25 * (x[1] - y[0]) / w]
    } else if xx > yy && xx > zz {
        let a = 0.5 * (1.0 + xx - yy - zz).sqrt();
        [0.25 * (y[2] - z[1]) / a, a, 0.25 * (y[0] + x[1]) / a, 0.25 * (z[0] + x[2]) / a]
    } else if yy > zz {
        let b = 0.5 * (1.0 - xx + yy - zz).sqrt();
        [0.25 * (z[0] - x[2]) / b, 0.25 * (y[0] + x[1]) / b, b, 0.25 * (z[1] + y[2]) / b]
    } else {
        let c = 0.5 * (1.0 - xx - yy + zz).sqrt();
        [0.25 * (x[1] - y[0]) / c, 0.25 * (z[0] + x[2]) / c, 0.25 * (z[1] + y[2]) / c, c]
    };
    Quat(quat).normalized()
}
