//! Names of objects: collected, checked for repetition, and packed as MuJoCo packs them.

use corten_math::memory::{self, Gather, Grow};
use std::collections::HashMap;

use super::asset_path::stem;
use super::contact::{ExcludePlan, PairPlan};
use super::context::Context;
use super::mesh::MeshPlan;
use super::tree::{self, Tree};
use crate::ModelArrays;
use crate::assets::file_name;
use crate::diagnostic::{Diagnostic, Subject};
use crate::enums::{ObjType, TextureType};
use crate::names::Names;
use crate::spec::{Arena, Element, Key, Source, Spec};

/// Scalars of user data per object, by type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UserSizes {
    pub body: usize,
    pub jnt: usize,
    pub geom: usize,
    pub site: usize,
    pub cam: usize,
    pub tendon: usize,
    pub actuator: usize,
    pub sensor: usize,
}

/// The names of all objects in the order of the document and of the tree, before bodies are fused
/// and visual elements discarded.
pub(super) fn collect(cx: &mut Context) -> Names {
    let spec = cx.spec;
    let mut names = Names::default();
    let order = tree::depth_first(spec);
    let mut tree_lists = TreeNames::default();
    for &key in &order {
        tree_lists.add(spec, key);
    }
    tree_lists.store(cx, &mut names);

    macro_rules! store {
        ($($kind:ident $arena:ident $name:expr;)*) => {$(
            let items: Vec<(String, Source)> =
                spec.$arena.values().map(|e| ($name(e), e.source())).gather();
            set(cx, &mut names, ObjType::$kind, items);
        )*};
    }
    fn plain(e: &impl Element) -> String {
        e.name().to_owned()
    }
    store! {
        Mesh meshes |e: &crate::spec::Mesh| named_or_file(&e.name, &e.file);
        Flex flexes plain;
        Skin skins |e: &crate::spec::Skin| named_or_file(&e.name, &e.file);
        HField hfields |e: &crate::spec::HField| named_or_file(&e.name, &e.file);
        Texture textures |e: &crate::spec::Texture| named_or_file(&e.name, &e.file);
        Material materials plain;
        Pair pairs plain;
        Exclude excludes plain;
        Equality equalities plain;
        Tendon tendons plain;
        Actuator actuators plain;
        Sensor sensors plain;
        Numeric numerics plain;
        Text texts plain;
        Tuple tuples plain;
        Key keys plain;
    }
    let frames: Vec<(String, Source)> =
        spec.frames.values().map(|f| (f.name.clone(), f.source)).gather();
    repeated(cx, ObjType::Frame, &frames);
    check_empty(cx);
    names
}

#[derive(Default)]
struct TreeNames {
    lists: HashMap<ObjType, Vec<(String, Source)>>,
}

impl TreeNames {
    fn add(&mut self, spec: &Spec, key: Key<crate::spec::Body>) {
        let body = &spec.bodies[key];
        self.push(ObjType::Body, body);
        self.push_all(ObjType::Joint, &spec.joints, &body.joints);
        self.push_all(ObjType::Geom, &spec.geoms, &body.geoms);
        self.push_all(ObjType::Site, &spec.sites, &body.sites);
        self.push_all(ObjType::Camera, &spec.cameras, &body.cameras);
        self.push_all(ObjType::Light, &spec.lights, &body.lights);
    }

    fn push(&mut self, kind: ObjType, element: &impl Element) {
        let item = (element.name().to_owned(), element.source());
        self.lists.entry(kind).or_default().grow_push(item);
    }

    fn push_all<T: Element>(&mut self, kind: ObjType, arena: &Arena<T>, keys: &[Key<T>]) {
        for &key in keys {
            if let Some(element) = arena.get(key) {
                self.push(kind, element);
            }
        }
    }

    fn store(mut self, cx: &mut Context, names: &mut Names) {
        for kind in TREE_KINDS {
            set(cx, names, kind, self.lists.remove(&kind).unwrap_or_default());
        }
    }
}

const TREE_KINDS: [ObjType; 6] =
    [ObjType::Body, ObjType::Joint, ObjType::Geom, ObjType::Site, ObjType::Camera, ObjType::Light];

pub(super) fn set(
    cx: &mut Context,
    names: &mut Names,
    kind: ObjType,
    items: Vec<(String, Source)>,
) {
    repeated(cx, kind, &items);
    names.set(kind, items.into_iter().map(|(name, _)| name).gather());
}

fn repeated(cx: &mut Context, kind: ObjType, items: &[(String, Source)]) {
    let mut seen: HashMap<&str, ()> = memory::map_with_room(items.len());
    for (name, source) in items {
        if !name.is_empty() && seen.insert(name, ()).is_some() {
            let what = kind.xml_name();
            cx.diagnostics.push(
                Diagnostic::error(format!("the name '{name}' is given to more than one {what}"))
                    .about(Subject::Name)
                    .at(*source)
                    .element(what),
            );
        }
    }
}

