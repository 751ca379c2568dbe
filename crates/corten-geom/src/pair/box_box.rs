//! Two boxes: separating axes, then clipping of one box's face against the other's.
//!
//! The axis of least overlap among the 15 candidates (three face normals each, nine products of
//! edges) gives the normal. For a face normal, the incident box contributes a vertex, an edge or
//! a face, whatever lies flat enough, clipped against the reference face. For a product of edges,
//! the reference face is the one beside the edge of the first box that is more parallel to the
//! second, and the incident face is projected onto it along the normal.

use corten_math::array;
use corten_math::array::MapInline;
use corten_math::{MIN_VAL, Mat3, Vec3};

use super::Posed;
use crate::{Hit, HitBuffer, MAX_HITS};

/// An edge product replaces a face normal only if it is better by more than rounding.
const EDGE_PREFERENCE: f64 = 1.0 - 1e-12;

/// An incident edge joins the contact if it makes an angle below 30° with the reference face.
const FLAT_ENOUGH: f64 = 0.5;

/// Points farther outside a box than this ratio of its size are dropped, unless well inside the
/// other box.
const REMOVE_RATIO: f64 = 1.01;

/// The axes other than the first, second, third.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// Two intersecting rectangles give at most 16 crossings and 4 corners each.
const MAX_POINTS: usize = 24;

/// Up to eight points for faces in contact; every point carries the common normal.
pub fn box_box(first: &Posed, second: &Posed, margin: f64, out: &mut HitBuffer) {
    let relative = Relative::new(first, second);
    let Some(axis) = relative.least_overlap(margin) else { return };
    let mut points = Points::new();
    match axis {
        Axis::Face { of_second, face } => {
            relative.face_contact(of_second, face, margin, &mut points)
        }
        Axis::Edge(edge) => relative.edge_contact(&edge, margin, &mut points),
    }
    points.keep_good(first, second, margin);
    for &(dist, pos) in points.as_slice() {
        out.push(Hit::new(dist, pos, points.normal));
    }
}

/// The axis of least overlap.
enum Axis {
    /// A face normal; faces 0..3 point along the positive axes, 3..6 along the negative ones.
    Face {
        of_second: bool,
        face: usize,
    },
    Edge(EdgePair),
}

/// The product of edge direction `i` of the first box and `j` of the second.
struct EdgePair {
    i: usize,
    j: usize,
    /// Unit axis in the frame of the first box, and whether the contact normal is its opposite.
    axis: Vec3,
    flipped: bool,
    /// The touching edges: signs of their fixed coordinates, one bit per axis.
    edge1: usize,
    edge2: usize,
}

/// The boxes as seen from each other.
struct Relative<'a> {
    first: &'a Posed<'a>,
    second: &'a Posed<'a>,
    /// Centre of the second box in the frame of the first, and the reverse.
    pos21: Vec3,
    pos12: Vec3,
    /// `first_from_second`.
    rot: Mat3,
    rot_abs: Mat3,
}

