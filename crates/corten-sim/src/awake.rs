//! Which bodies or degrees of freedom a pass visits: all, or those that are awake.

use std::ops::Range;

use corten_math::hint::{rare, rarely};

/// An ascending selection of indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection<'a> {
    /// `None`: all from `first` to `end`.
    list: Option<&'a [i32]>,
    first: usize,
    end: usize,
}

impl<'a> Selection<'a> {
    /// Everything.
    #[inline]
    pub fn all(len: usize) -> Selection<'a> {
        Selection { list: None, first: 0, end: len }
    }

    /// The indices of a list.
    #[inline]
    pub fn of(list: &'a [i32]) -> Selection<'a> {
        Selection { list: Some(list), first: 0, end: list.len() }
    }

    #[inline]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = usize> + Clone + use<'a> {
        (self.first..self.end).map(move |k| match self.list {
            None => k,
            Some(list) => {
                rare();
                list[k] as usize
            }
        })
    }

    /// The same indices as ranges, each as long as possible.
    #[inline]
    pub fn ranges(self) -> Ranges<'a> {
        Ranges(self)
    }

    /// The indices below `end` that are not selected, as ranges.
    pub fn gaps(self, end: usize) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut last = 0;
        let selected = self.ranges().map(|range| [range.start, range.end]);
        selected.chain([[end; 2]]).map(move |[start, next]| {
            // Whatever somebody wrote to the list, gaps are within bounds.
            let start = start.min(end);
            std::mem::replace(&mut last, next).min(start)..start
        })
    }

    /// The list, if not everything is selected.
    #[inline]
    pub fn list(self) -> Option<&'a [i32]> {
        self.list
    }
}

/// See [`Selection::ranges`].
pub(crate) struct Ranges<'a>(Selection<'a>);

impl Iterator for Ranges<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let s = &mut self.0;
        if s.first >= s.end {
            return None;
        }
        let Some(list) = s.list else {
            let range = s.first..s.end;
            s.first = s.end;
            return Some(range);
        };
        rare();
        let rest = &list[s.first..s.end];
        let start = rest[0] as usize;
        let len = run_length(rest);
        s.first += len;
        Some(start..start + len)
    }
}

/// How many of the first indices follow each other. The indices ascend, so that one which is as far
/// from the first in value as in place has no gap before it: the end of the run is found by doubling
/// and halving.
fn run_length(list: &[i32]) -> usize {
    let follows = |k: usize| list[k].wrapping_sub(list[0]) as usize == k;
    let mut reach = 1;
    while reach < list.len() && follows(reach) {
        reach *= 2;
    }
    let (mut low, mut high) = (reach / 2 + 1, reach.min(list.len()));
    while low < high {
        let middle = low.midpoint(high);
        if follows(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Selects from a list of awake indices when there is something to leave out.
#[inline]
pub(crate) fn select<'a>(filter: bool, list: &'a [i32], awake: usize, all: usize) -> Selection<'a> {
    if rarely(filter) { Selection::of(&list[..awake.min(list.len())]) } else { Selection::all(all) }
}

/// Bodies that are awake or static, without the world.
macro_rules! bodies {
    ($m:expr, $d:expr) => {
        $crate::awake::select(
            $d.ntree_awake < $m.ntree && $crate::sleep::enabled($m),
            &$d.body_awake_ind,
            $d.nbody_awake,
            $m.nbody,
        )
        .without_world()
    };
}

/// Bodies whose parent is awake or static, without the world.
macro_rules! children {
    ($m:expr, $d:expr) => {
        $crate::awake::select(
            $d.ntree_awake < $m.ntree && $crate::sleep::enabled($m),
            &$d.parent_awake_ind,
            $d.nparent_awake,
            $m.nbody,
        )
        .without_world()
    };
}

/// Degrees of freedom that are awake.
macro_rules! dofs {
    ($m:expr, $d:expr) => {
        $crate::awake::select(
            $d.ntree_awake < $m.ntree && $crate::sleep::enabled($m),
            &$d.dof_awake_ind,
            $d.nv_awake,
            $m.nv,
        )
    };
}

pub(crate) use {bodies, children, dofs};

impl Selection<'_> {
    #[inline]
    pub fn without_world(self) -> Self {
        let first = match self.list {
            None => 1,
            Some(list) => {
                rare();
                usize::from(list.first() == Some(&0))
            }
        };
        Selection { first: first.min(self.end), ..self }
    }

    /// Undoes [`Self::without_world`].
    #[inline]
    pub fn with_world(self) -> Self {
        Selection { first: 0, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_the_runs_of_a_list() {
        let ends = |selection: Selection<'_>| -> Vec<(usize, usize)> {
            selection.ranges().map(|range| (range.start, range.end)).collect()
        };
        let ranges = |list: &[i32]| ends(Selection::of(list));
        assert!(ranges(&[]).is_empty());
        assert_eq!(ranges(&[3]), [(3, 4)]);
        assert_eq!(ranges(&[0, 2, 3, 7]), [(0, 1), (2, 4), (7, 8)]);
        // Runs of every length, each with a gap behind it.
        for len in 1..40 {
            let run: Vec<i32> = (5..5 + len).collect();
            let end = 5 + len as usize;
            assert_eq!(ranges(&run), [(5, end)]);
            let followed = [&run[..], &[len + 6, len + 7]].concat();
            assert_eq!(ranges(&followed), [(5, end), (end + 1, end + 3)]);
        }
        assert_eq!(ends(Selection::all(4)), [(0, 4)]);
        let gaps: Vec<_> = Selection::of(&[0, 2, 3, 7]).gaps(9).filter(|g| !g.is_empty()).collect();
        assert_eq!(gaps, [1..2, 4..7, 8..9]);
    }
}
