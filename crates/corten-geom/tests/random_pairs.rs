//! Convex queries and closed-form contacts on random poses, against what can be known by other
//! means: distances in closed form, bounds that follow from support functions, and each other.
//!
//! Every pair of primitives is tried in 10^5 poses, every pair with a mesh in 10^4; seeds are fixed.

use corten_geom::ccd::{Options, query};
use corten_geom::pair::{self, Posed};
use corten_geom::{Geometry, HitBuffer, Mesh, Pose, Shape, Workspace, convex};
use corten_math::{Random, Vec3};

const PRIMITIVE_POSES: usize = 100_000;
const MESH_POSES: usize = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
}

use Kind::{Box as Cuboid, Capsule, Cylinder, Ellipsoid, Mesh as Hull, Sphere};

const PRIMITIVES: [Kind; 5] = [Sphere, Capsule, Ellipsoid, Cylinder, Cuboid];

/// A random shape of a kind with its parameters; all have a radius below 0.9.
fn shape(kind: Kind, random: &mut Random, vert: &'static [[f32; 3]]) -> Geometry<'static> {
    let mut side = || random.between(0.05, 0.5);
    let (radius, half_length) = (side(), side());
    match kind {
        Sphere => Geometry::Sphere { radius },
        Capsule => Geometry::Capsule { radius, half_length },
        Cylinder => Geometry::Cylinder { radius, half_length },
        Ellipsoid => Geometry::Ellipsoid { size: Vec3::new(side(), side(), side()) },
        Cuboid => Geometry::Box { size: Vec3::new(side(), side(), side()) },
        Hull => Geometry::Mesh { mesh: Mesh::new(vert), faceted: true },
    }
}

/// Vertices of meshes: a tetrahedron, a cube, a wedge and a round stone.
fn hulls() -> [&'static [[f32; 3]]; 4] {
    const TETRAHEDRON: [[f32; 3]; 4] =
        [[0.4, 0.0, -0.2], [-0.3, 0.4, -0.2], [-0.2, -0.4, -0.3], [0.1, 0.1, 0.5]];
    const CUBE: [[f32; 3]; 8] = [
        [-0.3, -0.3, -0.3],
        [0.3, -0.3, -0.3],
        [-0.3, 0.3, -0.3],
        [0.3, 0.3, -0.3],
        [-0.3, -0.3, 0.3],
        [0.3, -0.3, 0.3],
        [-0.3, 0.3, 0.3],
        [0.3, 0.3, 0.3],
    ];
    const WEDGE: [[f32; 3]; 6] = [
        [-0.4, -0.3, -0.2],
        [0.4, -0.3, -0.2],
        [-0.4, 0.3, -0.2],
        [0.4, 0.3, -0.2],
        [-0.4, 0.0, 0.3],
        [0.4, 0.0, 0.3],
    ];
    static STONE: std::sync::OnceLock<Vec<[f32; 3]>> = std::sync::OnceLock::new();
    let stone = STONE.get_or_init(|| {
        let mut random = Random(77);
        (0..40).map(|_| (random.direction() * 0.45).0.map(|x| x as f32)).collect()
    });
    [&TETRAHEDRON, &CUBE, &WEDGE, stone]
}

/// How far a shape reaches along a unit vector, in closed form.
fn reach(geometry: &Geometry<'_>, pose: &Pose, dir: Vec3) -> f64 {
    let d = pose.mat.tmul(dir);
    let local = match geometry {
        Geometry::Sphere { radius } => *radius,
        Geometry::Capsule { radius, half_length } => radius + half_length * d[2].abs(),
        Geometry::Ellipsoid { size } => d.component_mul(*size).norm(),
        Geometry::Cylinder { radius, half_length } => {
            radius * d[0].hypot(d[1]) + half_length * d[2].abs()
        }
        Geometry::Box { size } => d.abs().dot(*size),
        Geometry::Mesh { mesh, .. } => {
            mesh.vert.iter().map(|v| d.dot(Vec3(v.map(f64::from)))).fold(f64::MIN, f64::max)
        }
        _ => unreachable!("not among the kinds"),
    };
    local + dir.dot(pose.pos)
}

/// Two shapes, the first at the origin or near, the second `spread` away at most.
struct Scene {
    a: Geometry<'static>,
    b: Geometry<'static>,
    pose_a: Pose,
    pose_b: Pose,
}

impl Scene {
    fn random(kinds: (Kind, Kind), spread: f64, random: &mut Random) -> Scene {
        let pick = |random: &mut Random| hulls()[(4.0 * random.unit()) as usize % 4];
        let (va, vb) = (pick(random), pick(random));
        let (a, b) = (shape(kinds.0, random, va), shape(kinds.1, random, vb));
        let pose_a = Pose::new(random.direction() * 0.3, random.rotation());
        let away = random.direction() * (spread * random.unit());
        let pose_b = Pose::new(pose_a.pos + away, random.rotation());
        Scene { a, b, pose_a, pose_b }
    }

    fn query(&self, options: &Options, cutoff: f64, ws: &mut Workspace) -> f64 {
        let mut a = Shape::new(self.pose_a, self.a, 0.0);
        let mut b = Shape::new(self.pose_b, self.b, 0.0);
        query(&mut a, &mut b, options, 1, cutoff, ws)
    }

    fn swapped(&self) -> Scene {
        Scene { a: self.b, b: self.a, pose_a: self.pose_b, pose_b: self.pose_a }
    }

    /// Overlap of the shadows on a line; negative where the direction separates.
    fn overlap(&self, dir: Vec3) -> f64 {
        reach(&self.a, &self.pose_a, dir) + reach(&self.b, &self.pose_b, -dir)
    }
}

fn pairs() -> impl Iterator<Item = ((Kind, Kind), usize)> {
    let with_mesh = PRIMITIVES.into_iter().chain([Hull]).map(|k| ((k, Hull), MESH_POSES));
    let primitives = PRIMITIVES.into_iter().enumerate().flat_map(|(i, first)| {
        PRIMITIVES[i..].iter().map(move |&second| ((first, second), PRIMITIVE_POSES))
    });
    primitives.chain(with_mesh)
}

fn seed(kinds: (Kind, Kind)) -> Random {
    Random(1000 * kinds.0 as u64 + kinds.1 as u64)
}

/// Share of queries on smooth shapes that may miss the tolerance: the polytope's expansion ends
/// early where its faces become slivers.
const UNFINISHED: f64 = 0.005;

/// For separated shapes, the reported points and the direction between them prove each other:
/// the shapes are no farther apart than the points, and no nearer than the gap of their shadows.
/// Exchanging the shapes changes nothing.
#[test]
fn distances_are_proved_by_their_witnesses() {
    let options = Options::default();
    let mut ws = Workspace::default();
    for (kinds, poses) in pairs() {
        let mut random = seed(kinds);
        let (mut separated, mut coarse, mut worst, mut asymmetry) = (0, 0, 0.0f64, 0.0f64);
        for _ in 0..poses {
            let scene = Scene::random(kinds, 2.5, &mut random);
            let dist = scene.query(&options, f64::MAX, &mut ws);
            if dist < 1e-3 {
                continue;
            }
            separated += 1;
            let (x1, x2) = ws.points[0];
            let (dir, length) = (x2 - x1).normalized();
            let error = (length - dist).abs().max((dist + scene.overlap(dir)).abs());
            coarse += usize::from(error > options.tolerance);
            worst = worst.max(error);
            let back = scene.swapped().query(&options, f64::MAX, &mut ws);
            asymmetry = asymmetry.max((dist - back).abs());
        }
        println!("{kinds:?}: {separated} apart, error {worst:.1e}, {coarse} coarse");
        assert!(separated > poses / 3, "{kinds:?}");
        assert!(worst < 1e-3 && asymmetry < options.tolerance, "{kinds:?}: {worst:e}");
        assert!(coarse as f64 <= UNFINISHED * separated as f64, "{kinds:?}: {coarse}");
    }
}

/// Depth is the least overlap over all directions: no sampled one does better, and the reported
/// one attains it.
#[test]
fn depths_are_least_overlaps() {
    // Smooth shapes need more than the 35 iterations of the default for this accuracy.
    let options = Options { iterations: 300, ..Options::default() };
    let mut ws = Workspace::default();
    for (kinds, poses) in pairs() {
        let mut random = seed(kinds);
        let (mut deep, mut beaten, mut coarse, mut missed) = (0, 0, 0, 0);
        for _ in 0..poses {
            let scene = Scene::random(kinds, 0.8, &mut random);
            let dist = scene.query(&options, 0.0, &mut ws);
            if !(dist < -1e-4) {
                continue;
            }
            deep += 1;
            let (x1, x2) = ws.points[0];
            let normal = (x1 - x2).normalized().0;
            let excess = (scene.overlap(normal) + dist).abs();
            coarse += usize::from(excess > 1e-5);
            missed += usize::from(excess > 1e-3);
            let less = |dir: Vec3| scene.overlap(dir) < -dist - 1e-5;
            let centers = (scene.pose_b.pos - scene.pose_a.pos).normalized().0;
            let mut better = less(centers);
            for k in 0..3 {
                let (a, b) = (scene.pose_a.mat.col(k), scene.pose_b.mat.col(k));
                better |= [a, -a, b, -b].into_iter().any(less);
            }
            for _ in 0..8 {
                better |= less(random.direction());
                better |= less((normal + random.direction() * 0.05).normalized().0);
            }
            beaten += usize::from(better);
        }
        println!("{kinds:?}: {deep} overlap, {beaten} beaten, {coarse} coarse, {missed} missed");
        assert!(deep > poses / 4, "{kinds:?}");
        assert!(beaten as f64 <= 1e-4 * deep as f64, "{kinds:?}: {beaten} beaten");
        assert!(missed as f64 <= UNFINISHED * deep as f64, "{kinds:?}: {missed} missed");
    }
}

/// The point of a box nearest to `p`, which lies outside.
fn nearest_on_box(size: Vec3, pose: &Pose, p: Vec3) -> Vec3 {
    let local = pose.mat.tmul(p - pose.pos);
    pose.point(Vec3(std::array::from_fn(|k| local[k].clamp(-size[k], size[k]))))
}

/// Distance of two segments, each given by centre and half vector: the quadratic function of two
/// parameters over a square has its minimum inside or on an edge.
fn segments(c1: Vec3, h1: Vec3, c2: Vec3, h2: Vec3) -> f64 {
    let (a, b, c) = (h1.dot(h1), h1.dot(h2), h2.dot(h2));
    let r = c1 - c2;
    let at = |s: f64, t: f64| (r + h1 * s - h2 * t).norm();
    let mut best = f64::INFINITY;
    for end in [-1.0, 1.0] {
        best = best.min(at(end, ((b * end + r.dot(h2)) / c).clamp(-1.0, 1.0)));
        best = best.min(at(((b * end - r.dot(h1)) / a).clamp(-1.0, 1.0), end));
    }
    let det = a * c - b * b;
    let (s, t) = ((b * r.dot(h2) - c * r.dot(h1)) / det, (a * r.dot(h2) - b * r.dot(h1)) / det);
    if s.abs() <= 1.0 && t.abs() <= 1.0 { best.min(at(s, t)) } else { best }
}

/// Distance of separated boxes: between corners and boxes, and between edges.
fn boxes(a: Vec3, pose_a: &Pose, b: Vec3, pose_b: &Pose) -> f64 {
    let corners = |s: Vec3, pose: Pose| {
        (0..8).map(move |i| {
            let sign = |k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
            pose.point(Vec3(std::array::from_fn(|k| sign(k) * s[k])))
        })
    };
    let edges = |s: Vec3, pose: Pose| {
        (0..3).flat_map(move |axis| {
            (0..4).map(move |i| {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut center = Vec3::ZERO;
                center[u] = if i & 1 == 0 { -s[u] } else { s[u] };
                center[v] = if i & 2 == 0 { -s[v] } else { s[v] };
                (pose.point(center), pose.mat.col(axis) * s[axis])
            })
        })
    };
    let mut best = f64::INFINITY;
    for p in corners(a, *pose_a) {
        best = best.min(p.distance(nearest_on_box(b, pose_b, p)));
    }
    for p in corners(b, *pose_b) {
        best = best.min(p.distance(nearest_on_box(a, pose_a, p)));
    }
    for (c1, h1) in edges(a, *pose_a) {
        for (c2, h2) in edges(b, *pose_b) {
            best = best.min(segments(c1, h1, c2, h2));
        }
    }
    best
}

/// Distance in closed form, for pairs that have one.
fn closed_form(s: &Scene) -> Option<f64> {
    use Geometry as G;
    let axis = |pose: &Pose, half: f64| pose.mat.col(2) * half;
    Some(match (&s.a, &s.b) {
        (G::Sphere { radius: a }, G::Sphere { radius: b }) => {
            s.pose_a.pos.distance(s.pose_b.pos) - a - b
        }
        (G::Sphere { radius: a }, G::Capsule { radius: b, half_length }) => {
            segments(s.pose_a.pos, Vec3::X * 1e-30, s.pose_b.pos, axis(&s.pose_b, *half_length))
                - a
                - b
        }
        (G::Sphere { radius: a }, G::Cylinder { radius, half_length }) => {
            let p = s.pose_b.mat.tmul(s.pose_a.pos - s.pose_b.pos);
            let side = (p[0].hypot(p[1]) - radius).max(0.0);
            side.hypot((p[2].abs() - half_length).max(0.0)) - a
        }
        (G::Sphere { radius: a }, G::Box { size }) => {
            let p = s.pose_a.pos;
            p.distance(nearest_on_box(*size, &s.pose_b, p)) - a
        }
        (G::Capsule { radius: a, half_length: la }, G::Capsule { radius: b, half_length: lb }) => {
            segments(s.pose_a.pos, axis(&s.pose_a, *la), s.pose_b.pos, axis(&s.pose_b, *lb)) - a - b
        }
        (G::Box { size: a }, G::Box { size: b }) => boxes(*a, &s.pose_a, *b, &s.pose_b),
        _ => return None,
    })
}

#[test]
fn distances_in_closed_form() {
    let mut ws = Workspace::default();
    let listed = [
        (Sphere, Sphere),
        (Sphere, Capsule),
        (Sphere, Cylinder),
        (Sphere, Cuboid),
        (Capsule, Capsule),
        (Cuboid, Cuboid),
    ];
    for kinds in listed {
        let mut random = seed(kinds);
        let (mut separated, mut worst) = (0, 0.0f64);
        for _ in 0..PRIMITIVE_POSES {
            let scene = Scene::random(kinds, 2.5, &mut random);
            let expected = closed_form(&scene).expect("listed");
            let dist = scene.query(&Options::default(), f64::MAX, &mut ws);
            // The forms hold for separated shapes only.
            if expected < 1e-3 || dist < 1e-3 {
                continue;
            }
            separated += 1;
            worst = worst.max((dist - expected).abs());
        }
        println!("{kinds:?}: {separated} apart, error {worst:.1e}");
        assert!(separated > PRIMITIVE_POSES / 3 && worst < 1e-9, "{kinds:?}: {worst:e}");
    }
}

/// Contact functions in closed form find the deepest point where the convex query finds it, and
/// the lowest point above a plane where the support function has it.
#[test]
fn contact_functions_agree_with_queries() {
    type Contact = fn(&Posed, &Posed, f64, &mut HitBuffer);
    let listed: [((Kind, Kind), Contact); 5] = [
        ((Sphere, Sphere), pair::sphere_sphere),
        ((Sphere, Capsule), pair::sphere_capsule),
        ((Sphere, Cylinder), pair::sphere_cylinder),
        ((Sphere, Cuboid), pair::sphere_box),
        ((Capsule, Capsule), pair::capsule_capsule),
    ];
    let size = |g: &Geometry<'_>| match *g {
        Geometry::Sphere { radius } => Vec3::new(radius, 0.0, 0.0),
        Geometry::Capsule { radius, half_length } | Geometry::Cylinder { radius, half_length } => {
            Vec3::new(radius, half_length, 0.0)
        }
        Geometry::Box { size } | Geometry::Ellipsoid { size } => size,
        _ => Vec3::ZERO,
    };
    let deepest = |hits: &HitBuffer| hits.iter().map(|h| h.dist).fold(f64::INFINITY, f64::min);
    let (mut out, mut ws) = (HitBuffer::new(), Workspace::default());
    let margin = 10.0;
    for (kinds, contact) in listed {
        let mut random = seed(kinds);
        let mut worst = 0.0f64;
        for _ in 0..PRIMITIVE_POSES {
            let s = Scene::random(kinds, 2.5, &mut random);
            let dist = s.query(&Options::default(), f64::MAX, &mut ws);
            if dist < 1e-3 {
                continue;
            }
            out.clear();
            contact(
                &Posed { pos: &s.pose_a.pos, mat: &s.pose_a.mat, size: &size(&s.a) },
                &Posed { pos: &s.pose_b.pos, mat: &s.pose_b.mat, size: &size(&s.b) },
                margin,
                &mut out,
            );
            worst = worst.max((deepest(&out) - dist).abs());
        }
        println!("{kinds:?}: {worst:.1e}");
        assert!(worst < 5e-6, "{kinds:?}: {worst:e}");
    }

    for kind in [Sphere, Capsule, Ellipsoid, Cylinder, Cuboid, Hull] {
        let mut random = Random(kind as u64);
        let mut worst = 0.0f64;
        for _ in 0..PRIMITIVE_POSES {
            let s = Scene::random((kind, kind), 2.0, &mut random);
            let plane = Pose::new(s.pose_b.pos, s.pose_b.mat);
            let normal = plane.mat.col(2);
            let lowest = -reach(&s.a, &s.pose_a, -normal) - normal.dot(plane.pos);
            out.clear();
            let (p, q) = (
                Posed { pos: &plane.pos, mat: &plane.mat, size: &Vec3::ZERO },
                Posed { pos: &s.pose_a.pos, mat: &s.pose_a.mat, size: &size(&s.a) },
            );
            match kind {
                Sphere => pair::plane_sphere(&p, &q, margin, &mut out),
                Capsule => pair::plane_capsule(&p, &q, margin, &mut out),
                Cylinder => pair::plane_cylinder(&p, &q, margin, &mut out),
                Cuboid => pair::plane_box(&p, &q, margin, &mut out),
                Ellipsoid | Hull => {
                    convex::plane_convex(&plane, &Shape::new(s.pose_a, s.a, 0.0), margin, &mut out)
                }
            }
            worst = worst.max((deepest(&out) - lowest).abs());
        }
        println!("plane and {kind:?}: {worst:.1e}");
        assert!(worst < 1e-9, "plane and {kind:?}: {worst:e}");
    }
}
