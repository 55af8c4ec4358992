//! Viterbi decoding over whole-number scores, and the probability of a found span.

use std::ops::Range;

use super::math::exp;
use super::model::Crf;

const UNREACHABLE: i32 = i32::MIN / 2;
/// Tokens on either side of a span that its probability takes into account.
const WINDOW: usize = 5;

/// Buffers reused from line to line: decoding allocates nothing once they have grown.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The model that the remembered words and the exponentials of transitions belong to.
    owner: u64,
    words: Vec<u64>,
    word_scores: Vec<i32>,
    known: Vec<u64>,
    scores: Vec<i32>,
    best: Vec<i32>,
    back: Vec<u8>,
    active: Vec<u8>,
    labels: Vec<u8>,
    potentials: Vec<f32>,
    forward: Vec<f32>,
    backward: Vec<f32>,
    scales: Vec<f32>,
    transitions: Vec<f32>,
}

/// Features of one token as hashes.
#[derive(Debug, Clone, Copy)]
pub struct TokenFeatures<'a> {
    /// What the features of `own` depend on: tokens with the same `word` have the same `own`.
    pub word: u64,
    pub own: &'a [u64],
    pub rest: &'a [u64],
}

impl<'a> TokenFeatures<'a> {
    pub(crate) fn all(self) -> impl Iterator<Item = u64> + 'a {
        self.own.iter().chain(self.rest).copied()
    }
}

/// Words whose own scores are remembered.
const REMEMBERED: usize = 2048;

/// A span the model found: tokens of the line, class, and the probability of exactly this span.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub tokens: Range<usize>,
    pub class: usize,
    pub probability: f32,
}

