//! Flat sides of a surface: triangles of nearly equal normal, joined to polygons.
//!
//! Answers to MuJoCo's `mjCMesh::MakePolygons`. Triangles are grouped by a search tree over their
//! normals. "Nearly equal" is not transitive, so that which group a triangle finds depends on the
//! shape of the tree: it is the red-black tree of MuJoCo's standard library, and triangles come in
//! the same order. A group may have several connected pieces; each is a polygon of its own.

use corten_math::memory::{self, Gather, Grow};
use std::collections::HashMap;

use corten_math::{MIN_VAL, Vec3};

/// Cosine above which triangles belong to one side (about 0.09°).
const SAME_SIDE: f64 = 0.99999872;
/// Twice the area below which a triangle has no normal.
const NO_AREA: f64 = 1e-14;

/// Lists one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    /// Where each list ends.
    ends: Vec<u32>,
    items: Vec<i32>,
}

impl Lists {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[i32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let range = start..end as usize;
            start = end as usize;
            &self.items[range]
        })
    }

    fn push(&mut self, list: &[i32]) {
        self.items.grow_extend_from_slice(list);
        self.ends.grow_push(self.items.len() as u32);
    }

    /// For each of the items `0..count`, the lists in which it occurs, in their order.
    fn transpose(&self, count: usize) -> Lists {
        let mut ends = memory::filled(0u32, count);
        for &item in &self.items {
            ends[item as usize] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            // Where the item's list starts, until it is filled.
            total += *end;
            *end = total - *end;
        }
        let mut items = memory::zeroed(self.items.len());
        for (index, list) in self.iter().enumerate() {
            for &item in list {
                let end = &mut ends[item as usize];
                items[*end as usize] = index as i32;
                *end += 1;
            }
        }
        Lists { ends, items }
    }
}

/// Sides of a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// Per side, its vertices counter-clockwise.
    pub loops: Lists,
    pub normals: Vec<Vec3>,
    /// Per vertex, the sides that it belongs to.
    pub of_vertex: Lists,
}

impl Polygons {
    /// Recomputes normals, after vertices have moved.
    pub(super) fn update_normals(&mut self, vert: &[Vec3]) {
        self.normals.clear();
        self.normals.grow_extend(self.loops.iter().map(|l| {
            let n = scaled_normal(vert, [l[0], l[1], l[2]]);
            if n.is_finite() { n } else { Vec3::X }
        }));
    }
}

/// Unit normal of a triangle. Without area, x divided by what there is of it, which is infinite if
/// there is none: such triangles form groups of their own.
#[inline]
fn scaled_normal(vert: &[Vec3], [a, b, c]: [i32; 3]) -> Vec3 {
    let (a, b, c) = (vert[a as usize], vert[b as usize], vert[c as usize]);
    let n = (b - a).cross(c - a);
    let length = n.norm();
    let n = if length < NO_AREA { Vec3::X } else { n };
    Vec3::new(n[0] / length, n[1] / length, n[2] / length)
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
    let mut loops = Lists::default();
    for node in tree.in_order() {
        match &tree.nodes[node].side {
            Side::Triangle(corners) => loops.push(corners),
            Side::Patch(patch) => patch.trace(&mut loops),
        }
    }
    let of_vertex = loops.transpose(vert.len());
    let mut out = Polygons { loops, normals: Vec::new(), of_vertex };
    out.update_normals(vert);
    out
}

/// Whether a side comes before another: neither does if they are nearly equal.
#[inline]
fn before(a: Vec3, b: Vec3) -> bool {
    if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > SAME_SIDE {
        return false;
    }
    (0..3).find(|&k| (a[k] - b[k]).abs() > MIN_VAL).is_some_and(|k| a[k] > b[k])
}

/// Triangles of one normal.
#[derive(Debug)]
enum Side {
    Triangle([i32; 3]),
    Patch(Box<Patch>),
}

impl Side {
    fn insert(&mut self, face: [i32; 3]) {
        match self {
            Side::Triangle(first) => {
                let mut patch = Patch::new(*first);
                patch.insert(face);
                *self = Side::Patch(Box::new(patch));
            }
            Side::Patch(patch) => patch.insert(face),
        }
    }
}

/// The boundary of several triangles.
#[derive(Debug)]
struct Patch {
    /// Directed edges without partner in the order in which they came, between edges that have
    /// found theirs.
    edges: Vec<Edge>,
    /// Where in `edges` an edge is, once there are many.
    places: Option<HashMap<[i32; 2], usize>>,
    pieces: u32,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    /// From, to.
    ends: [i32; 2],
    /// The connected piece that it bounds; [`INTERIOR`] if it bounds none any more.
    piece: u32,
}

