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
    pub vertices: [usize; 3],
    /// Faces across the edges 01, 12, 20.
    pub neighbours: [usize; 3],
    /// The origin projected on the face's plane.
    pub foot: Vec3,
    /// Squared length of `foot`.
    pub dist2: f64,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Candidate(usize),
    Kept,
    Deleted,
}

/// An edge of the boundary between faces visible and invisible from a new vertex, seen from the
/// invisible face.
#[derive(Clone, Copy, Debug)]
pub(super) struct HorizonEdge {
    pub face: usize,
    pub edge: usize,
}

/// Reused from query to query; grows to the largest polytope seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    pub vertices: Vec<Vertex>,
    pub faces: Vec<Face>,
    pub candidates: Vec<usize>,
    pub horizon: Vec<HorizonEdge>,
    /// Open faces of the horizon search: face, edge it was entered by, edges already left by.
    stack: Vec<(usize, usize, usize)>,
}

impl Polytope {
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.faces.clear();
        self.candidates.clear();
        self.horizon.clear();
    }

    pub fn insert(&mut self, v: Vertex) -> usize {
        self.vertices.push(v);
        self.vertices.len() - 1
    }

    /// Adds a face; its squared distance from the origin, zero for a degenerate one.
    pub fn attach(&mut self, vertices: [usize; 3], neighbours: [usize; 3]) -> f64 {
        let [a, b, c] = vertices.map(|i| self.vertices[i].diff);
        let foot = project_on_plane(c, b, a);
        let dist2 = foot.map_or(0.0, Vec3::norm_squared);
        let foot = foot.unwrap_or_default();
        self.faces.push(Face { vertices, neighbours, foot, dist2, place: Place::Kept });
        dist2
    }

    /// Makes a face a candidate for expansion.
    pub fn nominate(&mut self, face: usize) {
        self.faces[face].place = Place::Candidate(self.candidates.len());
        self.candidates.push(face);
    }

    fn delete(&mut self, face: usize) {
        if let Place::Candidate(at) = self.faces[face].place {
            self.candidates.swap_remove(at);
            if let Some(&moved) = self.candidates.get(at) {
                self.faces[moved].place = Place::Candidate(at);
            }
        }
        self.faces[face].place = Place::Deleted;
    }

    /// Deletes all faces connected to `start` that see the point `w`, and lists the edges around
    /// the hole in the order of a depth-first walk.
    pub fn open(&mut self, start: usize, w: Vec3) {
        self.horizon.clear();
        self.stack.clear();
        self.delete(start);
        // The start is entered by no edge and left by three: as if by edge 2, then 0, 1, 2.
        self.stack.push((start, 2, 0));
        while let Some(top) = self.stack.last_mut() {
            let (face, entry, left) = *top;
            let ways = if self.stack.len() == 1 { 3 } else { 2 };
            if left == ways {
                self.stack.pop();
                continue;
            }
            if let Some(top) = self.stack.last_mut() {
                top.2 += 1;
            }
            let out = (entry + 1 + left) % 3;
            let from = &self.faces[face];
            let next = from.neighbours[out];
            let corner = from.vertices[(out + 1) % 3];
            let across = &self.faces[next];
            if across.place == Place::Deleted {
                continue;
            }
            let edge = across.vertices.iter().take(2).position(|&v| v == corner).unwrap_or(2);
            if across.foot.dot(w) - across.dist2 > MIN_VAL {
                self.delete(next);
                self.stack.push((next, edge, 0));
            } else {
                self.horizon.push(HorizonEdge { face: next, edge });
            }
        }
    }
}
