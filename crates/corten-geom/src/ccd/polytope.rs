//! The polytope that EPA expands: vertices, faces with adjacency, and a list of candidate faces.
//!
//! Faces are never removed from memory, only marked, so that adjacency can use plain numbers.
//! Candidates are kept in an unordered list from which a face is removed by swapping in the
//! last one; the order of that list decides between equally near faces.

use corten_math::array::{self, MapInline};
use corten_math::memory::Grow;
use corten_math::{MIN_VAL, Vec3, Wide};

use super::gjk::Vertex;
use super::simplex::{project_at_second, project_on_plane};
use super::tetrahedron::{self, Tetrahedron};
use crate::shape::MIN_VAL_SQUARED;

/// A triangle of the polytope's surface. Edge `k` runs from vertex `k` to the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Face {
    /// The origin projected on the face's plane.
    pub foot: Vec3,
    /// Squared length of `foot`.
    pub dist2: f64,
    /// The first one once more after the third.
    vertices: [u32; 4],
    /// The other sides of the edges.
    across: [Side; 3],
    /// Place in the list of candidates, or one of the marks below.
    place: u32,
}

impl Face {
    #[inline(always)]
    fn set(&mut self, [a, b, c]: [u32; 3], across: [Side; 3]) {
        (self.vertices, self.across, self.place) = ([a, b, c, a], across, KEPT);
    }

    /// Projects the origin on the plane of the face, whose vertices are at `points`; zero if it has
    /// no plane.
    #[inline(always)]
    fn project(&mut self, points: [Vec3; 3], all: &[Vertex]) {
        let [a, b, c] = points;
        match project_at_second(c, b, a) {
            Some(foot) => (self.foot, self.dist2) = (foot, foot.norm_squared()),
            None => self.project_degenerate(all),
        }
    }

    /// Looks up the points: given them, callers would put them into memory for nothing.
    #[cold]
    #[inline(never)]
    fn project_degenerate(&mut self, all: &[Vertex]) {
        let [a, b, c] = self.vertices().map_inline(|vertex| all[vertex as usize].diff);
        self.foot = project_on_plane(c, b, a).unwrap_or_default();
        self.dist2 = self.foot.norm_squared();
    }

    pub fn vertices(&self) -> [u32; 3] {
        let [a, b, c, _] = self.vertices;
        [a, b, c]
    }
}

/// Not a candidate, and a face of the surface no more.
const KEPT: u32 = u32::MAX - 1;
const DELETED: u32 = u32::MAX;

/// One side of an edge: the number of a face, and of the edge in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side(u32);

impl Side {
    #[inline(always)]
    const fn new(face: u32, edge: u32) -> Side {
        Side(face << 2 | edge)
    }

    #[inline(always)]
    fn face(self) -> usize {
        (self.0 >> 2) as usize
    }

    #[inline(always)]
    fn edge(self) -> usize {
        (self.0 & 3) as usize
    }
}

/// Vertices and adjacency of a polytope with `N` faces.
pub(super) struct Surface<const N: usize> {
    vertices: [[u32; 3]; N],
    across: [[Side; 3]; N],
}

impl<const N: usize> Surface<N> {
    /// Of a closed surface whose faces have the same orientation.
    pub const fn new(vertices: [[u32; 3]; N]) -> Surface<N> {
        let mut across = [[Side(0); 3]; N];
        let mut i = 0;
        while i < 9 * N * N {
            let (f, e, g, h) = (i / (9 * N), i / (3 * N) % 3, i / 3 % N, i % 3);
            let (own, other) = (&vertices[f], &vertices[g]);
            if own[e] == other[(h + 1) % 3] && own[(e + 1) % 3] == other[h] {
                across[f][e] = Side::new(g as u32, h as u32);
            }
            i += 1;
        }
        Surface { vertices, across }
    }
}

/// Faces that may be expanded, in no order.
#[derive(Clone, Debug, Default)]
struct Candidates {
    faces: Vec<u32>,
    /// Their squared distances.
    distances: Vec<f64>,
}

impl Candidates {
    fn clear(&mut self) {
        self.faces.clear();
        self.distances.clear();
    }

