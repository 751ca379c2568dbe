//! Spec to MJCF text.
//!
//! Each element is written as its difference from the prototype of its default class, so that
//! reading the text gives the same elements again. What was expanded while reading (includes,
//! replicates, attached models, composites, actuator shortcuts) is written in its expanded
//! form. Elements of attached models are converted to the settings of the model that holds them.

mod body;
mod element;
mod plugin;
mod text;

use corten_math::Vec3;

use super::attr::{Keyword as _, Value as _, write_numbers};
use super::read::settings::{DISABLE_FLAGS, ENABLE_FLAGS};
use crate::enums::{EqualityType, MeshBuiltin, ObjType};
use crate::equality::EqualityForm;
use crate::option::Visual;
use crate::spec::*;
use crate::xml::MAX_DEPTH;
use element::{
    actuator_tag, camera_tag, geom_tag, sensor_tag, site_tag, tendon_tag, wrap_tag, write_material,
};
use text::{Tag, Writer};

/// Why a spec cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("elements are nested more than {0} deep, which no reader accepts")]
    TooDeep(usize),
}

impl Spec {
    /// The spec as MJCF text.
    pub fn to_xml(&self) -> Result<String, WriteError> {
        self.check_class_depth()?;
        let mut w = Writer::default();
        let mut tag = Tag::new("mujoco");
        tag.set("model", &self.modelname);
        let mut result = Ok(());
        w.always(&tag, |w| {
            w.comment(&self.comment);
            self.write_settings(w);
            self.write_extensions(w);
            self.write_defaults(w);
            self.write_custom(w);
            self.write_assets(w);
            result = body::write_world(self, w);
            self.write_flexes(w);
            self.write_contacts(w);
            self.write_equalities(w);
            self.write_tendons(w);
            self.write_actuators(w);
            self.write_sensors(w);
            self.write_keyframes(w);
        });
        result.map(|()| w.finish())
    }

    fn write_settings(&self, w: &mut Writer) {
        let (compiler, plain) = (&self.compiler, Compiler::default());
        let mut tag = Tag::new("compiler");
        tag.set("angle", if compiler.degree { "degree" } else { "radian" });
        tag.diff(compiler, &plain);
        if self.strippath {
            tag.set("strippath", "true");
        }
        if compiler.eulerseq != plain.eulerseq {
            tag.set("eulerseq", String::from_utf8_lossy(&compiler.eulerseq));
        }
        w.element(&tag, |w| {
            let mut tag = Tag::new("lengthrange");
            w.leaf_unless_empty(tag.diff(&compiler.lr_opt, &plain.lr_opt));
        });
        self.write_option(w);

        let mut tag = Tag::new("size");
        let (sizes, plain) = (&self.sizes, Sizes::default());
        if sizes.memory != plain.memory {
            tag.set("memory", sizes.memory.to_string());
        }
        if sizes.nstack != plain.nstack {
            tag.set("nstack", sizes.nstack.to_string());
        }
        w.leaf_unless_empty(tag.diff(sizes, &plain));

        w.element(&Tag::new("visual"), |w| {
            let (visual, plain) = (&self.visual, Visual::default());
            w.leaf_unless_empty(Tag::new("global").diff(&visual.global, &plain.global));
            w.leaf_unless_empty(Tag::new("quality").diff(&visual.quality, &plain.quality));
            w.leaf_unless_empty(Tag::new("headlight").diff(&visual.headlight, &plain.headlight));
            w.leaf_unless_empty(Tag::new("map").diff(&visual.map, &plain.map));
            w.leaf_unless_empty(Tag::new("scale").diff(&visual.scale, &plain.scale));
            w.leaf_unless_empty(Tag::new("rgba").diff(&visual.rgba, &plain.rgba));
        });
        w.leaf_unless_empty(Tag::new("statistic").diff(&self.stat, &StatisticOverride::default()));
    }

    fn write_option(&self, w: &mut Writer) {
        let (option, plain) = (&self.option, crate::Options::default());
        let mut tag = Tag::new("option");
        tag.diff(option, &plain);
        let groups: Vec<i32> = (0..31).filter(|g| option.disableactuator >> g & 1 != 0).collect();
        if !groups.is_empty() {
            tag.set("actuatorgroupdisable", write_numbers(&groups));
        }
        w.element(&tag, |w| {
            let mut tag = Tag::new("flag");
            for (name, bit) in DISABLE_FLAGS {
                if option.disabled(bit) {
                    tag.set(name, "disable");
                }
            }
            for (name, bit) in ENABLE_FLAGS {
                if option.enabled(bit) {
                    tag.set(name, "enable");
                }
            }
            w.leaf_unless_empty(&tag);
        });
    }

