//! From a mesh as given to a mesh as simulated.
//!
//! Answers to MuJoCo's `mjCMesh::Process`: the hull is taken of the vertices as given; then offset,
//! rotation and scale of the author apply; then the mesh moves to its centre of mass and
//! principal axes, and remembers from where.

use corten_math::memory::{self, Gather};
use corten_math::{MIN_VAL, Quat, Vec3, principal_axes};

use super::octree::{self, DistanceTree};
use super::polygon::{self, Polygons};
use super::{MassDistribution, Source, inertia, normal};
use crate::bvh::{self, Bvh, Element};
use crate::hull::{HullError, convex_hull};

/// What the author asks of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub scale: Vec3,
    pub refpos: Vec3,
    pub refquat: Quat,
    pub mass: MassDistribution,
    /// Whether all faces contribute to vertex normals.
    pub smooth_normal: bool,
    /// Bound on the corners of the hull.
    pub max_hull_vert: Option<usize>,
    /// Whether the hull is used, for collisions or for inertia.
    pub need_hull: bool,
    /// Whether distances from the surface are used, by a geom that is a distance field.
    pub need_distance: bool,
    /// Whether the mesh moves to its inertial frame; one made from a distance field stays in the
    /// field's.
    pub reorient: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            scale: Vec3::splat(1.0),
            refpos: Vec3::ZERO,
            refquat: Quat::IDENTITY,
            mass: MassDistribution::Legacy,
            smooth_normal: false,
            max_hull_vert: None,
            need_hull: true,
            need_distance: false,
            reorient: true,
        }
    }
}

/// A mesh in its own inertial frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    pub vert: Vec<Vec3>,
    pub normal: Vec<f32>,
    pub texcoord: Vec<f32>,
    pub face: Vec<[i32; 3]>,
    pub facenormal: Vec<[i32; 3]>,
    pub facetexcoord: Vec<[i32; 3]>,
    /// Hull in MuJoCo's layout; empty if not needed.
    pub graph: Vec<i32>,
    /// Sides of the hull, or of the mesh itself if it has no hull.
    pub polygons: Polygons,
    pub bvh: Bvh,
    /// Distances from the surface; empty if not needed.
    pub distance: DistanceTree,
    /// Where the mesh was before it moved to its inertial frame.
    pub pos: Vec3,
    pub quat: Quat,
    /// Bounding box in the inertial frame.
    pub min: Vec3,
    pub max: Vec3,
    /// Half sizes of the box with the same inertia.
    pub inertia_box: Vec3,
    /// Volume, or area of a shell.
    pub measure: f64,
}

/// Why a mesh cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    #[error("at least 4 vertices are required, found {0}")]
    TooFewVertices(usize),
    #[error("{0} data must hold a multiple of {1} numbers")]
    Ragged(&'static str, usize),
    #[error("vertex {vertex} of face {face} does not exist: the mesh has {count} vertices")]
    VertexIndex { face: usize, vertex: i32, count: usize },
    #[error("texture coordinates must be one pair per vertex, or be indexed by faces")]
    Texcoord,
    #[error("there are {faces} faces but normal indices for {normals}")]
    FaceNormal { faces: usize, normals: usize },
    #[error("there are {faces} faces but texture coordinate indices for {texcoords}")]
    FaceTexcoord { faces: usize, texcoords: usize },
    #[error(
        "faces with vertices {0} and {1} have inconsistent orientation; \
         repair the mesh or choose another inertia"
    )]
    Orientation(i32, i32),
    #[error("no convex hull: {0}")]
    Hull(#[from] HullError),
    #[error("the surface area is too small")]
    Area,
    #[error("the volume is negative: triangles are oriented inwards")]
    NegativeVolume,
    #[error("the volume is too small; set inertia=\"shell\" for open or flat meshes")]
    Volume,
    #[error("the inertia has a principal moment that is not positive")]
    Inertia,
    #[error("the principal moments of inertia violate the triangle inequality")]
    InertiaTriangle,
}

