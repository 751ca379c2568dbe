//! Assets, and skins wherever they stand.

use corten_math::memory::{guard, zeroed};

use super::value::{apply, apply_except, require, require_text, text};
use super::{MAX_MODEL_DEPTH, Reader, Reading, read_file};
use crate::assets::join;
use crate::diagnostic::Diagnostic;
use crate::mjcf::attr::read_list;
use crate::mjcf::forest::Elem;
use crate::spec::{HField, ModelAsset, Skin, Texture};

/// Attributes for the six faces of a cube, in the order the texture keeps them.
const CUBE_FILES: [&str; 6] =
    ["fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"];
/// Number of visual groups.
const NGROUP: i32 = 6;

impl Reader<'_> {
    pub(super) fn asset(&mut self, section: Elem<'_>) {
        for elem in section.children() {
            match elem.name() {
                "texture" => self.texture(elem),
                "material" => {
                    let class = self.class_of(elem);
                    let mut material = self.spec.defaults[class].material.clone();
                    (material.class, material.source) = (Some(class), elem.source());
                    self.one_material(elem, &mut material);
                    self.spec.materials.insert(material);
                }
                "mesh" => {
                    let class = self.class_of(elem);
                    let mut mesh = self.spec.defaults[class].mesh.clone();
                    (mesh.class, mesh.source) = (Some(class), elem.source());
                    self.one_mesh(elem, &mut mesh);
                    mesh.plugin = self.plugin_child(elem).unwrap_or_default();
                    self.spec.meshes.insert(mesh);
                }
                "flex" => self.flex(elem),
                "skin" => self.skin(elem),
                "hfield" => self.hfield(elem),
                "model" => self.model_asset(elem),
                _ => {}
            }
        }
    }

    fn texture(&mut self, elem: Elem<'_>) {
        let mut texture = Texture { source: elem.source(), ..Default::default() };
        apply_except(&mut self.diags, elem, &mut texture, &["file"]);
        let resolve = |file: &str| self.resolve_file(elem, file, &self.spec.compiler.texturedir);
        if let Some(file) = text(elem, "file") {
            texture.file = resolve(&file);
        }
        for (slot, name) in texture.cubefiles.iter_mut().zip(CUBE_FILES) {
            if let Some(file) = text(elem, name) {
                *slot = resolve(&file);
            }
        }
        if let Some(layout) = text(elem, "gridlayout") {
            let faces = i64::from(texture.gridsize[0]) * i64::from(texture.gridsize[1]);
            if layout.len() > texture.gridlayout.len() {
                self.error(elem, "'gridlayout' cannot be longer than 12 characters");
            } else if layout.len() as i64 != faces {
                self.error(
                    elem,
                    format!("'gridlayout' must have {faces} characters, as 'gridsize' says"),
                );
            } else {
                texture.gridlayout[..layout.len()].copy_from_slice(layout.as_bytes());
            }
        }
        self.spec.textures.insert(texture);
    }

    fn hfield(&mut self, elem: Elem<'_>) {
        let mut hfield = HField { source: elem.source(), ..Default::default() };
        apply_except(&mut self.diags, elem, &mut hfield, &["file", "size"]);
        require(&mut self.diags, elem, "size", &mut hfield.size);
        if let Some(file) = text(elem, "file") {
            hfield.file = self.resolve_file(elem, &file, &self.spec.compiler.meshdir);
        } else if hfield.nrow > 0 && hfield.ncol > 0 {
            self.elevation(elem, &mut hfield);
        }
        self.spec.hfields.insert(hfield);
    }

    fn elevation(&mut self, elem: Elem<'_>, hfield: &mut HField) {
        let columns = hfield.ncol as usize;
        let limit = self.context.limits().image_bytes;
        let count = (hfield.nrow as usize).checked_mul(columns);
        let Some(count) = count.filter(|&n| n <= limit / size_of::<f32>()) else {
            let message = format!("the height field would take more than {limit} bytes");
            return self.report(elem, Diagnostic::error(message).beyond("image_bytes"));
        };
        let values = match elem.attr("elevation").map(|attr| (attr, read_list(&attr.value()))) {
            None => Vec::new(),
            Some((_, Ok(values))) => values,
            Some((attr, Err(why))) => {
                super::value::misread(&mut self.diags, elem, attr, why);
                return;
            }
        };
        if values.is_empty() {
            match guard(|| zeroed(count)) {
                Ok(zeros) => hfield.userdata = zeros,
                Err(error) => self.report(elem, error.into()),
            }
        } else if values.len() == count {
            hfield.userdata = values.rchunks(columns).flatten().copied().collect();
        } else {
            let message = format!("'elevation' has {} values instead of {count}", values.len());
            self.report(elem, Diagnostic::error(message).expected("nrow times ncol values"));
        }
    }

    fn skin(&mut self, elem: Elem<'_>) {
        let mut skin = Skin { source: elem.source(), ..Default::default() };
        apply_except(&mut self.diags, elem, &mut skin, &["file"]);
        if let Some(file) = text(elem, "file") {
            skin.file = self.resolve_file(elem, &file, &self.spec.compiler.meshdir);
        }
        if !(0..NGROUP).contains(&skin.group) {
            self.error(elem, "skin group must be between 0 and 5");
        }
        for bone in elem.children() {
            if bone.name() != "bone" {
                continue;
            }
            let diags = &mut self.diags;
            skin.bodyname.push(require_text(diags, bone, "body"));
            let (mut pos, mut quat) = ([0f32; 3], [0f32; 4]);
            require(diags, bone, "bindpos", &mut pos);
            require(diags, bone, "bindquat", &mut quat);
            skin.bindpos.extend(pos);
            skin.bindquat.extend(quat);
            let (mut vertid, mut vertweight) = (Vec::new(), Vec::new());
            require(diags, bone, "vertid", &mut vertid);
            require(diags, bone, "vertweight", &mut vertweight);
            skin.vertid.push(vertid);
            skin.vertweight.push(vertweight);
        }
        self.spec.skins.insert(skin);
    }

    fn model_asset(&mut self, elem: Elem<'_>) {
        let file = require_text(&mut self.diags, elem, "file");
        if file.is_empty() {
            return;
        }
        if self.context.depth >= MAX_MODEL_DEPTH {
            self.report(
                elem,
                Diagnostic::error(format!("models nested more than {MAX_MODEL_DEPTH} deep"))
                    .hint("check whether a model attaches itself"),
            );
            return;
        }
        let path = join(&self.spec.modelfiledir, &self.resolve_file(elem, &file, ""));
        let inner = Reading { depth: self.context.depth + 1, ..self.context };
        match read_file(&path, inner) {
            Err(inner) => {
                self.model_missing = true;
                // A file that cannot be opened has no place of its own to report.
                let unopened = inner.iter().next().filter(|first| first.place.is_none());
                if let Some(first) = unopened {
                    self.report(elem, first.clone());
                } else {
                    self.error(elem, format!("model '{file}' has errors"));
                    self.diags.append(inner);
                }
            }
            Ok((mut spec, warnings)) => {
                self.diags.append(warnings);
                if let Some(name) = text(elem, "name") {
                    spec.modelname = name;
                }
                let mut model = ModelAsset {
                    source: elem.source(),
                    file,
                    name: spec.modelname.clone(),
                    ..Default::default()
                };
                apply(&mut self.diags, elem, &mut model);
                model.spec = Box::new(spec);
                self.spec.models.insert(model);
            }
        }
    }
}
