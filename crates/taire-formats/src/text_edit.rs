//! What a rewritten text changes in the text as read, cut to the places the text came from.
//!
//! Envelopes and marked-up files both read many places as one text and put the new text back. They share three steps:
//! [`text_edits`] compares the two texts, [`TextEdit::split_at`] keeps lines and cells apart, and [`edits_by_place`] gives
//! each place its part.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::OutSpan;

/// One replacement: a range of the text as read, and what is written there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TextEdit<'t> {
    pub(crate) range: Range<usize>,
    pub(crate) with: &'t str,
    /// Index of the span that it writes.
    pub(crate) span: usize,
}

/// The two texts differ outside the spans, or a span lies outside its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TextMismatch;

/// What `spans` replace when `original` becomes `new`. Outside the spans the two texts must be the same.
pub(crate) fn text_edits<'t>(
    original: &str,
    new: &'t str,
    spans: &[OutSpan],
) -> Result<Vec<TextEdit<'t>>, TextMismatch> {
    let mut edits = Vec::with_capacity(spans.len());
    let (mut read_to, mut written_to) = (0, 0);
    for (index, span) in spans.iter().enumerate() {
        let kept = original.get(read_to..span.original.start).ok_or(TextMismatch)?;
        let start = span.start.checked_sub(span.put).ok_or(TextMismatch)?;
        if new.get(written_to..start) != Some(kept) {
            return Err(TextMismatch);
        }
        let replaced = span.edits(new).ok_or(TextMismatch)?;
        edits.extend(replaced.map(|(range, with)| TextEdit { range, with, span: index }));
        (read_to, written_to) = (span.original.end, span.end);
    }
    let rest = original.get(read_to..).ok_or(TextMismatch)?;
    if new.get(written_to..) != Some(rest) {
        return Err(TextMismatch);
    }
    Ok(edits)
}

impl<'t> TextEdit<'t> {
    /// The edit piece by piece, where it replaces as many pieces (lines, cells) as it writes; else as it is.
    pub(crate) fn split_at(self, original: &str, breaks: &[char]) -> Vec<TextEdit<'t>> {
        let replaced = original.get(self.range.clone()).unwrap_or_default();
        if !replaced.contains(breaks) || !replaced.matches(breaks).eq(self.with.matches(breaks)) {
            return vec![self];
        }
        let mut at = self.range.start;
        let pairs = replaced.split(breaks).zip(self.with.split(breaks)).map(|(was, with)| {
            let range = at..at + was.len();
            at = range.end + 1;
            TextEdit { range, with, span: self.span }
        });
        pairs.collect()
    }
}

/// The edits inside each of `places` (disjoint and sorted), by its index. An edit over several places is written into the first of
/// them and empties its part of the others.
pub(crate) fn edits_by_place<'t>(
    edits: &[TextEdit<'t>],
    places: &[Range<usize>],
) -> BTreeMap<usize, Vec<TextEdit<'t>>> {
    let mut by_place: BTreeMap<usize, Vec<TextEdit<'t>>> = BTreeMap::new();
    for edit in edits {
        let first = places.partition_point(|place| place.end <= edit.range.start);
        let mut with = edit.with;
        for (index, place) in places.iter().enumerate().skip(first) {
            if place.start >= edit.range.end {
                break;
            }
            let range = edit.range.start.max(place.start)..edit.range.end.min(place.end);
            by_place.entry(index).or_default().push(TextEdit {
                range,
                with: std::mem::take(&mut with),
                span: edit.span,
            });
        }
    }
    by_place
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use taire_text::SourceSet;

    fn span(written: Range<usize>, original: Range<usize>) -> OutSpan {
        OutSpan {
            start: written.start,
            end: written.end,
            original,
            took: 0,
            put: 0,
            label: "X".into(),
            role: None,
            score: 1.0,
            sources: SourceSet::default(),
        }
    }

    /// Replaces each of `swaps` once, in their order.
    pub(crate) fn replace_once(text: &str, swaps: &[(&str, &str)]) -> (String, Vec<OutSpan>) {
        let (mut new, mut spans, mut from) = (String::new(), Vec::new(), 0);
        for (was, with) in swaps {
            let start = from + text[from..].find(was).unwrap();
            new.push_str(&text[from..start]);
            let at = new.len();
            new.push_str(with);
            from = start + was.len();
            spans.push(span(at..new.len(), start..from));
        }
        new.push_str(&text[from..]);
        (new, spans)
    }

    /// Replaces every occurrence of each of `swaps`.
    pub(crate) fn replace_all(text: &str, swaps: &[(&str, &str)]) -> (String, Vec<OutSpan>) {
        let (mut new, mut spans, mut at) = (String::new(), Vec::new(), 0);
        while at < text.len() {
            let Some((was, with)) = swaps.iter().find(|(was, _)| text[at..].starts_with(was)) else {
                let c = text[at..].chars().next().unwrap();
                new.push(c);
                at += c.len_utf8();
                continue;
            };
            let start = new.len();
            new.push_str(with);
            spans.push(span(start..new.len(), at..at + was.len()));
            at += was.len();
        }
        (new, spans)
    }

    #[test]
    fn edits_are_cut_to_places_and_the_first_place_takes_the_text() {
        let text = "Mme DU|PO|NT va";
        let (new, spans) = replace_once(text, &[("DU|PO|NT", "PETIT")]);
        let edits = text_edits(text, &new, &spans).unwrap();
        let by_place = edits_by_place(&edits, &[0..6, 7..9, 10..15]);
        let shown: Vec<_> =
            by_place.iter().map(|(&i, edits)| (i, &text[edits[0].range.clone()], edits[0].with)).collect();
        assert_eq!(shown, [(0, "DU", "PETIT"), (1, "PO", ""), (2, "NT", "")]);
    }

    #[test]
    fn lines_stay_apart_when_there_are_as_many() {
        let edit = TextEdit { range: 0..7, with: "AB\nCD", span: 0 };
        let pieces = edit.clone().split_at("DUPO\nNT", &['\n', '\t']);
        assert_eq!(
            pieces.iter().map(|e| (e.range.clone(), e.with)).collect::<Vec<_>>(),
            [(0..4, "AB"), (5..7, "CD")]
        );
        assert_eq!(edit.clone().split_at("DUPO\tNT", &['\n', '\t']), [edit]);
    }

    #[test]
    fn texts_that_differ_outside_the_spans_are_refused() {
        let (new, spans) = replace_once("Mme DUPONT va", &[("DUPONT", "X")]);
        assert!(text_edits("Mme DUPONT va", &new, &spans).is_ok());
        assert_eq!(text_edits("Mlle DUPONT va", &new, &spans), Err(TextMismatch));
        assert_eq!(text_edits("Mme DUPONT part", &new, &spans), Err(TextMismatch));
        assert_eq!(text_edits("Mme D", &new, &spans), Err(TextMismatch));
    }
}
