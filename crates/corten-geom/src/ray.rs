//! Where a ray first meets a shape.
//!
//! A hit is the smallest `t ≥ 0` with `origin + t dir` on the surface, so its unit is the length of
//! `dir`; from inside a solid it is the way out. Answers to MuJoCo's `engine_ray.c`, whose order of
//! operations is kept: edges and corners that a ray grazes decide between hit and miss.

use corten_math::array::MapInline;
use corten_math::{MIN_VAL, Mat3, Quat, Vec3};

use crate::hfield::HeightField;
use crate::shape::Pose;

/// Deepest tree that can be walked.
const MAX_DEPTH: usize = 64;

/// Part of a cell of a height field by which rounding may misjudge where a ray is.
const MARGIN: f64 = 1e-3;

/// Part of a height by which rounding may misjudge that of a ray.
const ROUNDING: f64 = 1e-9;

/// A half line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    pub origin: Vec3,
    /// Any length but zero.
    pub dir: Vec3,
}

impl Ray {
    pub fn new(origin: Vec3, dir: Vec3) -> Ray {
        Ray { origin, dir }
    }

    #[inline]
    pub fn at(&self, t: f64) -> Vec3 {
        self.origin + self.dir * t
    }

    /// This ray in the local frame of `pose`.
    #[inline]
    fn local(&self, pose: &Pose) -> Ray {
        Ray { origin: pose.mat.tmul(self.origin - pose.pos), dir: pose.mat.tmul(self.dir) }
    }

    /// Two unit vectors that span the plane normal to the ray, to project triangles on.
    fn basis(&self) -> [Vec3; 2] {
        let size = self.dir.abs();
        let mut across = Vec3::splat(1.0);
        let longest = if size[0] >= size[1] && size[0] >= size[2] {
            0
        } else if size[1] >= size[2] {
            1
        } else {
            2
        };
        across[longest] = 0.0;
        let along = -self.dir.dot(across) / self.dir.dot(self.dir);
        let b1 = (across + self.dir * along).normalized().0;
        [b1.cross(self.dir).normalized().0, b1]
    }
}

/// Keeps the smaller of a hit so far and a new non-negative one.
#[inline]
fn closer(best: &mut Option<f64>, t: f64) {
    if t >= 0.0 && best.is_none_or(|b| t < b) {
        *best = Some(t);
    }
}

/// Both solutions of `a t² + 2 b t + c = 0` in order; −1 twice if there are none.
#[inline]
fn quadratic(a: f64, b: f64, c: f64) -> [f64; 2] {
    let det = b * b - a * c;
    if det < 0.0 || a < MIN_VAL {
        return [-1.0; 2];
    }
    let root = det.sqrt();
    [(-b - root) / a, (-b + root) / a]
}

#[inline]
fn first_of([t0, t1]: [f64; 2]) -> Option<f64> {
    if t0 >= 0.0 {
        Some(t0)
    } else if t1 >= 0.0 {
        Some(t1)
    } else {
        None
    }
}

/// The front of a rectangle in the xy plane; a half-length of zero is unlimited.
pub fn plane(pose: &Pose, size: Vec3, ray: &Ray) -> Option<f64> {
    let Ray { origin, dir } = ray.local(pose);
    if dir[2] > -MIN_VAL {
        return None;
    }
    let t = -origin[2] / dir[2];
    let within = |k: usize| size[k] <= 0.0 || (origin[k] + t * dir[k]).abs() <= size[k];
    (t >= 0.0 && within(0) && within(1)).then_some(t)
}

/// Solutions for a sphere whose squared radius is given.
fn sphere_solutions(center: Vec3, radius2: f64, ray: &Ray) -> [f64; 2] {
    let d = ray.origin - center;
    quadratic(ray.dir.dot(ray.dir), ray.dir.dot(d), d.dot(d) - radius2)
}

/// A sphere, by its squared radius.
pub fn sphere(center: Vec3, radius2: f64, ray: &Ray) -> Option<f64> {
    first_of(sphere_solutions(center, radius2, ray))
}

/// The round side of a cylinder, cut off at both ends; the ray is local.
fn tube(ray: &Ray, radius: f64, half_length: f64) -> Option<f64> {
    let (o, d) = (ray.origin, ray.dir);
    let a = d[0] * d[0] + d[1] * d[1];
    let b = d[0] * o[0] + d[1] * o[1];
    let c = o[0] * o[0] + o[1] * o[1] - radius * radius;
    first_of(quadratic(a, b, c)).filter(|t| (o[2] + t * d[2]).abs() <= half_length)
}

