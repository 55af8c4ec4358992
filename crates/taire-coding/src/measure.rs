//! Scores of codes against those that were given: micro and macro precision, recall and F1, and precision at k.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use taire_eval::{Counts, Interval, interval};

const RESAMPLES: usize = 2000;
const SEED: u64 = 7;

/// Precision, recall and F1.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Prf {
    pub p: f64,
    pub r: f64,
    pub f1: f64,
}

/// What a coder said of one document, and what was true.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Judged {
    pub truth: BTreeSet<String>,
    pub given: BTreeSet<String>,
    /// Labels from the surest down; at least as many as precision at k asks for, where it is known.
    pub ranked: Vec<String>,
}

impl Judged {
    pub fn counts(&self) -> Counts {
        let right = self.truth.intersection(&self.given).count() as u64;
        Counts::new(right, self.given.len() as u64 - right, self.truth.len() as u64 - right)
    }
}

/// Scores over a set of documents.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub documents: usize,
    pub micro: Prf,
    /// Of micro F1, documents drawn again.
    pub micro_f1_interval: Option<Interval>,
    /// Means over the labels that are true or given somewhere.
    #[serde(rename = "macro")]
    pub macro_: Prf,
    pub labels: usize,
    /// Share of true labels among the k surest, for each k.
    pub precision_at: BTreeMap<usize, f64>,
}

/// The depths at which precision is reported.
pub const DEPTHS: [usize; 3] = [1, 5, 8];

fn micro(counts: &[Counts], which: impl Iterator<Item = usize>) -> Counts {
    let mut total = Counts::default();
    which.for_each(|i| total += counts[i]);
    total
}

/// The scores of documents that were judged.
pub fn measure(judged: &[Judged]) -> Measured {
    let counts: Vec<Counts> = judged.iter().map(Judged::counts).collect();
    let total = micro(&counts, 0..counts.len());
    let mut by_label: BTreeMap<&str, Counts> = BTreeMap::new();
    for one in judged {
        for label in one.truth.union(&one.given) {
            let (true_, given) = (one.truth.contains(label), one.given.contains(label));
            *by_label.entry(label).or_default() += Counts::new(
                u64::from(true_ && given),
                u64::from(given && !true_),
                u64::from(true_ && !given),
            );
        }
    }
    let labels = by_label.len();
    let mean = |of: fn(Counts) -> f64| by_label.values().map(|&c| of(c)).sum::<f64>() / labels.max(1) as f64;
    let of = |c: Counts| Prf { p: c.precision(), r: c.recall(), f1: c.f1() };
    let at = |k: usize| {
        let hits = |one: &Judged| one.ranked.iter().take(k).filter(|l| one.truth.contains(*l)).count();
        let share = judged.iter().map(|one| hits(one) as f64 / k as f64).sum::<f64>();
        (k, share / judged.len().max(1) as f64)
    };
    let ranked = judged.iter().any(|one| !one.ranked.is_empty());
    Measured {
        documents: judged.len(),
        micro: of(total),
        micro_f1_interval: interval(counts.len(), RESAMPLES, SEED, |draw| {
            micro(&counts, draw.iter().copied()).f1()
        }),
        macro_: Prf { p: mean(Counts::precision), r: mean(Counts::recall), f1: mean(Counts::f1) },
        labels,
        precision_at: DEPTHS.into_iter().filter(|_| ranked).map(at).collect(),
    }
}

/// How much higher the micro F1 of `a` is than that of `b` on the same documents, and the interval of that difference.
pub fn difference(a: &[Judged], b: &[Judged]) -> (f64, Option<Interval>) {
    let counts = |all: &[Judged]| all.iter().map(Judged::counts).collect::<Vec<_>>();
    let (a, b) = (counts(a), counts(b));
    let figure = |draw: &[usize]| micro(&a, draw.iter().copied()).f1() - micro(&b, draw.iter().copied()).f1();
    let all: Vec<usize> = (0..a.len().min(b.len())).collect();
    (figure(&all), interval(all.len(), RESAMPLES, SEED, figure))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(truth: &[&str], ranked: &[&str], given: usize) -> Judged {
        let set = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<BTreeSet<_>>();
        Judged {
            truth: set(truth),
            given: set(&ranked[..given]),
            ranked: ranked.iter().map(|n| n.to_string()).collect(),
        }
    }

    #[test]
    fn the_arithmetic_is_that_of_a_hand() {
        // A: 2 right of 3 given and 2 true; B: nothing right of 1 given, 2 missed.
        let all =
            [judged(&["I10", "E11"], &["I10", "E11", "R50"], 3), judged(&["R50", "N39"], &["I10", "R50"], 1)];
        let m = measure(&all);
        assert_eq!(m.micro, Prf { p: 0.5, r: 0.5, f1: 0.5 });
        // By label: E11 1/1/1; I10 p 1/2, r 1, f 2/3; N39 0; R50 p 0, r 0.
        assert_eq!(m.labels, 4);
        assert!((m.macro_.f1 - (1.0 + 2.0 / 3.0) / 4.0).abs() < 1e-12);
        assert!((m.macro_.p - 1.5 / 4.0).abs() < 1e-12 && (m.macro_.r - 2.0 / 4.0).abs() < 1e-12);
        assert_eq!(m.precision_at[&1], 0.5);
        assert!((m.precision_at[&5] - (2.0 / 5.0 + 1.0 / 5.0) / 2.0).abs() < 1e-12);
        let (gap, interval) = difference(&all, &all);
        assert_eq!((gap, interval), (0.0, Some(Interval(0.0, 0.0))));
    }

    #[test]
    fn nothing_is_no_score_and_no_panic() {
        let m = measure(&[]);
        assert_eq!((m.documents, m.labels, m.micro_f1_interval), (0, 0, None));
    }
}
