//! The polytope that EPA expands: vertices, faces with adjacency, and a list of candidate faces.
//!
//! Faces are never removed from memory, only marked, so that adjacency can use plain numbers.
//! Candidates are kept in an unordered list from which a face is removed by swapping in the
//! last one; the order of that list decides between equally near faces.

use corten_math::{MIN_VAL, Vec3};

use super::gjk::Vertex;
use super::simplex::project_on_plane;

/// A triangle of the polytope's surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// The origin projected on the face's plane.
    pub foot: Vec3,
    /// Squared length of `foot`.
    pub dist2: f64,
    pub vertices: [u32; 3],
    /// Faces across the edges 01, 12, 20.
    pub neighbours: [u32; 3],
    /// Place in the list of candidates, or one of the marks below.
    place: u32,
}

/// Not a candidate, and a face of the surface no more.
const KEPT: u32 = u32::MAX - 1;
const DELETED: u32 = u32::MAX;

/// An edge of a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub face: u32,
    pub edge: u32,
}

/// Reused from query to query; grows to the largest polytope seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    pub vertices: Vec<Vertex>,
    pub faces: Vec<Face>,
    candidates: Vec<u32>,
    /// Squared distances of the candidates.
    distances: Vec<f64>,
    /// The boundary between faces visible and invisible from a new vertex, seen from the invisible
    /// ones.
    pub horizon: Vec<Edge>,
    /// Edges that the search for the horizon has yet to cross.
    ways: Vec<Edge>,
}

impl Polytope {
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.faces.clear();
        self.candidates.clear();
        self.distances.clear();
    }

    #[inline]
    pub fn insert(&mut self, v: Vertex) -> u32 {
        self.vertices.push(v);
        self.vertices.len() as u32 - 1
    }

    /// The point of a vertex.
    #[inline(always)]
    pub fn point(&self, vertex: u32) -> Vec3 {
        let [x, y, z] = &self.vertices[vertex as usize].diff.0;
        Vec3::new(*x, *y, *z)
    }

    /// Adds a face; its squared distance from the origin, zero for a degenerate one.
    #[inline]
    pub fn attach(&mut self, vertices: [u32; 3], neighbours: [u32; 3]) -> f64 {
        let [a, b, c] = vertices;
        let (a, b, c) = (self.point(a), self.point(b), self.point(c));
        let foot = project_on_plane(c, b, a).unwrap_or_default();
        let dist2 = foot.norm_squared();
        self.faces.push(Face { foot, dist2, vertices, neighbours, place: KEPT });
        dist2
    }

    /// Makes a face a candidate for expansion.
    #[inline]
    pub fn nominate(&mut self, face: u32) {
        let face_ = &mut self.faces[face as usize];
        face_.place = self.candidates.len() as u32;
        self.distances.push(face_.dist2);
        self.candidates.push(face);
    }

    pub fn has_candidates(&self) -> bool {
        !self.candidates.is_empty()
    }

    /// The candidate nearest to the origin, the first of equal ones, and its squared distance.
    pub fn nearest(&self) -> Option<(u32, f64)> {
        // The least first, then where it is: neither has branches that depend on distances.
        let lesser = |a: f64, b: f64| if a < b { a } else { b };
        let (fours, rest) = self.distances.as_chunks::<4>();
        let mut least = [f64::MAX; 4];
        for four in fours {
            least = std::array::from_fn(|k| lesser(four[k], least[k]));
        }
        let mut least = lesser(lesser(least[0], least[1]), lesser(least[2], least[3]));
        for &distance in rest {
            least = lesser(distance, least);
        }
        let at = self.distances.iter().position(|&distance| distance == least)?;
        Some((*self.candidates.get(at)?, least))
    }

    fn delete(&mut self, face: u32) {
        let place = std::mem::replace(&mut self.faces[face as usize].place, DELETED);
        if place < KEPT {
            self.candidates.swap_remove(place as usize);
            self.distances.swap_remove(place as usize);
            if let Some(&moved) = self.candidates.get(place as usize) {
                self.faces[moved as usize].place = place;
            }
        }
    }

    /// Deletes all faces connected to `start` that see the point `w`, and lists the edges around
    /// the hole in the order of a depth-first walk.
    pub fn open(&mut self, start: u32, w: Vec3) {
        self.horizon.clear();
        self.ways.clear();
        self.delete(start);
        self.ways.extend([2, 1, 0].map(|edge| Edge { face: start, edge }));
        while let Some(Edge { face, edge: out }) = self.ways.pop() {
            let from = &self.faces[face as usize];
            let next = from.neighbours[out as usize % 3];
            let corner = from.vertices[(out as usize + 1) % 3];
            let across = &self.faces[next as usize];
            if across.place == DELETED {
                continue;
            }
            // Where the edge is in the face across it, and the two ways on from there.
            let [v0, v1, _] = across.vertices;
            let (edge, after, last) = if v0 == corner {
                (0, 1, 2)
            } else if v1 == corner {
                (1, 2, 0)
            } else {
                (2, 0, 1)
            };
            if across.foot.dot(w) - across.dist2 > MIN_VAL {
                self.delete(next);
                self.ways.extend([last, after].map(|edge| Edge { face: next, edge }));
            } else {
                self.horizon.push(Edge { face: next, edge });
            }
        }
    }
}
