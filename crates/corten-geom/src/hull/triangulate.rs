//! Merged facets back into triangles, as fans from their latest vertex.
//!
//! A fan has an empty triangle at each ridge that contains its apex, which goes at once. Two fans
//! may have the same triangle on both sides, which go together.

use super::store::{Builder, Kind, NONE, TAIL};
use super::{HullError, Step};

impl Builder<'_> {
    /// Triangulates all merged facets; their triangles end up at the end of the list.
    pub fn triangulate(&mut self) -> Step {
        let visit = self.next_visit();
        self.new_vertices = TAIL;
        let mut first_facet = NONE;
        let mut first_vertex = NONE;
        let mut f = self.facet_list;
        while f != TAIL {
            let next = self.facets[f].next;
            if !self.facets[f].visible && !self.facets[f].simplicial {
                if first_facet == NONE {
                    first_facet = f;
                }
                self.triangulate_facet(f, visit, &mut first_vertex)?;
            }
            f = next;
        }
        let mut f = first_facet;
        while Self::is_facet(f) {
            let next = self.facets[f].next;
            let facet = &self.facets[f];
            if !facet.visible {
                if !facet.ridges.is_empty() {
                    return Err(HullError::Rounding);
                }
                if facet.vertices[0] == facet.vertices[1] {
                    let (a, b) = (facet.neighbors[0], facet.neighbors[1]);
                    self.link_across(f, a, f, b)?;
                    self.retire(f, NONE);
                }
            }
            f = next;
        }
        self.visible_facets = TAIL;
        while let Some(merge) = self.degenerate_merges.pop() {
            if merge.kind == Kind::Mirror {
                self.remove_mirrored(merge.facet, merge.neighbor)?;
            }
        }
        self.new_vertices = first_vertex;
        self.visible_facets = NONE;
        self.update_vertex_neighbors();
        self.reset_lists(false);
        let mut f = first_facet;
        while Self::is_facet(f) {
            let next = self.facets[f].next;
            if self.facets[f].visible {
                self.delete_facet(f);
            }
            f = next;
        }
        Ok(())
    }

    fn triangulate_facet(&mut self, f: u32, visit: u32, first_vertex: &mut u32) -> Step {
        self.first_new = self.next_serial();
        for i in 0..self.facets[f].neighbors.len() {
            let g = self.facets[f].neighbors[i];
            self.facets[g].seen = false;
            self.facets[g].coplanar_horizon = false;
        }
        self.visible_facets = TAIL;
        self.new_facets = TAIL;
        self.facets[f].visit = visit;
        let &apex = self.facets[f].vertices.first().ok_or(HullError::Rounding)?;
        self.new_facets_at_ridges(f, apex, visit)?;
        self.retire(f, NONE);
        let (normal, offset) = (self.facets[f].normal, self.facets[f].offset);
        let mut g = self.new_facets;
        while g != TAIL {
            let facet = &mut self.facets[g];
            facet.tri_coplanar = true;
            facet.normal = normal;
            facet.offset = offset;
            facet.has_plane = true;
            g = facet.next;
        }
        self.match_new_facets()?;
        let open = |&g: &u32| self.facets[g].neighbors.iter().any(|&h| h > u32::MAX - 3);
        if self.facets_from(self.new_facets).iter().any(open) {
            return Err(HullError::Rounding);
        }
        if *first_vertex == NONE {
            *first_vertex = self.new_vertices;
        }
        self.new_vertices = NONE;
        self.visible_facets = NONE;
        self.update_vertex_neighbors();
        self.reset_lists(false);
        Ok(())
    }

    /// Makes `a` and `b` neighbours, across `old_a` and `old_b` which go.
    fn link_across(&mut self, old_a: u32, a: u32, old_b: u32, b: u32) -> Step {
        let a_knows = self.facets[a].neighbors.contains(&b);
        if a_knows != self.facets[b].neighbors.contains(&a) {
            return Err(HullError::Rounding);
        }
        if a_knows {
            let both = self.facets[a].redundant && self.facets[b].redundant;
            if !both || !self.is_mirrored(a, b) {
                self.propose(Kind::Mirror, a, b, 0.0)?;
            }
        }
        self.relink(b, old_b, a)?;
        self.relink(a, old_a, b)
    }

    fn is_mirrored(&self, a: u32, b: u32) -> bool {
        self.degenerate_merges.iter().any(|m| {
            m.kind == Kind::Mirror
                && ((m.facet == a && m.neighbor == b) || (m.facet == b && m.neighbor == a))
        })
    }

    /// Removes two triangles with the same vertices, and links what was beyond them.
    fn remove_mirrored(&mut self, f: u32, g: u32) -> Step {
        for i in 0..3 {
            let (Some(&a), Some(&b)) =
                (self.facets[f].neighbors.get(i), self.facets[g].neighbors.get(i))
            else {
                return Err(HullError::Rounding);
            };
            if (a == g && b == f)
                || (self.facets[a].redundant && self.facets[b].redundant && self.is_mirrored(a, b))
                || (self.facets[a].visible && self.facets[b].visible)
            {
                continue;
            }
            self.link_across(f, a, g, b)?;
        }
        self.retire(f, NONE);
        self.retire(g, NONE);
        Ok(())
    }
}