/// Checks a mesh and computes all that depends on its shape.
pub fn process(source: &Source, settings: &Settings) -> Result<Mesh, MeshError> {
    check(source)?;
    let mut vert: Vec<Vec3> = source.vert.iter().map(|v| Vec3(v.map(f64::from))).gather();
    if settings.mass == MassDistribution::Exact {
        check_orientation(&vert, &source.face)?;
    }

    let mut face = memory::copy_of(&source.face);
    let mut graph = Vec::new();
    let mut hull_faces: Vec<[i32; 3]> = Vec::new();
    if settings.need_hull || settings.mass == MassDistribution::Convex || face.is_empty() {
        let hull = convex_hull(&vert, settings.max_hull_vert)?;
        graph = hull.graph();
        hull_faces = hull.faces.iter().map(|f| f.map(|v| v as i32)).gather();
        if face.is_empty() {
            face = memory::copy_of(&hull_faces);
        }
    }

    let mut normal = memory::copy_of(&source.normal);
    let mut facenormal = memory::copy_of(&source.facenormal);
    if normal.is_empty() {
        normal = normal::make(&vert, &face, settings.smooth_normal);
        facenormal = memory::copy_of(&face);
    }
    if facenormal.is_empty() {
        // Several normals per vertex: the first is the outward one.
        let per_vertex = (normal.len() / (3 * vert.len()).max(1)) as i32;
        facenormal = face.iter().map(|f| f.map(|v| per_vertex * v)).gather();
    }
    if facenormal.len() != face.len() {
        return Err(MeshError::FaceNormal { faces: face.len(), normals: facenormal.len() });
    }
    let mut facetexcoord = memory::copy_of(&source.facetexcoord);
    if facetexcoord.is_empty() && !source.texcoord.is_empty() {
        facetexcoord = face.clone();
    }
    if !source.texcoord.is_empty() && facetexcoord.len() != face.len() {
        return Err(MeshError::FaceTexcoord { faces: face.len(), texcoords: facetexcoord.len() });
    }

    // As given: offset, rotation and scale come later, and only move the normals.
    let mut polygons =
        polygon::join(&vert, if hull_faces.is_empty() { &face } else { &hull_faces });

    transform(&mut vert, &mut normal, settings);

    let mass_faces = match settings.mass {
        MassDistribution::Convex => &hull_faces,
        _ => &face,
    };
    let (apex, area) = inertia::face_centroid(&vert, &face);
    if area.is_nan() || area < MIN_VAL {
        return Err(MeshError::Area);
    }
    let (measure, com) = inertia::center_of_mass(&vert, mass_faces, apex, settings.mass);
    if measure.is_nan() || measure < MIN_VAL {
        return Err(match settings.mass {
            MassDistribution::Shell => MeshError::Area,
            _ if measure < 0.0 => MeshError::NegativeVolume,
            _ => MeshError::Volume,
        });
    }
    let (full, measure) = inertia::inertia(&vert, mass_faces, com, settings.mass);
    let principal = principal_axes(&full);
    let inertia_box = equivalent_box(principal.values, measure)?;

    let (pos, quat) =
        if settings.reorient { (com, principal.rotation) } else { (Vec3::ZERO, Quat::IDENTITY) };
    let (min, max) = recenter(&mut vert, &mut normal, pos, quat);
    polygons.update_normals(&vert);
    let bvh = face_tree(&vert, &face);
    let distance = match settings.need_distance {
        true => octree::sample(&vert, &face, min, max, &bvh),
        false => DistanceTree::default(),
    };
    Ok(Mesh {
        vert,
        normal,
        texcoord: memory::copy_of(&source.texcoord),
        face,
        facenormal,
        facetexcoord,
        graph,
        polygons,
        bvh,
        distance,
        pos,
        quat,
        min,
        max,
        inertia_box,
        measure,
    })
}