    fn write_defaults(&self, w: &mut Writer) {
        let plain = DefaultClass::default();
        self.write_class(w, Spec::MAIN_CLASS, &plain);
    }

    /// The root, the class `main` and what a class holds are three more levels.
    fn check_class_depth(&self) -> Result<(), WriteError> {
        let mut pending = vec![(Spec::MAIN_CLASS, 3)];
        while let Some((key, depth)) = pending.pop() {
            if depth > MAX_DEPTH {
                return Err(WriteError::TooDeep(MAX_DEPTH));
            }
            let children = self.defaults.get(key).map_or(&[][..], |class| &class.children);
            pending.extend(children.iter().map(|&child| (child, depth + 1)));
        }
        Ok(())
    }

    fn write_class(&self, w: &mut Writer, key: Key<DefaultClass>, base: &DefaultClass) {
        let Some(class) = self.defaults.get(key) else { return };
        let mut tag = Tag::new("default");
        if key != Spec::MAIN_CLASS {
            tag.set("class", &class.name);
        }
        let content = |w: &mut Writer| {
            let mut mesh = Tag::new("mesh");
            w.leaf_unless_empty(mesh.diff(&class.mesh, &base.mesh));
            write_material(w, Tag::new("material"), &class.material, &base.material);
            w.leaf_unless_empty(Tag::new("joint").diff(&class.joint, &base.joint));
            w.leaf_unless_empty(&geom_tag(&class.geom, &base.geom));
            w.leaf_unless_empty(&site_tag(&class.site, &base.site));
            w.leaf_unless_empty(&camera_tag(&class.camera, &base.camera));
            w.leaf_unless_empty(Tag::new("light").diff(&class.light, &base.light));
            w.leaf_unless_empty(Tag::new("pair").diff(&class.pair, &base.pair));
            w.leaf_unless_empty(Tag::new("equality").diff(&class.equality, &base.equality));
            w.leaf_unless_empty(&tendon_tag("tendon", &class.tendon, &base.tendon));
            w.leaf_unless_empty(&actuator_tag(&class.actuator, &base.actuator));
            for &child in &class.children {
                self.write_class(w, child, class);
            }
        };
        if key == Spec::MAIN_CLASS {
            w.element(&tag, content);
        } else {
            w.always(&tag, content);
        }
    }

    fn write_custom(&self, w: &mut Writer) {
        w.element(&Tag::new("custom"), |w| {
            for numeric in self.numerics.values() {
                let mut tag = Tag::new("numeric");
                tag.diff(numeric, &Numeric::default());
                w.leaf(tag.set_text("data", &numeric.data.write()));
            }
            for text in self.texts.values() {
                w.leaf(Tag::new("text").diff(text, &Text::default()));
            }
            for tuple in self.tuples.values() {
                w.element(Tag::new("tuple").set("name", &tuple.name), |w| {
                    let names = tuple.objname.iter().zip(&tuple.objprm);
                    for (objtype, (objname, prm)) in tuple.objtype.iter().zip(names) {
                        let mut tag = Tag::new("element");
                        tag.set("objtype", objtype.word()).set("objname", objname);
                        w.leaf(tag.set("prm", prm.to_string()));
                    }
                });
            }
        });
    }