/// A capsule along the local z axis.
pub fn capsule(pose: &Pose, radius: f64, half_length: f64, ray: &Ray) -> Option<f64> {
    let reach = radius + half_length;
    sphere(pose.pos, reach * reach, ray)?;
    let ray = ray.local(pose);
    let mut best = tube(&ray, radius, half_length);
    for side in [1.0, -1.0] {
        let center = Vec3::new(0.0, 0.0, side * half_length);
        for t in sphere_solutions(center, radius * radius, &ray) {
            let z = ray.origin[2] + t * ray.dir[2];
            if side * z >= half_length {
                closer(&mut best, t);
            }
        }
    }
    best
}

pub fn ellipsoid(pose: &Pose, size: Vec3, ray: &Ray) -> Option<f64> {
    let Ray { origin: o, dir: d } = ray.local(pose);
    let s = Vec3(size.0.map_inline(|x| 1.0 / (x * x)));
    // s₀ x₀ y₀ + s₁ x₁ y₁ + s₂ x₂ y₂
    let product = |x: Vec3, y: Vec3| s[0] * x[0] * y[0] + s[1] * x[1] * y[1] + s[2] * x[2] * y[2];
    first_of(quadratic(product(d, d), product(d, o), product(o, o) - 1.0))
}

/// A cylinder along the local z axis.
pub fn cylinder(pose: &Pose, radius: f64, half_length: f64, ray: &Ray) -> Option<f64> {
    sphere(pose.pos, radius * radius + half_length * half_length, ray)?;
    let ray = ray.local(pose);
    let (o, d) = (ray.origin, ray.dir);
    let mut best = None;
    if d[2].abs() > MIN_VAL {
        for side in [-1.0, 1.0] {
            let t = (side * half_length - o[2]) / d[2];
            let (x, y) = (o[0] + t * d[0], o[1] + t * d[1]);
            if x * x + y * y <= radius * radius {
                closer(&mut best, t);
            }
        }
    }
    if let Some(t) = tube(&ray, radius, half_length) {
        closer(&mut best, t);
    }
    best
}

/// A box by its half-lengths.
pub fn cuboid(pose: &Pose, size: Vec3, ray: &Ray) -> Option<f64> {
    cuboid_faces(pose, size, ray).0
}

/// The first hit of a box, and the hits of its faces −x, +x, −y, +y, −z, +z.
fn cuboid_faces(pose: &Pose, size: Vec3, ray: &Ray) -> (Option<f64>, [Option<f64>; 6]) {
    let mut faces = [None; 6];
    if sphere(pose.pos, size.dot(size), ray).is_none() {
        return (None, faces);
    }
    let Ray { origin: o, dir: d } = ray.local(pose);
    let mut best = None;
    for (k, [i, j]) in [[1, 2], [0, 2], [0, 1]].into_iter().enumerate() {
        if d[k].abs() > MIN_VAL {
            for (face, side) in [(2 * k, -1.0), (2 * k + 1, 1.0)] {
                let t = (side * size[k] - o[k]) / d[k];
                let within = |k: usize| (o[k] + t * d[k]).abs() <= size[k];
                if t >= 0.0 && within(i) && within(j) {
                    faces[face] = Some(t);
                    closer(&mut best, t);
                }
            }
        }
    }
    (best, faces)
}

/// Either side of a triangle; `basis` spans the plane normal to the ray. The parameter may be
/// negative: the triangle then lies behind.
fn triangle(v: [Vec3; 3], ray: &Ray, basis: &[Vec3; 2]) -> Option<f64> {
    // In projection, the ray is the origin.
    let planar = v.map_inline(|v| {
        let d = v - ray.origin;
        [basis[0].dot(d), basis[1].dot(d)]
    });
    for k in 0..2 {
        if planar.iter().all(|p| p[k] > 0.0) || planar.iter().all(|p| p[k] < 0.0) {
            return None;
        }
    }
    // Barycentric coordinates of the origin: (p0 − p2, p1 − p2) t = −p2.
    let [p0, p1, p2] = planar;
    let a = [p0[0] - p2[0], p1[0] - p2[0], p0[1] - p2[1], p1[1] - p2[1]];
    let b = [-p2[0], -p2[1]];
    let det = a[0] * a[3] - a[1] * a[2];
    if det.abs() < MIN_VAL {
        return None;
    }
    let t0 = (a[3] * b[0] - a[1] * b[1]) / det;
    let t1 = (-a[2] * b[0] + a[0] * b[1]) / det;
    if t0 < 0.0 || t1 < 0.0 || t0 + t1 > 1.0 {
        return None;
    }
    let normal = (v[0] - v[2]).cross(v[1] - v[2]);
    let denominator = ray.dir.dot(normal);
    if denominator.abs() < MIN_VAL {
        return None;
    }
    Some(-(ray.origin - v[2]).dot(normal) / denominator)
}

