//! Several contact points from one penetration: where the deepest points lie on faces or edges
//! that are nearly parallel, the overlap of those features is the contact area.
//!
//! The triangle of the Minkowski difference that EPA ends with names the corners of each shape
//! that take part: one (a corner), two (an edge) or three (a face). Faces around these corners
//! that oppose each other within a tolerance are clipped against each other (Sutherland–Hodgman);
//! failing that, an edge that lies in a face is clipped by it. Answers to `multicontact` in
//! MuJoCo's `engine_collision_gjk.c`; polygon order is theirs, as it orders the contacts.

use corten_math::array::{self, MapInline};
use corten_math::{MIN_VAL, Vec3};

use super::gjk::Vertex;
use crate::contact::MAX_HITS;
use crate::shape::{Geometry, Mesh, Pose, Shape};

/// Cosine of the largest angle (1.6e-3 rad) between faces that count as parallel.
const FACE_TOLERANCE: f64 = 0.99999872;
/// Sine of that angle, for an edge against a face.
const EDGE_TOLERANCE: f64 = 0.00159999931;
/// Corners of one polygon, and polygons around one vertex, beyond which the rest is ignored.
const MAX_POLYGON: usize = 150;

/// Working memory, reused from query to query.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    sides: [Side; 2],
    planes: Vec<(Vec3, f64)>,
    clipped: [Vec<Vec3>; 2],
}

/// Candidate features of one shape.
#[derive(Clone, Debug, Default)]
struct Side {
    /// Outward normals of faces, with the number of the face.
    faces: Vec<(Vec3, i32)>,
    /// Directions of edges, with the far end.
    edges: Vec<(Vec3, Vec3)>,
    /// The polygon, or edge, chosen for clipping.
    polygon: Vec<Vec3>,
}

/// The distinct corners of one shape behind the three vertices of a face of the polytope.
struct Corners {
    dim: usize,
    index: [i32; 3],
    /// Positions of the first two distinct ones.
    point: [Vec3; 2],
}

impl Corners {
    fn new(index: [i32; 3], point: [Vec3; 3]) -> Corners {
        let [a, b, c] = index;
        if a != b {
            let dim = if c == a || c == b { 2 } else { 3 };
            Corners { dim, index, point: [point[0], point[1]] }
        } else if a != c {
            Corners { dim: 2, index: [a, c, c], point: [point[0], point[2]] }
        } else {
            Corners { dim: 1, index, point: [point[0], point[1]] }
        }
    }
}

/// Appends pairs of points (on the first and second shape) that replace the single `witness`, if
/// the shapes meet in more than a point. `out` keeps the witness otherwise.
pub(super) fn recover(
    buffers: &mut Buffers,
    face: [&Vertex; 3],
    a: &Shape<'_>,
    b: &Shape<'_>,
    max_contacts: usize,
    out: &mut Vec<(Vec3, Vec3)>,
) {
    let Some(&(x1, x2)) = out.first() else { return };
    let corners_a = Corners::new(face.map_inline(|v| v.corners[0]), face.map_inline(|v| v.p1));
    let corners_b = Corners::new(face.map_inline(|v| v.corners[1]), face.map_inline(|v| v.p2));
    let Buffers { sides: [side_a, side_b], planes, clipped } = buffers;
    faces(side_a, a, &corners_a, x1 - x2);
    faces(side_b, b, &corners_b, x2 - x1);
    let depth = (x2 - x1).norm();

    let (clip, subject, normal, shift) = if let Some((i, j)) = opposed(&side_a.faces, &side_b.faces)
    {
        outline(side_a, a, i);
        outline(side_b, b, j);
        (&side_a.polygon, &side_b.polygon, side_a.faces[i].0, side_b.faces[j].0 * depth)
    } else if corners_a.dim < 3 && corners_a.dim <= corners_b.dim {
        edges(side_a, a, &corners_a);
        let Some((edge, j)) = flush(&side_a.edges, &side_b.faces) else { return };
        set_edge(&mut side_a.polygon, face[0].p1, side_a.edges[edge].1);
        outline(side_b, b, j);
        let normal = side_b.faces[j].0;
        (&side_b.polygon, &side_a.polygon, normal, normal * depth)
    } else if corners_b.dim < 3 {
        edges(side_b, b, &corners_b);
        let Some((edge, i)) = flush(&side_b.edges, &side_a.faces) else { return };
        set_edge(&mut side_b.polygon, face[0].p2, side_b.edges[edge].1);
        outline(side_a, a, i);
        let normal = side_a.faces[i].0;
        (&side_a.polygon, &side_b.polygon, normal, normal * -depth)
    } else {
        return;
    };
    if clip.len() < 3 {
        return;
    }
    let overlap = intersect(planes, clipped, clip, subject, normal);
    if overlap.is_empty() {
        return;
    }

    out.clear();
    // The second shape's point is on the polygon; the first shape's is displaced by the depth.
    let displaced = |&p: &Vec3| (p - shift, p);
    if max_contacts < 5 && overlap.len() > 4 {
        out.extend(four_corners(overlap).iter().map(displaced));
    } else if overlap.len() > MAX_HITS {
        out.extend(overlap[..MAX_HITS].iter().map(displaced));
    } else {
        for p in overlap {
            if !out.iter().any(|(_, q)| coincide(*p, *q)) {
                out.push(displaced(p));
            }
        }
    }
}

