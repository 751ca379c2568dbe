//! Collision and distance of two convex shapes: GJK, then EPA where they penetrate, then recovery
//! of several contact points on flat faces.
//!
//! Spheres and capsules are first treated as points and segments: their distance minus the radii is
//! exact and needs no EPA unless the cores themselves touch. Answers to `mjc_ccd` in MuJoCo's
//! `engine_collision_gjk.c`.

mod epa;
mod gjk;
mod manifold;
mod polytope;
pub mod portal;
mod simplex;
mod support_cache;
mod tetrahedron;

use corten_math::array::MapInline;
use corten_math::{Vec3, Wide, wide};

use crate::shape::{Geometry, Shape};
use gjk::{Pair, Search};

pub use support_cache::{SavedSupports, Span, SupportCache};

/// Iterations beyond this are refused whatever the options say: queries converge in tens.
const MAX_ITERATIONS: i32 = 1 << 16;

/// Tunables of a convex query, as in the model's options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Limit on iterations of GJK and of EPA.
    pub iterations: i32,
    /// Accuracy of distance and depth for smooth shapes.
    pub tolerance: f64,
    /// Overlaps by refinement of portals ([`portal`]) rather than by expansion of polytopes.
    pub portals: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { iterations: 35, tolerance: 1e-6, portals: false }
    }
}

impl Options {
    fn limit(&self) -> usize {
        self.iterations.clamp(0, MAX_ITERATIONS) as usize
    }
}

/// Working memory of convex queries and their last result; owned by the caller, reused.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    search: Search,
    polytope: polytope::Polytope,
    manifold: manifold::Buffers,
    /// Starts of searches on meshes.
    pub supports: SupportCache,
    /// Pairs of nearest (or deepest) points on the first and second shape.
    pub points: Vec<(Vec3, Vec3)>,
    /// The last nearest vector `p1 − p2`, not unit: if the shapes are separated, they are so along
    /// it, and [`crate::Separation`] may confirm that cheaply after a small motion.
    pub axis: Vec3,
}

/// Signed distance of two shapes; pairs of points are left in `ws.points`, none if not computed.
///
/// Distances above `cutoff` come out as `f64::MAX`; with `cutoff == 0` every positive distance may.
/// Up to `max_contacts` pairs are recovered where faces of polyhedra meet.
pub fn query<'a>(
    a: &mut Shape<'a>,
    b: &mut Shape<'a>,
    options: &Options,
    max_contacts: usize,
    cutoff: f64,
    ws: &mut Workspace,
) -> f64 {
    let is_hull = |s: &Shape<'_>| matches!(s.geometry, Geometry::Mesh { .. });
    if is_hull(a) && is_hull(b) {
        return separate_hulls(a, b, options, max_contacts, cutoff, ws);
    }
    ws.points.clear();
    let mut pair = Pair::new(a, b, &mut ws.supports);
    if let Some(radii) = core_distance(&mut pair, options, cutoff, &mut ws.search)
        && ws.search.dist > options.tolerance
    {
        ws.axis = ws.search.axis;
        let Some((x1, x2)) = ws.search.witness else { return f64::MAX };
        let n = (x2 - x1).normalized().0;
        ws.points.push((x1 + n * radii[0], x2 - n * radii[1]));
        let dist = ws.search.dist - (radii[0] + radii[1]);
        return if dist > cutoff { f64::MAX } else { dist };
    }
    separate_any(a, b, options, max_contacts, cutoff, ws)
}

wide! {
    /// [`separate`] for two meshes.
    fn separate_hulls['a](
        a: &mut Shape<'a>,
        b: &mut Shape<'a>,
        options: &Options,
        max_contacts: usize,
        cutoff: f64,
        ws: &mut Workspace,
    ) -> f64 {
        separate::<Simd, true>(a, b, options, max_contacts, cutoff, ws)
    }

    /// [`separate`] for any shapes.
    fn separate_any['a](
        a: &mut Shape<'a>,
        b: &mut Shape<'a>,
        options: &Options,
        max_contacts: usize,
        cutoff: f64,
        ws: &mut Workspace,
    ) -> f64 {
        separate::<Simd, false>(a, b, options, max_contacts, cutoff, ws)
    }
}

/// The query for shapes as they are.
#[inline(always)]
fn separate<'a, S: Wide, const HULLS: bool>(
    a: &mut Shape<'a>,
    b: &mut Shape<'a>,
    options: &Options,
    max_contacts: usize,
    cutoff: f64,
    ws: &mut Workspace,
) -> f64 {
    let limit = options.limit();
    let Workspace { search, polytope, manifold, points, axis, supports } = ws;
    let pair = &mut Pair::<HULLS>::new(a, b, supports);
    points.clear();
    search.run::<S, HULLS>(pair, limit, options.tolerance, cutoff);
    *axis = search.axis;
    if search.dist > options.tolerance || search.count() < 2 {
        points.extend(search.witness);
        return search.dist;
    }
    if !epa::start::<S, HULLS>(polytope, pair, search) {
        points.extend(search.witness);
        return 0.0;
    }
    let Some(face) = epa::expand(polytope, pair, limit, options.tolerance) else { return 0.0 };
    let face = polytope.face(face);
    let (dist, x1, x2) = epa::witness(polytope, face);
    points.push((x1, x2));
    if max_contacts > 1 {
        let corners = face.vertices().map_inline(|i| &polytope.vertices[i as usize]);
        manifold::recover(manifold, corners, pair.a, pair.b, max_contacts, points);
    }
    dist
}

