//! Merging one facet into another: neighbours, ridges, vertices.

use super::{KEEP_CENTER, MOST_MERGES, TOO_WIDE};
use crate::hull::plane::Spread;
use crate::hull::store::{Builder, Kind, MERGE, NONE, Ridge, remove, remove_sorted, replace};
use crate::hull::{HullError, Step};

impl Builder<'_> {
    /// Merges `f` into `g`, which moves to the end of the list. `spread` is how far vertices of
    /// `f` are from the plane of `g`, if not accounted for before. With `by_apex`, `f` is a new
    /// facet and `g` its horizon.
    pub fn merge_facet(
        &mut self,
        f: u32,
        g: u32,
        kind: Kind,
        spread: Option<Spread>,
        by_apex: bool,
    ) -> Step {
        self.spend()?;
        self.merge_count += 1;
        let t = self.tolerance;
        if let Some(s) = spread {
            let widest = (TOO_WIDE * t.one_merge)
                .max(self.facets[f].max_outside)
                .max(self.facets[g].max_outside);
            if s.high > widest || -s.low > widest {
                return Err(HullError::Rounding);
            }
        }
        if f == g || self.facets[f].visible || self.facets[g].visible {
            return Err(HullError::Rounding);
        }
        if self.facet_count - self.visible_count <= 4 {
            return Err(HullError::Rounding);
        }
        self.need_vertex_neighbors();
        self.make_ridges(f);
        self.make_ridges(g);
        if let Some(s) = spread {
            self.max_outside = self.max_outside.max(s.high);
            self.min_vertex = self.min_vertex.min(s.low);
            let facet = &mut self.facets[g];
            facet.max_outside = facet.max_outside.max(s.high);
            facet.keep_center |= s.high > t.wide || s.low < -t.wide;
        }
        let merges = self.facets[f].merges + self.facets[g].merges + 1;
        let facet = &mut self.facets[g];
        facet.merges = merges.min(MOST_MERGES);
        facet.new_merge = true;
        facet.dup_ridge = false;
        self.forget_tests(f, g);
        if self.facets[f].vertices.len() == 3 {
            self.merge_triangle(f, g, by_apex)?;
        } else {
            let visit = self.next_vertex_visit();
            for i in 0..self.facets[g].vertices.len() {
                let v = self.facets[g].vertices[i];
                self.vertices[v].visit = visit;
            }
            self.merge_neighbors(f, g)?;
            self.merge_vertex_lists(f, g)?;
            self.merge_ridges(f, g);
            self.merge_vertex_neighbors(f, g, visit)?;
            if !self.facets[g].is_new {
                self.renew_vertices_of(g);
            }
        }
        self.move_facet_last(g);
        self.facets[g].is_new = true;
        self.facets[g].tested = false;
        if kind != Kind::CoplanarHorizon {
            self.test_redundant_neighbors(g)?;
            self.test_degenerate_neighbors(f)?;
            self.test_degenerate(g)?;
        }
        self.retire(f, g);
        Ok(())
    }

    /// What was known of the ridges of two facets to be merged into `g` may not hold any more.
    fn forget_tests(&mut self, f: u32, g: u32) {
        self.facets[g].tested = false;
        for i in 0..self.facets[f].ridges.len() {
            let r = self.facets[f].ridges[i];
            self.ridges[r].tested = false;
        }
        let facet = &mut self.facets[g];
        if facet.center.is_none() {
            return;
        }
        let size = facet.vertices.len();
        if !facet.keep_center {
            facet.keep_center = size > KEEP_CENTER;
        } else if size == 3 {
            facet.keep_center = false;
        }
        if !facet.keep_center {
            facet.center = None;
            for i in 0..self.facets[g].ridges.len() {
                let r = self.facets[g].ridges[i];
                self.ridges[r].tested = false;
            }
        }
    }

    /// Gives a triangle a ridge per edge, which makes it a general facet.
    pub fn make_ridges(&mut self, f: u32) {
        if !self.facets[f].simplicial {
            return;
        }
        self.facets[f].simplicial = false;
        let mut has_merge = false;
        for i in 0..self.facets[f].neighbors.len() {
            match self.facets[f].neighbors[i] {
                MERGE => has_merge = true,
                g => self.facets[g].seen = false,
            }
        }
        for i in 0..self.facets[f].ridges.len() {
            let g = self.ridges[self.facets[f].ridges[i]].other(f);
            self.facets[g].seen = true;
        }
        for i in 0..self.facets[f].neighbors.len() {
            let g = self.facets[f].neighbors[i];
            if g == MERGE || self.facets[g].seen {
                continue;
            }
            let tested = self.facets[f].tested && !has_merge;
            let simplicial = self.facets[g].simplicial;
            let r = self.ridge_opposite(f, i, f, g, simplicial);
            self.ridges[r].tested = tested;
            let ridge = &mut self.ridges[r];
            if ridge.top == f {
                ridge.simplicial_top = true;
            } else {
                ridge.simplicial_bottom = true;
            }
        }
        if has_merge {
            while remove(&mut self.facets[f].neighbors, MERGE) {}
        }
    }

    /// A ridge between `of` and `g` along the edge of triangle `f` opposite its vertex `i`.
    pub(super) fn ridge_opposite(
        &mut self,
        f: u32,
        i: usize,
        of: u32,
        g: u32,
        simplicial: bool,
    ) -> u32 {
        let v = &self.facets[f].vertices;
        let vertices = match i {
            0 => [v[1], v[2]],
            1 => [v[0], v[2]],
            _ => [v[0], v[1]],
        };
        let top = self.facets[f].top != (i % 2 == 1);
        let ridge = if top {
            Ridge {
                vertices,
                top: of,
                bottom: g,
                simplicial_bottom: simplicial,
                ..Ridge::default()
            }
        } else {
            Ridge { vertices, top: g, bottom: of, simplicial_top: simplicial, ..Ridge::default() }
        };
        let r = self.add_ridge(ridge);
        self.attach_ridge(of, r);
        self.attach_ridge(g, r);
        r
    }

    /// Merges a triangle into `g`: at most one vertex is new there.
    fn merge_triangle(&mut self, f: u32, g: u32, by_apex: bool) -> Step {
        let opposite;
        let is_new;
        if by_apex {
            opposite = self.facets[f].vertices[0];
            if !self.facets[g].is_new {
                self.renew_vertices_of(g);
            }
            is_new = self.facets[g].vertices.first() != Some(&opposite);
            if is_new {
                self.facets[g].vertices.insert(0, opposite);
            }
        } else {
            let own = &self.facets[f];
            let shared = own.ridges.iter().copied().find(|&r| self.ridges[r].other(f) == g);
            let edge = shared.map_or([NONE; 2], |r| self.ridges[r].vertices);
            for v in edge {
                if v != NONE {
                    self.vertices[v].lost_ridge = true;
                }
            }
            let own = &self.facets[f].vertices;
            opposite = *own.iter().find(|v| !edge.contains(v)).ok_or(HullError::Rounding)?;
            is_new = self.add_facet_vertex(g, opposite);
            if !self.facets[g].is_new {
                self.renew_vertices_of(g);
            } else {
                self.renew_vertices(&[opposite]);
            }
        }
        for i in 0..self.facets[f].vertices.len() {
            let v = self.facets[f].vertices[i];
            if v == opposite && is_new {
                replace(&mut self.vertices[v].neighbors, f, g)?;
            } else {
                remove(&mut self.vertices[v].neighbors, f);
                if self.vertices[v].neighbors.len() < 2 {
                    self.drop_merged_vertex(v, g);
                }
            }
        }
        let visit = self.next_visit();
        for i in 0..self.facets[g].neighbors.len() {
            let h = self.facets[g].neighbors[i];
            self.facets[h].visit = visit;
        }
        let mut i = 0;
        while i < self.facets[f].ridges.len() {
            let r = self.facets[f].ridges[i];
            let other = self.ridges[r].other(f);
            if other == g {
                self.delete_merged_ridge(r);
                remove(&mut self.facets[g].neighbors, f);
                continue;
            }
            if self.facets[other].dup_ridge && !self.facets[other].neighbors.contains(&f) {
                return Err(HullError::Rounding);
            }
            self.attach_ridge(g, r);
            if self.facets[other].visit != visit {
                self.facets[g].neighbors.push(other);
                replace(&mut self.facets[other].neighbors, f, g)?;
                self.facets[other].visit = visit;
            } else {
                self.make_ridges(other);
                self.join_neighbor(other, f, g)?;
            }
            self.pass_ridge(r, f, g);
            i += 1;
        }
        Ok(())
    }

    /// `neighbor` had both facets as neighbours and keeps `g`. Its first neighbour stays first: new
    /// facets have their horizon there.
    fn join_neighbor(&mut self, neighbor: u32, f: u32, g: u32) -> Step {
        let list = &mut self.facets[neighbor].neighbors;
        if list.first() == Some(&f) {
            remove(list, g);
            replace(list, f, g)
        } else {
            remove(list, f);
            Ok(())
        }
    }

    /// A ridge of `f` becomes one of `g`.
    fn pass_ridge(&mut self, r: u32, f: u32, g: u32) {
        let ridge = &mut self.ridges[r];
        if ridge.top == f {
            ridge.top = g;
            ridge.simplicial_top = false;
        } else {
            ridge.bottom = g;
            ridge.simplicial_bottom = false;
        }
    }

    fn merge_neighbors(&mut self, f: u32, g: u32) -> Step {
        let visit = self.next_visit();
        for i in 0..self.facets[g].neighbors.len() {
            let h = self.facets[g].neighbors[i];
            self.facets[h].visit = visit;
        }
        for i in 0..self.facets[f].neighbors.len() {
            let h = self.facets[f].neighbors[i];
            if self.facets[h].visit == visit {
                self.make_ridges(h);
                self.join_neighbor(h, f, g)?;
            } else if h != g {
                self.facets[g].neighbors.push(h);
                replace(&mut self.facets[h].neighbors, f, g)?;
            }
        }
        remove(&mut self.facets[f].neighbors, g);
        remove(&mut self.facets[g].neighbors, f);
        Ok(())
    }

    /// The union of two descending lists.
    fn merge_vertex_lists(&mut self, f: u32, g: u32) -> Step {
        let (a, b) = (&self.facets[f].vertices, &self.facets[g].vertices);
        let mut union = Vec::with_capacity(a.len() + b.len());
        let mut rest = b.iter().copied().peekable();
        for &v in a {
            while let Some(w) = rest.next_if(|&w| w > v) {
                union.push(w);
            }
            rest.next_if_eq(&v);
            union.push(v);
        }
        union.extend(rest);
        // Neighbours share an edge at least.
        if union.len() + 2 > a.len() + b.len() {
            return Err(HullError::Rounding);
        }
        self.facets[g].vertices = union;
        Ok(())
    }

    fn merge_ridges(&mut self, f: u32, g: u32) {
        let mut i = 0;
        while i < self.facets[g].ridges.len() {
            let r = self.facets[g].ridges[i];
            if self.ridges[r].top == f || self.ridges[r].bottom == f {
                self.delete_merged_ridge(r);
            } else {
                i += 1;
            }
        }
        for i in 0..self.facets[f].ridges.len() {
            let r = self.facets[f].ridges[i];
            self.pass_ridge(r, f, g);
            self.attach_ridge(g, r);
        }
    }

    /// Vertices of `g` have `visit`.
    fn merge_vertex_neighbors(&mut self, f: u32, g: u32, visit: u32) -> Step {
        for i in 0..self.facets[f].vertices.len() {
            let v = self.facets[f].vertices[i];
            if self.vertices[v].visit != visit {
                replace(&mut self.vertices[v].neighbors, f, g)?;
            } else {
                remove(&mut self.vertices[v].neighbors, f);
                if self.vertices[v].neighbors.len() < 2 {
                    self.drop_merged_vertex(v, g);
                }
            }
        }
        Ok(())
    }

    /// A vertex with a single facet is inside that facet.
    pub(super) fn drop_merged_vertex(&mut self, v: u32, g: u32) {
        remove_sorted(&mut self.facets[g].vertices, v);
        self.drop_vertex(v);
    }

    /// Deletes a ridge inside a merged facet.
    pub fn delete_merged_ridge(&mut self, r: u32) {
        let ridge = self.ridges[r];
        if ridge.nonconvex {
            self.pass_nonconvex(r);
        }
        for v in ridge.vertices {
            if v != NONE {
                self.vertices[v].lost_ridge = true;
            }
        }
        self.vertex_merges_drop(r);
        remove(&mut self.facets[ridge.top].ridges, r);
        remove(&mut self.facets[ridge.bottom].ridges, r);
        self.delete_ridge(r);
    }

    /// Another ridge between the same facets stands for them.
    pub fn pass_nonconvex(&mut self, r: u32) {
        let ridge = self.ridges[r];
        self.ridges[r].nonconvex = false;
        let another = self.facets[ridge.top].ridges.iter().copied().find(|&s| {
            s != r && (self.ridges[s].top == ridge.bottom || self.ridges[s].bottom == ridge.bottom)
        });
        if let Some(s) = another {
            self.ridges[s].nonconvex = true;
        }
    }

    /// Inserts a vertex into the descending list; whether it was new.
    pub fn add_facet_vertex(&mut self, f: u32, v: u32) -> bool {
        let list = &mut self.facets[f].vertices;
        let at = list.iter().position(|&w| w <= v).unwrap_or(list.len());
        let is_new = list.get(at) != Some(&v);
        if is_new {
            list.insert(at, v);
        }
        is_new
    }

    // New facets coplanar with the horizon.
}
