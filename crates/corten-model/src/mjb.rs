//! MuJoCo 3.4.0's binary models, `.mjb`: read and written.
//!
//! Such a file is a picture of MuJoCo's memory: five numbers that identify the layout, the sizes, the
//! structs of options, viewing parameters and statistics with their padding, then every array, all
//! little-endian and without names. The tables below say in which order; types and lengths are those
//! of [`ModelArrays`]. Another version of MuJoCo has another layout: its files are refused.

use crate::arrays::{ArrayInfo, ArrayRef, ModelArrays, NAMED, ScalarKind, UnpackError};
use crate::container::{ContainerError, Entry, Values};

/// The number at the start of every `.mjb`.
pub const MAGIC: i32 = 54321;
/// Layout of 3.4.0: magic, bytes of a real number, number of sizes of four and of eight bytes, of arrays.
const HEADER: [i32; 5] = [MAGIC, 8, SIZES.len() as i32, 2, ARRAYS.len() as i32];
/// Arrays start at multiples of this many bytes in MuJoCo's memory, though not in the file.
const ALIGNMENT: u64 = 64;

/// Sizes of four bytes, in the file's order; those of the arena and of all arrays follow.
const SIZES: [&str; 84] = [
    "nq",
    "nv",
    "nu",
    "na",
    "nbody",
    "nbvh",
    "nbvhstatic",
    "nbvhdynamic",
    "noct",
    "njnt",
    "ntree",
    "nM",
    "nB",
    "nC",
    "nD",
    "ngeom",
    "nsite",
    "ncam",
    "nlight",
    "nflex",
    "nflexnode",
    "nflexvert",
    "nflexedge",
    "nflexelem",
    "nflexelemdata",
    "nflexelemedge",
    "nflexshelldata",
    "nflexevpair",
    "nflextexcoord",
    "nmesh",
    "nmeshvert",
    "nmeshnormal",
    "nmeshtexcoord",
    "nmeshface",
    "nmeshgraph",
    "nmeshpoly",
    "nmeshpolyvert",
    "nmeshpolymap",
    "nskin",
    "nskinvert",
    "nskintexvert",
    "nskinface",
    "nskinbone",
    "nskinbonevert",
    "nhfield",
    "nhfielddata",
    "ntex",
    "ntexdata",
    "nmat",
    "npair",
    "nexclude",
    "neq",
    "ntendon",
    "nwrap",
    "nsensor",
    "nnumeric",
    "nnumericdata",
    "ntext",
    "ntextdata",
    "ntuple",
    "ntupledata",
    "nkey",
    "nmocap",
    "nplugin",
    "npluginattr",
    "nuser_body",
    "nuser_jnt",
    "nuser_geom",
    "nuser_site",
    "nuser_cam",
    "nuser_tendon",
    "nuser_actuator",
    "nuser_sensor",
    "nnames",
    "npaths",
    "nnames_map",
    "nJmom",
    "ngravcomp",
    "nemax",
    "njmax",
    "nconmax",
    "nuserdata",
    "nsensordata",
    "npluginstate",
];