impl Crf {
    /// Labels one line, token by token; the labels stay in `scratch` until the next call.
    pub fn label<'s, 'f>(
        &self,
        features: impl Iterator<Item = TokenFeatures<'f>>,
        scratch: &'s mut Scratch,
    ) -> &'s [u8] {
        let labels = self.lattice.labels();
        if scratch.owner != self.number || scratch.words.is_empty() {
            scratch.owner = self.number;
            scratch.transitions.clear();
            scratch.words.clear();
            scratch.words.resize(REMEMBERED, 0);
            scratch.word_scores.clear();
            scratch.word_scores.resize(REMEMBERED * labels, 0);
        }
        scratch.scores.clear();
        let mut tokens = 0;
        for token in features {
            // As long as a label's number can be, so that no look-up needs a check.
            let mut scores = [0; 256];
            let slot = (token.word >> 40) as usize % REMEMBERED;
            let remembered = &mut scratch.word_scores[slot * labels..(slot + 1) * labels];
            if scratch.words[slot] == token.word && token.word != 0 {
                scores[..labels].copy_from_slice(remembered);
            } else {
                self.add_all(token.own, &mut scratch.known, &mut scores);
                scratch.words[slot] = token.word;
                remembered.copy_from_slice(&scores[..labels]);
            }
            self.add_all(token.rest, &mut scratch.known, &mut scores);
            scratch.scores.extend_from_slice(&scores[..labels]);
            tokens += 1;
        }
        self.viterbi(tokens, scratch);
        &scratch.labels
    }

    fn viterbi(&self, tokens: usize, scratch: &mut Scratch) {
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        let Scratch { scores, best, back, active, labels: out, .. } = scratch;
        out.clear();
        out.resize(tokens, 0);
        if tokens == 0 {
            return;
        }
        back.resize(tokens * labels, 0);
        best.clear();
        best.resize(2 * labels, 0);
        let (mut last, mut now) = best.split_at_mut(labels);
        last.copy_from_slice(&scores[..labels]);
        last[dense..].fill(UNREACHABLE);
        for t in 1..tokens {
            let back = &mut back[t * labels..(t + 1) * labels];
            let top = argmax(last);
            let floor = last[top];
            active.clear();
            active.extend((0..labels).filter_map(|from| {
                let kept = from != top && last[from] + self.advantage[from * labels + top] > floor;
                kept.then_some(from as u8)
            }));
            let row = &self.transitions[top * dense..(top + 1) * dense];
            for (n, w) in now[..dense].iter_mut().zip(row) {
                *n = floor + w;
            }
            back[..dense].fill(top as u8);
            for &from in active.iter() {
                let base = last[usize::from(from)];
                let row = &self.transitions[usize::from(from) * dense..][..dense];
                for ((n, b), w) in now[..dense].iter_mut().zip(back.iter_mut()).zip(row) {
                    if base + w > *n {
                        *n = base + w;
                        *b = from;
                    }
                }
            }
            for (k, pair) in self.inside.iter().enumerate() {
                let [begin, inside] = self.lattice.inside_predecessors(dense + k);
                let (a, b) = (last[begin] + pair[0], last[inside] + pair[1]);
                (now[dense + k], back[dense + k]) = if b > a { (b, inside as u8) } else { (a, begin as u8) };
            }
            for (n, s) in now.iter_mut().zip(&scores[t * labels..(t + 1) * labels]) {
                *n = (*n + s).max(UNREACHABLE);
            }
            std::mem::swap(&mut last, &mut now);
        }
        let mut label = argmax(last) as u8;
        for t in (0..tokens).rev() {
            out[t] = label;
            label = back[t * labels + usize::from(label)];
        }
    }

    /// The spans of the line labelled last, without probabilities.
    pub fn segments(&self, scratch: &Scratch, out: &mut Vec<Found>) {
        out.clear();
        let dense = self.lattice.dense();
        let mut open: Option<Found> = None;
        for (t, &label) in scratch.labels.iter().enumerate() {
            let label = usize::from(label);
            if label >= dense {
                if let Some(found) = &mut open {
                    found.tokens.end = t + 1;
                }
                continue;
            }
            out.extend(open.take());
            if label > 0 {
                open = Some(Found { tokens: t..t + 1, class: label - 1, probability: 1.0 });
            }
        }
        out.extend(open);
    }

    /// The spans of the line labelled last, with their probabilities.
    ///
    /// Forward–backward runs only on windows around what was found; what lies further is taken to be outside, as
    /// decoding says.
    pub fn spans(&self, scratch: &mut Scratch, out: &mut Vec<Found>) {
        self.segments(scratch, out);
        if scratch.transitions.is_empty() {
            let inside = self.inside.iter().flatten();
            scratch.transitions.extend(self.transitions.iter().chain(inside).map(|&w| self.factor(w)));
        }
        let tokens = scratch.labels.len();
        let mut next = 0;
        while next < out.len() {
            let first = next;
            let start = out[first].tokens.start.saturating_sub(WINDOW);
            let mut end = out[first].tokens.end + WINDOW;
            next += 1;
            while next < out.len() && out[next].tokens.start < end + WINDOW {
                end = out[next].tokens.end + WINDOW;
                next += 1;
            }
            let window = start..end.min(tokens);
            self.forward_backward(window.clone(), scratch);
            for found in &mut out[first..next] {
                found.probability = self.probability(found, &window, scratch);
            }
        }
    }

    /// Fills the trellis of a window; rows are counted from its start.
    fn forward_backward(&self, window: Range<usize>, scratch: &mut Scratch) {
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        let tokens = window.len();
        let Scratch { scores, potentials, forward, backward, scales, transitions, labels: path, .. } =
            scratch;
        let (transitions, inside) = transitions.split_at(labels * dense);
        potentials.resize(tokens * labels, 0.0);
        forward.resize(tokens * labels, 0.0);
        backward.resize(tokens * labels, 0.0);
        scales.resize(tokens, 0.0);
        for t in 0..tokens {
            let row = &scores[(window.start + t) * labels..][..labels];
            let top = row[argmax(row)];
            let potentials = &mut potentials[t * labels..(t + 1) * labels];
            for (p, s) in potentials.iter_mut().zip(row) {
                *p = self.factor(s - top);
            }
            let (before, rest) = forward.split_at_mut(t * labels);
            let now = &mut rest[..labels];
            now.fill(0.0);
            if t > 0 {
                let last = &before[(t - 1) * labels..];
                for (from, &a) in last.iter().enumerate().filter(|&(_, &a)| a > 1e-12) {
                    for (n, m) in now[..dense].iter_mut().zip(&transitions[from * dense..(from + 1) * dense])
                    {
                        *n += a * m;
                    }
                }
                for (k, pair) in inside.chunks_exact(2).enumerate() {
                    let [begin, same] = self.lattice.inside_predecessors(dense + k);
                    now[dense + k] = last[begin] * pair[0] + last[same] * pair[1];
                }
            } else if window.start > 0 {
                let from = usize::from(path[window.start - 1]);
                now[..dense].copy_from_slice(&transitions[from * dense..(from + 1) * dense]);
            } else {
                now[..dense].fill(1.0);
            }
            now.iter_mut().zip(potentials.iter()).for_each(|(n, p)| *n *= p);
            let sum = now.iter().sum::<f32>().max(f32::MIN_POSITIVE);
            scales[t] = sum;
            now.iter_mut().for_each(|n| *n /= sum);
        }
        let end = &mut backward[(tokens - 1) * labels..];
        match path.get(window.end).map(|&label| usize::from(label)) {
            None => end.fill(1.0),
            Some(to) => {
                end.iter_mut().enumerate().for_each(|(from, b)| *b = transitions[from * dense + to]);
                let last = &forward[(tokens - 1) * labels..tokens * labels];
                let sum: f32 = last.iter().zip(end.iter()).map(|(a, b)| a * b).sum();
                end.iter_mut().for_each(|b| *b /= sum.max(f32::MIN_POSITIVE));
            }
        }
        for t in (1..tokens).rev() {
            let (before, rest) = backward.split_at_mut(t * labels);
            let (last, now) = (&mut before[(t - 1) * labels..], &mut rest[..labels]);
            let potentials = &potentials[t * labels..(t + 1) * labels];
            for (from, b) in last.iter_mut().enumerate() {
                let row = &transitions[from * dense..(from + 1) * dense];
                let sum: f32 = row.iter().zip(potentials).zip(now.iter()).map(|((m, p), n)| m * p * n).sum();
                *b = sum / scales[t];
            }
            for (k, pair) in inside.chunks_exact(2).enumerate() {
                let [begin, same] = self.lattice.inside_predecessors(dense + k);
                let v = potentials[dense + k] * now[dense + k] / scales[t];
                last[begin] += v * pair[0];
                last[same] += v * pair[1];
            }
        }
    }

    /// Probability that the line holds exactly this span: begins there, goes on, and does not go on after.
    fn probability(&self, found: &Found, window: &Range<usize>, scratch: &Scratch) -> f32 {
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        let (begin, inside) = (1 + found.class, dense + found.class);
        let (start, end) = (found.tokens.start - window.start, found.tokens.end - window.start);
        let (transitions, pairs) = scratch.transitions.split_at(labels * dense);
        let mut p = scratch.forward[start * labels + begin];
        for t in start + 1..end {
            let factor = pairs[2 * found.class + usize::from(t != start + 1)];
            p *= factor * scratch.potentials[t * labels + inside] / scratch.scales[t];
        }
        let from = if end == start + 1 { begin } else { inside };
        if end < window.len() {
            let row = &transitions[from * dense..(from + 1) * dense];
            let after: f32 = (0..dense)
                .map(|y| row[y] * scratch.potentials[end * labels + y] * scratch.backward[end * labels + y])
                .sum();
            p *= after / scratch.scales[end];
        } else {
            p *= scratch.backward[(end - 1) * labels + from];
        }
        if p.is_finite() { p.clamp(0.0, 1.0) } else { 0.0 }
    }

    fn factor(&self, weight: i32) -> f32 {
        exp(f64::from(weight) * f64::from(self.unit)) as f32
    }
}

