//! Editing: adding, finding, moving and deleting elements.
//!
//! Answers to `mjs_add*`, `mjs_find*`, `mjs_setFrame`, `mjs_bodyToFrame` and `mjs_delete`. Every
//! operation takes and gives [`Key`]s; the elements themselves are in the arenas of the [`Spec`].
//!
//! ```
//! use corten_model::Spec;
//! use corten_model::enums::{GeomType, JointType};
//! use corten_model::spec::{Actuator, Body, Geom, Joint};
//!
//! let mut spec = Spec::new();
//! let pole = spec.add_child::<Body>(Spec::WORLD, None);
//! spec.bodies[pole].name = "pole".into();
//! let hinge = spec.add_child::<Joint>(pole, None);
//! spec.joints[hinge].name = "hinge".into();
//! spec.joints[hinge].type_ = JointType::Hinge;
//! let rod = spec.add_child::<Geom>(pole, None);
//! spec.geoms[rod].type_ = GeomType::Capsule;
//! spec.geoms[rod].size.0 = [0.02, 0.0, 0.0];
//! spec.geoms[rod].fromto = Some([0.0, 0.0, 0.0, 0.0, 0.0, -0.5]);
//! let motor = spec.add::<Actuator>(None);
//! spec.actuators[motor].target = "hinge".into();
//! spec.actuators[motor].trntype = corten_model::enums::Transmission::Joint;
//!
//! assert_eq!(spec.find::<Joint>("hinge"), Some(hinge));
//! spec.delete(motor);
//! assert!(spec.actuators.is_empty());
//! ```

use super::{
    Actuator, Arena, Body, Camera, DefaultClass, Element, Equality, Exclude, Fields, Flex, Frame,
    Geom, HField, Joint, Key, Keyframe, Light, Material, Mesh, Numeric, Orientation, Pair, Plugin,
    Sensor, Site, Skin, Spec, Tendon, Text, Texture, Tuple,
};
use crate::compile::orientation::quaternion;
use crate::enums::{JointType, ObjType};

/// A kind of elements: where they are in a spec, and what new ones start from.
pub trait Item: Element + Fields + Clone + Default + 'static {
    const KIND: ObjType;

    fn arena(spec: &Spec) -> &Arena<Self>;
    fn arena_mut(spec: &mut Spec) -> &mut Arena<Self>;

    /// What elements of a default class start from.
    fn prototype(_class: &DefaultClass) -> Self {
        Self::default()
    }

    /// The prototype in a default class, if classes have one.
    fn prototype_mut(_class: &mut DefaultClass) -> Option<&mut Self> {
        None
    }

    /// Takes an element out; whether there was one.
    fn delete(spec: &mut Spec, key: Key<Self>) -> bool {
        Self::arena_mut(spec).remove(key).is_some()
    }

    /// All elements in the order in which the compiler numbers them.
    fn order(spec: &Spec) -> Vec<Key<Self>> {
        Self::arena(spec).keys().collect()
    }
}

/// An element of the kinematic tree.
pub trait Child: Item {
    fn list(body: &Body) -> &[Key<Self>];
    fn list_mut(body: &mut Body) -> &mut Vec<Key<Self>>;
    /// The body that it belongs to, and the frame in it.
    fn place(&self) -> (Option<Key<Body>>, Option<Key<Frame>>);
    fn set_place(&mut self, body: Key<Body>, frame: Option<Key<Frame>>);
}

/// Where an element of the tree goes: into a body, or into a frame of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent {
    Body(Key<Body>),
    Frame(Key<Frame>),
}

impl From<Key<Body>> for Parent {
    fn from(body: Key<Body>) -> Parent {
        Parent::Body(body)
    }
}

impl From<Key<Frame>> for Parent {
    fn from(frame: Key<Frame>) -> Parent {
        Parent::Frame(frame)
    }
}

/// Why an edit is impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("the element has been deleted")]
    Deleted,
    #[error("the frame is not in the body of the element")]
    OtherBody,
    #[error("a frame cannot contain itself")]
    FrameCycle,
    #[error("the world body cannot be deleted or become a frame")]
    World,
    #[error("the default class 'main' cannot be deleted")]
    MainClass,
}