fn check(source: &Source) -> Result<(), MeshError> {
    let count = source.vert.len();
    if count < 4 {
        return Err(MeshError::TooFewVertices(count));
    }
    if !source.normal.len().is_multiple_of(3) {
        return Err(MeshError::Ragged("normal", 3));
    }
    if !source.texcoord.len().is_multiple_of(2) {
        return Err(MeshError::Ragged("texcoord", 2));
    }
    for (i, f) in source.face.iter().enumerate() {
        if let Some(&v) = f.iter().find(|&&v| v < 0 || v as usize >= count) {
            return Err(MeshError::VertexIndex { face: i, vertex: v, count });
        }
    }
    if !source.texcoord.is_empty()
        && source.facetexcoord.is_empty()
        && source.texcoord.len() != 2 * count
    {
        return Err(MeshError::Texcoord);
    }
    Ok(())
}

/// No directed edge may occur twice; faces too small to matter are ignored.
fn check_orientation(vert: &[Vec3], faces: &[[i32; 3]]) -> Result<(), MeshError> {
    let smallest = MIN_VAL.sqrt();
    let mut edges = Vec::with_capacity(3 * faces.len());
    for f in faces {
        let [a, b, c] = f.map(|v| vert[v as usize]);
        if inertia::triangle(a, b, c).0 > smallest {
            edges.extend([(f[0], f[1]), (f[1], f[2]), (f[2], f[0])]);
        }
    }
    edges.sort_unstable();
    match edges.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => Err(MeshError::Orientation(w[0].0 + 1, w[0].1 + 1)),
        None => Ok(()),
    }
}

/// Offset, rotation and scale given by the author.
fn transform(vert: &mut [Vec3], normal: &mut [f32], settings: &Settings) {
    if settings.refpos != Vec3::ZERO {
        vert.iter_mut().for_each(|v| *v -= settings.refpos);
    }
    if !settings.refquat.is_identity() {
        let rotation = settings.refquat.normalized().to_mat();
        vert.iter_mut().for_each(|v| *v = rotation.tmul(*v));
        for n in normal.chunks_exact_mut(3) {
            let r = rotation.tmul(Vec3(std::array::from_fn(|k| f64::from(n[k]))));
            n.iter_mut().zip(r.0).for_each(|(n, r)| *n = r as f32);
        }
    }
    if settings.scale != Vec3::splat(1.0) {
        vert.iter_mut().for_each(|v| *v = v.component_mul(settings.scale));
        for n in normal.chunks_exact_mut(3) {
            for k in 0..3 {
                n[k] = (f64::from(n[k]) * settings.scale[k]) as f32;
            }
        }
    }
    for n in normal.chunks_exact_mut(3) {
        let squared = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if squared > MIN_VAL as f32 {
            let scale = 1.0 / squared.sqrt();
            n.iter_mut().for_each(|x| *x *= scale);
        } else {
            n.copy_from_slice(&[0.0, 0.0, 1.0]);
        }
    }
}

/// Half sizes of the homogeneous box with principal moments `moments` and volume `measure`.
fn equivalent_box(moments: Vec3, measure: f64) -> Result<Vec3, MeshError> {
    const ABSOLUTE: f64 = 1e-9;
    const RELATIVE: f64 = 1e-6;
    if moments[2].is_nan() || moments[2] <= 0.0 {
        return Err(MeshError::Inertia);
    }
    let mut half = Vec3::ZERO;
    for k in 0..3 {
        let (a, b, c) = (moments[(k + 1) % 3], moments[(k + 2) % 3], moments[k]);
        if a + b < c * (1.0 - RELATIVE) - ABSOLUTE {
            return Err(MeshError::InertiaTriangle);
        }
        half[k] = 0.5 * (6.0 * (a + b - c) / measure).sqrt();
    }
    Ok(half)
}

