//! Byte ranges that know which text they index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// Which text a [`Span`] indexes.
pub trait Side: Copy + Eq + Ord + fmt::Debug {}

/// The document as it was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Raw {}

/// The normalised view that detectors read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Norm {}

impl Side for Raw {}
impl Side for Norm {}

/// A byte range, end exclusive, of the text named by `S`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span<S> {
    start: u32,
    end: u32,
    side: PhantomData<S>,
}

impl<S: Side> Span<S> {
    /// # Panics
    /// If `end < start`: a span is made from offsets its maker just computed, so this is a bug in the caller.
    #[inline]
    pub fn new(start: usize, end: usize) -> Self {
        assert!(start <= end, "span ends at {end} before it starts at {start}");
        Span { start: start as u32, end: end as u32, side: PhantomData }
    }

    #[inline]
    pub fn start(self) -> usize {
        self.start as usize
    }

    #[inline]
    pub fn end(self) -> usize {
        self.end as usize
    }

    #[inline]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    #[inline]
    pub fn range(self) -> Range<usize> {
        self.start()..self.end()
    }

    #[inline]
    pub fn of(self, text: &str) -> &str {
        &text[self.range()]
    }

    #[inline]
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    #[inline]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The smallest span that covers both.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Span { start: self.start.min(other.start), end: self.end.max(other.end), side: PhantomData }
    }
}

impl<S> fmt::Debug for Span<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_touching_do_not_overlap() {
        let (a, b) = (Span::<Raw>::new(0, 3), Span::<Raw>::new(3, 5));
        assert!(!a.overlaps(b));
        assert_eq!(a.union(b), Span::new(0, 5));
        assert!(a.union(b).contains(b));
    }
}
