//! Posed convex shapes, borrowed from model arrays, and their support functions.
//!
//! A support function returns the point of the shape that lies farthest along a direction. All
//! convex queries (GJK, EPA, contact recovery, height fields) see a shape only through it, so
//! where several points are equally far the choice made here decides which contact point comes
//! out. The choices are those of `mjc_*Support` in MuJoCo's `engine_collision_convex.c`:
//! comparisons are strict, the sign of a zero component counts as positive, and searches on
//! meshes start from the vertex that the previous query of the same shape returned.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use corten_math::array;
use corten_math::{MIN_VAL, Mat3, Vec3};

use crate::extremes::{Extreme, Extremes, Hint};

/// Squared length below which a direction has no usable component.
pub(crate) const MIN_VAL_SQUARED: f64 = MIN_VAL * MIN_VAL;

/// Meshes with fewer vertices are searched exhaustively: a climb would not be shorter.
const CLIMB_MIN_VERTICES: usize = 10;

/// Position and orientation of a shape: `world = mat * local + pos`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pub pos: Vec3,
    pub mat: Mat3,
}

impl Pose {
    pub const IDENTITY: Pose = Pose { pos: Vec3::ZERO, mat: Mat3::IDENTITY };

    #[inline]
    pub fn new(pos: Vec3, mat: Mat3) -> Pose {
        Pose { pos, mat }
    }

    /// A local point in world coordinates.
    #[inline]
    pub fn point(&self, local: Vec3) -> Vec3 {
        self.mat * local + self.pos
    }

    /// This pose as seen from `frame`.
    #[inline]
    pub fn relative_to(&self, frame: &Pose) -> Pose {
        Pose { pos: frame.mat.tmul(self.pos - frame.pos), mat: frame.mat.tmul_mat(&self.mat) }
    }
}

/// Vertices of a mesh with what speeds up or enriches queries on its hull.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    pub vert: &'a [[f32; 3]],
    pub graph: Option<HullGraph<'a>>,
    /// Needed where several contacts of a pair are asked for.
    pub polygons: Option<Polygons<'a>>,
    /// Extreme vertices of the hull; nothing depends on it but time.
    pub extremes: Option<&'a Extremes>,
}

impl<'a> Mesh<'a> {
    /// A mesh without hull graph and polygons.
    pub fn new(vert: &'a [[f32; 3]]) -> Mesh<'a> {
        Mesh { vert, graph: None, polygons: None, extremes: None }
    }

    /// Whether extreme vertices are found by climbing along the hull.
    fn is_climbed(&self) -> bool {
        self.graph.is_some() && self.vert.len() >= CLIMB_MIN_VERTICES
    }

    /// A table of the extreme vertices, if the hull has any use for one.
    /// `changed` is set by the first search that finds the mesh changed.
    pub fn tabulate(&self, changed: &Arc<AtomicBool>) -> Option<Extremes> {
        let graph = self.graph.as_ref().filter(|_| self.is_climbed())?;
        Extremes::new(self.vert, graph, changed)
    }

    /// Whether a table is that of this mesh.
    pub fn is_tabulated_by(&self, extremes: &Extremes) -> bool {
        let graph = self.graph.as_ref().filter(|_| self.is_climbed());
        graph.is_some_and(|graph| extremes.describes(self.vert, graph))
    }

    /// The vertex farthest along a unit vector, if the table knows one that is clearly so.
    #[inline]
    pub(crate) fn extreme(&self, dir: Vec3, hint: Hint) -> Option<Extreme> {
        self.extremes?.find(self, dir, hint)
    }

    /// Vertex `i` in the mesh frame.
    #[inline]
    pub fn vertex(&self, i: i32) -> Vec3 {
        let v = usize::try_from(i).ok().and_then(|i| self.vert.get(i)).copied().unwrap_or_default();
        Vec3(v.map(f64::from))
    }
}

/// Edges of a mesh's convex hull, in the layout of `mesh_graph`.
///
/// Hull vertices are numbered by `0..len`; neighbours of `i` are `edge_localid[edgeadr[i]..]` up to
/// a negative entry, and `globalid[i]` is the vertex's number in the mesh.
#[derive(Clone, Copy, Debug)]
pub struct HullGraph<'a> {
    pub edgeadr: &'a [i32],
    pub globalid: &'a [i32],
    pub edge_localid: &'a [i32],
}

