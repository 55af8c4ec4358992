//! A value that is marked once is marked wherever it occurs.

use std::collections::BTreeSet;

use taire_lexicon::Lexicon;
use taire_text::{Label, fold};

use super::{Allowances, Finding, Problem, around};
use crate::MarkedDocument;

/// Fewer letters are found everywhere.
const SHORTEST: usize = 4;
const SHORTEST_DATE: usize = 6;

/// Whether other occurrences of a value of this label must be marked too.
fn is_looked_for(label: Label, text: &str) -> bool {
    use Label::*;
    let length = text.chars().count();
    match label {
        Age | RelativeDate | Profession | OtherDetail | Initials | Sex | Kinship | Country | Region => false,
        Date | BirthDate => length >= SHORTEST_DATE,
        _ => length >= SHORTEST,
    }
}

pub(super) fn check(document: &MarkedDocument, allowances: &mut Allowances, findings: &mut Vec<Finding>) {
    let lexicon = Lexicon::of(document.language);
    let values: BTreeSet<(&str, Label)> = document
        .spans
        .iter()
        .map(|s| (s.of(&document.text), s.label))
        .filter(|(text, label)| is_looked_for(*label, text))
        .collect();
    let folded = Folded::new(&document.text);
    let mut seen = BTreeSet::new();
    for (value, label) in values {
        for (start, end) in folded.occurrences(&fold(value)) {
            let inside = document.spans.iter().any(|s| s.start < end && start < s.end);
            let text = &document.text[start..end];
            if inside || !seen.insert(start) || !whole_word(&document.text, start, end) {
                continue;
            }
            // `petit` is no name although `Petit` is one here; a small-letter text tells nothing by its case.
            let case_differs = value.starts_with(char::is_uppercase) && text.starts_with(char::is_lowercase);
            let ordinary = lexicon.facts(&fold(value)).word_class() > 0;
            // `maladie de Parkinson` beside Mme Parkinson.
            let eponym =
                lexicon.facts(&fold(value)).is_eponym() && document.text[..start].trim_end().ends_with(" de");
            if (case_differs && ordinary) || eponym || allowances.allows(&document.id, text) {
                continue;
            }
            let detail = format!("`{text}` is {label} elsewhere: {}", around(&document.text, start, end));
            findings.push(Finding::new(&document.id, Problem::Repeat, detail));
        }
    }
}

fn whole_word(text: &str, start: usize, end: usize) -> bool {
    !text[..start].chars().next_back().is_some_and(char::is_alphanumeric)
        && !text[end..].chars().next().is_some_and(char::is_alphanumeric)
}

/// A text in its folded form, with the map back to its bytes.
struct Folded {
    text: String,
    /// For each byte of the folded text, the byte of the text it comes from; one more for the end.
    places: Vec<usize>,
}

impl Folded {
    fn new(text: &str) -> Folded {
        let mut out =
            Folded { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len() + 1) };
        for (i, c) in text.char_indices() {
            let before = out.text.len();
            out.text.push_str(&fold(c.encode_utf8(&mut [0; 4])));
            out.places.extend(std::iter::repeat_n(i, out.text.len() - before));
        }
        out.places.push(text.len());
        out
    }

    fn occurrences(&self, folded: &str) -> Vec<(usize, usize)> {
        let found = self.text.match_indices(folded);
        found.map(|(i, m)| (self.places[i], self.places[i + m.len()])).collect()
    }
}
