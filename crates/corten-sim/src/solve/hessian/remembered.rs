//! What the forms of small problems remember from step to step: where the numbers of an island go.

use super::columns::Columns;
use super::mass::Mass;

/// Islands that have a memory of their own; the others share the last.
const ISLANDS: usize = 32;

/// One for each of the first islands, which are often the same in the next step.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    islands: Vec<Island>,
    current: usize,
}

/// Of one island.
#[derive(Clone, Debug, Default)]
pub struct Island {
    pub mass: Mass,
    pub columns: Columns,
    /// How many shapes of columns it has.
    shapes: usize,
    /// Entries of the factor, once counted, until the structure changes.
    nonzeros: Option<usize>,
}

impl Remembered {
    /// To be called before the first island of a step.
    pub fn begin(&mut self) {
        self.current = 0;
    }

    /// To be called when an island has been solved.
    pub fn advance(&mut self) {
        self.current = (self.current + 1).min(ISLANDS - 1);
    }

    /// The island at hand, when it is loaded.
    #[inline(always)]
    pub fn load(&mut self) -> &mut Island {
        if self.islands.len() <= self.current {
            self.islands.push(Island::default());
        }
        &mut self.islands[self.current]
    }

    /// The mass matrix of the island at hand.
    #[inline(always)]
    pub fn mass(&self) -> &Mass {
        &self.islands[self.current].mass
    }

    /// Entries of the factor of the island at hand.
    pub fn nonzeros(&mut self, count: impl FnOnce() -> usize) -> usize {
        *self.islands[self.current].nonzeros.get_or_insert_with(count)
    }
}

impl Island {
    /// To be called when all is loaded: whether the mass matrix is known, how often columns had
    /// changed before, how many shapes there are.
    #[inline(always)]
    pub fn loaded(&mut self, same_mass: bool, changes: u64, shapes: usize) {
        let same_columns = self.columns.changes == changes && self.shapes == shapes;
        self.shapes = shapes;
        if !(same_mass && same_columns) {
            self.nonzeros = None;
        }
    }
}
