//! Copying a part of a model into a model: `attach` and `replicate`.
//!
//! Answers to `mjs_attach` and `mjs_delete`. A part is copied under new names, and with it the
//! elements outside the tree that refer to it. Copies from another model keep the compiler
//! settings of that model, bring its default classes and assets, and its keyframes.

use std::collections::HashMap;

use corten_math::{Quat, Vec3};

use super::references::{NameIndex, Namespace, References};
use super::{
    Actuator, Arena, AttachedKeyframe, Body, DefaultClass, Element, Frame, Joint, Key, Orientation,
    Origin, OriginId, Spec,
};
use crate::assets::{extension, file_name};
use crate::compile::orientation::quaternion;
use crate::enums::{Dynamics, JointType, ObjType};

/// Why a part cannot be attached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    #[error("keyframe '{key}' has {found} values of '{field}' instead of {expected}")]
    KeyframeSize { key: String, field: &'static str, found: usize, expected: usize },
    #[error("frame is not in a body of this model")]
    NoBody,
    #[error("the part to attach has been deleted")]
    NoPart,
    #[error("a part cannot be attached to itself")]
    Cycle,
}

/// Where a part is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Body(Key<Body>),
    Frame(Key<Frame>),
    Site(Key<super::Site>),
}

/// What is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A body with all below it.
    Body(Key<Body>),
    /// A frame with all that is in it.
    Frame(Key<Frame>),
    /// The whole tree.
    World,
}

/// What became of an attached part.
#[derive(Clone, Debug, Default)]
pub struct Attached {
    /// The new body, or `None` if a frame was attached.
    pub body: Option<Key<Body>>,
    /// The new frame; of an attached body, the frame that it is in.
    pub frame: Option<Key<Frame>>,
    /// Kind, index of the original, index of the copy.
    pub copies: Vec<(ObjType, usize, usize)>,
}

impl Spec {
    /// Copies a body of another model, with all below it, into a frame.
    pub fn attach_body(
        &mut self,
        frame: Key<Frame>,
        child: &Spec,
        body: Key<Body>,
        prefix: &str,
        suffix: &str,
    ) -> Result<Key<Body>, AttachError> {
        let parent = self.body_of(frame)?;
        let mut copy = Copy::new(self, Some(child), Namespace { prefix, suffix });
        copy.bring_classes();
        let key = copy.body(body, parent, Some(frame));
        copy.finish()?;
        self.expand_keys();
        Ok(key)
    }

    /// Copies the whole tree of another model into a frame.
    pub fn attach_world(
        &mut self,
        frame: Key<Frame>,
        child: &Spec,
        prefix: &str,
        suffix: &str,
    ) -> Result<(), AttachError> {
        let parent = self.body_of(frame)?;
        let mut copy = Copy::new(self, Some(child), Namespace { prefix, suffix });
        copy.bring_classes();
        copy.contents(Spec::WORLD, parent, Some(frame));
        copy.finish()?;
        self.expand_keys();
        Ok(())
    }

    /// Copies a part of `child`, or of this spec itself, to an anchor, with everything outside the
    /// tree that refers to it. Names get the prefix and the suffix.
    ///
    /// ```
    /// use corten_model::Spec;
    /// use corten_model::spec::{Anchor, Body, Frame, Part};
    ///
    /// let mut wheel = Spec::new();
    /// let body = wheel.add_child::<Body>(Spec::WORLD, None);
    /// wheel.bodies[body].name = "wheel".into();
    ///
    /// let mut car = Spec::new();
    /// let mount = car.add_child::<Frame>(Spec::WORLD, None);
    /// let left = car.attach(Anchor::Frame(mount), Some(&wheel), Part::Body(body), "left_", "")?;
    /// assert_eq!(car.find::<Body>("left_wheel"), left.body);
    /// # Ok::<(), corten_model::spec::AttachError>(())
    /// ```
    pub fn attach(
        &mut self,
        anchor: Anchor,
        child: Option<&Spec>,
        part: Part,
        prefix: &str,
        suffix: &str,
    ) -> Result<Attached, AttachError> {
        let source = child.unwrap_or(self);
        let (root, within) = match part {
            Part::Body(body) => (source.bodies.contains(body).then_some(body), None),
            Part::Frame(frame) => (source.body_of(frame).ok(), Some(frame)),
            Part::World => (Some(Spec::WORLD), None),
        };
        let root = root.ok_or(AttachError::NoPart)?;
        if child.is_none() && self.contains(root, within, anchor) {
            return Err(AttachError::Cycle);
        }
        let outer = match anchor {
            Anchor::Body(_) => None,
            Anchor::Frame(frame) => Some(frame),
            Anchor::Site(site) => Some(self.frame_at_site(site).ok_or(AttachError::NoBody)?),
        };
        let parent = match (anchor, outer) {
            (Anchor::Body(body), _) if self.bodies.contains(body) => body,
            (_, Some(frame)) => self.body_of(frame)?,
            _ => return Err(AttachError::NoBody),
        };
        // The tree as a whole comes in a frame of its own.
        let outer = match part {
            Part::World => {
                let frame = self.add_child::<Frame>(parent, None);
                self.frames[frame].frame = outer;
                Some(frame)
            }
            _ => outer,
        };
        let names = Namespace { prefix, suffix };
        if child.is_none() {
            self.deal_keys(names)?;
        }
        let mut copy = Copy::new(self, child, names);
        copy.bring_classes();
        let (mut body, mut frame) = (None, outer);
        match part {
            Part::Body(key) => body = Some(copy.body(key, parent, outer)),
            Part::World => copy.contents(root, parent, outer),
            Part::Frame(key) => {
                copy.members(root, parent, outer, key);
                frame = copy.frames.get(&key).copied();
            }
        }
        if child.is_some() {
            copy.finish()?;
        } else {
            copy.index = NameIndex::of(copy.into);
            copy.referring();
        }
        let copies = std::mem::take(&mut copy.copies);
        self.expand_keys();
        Ok(Attached { body, frame, copies })
    }