impl<'a> Relative<'a> {
    fn new(first: &'a Posed<'a>, second: &'a Posed<'a>) -> Relative<'a> {
        let rot = first.mat.tmul_mat(second.mat);
        Relative {
            first,
            second,
            pos21: first.mat.tmul(second.pos() - first.pos()),
            pos12: second.mat.tmul(first.pos() - second.pos()),
            rot,
            rot_abs: Mat3(rot.0.map_inline(f64::abs)),
        }
    }

    /// The separating axis test; `None` if the boxes are farther apart than the margin.
    fn least_overlap(&self, margin: f64) -> Option<Axis> {
        let (size1, size2) = (self.first.size(), self.second.size());
        let extent2 = self.rot_abs * size2;
        let extent1 = self.rot_abs.tmul(size1);
        let mut best = None;
        let mut least = margin;
        for k in 0..3 {
            least += size1[k] * 3.0 + size2[k] * 3.0;
        }

        for k in 0..3 {
            let overlap1 = -self.pos21[k].abs() + size1[k] + extent2[k];
            let overlap2 = -self.pos12[k].abs() + size2[k] + extent1[k];
            if overlap1 < -margin || overlap2 < -margin {
                return None;
            }
            if overlap1 < least {
                least = overlap1;
                let face = if self.pos21[k] < 0.0 { k + 3 } else { k };
                best = Some(Axis::Face { of_second: false, face });
            }
            if overlap2 < least {
                least = overlap2;
                let face = if self.pos12[k] < 0.0 { k + 3 } else { k };
                best = Some(Axis::Face { of_second: true, face });
            }
        }

        for i in 0..3 {
            for j in 0..3 {
                let b = self.rot.col(j);
                let (axis, length) = match i {
                    0 => Vec3::new(0.0, -b[2], b[1]),
                    1 => Vec3::new(b[2], 0.0, -b[0]),
                    _ => Vec3::new(-b[1], b[0], 0.0),
                }
                .normalized();
                if length < MIN_VAL {
                    continue;
                }
                let center = self.pos21.dot(axis);
                let mut overlap = 0.0;
                let [k1, k2] = OTHERS[i];
                overlap += size1[k1] * axis[k1].abs();
                overlap += size1[k2] * axis[k2].abs();
                let [k1, k2] = OTHERS[j];
                overlap += size2[k1] * self.rot_abs[(i, k2)] / length;
                overlap += size2[k2] * self.rot_abs[(i, k1)] / length;
                overlap -= center.abs();
                if overlap < -margin {
                    return None;
                }
                if overlap < least * EDGE_PREFERENCE {
                    least = overlap;
                    let flipped = center < 0.0;
                    let bits = |skip: usize, positive: &dyn Fn(usize) -> bool| {
                        (0..3).filter(|&k| k != skip && positive(k)).map(|k| 1 << k).sum()
                    };
                    best = Some(Axis::Edge(EdgePair {
                        i,
                        j,
                        axis,
                        flipped,
                        edge1: bits(i, &|k| (axis[k] > 0.0) ^ flipped),
                        edge2: bits(j, &|k| {
                            (self.rot[(i, 3 - k - j)] > 0.0) ^ flipped ^ ((k + 3 - j) % 3 == 1)
                        }),
                    }));
                }
            }
        }
        best
    }

    /// Contact along a face normal of one box, the reference.
    fn face_contact(&self, of_second: bool, face: usize, margin: f64, points: &mut Points) {
        let frame = FaceFrame::new(face);
        let (reference, incident, pos, rot) = if of_second {
            (self.second, self.first, self.pos12, self.rot.transpose())
        } else {
            (self.first, self.second, self.pos21, self.rot)
        };
        // Axes and half sizes of the incident box, seen from the reference face; z is height.
        let axes = frame.rows(&rot).transpose();
        let size = frame.apply(reference.size()).abs();
        let mut center = frame.apply(pos);
        center[2] -= size[2];

        let downward = |k: usize| axes.row(k)[2] < 0.0;
        let mut corner = center;
        for k in 0..3 {
            corner += axes.row(k) * (incident.size()[k] * if downward(k) { 1.0 } else { -1.0 });
        }
        let mut edges = [Vec3::ZERO; 2];
        let mut flat = 0;
        for k in 0..3 {
            if axes.row(k)[2].abs() < FLAT_ENOUGH && flat < 2 {
                edges[flat] =
                    axes.row(k) * (incident.size()[k] * if downward(k) { -2.0 } else { 2.0 });
                flat += 1;
            }
        }
        let [e1, e2] = edges;
        let corners = [corner, corner + e1, corner + e2, corner + e1 + e2];
        let lines = [(corner, e1), (corner, e2), (corners[1], e2), (corners[2], e1)];
        let line_count = [0, 1, 4][flat];

        for &(start, edge) in &lines[..line_count] {
            crossings(start, edge, size, |_, t, _, _| points.push(start + edge * t));
        }
        if flat == 2 {
            let parallelogram = Parallelogram::new(corner, e1, e2);
            for (x, y) in rectangle(size) {
                let (u, v) = parallelogram.coordinates(x, y);
                if u <= 0.0 || v <= 0.0 || u >= 1.0 || v >= 1.0 {
                    continue;
                }
                points.push(Vec3::new(x, y, corner[2] + u * e1[2] + v * e2[2]));
            }
        }
        for (k, &point) in corners[..1 << flat].iter().enumerate() {
            let outside = |k: usize| point[k] <= -size[k] || point[k] >= size[k];
            if k == 0 || !(outside(0) || outside(1)) {
                points.push(point);
            }
        }

        points.retain(|p| p[2] <= margin);
        let world = frame.columns(reference.mat);
        points.normal = world.col(2) * if of_second { -1.0 } else { 1.0 };
        points.finish(|p| {
            let depth = p[2];
            (depth, world * Vec3::new(p[0], p[1], depth * 0.5 + size[2]) + reference.pos())
        });
    }

    /// Contact along a product of edges.
    fn edge_contact(&self, edge: &EdgePair, margin: f64, points: &mut Points) {
        let (p1, p2) = OTHER_AXES[edge.i];
        let beside = |axis: usize| self.rot_abs[(axis, edge.j)];
        let reference_axis = if beside(p1) < beside(p2) { p1 } else { p2 };
        let positive = edge.edge1 >> reference_axis & 1 == 1;
        let frame = FaceFrame::new(if positive { reference_axis } else { reference_axis + 3 });
        let normal = frame.apply(edge.axis);
        if normal[2].abs() < MIN_VAL {
            return;
        }
        let faces = ProjectedFaces::new(self, edge, &frame, normal, margin);
        faces.push_crossings(points);
        let crossing_count = points.len;
        faces.push_reference_corners(crossing_count, points);
        let face_count = points.len;
        faces.push_incident_corners(crossing_count, face_count, points);

        let world = frame.columns(self.first.mat);
        points.normal = world * normal * if edge.flipped { -1.0 } else { 1.0 };
        points.finish_with_depth(|p| {
            world * Vec3::new(p[0], p[1], p[2] + faces.size[2]) + self.first.pos()
        });
    }
}