macro_rules! items {
    ($($T:ident $kind:ident $arena:ident $($prototype:ident)?;)*) => {$(
        impl Item for $T {
            const KIND: ObjType = ObjType::$kind;
            fn arena(spec: &Spec) -> &Arena<$T> {
                &spec.$arena
            }
            fn arena_mut(spec: &mut Spec) -> &mut Arena<$T> {
                &mut spec.$arena
            }
            $(items!(@prototype $T $prototype);)?
        }
    )*};
    (@prototype $T:ident $prototype:ident) => {
        fn prototype(class: &DefaultClass) -> $T {
            class.$prototype.clone()
        }
        fn prototype_mut(class: &mut DefaultClass) -> Option<&mut $T> {
            Some(&mut class.$prototype)
        }
    };
}

items! {
    Mesh Mesh meshes mesh;
    HField HField hfields;
    Flex Flex flexes;
    Skin Skin skins;
    Texture Texture textures;
    Material Material materials material;
    Pair Pair pairs pair;
    Exclude Exclude excludes;
    Equality Equality equalities equality;
    Tendon Tendon tendons tendon;
    Actuator Actuator actuators actuator;
    Sensor Sensor sensors;
    Plugin Plugin plugins;
    Numeric Numeric numerics;
    Text Text texts;
    Tuple Tuple tuples;
    Keyframe Key keys;
}

macro_rules! children {
    ($($T:ident $kind:ident $arena:ident $parent:ident $($prototype:ident)?;)*) => {$(
        impl Item for $T {
            const KIND: ObjType = ObjType::$kind;
            fn arena(spec: &Spec) -> &Arena<$T> {
                &spec.$arena
            }
            fn arena_mut(spec: &mut Spec) -> &mut Arena<$T> {
                &mut spec.$arena
            }
            $(items!(@prototype $T $prototype);)?
            fn delete(spec: &mut Spec, key: Key<$T>) -> bool {
                children!(@delete $T spec key)
            }
            fn order(spec: &Spec) -> Vec<Key<$T>> {
                children!(@order $T spec)
            }
        }

        impl Child for $T {
            fn list(body: &Body) -> &[Key<$T>] {
                &body.$arena
            }
            fn list_mut(body: &mut Body) -> &mut Vec<Key<$T>> {
                &mut body.$arena
            }
            fn place(&self) -> (Option<Key<Body>>, Option<Key<Frame>>) {
                (self.$parent, self.frame)
            }
            fn set_place(&mut self, body: Key<Body>, frame: Option<Key<Frame>>) {
                (self.$parent, self.frame) = (Some(body), frame);
            }
        }
    )*};
    (@delete Body $spec:ident $key:ident) => {{
        let there = $key != Spec::WORLD && $spec.bodies.contains($key);
        if there {
            $spec.delete_body($key);
        }
        there
    }};
    // What is in a frame stays where the frame put it: the frame is no longer listed, but keeps
    // its pose for its members.
    (@delete Frame $spec:ident $key:ident) => {
        $spec.unlist::<Frame>($key)
    };
    (@delete $T:ident $spec:ident $key:ident) => {
        $spec.unlist::<$T>($key) && $spec.remove_silently::<$T>($key)
    };
    (@order Body $spec:ident) => {
        $spec.bodies_depth_first()
    };
    (@order $T:ident $spec:ident) => {
        $spec.bodies_depth_first().iter().flat_map(|&b| $T::list(&$spec.bodies[b]).to_vec()).collect()
    };
}

children! {
    Body Body bodies parent;
    Frame Frame frames body;
    Joint Joint joints body joint;
    Geom Geom geoms body geom;
    Site Site sites body site;
    Camera Camera cameras body camera;
    Light Light lights body light;
}

impl Spec {
    /// Adds an element outside the tree, which starts from a default class; `None` is `main`.
    pub fn add<T: Item>(&mut self, class: Option<Key<DefaultClass>>) -> Key<T> {
        let class = class.filter(|&key| self.defaults.contains(key));
        let mut element = T::prototype(self.class(class));
        *element.header().class = class;
        T::arena_mut(self).insert(element)
    }

