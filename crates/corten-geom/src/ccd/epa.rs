//! Penetration depth: the expanding polytope algorithm.
//!
//! A polytope inside the Minkowski difference that holds the origin is expanded at its nearest
//! face until the support plane there is within tolerance; face and support plane bound the
//! depth from below and above (van den Bergen: "Proximity queries and penetration depth
//! computation on 3D game objects", GDC 2001). Answers to `epa` and `polytope2/3/4` in MuJoCo's
//! `engine_collision_gjk.c`, whose starting polytopes, face order and acceptance tests decide
//! between equally deep solutions.

use corten_math::array::{self, MapInline};
use corten_math::{MIN_VAL, Mat3, Vec3, Wide};

use super::gjk::{Pair, Search, Vertex};
use super::polytope::{Face, Polytope, Surface};
use super::simplex::affine_coordinates;
use super::tetrahedron::Tetrahedron;

/// Face storage is sized for at least this many iterations.
const MIN_CAPACITY_ITERATIONS: usize = 170;

impl Polytope {
    /// Adds the support point along `d`, of length `norm`.
    #[inline(always)]
    fn expand<const HULLS: bool>(
        &mut self,
        pair: &mut Pair<'_, '_, HULLS>,
        d: Vec3,
        norm: f64,
    ) -> (u32, Vertex) {
        let dir = if norm > MIN_VAL { d / norm } else { Vec3::X };
        let vertex = pair.support(dir);
        (self.insert(vertex), vertex)
    }

    /// [`Polytope::expand`] where that happens a few times only.
    #[inline(never)]
    fn extend<const HULLS: bool>(
        &mut self,
        pair: &mut Pair<'_, '_, HULLS>,
        d: Vec3,
        norm: f64,
    ) -> u32 {
        self.expand(pair, d, norm).0
    }
}

/// Builds a starting polytope from GJK's last simplex; `false` if the shapes only touch.
#[inline(always)]
pub(super) fn start<S: Wide, const HULLS: bool>(
    pt: &mut Polytope,
    pair: &mut Pair<'_, '_, HULLS>,
    search: &Search,
) -> bool {
    pt.clear();
    let v = |i: usize| *search.vertex(i);
    match search.count() {
        2 => from_segment(pt, pair, v(0), v(1)),
        3 => from_triangle(pt, pair, [v(0), v(1), v(2)]),
        4 => from_tetrahedron::<S, HULLS>(pt, pair, search),
        _ => false,
    }
}

/// Starts over from one face that holds the origin.
fn restart<const HULLS: bool>(
    pt: &mut Polytope,
    pair: &mut Pair<'_, '_, HULLS>,
    face: [u32; 3],
) -> bool {
    let triangle = face.map_inline(|i| pt.vertices[i as usize]);
    pt.clear();
    from_triangle(pt, pair, triangle)
}

/// A double pyramid: three support points around the segment.
fn from_segment<const HULLS: bool>(
    pt: &mut Polytope,
    pair: &mut Pair<'_, '_, HULLS>,
    a: Vertex,
    b: Vertex,
) -> bool {
    let along = b.diff - a.diff;
    // The coordinate axis least aligned with the segment gives the longest cross product.
    let mut least = 0;
    for i in 1..3 {
        if along[i].abs() < along[least].abs() {
            least = i;
        }
    }
    let mut e = Vec3::ZERO;
    e[least] = 1.0;
    let d1 = e.cross(along);
    let turn = third_of_a_turn(along);
    let d2 = turn * d1;
    let d3 = turn * d2;

    pt.insert(a);
    pt.insert(b);
    pt.extend(pair, d1, d1.norm());
    pt.extend(pair, d2, d2.norm());
    pt.extend(pair, d3, d3.norm());
    const SURFACE: Surface<6> =
        Surface::new([[0, 2, 3], [0, 4, 2], [0, 3, 4], [1, 3, 2], [1, 2, 4], [1, 4, 3]]);
    if let Err(face) = pt.attach(&SURFACE) {
        return restart(pt, pair, face);
    }
    let v = |i: usize| pt.vertices[i].diff;
    if !pierces(v(0), v(1), [v(2), v(3), v(4)]) {
        return false;
    }
    pt.nominate_all();
    true
}

/// A double pyramid over the triangle: support points on both sides.
fn from_triangle<const HULLS: bool>(
    pt: &mut Polytope,
    pair: &mut Pair<'_, '_, HULLS>,
    triangle: [Vertex; 3],
) -> bool {
    let [v1, v2, v3] = triangle.map_inline(|v| v.diff);
    let normal = (v2 - v1).cross(v3 - v1);
    let norm = normal.norm();
    if norm < MIN_VAL {
        return false;
    }
    for v in triangle {
        pt.insert(v);
    }
    let below = pt.extend(pair, -normal, norm);
    let above = pt.extend(pair, normal, norm);
    let (v4, v5) = (pt.vertices[above as usize].diff, pt.vertices[below as usize].diff);
    if lies_in([v1, v2, v3], v4) || lies_in([v1, v2, v3], v5) {
        return false;
    }
    const SURFACE: Surface<6> =
        Surface::new([[4, 0, 1], [4, 2, 0], [4, 1, 2], [3, 1, 0], [3, 0, 2], [3, 2, 1]]);
    if pt.attach(&SURFACE).is_err() {
        return false;
    }
    pt.nominate_all();
    true
}

