//! A trained coder: what it says of a text, and which words made it say so.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use taire_text::Language;

use crate::bag::{Bag, Features};
use crate::cases::{Case, Labels};
use crate::measure::Judged;
use crate::net::{Drop, Input, Net, Tape};
use crate::threads;
use crate::tokens::{self, FrozenEncoder, SEGMENT, gather, segments};
use crate::words::{Vocabulary, Words};

/// Words that are reported for each code.
const MOST_WORDS: usize = 6;

/// How words become vectors.
pub(crate) enum Reader {
    Own(Vocabulary),
    /// With the mean and the spread of each number over the training text.
    Frozen {
        encoder: Box<FrozenEncoder>,
        mean: Vec<f32>,
        spread: Vec<f32>,
    },
}

/// One network; an ensemble has several.
pub(crate) struct Member {
    /// Of words and stems; empty with a frozen encoder.
    pub(crate) table: Vec<f32>,
    pub(crate) net: Net,
}

pub(crate) struct Deep {
    pub(crate) reader: Reader,
    pub(crate) members: Vec<Member>,
    /// Only the first segment is read.
    pub(crate) first_only: bool,
}

/// How a coder was made.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct About {
    pub method: String,
    pub language: Language,
    pub documents: usize,
    pub dev_f1: f64,
    pub seed: u64,
}

/// A trained coder.
pub struct Coder {
    pub about: About,
    pub labels: Labels,
    pub(crate) features: Features,
    /// Of the whole bag; a network takes its share of it.
    pub(crate) bag: Option<Bag>,
    pub(crate) deep: Option<Deep>,
    /// Scores from here on are given.
    pub(crate) threshold: f32,
}

impl std::fmt::Debug for Coder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coder").field("about", &self.about).finish_non_exhaustive()
    }
}

/// A code with the chance that it is right, and the words that drove it.
#[derive(Clone, PartialEq, Debug)]
pub struct Predicted {
    pub label: String,
    pub score: f32,
    /// Bytes of the text, the heaviest first.
    pub words: Vec<(Range<usize>, f32)>,
}

/// A text read once, for every member.
pub(crate) struct Reading {
    pub(crate) words: Words,
    pub(crate) row: crate::bag::Row,
    pairs: Vec<[u32; 2]>,
    fixed: Vec<f32>,
}

impl Coder {
    pub(crate) fn read(&self, text: &str) -> Reading {
        let words = Words::read(text);
        let row = self.features.row(&words);
        let (mut pairs, mut fixed) = (Vec::new(), Vec::new());
        if let Some(deep) = &self.deep {
            let limit = deep.limit();
            match &deep.reader {
                Reader::Own(vocabulary) => pairs = tokens::pairs(vocabulary, &words, limit),
                Reader::Frozen { encoder, mean, spread } => {
                    fixed = encoder.vectors(text, &words, limit);
                    standardise(&mut fixed, mean, spread);
                }
            }
        }
        Reading { words, row, pairs, fixed }
    }

    /// The score of each label, before the threshold.
    pub(crate) fn logits(&self, reading: &Reading) -> Vec<f32> {
        let bag = self.bag.as_ref().map(|bag| bag.scores(&reading.row));
        let Some(deep) = &self.deep else { return bag.unwrap_or_default() };
        let mut sums = vec![0.0; self.labels.len()];
        let mut tape = Tape::default();
        for member in &deep.members {
            deep.run(member, reading, bag.as_deref().unwrap_or_default(), &mut tape);
            sums.iter_mut().zip(&tape.logits).for_each(|(s, z)| *s += z / deep.members.len() as f32);
        }
        sums
    }

