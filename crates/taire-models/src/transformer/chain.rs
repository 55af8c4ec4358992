//! The last layer: scores of labels for each word, and of each label after another, as one linear chain.
//!
//! Labels are `O`, every begin, every inside. What begin, inside and outside forbid is never chosen and has no
//! probability. Unlike the model of `crf`, scores come as dense rows of floats.

use std::ops::Range;

/// The labels of so many classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Labels {
    pub(crate) classes: usize,
}

impl Labels {
    pub(crate) fn count(self) -> usize {
        1 + 2 * self.classes
    }

    pub(crate) fn begin(self, class: usize) -> usize {
        1 + class
    }

    pub(crate) fn inside(self, class: usize) -> usize {
        1 + self.classes + class
    }

    /// The class of a label, and whether it begins.
    pub(crate) fn class(self, label: usize) -> Option<(usize, bool)> {
        match label.checked_sub(1)? {
            class if class < self.classes => Some((class, true)),
            inside => Some((inside - self.classes, false)),
        }
    }

    /// Where a window from `from` to `to` may end so that it cuts no span in two; as it is, where the span fills it.
    ///
    /// What begins inside a span no labelling explains: its loss would be below zero, and teach to go on for ever.
    pub(crate) fn before_a_span(self, gold: &[usize], from: usize, to: usize) -> usize {
        let begins = |&at: &usize| gold.get(at).is_none_or(|&label| self.may_follow(None, label));
        (from + 1..=to).rev().find(begins).unwrap_or(to)
    }

    /// Whether `to` may follow `from` (or the start).
    pub(crate) fn may_follow(self, from: Option<usize>, to: usize) -> bool {
        match self.class(to) {
            Some((class, false)) => from.and_then(|f| self.class(f)).is_some_and(|(c, _)| c == class),
            _ => true,
        }
    }
}

/// The scores of transitions, `[from][to]`, and which are allowed.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) labels: Labels,
    transitions: Vec<f32>,
    /// Their exponentials; 0 where forbidden.
    factors: Vec<f32>,
}

/// Forward and backward sums of one sequence, each row scaled to sum to one.
#[derive(Default, Debug)]
pub(crate) struct Trellis {
    emissions: Vec<f32>,
    forward: Vec<f32>,
    backward: Vec<f32>,
    scales: Vec<f32>,
}

/// A span of words that was found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Segment {
    pub(crate) words: Range<usize>,
    pub(crate) class: usize,
    pub(crate) probability: f32,
}

const FORBIDDEN: f32 = -1e30;

impl Chain {
    pub(crate) fn new(labels: Labels, transitions: &[f32]) -> Chain {
        let n = labels.count();
        let mut chain = Chain { labels, transitions: transitions.to_vec(), factors: vec![0.0; n * n] };
        for from in 0..n {
            for to in 0..n {
                let at = from * n + to;
                if labels.may_follow(Some(from), to) {
                    chain.factors[at] = transitions[at].clamp(-60.0, 60.0).exp();
                } else {
                    chain.transitions[at] = FORBIDDEN;
                }
            }
        }
        chain
    }

    /// Runs forward and backward; returns the logarithm of the sum over all labellings.
    pub(crate) fn sum(&self, scores: &[f32], trellis: &mut Trellis) -> f64 {
        let n = self.labels.count();
        let words = scores.len() / n;
        let Trellis { emissions, forward, backward, scales } = trellis;
        let mut total = 0.0;
        emissions.clear();
        for row in scores.chunks_exact(n) {
            let top = row.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
            total += f64::from(top);
            emissions.extend(row.iter().map(|s| (s - top).exp()));
        }
        forward.clear();
        forward.resize(words * n, 0.0);
        backward.clear();
        backward.resize(words * n, 1.0);
        scales.clear();
        for t in 0..words {
            let (before, row) = forward.split_at_mut(t * n);
            let row = &mut row[..n];
            if t == 0 {
                for (label, x) in row.iter_mut().enumerate() {
                    *x = if self.labels.may_follow(None, label) { 1.0 } else { 0.0 };
                }
            } else {
                for (from, &mass) in before[(t - 1) * n..].iter().enumerate() {
                    let factors = &self.factors[from * n..(from + 1) * n];
                    row.iter_mut().zip(factors).for_each(|(x, f)| *x += mass * f);
                }
            }
            row.iter_mut().zip(&emissions[t * n..]).for_each(|(x, e)| *x *= e);
            let sum: f32 = row.iter().sum::<f32>().max(f32::MIN_POSITIVE);
            row.iter_mut().for_each(|x| *x /= sum);
            scales.push(sum);
            total += f64::from(sum).ln();
        }
        for t in (1..words).rev() {
            let (row, after) = backward.split_at_mut(t * n);
            let row = &mut row[(t - 1) * n..];
            let next: Vec<f32> =
                after[..n].iter().zip(&emissions[t * n..]).map(|(b, e)| b * e / scales[t]).collect();
            for (from, x) in row.iter_mut().enumerate() {
                let factors = &self.factors[from * n..(from + 1) * n];
                *x = factors.iter().zip(&next).map(|(f, b)| f * b).sum();
            }
        }
        total
    }

