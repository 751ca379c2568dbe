//! Separating axes of the last detection, by pair.

use corten_geom::Separation;

/// A pair's place in the order of candidates.
pub(super) type Key = (u64, u64);

/// Candidates come in ascending order, so that recalling all of them is one walk along what was
/// kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Separations {
    old: Vec<(Key, Separation)>,
    new: Vec<(Key, Separation)>,
    cursor: usize,
}

impl Separations {
    /// Starts a detection.
    pub fn begin(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.new.clear();
        self.cursor = 0;
    }

    /// What was kept for a pair; keys must not descend.
    pub fn recall(&mut self, key: Key) -> Separation {
        while self.old.get(self.cursor).is_some_and(|old| old.0 < key) {
            self.cursor += 1;
        }
        match self.old.get(self.cursor) {
            Some(&(old, separation)) if old == key => separation,
            _ => Separation::default(),
        }
    }

    /// Keeps a pair's separation for the next detection; keys must not descend.
    pub fn keep(&mut self, key: Key, separation: Separation) {
        self.new.push((key, separation));
    }
}

/// What a simulation remembers of the last detection, apart from its state: with it, the next
/// detection is faster; its contacts do not depend on it.
#[derive(Clone, Debug, Default)]
pub struct Hints(Vec<(Key, Separation)>);

impl Separations {
    /// Takes over the hints of another simulation in exchange for its own.
    pub fn exchange(&mut self, hints: &mut Hints) {
        std::mem::swap(&mut self.new, &mut hints.0);
    }
}
