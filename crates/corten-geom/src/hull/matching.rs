//! Neighbours among the facets of a new cone.
//!
//! All of them share the apex, so that two are neighbours if they share one more vertex. Where
//! rounding lets more than two meet at an edge, the pair that fits best is joined and the others
//! wait to be merged.

use super::store::{Builder, DUPLICATE, MERGE, NONE, TAIL, replace};
use super::{HullError, Step};

/// Displacement, in merges of two triangles, up to which facets at an edge with more than two
/// facets may be joined.
const WIDE_DUPLICATE: f64 = 50.0;

impl Builder<'_> {
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
}

/// Outcome of matching one pair: edges matched, and the second facet if the pair was close.
struct Matched {
    count: i64,
    good: Option<(u32, usize)>,
}
