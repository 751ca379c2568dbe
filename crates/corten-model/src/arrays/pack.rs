//! Packing a model into named arrays and back.

use std::collections::HashMap;
use std::path::Path;

use super::mjb::{MjbError, arena_bytes, is_mjb};
use super::{ArrayRef, ExtensionNames, InvalidReference, ModelArrays};
use crate::container::{self, ContainerError, Entry, Values};
use crate::enums::ObjType;
use crate::spec::FieldError;

/// Why named arrays do not form a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    #[error("the model has no entry '{0}'")]
    Missing(String),
    #[error("entry '{name}' has {found} values, the model's sizes ask for {expected}")]
    Length { name: String, found: usize, expected: usize },
    #[error("entry '{0}' has the wrong scalar type")]
    Type(String),
    #[error("entry '{name}' has the value {raw}, which has no meaning there")]
    Variant { name: String, raw: i64 },
    #[error("size '{0}' is not a single non-negative integer within limits")]
    Size(String),
    #[error("entry '{0}' is not valid text")]
    Text(String),
    #[error(transparent)]
    Container(#[from] ContainerError),
    #[error("the model contradicts itself: {0}")]
    Reference(#[from] InvalidReference),
    #[error(transparent)]
    Mjb(#[from] MjbError),
    #[error("'{path}': {reason}")]
    File { path: String, reason: String },
}

/// No array of a model may be larger: a damaged size must not exhaust memory.
const MAX_SIZE: usize = 1 << 31;

/// The name lists, with the fields that give their lengths.
pub const NAMED: [(ObjType, &str, &str); 23] = [
    (ObjType::Body, "names.body", "nbody"),
    (ObjType::Joint, "names.jnt", "njnt"),
    (ObjType::Geom, "names.geom", "ngeom"),
    (ObjType::Site, "names.site", "nsite"),
    (ObjType::Camera, "names.cam", "ncam"),
    (ObjType::Light, "names.light", "nlight"),
    (ObjType::Flex, "names.flex", "nflex"),
    (ObjType::Mesh, "names.mesh", "nmesh"),
    (ObjType::Skin, "names.skin", "nskin"),
    (ObjType::HField, "names.hfield", "nhfield"),
    (ObjType::Texture, "names.tex", "ntex"),
    (ObjType::Material, "names.mat", "nmat"),
    (ObjType::Pair, "names.pair", "npair"),
    (ObjType::Exclude, "names.exclude", "nexclude"),
    (ObjType::Equality, "names.eq", "neq"),
    (ObjType::Tendon, "names.tendon", "ntendon"),
    (ObjType::Actuator, "names.actuator", "nu"),
    (ObjType::Sensor, "names.sensor", "nsensor"),
    (ObjType::Numeric, "names.numeric", "nnumeric"),
    (ObjType::Text, "names.text", "ntext"),
    (ObjType::Tuple, "names.tuple", "ntuple"),
    (ObjType::Key, "names.key", "nkey"),
    (ObjType::Plugin, "names.plugin", "nplugin"),
];

/// Bytes of MuJoCo's arena; older files lack it.
const ARENA: &str = "narena";

/// Applies a macro to every record of a model, with its prefix and type.
macro_rules! record_sections {
    ($section:ident, $model:expr) => {
        $section!("opt", $model.opt, crate::option::Options);
        $section!("stat", $model.stat, crate::option::Statistic);
        $section!("vis.global", $model.vis.global, crate::option::VisualGlobal);
        $section!("vis.quality", $model.vis.quality, crate::option::VisualQuality);
        $section!("vis.headlight", $model.vis.headlight, crate::option::VisualHeadlight);
        $section!("vis.map", $model.vis.map, crate::option::VisualMap);
        $section!("vis.scale", $model.vis.scale, crate::option::VisualScale);
        $section!("vis.rgba", $model.vis.rgba, crate::option::VisualRgba);
    };
}
impl ModelArrays {
    /// Arrays and options that MuJoCo lacks: a file without them has what MuJoCo does.
    pub const OWN: [&str; 8] = [
        "geom_compliance",
        "pair_compliance",
        "flex_bending_model",
        "flex_elasticity_model",
        "flex_material",
        "flex_rest",
        "opt.coupling_iterations",
        "opt.xpbd_substeps",
    ];

    /// All content as named arrays: sizes, `opt.*`, `stat.*`, `vis.*.*`, arrays, `names.*`.
    pub fn pack(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut push = |name: String, values: Values| entries.push(Entry { name, values });
        push("name".into(), Values::U8(self.name.clone().into_bytes()));
        for &size in ModelArrays::SIZES {
            push(size.into(), Values::I32(vec![self.size(size).unwrap_or(0) as i32]));
        }
        push("njmax".into(), Values::I32(vec![self.njmax]));
        push("nconmax".into(), Values::I32(vec![self.nconmax]));
        push(ARENA.into(), Values::F64(vec![self.narena as f64]));
        self.each_record(&mut |name, values| push(name, owned(values)));
        for (i, info) in ModelArrays::ARRAYS.iter().enumerate() {
            if let Some(values) = self.array(i) {
                push(info.name.into(), owned(values));
            }
        }
        for (kind, entry, _) in NAMED {
            let names = self.object_names.all(kind);
            let joined = if names.is_empty() { String::new() } else { names.join("\0") + "\0" };
            push(entry.into(), Values::U8(joined.into_bytes()));
        }
        self.extension_names.pack(push);
        entries
    }

    /// The model made of named arrays; every array must be there with the right length. What the
    /// numbers refer to is another matter: [`ModelArrays::validate`].
    pub fn unpack(entries: &[Entry]) -> Result<ModelArrays, UnpackError> {
        let by_name: HashMap<&str, &Values> =
            entries.iter().map(|e| (e.name.as_str(), &e.values)).collect();
        let find = |name: &str| {
            by_name.get(name).copied().ok_or_else(|| UnpackError::Missing(name.into()))
        };

        let mut model =
            ModelArrays { name: text(find("name")?, "name")?, ..ModelArrays::default() };
        for &size in ModelArrays::SIZES {
            let value = match find(size)? {
                Values::I32(v) if v.len() == 1 => usize::try_from(v[0]).ok(),
                _ => None,
            };
            let value = value.filter(|&v| v <= MAX_SIZE);
            model.set_size(size, value.ok_or_else(|| UnpackError::Size(size.into()))?);
        }
        let signed = |name: &str| match find(name)? {
            Values::I32(v) if v.len() == 1 => Ok(v[0]),
            _ => Err(UnpackError::Size(name.into())),
        };
        (model.njmax, model.nconmax) = (signed("njmax")?, signed("nconmax")?);
        model.narena = match by_name.get(ARENA) {
            Some(Values::F64(v)) if v.len() == 1 && v[0] >= 0.0 => v[0] as i64,
            Some(_) => return Err(UnpackError::Size(ARENA.into())),
            None => arena_bytes(&model, -1, -1),
        };
        // Lengths are checked against the entries before anything is allocated from sizes.
        let left_out = |name: &str| ModelArrays::OWN.contains(&name) && !by_name.contains_key(name);
        for info in ModelArrays::ARRAYS.iter().filter(|info| !left_out(info.name)) {
            let expected = model.expected_len(info);
            let found = find(info.name)?.as_ref().len();
            if found != expected {
                return Err(UnpackError::Length { name: info.name.into(), found, expected });
            }
        }
        model.resize();
        for (i, info) in ModelArrays::ARRAYS.iter().enumerate() {
            if left_out(info.name) {
                continue;
            }
            let values = find(info.name)?;
            let target =
                model.array_mut(i).ok_or_else(|| UnpackError::Missing(info.name.into()))?;
            let copied = target.copy_from(values.as_ref());
            copied.map_err(|why| field_error(info.name.into(), why))?;
        }
        macro_rules! section {
            ($prefix:literal, $record:expr, $Type:ty) => {
                for field in <$Type>::FIELDS {
                    let name = format!(concat!($prefix, ".{}"), field);
                    if left_out(&name) {
                        continue;
                    }
                    match find(&name)?.as_ref() {
                        // MuJoCo's Python package leaves out some colours: they keep their
                        // defaults.
                        ArrayRef::F32([]) => {}
                        values => {
                            let set = $record.set_field(field, values);
                            set.map_err(|why| field_error(name, why))?;
                        }
                    }
                }
            };
        }
        record_sections!(section, model);
        for (kind, entry, size) in NAMED {
            let joined = text(find(entry)?, entry)?;
            let names: Vec<String> = joined.split_terminator('\0').map(str::to_owned).collect();
            let expected = model.size(size).unwrap_or(0);
            if names.len() != expected {
                let found = names.len();
                return Err(UnpackError::Length { name: entry.into(), found, expected });
            }
            model.object_names.set(kind, names);
        }
        let entry = |name: &str| by_name.get(name).copied();
        model.extension_names = ExtensionNames::unpack(entry, &model.plugin, model.nu)?;
        Ok(model)
    }

    /// The model as a file: versioned, with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let entries = self.pack();
        container::write(entries.iter().map(|e| (e.name.as_str(), e.values.as_ref())))
    }

    /// The model in a file that [`ModelArrays::to_bytes`] made, or MuJoCo 3.4.0 ([`ModelArrays::from_mjb`]);
    /// foreign, damaged and inconsistent files are refused.
    pub fn from_bytes(file: &[u8]) -> Result<ModelArrays, UnpackError> {
        if is_mjb(file) {
            return ModelArrays::from_mjb(file);
        }
        let model = ModelArrays::unpack(&container::read(file)?)?;
        model.validate()?;
        Ok(model)
    }

    /// Writes the model to a file for [`ModelArrays::load`]: `.mjb` as MuJoCo does, others, usually `.cfa`, in our
    /// own form.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("corten-doc-{}.cfa", std::process::id()));
    /// let model = corten_model::ModelArrays::from_bytes(&corten_model::ModelArrays::default().to_bytes());
    /// # let Ok(model) = model else { return Ok(()) };
    /// model.save(&path)?;
    /// assert_eq!(corten_model::ModelArrays::load(&path)?.to_bytes(), model.to_bytes());
    /// # std::fs::remove_file(&path).ok();
    /// # Ok::<(), corten_model::arrays::UnpackError>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), UnpackError> {
        let path = path.as_ref();
        let mujoco = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("mjb"));
        let bytes = if mujoco { self.to_mjb()? } else { self.to_bytes() };
        std::fs::write(path, bytes).map_err(|e| file_error(path, &e))
    }

    /// The model in a file that [`ModelArrays::save`] wrote.
    pub fn load(path: impl AsRef<Path>) -> Result<ModelArrays, UnpackError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| file_error(path, &e))?;
        ModelArrays::from_bytes(&bytes).map_err(|e| file_error(path, &e))
    }

    /// Number of scalars that the model's sizes give an array.
    pub fn expected_len(&self, info: &super::ArrayInfo) -> usize {
        use super::Columns::{Fixed, One, Sized};
        let rows = self.size(info.rows).unwrap_or(0);
        let columns = match info.columns {
            One => 1,
            Fixed(n) => n,
            Sized(size, factor) => self.size(size).unwrap_or(0) * factor,
        };
        rows.saturating_mul(columns)
    }

    pub(super) fn each_record(&self, visit: &mut dyn FnMut(String, ArrayRef<'_>)) {
        macro_rules! section {
            ($prefix:literal, $record:expr, $Type:ty) => {
                for name in <$Type>::FIELDS {
                    if let Some((_, values)) = $record.field(name) {
                        visit(format!(concat!($prefix, ".{}"), name), values);
                    }
                }
            };
        }
        record_sections!(section, self);
    }
}

