//! BRAT: a text and its annotations (`.ann`) in code points.

use crate::offsets::{FromBytes, floor, to_bytes};
use crate::{GoldSpan, Offsets, OutSpan};

/// Reads the text-bound annotations of a `.ann` file. A span in several pieces becomes the stretch that covers
/// them.
pub(crate) fn parse(ann: &str, text: &str) -> Result<Vec<GoldSpan>, (u64, &'static str)> {
    const SHAPE: &str = "this is not a text-bound annotation: tab-separated id, label with offsets, and text";
    let mut offsets = Vec::new();
    let mut labels = Vec::new();
    for (i, line) in ann.lines().enumerate() {
        if !line.starts_with('T') {
            continue;
        }
        let bad = (i as u64 + 1, SHAPE);
        let place = line.split('\t').nth(1).ok_or(bad)?;
        let (label, ranges) = place.split_once(' ').ok_or(bad)?;
        let (mut start, mut end) = (usize::MAX, 0);
        for range in ranges.split(';') {
            let (from, to) = range.trim().split_once(' ').ok_or(bad)?;
            let (from, to) = (from.parse::<usize>().map_err(|_| bad)?, to.parse::<usize>().map_err(|_| bad)?);
            (start, end) = (start.min(from), end.max(to));
        }
        offsets.extend([start, end]);
        labels.push((i as u64 + 1, label));
    }
    let bytes = to_bytes(text, Offsets::CodePoints, &offsets);
    let span = |(i, (line, label)): (usize, (u64, &str))| match (bytes[2 * i], bytes[2 * i + 1]) {
        (Some(start), Some(end)) if start <= end => {
            Ok(GoldSpan { start, end, label: label.to_owned(), role: None })
        }
        _ => Err((line, "this annotation lies outside the text")),
    };
    labels.into_iter().enumerate().map(span).collect()
}

/// Writes annotations. A span over several lines is written in one piece per line, as BRAT wants it.
pub fn push_ann(out: &mut Vec<u8>, text: &str, spans: &[OutSpan]) {
    let mut walk = FromBytes::new(text, Offsets::CodePoints);
    for (i, span) in spans.iter().enumerate() {
        let (from, to) = (floor(text, span.start), floor(text, span.end));
        let covered = text.get(from..to).unwrap_or_default();
        let mut ranges = String::new();
        let mut surface = String::new();
        let mut at = from;
        for piece in covered.split_inclusive(['\n', '\r']) {
            let line = piece.trim_end_matches(['\n', '\r']);
            if !line.is_empty() {
                let separator = if ranges.is_empty() { "" } else { ";" };
                let (start, end) = (walk.get(at), walk.get(at + line.len()));
                ranges.push_str(&format!("{separator}{start} {end}"));
                if !surface.is_empty() {
                    surface.push(' ');
                }
                surface.push_str(line);
            }
            at += piece.len();
        }
        if ranges.is_empty() {
            ranges = format!("{} {}", walk.get(from), walk.get(to));
        }
        let label: String = span.label.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
        let label = if label.is_empty() { "PHI" } else { &label };
        out.extend_from_slice(format!("T{}\t{label} {ranges}\t{surface}\n", i + 1).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SourceSet;

    fn span(text: &str, slice: &str, label: &'static str) -> OutSpan {
        let start = text.find(slice).unwrap();
        let sources = SourceSet::default();
        OutSpan {
            start,
            end: start + slice.len(),
            original: 0..0,
            took: 0,
            put: 0,
            label: label.into(),
            role: None,
            score: 1.0,
            sources,
        }
    }

    #[test]
    fn written_spans_read_back() {
        let text = "Née é: Zoé\r\nDURAND à Lyon";
        let spans = [span(text, "Zoé\r\nDURAND", "GivenName"), span(text, "Lyon", "My label")];
        let mut out = Vec::new();
        push_ann(&mut out, text, &spans);
        let ann = String::from_utf8(out).unwrap();
        assert_eq!(ann, "T1\tGivenName 7 10;12 18\tZoé DURAND\nT2\tMy_label 21 25\tLyon\n");
        let back = parse(&ann, text).unwrap();
        assert_eq!((back[0].start, back[0].end), (spans[0].start, spans[0].end));
        assert_eq!(&text[back[1].start..back[1].end], "Lyon");
    }

    #[test]
    fn bad_lines_are_told_by_number() {
        assert_eq!(parse("#1\tnote\nT1\tA 3 90\tx", "abcdef").unwrap_err().0, 2);
        assert!(parse("T1 A 0 2 x", "abcdef").is_err());
        assert!(parse("T1\tA 0 x\ty", "abcdef").is_err());
        assert!(parse("R1\tlink Arg1:T1\n\n", "abc").unwrap().is_empty());
    }
}
