//! The grammar of MJCF: which elements and attributes may stand where, and how often.
//!
//! The grammar is closed: what it does not list is an error, with the nearest listed name as
//! advice. Elements of features that are not supported are known by name.

mod actuator;
mod asset;
mod attributes;
mod body;
mod constraint;
mod default;
mod print;
mod sensor;
mod settings;

pub use print::grammar;

use super::forest::Elem;
use crate::diagnostic::{Diagnostic, Diagnostics, Subject, closest};
use crate::xml::MAX_DEPTH;

/// Prefix of attributes that only this engine knows.
pub(super) const EXTENSION_PREFIX: &str = "cortenforge:";

/// What may stand in place of one element.
pub struct Rule {
    name: &'static str,
    /// At most one among its siblings.
    unique: bool,
    /// Allowed attributes, in groups.
    attrs: &'static [&'static [&'static str]],
    children: &'static [&'static Rule],
    /// The feature this element belongs to, if it is not supported.
    unsupported: Option<&'static str>,
    /// MuJoCo checks neither this element nor what is inside, so an unknown attribute is a
    /// warning rather than an error.
    unchecked: bool,
}

const BASE: Rule = Rule {
    name: "",
    unique: false,
    attrs: &[],
    children: &[],
    unsupported: None,
    unchecked: false,
};

type Groups = &'static [&'static [&'static str]];
type Children = &'static [&'static Rule];

/// Any number of times, without children.
const fn leaf(name: &'static str, attrs: Groups) -> Rule {
    Rule { name, attrs, ..BASE }
}
/// At most once, without children.
const fn single(name: &'static str, attrs: Groups) -> Rule {
    Rule { name, attrs, unique: true, ..BASE }
}
/// Any number of times, with children.
const fn inner(name: &'static str, attrs: Groups, children: Children) -> Rule {
    Rule { name, attrs, children, ..BASE }
}
const fn refused(name: &'static str, feature: &'static str) -> Rule {
    Rule { name, unsupported: Some(feature), ..BASE }
}

type Names = &'static [&'static str];

/// A list of names, written without commas.
macro_rules! names {
    ($($name:tt)*) => { &[$(stringify!($name)),*] };
}
use names;

static CONFIG: Rule = leaf("config", &[names![key value]]);

/// A plugin that an element asks for.
static PLUGIN: Rule = inner("plugin", &[names![plugin instance]], &[&CONFIG]);

/// A kind of plugin that the model declares, with its instances.
static DECLARED_PLUGIN: Rule =
    inner("plugin", &[names![plugin]], &[&inner("instance", &[names![name]], &[&CONFIG])]);

static MUJOCO: Rule = inner(
    "mujoco",
    &[names![model]],
    &[
        &settings::COMPILER,
        &settings::OPTION,
        &settings::SIZE,
        &settings::VISUAL,
        &settings::STATISTIC,
        &default::DEFAULT,
        &inner("extension", &[], &[&DECLARED_PLUGIN]),
        &settings::CUSTOM,
        &asset::ASSET,
        &inner("worldbody", &[], &body::BODY_CHILDREN),
        &asset::DEFORMABLE,
        &constraint::CONTACT,
        &constraint::EQUALITIES,
        &constraint::TENDONS,
        &actuator::ACTUATORS,
        &sensor::SENSORS,
        &settings::KEYFRAME,
    ],
);

impl Rule {
    fn allows(&self, attr: &str) -> bool {
        self.attrs.iter().any(|group| group.contains(&attr))
    }

    fn child(&self, name: &str) -> Option<&'static Rule> {
        self.children.iter().find(|rule| rule.name == name).copied()
    }
}

/// Reports everything in the tree that the grammar does not allow. Whether reading on makes
/// sense: not if the tree is too deep to walk.
pub fn check(root: Elem<'_>, diags: &mut Diagnostics) -> bool {
    Checker { diags, too_deep: false, tolerant: false }.element(root, &MUJOCO, 0, false)
}

/// Checks the settings that a model in another format carries along. MuJoCo takes no notice of
/// what it does not know there: warnings, then.
pub fn check_settings(elem: Elem<'_>, known: &[&str], diags: &mut Diagnostics) {
    for section in elem.children() {
        match MUJOCO.child(section.name()).filter(|rule| known.contains(&rule.name)) {
            Some(rule) => {
                Checker { diags, too_deep: false, tolerant: true }.element(section, rule, 0, true);
            }
            None => {
                let message = format!("'{}' has no effect in this format", section.name());
                let item = Diagnostic::warning(message).at(section.source());
                diags.push(item.element(section.name()).expected(known.join(", ")));
            }
        }
    }
}

struct Checker<'d> {
    diags: &'d mut Diagnostics,
    too_deep: bool,
    /// Unknown elements are warnings.
    tolerant: bool,
}