impl<'a> HullGraph<'a> {
    /// The graph that starts at the beginning of `graph`: vertex count, face count, edge addresses,
    /// vertex numbers, edges. `None` if the slice is too short for what it announces.
    #[inline]
    pub fn parse(graph: &'a [i32]) -> Option<HullGraph<'a>> {
        let count = usize::try_from(*graph.first()?).ok().filter(|&n| n > 0)?;
        let (edgeadr, rest) = graph.get(2..)?.split_at_checked(count)?;
        let (globalid, edge_localid) = rest.split_at_checked(count)?;
        Some(HullGraph { edgeadr, globalid, edge_localid })
    }

    /// Hull numbers of the neighbours of hull vertex `i`.
    #[inline]
    pub fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> + use<'a> {
        let start = self.edgeadr.get(i).map_or(usize::MAX, |&a| a as usize);
        let count = self.globalid.len();
        self.edge_localid
            .get(start..)
            .unwrap_or_default()
            .iter()
            .map(|&j| j as usize)
            .take_while(move |&j| j < count)
    }

    /// Number in the mesh of hull vertex `i`.
    #[inline]
    pub fn vertex(&self, i: usize) -> i32 {
        self.globalid.get(i).copied().unwrap_or(0)
    }
}

/// Flat faces of a mesh's convex hull, and the faces around each vertex, in the layout of the
/// `mesh_poly*` arrays. Per-polygon and per-vertex slices belong to one mesh; `vert` and `map` are
/// the whole arrays, addressed by `vertadr` and `mapadr`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Polygons<'a> {
    pub normal: &'a [Vec3],
    pub vertadr: &'a [i32],
    pub vertnum: &'a [i32],
    pub vert: &'a [i32],
    pub mapadr: &'a [i32],
    pub mapnum: &'a [i32],
    pub map: &'a [i32],
}

impl<'a> Polygons<'a> {
    /// Polygons that meet at a vertex of the mesh.
    pub fn around(&self, vertex: i32) -> &'a [i32] {
        run(self.map, self.mapadr, self.mapnum, vertex)
    }

    /// Vertices of a polygon, counter-clockwise seen from outside.
    pub fn corners(&self, polygon: i32) -> &'a [i32] {
        run(self.vert, self.vertadr, self.vertnum, polygon)
    }

    /// Outward normal of a polygon, in the mesh frame.
    pub fn normal(&self, polygon: i32) -> Vec3 {
        usize::try_from(polygon).ok().and_then(|i| self.normal.get(i)).copied().unwrap_or_default()
    }
}

/// `values[adr[i]..][..num[i]]`, empty if that lies outside.
fn run<'a>(values: &'a [i32], adr: &[i32], num: &[i32], i: i32) -> &'a [i32] {
    let range = || {
        let i = usize::try_from(i).ok()?;
        let start = usize::try_from(*adr.get(i)?).ok()?;
        let len = usize::try_from(*num.get(i)?).ok()?;
        values.get(start..)?.get(..len)
    };
    range().unwrap_or_default()
}

/// Local form of a convex shape.
#[derive(Clone, Copy, Debug)]
pub enum Geometry<'a> {
    Sphere {
        radius: f64,
    },
    /// Around the local z axis.
    Capsule {
        radius: f64,
        half_length: f64,
    },
    /// Semi-axes.
    Ellipsoid {
        size: Vec3,
    },
    /// Around the local z axis.
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    /// Half-lengths.
    Box {
        size: Vec3,
    },
    /// The convex hull of a mesh. A signed distance field is seen as the hull of its mesh, but
    /// not as a shape with flat faces.
    Mesh {
        mesh: Mesh<'a>,
        faceted: bool,
    },
    /// A triangular column of a height field: three bottom corners, three top corners, in the
    /// frame of the query.
    Prism {
        corners: [Vec3; 6],
    },
    /// Up to four points in the frame of the query, rounded: an element or vertex of a flex.
    Simplex {
        corners: [Vec3; 4],
        count: usize,
        radius: f64,
    },
    /// The centre alone: a sphere without its radius.
    Point,
    /// The axis of a capsule.
    Segment {
        half_length: f64,
    },
}