    /// Whether an anchor lies inside a part.
    fn contains(&self, root: Key<Body>, within: Option<Key<Frame>>, anchor: Anchor) -> bool {
        let (mut body, mut frame) = match anchor {
            Anchor::Body(body) => (Some(body), None),
            Anchor::Frame(key) => (self.frames.get(key).and_then(|f| f.body), Some(key)),
            Anchor::Site(key) => self.sites.get(key).map_or((None, None), |s| (s.body, s.frame)),
        };
        for _ in 0..=self.bodies.capacity() {
            let Some(key) = body else { return false };
            if key == root {
                return within.is_none_or(|within| self.is_within(frame, within.index()));
            }
            let Some(at) = self.bodies.get(key) else { return false };
            (body, frame) = (at.parent, at.frame);
        }
        false
    }

    /// The keyframes of attached models as full vectors. Positions that they do not give are
    /// those of the reference configuration.
    pub(crate) fn complete_attached_keys(&self) -> Vec<super::Keyframe> {
        let layout = StateLayout::of(self);
        self.attached_keys.iter().map(|key| layout.join(self, key)).collect()
    }

    /// Position of a joint in the reference configuration.
    fn reference(&self, key: Key<Joint>) -> Vec<f64> {
        let Some(joint) = self.joints.get(key) else { return Vec::new() };
        match joint.type_ {
            JointType::Slide => vec![joint.ref_],
            JointType::Hinge if self.compiler_of(joint).degree => vec![joint.ref_.to_radians()],
            JointType::Hinge => vec![joint.ref_],
            JointType::Ball => vec![1.0, 0.0, 0.0, 0.0],
            JointType::Free => {
                let (pos, quat) = joint.body.map_or_else(Default::default, |b| self.pose(b));
                [&pos.0[..], &quat.0[..]].concat()
            }
        }
    }

    /// Pose of a body in its parent, frames included.
    fn pose(&self, key: Key<Body>) -> (Vec3, Quat) {
        let Some(body) = self.bodies.get(key) else { return Default::default() };
        let turn = |quat, alt: &Orientation, compiler| quaternion(quat, alt, compiler);
        let mut pos = body.pos;
        let mut quat = turn(body.quat, &body.alt, self.compiler_of(body)).unwrap_or_default();
        let mut outer = body.frame;
        // Bounded, in case a program made frames contain each other.
        for _ in 0..self.frames.capacity() {
            let Some(frame) = outer.and_then(|key| self.frames.get(key)) else { break };
            let compiler = self.compiler_of(frame);
            let around = turn(frame.quat, &frame.alt, compiler).unwrap_or_default();
            pos = frame.pos + around.rotate(pos);
            quat = around * quat;
            outer = frame.frame;
        }
        (pos, quat.normalized())
    }

    fn body_of(&self, frame: Key<Frame>) -> Result<Key<Body>, AttachError> {
        let body = self.frames.get(frame).and_then(|frame| frame.body);
        body.filter(|&body| self.bodies.contains(body)).ok_or(AttachError::NoBody)
    }

