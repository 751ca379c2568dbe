//! Elements outside the tree refer to others by name. When a part of a model is copied under
//! new names, or taken away, this tells which of them go along.
//!
//! Answers to the `NameSpace` and `ResolveReferences` methods of MuJoCo's model elements. An
//! element goes along if what it refers to exists under the new names. Pairs, exclusions,
//! sensors and tendons may keep some references to what lies outside.

use corten_math::memory;
use std::collections::HashMap;

use super::{
    Actuator, Element, Equality, Exclude, Flex, Pair, Sensor, Skin, Spec, Tendon, Tuple, WrapTarget,
};
use crate::enums::{ObjType, Transmission};

/// Affixes of names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Namespace<'a> {
    pub prefix: &'a str,
    pub suffix: &'a str,
}

impl Namespace<'_> {
    pub fn apply(self, name: &str) -> String {
        format!("{}{name}{}", self.prefix, self.suffix)
    }

    /// Renames, unless there is no name.
    pub fn rename(self, name: &mut String) {
        if !name.is_empty() {
            *name = self.apply(name);
        }
    }
}

/// How many elements there are of each name, by type.
#[derive(Default)]
pub struct NameIndex {
    counts: HashMap<ObjType, HashMap<String, usize>>,
}

impl NameIndex {
    pub fn of(spec: &Spec) -> NameIndex {
        let mut index = NameIndex::default();
        let mut all = |kind: ObjType, names: &mut dyn Iterator<Item = &str>| {
            for name in names {
                index.add(kind, name);
            }
        };
        all(ObjType::Body, &mut spec.bodies.values().map(Element::name));
        all(ObjType::Joint, &mut spec.joints.values().map(Element::name));
        all(ObjType::Geom, &mut spec.geoms.values().map(Element::name));
        all(ObjType::Site, &mut spec.sites.values().map(Element::name));
        all(ObjType::Camera, &mut spec.cameras.values().map(Element::name));
        all(ObjType::Light, &mut spec.lights.values().map(Element::name));
        all(ObjType::Mesh, &mut spec.meshes.values().map(Element::name));
        all(ObjType::Flex, &mut spec.flexes.values().map(Element::name));
        all(ObjType::Skin, &mut spec.skins.values().map(Element::name));
        all(ObjType::HField, &mut spec.hfields.values().map(Element::name));
        all(ObjType::Texture, &mut spec.textures.values().map(Element::name));
        all(ObjType::Material, &mut spec.materials.values().map(Element::name));
        all(ObjType::Pair, &mut spec.pairs.values().map(Element::name));
        all(ObjType::Exclude, &mut spec.excludes.values().map(Element::name));
        all(ObjType::Equality, &mut spec.equalities.values().map(Element::name));
        all(ObjType::Tendon, &mut spec.tendons.values().map(Element::name));
        all(ObjType::Actuator, &mut spec.actuators.values().map(Element::name));
        all(ObjType::Sensor, &mut spec.sensors.values().map(Element::name));
        all(ObjType::Plugin, &mut spec.plugins.values().map(Element::name));
        all(ObjType::Numeric, &mut spec.numerics.values().map(Element::name));
        all(ObjType::Text, &mut spec.texts.values().map(Element::name));
        all(ObjType::Tuple, &mut spec.tuples.values().map(Element::name));
        all(ObjType::Key, &mut spec.keys.values().map(Element::name));
        index
    }

    fn slot(&mut self, kind: ObjType) -> &mut HashMap<String, usize> {
        self.counts.entry(kind).or_default()
    }

    pub fn add(&mut self, kind: ObjType, name: &str) {
        if !name.is_empty() {
            let counts = self.slot(kind);
            memory::reserve_entries(counts, 1);
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }

    pub fn remove(&mut self, kind: ObjType, name: &str) {
        if let Some(count) = self.slot(kind).get_mut(name) {
            *count = count.saturating_sub(1);
        }
    }

    pub fn contains(&self, kind: ObjType, name: &str) -> bool {
        self.count(kind, name) > 0
    }

    /// How many elements of a type have a name; none for those without.
    pub fn count(&self, kind: ObjType, name: &str) -> usize {
        let kind = if kind == ObjType::Xbody { ObjType::Body } else { kind };
        self.counts.get(&kind).and_then(|names| names.get(name)).copied().unwrap_or(0)
    }
}

/// Elements that refer to others by name.
pub trait References: Element + Clone {
    /// Puts references under a namespace; `None` if what they then refer to does not exist.
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Self>;