    fn write_assets(&self, w: &mut Writer) {
        w.element(&Tag::new("asset"), |w| {
            for texture in self.textures.values() {
                let mut tag = Tag::new("texture");
                tag.diff_except(texture, &Texture::default(), &["file"]);
                tag.set_text("file", &self.portable(texture, &texture.file, |c| &c.texturedir));
                let names =
                    ["fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"];
                for (name, file) in names.into_iter().zip(&texture.cubefiles) {
                    tag.set_text(name, &self.portable(texture, file, |c| &c.texturedir));
                }
                let used = texture.gridlayout.iter().rposition(|&c| c != b'.');
                if used.is_some() {
                    let faces = texture.gridsize[0].saturating_mul(texture.gridsize[1]);
                    let faces = usize::try_from(faces).unwrap_or(0).min(texture.gridlayout.len());
                    let layout = &texture.gridlayout[..faces];
                    tag.set("gridlayout", String::from_utf8_lossy(layout));
                }
                w.leaf(&tag);
            }
            for material in self.materials.values() {
                let mut tag = Tag::new("material");
                self.set_class(&mut tag, material.class, Spec::MAIN_CLASS);
                let base = &self.class(material.class).material;
                write_material(w, tag, material, base);
            }
            for mesh in self.meshes.values() {
                let mut tag = Tag::new("mesh");
                self.set_class(&mut tag, mesh.class, Spec::MAIN_CLASS);
                let base = &self.class(mesh.class).mesh;
                tag.diff_except(mesh, base, &["file", "builtin"]);
                tag.set_text("file", &self.portable(mesh, &mesh.file, |c| &c.meshdir));
                if mesh.builtin != MeshBuiltin::None {
                    tag.set("builtin", mesh.builtin.word());
                }
                w.always(&tag, |w| self.write_plugin(w, &mesh.plugin));
            }
            for hfield in self.hfields.values() {
                let mut tag = Tag::new("hfield");
                tag.diff_except(hfield, &HField::default(), &["file", "size"]);
                tag.set("size", hfield.size.write());
                tag.set_text("file", &self.portable(hfield, &hfield.file, |c| &c.meshdir));
                let columns = usize::try_from(hfield.ncol).unwrap_or(0).max(1);
                if hfield.file.is_empty() && hfield.userdata.iter().any(|&z| z != 0.0) {
                    let rows = hfield.userdata.rchunks(columns).flatten().copied();
                    tag.set("elevation", rows.collect::<Vec<f32>>().write());
                }
                w.leaf(&tag);
            }
            for skin in self.skins.values() {
                self.write_skin(w, skin);
            }
        });
    }

    fn write_flexes(&self, w: &mut Writer) {
        w.element(&Tag::new("deformable"), |w| {
            for flex in self.flexes.values() {
                let plain = Flex::default();
                w.always(Tag::new("flex").diff(flex, &plain), |w| {
                    for part in ["contact", "edge", "elasticity"] {
                        w.leaf_unless_empty(Tag::new(part).diff_part(flex, &plain));
                    }
                });
            }
        });
    }

    fn write_skin(&self, w: &mut Writer, skin: &Skin) {
        let mut tag = Tag::new("skin");
        tag.diff_except(skin, &Skin::default(), &["file"]);
        tag.set_text("file", &self.portable(skin, &skin.file, |c| &c.meshdir));
        w.always(&tag, |w| {
            for (i, body) in skin.bodyname.iter().enumerate() {
                let mut tag = Tag::new("bone");
                tag.set("body", body);
                let slice = |values: &[f32], n: usize| {
                    write_numbers(values.get(n * i..n * i + n).unwrap_or_default())
                };
                tag.set_text("bindpos", &slice(&skin.bindpos, 3));
                tag.set_text("bindquat", &slice(&skin.bindquat, 4));
                tag.set_text("vertid", &skin.vertid.get(i).map_or(String::new(), |v| v.write()));
                let weight = skin.vertweight.get(i);
                w.leaf(tag.set_text("vertweight", &weight.map_or(String::new(), |v| v.write())));
            }
        });
    }

    /// The path of an asset as the main model would write it.
    fn portable(
        &self,
        element: &impl Element,
        file: &str,
        dir: impl Fn(&Compiler) -> &str,
    ) -> String {
        use crate::assets::{file_name, is_absolute, join, relative};
        let Some(origin) = self.origin(element.origin()).filter(|_| !file.is_empty()) else {
            return file.to_owned();
        };
        let file = if origin.strippath { file_name(file) } else { file };
        if is_absolute(file) {
            return file.to_owned();
        }
        let own = join(&origin.modelfiledir, dir(&origin.compiler));
        let base = join(&self.modelfiledir, dir(&self.compiler));
        if let Some(way) = relative(&base, &own) {
            return join(&way, file);
        }
        let path = join(&own, file);
        std::path::absolute(&path).map_or(path, |path| path.to_string_lossy().into_owned())
    }

    /// Names a class where it is not the one in effect.
    fn set_class(
        &self,
        tag: &mut Tag,
        class: Option<Key<DefaultClass>>,
        inherited: Key<DefaultClass>,
    ) {
        let class = class.filter(|&key| self.defaults.contains(key)).unwrap_or(Spec::MAIN_CLASS);
        if class != inherited {
            tag.set("class", &self.defaults[class].name);
        }
    }

    fn write_contacts(&self, w: &mut Writer) {
        w.element(&Tag::new("contact"), |w| {
            for pair in self.pairs.values() {
                let mut tag = Tag::new("pair");
                self.set_class(&mut tag, pair.class, Spec::MAIN_CLASS);
                w.leaf(tag.diff(pair, &self.class(pair.class).pair));
            }
            for exclude in self.excludes.values() {
                w.leaf(Tag::new("exclude").diff(exclude, &Exclude::default()));
            }
        });
    }