fn named_or_file(name: &str, file: &str) -> String {
    if name.is_empty() { stem(file).to_owned() } else { name.to_owned() }
}

/// Assets are referred to by name, so they must have one.
fn check_empty(cx: &mut Context) {
    let spec = cx.spec;
    for mesh in spec.meshes.values().filter(|m| named_or_file(&m.name, &m.file).is_empty()) {
        cx.error("mesh", mesh, "a mesh without a file needs a name");
    }
    for hfield in spec.hfields.values().filter(|h| named_or_file(&h.name, &h.file).is_empty()) {
        cx.error("hfield", hfield, "a height field without a file needs a name");
    }
    for texture in spec
        .textures
        .values()
        .filter(|t| named_or_file(&t.name, &t.file).is_empty() && t.type_ != TextureType::Skybox)
    {
        cx.error(
            "texture",
            texture,
            "a texture without a file needs a name, unless it is a skybox",
        );
    }
    for material in spec.materials.values().filter(|m| m.name.is_empty()) {
        cx.error("material", material, "a material needs a name");
    }
}

/// Sizes given by the author, or the longest user data of each type; reports longer data.
pub(super) fn user_sizes(cx: &mut Context) -> UserSizes {
    let spec = cx.spec;
    let mut out = UserSizes::default();
    macro_rules! size {
        ($($field:ident $size:ident $arena:ident $kind:literal;)*) => {$(
            out.$field = match usize::try_from(spec.sizes.$size) {
                Ok(n) => n,
                Err(_) => spec.$arena.values().map(|e| e.userdata.len()).max().unwrap_or(0),
            };
            for element in spec.$arena.values().filter(|e| e.userdata.len() > out.$field) {
                let message = format!(
                    "'user' has {} values, more than {}={}",
                    element.userdata.len(), stringify!($size), out.$field,
                );
                cx.error($kind, element, message);
            }
        )*};
    }
    size! {
        body nuser_body bodies "body";
        jnt nuser_jnt joints "joint";
        geom nuser_geom geoms "geom";
        site nuser_site sites "site";
        cam nuser_cam cameras "camera";
        tendon nuser_tendon tendons "tendon";
        actuator nuser_actuator actuators "actuator";
        sensor nuser_sensor sensors "sensor";
    }
    out
}

/// Renames the lists that fusion and discarding have changed.
pub(super) fn finish(cx: &mut Context, names: &mut Names, tree: &Tree, meshes: &[MeshPlan]) {
    let spec = cx.spec;
    let bodies = tree.bodies.iter().map(|b| spec.bodies[b.key].name.as_str());
    names.update(ObjType::Body, bodies);
    names.update(ObjType::Joint, tree.joints.iter().map(|j| spec.joints[j.key].name.as_str()));
    // Fused bodies leave these in the numbering from before, until all references are resolved.
    if cx.moved.is_none() {
        set_geoms_and_sites(spec, names, tree);
    }
    let cameras = tree.cameras.iter().map(|c| spec.cameras[c.key].name.as_str());
    names.update(ObjType::Camera, cameras);
    names.update(ObjType::Light, tree.lights.iter().map(|l| spec.lights[l.key].name.as_str()));
    names.update(ObjType::Mesh, meshes.iter().map(|m| m.name.as_str()));
    if spec.compiler.discardvisual {
        names.set(ObjType::Material, Vec::new());
        names.set(ObjType::Texture, Vec::new());
    }
}

pub(super) fn set_geoms_and_sites(spec: &Spec, names: &mut Names, tree: &Tree) {
    names.update(ObjType::Geom, tree.geoms.iter().map(|g| spec.geoms[g.key].name.as_str()));
    names.update(ObjType::Site, tree.sites.iter().map(|s| spec.sites[s.key].name.as_str()));
}

