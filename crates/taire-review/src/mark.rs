//! What a reviewer works on: marks over a text, sorted and disjoint, in bytes. The page counts as JavaScript does, in
//! UTF-16 units; [`shown`] and [`Ruler`] go between.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use taire_formats::{Offsets, from_bytes, to_bytes};
use taire_text::{Label, Role};

use crate::problem::Problem;

/// Who set a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    /// The detectors; nobody has touched it.
    Found,
    Reviewer,
}

/// One stretch of a text that identifies somebody.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) label: Label,
    pub(crate) role: Role,
    pub(crate) by: By,
}

impl Mark {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    pub(crate) fn overlaps(&self, range: &Range<usize>) -> bool {
        self.start < range.end && range.start < self.end
    }

    /// Same borders, label and role, whoever set them.
    pub(crate) fn says(&self, other: &Mark) -> bool {
        self.range() == other.range() && self.label == other.label && self.role == other.role
    }
}

/// Whether two reviewers marked a text alike.
pub(crate) fn alike(a: &[Mark], b: &[Mark]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.says(b))
}

/// Turns the page's offsets into bytes of one text.
pub(crate) struct Ruler<'t>(pub(crate) &'t str);

impl Ruler<'_> {
    /// The bytes of a stretch that holds something.
    pub(crate) fn range(&self, start: usize, end: usize) -> Result<Range<usize>, Problem> {
        let bytes = to_bytes(self.0, Offsets::Utf16, &[start, end]);
        match bytes[..] {
            [Some(start), Some(end)] if start < end => Ok(start..end),
            _ => Err(Problem::cannot("outside", "this stretch is empty or lies outside the text")),
        }
    }
}

/// Byte ranges as the page counts them.
pub(crate) fn shown(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<(usize, usize)> {
    let bytes: Vec<usize> = ranges.flat_map(|r| [r.start, r.end]).collect();
    from_bytes(text, Offsets::Utf16, &bytes).chunks_exact(2).map(|c| (c[0], c[1])).collect()
}

/// Refuses marks that are empty, overlap, or cut a character.
pub(crate) fn check(text: &str, marks: &[Mark]) -> Result<(), Problem> {
    let whole = |m: &Mark| m.start < m.end && text.get(m.range()).is_some();
    let apart = marks.windows(2).all(|pair| pair[0].end <= pair[1].start);
    match marks.iter().all(whole) && apart {
        true => Ok(()),
        false => Err(Problem::cannot("overlap", "marks are empty, overlap or lie outside the text")),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Marks of marked text: `[Durand](FamilyName:Patient)`.
    pub(crate) fn read(source: &str) -> (String, Vec<Mark>) {
        let marked = taire_text::marked::parse(source);
        let mark = |(range, name): (Range<usize>, String)| {
            let (label, role) = name.split_once(':').unwrap_or((&name, "Unknown"));
            let (label, role) = (label.parse().unwrap(), role.parse().unwrap());
            Mark { start: range.start, end: range.end, label, role, by: By::Found }
        };
        (marked.text, marked.spans.into_iter().map(mark).collect())
    }

    #[test]
    fn the_page_counts_utf16() {
        let text = "é😀 Ana";
        assert_eq!(Ruler(text).range(4, 7).unwrap(), 7..10);
        assert_eq!(shown(text, std::iter::once(7..10)), [(4, 7)]);
        for (start, end) in [(4, 4), (5, 4), (2, 4), (4, 99)] {
            assert_eq!(Ruler(text).range(start, end).unwrap_err().code, "outside");
        }
    }

    #[test]
    fn marks_that_overlap_are_refused() {
        let (text, mut marks) = read("[Ana](GivenName) [Peña](FamilyName)");
        assert!(check(&text, &marks).is_ok());
        marks[0].end = 5;
        assert!(check(&text, &marks).is_err());
        marks[0].end = 3;
        marks[1].end = 7;
        assert!(check(&text, &marks).is_err(), "it ends inside a character");
    }
}
