//! New facets that are coplanar with the horizon: each run of them is merged into its facet of
//! the horizon at once.

use super::{KEEP_CENTER, MOST_MERGES};
use crate::hull::store::{Builder, Kind, MERGE, NONE, remove, replace};
use crate::hull::{HullError, Step};

impl Builder<'_> {
    pub(super) fn merge_coplanar_horizon(&mut self, merged: &mut bool) -> Step {
        let mut any = false;
        let mut at = self.new_facets;
        while Self::is_facet(at) {
            let f = at;
            let mut next = self.facets[f].next;
            if self.facets[f].has_plane {
                at = next;
                continue;
            }
            let first = self.facets[f].neighbors.first().copied().filter(|&g| g < MERGE);
            let (true, Some(horizon)) = (self.facets[f].merge_horizon, first) else {
                return Err(HullError::Rounding);
            };
            self.facets[horizon].new_cycle = NONE;
            if self.facets[f].same_cycle == f {
                for i in 1..self.facets[f].vertices.len() {
                    let v = self.facets[f].vertices[i];
                    self.vertices[v].lost_ridge = true;
                }
                self.merge_facet(f, horizon, Kind::CoplanarHorizon, None, true)?;
            } else {
                let cycle = self.open_cycle(f)?;
                while next != NONE && self.facets[next].cycle_done {
                    next = self.facets[next].next;
                }
                self.merge_cycle(&cycle, horizon)?;
                let facet = &mut self.facets[horizon];
                let count = usize::from(facet.merges) + cycle.len();
                facet.merges = count.min(usize::from(MOST_MERGES)) as u16;
            }
            any = true;
            at = next;
        }
        if any {
            let mut f = self.new_facets;
            while Self::is_facet(f) {
                if self.facets[f].coplanar_horizon {
                    self.test_redundant_neighbors(f)?;
                    self.facets[f].coplanar_horizon = false;
                }
                f = self.facets[f].next;
            }
            self.merge_degenerate()?;
            *merged = true;
        }
        Ok(())
    }

    /// Facets of a ring from the one after `f` to `f`, without those that have a plane because
    /// they were needed elsewhere.
    fn open_cycle(&mut self, f: u32) -> Step<Vec<u32>> {
        let mut cycle = Vec::new();
        let mut same = self.facets[f].same_cycle;
        loop {
            let facet = match same {
                NONE => return Err(HullError::Rounding),
                _ => &mut self.facets[same],
            };
            if facet.cycle_done || facet.visible {
                return Err(HullError::Rounding);
            }
            facet.cycle_done = true;
            let next = facet.same_cycle;
            if facet.has_plane {
                facet.same_cycle = NONE;
            } else {
                cycle.push(same);
            }
            if same == f {
                return Ok(cycle);
            }
            same = next;
        }
    }

    /// Merges a ring of new facets into their horizon facet.
    fn merge_cycle(&mut self, cycle: &[u32], g: u32) -> Step {
        self.spend()?;
        self.merge_count += 1;
        self.need_vertex_neighbors();
        let Some(&last) = cycle.last() else { return Err(HullError::Rounding) };
        let apex = self.facets[last].vertices[0];
        self.make_ridges(g);
        let inside = self.merge_cycle_neighbors(cycle, g)?;
        self.merge_cycle_ridges(cycle, g, inside)?;
        self.merge_cycle_vertices(cycle, g, inside, apex);
        if self.facets[g].vertices.first() != Some(&apex) {
            self.facets[g].vertices.insert(0, apex);
        }
        if !self.facets[g].is_new {
            self.renew_vertices_of(g);
        }
        self.move_facet_last(g);
        let facet = &mut self.facets[g];
        facet.is_new = true;
        facet.simplicial = false;
        facet.new_merge = true;
        for &f in cycle {
            self.retire(f, g);
        }
        let facet = &mut self.facets[g];
        if facet.vertices.len() <= KEEP_CENTER {
            facet.center = None;
        }
        Ok(())
    }

    /// Neighbours of the ring become those of `g`; returns the visit of the ring.
    fn merge_cycle_neighbors(&mut self, cycle: &[u32], g: u32) -> Step<u32> {
        let inside = self.next_visit();
        for &f in cycle {
            self.facets[f].visit = inside;
        }
        let visit = self.next_visit();
        self.facets[g].visit = visit;
        let mut list = std::mem::take(&mut self.facets[g].neighbors);
        list.retain(|&h| {
            let keep = self.facets[h].visit != inside;
            if keep {
                self.facets[h].visit = visit;
            }
            keep
        });
        self.facets[g].neighbors = list;
        for &f in cycle {
            for i in 0..self.facets[f].neighbors.len() {
                let h = self.facets[f].neighbors[i];
                if h >= MERGE {
                    return Err(HullError::Rounding);
                }
                if self.facets[h].visit == inside {
                    continue;
                }
                let fresh = self.facets[h].visit != visit;
                if self.facets[h].simplicial {
                    if fresh {
                        self.facets[g].neighbors.push(h);
                        replace(&mut self.facets[h].neighbors, f, g)?;
                        self.facets[h].visit = visit;
                        for i in 0..self.facets[h].ridges.len() {
                            let ridge = &mut self.ridges[self.facets[h].ridges[i]];
                            if ridge.top == f {
                                ridge.top = g;
                                break;
                            } else if ridge.bottom == f {
                                ridge.bottom = g;
                                break;
                            }
                        }
                    } else {
                        self.make_ridges(h);
                        remove(&mut self.facets[h].neighbors, f);
                    }
                } else {
                    remove(&mut self.facets[h].neighbors, f);
                    if fresh {
                        self.facets[h].neighbors.push(g);
                        self.facets[g].neighbors.push(h);
                        self.facets[h].visit = visit;
                    }
                }
            }
        }
        Ok(inside)
    }

    fn merge_cycle_ridges(&mut self, cycle: &[u32], g: u32, inside: u32) -> Step {
        let mut list = std::mem::take(&mut self.facets[g].ridges);
        list.retain(|&r| self.facets[self.ridges[r].other(g)].visit != inside);
        self.facets[g].ridges = list;
        for &f in cycle {
            let ridges = std::mem::take(&mut self.facets[f].ridges);
            let mut i = 0;
            let mut ridges = ridges;
            while i < ridges.len() {
                let r = ridges[i];
                i += 1;
                let ridge = &mut self.ridges[r];
                let h;
                if ridge.top == f {
                    ridge.top = g;
                    h = ridge.bottom;
                } else if ridge.bottom == f {
                    ridge.bottom = g;
                    h = ridge.top;
                } else if ridge.top == g || ridge.bottom == g {
                    self.attach_ridge(g, r);
                    continue;
                } else {
                    return Err(HullError::Rounding);
                }
                if h == g {
                    self.delete_ridge(r);
                } else if self.facets[h].visit == inside {
                    if h == f {
                        remove(&mut ridges, r);
                    } else {
                        remove(&mut self.facets[h].ridges, r);
                    }
                    self.delete_ridge(r);
                } else {
                    self.attach_ridge(g, r);
                }
            }
            ridges.clear();
            self.facets[f].ridges = ridges;
            if !self.facets[f].simplicial {
                continue;
            }
            for i in 0..self.facets[f].neighbors.len() {
                let h = self.facets[f].neighbors[i];
                if self.facets[h].visit != inside && self.facets[h].simplicial {
                    self.ridge_opposite(f, i, g, h, true);
                }
            }
        }
        Ok(())
    }

    fn merge_cycle_vertices(&mut self, cycle: &[u32], g: u32, inside: u32, apex: u32) {
        self.facets[g].visit = inside;
        let visit = self.next_vertex_visit();
        self.vertices[apex].visit = visit;
        let mut vertices = Vec::new();
        for &f in cycle {
            if self.facets[f].merge_ridge {
                continue;
            }
            for &v in &self.facets[f].vertices {
                if self.vertices[v].visit != visit {
                    self.vertices[v].visit = visit;
                    self.vertices[v].seen = false;
                    vertices.push(v);
                }
            }
        }
        vertices.push(apex);
        for v in vertices {
            let vertex = &mut self.vertices[v];
            vertex.lost_ridge = true;
            vertex.neighbors.retain(|&h| self.facets[h].visit != inside);
            vertex.neighbors.push(g);
            if vertex.neighbors.len() < 2 {
                self.drop_merged_vertex(v, g);
            }
        }
    }

    // Edges with more than two facets, and facets that face inwards.
}
