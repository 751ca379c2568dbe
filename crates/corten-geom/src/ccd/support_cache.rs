//! Where the searches of a query ended, for the next query of the same pair.
//!
//! From one step to the next, a query on two meshes asks for support points along nearly the same
//! directions in the same order, and mostly finds the same vertices. A search that starts there
//! ends at once. Where it starts has no influence on what is found.

use crate::extremes::Hint;

/// Queries longer than this are not followed to the end.
const MAX_SPAN: usize = 256;

/// Where the searches on two shapes ended, in one number.
#[derive(Clone, Copy, Debug)]
pub(super) struct SupportHints(u32);

impl SupportHints {
    const NONE: SupportHints = SupportHints::join([Hint::NONE; 2]);

    #[inline(always)]
    pub const fn join([first, second]: [Hint; 2]) -> SupportHints {
        SupportHints(first.0 as u32 | (second.0 as u32) << 16)
    }

    #[inline(always)]
    pub const fn split(self) -> [Hint; 2] {
        [Hint(self.0 as u16), Hint((self.0 >> 16) as u16)]
    }
}

/// The support hints of all pairs, one after the other: those of the last round, and of this one.
#[derive(Clone, Debug, Default)]
pub struct SupportCache {
    old: Vec<SupportHints>,
    new: Vec<SupportHints>,
    cursor: usize,
    end: usize,
    start: usize,
}

/// The part of a cache that belongs to a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl SupportCache {
    /// Starts a round: what was saved becomes what can be recalled.
    pub fn begin_round(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.new.clear();
        self.start = 0;
        self.recall(Span::default());
    }

    /// Starts a pair with what the last round saved for it.
    pub fn recall(&mut self, span: Span) {
        self.end = self.old.len().min(span.end as usize);
        self.cursor = self.end.min(span.start as usize);
        self.new.truncate(self.start);
        self.start = self.new.len();
    }

    /// Ends a pair whose hints are worth keeping; without, the next pair overwrites it.
    pub fn save_span(&mut self) -> Span {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let span = Span { start: number(self.start), end: number(self.new.len()) };
        self.start = self.new.len();
        span
    }

    /// Swaps what this round saved with that of another simulation.
    pub fn swap_saved(&mut self, saved: &mut SavedSupports) {
        std::mem::swap(&mut self.new, &mut saved.0);
        self.start = self.new.len();
    }

    /// Where to start the next search on each shape.
    #[inline(always)]
    pub(super) fn next(&mut self) -> SupportHints {
        if self.cursor >= self.end {
            return SupportHints::NONE;
        }
        let hints = self.old.get(self.cursor).copied();
        self.cursor += 1;
        hints.unwrap_or(SupportHints::NONE)
    }

    #[inline(always)]
    pub(super) fn keep(&mut self, hints: SupportHints) {
        if self.new.len() - self.start < MAX_SPAN {
            self.new.push(hints);
        }
    }
}

/// What a round keeps for the next.
#[derive(Clone, Debug, Default)]
pub struct SavedSupports(Vec<SupportHints>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_recalls_what_the_last_one_kept() {
        let mut cache = SupportCache::default();
        cache.begin_round();
        (0..3).for_each(|_| cache.keep(SupportHints::NONE));
        let first = cache.save_span();
        cache.recall(Span::default());
        (0..5).for_each(|_| cache.keep(SupportHints::NONE));
        // Not saved: overwritten by the next pair.
        cache.recall(Span::default());
        (0..2).for_each(|_| cache.keep(SupportHints::NONE));
        let second = cache.save_span();
        assert_eq!((first.start, first.end, second.start, second.end), (0, 3, 3, 5));
        cache.begin_round();
        cache.recall(second);
        assert_eq!((cache.cursor, cache.end), (3, 5));
        // Stretches of another cache are cut to what there is.
        cache.recall(Span { start: 4, end: 900 });
        assert_eq!((cache.cursor, cache.end), (4, 5));
    }

    #[test]
    fn long_queries_stay_bounded() {
        let mut cache = SupportCache::default();
        (0..10 * MAX_SPAN).for_each(|_| cache.keep(SupportHints::NONE));
        assert_eq!(cache.new.len(), MAX_SPAN);
    }
}
