//! Candidate pairs for the current poses, in the order in which contacts are reported: by body
//! pair, pairs listed by the author first, then by geoms.
//!
//! A model with few admitted pairs keeps them in a table, ready and in order, and tests their
//! bounding spheres one by one, which costs less than any search. A large model searches with
//! [`Sweep`] and sorts what it finds. Answers to `mj_broadphase`.

use corten_math::{Mat3, Vec3};
use corten_model::Model;
use corten_model::enums::EnableBit;

use super::filter::{Candidate, Rules, Source};
use super::method::Method;
use super::sweep::Sweep;
use super::table::Table;

/// Bounding spheres are larger by this part of their radius and distance from the origin, so that
/// rounding loses no pair; exact tests follow.
const INFLATION: f64 = 1e-12;

/// Fills memory that is written before it is read.
const NOTHING: Candidate =
    Candidate { first: 0, second: 0, source: Source::Lone, method: Method::Nothing };

#[derive(Clone, Debug, Default)]
pub(super) struct Broad {
    rules: Rules,
    /// All admitted pairs in order, if they are few.
    table: Option<Table>,
    /// Bounding sphere per geom, grown by its margin: centre and radius.
    spheres: Vec<[f64; 4]>,
    /// The pairs to test: the first `count`, the rest is left over.
    list: Vec<Candidate>,
    count: usize,
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
        match &mut self.table {
            Some(table) => {
                self.list.clear();
                table.cull(m, xpos, xmat, &mut self.list);
                self.count = self.list.len();
            }
            None => {
                self.bound(m, xpos);
                self.search(m, xpos, xmat);
            }
        }
        (&self.list[..self.count], &self.rules)
    }

    /// All pairs that may ever touch, if they are few, and the rules that say so, as of the last
    /// search.
    pub fn pairs(&self) -> Option<(&[Candidate], &Rules)> {
        Some((self.table.as_ref()?.candidates(), &self.rules))
    }

    fn prepare(&mut self, m: &Model) {
        self.bounded.clear();
        self.planes.clear();
        for g in (0..m.ngeom).filter(|&g| self.rules.collides(g)) {
            let list = if self.rules.is_plane(g) { &mut self.planes } else { &mut self.bounded };
            list.push(g as u32);
        }
        self.spheres.clear();
        self.spheres.resize(m.ngeom, [0.0, 0.0, 0.0, f64::INFINITY]);
        self.table = Table::new(m, &self.rules, &self.bounded, &self.planes);
    }

    /// Bounding spheres at the current poses. Contacts reach as far as the larger margin of two
    /// geoms; adding both is on the safe side. Geoms without bounds, planes among them, are
    /// everywhere.
    fn bound(&mut self, m: &Model, xpos: &[Vec3]) {
        let margin_override = m.opt.enabled(EnableBit::Override).then_some(0.5 * m.opt.o_margin);
        for &g in &self.bounded {
            let g = g as usize;
            let [x, y, z] = xpos[g].0;
            let margin = margin_override.unwrap_or(m.geom_margin[g]);
            let radius = m.geom_rbound[g];
            let radius = if radius > 0.0 {
                radius + margin + INFLATION * (radius + x.abs() + y.abs() + z.abs())
            } else {
                f64::INFINITY
            };
            self.spheres[g] = [x, y, z, radius];
        }
    }

    /// Finds the pairs whose bounding spheres meet.
    fn search(&mut self, m: &Model, xpos: &[Vec3], xmat: &[Mat3]) {
        let Broad { rules, bounded, planes, spheres, sweep, found, .. } = self;
        found.clear();
        for &plane in planes.iter() {
            let (origin, normal) = (xpos[plane as usize], xmat[plane as usize].col(2));
            // The plane's own margin is as good as any bound for it.
            let margin = m.geom_margin[plane as usize].max(m.opt.o_margin).max(0.0);
            for &g in bounded.iter() {
                let [x, y, z, radius] = spheres[g as usize];
                if (Vec3::new(x, y, z) - origin).dot(normal) <= radius + margin {
                    found.extend(rules.admit(plane, g));
                }
            }
        }

        sweep.clear();
        for &g in bounded.iter() {
            let [x, y, z, radius] = spheres[g as usize];
            sweep.add(g, Vec3::new(x, y, z), radius);
        }
        sweep.pairs(|g1, g2| {
            let [x1, y1, z1, r1] = spheres[g1 as usize];
            let [x2, y2, z2, r2] = spheres[g2 as usize];
            let (x, y, z, r) = (x2 - x1, y2 - y1, z2 - z1, r1 + r2);
            if x * x + y * y + z * z <= r * r {
                found.extend(rules.admit(g1, g2));
            }
        });
        self.sort(m);
    }

    /// Orders what was found: by the lower body in linear time, then within each body.
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
        if list.len() < found.len() {
            list.resize(found.len(), NOTHING);
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
        self.count = found.len();
        if m.npair > 0 {
            let mut list = std::mem::take(&mut self.list);
            list.truncate(self.count);
            self.rules.list_pairs(m, &mut list);
            list.sort_unstable_by_key(|c| self.rules.order(c));
            self.count = list.len();
            self.list = list;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Loose spheres and one plane in the world, some pairs excluded, one listed.
    fn scattered(n: usize, state: &mut u64) -> (Model, Vec<Vec3>) {
        let mut m = Model::default();
        (m.nbody, m.ngeom, m.nexclude, m.npair) = (n, n, 1, 1);
        m.resize();
        for k in 0..n {
            m.body_weldid[k] = k as i32;
            m.body_geomnum[k] = 1;
            m.geom_bodyid[k] = k as i32;
            m.geom_type[k] = if k == 0 { 0 } else { 2 };
            m.geom_rbound[k] = if k == 0 { 0.0 } else { 0.2 + 0.3 * random(state) };
            m.geom_margin[k] = 0.05 * random(state);
            for mask in [
                &mut m.geom_contype,
                &mut m.geom_conaffinity,
                &mut m.body_contype,
                &mut m.body_conaffinity,
            ] {
                mask[k] = if k % 7 == 3 { 2 } else { 3 };
            }
        }
        m.exclude_signature[0] = (2 << 16) + 5;
        (m.pair_geom1[0], m.pair_geom2[0]) = (9, 4);
        let xpos = (0..n).map(|_| Vec3(std::array::from_fn(|_| 3.0 * random(state)))).collect();
        (m, xpos)
    }

    #[test]
    fn table_and_search_agree() {
        let mut state = 3;
        for _ in 0..20 {
            let (m, mut xpos) = scattered(60, &mut state);
            xpos[0] = Vec3::new(0.0, 0.0, 0.5);
            let xmat = vec![Mat3::IDENTITY; m.ngeom];
            let mut table = Broad::default();
            let by_table = table.candidates(&m, &xpos, &xmat).0.to_vec();
            let mut search = Broad::default();
            search.candidates(&m, &xpos, &xmat);
            search.table = None;
            let by_search = search.candidates(&m, &xpos, &xmat).0.to_vec();
            // Both are on the safe side, to different extents.
            assert_eq!(by_table, by_search);
            assert!(by_search.len() > 30);
            assert!(by_table.iter().any(|c| c.source == Source::Pair(0)));
        }
    }

    #[test]
    fn rules_follow_the_model() {
        let mut state = 5;
        let (mut m, xpos) = scattered(12, &mut state);
        m.body_parentid[8] = 7;
        let xmat = vec![Mat3::IDENTITY; m.ngeom];
        m.geom_rbound[1..].fill(10.0);
        let mut broad = Broad::default();
        let mut count = |m: &Model| broad.candidates(m, &xpos, &xmat).0.len();
        // All pairs of the twelve, less the excluded one, and parent and child; the listed one
        // counts once.
        assert_eq!(count(&m), 12 * 11 / 2 - 2);
        m.exclude_signature[0] = 0;
        assert_eq!(count(&m), 12 * 11 / 2 - 1);
        m.geom_contype[6] = 0;
        m.geom_conaffinity[6] = 0;
        assert_eq!(count(&m), 11 * 10 / 2 - 1);
        (m.pair_geom1[0], m.pair_geom2[0]) = (7, 8);
        assert_eq!(count(&m), 11 * 10 / 2);
        (m.pair_geom1[0], m.pair_geom2[0]) = (9, 4);
        m.opt.disableflags |= corten_model::enums::DisableBit::FilterParent.raw();
        assert_eq!(count(&m), 11 * 10 / 2);
    }
}