impl Checker<'_> {
    fn element(
        &mut self,
        elem: Elem<'_>,
        rule: &'static Rule,
        depth: usize,
        lenient: bool,
    ) -> bool {
        if depth > MAX_DEPTH {
            if !self.too_deep {
                let message = format!("elements nested more than {MAX_DEPTH} deep");
                self.diags.push(Diagnostic::error(message).at(elem.source()));
            }
            self.too_deep = true;
            return false;
        }
        let lenient = lenient || rule.unchecked;
        self.attributes(elem, rule, lenient);
        if let Some(source) = elem.text_source() {
            self.diags.push(
                Diagnostic::warning("text between elements is ignored")
                    .at(source)
                    .element(elem.name()),
            );
        }
        let mut seen: Vec<&'static str> = Vec::new();
        for child in elem.children() {
            let known = rule.child(child.name()).or_else(|| self.misplaced(child, rule));
            let Some(child_rule) = known else {
                self.unknown_element(child, elem.name(), rule);
                continue;
            };
            if let Some(feature) = child_rule.unsupported {
                self.refuse(child, feature);
                continue;
            }
            if child_rule.unique {
                if seen.contains(&child_rule.name) {
                    let message = format!("more than one '{}' in '{}'", child.name(), elem.name());
                    let item = if lenient {
                        Diagnostic::warning(message)
                    } else {
                        Diagnostic::error(message).hint("merge their attributes into one")
                    };
                    self.diags.push(item.at(child.source()).element(child.name()));
                }
                seen.push(child_rule.name);
            }
            self.element(child, child_rule, depth + 1, lenient);
        }
        !self.too_deep
    }

    /// Parts of the body tree next to the world instead of in it. MuJoCo checks them, and takes no
    /// notice of them otherwise: files made to be included often look like this.
    fn misplaced(&mut self, elem: Elem<'_>, parent: &'static Rule) -> Option<&'static Rule> {
        let rule = [&body::BODY, &body::FRAME, &body::REPLICATE]
            .into_iter()
            .find(|rule| std::ptr::eq(parent, &raw const MUJOCO) && rule.name == elem.name())?;
        let message = format!("'{}' outside of 'worldbody' is ignored", rule.name);
        self.diags.push(
            Diagnostic::warning(message)
                .at(elem.source())
                .element(rule.name)
                .marking(rule.name.chars().count() + 1)
                .hint("move it into 'worldbody'"),
        );
        Some(rule)
    }

    fn attributes(&mut self, elem: Elem<'_>, rule: &Rule, lenient: bool) {
        for attr in elem.attrs() {
            let name = attr.name();
            if rule.allows(name) {
                continue;
            }
            let at = elem.attr_source(attr);
            let item = if name.starts_with(EXTENSION_PREFIX) {
                Diagnostic::warning(format!("extension attribute '{name}' has no effect here"))
            } else if lenient {
                Diagnostic::warning(format!("unknown attribute '{name}' is ignored"))
            } else {
                Diagnostic::error(format!("unknown attribute '{name}'"))
            };
            let known = || rule.attrs.iter().flat_map(|group| group.iter().copied());
            let extension = known().find(|k| k.strip_prefix(EXTENSION_PREFIX) == Some(name));
            let mut item = item
                .at(at)
                .element(elem.name())
                .marking(name.chars().count())
                .did_you_mean(extension.or_else(|| closest(name, known())));
            if rule.attrs.iter().all(|group| group.is_empty()) {
                item = item.expected("no attributes");
            } else if item.did_you_mean.is_none() {
                item = item.expected(known().collect::<Vec<_>>().join(", "));
            }
            self.diags.push(item);
        }
    }

    fn unknown_element(&mut self, elem: Elem<'_>, parent: &str, rule: &Rule) {
        let name = elem.name();
        let known = || rule.children.iter().map(|child| child.name);
        let message = format!("unknown element '{name}' in '{parent}'");
        let item =
            if self.tolerant { Diagnostic::warning(message) } else { Diagnostic::error(message) };
        let mut item = item
            .at(elem.source())
            .element(name)
            .about(Subject::Missing)
            .marking(name.chars().count() + 1)
            .did_you_mean(closest(name, known()));
        if item.did_you_mean.is_none() {
            item = item.expected(match rule.children {
                [] => "no child elements".to_owned(),
                _ => known().collect::<Vec<_>>().join(", "),
            });
        }
        self.diags.push(item);
    }

    fn refuse(&mut self, elem: Elem<'_>, feature: &str) {
        let name = elem.name();
        let detail = match (feature, elem.attr("plugin")) {
            ("plugin", Some(attr)) => format!("plugin '{}'", attr.value()),
            _ => format!("feature '{feature}'"),
        };
        self.diags.push(
            Diagnostic::error(format!("element '{name}': {detail} is not supported"))
                .about(Subject::Missing)
                .at(elem.source())
                .element(name)
                .marking(name.chars().count() + 1),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::actuator::ACTUATORS;
    use super::body::{
        BODY, BODY_CAMERA, BODY_GEOM, BODY_JOINT, BODY_LIGHT, BODY_SITE, FRAME, FREEJOINT,
    };
    use super::constraint::{EQUALITIES, TENDONS};
    use super::sensor::SENSORS;
    use super::*;
    use crate::mjcf::attr::Attributes;
    use crate::spec::*;

    /// Attributes that the reader handles outside the tables.
    const SPECIAL: Names = names![
        class childclass axisangle xyaxes zaxis euler directional texture springlength joint
        jointinparent tendon cranksite site body inheritrange kp kv dampratio timeconst area
        diameter bias range force scale lmin lmax vmax fpmax fvmax tausmooth gain elevation
        gridlayout fileright fileleft fileup filedown filefront fileback body1 body2 anchor
        site1 site2 relpose torquescale joint1 joint2 tendon1 tendon2 polycoef angle strippath
        coordinate eulerseq assetdir memory nstack actuatorgroupdisable data camera objtype
        objname reftype refname actuator geom mesh geom1 geom2 subtree1 subtree2 num reduce dim
        needstage datatype flex plugin instance
    ];

    fn rule(path: &[&str]) -> &'static Rule {
        path.iter().fold(&MUJOCO, |rule, name| rule.child(name).expect(name))
    }

    /// Every attribute that the grammar allows is read by a table or by hand, and every entry
    /// of a table can occur.
    fn covered<T: Attributes>(rules: &[&'static Rule]) {
        for rule in rules {
            for attr in rule.attrs.iter().flat_map(|group| group.iter()) {
                let known = T::attr(attr).is_some() || SPECIAL.contains(attr);
                assert!(known, "'{attr}' of '{}' is not read", rule.name);
            }
        }
        for entry in T::ATTRS {
            let used = rules.iter().any(|rule| rule.allows(entry.name));
            assert!(
                used,
                "'{}' is in a table but not in the grammar of '{}'",
                entry.name, rules[0].name
            );
        }
    }

    /// The same for an element whose children hold attributes of it, in its table as
    /// `child/attribute`.
    fn covered_by_parts<T: Attributes>(whole: &'static Rule, parts: &[&str]) {
        let own = whole.attrs.iter().flat_map(|group| group.iter()).map(|name| (*name).to_owned());
        let inside = parts.iter().flat_map(|part| {
            let child = whole.child(part).expect(part);
            let names = child.attrs.iter().flat_map(|group| group.iter());
            names.map(move |name| format!("{part}/{name}"))
        });
        let mut allowed: Vec<String> = own.chain(inside).collect();
        let mut known: Vec<String> = T::ATTRS.iter().map(|attr| attr.name.to_owned()).collect();
        allowed.sort();
        known.sort();
        assert_eq!(known, allowed);
    }

    #[test]
    fn grammar_and_tables_agree() {
        covered::<Compiler>(&[rule(&["compiler"])]);
        covered::<LengthRangeOptions>(&[rule(&["compiler", "lengthrange"])]);
        covered::<crate::Options>(&[rule(&["option"])]);
        covered::<Sizes>(&[rule(&["size"])]);
        covered::<StatisticOverride>(&[rule(&["statistic"])]);
        covered::<crate::VisualGlobal>(&[rule(&["visual", "global"])]);
        covered::<crate::VisualQuality>(&[rule(&["visual", "quality"])]);
        covered::<crate::VisualHeadlight>(&[rule(&["visual", "headlight"])]);
        covered::<crate::VisualMap>(&[rule(&["visual", "map"])]);
        covered::<crate::VisualScale>(&[rule(&["visual", "scale"])]);
        covered::<crate::VisualRgba>(&[rule(&["visual", "rgba"])]);
        covered::<Body>(&[&BODY]);
        covered::<Frame>(&[&FRAME]);
        covered::<Joint>(&[&BODY_JOINT, &FREEJOINT, rule(&["default", "joint"])]);
        covered::<Geom>(&[&BODY_GEOM, rule(&["default", "geom"])]);
        covered::<Site>(&[&BODY_SITE, rule(&["default", "site"])]);
        covered::<Camera>(&[&BODY_CAMERA, rule(&["default", "camera"])]);
        covered::<Light>(&[&BODY_LIGHT, rule(&["default", "light"])]);
        covered::<Mesh>(&[rule(&["asset", "mesh"]), rule(&["default", "mesh"])]);
        covered::<HField>(&[rule(&["asset", "hfield"])]);
        let flex = rule(&["deformable", "flex"]);
        covered_by_parts::<Flex>(flex, &["contact", "edge", "elasticity"]);
        covered::<Skin>(&[rule(&["asset", "skin"]), rule(&["deformable", "skin"])]);
        covered::<Texture>(&[rule(&["asset", "texture"])]);
        covered::<Material>(&[rule(&["asset", "material"]), rule(&["default", "material"])]);
        covered::<Pair>(&[rule(&["contact", "pair"]), rule(&["default", "pair"])]);
        covered::<Exclude>(&[rule(&["contact", "exclude"])]);
        covered::<Keyframe>(&[rule(&["keyframe", "key"])]);
        covered::<Numeric>(&[rule(&["custom", "numeric"])]);
        let supported = |section: &'static Rule| {
            let all = section.children.iter().copied();
            all.filter(|rule| rule.unsupported.is_none()).collect::<Vec<_>>()
        };
        covered::<Equality>(&supported(&EQUALITIES));
        covered::<Tendon>(&supported(&TENDONS));
        covered::<Actuator>(&supported(&ACTUATORS));
        covered::<Sensor>(&supported(&SENSORS));
    }
}