    /// The codes of a text with the words that drove them, the surest first; at least `least` of them.
    pub fn predict(&self, text: &str, least: usize) -> Vec<Predicted> {
        let reading = self.read(text);
        let logits = self.logits(&reading);
        let order = ranked(&logits);
        let given = order.iter().take_while(|&&l| logits[l] >= self.threshold).count();
        let chosen = &order[..given.max(least.min(order.len()))];
        let weights = self.contributions(&reading, chosen);
        let of = |(&label, weights): (&usize, Vec<f32>)| {
            let mut words: Vec<(Range<usize>, f32)> = weights
                .into_iter()
                .enumerate()
                .filter(|(_, w)| *w > 0.0)
                .map(|(i, w)| (reading.words.places[i].0 as usize..reading.words.places[i].1 as usize, w))
                .collect();
            words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.start.cmp(&b.0.start)));
            words.truncate(MOST_WORDS);
            Predicted { label: self.labels.names[label].clone(), score: self.chance(logits[label]), words }
        };
        chosen.iter().zip(weights).map(of).collect()
    }

    /// The threshold as a chance.
    pub fn threshold(&self) -> f32 {
        self.chance(self.threshold)
    }

    fn chance(&self, logit: f32) -> f32 {
        1.0 / (1.0 + (-logit).exp())
    }

    /// What each word added to some labels: its share of the bag, and attention times vote.
    fn contributions(&self, reading: &Reading, labels: &[usize]) -> Vec<Vec<f32>> {
        let count = reading.words.len();
        let mut out = vec![vec![0.0f32; count]; labels.len()];
        let place = |label: usize| labels.iter().position(|&l| l == label);
        let scale = self.deep.as_ref().map_or(1.0, |deep| {
            let shares = deep.members.iter().map(|m| m.net.numbers[m.net.shape.bag()]);
            shares.sum::<f32>() / deep.members.len().max(1) as f32
        });
        if let Some(bag) = &self.bag {
            let places = self.features.places(&reading.words);
            let mut counts = vec![0u32; self.features.len()];
            places.iter().for_each(|&(feature, ..)| counts[feature as usize] += 1);
            for (feature, first, last) in places {
                let at = reading.row.binary_search_by_key(&feature, |&(f, _)| f);
                let value = at.map_or(0.0, |at| reading.row[at].1) / counts[feature as usize] as f32;
                for (label, weight) in bag.weights_of_feature(feature) {
                    let Some(which) = place(label) else { continue };
                    let each = scale * weight * value / (last - first + 1) as f32;
                    (first..=last).for_each(|i| out[which][i] += each);
                }
            }
        }
        if let Some(deep) = &self.deep {
            let mut tape = Tape::default();
            for member in &deep.members {
                deep.run(member, reading, &[], &mut tape);
                let tokens = deep.limit().min(count);
                if tape.weights.len() != self.labels.len() * tokens {
                    continue;
                }
                for (which, &label) in labels.iter().enumerate() {
                    let (a, p) = (&tape.weights[label * tokens..], &tape.votes[label * tokens..]);
                    for i in 0..tokens {
                        out[which][i] += a[i] * p[i] / deep.members.len() as f32;
                    }
                }
            }
        }
        out
    }

    /// What the coder says of cases, beside what is true.
    pub fn judge(&self, cases: &[&Case], threads: usize) -> Vec<Judged> {
        threads::map(threads, cases.len(), |i| {
            let case = cases[i];
            let logits = self.logits(&self.read(&case.text));
            self.verdict(case, &logits)
        })
    }

    pub(crate) fn verdict(&self, case: &Case, logits: &[f32]) -> Judged {
        let order = ranked(logits);
        let name = |&l: &usize| self.labels.names[l].clone();
        let given: BTreeSet<String> =
            order.iter().take_while(|&&l| logits[l] >= self.threshold).map(name).collect();
        Judged {
            truth: self.labels.names_of(case),
            given,
            ranked: order.iter().take(crate::measure::DEPTHS[2]).map(name).collect(),
        }
    }
}

impl Deep {
    pub(crate) fn limit(&self) -> usize {
        if self.first_only { SEGMENT } else { usize::MAX }
    }

    fn run(&self, member: &Member, reading: &Reading, bag: &[f32], tape: &mut Tape) {
        let mut own = Vec::new();
        let vectors: &[f32] = match &self.reader {
            Reader::Own(_) => {
                gather(&reading.pairs, &member.table, member.net.shape.input, &mut own);
                &own
            }
            Reader::Frozen { .. } => &reading.fixed,
        };
        let segments = segments(vectors.len() / member.net.shape.input);
        member.net.run(Input { vectors, segments: &segments, bag }, Drop::NONE, tape);
    }
}

pub(crate) fn standardise(vectors: &mut [f32], mean: &[f32], spread: &[f32]) {
    for line in vectors.chunks_exact_mut(mean.len().max(1)) {
        line.iter_mut().zip(mean.iter().zip(spread)).for_each(|(x, (m, s))| *x = (*x - m) / s);
    }
}

/// Labels from the surest down; of equals the first.
pub(crate) fn ranked(logits: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]).then(a.cmp(&b)));
    order
}

/// The threshold with the best micro F1: the logits of documents, and their true labels. `missed` are true labels that no
/// logit stands for.
pub(crate) fn best_threshold(logits: &[Vec<f32>], truth: &[&[usize]], missed: usize) -> (f32, f64) {
    let mut all: Vec<(f32, bool)> = Vec::new();
    for (logits, truth) in logits.iter().zip(truth) {
        all.extend(logits.iter().enumerate().map(|(l, &z)| (z, truth.binary_search(&l).is_ok())));
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let whole = truth.iter().map(|t| t.len()).sum::<usize>() + missed;
    let (mut right, mut best) = (0usize, (0.0f32, 0.0f64));
    for (i, &(z, true_)) in all.iter().enumerate() {
        right += usize::from(true_);
        let next = all.get(i + 1).map_or(z - 1.0, |n| n.0);
        let f1 = 2.0 * right as f64 / (i + 1 + whole) as f64;
        if next < z && f1 > best.1 {
            best = (0.5 * (z + next), f1);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_the_best_of_all() {
        let logits = vec![vec![2.0, 1.0, -1.0], vec![0.5, 3.0, 0.0]];
        let (zero, one): (&[usize], &[usize]) = (&[0, 1], &[1]);
        let (threshold, f1) = best_threshold(&logits, &[zero, one], 0);
        // 3.0, 2.0 and 1.0 are right, 0.5 is not.
        assert_eq!((threshold, f1), (0.75, 1.0));
        assert!((best_threshold(&logits, &[zero, one], 1).1 - 6.0 / 7.0).abs() < 1e-12);
        assert_eq!(ranked(&[1.0, 2.0, 2.0]), [1, 2, 0]);
    }
}