/// Viewing parameters, in the file's order.
#[rustfmt::skip]
const VISUAL: [&str; 77] = [
    "vis.global.cameraid", "vis.global.orthographic", "vis.global.fovy", "vis.global.ipd",
    "vis.global.azimuth", "vis.global.elevation", "vis.global.linewidth", "vis.global.glow",
    "vis.global.realtime", "vis.global.offwidth", "vis.global.offheight",
    "vis.global.ellipsoidinertia", "vis.global.bvactive", "vis.quality.shadowsize",
    "vis.quality.offsamples", "vis.quality.numslices", "vis.quality.numstacks",
    "vis.quality.numquads", "vis.headlight.ambient", "vis.headlight.diffuse",
    "vis.headlight.specular", "vis.headlight.active", "vis.map.stiffness",
    "vis.map.stiffnessrot", "vis.map.force", "vis.map.torque", "vis.map.alpha",
    "vis.map.fogstart", "vis.map.fogend", "vis.map.znear", "vis.map.zfar", "vis.map.haze",
    "vis.map.shadowclip", "vis.map.shadowscale", "vis.map.actuatortendon",
    "vis.scale.forcewidth", "vis.scale.contactwidth", "vis.scale.contactheight",
    "vis.scale.connect", "vis.scale.com", "vis.scale.camera", "vis.scale.light",
    "vis.scale.selectpoint", "vis.scale.jointlength", "vis.scale.jointwidth",
    "vis.scale.actuatorlength", "vis.scale.actuatorwidth", "vis.scale.framelength",
    "vis.scale.framewidth", "vis.scale.constraint", "vis.scale.slidercrank",
    "vis.scale.frustum", "vis.rgba.fog", "vis.rgba.haze", "vis.rgba.force", "vis.rgba.inertia",
    "vis.rgba.joint", "vis.rgba.actuator", "vis.rgba.actuatornegative",
    "vis.rgba.actuatorpositive", "vis.rgba.com", "vis.rgba.camera", "vis.rgba.light",
    "vis.rgba.selectpoint", "vis.rgba.connect", "vis.rgba.contactpoint",
    "vis.rgba.contactforce", "vis.rgba.contactfriction", "vis.rgba.contacttorque",
    "vis.rgba.contactgap", "vis.rgba.rangefinder", "vis.rgba.constraint",
    "vis.rgba.slidercrank", "vis.rgba.crankbroken", "vis.rgba.frustum", "vis.rgba.bv",
    "vis.rgba.bvactive",
];

