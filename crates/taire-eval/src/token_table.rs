//! Scores by token as Córdoba's tables print them: `B-` for the first word of a span, `I-` for the others, support, and
//! micro, macro, weighted and sample averages; one table for each part of the documents, and one of all.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::compare::{Mean, word_ranges};
use crate::corpus::{Tag, pair};
use crate::scores::{Counts, Scores};
use crate::{Corpus, Error, Offsets};

/// Names the part that each byte of a text lies in, as starts and names, in order and from 0 on.
pub type PartsOf = fn(&str) -> Vec<(usize, &'static str)>;

/// One table of token scores.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TokenTable {
    /// `B-` and `I-` classes. Support is `tp + fn`.
    pub labels: BTreeMap<String, Scores>,
    pub micro: Scores,
    #[serde(rename = "macro")]
    pub macro_: Mean,
    /// Weighted by support.
    pub weighted: Mean,
    /// Right labels over all words and numbers, those without a label too: what sklearn calls the sample average.
    pub samples: f64,
    /// Words and numbers.
    pub tokens: u64,
}

#[derive(Default)]
struct Tally {
    labels: BTreeMap<String, Counts>,
    tokens: u64,
    right: u64,
}

impl Tally {
    fn add(&mut self, gold: Option<&str>, predicted: Option<&str>) {
        self.tokens += 1;
        self.right += u64::from(gold.is_some() && gold == predicted);
        let mut count = |label: &str, add: Counts| *self.labels.entry(label.to_owned()).or_default() += add;
        match (gold, predicted) {
            (Some(g), Some(p)) if g == p => count(g, Counts::new(1, 0, 0)),
            (g, p) => {
                g.into_iter().for_each(|g| count(g, Counts::new(0, 0, 1)));
                p.into_iter().for_each(|p| count(p, Counts::new(0, 1, 0)));
            }
        }
    }

    fn table(self) -> TokenTable {
        let mut sum = Counts::default();
        self.labels.values().for_each(|&counts| sum += counts);
        let support = (sum.tp + sum.fn_).max(1) as f64;
        let weighted = |figure: fn(Counts) -> f64| {
            self.labels.values().map(|&c| figure(c) * (c.tp + c.fn_) as f64).sum::<f64>() / support
        };
        let weighted =
            Mean { p: weighted(Counts::precision), r: weighted(Counts::recall), f1: weighted(Counts::f1) };
        let labels: BTreeMap<_, _> = self.labels.into_iter().map(|(l, c)| (l, c.scores())).collect();
        TokenTable {
            micro: sum.scores(),
            macro_: Mean::of(&labels),
            weighted,
            samples: self.right as f64 / self.tokens.max(1) as f64,
            tokens: self.tokens,
            labels,
        }
    }
}

/// The class of each word: that of the first span that touches it.
fn classes(words: &[(usize, usize)], tags: &[Tag]) -> Vec<Option<String>> {
    let mut classes = vec![None; words.len()];
    for tag in tags {
        let first = words.partition_point(|w| w.1 <= tag.start);
        for (i, _) in words.iter().enumerate().skip(first).take_while(|(_, w)| w.0 < tag.end) {
            let class = || format!("{}-{}", if i == first { "B" } else { "I" }, tag.label);
            classes[i].get_or_insert_with(class);
        }
    }
    classes
}

/// Tables of `all`, and of each part that `parts` names. Documents without a text are not counted.
pub fn token_tables(
    gold: &Corpus,
    predicted: &Corpus,
    offsets: Offsets,
    parts: Option<PartsOf>,
) -> Result<BTreeMap<String, TokenTable>, Error> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for pair in pair(gold, predicted, offsets)?.pairs {
        let Some(text) = pair.text else { continue };
        let words = word_ranges(text);
        let parts = parts.map(|parts| in_points(text, parts(text))).unwrap_or_default();
        let (gold, predicted) = (classes(&words, &pair.gold), classes(&words, &pair.predicted));
        for ((word, g), p) in words.iter().zip(gold).zip(predicted) {
            let part = parts[..parts.partition_point(|part| part.0 <= word.0)].last().map(|part| part.1);
            for name in ["all"].into_iter().chain(part) {
                tallies.entry(name.to_owned()).or_default().add(g.as_deref(), p.as_deref());
            }
        }
    }
    Ok(tallies.into_iter().map(|(name, tally)| (name, tally.table())).collect())
}

/// Starts in bytes as starts in code points.
pub(crate) fn in_points(text: &str, parts: Vec<(usize, &'static str)>) -> Vec<(usize, &'static str)> {
    let (mut byte, mut point) = (0, 0);
    let mut to_point = |start: usize| {
        point += text.get(byte..start).map_or(0, |s| s.chars().count());
        byte = start;
        point
    };
    parts.into_iter().map(|(start, name)| (to_point(start), name)).collect()
}

impl TokenTable {
    /// The table as text, with a name above it.
    pub fn print(&self, name: &str) -> String {
        let mut out = String::new();
        let head = format!("tokens, {name}");
        let width = self.labels.keys().map(|l| l.chars().count()).max().unwrap_or(0).max(head.len()).max(14);
        let mut line = |name: &str, p: f64, r: f64, f1: f64, support: u64| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{name:<width$} {p:>7.4} {r:>7.4} {f1:>7.4} {support:>8}");
        };
        for (label, s) in &self.labels {
            line(label, s.p, s.r, s.f1, s.tp + s.fn_);
        }
        let support = self.micro.tp + self.micro.fn_;
        line("micro avg", self.micro.p, self.micro.r, self.micro.f1, support);
        line("macro avg", self.macro_.p, self.macro_.r, self.macro_.f1, support);
        line("weighted avg", self.weighted.p, self.weighted.r, self.weighted.f1, support);
        line("samples avg", self.samples, self.samples, self.samples, support);
        format!("{head:<width$} {:>7} {:>7} {:>7} {:>8}\n{out}", "p", "r", "f1", "support")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(spans: &str) -> Corpus {
        let line = format!(
            "{{\"id\":\"a\",\"text\":\"Edad: 37 años\\nAcude Ana María Ruiz hoy\",\"spans\":{spans}}}"
        );
        Corpus::from_jsonl("x", &line).unwrap()
    }

    /// The line of the body starts at a byte that is not its code point.
    fn two_parts(text: &str) -> Vec<(usize, &'static str)> {
        vec![(0, "header"), (text.find("Acude").unwrap(), "body")]
    }

    #[test]
    fn classes_support_and_averages_by_hand() {
        let gold = corpus(r#"[[6,13,"EDAD"],[20,34,"NOM"]]"#);
        let found = corpus(r#"[[6,13,"EDAD"],[24,34,"NOM"]]"#);
        let tables = token_tables(&gold, &found, Offsets::CodePoints, Some(two_parts)).unwrap();
        assert_eq!(tables.keys().collect::<Vec<_>>(), ["all", "body", "header"]);
        assert_eq!(tables["header"].micro.f1, 1.0);
        assert_eq!((tables["header"].tokens, tables["body"].tokens), (3, 5));
        let body = &tables["body"];
        // Gold B I I, found - B I: only the last word agrees.
        assert_eq!((body.micro.tp, body.micro.fp, body.micro.fn_), (1, 1, 2));
        assert_eq!((body.labels["B-NOM"].r, body.labels["I-NOM"].r), (0.0, 0.5));
        assert!((body.weighted.r - 1.0 / 3.0).abs() < 1e-12 && (body.samples - 0.2).abs() < 1e-12);
        let printed = body.print("body");
        assert!(printed.contains("weighted avg") && printed.contains("support"), "{printed}");
    }
}