    /// Replaces a body, `template`, by a copy of what is inside it for each of `frames`, with the suffix that goes with each, and does likewise with everything that
    /// refers to it.
    pub(crate) fn replicate(
        &mut self,
        template: Key<Body>,
        frames: &[(Key<Frame>, String)],
    ) -> Result<(), AttachError> {
        let mut index = NameIndex::of(self);
        for (frame, suffix) in frames {
            let parent = self.body_of(*frame)?;
            let names = Namespace { prefix: "", suffix };
            self.deal_keys(names)?;
            let mut copy = Copy::new(self, None, names);
            copy.index = index;
            copy.contents(template, parent, Some(*frame));
            copy.referring();
            copy.move_attached_keys();
            index = copy.index;
            self.expand_keys();
        }
        // As in MuJoCo, the removal of the original makes actuators forget their values.
        for key in &mut self.attached_keys {
            key.act.iter_mut().for_each(Vec::clear);
            key.ctrl.iter_mut().for_each(Vec::clear);
        }
        // The keyframes themselves follow the variants that came with the copies.
        self.deal_keys(Namespace::default())?;
        self.keys = Arena::default();
        self.unlink(template);
        self.remove_tree(template, &mut index);
        Ok(())
    }

    /// Adds a variant of each keyframe whose values are known by element, so that they stay
    /// with the elements when these are copied. They must fit the model as it is now.
    fn deal_keys(&mut self, names: Namespace<'_>) -> Result<(), AttachError> {
        if self.keys.is_empty() {
            return Ok(());
        }
        let layout = StateLayout::of(self);
        for key in self.keys.values() {
            let mut attached = layout.split(key)?;
            attached.name = names.apply(&key.name);
            self.attached_keys.push(attached);
        }
        Ok(())
    }

    /// Completes keyframes that elements have been added to: with the values that the author
    /// wrote for them, as MuJoCo does.
    fn expand_keys(&mut self) {
        if self.keys.is_empty() {
            return;
        }
        let layout = StateLayout::of(self);
        let qpos: Vec<f64> =
            layout.joints.iter().flat_map(|j| self.written_reference(j.0)).collect();
        let bodies = || layout.mocap.iter().filter_map(|&body| self.bodies.get(body));
        let mpos: Vec<f64> = bodies().flat_map(|body| body.pos.0).collect();
        let mquat: Vec<f64> = bodies().flat_map(|body| body.quat.0).collect();
        let nv = layout.joints.iter().map(|j| j.2).sum();
        let na = layout.actuators.iter().map(|a| a.1).sum();
        for key in self.keys.values_mut() {
            let complete = |values: &mut Vec<f64>, full: &[f64]| {
                if !values.is_empty() && values.len() < full.len() {
                    values.extend_from_slice(&full[values.len()..]);
                }
            };
            complete(&mut key.qpos, &qpos);
            complete(&mut key.qvel, &vec![0.0; nv]);
            complete(&mut key.act, &vec![0.0; na]);
            complete(&mut key.ctrl, &vec![0.0; layout.actuators.len()]);
            complete(&mut key.mpos, &mpos);
            complete(&mut key.mquat, &mquat);
        }
    }

    /// Position of a joint in the reference configuration, in the author's words: angles in the
    /// author's unit, poses without frames.
    fn written_reference(&self, key: Key<Joint>) -> Vec<f64> {
        let Some(joint) = self.joints.get(key) else { return Vec::new() };
        match joint.type_ {
            JointType::Slide | JointType::Hinge => vec![joint.ref_],
            JointType::Ball => vec![1.0, 0.0, 0.0, 0.0],
            JointType::Free => {
                let body = joint.body.and_then(|body| self.bodies.get(body));
                let (pos, quat) = body.map_or_else(Default::default, |b| (b.pos, b.quat));
                [&pos.0[..], &quat.0[..]].concat()
            }
        }
    }

    /// Deletes a body with all below it, and what refers to it.
    pub fn delete_body(&mut self, body: Key<Body>) {
        let mut index = NameIndex::of(self);
        self.unlink(body);
        self.remove_tree(body, &mut index);
    }

    /// Takes a body out of the list of its parent.
    fn unlink(&mut self, body: Key<Body>) {
        if let Some(parent) = self.bodies.get(body).and_then(|body| body.parent)
            && let Some(parent) = self.bodies.get_mut(parent)
        {
            parent.bodies.retain(|&key| key != body);
        }
    }

