//! Signed distances of a mesh, sampled in an octree.
//!
//! Answers to MuJoCo's `mjCOctree` and to the sampling in `mjCMesh`. Cells that the surface crosses
//! are divided, down to a fixed depth; then cells are divided until neighbours differ by one level
//! at most. Distances are sampled at corners. A corner that lies on an edge or a side of a larger
//! neighbour takes the mean of that edge or side, so that the interpolation is continuous.
//!
//! The sign of a distance follows from the pseudonormal at the nearest feature: Bærentzen and
//! Aanæs, "Signed distance computation using the angle weighted pseudonormal" (2005).

use corten_math::memory::{self, Gather, Grow};
use std::collections::{HashMap, VecDeque};

use corten_math::Vec3;
use corten_math::real::{acos, powi};

use crate::bvh::Bvh;

/// Depth at which cells are not divided for the surface any more.
const MAX_DEPTH: i32 = 6;
/// The tree is larger than the mesh by this factor.
const MARGIN: f64 = 1.1;
/// Distance within which a corner lies on the border of a cell.
const ON_BORDER: f64 = 1e-9;
const NONE: i32 = -1;

/// Cells in MuJoCo's order and layout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceTree {
    pub depth: Vec<i32>,
    pub child: Vec<[i32; 8]>,
    /// Centre and half sizes.
    pub aabb: Vec<[f64; 6]>,
    /// Distance at each corner.
    pub coeff: Vec<[f64; 8]>,
}

/// Samples the distance from a mesh whose faces have the given bounding boxes.
pub(super) fn sample(
    vert: &[Vec3],
    faces: &[[i32; 3]],
    min: Vec3,
    max: Vec3,
    bvh: &Bvh,
) -> DistanceTree {
    let mut tree = Tree::default();
    tree.grow(vert, faces, min, max);
    tree.balance();
    let supports = tree.supports();
    let surface = Surface::new(vert, faces, bvh);
    let mut distance = memory::filled(f64::NAN, tree.corners.len());
    // Supports belong to larger cells, which come first.
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        let cell = &tree.cells[at as usize];
        for corner in cell.corner {
            let corner = corner as usize;
            if distance[corner].is_nan() {
                distance[corner] = match &supports[corner][..] {
                    [] => surface.signed_distance(tree.corners[corner]),
                    list => {
                        let sum = list.iter().fold(0.0, |s, &v| s + distance[v as usize]);
                        sum / list.len() as f64
                    }
                };
            }
        }
        for &child in cell.child.iter().filter(|&&c| c != NONE) {
            memory::push_back(&mut queue, child);
        }
    }
    DistanceTree {
        depth: tree.cells.iter().map(|c| c.depth).gather(),
        child: tree.cells.iter().map(|c| c.child).gather(),
        aabb: tree
            .cells
            .iter()
            .map(|c| {
                let [a, b] = [c.min, c.max];
                std::array::from_fn(|k| match k {
                    0..3 => (a[k] + b[k]) / 2.0,
                    _ => (b[k - 3] - a[k - 3]) / 2.0,
                })
            })
            .gather(),
        coeff: tree.cells.iter().map(|c| c.corner.map(|v| distance[v as usize])).gather(),
    }
}

#[derive(Clone, Debug)]
struct Cell {
    depth: i32,
    parent: i32,
    slot: usize,
    child: [i32; 8],
    min: Vec3,
    max: Vec3,
    corner: [u32; 8],
}

/// Bit `k` of a slot or a corner: the upper half along axis `k`.
fn upper(slot: usize, k: usize) -> bool {
    slot >> k & 1 == 1
}

#[derive(Debug, Default)]
struct Tree {
    cells: Vec<Cell>,
    corners: Vec<Vec3>,
    corner_at: HashMap<[u64; 3], u32>,
}

