//! Flat sides of a surface: triangles of nearly equal normal, joined to polygons.
//!
//! Answers to MuJoCo's `mjCMesh::MakePolygons`. Triangles are grouped by a search tree over their
//! normals. "Nearly equal" is not transitive, so that which group a triangle finds depends on the
//! shape of the tree: it is the red-black tree of MuJoCo's standard library, and triangles come in
//! the same order. A group may have several connected pieces; each is a polygon of its own.

use corten_math::{MIN_VAL, Vec3};

/// Cosine above which triangles belong to one side (about 0.09°).
const SAME_SIDE: f64 = 0.99999872;
/// Twice the area below which a triangle has no normal.
const NO_AREA: f64 = 1e-14;

/// Sides of a surface, each a counter-clockwise loop of vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    pub loops: Vec<Vec<i32>>,
    pub normals: Vec<Vec3>,
    /// Per vertex, the sides that it belongs to.
    pub of_vertex: Vec<Vec<i32>>,
}

impl Polygons {
    /// Recomputes normals, after vertices have moved.
    pub(super) fn update_normals(&mut self, vert: &[Vec3]) {
        self.normals = self
            .loops
            .iter()
            .map(|l| {
                let n = scaled_normal(vert, [l[0], l[1], l[2]]);
                if n.is_finite() { n } else { Vec3::X }
            })
            .collect();
    }
}

/// Unit normal of a triangle. Without area, x divided by what there is of it, which is infinite if
/// there is none: such triangles form groups of their own.
fn scaled_normal(vert: &[Vec3], [a, b, c]: [i32; 3]) -> Vec3 {
    let [a, b, c] = [a, b, c].map(|i| vert[i as usize]);
    let n = (b - a).cross(c - a);
    let length = n.norm();
    let n = if length < NO_AREA { Vec3::X } else { n };
    Vec3(n.0.map(|x| x / length))
}

/// Joins the triangles of a surface. Sides are ordered by decreasing normal.
pub(super) fn join(vert: &[Vec3], faces: &[[i32; 3]]) -> Polygons {
    let mut tree = Tree::default();
    for &face in faces {
        let normal = scaled_normal(vert, face);
        match tree.find(normal) {
            Some(side) => tree.nodes[side].side.insert(face),
            None => tree.insert(normal, face),
        }
    }
    let mut out = Polygons { of_vertex: vec![Vec::new(); vert.len()], ..Polygons::default() };
    for node in tree.in_order() {
        for path in tree.nodes[node].side.paths() {
            for &v in &path {
                out.of_vertex[v as usize].push(out.loops.len() as i32);
            }
            out.loops.push(path);
        }
    }
    out.update_normals(vert);
    out
}

/// Whether a side comes before another: neither does if they are nearly equal.
fn before(a: Vec3, b: Vec3) -> bool {
    if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > SAME_SIDE {
        return false;
    }
    (0..3).find(|&k| (a[k] - b[k]).abs() > MIN_VAL).is_some_and(|k| a[k] > b[k])
}

/// The boundary of triangles of one normal.
#[derive(Debug)]
struct Side {
    /// Directed edges without partner, each with the connected piece that it bounds.
    edges: Vec<Edge>,
    pieces: u32,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: i32,
    to: i32,
    piece: u32,
}

impl Side {
    fn new([a, b, c]: [i32; 3]) -> Side {
        let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| Edge { from, to, piece: 0 });
        Side { edges: edges.to_vec(), pieces: 1 }
    }

    /// Adds a triangle: edges shared with it become interior, pieces that it connects become one.
    fn insert(&mut self, [a, b, c]: [i32; 3]) {
        let mut piece: Option<u32> = None;
        let directed = [(a, b), (b, c), (c, a)];
        let mut boundary = [true; 3];
        for (k, (from, to)) in directed.into_iter().enumerate() {
            let Some(i) = self.edges.iter().position(|e| e.from == to && e.to == from) else {
                continue;
            };
            let other = self.edges[i].piece;
            match piece {
                None => piece = Some(other),
                Some(mine) if mine != other => {
                    piece = Some(mine.min(other));
                    self.join_pieces(mine.min(other), mine.max(other));
                }
                Some(_) => {}
            }
            boundary[k] = false;
            self.edges.remove(i);
        }
        let piece = piece.unwrap_or_else(|| {
            self.pieces += 1;
            self.pieces - 1
        });
        for (k, (from, to)) in directed.into_iter().enumerate() {
            if boundary[k] {
                self.edges.push(Edge { from, to, piece });
            }
        }
    }

    /// Gives `high` the number `low`, and closes the gap.
    fn join_pieces(&mut self, low: u32, high: u32) {
        self.pieces -= 1;
        for e in &mut self.edges {
            if e.piece == high {
                e.piece = low;
            } else if e.piece > high {
                e.piece -= 1;
            }
        }
    }

    /// The closed loop of each piece that has one.
    fn paths(&self) -> Vec<Vec<i32>> {
        if let [a, b, c] = self.edges[..] {
            return vec![vec![a.from, b.from, c.from]];
        }
        (0..self.pieces).filter_map(|piece| self.trace(piece)).collect()
    }

    fn trace(&self, piece: u32) -> Option<Vec<i32>> {
        let start = self.edges.iter().find(|e| e.piece == piece)?;
        let mut path = vec![start.from, start.to];
        let mut at = start.to;
        for _ in 0..self.edges.len() {
            // The first edge of all is where the first piece starts.
            let next = self.edges[1..].iter().find(|e| e.piece == piece && e.from == at)?;
            at = next.to;
            if at == path[0] {
                return (path.len() >= 3).then_some(path);
            }
            path.push(at);
        }
        None
    }
}

const NONE: usize = usize::MAX;