/// Arrays, in the file's order.
#[rustfmt::skip]
const ARRAYS: [&str; 437] = [
    "body_parentid", "body_rootid", "body_weldid", "body_mocapid", "body_jntnum", "body_jntadr",
    "body_dofnum", "body_dofadr", "body_treeid", "body_geomnum", "body_geomadr", "body_simple",
    "body_sameframe", "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass",
    "body_subtreemass", "body_inertia", "body_invweight0", "body_gravcomp", "body_margin",
    "body_user", "body_plugin", "body_contype", "body_conaffinity", "body_bvhadr",
    "body_bvhnum", "jnt_type", "jnt_qposadr", "jnt_dofadr", "jnt_bodyid", "jnt_group",
    "jnt_limited", "jnt_actfrclimited", "jnt_actgravcomp", "jnt_solref", "jnt_solimp",
    "jnt_pos", "jnt_axis", "jnt_stiffness", "jnt_range", "jnt_actfrcrange", "jnt_margin",
    "jnt_user", "dof_bodyid", "dof_jntid", "dof_parentid", "dof_treeid", "dof_Madr",
    "dof_simplenum", "dof_solref", "dof_solimp", "dof_frictionloss", "dof_armature",
    "dof_damping", "dof_invweight0", "dof_M0", "dof_length", "tree_bodyadr", "tree_bodynum",
    "tree_dofadr", "tree_dofnum", "tree_sleep_policy", "geom_type", "geom_contype",
    "geom_conaffinity", "geom_condim", "geom_bodyid", "geom_dataid", "geom_matid", "geom_group",
    "geom_priority", "geom_plugin", "geom_sameframe", "geom_solmix", "geom_solref",
    "geom_solimp", "geom_size", "geom_aabb", "geom_rbound", "geom_pos", "geom_quat",
    "geom_friction", "geom_margin", "geom_gap", "geom_fluid", "geom_user", "geom_rgba",
    "site_type", "site_bodyid", "site_matid", "site_group", "site_sameframe", "site_size",
    "site_pos", "site_quat", "site_user", "site_rgba", "cam_mode", "cam_bodyid",
    "cam_targetbodyid", "cam_pos", "cam_quat", "cam_poscom0", "cam_pos0", "cam_mat0",
    "cam_orthographic", "cam_fovy", "cam_ipd", "cam_resolution", "cam_sensorsize",
    "cam_intrinsic", "cam_user", "light_mode", "light_bodyid", "light_targetbodyid",
    "light_type", "light_texid", "light_castshadow", "light_bulbradius", "light_intensity",
    "light_range", "light_active", "light_pos", "light_dir", "light_poscom0", "light_pos0",
    "light_dir0", "light_attenuation", "light_cutoff", "light_exponent", "light_ambient",
    "light_diffuse", "light_specular", "flex_contype", "flex_conaffinity", "flex_condim",
    "flex_priority", "flex_solmix", "flex_solref", "flex_solimp", "flex_friction",
    "flex_margin", "flex_gap", "flex_internal", "flex_selfcollide", "flex_activelayers",
    "flex_passive", "flex_dim", "flex_matid", "flex_group", "flex_interp", "flex_nodeadr",
    "flex_nodenum", "flex_vertadr", "flex_vertnum", "flex_edgeadr", "flex_edgenum",
    "flex_elemadr", "flex_elemnum", "flex_elemdataadr", "flex_elemedgeadr", "flex_shellnum",
    "flex_shelldataadr", "flex_evpairadr", "flex_evpairnum", "flex_texcoordadr",
    "flex_nodebodyid", "flex_vertbodyid", "flex_edge", "flex_edgeflap", "flex_elem",
    "flex_elemtexcoord", "flex_elemedge", "flex_elemlayer", "flex_shell", "flex_evpair",
    "flex_vert", "flex_vert0", "flex_node", "flex_node0", "flexedge_length0",
    "flexedge_invweight0", "flex_radius", "flex_stiffness", "flex_bending", "flex_damping",
    "flex_edgestiffness", "flex_edgedamping", "flex_edgeequality", "flex_rigid",
    "flexedge_rigid", "flex_centered", "flex_flatskin", "flex_bvhadr", "flex_bvhnum",
    "flex_rgba", "flex_texcoord", "mesh_vertadr", "mesh_vertnum", "mesh_faceadr",
    "mesh_facenum", "mesh_bvhadr", "mesh_bvhnum", "mesh_octadr", "mesh_octnum",
    "mesh_normaladr", "mesh_normalnum", "mesh_texcoordadr", "mesh_texcoordnum", "mesh_graphadr",
    "mesh_vert", "mesh_normal", "mesh_texcoord", "mesh_face", "mesh_facenormal",
    "mesh_facetexcoord", "mesh_graph", "mesh_scale", "mesh_pos", "mesh_quat", "mesh_pathadr",
    "mesh_polynum", "mesh_polyadr", "mesh_polynormal", "mesh_polyvertadr", "mesh_polyvertnum",
    "mesh_polyvert", "mesh_polymapadr", "mesh_polymapnum", "mesh_polymap", "skin_matid",
    "skin_group", "skin_rgba", "skin_inflate", "skin_vertadr", "skin_vertnum",
    "skin_texcoordadr", "skin_faceadr", "skin_facenum", "skin_boneadr", "skin_bonenum",
    "skin_vert", "skin_texcoord", "skin_face", "skin_bonevertadr", "skin_bonevertnum",
    "skin_bonebindpos", "skin_bonebindquat", "skin_bonebodyid", "skin_bonevertid",
    "skin_bonevertweight", "skin_pathadr", "hfield_size", "hfield_nrow", "hfield_ncol",
    "hfield_adr", "hfield_data", "hfield_pathadr", "tex_type", "tex_colorspace", "tex_height",
    "tex_width", "tex_nchannel", "tex_adr", "tex_data", "tex_pathadr", "mat_texid",
    "mat_texuniform", "mat_texrepeat", "mat_emission", "mat_specular", "mat_shininess",
    "mat_reflectance", "mat_metallic", "mat_roughness", "mat_rgba", "pair_dim", "pair_geom1",
    "pair_geom2", "pair_signature", "pair_solref", "pair_solreffriction", "pair_solimp",
    "pair_margin", "pair_gap", "pair_friction", "exclude_signature", "eq_type", "eq_obj1id",
    "eq_obj2id", "eq_objtype", "eq_active0", "eq_solref", "eq_solimp", "eq_data", "tendon_adr",
    "tendon_num", "tendon_matid", "tendon_group", "tendon_treenum", "tendon_treeid",
    "tendon_limited", "tendon_actfrclimited", "tendon_width", "tendon_solref_lim",
    "tendon_solimp_lim", "tendon_solref_fri", "tendon_solimp_fri", "tendon_range",
    "tendon_actfrcrange", "tendon_margin", "tendon_stiffness", "tendon_damping",
    "tendon_armature", "tendon_frictionloss", "tendon_lengthspring", "tendon_length0",
    "tendon_invweight0", "tendon_user", "tendon_rgba", "actuator_trntype", "actuator_dyntype",
    "actuator_gaintype", "actuator_biastype", "actuator_trnid", "actuator_actadr",
    "actuator_actnum", "actuator_group", "actuator_ctrllimited", "actuator_forcelimited",
    "actuator_actlimited", "actuator_dynprm", "actuator_gainprm", "actuator_biasprm",
    "actuator_actearly", "actuator_ctrlrange", "actuator_forcerange", "actuator_actrange",
    "actuator_gear", "actuator_cranklength", "actuator_acc0", "actuator_length0",
    "actuator_lengthrange", "actuator_user", "actuator_plugin", "sensor_type",
    "sensor_datatype", "sensor_needstage", "sensor_objtype", "sensor_objid", "sensor_reftype",
    "sensor_refid", "sensor_intprm", "sensor_dim", "sensor_adr", "sensor_cutoff",
    "sensor_noise", "sensor_user", "sensor_plugin", "qpos0", "qpos_spring", "bvh_depth",
    "bvh_child", "bvh_nodeid", "bvh_aabb", "oct_depth", "oct_child", "oct_aabb", "oct_coeff",
    "wrap_type", "wrap_objid", "wrap_prm", "plugin", "plugin_stateadr", "plugin_statenum",
    "plugin_attr", "plugin_attradr", "numeric_adr", "numeric_size", "numeric_data", "text_adr",
    "text_size", "text_data", "tuple_adr", "tuple_size", "tuple_objtype", "tuple_objid",
    "tuple_objprm", "key_time", "key_qpos", "key_qvel", "key_act", "key_mpos", "key_mquat",
    "key_ctrl", "name_bodyadr", "name_jntadr", "name_geomadr", "name_siteadr", "name_camadr",
    "name_lightadr", "name_flexadr", "name_meshadr", "name_skinadr", "name_hfieldadr",
    "name_texadr", "name_matadr", "name_pairadr", "name_excludeadr", "name_eqadr",
    "name_tendonadr", "name_actuatoradr", "name_sensoradr", "name_numericadr", "name_textadr",
    "name_tupleadr", "name_keyadr", "name_pluginadr", "names", "names_map", "paths", "B_rownnz",
    "B_rowadr", "B_colind", "M_rownnz", "M_rowadr", "M_colind", "mapM2M", "D_rownnz",
    "D_rowadr", "D_diag", "D_colind", "mapM2D", "mapD2M",
];