    fn write_equalities(&self, w: &mut Writer) {
        w.element(&Tag::new("equality"), |w| {
            for equality in self.equalities.values() {
                let info = equality.type_.info();
                let mut tag = Tag::new(info.xml_name);
                self.set_class(&mut tag, equality.class, Spec::MAIN_CLASS);
                tag.diff(equality, &self.class(equality.class).equality);
                let data = &equality.data;
                match info.form {
                    EqualityForm::Frames => {
                        let by_sites = equality.objtype == ObjType::Site;
                        let names = if by_sites { ["site1", "site2"] } else { ["body1", "body2"] };
                        tag.set(names[0], &equality.name1).set_text(names[1], &equality.name2);
                        if !by_sites {
                            tag.set("anchor", write_numbers(&data[..3]));
                        }
                        if equality.type_ == EqualityType::Weld {
                            if !by_sites {
                                tag.set("relpose", write_numbers(&data[3..10]));
                            }
                            tag.set("torquescale", data[10].to_string());
                        }
                    }
                    EqualityForm::Coupling(kind) => {
                        let kind = kind.xml_name();
                        tag.set(&format!("{kind}1"), &equality.name1);
                        tag.set_text(&format!("{kind}2"), &equality.name2);
                        tag.set("polycoef", write_numbers(&data[..5]));
                    }
                    EqualityForm::Flex => drop(tag.set("flex", &equality.name1)),
                    EqualityForm::Removed => continue,
                }
                w.leaf(&tag);
            }
        });
    }

    fn write_tendons(&self, w: &mut Writer) {
        w.element(&Tag::new("tendon"), |w| {
            for tendon in self.tendons.values() {
                let joint = |wrap: &Wrap| matches!(wrap.target, WrapTarget::Joint { .. });
                let kind = if tendon.path.iter().any(joint) { "fixed" } else { "spatial" };
                let mut tag = tendon_tag(kind, tendon, &self.class(tendon.class).tendon);
                self.set_class(&mut tag, tendon.class, Spec::MAIN_CLASS);
                w.always(&tag, |w| {
                    for wrap in &tendon.path {
                        w.leaf(&wrap_tag(&wrap.target));
                    }
                });
            }
        });
    }

    fn write_actuators(&self, w: &mut Writer) {
        w.element(&Tag::new("actuator"), |w| {
            for actuator in self.actuators.values() {
                let mut tag = actuator_tag(actuator, &self.class(actuator.class).actuator);
                self.set_class(&mut tag, actuator.class, Spec::MAIN_CLASS);
                if let Some(target) = actuator.trntype.target() {
                    tag.set(target.attribute, &actuator.target);
                }
                self.set_plugin(&mut tag, &actuator.plugin);
                w.always(&tag, |w| self.write_config(w, &actuator.plugin));
            }
        });
    }

    fn write_sensors(&self, w: &mut Writer) {
        w.element(&Tag::new("sensor"), |w| {
            for sensor in self.sensors.values() {
                let mut tag = sensor_tag(sensor);
                self.set_plugin(&mut tag, &sensor.plugin);
                w.always(&tag, |w| self.write_config(w, &sensor.plugin));
            }
        });
    }

    fn write_keyframes(&self, w: &mut Writer) {
        w.element(&Tag::new("keyframe"), |w| {
            for key in self.all_keys() {
                w.leaf(Tag::new("key").diff(&key, &Keyframe::default()));
            }
        });
    }
}

/// Conversion of elements of an attached model to the settings of the main one.
struct Settings<'a> {
    own: &'a Compiler,
    main: &'a Compiler,
}

impl Settings<'_> {
    fn same(&self) -> bool {
        self.own.degree == self.main.degree
            && self.own.eulerseq == self.main.eulerseq
            && self.own.autolimits == self.main.autolimits
    }

    fn angle(&self, angle: f64) -> f64 {
        match (self.own.degree, self.main.degree) {
            (true, false) => angle.to_radians(),
            (false, true) => angle.to_degrees(),
            _ => angle,
        }
    }

    fn orientation(&self, alt: &mut Orientation) {
        match alt {
            Orientation::AxisAngle(values) => values[3] = self.angle(values[3]),
            Orientation::Euler(angles) => *angles = Vec3(angles.0.map(|a| self.angle(a))),
            Orientation::Quat | Orientation::XyAxes(_) | Orientation::ZAxis(_) => {}
        }
    }
}
