//! Assets and default classes that nothing refers to.

use std::collections::HashSet;

use crate::assets::{extension, file_name};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::spec::{DefaultClass, Key, Spec};

/// Names that are referred to, per kind of asset.
#[derive(Default)]
struct Used<'a> {
    meshes: HashSet<&'a str>,
    hfields: HashSet<&'a str>,
    textures: HashSet<&'a str>,
    materials: HashSet<&'a str>,
}

pub(super) fn assets(spec: &Spec, found: &mut Diagnostics) {
    let used = used(spec);
    let mut report = |kind: &str, element: &dyn Fn(Diagnostic) -> Diagnostic, name: &str| {
        let item = Diagnostic::note(format!("{kind} '{name}' is not used"));
        found.push(element(item));
    };
    for mesh in spec.meshes.values() {
        let name = or_stem(&mesh.name, &mesh.file);
        if !used.meshes.contains(name) {
            report("mesh", &|item| item.on("mesh", mesh), name);
        }
    }
    for hfield in spec.hfields.values() {
        let name = or_stem(&hfield.name, &hfield.file);
        if !used.hfields.contains(name) {
            report("hfield", &|item| item.on("hfield", hfield), name);
        }
    }
    for texture in spec.textures.values() {
        let name = or_stem(&texture.name, &texture.file);
        // The sky takes its texture by type.
        let sky = texture.type_ == crate::enums::TextureType::Skybox;
        if !sky && !used.textures.contains(name) {
            report("texture", &|item| item.on("texture", texture), name);
        }
    }
    for material in spec.materials.values() {
        if !used.materials.contains(material.name.as_str()) {
            report("material", &|item| item.on("material", material), &material.name);
        }
    }
}

/// The name of an asset; that of its file if it has none.
fn or_stem<'a>(name: &'a str, file: &'a str) -> &'a str {
    if !name.is_empty() {
        return name;
    }
    let file = file_name(file);
    &file[..file.len() - extension(file).len()]
}

fn used(spec: &Spec) -> Used<'_> {
    let mut used = Used::default();
    for class in spec.defaults.values() {
        used.meshes.insert(&class.geom.meshname);
        used.hfields.insert(&class.geom.hfieldname);
        let materials = [&class.geom.material, &class.site.material, &class.tendon.material];
        used.materials.extend(materials.map(String::as_str));
        used.materials.insert(&class.mesh.material);
        used.textures.extend(class.material.textures.iter().map(String::as_str));
    }
    for geom in spec.geoms.values() {
        used.meshes.insert(&geom.meshname);
        used.hfields.insert(&geom.hfieldname);
        used.materials.insert(&geom.material);
    }
    for sensor in spec.sensors.values() {
        // Tactile sensors sample the vertices of a mesh.
        used.meshes.insert(&sensor.objname);
    }
    used.materials.extend(spec.sites.values().map(|s| s.material.as_str()));
    used.materials.extend(spec.tendons.values().map(|t| t.material.as_str()));
    used.materials.extend(spec.flexes.values().map(|f| f.material.as_str()));
    used.materials.extend(spec.skins.values().map(|s| s.material.as_str()));
    used.materials.extend(spec.meshes.values().map(|m| m.material.as_str()));
    for material in spec.materials.values() {
        used.textures.extend(material.textures.iter().map(String::as_str));
    }
    used.textures.extend(spec.lights.values().map(|l| l.texture.as_str()));
    used
}

/// Default classes without members. A class is used if one below it is.
pub(super) fn classes(spec: &Spec, found: &mut Diagnostics) {
    let mut used: HashSet<Key<DefaultClass>> = HashSet::new();
    let mut mark = |mut class: Option<Key<DefaultClass>>| {
        while let Some(key) = class.filter(|key| used.insert(*key)) {
            class = spec.defaults.get(key).and_then(|class| class.parent);
        }
    };
    macro_rules! members {
        ($($list:ident)*) => {$(
            spec.$list.values().for_each(|element| mark(element.class));
        )*};
    }
    members!(joints geoms sites cameras lights meshes materials pairs equalities tendons actuators);
    spec.bodies.values().for_each(|body| mark(body.childclass));
    spec.frames.values().for_each(|frame| mark(frame.childclass));
    for (key, class) in spec.defaults.iter().filter(|(key, _)| *key != Spec::MAIN_CLASS) {
        if !used.contains(&key) {
            let item = Diagnostic::note(format!("default class '{}' is not used", class.name));
            found.push(item.at(class.source).element("default"));
        }
    }
}