/// Bytes of a scalar.
fn width(kind: ScalarKind) -> usize {
    match kind {
        ScalarKind::F64 => 8,
        ScalarKind::F32 | ScalarKind::I32 => 4,
        ScalarKind::U8 => 1,
    }
}

fn info(name: &str) -> Option<&'static ArrayInfo> {
    ModelArrays::array_index(name).map(|index| &ModelArrays::ARRAYS[index])
}

/// Names of the records that stand between sizes and arrays, each with the padding behind it.
fn records() -> impl Iterator<Item = (String, usize)> {
    let options = crate::Options::FIELDS.iter().map(|field| (format!("opt.{field}"), 0));
    let statistic = crate::Statistic::FIELDS.iter().map(|field| (format!("stat.{field}"), 0));
    // Thirteen integers, in a struct of real numbers.
    let gap = std::iter::once((String::new(), 4));
    let visual = VISUAL.iter().map(|field| ((*field).to_owned(), 0));
    options.chain(gap).chain(visual).chain(statistic)
}

/// Bytes that all arrays take in MuJoCo's memory; `None` beyond what fits.
fn buffer_bytes(m: &ModelArrays) -> Option<u64> {
    ARRAYS.iter().try_fold(0u64, |at, name| {
        let info = info(name)?;
        let bytes = (m.expected_len(info) as u64).checked_mul(width(info.scalar) as u64)?;
        at.checked_next_multiple_of(ALIGNMENT)?.checked_add(bytes)
    })
}

