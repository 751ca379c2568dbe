//! The kinematic tree.

use super::value::{apply, orientation, present, read, require};
use super::{Class, Reader};
use crate::enums::JointType;
use crate::mjcf::forest::Elem;
use crate::spec::{Body, Frame, Joint, Key, Spec};

/// Where elements of the tree are read into: a body, perhaps a frame in it, and the class that
/// applies to elements that name none.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    pub body: Key<Body>,
    pub frame: Option<Key<Frame>>,
    pub class: Class,
    /// Whether the body stands for the content of a `replicate`, and makes way for its copies.
    pub template: bool,
}

impl Reader<'_> {
    pub(super) fn worldbody(&mut self, elem: Elem<'_>) {
        let scope =
            Scope { body: Spec::WORLD, frame: None, class: Spec::MAIN_CLASS, template: false };
        self.body_children(elem, scope);
    }

    pub(super) fn body_children(&mut self, section: Elem<'_>, scope: Scope) {
        for elem in section.children() {
            match elem.name() {
                "inertial" => self.inertial(elem, scope),
                "joint" => self.joint(elem, scope),
                "freejoint" => self.freejoint(elem, scope),
                "geom" => self.geom(elem, scope),
                "site" => self.site(elem, scope),
                "camera" => self.camera(elem, scope),
                "light" => self.light(elem, scope),
                "frame" => self.frame(elem, scope),
                "body" => self.body(elem, scope),
                "replicate" => self.replicate(elem, scope),
                "attach" => self.attach(elem, scope),
                "composite" => self.composite(elem, scope),
                "flexcomp" => self.flexcomp(elem, scope),
                "cortenforge:deformable" => self.deformable_body(elem, scope),
                "plugin" => self.body_plugin(elem, scope),
                _ => {}
            }
        }
    }

    #[inline(never)]
    fn body_plugin(&mut self, elem: Elem<'_>, scope: Scope) {
        if scope.template {
            self.error(elem, "a plugin cannot be replicated without the body that it belongs to");
        } else if self.spec.bodies[scope.body].plugin.active {
            self.error(elem, "a body cannot have more than one plugin");
        } else {
            self.spec.bodies[scope.body].plugin = self.plugin_use(elem);
        }
    }

    /// The class of an element: its own, or that of its surroundings.
    fn class_in(&mut self, elem: Elem<'_>, scope: Scope) -> Class {
        self.class_attr(elem, "class").unwrap_or(scope.class)
    }

    fn body(&mut self, elem: Elem<'_>, scope: Scope) {
        let inside = self.open_body(elem, scope);
        self.body_children(elem, inside);
    }

    // Not inlined: what stays on the stack while children are read should be small, since they
    // may be nested deeply.
    #[inline(never)]
    fn open_body(&mut self, elem: Elem<'_>, scope: Scope) -> Scope {
        let childclass = self.class_attr(elem, "childclass");
        let class = childclass.unwrap_or(scope.class);
        let mut body = Body {
            parent: Some(scope.body),
            frame: scope.frame,
            childclass,
            class: Some(class),
            source: elem.source(),
            ..Default::default()
        };
        apply(&mut self.diags, elem, &mut body);
        orientation(&mut self.diags, elem, &mut body.alt);
        let key = self.spec.bodies.insert(body);
        self.spec.bodies[scope.body].bodies.push(key);
        Scope { body: key, frame: None, class, template: false }
    }

    fn frame(&mut self, elem: Elem<'_>, scope: Scope) {
        let inside = self.open_frame(elem, scope);
        self.body_children(elem, inside);
    }

    #[inline(never)]
    fn open_frame(&mut self, elem: Elem<'_>, scope: Scope) -> Scope {
        let childclass = self.class_attr(elem, "childclass");
        let class = childclass.unwrap_or(scope.class);
        let mut frame = Frame {
            body: Some(scope.body),
            frame: scope.frame,
            childclass,
            class: Some(class),
            source: elem.source(),
            ..Default::default()
        };
        apply(&mut self.diags, elem, &mut frame);
        orientation(&mut self.diags, elem, &mut frame.alt);
        let key = self.spec.frames.insert(frame);
        self.spec.bodies[scope.body].frames.push(key);
        Scope { frame: Some(key), class, ..scope }
    }

    #[inline(never)]
    fn inertial(&mut self, elem: Elem<'_>, scope: Scope) {
        if scope.body == Spec::WORLD {
            self.error(elem, "the world cannot have inertia");
            return;
        }
        let diags = &mut self.diags;
        let body = &mut self.spec.bodies[scope.body];
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
    fn joint(&mut self, elem: Elem<'_>, scope: Scope) {
        let class = self.class_in(elem, scope);
        if scope.body == Spec::WORLD {
            self.error(elem, "the world cannot have joints");
            return;
        }
        let mut joint = self.spec.defaults[class].joint.clone();
        (joint.body, joint.frame) = (Some(scope.body), scope.frame);
        (joint.class, joint.source) = (Some(class), elem.source());
        self.one_joint(elem, &mut joint);
        let key = self.spec.joints.insert(joint);
        self.spec.bodies[scope.body].joints.push(key);
    }

    /// A free joint takes no defaults.
    #[inline(never)]
    fn freejoint(&mut self, elem: Elem<'_>, scope: Scope) {
        if scope.body == Spec::WORLD {
            self.error(elem, "the world cannot have joints");
            return;
        }
        let mut joint = Joint {
            type_: JointType::Free,
            body: Some(scope.body),
            frame: scope.frame,
            class: Some(scope.class),
            source: elem.source(),
            ..Default::default()
        };
        self.one_joint(elem, &mut joint);
        let key = self.spec.joints.insert(joint);
        self.spec.bodies[scope.body].joints.push(key);
    }

    #[inline(never)]
    fn geom(&mut self, elem: Elem<'_>, scope: Scope) {
        let class = self.class_in(elem, scope);
        let mut geom = self.spec.defaults[class].geom.clone();
        (geom.body, geom.frame) = (Some(scope.body), scope.frame);
        (geom.class, geom.source) = (Some(class), elem.source());
        self.one_geom(elem, &mut geom);
        geom.plugin = self.plugin_child(elem).unwrap_or_default();
        let key = self.spec.geoms.insert(geom);
        self.spec.bodies[scope.body].geoms.push(key);
    }

    #[inline(never)]
    fn site(&mut self, elem: Elem<'_>, scope: Scope) {
        let class = self.class_in(elem, scope);
        let mut site = self.spec.defaults[class].site.clone();
        (site.body, site.frame) = (Some(scope.body), scope.frame);
        (site.class, site.source) = (Some(class), elem.source());
        self.one_site(elem, &mut site);
        let key = self.spec.sites.insert(site);
        self.spec.bodies[scope.body].sites.push(key);
    }

    #[inline(never)]
    fn camera(&mut self, elem: Elem<'_>, scope: Scope) {
        let class = self.class_in(elem, scope);
        let mut camera = self.spec.defaults[class].camera.clone();
        (camera.body, camera.frame) = (Some(scope.body), scope.frame);
        (camera.class, camera.source) = (Some(class), elem.source());
        self.one_camera(elem, &mut camera);
        let key = self.spec.cameras.insert(camera);
        self.spec.bodies[scope.body].cameras.push(key);
    }

    #[inline(never)]
    fn light(&mut self, elem: Elem<'_>, scope: Scope) {
        let class = self.class_in(elem, scope);
        let mut light = self.spec.defaults[class].light.clone();
        (light.body, light.frame) = (Some(scope.body), scope.frame);
        (light.class, light.source) = (Some(class), elem.source());
        self.one_light(elem, &mut light);
        let key = self.spec.lights.insert(light);
        self.spec.bodies[scope.body].lights.push(key);
    }
}
