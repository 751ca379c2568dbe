//! Facets that do not fit together: more than two at one ridge, and those that are flipped.

use super::TOO_WIDE;
use crate::hull::store::{Builder, Kind, MERGE, Merge, NONE};
use crate::hull::{HullError, Step};

/// Displacement, in merges of two triangles, up to which facets with a common ridge are near.
const WIDE_DUPLICATE: f64 = 50.0;

impl Builder<'_> {
    pub(super) fn mark_duplicate_ridges(&mut self) -> Step {
        let list = self.facets_from(self.new_facets);
        for &f in &list {
            self.facets[f].merge_ridge = false;
            self.facets[f].merge_ridge2 = false;
        }
        let mut any = false;
        for &f in list.iter() {
            if !self.facets[f].dup_ridge {
                continue;
            }
            for i in 0..self.facets[f].neighbors.len() {
                let g = self.facets[f].neighbors[i];
                if g == MERGE {
                    self.facets[f].merge_ridge = true;
                    continue;
                }
                if !self.facets[g].dup_ridge {
                    continue;
                }
                let missing = !self.facets[g].neighbors.contains(&f);
                if missing || self.facets[f].vertices == self.facets[g].vertices {
                    self.propose(Kind::DupRidge, f, g, 0.0)?;
                    self.facets[f].merge_ridge2 = true;
                    self.facets[f].merge_ridge = true;
                    any = true;
                    if !missing {
                        break;
                    }
                }
            }
        }
        if !any {
            return self.check_matched(&list);
        }
        for &f in &list {
            if self.facets[f].merge_ridge && !self.facets[f].merge_ridge2 {
                self.make_ridges(f);
            }
        }
        for i in 0..self.facet_merges.len() {
            let Merge { kind, facet, neighbor, .. } = self.facet_merges[i];
            if kind == Kind::DupRidge {
                if self.facets[neighbor].merge_ridge2
                    && self.facets[neighbor].neighbors.contains(&facet)
                {
                    return Err(HullError::Rounding);
                }
                self.facets[neighbor].neighbors.push(facet);
                self.make_ridges(facet);
            }
        }
        self.check_matched(&list)
    }

    /// All facets must have facets as neighbours now.
    fn check_matched(&self, list: &[u32]) -> Step {
        let open = |&f: &u32| self.facets[f].neighbors.iter().any(|&g| g >= MERGE);
        if list.iter().any(open) { Err(HullError::Rounding) } else { Ok(()) }
    }

    pub(super) fn merge_duplicate_ridges(&mut self, merged: &mut bool) -> Step {
        let t = self.tolerance;
        let all = std::mem::take(&mut self.facet_merges);
        let mut any = false;
        for merge in &all {
            if merge.kind != Kind::DupRidge {
                continue;
            }
            any = true;
            let f = self.replacement(merge.facet)?;
            let g = self.replacement(merge.neighbor)?;
            if f == g {
                continue;
            }
            if f == NONE || g == NONE || !self.facets[g].neighbors.contains(&f) {
                return Err(HullError::Rounding);
            }
            let (a, b) = (self.spread(f, g), self.spread(g, f));
            self.check_duplicate_width(a.width().min(b.width()))?;
            let near = WIDE_DUPLICATE * (t.one_merge + t.round);
            let (f_flipped, g_flipped) = (self.facets[f].flipped, self.facets[g].flipped);
            // The closer one is merged, unless the other faces inwards.
            let f_merges = if a.width() < b.width() {
                !(g_flipped && !f_flipped && b.width() < near)
            } else {
                f_flipped && !g_flipped && a.width() < near
            };
            if f_merges {
                self.merge_facet(f, g, merge.kind, Some(a), false)?;
            } else {
                self.merge_facet(g, f, merge.kind, Some(b), false)?;
            }
            self.merge_degenerate()?;
            *merged = true;
        }
        let mut rest: Vec<Merge> =
            all.into_iter().filter(|merge| merge.kind != Kind::DupRidge).collect();
        rest.splice(0..0, self.facet_merges.drain(..));
        self.facet_merges = rest;
        if any {
            let mut f = self.new_facets;
            while Self::is_facet(f) {
                if self.facets[f].dup_ridge {
                    let facet = &mut self.facets[f];
                    facet.dup_ridge = false;
                    facet.merge_ridge = false;
                    facet.merge_ridge2 = false;
                    if facet.neighbors.len() < 3 {
                        self.propose(Kind::Degenerate, f, f, 0.0)?;
                    }
                }
                f = self.facets[f].next;
            }
            self.merge_degenerate()?;
        }
        Ok(())
    }

    /// Refuses to join facets that are far apart compared to all merges before.
    fn check_duplicate_width(&self, width: f64) -> Step {
        let t = &self.tolerance;
        let outer = self.max_outside.max(t.round) + t.round;
        let inner = self.min_vertex - t.round;
        let before = outer.max(inner).max(t.one_merge + t.round).max(t.outside + t.round);
        if width / before > TOO_WIDE { Err(HullError::Rounding) } else { Ok(()) }
    }

    pub(super) fn merge_flipped(&mut self, merged: &mut bool) -> Step {
        for f in self.facets_from(self.new_facets) {
            if self.facets[f].flipped && !self.facets[f].visible {
                self.propose(Kind::Flip, f, f, 0.0)?;
            }
        }
        let all = std::mem::take(&mut self.facet_merges);
        for merge in &all {
            if merge.kind != Kind::Flip || self.facets[merge.facet].visible {
                continue;
            }
            let (into, _, spread) = self.best_neighbor(merge.facet)?;
            self.merge_facet(merge.facet, into, merge.kind, Some(spread), false)?;
            *merged = true;
        }
        let living = |m: &Merge| !self.facets[m.facet].visible && !self.facets[m.neighbor].visible;
        let rest: Vec<Merge> = all.into_iter().filter(living).collect();
        self.facet_merges.extend(rest);
        self.merge_degenerate()?;
        Ok(())
    }
}
