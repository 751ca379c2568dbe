//! Whether the numbers that refer to other arrays of a model do so within bounds.
//!
//! A compiled model is right by construction; one that was unpacked may have been damaged or
//! made by hand. Answers to MuJoCo's `mj_validateReferences`, and goes further: the structure of
//! the tree and the sparsity patterns must be the ones that follow from the parents, since the
//! engine walks them without looking back.

use super::{ArrayRef, ModelArrays};
use crate::enums::{EqualityType, GeomType, JointType, ObjType, Transmission, WrapType};
use crate::equality::EqualityForm;

/// A number in an array that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}[{index}] is {value}: {what}")]
pub struct InvalidReference {
    pub field: &'static str,
    pub index: usize,
    pub value: i64,
    pub what: String,
}

/// Whether −1 may stand for "none".
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Null {
    Allowed,
    Refused,
}
use Null::{Allowed, Refused};

/// Arrays whose elements are rows of others: field, size of the target, whether −1 is allowed.
const INDICES: &[(&str, &str, Null)] = &[
    ("body_parentid", "nbody", Refused),
    ("body_rootid", "nbody", Refused),
    ("body_weldid", "nbody", Refused),
    ("body_mocapid", "nmocap", Allowed),
    ("body_treeid", "ntree", Allowed),
    ("jnt_bodyid", "nbody", Refused),
    ("dof_bodyid", "nbody", Refused),
    ("dof_jntid", "njnt", Refused),
    ("dof_parentid", "nv", Allowed),
    ("dof_treeid", "ntree", Refused),
    ("dof_Madr", "nM", Refused),
    ("geom_bodyid", "nbody", Refused),
    ("geom_matid", "nmat", Allowed),
    ("site_bodyid", "nbody", Refused),
    ("site_matid", "nmat", Allowed),
    ("cam_bodyid", "nbody", Refused),
    ("cam_targetbodyid", "nbody", Allowed),
    ("light_bodyid", "nbody", Refused),
    ("light_targetbodyid", "nbody", Allowed),
    ("light_texid", "ntex", Allowed),
    ("flex_matid", "nmat", Allowed),
    ("flex_vertbodyid", "nbody", Allowed),
    ("flex_nodebodyid", "nbody", Refused),
    ("mesh_graphadr", "nmeshgraph", Allowed),
    ("skin_matid", "nmat", Allowed),
    ("skin_bonebodyid", "nbody", Refused),
    ("skin_bonevertid", "nskinvert", Refused),
    ("mat_texid", "ntex", Allowed),
    ("pair_geom1", "ngeom", Refused),
    ("pair_geom2", "ngeom", Refused),
    ("tendon_matid", "nmat", Allowed),
    ("tendon_treeid", "ntree", Allowed),
    ("M_colind", "nv", Refused),
    ("B_colind", "nv", Refused),
    ("D_colind", "nv", Refused),
];

/// Arrays of addresses and counts that mark out pieces of others.
const SPANS: &[(&str, &str, &str)] = &[
    ("body_jntadr", "body_jntnum", "njnt"),
    ("body_dofadr", "body_dofnum", "nv"),
    ("body_geomadr", "body_geomnum", "ngeom"),
    ("body_bvhadr", "body_bvhnum", "nbvh"),
    ("tree_bodyadr", "tree_bodynum", "nbody"),
    ("tree_dofadr", "tree_dofnum", "nv"),
    ("flex_nodeadr", "flex_nodenum", "nflexnode"),
    ("flex_vertadr", "flex_vertnum", "nflexvert"),
    ("flex_edgeadr", "flex_edgenum", "nflexedge"),
    ("flex_elemadr", "flex_elemnum", "nflexelem"),
    ("flex_evpairadr", "flex_evpairnum", "nflexevpair"),
    ("flex_bvhadr", "flex_bvhnum", "nbvh"),
    ("mesh_vertadr", "mesh_vertnum", "nmeshvert"),
    ("mesh_normaladr", "mesh_normalnum", "nmeshnormal"),
    ("mesh_texcoordadr", "mesh_texcoordnum", "nmeshtexcoord"),
    ("mesh_faceadr", "mesh_facenum", "nmeshface"),
    ("mesh_bvhadr", "mesh_bvhnum", "nbvh"),
    ("mesh_octadr", "mesh_octnum", "noct"),
    ("mesh_polyadr", "mesh_polynum", "nmeshpoly"),
    ("mesh_polyvertadr", "mesh_polyvertnum", "nmeshpolyvert"),
    ("mesh_polymapadr", "mesh_polymapnum", "nmeshpolymap"),
    ("skin_vertadr", "skin_vertnum", "nskinvert"),
    ("skin_faceadr", "skin_facenum", "nskinface"),
    ("skin_boneadr", "skin_bonenum", "nskinbone"),
    ("skin_bonevertadr", "skin_bonevertnum", "nskinbonevert"),
    ("actuator_actadr", "actuator_actnum", "na"),
    ("tendon_adr", "tendon_num", "nwrap"),
    ("numeric_adr", "numeric_size", "nnumericdata"),
    ("text_adr", "text_size", "ntextdata"),
    ("tuple_adr", "tuple_size", "ntupledata"),
    ("sensor_adr", "sensor_dim", "nsensordata"),
];