/// A red-black tree of sides by normal.
#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
    root: usize,
}

#[derive(Debug)]
struct Node {
    normal: Vec3,
    /// Left, right.
    child: [usize; 2],
    parent: usize,
    black: bool,
    side: Side,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree { nodes: Vec::new(), root: NONE }
    }
}

impl Tree {
    /// The lowest side not before `normal`, if `normal` is not before it.
    fn find(&self, normal: Vec3) -> Option<usize> {
        let (mut at, mut found) = (self.root, NONE);
        while at != NONE {
            let node = &self.nodes[at];
            let right = before(node.normal, normal);
            if !right {
                found = at;
            }
            at = node.child[usize::from(right)];
        }
        (found != NONE && !before(normal, self.nodes[found].normal)).then_some(found)
    }

    /// Adds a side, unless on the way down there is an equal one: then the triangle is dropped.
    fn insert(&mut self, normal: Vec3, face: [i32; 3]) {
        let (mut at, mut parent, mut direction) = (self.root, NONE, 0);
        while at != NONE {
            let node = &self.nodes[at];
            direction = if before(normal, node.normal) {
                0
            } else if before(node.normal, normal) {
                1
            } else {
                return;
            };
            parent = at;
            at = node.child[direction];
        }
        let new = self.nodes.len();
        self.nodes.push(Node {
            normal,
            child: [NONE; 2],
            parent,
            black: false,
            side: Side::new(face),
        });
        match parent {
            NONE => self.root = new,
            _ => self.nodes[parent].child[direction] = new,
        }
        self.rebalance(new);
    }

    fn rebalance(&mut self, new: usize) {
        let mut x = new;
        loop {
            let parent = self.nodes[x].parent;
            if parent == NONE {
                self.nodes[x].black = true;
                return;
            }
            if self.nodes[parent].black {
                return;
            }
            // A red node is never the root.
            let grand = self.nodes[parent].parent;
            let side = usize::from(self.nodes[grand].child[1] == parent);
            let uncle = self.nodes[grand].child[1 - side];
            if uncle != NONE && !self.nodes[uncle].black {
                self.nodes[parent].black = true;
                self.nodes[uncle].black = true;
                self.nodes[grand].black = false;
                x = grand;
                continue;
            }
            let mut top = parent;
            if self.nodes[parent].child[1 - side] == x {
                self.rotate(parent, side);
                top = x;
            }
            self.nodes[top].black = true;
            self.nodes[grand].black = false;
            self.rotate(grand, 1 - side);
            return;
        }
    }

    /// Moves `x` down to the given side; its child on the other side takes its place.
    fn rotate(&mut self, x: usize, side: usize) {
        let y = self.nodes[x].child[1 - side];
        let inner = self.nodes[y].child[side];
        self.nodes[x].child[1 - side] = inner;
        if inner != NONE {
            self.nodes[inner].parent = x;
        }
        let parent = self.nodes[x].parent;
        self.nodes[y].parent = parent;
        match parent {
            NONE => self.root = y,
            _ => {
                let at = usize::from(self.nodes[parent].child[1] == x);
                self.nodes[parent].child[at] = y;
            }
        }
        self.nodes[y].child[side] = x;
        self.nodes[x].parent = y;
    }

    fn in_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut stack = Vec::new();
        let mut at = self.root;
        while at != NONE || !stack.is_empty() {
            while at != NONE {
                stack.push(at);
                at = self.nodes[at].child[0];
            }
            if let Some(node) = stack.pop() {
                order.push(node);
                at = self.nodes[node].child[1];
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull::convex_hull;

    #[test]
    fn a_cube_has_six_square_sides() {
        let vert: Vec<Vec3> = (0..8)
            .map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64))
            .collect();
        let hull = convex_hull(&vert, None).unwrap();
        let faces: Vec<[i32; 3]> = hull.faces.iter().map(|f| f.map(|v| v as i32)).collect();
        let sides = join(&vert, &faces);
        assert_eq!(sides.loops.len(), 6);
        assert!(sides.loops.iter().all(|l| l.len() == 4));
        assert!(sides.of_vertex.iter().all(|s| s.len() == 3));
        for (path, n) in sides.loops.iter().zip(&sides.normals) {
            assert!(scaled_normal(&vert, [path[0], path[1], path[2]]).dot(*n) > 0.999);
        }
    }

    #[test]
    fn parallel_sides_that_do_not_touch_are_separate_polygons() {
        let vert: Vec<Vec3> =
            (0..8).map(|i| Vec3::new((i % 2) as f64, (i / 2 % 2) as f64, (i / 4) as f64)).collect();
        // Two squares, their triangles alternating, so that pieces are opened before they grow.
        let sides = join(&vert, &[[0, 1, 3], [4, 5, 7], [0, 3, 2], [4, 7, 6]]);
        assert_eq!(sides.loops.len(), 2);
        assert!(sides.loops.iter().all(|l| l.len() == 4));
        assert!(sides.normals.iter().all(|&n| n == Vec3::Z));
    }

    #[test]
    fn the_tree_stays_balanced() {
        let mut tree = Tree::default();
        for i in 0..1000 {
            let angle = (i + 1) as f64 * 0.003;
            tree.insert(Vec3::new(angle.cos(), angle.sin(), 0.0), [0, 1, 2]);
        }
        let depth = |mut n: usize| {
            let mut d = 0;
            while n != NONE {
                n = tree.nodes[n].parent;
                d += 1;
            }
            d
        };
        assert_eq!(tree.nodes.len(), 1000);
        assert!((0..1000).all(|n| depth(n) <= 20));
        let order = tree.in_order();
        assert!(order.windows(2).all(|w| tree.nodes[w[0]].normal[0] > tree.nodes[w[1]].normal[0]));
    }
}
