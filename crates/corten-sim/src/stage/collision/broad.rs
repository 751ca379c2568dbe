//! Candidate pairs for the current poses, in the order in which contacts are reported: by body
//! pair, pairs listed by the author first, then by geoms.
//!
//! A model with few admitted pairs keeps them in a table, ready and in order; the bounding
//! spheres are then tested one by one by the narrow phase, which costs less than any search. A
//! large model searches with [`Sweep`] and sorts what it finds. Both give the same candidates up
//! to pairs whose bounding spheres are apart. Answers to `mj_broadphase`.

use corten_math::{Mat3, Vec3};
use corten_model::Model;
use corten_model::enums::EnableBit;

use super::filter::{Candidate, Rules, Source};
use super::sweep::Sweep;

/// Most candidates of a table: beyond, a sweep is faster.
const TABLE_CANDIDATES: usize = 4096;

/// Most colliding geoms for which the table is tried; bounds the time to build it.
const TABLE_GEOMS: usize = 512;

#[derive(Clone, Debug, Default)]
pub(super) struct Broad {
    rules: Rules,
    /// Whether `list` is the table.
    table: bool,
    list: Vec<Candidate>,
    /// Colliding geoms with bounds, and planes, which have none.
    bounded: Vec<u32>,
    planes: Vec<u32>,
    sweep: Sweep,
    found: Vec<Candidate>,
    /// Where the candidates of each body start in `list`.
    starts: Vec<u32>,
}

impl Broad {
    /// The pairs to test, and the rules by which they were chosen.
    pub fn candidates(
        &mut self,
        m: &Model,
        xpos: &[Vec3],
        xmat: &[Mat3],
    ) -> (&[Candidate], &Rules) {
        if self.rules.update(m) {
            self.prepare(m);
        }
        if !self.table {
            self.search(m, xpos, xmat);
        }
        (&self.list, &self.rules)
    }

    fn prepare(&mut self, m: &Model) {
        self.bounded.clear();
        self.planes.clear();
        for g in (0..m.ngeom).filter(|&g| self.rules.collides(g)) {
            let list = if self.rules.is_plane(g) { &mut self.planes } else { &mut self.bounded };
            list.push(g as u32);
        }
        self.table = self.fill_table(m);
    }

    /// Lists all admitted pairs, unless they are too many.
    fn fill_table(&mut self, m: &Model) -> bool {
        let count = self.bounded.len() + self.planes.len();
        if count > TABLE_GEOMS {
            return false;
        }
        self.list.clear();
        for (k, &g1) in self.bounded.iter().enumerate() {
            for &g2 in self.bounded[k + 1..].iter().chain(&self.planes) {
                self.list.extend(self.rules.admit(g1, g2));
                if self.list.len() > TABLE_CANDIDATES {
                    return false;
                }
            }
        }
        self.list_pairs(m);
        let rules = &self.rules;
        self.list.sort_unstable_by_key(|c| rules.order(c));
        true
    }

    fn list_pairs(&mut self, m: &Model) {
        for (k, (&a, &b)) in m.pair_geom1.iter().zip(&m.pair_geom2).enumerate() {
            let in_range = |g: i32| u32::try_from(g).ok().filter(|&g| (g as usize) < m.ngeom);
            if let (Some(a), Some(b)) = (in_range(a), in_range(b)) {
                self.list.push(self.rules.ordered(a, b, Source::Pair(k as u32)));
            }
        }
    }

    /// Finds the pairs whose bounding spheres meet.
    fn search(&mut self, m: &Model, xpos: &[Vec3], xmat: &[Mat3]) {
        let margin_override = m.opt.enabled(EnableBit::Override).then_some(0.5 * m.opt.o_margin);
        // Contacts reach as far as the larger margin of two geoms; the sum is on the safe side.
        let reach = |g: u32| {
            m.geom_rbound[g as usize] + margin_override.unwrap_or(m.geom_margin[g as usize])
        };
        let Broad { rules, bounded, planes, sweep, found, .. } = self;

        found.clear();
        for &plane in planes.iter() {
            let (origin, normal) = (xpos[plane as usize], xmat[plane as usize].col(2));
            for &g in bounded.iter() {
                if (xpos[g as usize] - origin).dot(normal) <= reach(g) + reach(plane) {
                    found.extend(rules.admit(plane, g));
                }
            }
        }

        sweep.clear();
        for &g in bounded.iter() {
            sweep.add(g, xpos[g as usize], reach(g));
        }
        sweep.pairs(|g1, g2| {
            if !(rules.is_static(g1 as usize) && rules.is_static(g2 as usize)) {
                let (p1, p2) = (xpos[g1 as usize], xpos[g2 as usize]);
                let sum = reach(g1) + reach(g2);
                if (p2 - p1).norm_squared() <= sum * sum {
                    found.extend(rules.admit(g1, g2));
                }
            }
        });
        self.sort(m);
    }

    /// Orders the candidates: by the lower body in linear time, then within each body.
    fn sort(&mut self, m: &Model) {
        let Broad { rules, list, found, starts, .. } = self;
        let lower = |c: &Candidate| rules.body(c.first).min(rules.body(c.second)) as usize;
        starts.clear();
        starts.resize(m.nbody + 1, 0);
        for c in found.iter() {
            starts[lower(c) + 1] += 1;
        }
        for b in 0..m.nbody {
            starts[b + 1] += starts[b];
        }
        list.clear();
        if let Some(&any) = found.first() {
            list.resize(found.len(), any);
        }
        for c in found.iter() {
            let place = &mut starts[lower(c)];
            list[*place as usize] = *c;
            *place += 1;
        }
        // Each start has moved to the end of its group.
        let mut start = 0;
        for &end in &starts[..m.nbody] {
            list[start..end as usize].sort_unstable_by_key(|c| rules.rank(c));
            start = end as usize;
        }
        if m.npair > 0 {
            self.list_pairs(m);
            let rules = &self.rules;
            self.list.sort_unstable_by_key(|c| rules.order(c));
        }
    }
}
