//! What may touch at all.

use std::ops::Range;

use super::collidable::Collidable;
use super::filter::{Candidate, Rules};
use super::table::Table;
use crate::Model;
use corten_math::memory::Grow;

/// Most pairs of which each has a proof that it is apart.
const FEW_PAIRS: usize = 4096;

/// One of so many is much.
const MANY: usize = 4;

#[derive(Debug)]
pub(crate) struct Admitted {
    pub(super) rules: Rules,
    /// What collides and has bounds, and planes, which have none.
    pub(super) bounded: Vec<Collidable>,
    pub(super) planes: Vec<Collidable>,
    /// Whether much of what has bounds is fixed to the world, so that a search should not look for
    /// what touches it one by one.
    pub(super) many_static: bool,
    /// What has bounds as runs of numbers that follow each other.
    pub(super) runs: Vec<Range<usize>>,
    /// Where those with bounds of each body start among all of them; empty if they are not in the order of
    /// bodies.
    pub(super) of_body: Vec<u32>,
    /// All admitted pairs in order, if they are few.
    pub(super) table: Option<Table>,
}

/// What is not asleep.
#[derive(Clone, Copy)]
pub(super) struct Awake<'a> {
    /// State of each body; empty if none sleeps.
    pub states: &'a [i32],
    /// Bodies that are awake or static.
    pub bodies: &'a [i32],
}

impl Admitted {
    pub fn new(m: &Model) -> Admitted {
        let rules = Rules::new(m);
        let colliding = (0..m.ngeom).map(Collidable::geom).filter(|&c| rules.collides(c));
        let (mut planes, mut bounded) = (Vec::new(), Vec::new());
        for c in colliding {
            let list = if rules.is_plane(c) { &mut planes } else { &mut bounded };
            list.grow_push(c);
        }
        let table = Table::new(m, &rules, &bounded, &planes);
        let fixed = bounded.iter().filter(|&&c| rules.is_static(c)).count();
        let many_static = fixed > bounded.len() / MANY;
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in bounded.iter().map(|c| c.index()) {
            match runs.last_mut() {
                Some(run) if run.end == at => run.end += 1,
                _ => runs.push(at..at + 1),
            }
        }
        let body = |c: &Collidable| rules.body(*c);
        let mut of_body = Vec::new();
        if bounded.is_sorted_by_key(body) {
            let starts = (0..=m.nbody as u32).map(|b| bounded.partition_point(|c| body(c) < b));
            of_body.extend(starts.map(|start| start as u32));
        }
        Admitted { rules, bounded, planes, many_static, runs, of_body, table }
    }

    /// Lists what has bounds and is active.
    pub(super) fn list_active(&self, awake: Awake<'_>, active: &mut Vec<Collidable>) {
        let is_active = |c: &&Collidable| self.rules.is_active(awake.states, **c);
        active.clear();
        if awake.states.is_empty() || self.of_body.is_empty() {
            active.extend(self.bounded.iter().filter(is_active));
            return;
        }
        for &body in awake.bodies {
            let places = self.of_body.get(body as usize..).and_then(|rest| rest.first_chunk());
            if let Some(&[start, end]) = places {
                let own = &self.bounded[start as usize..end as usize];
                active.extend(own.iter().filter(is_active));
            }
        }
    }

    /// All pairs that may ever touch, if they are few enough to be looked at one by one, and the rules
    /// that say so.
    pub(super) fn pairs(&self) -> Option<(&[Candidate], &Rules)> {
        let candidates = self.table.as_ref()?.candidates();
        (candidates.len() <= FEW_PAIRS).then_some((candidates, &self.rules))
    }
}
