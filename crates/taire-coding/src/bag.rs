//! The bag of words: tf-idf of words and of pairs of neighbours, and for each label a logistic regression with an L2
//! penalty, one against the rest.
//!
//! Solved in the dual, coordinate by coordinate (Yu, Huang & Lin, 2011): it converges in a few passes over the
//! documents, and labels are independent, so threads change nothing.

use rustc_hash::FxHashMap;

use taire_text::SplitMix64;

use crate::threads;
use crate::words::Words;

/// Fewer documents do not make a feature.
const FEWEST_DOCUMENTS: u32 = 2;
const MOST_PASSES: usize = 60;
const MOST_NEWTON: usize = 100;
/// Largest slope left when a label is solved.
const SLOPE: f64 = 0.02;
/// Weights below are left out of the model.
const SMALLEST: f32 = 0.01;

/// How the regressions are penalised.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BagOptions {
    /// Weight of the documents against the penalty.
    pub cost: f64,
    /// Pairs of neighbours beside single words.
    pub pairs: bool,
}

impl Default for BagOptions {
    fn default() -> Self {
        BagOptions { cost: 256.0, pairs: false }
    }
}

/// Features with their values, sorted by number.
pub(crate) type Row = Vec<(u32, f32)>;

/// Which words and pairs count, and how much.
#[derive(Default)]
pub(crate) struct Features {
    pub(crate) names: Vec<String>,
    pub(crate) rarity: Vec<f32>,
    numbers: FxHashMap<String, u32>,
}

fn each(words: &Words, pairs: bool, mut see: impl FnMut(&str, usize)) {
    let mut pair = String::new();
    for i in 0..words.len() {
        let word = words.get(i);
        see(word, i);
        if pairs && i > 0 {
            pair.clear();
            pair.push_str(words.get(i - 1));
            pair.push(' ');
            pair.push_str(word);
            see(&pair, i);
        }
    }
}

impl Features {
    pub(crate) fn of(documents: &[&Words], pairs: bool) -> Features {
        let mut seen: FxHashMap<String, (u32, u32)> = FxHashMap::default();
        for (number, words) in documents.iter().enumerate() {
            let number = number as u32 + 1;
            each(words, pairs, |name, _| match seen.get_mut(name) {
                Some((count, last)) => {
                    *count += u32::from(*last != number);
                    *last = number;
                }
                None => drop(seen.insert(name.to_owned(), (1, number))),
            });
        }
        let mut kept: Vec<(String, u32)> = seen
            .into_iter()
            .filter(|(_, (count, _))| *count >= FEWEST_DOCUMENTS)
            .map(|(name, (count, _))| (name, count))
            .collect();
        kept.sort();
        let whole = documents.len() as f32 + 1.0;
        let rarity = kept.iter().map(|(_, count)| (whole / (*count as f32 + 1.0)).ln() + 1.0).collect();
        Features::new(kept.into_iter().map(|(name, _)| name).collect(), rarity)
    }

    pub(crate) fn new(names: Vec<String>, rarity: Vec<f32>) -> Features {
        let numbers = names.iter().enumerate().map(|(i, name)| (name.clone(), i as u32)).collect();
        Features { names, rarity, numbers }
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The features of a document, of length one together.
    pub(crate) fn row(&self, words: &Words) -> Row {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        each(words, true, |name, _| {
            if let Some(&number) = self.numbers.get(name) {
                *counts.entry(number).or_default() += 1;
            }
        });
        let mut row: Row = counts
            .into_iter()
            .map(|(number, count)| (number, (1.0 + (count as f32).ln()) * self.rarity[number as usize]))
            .collect();
        row.sort_unstable_by_key(|&(number, _)| number);
        let length = row.iter().map(|(_, v)| v * v).sum::<f32>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|(_, v)| *v /= length);
        }
        row
    }

    /// The features that word `i` is part of, with the words of each.
    pub(crate) fn places(&self, words: &Words) -> Vec<(u32, usize, usize)> {
        let mut out = Vec::new();
        each(words, true, |name, last| {
            if let Some(&number) = self.numbers.get(name) {
                let first = if name.contains(' ') { last - 1 } else { last };
                out.push((number, first, last));
            }
        });
        out
    }
}

