//! Binary models of MuJoCo 3.4.0 (`.mjb`), read and written.
//!
//! Such a file is MuJoCo's memory, little-endian and without gaps: five `i32` (a magic number, the bytes of a
//! real number, how many sizes of 32 and of 64 bits there are, how many arrays), the sizes, the records `opt`,
//! `vis` and `stat`, the arrays. [`ModelArrays`] declares sizes and arrays in the same order, so that only
//! the records of viewing parameters need a table.
//!
//! There is no checksum, and anyone can write one: every length is checked against the file before anything
//! is made, so that a file costs no more memory than a few times its own length.

use std::collections::HashMap;

use super::{ArrayInfo, ArrayRef, ModelArrays, NAMED, ScalarKind, UnpackError};
use crate::container::{Entry, Values};
use crate::enums::{Integrator, Solver};
use crate::option::Options;
use crate::soft::SOFT_PREFIX;
use crate::spec::Sizes;

/// The number at the start of every `.mjb`.
const MAGIC: i32 = 54321;
const HEADER_INTS: usize = 5;
const REAL_BYTES: i32 = 8;
/// Sizes of 32 bits: those of [`ModelArrays::SIZES`], `njmax` and `nconmax`.
const INTS: usize = ModelArrays::SIZES.len() + 2;
/// Sizes of 64 bits: `narena`, `nbuffer`.
const LONGS: usize = 2;
/// The size after which `njmax` and `nconmax` stand.
const BEFORE_LIMITS: &str = "nemax";
/// MuJoCo aligns arrays in memory, which `nbuffer` counts.
const ALIGNMENT: u64 = 64;
/// `mjOption` ends with an odd number of `i32`.
const OPTION_PADDING: usize = 4;

/// Viewing parameters in MuJoCo's order.
const VISUAL: [(&str, &str); 6] = [
    (
        "vis.global",
        "cameraid orthographic fovy ipd azimuth elevation linewidth glow realtime offwidth offheight \
         ellipsoidinertia bvactive",
    ),
    ("vis.quality", "shadowsize offsamples numslices numstacks numquads"),
    ("vis.headlight", "ambient diffuse specular active"),
    (
        "vis.map",
        "stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip \
         shadowscale actuatortendon",
    ),
    (
        "vis.scale",
        "forcewidth contactwidth contactheight connect com camera light selectpoint jointlength \
         jointwidth actuatorlength actuatorwidth framelength framewidth constraint slidercrank frustum",
    ),
    (
        "vis.rgba",
        "fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light \
         selectpoint connect contactpoint contactforce contactfriction contacttorque contactgap \
         rangefinder constraint slidercrank crankbroken frustum bv bvactive",
    ),
];
const STATISTIC: &str = "meaninertia meanmass meansize extent center";

/// Why a file is not a binary model of MuJoCo 3.4.0, or a model cannot become one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MjbError {
    #[error("not a binary model of MuJoCo: it does not begin with the number {MAGIC}")]
    Foreign,
    #[error("real numbers of {0} bytes, this build reads those of {REAL_BYTES}")]
    Precision(i32),
    #[error(
        "a binary model of another version of MuJoCo than 3.4.0 ({ints} and {longs} sizes, {arrays} arrays): \
         load its MJCF instead, or save it again with 3.4.0"
    )]
    Version { ints: i32, longs: i32, arrays: i32 },
    #[error("the file ends early, at byte {offset} in '{what}'")]
    Truncated { what: String, offset: usize },
    #[error("{0} bytes follow the last array")]
    TooLong(usize),
    #[error("size '{name}' is {value}")]
    Size { name: String, value: i64 },
    #[error("the sizes make {expected} bytes of arrays, nbuffer says {found}")]
    Buffer { found: i64, expected: u64 },
    #[error("{field}[{index}] is {value}, which is not the place of a name")]
    Name { field: String, index: usize, value: i32 },
    #[error("{0} is not MuJoCo's, and a .mjb has no room for it: save the model as .cfa")]
    Own(String),
}

