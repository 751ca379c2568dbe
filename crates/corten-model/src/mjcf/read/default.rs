//! Default classes, and the elements that may be given defaults.

use super::value::{apply, apply_except, orientation, present, text};
use super::{Class, Reader};
use crate::diagnostic::Diagnostic;
use crate::enums::TextureRole;
use crate::mjcf::attr::Keyword as _;
use crate::mjcf::forest::Elem;
use crate::spec::{
    Camera, DefaultClass, Geom, Joint, Light, Material, Mesh, Pair, Site, Spec, Tendon,
};

impl Reader<'_> {
    pub(super) fn main_default(&mut self, elem: Elem<'_>) {
        if text(elem, "class").is_some_and(|name| !name.is_empty() && name != "main") {
            self.report(
                elem,
                Diagnostic::error("the outermost default class is called 'main'")
                    .hint("drop the 'class' attribute, or nest the class inside another 'default'"),
            );
        }
        self.default_body(elem, Spec::MAIN_CLASS);
    }

    /// A nested class: it starts from its parent's prototypes.
    fn nested_default(&mut self, elem: Elem<'_>, parent: Class) {
        let name = text(elem, "class").unwrap_or_default();
        if name.is_empty() {
            self.report(
                elem,
                Diagnostic::error("a nested default class needs a name")
                    .hint("write <default class=\"name\">"),
            );
            return;
        }
        if self.classes.contains_key(&name) {
            self.error(elem, format!("default class '{name}' is declared already"));
            return;
        }
        let class = DefaultClass {
            name: name.clone(),
            source: elem.source(),
            parent: Some(parent),
            children: Vec::new(),
            ..self.spec.defaults[parent].clone()
        };
        let key = self.spec.defaults.insert(class);
        self.spec.defaults[parent].children.push(key);
        self.classes.insert(name, key);
        self.default_body(elem, key);
    }

    fn default_body(&mut self, elem: Elem<'_>, key: Class) {
        // Prototypes are complete before nested classes copy them.
        let (nested, own): (Vec<_>, Vec<_>) =
            elem.children().into_iter().partition(|child| child.name() == "default");
        let mut class = std::mem::take(&mut self.spec.defaults[key]);
        for child in own {
            match child.name() {
                "mesh" => self.one_mesh(child, &mut class.mesh),
                "material" => self.one_material(child, &mut class.material),
                "joint" => self.one_joint(child, &mut class.joint),
                "geom" => self.one_geom(child, &mut class.geom),
                "site" => self.one_site(child, &mut class.site),
                "camera" => self.one_camera(child, &mut class.camera),
                "light" => self.one_light(child, &mut class.light),
                "pair" => self.one_pair(child, &mut class.pair),
                "equality" => apply(&mut self.diags, child, &mut class.equality),
                "tendon" => self.one_tendon(child, &mut class.tendon),
                _ => self.one_actuator(child, &mut class.actuator),
            }
        }
        self.spec.defaults[key] = class;
        for child in nested {
            self.nested_default(child, key);
        }
    }

    pub(super) fn one_mesh(&mut self, elem: Elem<'_>, mesh: &mut Mesh) {
        // Parameters are read with the shape that they are for.
        let skipped: &[&str] =
            if elem.attr("builtin").is_some() { &["file"] } else { &["file", "params"] };
        apply_except(&mut self.diags, elem, mesh, skipped);
        if let Some(file) = text(elem, "file") {
            mesh.file = self.resolve_file(elem, &file, &self.spec.compiler.meshdir);
        }
        if mesh.maxhullvert != -1 && mesh.maxhullvert < 4 {
            self.error(elem, "'maxhullvert' must be at least 4, or -1 for no limit");
        }
        if elem.attr("builtin").is_some() {
            if mesh.params.is_empty() {
                super::value::missing(&mut self.diags, elem, "params");
            }
            if !mesh.file.is_empty() {
                self.error(elem, "'builtin' cannot be used with a mesh file");
            }
            if !mesh.uservert.is_empty() {
                self.error(elem, "'builtin' cannot be used with vertices");
            }
        }
    }

    pub(super) fn one_material(&mut self, elem: Elem<'_>, material: &mut Material) {
        apply(&mut self.diags, elem, material);
        let texture = text(elem, "texture");
        if let Some(texture) = &texture {
            texture.clone_into(&mut material.textures[TextureRole::Rgb as usize]);
        }
        for layer in elem.children() {
            if layer.name() != "layer" {
                continue;
            }
            if texture.is_some() {
                self.error(layer, "a material with a 'texture' attribute cannot have layers");
            }
            let role = super::value::require_text(&mut self.diags, layer, "role");
            let name = super::value::require_text(&mut self.diags, layer, "texture");
            match (TextureRole::from_word(&role), layer.attr("role")) {
                (Ok(role), _) => material.textures[role as usize] = name,
                (Err(why), Some(attr)) => super::value::misread(&mut self.diags, layer, attr, why),
                (Err(_), None) => {}
            }
        }
    }

    pub(super) fn one_joint(&mut self, elem: Elem<'_>, joint: &mut Joint) {
        apply(&mut self.diags, elem, joint);
    }

    pub(super) fn one_geom(&mut self, elem: Elem<'_>, geom: &mut Geom) {
        apply(&mut self.diags, elem, geom);
        orientation(&mut self.diags, elem, &mut geom.alt);
    }

    pub(super) fn one_site(&mut self, elem: Elem<'_>, site: &mut Site) {
        apply(&mut self.diags, elem, site);
        orientation(&mut self.diags, elem, &mut site.alt);
    }

    pub(super) fn one_camera(&mut self, elem: Elem<'_>, camera: &mut Camera) {
        // User data of a camera is not inherited.
        camera.userdata.clear();
        // Lengths in pixels take precedence over lengths in metres.
        let mut ignored: Vec<&str> = Vec::new();
        for (pixels, length) in [("focalpixel", "focal"), ("principalpixel", "principal")] {
            if present(elem, pixels) && present(elem, length) {
                ignored.push(length);
                let message = format!("'{length}' has no effect beside '{pixels}'");
                self.report(elem, Diagnostic::warning(message));
            }
        }
        apply_except(&mut self.diags, elem, camera, &ignored);
        orientation(&mut self.diags, elem, &mut camera.alt);
        let principal = present(elem, "principalpixel") || present(elem, "principal");
        let focal = present(elem, "focalpixel") || present(elem, "focal");
        let sensorsize = present(elem, "sensorsize");
        if (principal || focal) && !sensorsize {
            super::value::missing(&mut self.diags, elem, "sensorsize");
        }
        if (focal || sensorsize) && !present(elem, "resolution") {
            super::value::missing(&mut self.diags, elem, "resolution");
        }
        if camera.resolution.iter().any(|&n| n < 0.0) {
            self.error(elem, "'resolution' cannot be negative");
        }
        if present(elem, "fovy") && sensorsize {
            self.error(elem, "'fovy' and 'sensorsize' cannot both be given");
        }
    }

    pub(super) fn one_light(&mut self, elem: Elem<'_>, light: &mut Light) {
        apply(&mut self.diags, elem, light);
        let mut directional = false;
        if super::value::read(&mut self.diags, elem, "directional", &mut directional) {
            if elem.attr("type").is_some() {
                self.error(elem, "'type' and 'directional' cannot both be given");
            } else {
                use crate::enums::LightType;
                light.type_ = if directional { LightType::Directional } else { LightType::Spot };
            }
        }
    }

    pub(super) fn one_pair(&mut self, elem: Elem<'_>, pair: &mut Pair) {
        apply(&mut self.diags, elem, pair);
    }

    pub(super) fn one_tendon(&mut self, elem: Elem<'_>, tendon: &mut Tendon) {
        apply(&mut self.diags, elem, tendon);
        // One value stands for both ends of the dead band.
        if let Some(attr) = elem.attr("springlength") {
            match crate::mjcf::attr::read_numbers(&mut tendon.springlength, 1, &attr.value()) {
                Ok(1) => tendon.springlength[1] = tendon.springlength[0],
                Ok(_) => {}
                Err(why) => super::value::misread(&mut self.diags, elem, attr, why),
            }
        }
    }
}
