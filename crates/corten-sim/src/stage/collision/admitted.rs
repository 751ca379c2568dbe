//! What may touch at all.

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
    /// All admitted pairs in order, if they are few.
    pub(super) table: Option<Table>,
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
        Admitted { rules, bounded, planes, many_static, table }
    }

    /// All pairs that may ever touch, if they are few enough to be looked at one by one, and the rules
    /// that say so.
    pub(super) fn pairs(&self) -> Option<(&[Candidate], &Rules)> {
        let candidates = self.table.as_ref()?.candidates();
        (candidates.len() <= FEW_PAIRS).then_some((candidates, &self.rules))
    }
}
