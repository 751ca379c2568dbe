//! Convex hulls of point sets, facet by facet in the order of Qhull.
//!
//! Source: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls" (1996): points
//! wait in the outside set of a facet that sees them; the furthest point of the first facet with a
//! non-empty set is added, the facets that see it are replaced by a cone over their horizon.
//!
//! MuJoCo stores what Qhull makes of a mesh: vertices, edges and triangles in the order in which
//! Qhull's lists end up. That order decides which of several equally deep corners a collision
//! finds, so that equal contacts need an equal order. This module therefore takes the same
//! decisions in the same sequence in double precision, rounding included: the first tetrahedron
//! (`simplex`), the facet a point waits at (`partition`), the cone (`cone`) and the neighbours in
//! it (`matching`), the merging of facets that rounding cannot tell apart (`merge`) and of
//! vertices that it makes superfluous (`rename`), and the triangulation of what was merged
//! (`triangulate`). Options are those of
//! MuJoCo: facets are merged as they arise and triangulated in the end.
//!
//! Merging may fail for input full of nearly coincident points; that is an error, as it is there.
//! Only the final test of how thick merged facets are is left out.
//! All loops that depend on rounding are bounded.

mod cone;
mod matching;
mod merge;
mod partition;
mod plane;
mod rename;
mod simplex;
mod store;
mod triangulate;

use corten_math::Vec3;
use corten_math::array::MapInline;
use corten_math::memory;
use plane::Tolerance;
use store::{Builder, Step, TAIL};

/// A triangulated convex hull; indices refer to the input points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hull {
    /// Corners, each once.
    pub vertices: Vec<u32>,
    /// Triangles, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// Corners adjacent to each corner, as positions in `vertices`: the lists of all corners one
    /// after the other.
    adjacent: Vec<u32>,
    /// Length of each of these lists.
    valence: Vec<u32>,
}

/// Why points have no hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HullError {
    #[error("fewer than four points")]
    TooFew,
    #[error("a coordinate is not finite")]
    NotFinite,
    #[error("all points lie in one plane, so they enclose no volume")]
    Flat,
    #[error("points are too close to each other for their distances from the origin")]
    Rounding,
}

/// The hull of `points`. With `max_vertices`, stops after that many corners (at least four): the
/// result is then the hull of the most important ones.
pub fn convex_hull(points: &[Vec3], max_vertices: Option<usize>) -> Result<Hull, HullError> {
    if points.len() < 4 {
        return Err(HullError::TooFew);
    }
    if !points.iter().all(|p| p.is_finite()) {
        return Err(HullError::NotFinite);
    }
    let (tolerance, extreme) = Tolerance::of(points);
    let mut builder = Builder::new(points, tolerance);
    builder.update_explained_outside();
    let simplex = builder.choose_simplex(&extreme)?;
    builder.start(simplex)?;
    builder.partition_all()?;
    builder.reset_lists(true);
    builder.facet_next = builder.facet_list;
    builder.furthest_first();
    builder.facet_next = builder.facet_list;
    while let Some((point, facet)) = builder.next_furthest() {
        if max_vertices.is_some_and(|n| builder.vertex_count as usize >= n) {
            break;
        }
        builder.add_point(point, facet)?;
    }
    builder.triangulate()?;
    builder.need_vertex_neighbors();
    builder.finish()
}

impl Builder<'_> {
    /// The lists as they are.
    fn finish(&self) -> Step<Hull> {
        let mut hull = Hull {
            vertices: memory::with_room(self.vertex_count as usize),
            faces: memory::with_room(self.facet_count as usize),
            adjacent: memory::with_room(3 * self.facet_count as usize),
            valence: memory::with_room(self.vertex_count as usize),
        };
        let mut position = memory::filled(0u32, self.points.len());
        let mut v = self.vertex_list;
        while v != TAIL {
            let vertex = &self.vertices[v];
            position[vertex.point as usize] = hull.vertices.len() as u32;
            hull.vertices.push(vertex.point);
            v = vertex.next;
        }
        let mut v = self.vertex_list;
        while v != TAIL {
            let start = hull.adjacent.len();
            for &f in &self.vertices[v].neighbors {
                for &w in &self.facets[f].vertices {
                    let to = position[self.vertices[w].point as usize];
                    if w != v && !hull.adjacent[start..].contains(&to) {
                        hull.adjacent.push(to);
                    }
                }
            }
            hull.valence.push((hull.adjacent.len() - start) as u32);
            v = self.vertices[v].next;
        }
        for f in self.facets_from(self.facet_list) {
            let facet = &self.facets[f];
            let &[a, b, c] = &facet.vertices[..] else { return Err(HullError::Rounding) };
            let [a, b, c] = [a, b, c].map_inline(|v| self.vertices[v].point);
            hull.faces.push(if facet.top { [b, a, c] } else { [a, b, c] });
        }
        // A closed surface has three directed edges per triangle.
        if hull.adjacent.len() != 3 * hull.faces.len() {
            return Err(HullError::Rounding);
        }
        Ok(hull)
    }
}

impl Hull {
    /// The hull as MuJoCo stores it in `mesh_graph`: number of corners and faces, per corner the
    /// address of its neighbour list, per corner its point, the neighbour lists (corner numbers,
    /// each list closed by −1), and the faces as points.
    pub fn graph(&self) -> Vec<i32> {
        let (nv, nf) = (self.vertices.len(), self.faces.len());
        let mut out = memory::with_room(2 + 3 * nv + 6 * nf);
        out.extend([nv as i32, nf as i32]);
        let mut address = 0;
        for &n in &self.valence {
            out.push(address);
            address += n as i32 + 1;
        }
        out.extend(self.vertices.iter().map(|&v| v as i32));
        let mut rest = &self.adjacent[..];
        for &n in &self.valence {
            let (list, after) = rest.split_at(n as usize);
            out.extend(list.iter().map(|&v| v as i32));
            out.push(-1);
            rest = after;
        }
        out.extend(self.faces.iter().flatten().map(|&v| v as i32));
        out
    }
}

#[cfg(test)]
mod tests;
