//! Which facet a point waits at.
//!
//! Points above a facet wait in its outside set, the furthest last. Points within rounding of the
//! polyhedron are kept, too: merges move planes, and what these points then stick out bounds later
//! decisions.

use super::store::{Builder, NONE, TAIL};
use super::{HullError, Step};
use corten_math::array::MapInline;
use corten_math::memory::{Gather, Grow};

/// Distance above the hull, relative to what merges explain, from which a coplanar point is
/// considered outside again.
const COPLANAR_OUTSIDE: f64 = 30.0;
/// Merges after which new facets are not trusted to be well-behaved.
const MANY_MERGES: u32 = 50;

/// A facet and the distance of a point from it.
#[derive(Clone, Copy, Debug)]
struct Best {
    facet: u32,
    distance: f64,
}

impl Builder<'_> {
    pub fn many_merges(&self) -> bool {
        self.merge_count > MANY_MERGES
    }

    fn caution(&self) -> f64 {
        if self.many_merges() { 2.0 } else { 1.0 }
    }

    /// Distance from which a point is clearly outside although facets have merged.
    fn clearly_outside(&self) -> f64 {
        self.caution() * (2.0 * self.tolerance.outside).max(self.max_outside)
    }

    /// Bound on how far a facet may be below the best one and still lead to a better one.
    fn search_margin(&self) -> f64 {
        let t = &self.tolerance;
        self.caution() * (self.max_outside + 2.0 * t.round + t.visible)
    }

    /// Largest distance of a point above its facet that merges can explain.
    fn explained_outside(&self) -> f64 {
        let t = &self.tolerance;
        self.max_outside.max(t.one_merge + t.round).max(t.outside)
    }

    /// Gives every point to the facets of the first tetrahedron: to the first that it is clearly
    /// above, and the rest to the best.
    pub fn partition_all(&mut self) -> Step {
        let corners: Vec<u32> = {
            let mut list = Vec::with_capacity(4);
            let mut v = self.vertex_list;
            while v != TAIL {
                list.push(self.vertices[v].point);
                v = self.vertices[v].next;
            }
            list
        };
        let mut rest: Vec<u32> =
            (0..self.points.len() as u32).filter(|p| !corners.contains(p)).gather();
        let enough = self.clearly_outside();
        for f in self.facets_from(self.facet_list) {
            let mut outside = std::mem::take(&mut self.facets[f].outside);
            let mut best = (NONE, f64::MIN);
            rest.retain(|&p| {
                let d = self.distance(p, f);
                if d < enough {
                    return true;
                }
                if best.0 == NONE {
                    best = (p, d);
                } else if d > best.1 {
                    outside.grow_push(best.0);
                    best = (p, d);
                } else {
                    outside.grow_push(p);
                }
                false
            });
            if best.0 != NONE {
                outside.push(best.0);
                self.facets[f].furthest = best.1;
            }
            self.facets[f].outside = outside;
        }
        self.search_all = true;
        for p in rest {
            self.partition_point(p, self.facet_list)?;
        }
        self.search_all = false;
        Ok(())
    }

    /// Moves the facet with the furthest point to the front.
    pub fn furthest_first(&mut self) {
        let mut best = (NONE, f64::MIN);
        for f in self.facets_from(self.facet_list) {
            let facet = &self.facets[f];
            if !facet.outside.is_empty() && facet.furthest > best.1 {
                best = (f, facet.furthest);
            }
        }
        if best.0 != NONE {
            self.remove_facet(best.0);
            self.prepend_facet(best.0, self.facet_next);
        }
    }

    /// The next point to add, and a facet that sees it.
    pub fn next_furthest(&mut self) -> Option<(u32, u32)> {
        while self.facet_next != TAIL {
            let f = self.facet_next;
            if self.facets[f].outside.is_empty() {
                self.facet_next = self.facets[f].next;
                continue;
            }
            if self.narrow {
                if self.facets[f].not_furthest {
                    self.furthest_last(f);
                }
                if self.facets[f].furthest < self.tolerance.outside {
                    // The remaining points are coplanar.
                    self.facet_next = self.facets[f].next;
                    continue;
                }
            }
            return self.facets[f].outside.pop().map(|p| (p, f));
        }
        None
    }

    /// Moves the furthest outside point to the end.
    fn furthest_last(&mut self, f: u32) {
        let mut best = (0, f64::MIN);
        for (i, &p) in self.facets[f].outside.iter().enumerate() {
            let d = self.distance(p, f);
            if d > best.1 {
                best = (i, d);
            }
        }
        let facet = &mut self.facets[f];
        if !facet.outside.is_empty() {
            let p = facet.outside.swap_remove(best.0);
            facet.outside.push(p);
            facet.furthest = best.1;
        }
        facet.not_furthest = false;
    }

    /// Partitions the points of visible facets and deleted vertices among the new facets.
    pub fn partition_visible(&mut self) -> Step {
        let mut at = self.visible_facets;
        while let Some(f) = self.while_visible(at) {
            at = self.facets[f].next;
            if self.facets[f].outside.is_empty() && self.facets[f].coplanar.is_empty() {
                continue;
            }
            let mut start = self.replacement(f)?;
            if start == NONE {
                start = self.new_facets;
            }
            if start == NONE || start == TAIL {
                return Err(HullError::Rounding);
            }
            let outside = std::mem::take(&mut self.facets[f].outside);
            for &p in &outside {
                self.partition_point(p, start)?;
            }
            self.facets[f].outside = outside;
            let coplanar = std::mem::take(&mut self.facets[f].coplanar);
            for &p in &coplanar {
                self.partition_coplanar(p, start, None, self.search_all)?;
            }
            self.facets[f].coplanar = coplanar;
        }
        for i in 0..self.deleted_vertices.len() {
            let v = self.deleted_vertices[i];
            if !self.vertices[v].partitioned {
                if !Self::is_facet(self.new_facets) {
                    return Err(HullError::Rounding);
                }
                self.partition_coplanar(self.vertices[v].point, self.new_facets, None, true)?;
                self.vertices[v].partitioned = true;
            }
        }
        Ok(())
    }

    /// Puts a point into the outside set or the coplanar set of the best facet, or drops it.
    fn partition_point(&mut self, point: u32, start: u32) -> Step {
        let (best, mut is_outside) = if self.search_all {
            self.best_new_facet(point, start, false)?
        } else {
            self.best_facet(point, start, false, true)?
        };
        let t = self.tolerance;
        let Best { facet: f, distance } = best;
        if self.facets[f].visible {
            return Err(HullError::Rounding);
        }
        if self.narrow && distance >= -t.near_inside {
            is_outside = true;
        }
        if !is_outside {
            if distance >= -t.near_inside {
                self.partition_coplanar(point, f, Some(distance), self.search_all)?;
            }
            return Ok(());
        }
        let facet = &mut self.facets[f];
        let previous = facet.furthest;
        let mut newly = false;
        match facet.outside.last().copied() {
            None => {
                facet.outside.push(point);
                facet.furthest = distance;
                newly = !self.narrow || distance > t.outside;
            }
            Some(_) if previous < distance => {
                facet.outside.grow_push(point);
                facet.furthest = distance;
                newly = self.narrow && previous < t.outside && distance >= t.outside;
            }
            Some(last) => {
                facet.outside.pop();
                facet.outside.grow_extend([point, last]);
            }
        }
        // A facet with points must not be before the one from which the search goes on.
        if newly && self.facet_next != f {
            if self.facets[f].is_new {
                if self.facets[self.facet_next].is_new {
                    self.facet_next = self.new_facets;
                }
            } else {
                self.move_facet_last(f);
                if self.new_facets != NONE {
                    self.facets[f].is_new = true;
                }
            }
        }
        Ok(())
    }

    /// Puts a point near the hull into the coplanar set of the best facet, of `facet` if its
    /// distance is known; back to the outside points if it is far above.
    pub fn partition_coplanar(
        &mut self,
        point: u32,
        facet: u32,
        known: Option<f64>,
        all_new: bool,
    ) -> Step {
        let t = self.tolerance;
        let Best { facet: f, distance } = match known {
            Some(distance) => Best { facet, distance },
            None => {
                let (best, _) = if all_new {
                    self.best_new_facet(point, facet, true)?
                } else {
                    self.best_facet(point, facet, true, false)?
                };
                if best.distance < -t.near_inside {
                    self.repartitioned = NONE;
                    return Ok(());
                }
                best
            }
        };
        if self.facets[f].visible {
            return Err(HullError::Rounding);
        }
        if distance > self.max_outside {
            let mut outside = false;
            if known.is_none() && facet != f {
                let (a, b) = (self.facets[facet].normal, self.facets[f].normal);
                outside = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < 0.0;
            }
            if !outside && distance > self.explained_outside_at_start * COPLANAR_OUTSIDE {
                if facet == f {
                    if self.repartitioned == self.facets[f].serial {
                        return Err(HullError::Rounding);
                    }
                    self.repartitioned = self.facets[f].serial;
                }
                outside = true;
            }
            if outside {
                self.spend()?;
                let before = std::mem::replace(&mut self.search_all, false);
                self.partition_point(point, f)?;
                self.search_all = before;
                self.repartitioned = NONE;
                return Ok(());
            }
            self.repartitioned = NONE;
            self.max_outside = distance;
        }
        let behind = match self.facets[f].coplanar.last() {
            Some(&last) => self.distance(last, f) >= distance,
            None => false,
        };
        let list = &mut self.facets[f].coplanar;
        list.grow_push(point);
        if behind {
            let end = list.len();
            list.swap(end - 1, end - 2);
        }
        Ok(())
    }

    /// Climbs from `start` to the best facet, and then searches all that are coplanar with it.
    /// With `best_of_all` false, the first facet that has the point outside will do.
    fn best_facet(
        &mut self,
        point: u32,
        start: u32,
        best_of_all: bool,
        among_new: bool,
    ) -> Step<(Best, bool)> {
        let t = self.tolerance;
        let x = self.points[point as usize];
        let visit = self.next_visit();
        let mut best = Best { facet: NONE, distance: f64::MIN / 2.0 };
        if !self.facets[start].flipped {
            best = Best { facet: start, distance: self.facets[start].distance(x) };
            if !best_of_all && best.distance >= t.outside {
                return Ok((best, true));
            }
        }
        self.facets[start].visit = visit;
        let (mut at, mut last) = (start, start);
        while at != NONE {
            last = at;
            let mut next = NONE;
            for i in 0..self.facets[at].neighbors.len() {
                let g = self.facets[at].neighbors[i];
                let facet = &mut self.facets[g];
                if (among_new && !facet.is_new) || facet.visit == visit {
                    continue;
                }
                facet.visit = visit;
                if facet.flipped {
                    continue;
                }
                let distance = facet.distance(x);
                if distance > best.distance {
                    best = Best { facet: g, distance };
                    if !best_of_all && distance >= t.outside {
                        return Ok((best, true));
                    }
                    next = g;
                    break;
                }
            }
            at = next;
        }
        let mut searched = false;
        if among_new {
            if best.facet == NONE {
                best = self.best_new_facet(point, self.new_facets, best_of_all)?.0;
                searched = true;
            } else if !self.not_sharp && best.distance < -t.round {
                // Facets that face all ways may hide the best one behind worse ones.
                if self.new_facets_are_sharp() {
                    best = self.best_new_facet(point, best.facet, best_of_all)?.0;
                    searched = true;
                    self.search_all = true;
                } else {
                    self.not_sharp = true;
                }
            }
        }
        if best.facet == NONE {
            best = self.best_of_anything(point, last)?;
        }
        if !searched {
            best = self.best_coplanar(point, best);
        }
        Ok((best, best.distance >= t.outside))
    }

    /// The best of all new facets, from `start` to the end and then from the first on, and of
    /// those coplanar with it. With `best_of_all` false, the first that has the point clearly
    /// outside will do.
    fn best_new_facet(&mut self, point: u32, start: u32, best_of_all: bool) -> Step<(Best, bool)> {
        if !Self::is_facet(start) {
            return Err(HullError::Rounding);
        }
        let x = self.points[point as usize];
        let enough = if best_of_all { f64::INFINITY } else { self.clearly_outside() };
        let visit = self.next_visit();
        let mut best = Best { facet: NONE, distance: f64::MIN / 2.0 };
        for (round, first) in [start, self.new_facets].into_iter().enumerate() {
            let mut f = first;
            while Self::is_facet(f) && !(round == 1 && f == start) {
                let facet = &mut self.facets[f];
                facet.visit = visit;
                if !facet.flipped {
                    let distance = facet.distance(x);
                    if distance > best.distance {
                        best = Best { facet: f, distance };
                        if distance >= enough {
                            return Ok((best, true));
                        }
                    }
                }
                f = facet.next;
            }
        }
        if best.facet == NONE {
            best.facet = start;
        }
        let best = self.best_coplanar(point, best);
        Ok((best, best.distance >= self.tolerance.outside))
    }

    /// Searches the facets that are coplanar with the best one, from neighbour to neighbour.
    fn best_coplanar(&mut self, point: u32, start: Best) -> Best {
        let x = self.points[point as usize];
        let margin = self.search_margin();
        let visit = self.next_visit();
        let mut best = start;
        let mut lowest = best.distance - margin;
        let mut stack = std::mem::take(&mut self.coplanar_stack);
        stack.clear();
        self.facets[start.facet].visit = visit;
        let mut at = start.facet;
        let mut next = NONE;
        loop {
            for i in 0..self.facets[at].neighbors.len() {
                let g = self.facets[at].neighbors[i];
                let facet = &mut self.facets[g];
                if facet.visit == visit {
                    continue;
                }
                facet.visit = visit;
                if !facet.flipped {
                    let distance = facet.distance(x);
                    if distance > best.distance {
                        lowest = distance - margin;
                        if distance > best.distance + margin {
                            stack.clear();
                        }
                        best = Best { facet: g, distance };
                    } else if distance < lowest {
                        continue;
                    }
                }
                if next != NONE {
                    stack.push(next);
                }
                next = g;
            }
            let Some(f) = (if next != NONE { Some(next) } else { stack.pop() }) else { break };
            at = f;
            next = NONE;
        }
        self.coplanar_stack = stack;
        best
    }

    /// Last resort if a search starts at a facet that faces inwards.
    fn best_of_anything(&mut self, point: u32, start: u32) -> Step<Best> {
        let x = self.points[point as usize];
        let mut best = Best { facet: NONE, distance: f64::MIN / 2.0 };
        let improve = |b: &Self, list: &[u32], best: &mut Best| {
            for &g in list {
                let facet = &b.facets[g];
                if !facet.flipped && facet.distance(x) > best.distance {
                    *best = Best { facet: g, distance: facet.distance(x) };
                }
            }
        };
        improve(self, &self.facets[start].neighbors, &mut best);
        if best.facet == NONE {
            let mut nearest = (NONE, f64::MAX);
            for &v in &self.facets[start].vertices {
                let d = (self.position(v) - x).norm_squared();
                if d < nearest.1 {
                    nearest = (v, d);
                }
            }
            self.need_vertex_neighbors();
            if nearest.0 != NONE {
                improve(self, &self.vertices[nearest.0].neighbors, &mut best);
            }
        }
        if best.facet == NONE {
            for f in self.facets_from(self.facet_list) {
                let facet = &self.facets[f];
                if facet.flipped || !facet.has_plane || facet.visible {
                    continue;
                }
                let distance = facet.distance(x);
                if distance > best.distance {
                    best = Best { facet: f, distance };
                    if distance > self.tolerance.outside {
                        break;
                    }
                }
            }
        }
        if best.facet == NONE { Err(HullError::Rounding) } else { Ok(best) }
    }

    /// Whether the normals of the new facets lie in more than one octant.
    fn new_facets_are_sharp(&self) -> bool {
        let octant = |f: u32| self.facets[f].normal.0.map_inline(|x| x > 0.0);
        let first = self.new_facets;
        let mut f = first;
        while Self::is_facet(f) {
            if octant(f) != octant(first) {
                return true;
            }
            f = self.facets[f].next;
        }
        false
    }

    /// Fixes the bound for coplanar points until the next point is added.
    pub fn update_explained_outside(&mut self) {
        self.explained_outside_at_start = self.explained_outside();
    }
}
