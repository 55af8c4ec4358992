//! The comparison itself: strict, overlap, token and character scores, and what leaks.
//!
//! - *strict*: same label, same borders.
//! - *overlap*: same label and a common character, each span matched once.
//! - *token*, *chars*: words and numbers, or characters, under the same label on both sides.
//! - *leak*: labels aside, what of the gold no prediction covers. Blanks and marks alone leak nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use taire_text::{Kind, tokenise};

use crate::corpus::{Pair, Tag, pair};
use crate::groups::{self, Tiers};
use crate::intervals::Ranges;
use crate::scores::{Counts, Interval, Scores};
use crate::{Corpus, Error, Offsets, Tracks, bootstrap, meddocan};

/// How to compare.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub offsets: Offsets,
    /// Draws of the bootstrap; 0 for no intervals.
    pub resamples: usize,
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { offsets: Offsets::CodePoints, resamples: 1000, seed: 1 }
    }
}

/// One way of counting: totals, the mean over the labels of the gold, and each label.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measure {
    pub micro: Scores,
    #[serde(rename = "macro")]
    pub macro_: Mean,
    pub labels: BTreeMap<String, Scores>,
}

/// Means over the labels that gold has.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Mean {
    pub p: f64,
    pub r: f64,
    pub f1: f64,
}

/// What of the gold no prediction covers, whatever its label.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Leak {
    pub spans: u64,
    pub spans_missed: u64,
    pub chars: u64,
    pub chars_missed: u64,
    pub documents: u64,
    /// Documents with nothing missed.
    pub documents_clean: u64,
    pub documents_clean_rate: f64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub documents_clean_interval: Option<Interval>,
    /// Spans not wholly covered, by gold label.
    pub labels: BTreeMap<String, u64>,
}

/// All scores of one corpus against another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Evaluation {
    pub documents: u64,
    /// Documents of the gold without a prediction: all they hold counts as missed.
    pub missing: Vec<String>,
    /// Documents predicted but not in the gold: not scored.
    pub unexpected: Vec<String>,
    pub strict: Measure,
    pub overlap: Measure,
    /// Absent when neither side has the texts.
    pub token: Option<Measure>,
    pub chars: Measure,
    pub leak: Leak,
    /// Coverage by tier; absent where no label of the gold is one of ours.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tiers: Option<Tiers>,
    /// Documents with no direct identifier left.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub documents_direct_clean: Option<u64>,
    pub meddocan: Tracks,
}

/// Scores `predicted` against `gold`, documents joined by id.
pub fn evaluate(gold: &Corpus, predicted: &Corpus, options: &Options) -> Result<Evaluation, Error> {
    let paired = pair(gold, predicted, options.offsets)?;
    let pairs = &paired.pairs;
    let tiers = Tiers::of_pairs(pairs);
    let texts = pairs.iter().all(|p| p.text.is_some());
    let measure = |count: fn(&Pair<'_>, &mut Tally)| {
        let per_doc = pairs.iter().map(|p| {
            let mut tally = Tally::default();
            count(p, &mut tally);
            tally
        });
        Measure::of(per_doc.collect(), options)
    };
    Ok(Evaluation {
        documents: pairs.len() as u64,
        strict: measure(strict),
        overlap: measure(overlap),
        token: texts.then(|| measure(tokens)),
        chars: measure(chars),
        leak: leak(pairs, options),
        documents_direct_clean: tiers.as_ref().map(|_| groups::documents_direct_clean(pairs)),
        tiers,
        meddocan: meddocan::tracks(pairs),
        missing: paired.missing,
        unexpected: paired.unexpected,
    })
}

/// Fails when gold and prediction share no label: two schemes would give rows of zeros. [`evaluate`] does not ask, since
/// coverage does not depend on labels.
pub fn require_common_label(gold: &Corpus, predicted: &Corpus) -> Result<(), Error> {
    let gold: BTreeSet<&str> = gold.docs().flat_map(|d| &d.spans).map(|t| &*t.label).collect();
    let predicted: BTreeSet<&str> = predicted.docs().flat_map(|d| &d.spans).map(|t| &*t.label).collect();
    if gold.is_empty() || predicted.is_empty() || !gold.is_disjoint(&predicted) {
        return Ok(());
    }
    let some = |names: &BTreeSet<&str>| names.iter().take(4).copied().collect::<Vec<_>>().join(", ");
    Err(Error::input(format!(
        "gold and prediction have no label in common (gold: {} …; prediction: {} …); \
         write the prediction in the scheme of the gold: `taire detect --scheme meddocan|eds|hipaa|bigeard|hnfc`",
        some(&gold),
        some(&predicted)
    )))
}

impl Evaluation {
    /// One figure by its path in the JSON, `strict.micro.f1` or `leak.documents_clean`, for thresholds.
    pub fn figure(&self, path: &str) -> Option<f64> {
        let json = serde_json::to_value(self).ok()?;
        path.split('.').try_fold(&json, |value, key| value.get(key))?.as_f64()
    }
}

type Tally = BTreeMap<String, Counts>;

impl Measure {
    fn of(per_doc: Vec<Tally>, options: &Options) -> Measure {
        let mut labels = Tally::new();
        let mut totals = Vec::with_capacity(per_doc.len());
        for tally in per_doc {
            let mut total = Counts::default();
            for (label, counts) in tally {
                total += counts;
                *labels.entry(label).or_default() += counts;
            }
            totals.push(total);
        }
        let mut sum = Counts::default();
        labels.values().for_each(|&c| sum += c);
        let mut micro = sum.scores();
        micro.interval = bootstrap::of_counts(&totals, options.resamples, options.seed);
        let labels: BTreeMap<_, _> = labels.into_iter().map(|(l, c)| (l, c.scores())).collect();
        Measure { micro, macro_: Mean::of(&labels), labels }
    }
}

