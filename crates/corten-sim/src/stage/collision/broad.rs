//! Candidate pairs for the current poses, in the order in which contacts are reported: by body
//! pair, pairs listed by the author first, then by geoms.
//!
//! A model with few admitted pairs keeps them in a table, ready and in order, and tests their
//! bounding spheres one by one, which costs less than any search. A large model searches. Answers
//! to `mj_broadphase`.

use corten_math::{Mat3, Vec3};

use super::admitted::{Admitted, Awake};
use super::filter::Candidate;
use super::search::Search;
use super::table::Meeting;
use crate::Model;
use crate::prepared::Pool;

#[derive(Clone, Debug, Default)]
pub(super) struct Broad {
    /// What a table needs, and leaves.
    meeting: Meeting,
    /// What a search needs, as long as its candidates are looked at.
    search: Option<Box<Search>>,
    /// The order along the sweep in the last search, from which that of the next hardly differs.
    order: Vec<u32>,
}

impl Broad {
    /// The pairs to test, in a search no more than `max_pairs`; until [`Self::put_back`]. Most
    /// pairs at rest are left out.
    pub fn candidates(
        &mut self,
        m: &Model,
        admitted: &Admitted,
        poses: (&[Vec3], &[Mat3]),
        awake: Awake<'_>,
        pool: &Pool<Search>,
        max_pairs: usize,
    ) -> &[Candidate] {
        match &admitted.table {
            Some(table) => table.cull(m, &admitted.rules, poses, awake.states, &mut self.meeting),
            None => {
                let search = self.search.insert(pool.take());
                search.run(m, admitted, &mut self.order, poses, awake, max_pairs)
            }
        }
    }