    /// Adds an element to the tree. Without a class it starts from that of its surroundings.
    /// A parent that has been deleted stands for the world.
    pub fn add_child<T: Child>(
        &mut self,
        parent: impl Into<Parent>,
        class: Option<Key<DefaultClass>>,
    ) -> Key<T> {
        let (body, frame) = self.resolve(parent.into());
        let class = class.or_else(|| self.class_around(body, frame));
        let key = self.add::<T>(class);
        T::arena_mut(self)[key].set_place(body, frame);
        T::list_mut(&mut self.bodies[body]).push(key);
        key
    }

    /// Adds a free joint, which takes no defaults.
    pub fn add_free_joint(&mut self, body: Key<Body>) -> Key<Joint> {
        let key = self.add_child::<Joint>(body, None);
        let (body, frame) = self.joints[key].place();
        let class = self.joints[key].class;
        self.joints[key] = Joint { body, frame, class, type_: JointType::Free, ..Joint::default() };
        key
    }

    /// Adds a default class below another; `None` if the name is taken.
    pub fn add_class(
        &mut self,
        name: &str,
        parent: Option<Key<DefaultClass>>,
    ) -> Option<Key<DefaultClass>> {
        if self.find_class(name).is_some() {
            return None;
        }
        let parent = parent.filter(|&key| self.defaults.contains(key)).unwrap_or(Spec::MAIN_CLASS);
        let class = DefaultClass {
            name: name.into(),
            parent: Some(parent),
            children: Vec::new(),
            ..self.defaults[parent].clone()
        };
        let key = self.defaults.insert(class);
        self.defaults[parent].children.push(key);
        Some(key)
    }

    /// Deletes a default class and those below it. Elements keep their values.
    pub fn delete_class(&mut self, key: Key<DefaultClass>) -> Result<(), EditError> {
        if key == Spec::MAIN_CLASS {
            return Err(EditError::MainClass);
        }
        let parent = self.defaults.get(key).ok_or(EditError::Deleted)?.parent;
        if let Some(parent) = parent.and_then(|parent| self.defaults.get_mut(parent)) {
            parent.children.retain(|&child| child != key);
        }
        let mut pending = vec![key];
        while let Some(class) = pending.pop().and_then(|key| self.defaults.remove(key)) {
            pending.extend(class.children);
        }
        Ok(())
    }

    /// The element of this name.
    pub fn find<T: Item>(&self, name: &str) -> Option<Key<T>> {
        T::arena(self).iter().find(|(_, element)| element.name() == name).map(|(key, _)| key)
    }

    /// Elements in the order in which the compiler numbers them.
    pub fn order<T: Item>(&self) -> Vec<Key<T>> {
        T::order(self)
    }

    /// The elements inside a body; with `deep` also those of the bodies below it, depth first.
    pub fn children<T: Child>(&self, body: Key<Body>, deep: bool) -> Vec<Key<T>> {
        let mut found = Vec::new();
        let mut pending = vec![body];
        while let Some(key) = pending.pop() {
            let Some(at) = self.bodies.get(key) else { continue };
            if T::KIND == ObjType::Body && deep {
                // Each body comes where the walk meets it, ahead of what is below it.
                found.extend(T::arena(self).key(key.index()).filter(|_| key != body));
            } else {
                found.extend_from_slice(T::list(at));
            }
            if deep {
                pending.extend(at.bodies.iter().rev());
            }
        }
        found
    }

    /// Deletes an element; a body takes along everything below it and everything that refers to
    /// it. Whether there was something to delete: the world stays.
    pub fn delete<T: Item>(&mut self, key: Key<T>) -> bool {
        T::delete(self, key)
    }

    /// Puts an element into a frame of its body, or takes it out of any.
    pub fn set_frame<T: Child>(
        &mut self,
        key: Key<T>,
        frame: Option<Key<Frame>>,
    ) -> Result<(), EditError> {
        let body = T::arena(self).get(key).ok_or(EditError::Deleted)?.place().0;
        let body = body.ok_or(EditError::World)?;
        if let Some(frame) = frame {
            if self.frames.get(frame).ok_or(EditError::Deleted)?.body != Some(body) {
                return Err(EditError::OtherBody);
            }
            if T::KIND == ObjType::Frame && self.is_within(Some(frame), key.index()) {
                return Err(EditError::FrameCycle);
            }
        }
        T::arena_mut(self)[key].set_place(body, frame);
        Ok(())
    }