    fn remove_tree(&mut self, root: Key<Body>, index: &mut NameIndex) {
        let referring = Referring::resolved(self, index);
        let mut pending = vec![root];
        while let Some(key) = pending.pop() {
            let Some(body) = self.bodies.remove(key) else { continue };
            index.remove(ObjType::Body, &body.name);
            fn drop_all<T: Element>(
                arena: &mut Arena<T>,
                keys: &[Key<T>],
                kind: ObjType,
                index: &mut NameIndex,
            ) {
                for &key in keys {
                    if let Some(element) = arena.remove(key) {
                        index.remove(kind, element.name());
                    }
                }
            }
            drop_all(&mut self.frames, &body.frames, ObjType::Frame, index);
            drop_all(&mut self.joints, &body.joints, ObjType::Joint, index);
            drop_all(&mut self.geoms, &body.geoms, ObjType::Geom, index);
            drop_all(&mut self.sites, &body.sites, ObjType::Site, index);
            drop_all(&mut self.cameras, &body.cameras, ObjType::Camera, index);
            drop_all(&mut self.lights, &body.lights, ObjType::Light, index);
            pending.extend(body.bodies);
        }
        referring.remove_dangling(self, index);
    }
}

/// Elements outside the tree whose references exist.
struct Referring {
    pairs: Vec<Key<super::Pair>>,
    excludes: Vec<Key<super::Exclude>>,
    tendons: Vec<Key<super::Tendon>>,
    equalities: Vec<Key<super::Equality>>,
    actuators: Vec<Key<Actuator>>,
    sensors: Vec<Key<super::Sensor>>,
}

impl Referring {
    fn resolved(spec: &Spec, index: &NameIndex) -> Referring {
        fn list<T: References>(arena: &Arena<T>, index: &NameIndex) -> Vec<Key<T>> {
            arena.iter().filter(|(_, element)| element.resolves(index)).map(|(k, _)| k).collect()
        }
        Referring {
            pairs: list(&spec.pairs, index),
            excludes: list(&spec.excludes, index),
            tendons: list(&spec.tendons, index),
            equalities: list(&spec.equalities, index),
            actuators: list(&spec.actuators, index),
            sensors: list(&spec.sensors, index),
        }
    }

    /// Removes those whose references are gone, in an order in which one can pull along the next.
    fn remove_dangling(self, spec: &mut Spec, index: &mut NameIndex) {
        fn prune<T: References>(
            arena: &mut Arena<T>,
            keys: Vec<Key<T>>,
            kind: ObjType,
            index: &mut NameIndex,
        ) {
            let gone: Vec<Key<T>> = keys
                .into_iter()
                .filter(|&key| arena.get(key).is_some_and(|e| !e.resolves(index)))
                .collect();
            for key in gone {
                if let Some(element) = arena.remove(key) {
                    index.remove(kind, element.name());
                }
            }
        }
        prune(&mut spec.pairs, self.pairs, ObjType::Pair, index);
        prune(&mut spec.excludes, self.excludes, ObjType::Exclude, index);
        prune(&mut spec.tendons, self.tendons, ObjType::Tendon, index);
        prune(&mut spec.equalities, self.equalities, ObjType::Equality, index);
        prune(&mut spec.actuators, self.actuators, ObjType::Actuator, index);
        prune(&mut spec.sensors, self.sensors, ObjType::Sensor, index);
    }
}

/// A copy under way, from another model or within one.
struct Copy<'a> {
    into: &'a mut Spec,
    from: Option<&'a Spec>,
    names: Namespace<'a>,
    index: NameIndex,
    classes: HashMap<Key<DefaultClass>, Key<DefaultClass>>,
    /// Origins of the other model, as known here.
    origins: Vec<OriginId>,
    /// Number of source files that precede those of the other model.
    files: u32,
    frames: HashMap<Key<Frame>, Key<Frame>>,
    joints: HashMap<Key<Joint>, Key<Joint>>,
    bodies: HashMap<Key<Body>, Key<Body>>,
    actuators: HashMap<Key<Actuator>, Key<Actuator>>,
    /// Kind, index of the original, index of the copy.
    copies: Vec<(ObjType, usize, usize)>,
}

