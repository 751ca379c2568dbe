//! Parts of lists.

use std::ops::Range;

/// A part of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub fn new(range: Range<usize>) -> Span {
        Span { start: range.start as u32, end: range.end as u32 }
    }

    /// `count` elements from `start` on, both as a model gives them, if a list of `len` elements has
    /// them.
    pub fn within(start: i32, count: i32, len: usize) -> Option<Span> {
        let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count).ok()?);
        let end = start.checked_add(count).filter(|&end| end <= len)?;
        Some(Span::new(start..end))
    }

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    #[inline(always)]
    pub fn end(self) -> usize {
        self.end as usize
    }

    #[inline(always)]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