    /// Whether a frame is the one of this index, or inside it.
    pub(super) fn is_within(&self, mut frame: Option<Key<Frame>>, index: usize) -> bool {
        for _ in 0..=self.frames.capacity() {
            match frame {
                Some(key) if key.index() == index => return true,
                Some(key) => frame = self.frames.get(key).and_then(|frame| frame.frame),
                None => return false,
            }
        }
        false
    }

    /// Turns a body into a frame of its parent, with all that is inside.
    pub fn body_to_frame(&mut self, key: Key<Body>) -> Result<Key<Frame>, EditError> {
        let body = self.bodies.get(key).ok_or(EditError::Deleted)?.clone();
        let parent = body.parent.ok_or(EditError::World)?;
        let frame = self.add_child::<Frame>(parent, body.class);
        let outer = body.frame;
        self.frames[frame] = Frame {
            body: Some(parent),
            frame: outer,
            class: body.class,
            childclass: body.childclass,
            pos: body.pos,
            quat: body.quat,
            alt: body.alt,
            origin: body.origin,
            ..Frame::default()
        };
        fn hand_over<T: Child>(
            spec: &mut Spec,
            keys: &[Key<T>],
            parent: Key<Body>,
            frame: Key<Frame>,
        ) {
            for &key in keys {
                let Some(element) = T::arena_mut(spec).get_mut(key) else { continue };
                let inner = element.place().1.unwrap_or(frame);
                element.set_place(parent, Some(inner));
                T::list_mut(&mut spec.bodies[parent]).push(key);
            }
        }
        hand_over(self, &body.frames, parent, frame);
        hand_over(self, &body.bodies, parent, frame);
        hand_over(self, &body.joints, parent, frame);
        hand_over(self, &body.geoms, parent, frame);
        hand_over(self, &body.sites, parent, frame);
        hand_over(self, &body.cameras, parent, frame);
        hand_over(self, &body.lights, parent, frame);
        self.unlist::<Body>(key);
        self.bodies.remove(key);
        Ok(frame)
    }

    /// A new frame where a site is.
    pub(super) fn frame_at_site(&mut self, site: Key<Site>) -> Option<Key<Frame>> {
        let site = self.sites.get(site)?.clone();
        let body = site.body.filter(|&body| self.bodies.contains(body))?;
        let quat = quaternion(site.quat, &site.alt, self.compiler_of(&site)).ok()?;
        let frame = self.add_child::<Frame>(body, None);
        self.frames[frame] = Frame {
            frame: site.frame,
            pos: site.pos,
            quat,
            alt: Orientation::Quat,
            ..self.frames[frame].clone()
        };
        Some(frame)
    }

    /// Bodies in the order in which the compiler numbers them.
    pub(super) fn bodies_depth_first(&self) -> Vec<Key<Body>> {
        let mut order = Vec::with_capacity(self.bodies.len());
        let mut pending = vec![Spec::WORLD];
        while let Some(key) = pending.pop() {
            let Some(body) = self.bodies.get(key) else { continue };
            order.push(key);
            pending.extend(body.bodies.iter().rev());
        }
        order
    }

    fn resolve(&self, parent: Parent) -> (Key<Body>, Option<Key<Frame>>) {
        let (body, frame) = match parent {
            Parent::Body(body) => (Some(body), None),
            Parent::Frame(frame) => (self.frames.get(frame).and_then(|f| f.body), Some(frame)),
        };
        match body.filter(|&body| self.bodies.contains(body)) {
            Some(body) => (body, frame),
            None => (Spec::WORLD, None),
        }
    }