/// The weights of a bag: for each feature, labels and weights.
#[derive(Default)]
pub(crate) struct Bag {
    pub(crate) starts: Vec<u32>,
    pub(crate) labels: Vec<u32>,
    pub(crate) weights: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

impl Bag {
    /// Learns every label. `truth` has the labels of each document.
    pub(crate) fn learn(
        rows: &[&Row],
        truth: &[&[usize]],
        features: usize,
        labels: usize,
        options: &BagOptions,
        threads: usize,
    ) -> Bag {
        let mut positive: Vec<Vec<usize>> = vec![Vec::new(); labels];
        for (document, truth) in truth.iter().enumerate() {
            truth.iter().for_each(|&label| positive[label].push(document));
        }
        let squares: Vec<f64> = rows.iter().map(|row| 1.0 + square(row)).collect();
        let solved = threads::map(threads, labels, |label| {
            let weights = solve(rows, &squares, &positive[label], features, options.cost);
            let kept: Row = (0..features)
                .filter(|&f| weights[f].abs() as f32 >= SMALLEST)
                .map(|f| (f as u32, weights[f] as f32))
                .collect();
            (kept, weights[features] as f32)
        });
        let mut counts = vec![0u32; features + 1];
        solved.iter().flat_map(|(kept, _)| kept).for_each(|&(f, _)| counts[f as usize + 1] += 1);
        for f in 0..features {
            counts[f + 1] += counts[f];
        }
        let whole = counts[features] as usize;
        let mut bag = Bag {
            starts: counts.clone(),
            labels: vec![0; whole],
            weights: vec![0.0; whole],
            bias: solved.iter().map(|(_, bias)| *bias).collect(),
        };
        for (label, (kept, _)) in solved.iter().enumerate() {
            for &(f, weight) in kept {
                let at = counts[f as usize] as usize;
                (bag.labels[at], bag.weights[at]) = (label as u32, weight);
                counts[f as usize] += 1;
            }
        }
        bag
    }

    /// The labels of a feature, with their weights.
    pub(crate) fn weights_of_feature(&self, feature: u32) -> impl Iterator<Item = (usize, f32)> {
        let range = self.starts[feature as usize] as usize..self.starts[feature as usize + 1] as usize;
        range.map(|at| (self.labels[at] as usize, self.weights[at]))
    }

