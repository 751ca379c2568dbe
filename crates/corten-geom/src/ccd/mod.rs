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
mod simplex;

use corten_math::Vec3;

use crate::shape::Shape;
use gjk::{Nearest, Pair};

/// Iterations beyond this are refused whatever the options say: queries converge in tens.
const MAX_ITERATIONS: i32 = 1 << 16;

/// Tunables of a convex query, as in the model's options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Limit on iterations of GJK and of EPA.
    pub iterations: i32,
    /// Accuracy of distance and depth for smooth shapes.
    pub tolerance: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { iterations: 35, tolerance: 1e-6 }
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
    polytope: polytope::Polytope,
    manifold: manifold::Buffers,
    /// Pairs of nearest (or deepest) points on the first and second shape.
    pub points: Vec<(Vec3, Vec3)>,
    /// The last nearest vector `p1 − p2`, not unit: if the shapes are separated, they are so along
    /// it, and [`separated_along`] may confirm that cheaply after a small motion.
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
    let mut pair = Pair { a, b };
    let limit = options.limit();
    ws.points.clear();

    if let Some((near, radii)) = core_distance(&mut pair, options, limit, cutoff)
        && near.dist > options.tolerance
    {
        ws.axis = near.axis;
        let Some((x1, x2)) = near.witness else { return f64::MAX };
        let n = (x2 - x1).normalized().0;
        ws.points.push((x1 + n * radii[0], x2 - n * radii[1]));
        let dist = near.dist - (radii[0] + radii[1]);
        return if dist > cutoff { f64::MAX } else { dist };
    }

    let near = gjk::distance(&mut pair, limit, options.tolerance, cutoff);
    ws.axis = near.axis;
    ws.points.extend(near.witness);
    if near.dist > options.tolerance || near.count < 2 {
        return near.dist;
    }
    if !epa::start(&mut ws.polytope, &mut pair, &near.simplex[..near.count]) {
        return 0.0;
    }
    ws.points.clear();
    let Some(face) = epa::expand(&mut ws.polytope, &mut pair, limit, options.tolerance) else {
        return 0.0;
    };
    let face = &ws.polytope.faces[face];
    let (dist, x1, x2) = epa::witness(&ws.polytope, face);
    ws.points.push((x1, x2));
    if max_contacts > 1 {
        let corners = face.vertices.map(|i| &ws.polytope.vertices[i]);
        manifold::recover(&mut ws.manifold, corners, pair.a, pair.b, max_contacts, &mut ws.points);
    }
    dist
}

/// Distance between the shapes with spheres and capsules replaced by their cores, and the radii
/// taken away; `None` if neither shape has a core.
fn core_distance(
    pair: &mut Pair<'_, '_>,
    options: &Options,
    limit: usize,
    cutoff: f64,
) -> Option<(Nearest, [f64; 2])> {
    let cores = [pair.a.core(), pair.b.core()];
    if cores.iter().all(Option::is_none) {
        return None;
    }
    let kept = [&*pair.a, &*pair.b].map(|s| (s.geometry, s.margin));
    let mut radii = [0.0; 2];
    for (k, shape) in [&mut *pair.a, &mut *pair.b].into_iter().enumerate() {
        if let Some((core, radius)) = cores[k] {
            radii[k] = radius;
            (shape.geometry, shape.margin) = (core, 0.0);
        }
    }
    let near = gjk::distance(pair, limit, options.tolerance, cutoff + (radii[0] + radii[1]));
    (pair.a.geometry, pair.a.margin) = kept[0];
    (pair.b.geometry, pair.b.margin) = kept[1];
    Some((near, radii))
}

/// Whether the direction `axis` (from the second shape towards the first, any length) separates
/// two shapes by more than `gap`. Two support queries; a `true` is a proof.
pub fn separated_along(a: &mut Shape<'_>, b: &mut Shape<'_>, axis: Vec3, gap: f64) -> bool {
    let norm = axis.norm();
    if !(norm > corten_math::MIN_VAL && norm.is_finite()) {
        return false;
    }
    let unit = axis * (1.0 / norm);
    let (p1, p2) = (a.support(-unit), b.support(unit));
    unit.dot(p1 - p2) > gap
}
