//! Sets of positions as sorted, disjoint ranges.

use crate::corpus::Tag;

/// Sorted, disjoint, non-touching ranges.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    /// The union of the tags, which come sorted by start.
    pub(crate) fn of<'a>(tags: impl Iterator<Item = &'a Tag>) -> Ranges {
        let mut out: Vec<(usize, usize)> = Vec::new();
        for tag in tags {
            match out.last_mut() {
                Some((_, end)) if tag.start <= *end => *end = tag.end.max(*end),
                _ => out.push((tag.start, tag.end)),
            }
        }
        Ranges(out)
    }

    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|(start, end)| (end - start) as u64).sum()
    }

    /// How many positions both hold.
    pub(crate) fn common(&self, other: &Ranges) -> u64 {
        let (mut i, mut j, mut total) = (0, 0, 0);
        while i < self.0.len() && j < other.0.len() {
            let (a, b) = (self.0[i], other.0[j]);
            total += a.1.min(b.1).saturating_sub(a.0.max(b.0)) as u64;
            if a.1 <= b.1 {
                i += 1;
            } else {
                j += 1;
            }
        }
        total
    }

    /// Positions of the set outside `covered`, in holes for which `counts` holds.
    pub(crate) fn missed(&self, covered: &Ranges, counts: impl Fn(&(usize, usize)) -> bool) -> u64 {
        let holes = self.0.iter().flat_map(|&(start, end)| covered.holes(start, end));
        holes.filter(|hole| counts(hole)).map(|hole| (hole.1 - hole.0) as u64).sum()
    }

    pub(crate) fn touches(&self, start: usize, end: usize) -> bool {
        let first = self.0.partition_point(|range| range.1 <= start);
        self.0.get(first).is_some_and(|range| range.0 < end)
    }

    /// The stretches of `start..end` that are not in the set.
    pub(crate) fn holes(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut at = start;
        let first = self.0.partition_point(|range| range.1 <= start);
        for &(from, to) in self.0[first..].iter().take_while(|range| range.0 < end) {
            if from > at {
                out.push((at, from));
            }
            at = at.max(to);
        }
        if at < end {
            out.push((at, end));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_common_parts_and_holes() {
        let tags = [Tag::new(0, 4, "a"), Tag::new(2, 6, "a"), Tag::new(8, 10, "a")];
        let a = Ranges::of(tags.iter());
        let b = Ranges::of([Tag::new(5, 9, "b")].iter());
        assert_eq!((a.len(), b.len(), a.common(&b)), (8, 4, 2));
        assert_eq!(a.holes(1, 12), [(6, 8), (10, 12)]);
        assert_eq!(a.holes(8, 10), []);
        assert!(a.touches(5, 8) && !a.touches(6, 8));
    }
}