impl Geometry<'_> {
    /// How far a primitive reaches along a unit vector in its own frame. Of other shapes nothing
    /// is known.
    #[inline]
    pub fn reach(&self, dir: Vec3) -> f64 {
        match self {
            Geometry::Sphere { radius } => *radius,
            Geometry::Capsule { radius, half_length } => radius + half_length * dir[2].abs(),
            Geometry::Ellipsoid { size } => dir.component_mul(*size).norm(),
            Geometry::Cylinder { radius, half_length } => {
                let across = (dir[0] * dir[0] + dir[1] * dir[1]).sqrt();
                radius * across + half_length * dir[2].abs()
            }
            Geometry::Box { size } => dir.abs().dot(*size),
            _ => f64::INFINITY,
        }
    }
}

/// The middle of a sphere or a capsule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Core {
    radius: f64,
    /// Of a capsule.
    half_length: Option<f64>,
}

impl Core {
    /// Without the radius.
    pub fn geometry<'a>(&self) -> Geometry<'a> {
        match self.half_length {
            Some(half_length) => Geometry::Segment { half_length },
            None => Geometry::Point,
        }
    }

    /// The shape itself.
    pub fn rounded<'a>(&self) -> Geometry<'a> {
        let radius = self.radius;
        match self.half_length {
            Some(half_length) => Geometry::Capsule { radius, half_length },
            None => Geometry::Sphere { radius },
        }
    }
}

/// A convex shape, its pose, and the memory of the last support query.
#[derive(Clone, Debug)]
pub struct Shape<'a> {
    pub pose: Pose,
    pub geometry: Geometry<'a>,
    /// The shape is inflated by half of this.
    pub margin: f64,
    /// Radius of a sphere around the pose's origin that holds the shape, without margin.
    pub rbound: f64,
    /// Corner of a box or vertex of a mesh that the last query returned; −1 before the first and
    /// for shapes without corners.
    pub(crate) vertex: i32,
    /// The same vertex, numbered along the hull graph.
    climb_start: usize,
}

