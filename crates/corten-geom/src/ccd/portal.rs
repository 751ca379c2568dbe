//! Penetration by Minkowski portal refinement, the older of MuJoCo's two convex algorithms
//! (`nativeccd="disable"`).
//!
//! The difference of two overlapping shapes holds the origin, and a point inside of it is known: the
//! difference of the centres. A *portal* is a triangle of support points that the ray from that
//! centre through the origin passes; pushing it outwards along its normal ends at the boundary. Depth
//! and direction are those of the point of the last portal that is nearest to the origin, so that the
//! depth is that along one face of the difference, not the least of all. Snethen, "Complex Collision
//! Made Simple", *Game Programming Gems* 7 (2008). Order of corners, tolerances and ends of the search
//! are those of the library that MuJoCo 3.4.0 uses, because they decide which face is the last.

use corten_math::Vec3;
use corten_math::array::MapInline;

use super::gjk::{Pair, Vertex};
use super::{Options, SupportCache};
use crate::shape::Shape;

/// Numbers below this are zero.
const EPS: f64 = f64::EPSILON;

/// Exchanges of corners until the search counts as failed; tens are usual.
const MAX_EXCHANGES: usize = 1 << 10;

/// Offset that takes the place of a centre at the origin.
const NUDGE: f64 = 10.0 * EPS;

/// How deep two shapes overlap, the direction from the first to the second in which that is measured,
/// and a point between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    pub depth: f64,
    pub normal: Vec3,
    pub pos: Vec3,
}

/// The overlap of two shapes; `None` if they are apart, or merely touch.
pub fn penetration<'a>(
    a: &mut Shape<'a>,
    b: &mut Shape<'a>,
    options: &Options,
    supports: &mut SupportCache,
) -> Option<Penetration> {
    let [c1, c2] = [a.center(), b.center()];
    let mut centre = Vertex { diff: c1 - c2, p1: c1, p2: c2, corners: [-1; 2] };
    if is_zero(centre.diff) {
        centre.diff[0] += NUDGE;
    }
    let pair = &mut Pair::<false>::new(a, b, supports);
    match discover(pair, &centre)? {
        Discovered::Segment(v) => {
            let (normal, depth) = v.diff.normalized();
            Some(Penetration { depth, normal, pos: (v.p1 + v.p2) * 0.5 })
        }
        Discovered::Portal(corners) => {
            let mut portal = Portal { centre, corners };
            portal.enclose(pair, options)?;
            portal.push_out(pair, options)
        }
    }
}

enum Discovered {
    /// The ray passes along this support point.
    Segment(Vertex),
    Portal([Vertex; 3]),
}

/// Support points around the ray from the centre through the origin.
fn discover(pair: &mut Pair<'_, '_, false>, centre: &Vertex) -> Option<Discovered> {
    let mut towards = |dir: Vec3| {
        let v = pair.support(dir);
        (v.diff.dot(dir) >= EPS).then_some(v)
    };
    let inner = centre.diff;
    let mut v1 = towards((-inner).normalized().0)?;
    let side = inner.cross(v1.diff);
    if is_zero(side) {
        return (!is_zero(v1.diff)).then_some(Discovered::Segment(v1));
    }
    let mut v2 = towards(side.normalized().0)?;
    let plane = |v1: &Vertex, v2: &Vertex| (v1.diff - inner).cross(v2.diff - inner).normalized().0;
    let mut dir = plane(&v1, &v2);
    if dir.dot(inner) > 0.0 {
        std::mem::swap(&mut v1, &mut v2);
        dir = -dir;
    }
    // The origin lies beyond one of the planes through the centre: exchange the corner across.
    for _ in 0..MAX_EXCHANGES {
        let v3 = towards(dir)?;
        if v1.diff.cross(v3.diff).dot(inner) <= -EPS {
            v2 = v3;
        } else if v3.diff.cross(v2.diff).dot(inner) <= -EPS {
            v1 = v3;
        } else {
            return Some(Discovered::Portal([v1, v2, v3]));
        }
        dir = plane(&v1, &v2);
    }
    None
}

/// A triangle that the ray from the centre through the origin passes.
struct Portal {
    centre: Vertex,
    corners: [Vertex; 3],
}

impl Portal {
    /// The outward normal.
    fn normal(&self) -> Vec3 {
        let [a, b, c] = self.corners.each_ref().map_inline(|v| v.diff);
        (b - a).cross(c - a).normalized().0
    }

