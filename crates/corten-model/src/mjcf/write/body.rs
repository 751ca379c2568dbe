//! The kinematic tree as text.
//!
//! The order of each kind of children in a body is part of the model. Frames group children of
//! different kinds; where grouping would break an order, a frame is opened more than once.

use super::element::{camera_tag, geom_tag, set_orientation, site_tag, unless_oriented};
use super::text::{Tag, Writer};
use super::{Settings, WriteError};
use crate::compile::principal;
use crate::enums::{JointType, Limited};
use crate::spec::*;
use crate::xml::MAX_DEPTH;

pub(super) fn write_world(spec: &Spec, w: &mut Writer) -> Result<(), WriteError> {
    let mut result = Ok(());
    w.element(&Tag::new("worldbody"), |w| {
        spec.write_plugin(w, &spec.bodies[Spec::WORLD].plugin);
        let mut tree = TreeWriter { spec, named: vec![false; spec.frames.capacity()] };
        result = tree.children(w, Spec::WORLD, Spec::MAIN_CLASS, 2);
    });
    result
}

struct TreeWriter<'a> {
    spec: &'a Spec,
    /// Frames whose name has been written already.
    named: Vec<bool>,
}

/// How far each kind of children has been written.
#[derive(Default)]
struct Progress {
    joints: usize,
    geoms: usize,
    sites: usize,
    cameras: usize,
    lights: usize,
    bodies: usize,
}

type FrameKey = Option<Key<Frame>>;

impl TreeWriter<'_> {
    fn children(
        &mut self,
        w: &mut Writer,
        body: Key<Body>,
        class: Key<DefaultClass>,
        depth: usize,
    ) -> Result<(), WriteError> {
        let mut progress = Progress::default();
        self.in_frame(w, body, None, class, depth, &mut progress)
    }

    /// Writes the children that come next and stand in a frame, until another frame's turn.
    fn in_frame(
        &mut self,
        w: &mut Writer,
        key: Key<Body>,
        frame: FrameKey,
        class: Key<DefaultClass>,
        depth: usize,
        progress: &mut Progress,
    ) -> Result<(), WriteError> {
        if depth > MAX_DEPTH {
            return Err(WriteError::TooDeep(MAX_DEPTH));
        }
        let spec = self.spec;
        let Some(body) = spec.bodies.get(key) else { return Ok(()) };
        loop {
            // The frame that something next in its order waits for.
            let mut waiting: FrameKey = None;
            macro_rules! run {
                ($list:ident, |$child:ident| $write:expr) => {
                    while let Some(&$child) = body.$list.get(progress.$list) {
                        let Some(element) = spec.$list.get($child) else {
                            progress.$list += 1;
                            continue;
                        };
                        let at = element.frame.filter(|&f| spec.frames.contains(f));
                        if at != frame {
                            waiting = waiting.or_else(|| self.step_into(frame, at));
                            break;
                        }
                        progress.$list += 1;
                        $write;
                    }
                };
            }
            run!(joints, |child| self.joint(w, &spec.joints[child], class));
            run!(geoms, |child| self.geom(w, &spec.geoms[child], class));
            run!(sites, |child| self.site(w, &spec.sites[child], class));
            run!(cameras, |child| self.camera(w, &spec.cameras[child], class));
            run!(lights, |child| self.light(w, &spec.lights[child], class));
            run!(bodies, |child| self.body(w, child, class, depth)?);
            let Some(next) = waiting else { return Ok(()) };
            let tag = self.frame_tag(next);
            let inner = self.frame_class(next, class);
            let mut result = Ok(());
            w.always(&tag, |w| {
                result = self.in_frame(w, key, Some(next), inner, depth + 1, progress);
            });
            result?;
        }
    }

    /// The frame inside `from` on the way to `to`; `None` if `to` is not inside.
    fn step_into(&self, from: FrameKey, to: FrameKey) -> FrameKey {
        let mut at = to?;
        // Bounded, in case a program made frames contain each other.
        for _ in 0..self.spec.frames.capacity() {
            let outer = self.spec.frames.get(at)?.frame.filter(|&f| self.spec.frames.contains(f));
            if outer == from {
                return Some(at);
            }
            at = outer?;
        }
        None
    }

    fn settings(&self, element: &impl Element) -> Settings<'_> {
        Settings { own: self.spec.compiler_of(element), main: &self.spec.compiler }
    }

    fn frame_class(&self, key: Key<Frame>, class: Key<DefaultClass>) -> Key<DefaultClass> {
        let childclass = self.spec.frames[key].childclass;
        childclass.filter(|&key| self.spec.defaults.contains(key)).unwrap_or(class)
    }

    fn frame_tag(&mut self, key: Key<Frame>) -> Tag {
        let mut frame = self.spec.frames[key].clone();
        self.settings(&frame).orientation(&mut frame.alt);
        let base = Frame::default();
        let mut tag = Tag::new("frame");
        let repeated = std::mem::replace(&mut self.named[key.index()], true);
        let oriented = frame.alt != Orientation::Quat;
        tag.diff_except(
            &frame,
            &base,
            &[if repeated { "name" } else { "" }, if oriented { "quat" } else { "" }],
        );
        set_orientation(&mut tag, &frame.alt, &base.alt);
        if let Some(class) = frame.childclass.and_then(|key| self.spec.defaults.get(key)) {
            tag.set("childclass", &class.name);
        }
        tag
    }

    fn body(
        &mut self,
        w: &mut Writer,
        key: Key<Body>,
        class: Key<DefaultClass>,
        depth: usize,
    ) -> Result<(), WriteError> {
        let mut body = self.spec.bodies[key].clone();
        let settings = self.settings(&body);
        settings.orientation(&mut body.alt);
        settings.orientation(&mut body.ialt);
        let base = Body::default();
        let mut tag = Tag::new("body");
        tag.diff_except(&body, &base, unless_oriented(&body.alt, &base.alt));
        set_orientation(&mut tag, &body.alt, &base.alt);
        let childclass = body.childclass.filter(|&key| self.spec.defaults.contains(key));
        if let Some(childclass) = childclass {
            tag.set("childclass", &self.spec.defaults[childclass].name);
        }
        let mut result = Ok(());
        w.always(&tag, |w| {
            inertial(w, &body);
            self.spec.write_plugin(w, &body.plugin);
            result = self.children(w, key, childclass.unwrap_or(class), depth + 1);
        });
        result
    }

    fn joint(&self, w: &mut Writer, joint: &Joint, class: Key<DefaultClass>) {
        // A free joint that took no defaults keeps it that way.
        let plain = Joint {
            name: joint.name.clone(),
            class: joint.class,
            source: joint.source,
            origin: joint.origin,
            body: joint.body,
            frame: joint.frame,
            type_: JointType::Free,
            group: joint.group,
            align: joint.align,
            ..Default::default()
        };
        if *joint == plain {
            let mut tag = Tag::new("freejoint");
            w.leaf(tag.diff_except(joint, &Joint::default(), &["type"]));
            return;
        }
        let mut joint = joint.clone();
        let settings = self.settings(&joint);
        if !settings.same() {
            if matches!(joint.type_, JointType::Hinge | JointType::Ball) {
                joint.range = joint.range.map(|angle| settings.angle(angle));
                joint.ref_ = settings.angle(joint.ref_);
                joint.springref = settings.angle(joint.springref);
            }
            joint.limited = explicit(joint.limited, joint.range, &settings);
            joint.actfrclimited = explicit(joint.actfrclimited, joint.actfrcrange, &settings);
        }
        let mut tag = Tag::new("joint");
        self.spec.set_class(&mut tag, joint.class, class);
        w.leaf(tag.diff_except(&joint, &self.spec.class(joint.class).joint, &["align"]));
    }

    fn geom(&self, w: &mut Writer, geom: &Geom, class: Key<DefaultClass>) {
        let mut geom = geom.clone();
        self.settings(&geom).orientation(&mut geom.alt);
        let mut tag = geom_tag(&geom, &self.spec.class(geom.class).geom);
        self.spec.set_class(&mut tag, geom.class, class);
        w.always(&tag, |w| self.spec.write_plugin(w, &geom.plugin));
    }

    fn site(&self, w: &mut Writer, site: &Site, class: Key<DefaultClass>) {
        let mut site = site.clone();
        self.settings(&site).orientation(&mut site.alt);
        let mut tag = site_tag(&site, &self.spec.class(site.class).site);
        self.spec.set_class(&mut tag, site.class, class);
        w.always(&tag, |_| {});
    }

    fn camera(&self, w: &mut Writer, camera: &Camera, class: Key<DefaultClass>) {
        let mut camera = camera.clone();
        self.settings(&camera).orientation(&mut camera.alt);
        let mut tag = camera_tag(&camera, &self.spec.class(camera.class).camera);
        self.spec.set_class(&mut tag, camera.class, class);
        w.always(&tag, |_| {});
    }

    fn light(&self, w: &mut Writer, light: &Light, class: Key<DefaultClass>) {
        let mut tag = Tag::new("light");
        tag.diff(light, &self.spec.class(light.class).light);
        self.spec.set_class(&mut tag, light.class, class);
        w.always(&tag, |_| {});
    }
}