pub(super) type Check = Result<(), InvalidReference>;

pub(super) fn invalid(
    field: &'static str,
    index: usize,
    value: i32,
    what: impl Into<String>,
) -> Check {
    Err(InvalidReference { field, index, value: value.into(), what: what.into() })
}

/// Checks that `value` is a row of an array of `count` rows.
pub(super) fn row(
    field: &'static str,
    index: usize,
    value: i32,
    count: usize,
    null: Null,
) -> Check {
    match usize::try_from(value) {
        Ok(id) if id < count => Ok(()),
        Err(_) if value == -1 && null == Allowed => Ok(()),
        _ => invalid(field, index, value, format!("there are {count} to refer to")),
    }
}

/// Children of a bounding hierarchy, counted from its root: they come after their parent, so that
/// no walk goes in circles.
pub(super) fn hierarchy<const N: usize>(
    field: &'static str,
    children: &[[i32; N]],
    start: i32,
    count: i32,
) -> Check {
    let start = start.max(0) as usize;
    for (i, node) in children[start..start + count as usize].iter().enumerate() {
        for &child in node {
            let later = child > i as i32 && child < count;
            if child != -1 && !later {
                return invalid(field, start + i, child, "a child comes after its parent");
            }
        }
    }
    Ok(())
}

/// Values that a number in a model may ask for where no text or array stands for them: user
/// data, sensor readings, activations, keyframes.
pub(crate) const MAX_VALUES: usize = 1 << 24;

impl ModelArrays {
    /// Checks every number that refers to another array; the first that is wrong is named.
    pub fn validate(&self) -> Check {
        self.validate_sizes()?;
        for &(field, target, null) in INDICES {
            let count = self.size(target).unwrap_or(0);
            for (i, &value) in self.integers(field).iter().enumerate() {
                row(field, i, value, count, null)?;
            }
        }
        for &(address, number, target) in SPANS {
            let count = self.size(target).unwrap_or(0) as i64;
            let pairs = self.integers(address).iter().zip(self.integers(number));
            for (i, (&start, &n)) in pairs.enumerate() {
                if n < 0 {
                    return invalid(number, i, n, "a count cannot be negative");
                }
                let fits = i64::from(start) + i64::from(n) <= count;
                if (start < 0 && n > 0) || start < -1 || !fits {
                    return invalid(address, i, start, format!("{n} values do not fit in {count}"));
                }
            }
        }
        self.validate_tree()?;
        self.validate_shapes()?;
        self.validate_references()?;
        crate::compile::check_sparsity(self)
    }

    /// Bounds the sizes that no array of the model has: data are allocated by them.
    fn validate_sizes(&self) -> Check {
        let sum = |list: &[i32]| {
            let sizes = list.iter().map(|&n| usize::try_from(n).unwrap_or(0));
            sizes.fold(0, usize::saturating_add).min(MAX_VALUES)
        };
        let limits = [
            ("nbvhdynamic", self.nbvhdynamic, self.nbvh),
            ("nmocap", self.nmocap, self.nbody),
            ("nJmom", self.nJmom, self.nu.saturating_mul(self.nv)),
            ("na", self.na, sum(&self.actuator_actnum)),
            ("nsensordata", self.nsensordata, sum(&self.sensor_dim)),
            ("nuserdata", self.nuserdata, MAX_VALUES),
            ("npluginstate", self.npluginstate, MAX_VALUES),
        ];
        match limits.into_iter().find(|(_, size, limit)| size > limit) {
            Some((field, size, limit)) => Err(InvalidReference {
                field,
                index: 0,
                value: size as i64,
                what: format!("at most {limit} are possible"),
            }),
            None => Ok(()),
        }
    }