/// The reference face beside an edge of the first box, and the incident face of the second projected
/// onto it along the normal; in the frame of the reference face, where z is height.
struct ProjectedFaces {
    /// Half sizes of the first box.
    size: Vec3,
    /// Corners of the incident face, and their projections onto the reference face.
    raw: [Vec3; 4],
    flat: [Vec3; 4],
    /// What the projections span.
    parallelogram: Parallelogram,
    /// Distance along the normal of a point at unit height.
    height_to_depth: f64,
    margin: f64,
}

impl ProjectedFaces {
    fn new(
        boxes: &Relative<'_>,
        edge: &EdgePair,
        frame: &FaceFrame,
        normal: Vec3,
        margin: f64,
    ) -> ProjectedFaces {
        let (q1, q2) = (edge.i, edge.j);
        // Of the two faces beside each edge, the one facing the other box more squarely.
        let (mut a1, mut a2) = OTHER_AXES[q2];
        if boxes.rot_abs[(q1, a1)] < boxes.rot_abs[(q1, a2)] {
            (a1, a2) = (a2, a1);
        }
        let axes = frame.rows(&boxes.rot).transpose();
        let size = frame.apply(boxes.first.size()).abs();
        let mut center = frame.apply(boxes.pos21);
        center[2] -= size[2];
        let inv_slope = 1.0 / normal[2];

        let size2 = boxes.second.size();
        let sign = |k: usize| if edge.edge2 >> k & 1 == 1 { 1.0 } else { -1.0 };
        let side1 = axes.row(a1) * (size2[a1] * sign(a1));
        let far_side1 = axes.row(a1) * (size2[a1] * -sign(a1));
        let side2 = axes.row(a2) * (size2[a2] * sign(a2));
        let along = axes.row(q2) * size2[q2];
        let against = axes.row(q2) * -size2[q2];
        let near = center + side1 + side2;
        let far = center + far_side1 + side2;
        let raw = [near + along, near + against, far + along, far + against];
        let flat = raw.map_inline(|p| p + normal * (-p[2] * inv_slope));
        ProjectedFaces {
            size,
            raw,
            flat,
            parallelogram: Parallelogram::new(flat[0], flat[1] - flat[0], flat[2] - flat[0]),
            height_to_depth: inv_slope * if edge.flipped { -1.0 } else { 1.0 },
            margin,
        }
    }

