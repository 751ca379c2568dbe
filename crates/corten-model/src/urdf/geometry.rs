//! Shapes.

use corten_math::Vec3;

use super::{Robot, child, origin, require_child, require_number};
use crate::assets::{PACKAGE_PATHS, extension, file_name, join};
use crate::diagnostic::Diagnostic;
use crate::enums::GeomType;
use crate::mjcf::forest::Elem;
use crate::mjcf::read::value::{read, require, require_text};
use crate::spec::{Body, Geom, Key, Mesh};

impl Robot<'_, '_> {
    pub(super) fn shape(
        &mut self,
        elem: Elem<'_>,
        body: Key<Body>,
        collides: bool,
        rgba: Option<[f32; 4]>,
    ) {
        let mut geom = Geom { body: Some(body), source: elem.source(), ..Default::default() };
        if !collides {
            (geom.contype, geom.conaffinity) = (0, 0);
            (geom.group, geom.density) = (1, 0.0);
        }
        let Some(geometry) = require_child(self.reader, elem, "geometry") else { return };
        if !self.geometry(geometry, &mut geom) {
            let expected = "a child 'box', 'cylinder', 'sphere', 'capsule' or 'mesh'";
            self.reader.error(geometry, format!("no shape in 'geometry': expected {expected}"));
            return;
        }
        (geom.pos, geom.quat) = origin(self.reader, elem);
        if let Some(rgba) = rgba.filter(|rgba| rgba[0] >= 0.0) {
            geom.rgba = rgba;
        }
        geom.name = self.geom_name(elem);
        let spec = &mut self.reader.spec;
        let key = spec.geoms.insert(geom);
        spec.bodies[body].geoms.push(key);
    }

    /// Lengths are halved: URDF gives them whole.
    fn geometry(&mut self, elem: Elem<'_>, geom: &mut Geom) -> bool {
        let shapes = ["box", "cylinder", "sphere", "capsule", "mesh"];
        let Some(shape) = shapes.iter().find_map(|name| child(elem, name)) else { return false };
        match shape.name() {
            "box" => {
                geom.type_ = GeomType::Box;
                let mut size = Vec3::ZERO;
                require(&mut self.reader.diags, shape, "size", &mut size);
                geom.size = size / 2.0;
            }
            "sphere" => {
                geom.type_ = GeomType::Sphere;
                geom.size[0] = require_number(self.reader, shape, "radius");
            }
            "mesh" => {
                geom.type_ = GeomType::Mesh;
                geom.meshname = self.mesh(shape);
            }
            rod => {
                let capsule = rod == "capsule";
                geom.type_ = if capsule { GeomType::Capsule } else { GeomType::Cylinder };
                geom.size[0] = require_number(self.reader, shape, "radius");
                geom.size[1] = require_number(self.reader, shape, "length") / 2.0;
            }
        }
        true
    }

    /// The mesh of a file at a scale, by name; a file used at several scales gets a number
    /// behind its name from the second scale on.
    fn mesh(&mut self, elem: Elem<'_>) -> String {
        let written = require_text(&mut self.reader.diags, elem, "filename");
        let mut file = written.clone();
        let mut scale = Vec3::splat(1.0);
        read(&mut self.reader.diags, elem, "scale", &mut scale);
        if self.reader.spec.strippath {
            file = file_name(&file).to_owned();
        }
        let base = file_name(&file);
        let base_name = base[..base.len() - extension(base).len()].to_owned();
        let mut name = base_name.clone();
        let spec = &self.reader.spec;
        let known = self.meshes.entry(name.clone()).or_default();
        let same = known.iter().find(|&&key| spec.meshes[key].scale == scale);
        if let Some(&key) = same {
            return spec.meshes[key].name.clone();
        }
        if !known.is_empty() {
            name = format!("{name}{}", known.len());
        }
        if let Some(inside) = written.strip_prefix("package://") {
            file = self.in_package(elem, inside, file);
        }
        let mesh =
            Mesh { name: name.clone(), file, scale, source: elem.source(), ..Default::default() };
        let key = self.reader.spec.meshes.insert(mesh);
        self.meshes.entry(base_name).or_default().push(key);
        name
    }

    /// A file of a package: where MuJoCo would look for it if it is there, else where packages
    /// are kept.
    fn in_package(&mut self, elem: Elem<'_>, inside: &str, file: String) -> String {
        let spec = &mut self.reader.spec;
        let assets = self.reader.context.assets;
        if assets.exists(&spec.modelfiledir, &join(&spec.compiler.meshdir, &file)) {
            return file;
        }
        match assets.find_in_package(inside) {
            Ok(found) => {
                // All names have been stripped by now where that was wanted; this one must stay.
                spec.strippath = false;
                std::path::absolute(&found)
                    .map_or(found, |path| path.to_string_lossy().into_owned())
            }
            Err(tried) => {
                let message = format!("'package://{inside}' is in none of the places for packages");
                let tried = if tried.is_empty() { "none".to_owned() } else { tried.join(", ") };
                let hint = match assets.guess_package_path(&spec.modelfiledir, inside) {
                    Some(dir) => format!("set {}={dir}; tried: {tried}", PACKAGE_PATHS[0]),
                    None => format!(
                        "list the directories that hold packages in {}; tried: {tried}",
                        PACKAGE_PATHS[0]
                    ),
                };
                self.reader.report(elem, Diagnostic::warning(message).hint(hint));
                file
            }
        }
    }
}