fn coincide(p: Vec3, q: Vec3) -> bool {
    (p - q).0.iter().all(|x| x.abs() < MIN_VAL)
}

fn set_edge(polygon: &mut Vec<Vec3>, from: Vec3, to: Vec3) {
    polygon.clear();
    polygon.extend([from, to]);
}

/// First pair of faces whose normals oppose each other.
fn opposed(a: &[(Vec3, i32)], b: &[(Vec3, i32)]) -> Option<(usize, usize)> {
    for (i, (n, _)) in a.iter().enumerate() {
        if let Some(j) = b.iter().position(|(m, _)| n.dot(*m) < -FACE_TOLERANCE) {
            return Some((i, j));
        }
    }
    None
}

/// First edge that is parallel to a face, faces outermost: edge and face.
fn flush(edges: &[(Vec3, Vec3)], faces: &[(Vec3, i32)]) -> Option<(usize, usize)> {
    for (j, (n, _)) in faces.iter().enumerate() {
        if let Some(i) = edges.iter().position(|(e, _)| e.dot(*n).abs() < EDGE_TOLERANCE) {
            return Some((i, j));
        }
    }
    None
}

/// Faces that contain all the corners; `toward` points from the other shape's contact point to
/// this one's.
fn faces(side: &mut Side, shape: &Shape<'_>, corners: &Corners, toward: Vec3) {
    side.faces.clear();
    match &shape.geometry {
        Geometry::Box { .. } => box_faces(&mut side.faces, &shape.pose, corners, toward),
        Geometry::Mesh { mesh, .. } => mesh_faces(&mut side.faces, &shape.pose, mesh, corners),
        _ => {}
    }
}

/// Faces of a box are numbered +x, −x, +y, −y, +z, −z.
fn box_faces(out: &mut Vec<(Vec3, i32)>, pose: &Pose, corners: &Corners, toward: Vec3) {
    let used = &corners.index[..corners.dim];
    // Sign of a coordinate if all corners share it, else zero.
    let shared = |axis: i32| {
        let positive = |&v: &i32| v & (1 << axis) != 0;
        i32::from(used.iter().all(positive)) - i32::from(!used.iter().any(positive))
    };
    for axis in 0..3 {
        let sign = shared(axis);
        if sign != 0 {
            let mut local = Vec3::ZERO;
            local[axis as usize] = sign.into();
            out.push((pose.mat * local, 2 * axis + i32::from(sign < 0)));
        }
    }
    // A corner is in three faces, an edge in two, a face in one; anything else is a diagonal,
    // where the contact direction itself may name a face.
    if out.len() == 4 - corners.dim {
        return;
    }
    out.clear();
    let local = pose.mat.tmul(toward);
    let local = local * (1.0 / local.norm_squared().sqrt());
    for k in 0..6 {
        let mut n = Vec3::ZERO;
        n[k / 2] = if k % 2 == 0 { 1.0 } else { -1.0 };
        if local.dot(n) > FACE_TOLERANCE {
            out.push((pose.mat * n, k as i32));
            return;
        }
    }
}