impl Mean {
    pub(crate) fn of(labels: &BTreeMap<String, Scores>) -> Mean {
        let gold: Vec<_> = labels.values().filter(|s| s.tp + s.fn_ > 0).collect();
        let mean = |figure: fn(&Scores) -> f64| {
            if gold.is_empty() {
                1.0
            } else {
                gold.iter().map(|s| figure(s)).sum::<f64>() / gold.len() as f64
            }
        };
        Mean { p: mean(|s| s.p), r: mean(|s| s.r), f1: mean(|s| s.f1) }
    }
}

fn strict(pair: &Pair<'_>, out: &mut Tally) {
    let predicted: BTreeSet<&Tag> = pair.predicted.iter().collect();
    let gold: BTreeSet<&Tag> = pair.gold.iter().collect();
    for tag in &gold {
        let counts = out.entry(tag.label.clone()).or_default();
        if predicted.contains(tag) {
            counts.tp += 1;
        } else {
            counts.fn_ += 1;
        }
    }
    for tag in predicted.difference(&gold) {
        out.entry(tag.label.clone()).or_default().fp += 1;
    }
}

/// Sorted spans of one label are matched from left to right, which finds the most matches.
fn overlap(pair: &Pair<'_>, out: &mut Tally) {
    for label in labels(pair) {
        let of = |tags: &'_ [Tag]| tags.iter().filter(|t| t.label == label).cloned().collect::<Vec<_>>();
        let (gold, predicted) = (of(&pair.gold), of(&pair.predicted));
        let (mut i, mut j, mut tp) = (0, 0, 0);
        while i < gold.len() && j < predicted.len() {
            if gold[i].overlaps(&predicted[j]) {
                tp += 1;
                i += 1;
                j += 1;
            } else if gold[i].end <= predicted[j].start {
                i += 1;
            } else {
                j += 1;
            }
        }
        out.insert(label, Counts::new(tp, predicted.len() as u64 - tp, gold.len() as u64 - tp));
    }
}

/// Words and numbers of a text, in code points.
pub(crate) fn word_ranges(text: &str) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    let (mut byte, mut point) = (0, 0);
    for token in tokenise(text).iter().filter(|t| matches!(t.kind, Kind::Word | Kind::Number)) {
        point += text[byte..token.start()].chars().count();
        let start = point;
        point += token.of(text).chars().count();
        byte = token.end();
        ranges.push((start, point));
    }
    ranges
}

fn tokens(pair: &Pair<'_>, out: &mut Tally) {
    let Some(text) = pair.text else { return };
    let places = word_ranges(text);
    for (label, gold, predicted) in sides(pair) {
        let mut counts = Counts::default();
        for &(start, end) in &places {
            match (gold.touches(start, end), predicted.touches(start, end)) {
                (true, true) => counts.tp += 1,
                (true, false) => counts.fn_ += 1,
                (false, true) => counts.fp += 1,
                (false, false) => {}
            }
        }
        out.insert(label, counts);
    }
}

fn chars(pair: &Pair<'_>, out: &mut Tally) {
    for (label, gold, predicted) in sides(pair) {
        let tp = gold.common(&predicted);
        out.insert(label, Counts::new(tp, predicted.len() - tp, gold.len() - tp));
    }
}

fn labels(pair: &Pair<'_>) -> BTreeSet<String> {
    pair.gold.iter().chain(&pair.predicted).map(|t| t.label.clone()).collect()
}

fn sides<'a>(pair: &'a Pair<'_>) -> impl Iterator<Item = (String, Ranges, Ranges)> + 'a {
    labels(pair).into_iter().map(|label| {
        let of = |tags: &[Tag]| Ranges::of(tags.iter().filter(|t| t.label == label));
        let (gold, predicted) = (of(&pair.gold), of(&pair.predicted));
        (label, gold, predicted)
    })
}

fn leak(pairs: &[Pair<'_>], options: &Options) -> Leak {
    let mut clean = Vec::with_capacity(pairs.len());
    let (mut spans, mut spans_missed, mut chars, mut chars_missed) = (0, 0, 0, 0);
    let mut labels: BTreeMap<String, u64> = BTreeMap::new();
    for pair in pairs {
        let covered = Ranges::of(pair.predicted.iter());
        let alphanumeric: Option<Vec<bool>> =
            pair.text.map(|text| text.chars().map(char::is_alphanumeric).collect());
        let identifies = |&(start, end): &(usize, usize)| {
            alphanumeric.as_ref().is_none_or(|table| table[start..end].contains(&true))
        };
        let mut is_clean = true;
        for tag in &pair.gold {
            let missed: usize = covered
                .holes(tag.start, tag.end)
                .iter()
                .filter(|hole| identifies(hole))
                .map(|h| h.1 - h.0)
                .sum();
            spans += 1;
            if missed > 0 {
                spans_missed += 1;
                is_clean = false;
                *labels.entry(tag.label.clone()).or_default() += 1;
            }
        }
        // Spans of the gold may overlap: a character is missed once.
        let gold = Ranges::of(pair.gold.iter());
        chars += gold.len();
        chars_missed += gold.missed(&covered, identifies);
        clean.push(is_clean);
    }
    let documents_clean = clean.iter().filter(|c| **c).count() as u64;
    Leak {
        spans,
        spans_missed,
        chars,
        chars_missed,
        documents: pairs.len() as u64,
        documents_clean,
        documents_clean_rate: if pairs.is_empty() {
            1.0
        } else {
            documents_clean as f64 / pairs.len() as f64
        },
        documents_clean_interval: bootstrap::of_share(&clean, options.resamples, options.seed),
        labels,
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
