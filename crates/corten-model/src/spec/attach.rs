//! Copying a part of a model into a model: `attach` and `replicate`.
//!
//! Answers to `mjs_attach`. What is copied, and how, is in [`copy`](super::copy).

use super::copy::Copy;
use super::references::{NameIndex, Namespace};
use super::{Arena, Body, Frame, Key, Spec};
use crate::enums::ObjType;

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
    #[error("the name '{name}' of a {kind} is taken already")]
    RepeatedName { kind: &'static str, name: String },
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

    /// Number of elements in and below a body, with the body.
    pub(crate) fn subtree_size(&self, root: Key<Body>) -> usize {
        let (mut total, mut pending) = (0, vec![root]);
        while let Some(body) = pending.pop().and_then(|key| self.bodies.get(key)) {
            total += 1 + body.joints.len() + body.geoms.len() + body.sites.len();
            total += body.frames.len() + body.cameras.len() + body.lights.len();
            pending.extend(&body.bodies);
        }
        total
    }

    /// Number of elements outside the tree that may come along when a part is attached. A default
    /// class counts for all kinds of elements that it describes.
    pub(crate) fn elements_outside(&self) -> usize {
        const KINDS: usize = 14;
        let assets = self.meshes.len() + self.hfields.len() + self.skins.len();
        let looks = self.textures.len() + self.materials.len() + KINDS * self.defaults.len();
        let relations = self.pairs.len() + self.excludes.len() + self.equalities.len();
        let controls = self.tendons.len() + self.actuators.len() + self.sensors.len();
        let custom = self.numerics.len() + self.texts.len() + self.tuples.len();
        let keys = self.keys.len() + self.attached_keys.len();
        assets + looks + relations + controls + custom + keys + self.flexes.len()
    }

    /// Whether every name inside a body is given once, as the index counts them.
    fn check_names_of(&self, root: Key<Body>, index: &NameIndex) -> Result<(), AttachError> {
        let once = |kind: ObjType, name: &str| match index.count(kind, name) {
            0 | 1 => Ok(()),
            _ => Err(AttachError::RepeatedName { kind: kind.xml_name(), name: name.to_owned() }),
        };
        let mut pending = vec![root];
        while let Some(body) = pending.pop().and_then(|key| self.bodies.get(key)) {
            once(ObjType::Body, &body.name)?;
            body.joints.iter().try_for_each(|&k| once(ObjType::Joint, &self.joints[k].name))?;
            body.geoms.iter().try_for_each(|&k| once(ObjType::Geom, &self.geoms[k].name))?;
            body.sites.iter().try_for_each(|&k| once(ObjType::Site, &self.sites[k].name))?;
            body.cameras.iter().try_for_each(|&k| once(ObjType::Camera, &self.cameras[k].name))?;
            body.lights.iter().try_for_each(|&k| once(ObjType::Light, &self.lights[k].name))?;
            pending.extend(&body.bodies);
        }
        Ok(())
    }

    fn body_of(&self, frame: Key<Frame>) -> Result<Key<Body>, AttachError> {
        let body = self.frames.get(frame).and_then(|frame| frame.body);
        body.filter(|&body| self.bodies.contains(body)).ok_or(AttachError::NoBody)
    }

    /// Replaces a body, `template`, by a copy of what is inside it for each of `frames`, with the
    /// suffix that goes with each, and does likewise with everything that refers to it.
    pub(crate) fn replicate(
        &mut self,
        template: Key<Body>,
        frames: &[(Key<Frame>, String)],
    ) -> Result<(), AttachError> {
        let mut index = NameIndex::of(self);
        self.check_names_of(template, &index)?;
        let flexes = self.flexes.capacity();
        for (frame, suffix) in frames {
            let parent = self.body_of(*frame)?;
            let names = Namespace { prefix: "", suffix };
            self.deal_keys(names)?;
            let mut copy = Copy::new(self, None, names);
            copy.index = index;
            copy.flex_end = flexes;
            copy.contents(template, parent, Some(*frame));
            copy.referring();
            copy.move_attached_keys();
            index = copy.index;
            self.expand_keys();
        }
        self.forget_activations();
        // The keyframes themselves follow the variants that came with the copies.
        self.deal_keys(Namespace::default())?;
        self.keys = Arena::default();
        self.unlink(template);
        self.remove_tree(template, &mut index);
        Ok(())
    }
}
