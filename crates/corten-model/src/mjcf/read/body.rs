//! The kinematic tree.

use super::value::{apply, orientation, present, read, require};
use super::{Class, Reader};
use crate::enums::JointType;
use crate::mjcf::forest::Elem;
use crate::spec::{Body, Frame, Joint, Key, Spec};

/// Where elements of the tree are read into: a body, perhaps a frame in it, and the class that
/// applies to elements that name none.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub body: Key<Body>,
    pub frame: Option<Key<Frame>>,
    pub class: Class,
    /// Whether the body stands for the content of a `replicate`, and makes way for its copies.
    pub template: bool,
}

impl Reader<'_> {
    pub(super) fn worldbody(&mut self, elem: Elem<'_>) {
        let place =
            Place { body: Spec::WORLD, frame: None, class: Spec::MAIN_CLASS, template: false };
        self.body_children(elem, place);
    }

    pub(super) fn body_children(&mut self, section: Elem<'_>, place: Place) {
        for elem in section.children() {
            match elem.name() {
                "inertial" => self.inertial(elem, place),
                "joint" => self.joint(elem, place),
                "freejoint" => self.freejoint(elem, place),
                "geom" => self.geom(elem, place),
                "site" => self.site(elem, place),
                "camera" => self.camera(elem, place),
                "light" => self.light(elem, place),
                "frame" => self.frame(elem, place),
                "body" => self.body(elem, place),
                "replicate" => self.replicate(elem, place),
                "attach" => self.attach(elem, place),
                "composite" => self.composite(elem, place),
                "flexcomp" => self.flexcomp(elem, place),
                "cortenforge:deformable" => self.deformable_body(elem, place),
                "plugin" => self.body_plugin(elem, place),
                _ => {}
            }
        }
    }

    #[inline(never)]
    fn body_plugin(&mut self, elem: Elem<'_>, place: Place) {
        if place.template {
            self.error(elem, "a plugin cannot be replicated without the body that it belongs to");
        } else if self.spec.bodies[place.body].plugin.active {
            self.error(elem, "a body cannot have more than one plugin");
        } else {
            self.spec.bodies[place.body].plugin = self.plugin_use(elem);
        }
    }

    /// The class of an element: its own, or that of its surroundings.
    fn class_in(&mut self, elem: Elem<'_>, place: Place) -> Class {
        self.class_attr(elem, "class").unwrap_or(place.class)
    }

    fn body(&mut self, elem: Elem<'_>, place: Place) {
        let inside = self.open_body(elem, place);
        self.body_children(elem, inside);
    }

    // Not inlined: what stays on the stack while children are read should be small, since they
    // may be nested deeply.
    #[inline(never)]
    fn open_body(&mut self, elem: Elem<'_>, place: Place) -> Place {
        let childclass = self.class_attr(elem, "childclass");
        let class = childclass.unwrap_or(place.class);
        let mut body = Body {
            parent: Some(place.body),
            frame: place.frame,
            childclass,
            class: Some(class),
            source: elem.source(),
            ..Default::default()
        };
        apply(&mut self.diags, elem, &mut body);
        orientation(&mut self.diags, elem, &mut body.alt);
        let key = self.spec.bodies.insert(body);
        self.spec.bodies[place.body].bodies.push(key);
        Place { body: key, frame: None, class, template: false }
    }

    fn frame(&mut self, elem: Elem<'_>, place: Place) {
        let inside = self.open_frame(elem, place);
        self.body_children(elem, inside);
    }

    #[inline(never)]
    fn open_frame(&mut self, elem: Elem<'_>, place: Place) -> Place {
        let childclass = self.class_attr(elem, "childclass");
        let class = childclass.unwrap_or(place.class);
        let mut frame = Frame {
            body: Some(place.body),
            frame: place.frame,
            childclass,
            class: Some(class),
            source: elem.source(),
            ..Default::default()
        };
        apply(&mut self.diags, elem, &mut frame);
        orientation(&mut self.diags, elem, &mut frame.alt);
        let key = self.spec.frames.insert(frame);
        self.spec.bodies[place.body].frames.push(key);
        Place { frame: Some(key), class, ..place }
    }

    #[inline(never)]
    fn inertial(&mut self, elem: Elem<'_>, place: Place) {
        if place.body == Spec::WORLD {
            self.error(elem, "the world cannot have inertia");
            return;
        }
        let diags = &mut self.diags;
        let body = &mut self.spec.bodies[place.body];
        body.explicitinertial = true;
        require(diags, elem, "pos", &mut body.ipos);
        require(diags, elem, "mass", &mut body.mass);
        read(diags, elem, "quat", &mut body.iquat);
        read(diags, elem, "diaginertia", &mut body.inertia);
        let oriented = orientation(diags, elem, &mut body.ialt) > 0;
        read(diags, elem, "fullinertia", &mut body.fullinertia);
        if oriented && present(elem, "fullinertia") {
            self.error(elem, "'fullinertia' and an orientation cannot both be given");
        }
    }

    #[inline(never)]
    fn joint(&mut self, elem: Elem<'_>, place: Place) {
        let class = self.class_in(elem, place);
        if place.body == Spec::WORLD {
            self.error(elem, "the world cannot have joints");
            return;
        }
        let mut joint = self.spec.defaults[class].joint.clone();
        (joint.body, joint.frame) = (Some(place.body), place.frame);
        (joint.class, joint.source) = (Some(class), elem.source());
        self.one_joint(elem, &mut joint);
        let key = self.spec.joints.insert(joint);
        self.spec.bodies[place.body].joints.push(key);
    }

    /// A free joint takes no defaults.
    #[inline(never)]
    fn freejoint(&mut self, elem: Elem<'_>, place: Place) {
        if place.body == Spec::WORLD {
            self.error(elem, "the world cannot have joints");
            return;
        }
        let mut joint = Joint {
            type_: JointType::Free,
            body: Some(place.body),
            frame: place.frame,
            class: Some(place.class),
            source: elem.source(),
            ..Default::default()
        };
        self.one_joint(elem, &mut joint);
        let key = self.spec.joints.insert(joint);
        self.spec.bodies[place.body].joints.push(key);
    }

    #[inline(never)]
    fn geom(&mut self, elem: Elem<'_>, place: Place) {
        let class = self.class_in(elem, place);
        let mut geom = self.spec.defaults[class].geom.clone();
        (geom.body, geom.frame) = (Some(place.body), place.frame);
        (geom.class, geom.source) = (Some(class), elem.source());
        self.one_geom(elem, &mut geom);
        geom.plugin = self.plugin_child(elem).unwrap_or_default();
        let key = self.spec.geoms.insert(geom);
        self.spec.bodies[place.body].geoms.push(key);
    }

    #[inline(never)]
    fn site(&mut self, elem: Elem<'_>, place: Place) {
        let class = self.class_in(elem, place);
        let mut site = self.spec.defaults[class].site.clone();
        (site.body, site.frame) = (Some(place.body), place.frame);
        (site.class, site.source) = (Some(class), elem.source());
        self.one_site(elem, &mut site);
        let key = self.spec.sites.insert(site);
        self.spec.bodies[place.body].sites.push(key);
    }

    #[inline(never)]
    fn camera(&mut self, elem: Elem<'_>, place: Place) {
        let class = self.class_in(elem, place);
        let mut camera = self.spec.defaults[class].camera.clone();
        (camera.body, camera.frame) = (Some(place.body), place.frame);
        (camera.class, camera.source) = (Some(class), elem.source());
        self.one_camera(elem, &mut camera);
        let key = self.spec.cameras.insert(camera);
        self.spec.bodies[place.body].cameras.push(key);
    }

    #[inline(never)]
    fn light(&mut self, elem: Elem<'_>, place: Place) {
        let class = self.class_in(elem, place);
        let mut light = self.spec.defaults[class].light.clone();
        (light.body, light.frame) = (Some(place.body), place.frame);
        (light.class, light.source) = (Some(class), elem.source());
        self.one_light(elem, &mut light);
        let key = self.spec.lights.insert(light);
        self.spec.bodies[place.body].lights.push(key);
    }
}