    /// The score of one labelling.
    pub(crate) fn score(&self, scores: &[f32], gold: &[usize]) -> f64 {
        let n = self.labels.count();
        let words: f64 = gold.iter().enumerate().map(|(t, &l)| f64::from(scores[t * n + l])).sum();
        words + gold.windows(2).map(|w| f64::from(self.transitions[w[0] * n + w[1]])).sum::<f64>()
    }

    /// The loss of one labelling, with its gradients by scores (written) and by transitions (added).
    pub(crate) fn loss(
        &self,
        scores: &[f32],
        gold: &[usize],
        trellis: &mut Trellis,
        by_score: &mut [f32],
        by_transition: &mut [f32],
    ) -> f64 {
        let n = self.labels.count();
        let loss = self.sum(scores, trellis) - self.score(scores, gold);
        for (x, (f, b)) in by_score.iter_mut().zip(trellis.forward.iter().zip(&trellis.backward)) {
            *x = f * b;
        }
        for t in 1..gold.len() {
            let next: Vec<f32> = (0..n)
                .map(|j| trellis.emissions[t * n + j] * trellis.backward[t * n + j] / trellis.scales[t])
                .collect();
            for (from, &mass) in trellis.forward[(t - 1) * n..t * n].iter().enumerate() {
                if mass < 1e-8 {
                    continue;
                }
                let at = from * n..(from + 1) * n;
                let pairs = by_transition[at.clone()].iter_mut().zip(&self.factors[at]).zip(&next);
                pairs.for_each(|((g, f), b)| *g += mass * f * b);
            }
            by_transition[gold[t - 1] * n + gold[t]] -= 1.0;
        }
        for (t, &label) in gold.iter().enumerate() {
            by_score[t * n + label] -= 1.0;
        }
        loss
    }