    /// Puts back what was taken for the candidates; `false` if there were more of them.
    pub fn put_back(&mut self, pool: &Pool<Search>) -> bool {
        let Some(search) = self.search.take() else { return true };
        let complete = search.is_complete();
        pool.put(search);
        complete
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use corten_model::ModelArrays;
    use corten_model::enums::SleepState;

    use super::super::filter::Source;
    use super::*;

    const NOBODY_SLEEPS: Awake<'static> = Awake { states: &[], bodies: &[] };

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Loose spheres and one plane in the world, some pairs excluded, one listed.
    fn scattered(n: usize, state: &mut u64) -> (Model, Vec<Vec3>) {
        crowded(n, 1, 0.0, state)
    }

    /// The same with several spheres per body, and bodies `spacing` apart.
    fn crowded(n: usize, per_body: usize, spacing: f64, state: &mut u64) -> (Model, Vec<Vec3>) {
        let body = |k: usize| k.div_ceil(per_body);
        let mut m = ModelArrays::default();
        (m.nbody, m.ngeom, m.nexclude, m.npair) = (body(n - 1) + 1, n, 1, 1);
        m.resize();
        for k in 0..n {
            m.body_weldid[body(k)] = body(k) as i32;
            m.body_geomnum[body(k)] += 1;
            m.geom_bodyid[k] = body(k) as i32;
            m.geom_type[k] = if k == 0 { 0 } else { 2 };
            m.geom_rbound[k] = if k == 0 { 0.0 } else { 0.2 + 0.3 * random(state) };
            m.geom_margin[k] = 0.05 * random(state);
            let bits = if k % 7 == 3 { 2 } else { 3 };
            (m.geom_contype[k], m.geom_conaffinity[k]) = (bits, bits);
            m.body_contype[body(k)] |= bits;
            m.body_conaffinity[body(k)] |= bits;
        }
        m.exclude_signature[0] = (2 << 16) + 5;
        (m.pair_geom1[0], m.pair_geom2[0]) = (9, 4);
        let place = |k| {
            let within = Vec3(std::array::from_fn(|_| 3.0 * random(state)));
            Vec3::X * (spacing * body(k) as f64) + within
        };
        (m.into(), (0..n).map(place).collect())
    }

    #[test]
    fn table_and_search_agree() {
        let mut state = 3;
        for (per_body, spacing) in [(1, 0.0), (12, 0.0), (12, 1.0), (20, 2.5)].repeat(10) {
            let (m, mut xpos) = crowded(60, per_body, spacing, &mut state);
            xpos[0] = Vec3::new(0.0, 0.0, 0.5);
            let xmat = vec![Mat3::IDENTITY; m.ngeom];
            let pool = Pool::default();
            let [mut by_table, mut by_search] = [(); 2].map(|()| Broad::default());
            let admitted = Admitted::new(&m);
            let by_table = by_table
                .candidates(&m, &admitted, (&xpos, &xmat), NOBODY_SLEEPS, &pool, usize::MAX)
                .to_vec();
            let admitted = Admitted { table: None, ..admitted };
            let by_search = by_search
                .candidates(&m, &admitted, (&xpos, &xmat), NOBODY_SLEEPS, &pool, usize::MAX)
                .to_vec();
            // Both are on the safe side, to different extents.
            assert_eq!(by_table, by_search);
            assert!(by_search.len() > 15);
            assert!(by_table.iter().any(|c| c.source == Source::Pair(0)));
        }
    }

    /// With sleepers, all is found that is found otherwise except for pairs at rest.
    #[test]
    fn sleep_leaves_out_pairs_at_rest_only() {
        let mut state = 11;
        for (active, tabled) in [(1, false), (3, true), (3, false), (20, true), (20, false)] {
            let (m, mut xpos) = scattered(60, &mut state);
            xpos[0] = Vec3::new(0.0, 0.0, 0.5);
            let xmat = vec![Mat3::IDENTITY; m.ngeom];
            let table = Admitted::new(&m);
            let admitted = Admitted { table: table.table.filter(|_| tabled), ..table };
            let (mut broad, pool) = (Broad::default(), Pool::default());
            let mut found = |states: &[i32]| {
                let poses = (&xpos[..], &xmat[..]);
                let asleep = |b: &i32| states[*b as usize] == SleepState::Asleep.raw();
                let bodies: Vec<i32> = (0..states.len() as i32).filter(|b| !asleep(b)).collect();
                let awake = Awake { states, bodies: &bodies };
                let list =
                    broad.candidates(&m, &admitted, poses, awake, &pool, usize::MAX).to_vec();
                assert!(broad.put_back(&pool));
                list
            };
            let awake: Vec<i32> = (0..60)
                .map(|body| match body {
                    0 => SleepState::Static.raw(),
                    _ if body % (60 / active) == 1 => SleepState::Awake.raw(),
                    _ => SleepState::Asleep.raw(),
                })
                .collect();
            let moves = |c: &Candidate| {
                let is_awake =
                    |c| awake[admitted.rules.body(c) as usize] == SleepState::Awake.raw();
                is_awake(c.first) || is_awake(c.second) || matches!(c.source, Source::Pair(_))
            };
            let (all, few) = (found(&[]), found(&awake));
            let of_movers = |list: &[Candidate]| -> Vec<Candidate> {
                list.iter().filter(|c| moves(c)).copied().collect()
            };
            assert_eq!(of_movers(&all), of_movers(&few));
            assert!(few.len() < all.len() || active == 20);
        }
    }

    #[test]
    fn rules_are_shared_until_the_model_changes() {
        let mut state = 7;
        let (m, _) = scattered(12, &mut state);
        let mut copy = m.clone();
        assert!(!Arc::ptr_eq(copy.prepared(), m.prepared()));
        let mut copy_of_prepared = m.clone();
        assert!(Arc::ptr_eq(copy_of_prepared.prepared(), m.prepared()));
        // Written to, but the same; other masks; the same masks, other bodies.
        copy_of_prepared.geom_contype[6] = m.geom_contype[6];
        copy_of_prepared.geom_margin[6] += 1.0;
        assert!(Arc::ptr_eq(copy_of_prepared.prepared(), m.prepared()));
        copy_of_prepared.geom_contype[6] = 0;
        assert!(!Arc::ptr_eq(copy_of_prepared.prepared(), m.prepared()));
        let before = copy.prepared().clone();
        copy.geom_bodyid.swap(4, 5);
        assert!(!Arc::ptr_eq(copy.prepared(), &before));
    }

    #[test]
    fn rules_follow_the_model() {
        let mut state = 5;
        let (mut m, xpos) = scattered(12, &mut state);
        m.body_parentid[8] = 7;
        let xmat = vec![Mat3::IDENTITY; m.ngeom];
        m.geom_rbound[1..].fill(10.0);
        let (mut broad, pool) = (Broad::default(), Pool::default());
        let mut count = |m: &Model| {
            broad
                .candidates(
                    m,
                    m.prepared().admitted(m),
                    (&xpos, &xmat),
                    NOBODY_SLEEPS,
                    &pool,
                    usize::MAX,
                )
                .len()
        };
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