fn mesh_faces(out: &mut Vec<(Vec3, i32)>, pose: &Pose, mesh: &Mesh<'_>, corners: &Corners) {
    let Some(polygons) = &mesh.polygons else { return };
    let [first, second, third] = corners.index.map_inline(|v| polygons.around(v));
    let mut push = |p: i32| out.push((pose.mat * polygons.normal(p), p));
    if corners.dim == 1 {
        first.iter().take(MAX_POLYGON).copied().for_each(push);
        return;
    }
    // Two corners span an edge, which at most two polygons share.
    let mut edge =
        first.iter().flat_map(|p| second.iter().filter(move |q| *q == p)).copied().take(2);
    if corners.dim == 2 {
        edge.for_each(push);
    } else if let Some(p) = edge.find(|p| third.contains(p)) {
        push(p);
    }
}

/// Edges that start at the first corner; if there are two corners, the one between them.
fn edges(side: &mut Side, shape: &Shape<'_>, corners: &Corners) {
    side.edges.clear();
    let from = corners.point[0];
    let mut push = |to: Vec3| side.edges.push(((to - from).normalized().0, to));
    if corners.dim == 2 {
        if matches!(shape.geometry, Geometry::Box { .. } | Geometry::Mesh { .. }) {
            push(corners.point[1]);
        }
        return;
    }
    let corner = corners.index[0];
    match &shape.geometry {
        Geometry::Box { size } => {
            let local =
                Vec3(array::from_fn(|k| if corner & (1 << k) != 0 { size[k] } else { -size[k] }));
            for k in 0..3 {
                let mut other = local;
                other[k] = -other[k];
                push(shape.pose.point(other));
            }
        }
        Geometry::Mesh { mesh, .. } => {
            // In each polygon around the corner, the edge that arrives there.
            let Some(polygons) = &mesh.polygons else { return };
            for &p in polygons.around(corner).iter().take(MAX_POLYGON) {
                let ring = polygons.corners(p);
                if let Some(j) = ring.iter().position(|&v| v == corner) {
                    let before = ring[(j + ring.len() - 1) % ring.len()];
                    push(shape.pose.point(mesh.vertex(before)));
                }
            }
        }
        _ => {}
    }
}

/// Corners of each box face as signs of the half-lengths, clockwise seen from outside.
const BOX_OUTLINE: [[[f64; 3]; 4]; 6] = [
    [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [1.0, -1.0, 1.0]],
    [[-1.0, 1.0, -1.0], [-1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, -1.0, -1.0]],
    [[-1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]],
    [[-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]],
    [[-1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]],
    [[1.0, 1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, -1.0], [1.0, -1.0, -1.0]],
];

/// Fills the polygon of candidate face `i`, clockwise seen from outside.
fn outline(side: &mut Side, shape: &Shape<'_>, i: usize) {
    side.polygon.clear();
    let face = side.faces[i].1;
    match &shape.geometry {
        Geometry::Box { size } => {
            let signs = &BOX_OUTLINE[face.clamp(0, 5) as usize];
            side.polygon
                .extend(signs.iter().map(|&s| shape.pose.point(Vec3(s).component_mul(*size))));
        }
        Geometry::Mesh { mesh, .. } => {
            let Some(polygons) = &mesh.polygons else { return };
            let ring = polygons.corners(face);
            let ring = &ring[..ring.len().min(MAX_POLYGON)];
            side.polygon.extend(ring.iter().rev().map(|&v| shape.pose.point(mesh.vertex(v))));
        }
        _ => {}
    }
}

