//! Adding a point: the facets that see it are replaced by a cone over their horizon.

use super::store::{Builder, DUPLICATE, MERGE, NONE, TAIL, remove, replace};
use super::{HullError, Step};

/// Displacement, in merges of two triangles, up to which facets at an edge with more than two
/// facets may be joined.
const WIDE_DUPLICATE: f64 = 50.0;

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

    /// Makes the new facets neighbours of each other. They share the apex, so that two are
    /// neighbours if they share one more vertex. Facets wait at that vertex for their partner.
    pub fn match_new_facets(&mut self) -> Step {
        self.waiting.clear();
        self.waiting_stamp += 1;
        let mut f = self.new_facets;
        while f != TAIL {
            let facet = &mut self.facets[f];
            if !facet.simplicial || facet.vertices.len() != 3 {
                return Err(HullError::Rounding);
            }
            facet.neighbors.truncate(1);
            facet.neighbors.extend([NONE, NONE]);
            f = facet.next;
        }
        let mut unmatched = 0i64;
        let mut f = self.new_facets;
        while f != TAIL {
            for skip in [1, 2] {
                unmatched += self.match_neighbor(f, skip)?;
            }
            f = self.facets[f].next;
        }
        if unmatched != 0 {
            let mut f = self.new_facets;
            while f != TAIL {
                if self.facets[f].dup_ridge {
                    for skip in 0..3 {
                        if self.facets[f].neighbors[skip] == DUPLICATE {
                            unmatched -= self.match_duplicate(f, skip)?;
                        }
                    }
                }
                f = self.facets[f].next;
            }
            let open =
                |&f: &u32| self.facets[f].neighbors.iter().any(|&g| g == DUPLICATE || g == NONE);
            if self.facets_from(self.new_facets).iter().any(open) {
                return Err(HullError::Rounding);
            }
        }
        if unmatched == 0 { Ok(()) } else { Err(HullError::Rounding) }
    }

    /// First entry of the facets that wait at a vertex.
    fn waiting_at(&self, v: u32) -> u32 {
        let (stamp, first) = self.vertices[v].waiting;
        if stamp == self.waiting_stamp { first } else { NONE }
    }

    /// Adds a facet at the end of those that wait at a vertex, once.
    fn wait_at(&mut self, v: u32, f: u32) {
        let new = self.waiting.len() as u32;
        let mut at = self.waiting_at(v);
        if at == NONE {
            self.vertices[v].waiting = (self.waiting_stamp, new);
        } else {
            loop {
                let (facet, next) = self.waiting[at as usize];
                if facet == f {
                    return;
                }
                if next == NONE {
                    self.waiting[at as usize].1 = new;
                    break;
                }
                at = next;
            }
        }
        self.waiting.push((f, NONE));
    }

    /// Position opposite the edge from the apex to `v`.
    fn skip_of(&self, f: u32, v: u32) -> usize {
        if self.facets[f].vertices[1] == v { 2 } else { 1 }
    }

    /// Whether two new facets lie on different sides of their common edge.
    fn opposed(&self, f: u32, skip: usize, g: u32, other: usize) -> bool {
        let same = skip % 2 == other % 2;
        same == (self.facets[f].top != self.facets[g].top)
    }

    /// Matches a facet at the edge opposite `vertices[skip]`; returns the change in the number of
    /// unmatched edges.
    fn match_neighbor(&mut self, f: u32, skip: usize) -> Step<i64> {
        let v = self.facets[f].vertices[3 - skip];
        let mut at = self.waiting_at(v);
        while at != NONE {
            let (g, next) = self.waiting[at as usize];
            at = next;
            if g == f {
                continue;
            }
            let other = self.skip_of(g, v);
            let matched = self.facets[g].neighbors[other];
            if matched == NONE && self.opposed(f, skip, g, other) {
                self.facets[g].neighbors[other] = f;
                self.facets[f].neighbors[skip] = g;
                return Ok(-1);
            }
            // More than two facets at an edge: all of them are matched later.
            self.facets[f].neighbors[skip] = DUPLICATE;
            self.facets[f].dup_ridge = true;
            self.wait_at(v, f);
            let mut change = 1;
            if matched != DUPLICATE {
                self.facets[g].neighbors[other] = DUPLICATE;
                self.facets[g].dup_ridge = true;
                if matched != NONE {
                    replace(&mut self.facets[matched].neighbors, g, DUPLICATE)?;
                    self.facets[matched].dup_ridge = true;
                    self.wait_at(v, matched);
                    change += 2;
                }
            }
            return Ok(change);
        }
        self.wait_at(v, f);
        Ok(1)
    }

    /// Matches the facets at an edge that has more than two: the closest pair become neighbours,
    /// or else the pair furthest apart; the others will be merged. Returns how many edges it
    /// matched.
    fn match_duplicate(&mut self, start: u32, start_skip: usize) -> Step<i64> {
        let v = self.facets[start].vertices[3 - start_skip];
        let mut group = Vec::new();
        let mut at = self.waiting_at(v);
        while at != NONE {
            let (g, next) = self.waiting[at as usize];
            group.push(g);
            at = next;
        }
        let mut matched = self.match_best_pair(start, start_skip, v, &group)?;
        let mut good = matched.good;

        // The rest, each with the first opposed one.
        let visit = self.next_visit();
        let (mut f, mut skip) = (start, start_skip);
        loop {
            let mut next = NONE;
            self.facets[f].visit = visit;
            for &g in &group {
                if !self.facets[g].dup_ridge || self.facets[g].visit == visit {
                    continue;
                }
                let other = self.skip_of(g, v);
                if self.facets[g].neighbors[other] != DUPLICATE {
                    continue;
                }
                if !self.opposed(f, skip, g, other) {
                    next = g;
                } else if self.facets[f].neighbors[skip] == DUPLICATE {
                    self.facets[g].neighbors[other] = f;
                    self.facets[f].neighbors[skip] = if self.facets[f].tri_coplanar {
                        g
                    } else if let Some((to, to_skip)) = good.take() {
                        self.facets[to].neighbors[to_skip] = MERGE;
                        g
                    } else {
                        MERGE
                    };
                    matched.count += 2;
                }
            }
            if self.facets[f].neighbors[skip] == DUPLICATE {
                return Err(HullError::Rounding);
            }
            if next == NONE {
                return Ok(matched.count);
            }
            f = next;
            skip = self.skip_of(f, v);
        }
    }

    fn match_best_pair(
        &mut self,
        start: u32,
        start_skip: usize,
        v: u32,
        group: &[u32],
    ) -> Step<Matched> {
        let t = self.tolerance;
        let largest = WIDE_DUPLICATE * (t.one_merge + t.round);
        // Who is matched with whom, at which positions, at which distance.
        struct Pair {
            a: (u32, usize),
            b: (u32, usize),
            distance: f64,
        }
        let mut good: Option<Pair> = None;
        let mut furthest: Option<Pair> = None;
        let mut identical = false;
        let visit = self.next_visit();
        let (mut f, mut skip) = (start, start_skip);
        loop {
            let mut next = NONE;
            self.facets[f].visit = visit;
            for &g in group {
                if !self.facets[g].dup_ridge || self.facets[g].visit == visit {
                    continue;
                }
                let other = self.skip_of(g, v);
                identical |= self.facets[f].vertices[skip] == self.facets[g].vertices[other];
                if self.facets[g].neighbors[other] != DUPLICATE {
                    return Err(HullError::Rounding);
                }
                if !self.opposed(f, skip, g, other) {
                    next = g;
                    continue;
                }
                if self.facets[f].neighbors[skip] != DUPLICATE {
                    continue;
                }
                for h in [g, f] {
                    if !self.facets[h].has_plane {
                        self.set_plane(h)?;
                    }
                }
                let to_new = self.spread(g, f).width();
                let to_old = self.spread(f, g).width();
                let (new_flipped, old_flipped) = (self.facets[f].flipped, self.facets[g].flipped);
                let (new, old) = ((f, skip), (g, other));
                if identical {
                    good = None;
                    furthest = Some(Pair { a: old, b: new, distance: to_new.min(to_old) });
                    break;
                }
                let flipped_before =
                    good.as_ref().is_some_and(|p: &Pair| self.facets[p.a.0].flipped);
                let better = |d: f64| good.as_ref().is_none_or(|p| d < p.distance);
                if old_flipped && !new_flipped && to_new < largest {
                    if !flipped_before || better(to_new) {
                        good = Some(Pair { a: old, b: new, distance: to_new });
                    }
                } else if new_flipped && !old_flipped && to_old < largest {
                    if !flipped_before || better(to_old) {
                        good = Some(Pair { a: new, b: old, distance: to_old });
                    }
                } else if to_new < largest && (!new_flipped || old_flipped) {
                    if good.is_none() || (!flipped_before && better(to_new)) {
                        good = Some(Pair { a: old, b: new, distance: to_new });
                    }
                } else if to_old < largest && (!old_flipped || new_flipped) {
                    if good.is_none() || (!flipped_before && better(to_old)) {
                        good = Some(Pair { a: new, b: old, distance: to_old });
                    }
                } else if good.is_none() {
                    let d = if !new_flipped || old_flipped { to_new.min(to_old) } else { to_new };
                    if furthest.as_ref().is_none_or(|p| d > p.distance) {
                        furthest = Some(Pair { a: old, b: new, distance: d });
                    }
                }
            }
            if next == NONE {
                break;
            }
            f = next;
            skip = self.skip_of(f, v);
        }
        let is_good = good.is_some();
        let Some(pair) = good.or(furthest) else { return Err(HullError::Rounding) };
        self.facets[pair.a.0].neighbors[pair.a.1] = pair.b.0;
        self.facets[pair.b.0].neighbors[pair.b.1] = pair.a.0;
        Ok(Matched { count: 2, good: is_good.then_some(pair.b) })
    }

    /// Facets around the vertices of the cone, and vertices that no facet has any more.
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

/// Outcome of matching one pair: edges matched, and the second facet if the pair was close.
struct Matched {
    count: i64,
    good: Option<(u32, usize)>,
}
