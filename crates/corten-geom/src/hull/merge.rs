//! Merging facets that rounding cannot tell apart.
//!
//! New facets coplanar with the horizon are merged into it at once. Of the others, those that are
//! concave or coplanar towards a neighbour are merged, flat before wide, coplanar before concave,
//! each time into the neighbour that its vertices are closest to. A merge may leave a facet with
//! fewer than three neighbours (degenerate) or with no vertex of its own (redundant); those are
//! merged first.

use std::cmp::Ordering;

use super::plane::Spread;
use super::store::{
    Builder, Kind, MERGE, Merge, NONE, Ridge, TAIL, remove, remove_sorted, replace,
};
use super::{HullError, Step};

/// Vertices from which only non-convex ridges are tried for the best neighbour.
const MANY_VERTICES: usize = 18;
/// Vertices from which the centroid stands for all of them.
const VERY_MANY_VERTICES: usize = 26;
/// Vertices from which a merged facet keeps its centroid.
const KEEP_CENTER: usize = 8;
/// Displacement, in merges of two triangles, that is an error.
const TOO_WIDE: f64 = 100.0;
const WIDE_DUPLICATE: f64 = 50.0;
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
    fn ridge_opposite(&mut self, f: u32, i: usize, of: u32, g: u32, simplicial: bool) -> u32 {
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
    fn drop_merged_vertex(&mut self, v: u32, g: u32) {
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

    fn merge_coplanar_horizon(&mut self, merged: &mut bool) -> Step {
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

    fn mark_duplicate_ridges(&mut self) -> Step {
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

    fn merge_duplicate_ridges(&mut self, merged: &mut bool) -> Step {
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

    fn merge_flipped(&mut self, merged: &mut bool) -> Step {
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