    fn integers(&self, field: &str) -> &[i32] {
        let found = ModelArrays::ARRAYS.iter().position(|info| info.name == field);
        match found.and_then(|i| self.array(i)) {
            Some(ArrayRef::I32(values)) => values,
            _ => &[],
        }
    }

    /// Parents come before children; joints and degrees of freedom of a body are its own.
    fn validate_tree(&self) -> Check {
        if self.nbody == 0 {
            return Ok(());
        }
        let (mut joints, mut dofs, mut positions) = (0, 0, 0);
        for b in 0..self.nbody {
            let parent = self.body_parentid[b];
            if parent as usize >= b.max(1) {
                return invalid("body_parentid", b, parent, "a parent comes before its children");
            }
            for (field, ids) in
                [("body_rootid", &self.body_rootid), ("body_weldid", &self.body_weldid)]
            {
                if ids[b] as usize > b {
                    return invalid(field, b, ids[b], "it cannot come after the body");
                }
            }
            let first_dof = dofs;
            for j in joints..joints + self.body_jntnum[b] as usize {
                if j >= self.njnt || self.jnt_bodyid[j] as usize != b {
                    return invalid("body_jntnum", b, self.body_jntnum[b], "not its own joints");
                }
                let (nq, nv) = match JointType::from_raw(self.jnt_type[j]) {
                    Some(JointType::Free) => (7, 6),
                    Some(JointType::Ball) => (4, 3),
                    Some(JointType::Slide | JointType::Hinge) => (1, 1),
                    None => return invalid("jnt_type", j, self.jnt_type[j], "unknown type"),
                };
                if self.jnt_qposadr[j] != positions {
                    let found = self.jnt_qposadr[j];
                    return invalid("jnt_qposadr", j, found, format!("expected {positions}"));
                }
                if self.jnt_dofadr[j] != dofs {
                    let found = self.jnt_dofadr[j];
                    return invalid("jnt_dofadr", j, found, format!("expected {dofs}"));
                }
                for i in dofs..dofs + nv {
                    let i = i as usize;
                    if i >= self.nv
                        || self.dof_jntid[i] as usize != j
                        || self.dof_bodyid[i] as usize != b
                    {
                        return invalid("jnt_dofadr", j, dofs, "not its own degrees of freedom");
                    }
                }
                (positions, dofs) = (positions + nq, dofs + nv);
            }
            if self.body_jntnum[b] > 0 && self.body_jntadr[b] as usize != joints {
                let found = self.body_jntadr[b];
                return invalid("body_jntadr", b, found, format!("expected {joints}"));
            }
            joints += self.body_jntnum[b] as usize;
            let count = dofs - first_dof;
            if self.body_dofnum[b] != count || (count > 0 && self.body_dofadr[b] != first_dof) {
                let found = self.body_dofnum[b];
                return invalid("body_dofnum", b, found, format!("its joints have {count}"));
            }
        }
        if (joints, dofs as usize, positions as usize) != (self.njnt, self.nv, self.nq) {
            return invalid("body_jntnum", 0, joints as i32, "joints, nv and nq do not add up");
        }
        for i in 0..self.nv {
            let parent = self.dof_parentid[i];
            if parent >= i as i32 {
                return invalid("dof_parentid", i, parent, "a parent comes before its children");
            }
            let simple = self.dof_simplenum[i];
            if simple < 0 || simple as usize > self.nv - i {
                return invalid("dof_simplenum", i, simple, "more than there are");
            }
        }
        Ok(())
    }