impl Tree {
    fn grow(&mut self, vert: &[Vec3], faces: &[[i32; 3]], min: Vec3, max: Vec3) {
        let center = Vec3(std::array::from_fn(|k| (min[k] + max[k]) / 2.0));
        let half = Vec3(std::array::from_fn(|k| (max[k] - min[k]) / 2.0));
        let low = Vec3(std::array::from_fn(|k| center[k] - MARGIN * half[k]));
        let high = Vec3(std::array::from_fn(|k| center[k] + MARGIN * half[k]));
        self.add(NONE, 0, 0, low, high);
        let triangle = |f: u32| faces[f as usize].map(|v| vert[v as usize]);
        let mut queue = VecDeque::from([(0usize, (0..faces.len() as u32).gather())]);
        while let Some((at, mut inside)) = queue.pop_front() {
            let cell = &self.cells[at];
            if cell.depth >= MAX_DEPTH {
                continue;
            }
            let (low, high) = (cell.min, cell.max);
            inside.retain(|&f| overlap(triangle(f), low, high));
            if inside.is_empty() {
                continue;
            }
            let first = self.cells.len();
            self.divide(at);
            for slot in 0..8 {
                memory::push_back(&mut queue, (first + slot, memory::copy_of(&inside)));
            }
        }
    }

    fn divide(&mut self, at: usize) {
        let Cell { depth, min, max, .. } = self.cells[at];
        for slot in 0..8 {
            let mut low = min;
            let mut high = max;
            for k in 0..3 {
                if upper(slot, k) {
                    low[k] = (max[k] + min[k]) / 2.0;
                } else {
                    high[k] = (min[k] + max[k]) / 2.0;
                }
            }
            self.cells[at].child[slot] = self.cells.len() as i32;
            self.add(at as i32, slot, depth + 1, low, high);
        }
    }

    fn add(&mut self, parent: i32, slot: usize, depth: i32, min: Vec3, max: Vec3) {
        let corner = std::array::from_fn(|i| {
            let p = Vec3(std::array::from_fn(|k| if upper(i, k) { max[k] } else { min[k] }));
            memory::reserve_entries(&mut self.corner_at, 1);
            // The same number has the same bits, but for the sign of zero.
            *self.corner_at.entry(p.0.map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
                self.corners.grow_push(p);
                self.corners.len() as u32 - 1
            })
        });
        self.cells.grow_push(Cell { depth, parent, slot, child: [NONE; 8], min, max, corner });
    }

    /// The leaf beyond a side; sides are numbered −x, +x, −y, ...
    fn neighbor(&self, cell: usize, side: usize) -> Option<usize> {
        let (k, positive) = (side / 2, side % 2 == 1);
        // Up to the first ancestor with a sibling on that side.
        let mut at = cell;
        let mut found = loop {
            let Cell { parent, slot, .. } = self.cells[at];
            let parent = usize::try_from(parent).ok()?;
            if positive != upper(slot, k) {
                break usize::try_from(self.cells[parent].child[slot ^ (1 << k)]).ok()?;
            }
            at = parent;
        };
        let middle = |c: &Cell, k: usize| (c.min[k] + c.max[k]) / 2.0;
        let own = &self.cells[cell];
        while self.cells[found].child[0] != NONE {
            let other = &self.cells[found];
            let slot = (0..3).fold(0, |slot, j| {
                let up = if j == k { !positive } else { middle(own, j) > middle(other, j) };
                slot | usize::from(up) << j
            });
            found = usize::try_from(other.child[slot]).ok()?;
        }
        Some(found)
    }

    fn leaves(&self) -> Vec<usize> {
        (0..self.cells.len()).filter(|&i| self.cells[i].child[0] == NONE).gather()
    }

    /// Divides leaves until neighbours differ by one level at most.
    fn balance(&mut self) {
        loop {
            let mut coarse = Vec::new();
            for leaf in self.leaves() {
                let depth = self.cells[leaf].depth;
                for side in 0..6 {
                    let Some(other) = self.neighbor(leaf, side) else { continue };
                    let other_depth = self.cells[other].depth;
                    if other_depth > depth + 1 {
                        coarse.grow_push(leaf);
                    }
                    if depth > other_depth + 1 {
                        coarse.grow_push(other);
                    }
                }
            }
            if coarse.is_empty() {
                return;
            }
            for cell in coarse {
                if self.cells[cell].child[0] == NONE {
                    self.divide(cell);
                }
            }
        }
    }

    /// Per corner that lies inside an edge or a side of a larger neighbour, the corners of that
    /// edge or side.
    fn supports(&self) -> Vec<Vec<u32>> {
        let mut supports = memory::filled(Vec::new(), self.corners.len());
        for leaf in self.leaves() {
            for side in 0..6 {
                let Some(other) = self.neighbor(leaf, side) else { continue };
                let other = &self.cells[other];
                if other.depth >= self.cells[leaf].depth {
                    continue;
                }
                let (k, positive) = (side / 2, side % 2);
                for i in 0..4 {
                    let (j, l) = ((k + 1) % 3, (k + 2) % 3);
                    let at = positive << k | (i & 1) << j | (i >> 1) << l;
                    let corner = self.cells[leaf].corner[at] as usize;
                    if supports[corner].is_empty() {
                        supports[corner] = hanging(other, self.corners[corner]);
                    }
                }
            }
        }
        supports
    }
}