impl ModelArrays {
    /// Bytes of the arena that MuJoCo's compiler would give a model that asks for none: here memory
    /// grows, so that this matters to those who read the file, or the field, only.
    pub fn arena_bytes(&self) -> u64 {
        /// Bytes of MuJoCo's contact.
        const CONTACT: u64 = 568;
        const MEGABYTE: u64 = 1 << 20;
        let wished = |asked: i32, usual: u64| u64::try_from(asked).unwrap_or(usual);
        let (contacts, rows) = (wished(self.nconmax, 100), wished(self.njmax, 500));
        let (nv, neq) = (self.nv as u64, self.neq as u64);
        let objects = self.nq + self.nv + self.nu + self.na + self.nbody + self.njnt;
        let objects = objects + self.ngeom + self.nsite + self.neq + self.ntendon + self.nwrap;
        let square = |n: u64| n.saturating_mul(n);
        let stack = square(rows + neq + nv).saturating_mul(5).saturating_add(20 * objects as u64);
        let lists = contacts * CONTACT + rows * 144 + nv * 12;
        let matrices = (rows * 24).saturating_mul(nv).saturating_add(square(rows) * 12);
        let bytes = stack.max(1000).saturating_mul(8);
        let bytes = bytes.saturating_add(lists).saturating_add(matrices);
        bytes.checked_next_multiple_of(MEGABYTE).unwrap_or(bytes)
    }

    /// The model as MuJoCo 3.4.0 writes it.
    pub fn to_mjb(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut put = |bytes: &[u8]| out.extend_from_slice(bytes);
        HEADER.iter().for_each(|number| put(&number.to_le_bytes()));
        for size in SIZES {
            let value = match size {
                "njmax" => self.njmax,
                "nconmax" => self.nconmax,
                _ => i32::try_from(self.size(size).unwrap_or(0)).unwrap_or(i32::MAX),
            };
            put(&value.to_le_bytes());
        }
        put(&self.arena_bytes().to_le_bytes());
        put(&buffer_bytes(self).unwrap_or(0).to_le_bytes());
        let mut written = std::collections::HashMap::new();
        self.each_record(&mut |name, values| {
            written.insert(name, little_endian(values));
        });
        for (name, padding) in records() {
            put(written.get(&name).map_or(&[][..], Vec::as_slice));
            put(&[0; 8][..padding]);
        }
        for name in ARRAYS {
            let values = ModelArrays::array_index(name).and_then(|index| self.array(index));
            put(&values.map_or_else(Vec::new, little_endian));
        }
        out
    }

    /// The model in a file that MuJoCo 3.4.0 wrote, or [`ModelArrays::to_mjb`]; what is damaged, of
    /// another version, or contradicts itself is refused.
    pub fn from_mjb(file: &[u8]) -> Result<ModelArrays, UnpackError> {
        let model = ModelArrays::unpack(&entries(file)?)?;
        model.validate()?;
        Ok(model)
    }
}

fn little_endian(values: ArrayRef<'_>) -> Vec<u8> {
    match values {
        ArrayRef::F64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        ArrayRef::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        ArrayRef::I32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        ArrayRef::U8(v) => v.to_vec(),
    }
}

/// The content of a file under the names of [`ModelArrays::pack`].
fn entries(file: &[u8]) -> Result<Vec<Entry>, UnpackError> {
    let mut reader = Reader { bytes: file, at: 0 };
    for expected in HEADER {
        if reader.i32()? != expected {
            return Err(ContainerError::Mujoco.into());
        }
    }
    let mut entries = Vec::new();
    // Lengths of arrays follow from sizes: a model that has nothing else.
    let mut sizes = ModelArrays::default();
    for name in SIZES {
        let value = reader.i32()?;
        if !matches!(name, "njmax" | "nconmax") {
            let size = usize::try_from(value).map_err(|_| UnpackError::Size(name.into()))?;
            sizes.set_size(name, size);
        }
        entries.push(Entry { name: name.into(), values: Values::I32(vec![value]) });
    }
    let (_arena, buffer) = (reader.u64()?, reader.u64()?);
    if buffer_bytes(&sizes) != Some(buffer) {
        return Err(reader
            .damaged("the size of all arrays does not follow from the others")
            .into());
    }
    let mut shapes = std::collections::HashMap::new();
    ModelArrays::default().each_record(&mut |name, values| {
        shapes.insert(name, (values.kind(), values.len()));
    });
    for (name, padding) in records() {
        if let Some(&(kind, count)) = shapes.get(&name) {
            entries.push(Entry { name, values: reader.values(kind, count)? });
        }
        reader.slice(padding)?;
    }
    for name in ARRAYS {
        let info = info(name).ok_or_else(|| UnpackError::Missing(name.into()))?;
        let values = reader.values(info.scalar, sizes.expected_len(info))?;
        entries.push(Entry { name: name.into(), values });
    }
    if reader.at != file.len() {
        return Err(reader.damaged("bytes after the last array").into());
    }
    let names = names(&entries)?;
    entries.extend(names);
    Ok(entries)
}