    /// Geoms and the data of their shapes.
    fn validate_shapes(&self) -> Check {
        for g in 0..self.ngeom {
            let (kind, data) = (self.geom_type[g], self.geom_dataid[g]);
            let target = match GeomType::from_raw(kind) {
                Some(GeomType::HField) => self.nhfield,
                Some(GeomType::Mesh | GeomType::Sdf) => self.nmesh,
                // A primitive may remember the mesh that it was fitted to.
                Some(_) => self.nmesh.max(self.nhfield),
                None => return invalid("geom_type", g, kind, "unknown type"),
            };
            row("geom_dataid", g, data, target, Allowed)?;
            let condim = self.geom_condim[g];
            if !(0..=6).contains(&condim) {
                return invalid("geom_condim", g, condim, "expected 1, 3, 4 or 6");
            }
        }
        for h in 0..self.nhfield {
            let [rows, columns, start] =
                [self.hfield_nrow[h], self.hfield_ncol[h], self.hfield_adr[h]];
            let end = i128::from(rows) * i128::from(columns) + i128::from(start);
            if rows < 1 || columns < 1 || start < 0 || end > self.nhfielddata as i128 {
                return invalid("hfield_adr", h, start, "the samples are not there");
            }
        }
        for t in 0..self.ntex {
            let [height, width, channels, start] =
                [self.tex_height[t], self.tex_width[t], self.tex_nchannel[t], self.tex_adr[t]];
            let size = i128::from(height) * i128::from(width) * i128::from(channels);
            let negative = height < 0 || width < 0 || channels < 0 || start < 0;
            // Pixels may have been left out altogether: the engine has no use for them.
            let missing = self.ntexdata > 0 && size + i128::from(start) > self.ntexdata as i128;
            if negative || missing {
                return invalid("tex_adr", t, start, "the pixels are not there");
            }
        }
        for k in 0..self.nmesh {
            self.validate_mesh(k)?;
            hierarchy("bvh_child", &self.bvh_child, self.mesh_bvhadr[k], self.mesh_bvhnum[k])?;
            hierarchy("oct_child", &self.oct_child, self.mesh_octadr[k], self.mesh_octnum[k])?;
        }
        for f in 0..self.nflex {
            self.validate_flex(f)?;
        }
        for b in 0..self.nbody {
            hierarchy("bvh_child", &self.bvh_child, self.body_bvhadr[b], self.body_bvhnum[b])?;
        }
        Ok(())
    }

    /// Indices inside one mesh.
    fn validate_mesh(&self, k: usize) -> Check {
        let span = |start: i32, n: i32| start.max(0) as usize..(start.max(0) + n) as usize;
        let vertices = self.mesh_vertnum[k] as usize;
        let faces = span(self.mesh_faceadr[k], self.mesh_facenum[k]);
        for f in faces {
            for v in self.mesh_face[f] {
                row("mesh_face", f, v, vertices, Refused)?;
            }
            for n in self.mesh_facenormal[f] {
                row("mesh_facenormal", f, n, self.mesh_normalnum[k] as usize, Allowed)?;
            }
        }
        let polygons = self.mesh_polynum[k] as usize;
        for p in span(self.mesh_polyadr[k], self.mesh_polynum[k]) {
            for i in span(self.mesh_polyvertadr[p], self.mesh_polyvertnum[p]) {
                row("mesh_polyvert", i, self.mesh_polyvert[i], vertices, Refused)?;
            }
        }
        for v in span(self.mesh_vertadr[k], self.mesh_vertnum[k]) {
            for i in span(self.mesh_polymapadr[v], self.mesh_polymapnum[v]) {
                row("mesh_polymap", i, self.mesh_polymap[i], polygons, Refused)?;
            }
        }
        match usize::try_from(self.mesh_graphadr[k]) {
            Ok(start) => self.validate_graph(start, vertices),
            Err(_) => Ok(()),
        }
    }

