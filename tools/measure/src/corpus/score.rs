//! Counting: what of the marked spans is covered, and what is covered besides.

use std::collections::BTreeMap;

use serde::Serialize;
use taire_corpus::{MarkedDocument, MarkedSpan};
use taire_text::{Label, Tier};

/// A stretch that was found, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Predicted {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) label: Label,
}

/// Spans of a group, and those of them of which no letter or digit is left.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Debug)]
pub(crate) struct Covered {
    pub(crate) n: u64,
    pub(crate) wholly: u64,
}

impl Covered {
    pub(crate) fn percent(&self) -> f64 {
        if self.n == 0 { 100.0 } else { 100.0 * self.wholly as f64 / self.n as f64 }
    }
}

#[derive(Clone, PartialEq, Default, Serialize, Debug)]
pub(crate) struct Scores {
    pub(crate) documents: u64,
    /// Documents with no direct identifier left.
    pub(crate) documents_direct_clean: u64,
    pub(crate) direct: Covered,
    pub(crate) indirect: Covered,
    pub(crate) detail: Covered,
    /// Characters of the gold and those covered; characters found and those of them that are gold. Sex and kinship
    /// count on neither side.
    pub(crate) chars: u64,
    pub(crate) chars_covered: u64,
    pub(crate) found_chars: u64,
    pub(crate) found_chars_right: u64,
    pub(crate) labels: BTreeMap<String, Covered>,
}

impl Scores {
    pub(crate) fn recall(&self) -> f64 {
        percent(self.chars_covered, self.chars)
    }

    pub(crate) fn precision(&self) -> f64 {
        percent(self.found_chars_right, self.found_chars)
    }

    pub(crate) fn clean(&self) -> f64 {
        percent(self.documents_direct_clean, self.documents)
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// One flag a byte: whether something lies over it.
fn cover(length: usize, ranges: impl Iterator<Item = (usize, usize)>) -> Vec<bool> {
    let mut out = vec![false; length];
    for (start, end) in ranges {
        out[start..end].fill(true);
    }
    out
}

fn tier(document: &MarkedDocument, span: &MarkedSpan) -> Option<Tier> {
    Tier::of_span(span.label, Some(span.of(&document.text)))
}

/// Whether a letter or digit of a span is left.
fn is_left(document: &MarkedDocument, span: &MarkedSpan, covered: &[bool]) -> bool {
    span.of(&document.text).char_indices().any(|(i, c)| c.is_alphanumeric() && !covered[span.start + i])
}

fn is_scored(label: Label) -> bool {
    Tier::of_span(label, None).is_some()
}

fn covered_bytes(document: &MarkedDocument, found: &[Predicted]) -> Vec<bool> {
    cover(document.text.len(), found.iter().filter(|p| is_scored(p.label)).map(|p| (p.start, p.end)))
}

pub(crate) fn score(documents: &[&MarkedDocument], found: &[Vec<Predicted>]) -> Scores {
    let mut out = Scores { documents: documents.len() as u64, ..Scores::default() };
    for (document, found) in documents.iter().zip(found) {
        let covered = covered_bytes(document, found);
        let mut clean = true;
        for span in &document.spans {
            let Some(tier) = tier(document, span) else { continue };
            let wholly = !is_left(document, span, &covered);
            clean &= wholly || tier != Tier::Direct;
            let group = match tier {
                Tier::Direct => &mut out.direct,
                Tier::Indirect => &mut out.indirect,
                Tier::Detail => &mut out.detail,
            };
            for entry in [group, out.labels.entry(span.label.name().to_owned()).or_default()] {
                entry.n += 1;
                entry.wholly += u64::from(wholly);
            }
        }
        out.documents_direct_clean += u64::from(clean);
        let all = cover(document.text.len(), document.spans.iter().map(|s| (s.start, s.end)));
        let scored = document.spans.iter().filter(|s| is_scored(s.label)).map(|s| (s.start, s.end));
        let gold = cover(document.text.len(), scored);
        for (i, _) in document.text.char_indices() {
            out.chars += u64::from(gold[i]);
            out.chars_covered += u64::from(gold[i] && covered[i]);
            // What is found over a value that is not scored is neither right nor wrong.
            let neither = all[i] && !gold[i];
            out.found_chars += u64::from(covered[i] && !neither);
            out.found_chars_right += u64::from(gold[i] && covered[i]);
        }
    }
    out
}

/// A direct identifier of which something is left.
pub(super) struct Missed {
    id: String,
    label: Label,
    text: String,
    context: String,
}

impl Missed {
    pub(super) fn line(&self) -> String {
        format!("{}\t{}\t{}\t{}\n", self.id, self.label, self.text, self.context)
    }
}

/// Characters of context on each side.
const CONTEXT: usize = 40;

pub(super) fn missed(documents: &[&MarkedDocument], found: &[Vec<Predicted>]) -> Vec<Missed> {
    let mut out = Vec::new();
    for (document, found) in documents.iter().zip(found) {
        let covered = covered_bytes(document, found);
        for span in &document.spans {
            if tier(document, span) != Some(Tier::Direct) || !is_left(document, span, &covered) {
                continue;
            }
            let text = &document.text;
            let from = text[..span.start].char_indices().rev().nth(CONTEXT - 1).map_or(0, |(i, _)| i);
            let to = text[span.end..].char_indices().nth(CONTEXT).map_or(text.len(), |(i, _)| span.end + i);
            let context = format!("{}⟦{}⟧{}", &text[from..span.start], span.of(text), &text[span.end..to]);
            let one_line = |t: &str| t.replace('\n', "⏎").replace('\t', " ");
            out.push(Missed {
                id: document.id.clone(),
                label: span.label,
                text: one_line(span.of(text)),
                context: one_line(&context),
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::Language;

    #[test]
    fn counts_by_hand() {
        let source = "<!-- kind: note -->\nMme [Roux](FamilyName), [92 ans](Age), sexe [F](Sex), vue à [Brest](City) hier";
        let document = MarkedDocument::parse("fr/x/01", Language::Fr, source).unwrap();
        let found = |list: &[(usize, usize, Label)]| {
            vec![list.iter().map(|&(start, end, label)| Predicted { start, end, label }).collect::<Vec<_>>()]
        };
        // Mme Roux, 92 ans, sexe F, vue à Brest hier
        let all = found(&[(4, 8, Label::FamilyName), (10, 16, Label::Age), (33, 38, Label::City)]);
        let scores = score(&[&document], &all);
        assert_eq!(&document.text[33..38], "Brest");
        assert_eq!((scores.documents_direct_clean, scores.chars, scores.chars_covered), (1, 15, 15));
        assert_eq!((scores.indirect, scores.precision()), (Covered { n: 2, wholly: 2 }, 100.0));
        let part = found(&[(4, 7, Label::FamilyName), (23, 24, Label::Sex), (39, 43, Label::Date)]);
        let scores = score(&[&document], &part);
        assert_eq!((scores.documents_direct_clean, scores.direct.wholly), (0, 0));
        assert_eq!((scores.found_chars, scores.found_chars_right), (7, 3));
        assert_eq!(scores.labels["City"], Covered { n: 1, wholly: 0 });
        let list = missed(&[&document], &part);
        assert_eq!(list.len(), 1);
        assert!(list[0].line().contains("FamilyName\tRoux\tMme ⟦Roux⟧"), "{}", list[0].line());
    }
}