    /// Where sides of the projected face cross sides of the reference face.
    fn push_crossings(&self, points: &mut Points) {
        let (raw, flat) = (&self.raw, &self.flat);
        let (e1, e2) = (self.parallelogram.e1, self.parallelogram.e2);
        let (raw1, raw2) = (raw[1] - raw[0], raw[2] - raw[0]);
        let lines = [
            (flat[0], e1, raw[0], raw1),
            (flat[0], e2, raw[0], raw2),
            (flat[0] + e1, e2, raw[0] + raw1, raw2),
            (flat[0] + e2, e1, raw[0] + raw2, raw1),
        ];
        for (start, edge, raw_start, raw_edge) in lines {
            crossings(start, edge, self.size, |q, t, on_bound, across| {
                if (raw_start[2] + raw_edge[2] * t) * self.height_to_depth > self.margin {
                    return;
                }
                let mut middle = raw_start * 0.5 + raw_edge * (0.5 * t);
                middle[q] += 0.5 * on_bound;
                middle[1 - q] += 0.5 * across;
                points.push_with_depth(middle, middle[2] * self.height_to_depth * 2.0);
            });
        }
    }

    /// Corners of the reference face inside the projected one.
    fn push_reference_corners(&self, crossing_count: usize, points: &mut Points) {
        let out_of_range = |x: f64| !(0.0..=1.0).contains(&x);
        let unit = |x: f64| super::clip(x, 0.0, 1.0);
        // MuJoCo keeps the determinant and the last squared distance in one variable: once a
        // corner has counted, the coordinates of later ones are scaled by the latter. Contact
        // counts depend on it.
        let mut det = self.parallelogram.det;
        for (x, y) in rectangle(self.size) {
            let (u, v) = self.parallelogram.coordinates_with(x, y, det);
            let skip = if crossing_count == 0 {
                out_of_range(u) && out_of_range(v)
            } else {
                out_of_range(u) || out_of_range(v)
            };
            if skip {
                continue;
            }
            let (u, v) = (unit(u), unit(v));
            let opposite = self.raw[0] * (1.0 - u - v) + self.raw[1] * u + self.raw[2] * v;
            let corner = Vec3::new(x, y, 0.0);
            let dist_sqr = (corner - opposite).norm_squared();
            det = dist_sqr;
            self.push_unless_far((corner + opposite) * 0.5, opposite[2], dist_sqr, points);
        }
    }