    /// A hull: numbers of vertices and faces, addresses of edges, vertices, edges ended by −1,
    /// faces.
    fn validate_graph(&self, start: usize, vertices: usize) -> Check {
        let graph = &self.mesh_graph[start..];
        let count = |i: usize| graph.get(i).and_then(|&n| usize::try_from(n).ok());
        let (Some(nv), Some(nf)) = (count(0), count(1)) else {
            return invalid("mesh_graph", start, -1, "a hull begins with two counts");
        };
        let length = nf.checked_mul(6).zip(nv.checked_mul(3)).map(|(f, v)| f + v + 2);
        let Some(graph) = length.and_then(|length| graph.get(..length)) else {
            return invalid("mesh_graph", start, graph[0], "the hull is cut off");
        };
        let edges = nv + 3 * nf;
        for i in 0..nv {
            row("mesh_graph", start + 2 + i, graph[2 + i], edges, Refused)?;
            row("mesh_graph", start + 2 + nv + i, graph[2 + nv + i], vertices, Refused)?;
        }
        for (i, &v) in graph[2 + 2 * nv..2 + 2 * nv + edges].iter().enumerate() {
            row("mesh_graph", start + 2 + 2 * nv + i, v, nv, Allowed)?;
        }
        if edges > 0 && graph[2 + 2 * nv + edges - 1] != -1 {
            return invalid("mesh_graph", start, 0, "the last list of edges has no end");
        }
        for (i, &v) in graph[2 + 2 * nv + edges..].iter().enumerate() {
            row("mesh_graph", start + 2 + 2 * nv + edges + i, v, vertices, Refused)?;
        }
        Ok(())
    }

    /// Elements that name objects of several kinds.
    fn validate_references(&self) -> Check {
        for i in 0..self.neq {
            let kind = EqualityType::from_raw(self.eq_type[i]);
            let second = match kind.map(|kind| kind.info().form) {
                Some(EqualityForm::Frames) => Refused,
                Some(EqualityForm::Coupling(_) | EqualityForm::Flex) => Allowed,
                Some(EqualityForm::Removed) | None => {
                    return invalid("eq_type", i, self.eq_type[i], "unknown type");
                }
            };
            let given = self.eq_objtype[i];
            let objtype = ObjType::from_raw(given).unwrap_or(ObjType::Unknown);
            let objects = kind.and_then(|kind| kind.objects(objtype));
            let Some(objects) = objects.map(ObjType::raw) else {
                return invalid("eq_objtype", i, given, "neither body nor site");
            };
            self.object("eq_obj1id", i, objects, self.eq_obj1id[i], Refused)?;
            self.object("eq_obj2id", i, objects, self.eq_obj2id[i], second)?;
        }
        for w in 0..self.nwrap {
            let target = match WrapType::from_raw(self.wrap_type[w]) {
                Some(WrapType::Joint) => self.njnt,
                Some(WrapType::Site) => self.nsite,
                Some(WrapType::Sphere | WrapType::Cylinder) => self.ngeom,
                Some(_) => continue,
                None => return invalid("wrap_type", w, self.wrap_type[w], "unknown type"),
            };
            row("wrap_objid", w, self.wrap_objid[w], target, Refused)?;
        }
        for i in 0..self.nu {
            let [id, second] = self.actuator_trnid[i];
            let Some(kind) = Transmission::from_raw(self.actuator_trntype[i]) else {
                let kind = self.actuator_trntype[i];
                return invalid("actuator_trntype", i, kind, "unknown type");
            };
            match kind {
                Transmission::Site => row("actuator_trnid", i, second, self.nsite, Allowed)?,
                Transmission::SliderCrank => row("actuator_trnid", i, second, self.nsite, Refused)?,
                Transmission::Joint
                | Transmission::JointInParent
                | Transmission::Tendon
                | Transmission::Body
                | Transmission::Undefined => {}
            }
            if let Some(target) = kind.target() {
                self.object("actuator_trnid", i, target.objtype.raw(), id, Refused)?;
            }
        }
        for s in 0..self.nsensor {
            self.object("sensor_objid", s, self.sensor_objtype[s], self.sensor_objid[s], Allowed)?;
            self.object("sensor_refid", s, self.sensor_reftype[s], self.sensor_refid[s], Allowed)?;
        }
        for i in 0..self.ntupledata {
            self.object("tuple_objid", i, self.tuple_objtype[i], self.tuple_objid[i], Refused)?;
        }
        Ok(())
    }

    /// Checks an object given by kind and number.
    fn object(&self, field: &'static str, i: usize, kind: i32, id: i32, null: Null) -> Check {
        match ObjType::from_raw(kind) {
            Some(ObjType::Unknown) => Ok(()),
            Some(ObjType::Xbody) => row(field, i, id, self.nbody, null),
            Some(kind) => {
                let named = super::NAMED.iter().find(|(known, _, _)| *known == kind);
                let count = named.and_then(|(_, _, size)| self.size(size)).unwrap_or(0);
                row(field, i, id, count, null)
            }
            None => invalid(field, i, kind, "unknown kind of object"),
        }
    }
}