/// Whether bytes begin like a binary model of MuJoCo.
pub fn is_mjb(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Bytes of one scalar.
fn width(kind: ScalarKind) -> usize {
    match kind {
        ScalarKind::F64 => 8,
        ScalarKind::F32 | ScalarKind::I32 => 4,
        ScalarKind::U8 => 1,
    }
}

/// The arrays that MuJoCo has.
fn arrays() -> impl Iterator<Item = &'static ArrayInfo> {
    ModelArrays::ARRAYS.iter().filter(|info| !ModelArrays::OWN.contains(&info.name))
}

/// The sizes of 32 bits in the order of files.
fn ints() -> impl Iterator<Item = &'static str> {
    ModelArrays::SIZES.iter().flat_map(|&size| {
        let limits: &[&str] = if size == BEFORE_LIMITS { &["njmax", "nconmax"] } else { &[] };
        std::iter::once(size).chain(limits.iter().copied())
    })
}

/// Entries of the records in the order of files.
fn records() -> impl Iterator<Item = String> {
    let options = Options::FIELDS.iter().map(|field| format!("opt.{field}"));
    let options = options.filter(|name| !ModelArrays::OWN.contains(&name.as_str()));
    let visual = VISUAL.iter().flat_map(|(section, fields)| {
        fields.split(' ').map(move |field| format!("{section}.{field}"))
    });
    options.chain(visual).chain(STATISTIC.split(' ').map(|field| format!("stat.{field}")))
}

/// The last record of `mjOption`.
fn ends_option(record: &str) -> bool {
    record == "opt.sdf_iterations"
}