fn argmax(values: &[i32]) -> usize {
    let mut top = 0;
    for (i, v) in values.iter().enumerate() {
        if *v > values[top] {
            top = i;
        }
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crf::{Feature, Lattice, ModelParts};

    const TOKENS: usize = 4;

    fn draw(state: &mut u64) -> i16 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((*state >> 40) % 4001) as i16 - 2000
    }

    /// Two classes, four tokens with a feature each, random weights.
    fn model(seed: u64) -> Crf {
        let mut state = seed;
        let lattice = Lattice::bio(2);
        let features = (0..TOKENS as u64)
            .map(|hash| Feature { hash, weights: (0..5).map(|l| (l, draw(&mut state))).collect() })
            .collect();
        Crf::from_parts(&ModelParts {
            classes: vec!["Age".into(), "Date".into()],
            settings: 0,
            unit: 0.001,
            transitions: (0..lattice.transitions()).map(|_| draw(&mut state)).collect(),
            features,
        })
    }

    /// Every allowed labelling with its score, by plain enumeration.
    fn all_paths(model: &Crf) -> Vec<(Vec<u8>, i32)> {
        let mut paths = Vec::new();
        for code in 0..5usize.pow(TOKENS as u32) {
            let path: Vec<usize> = (0..TOKENS).map(|t| code / 5usize.pow(t as u32) % 5).collect();
            let mut score = Some(0).filter(|_| path[0] < 3);
            for t in 0..TOKENS {
                let mut scores = [0; 256];
                model.add(t as u64, &mut scores);
                let step = match (t.checked_sub(1).map(|before| path[before]), path[t]) {
                    (None, _) => Some(0),
                    (Some(from), to) if to < 3 => Some(model.transitions[from * 3 + to]),
                    (Some(from), to) if from + 2 == to => Some(model.inside[to - 3][0]),
                    (Some(from), to) if from == to => Some(model.inside[to - 3][1]),
                    _ => None,
                };
                score = score.zip(step).map(|(a, b)| a + b + scores[path[t]]);
            }
            if let Some(score) = score {
                paths.push((path.into_iter().map(|l| l as u8).collect(), score));
            }
        }
        paths
    }

    #[test]
    fn labels_and_probabilities_agree_with_enumeration() {
        let mut spans_seen = 0;
        let mut scratch = Scratch::default();
        for seed in 0..200 {
            let model = model(seed);
            let paths = all_paths(&model);
            let (best, _) = paths.iter().max_by_key(|(_, score)| *score).unwrap();
            let hashes: Vec<[u64; 1]> = (0..TOKENS as u64).map(|h| [h]).collect();
            let tokens = || hashes.iter().map(|h| TokenFeatures { word: 7 + h[0] % 2, own: &[], rest: h });
            let labels = model.label(tokens(), &mut scratch).to_vec();
            assert_eq!(&labels, best, "seed {seed}");
            let mut found = Vec::new();
            model.spans(&mut scratch, &mut found);
            let weight = |score: &i32| (f64::from(*score) * 0.001).exp();
            let total: f64 = paths.iter().map(|(_, s)| weight(s)).sum();
            for span in &found {
                spans_seen += 1;
                let Range { start, end } = span.tokens;
                let holds = |path: &[u8]| {
                    let inside = 3 + span.class as u8;
                    path[start] == 1 + span.class as u8
                        && path[start + 1..end].iter().all(|&l| l == inside)
                        && path.get(end) != Some(&inside)
                };
                let sum: f64 = paths.iter().filter(|(p, _)| holds(p)).map(|(_, s)| weight(s)).sum();
                let expected = (sum / total) as f32;
                assert!((span.probability - expected).abs() < 1e-4, "{} {expected}", span.probability);
            }
        }
        assert!(spans_seen > 200);
    }
}
