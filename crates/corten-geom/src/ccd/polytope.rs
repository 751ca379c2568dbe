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

impl Face {
    /// The ways across the edges.
    #[inline(always)]
    fn ways(&self) -> [Way; 3] {
        // Seen from the other side, an edge runs the other way.
        let ([v0, v1, v2], [n0, n1, n2]) = (self.vertices, self.neighbours);
        [Way { face: n0, from: v1 }, Way { face: n1, from: v2 }, Way { face: n2, from: v0 }]
    }
}

/// Not a candidate, and a face of the surface no more.
const KEPT: u32 = u32::MAX - 1;
const DELETED: u32 = u32::MAX;

/// An edge around a hole, as the face beyond sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub face: u32,
    /// Its number in the face, and the vertices it runs between.
    pub number: u32,
    pub ends: [u32; 2],
}

/// A way across an edge: the face that lies there, and the vertex from which it sees the edge run.
#[derive(Clone, Copy, Debug)]
struct Way {
    face: u32,
    from: u32,
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
    /// Ways that the search for the horizon has yet to go.
    ways: Vec<Way>,
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
    #[inline(always)]
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
    #[inline(always)]
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

    #[inline(always)]
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
    #[inline(always)]
    pub fn open(&mut self, start: u32, w: Vec3) {
        self.horizon.clear();
        self.ways.clear();
        self.delete(start);
        let [across0, across1, across2] = self.faces[start as usize].ways();
        self.ways.extend([across2, across1, across0]);
        while let Some(Way { face: number, from }) = self.ways.pop() {
            let face = &self.faces[number as usize];
            if face.place == DELETED {
                continue;
            }
            // The edge just crossed, and the two ways on from there.
            let [v0, v1, v2] = face.vertices;
            let [across0, across1, across2] = face.ways();
            let (edge, ends, after, last) = if v0 == from {
                (0, [v0, v1], across1, across2)
            } else if v1 == from {
                (1, [v1, v2], across2, across0)
            } else {
                (2, [v2, v0], across0, across1)
            };
            if face.foot.dot(w) - face.dist2 > MIN_VAL {
                self.delete(number);
                self.ways.extend([last, after]);
            } else {
                self.horizon.push(Edge { face: number, number: edge, ends });
            }
        }
    }
}