impl<'a> Copy<'a> {
    fn new(into: &'a mut Spec, from: Option<&'a Spec>, names: Namespace<'a>) -> Copy<'a> {
        let (mut origins, mut files) = (Vec::new(), 0);
        if let Some(other) = from {
            files = into.sources.append(&other.sources);
            let own = Origin {
                compiler: other.compiler.clone(),
                strippath: other.strippath,
                modelfiledir: other.modelfiledir.clone(),
            };
            for origin in std::iter::once(&own).chain(&other.origins) {
                let known = into.origins.iter().position(|o| o == origin);
                origins.push(match known {
                    Some(i) => OriginId(i as u32 + 1),
                    None => into.add_origin(origin.clone()),
                });
            }
        }
        Copy {
            into,
            from,
            names,
            index: NameIndex::default(),
            classes: HashMap::new(),
            origins,
            files,
            frames: HashMap::new(),
            joints: HashMap::new(),
            bodies: HashMap::new(),
            actuators: HashMap::new(),
            copies: Vec::new(),
        }
    }

    fn source(&self) -> &Spec {
        self.from.unwrap_or(self.into)
    }

    /// Copies the default classes of the other model below `main`.
    fn bring_classes(&mut self) {
        let Some(other) = self.from else { return };
        let known: HashMap<String, Key<DefaultClass>> =
            self.into.defaults.iter().map(|(key, class)| (class.name.clone(), key)).collect();
        for (key, class) in other.defaults.iter() {
            let name = self.names.apply(&class.name);
            if let Some(&same) = known.get(&name) {
                self.classes.insert(key, same);
                continue;
            }
            let parent = class.parent.and_then(|parent| self.classes.get(&parent).copied());
            let parent = parent.unwrap_or(Spec::MAIN_CLASS);
            let copy = DefaultClass {
                name,
                source: class.source.shifted(self.files),
                parent: Some(parent),
                children: Vec::new(),
                ..class.clone()
            };
            let new = self.into.defaults.insert(copy);
            self.into.defaults[parent].children.push(new);
            self.classes.insert(key, new);
        }
    }

    /// Adapts what every element has: name, class, source and origin.
    fn adapt<T: Element>(&self, element: &mut T) {
        let header = element.header();
        self.names.rename(header.name);
        if self.from.is_some() {
            let class = header.class.unwrap_or(Spec::MAIN_CLASS);
            *header.class = self.classes.get(&class).copied();
            *header.source = header.source.shifted(self.files);
            *header.origin =
                self.origins.get(header.origin.0 as usize).copied().unwrap_or_default();
        }
    }

    /// Renames a reference to an asset, which exists under a new name only in another model.
    fn rename_asset(&self, name: &mut String) {
        if self.from.is_some() {
            self.names.rename(name);
        }
    }

    fn childclass(&self, class: Option<Key<DefaultClass>>) -> Option<Key<DefaultClass>> {
        if self.from.is_none() { class } else { self.classes.get(&class?).copied() }
    }

    /// Copies a body with all below it.
    fn body(&mut self, key: Key<Body>, parent: Key<Body>, frame: Option<Key<Frame>>) -> Key<Body> {
        let new = self.shell(key, parent, frame);
        self.contents(key, new, None);
        new
    }

    /// Copies a body, without what is inside.
    fn shell(&mut self, key: Key<Body>, parent: Key<Body>, frame: Option<Key<Frame>>) -> Key<Body> {
        let original = &self.source().bodies[key];
        let mut body = Body {
            bodies: Vec::new(),
            frames: Vec::new(),
            joints: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
            cameras: Vec::new(),
            lights: Vec::new(),
            userdata: original.userdata.clone(),
            name: original.name.clone(),
            parent: Some(parent),
            frame,
            ..*original
        };
        self.adapt(&mut body);
        body.childclass = self.childclass(body.childclass);
        let new = self.into.bodies.insert(body);
        self.into.bodies[parent].bodies.push(new);
        let name = self.into.bodies[new].name.clone();
        self.index.add(ObjType::Body, &name);
        self.bodies.insert(key, new);
        self.copies.push((ObjType::Body, key.index(), new.index()));
        new
    }

    /// Copies all below a body into another; what has no frame there goes into `outer`. Cables
    /// make deep trees, so this does not recurse.
    fn contents(&mut self, key: Key<Body>, target: Key<Body>, outer: Option<Key<Frame>>) {
        let mut pending = vec![(key, target, outer)];
        while let Some((key, target, outer)) = pending.pop() {
            for (child, new) in self.level(key, target, outer, None) {
                pending.push((child, new, None));
            }
        }
    }

    /// Copies a frame of a body into another, with all that is in it.
    fn members(
        &mut self,
        key: Key<Body>,
        target: Key<Body>,
        outer: Option<Key<Frame>>,
        frame: Key<Frame>,
    ) {
        for (child, new) in self.level(key, target, outer, Some(frame)) {
            self.contents(child, new, None);
        }
    }

    /// Copies what is directly inside a body, or inside one of its frames; the child bodies and
    /// their copies, still empty.
    fn level(
        &mut self,
        key: Key<Body>,
        target: Key<Body>,
        outer: Option<Key<Frame>>,
        within: Option<Key<Frame>>,
    ) -> Vec<(Key<Body>, Key<Body>)> {
        let inside = |spec: &Spec, frame: Option<Key<Frame>>| {
            within.is_none_or(|within| spec.is_within(frame, within.index()))
        };
        /// Copies one kind of children.
        macro_rules! children {
            ($list:ident, $kind:expr, |$element:ident| $adjust:expr) => {
                for child in self.source().bodies[key].$list.clone() {
                    let Some(original) = self.source().$list.get(child) else { continue };
                    let around = children!(@around $list, child, original);
                    if !inside(self.source(), around) {
                        continue;
                    }
                    let mut $element = original.clone();
                    self.adapt(&mut $element);
                    $adjust;
                    $element.body = Some(target);
                    $element.frame = $element.frame.and_then(|f| self.frames.get(&f).copied()).or(outer);
                    self.index.add($kind, &$element.name);
                    let new = self.into.$list.insert($element);
                    self.into.bodies[target].$list.push(new);
                    self.copies.push(($kind, child.index(), new.index()));
                    children!(@after $list, child, new);
                }
            };
            (@around frames, $child:ident, $original:ident) => { Some($child) };
            (@around $list:ident, $child:ident, $original:ident) => { $original.frame };
            (@after frames, $child:ident, $new:ident) => { self.frames.insert($child, $new); };
            (@after joints, $child:ident, $new:ident) => { self.joints.insert($child, $new); };
            (@after $list:ident, $child:ident, $new:ident) => {};
        }
        children!(frames, ObjType::Frame, |e| e.childclass = self.childclass(e.childclass));
        children!(geoms, ObjType::Geom, |e| {
            self.rename_asset(&mut e.material);
            self.rename_asset(&mut e.hfieldname);
            self.rename_asset(&mut e.meshname);
        });
        children!(joints, ObjType::Joint, |e| {});
        children!(sites, ObjType::Site, |e| self.rename_asset(&mut e.material));
        children!(cameras, ObjType::Camera, |e| self.names.rename(&mut e.targetbody));
        children!(lights, ObjType::Light, |e| {
            self.names.rename(&mut e.targetbody);
            self.names.rename(&mut e.texture);
        });
        let mut bodies = Vec::new();
        for child in self.source().bodies[key].bodies.clone() {
            let Some(original) = self.source().bodies.get(child) else { continue };
            if !inside(self.source(), original.frame) {
                continue;
            }
            let frame = original.frame.and_then(|f| self.frames.get(&f).copied()).or(outer);
            bodies.push((child, self.shell(child, target, frame)));
        }
        bodies
    }

    /// Everything outside the tree, after the tree of another model has been copied.
    fn finish(&mut self) -> Result<(), AttachError> {
        self.index = NameIndex::of(self.into);
        self.assets();
        self.referring();
        self.keyframes()
    }

    /// Assets and custom data of the other model, all of them.
    fn assets(&mut self) {
        let Some(other) = self.from else { return };
        // An asset without a name goes by its file; under a namespace it needs the name.
        let named = |name: &mut String, file: &str| {
            if name.is_empty() {
                let base = file_name(file);
                *name = base[..base.len() - extension(base).len()].to_owned();
            }
        };
        macro_rules! bring {
            ($list:ident, $kind:expr, |$element:ident| $adjust:expr) => {
                for (key, $element) in other.$list.iter() {
                    let mut $element = $element.clone();
                    $adjust;
                    self.adapt(&mut $element);
                    self.index.add($kind, &$element.name);
                    let new = self.into.$list.insert($element);
                    self.copies.push(($kind, key.index(), new.index()));
                }
            };
        }
        bring!(meshes, ObjType::Mesh, |e| named(&mut e.name, &e.file));
        for skin in other.skins.values() {
            if let Some(mut skin) = skin.renamed(self.names, &self.index) {
                named(&mut skin.name, &skin.file);
                let name = skin.name.clone();
                self.adapt(&mut skin);
                skin.name = name;
                self.into.skins.insert(skin);
            }
        }
        bring!(hfields, ObjType::HField, |e| named(&mut e.name, &e.file));
        bring!(textures, ObjType::Texture, |e| named(&mut e.name, &e.file));
        bring!(materials, ObjType::Material, |e| {
            e.textures.iter_mut().for_each(|name| self.names.rename(name));
        });
        bring!(numerics, ObjType::Numeric, |e| {});
        bring!(texts, ObjType::Text, |e| {});
    }

    /// Copies the elements that refer to what was copied.
    fn referring(&mut self) {
        macro_rules! bring {
            ($list:ident, $kind:expr) => {
                let keys: Vec<_> = self.source().$list.keys().collect();
                let mut added = Vec::new();
                for key in keys {
                    let original = &self.source().$list[key];
                    if let Some(mut element) = original.renamed(self.names, &self.index) {
                        self.adapt(&mut element);
                        added.push(element.name.clone());
                        let new = self.into.$list.insert(element);
                        self.copies.push(($kind, key.index(), new.index()));
                        bring!(@after $list, key, new);
                    }
                }
                for name in added {
                    self.index.add($kind, &name);
                }
            };
            (@after actuators, $key:ident, $new:ident) => { self.actuators.insert($key, $new); };
            (@after $list:ident, $key:ident, $new:ident) => { let _ = ($key, $new); };
        }
        bring!(pairs, ObjType::Pair);
        bring!(excludes, ObjType::Exclude);
        bring!(tendons, ObjType::Tendon);
        bring!(equalities, ObjType::Equality);
        bring!(actuators, ObjType::Actuator);
        bring!(sensors, ObjType::Sensor);
        bring!(tuples, ObjType::Tuple);
    }

    /// Keyframes of the other model: their values, for the elements that were copied.
    fn keyframes(&mut self) -> Result<(), AttachError> {
        let Some(other) = self.from else { return Ok(()) };
        let layout = StateLayout::of(other);
        let mut keys = Vec::new();
        for key in other.keys.values() {
            let mut attached = layout.split(key)?;
            attached.name = self.names.apply(&key.name);
            keys.push(attached);
        }
        keys.extend(other.attached_keys.iter().cloned());
        for mut key in keys {
            self.translate(&mut key, |_| None);
            key.source = key.source.shifted(self.files);
            self.into.attached_keys.push(key);
        }
        Ok(())
    }

    /// Lets the keyframes of attached models refer to copies where they refer to originals.
    fn move_attached_keys(&mut self) {
        let mut keys = std::mem::take(&mut self.into.attached_keys);
        for key in &mut keys {
            self.translate(key, Some);
        }
        self.into.attached_keys = keys;
    }

    /// Replaces originals by their copies in a keyframe. What was not copied is replaced by
    /// `otherwise`, which takes and gives the index of a key.
    fn translate(&self, key: &mut AttachedKeyframe, otherwise: fn(u32) -> Option<u32>) {
        fn each<T, V>(
            values: &mut Option<Vec<(Key<T>, V)>>,
            map: &HashMap<Key<T>, Key<T>>,
            otherwise: fn(u32) -> Option<u32>,
        ) {
            let Some(list) = values else { return };
            let old = std::mem::take(list);
            list.extend(old.into_iter().filter_map(|(key, value)| {
                let other = || otherwise(key.index() as u32).map(Key::new);
                Some((map.get(&key).copied().or_else(other)?, value))
            }));
        }
        each(&mut key.qpos, &self.joints, otherwise);
        each(&mut key.qvel, &self.joints, otherwise);
        each(&mut key.act, &self.actuators, otherwise);
        each(&mut key.ctrl, &self.actuators, otherwise);
        each(&mut key.mpos, &self.bodies, otherwise);
        each(&mut key.mquat, &self.bodies, otherwise);
    }
}

/// Which part of the state belongs to which element: joints and mocap bodies in the order of
/// the tree, actuators in their own.
struct StateLayout {
    joints: Vec<(Key<Joint>, usize, usize)>,
    actuators: Vec<(Key<Actuator>, usize)>,
    mocap: Vec<Key<Body>>,
}

impl StateLayout {
    fn of(spec: &Spec) -> StateLayout {
        let mut layout =
            StateLayout { joints: Vec::new(), actuators: Vec::new(), mocap: Vec::new() };
        let mut pending = vec![Spec::WORLD];
        while let Some(key) = pending.pop() {
            let Some(body) = spec.bodies.get(key) else { continue };
            if body.mocap {
                layout.mocap.push(key);
            }
            for &joint in &body.joints {
                let (nq, nv) = match spec.joints.get(joint).map(|joint| joint.type_) {
                    Some(JointType::Free) => (7, 6),
                    Some(JointType::Ball) => (4, 3),
                    Some(JointType::Slide | JointType::Hinge) => (1, 1),
                    None => continue,
                };
                layout.joints.push((joint, nq, nv));
            }
            pending.extend(body.bodies.iter().rev());
        }
        for (key, actuator) in spec.actuators.iter() {
            let stateful = usize::from(actuator.dyntype != Dynamics::None);
            let dim = usize::try_from(actuator.actdim).ok().filter(|&n| n > 0);
            layout.actuators.push((key, dim.unwrap_or(stateful)));
        }
        layout
    }