wide! {
    /// Searches between the shapes with spheres and capsules replaced by their cores; the radii that
    /// were taken away, or `None` if neither shape has a core.
    fn core_distance['p, 'a](
        pair: &mut Pair<'p, 'a, false>,
        options: &Options,
        cutoff: f64,
        search: &mut Search,
    ) -> Option<[f64; 2]> {
        let cores = [pair.a.core(), pair.b.core()];
        if cores.iter().all(Option::is_none) {
            return None;
        }
        let margins = [pair.a.margin, pair.b.margin];
        let mut radii = [0.0; 2];
        for (k, shape) in [&mut *pair.a, &mut *pair.b].into_iter().enumerate() {
            if let Some((core, radius)) = cores[k] {
                radii[k] = radius;
                (shape.geometry, shape.margin) = (core.geometry(), 0.0);
            }
        }
        let cutoff = cutoff + (radii[0] + radii[1]);
        search.run::<Simd, false>(pair, options.limit(), options.tolerance, cutoff);
        for (k, shape) in [&mut *pair.a, &mut *pair.b].into_iter().enumerate() {
            if let Some((core, _)) = cores[k] {
                (shape.geometry, shape.margin) = (core.rounded(), margins[k]);
            }
        }
        Some(radii)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Geometry, Mesh, Pose};
    use corten_math::{Mat3, Quat};

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::new(Vec3::new(x, y, z), Mat3::IDENTITY)
    }

    fn turned(x: f64, y: f64, z: f64, axis: Vec3, angle: f64) -> Pose {
        Pose::new(Vec3::new(x, y, z), Quat::from_axis_angle(axis, angle).to_mat())
    }

    /// Distance or depth without limit on the distance.
    fn measure<'a>(a: (Geometry<'a>, Pose), b: (Geometry<'a>, Pose), ws: &mut Workspace) -> f64 {
        let (mut a, mut b) = (Shape::new(a.1, a.0, 0.0), Shape::new(b.1, b.0, 0.0));
        query(&mut a, &mut b, &Options::default(), 1, f64::MAX, ws)
    }

    fn check(a: (Geometry<'_>, Pose), b: (Geometry<'_>, Pose), expected: f64) {
        let mut ws = Workspace::default();
        for (a, b) in [(a, b), (b, a)] {
            let found = measure(a, b, &mut ws);
            assert!((found - expected).abs() < 1e-9, "{a:?} {b:?}: {found} {expected}");
            let (x1, x2) = ws.points[0];
            assert!((x1.distance(x2) - expected.abs()).abs() < 1e-9, "{a:?} {b:?}: {x1:?} {x2:?}");
        }
    }

    const BALL: Geometry<'_> = Geometry::Sphere { radius: 0.3 };
    const ROD: Geometry<'_> = Geometry::Capsule { radius: 0.1, half_length: 0.5 };
    const BRICK: Geometry<'_> = Geometry::Box { size: Vec3::new(0.5, 0.3, 0.2) };

    #[test]
    fn distances_in_closed_form() {
        let half_pi = std::f64::consts::FRAC_PI_2;
        check((BALL, at(0.0, 0.0, 0.0)), (BALL, at(1.0, 2.0, 2.0)), 3.0 - 0.6);
        // Shallow overlap of spheres needs no EPA.
        check((BALL, at(0.0, 0.0, 0.0)), (BALL, at(0.0, 0.5, 0.0)), -0.1);
        check((BRICK, at(0.0, 0.0, 0.0)), (BRICK, at(1.5, 0.1, 0.05)), 0.5);
        // Edge to edge, corner to corner.
        check((BRICK, at(0.0, 0.0, 0.0)), (BRICK, at(1.3, 0.0, 0.8)), 0.5);
        check(
            (BRICK, at(0.0, 0.0, 0.0)),
            (BRICK, at(1.0 + 0.2, 0.6 + 0.3, 0.4 + 0.6)),
            (0.2f64 * 0.2 + 0.3 * 0.3 + 0.6 * 0.6).sqrt(),
        );
        // Crossed, parallel and end-on capsules.
        check((ROD, at(0.0, 0.0, 0.0)), (ROD, turned(0.1, 0.7, 0.2, Vec3::Y, half_pi)), 0.5);
        check((ROD, at(0.0, 0.0, 0.0)), (ROD, at(0.6, 0.0, 0.3)), 0.4);
        check((ROD, at(0.0, 0.0, 0.0)), (ROD, at(0.0, 0.0, 1.4)), 0.2);
        check((BALL, at(0.1, 0.2, 1.0)), (BRICK, at(0.0, 0.0, 0.0)), 0.5);
        check((ROD, at(0.1, 0.2, 1.0)), (BRICK, at(0.0, 0.0, 0.0)), 0.2);
    }

    #[test]
    fn depths_of_boxes_in_closed_form() {
        check((BRICK, at(0.0, 0.0, 0.0)), (BRICK, at(0.2, 0.1, 0.35)), -0.05);
        check((BRICK, at(0.0, 0.0, 0.0)), (BRICK, at(0.9, 0.1, 0.05)), -0.1);
    }

    /// The depth is the least overlap over all directions: no sampled direction does better, and
    /// the reported one attains it.
    #[test]
    fn depth_is_the_least_overlap() {
        let ellipsoid = Geometry::Ellipsoid { size: Vec3::new(0.5, 0.3, 0.2) };
        let cylinder = Geometry::Cylinder { radius: 0.3, half_length: 0.4 };
        let vert = [
            [0.4f32, 0.1, -0.1],
            [-0.3, 0.4, -0.2],
            [-0.2, -0.4, -0.3],
            [0.1, 0.1, 0.5],
            [0.3, -0.3, 0.2],
        ];
        let mesh = Geometry::Mesh { mesh: Mesh::new(&vert), faceted: true };
        let kinds = [ellipsoid, cylinder, mesh, BRICK];
        let mut ws = Workspace::default();
        for (i, &ga) in kinds.iter().enumerate() {
            for (j, &gb) in kinds.iter().enumerate() {
                let spin = 0.4 + i as f64 + 2.0 * j as f64;
                let axis = Vec3::new(0.3, -0.5, 0.8).normalized().0;
                let pose = turned(0.12, -0.07, 0.1, axis, spin);
                let (mut a, mut b) =
                    (Shape::new(at(0.0, 0.0, 0.0), ga, 0.0), Shape::new(pose, gb, 0.0));
                let dist = query(&mut a, &mut b, &Options::default(), 1, 0.0, &mut ws);
                assert!(dist < 0.0);
                let (x1, x2) = ws.points[0];
                let normal = (x1 - x2).normalized().0;
                let mut overlap = |d: Vec3| d.dot(a.bare_support(d)) - d.dot(b.bare_support(-d));
                let reported = overlap(normal);
                assert!((reported + dist).abs() < 2e-6, "{ga:?} {gb:?} {reported} {dist}");
                for k in 0..3000 {
                    let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 3000.0;
                    let r = (1.0 - z * z).sqrt();
                    let (s, c) = (2.399963229728653 * f64::from(k)).sin_cos();
                    assert!(overlap(Vec3::new(r * c, r * s, z)) > -dist - 2e-6);
                }
            }
        }
    }

    /// Coincident, touching, flat, tiny, huge and meaningless shapes: an answer, never a panic.
    #[test]
    fn degenerate_shapes_end() {
        let point_cloud = [[0.0f32; 3]; 5];
        let flat = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let nan = [[f32::NAN; 3]; 4];
        let mesh = |v| Geometry::Mesh { mesh: Mesh::new(v), faceted: true };
        let kinds = [
            BALL,
            ROD,
            BRICK,
            mesh(&point_cloud),
            mesh(&flat),
            mesh(&nan),
            mesh(&[]),
            Geometry::Box { size: Vec3::splat(1e-12) },
            Geometry::Box { size: Vec3::splat(1e12) },
            Geometry::Box { size: Vec3::ZERO },
            Geometry::Ellipsoid { size: Vec3::new(f64::INFINITY, 1.0, -1.0) },
            Geometry::Cylinder { radius: 0.0, half_length: f64::NAN },
            Geometry::Capsule { radius: -1.0, half_length: 1e300 },
            Geometry::Simplex { corners: [Vec3::ZERO; 4], count: 77, radius: 0.0 },
        ];
        let poses = [
            at(0.0, 0.0, 0.0),
            at(0.0, 0.0, 0.4),
            at(1.0, 0.0, 0.0),
            at(1e300, -1e300, f64::MAX),
            at(f64::NAN, 0.0, 0.0),
            Pose::new(Vec3::ZERO, Mat3::ZERO),
        ];
        let mut ws = Workspace::default();
        let options = Options { iterations: i32::MAX, tolerance: f64::NAN, ..Options::default() };
        for &ga in &kinds {
            for &gb in &kinds {
                for &pose in &poses {
                    for (cutoff, contacts) in [(0.0, 4), (f64::MAX, 1), (f64::NAN, 1)] {
                        let mut a = Shape::new(at(0.0, 0.0, 0.0), ga, 0.0);
                        let mut b = Shape::new(pose, gb, 0.0);
                        query(&mut a, &mut b, &Options::default(), contacts, cutoff, &mut ws);
                        let quick = Options { iterations: 0, ..options };
                        query(&mut a, &mut b, &quick, contacts, cutoff, &mut ws);
                    }
                }
            }
        }
        let mut a = Shape::new(at(0.0, 0.0, 0.0), BRICK, 0.0);
        let mut b = Shape::new(at(0.1, 0.1, 0.1), mesh(&nan), 0.1);
        query(&mut a, &mut b, &options, 4, f64::NAN, &mut ws);
    }
}
