//! Mesh assets: read, processed in parallel, kept for later compilations in the same process.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use corten_geom::mesh::{self, Builtin, Format, MassDistribution, Settings, Source};

use corten_geom::DistanceField;
use corten_math::Vec3;

use super::asset_path::{AssetDir, locate, stem};
use super::context::{Context, Fault};
use super::parallel::{Cache, ContentKey, in_parallel};
use super::plugin::Plugins;
use crate::enums::{GeomType, MeshBuiltin, MeshInertia, ObjType};
use crate::names::Names;
use crate::spec::{Key, Mesh};

/// A mesh in the order of the model; without shape if it is broken.
#[derive(Clone, Debug)]
pub(super) struct MeshPlan {
    pub key: Key<Mesh>,
    pub name: String,
    pub scale: Vec3,
    pub shape: Option<Arc<mesh::Mesh>>,
}

pub(super) fn compile(cx: &mut Context, names: &Names, plugins: &Plugins) -> Vec<MeshPlan> {
    let spec = cx.spec;
    let hulls = needing_hull(cx, names);
    let distances: HashSet<usize> = spec
        .geoms
        .values()
        .filter(|g| g.type_ == GeomType::Sdf)
        .filter_map(|g| names.id(ObjType::Mesh, &g.meshname))
        .collect();
    let keys: Vec<Key<Mesh>> = spec.meshes.keys().collect();
    let fields: Vec<Option<Box<dyn DistanceField>>> =
        keys.iter().map(|&key| plugins.mesh_field(cx, &spec.meshes[key])).collect();
    let results = in_parallel(keys.len(), |i| {
        let (mesh, need_hull) = (&spec.meshes[keys[i]], hulls.contains(&i));
        match &fields[i] {
            Some(field) => surface(&**field, mesh, need_hull),
            // What its plugin is about has been reported.
            None if mesh.plugin.active => Err(Fault::from("")),
            None => shape(cx, mesh, need_hull, distances.contains(&i)),
        }
    });
    let mut plans = Vec::with_capacity(keys.len());
    for (&key, result) in keys.iter().zip(results) {
        let source = &spec.meshes[key];
        let name = if source.name.is_empty() { stem(&source.file) } else { &source.name };
        let shape = match result {
            Some(Ok(shape)) => Some(shape),
            Some(Err(fault)) if fault.is_empty() => None,
            Some(Err(fault)) => {
                cx.fault("mesh", source, fault);
                None
            }
            None => None,
        };
        plans.push(MeshPlan { key, name: name.to_owned(), scale: source.scale, shape });
    }
    plans
}

/// Meshes whose hull is used: for collision of a mesh geom, or for inertia.
fn needing_hull(cx: &Context, names: &Names) -> HashSet<usize> {
    let spec = cx.spec;
    let paired: HashSet<&str> =
        spec.pairs.values().flat_map(|p| [p.geomname1.as_str(), p.geomname2.as_str()]).collect();
    spec.geoms
        .values()
        .filter(|g| matches!(g.type_, GeomType::Mesh | GeomType::Sdf))
        .filter(|g| {
            g.contype != 0
                || g.conaffinity != 0
                || (!g.name.is_empty() && paired.contains(g.name.as_str()))
        })
        .filter_map(|g| names.id(ObjType::Mesh, &g.meshname))
        .collect()
}

/// The mesh of a distance field, in the field's own frame.
fn surface(
    field: &dyn DistanceField,
    mesh: &Mesh,
    need_hull: bool,
) -> Result<Arc<mesh::Mesh>, Fault> {
    let settings = Settings { need_hull, need_distance: false, reorient: false, ..settings(mesh) };
    let source = mesh::surface(field).map_err(|e| e.to_string())?;
    mesh::process(&source, &settings).map(Arc::new).map_err(|e| e.to_string().into())
}

fn settings(mesh: &Mesh) -> Settings {
    Settings {
        scale: mesh.scale,
        refpos: mesh.refpos,
        refquat: mesh.refquat,
        mass: match mesh.inertia {
            MeshInertia::Convex => MassDistribution::Convex,
            MeshInertia::Exact => MassDistribution::Exact,
            MeshInertia::Legacy => MassDistribution::Legacy,
            MeshInertia::Shell => MassDistribution::Shell,
        },
        smooth_normal: mesh.smoothnormal,
        max_hull_vert: usize::try_from(mesh.maxhullvert).ok(),
        ..Settings::default()
    }
}