/// Packs all names, one after the other, and the hash tables by which MuJoCo finds them.
pub(super) fn write(
    spec: &Spec,
    m: &mut ModelArrays,
    names: &mut Names,
    pairs: &[PairPlan],
    excludes: &[ExcludePlan],
) {
    names.set(ObjType::Pair, pairs.iter().map(|p| p.name.clone()).collect());
    names.set(ObjType::Exclude, excludes.iter().map(|e| e.name.clone()).collect());
    let mut keys = names.all(ObjType::Key).to_vec();
    keys.resize(m.nkey.saturating_sub(spec.attached_keys.len()), String::new());
    keys.extend(spec.attached_keys.iter().map(|key| key.name.clone()));
    names.set(ObjType::Key, keys);

    let mut packed = m.name.clone().into_bytes();
    packed.push(0);
    let mut map = Vec::new();
    let mut pack = |kind: ObjType| {
        let list = names.all(kind);
        let base = map.len();
        let mut free = FreeSlots::new(2 * list.len());
        map.grow_resize(base + 2 * list.len(), -1);
        list.iter()
            .enumerate()
            .map(|(i, name)| {
                if !name.is_empty() {
                    map[base + free.take(hash(name))] = i as i32;
                }
                let address = packed.len() as i32;
                packed.grow_extend_from_slice(name.as_bytes());
                packed.grow_push(0);
                address
            })
            .gather()
    };
    m.name_bodyadr = pack(ObjType::Body);
    m.name_jntadr = pack(ObjType::Joint);
    m.name_geomadr = pack(ObjType::Geom);
    m.name_siteadr = pack(ObjType::Site);
    m.name_camadr = pack(ObjType::Camera);
    m.name_lightadr = pack(ObjType::Light);
    m.name_flexadr = pack(ObjType::Flex);
    m.name_meshadr = pack(ObjType::Mesh);
    m.name_skinadr = pack(ObjType::Skin);
    m.name_hfieldadr = pack(ObjType::HField);
    m.name_texadr = pack(ObjType::Texture);
    m.name_matadr = pack(ObjType::Material);
    m.name_pairadr = pack(ObjType::Pair);
    m.name_excludeadr = pack(ObjType::Exclude);
    m.name_eqadr = pack(ObjType::Equality);
    m.name_tendonadr = pack(ObjType::Tendon);
    m.name_actuatoradr = pack(ObjType::Actuator);
    m.name_sensoradr = pack(ObjType::Sensor);
    m.name_numericadr = pack(ObjType::Numeric);
    m.name_textadr = pack(ObjType::Text);
    m.name_tupleadr = pack(ObjType::Tuple);
    m.name_keyadr = pack(ObjType::Key);
    m.name_pluginadr = pack(ObjType::Plugin);
    (m.nnames, m.nnames_map) = (packed.len(), map.len());
    (m.names, m.names_map) = (packed, map);
    m.object_names = std::mem::take(names);
}

/// Places of a hash table with linear probing. Names that differ in a number fall close together,
/// so that a plain search for the next free place becomes quadratic; here every place knows how
/// far the run of taken ones reaches (Tarjan's disjoint sets, with path halving).
struct FreeSlots(Vec<u32>);

impl FreeSlots {
    fn new(count: usize) -> FreeSlots {
        FreeSlots((0..count as u32).gather())
    }

    /// Takes the first free place from that of `hash` on, around the end. There must be one.
    fn take(&mut self, hash: u64) -> usize {
        let next = &mut self.0;
        let mut slot = (hash % next.len() as u64) as usize;
        while next[slot] as usize != slot {
            next[slot] = next[next[slot] as usize];
            slot = next[slot] as usize;
        }
        next[slot] = ((slot + 1) % next.len()) as u32;
        slot
    }
}

/// Bernstein's hash of a zero-terminated string, over signed characters.
fn hash(name: &str) -> u64 {
    name.bytes()
        .take_while(|&b| b != 0)
        .fold(5381u64, |h, b| h.wrapping_mul(33) ^ (i64::from(b as i8) as u64))
}

/// Packs the file names of assets; −1 where there is none.
pub(super) fn write_paths(cx: &Context, m: &mut ModelArrays, meshes: &[MeshPlan], discard: bool) {
    let spec = cx.spec;
    let mut packed = Vec::new();
    /// As the author wrote it, unless the directories are stripped.
    fn path<'a>(spec: &Spec, element: &impl Element, file: &'a str) -> &'a str {
        if spec.strippath_of(element) { file_name(file) } else { file }
    }
    let mut pack = |files: Vec<&str>| {
        files
            .into_iter()
            .map(|file| {
                if file.is_empty() {
                    return -1;
                }
                let address = packed.len() as i32;
                packed.extend_from_slice(file.as_bytes());
                packed.push(0);
                address
            })
            .gather()
    };
    m.hfield_pathadr = pack(spec.hfields.values().map(|h| path(spec, h, &h.file)).collect());
    m.mesh_pathadr =
        pack(meshes.iter().map(|p| &spec.meshes[p.key]).map(|m| path(spec, m, &m.file)).collect());
    m.skin_pathadr = pack(spec.skins.values().map(|s| path(spec, s, &s.file)).collect());
    m.tex_pathadr = match discard {
        true => Vec::new(),
        false => pack(spec.textures.values().map(|t| path(spec, t, &t.file)).collect()),
    };
    if packed.is_empty() {
        packed.push(0);
    }
    m.npaths = packed.len();
    m.paths = packed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_slots_are_those_of_linear_probing() {
        let hashes: Vec<u64> = (0..200).map(|i| hash(&format!("site{i}"))).collect();
        let (mut free, mut taken) = (FreeSlots::new(400), vec![false; 400]);
        for h in hashes {
            let mut expected = h as usize % 400;
            while taken[expected] {
                expected = (expected + 1) % 400;
            }
            taken[expected] = true;
            assert_eq!(free.take(h), expected);
        }
    }
}