/// Moves vertices and normals into the inertial frame; returns the bounding box.
fn recenter(vert: &mut [Vec3], normal: &mut [f32], com: Vec3, rotation: Quat) -> (Vec3, Vec3) {
    let inertial_from_mesh = rotation.conjugate().to_mat();
    let mut min = Vec3::splat(1e10);
    let mut max = Vec3::splat(-1e10);
    for v in vert.iter_mut() {
        *v = inertial_from_mesh * (*v - com);
        min = min.min(*v);
        max = max.max(*v);
    }
    for n in normal.chunks_exact_mut(3) {
        let r = inertial_from_mesh * Vec3(std::array::from_fn(|k| f64::from(n[k])));
        n.iter_mut().zip(r.0).for_each(|(n, r)| *n = r as f32);
    }
    (min, max)
}

/// The tree of face boxes, sorted by circumcentres.
fn face_tree(vert: &[Vec3], faces: &[[i32; 3]]) -> Bvh {
    let elements: Vec<Element> = faces
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let [p, q, r] = f.map(|v| vert[v as usize]);
            let (a, b) = (p - r, q - r);
            let n = a.cross(b);
            let center = (b * a.norm_squared() - a * b.norm_squared()).cross(n)
                / (2.0 * n.norm_squared())
                + r;
            Element { id: i as i32, pos: center, min: p.min(q).min(r), max: p.max(q).max(r) }
        })
        .gather();
    bvh::build(&elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of half sizes 0.1, 0.2, 0.3 at (1, 2, 3), turned about z.
    fn sample() -> Source {
        let turn = Quat::from_axis_angle(Vec3::Z, 0.3);
        let vert = (0..8)
            .map(|i| {
                let sign = |bit: i32| if i & bit != 0 { 1.0 } else { -1.0 };
                let v = Vec3::new(0.1 * sign(1), 0.2 * sign(2), 0.3 * sign(4));
                (turn.rotate(v) + Vec3::new(1.0, 2.0, 3.0)).0.map(|x| x as f32)
            })
            .collect();
        Source { vert, ..Source::default() }
    }

    #[test]
    fn a_displaced_box_comes_to_rest_in_its_axes() {
        let m = process(&sample(), &Settings::default()).unwrap();
        assert_eq!(m.face.len(), 12);
        assert!((m.pos - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-6);
        assert!((m.measure - 8.0 * 0.006).abs() < 1e-7);
        // Moments are sorted in decreasing order, box sizes therefore in increasing order.
        for (found, expected) in m.inertia_box.0.iter().zip([0.1, 0.2, 0.3]) {
            assert!((found - expected).abs() < 1e-6);
        }
        assert!((m.max - m.inertia_box).norm() < 1e-6);
        assert_eq!(m.polygons.loops.len(), 6);
    }

    #[test]
    fn mirrored_faces_of_a_hull_point_inwards() {
        let scale = Vec3::new(-2.0, 1.0, 1.0);
        for mass in [MassDistribution::Legacy, MassDistribution::Shell] {
            let m = process(&sample(), &Settings { scale, mass, ..Settings::default() }).unwrap();
            assert!(m.measure > 0.0);
        }
        let convex = Settings { scale, mass: MassDistribution::Convex, ..Settings::default() };
        assert_eq!(process(&sample(), &convex), Err(MeshError::NegativeVolume));
    }

    #[test]
    fn flat_and_broken_meshes_are_refused() {
        let mut s = sample();
        s.face = vec![[0, 1, 8]];
        let e = process(&s, &Settings::default());
        assert_eq!(e, Err(MeshError::VertexIndex { face: 0, vertex: 8, count: 8 }));
        s.face = vec![[0, 1, 2], [0, 1, 3]];
        let exact = Settings { mass: MassDistribution::Exact, ..Settings::default() };
        assert_eq!(process(&s, &exact), Err(MeshError::Orientation(1, 2)));
        s.face.clear();
        s.vert.iter_mut().for_each(|v| v[2] = 0.0);
        assert_eq!(process(&s, &Settings::default()), Err(MeshError::Hull(HullError::Flat)));
    }
}