fn shape(
    cx: &Context,
    mesh: &Mesh,
    need_hull: bool,
    need_distance: bool,
) -> Result<Arc<mesh::Mesh>, Fault> {
    let mut settings = Settings { need_hull, need_distance, ..settings(mesh) };
    if mesh.builtin == MeshBuiltin::Plate {
        settings.mass = MassDistribution::Shell;
    }
    let given = given(mesh)?;
    if mesh.file.is_empty() {
        let source = match mesh.builtin {
            MeshBuiltin::None => given,
            kind => builtin(kind, &mesh.params, cx.spec.limits.points)?.generate(),
        };
        return mesh::process(&source, &settings).map(Arc::new).map_err(|e| e.to_string().into());
    }

    let (dir, path) = locate(cx, mesh, &mesh.file, AssetDir::Mesh);
    let bytes =
        cx.assets.read(&dir, &path, &cx.spec.limits).map_err(|e| Fault::from(e.to_string()))?;
    let format = Format::detect(&path, &mesh.content_type).ok_or_else(|| unreadable(&path))?;
    let key = content_key(&bytes, format, &settings, &given);
    if let Some(found) = cache().get(&key) {
        return Ok(found);
    }
    let mirrored = mesh.scale[0] * mesh.scale[1] * mesh.scale[2] < 0.0;
    let loaded =
        mesh::load(&bytes, format, mirrored).map_err(|e| format!("cannot read '{path}': {e}"))?;
    let source = merge(loaded, given)?;
    let shape = mesh::process(&source, &settings)
        .map(Arc::new)
        .map_err(|e| format!("mesh file '{path}': {e}"))?;
    cache().insert(key, shape.clone(), bytes_of(&shape));
    Ok(shape)
}

/// What to do about a file in another format.
fn unreadable(path: &str) -> String {
    let format = match crate::assets::extension(path).to_ascii_lowercase().as_str() {
        ".dae" => "COLLADA",
        ".glb" | ".gltf" => "glTF",
        ".ply" => "PLY",
        ".fbx" => "FBX",
        ".3ds" => "3DS",
        ".step" | ".stp" => "STEP",
        ".iges" | ".igs" => "IGES",
        ".usd" | ".usda" | ".usdc" | ".usdz" => "USD",
        _ => {
            return format!("'{path}' is not in a format of meshes: STL (binary), OBJ or MSH");
        }
    };
    format!(
        "'{path}' is a {format} file: convert it to OBJ or binary STL; shapes that are only seen \
         can be dropped with discardvisual"
    )
}

/// Vertices, faces and so on written into the model.
fn given(mesh: &Mesh) -> Result<Source, String> {
    fn triples<T: Copy>(name: &str, list: &[T]) -> Result<Vec<[T; 3]>, String> {
        let (chunks, rest) = list.as_chunks::<3>();
        if rest.is_empty() {
            Ok(chunks.to_vec())
        } else {
            Err(format!("'{name}' has {} values, which is not a multiple of 3", list.len()))
        }
    }
    let source = Source {
        vert: triples("vertex", &mesh.uservert)?,
        normal: mesh.usernormal.clone(),
        texcoord: mesh.usertexcoord.clone(),
        face: triples("face", &mesh.userface)?,
        facenormal: triples("facenormal", &mesh.userfacenormal)?,
        facetexcoord: triples("facetexcoord", &mesh.userfacetexcoord)?,
    };
    match source.vert.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
        Some(i) => Err(format!("coordinate of vertex {i} is not finite")),
        None => Ok(source),
    }
}

/// A file completed by what the model gives in addition.
fn merge(mut file: Source, given: Source) -> Result<Source, String> {
    macro_rules! merge {
        ($($field:ident $name:literal),*) => {$(
            if file.$field.is_empty() {
                file.$field = given.$field;
            } else if !given.$field.is_empty() {
                return Err(format!("'{}' is given in the model and in the mesh file", $name));
            }
        )*};
    }
    merge!(vert "vertex", normal "normal", texcoord "texcoord", face "face",
           facenormal "facenormal", facetexcoord "facetexcoord");
    Ok(file)
}