const INTERIOR: u32 = u32::MAX;
/// Edges from which on a search is slower than a table.
const MANY: usize = 24;

fn edges_of([a, b, c]: [i32; 3]) -> [[i32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

impl Patch {
    fn new(face: [i32; 3]) -> Patch {
        let edges = edges_of(face).map(|ends| Edge { ends, piece: 0 }).to_vec();
        Patch { edges, places: None, pieces: 1 }
    }

    /// The first edge with these ends.
    fn find(&self, ends: [i32; 2]) -> Option<usize> {
        match &self.places {
            Some(places) => places.get(&ends).copied(),
            None => self.edges.iter().position(|e| e.ends == ends && e.piece != INTERIOR),
        }
    }

    fn push(&mut self, ends: [i32; 2], piece: u32) {
        if let Some(places) = &mut self.places {
            // Only a surface that overlaps itself has an edge twice.
            if memory::insert(places, ends, self.edges.len()).is_some() {
                self.places = None;
            }
        }
        self.edges.grow_push(Edge { ends, piece });
        if self.edges.len() == MANY {
            let live = self.edges.iter().enumerate().filter(|(_, e)| e.piece != INTERIOR);
            let places: HashMap<_, _> = live.clone().map(|(i, e)| (e.ends, i)).collect();
            self.places = (places.len() == live.count()).then_some(places);
        }
    }

    fn remove(&mut self, i: usize) {
        self.edges[i].piece = INTERIOR;
        if let Some(places) = &mut self.places {
            places.remove(&self.edges[i].ends);
        }
    }

    /// Adds a triangle: edges shared with it become interior, pieces that it connects become one.
    fn insert(&mut self, face: [i32; 3]) {
        let mut piece: Option<u32> = None;
        let mut boundary = [true; 3];
        for (k, [from, to]) in edges_of(face).into_iter().enumerate() {
            let Some(i) = self.find([to, from]) else { continue };
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
            self.remove(i);
        }
        let piece = piece.unwrap_or_else(|| {
            self.pieces += 1;
            self.pieces - 1
        });
        for (k, ends) in edges_of(face).into_iter().enumerate() {
            if boundary[k] {
                self.push(ends, piece);
            }
        }
    }

    /// Gives `high` the number `low`, and closes the gap.
    fn join_pieces(&mut self, low: u32, high: u32) {
        self.pieces -= 1;
        for e in self.edges.iter_mut().filter(|e| e.piece != INTERIOR) {
            if e.piece == high {
                e.piece = low;
            } else if e.piece > high {
                e.piece -= 1;
            }
        }
    }

    /// Adds the closed loop of each piece that has one.
    fn trace(&self, loops: &mut Lists) {
        let edges: Vec<Edge> = self.edges.iter().copied().filter(|e| e.piece != INTERIOR).gather();
        if let [a, b, c] = edges[..] {
            loops.push(&[a, b, c].map(|e| e.ends[0]));
            return;
        }
        let mut first: Vec<Option<[i32; 2]>> = vec![None; self.pieces as usize];
        for e in &edges {
            first[e.piece as usize].get_or_insert(e.ends);
        }
        // The first edge of all is where the first piece starts, and never continues a loop.
        let rest = edges.get(1..).unwrap_or_default();
        let table: Option<HashMap<(u32, i32), i32>> = (rest.len() >= MANY).then(|| {
            let mut table = memory::map_with_room(rest.len());
            // The first of several edges is written last.
            table.extend(rest.iter().rev().map(|e| ((e.piece, e.ends[0]), e.ends[1])));
            table
        });
        let next = |piece: u32, at: i32| match &table {
            Some(table) => table.get(&(piece, at)).copied(),
            None => rest.iter().find(|e| e.piece == piece && e.ends[0] == at).map(|e| e.ends[1]),
        };
        let mut path = Vec::new();
        for (piece, start) in first.into_iter().enumerate() {
            let Some(start) = start else { continue };
            path.clear();
            path.extend(start);
            for _ in 0..edges.len() {
                let Some(at) = next(piece as u32, path[path.len() - 1]) else { break };
                if at == path[0] {
                    if path.len() >= 3 {
                        loops.push(&path);
                    }
                    break;
                }
                path.grow_push(at);
            }
        }
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
        self.nodes.grow_push(Node {
            normal,
            child: [NONE; 2],
            parent,
            black: false,
            side: Side::Triangle(face),
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
        let mut order = memory::with_room(self.nodes.len());
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