impl ModelArrays {
    /// Bytes of all arrays in MuJoCo's memory, `nbuffer`.
    pub fn buffer_bytes(&self) -> u64 {
        arrays().fold(0, |at: u64, info| {
            let bytes = self.expected_len(info).saturating_mul(width(info.scalar)) as u64;
            at.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX).saturating_add(bytes)
        })
    }

    /// Bytes of a file of this model, `mj_sizeModel`.
    pub fn mjb_bytes(&self) -> usize {
        let mut bytes = 4 * (HEADER_INTS + INTS) + 8 * LONGS + OPTION_PADDING;
        self.each_record(&mut |name, values| {
            if !ModelArrays::OWN.contains(&name.as_str()) {
                bytes += values.len() * width(values.kind());
            }
        });
        arrays().fold(bytes, |sum, info| sum + self.expected_len(info) * width(info.scalar))
    }

    /// The model as a binary file of MuJoCo 3.4.0. What only CortenForge has is refused: it would be
    /// lost.
    pub fn to_mjb(&self) -> Result<Vec<u8>, MjbError> {
        self.check_plain()?;
        let mut out = Vec::with_capacity(self.mjb_bytes());
        let header = [MAGIC, REAL_BYTES, INTS as i32, LONGS as i32, arrays().count() as i32];
        let sizes = ints().map(|name| match name {
            "njmax" => self.njmax,
            "nconmax" => self.nconmax,
            size => self.size(size).unwrap_or(0) as i32,
        });
        header.into_iter().chain(sizes).for_each(|x| out.extend(x.to_le_bytes()));
        out.extend(self.narena.to_le_bytes());
        out.extend(self.buffer_bytes().to_le_bytes());
        let mut found: HashMap<String, Vec<u8>> = HashMap::new();
        self.each_record(&mut |name, values| {
            found.insert(name, little_endian(values));
        });
        for name in records() {
            out.extend(found.remove(&name).unwrap_or_default());
            if ends_option(&name) {
                out.extend([0; OPTION_PADDING]);
            }
        }
        for (i, info) in Self::ARRAYS.iter().enumerate() {
            if !ModelArrays::OWN.contains(&info.name)
                && let Some(values) = self.array(i)
            {
                out.extend(little_endian(values));
            }
        }
        Ok(out)
    }

    /// The model in a binary file of MuJoCo 3.4.0; those of other versions, damaged and inconsistent ones
    /// are refused.
    pub fn from_mjb(file: &[u8]) -> Result<ModelArrays, UnpackError> {
        let mut reader = Reader { bytes: file, at: 0 };
        let (sizes, narena) = reader.sizes()?;
        let mut entries = Vec::new();
        let mut push = |name: String, values: Values| entries.push(Entry { name, values });
        let mut plain = ModelArrays::default();
        for (name, &value) in ints().zip(&sizes) {
            if !matches!(name, "njmax" | "nconmax") {
                plain.set_size(name, value.max(0) as usize);
            }
            push(name.into(), Values::I32(vec![value]));
        }
        let nbuffer = i64::from_le_bytes(reader.take("nbuffer")?);
        let expected = plain.buffer_bytes();
        if u64::try_from(nbuffer) != Ok(expected) {
            return Err(MjbError::Buffer { found: nbuffer, expected }.into());
        }
        let mut shapes: HashMap<String, (ScalarKind, usize)> = HashMap::new();
        plain.each_record(&mut |name, values| {
            shapes.insert(name, (values.kind(), values.len()));
        });
        for name in records() {
            let (kind, len) = shapes[&name];
            let values = reader.values(&name, kind, len)?;
            if ends_option(&name) {
                reader.slice("opt", OPTION_PADDING)?;
            }
            push(name, values);
        }
        for info in arrays() {
            let values = reader.values(info.name, info.scalar, plain.expected_len(info))?;
            push(info.name.into(), values);
        }
        if reader.at != file.len() {
            return Err(MjbError::TooLong(file.len() - reader.at).into());
        }
        add_names(&mut entries)?;
        let mut model = ModelArrays::unpack(&entries)?;
        model.narena = narena;
        model.validate()?;
        Ok(model)
    }

    /// Refuses what a `.mjb` has no room for.
    fn check_plain(&self) -> Result<(), MjbError> {
        let own = |what: &str| Err(MjbError::Own(what.into()));
        if self.opt.solver.raw() > Solver::Newton.raw() {
            return own("the solver of the model");
        }
        if self.opt.integrator.raw() > Integrator::ImplicitFast.raw() {
            return own("the integrator of the model");
        }
        if self.extension_names.gains.iter().any(|gain| !gain.model.is_empty()) {
            return own("a gain model of an actuator");
        }
        if self.numeric_names().any(|name| name.starts_with(SOFT_PREFIX)) {
            return own("a body of particles");
        }
        let plain = |values: ArrayRef<'_>| match values {
            ArrayRef::F64(v) => v.iter().all(|&x| x == 0.0),
            ArrayRef::I32(v) => v.iter().all(|&x| x == 0),
            ArrayRef::F32(_) | ArrayRef::U8(_) => true,
        };
        // Material and rest shape of flexes are there for laws that `flex_*_model` chooses.
        for name in
            ["geom_compliance", "pair_compliance", "flex_bending_model", "flex_elasticity_model"]
        {
            let values = Self::array_index(name).and_then(|i| self.array(i));
            if values.is_some_and(|values| !plain(values)) {
                return own(name);
            }
        }
        Ok(())
    }

    fn numeric_names(&self) -> impl Iterator<Item = &str> {
        self.object_names.all(crate::enums::ObjType::Numeric).iter().map(String::as_str)
    }
}

/// Bytes of the arena that MuJoCo's compiler gives a model (`user_model.cc`, the end of compilation).
pub(crate) fn arena_bytes(m: &ModelArrays, memory: i64, nstack: i64) -> i64 {
    /// Bytes of MuJoCo's contact.
    const CONTACT: u64 = 568;
    const MEGABYTE: u64 = 1 << 20;
    if memory != Sizes::default().memory {
        return memory;
    }
    let wished = |asked: i32, usual: u64| u64::try_from(asked).unwrap_or(usual);
    let (contacts, rows) = (wished(m.nconmax, 100), wished(m.njmax, 500));
    let (nv, neq) = (m.nv as u64, m.neq as u64);
    let objects = m.nq + m.nv + m.nu + m.na + m.nbody + m.njnt;
    let objects = objects + m.ngeom + m.nsite + m.neq + m.ntendon + m.nwrap;
    let square = |n: u64| n.saturating_mul(n);
    let stack = square(rows + neq + nv).saturating_mul(5).saturating_add(20 * objects as u64);
    let stack = u64::try_from(nstack).unwrap_or(stack.max(1000));
    let lists = contacts * CONTACT + rows * 144 + nv * 12;
    let matrices = (rows * 24).saturating_mul(nv).saturating_add(square(rows).saturating_mul(12));
    let bytes = stack.saturating_mul(8).saturating_add(lists).saturating_add(matrices);
    let whole = bytes.checked_next_multiple_of(MEGABYTE).unwrap_or(bytes);
    i64::try_from(whole).unwrap_or(i64::MAX)
}