fn file_error(path: &Path, error: &dyn std::error::Error) -> UnpackError {
    UnpackError::File { path: path.display().to_string(), reason: error.to_string() }
}

fn field_error(name: String, why: FieldError) -> UnpackError {
    match why {
        FieldError::Length { expected, found } => UnpackError::Length { name, found, expected },
        FieldError::Variant(raw) => UnpackError::Variant { name, raw },
        FieldError::Unknown | FieldError::Fixed | FieldError::Type(_) => UnpackError::Type(name),
    }
}

fn owned(values: ArrayRef<'_>) -> Values {
    match values {
        ArrayRef::F64(v) => Values::F64(v.to_vec()),
        ArrayRef::F32(v) => Values::F32(v.to_vec()),
        ArrayRef::I32(v) => Values::I32(v.to_vec()),
        ArrayRef::U8(v) => Values::U8(v.to_vec()),
    }
}

fn text(values: &Values, name: &str) -> Result<String, UnpackError> {
    match values {
        Values::U8(bytes) => {
            String::from_utf8(bytes.clone()).map_err(|_| UnpackError::Text(name.into()))
        }
        _ => Err(UnpackError::Type(name.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_is_no_choice_is_refused() {
        for name in ["opt.integrator", "opt.solver", "opt.cone", "opt.jacobian"] {
            let mut entries = ModelArrays::default().pack();
            let entry = entries.iter_mut().find(|entry| entry.name == name).unwrap();
            entry.values = Values::I32(vec![99]);
            let error = ModelArrays::unpack(&entries).map(|_| ()).unwrap_err();
            assert_eq!(error, UnpackError::Variant { name: name.into(), raw: 99 });
        }
    }
}