/// Triangles of a mesh with their bounding tree, borrowed from model arrays. All slices belong to
/// the one mesh, and numbers in them count from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct TriangleMesh<'a> {
    pub vert: &'a [[f32; 3]],
    pub face: &'a [[i32; 3]],
    /// Centre and half-lengths of each node; empty if there is no tree.
    pub aabb: &'a [[f64; 6]],
    pub child: &'a [[i32; 2]],
    /// Face of a leaf, −1 for inner nodes.
    pub nodeid: &'a [i32],
}

impl TriangleMesh<'_> {
    fn triangle(&self, face: i32) -> Option<[Vec3; 3]> {
        let corners = self.face.get(usize::try_from(face).ok()?)?;
        let vertex =
            |i: i32| Some(Vec3(self.vert.get(usize::try_from(i).ok()?)?.map_inline(f64::from)));
        Some([vertex(corners[0])?, vertex(corners[1])?, vertex(corners[2])?])
    }
}

/// A mesh; `size` are the half-lengths of a box around it that is tested first.
pub fn mesh(pose: &Pose, size: Vec3, mesh: &TriangleMesh<'_>, ray: &Ray) -> Option<f64> {
    cuboid(pose, size, ray)?;
    let ray = ray.local(pose);
    let basis = ray.basis();
    let mut best = None;
    let mut test = |face: i32| {
        if let Some(t) = mesh.triangle(face).and_then(|v| triangle(v, &ray, &basis)) {
            closer(&mut best, t);
        }
    };
    if mesh.aabb.is_empty() {
        (0..mesh.face.len()).for_each(|i| test(i as i32));
        return best;
    }

    let inverse = Vec3(ray.dir.0.map_inline(|x| 1.0 / x));
    let mut stack = [0usize; MAX_DEPTH];
    let mut depth = 1usize;
    // A tree has each node once; more visits mean that the arrays are not a tree.
    for _ in 0..mesh.aabb.len() {
        let Some(top) = depth.checked_sub(1) else { break };
        depth = top;
        let node = stack[top];
        let (Some(aabb), Some(&id), Some(child)) =
            (mesh.aabb.get(node), mesh.nodeid.get(node), mesh.child.get(node))
        else {
            continue;
        };
        if !crosses(aabb, ray.origin, inverse) {
            continue;
        }
        if id >= 0 {
            test(id);
            continue;
        }
        for child in child.iter().filter_map(|&c| usize::try_from(c).ok()) {
            if let Some(slot) = stack.get_mut(depth) {
                *slot = child;
                depth += 1;
            }
        }
    }
    best
}

/// Whether a ray enters a box before it leaves it (Ericson, "Real-time collision detection", 5.3.3).
#[inline]
fn crosses(aabb: &[f64; 6], origin: Vec3, inverse: Vec3) -> bool {
    let (mut enter, mut leave) = (0.0, f64::INFINITY);
    for k in 0..3 {
        let t1 = (aabb[k] - aabb[k + 3] - origin[k]) * inverse[k];
        let t2 = (aabb[k] + aabb[k + 3] - origin[k]) * inverse[k];
        // Comparisons, not min and max: they decide what a NaN (a ray in a face) does.
        let (low, high) = if t1 < t2 { (t1, t2) } else { (t2, t1) };
        enter = if enter > low { enter } else { low };
        leave = if leave < high { leave } else { high };
    }
    enter < leave
}

/// Where a row or column of a grid begins and ends, with what rounding may misjudge on both sides.
#[inline(always)]
fn around(cell: usize) -> [f64; 2] {
    [cell as f64 - MARGIN, (cell + 1) as f64 + MARGIN]
}

