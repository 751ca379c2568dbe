//! What the last detection learnt about each pair.

use corten_math::memory::Grow;
use std::collections::VecDeque;

use corten_geom::Separation;
use corten_geom::ccd::{SavedSupports, Span, SupportCache};

use crate::data::growth::tighten;

/// A pair's place in the order of candidates.
pub(super) type Key = (u64, u64);

/// What is kept for a pair of convex shapes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairEntry {
    /// What separated the shapes, if they were apart.
    pub separation: Separation,
    /// Where searches on meshes ended, if they touched.
    pub support_span: Span,
}

/// Candidates come in ascending order, so that recalling all of them is one walk along what was
/// kept, and what is kept now can take the place of what has been passed.
#[derive(Clone, Debug, Default)]
pub(super) struct PairCache {
    /// What this detection keeps, up to `end`; then nothing; from `cursor` on what the last one kept.
    kept: Vec<(Key, PairEntry)>,
    end: usize,
    cursor: usize,
    /// Room for what is kept when the detection began.
    room: usize,
    /// Kept, too, until the front of `kept` is free.
    waiting: VecDeque<(Key, PairEntry)>,
}

impl PairCache {
    /// Starts a detection.
    pub fn begin(&mut self) {
        (self.end, self.cursor, self.room) = (0, 0, self.kept.capacity());
        // A panic may have left something.
        self.waiting.clear();
    }

    /// What was kept for a pair; keys must not descend.
    pub fn recall(&mut self, key: Key) -> PairEntry {
        while self.kept.get(self.cursor).is_some_and(|old| old.0 < key) {
            self.cursor += 1;
        }
        match self.kept.get(self.cursor) {
            Some(&(old, entry)) if old == key => entry,
            _ => PairEntry::default(),
        }
    }

    /// Keeps something about the pair that was recalled last, for the next detection.
    pub fn keep(&mut self, key: Key, entry: PairEntry) {
        if self.kept.get(self.cursor).is_some_and(|old| old.0 <= key) {
            self.cursor += 1;
        }
        self.waiting.push_back((key, entry));
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
        self.kept.grow_extend(self.waiting.drain(..));
        self.end = self.kept.len();
        self.cursor = self.end;
    }

    /// Takes over the saved of another simulation in exchange for its own.
    pub fn swap_saved(&mut self, supports: &mut SupportCache, saved: &mut SavedPairs) {
        std::mem::swap(&mut self.kept, &mut saved.entries);
        supports.swap_saved(&mut saved.supports);
    }
}

/// What a simulation remembers of the last detection, apart from its state: with it, the next
/// detection is faster; its contacts do not depend on it.
#[derive(Clone, Debug, Default)]
pub struct SavedPairs {
    entries: Vec<(Key, PairEntry)>,
    supports: SavedSupports,
}

#[cfg(test)]
mod tests {
    use corten_math::Vec3;

    use super::*;

    /// One buffer does what two of them would.
    #[test]
    fn what_was_kept_is_recalled() {
        let entry = |x: f64| PairEntry {
            separation: Separation::new(Vec3::new(x, 1.0, 0.0)),
            ..PairEntry::default()
        };
        let mut cache = PairCache::default();
        let mut expected: Vec<(Key, PairEntry)> = Vec::new();
        for round in 1..60_u64 {
            let mut kept = Vec::new();
            cache.begin();
            // Pairs come and go, at the front and at the end; of some nothing is kept.
            for place in 0..40_u64 {
                if (place * 7 + round * round) % 5 < 2 {
                    continue;
                }
                let key = (place / 4, place);
                let known = expected.iter().find(|old| old.0 == key).map(|old| old.1);
                assert_eq!(cache.recall(key).separation, known.unwrap_or_default().separation);
                if (place + round) % 3 > 0 {
                    kept.push((key, entry((100 * round + place) as f64)));
                    cache.keep(key, entry((100 * round + place) as f64));
                }
            }
            cache.end();
            expected = kept;
            assert_eq!(cache.kept.len(), expected.len());
            // At most 27 are kept at a time, and they find their place without waiting for long.
            assert!(cache.kept.capacity() <= 28 && cache.waiting.capacity() <= 32);
        }
    }
}
