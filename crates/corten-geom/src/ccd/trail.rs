//! Where the searches of a query ended, for the next query of the same pair.
//!
//! From one step to the next, a query on two meshes asks for support points along nearly the same
//! directions in the same order, and mostly finds the same vertices. A search that starts there
//! ends at once. Where it starts has no influence on what is found.

use crate::extremes::Hint;

/// Queries longer than this are not followed to the end.
const MAX_STRETCH: usize = 256;

/// Where the searches on two shapes ended, in one number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hints(u32);

impl Hints {
    const NONE: Hints = Hints::join([Hint::NONE; 2]);

    #[inline(always)]
    pub const fn join([first, second]: [Hint; 2]) -> Hints {
        Hints(first.0 as u32 | (second.0 as u32) << 16)
    }

    #[inline(always)]
    pub const fn split(self) -> [Hint; 2] {
        [Hint(self.0 as u16), Hint((self.0 >> 16) as u16)]
    }
}

/// The trails of all pairs, one after the other: those of the last round, and of this one.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    old: Vec<Hints>,
    new: Vec<Hints>,
    cursor: usize,
    end: usize,
    start: usize,
}

/// The part of a trail that belongs to a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    start: u32,
    end: u32,
}

impl Trail {
    /// Starts a round: what was kept becomes what can be recalled.
    pub fn begin_round(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.new.clear();
        self.start = 0;
        self.recall(Stretch::default());
    }

    /// Starts a pair with what the last round kept for it.
    pub fn recall(&mut self, stretch: Stretch) {
        self.end = self.old.len().min(stretch.end as usize);
        self.cursor = self.end.min(stretch.start as usize);
        self.new.truncate(self.start);
        self.start = self.new.len();
    }

    /// Ends a pair whose trail is worth keeping; without, the next pair overwrites it.
    pub fn keep_stretch(&mut self) -> Stretch {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let stretch = Stretch { start: number(self.start), end: number(self.new.len()) };
        self.start = self.new.len();
        stretch
    }

    /// Exchanges what was kept with another round.
    pub fn exchange(&mut self, kept: &mut Kept) {
        std::mem::swap(&mut self.new, &mut kept.0);
        self.start = self.new.len();
    }

    /// Where to start the next search on each shape.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Hints {
        if self.cursor >= self.end {
            return Hints::NONE;
        }
        let hints = self.old.get(self.cursor).copied();
        self.cursor += 1;
        hints.unwrap_or(Hints::NONE)
    }

    #[inline(always)]
    pub(super) fn keep(&mut self, hints: Hints) {
        if self.new.len() - self.start < MAX_STRETCH {
            self.new.push(hints);
        }
    }
}

/// What a round keeps for the next.
#[derive(Clone, Debug, Default)]
pub struct Kept(Vec<Hints>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_recalls_what_the_last_one_kept() {
        let mut trail = Trail::default();
        trail.begin_round();
        (0..3).for_each(|_| trail.keep(Hints::NONE));
        let first = trail.keep_stretch();
        trail.recall(Stretch::default());
        (0..5).for_each(|_| trail.keep(Hints::NONE));
        // Not kept: overwritten by the next pair.
        trail.recall(Stretch::default());
        (0..2).for_each(|_| trail.keep(Hints::NONE));
        let second = trail.keep_stretch();
        assert_eq!((first.start, first.end, second.start, second.end), (0, 3, 3, 5));
        trail.begin_round();
        trail.recall(second);
        assert_eq!((trail.cursor, trail.end), (3, 5));
        // Stretches of another trail are cut to what there is.
        trail.recall(Stretch { start: 4, end: 900 });
        assert_eq!((trail.cursor, trail.end), (4, 5));
    }

    #[test]
    fn long_queries_stay_bounded() {
        let mut trail = Trail::default();
        (0..10 * MAX_STRETCH).for_each(|_| trail.keep(Hints::NONE));
        assert_eq!(trail.new.len(), MAX_STRETCH);
    }
}