    /// Corners of the projected face inside the reference face, or next to it.
    fn push_incident_corners(&self, crossing_count: usize, face_count: usize, points: &mut Points) {
        let size = self.size;
        for (&p, &raw) in self.flat.iter().zip(&self.raw) {
            let outside = |q: usize| p[q] < -size[q] || p[q] > size[q];
            let skip = if crossing_count > 0 {
                outside(0) || outside(1)
            } else {
                face_count > 0 && outside(0) && outside(1)
            };
            if skip {
                continue;
            }
            let mut dist_sqr = 0.0;
            let mut nearest = Vec3::new(p[0] * 0.5, p[1] * 0.5, 0.0);
            for q in 0..2 {
                if p[q] < -size[q] {
                    dist_sqr += (p[q] + size[q]) * (p[q] + size[q]);
                    nearest[q] = -size[q] * 0.5;
                } else if p[q] > size[q] {
                    dist_sqr += (p[q] - size[q]) * (p[q] - size[q]);
                    nearest[q] = size[q] * 0.5;
                }
            }
            dist_sqr += raw[2] * self.height_to_depth * raw[2] * self.height_to_depth;
            self.push_unless_far(nearest + raw * 0.5, raw[2], dist_sqr, points);
        }
    }

    /// A point between a corner of one face and the other face, `height` above the reference face.
    fn push_unless_far(&self, middle: Vec3, height: f64, dist_sqr: f64, points: &mut Points) {
        if height > 0.0 && dist_sqr > self.margin * self.margin {
            return;
        }
        let sign = if height < 0.0 { -1.0 } else { 1.0 };
        points.push_with_depth(middle, dist_sqr.sqrt() * sign);
    }
}

/// The two axes besides the given one, in the order in which ties are broken.
const OTHER_AXES: [(usize, usize); 3] = [(1, 2), (0, 2), (1, 0)];

/// The signed permutation of axes that turns the outward normal of a face into +z.
struct FaceFrame {
    axis: [usize; 3],
    sign: [f64; 3],
}

impl FaceFrame {
    fn new(face: usize) -> FaceFrame {
        let (axis, sign) = match face {
            0 => ([2, 1, 0], [-1.0, 1.0, 1.0]),
            1 => ([0, 2, 1], [1.0, -1.0, 1.0]),
            2 => ([0, 1, 2], [1.0, 1.0, 1.0]),
            3 => ([2, 1, 0], [1.0, 1.0, -1.0]),
            4 => ([0, 2, 1], [1.0, 1.0, -1.0]),
            _ => ([0, 1, 2], [-1.0, 1.0, -1.0]),
        };
        FaceFrame { axis, sign }
    }

    fn apply(&self, v: Vec3) -> Vec3 {
        Vec3(array::from_fn(|k| v[self.axis[k]] * self.sign[k]))
    }

    /// `face_from_box * m`.
    fn rows(&self, m: &Mat3) -> Mat3 {
        let row = |k: usize| m.row(self.axis[k]) * self.sign[k];
        Mat3::from_rows(row(0), row(1), row(2))
    }

    /// `m * box_from_face`.
    fn columns(&self, m: &Mat3) -> Mat3 {
        let column = |k: usize| m.col(self.axis[k]) * self.sign[k];
        Mat3::from_columns(column(0), column(1), column(2))
    }
}

/// Corners of the reference rectangle.
fn rectangle(size: Vec3) -> [(f64, f64); 4] {
    let [x, y, _] = size.0;
    [(-x, -y), (-x, y), (x, -y), (x, y)]
}

/// Where a segment crosses the sides of the reference rectangle: calls `found` with the axis
/// across which it crosses, the position on the segment, and the coordinates along that axis and
/// along the other.
fn crossings(start: Vec3, edge: Vec3, size: Vec3, mut found: impl FnMut(usize, f64, f64, f64)) {
    for q in 0..2 {
        if edge[q].abs() <= MIN_VAL {
            continue;
        }
        for side in [-1.0, 1.0] {
            let bound = size[q] * side;
            let t = (bound - start[q]) * (1.0 / edge[q]);
            if !(0.0..=1.0).contains(&t) {
                continue;
            }
            let across = start[1 - q] + edge[1 - q] * t;
            if across.abs() > size[1 - q] {
                continue;
            }
            found(q, t, bound, across);
        }
    }
}

/// A parallelogram over the plane of the reference face.
struct Parallelogram {
    corner: Vec3,
    e1: Vec3,
    e2: Vec3,
    det: f64,
}