    /// The class that elements in a body and frame take.
    fn class_around(
        &self,
        body: Key<Body>,
        mut frame: Option<Key<Frame>>,
    ) -> Option<Key<DefaultClass>> {
        for _ in 0..=self.frames.capacity() {
            let Some(around) = frame.and_then(|frame| self.frames.get(frame)) else { break };
            if around.childclass.is_some() {
                return around.childclass;
            }
            frame = around.frame;
        }
        let body = &self.bodies[body];
        body.childclass.or(body.class)
    }

    /// Takes an element out of the list of its body.
    fn unlist<T: Child>(&mut self, key: Key<T>) -> bool {
        let Some(place) = T::arena(self).get(key).map(Child::place) else { return false };
        if let Some(body) = place.0.and_then(|body| self.bodies.get_mut(body)) {
            T::list_mut(body).retain(|&other| other != key);
        }
        true
    }

    fn remove_silently<T: Item>(&mut self, key: Key<T>) -> bool {
        T::arena_mut(self).remove(key).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_becomes_a_frame_keeps_what_is_inside() {
        let mut spec = Spec::new();
        let outer = spec.add_child::<Body>(Spec::WORLD, None);
        let inner = spec.add_child::<Body>(outer, None);
        spec.bodies[inner].pos.0 = [1.0, 2.0, 3.0];
        let geom = spec.add_child::<Geom>(inner, None);
        let leaf = spec.add_child::<Body>(inner, None);
        let frame = spec.body_to_frame(inner).unwrap();
        assert_eq!(spec.frames[frame].pos.0, [1.0, 2.0, 3.0]);
        assert_eq!(spec.geoms[geom].place(), (Some(outer), Some(frame)));
        assert_eq!(spec.order::<Body>(), [Spec::WORLD, outer, leaf]);
        assert_eq!(spec.children::<Body>(Spec::WORLD, true), [outer, leaf]);
        assert_eq!(spec.children::<Geom>(Spec::WORLD, true), [geom]);
        assert_eq!(spec.body_to_frame(Spec::WORLD), Err(EditError::World));
        assert_eq!(spec.body_to_frame(inner), Err(EditError::Deleted));
    }

    #[test]
    fn frames_do_not_contain_themselves() {
        let mut spec = Spec::new();
        let outer = spec.add_child::<Frame>(Spec::WORLD, None);
        let inner = spec.add_child::<Frame>(outer, None);
        assert_eq!(spec.frames[inner].frame, Some(outer));
        assert_eq!(spec.set_frame(outer, Some(inner)), Err(EditError::FrameCycle));
        let body = spec.add_child::<Body>(Spec::WORLD, None);
        let geom = spec.add_child::<Geom>(body, None);
        assert_eq!(spec.set_frame(geom, Some(outer)), Err(EditError::OtherBody));
        assert_eq!(spec.set_frame(body, Some(inner)), Ok(()));
    }

    #[test]
    fn elements_start_from_the_class_around_them() {
        let mut spec = Spec::new();
        let class = spec.add_class("red", None).unwrap();
        assert_eq!(spec.add_class("red", None), None);
        spec.defaults[class].geom.rgba = [1.0, 0.0, 0.0, 1.0];
        let body = spec.add_child::<Body>(Spec::WORLD, None);
        spec.bodies[body].childclass = Some(class);
        let frame = spec.add_child::<Frame>(body, None);
        let geom = spec.add_child::<Geom>(frame, None);
        assert_eq!(spec.geoms[geom].rgba[0], 1.0);
        assert_eq!(spec.geoms[geom].class, Some(class));
        assert_eq!(spec.delete_class(Spec::MAIN_CLASS), Err(EditError::MainClass));
        assert_eq!(spec.delete_class(class), Ok(()));
        assert_eq!(spec.find_class("red"), None);
    }

    #[test]
    fn deleted_elements_are_gone() {
        let mut spec = Spec::new();
        let body = spec.add_child::<Body>(Spec::WORLD, None);
        let geom = spec.add_child::<Geom>(body, None);
        assert!(spec.delete(geom) && !spec.delete(geom));
        assert!(spec.children::<Geom>(body, false).is_empty());
        assert!(!spec.delete(Spec::WORLD));
        let joint = spec.add_child::<Joint>(body, None);
        assert!(spec.delete(body) && !spec.joints.contains(joint));
    }
}