    /// A keyframe from its values by element. Velocities, activations and controls that are
    /// missing are zero.
    fn join(&self, spec: &Spec, key: &AttachedKeyframe) -> super::Keyframe {
        fn collect<T>(
            order: impl Iterator<Item = (Key<T>, usize)>,
            values: &Shares<T>,
            missing: impl Fn(Key<T>) -> Vec<f64>,
        ) -> Vec<f64> {
            let Some(values) = values else { return Vec::new() };
            let values: HashMap<Key<T>, &Vec<f64>> = values.iter().map(|(k, v)| (*k, v)).collect();
            let mut out = Vec::new();
            for (key, _) in order {
                match values.get(&key) {
                    Some(share) => out.extend_from_slice(share),
                    None => out.extend_from_slice(&missing(key)),
                }
            }
            out
        }
        fn lists<T, const N: usize>(values: &Option<Vec<(Key<T>, [f64; N])>>) -> Shares<T> {
            Some(values.as_ref()?.iter().map(|(key, v)| (*key, v.to_vec())).collect())
        }
        let controls: Shares<Actuator> =
            key.ctrl.as_ref().map(|list| list.iter().map(|(k, v)| (*k, vec![*v])).collect());
        let sizes: HashMap<Key<Joint>, usize> = self.joints.iter().map(|j| (j.0, j.2)).collect();
        let states: HashMap<Key<Actuator>, usize> = self.actuators.iter().copied().collect();
        let mocap = |n: usize| self.mocap.iter().map(move |&body| (body, n));
        super::Keyframe {
            name: key.name.clone(),
            source: key.source,
            time: key.time,
            qpos: collect(self.joints.iter().map(|j| (j.0, j.1)), &key.qpos, |j| spec.reference(j)),
            qvel: collect(self.joints.iter().map(|j| (j.0, j.2)), &key.qvel, |j| {
                vec![0.0; sizes[&j]]
            }),
            act: collect(self.actuators.iter().copied(), &key.act, |a| vec![0.0; states[&a]]),
            ctrl: collect(self.actuators.iter().map(|a| (a.0, 1)), &controls, |_| vec![0.0]),
            mpos: collect(mocap(3), &lists(&key.mpos), |b| spec.pose(b).0.0.to_vec()),
            mquat: collect(mocap(4), &lists(&key.mquat), |b| spec.pose(b).1.0.to_vec()),
            ..Default::default()
        }
    }