impl Parallelogram {
    fn new(corner: Vec3, e1: Vec3, e2: Vec3) -> Parallelogram {
        Parallelogram { corner, e1, e2, det: e1[0] * e2[1] - e2[0] * e1[1] }
    }

    /// Coordinates of a point along the two edges.
    fn coordinates(&self, x: f64, y: f64) -> (f64, f64) {
        self.coordinates_with(x, y, self.det)
    }

    fn coordinates_with(&self, x: f64, y: f64, det: f64) -> (f64, f64) {
        let (x, y) = (x - self.corner[0], y - self.corner[1]);
        let u = (x * self.e2[1] - y * self.e2[0]) * (1.0 / det);
        let v = (y * self.e1[0] - x * self.e1[1]) * (1.0 / det);
        (u, v)
    }
}

/// Contact points under construction: depth and position, first in the frame of the reference
/// face, then in the world.
struct Points {
    points: [(f64, Vec3); MAX_POINTS],
    len: usize,
    normal: Vec3,
}

const _: () = assert!(MAX_POINTS <= MAX_HITS);

impl Points {
    fn new() -> Points {
        Points { points: [(0.0, Vec3::ZERO); MAX_POINTS], len: 0, normal: Vec3::Z }
    }

    fn as_slice(&self) -> &[(f64, Vec3)] {
        &self.points[..self.len]
    }

    fn push(&mut self, pos: Vec3) {
        self.push_with_depth(pos, 0.0);
    }

    fn push_with_depth(&mut self, pos: Vec3, depth: f64) {
        if self.len < MAX_POINTS {
            self.points[self.len] = (depth, pos);
            self.len += 1;
        }
    }

    fn retain(&mut self, keep: impl Fn(Vec3) -> bool) {
        let mut len = 0;
        for k in 0..self.len {
            if keep(self.points[k].1) {
                self.points[len] = self.points[k];
                len += 1;
            }
        }
        self.len = len;
    }

    fn finish(&mut self, place: impl Fn(Vec3) -> (f64, Vec3)) {
        for point in &mut self.points[..self.len] {
            *point = place(point.1);
        }
    }

    fn finish_with_depth(&mut self, place: impl Fn(Vec3) -> Vec3) {
        for point in &mut self.points[..self.len] {
            point.1 = place(point.1);
        }
    }

    /// Drops points that lie outside one box and not inside the other, and all but the last of
    /// points at the same position.
    fn keep_good(&mut self, first: &Posed, second: &Posed, margin: f64) {
        let margin = Vec3::splat(margin);
        self.retain(|p| {
            let place1 = Region::of(p, first, first.size() + margin);
            let place2 = Region::of(p, second, second.size() + margin);
            !(place1 == Region::Outside && place2 != Region::Inside
                || place2 == Region::Outside && place1 != Region::Inside)
        });
        let mut len = 0;
        for k in 0..self.len {
            let point = self.points[k];
            if !self.points[k + 1..self.len].iter().any(|later| later.1 == point.1) {
                self.points[len] = point;
                len += 1;
            }
        }
        self.len = len;
    }
}

/// A point relative to the surface of a box.
#[derive(Clone, Copy, PartialEq)]
enum Region {
    Inside,
    Near,
    Outside,
}

impl Region {
    #[inline(always)]
    fn of(point: Vec3, cuboid: &Posed, size: Vec3) -> Region {
        let local = cuboid.mat.tmul(point - cuboid.pos());
        let big = size * REMOVE_RATIO;
        let small = size / REMOVE_RATIO;
        if (0..3).any(|k| local[k] > big[k] || local[k] < -big[k]) {
            Region::Outside
        } else if (0..3).all(|k| local[k] < small[k] && local[k] > -small[k]) {
            Region::Inside
        } else {
            Region::Near
        }
    }
}
