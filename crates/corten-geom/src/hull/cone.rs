//! Adding a point: the facets that see it are replaced by a cone over their horizon.

use super::store::{Builder, NONE, TAIL, remove, replace};
use super::{HullError, Step};

impl Builder<'_> {
    /// Adds a point that `facet` sees.
    pub fn add_point(&mut self, point: u32, facet: u32) -> Step {
        self.update_explained_outside();
        self.find_horizon(point, facet)?;
        self.first_new = self.next_serial();
        self.make_new_facets(point)?;
        self.match_new_facets()?;
        let mut f = self.new_facets;
        while f != TAIL {
            if !self.facets[f].merge_horizon {
                self.set_plane(f)?;
            }
            f = self.facets[f].next;
        }
        self.update_cone_neighbors();

        self.search_all = false;
        self.merge_new_facets()?;
        self.search_all = self.many_merges() || {
            let mut f = self.new_facets;
            while f != TAIL && self.facets[f].simplicial {
                f = self.facets[f].next;
            }
            f != TAIL
        };
        self.partition_visible()?;
        self.search_all = false;
        self.not_sharp = false;
        self.delete_visible()?;
        self.reset_lists(true);
        self.merge_vertices()?;
        if self.facet_merges.is_empty() && self.degenerate_merges.is_empty() {
            Ok(())
        } else {
            Err(HullError::Rounding)
        }
    }

    /// Moves the facets that see the point to the end of the list, and notes which of their
    /// neighbours are coplanar with it.
    fn find_horizon(&mut self, point: u32, facet: u32) -> Step {
        let x = self.points[point as usize];
        self.move_facet_last(facet);
        self.visible_count = 1;
        self.visible_facets = facet;
        self.facets[facet].visible = true;
        self.facets[facet].replace = NONE;
        let visit = self.next_visit();
        let mut horizon = 0;
        let mut at = facet;
        while let Some(f) = self.while_visible(at) {
            self.facets[f].visit = visit;
            for i in 0..self.facets[f].neighbors.len() {
                let g = self.facets[f].neighbors[i];
                let neighbor = &mut self.facets[g];
                if neighbor.visit == visit {
                    continue;
                }
                neighbor.visit = visit;
                let d = neighbor.distance(x);
                if d > self.tolerance.visible {
                    neighbor.visible = true;
                    neighbor.replace = NONE;
                    self.move_facet_last(g);
                    self.visible_count += 1;
                    continue;
                }
                horizon += 1;
                neighbor.coplanar_horizon = d >= -self.tolerance.visible;
                if neighbor.coplanar_horizon {
                    if d > 0.0 {
                        self.max_outside = self.max_outside.max(d);
                        neighbor.max_outside = neighbor.max_outside.max(d);
                    } else {
                        self.min_vertex = self.min_vertex.min(d);
                    }
                }
            }
            at = self.facets[f].next;
        }
        if horizon == 0 { Err(HullError::Rounding) } else { Ok(()) }
    }

    /// One triangle from the point to each edge of the horizon. The last new facet of a visible
    /// one is where its points start their search.
    fn make_new_facets(&mut self, point: u32) -> Step {
        self.new_facets = TAIL;
        self.new_vertices = TAIL;
        let apex = self.add_vertex(point);
        self.append_vertex(apex);
        let visit = self.next_visit();
        // The last facet made at ridges takes precedence, even if it was made for another visible
        // facet.
        let (mut at_ridge, mut at_triangle) = (NONE, NONE);
        let mut at = self.visible_facets;
        while let Some(f) = self.while_visible(at) {
            for i in 0..self.facets[f].neighbors.len() {
                let g = self.facets[f].neighbors[i];
                self.facets[g].seen = false;
            }
            if self.facets[f].had_ridges {
                self.facets[f].visit = visit;
                at_ridge = self.new_facets_at_ridges(f, apex, visit)?;
            }
            if self.facets[f].simplicial {
                at_triangle = self.new_facets_at_triangle(f, apex)?;
            }
            if at_ridge != NONE {
                at_triangle = at_ridge;
            }
            let facet = &mut self.facets[f];
            if at_triangle != NONE {
                facet.replace = at_triangle;
            }
            facet.ridges.clear();
            facet.neighbors.clear();
            at = facet.next;
        }
        Ok(())
    }

    fn make_new_facet(&mut self, vertices: [u32; 3], top: bool, horizon: u32) -> u32 {
        self.renew_vertices(&vertices);
        let f = self.add_facet_slot();
        let facet = &mut self.facets[f];
        facet.vertices.extend(vertices);
        facet.top = top;
        facet.neighbors.push(horizon);
        self.append_facet(f);
        f
    }

    /// New facets at the ridges of `f`; the last of them. Ridges between facets of the current
    /// visit go.
    pub fn new_facets_at_ridges(&mut self, f: u32, apex: u32, visit: u32) -> Step<u32> {
        let mut last = NONE;
        let ridges = std::mem::take(&mut self.facets[f].ridges);
        for &r in &ridges {
            let ridge = self.ridges[r];
            let g = ridge.other(f);
            if self.facets[g].visible {
                if self.facets[g].visit == visit {
                    self.delete_ridge(r);
                }
                self.facets[g].seen = true;
                continue;
            }
            let top = ridge.top == f;
            let [a, b] = ridge.vertices;
            let new = self.make_new_facet([apex, a, b], top, g);
            last = new;
            if self.facets[g].coplanar_horizon {
                self.facets[new].merge_horizon = true;
                let cycle = if self.facets[g].seen { self.facets[g].new_cycle } else { NONE };
                if cycle == NONE {
                    self.facets[new].same_cycle = new;
                    self.facets[g].new_cycle = new;
                } else {
                    self.facets[new].same_cycle = self.facets[cycle].same_cycle;
                    self.facets[cycle].same_cycle = new;
                }
            }
            if self.facets[g].seen {
                if self.facets[g].simplicial {
                    return Err(HullError::Rounding);
                }
                self.facets[g].neighbors.push(new);
            } else {
                replace(&mut self.facets[g].neighbors, f, new)?;
            }
            if self.facets[g].simplicial {
                remove(&mut self.facets[g].ridges, r);
                self.delete_ridge(r);
            } else {
                self.attach_ridge(new, r);
                let ridge = &mut self.ridges[r];
                if top {
                    ridge.top = new;
                    ridge.simplicial_top = true;
                } else {
                    ridge.bottom = new;
                    ridge.simplicial_bottom = true;
                }
            }
            self.facets[g].seen = true;
        }
        self.facets[f].ridges = ridges;
        Ok(last)
    }

    /// New facets at the edges of a triangle that have no ridge; the last of them.
    fn new_facets_at_triangle(&mut self, f: u32, apex: u32) -> Step<u32> {
        let mut last = NONE;
        for i in 0..self.facets[f].neighbors.len() {
            let g = self.facets[f].neighbors[i];
            let neighbor = &self.facets[g];
            if neighbor.seen || neighbor.visible {
                continue;
            }
            let skip = neighbor.neighbors.iter().position(|&h| h == f);
            let (Some(skip @ 0..3), &[a, b, c, ..]) = (skip, &neighbor.vertices[..]) else {
                return Err(HullError::Rounding);
            };
            let edge = match skip {
                0 => [b, c],
                1 => [a, c],
                _ => [a, b],
            };
            let top = neighbor.top == (skip % 2 == 1);
            let merge = neighbor.coplanar_horizon;
            let new = self.make_new_facet([apex, edge[0], edge[1]], top, g);
            last = new;
            if merge {
                self.facets[new].same_cycle = new;
                self.facets[new].merge_horizon = true;
            }
            self.facets[g].neighbors[skip] = new;
        }
        Ok(last)
    }

    fn update_cone_neighbors(&mut self) {
        if self.vertex_neighbors {
            let mut v = self.new_vertices;
            while v != TAIL {
                let mut list = std::mem::take(&mut self.vertices[v].neighbors);
                let mut i = 0;
                while i < list.len() {
                    if self.facets[list[i]].visible {
                        list.swap_remove(i);
                    } else {
                        i += 1;
                    }
                }
                self.vertices[v].neighbors = list;
                v = self.vertices[v].next;
            }
            let mut f = self.new_facets;
            while f != TAIL {
                let facet = &self.facets[f];
                for &v in &facet.vertices {
                    self.vertices[v].neighbors.push(f);
                }
                f = facet.next;
            }
        }
        self.drop_visible_vertices();
    }

    /// Marks vertices of visible facets that belong to no other.
    pub fn drop_visible_vertices(&mut self) {
        let mut at = self.visible_facets;
        while let Some(f) = self.while_visible(at) {
            for i in 0..self.facets[f].vertices.len() {
                let v = self.facets[f].vertices[i];
                if self.vertices[v].is_new || self.vertices[v].deleted {
                    continue;
                }
                // After merges, a vertex may remain although no new facet has it.
                let remains = self.vertex_neighbors
                    && self.vertices[v].neighbors.iter().any(|&g| !self.facets[g].visible);
                if remains {
                    remove(&mut self.vertices[v].neighbors, f);
                } else {
                    self.drop_vertex(v);
                }
            }
            at = self.facets[f].next;
        }
    }

    /// Deletes visible facets and dropped vertices.
    pub fn delete_visible(&mut self) -> Step {
        let mut count = 0;
        let mut at = self.visible_facets;
        while let Some(f) = self.while_visible(at) {
            at = self.facets[f].next;
            self.facets[f].visible = false;
            self.delete_facet(f);
            count += 1;
        }
        if count != self.visible_count {
            return Err(HullError::Rounding);
        }
        self.visible_count = 0;
        for v in std::mem::take(&mut self.deleted_vertices) {
            self.remove_vertex(v);
            self.vertices[v].neighbors = Vec::new();
        }
        Ok(())
    }
}