/// Spells out a limit that would be inferred differently under the settings of the main model.
fn explicit(limited: Limited, range: [f64; 2], settings: &Settings<'_>) -> Limited {
    if limited != Limited::Auto || settings.own.autolimits == settings.main.autolimits {
        return limited;
    }
    if settings.own.autolimits && range[0] < range[1] { Limited::True } else { Limited::False }
}

/// What the author gave, or what compiling makes of it: mass without a place stands where the body
/// is in its parent, turned likewise, unless geoms have mass.
fn inertial(w: &mut Writer, body: &Body) {
    use crate::mjcf::attr::Value as _;
    let unplaced = body.ipos.is_none();
    let alone = body.mass > 0.0 && body.geoms.is_empty();
    if unplaced && !body.explicitinertial && !alone {
        return;
    }
    let (quat, alt) = if unplaced { (body.quat, &body.alt) } else { (body.iquat, &body.ialt) };
    let mut tag = Tag::new("inertial");
    tag.set("pos", body.ipos.unwrap_or(body.pos).write()).set("mass", body.mass.write());
    // A full inertia determines the orientation: one that stands beside it has no effect.
    let full = body.fullinertia.filter(|_| !unplaced);
    if *alt != Orientation::Quat {
        set_orientation(&mut tag, alt, &Orientation::Quat);
    } else if full.is_none() && quat != corten_math::Quat::IDENTITY {
        tag.set("quat", quat.write());
    }
    let moments = body.fullinertia.and_then(principal).map_or(body.inertia, |(moments, _)| moments);
    match full {
        Some(full) => tag.set("fullinertia", full.write()),
        None => tag.set("diaginertia", moments.write()),
    };
    w.leaf(&tag);
}