    /// The values of a keyframe by element.
    fn split(&self, key: &super::Keyframe) -> Result<AttachedKeyframe, AttachError> {
        let joints = |size: fn(&(Key<Joint>, usize, usize)) -> usize| {
            self.joints.iter().map(move |joint| (joint.0, size(joint))).collect::<Vec<_>>()
        };
        let mocap = |n: usize| self.mocap.iter().map(|&body| (body, n)).collect::<Vec<_>>();
        let controls: Vec<_> = self.actuators.iter().map(|&(actuator, _)| (actuator, 1)).collect();
        let deal = |field, values: &[f64]| Dealt { key: &key.name, field, values: values.to_vec() };
        let ctrl = deal("ctrl", &key.ctrl).by(&controls)?;
        let mpos = deal("mpos", &key.mpos).by(&mocap(3))?;
        let mquat = deal("mquat", &key.mquat).by(&mocap(4))?;
        Ok(AttachedKeyframe {
            source: key.source,
            time: key.time,
            qpos: deal("qpos", &key.qpos).by(&joints(|j| j.1))?,
            qvel: deal("qvel", &key.qvel).by(&joints(|j| j.2))?,
            act: deal("act", &key.act).by(&self.actuators)?,
            ctrl: ctrl.map(|list| list.into_iter().map(|(k, v)| (k, v[0])).collect()),
            mpos: mpos.map(|list| list.into_iter().map(|(k, v)| (k, [v[0], v[1], v[2]])).collect()),
            mquat: mquat
                .map(|list| list.into_iter().map(|(k, v)| (k, [v[0], v[1], v[2], v[3]])).collect()),
            ..Default::default()
        })
    }
}

/// A vector of a keyframe, to be dealt out to elements.
struct Dealt<'a> {
    key: &'a str,
    field: &'static str,
    values: Vec<f64>,
}

/// The share of each element; `None` if there are no values at all.
type Shares<T> = Option<Vec<(Key<T>, Vec<f64>)>>;

impl Dealt<'_> {
    fn by<T>(self, sizes: &[(Key<T>, usize)]) -> Result<Shares<T>, AttachError> {
        if self.values.is_empty() {
            return Ok(None);
        }
        let expected: usize = sizes.iter().map(|(_, size)| size).sum();
        if self.values.len() != expected {
            return Err(AttachError::KeyframeSize {
                key: self.key.to_owned(),
                field: self.field,
                found: self.values.len(),
                expected,
            });
        }
        let mut rest = self.values.as_slice();
        let mut shares = Vec::with_capacity(sizes.len());
        for &(key, size) in sizes {
            let (share, tail) = rest.split_at(size);
            rest = tail;
            if size > 0 {
                shares.push((key, share.to_vec()));
            }
        }
        Ok(Some(shares))
    }
}
