//! The tracks of MEDDOCAN, as its scorer computes them.
//!
//! *NER*: exact label and borders, micro. *Spans*: exact borders. *Merged*: neighbouring spans join when only
//! non-alphanumeric characters lie between them; true positives are the strict matches together with the merged
//! ones, and what is wrong but lies inside a match is dropped. *Leak*: false negatives of NER by sentence.
//! Unlike the original, a document without a prediction counts as all missed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::corpus::{Pair, Tag};
use crate::scores::{Counts, Scores};

/// The three tracks and the leak score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tracks {
    pub ner: Scores,
    pub spans: Scores,
    pub merged: Scores,
    /// False negatives of NER / sentences; absent when the texts are.
    pub leak: Option<f64>,
}

type Borders = BTreeSet<(usize, usize)>;

pub(crate) fn tracks(pairs: &[Pair<'_>]) -> Tracks {
    let (mut ner, mut spans, mut merged) = (Counts::default(), Counts::default(), Counts::default());
    let mut sentences = Some(0);
    for pair in pairs {
        let gold: BTreeSet<&Tag> = pair.gold.iter().collect();
        let predicted: BTreeSet<&Tag> = pair.predicted.iter().collect();
        ner += counts(&gold, &predicted);
        let (gold, predicted) = (borders(&pair.gold), borders(&pair.predicted));
        spans += counts(&gold, &predicted);
        merged += merged_counts(pair.text, &gold, &predicted);
        sentences = sentences.zip(pair.text).map(|(n, text)| n + count_sentences(text));
    }
    Tracks {
        ner: ner.scores(),
        spans: spans.scores(),
        merged: merged.scores(),
        leak: sentences.map(|n| if n == 0 { 0.0 } else { ner.fn_ as f64 / n as f64 }),
    }
}

fn counts<T: Ord>(gold: &BTreeSet<T>, predicted: &BTreeSet<T>) -> Counts {
    let tp = gold.intersection(predicted).count();
    Counts::new(tp as u64, (predicted.len() - tp) as u64, (gold.len() - tp) as u64)
}

fn borders(tags: &[Tag]) -> Borders {
    tags.iter().map(|t| (t.start, t.end)).collect()
}

fn merged_counts(text: Option<&str>, gold: &Borders, predicted: &Borders) -> Counts {
    let alphanumeric: Option<Vec<bool>> = text.map(|t| t.chars().map(char::is_alphanumeric).collect());
    let merge = |spans: &Borders| {
        let mut out: Vec<(usize, usize)> = Vec::new();
        for &(start, end) in spans {
            match out.last_mut() {
                Some(last) if is_gap(alphanumeric.as_deref(), last.1, start) => last.1 = end.max(last.1),
                _ => out.push((start, end)),
            }
        }
        out.into_iter().collect::<Borders>()
    };
    let mut matches: Borders = gold.intersection(predicted).copied().collect();
    matches.extend(merge(gold).intersection(&merge(predicted)));
    let outside = |span: &&(usize, usize)| !matches.iter().any(|m| m.0 <= span.0 && span.1 <= m.1);
    Counts::new(
        matches.len() as u64,
        predicted.difference(gold).filter(outside).count() as u64,
        gold.difference(predicted).filter(outside).count() as u64,
    )
}

fn is_gap(alphanumeric: Option<&[bool]>, from: usize, to: usize) -> bool {
    match alphanumeric {
        _ if to <= from => true,
        Some(table) => !table[from..to].contains(&true),
        None => false,
    }
}

/// Lines, cut again after `.`, `!`, `?` when a blank and then a capital or a digit follow.
fn count_sentences(text: &str) -> usize {
    let mut total = 0;
    for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
        total += 1;
        let mut ended = false;
        let mut blank = false;
        for c in line.trim().chars() {
            if ended && blank && (c.is_uppercase() || c.is_ascii_digit()) {
                total += 1;
            }
            blank = c.is_whitespace();
            if !blank {
                ended = matches!(c, '.' | '!' | '?');
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(spans: &[(usize, usize)]) -> Borders {
        spans.iter().copied().collect()
    }

    #[test]
    fn merged_by_hand() {
        //          0         1         2
        //          0123456789012345678901234
        let text = "Ana Gil, Soria; Luz y Eva";
        // Gold cuts the name in two, the prediction does not: one merged match, nothing wrong inside it.
        let gold = set(&[(0, 3), (4, 7)]);
        assert_eq!(merged_counts(Some(text), &gold, &set(&[(0, 7)])), Counts::new(1, 0, 0));
        // The two neighbours match strictly, and their merger once more.
        assert_eq!(merged_counts(Some(text), &gold, &gold), Counts::new(3, 0, 0));
        // A letter between keeps spans apart: `Luz y Eva` is one false positive over two misses.
        let gold = set(&[(16, 19), (22, 25)]);
        assert_eq!(merged_counts(Some(text), &gold, &set(&[(16, 25)])), Counts::new(0, 1, 2));
        // What is found strictly stays found; the rest outside any match counts.
        let gold = set(&[(0, 7), (9, 14), (16, 19)]);
        let predicted = set(&[(0, 7), (16, 18)]);
        assert_eq!(merged_counts(Some(text), &gold, &predicted), Counts::new(1, 1, 2));
    }

    #[test]
    fn sentences_end_at_lines_and_full_stops() {
        assert_eq!(count_sentences("Nombre: Ana.\n\nMujer de 3.5 kg. Ingresa el martes. 2 días.\n"), 4);
        assert_eq!(count_sentences(""), 0);
    }
}
