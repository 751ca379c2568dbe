//! Merging facets that rounding cannot tell apart.
//!
//! New facets coplanar with the horizon are merged into it at once. Of the others, those that are
//! concave or coplanar towards a neighbour are merged, flat before wide, coplanar before concave,
//! each time into the neighbour that its vertices are closest to. A merge may leave a facet with
//! fewer than three neighbours (degenerate) or with no vertex of its own (redundant); those are
//! merged first.

mod duplicate;
mod horizon;
mod join;

use std::cmp::Ordering;

use super::plane::Spread;
use super::store::{Builder, Kind, Merge, NONE, TAIL, remove};
use super::{HullError, Step};

/// Vertices from which only non-convex ridges are tried for the best neighbour.
const MANY_VERTICES: usize = 18;
/// Vertices from which the centroid stands for all of them.
const VERY_MANY_VERTICES: usize = 26;
/// Vertices from which a merged facet keeps its centroid.
const KEEP_CENTER: usize = 8;
/// Displacement, in merges of two triangles, that is an error.
const TOO_WIDE: f64 = 100.0;
/// A facet counts its merges up to here.
const MOST_MERGES: u16 = 511;

impl Builder<'_> {
    /// Makes the new facets convex.
    pub fn merge_new_facets(&mut self) -> Step {
        if self.new_facets_are_convex() {
            return Ok(());
        }
        let mut merged = false;
        self.mark_duplicate_ridges()?;
        self.merge_coplanar_horizon(&mut merged)?;
        self.merge_duplicate_ridges(&mut merged)?;
        self.merge_flipped(&mut merged)?;
        self.collect_first_merges()?;
        self.merge_all(merged)
    }

    /// Quick test for triangles: opposite vertices are clearly below.
    fn new_facets_are_convex(&mut self) -> bool {
        let mut f = self.new_facets;
        while f != TAIL {
            let facet = &self.facets[f];
            let horizon = &self.facets[facet.neighbors[0]];
            if !horizon.simplicial || facet.flipped || facet.dup_ridge || !facet.has_plane {
                return false;
            }
            f = facet.next;
        }
        let below = -2.0 * self.tolerance.round;
        let mut f = self.new_facets;
        while f != TAIL {
            let facet = &self.facets[f];
            for i in 1..3 {
                if self.vertex_distance(facet.vertices[i], facet.neighbors[i]) >= below {
                    return false;
                }
            }
            let own = &facet.vertices[1..3];
            let horizon = &self.facets[facet.neighbors[0]];
            if let Some(&v) = horizon.vertices.iter().find(|v| !own.contains(v))
                && facet.distance(self.position(v)) >= below
            {
                return false;
            }
            f = facet.next;
        }
        true
    }

    // Candidates.

    /// Notes a merge, unless a facet is about to vanish anyway.
    pub fn propose(&mut self, kind: Kind, facet: u32, neighbor: u32, distance: f64) -> Step {
        let (a, b) = (&self.facets[facet], &self.facets[neighbor]);
        if (a.redundant && kind != Kind::Mirror)
            || b.redundant
            || (a.degenerate && kind == Kind::Degenerate)
        {
            return Ok(());
        }
        if b.flipped && !a.flipped && kind != Kind::DupRidge {
            return Err(HullError::Rounding);
        }
        let merge = Merge { kind, facet, neighbor, distance };
        match kind {
            Kind::Degenerate => {
                self.facets[facet].degenerate = true;
                // Merged after redundant ones.
                match self.degenerate_merges.last() {
                    Some(last) if last.kind != Kind::Degenerate => {
                        self.degenerate_merges.insert(0, merge);
                    }
                    _ => self.degenerate_merges.push(merge),
                }
            }
            Kind::Redundant => {
                self.facets[facet].redundant = true;
                self.degenerate_merges.push(merge);
            }
            Kind::Mirror => {
                if a.redundant || a.vertices != b.vertices {
                    return Err(HullError::Rounding);
                }
                self.facets[facet].redundant = true;
                self.facets[neighbor].redundant = true;
                self.degenerate_merges.push(merge);
            }
            _ => self.facet_merges.push(merge),
        }
        Ok(())
    }

    /// Tests the ridge between two facets by their centroids; notes a merge if it is not convex.
    fn test_ridge(&mut self, f: u32, g: u32) -> Step<bool> {
        let radius = self.tolerance.centrum;
        let center = self.center(f);
        let d = self.facets[g].distance(center);
        let center = self.center(g);
        let e = self.facets[f].distance(center);
        let concave = d > radius || e > radius;
        let coplanar = (d <= radius && d >= -radius) || (e <= radius && e >= -radius);
        match (concave, coplanar) {
            (false, false) => return Ok(false),
            (true, true) if d > e => self.propose(Kind::ConcaveCoplanar, f, g, d)?,
            (true, true) => self.propose(Kind::ConcaveCoplanar, g, f, e)?,
            (true, false) => self.propose(Kind::Concave, f, g, d.max(e))?,
            (false, true) => self.propose(Kind::Coplanar, f, g, d.abs().min(e.abs()))?,
        }
        Ok(true)
    }

    /// Tests each new facet with each neighbour, once.
    fn collect_first_merges(&mut self) -> Step {
        let visit = self.next_visit();
        let mut f = self.new_facets;
        while f != TAIL {
            self.facets[f].visit = visit;
            for i in 0..self.facets[f].neighbors.len() {
                let g = self.facets[f].neighbors[i];
                if self.facets[g].visit != visit && self.test_ridge(f, g)? {
                    // One ridge per pair of facets stands for all.
                    let ridges = &self.facets[g].ridges;
                    if let Some(&r) = ridges.iter().find(|&&r| self.ridges[r].other(g) == f) {
                        self.ridges[r].nonconvex = true;
                    }
                }
            }
            self.facets[f].tested = true;
            for i in 0..self.facets[f].ridges.len() {
                let r = self.facets[f].ridges[i];
                self.ridges[r].tested = true;
            }
            f = self.facets[f].next;
        }
        self.sort_merges();
        Ok(())
    }

    /// Tests the ridges of facets that changed since the last test.
    pub fn collect_merges(&mut self) -> Step {
        let visit = self.next_visit();
        let mut f = self.new_facets;
        while Self::is_facet(f) {
            let next = self.facets[f].next;
            if self.facets[f].tested {
                f = next;
                continue;
            }
            self.facets[f].visit = visit;
            for i in 0..self.facets[f].neighbors.len() {
                let g = self.facets[f].neighbors[i];
                self.facets[g].seen = false;
            }
            for i in 0..self.facets[f].ridges.len() {
                let r = self.facets[f].ridges[i];
                let ridge = self.ridges[r];
                if ridge.tested && !ridge.nonconvex {
                    continue;
                }
                let g = ridge.other(f);
                if self.facets[g].seen {
                    self.ridges[r].tested = true;
                    self.ridges[r].nonconvex = false;
                } else if self.facets[g].visit != visit {
                    self.facets[g].seen = true;
                    self.ridges[r].nonconvex = self.test_ridge(f, g)?;
                    self.ridges[r].tested = true;
                }
            }
            self.facets[f].tested = true;
            f = next;
        }
        self.sort_merges();
        Ok(())
    }

    /// The last is merged first: coplanar before concave, flat before wide, later before earlier.
    fn sort_merges(&mut self) {
        self.facet_merges.sort_by(|a, b| {
            b.kind.cmp(&a.kind).then(b.distance.partial_cmp(&a.distance).unwrap_or(Ordering::Equal))
        });
    }

    // The sequence of merges.

    /// Merges until all new facets are convex.
    pub fn merge_all(&mut self, merged_before: bool) -> Step {
        let mut merged = merged_before;
        loop {
            while !self.facet_merges.is_empty() || !self.degenerate_merges.is_empty() {
                if !self.degenerate_merges.is_empty() {
                    self.merge_degenerate()?;
                    merged = true;
                }
                while let Some(merge) = self.facet_merges.pop() {
                    let (a, b) = (&self.facets[merge.facet], &self.facets[merge.neighbor]);
                    if a.visible || b.visible {
                        continue;
                    }
                    // A coplanar merge waits until its facets have been tested again.
                    let stale = (!a.tested && a.is_new) || (!b.tested && b.is_new);
                    if merge.kind == Kind::Coplanar && stale {
                        continue;
                    }
                    self.merge_nonconvex(merge)?;
                    self.merge_degenerate()?;
                    merged = true;
                }
                self.collect_merges()?;
            }
            if self.vertex_neighbors && merged {
                merged = false;
                if self.reduce_vertices()? {
                    self.collect_merges()?;
                    continue;
                }
            }
            break;
        }
        if merged {
            let mut f = self.new_facets;
            while Self::is_facet(f) {
                self.facets[f].new_merge = false;
                f = self.facets[f].next;
            }
        }
        Ok(())
    }

    /// Of two facets with a non-convex ridge, merges the one that is closer to a neighbour.
    fn merge_nonconvex(&mut self, merge: Merge) -> Step {
        let (mut f, mut g) = (merge.facet, merge.neighbor);
        if !self.facets[f].is_new {
            (f, g) = (g, f);
        }
        let (into_f, width_f, spread_f) = self.best_neighbor(f)?;
        let (into_g, width_g, spread_g) = self.best_neighbor(g)?;
        if width_f < width_g {
            self.merge_facet(f, into_f, merge.kind, Some(spread_f), false)
        } else {
            self.merge_facet(g, into_g, merge.kind, Some(spread_g), false)
        }
    }

    /// The neighbour whose plane the vertices of `f` are closest to.
    fn best_neighbor(&mut self, f: u32) -> Step<(u32, f64, Spread)> {
        let size = self.facets[f].vertices.len();
        let by_center = size > VERY_MANY_VERTICES;
        if by_center {
            self.center(f);
        }
        let mut best = (NONE, f64::MAX, Spread { low: 0.0, high: 0.0 });
        if size > MANY_VERTICES {
            for i in 0..self.facets[f].ridges.len() {
                let ridge = self.ridges[self.facets[f].ridges[i]];
                if ridge.nonconvex {
                    self.try_neighbor(f, ridge.other(f), by_center, &mut best);
                }
            }
        }
        if best.0 == NONE {
            for i in 0..self.facets[f].neighbors.len() {
                self.try_neighbor(f, self.facets[f].neighbors[i], by_center, &mut best);
            }
        }
        if best.0 == NONE {
            return Err(HullError::Rounding);
        }
        if by_center {
            best.2 = self.spread(f, best.0);
        }
        Ok(best)
    }

    fn try_neighbor(&mut self, f: u32, g: u32, by_center: bool, best: &mut (u32, f64, Spread)) {
        let both_flipped = self.facets[f].flipped && self.facets[g].flipped;
        if both_flipped && best.0 != NONE && !self.facets[best.0].flipped {
            return;
        }
        let (width, spread) = match self.facets[f].center {
            Some(center) if by_center => {
                // Three times the distance of the centroid estimates the furthest vertex.
                let d = self.facets[g].distance(center) * 3.0;
                if d < 0.0 {
                    (-d, Spread { low: d, high: 0.0 })
                } else {
                    (d, Spread { low: 0.0, high: d })
                }
            }
            _ => {
                let spread = self.spread(f, g);
                (spread.width(), spread)
            }
        };
        if width < best.1 {
            *best = (g, width, spread);
        }
    }

    /// Merges degenerate and redundant facets; whether there were any.
    pub fn merge_degenerate(&mut self) -> Step<bool> {
        let mut any = false;
        while let Some(merge) = self.degenerate_merges.pop() {
            let f = merge.facet;
            if self.facets[f].visible {
                continue;
            }
            self.facets[f].degenerate = false;
            self.facets[f].redundant = false;
            if merge.kind == Kind::Redundant {
                let into = self.replacement(merge.neighbor)?;
                if into == NONE {
                    return Err(HullError::Rounding);
                }
                if into == f {
                    continue;
                }
                self.merge_facet(f, into, merge.kind, None, false)?;
                any = true;
                continue;
            }
            match self.facets[f].neighbors.len() {
                0 => {
                    self.retire(f, NONE);
                    for i in 0..self.facets[f].vertices.len() {
                        let v = self.facets[f].vertices[i];
                        remove(&mut self.vertices[v].neighbors, f);
                        if self.vertices[v].neighbors.is_empty() {
                            self.drop_vertex(v);
                        }
                    }
                    any = true;
                }
                1 | 2 => {
                    let (into, _, spread) = self.best_neighbor(f)?;
                    self.merge_facet(f, into, merge.kind, Some(spread), false)?;
                    any = true;
                }
                _ => {}
            }
        }
        Ok(any)
    }

    /// Notes facets that have too few neighbours, or all vertices of which a neighbour has.
    pub fn test_degenerate(&mut self, f: u32) -> Step {
        if self.facets[f].flipped {
            return Ok(());
        }
        for i in 0..self.facets[f].neighbors.len() {
            let g = self.facets[f].neighbors[i];
            if self.facets[g].flipped {
                continue;
            }
            if self.facets[g].visible {
                return Err(HullError::Rounding);
            }
            if self.covers(g, f) {
                return self.propose(Kind::Redundant, f, g, 0.0);
            }
        }
        if self.facets[f].neighbors.len() < 3 {
            self.propose(Kind::Degenerate, f, f, 0.0)?;
        }
        Ok(())
    }

    /// Whether all vertices of `f` belong to `g`.
    fn covers(&self, g: u32, f: u32) -> bool {
        // Both lists are descending.
        let mut of_g = self.facets[g].vertices.iter();
        self.facets[f].vertices.iter().all(|&v| of_g.by_ref().find(|&&w| w <= v) == Some(&v))
    }

    /// Notes neighbours of `f` that have no vertex of their own.
    pub fn test_redundant_neighbors(&mut self, f: u32) -> Step {
        if self.facets[f].neighbors.len() < 3 {
            return self.propose(Kind::Degenerate, f, f, 0.0);
        }
        for i in 0..self.facets[f].neighbors.len() {
            let g = self.facets[f].neighbors[i];
            let neighbor = &self.facets[g];
            if neighbor.visible {
                return Err(HullError::Rounding);
            }
            let vanishes = neighbor.degenerate || neighbor.redundant || neighbor.dup_ridge;
            if vanishes || (self.facets[f].flipped && !neighbor.flipped) {
                continue;
            }
            if self.covers(f, g) {
                self.propose(Kind::Redundant, g, f, 0.0)?;
            }
        }
        Ok(())
    }

    /// Notes neighbours of `f` that have too few neighbours.
    pub fn test_degenerate_neighbors(&mut self, f: u32) -> Step {
        for i in 0..self.facets[f].neighbors.len() {
            let g = self.facets[f].neighbors[i];
            let neighbor = &self.facets[g];
            if neighbor.visible {
                return Err(HullError::Rounding);
            }
            let vanishes = neighbor.degenerate || neighbor.redundant || neighbor.dup_ridge;
            if !vanishes && neighbor.neighbors.len() < 3 {
                self.propose(Kind::Degenerate, g, g, 0.0)?;
            }
        }
        Ok(())
    }

    // One merge.
}
