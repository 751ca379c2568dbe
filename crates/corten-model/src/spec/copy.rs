//! A copy of a part of a model under way, from another model or within one.
//!
//! The part is copied under new names, and with it the elements outside the tree that refer to it.
//! Copies from another model keep the compiler settings of that model, bring its default classes
//! and assets, and its keyframes.

use corten_math::memory::{Gather, Grow};
use std::collections::HashMap;

use super::keyframe::StateLayout;
use super::references::{NameIndex, Namespace, References};
use super::{
    ActivePlugin, Actuator, AttachError, AttachedKeyframe, Body, DefaultClass, Element, Equality,
    Frame, Joint, Key, Origin, OriginId, Plugin, PluginUse, Spec,
};
use crate::assets::{extension, file_name};
use crate::enums::{EqualityType, ObjType};

/// A copy under way, from another model or within one.
pub(super) struct Copy<'a> {
    pub(super) into: &'a mut Spec,
    from: Option<&'a Spec>,
    names: Namespace<'a>,
    pub(super) index: NameIndex,
    classes: HashMap<Key<DefaultClass>, Key<DefaultClass>>,
    /// Origins of the other model, as known here.
    origins: Vec<OriginId>,
    /// Number of source files that precede those of the other model.
    files: u32,
    pub(super) frames: HashMap<Key<Frame>, Key<Frame>>,
    joints: HashMap<Key<Joint>, Key<Joint>>,
    bodies: HashMap<Key<Body>, Key<Body>>,
    actuators: HashMap<Key<Actuator>, Key<Actuator>>,
    /// Flexes from this key on are copies themselves.
    pub(super) flex_end: usize,
    /// Names of flexes, and those of their copies.
    flex_names: HashMap<String, String>,
    /// Kind, index of the original, index of the copy.
    pub(super) copies: Vec<(ObjType, usize, usize)>,
}