fn little_endian(values: ArrayRef<'_>) -> Vec<u8> {
    match values {
        ArrayRef::F64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        ArrayRef::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        ArrayRef::I32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        ArrayRef::U8(v) => v.to_vec(),
    }
}

/// Adds the lists of names that MuJoCo keeps as one text and the places in it.
fn add_names(entries: &mut Vec<Entry>) -> Result<(), MjbError> {
    let find =
        |name: &str| entries.iter().find(|entry| entry.name == name).map(|entry| &entry.values);
    let Some(Values::U8(text)) = find("names") else { return Ok(()) };
    let name_at = |at: usize| {
        let rest = text.get(at..)?;
        let end = rest.iter().position(|&b| b == 0)?;
        Some(&rest[..=end])
    };
    // The model's own name is the first.
    let own = name_at(0).map_or(&[][..], |name| &name[..name.len() - 1]).to_vec();
    let mut lists = vec![("name", Values::U8(own))];
    // Every object has a place of its own in the text: together, names are no longer than it.
    let mut room = text.len();
    for (_, list, _) in NAMED {
        let field = format!("name_{}adr", list.trim_start_matches("names."));
        let Some(Values::I32(places)) = find(&field) else { continue };
        let mut joined = Vec::new();
        for (index, &value) in places.iter().enumerate() {
            let name =
                usize::try_from(value).ok().and_then(name_at).filter(|name| name.len() <= room);
            let Some(name) = name else { return Err(MjbError::Name { field, index, value }) };
            room -= name.len();
            joined.extend_from_slice(name);
        }
        lists.push((list, Values::U8(joined)));
    }
    entries.extend(lists.into_iter().map(|(name, values)| Entry { name: name.into(), values }));
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn slice(&mut self, what: &str, n: usize) -> Result<&'a [u8], MjbError> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| MjbError::Truncated { what: what.into(), offset: self.at })?;
        let slice = &self.bytes[self.at..end];
        self.at = end;
        Ok(slice)
    }

    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], MjbError> {
        let mut out = [0; N];
        out.copy_from_slice(self.slice(what, N)?);
        Ok(out)
    }

    fn int(&mut self, what: &str) -> Result<i32, MjbError> {
        self.take(what).map(i32::from_le_bytes)
    }

    /// Header and sizes of 32 bits, and `narena`.
    fn sizes(&mut self) -> Result<(Vec<i32>, i64), MjbError> {
        if self.int("header")? != MAGIC {
            return Err(MjbError::Foreign);
        }
        let real = self.int("header")?;
        if real != REAL_BYTES {
            return Err(MjbError::Precision(real));
        }
        let (ints_found, longs, arrays_found) =
            (self.int("header")?, self.int("header")?, self.int("header")?);
        let expected = (INTS as i32, LONGS as i32, arrays().count() as i32);
        if (ints_found, longs, arrays_found) != expected {
            return Err(MjbError::Version { ints: ints_found, longs, arrays: arrays_found });
        }
        let sizes = ints().map(|name| {
            let value = self.int(name)?;
            // MuJoCo writes −1 for limits that nobody asked for.
            let least = if matches!(name, "njmax" | "nconmax") { -1 } else { 0 };
            if value >= least {
                Ok(value)
            } else {
                Err(MjbError::Size { name: name.into(), value: value.into() })
            }
        });
        let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
        let narena = i64::from_le_bytes(self.take("narena")?);
        if narena < 0 {
            return Err(MjbError::Size { name: "narena".into(), value: narena });
        }
        Ok((sizes, narena))
    }

    fn values(&mut self, what: &str, kind: ScalarKind, len: usize) -> Result<Values, MjbError> {
        let truncated = MjbError::Truncated { what: what.into(), offset: self.at };
        let bytes = len.checked_mul(width(kind)).ok_or(truncated)?;
        let bytes = self.slice(what, bytes)?;
        fn scalars<T, const N: usize>(bytes: &[u8], from: fn([u8; N]) -> T) -> Vec<T> {
            bytes.as_chunks::<N>().0.iter().map(|chunk| from(*chunk)).collect()
        }
        Ok(match kind {
            ScalarKind::F64 => Values::F64(scalars(bytes, f64::from_le_bytes)),
            ScalarKind::F32 => Values::F32(scalars(bytes, f32::from_le_bytes)),
            ScalarKind::I32 => Values::I32(scalars(bytes, i32::from_le_bytes)),
            ScalarKind::U8 => Values::U8(bytes.to_vec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assets, Spec, compile};

    const TEXT: &str = r#"<mujoco model="m"><option timestep="0.25" solver="CG"/>
        <visual><map znear="0.5"/></visual><size memory="3M"/>
        <worldbody><body name="arm"><joint name="hinge" range="0 1"/><geom name="g" size="1 2" type="capsule"/></body>
        <geom size="1"/></worldbody><actuator><motor name="a" joint="hinge"/></actuator></mujoco>"#;

    fn model(text: &str) -> ModelArrays {
        let assets = Assets::memory_only();
        let spec = Spec::from_xml_str(text, &assets).unwrap();
        compile(&spec, &assets).unwrap().model().clone()
    }

    #[test]
    fn a_file_gives_the_model_back() {
        let model = model(TEXT);
        let file = model.to_mjb().unwrap();
        assert_eq!(file.len(), model.mjb_bytes());
        let read = ModelArrays::from_mjb(&file).unwrap();
        assert_eq!(read.to_bytes(), model.to_bytes());
        assert_eq!((read.narena, read.name.as_str()), (3 << 20, "m"));
        assert_eq!(ModelArrays::from_bytes(&file).unwrap().to_mjb().unwrap(), file);
    }

    #[test]
    fn every_cut_and_every_wrong_size_is_refused() {
        let file = model(TEXT).to_mjb().unwrap();
        for end in 0..file.len() {
            assert!(ModelArrays::from_mjb(&file[..end]).is_err(), "cut at {end}");
        }
        let longer = [&file[..], &[0]].concat();
        assert_eq!(ModelArrays::from_mjb(&longer).unwrap_err(), MjbError::TooLong(1).into());
        for i in 0..HEADER_INTS {
            let mut bad = file.clone();
            bad[4 * i] ^= 0x40;
            assert!(ModelArrays::from_mjb(&bad).is_err(), "header {i}");
        }
        for (i, name) in ints().enumerate() {
            let at = 4 * (HEADER_INTS + i);
            for value in [i32::MAX, i32::MIN, -2, 1 << 30] {
                let mut bad = file.clone();
                bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
                // Sizes without an array are sizes of data, which have limits of their own.
                if value < 0 {
                    assert!(ModelArrays::from_mjb(&bad).is_err(), "{name} = {value}");
                } else {
                    let _ = ModelArrays::from_mjb(&bad);
                }
            }
        }
    }

    #[test]
    fn names_beyond_the_text_are_refused() {
        let model = model(TEXT);
        for value in [-1, i32::MAX, model.nnames as i32] {
            let mut bad = model.clone();
            bad.name_geomadr[0] = value;
            let error = ModelArrays::from_mjb(&bad.to_mjb().unwrap()).unwrap_err();
            assert!(matches!(error, UnpackError::Mjb(MjbError::Name { index: 0, .. })), "{error}");
        }
    }

    #[test]
    fn what_mujoco_lacks_is_refused_and_named() {
        let mut own = model(TEXT);
        own.geom_compliance[0][0] = 1.0;
        let error = own.to_mjb().unwrap_err();
        assert!(error.to_string().contains("geom_compliance"), "{error}");
        let mut own = model(TEXT);
        own.opt.solver = Solver::Xpbd;
        assert!(matches!(own.to_mjb(), Err(MjbError::Own(_))));
    }

    #[test]
    fn the_arena_is_what_mujoco_computes() {
        // From MuJoCo 3.4.0: a model without anything, and one with `nstack`.
        let plain = model("<mujoco/>");
        assert_eq!(plain.narena, 13 << 20);
        let legacy = model(r#"<mujoco><size nstack="1000" njmax="10" nconmax="3"/></mujoco>"#);
        assert_eq!(legacy.narena, 1 << 20);
    }
}