fn builtin(kind: MeshBuiltin, params: &[f64], limit: usize) -> Result<Builtin, Fault> {
    let fail = |what: &str| Err(what.into());
    let whole = |x: f64| x.clamp(-1.0, f64::from(i32::MAX)) as i32;
    let points = match (kind, params) {
        (MeshBuiltin::Cone, &[n, ..]) => 2.0 * n,
        (MeshBuiltin::Supersphere | MeshBuiltin::Supertorus, &[n, ..]) => n * n,
        (MeshBuiltin::Wedge | MeshBuiltin::Plate, &[nx, ny, ..]) => nx * ny,
        _ => 0.0,
    };
    if points > limit as f64 {
        let message = format!("the resolution asks for {points:.0} points, more than {limit}");
        return Err(Fault::beyond("points", message));
    }
    Ok(match (kind, params) {
        (MeshBuiltin::Sphere, &[n]) => match whole(n) {
            subdivision @ 0..=4 => Builtin::Sphere { subdivision },
            _ => return fail("the subdivision of a sphere must be between 0 and 4"),
        },
        (MeshBuiltin::Hemisphere, &[n]) => match whole(n) {
            resolution @ 0..=10 => Builtin::Hemisphere { resolution },
            _ => return fail("the resolution of a hemisphere must be between 0 and 10"),
        },
        (MeshBuiltin::Cone, &[n, radius]) if n >= 3.0 => Builtin::Cone { edges: whole(n), radius },
        (MeshBuiltin::Cone, &[_, _]) => return fail("a cone needs at least 3 edges"),
        (MeshBuiltin::Supersphere, &[n, e, exponent]) => {
            if !(n >= 3.0) || e < 0.0 || exponent < 0.0 {
                return fail("a supersphere needs a resolution above 2 and exponents not below 0");
            }
            Builtin::Supersphere { resolution: whole(n), e, n: exponent }
        }
        (MeshBuiltin::Supertorus, &[n, radius, s, t]) => {
            if !(n >= 3.0) || radius <= 0.0 || radius > 1.0 || s <= 0.0 || t <= 0.0 {
                return fail(
                    "a supertorus needs a resolution above 2, a radius in (0, 1] and positive \
                     exponents",
                );
            }
            Builtin::Supertorus { resolution: whole(n), radius, s, t }
        }
        (MeshBuiltin::Wedge, &[nx, ny, fx, fy, gamma]) => {
            let bad = fx <= 0.0 || fx > 180.0 || fy <= 0.0 || fy > 90.0;
            if bad || nx < 1.0 || ny < 1.0 || !(0.0..=1.0).contains(&gamma) {
                return fail(
                    "a wedge needs positive resolutions, fields of view in (0, 180] and (0, 90], \
                     and gamma in [0, 1]",
                );
            }
            Builtin::Wedge { resolution: [whole(nx), whole(ny)], fov: [fx, fy], gamma }
        }
        (MeshBuiltin::Plate, &[nx, ny]) => {
            if nx < 1.0 || ny < 1.0 {
                return fail("a plate needs positive resolutions");
            }
            Builtin::Plate { resolution: [whole(nx), whole(ny)] }
        }
        _ => return Err(format!("wrong number of parameters: {}", params.len()).into()),
    })
}

fn content_key(bytes: &[u8], format: Format, s: &Settings, given: &Source) -> ContentKey {
    ContentKey::new(bytes, |h| {
        (format, s.mass, s.smooth_normal, s.max_hull_vert, s.need_hull, s.need_distance).hash(h);
        let numbers = s.scale.0.iter().chain(&s.refpos.0).chain(&s.refquat.0);
        numbers.for_each(|x| x.to_bits().hash(h));
        let floats = given.vert.as_flattened().iter().chain(&given.normal).chain(&given.texcoord);
        floats.for_each(|x| x.to_bits().hash(h));
        (&given.face, &given.facenormal, &given.facetexcoord).hash(h);
    })
}

/// Processed meshes of this process.
fn cache() -> &'static Cache<mesh::Mesh> {
    const LIMIT: usize = 300 << 20;
    static CACHE: OnceLock<Cache<mesh::Mesh>> = OnceLock::new();
    CACHE.get_or_init(|| Cache::new(LIMIT))
}

/// Memory of a mesh, roughly.
fn bytes_of(mesh: &mesh::Mesh) -> usize {
    80 * mesh.vert.len()
        + 180 * mesh.face.len()
        + 4 * mesh.graph.len()
        + 148 * mesh.distance.depth.len()
}
