//! What may touch at all, which is the same for all data of a model until somebody changes it.

use std::sync::Arc;

use super::collidable::Collidable;
use super::filter::Rules;
use super::table::Table;
use crate::Model;
use crate::data::shared::Shared;

#[derive(Debug)]
pub(super) struct Admitted {
    pub rules: Rules,
    /// What collides and has bounds, and planes, which have none.
    pub bounded: Vec<Collidable>,
    pub planes: Vec<Collidable>,
    /// All admitted pairs in order, if they are few.
    pub table: Option<Table>,
}

impl Admitted {
    pub fn shared(m: &Model) -> Arc<Admitted> {
        static IN_USE: Shared<Admitted> = Shared::new();
        let rules = Rules::new(m);
        IN_USE.find(|old| old.rules == rules, || Admitted::new(m, rules.clone()))
    }

    pub fn new(m: &Model, rules: Rules) -> Admitted {
        let colliding = (0..m.ngeom).map(Collidable::geom).filter(|&c| rules.collides(c));
        let (planes, bounded): (Vec<_>, Vec<_>) = colliding.partition(|&c| rules.is_plane(c));
        let table = Table::new(m, &rules, &bounded, &planes);
        Admitted { rules, bounded, planes, table }
    }
}
