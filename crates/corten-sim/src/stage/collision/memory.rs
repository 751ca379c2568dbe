//! What the last detection learnt about each pair.

use corten_geom::Separation;
use corten_geom::ccd::{Kept, Stretch, Trail};

/// A pair's place in the order of candidates.
pub(super) type Key = (u64, u64);

/// What is kept for a pair of convex shapes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Note {
    /// What separated the shapes, if they were apart.
    pub separation: Separation,
    /// Where searches on meshes ended, if they touched.
    pub stretch: Stretch,
}

/// Candidates come in ascending order, so that recalling all of them is one walk along what was
/// kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    old: Vec<(Key, Note)>,
    new: Vec<(Key, Note)>,
    cursor: usize,
}

impl Notes {
    /// Starts a detection.
    pub fn begin(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.new.clear();
        self.cursor = 0;
    }

    /// What was kept for a pair; keys must not descend.
    pub fn recall(&mut self, key: Key) -> Note {
        while self.old.get(self.cursor).is_some_and(|old| old.0 < key) {
            self.cursor += 1;
        }
        match self.old.get(self.cursor) {
            Some(&(old, note)) if old == key => note,
            _ => Note::default(),
        }
    }

    /// Keeps something about a pair for the next detection; keys must not descend.
    pub fn keep(&mut self, key: Key, note: Note) {
        self.new.push((key, note));
    }

    /// Takes over the hints of another simulation in exchange for its own.
    pub fn exchange(&mut self, trail: &mut Trail, hints: &mut Hints) {
        std::mem::swap(&mut self.new, &mut hints.notes);
        trail.exchange(&mut hints.trail);
    }
}

/// What a simulation remembers of the last detection, apart from its state: with it, the next
/// detection is faster; its contacts do not depend on it.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    notes: Vec<(Key, Note)>,
    trail: Kept,
}