    /// Whether everything this refers to exists.
    fn resolves(&self, index: &NameIndex) -> bool {
        self.renamed(Namespace::default(), index).is_some()
    }
}

/// Two references of which at least one must exist under the namespace; the other may keep its
/// name.
fn either(
    names: Namespace<'_>,
    index: &NameIndex,
    (kind1, name1): (ObjType, &str),
    (kind2, name2): (ObjType, &str),
) -> Option<(String, String)> {
    let (new1, new2) = (names.apply(name1), names.apply(name2));
    match (index.contains(kind1, &new1), index.contains(kind2, &new2)) {
        (true, true) => Some((new1, new2)),
        (true, false) => index.contains(kind2, name2).then(|| (new1, name2.to_owned())),
        (false, true) => index.contains(kind1, name1).then(|| (name1.to_owned(), new2)),
        (false, false) => None,
    }
}

impl References for Pair {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Pair> {
        let geoms = [&self.geomname1, &self.geomname2].map(|name| (ObjType::Geom, name.as_str()));
        let (geomname1, geomname2) = either(names, index, geoms[0], geoms[1])?;
        Some(Pair { geomname1, geomname2, ..self.clone() })
    }
}

impl References for Exclude {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Exclude> {
        let bodies = [&self.bodyname1, &self.bodyname2].map(|name| (ObjType::Body, name.as_str()));
        let (bodyname1, bodyname2) = either(names, index, bodies[0], bodies[1])?;
        Some(Exclude { bodyname1, bodyname2, ..self.clone() })
    }
}

impl References for Tendon {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Tendon> {
        let mut tendon = self.clone();
        let (mut outside, mut pulleys) = (0, 0);
        for wrap in &mut tendon.path {
            let found = match &mut wrap.target {
                WrapTarget::Pulley { .. } => {
                    pulleys += 1;
                    continue;
                }
                WrapTarget::Site { site } => place(names, index, &mut [(ObjType::Site, site)])?,
                WrapTarget::Joint { joint, .. } => {
                    place(names, index, &mut [(ObjType::Joint, joint)])?
                }
                WrapTarget::Geom { geom, sidesite } => {
                    place(names, index, &mut [(ObjType::Geom, geom), (ObjType::Site, sidesite)])?
                }
            };
            outside += usize::from(!found);
        }
        (outside < tendon.path.len() - pulleys).then_some(tendon)
    }
}

/// Renames what exists under the namespace and leaves what exists as it is named; whether it
/// was renamed, `None` if neither exists. As in MuJoCo, a geom without a side site is looked for with one
/// whose name is that of the namespace alone, and is therefore hardly ever found.
fn place(
    names: Namespace<'_>,
    index: &NameIndex,
    references: &mut [(ObjType, &mut String)],
) -> Option<bool> {
    let exist = |apply: &dyn Fn(&str) -> String| {
        references.iter().all(|(kind, name)| {
            let name = apply(name);
            let no_side_site = *kind == ObjType::Site && references.len() > 1 && name.is_empty();
            no_side_site || index.contains(*kind, &name)
        })
    };
    if exist(&|name| names.apply(name)) {
        references.iter_mut().for_each(|(_, name)| **name = names.apply(name));
        Some(true)
    } else {
        exist(&str::to_owned).then_some(false)
    }
}

impl References for Equality {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Equality> {
        let kind = self.type_.objects(self.objtype)?;
        let mut equality = self.clone();
        names.rename(&mut equality.name1);
        names.rename(&mut equality.name2);
        let found = index.contains(kind, &equality.name1)
            && (equality.name2.is_empty() || index.contains(kind, &equality.name2));
        found.then_some(equality)
    }
}

impl References for Actuator {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Actuator> {
        let mut actuator = self.clone();
        names.rename(&mut actuator.target);
        names.rename(&mut actuator.refsite);
        names.rename(&mut actuator.slidersite);
        let site = |name: &str| index.contains(ObjType::Site, name);
        let second = match actuator.trntype {
            Transmission::SliderCrank => site(&actuator.slidersite) && actuator.cranklength > 0.0,
            Transmission::Site => actuator.refsite.is_empty() || site(&actuator.refsite),
            Transmission::Joint
            | Transmission::JointInParent
            | Transmission::Tendon
            | Transmission::Body
            | Transmission::Undefined => true,
        };
        let objtype = actuator.trntype.target()?.objtype;
        (second && index.contains(objtype, &actuator.target)).then_some(actuator)
    }
}

impl References for Sensor {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Sensor> {
        let mut sensor = self.clone();
        let (obj, reference) = ((self.objtype, &*self.objname), (self.reftype, &*self.refname));
        match (self.objtype, self.reftype) {
            (ObjType::Unknown, _) if !self.type_.info().attachment.may_lack_object() => {
                return None;
            }
            (ObjType::Unknown, ObjType::Unknown) => {}
            (_, ObjType::Unknown) => {
                names.rename(&mut sensor.objname);
                if !index.contains(sensor.objtype, &sensor.objname) {
                    return None;
                }
            }
            (ObjType::Unknown, _) => {
                names.rename(&mut sensor.refname);
                if !index.contains(sensor.reftype, &sensor.refname) {
                    return None;
                }
            }
            _ => (sensor.objname, sensor.refname) = either(names, index, obj, reference)?,
        }
        Some(sensor)
    }
}

impl References for Tuple {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Tuple> {
        let mut tuple = self.clone();
        tuple.objname.iter_mut().for_each(|name| *name = names.apply(name));
        let complete = !tuple.objtype.is_empty()
            && tuple.objtype.len() == tuple.objname.len()
            && tuple.objtype.len() == tuple.objprm.len();
        let mut pairs = tuple.objtype.iter().zip(&tuple.objname);
        let found = complete && pairs.all(|(kind, name)| index.contains(*kind, name));
        found.then_some(tuple)
    }
}

impl References for Skin {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Skin> {
        let mut skin = self.clone();
        skin.bodyname.iter_mut().for_each(|name| *name = names.apply(name));
        let found = skin.bodyname.iter().all(|name| index.contains(ObjType::Body, name));
        found.then_some(skin)
    }
}

impl References for Flex {
    fn renamed(&self, names: Namespace<'_>, index: &NameIndex) -> Option<Flex> {
        let mut flex = self.clone();
        flex.vertbody.iter_mut().chain(&mut flex.nodebody).for_each(|name| names.rename(name));
        let mut bodies = flex.vertbody.iter().chain(&flex.nodebody);
        bodies.all(|name| index.contains(ObjType::Body, name)).then_some(flex)
    }
}