/// Whether a ray is clearly above or below the corners of a cell while it is over it. It is over the row
/// and over the column of the cell between two distances each; a line along one of them gives infinities,
/// or NaN, which show nothing.
#[inline(always)]
fn passes_by(ray: &Ray, row: [f64; 2], column: [f64; 2], heights: [f64; 4]) -> bool {
    let enter = row[0].min(row[1]).max(column[0].min(column[1]));
    let leave = row[0].max(row[1]).min(column[0].max(column[1]));
    let [start, end] = [enter, leave].map_inline(|t| ray.origin[2] + t * ray.dir[2]);
    let [a, b, c, d] = heights;
    let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
    let slack = MARGIN * (high - low) + ROUNDING * (low.abs() + high.abs() + ray.origin[2].abs());
    start.min(end) > high + slack || start.max(end) < low - slack
}

/// A height field: its surface, its sides and its base.
pub fn height_field(pose: &Pose, field: &HeightField<'_>, ray: &Ray) -> Option<f64> {
    let [sx, sy, top, base] = field.size;
    let up = pose.mat.col(2);
    let below = Pose::new(pose.pos - up * base * 0.5, pose.mat);
    let above = Pose::new(pose.pos + up * top * 0.5, pose.mat);
    let mut best = cuboid(&below, Vec3::new(sx, sy, base * 0.5), ray);
    let (first, sides) = cuboid_faces(&above, Vec3::new(sx, sy, top * 0.5), ray);
    let Some(first) = first else { return best };
    if !field.has_cells() {
        return best;
    }

    let ray = ray.local(pose);
    let (o, d) = (ray.origin, ray.dir);
    let basis = ray.basis();
    // The stretch of the ray inside the upper box, from its start if that is inside.
    let (mut enter, mut leave) = (0.0, first);
    for t in sides.into_iter().flatten() {
        if t > leave {
            (enter, leave) = (first, t);
        }
    }

    let [dx, dy] = field.spacing();
    // Grid cells under that stretch, padded by one.
    let range = |k: usize, half: f64, step: f64, count: usize| {
        let [a, b] = [enter, leave].map_inline(|t| (o[k] + t * d[k] + half) / step);
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let low = (low.floor() - 1.0).max(0.0) as usize;
        let high = ((high.ceil() + 1.0).max(0.0) as usize).min(count - 1);
        low..high
    };
    // How far along the ray its line is at a place of the grid.
    let reaching = |k: usize, at: f64, half: f64, step: f64| (step * at - half - o[k]) / d[k];
    let columns = range(0, sx, dx, field.ncol);
    for r in range(1, sy, dy, field.nrow) {
        // The columns that the ray's line passes on its way across the row: all of them if it never
        // leaves the row, which NaN says too.
        let row = around(r).map_inline(|at| reaching(1, at, sy, dy));
        let [a, b] = row.map_inline(|t| (o[0] + t * d[0] + sx) / dx);
        let first = (a.min(b) - MARGIN).floor().max(columns.start as f64) as usize;
        let end = (a.max(b) + MARGIN).ceil().min(columns.end as f64) as usize;
        for c in first..end {
            let column = around(c).map_inline(|at| reaching(0, at, sx, dx));
            let heights = [(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)];
            let heights = heights.map_inline(|(r, c)| field.sample(r, c) * top);
            if passes_by(&ray, row, column, heights) {
                continue;
            }
            let corner = |i: usize, j: usize| {
                let (x, y) = (dx * (c + j) as f64 - sx, dy * (r + i) as f64 - sy);
                Vec3::new(x, y, heights[2 * i + j])
            };
            for third in [corner(0, 1), corner(1, 0)] {
                if let Some(t) = triangle([corner(0, 0), corner(1, 1), third], &ray, &basis) {
                    closer(&mut best, t);
                }
            }
        }
    }

    // Sides of the upper box, where the surface's rim is above the point of entry.
    for (i, t) in sides[..4].iter().enumerate() {
        let Some(t) = *t else { continue };
        if best.is_some_and(|b| t >= b) {
            continue;
        }
        let (along, half, step, count) =
            if i < 2 { (1, sy, dy, field.nrow) } else { (0, sx, dx, field.ncol) };
        let y = (o[along] + t * d[along] + half) / step;
        let y0 = y.floor().min(count as f64 - 2.0).max(0.0);
        let rim = |n: usize| match i {
            0 => field.sample(n, 0),
            1 => field.sample(n, field.ncol - 1),
            2 => field.sample(0, n),
            _ => field.sample(field.nrow - 1, n),
        };
        let (z0, z1) = (rim(y0 as usize), rim(y0 as usize + 1));
        if (o[2] + t * d[2]) / top < z0 * (y0 + 1.0 - y) + z1 * (y - y0) {
            best = Some(t);
        }
    }
    best
}