impl<'a> Copy<'a> {
    pub(super) fn new(
        into: &'a mut Spec,
        from: Option<&'a Spec>,
        names: Namespace<'a>,
    ) -> Copy<'a> {
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
            flex_end: usize::MAX,
            flex_names: HashMap::new(),
            copies: Vec::new(),
        }
    }

    fn source(&self) -> &Spec {
        self.from.unwrap_or(self.into)
    }

    /// Copies the default classes of the other model below `main`.
    pub(super) fn bring_classes(&mut self) {
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

    /// Lets a copy ask for a copy of the instance of a plugin that its original asks for.
    fn copy_plugin(&mut self, used: &mut PluginUse) {
        if !used.active {
            return;
        }
        let source = self.source();
        let key = if used.name.is_empty() {
            used.instance.take()
        } else {
            source.find::<Plugin>(&used.name)
        };
        let Some(mut plugin) = key.and_then(|key| source.plugins.get(key)).cloned() else { return };
        if let Some(other) = self.from {
            for active in &other.active_plugins {
                if !self.into.active_plugins.iter().any(|known| known.name == active.name) {
                    let source = active.source.shifted(self.files);
                    self.into.active_plugins.push(ActivePlugin { source, ..active.clone() });
                }
            }
        }
        self.adapt(&mut plugin);
        if used.name.is_empty() {
            used.instance = Some(self.into.plugins.insert(plugin));
        } else {
            used.name.clone_from(&plugin.name);
            if self.into.find::<Plugin>(&plugin.name).is_none() {
                self.into.plugins.insert(plugin);
            }
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
    pub(super) fn body(
        &mut self,
        key: Key<Body>,
        parent: Key<Body>,
        frame: Option<Key<Frame>>,
    ) -> Key<Body> {
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
            plugin: original.plugin.clone(),
            name: original.name.clone(),
            parent: Some(parent),
            frame,
            ..*original
        };
        self.adapt(&mut body);
        self.copy_plugin(&mut body.plugin);
        body.childclass = self.childclass(body.childclass);
        let new = self.into.bodies.insert(body);
        self.into.bodies[parent].bodies.grow_push(new);
        let name = self.into.bodies[new].name.clone();
        self.index.add(ObjType::Body, &name);
        self.bodies.insert(key, new);
        self.copies.grow_push((ObjType::Body, key.index(), new.index()));
        new
    }

    /// Copies all below a body into another; what has no frame there goes into `outer`. Cables
    /// make deep trees, so this does not recurse.
    pub(super) fn contents(
        &mut self,
        key: Key<Body>,
        target: Key<Body>,
        outer: Option<Key<Frame>>,
    ) {
        if key == Spec::WORLD && self.from.is_some_and(flexes_on_world) {
            // What they are fixed to takes part in the pose of the frame.
            self.shell(key, target, outer);
        }
        let mut pending = vec![(key, target, outer)];
        while let Some((key, target, outer)) = pending.pop() {
            for (child, new) in self.level(key, target, outer, None) {
                pending.push((child, new, None));
            }
        }
    }

    /// Copies a frame of a body into another, with all that is in it.
    pub(super) fn members(
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
                    self.into.bodies[target].$list.grow_push(new);
                    self.copies.grow_push(($kind, child.index(), new.index()));
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
            self.copy_plugin(&mut e.plugin);
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
    pub(super) fn finish(&mut self) -> Result<(), AttachError> {
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
        bring!(meshes, ObjType::Mesh, |e| {
            named(&mut e.name, &e.file);
            self.copy_plugin(&mut e.plugin);
        });
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
    pub(super) fn referring(&mut self) {
        macro_rules! bring {
            ($list:ident, $kind:expr) => {
                let keys: Vec<_> = self.source().$list.keys().gather();
                let mut added = Vec::new();
                for key in keys {
                    let original = &self.source().$list[key];
                    if let Some(mut element) = bring!(@renamed $list, original) {
                        self.adapt(&mut element);
                        added.grow_push(element.name.clone());
                        let new = self.into.$list.insert(element);
                        self.copies.push(($kind, key.index(), new.index()));
                        bring!(@after $list, key, new);
                        bring!(@plugin $list, new);
                    }
                }
                for name in added {
                    self.index.add($kind, &name);
                }
            };
            (@renamed equalities, $original:ident) => { self.renamed_equality($original) };
            (@renamed $list:ident, $original:ident) => {
                $original.renamed(self.names, &self.index)
            };
            (@plugin actuators, $new:ident) => { bring!(@copied actuators, $new); };
            (@plugin sensors, $new:ident) => { bring!(@copied sensors, $new); };
            (@plugin $list:ident, $new:ident) => {};
            (@copied $list:ident, $new:ident) => {{
                let mut plugin = std::mem::take(&mut self.into.$list[$new].plugin);
                self.copy_plugin(&mut plugin);
                self.into.$list[$new].plugin = plugin;
            }};
            (@after actuators, $key:ident, $new:ident) => { self.actuators.insert($key, $new); };
            (@after $list:ident, $key:ident, $new:ident) => { let _ = ($key, $new); };
        }
        self.flexes();
        bring!(pairs, ObjType::Pair);
        bring!(excludes, ObjType::Exclude);
        bring!(tendons, ObjType::Tendon);
        bring!(equalities, ObjType::Equality);
        bring!(actuators, ObjType::Actuator);
        bring!(sensors, ObjType::Sensor);
        bring!(tuples, ObjType::Tuple);
    }

    /// Copies the flexes of which bodies were copied. Within a model, what else they are fixed to
    /// stays; from another, all of it must have come along. There, a flex keeps its name, as in
    /// MuJoCo 3.4.0, unless the name is taken.
    fn flexes(&mut self) {
        if self.source().flexes.is_empty() {
            return;
        }
        // By what was copied, not by name: with a suffix, a name may be that of another vertex.
        let source = self.source();
        let copied: HashMap<String, String> = self
            .bodies
            .iter()
            .filter_map(|(&old, &new)| {
                Some((source.bodies.get(old)?.name.clone(), self.into.bodies[new].name.clone()))
            })
            .collect();
        let end = self.flex_end;
        let keys: Vec<_> = source.flexes.keys().filter(|key| key.index() < end).collect();
        for key in keys {
            let original = &self.source().flexes[key];
            let mut flex = original.clone();
            let (mut moved, mut left) = (0, 0);
            for name in flex.vertbody.iter_mut().chain(&mut flex.nodebody) {
                match copied.get(name) {
                    Some(new) => {
                        name.clone_from(new);
                        moved += 1;
                    }
                    None => left += 1,
                }
            }
            if moved == 0 || (left > 0 && self.from.is_some()) {
                continue;
            }
            let name = original.name.clone();
            self.adapt(&mut flex);
            self.rename_asset(&mut flex.material);
            if self.from.is_some() && !self.index.contains(ObjType::Flex, &name) {
                flex.name.clone_from(&name);
            }
            self.index.add(ObjType::Flex, &flex.name);
            self.flex_names.insert(name, flex.name.clone());
            let new = self.into.flexes.insert(flex);
            self.copies.push((ObjType::Flex, key.index(), new.index()));
        }
    }

    fn renamed_equality(&self, original: &Equality) -> Option<Equality> {
        if original.type_ != EqualityType::Flex {
            return original.renamed(self.names, &self.index);
        }
        let name1 = self.flex_names.get(&original.name1)?.clone();
        Some(Equality { name1, ..original.clone() })
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
    pub(super) fn move_attached_keys(&mut self) {
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

/// Whether flexes are fixed to the world.
fn flexes_on_world(spec: &Spec) -> bool {
    let world = &spec.bodies[Spec::WORLD].name;
    let mut flexes = spec.flexes.values();
    flexes.any(|flex| flex.vertbody.contains(world) || flex.nodebody.contains(world))
}