    /// The best labelling.
    pub(crate) fn best(&self, scores: &[f32]) -> Vec<usize> {
        let n = self.labels.count();
        let words = scores.len() / n;
        let mut from = vec![0u16; words * n];
        let mut row: Vec<f32> = Vec::new();
        for t in 0..words {
            let here = &scores[t * n..(t + 1) * n];
            row = if t == 0 {
                let first = |(l, s): (usize, &f32)| {
                    if self.labels.may_follow(None, l) { *s } else { FORBIDDEN }
                };
                here.iter().enumerate().map(first).collect()
            } else {
                let mut next = vec![f32::NEG_INFINITY; n];
                for (before, &so_far) in row.iter().enumerate() {
                    let transitions = &self.transitions[before * n..(before + 1) * n];
                    for (to, &s) in transitions.iter().enumerate() {
                        if so_far + s > next[to] {
                            next[to] = so_far + s;
                            from[t * n + to] = before as u16;
                        }
                    }
                }
                next.iter().zip(here).map(|(a, b)| a + b).collect()
            };
        }
        let Some(mut label) = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a)))
        else {
            return Vec::new();
        };
        let mut out = vec![0; words];
        for t in (0..words).rev() {
            out[t] = label;
            label = usize::from(from[t * n + label]);
        }
        out
    }

    /// What a labelling says, with probabilities by the trellis of [`Chain::sum`].
    pub(crate) fn segments(&self, labelling: &[usize], trellis: &Trellis) -> Vec<Segment> {
        let mut out: Vec<Segment> = Vec::new();
        for (t, &label) in labelling.iter().enumerate() {
            match self.labels.class(label) {
                Some((class, true)) => out.push(Segment { words: t..t + 1, class, probability: 0.0 }),
                Some((_, false)) => {
                    if let Some(last) = out.last_mut() {
                        last.words.end = t + 1;
                    }
                }
                None => {}
            }
        }
        for segment in &mut out {
            segment.probability = self.probability(segment, trellis);
        }
        out
    }

    /// The probability that exactly this span is there: it begins, goes on, and does not go on after.
    fn probability(&self, segment: &Segment, trellis: &Trellis) -> f32 {
        let n = self.labels.count();
        let (begin, inside) = (self.labels.begin(segment.class), self.labels.inside(segment.class));
        let Range { start, end } = segment.words.clone();
        let mut mass = trellis.forward[start * n + begin];
        let mut label = begin;
        for t in start + 1..end {
            mass *= self.factors[label * n + inside] * trellis.emissions[t * n + inside] / trellis.scales[t];
            label = inside;
        }
        if end * n >= trellis.forward.len() {
            return mass.clamp(0.0, 1.0);
        }
        let goes_on: f32 = (0..n)
            .filter(|&to| to != inside)
            .map(|to| {
                let ahead = trellis.emissions[end * n + to] * trellis.backward[end * n + to];
                self.factors[label * n + to] * ahead / trellis.scales[end]
            })
            .sum();
        (mass * goes_on).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: Labels = Labels { classes: 2 };

    fn numbers(count: usize, seed: f32) -> Vec<f32> {
        (0..count).map(|i| (i as f32 * 1.3 + seed).sin() * 2.0).collect()
    }

    /// Every allowed labelling of three words with its score.
    fn all(chain: &Chain, scores: &[f32]) -> Vec<(Vec<usize>, f64)> {
        let n = LABELS.count();
        let mut out = Vec::new();
        for code in 0..n * n * n {
            let labelling = vec![code / n / n, code / n % n, code % n];
            let first = LABELS.may_follow(None, labelling[0]);
            if first && labelling.windows(2).all(|w| LABELS.may_follow(Some(w[0]), w[1])) {
                let score = chain.score(scores, &labelling);
                out.push((labelling, score));
            }
        }
        out
    }

    #[test]
    fn sums_bests_and_probabilities_are_those_of_enumeration() {
        let n = LABELS.count();
        for seed in [0.1, 2.0, 5.5] {
            let chain = Chain::new(LABELS, &numbers(n * n, seed));
            let scores = numbers(3 * n, seed + 1.0);
            let all = all(&chain, &scores);
            let whole: f64 = all.iter().map(|(_, s)| s.exp()).sum();
            let mut trellis = Trellis::default();
            assert!((chain.sum(&scores, &mut trellis) - whole.ln()).abs() < 1e-4);
            let best = all.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            assert_eq!(chain.best(&scores), best.0);
            for segment in chain.segments(&[1, 3, 0], &trellis) {
                let holds = |l: &[usize]| l[0] == 1 && l[1] == 3 && l[2] != 3;
                let mass: f64 = all.iter().filter(|(l, _)| holds(l)).map(|(_, s)| s.exp()).sum();
                assert!((f64::from(segment.probability) - mass / whole).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn windows_end_before_spans_and_losses_are_not_below_zero() {
        // Outside, a span of three words, outside, a span that fills the rest.
        let gold = [0, 1, 3, 3, 0, 2, 4, 4, 4];
        let ends: Vec<usize> = (1..=9).map(|to| LABELS.before_a_span(&gold, 0, to)).collect();
        assert_eq!(ends, [1, 1, 1, 4, 5, 5, 5, 5, 9]);
        assert_eq!(LABELS.before_a_span(&gold, 5, 8), 8);
        let n = LABELS.count();
        let chain = Chain::new(LABELS, &numbers(n * n, 0.7));
        let mut from = 0;
        while from < gold.len() {
            let to = LABELS.before_a_span(&gold, from, (from + 5).min(9));
            let scores = numbers((to - from) * n, from as f32);
            let loss = chain.sum(&scores, &mut Trellis::default()) - chain.score(&scores, &gold[from..to]);
            assert!(loss >= 0.0, "{from} {to} {loss}");
            from = to;
        }
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let n = LABELS.count();
        let (transitions, scores, gold) = (numbers(n * n, 0.3), numbers(3 * n, 1.7), [2, 4, 0]);
        let value = |transitions: &[f32], scores: &[f32]| {
            let chain = Chain::new(LABELS, transitions);
            chain.sum(scores, &mut Trellis::default()) - chain.score(scores, &gold)
        };
        let (mut by_score, mut by_transition) = (vec![0.0; 3 * n], vec![0.0; n * n]);
        let chain = Chain::new(LABELS, &transitions);
        chain.loss(&scores, &gold, &mut Trellis::default(), &mut by_score, &mut by_transition);
        let check = |mine: f32, up: f64, down: f64| {
            assert!((f64::from(mine) - (up - down) / 2e-2).abs() < 1e-3, "{mine} {}", (up - down) / 2e-2);
        };
        for i in 0..scores.len() {
            let (mut up, mut down) = (scores.clone(), scores.clone());
            (up[i], down[i]) = (up[i] + 1e-2, down[i] - 1e-2);
            check(by_score[i], value(&transitions, &up), value(&transitions, &down));
        }
        for i in 0..transitions.len() {
            let (mut up, mut down) = (transitions.clone(), transitions.clone());
            (up[i], down[i]) = (up[i] + 1e-2, down[i] - 1e-2);
            check(by_transition[i], value(&up, &scores), value(&down, &scores));
        }
    }
}