/// Clips `subject` by the planes through the edges of `clip` along `normal`.
fn intersect<'b>(
    planes: &mut Vec<(Vec3, f64)>,
    buffers: &'b mut [Vec<Vec3>; 2],
    clip: &[Vec3],
    subject: &[Vec3],
    normal: Vec3,
) -> &'b [Vec3] {
    planes.clear();
    for (i, &v) in clip.iter().enumerate() {
        let next = clip[(i + 1) % clip.len()];
        let n = (next - v).cross((v + normal) - v);
        planes.push((n, n.dot(v)));
    }
    let [polygon, result] = buffers;
    polygon.clear();
    polygon.extend_from_slice(subject);
    for (&corner, &(n, offset)) in clip.iter().zip(planes.iter()) {
        result.clear();
        let inside = |p: Vec3| (p - corner).dot(n) > -MIN_VAL;
        for (i, &p) in polygon.iter().enumerate() {
            let q = polygon[(i + 1) % polygon.len()];
            let (from, to) = (inside(p), inside(q));
            if from != to {
                let along = q - p;
                let t = (offset - n.dot(p)) / n.dot(along);
                if (0.0..=1.0).contains(&t) {
                    result.push(p + along * t);
                }
            }
            if to {
                result.push(q);
            }
        }
        // Both buffers stay far below the largest possible clip: twice the corners of a polygon.
        result.truncate(2 * MAX_POLYGON);
        std::mem::swap(polygon, result);
    }
    polygon
}

/// How well four points spread: half the length of the difference between the doubled areas of the
/// triangles `abc` and `abd`. Not the area of `abcd`, but what MuJoCo maximises.
fn spread([a, b, c, d]: [Vec3; 4]) -> f64 {
    0.5 * ((d - a).cross(b - d) + (c - b).cross(a - c)).norm()
}

/// Four corners of a convex polygon that has more, by rotating calipers: while the first corner
/// goes round, the others advance as long as the spread grows.
fn four_corners(polygon: &[Vec3]) -> [Vec3; 4] {
    let next = |i: usize| if i + 1 == polygon.len() { 0 } else { i + 1 };
    let measure = |q: [usize; 4]| spread(q.map_inline(|i| polygon[i]));
    let mut q = [0, 1, 2, 3];
    let mut best = q;
    let mut most = measure(q);
    // Advances corner k if that widens the spread.
    let mut advance = |q: &mut [usize; 4], k: usize| {
        let mut candidate = *q;
        candidate[k] = next(candidate[k]);
        let found = measure(candidate);
        if found > most {
            (most, best, *q) = (found, candidate, candidate);
            true
        } else {
            false
        }
    };
    for a in 0..polygon.len() {
        q[0] = a;
        while advance(&mut q, 3) {
            while advance(&mut q, 2) {}
            while advance(&mut q, 1) {}
        }
        // Corners stay distinct and in order when the first one moves on.
        if q[1] == q[0] {
            q[1] = next(q[1]);
            if q[2] == q[1] {
                q[2] = next(q[2]);
                if q[3] == q[2] {
                    q[3] = next(q[3]);
                }
            }
        }
    }
    best.map_inline(|i| polygon[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_a_square_by_a_shifted_square() {
        let square = |dx: f64| {
            [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]]
                .map(|[x, y]| Vec3::new(x + dx, y, 0.0))
        };
        let mut buffers = Buffers::default();
        let (clip, subject) = (square(0.0), square(0.5));
        let overlap =
            intersect(&mut buffers.planes, &mut buffers.clipped, &clip, &subject, Vec3::Z);
        assert_eq!(overlap.len(), 4);
        for p in overlap {
            assert!((p[0] - 1.0).abs() < 1e-15 || (p[0] + 0.5).abs() < 1e-15, "{p:?}");
        }
    }

    #[test]
    fn nan_polygons_terminate() {
        four_corners(&[Vec3::splat(f64::NAN); 6]);
    }
}