/// A hit on a deformable surface: distance, and the vertex nearest to the point that was hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexHit {
    pub dist: f64,
    pub vertex: i32,
}

impl VertexHit {
    /// Replaces `best` if `t` is a nearer hit; `corners` are the candidates with their numbers, of
    /// which the first nearest one is named.
    fn closer<const N: usize>(
        best: &mut Option<VertexHit>,
        t: f64,
        ray: &Ray,
        corners: [(Vec3, i32); N],
    ) {
        if t >= 0.0 && best.is_none_or(|b| t < b.dist) {
            let point = ray.at(t);
            let distance = corners.map(|(corner, _)| corner.distance(point));
            let nearest = (1..N).fold(0, |k, j| if distance[j] < distance[k] { j } else { k });
            *best = Some(VertexHit { dist: t, vertex: corners[nearest].1 });
        }
    }
}

/// Whether a ray meets the axis-aligned box around points, widened by `radius`.
fn meets_bounds(points: impl Iterator<Item = Vec3>, radius: f64, ray: &Ray) -> bool {
    let bounds = points.fold(None, |b: Option<(Vec3, Vec3)>, p| {
        Some(b.map_or((p, p), |(lo, hi)| (lo.min(p), hi.max(p))))
    });
    let Some((lo, hi)) = bounds else { return false };
    let (lo, hi) = (lo - Vec3::splat(radius), hi + Vec3::splat(radius));
    let pose = Pose::new((lo + hi) * 0.5, Mat3::IDENTITY);
    cuboid(&pose, (hi - lo) * 0.5, ray).is_some()
}

/// A triangulated surface given by vertices in the world. Answers to `mju_raySkin`.
pub fn skin(face: &[[i32; 3]], vert: &[[f32; 3]], ray: &Ray) -> Option<VertexHit> {
    if !meets_bounds(vert.iter().map(|v| Vec3(v.map(f64::from))), 0.0, ray) {
        return None;
    }
    let basis = ray.basis();
    let surface = TriangleMesh { vert, face, aabb: &[], child: &[], nodeid: &[] };
    let mut best = None;
    for (i, numbers) in face.iter().enumerate() {
        let Some(v) = surface.triangle(i as i32) else { continue };
        if let Some(t) = triangle(v, ray, &basis) {
            let corners = std::array::from_fn::<_, 3, _>(|k| (v[k], numbers[k]));
            VertexHit::closer(&mut best, t, ray, corners);
        }
    }
    best
}

/// A flex: vertices in the world, with edges and elements that number them, all of one flex.
#[derive(Clone, Copy, Debug)]
pub struct FlexSurface<'a> {
    /// 1: lines, 2: triangles, 3: tetrahedra.
    pub dim: usize,
    pub radius: f64,
    pub vert: &'a [Vec3],
    pub edge: &'a [[i32; 2]],
    /// `dim + 1` vertices per element.
    pub elem: &'a [i32],
    /// Distance of each element from the surface of a solid, in elements.
    pub layer: &'a [i32],
}

/// What of a flex is drawn, and can be hit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlexParts {
    pub vertices: bool,
    pub edges: bool,
    pub faces: bool,
    pub skin: bool,
    /// The layer of elements shown of a solid, without skin.
    pub layer: i32,
}