/// The model's own name and those of its objects, from the array that holds them all.
fn names(entries: &[Entry]) -> Result<Vec<Entry>, UnpackError> {
    let find = |name: &str| entries.iter().find(|entry| entry.name == name).map(|e| &e.values);
    let all: &[u8] = match find("names") {
        Some(Values::U8(bytes)) => bytes,
        _ => return Err(UnpackError::Missing("names".into())),
    };
    let at = |start: i32| -> Option<&[u8]> {
        let rest = all.get(usize::try_from(start).ok()?..)?;
        Some(&rest[..rest.iter().position(|&b| b == 0)?])
    };
    let own = at(0).unwrap_or_default().to_vec();
    let mut found = vec![Entry { name: "name".into(), values: Values::U8(own) }];
    for (_, entry, _) in NAMED {
        let kind = entry.trim_start_matches("names.");
        let addresses = format!("name_{kind}adr");
        let Some(Values::I32(starts)) = find(&addresses) else {
            return Err(UnpackError::Missing(addresses));
        };
        let mut joined = Vec::new();
        for &start in starts {
            joined.extend_from_slice(at(start).ok_or_else(|| UnpackError::Text(entry.into()))?);
            joined.push(0);
        }
        found.push(Entry { name: entry.into(), values: Values::U8(joined) });
    }
    Ok(found)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn damaged(&self, what: &'static str) -> ContainerError {
        ContainerError::Damaged { offset: self.at, what }
    }

    fn slice(&mut self, n: usize) -> Result<&'a [u8], ContainerError> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| self.damaged("it ends early"))?;
        let slice = &self.bytes[self.at..end];
        self.at = end;
        Ok(slice)
    }

    fn i32(&mut self) -> Result<i32, ContainerError> {
        let bytes = self.slice(4)?;
        Ok(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn u64(&mut self) -> Result<u64, ContainerError> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.slice(8)?);
        Ok(u64::from_le_bytes(bytes))
    }

    fn values(&mut self, kind: ScalarKind, count: usize) -> Result<Values, ContainerError> {
        let bytes = count.checked_mul(width(kind)).ok_or_else(|| self.damaged("array too long"))?;
        let bytes = self.slice(bytes)?;
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

    #[test]
    fn every_array_and_record_has_its_place() {
        let mut sorted = ARRAYS.to_vec();
        sorted.sort_unstable();
        let mut ours: Vec<_> = ModelArrays::ARRAYS.iter().map(|info| info.name).collect();
        ours.sort_unstable();
        assert_eq!(sorted, ours);
        let mut records: Vec<_> =
            records().map(|(name, _)| name).filter(|n| !n.is_empty()).collect();
        records.sort_unstable();
        let mut ours = Vec::new();
        ModelArrays::default().each_record(&mut |name, _| ours.push(name));
        ours.sort_unstable();
        assert_eq!(records, ours);
        assert!(ModelArrays::SIZES.iter().all(|size| SIZES.contains(size)));
    }

    #[test]
    fn a_model_returns_and_no_cut_is_accepted() {
        let text = "<mujoco model='m'><worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody>\
                    </mujoco>";
        let spec = crate::Spec::from_xml_str(text, &crate::Assets::memory_only()).unwrap();
        let model = crate::compile(&spec, &crate::Assets::memory_only()).unwrap().into_model();
        let file = model.to_mjb();
        assert_eq!(ModelArrays::from_mjb(&file).unwrap().to_bytes(), model.to_bytes());
        for end in 0..file.len() {
            assert!(ModelArrays::from_mjb(&file[..end]).is_err(), "{end}");
        }
        // One bit of every size and address: an error or a model, never a panic.
        for at in 0..file.len().min(1 << 14) {
            let mut bad = file.clone();
            bad[at] ^= 0x40;
            let _ = ModelArrays::from_mjb(&bad);
        }
    }
}
