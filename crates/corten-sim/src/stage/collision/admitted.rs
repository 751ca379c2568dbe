//! What may touch at all.

use super::collidable::Collidable;
use super::filter::{Candidate, Rules};
use super::table::Table;
use crate::Model;

#[derive(Debug)]
pub(crate) struct Admitted {
    pub(super) rules: Rules,
    /// What collides and has bounds, and planes, which have none.
    pub(super) bounded: Vec<Collidable>,
    pub(super) planes: Vec<Collidable>,
    /// All admitted pairs in order, if they are few.
    pub(super) table: Option<Table>,
}

impl Admitted {
    pub fn new(m: &Model) -> Admitted {
        let rules = Rules::new(m);
        let colliding = (0..m.ngeom).map(Collidable::geom).filter(|&c| rules.collides(c));
        let (planes, bounded): (Vec<_>, Vec<_>) = colliding.partition(|&c| rules.is_plane(c));
        let table = Table::new(m, &rules, &bounded, &planes);
        Admitted { rules, bounded, planes, table }
    }

    /// All pairs that may ever touch, if they are few, and the rules that say so.
    pub(super) fn pairs(&self) -> Option<(&[Candidate], &Rules)> {
        Some((self.table.as_ref()?.candidates(), &self.rules))
    }
}