/// A flex, as far as it is drawn. Answers to `mju_rayFlex`.
pub fn flex(flex: &FlexSurface<'_>, parts: &FlexParts, ray: &Ray) -> Option<VertexHit> {
    if !meets_bounds(flex.vert.iter().copied(), flex.radius, ray) {
        return None;
    }
    let skinned = flex.dim > 1 && parts.skin;
    let mut best = None;
    let vertex = |i: i32| Some((*flex.vert.get(usize::try_from(i).ok()?)?, i));

    if parts.edges || skinned {
        for &[i, j] in flex.edge {
            let (Some(a), Some(b)) = (vertex(i), vertex(j)) else { continue };
            // A capsule along the edge. At equal distance its second end is named.
            let (along, length) = (b.0 - a.0).normalized();
            let pose = Pose::new((a.0 + b.0) * 0.5, Quat::from_z_to(along).to_mat());
            if let Some(t) = capsule(&pose, flex.radius, 0.5 * length, ray) {
                VertexHit::closer(&mut best, t, ray, [b, a]);
            }
        }
    } else if parts.vertices {
        for (i, &v) in flex.vert.iter().enumerate() {
            if let Some(t) = sphere(v, flex.radius * flex.radius, ray) {
                VertexHit::closer(&mut best, t, ray, [(v, i as i32)]);
            }
        }
    }

    if flex.dim > 1 && (parts.faces || parts.skin) {
        const TRIANGLES: [[usize; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
        let triangles = if flex.dim == 2 { &TRIANGLES[..1] } else { &TRIANGLES[..] };
        let basis = ray.basis();
        for (e, numbers) in flex.elem.chunks_exact(flex.dim + 1).enumerate() {
            let layer = flex.layer.get(e).copied().unwrap_or(0);
            let hidden = if parts.skin { layer > 0 } else { layer != parts.layer };
            if flex.dim == 3 && hidden {
                continue;
            }
            for corners in triangles {
                let [Some(a), Some(b), Some(c)] =
                    corners.map(|k| numbers.get(k).and_then(|&i| vertex(i)))
                else {
                    continue;
                };
                if let Some(t) = triangle([a.0, b.0, c.0], ray, &basis) {
                    VertexHit::closer(&mut best, t, ray, [a, b, c]);
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose() -> Pose {
        let axis = Vec3::new(0.2, 0.9, -0.4).normalized().0;
        Pose::new(Vec3::new(0.3, -1.0, 0.7), Quat::from_axis_angle(axis, 1.1).to_mat())
    }

    /// In the local frame, along an axis through the centre, every distance is known.
    #[test]
    fn distances_along_the_axes() {
        let pose = pose();
        let size = Vec3::new(0.2, 0.3, 0.5);
        let ray = |axis: usize, from: f64| {
            let mut dir = Vec3::ZERO;
            dir[axis] = -2.0;
            let mut origin = Vec3::ZERO;
            origin[axis] = from;
            Ray::new(pose.point(origin), pose.mat * dir)
        };
        for axis in 0..3 {
            let half = size[axis];
            // Outside looking in: the near side; inside: the far one; behind: none.
            for (from, expected) in
                [(1.5, Some((1.5 - half) / 2.0)), (0.0, Some(half / 2.0)), (-1.5, None)]
            {
                let r = ray(axis, from);
                let radius = if axis == 2 { 0.5 } else { 0.3 };
                let long = if axis == 2 { 0.8 } else { 0.3 };
                let close = |found: Option<f64>, expected: Option<f64>| match (found, expected) {
                    (Some(a), Some(b)) => assert!((a - b).abs() < 1e-12, "{a} {b}"),
                    (a, b) => assert_eq!(a, b),
                };
                let side = |reach: f64| {
                    expected.map(|_| if from > 0.0 { from - reach } else { reach } / 2.0)
                };
                close(cuboid(&pose, size, &r), expected);
                close(ellipsoid(&pose, size, &r), expected);
                close(sphere(pose.pos, radius * radius, &r), side(radius));
                close(cylinder(&pose, 0.3, 0.5, &r), side(if axis == 2 { 0.5 } else { 0.3 }));
                close(capsule(&pose, 0.3, 0.5, &r), side(long));
            }
        }
    }

    #[test]
    fn a_flat_height_field_is_a_box() {
        let data = [0.5f32; 12];
        let field = HeightField { nrow: 3, ncol: 4, size: [1.0, 2.0, 0.8, 0.3], data: &data };
        let pose = pose();
        let box_pose = Pose::new(pose.point(Vec3::new(0.0, 0.0, 0.05)), pose.mat);
        let size = Vec3::new(1.0, 2.0, 0.35);
        for i in 0..500 {
            let a = f64::from(i);
            let target = Vec3::new(0.8 * a.sin(), 1.7 * (2.1 * a).cos(), 0.2 * (0.7 * a).sin());
            let from = Vec3::new(4.0 * (1.3 * a).cos(), 5.0 * (0.3 * a).sin(), 2.0);
            let ray = Ray::new(pose.point(from), pose.mat * (target - from));
            let (a, b) = (height_field(&pose, &field, &ray), cuboid(&box_pose, size, &ray));
            assert_eq!(a.is_some(), b.is_some());
            if let (Some(a), Some(b)) = (a, b) {
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
        }
    }

    /// The nearest hit is that of the nearest of all triangles, for rays in every direction, also along
    /// rows, columns and diagonals.
    #[test]
    fn no_triangle_of_a_height_field_is_overlooked() {
        let (nrow, ncol) = (9, 13);
        let data: Vec<f32> =
            (0..nrow * ncol).map(|k| ((k * k) as f32 * 0.37).sin().abs()).collect();
        let size = [1.2, 0.8, 0.5, 0.1];
        let field = HeightField { nrow, ncol, size, data: &data };
        let [dx, dy] = field.spacing();
        let vertex = |r: usize, c: usize| {
            let z = field.sample(r, c) * size[2];
            Vec3::new(dx * c as f64 - size[0], dy * r as f64 - size[1], z)
        };
        let pose = Pose::new(Vec3::ZERO, Mat3::IDENTITY);
        let mut hits = 0;
        for i in 0..4000 {
            let a = f64::from(i);
            // Inside of the walls and above the base.
            let origin =
                Vec3::new(1.1 * (1.7 * a).sin(), 0.7 * (2.3 * a).cos(), 0.25 + 0.2 * a.sin());
            let dir = match i % 5 {
                0 => Vec3::new(dx, 0.0, -0.05 * a.cos()),
                1 => Vec3::new(0.0, -dy, -0.05 * a.cos()),
                2 => Vec3::new(dx, dy, -0.1 * a.cos().abs()),
                3 => Vec3::new(1e-9, 1e-12 * a.sin(), -1.0),
                _ => Vec3::new((0.9 * a).cos(), (1.1 * a).sin(), -0.3 * (0.6 * a).cos()),
            };
            let ray = Ray::new(origin, dir);
            let basis = ray.basis();
            let mut best = None;
            for (r, c) in (0..nrow - 1).flat_map(|r| (0..ncol - 1).map(move |c| (r, c))) {
                for third in [vertex(r, c + 1), vertex(r + 1, c)] {
                    let corners = [vertex(r, c), vertex(r + 1, c + 1), third];
                    if let Some(t) = triangle(corners, &ray, &basis) {
                        closer(&mut best, t);
                    }
                }
            }
            let Some(best) = best else { continue };
            let end = ray.at(best);
            if end[0].abs() < size[0] && end[1].abs() < size[1] {
                hits += 1;
                let found = height_field(&pose, &field, &ray).unwrap_or(f64::INFINITY);
                // From below the surface, walls and base are seen as well.
                let end = ray.at(found);
                let wall = (0..2).any(|k| end[k].abs() > size[k] - 1e-9) || end[2] < 1e-9;
                assert!(found == best || (wall && found < best), "{i}: {found} {best}");
            }
        }
        assert!(hits > 1500, "{hits}");
    }

    #[test]
    fn nonsense_does_not_panic() {
        let pose = pose();
        let mesh_arrays = TriangleMesh {
            vert: &[[0.0; 3]; 2],
            face: &[[0, 1, 7], [-1, 0, 1]],
            aabb: &[[0.0, 0.0, 0.0, 9.0, 9.0, 9.0]; 3],
            child: &[[0, 0], [1, 2], [-4, 900]],
            nodeid: &[-1, 55, -1],
        };
        for dir in [Vec3::ZERO, Vec3::splat(f64::NAN), Vec3::splat(f64::INFINITY), Vec3::X] {
            let ray = Ray::new(Vec3::new(0.1, 0.2, f64::MAX), dir);
            for ray in [ray, Ray::new(pose.pos, dir)] {
                mesh(&pose, Vec3::splat(5.0), &mesh_arrays, &ray);
                let field =
                    HeightField { nrow: 9, ncol: 9, size: [1.0, 0.0, 1.0, -1.0], data: &[1.0; 4] };
                height_field(&pose, &field, &ray);
                let data = [f32::NAN; 81];
                height_field(&pose, &HeightField { data: &data, ..field }, &ray);
                cylinder(&pose, f64::NAN, -1.0, &ray);
            }
        }
    }
}