impl<'a> Shape<'a> {
    #[inline(always)]
    pub fn new(pose: Pose, geometry: Geometry<'a>, margin: f64) -> Shape<'a> {
        Shape::bounded(pose, geometry, margin, f64::INFINITY)
    }

    /// A shape with a known radius around its origin.
    #[inline(always)]
    pub fn bounded(pose: Pose, geometry: Geometry<'a>, margin: f64, rbound: f64) -> Shape<'a> {
        Shape { pose, geometry, margin, rbound, vertex: -1, climb_start: 0 }
    }

    /// This shape as seen from `frame`.
    pub fn relative_to(&self, frame: &Pose) -> Shape<'a> {
        let mut shape = self.clone();
        shape.pose = self.pose.relative_to(frame);
        match &mut shape.geometry {
            Geometry::Simplex { corners, .. } => {
                *corners = corners.map(|c| frame.mat.tmul(c - frame.pos));
            }
            Geometry::Prism { corners } => {
                *corners = corners.map(|c| frame.mat.tmul(c - frame.pos));
            }
            _ => {}
        }
        shape
    }

    /// Forgets earlier queries, so that the next one starts like the first.
    pub fn reset(&mut self) {
        (self.vertex, self.climb_start) = (-1, 0);
    }

    /// Corners only, no rounding: GJK and EPA end after finitely many steps.
    pub(crate) fn is_polyhedral(&self) -> bool {
        self.margin == 0.0
            && matches!(
                self.geometry,
                Geometry::Box { .. }
                    | Geometry::Prism { .. }
                    | Geometry::Mesh { faceted: true, .. }
            )
    }

    /// For spheres and capsules: the thin shape in the middle, and the radius around it
    /// including the margin's half.
    pub(crate) fn core(&self) -> Option<(Core, f64)> {
        let core = match self.geometry {
            Geometry::Sphere { radius } => Core { radius, half_length: None },
            Geometry::Capsule { radius, half_length } => {
                Core { radius, half_length: Some(half_length) }
            }
            _ => return None,
        };
        Some((core, core.radius + 0.5 * self.margin))
    }

    /// A point well inside.
    pub fn center(&self) -> Vec3 {
        match &self.geometry {
            Geometry::Prism { corners } => {
                corners.iter().fold(Vec3::ZERO, |sum, &c| sum + c) * (1.0 / 6.0)
            }
            _ => self.pose.pos,
        }
    }

    /// The farthest point along the unit vector `dir` of the shape inflated by its margin.
    #[inline(always)]
    pub fn support(&mut self, dir: Vec3) -> Vec3 {
        let point = self.bare_support(dir);
        if self.margin > 0.0 { point + dir * (0.5 * self.margin) } else { point }
    }

    /// [`Shape::support`] for meshes, and where the next search along this direction may start.
    /// `columns` are those of the pose's matrix.
    #[inline(always)]
    pub(crate) fn hull_support(&mut self, columns: &Mat3, dir: Vec3, hint: Hint) -> (Vec3, Hint) {
        let (point, hint) = self.bare_hull_support(columns, dir, hint);
        (if self.margin > 0.0 { point + dir * (0.5 * self.margin) } else { point }, hint)
    }

    // Hints are passed and returned, not written to where they were: a pair of them is read as a
    // whole right afterwards, and the processor waits where it reads what was written in parts.
    #[inline(always)]
    fn bare_hull_support(&mut self, columns: &Mat3, dir: Vec3, hint: Hint) -> (Vec3, Hint) {
        let Geometry::Mesh { mesh, .. } = &self.geometry else { return (self.pose.pos, hint) };
        match mesh.extreme(self.pose.mat.tmul(dir), hint) {
            Some(found) => {
                (self.vertex, self.climb_start) = (found.vertex, found.corner);
                (columns.tmul(found.position) + self.pose.pos, found.hint)
            }
            None => {
                let [x, y, z] = dir.0;
                let (Vec3([x, y, z]), hint) = self.tied_support(x, y, z, hint);
                (Vec3::new(x, y, z), hint)
            }
        }
    }

    /// Where several vertices of a mesh are equally far along a direction, or nearly so, and for
    /// meshes without table. The direction comes by coordinates: in registers, where those who call
    /// this seldom keep it anyway.
    #[cold]
    #[inline(never)]
    fn tied_support(&mut self, x: f64, y: f64, z: f64, hint: Hint) -> (Vec3, Hint) {
        let Geometry::Mesh { mesh, .. } = &self.geometry else { return (self.pose.pos, hint) };
        let dir = self.pose.mat.tmul(Vec3::new(x, y, z));
        if let Some(found) = mesh.extremes.and_then(|e| e.follow(mesh.vert, dir, self.climb_start))
        {
            (self.vertex, self.climb_start) = (found.vertex, found.corner);
            return (self.pose.point(found.position), found.hint);
        }
        match &mesh.graph {
            Some(graph) if mesh.is_climbed() => {
                self.climb_start = climb(mesh.vert, graph, dir, self.climb_start);
                self.vertex = graph.vertex(self.climb_start);
            }
            _ => self.vertex = search(mesh.vert, dir, self.vertex),
        }
        (self.pose.point(mesh.vertex(self.vertex)), hint)
    }

    /// The farthest point along the unit vector `dir`, without margin.
    #[inline(always)]
    pub fn bare_support(&mut self, dir: Vec3) -> Vec3 {
        let mat = &self.pose.mat;
        let local = match &self.geometry {
            Geometry::Mesh { .. } => {
                return self.bare_hull_support(&mat.transpose(), dir, Hint::NONE).0;
            }
            Geometry::Box { size } => {
                let corner = signed(mat.tmul(dir), *size);
                self.vertex = (0..3).map(|k| i32::from(corner[k] > 0.0) << k).sum();
                corner
            }
            Geometry::Capsule { radius, half_length } => {
                let dir = mat.tmul(dir);
                let mut p = dir * *radius;
                p[2] += if dir[2] >= 0.0 { *half_length } else { -half_length };
                p
            }
            Geometry::Cylinder { radius, half_length } => {
                let dir = mat.tmul(dir);
                let n2 = dir[0] * dir[0] + dir[1] * dir[1];
                let scale = if n2 >= MIN_VAL_SQUARED { radius / n2.sqrt() } else { 0.0 };
                let z = if dir[2] >= 0.0 { *half_length } else { -half_length };
                Vec3::new(scale * dir[0], scale * dir[1], z)
            }
            Geometry::Ellipsoid { size } => {
                // The ellipsoid is the unit sphere stretched by S = diag(size): its support along d
                // is S u with u = S d / |S d|.
                let stretched = mat.tmul(dir).component_mul(*size);
                let n2 = stretched.norm_squared();
                if n2 < MIN_VAL_SQUARED {
                    return mat.col(0) * size[0] + self.pose.pos;
                }
                stretched.component_mul(*size * (1.0 / n2.sqrt()))
            }
            Geometry::Sphere { radius } => return dir * *radius + self.pose.pos,
            Geometry::Point => return self.pose.pos,
            Geometry::Segment { half_length } => {
                let axis = mat.col(2);
                let z = if axis.dot(dir) >= 0.0 { *half_length } else { -half_length };
                return axis * z + self.pose.pos;
            }
            Geometry::Prism { corners } => {
                let side = if dir[2] < 0.0 { &corners[..3] } else { &corners[3..] };
                return farthest(side, dir);
            }
            Geometry::Simplex { corners, count, radius } => {
                let count = (*count).clamp(1, 4);
                return farthest(&corners[..count], dir) + dir * *radius;
            }
        };
        self.pose.point(local)
    }
}

/// `size` with the signs of `dir`, zero counting as positive.
#[inline]
fn signed(dir: Vec3, size: Vec3) -> Vec3 {
    Vec3(array::from_fn(|k| if dir[k] >= 0.0 { size[k] } else { -size[k] }))
}

/// The first of the points farthest along `dir`; `points` is not empty.
fn farthest(points: &[Vec3], dir: Vec3) -> Vec3 {
    let mut best = points[0];
    let mut reach = best.dot(dir);
    for &p in &points[1..] {
        let d = p.dot(dir);
        if d > reach {
            (best, reach) = (p, d);
        }
    }
    best
}

#[inline]
fn reach(v: &[f32; 3], dir: Vec3) -> f64 {
    dir[0] * f64::from(v[0]) + dir[1] * f64::from(v[1]) + dir[2] * f64::from(v[2])
}

/// The vertex farthest along `dir`: `warm` unless another is strictly farther.
fn search(vert: &[[f32; 3]], dir: Vec3, warm: i32) -> i32 {
    let mut best = warm.max(0);
    let mut max = match usize::try_from(warm).ok().and_then(|i| vert.get(i)) {
        Some(v) => reach(v, dir),
        None => -f64::from(f32::MAX),
    };
    for (i, v) in vert.iter().enumerate() {
        let d = reach(v, dir);
        if d > max {
            (best, max) = (i as i32, d);
        }
    }
    best
}

/// Steepest ascent along the hull's edges from hull vertex `start`.
///
/// The start itself is not a candidate: the first round moves to the best neighbour even if it
/// is lower, and returns only if that was strictly lower. Among equally far vertices (a face
/// perpendicular to `dir`) this decides which one is found.
fn climb(vert: &[[f32; 3]], graph: &HullGraph<'_>, dir: Vec3, start: usize) -> usize {
    let mut max = -f64::from(f32::MAX);
    let mut best = start;
    loop {
        let current = best;
        let start = graph.edgeadr.get(current).map_or(usize::MAX, |&adr| adr as usize);
        for &i in graph.edge_localid.get(start..).unwrap_or_default() {
            // A negative number ends the list, as any other outside the hull does.
            let Some(&id) = graph.globalid.get(i as usize) else { break };
            let Some(v) = vert.get(id as usize) else { continue };
            let d = reach(v, dir);
            if d > max {
                (best, max) = (i as usize, d);
            }
        }
        if best == current {
            return best;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two rotations away from any axis alignment.
    fn pose() -> Pose {
        let axis = Vec3::new(1.0, -2.0, 0.5).normalized().0;
        let mat = corten_math::Quat::from_axis_angle(axis, 0.7).to_mat();
        Pose::new(Vec3::new(0.3, -0.2, 1.1), mat)
    }

    fn directions() -> impl Iterator<Item = Vec3> {
        // A Fibonacci lattice on the sphere.
        (0..200).map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 200.0;
            let r = (1.0 - z * z).sqrt();
            let (s, c) = (2.399963229728653 * f64::from(i)).sin_cos();
            Vec3::new(r * c, r * s, z)
        })
    }

    /// Support value `h(d) = max <p, d>` in closed form, relative to the centre.
    #[test]
    fn support_reaches_the_closed_form() {
        let size = Vec3::new(0.1, 0.25, 0.4);
        let (radius, half_length) = (0.2, 0.5);
        type Reach = Box<dyn Fn(Vec3) -> f64>;
        let cases: Vec<(Geometry<'_>, Reach)> = vec![
            (Geometry::Sphere { radius }, Box::new(move |_| radius)),
            (
                Geometry::Capsule { radius, half_length },
                Box::new(move |d| radius + half_length * d[2].abs()),
            ),
            (Geometry::Ellipsoid { size }, Box::new(move |d| d.component_mul(size).norm())),
            (
                Geometry::Cylinder { radius, half_length },
                Box::new(move |d| radius * d[0].hypot(d[1]) + half_length * d[2].abs()),
            ),
            (Geometry::Box { size }, Box::new(move |d| d.abs().dot(size))),
            (Geometry::Segment { half_length }, Box::new(move |d| half_length * d[2].abs())),
        ];
        let pose = pose();
        for (geometry, closed_form) in cases {
            let mut shape = Shape::new(pose, geometry, 0.06);
            for d in directions() {
                let found = (shape.support(d) - pose.pos).dot(d);
                let reach = closed_form(pose.mat.tmul(d));
                let expected = reach + 0.03;
                let known = geometry.reach(pose.mat.tmul(d));
                assert!((known - reach).abs() < 1e-14 || known == f64::INFINITY);
                assert!((found - expected).abs() < 1e-14, "{geometry:?}: {found} {expected}");
            }
        }
    }

    /// An octahedron of given half axes, and its graph.
    pub(crate) fn octahedron(axes: [f32; 3]) -> (Vec<[f32; 3]>, Vec<i32>) {
        let vert = (0..6).map(|i| {
            let sign = 1.0 - 2.0 * (i % 2) as f32;
            array::from_fn(|k| if i / 2 == k { sign * axes[k] } else { 0.0 })
        });
        let mut graph = vec![6, 8];
        graph.extend((0..6).map(|i| 5 * i));
        graph.extend(0..6);
        for i in 0..6 {
            graph.extend((0..6).filter(|&j| j != i && j != (i ^ 1)));
            graph.push(-1);
        }
        (vert.collect(), graph)
    }

    /// On an octahedron padded to twelve vertices, climbing finds what the exhaustive search
    /// finds.
    #[test]
    fn climbing_equals_searching() {
        let (mut vert, graph) = octahedron([1.0, 1.5, 2.0]);
        vert.resize(12, [0.0; 3]);
        let climbing = Mesh { graph: HullGraph::parse(&graph), ..Mesh::new(&vert) };
        let mut a = Shape::new(pose(), Geometry::Mesh { mesh: climbing, faceted: true }, 0.0);
        let mut b =
            Shape::new(pose(), Geometry::Mesh { mesh: Mesh::new(&vert), faceted: true }, 0.0);
        for d in directions() {
            assert_eq!(a.support(d), b.support(d));
        }
    }

    #[test]
    fn nonsense_meshes_do_not_panic() {
        let vert = [[f32::NAN; 3]; 12];
        let graphs: [&[i32]; 5] = [
            &[],
            &[-3, 0],
            &[9, 0, 1],
            &[2, 0, 0, 900, 0, 1, 1, -1],
            &[2, 0, -7, 1, 44, -5, 1, 0, 1, 0],
        ];
        for graph in graphs {
            for vert in [&vert[..], &vert[..0]] {
                let mesh = Mesh { graph: HullGraph::parse(graph), ..Mesh::new(vert) };
                let mut s = Shape::new(pose(), Geometry::Mesh { mesh, faceted: true }, 0.1);
                for d in [Vec3::X, Vec3::ZERO, Vec3::splat(f64::NAN)] {
                    s.support(d);
                }
            }
        }
    }
}
