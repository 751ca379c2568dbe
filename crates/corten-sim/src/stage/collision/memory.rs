//! What the last detection learnt about each pair.

use std::collections::VecDeque;

use corten_geom::Separation;
use corten_geom::ccd::{Kept, Stretch, Trail};

use crate::data::room::tighten;

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
/// kept, and what is kept now can take the place of what has been passed.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// What this detection keeps, up to `end`; then nothing; from `cursor` on what the last one kept.
    kept: Vec<(Key, Note)>,
    end: usize,
    cursor: usize,
    /// Room for what is kept when the detection began.
    room: usize,
    /// Kept, too, until there is room.
    waiting: VecDeque<(Key, Note)>,
}

impl Notes {
    /// Starts a detection.
    pub fn begin(&mut self) {
        (self.end, self.cursor, self.room) = (0, 0, self.kept.capacity());
        // A panic may have left something.
        self.waiting.clear();
    }

    /// What was kept for a pair; keys must not descend.
    pub fn recall(&mut self, key: Key) -> Note {
        while self.kept.get(self.cursor).is_some_and(|old| old.0 < key) {
            self.cursor += 1;
        }
        match self.kept.get(self.cursor) {
            Some(&(old, note)) if old == key => note,
            _ => Note::default(),
        }
    }

    /// Keeps something about the pair that was recalled last, for the next detection.
    pub fn keep(&mut self, key: Key, note: Note) {
        if self.kept.get(self.cursor).is_some_and(|old| old.0 <= key) {
            self.cursor += 1;
        }
        self.waiting.push_back((key, note));
        if self.cursor == self.kept.len() {
            return self.append_waiting();
        }
        while self.end < self.cursor
            && let Some(first) = self.waiting.pop_front()
        {
            self.kept[self.end] = first;
            self.end += 1;
        }
    }

    /// Ends a detection.
    pub fn end(&mut self) {
        self.append_waiting();
        tighten(&mut self.kept, self.room);
    }

    /// Where nothing is needed any more of what the last detection kept.
    fn append_waiting(&mut self) {
        self.kept.truncate(self.end);
        self.kept.extend(self.waiting.drain(..));
        self.end = self.kept.len();
        self.cursor = self.end;
    }

    /// Takes over the hints of another simulation in exchange for its own.
    pub fn exchange(&mut self, trail: &mut Trail, hints: &mut Hints) {
        std::mem::swap(&mut self.kept, &mut hints.notes);
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

#[cfg(test)]
mod tests {
    use corten_math::Vec3;

    use super::*;

    /// One buffer does what two of them would.
    #[test]
    fn what_was_kept_is_recalled() {
        let note = |x: f64| Note {
            separation: Separation::new(Vec3::new(x, 1.0, 0.0)),
            ..Note::default()
        };
        let mut notes = Notes::default();
        let mut expected: Vec<(Key, Note)> = Vec::new();
        for round in 1..60_u64 {
            let mut kept = Vec::new();
            notes.begin();
            // Pairs come and go, at the front and at the end; of some nothing is kept.
            for place in 0..40_u64 {
                if (place * 7 + round * round) % 5 < 2 {
                    continue;
                }
                let key = (place / 4, place);
                let known = expected.iter().find(|old| old.0 == key).map(|old| old.1);
                assert_eq!(notes.recall(key).separation, known.unwrap_or_default().separation);
                if (place + round) % 3 > 0 {
                    kept.push((key, note((100 * round + place) as f64)));
                    notes.keep(key, note((100 * round + place) as f64));
                }
            }
            notes.end();
            expected = kept;
            assert_eq!(notes.kept.len(), expected.len());
            // At most 27 are kept at a time, and they find their place without waiting for long.
            assert!(notes.kept.capacity() <= 28 && notes.waiting.capacity() <= 32);
        }
    }
}