    /// The score of each label.
    pub(crate) fn scores(&self, row: &Row) -> Vec<f32> {
        let mut out = self.bias.clone();
        for &(feature, value) in row {
            self.weights_of_feature(feature).for_each(|(label, weight)| out[label] += weight * value);
        }
        out
    }
}

fn square(row: &Row) -> f64 {
    row.iter().map(|(_, v)| f64::from(*v).powi(2)).sum()
}

fn dot(row: &Row, weights: &[f64], bias: usize) -> f64 {
    weights[bias] + row.iter().map(|&(f, v)| weights[f as usize] * f64::from(v)).sum::<f64>()
}

fn add(row: &Row, by: f64, weights: &mut [f64], bias: usize) {
    weights[bias] += by;
    row.iter().for_each(|&(f, v)| weights[f as usize] += by * f64::from(v));
}

/// One label: the weights, the last of them the bias.
fn solve(rows: &[&Row], squares: &[f64], positive: &[usize], features: usize, cost: f64) -> Vec<f64> {
    let n = rows.len();
    let mut sign = vec![-1.0f64; n];
    positive.iter().for_each(|&i| sign[i] = 1.0);
    // One multiplier a document and its distance to the cost.
    let start = (0.001 * cost).min(1e-8);
    let mut alpha = vec![[start, cost - start]; n];
    let mut weights = vec![0.0; features + 1];
    for i in 0..n {
        add(rows[i], sign[i] * start, &mut weights, features);
    }
    let mut order: Vec<usize> = (0..n).collect();
    let mut dice = SplitMix64::new(n as u64);
    let mut inner = 1e-2;
    for _ in 0..MOST_PASSES {
        dice.shuffle(&mut order);
        let mut steepest = 0.0f64;
        let mut moves = 0;
        for &i in &order {
            let (a, b) = (squares[i], sign[i] * dot(rows[i], &weights, features));
            let turned = 0.5 * a * (alpha[i][1] - alpha[i][0]) + b < 0.0;
            let (which, direction) = if turned { (1, -1.0) } else { (0, 1.0) };
            let old = alpha[i][which];
            let mut z = if cost - old < 0.5 * cost { 0.1 * old } else { old };
            let slope = |z: f64| a * (z - old) + direction * b + (z / (cost - z)).ln();
            let mut g = slope(z);
            steepest = steepest.max(g.abs());
            let mut steps = 0;
            while steps <= MOST_NEWTON && g.abs() >= inner {
                let next = z - g / (a + cost / (cost - z) / z);
                z = if next <= 0.0 { 0.1 * z } else { next };
                g = slope(z);
                steps += 1;
            }
            if steps > 0 {
                alpha[i][which] = z;
                alpha[i][1 - which] = cost - z;
                moves += steps;
                add(rows[i], direction * (z - old) * sign[i], &mut weights, features);
            }
        }
        if steepest < SLOPE {
            break;
        }
        if moves <= n / 10 {
            inner = (0.1 * inner).max(1e-8);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regression_is_at_the_bottom_of_its_penalised_loss() {
        let texts =
            ["fievre toux", "fievre frisson toux", "toux seche", "fracture bras", "fracture jambe toux"];
        let words: Vec<Words> = texts.iter().map(|t| Words::read(t)).collect();
        let refs: Vec<&Words> = words.iter().collect();
        let features = Features::of(&refs, true);
        assert_eq!(features.names, ["fievre", "fracture", "toux"]);
        let rows: Vec<Row> = words.iter().map(|w| features.row(w)).collect();
        let rows: Vec<&Row> = rows.iter().collect();
        let squares: Vec<f64> = rows.iter().map(|r| 1.0 + square(r)).collect();
        let weights = solve(&rows, &squares, &[0, 1], 3, 4.0);
        let sign = [1.0, 1.0, -1.0, -1.0, -1.0];
        let value = |w: &[f64]| {
            let fit: f64 = (0..5).map(|i| (1.0 + (-sign[i] * dot(rows[i], w, 3)).exp()).ln()).sum();
            4.0 * fit + 0.5 * w.iter().map(|w| w * w).sum::<f64>()
        };
        for f in 0..4 {
            let mut moved = weights.clone();
            moved[f] += 1e-4;
            let up = value(&moved);
            moved[f] -= 2e-4;
            let slope = (up - value(&moved)) / 2e-4;
            assert!(slope.abs() < 0.05, "{f}: {slope}");
        }
        assert!(weights[0] > 0.5 && weights[1] < 0.0);
    }

    #[test]
    fn threads_change_nothing() {
        let texts: Vec<String> = (0..60).map(|i| format!("mot{} signe{} toux", i % 7, i % 5)).collect();
        let words: Vec<Words> = texts.iter().map(|t| Words::read(t)).collect();
        let refs: Vec<&Words> = words.iter().collect();
        let features = Features::of(&refs, true);
        let rows: Vec<Row> = words.iter().map(|w| features.row(w)).collect();
        let rows: Vec<&Row> = rows.iter().collect();
        let truth: Vec<Vec<usize>> = (0..60).map(|i| vec![i % 7]).collect();
        let truth: Vec<&[usize]> = truth.iter().map(Vec::as_slice).collect();
        let learn = |threads| Bag::learn(&rows, &truth, features.len(), 7, &BagOptions::default(), threads);
        let (one, two) = (learn(1), learn(2));
        assert_eq!((one.weights, one.labels, one.bias), (two.weights, two.labels, two.bias));
    }
}
