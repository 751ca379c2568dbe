//! Vertices that merges made superfluous.
//!
//! A vertex that only two facets share lies on their edge, and is renamed to a neighbour on it. Two
//! ridges of a facet with the same vertices pinch it; one of the vertices is renamed to the other.

use super::store::{Builder, Kind, NONE, TAIL, VertexMerge, remove, remove_sorted, replace};
use super::{HullError, Step};

/// Distance of pinched vertices, in merges of two triangles, that is an error.
const TOO_FAR: f64 = 100.0;

impl Builder<'_> {
    /// Removes superfluous vertices of merged facets; whether facets were merged for that.
    pub fn reduce_vertices(&mut self) -> Step<bool> {
        let mut any = self.merge_degenerate()?;
        'restart: loop {
            self.spend()?;
            let mut f = self.new_facets;
            while Self::is_facet(f) {
                if self.facets[f].new_merge && self.remove_extra_vertices(f) {
                    self.test_degenerate(f)?;
                    if self.merge_degenerate()? {
                        any = true;
                        continue 'restart;
                    }
                }
                f = self.facets[f].next;
            }
            let mut f = self.new_facets;
            while Self::is_facet(f) {
                if self.facets[f].new_merge {
                    self.facets[f].new_merge = false;
                    let mut i = 0;
                    while i < self.facets[f].vertices.len() {
                        let v = self.facets[f].vertices[i];
                        if self.vertices[v].lost_ridge && self.rename_shared_vertex(v, f)? {
                            if self.merge_degenerate()? {
                                any = true;
                                continue 'restart;
                            }
                        } else {
                            i += 1;
                        }
                    }
                }
                f = self.facets[f].next;
            }
            let mut v = self.new_vertices;
            while v != NONE && v != TAIL {
                if !self.vertices[v].deleted {
                    self.vertices[v].lost_ridge = false;
                }
                v = self.vertices[v].next;
            }
            return Ok(any);
        }
    }

    /// Removes vertices that belong to no ridge of a merged facet.
    fn remove_extra_vertices(&mut self, f: u32) -> bool {
        if self.facets[f].simplicial {
            return false;
        }
        for i in 0..self.facets[f].vertices.len() {
            let v = self.facets[f].vertices[i];
            self.vertices[v].seen = false;
        }
        for i in 0..self.facets[f].ridges.len() {
            for v in self.ridges[self.facets[f].ridges[i]].vertices {
                self.vertices[v].seen = true;
            }
        }
        let mut list = std::mem::take(&mut self.facets[f].vertices);
        let before = list.len();
        list.retain(|&v| {
            if self.vertices[v].seen {
                return true;
            }
            remove(&mut self.vertices[v].neighbors, f);
            if self.vertices[v].neighbors.is_empty() {
                self.drop_vertex(v);
            }
            false
        });
        let removed = list.len() < before;
        self.facets[f].vertices = list;
        removed
    }

    /// Renames a vertex that only `f` and one neighbour share; whether it could.
    fn rename_shared_vertex(&mut self, v: u32, f: u32) -> Step<bool> {
        let &[a, b] = &self.vertices[v].neighbors[..] else { return Ok(false) };
        let g = if a == f { b } else { a };
        let visit = self.next_visit();
        self.facets[g].visit = visit;
        let mut ridges = Vec::new();
        self.ridges_at(v, f, visit, &mut ridges);
        let mut common: Vec<u32> = self.facets[f]
            .vertices
            .iter()
            .copied()
            .filter(|w| self.facets[g].vertices.contains(w))
            .collect();
        // The last takes the place of `v`, which decides between equally good ones.
        remove(&mut common, v);
        let Some(new) = self.find_new_vertex(v, common, &ridges) else { return Ok(false) };
        self.rename_vertex(v, new, &ridges, Some((f, g)))?;
        Ok(true)
    }

    /// Ridges of `f` that contain `v` and lead to a facet of the given visit.
    fn ridges_at(&mut self, v: u32, f: u32, visit: u32, ridges: &mut Vec<u32>) {
        for &r in &self.facets[f].ridges {
            let ridge = &self.ridges[r];
            if self.facets[ridge.other(f)].visit == visit && ridge.vertices.contains(&v) {
                ridges.push(r);
            }
        }
        self.facets[f].visit = visit - 1;
    }

    /// Ridges at a vertex, each once; without `all`, the last facet adds none.
    fn ridges_around(&mut self, v: u32, all: bool) -> Vec<u32> {
        self.visit += 2;
        let visit = self.visit;
        let mut ridges = Vec::new();
        let neighbors = self.vertices[v].neighbors.clone();
        for &f in &neighbors {
            self.facets[f].visit = visit;
        }
        let count = if all { neighbors.len() } else { neighbors.len().saturating_sub(1) };
        for &f in &neighbors[..count] {
            self.ridges_at(v, f, visit, &mut ridges);
        }
        ridges
    }

    /// The vertex with the fewest of the given ridges to which `old` can be renamed without making
    /// two ridges equal.
    fn find_new_vertex(&mut self, old: u32, mut vertices: Vec<u32>, ridges: &[u32]) -> Option<u32> {
        let count = |b: &Self, v: u32| {
            ridges.iter().filter(|&&r| b.ridges[r].vertices.contains(&v)).count()
        };
        let mut i = 0;
        while i < vertices.len() {
            if count(self, vertices[i]) == 0 {
                vertices.swap_remove(i);
            } else {
                i += 1;
            }
        }
        vertices.sort_by_key(|&v| count(self, v));
        vertices.into_iter().find(|&v| {
            let around = self.ridges_around(v, false);
            !around.iter().any(|&r| {
                let end = self.ridges[r].other_vertex(v);
                ridges.iter().any(|&s| {
                    s != r
                        && self.ridges[s].vertices.contains(&old)
                        && self.ridges[s].other_vertex(old) == end
                })
            })
        })
    }

    /// Renames `old` in the given ridges: of a shared vertex with the facet it leaves and the other
    /// one, of a pinched vertex everywhere.
    fn rename_vertex(
        &mut self,
        old: u32,
        new: u32,
        ridges: &[u32],
        shared: Option<(u32, u32)>,
    ) -> Step {
        self.spend()?;
        for &r in ridges {
            if self.rename_ridge_vertex(r, old, new)? {
                let ridge = self.ridges[r];
                let collapses = |f: u32| {
                    let facet = &self.facets[f];
                    let size = facet.vertices.len();
                    size < 3 || (size == 3 && !facet.simplicial && facet.vertices.contains(&new))
                };
                if !collapses(ridge.top) && !collapses(ridge.bottom) {
                    self.find_duplicate_ridge(r)?;
                }
            }
        }
        match shared {
            None => {
                let mut i = 0;
                while i < self.vertices[old].neighbors.len() {
                    let f = self.vertices[old].neighbors[i];
                    i += 1;
                    if self.facets[f].simplicial {
                        self.test_degenerate(f)?;
                        continue;
                    }
                    self.drop_lost_neighbors(f)?;
                    remove_sorted(&mut self.facets[f].vertices, old);
                    if self.remove_extra_vertices(f) {
                        i -= 1;
                    }
                    self.test_degenerate(f)?;
                    self.test_redundant_neighbors(f)?;
                    self.test_degenerate_neighbors(f)?;
                    self.spend()?;
                }
                if !self.vertices[old].deleted {
                    self.drop_vertex(old);
                }
            }
            Some((left, other)) => {
                if self.vertices[old].neighbors.len() == 2 {
                    for i in 0..2 {
                        let f = self.vertices[old].neighbors[i];
                        remove_sorted(&mut self.facets[f].vertices, old);
                        self.test_degenerate(f)?;
                    }
                    self.drop_vertex(old);
                } else {
                    remove_sorted(&mut self.facets[left].vertices, old);
                    remove(&mut self.vertices[old].neighbors, left);
                    if self.remove_extra_vertices(other) {
                        self.test_degenerate(other)?;
                    }
                }
                self.test_degenerate(left)?;
            }
        }
        Ok(())
    }

    /// Renames a vertex of a ridge; false if the ridge vanished because it had both.
    fn rename_ridge_vertex(&mut self, r: u32, old: u32, new: u32) -> Step<bool> {
        let ridge = &mut self.ridges[r];
        let Some(from) = ridge.vertices.iter().position(|&v| v == old) else {
            return Err(HullError::Rounding);
        };
        let kept = ridge.vertices[1 - from];
        if kept == new {
            ridge.vertices = [kept, NONE];
            self.delete_merged_ridge(r);
            return Ok(false);
        }
        let to = usize::from(kept > new);
        ridge.vertices[to] = new;
        ridge.vertices[1 - to] = kept;
        ridge.simplicial_top = false;
        ridge.simplicial_bottom = false;
        if from != to {
            std::mem::swap(&mut ridge.top, &mut ridge.bottom);
        }
        Ok(true)
    }

    /// Notes a merge of vertices if a merged facet beside ridge `r` has another one like it.
    fn find_duplicate_ridge(&mut self, r: u32) -> Step {
        let ridge = self.ridges[r];
        for f in [ridge.top, ridge.bottom] {
            let facet = &self.facets[f];
            if facet.simplicial || facet.merges == 0 {
                continue;
            }
            for &s in &facet.ridges {
                if s != r && self.ridges[s].vertices == ridge.vertices {
                    let [to, from] = ridge.vertices;
                    let distance = (self.position(to) - self.position(from)).norm();
                    self.vertex_merges.push(VertexMerge { from, to, distance, ridges: [r, s] });
                }
            }
        }
        Ok(())
    }

    /// Forgets merges of vertices because of a ridge that goes.
    pub fn vertex_merges_drop(&mut self, r: u32) {
        let mut i = 0;
        while i < self.vertex_merges.len() {
            if self.vertex_merges[i].ridges.contains(&r) {
                self.vertex_merges.swap_remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// Facets without a common ridge are no neighbours any more.
    fn drop_lost_neighbors(&mut self, f: u32) -> Step {
        let visit = self.next_visit();
        for i in 0..self.facets[f].ridges.len() {
            let ridge = self.ridges[self.facets[f].ridges[i]];
            self.facets[ridge.top].visit = visit;
            self.facets[ridge.bottom].visit = visit;
        }
        let mut i = 0;
        while i < self.facets[f].neighbors.len() {
            let g = self.facets[f].neighbors[i];
            let neighbor = &self.facets[g];
            if neighbor.visible || (neighbor.visit != visit && neighbor.simplicial) {
                return Err(HullError::Rounding);
            }
            if neighbor.visit == visit {
                i += 1;
                continue;
            }
            remove(&mut self.facets[g].neighbors, f);
            if self.facets[g].neighbors.len() < 3 {
                self.propose(Kind::Degenerate, g, g, 0.0)?;
            }
            remove(&mut self.facets[f].neighbors, g);
        }
        if self.facets[f].neighbors.len() < 3 {
            self.propose(Kind::Degenerate, f, f, 0.0)?;
        }
        Ok(())
    }

    // Pinched vertices.

    /// Renames pinched vertices, nearest first, and merges what is not convex thereafter.
    pub fn merge_vertices(&mut self) -> Step {
        while !self.vertex_merges.is_empty() {
            self.spend()?;
            self.need_vertex_neighbors();
            self.visible_facets = TAIL;
            self.new_facets = TAIL;
            self.new_vertices = TAIL;
            while let Some(merge) = self.next_vertex_merge()? {
                self.rename_adjacent_vertex(merge.from, merge.to)?;
                self.merge_degenerate()?;
            }
            self.update_vertex_neighbors();
            self.collect_merges()?;
            self.merge_all(true)?;
            self.partition_visible()?;
            self.delete_visible()?;
            self.reset_lists(true);
        }
        Ok(())
    }

    fn next_vertex_merge(&mut self) -> Step<Option<VertexMerge>> {
        let mut best: Option<usize> = None;
        let mut i = 0;
        while i < self.vertex_merges.len() {
            let merge = &self.vertex_merges[i];
            if self.vertices[merge.from].deleted || self.vertices[merge.to].deleted {
                self.vertex_merges.swap_remove(i);
                continue;
            }
            if best.is_none_or(|b| merge.distance < self.vertex_merges[b].distance) {
                best = Some(i);
            }
            i += 1;
        }
        let Some(best) = best else { return Ok(None) };
        let merge = self.vertex_merges.swap_remove(best);
        if merge.distance / self.tolerance.one_merge > TOO_FAR {
            return Err(HullError::Rounding);
        }
        Ok(Some(merge))
    }

    fn rename_adjacent_vertex(&mut self, old: u32, new: u32) -> Step {
        self.merge_count += 1;
        if self.vertices[old].deleted || self.vertices[new].deleted {
            return Ok(());
        }
        let neighbors = self.vertices[old].neighbors.clone();
        if neighbors.is_empty() || self.vertices[new].neighbors.is_empty() {
            return Err(HullError::Rounding);
        }
        for &f in &neighbors {
            if !self.facets[f].simplicial {
                continue;
            }
            if self.facets[f].vertices.contains(&new) {
                self.make_ridges(f);
            } else {
                self.replace_triangle_vertex(f, old, new)?;
                self.add_vertex_neighbor(new, f);
                self.renew_vertices_of(f);
            }
        }
        let ridges = self.ridges_around(old, true);
        for &f in &neighbors {
            if self.facets[f].simplicial {
                continue;
            }
            self.add_facet_vertex(f, new);
            self.add_vertex_neighbor(new, f);
            self.renew_vertices_of(f);
            if self.new_facets == TAIL {
                // Points of deleted facets need a new one to start from.
                self.move_facet_last(f);
                self.facets[f].is_new = true;
            }
        }
        self.rename_vertex(old, new, &ridges, None)?;
        if self.vertices[old].deleted && !self.vertices[old].partitioned {
            let mut best = (NONE, f64::MIN);
            for &f in &self.vertices[new].neighbors {
                if !self.facets[f].visible {
                    let d = self.vertex_distance(old, f);
                    if d > best.1 {
                        best = (f, d);
                    }
                }
            }
            if best.0 == NONE {
                return Err(HullError::Rounding);
            }
            self.partition_coplanar(self.vertices[old].point, best.0, None, false)?;
            self.vertices[old].partitioned = true;
        }
        Ok(())
    }

    fn add_vertex_neighbor(&mut self, v: u32, f: u32) {
        let list = &mut self.vertices[v].neighbors;
        if !list.contains(&f) {
            list.push(f);
        }
    }

    /// Replaces a vertex of a triangle; its neighbours stay opposite their vertices.
    fn replace_triangle_vertex(&mut self, f: u32, old: u32, new: u32) -> Step {
        let facet = &mut self.facets[f];
        let from = facet.vertices.iter().position(|&v| v == old).ok_or(HullError::Rounding)?;
        if from >= facet.neighbors.len() {
            return Err(HullError::Rounding);
        }
        facet.vertices.remove(from);
        let opposite = facet.neighbors.remove(from);
        let to = facet.vertices.iter().position(|&v| v < new).unwrap_or(facet.vertices.len());
        facet.vertices.insert(to, new);
        facet.neighbors.insert(to, opposite);
        if from % 2 != to % 2 {
            facet.top = !facet.top;
        }
        Ok(())
    }

    /// Brings the facets around new vertices up to date after merges, or after triangulation.
    pub fn update_vertex_neighbors(&mut self) {
        if self.vertex_neighbors {
            let mut v = self.new_vertices;
            while v != NONE && v != TAIL {
                let vertex = &mut self.vertices[v];
                vertex.neighbors.retain(|&f| !self.facets[f].visible);
                v = vertex.next;
            }
            let mut f = self.new_facets;
            while Self::is_facet(f) {
                let of_cone = self.first_new != 0 && self.facets[f].serial >= self.first_new;
                for i in 0..self.facets[f].vertices.len() {
                    let v = self.facets[f].vertices[i];
                    if of_cone {
                        self.vertices[v].neighbors.push(f);
                    } else {
                        self.add_vertex_neighbor(v, f);
                    }
                }
                f = self.facets[f].next;
            }
        }
        self.drop_visible_vertices();
    }

    /// Replaces a neighbour in a facet.
    pub fn relink(&mut self, f: u32, old: u32, new: u32) -> Step {
        replace(&mut self.facets[f].neighbors, old, new)
    }
}
