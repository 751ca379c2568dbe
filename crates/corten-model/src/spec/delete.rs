//! Deleting a body: all below it goes along, and all that refers to it.
//!
//! Answers to `mjs_delete` of a body.

use super::references::{NameIndex, Namespace, References};
use super::{Actuator, Arena, Body, Element, Key, PluginUse, Spec};
use crate::enums::ObjType;
use corten_math::memory::Gather;

impl Spec {
    /// Deletes a body with all below it, and what refers to it. Keyframes keep the values of what
    /// remains; one that does not fit the model stays as it is, for the compiler to refuse.
    pub fn delete_body(&mut self, body: Key<Body>) {
        self.forget_activations();
        self.expand_keys();
        if self.deal_keys(Namespace::default()).is_ok() {
            let keys: Vec<_> = self.keys.keys().collect();
            for key in keys {
                self.keys.remove(key);
            }
        }
        let mut index = NameIndex::of(self);
        self.unlink(body);
        self.remove_tree(body, &mut index);
        self.remove_unused_plugins();
    }

    /// Removes instances of plugins that no element asks for any more.
    fn remove_unused_plugins(&mut self) {
        let used: Vec<&PluginUse> = self.plugin_uses().collect();
        let unused: Vec<_> = self
            .plugins
            .iter()
            .filter(|(key, plugin)| {
                !used.iter().any(|used| {
                    if used.name.is_empty() {
                        used.instance == Some(*key)
                    } else {
                        used.name == plugin.name
                    }
                })
            })
            .map(|(key, _)| key)
            .collect();
        for key in unused {
            self.plugins.remove(key);
        }
    }

    /// What elements ask of plugins.
    pub(crate) fn plugin_uses(&self) -> impl Iterator<Item = &PluginUse> {
        let bodies = self.bodies.values().map(|e| &e.plugin);
        let geoms = self.geoms.values().map(|e| &e.plugin);
        let meshes = self.meshes.values().map(|e| &e.plugin);
        let actuators = self.actuators.values().map(|e| &e.plugin);
        let sensors = self.sensors.values().map(|e| &e.plugin);
        let all = bodies.chain(geoms).chain(meshes).chain(actuators).chain(sensors);
        all.filter(|used| used.active)
    }

    /// Takes a body out of the list of its parent.
    pub(super) fn unlink(&mut self, body: Key<Body>) {
        if let Some(parent) = self.bodies.get(body).and_then(|body| body.parent)
            && let Some(parent) = self.bodies.get_mut(parent)
        {
            parent.bodies.retain(|&key| key != body);
        }
    }

    pub(super) fn remove_tree(&mut self, root: Key<Body>, index: &mut NameIndex) {
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
    flexes: Vec<Key<super::Flex>>,
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
            arena.iter().filter(|(_, element)| element.resolves(index)).map(|(k, _)| k).gather()
        }
        Referring {
            flexes: list(&spec.flexes, index),
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
        prune(&mut spec.flexes, self.flexes, ObjType::Flex, index);
        prune(&mut spec.pairs, self.pairs, ObjType::Pair, index);
        prune(&mut spec.excludes, self.excludes, ObjType::Exclude, index);
        prune(&mut spec.tendons, self.tendons, ObjType::Tendon, index);
        prune(&mut spec.equalities, self.equalities, ObjType::Equality, index);
        prune(&mut spec.actuators, self.actuators, ObjType::Actuator, index);
        prune(&mut spec.sensors, self.sensors, ObjType::Sensor, index);
    }
}