/// Corners of the edge or side of a cell that `p` lies inside of.
fn hanging(cell: &Cell, p: Vec3) -> Vec<u32> {
    let low: [bool; 3] = std::array::from_fn(|k| (p[k] - cell.min[k]).abs() < ON_BORDER);
    let high: [bool; 3] = std::array::from_fn(|k| (p[k] - cell.max[k]).abs() < ON_BORDER);
    let free: Vec<usize> = (0..3).filter(|&k| !low[k] && !high[k]).collect();
    let fixed = (0..3).fold(0, |bits, k| bits | usize::from(high[k]) << k);
    match free[..] {
        [k] => [0, 1].map(|b| cell.corner[fixed & !(1 << k) | b << k]).to_vec(),
        [a, b] => {
            // Counted from the axis after the fixed one.
            let d = 3 - a - b;
            let (j, l) = ((d + 1) % 3, (d + 2) % 3);
            let base = usize::from(high[d]) << d;
            (0..4).map(|i| cell.corner[base | (i & 1) << j | (i >> 1) << l]).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a triangle meets a box: Schwarz and Seidel, "Fast parallel surface and solid
/// voxelization on GPUs" (2010).
fn overlap(v: [Vec3; 3], min: Vec3, max: Vec3) -> bool {
    for k in 0..3 {
        if v.iter().all(|p| p[k] < min[k]) || v.iter().all(|p| p[k] > max[k]) {
            return false;
        }
    }
    let edge = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
    let n = edge[0].cross(edge[1]);
    let size = max - min;
    let critical = Vec3(std::array::from_fn(|k| if n[k] > 0.0 { size[k] } else { 0.0 }));
    let offset = n.dot(min);
    if (offset + n.dot(critical - v[0])) * (offset + n.dot(size - critical - v[0])) > 0.0 {
        return false;
    }
    for a in 0..3 {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        let sign = if n[a] >= 0.0 { 1.0 } else { -1.0 };
        for i in 0..3 {
            let (x, y) = (-edge[i][c] * sign, edge[i][b] * sign);
            let d = -(x * v[i][b] + y * v[i][c]) + (size[b] * x).max(0.0) + (size[c] * y).max(0.0);
            if x * min[b] + y * min[c] + d < 0.0 {
                return false;
            }
        }
    }
    true
}

/// A mesh with a normal at every feature.
struct Surface<'a> {
    vert: &'a [Vec3],
    faces: &'a [[i32; 3]],
    bvh: &'a Bvh,
    face_normal: Vec<Vec3>,
    /// Of the edges from corner 0 to 1, 1 to 2, 2 to 0.
    edge_normal: Vec<[Vec3; 3]>,
    vertex_normal: Vec<Vec3>,
}

impl<'a> Surface<'a> {
    fn new(vert: &'a [Vec3], faces: &'a [[i32; 3]], bvh: &'a Bvh) -> Surface<'a> {
        let corners = |f: &[i32; 3]| f.map(|v| vert[v as usize]);
        let face_normal: Vec<Vec3> = faces
            .iter()
            .map(|f| {
                let [a, b, c] = corners(f);
                (b - a).cross(c - a).normalized().0
            })
            .gather();
        let mut edges: HashMap<(i32, i32), Vec3> = memory::map_with_room(3 * faces.len() / 2);
        let mut vertex_normal = memory::zeroed(vert.len());
        let key = |a: i32, b: i32| (a.min(b), a.max(b));
        for (f, &n) in faces.iter().zip(&face_normal) {
            let p = corners(f);
            for i in 0..3 {
                let j = (i + 1) % 3;
                *edges.entry(key(f[i], f[j])).or_insert(Vec3::ZERO) += n;
                let (to, _) = (p[j] - p[i]).normalized();
                let (from, _) = (p[(i + 2) % 3] - p[i]).normalized();
                vertex_normal[f[i] as usize] += n * acos(to.dot(from).clamp(-1.0, 1.0));
            }
        }
        let edge_normal = faces
            .iter()
            .map(|f| std::array::from_fn(|i| edges[&key(f[i], f[(i + 1) % 3])]))
            .gather();
        Surface { vert, faces, bvh, face_normal, edge_normal, vertex_normal }
    }

    fn signed_distance(&self, p: Vec3) -> f64 {
        let mut best = (f64::MAX, 0.0);
        let mut stack = vec![(0, 0.0)];
        while let Some((at, bound)) = stack.pop() {
            if bound >= best.0 {
                continue;
            }
            let [a, b] = self.bvh.child[at];
            if let Ok(face) = usize::try_from(self.bvh.nodeid[at]) {
                let (squared, outward) = self.nearest(face, p);
                if squared < best.0 {
                    best = (squared, outward);
                }
                continue;
            }
            let mut next: Vec<(usize, f64)> = [a, b]
                .into_iter()
                .filter_map(|c| usize::try_from(c).ok())
                .map(|c| (c, self.box_distance(c, p)))
                .collect();
            next.sort_by(|x, y| y.1.total_cmp(&x.1));
            stack.extend(next);
        }
        let distance = best.0.sqrt();
        if best.1 >= 0.0 { distance } else { -distance }
    }

    /// Squared distance from the box of a node.
    fn box_distance(&self, node: usize, p: Vec3) -> f64 {
        let b = &self.bvh.aabb[node];
        (0..3).map(|k| powi(((p[k] - b[k]).abs() - b[k + 3]).max(0.0), 2)).sum()
    }

    /// Squared distance from a face, and the component of the difference along the normal of the
    /// nearest feature (Ericson, "Real-Time Collision Detection", 5.1.5).
    fn nearest(&self, face: usize, p: Vec3) -> (f64, f64) {
        let f = self.faces[face];
        let [a, b, c] = f.map(|v| self.vert[v as usize]);
        let (ab, ac, ap) = (b - a, c - a, p - a);
        let result = |q: Vec3, n: Vec3| ((p - q).norm_squared(), (p - q).dot(n));
        let vertex = |i: usize, q: Vec3| result(q, self.vertex_normal[f[i] as usize]);
        let edge = |i: usize, q: Vec3| result(q, self.edge_normal[face][i]);
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return vertex(0, a);
        }
        let bp = p - b;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return vertex(1, b);
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return edge(0, a + ab * (d1 / (d1 - d3)));
        }
        let cp = p - c;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return vertex(2, c);
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return edge(2, a + ac * (d2 / (d2 - d6)));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return edge(1, b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))));
        }
        let scale = 1.0 / (va + vb + vc);
        result(a + ab * (vb * scale) + ac * (vc * scale), self.face_normal[face])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Settings, Source, process};

    /// Distances from a box have a closed form.
    #[test]
    fn corners_of_cells_have_the_distance_of_a_box() {
        let half = [0.5f32, 1.0, 1.5];
        let vert = (0..8)
            .map(|i| std::array::from_fn(|k| if upper(i, k) { half[k] } else { -half[k] }))
            .collect();
        let settings = Settings { need_distance: true, ..Settings::default() };
        let mesh = process(&Source { vert, ..Source::default() }, &settings).unwrap();
        let tree = &mesh.distance;
        assert!(tree.depth.len() > 1000 && tree.depth.iter().all(|&d| d <= MAX_DEPTH));
        let mut sampled = 0;
        for (b, coeff) in tree.aabb.iter().zip(&tree.coeff) {
            for (i, &found) in coeff.iter().enumerate() {
                let q = Vec3(std::array::from_fn(|k| {
                    let x = if upper(i, k) { b[k] + b[k + 3] } else { b[k] - b[k + 3] };
                    x.abs() - mesh.max[k]
                }));
                let outside = q.max(Vec3::ZERO).norm();
                let expected = outside + q[0].max(q[1]).max(q[2]).min(0.0);
                // Corners on larger neighbours are interpolated.
                sampled += usize::from((found - expected).abs() < 1e-6);
                assert!((found - expected).abs() < 0.1);
            }
        }
        assert!(sampled > 7 * tree.depth.len());
    }
}