    #[inline(always)]
    fn push(&mut self, face: &mut Face, number: u32) {
        face.place = self.faces.len() as u32;
        self.faces.push(number);
        self.distances.push(face.dist2);
    }

    /// Marks a face as deleted, which makes it a candidate no more.
    #[inline(always)]
    fn delete(&mut self, faces: &mut [Face], number: usize) {
        let place = std::mem::replace(&mut faces[number].place, DELETED);
        if place < KEPT {
            self.faces.swap_remove(place as usize);
            self.distances.swap_remove(place as usize);
            if let Some(&moved) = self.faces.get(place as usize) {
                faces[moved as usize].place = place;
            }
        }
    }
}

/// Reused from query to query; buffers grow to the largest polytope seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    pub vertices: Vec<Vertex>,
    /// The first `face_count` ones are those of the polytope.
    faces: Vec<Face>,
    face_count: usize,
    candidates: Candidates,
    /// The boundary between faces visible and invisible from a new vertex, seen from the invisible
    /// ones.
    horizon: Vec<Side>,
    /// Where the search for the horizon has yet to go.
    ways: Vec<Side>,
}

impl Polytope {
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.face_count = 0;
        self.candidates.clear();
    }

    #[inline]
    pub fn insert(&mut self, v: Vertex) -> u32 {
        self.vertices.push(v);
        self.vertices.len() as u32 - 1
    }

    #[inline(always)]
    pub fn face(&self, number: u32) -> &Face {
        &self.faces[number as usize]
    }

    pub fn face_count(&self) -> usize {
        self.face_count
    }

    /// Makes room for `count` faces in all.
    #[inline(always)]
    fn fit(&mut self, count: usize) {
        if self.faces.len() < count {
            self.grow(count);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, count: usize) {
        let room = count.next_power_of_two();
        self.faces.grow_resize(room, Face::default());
        // A search comes to each edge from each side once at most.
        self.horizon.resize(3 * room, Side::default());
        self.ways.resize(3 * room, Side::default());
    }

    /// Adds the faces of a starting polytope. On the first one that holds the origin, returns its
    /// vertices.
    #[inline(always)]
    pub fn attach<const N: usize>(&mut self, surface: &Surface<N>) -> Result<(), [u32; 3]> {
        self.fit(N);
        self.face_count = N;
        let all = &self.vertices[..];
        let faces = self.faces.iter_mut().zip(&surface.vertices).zip(&surface.across);
        for ((face, &vertices), &across) in faces {
            face.set(vertices, across);
            face.project(vertices.map_inline(|vertex| all[vertex as usize].diff), all);
            if face.dist2 < MIN_VAL_SQUARED {
                return Err(vertices);
            }
        }
        Ok(())
    }

    /// [`Polytope::attach`] for the tetrahedron of the first four vertices.
    #[inline(always)]
    pub fn attach_tetrahedron<S: Wide>(&mut self, corners: &Tetrahedron) -> Result<(), [u32; 3]> {
        const SURFACE: Surface<4> = Surface::new(tetrahedron::FACES);
        let Some(feet) = corners.feet::<S>() else { return self.attach(&SURFACE) };
        self.fit(4);
        self.face_count = 4;
        for (k, face) in self.faces[..4].iter_mut().enumerate() {
            face.set(SURFACE.vertices[k], SURFACE.across[k]);
            let [x, y, z, dist2] = feet[k];
            (face.foot, face.dist2) = (Vec3::new(x, y, z), dist2);
        }
        match feet.iter().position(|foot| foot[3] < MIN_VAL_SQUARED) {
            Some(k) => Err(SURFACE.vertices[k]),
            None => Ok(()),
        }
    }

    /// Makes all faces candidates for expansion.
    #[inline(always)]
    pub fn nominate_all(&mut self) {
        for (number, face) in self.faces[..self.face_count].iter_mut().enumerate() {
            self.candidates.push(face, number as u32);
        }
    }

    pub fn has_candidates(&self) -> bool {
        !self.candidates.faces.is_empty()
    }

    /// The candidate nearest to the origin, the first of equal ones, and its squared distance.
    #[inline(always)]
    pub fn nearest(&self) -> Option<(u32, f64)> {
        let Candidates { faces, distances } = &self.candidates;
        // The least first, then where it is: neither has branches that depend on distances.
        let lesser = |a: f64, b: f64| if a < b { a } else { b };
        let (fours, rest) = distances.as_chunks::<4>();
        let mut least = [f64::MAX; 4];
        for four in fours {
            least = array::from_fn(|k| lesser(four[k], least[k]));
        }
        let mut least = lesser(lesser(least[0], least[1]), lesser(least[2], least[3]));
        for &distance in rest {
            least = lesser(distance, least);
        }
        let at = distances.iter().position(|&distance| distance == least)?;
        Some((*faces.get(at)?, least))
    }

    /// Deletes all faces connected to `start` that see the point `w`, and lists the edges around
    /// the hole in the order of a depth-first walk; their number.
    #[inline(always)]
    pub fn open(&mut self, start: u32, w: Vec3) -> usize {
        let Polytope { faces, face_count, candidates, horizon, ways, .. } = self;
        let (faces, horizon, ways) = (&mut faces[..*face_count], &mut horizon[..], &mut ways[..]);
        let start = start as usize;
        candidates.delete(faces, start);
        let [first, second, third] = faces[start].across;
        ways[..3].copy_from_slice(&[third, second, first]);
        let (mut left, mut edges) = (3, 0);
        while left > 0 {
            left -= 1;
            let way = ways[left];
            let face = &faces[way.face()];
            if face.place == DELETED {
                continue;
            }
            if face.foot.dot(w) - face.dist2 > MIN_VAL {
                let edge = way.edge();
                let (after, last) = (face.across[(edge + 1) % 3], face.across[(edge + 2) % 3]);
                candidates.delete(faces, way.face());
                ways[left..left + 2].copy_from_slice(&[last, after]);
                left += 2;
            } else {
                horizon[edges] = way;
                edges += 1;
            }
        }
        edges
    }

    /// Adds the faces between the last vertex and the first `edges` edges of the horizon, and
    /// nominates those with a squared distance from `least` to `most`. `false` if one is
    /// degenerate.
    #[inline(always)]
    pub fn close(&mut self, edges: usize, least: f64, most: f64) -> bool {
        let first = self.face_count;
        self.fit(first + edges);
        self.face_count += edges;
        let Polytope { vertices, faces, candidates, horizon, .. } = self;
        let all = &vertices[..];
        let w = all.len() - 1;
        let apex = all[w].diff;
        let (faces, new) = faces.split_at_mut(first);
        let (new, horizon) = (&mut new[..edges], &horizon[..edges]);
        // Around a hole in one piece, the edge before starts where one ends. Where rounding has torn
        // the hole, neighbours are taken as MuJoCo takes them: by vertex.
        let edge_before = |end_before: u32, end: u32| if end_before == end { 1 } else { 2 };
        let first = first as u32;
        let mut number = first;
        let mut end_before = 0;
        for (face, &outer) in new.iter_mut().zip(horizon) {
            let beyond = &mut faces[outer.face()];
            let edge = outer.edge();
            let (start, end) = (beyond.vertices[edge], beyond.vertices[(edge + 1) & 3]);
            beyond.across[edge] = Side::new(number, 1);
            let before = Side::new(number - 1, edge_before(end_before, end));
            face.set([w as u32, end, start], [before, outer, Side::new(number + 1, 0)]);
            face.project([apex, all[end as usize].diff, all[start as usize].diff], all);
            if face.dist2 == 0.0 {
                return false;
            }
            if face.dist2 >= least && face.dist2 <= most {
                candidates.push(face, number);
            }
            (number, end_before) = (number + 1, end);
        }
        // The first and the last face are neighbours, too.
        if let Some(face) = new.first_mut() {
            face.across[0] = Side::new(number - 1, edge_before(end_before, face.vertices[1]));
        }
        if let Some(face) = new.last_mut() {
            face.across[2] = Side::new(first, 0);
        }
        true
    }
}