    /// Whether a support point along the normal is no farther than the portal.
    fn is_final(&self, dir: Vec3, next: &Vertex, tolerance: f64) -> bool {
        let reach = next.diff.dot(dir);
        let gap = |v: &Vertex| reach - v.diff.dot(dir);
        self.corners.iter().map(gap).fold(f64::INFINITY, f64::min) <= tolerance + EPS
    }

    /// Replaces the corner across from a new one, seen from the centre.
    fn exchange(&mut self, next: Vertex) {
        let side = next.diff.cross(self.centre.diff);
        let [a, b, c] = self.corners.each_ref().map_inline(|v| v.diff.dot(side) > 0.0);
        let place = match (a, b, c) {
            (true, true, _) => 0,
            (true, false, _) => 2,
            (false, _, true) => 1,
            (false, _, false) => 0,
        };
        self.corners[place] = next;
    }

    /// Pushes the portal out until the origin is inside; `None` if it never is.
    fn enclose(&mut self, pair: &mut Pair<'_, '_, false>, options: &Options) -> Option<()> {
        for _ in 0..MAX_EXCHANGES {
            let dir = self.normal();
            if self.corners[0].diff.dot(dir) > -EPS {
                return Some(());
            }
            let next = pair.support(dir);
            if next.diff.dot(dir) <= -EPS || self.is_final(dir, &next, options.tolerance) {
                return None;
            }
            self.exchange(next);
        }
        None
    }

    /// Pushes the portal to the boundary, and measures there.
    fn push_out(
        &mut self,
        pair: &mut Pair<'_, '_, false>,
        options: &Options,
    ) -> Option<Penetration> {
        for iteration in 0..=options.limit() + 1 {
            let dir = self.normal();
            let next = pair.support(dir);
            if iteration > options.limit() || self.is_final(dir, &next, options.tolerance) {
                break;
            }
            self.exchange(next);
        }
        let nearest = nearest_to_origin(self.corners.each_ref().map_inline(|v| v.diff));
        let (normal, depth) = nearest.normalized();
        (depth >= EPS).then(|| Penetration { depth, normal, pos: self.point() })
    }

    /// Where the ray passes, on both shapes: with the weights of the origin in the tetrahedron of
    /// centre and portal or, if that is flat, of its projection on the portal.
    fn point(&self) -> Vec3 {
        let [a, b, c] = self.corners.each_ref().map_inline(|v| v.diff);
        let (inner, dir) = (self.centre.diff, self.normal());
        let mut weights = [
            a.cross(b).dot(c),
            c.cross(b).dot(inner),
            inner.cross(a).dot(c),
            b.cross(a).dot(inner),
        ];
        if weights.iter().sum::<f64>() <= 0.0 {
            weights = [0.0, b.cross(c).dot(dir), c.cross(a).dot(dir), a.cross(b).dot(dir)];
        }
        let vertices = [&self.centre, &self.corners[0], &self.corners[1], &self.corners[2]];
        let (mut p1, mut p2) = (Vec3::ZERO, Vec3::ZERO);
        for (v, weight) in vertices.into_iter().zip(weights) {
            p1 += v.p1 * weight;
            p2 += v.p2 * weight;
        }
        (p1 + p2) * (0.5 / weights.iter().sum::<f64>())
    }
}

fn is_zero(v: Vec3) -> bool {
    v.0.iter().all(|x| x.abs() < EPS)
}

/// The point of a triangle that is nearest to the origin.
fn nearest_to_origin([a, b, c]: [Vec3; 3]) -> Vec3 {
    let normal = (b - a).cross(c - a);
    let squared = normal.norm_squared();
    let foot = normal * (a.dot(normal) / squared);
    let beyond = |p: Vec3, q: Vec3| (q - p).cross(foot - p).dot(normal) < 0.0;
    if squared > 0.0 && !beyond(a, b) && !beyond(b, c) && !beyond(c, a) {
        return foot;
    }
    let on_edge = |p: Vec3, q: Vec3| {
        let d = q - p;
        p + d * (-p.dot(d) / d.norm_squared()).clamp(0.0, 1.0)
    };
    let edges = [on_edge(a, b), on_edge(b, c), on_edge(c, a)];
    edges.into_iter().min_by(|p, q| p.norm_squared().total_cmp(&q.norm_squared())).unwrap_or(a)
}
