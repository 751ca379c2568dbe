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
        let start = list[s.first] as usize;
        let run = &list[s.first..s.end];
        let len = run.iter().zip(start..).take_while(|&(&k, next)| k as usize == next).count();
        s.first += len;
        Some(start..start + len)
    }
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