#[inline(always)]
fn from_tetrahedron<S: Wide, const HULLS: bool>(
    pt: &mut Polytope,
    pair: &mut Pair<'_, '_, HULLS>,
    search: &Search,
) -> bool {
    for i in 0..4 {
        pt.insert(*search.vertex(i));
    }
    let d = [&pt.vertices[0], &pt.vertices[1], &pt.vertices[2], &pt.vertices[3]];
    let corners = Tetrahedron::new(d);
    if let Err(face) = pt.attach_tetrahedron::<S>(&corners) {
        return restart(pt, pair, face);
    }
    if !corners.holds_origin::<S>() {
        return false;
    }
    pt.nominate_all();
    true
}

/// Rotation by 120° about `axis`.
fn third_of_a_turn(axis: Vec3) -> Mat3 {
    // The sine's digits are MuJoCo's.
    const SIN: f64 = 0.86602540378;
    const COS: f64 = -0.5;
    let [x, y, z] = (axis / axis.norm()).0;
    let c = 1.0 - COS;
    Mat3([
        COS + x * x * c,
        x * y * c - z * SIN,
        x * z * c + y * SIN,
        y * x * c + z * SIN,
        COS + y * y * c,
        y * z * c - x * SIN,
        x * z * c - y * SIN,
        y * z * c + x * SIN,
        COS + z * z * c,
    ])
}

/// Whether the line from `a` to `b` passes through the triangle.
fn pierces(a: Vec3, b: Vec3, [p, q, r]: [Vec3; 3]) -> bool {
    let ab = b - a;
    let (p, q, r) = (p - a, q - a, r - a);
    let volumes = [p.dot(q.cross(ab)), q.dot(r.cross(ab)), r.dot(p.cross(ab))];
    volumes.iter().all(|&v| v >= 0.0) || volumes.iter().all(|&v| v <= 0.0)
}

/// Whether `p` is a point of the triangle.
fn lies_in([a, b, c]: [Vec3; 3], p: Vec3) -> bool {
    let l = affine_coordinates(a, b, c, p);
    if l.iter().any(|&x| x < 0.0) {
        return false;
    }
    let back = Vec3(array::from_fn(|k| a[k] * l[0] + b[k] * l[1] + c[k] * l[2]));
    (back - p).norm() < MIN_VAL
}

/// Expands the polytope; the face that carries the penetration, or `None` if numbers broke down.
#[inline(always)]
pub(super) fn expand<const HULLS: bool>(
    pt: &mut Polytope,
    pair: &mut Pair<'_, '_, HULLS>,
    max_iterations: usize,
    tolerance: f64,
) -> Option<u32> {
    let polyhedral = pair.is_polyhedral();
    let tolerance = if polyhedral { MIN_VAL } else { tolerance };
    let max_faces = max_iterations.max(MIN_CAPACITY_ITERATIONS).saturating_mul(6);
    let (mut upper, mut upper2) = (f64::MAX, f64::MAX);
    let mut nearest: Option<u32> = None;

    for _ in 0..max_iterations {
        let previous = nearest;
        let mut lower2 = f64::MAX;
        if let Some((face, dist2)) = pt.nearest() {
            (nearest, lower2) = (Some(face), dist2);
        }
        if lower2 > upper2 {
            return previous;
        }
        let face = nearest?;
        if lower2 <= 0.0 {
            return nearest;
        }

        let lower = lower2.sqrt();
        let foot = pt.face(face).foot;
        let (w, Vertex { diff, corners, .. }) = pt.expand(pair, foot, lower);
        let reach = foot.dot(diff) / lower;
        if reach < upper {
            (upper, upper2) = (reach, reach * reach);
        }
        if upper - lower < tolerance {
            return nearest;
        }
        // A corner pair seen before cannot expand the polytope any further.
        let seen = |v: &Vertex| v.corners == corners;
        if polyhedral && pt.vertices[..w as usize].iter().any(seen) {
            return nearest;
        }

        let edges = pt.open(face, diff);
        if edges < 3 {
            return None;
        }
        if edges > max_faces.saturating_sub(pt.face_count()) {
            return nearest;
        }
        if !pt.close(edges, lower2, upper2) {
            return None;
        }
        if !pt.has_candidates() {
            break;
        }
    }
    nearest
}

/// The point of each shape that a face of the polytope stands for, and the signed distance.
#[inline(always)]
pub(super) fn witness(pt: &Polytope, face: &Face) -> (f64, Vec3, Vec3) {
    let v = face.vertices().map_inline(|i| &pt.vertices[i as usize]);
    let l = affine_coordinates(v[0].diff, v[1].diff, v[2].diff, face.foot);
    let blend = |p: [Vec3; 3]| p[0] * l[0] + p[1] * l[1] + p[2] * l[2];
    (-face.dist2.sqrt(), blend(v.map_inline(|v| v.p1)), blend(v.map_inline(|v| v.p2)))
}
