//! Viterbi decoding over whole-number scores, and the probability of a found span.

use std::ops::Range;

use super::memory::{Memory, VIEWS};
use super::model::{Crf, add};
use super::rows::Rows;

const UNREACHABLE: i32 = i32::MIN / 2;
/// Tokens on either side of a span that its probability takes into account.
const WINDOW: usize = 5;
/// What is less likely than this, beside the likeliest, is left out of probabilities.
const NEGLIGIBLE: f32 = 1e-6;

/// Buffers reused from line to line: decoding allocates nothing once they have grown.
#[derive(Debug, Default)]
pub struct Scratch {
    memory: Memory,
    hashes: Vec<u64>,
    rows: Rows,
    rest: Rows,
    scores: Vec<i16>,
    best: Vec<i32>,
    back: Vec<u8>,
    active: Vec<u8>,
    labels: Vec<u8>,
    cut: [bool; 2],
    potentials: Vec<f32>,
    forward: Vec<f32>,
    backward: Vec<f32>,
    scales: Vec<f32>,
}

/// The features of a sequence of tokens, as hashes.
pub trait Sequence {
    fn tokens(&self) -> usize;

    /// Whether a token that is known to be outside comes before the sequence, and after it.
    fn cut(&self) -> [bool; 2] {
        [false; 2]
    }

    /// What the features of a view depend on: the same word has the same ones, in any sequence.
    fn word(&self, token: usize, view: usize) -> u64;

    /// Features of the token's word (view 0) or of a neighbour's, added to `out`.
    fn word_features(&self, token: usize, view: usize, out: &mut Vec<u64>);

    /// All other features of a token, added to `out`.
    fn rest(&self, token: usize, out: &mut Vec<u64>);

    /// Every feature of a token.
    fn all(&self, token: usize, out: &mut Vec<u64>) {
        out.clear();
        for view in 0..VIEWS {
            self.word_features(token, view, out);
        }
        self.rest(token, out);
    }
}

/// A span the model found: tokens of the line, class, and the probability of exactly this span.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedSpan {
    pub tokens: Range<usize>,
    pub class: usize,
    pub probability: f32,
}

impl Crf {
    /// Labels one line, token by token; the labels stay in `scratch` until the next call.
    pub fn label<'s>(&self, line: &impl Sequence, scratch: &'s mut Scratch) -> &'s [u8] {
        let tokens = line.tokens();
        let Scratch { memory, hashes, rows, rest, scores: all, .. } = scratch;
        memory.serve(self);
        all.clear();
        rest.clear();
        for token in 0..tokens {
            let mut scores = [0; 256];
            for view in 0..VIEWS {
                let sums = memory.sums(line.word(token, view), view, self.width, |scores| {
                    hashes.clear();
                    line.word_features(token, view, hashes);
                    rows.clear();
                    rows.keep(self, hashes);
                    rows.find(self);
                    self.add_rows(rows, 0, scores);
                });
                if let Some(sums) = sums {
                    add(&mut scores[..self.width], sums);
                }
            }
            hashes.clear();
            line.rest(token, hashes);
            rest.keep(self, hashes);
            all.extend_from_slice(&scores[..self.width]);
        }
        rest.find(self);
        for (token, scores) in all.chunks_exact_mut(self.width).enumerate() {
            self.add_rows(rest, token, scores);
        }
        scratch.cut = line.cut();
        self.viterbi(tokens, scratch);
        &scratch.labels
    }

    fn viterbi(&self, tokens: usize, scratch: &mut Scratch) {
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        let width = self.width;
        let Scratch { scores, best, back, active, labels: out, cut, .. } = scratch;
        out.clear();
        out.resize(tokens, 0);
        if tokens == 0 {
            return;
        }
        back.resize(tokens * labels, 0);
        best.clear();
        best.resize(2 * labels, 0);
        let (mut last, mut now) = best.split_at_mut(labels);
        last.iter_mut().zip(&scores[..labels]).for_each(|(l, &s)| *l = s.into());
        last[dense..].fill(UNREACHABLE);
        if cut[0] {
            last.iter_mut().zip(&self.transitions[..dense]).for_each(|(l, w)| *l += w);
        }
        for t in 1..tokens {
            let back = &mut back[t * labels..(t + 1) * labels];
            let top = argmax(last);
            let floor = last[top];
            active.clear();
            let advantage = &self.advantage[top * labels..(top + 1) * labels];
            if last.iter().zip(advantage).filter(|&(l, a)| l + a > floor).count() > 0 {
                let kept = |&from: &usize| from != top && last[from] + advantage[from] > floor;
                active.extend((0..labels).filter(kept).map(|from| from as u8));
            }
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
            for (n, s) in now.iter_mut().zip(&scores[t * width..]) {
                *n = (*n + i32::from(*s)).max(UNREACHABLE);
            }
            std::mem::swap(&mut last, &mut now);
        }
        if cut[1] {
            last.iter_mut().zip(self.transitions.chunks_exact(dense)).for_each(|(l, row)| *l += row[0]);
        }
        let mut label = argmax(last) as u8;
        for t in (0..tokens).rev() {
            out[t] = label;
            label = back[t * labels + usize::from(label)];
        }
    }

    /// The spans of the line labelled last, without probabilities.
    pub fn segments(&self, scratch: &Scratch, out: &mut Vec<DecodedSpan>) {
        out.clear();
        let dense = self.lattice.dense();
        let mut open: Option<DecodedSpan> = None;
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
                open = Some(DecodedSpan { tokens: t..t + 1, class: label - 1, probability: 1.0 });
            }
        }
        out.extend(open);
    }

    /// The spans of the line labelled last, with their probabilities.
    ///
    /// Forward–backward runs only on windows around what was found; what lies further is taken to be outside, as
    /// decoding says.
    pub fn spans(&self, scratch: &mut Scratch, out: &mut Vec<DecodedSpan>) {
        self.segments(scratch, out);
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

    /// The probability of each label at each token of the line labelled last, a row for each token.
    pub(crate) fn marginals<'s>(&self, scratch: &'s mut Scratch) -> &'s [f32] {
        let (tokens, labels) = (scratch.labels.len(), self.lattice.labels());
        if tokens == 0 {
            return &[];
        }
        self.forward_backward(0..tokens, scratch);
        let Scratch { forward, backward, .. } = scratch;
        for (row, after) in forward.chunks_exact_mut(labels).zip(backward.chunks_exact(labels)).take(tokens) {
            row.iter_mut().zip(after).for_each(|(f, b)| *f *= b);
            let sum = row.iter().sum::<f32>().max(f32::MIN_POSITIVE);
            row.iter_mut().for_each(|f| *f /= sum);
        }
        &forward[..tokens * labels]
    }

    /// Fills the trellis of a window; rows are counted from its start.
    fn forward_backward(&self, window: Range<usize>, scratch: &mut Scratch) {
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        let tokens = window.len();
        let Scratch { scores, potentials, forward, backward, scales, labels: path, cut, .. } = scratch;
        potentials.resize(tokens * labels, 0.0);
        forward.resize(tokens * labels, 0.0);
        backward.resize(tokens * labels, 0.0);
        scales.resize(tokens, 0.0);
        let least = self.falls.len() - 1;
        for t in 0..tokens {
            let row = &scores[(window.start + t) * self.width..][..labels];
            let top = row.iter().fold(i16::MIN, |a, &b| a.max(b));
            let potentials = &mut potentials[t * labels..(t + 1) * labels];
            for (p, &s) in potentials.iter_mut().zip(row) {
                *p = self.falls[usize::from(top.abs_diff(s)).min(least)];
            }
            let (before, rest) = forward.split_at_mut(t * labels);
            let now = &mut rest[..labels];
            now.fill(0.0);
            if t > 0 {
                let last = &before[(t - 1) * labels..];
                for (from, &a) in last.iter().enumerate().filter(|&(_, &a)| a > NEGLIGIBLE) {
                    add_scaled(&mut now[..dense], a, &self.factors[from * dense..(from + 1) * dense]);
                }
                for (k, pair) in self.inside_factors.iter().enumerate() {
                    let [begin, same] = self.lattice.inside_predecessors(dense + k);
                    now[dense + k] = last[begin] * pair[0] + last[same] * pair[1];
                }
            } else if window.start > 0 || cut[0] {
                let from = window.start.checked_sub(1).map_or(0, |before| usize::from(path[before]));
                now[..dense].copy_from_slice(&self.factors[from * dense..(from + 1) * dense]);
            } else {
                now[..dense].fill(1.0);
            }
            let mut sum = 0.0;
            for (n, p) in now.iter_mut().zip(potentials.iter()) {
                *n *= p;
                sum += *n;
            }
            let sum = sum.max(f32::MIN_POSITIVE);
            scales[t] = sum;
            let inverse = 1.0 / sum;
            now.iter_mut().for_each(|n| *n *= inverse);
        }
        let end = &mut backward[(tokens - 1) * labels..tokens * labels];
        let after = path.get(window.end).copied().or(cut[1].then_some(0)).map(usize::from);
        match after {
            None => end.fill(1.0),
            Some(to) => {
                end.copy_from_slice(&self.factors_to[to * labels..(to + 1) * labels]);
                let last = &forward[(tokens - 1) * labels..tokens * labels];
                let sum: f32 = last.iter().zip(end.iter()).map(|(a, b)| a * b).sum();
                end.iter_mut().for_each(|b| *b /= sum.max(f32::MIN_POSITIVE));
            }
        }
        for t in (1..tokens).rev() {
            let (before, rest) = backward.split_at_mut(t * labels);
            let (last, now) = (&mut before[(t - 1) * labels..], &rest[..labels]);
            let potentials = &potentials[t * labels..(t + 1) * labels];
            let inverse = 1.0 / scales[t];
            let top = potentials.iter().zip(now).fold(0.0f32, |a, (p, b)| a.max(p * b));
            last.fill(0.0);
            for to in 0..dense {
                let v = potentials[to] * now[to];
                if v > top * NEGLIGIBLE {
                    add_scaled(last, v * inverse, &self.factors_to[to * labels..(to + 1) * labels]);
                }
            }
            for (k, pair) in self.inside_factors.iter().enumerate() {
                let [begin, same] = self.lattice.inside_predecessors(dense + k);
                let v = potentials[dense + k] * now[dense + k] * inverse;
                last[begin] += v * pair[0];
                last[same] += v * pair[1];
            }
        }
    }

    /// Probability that the line holds exactly this span: begins there, goes on, and does not go on after.
    fn probability(&self, found: &DecodedSpan, window: &Range<usize>, scratch: &Scratch) -> f32 {
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        let (begin, inside) = (1 + found.class, dense + found.class);
        let (start, end) = (found.tokens.start - window.start, found.tokens.end - window.start);
        let mut p = scratch.forward[start * labels + begin];
        for t in start + 1..end {
            let factor = self.inside_factors[found.class][usize::from(t != start + 1)];
            p *= factor * scratch.potentials[t * labels + inside] / scratch.scales[t];
        }
        let from = if end == start + 1 { begin } else { inside };
        if end < window.len() {
            let row = &self.factors[from * dense..(from + 1) * dense];
            let after: f32 = (0..dense)
                .map(|y| row[y] * scratch.potentials[end * labels + y] * scratch.backward[end * labels + y])
                .sum();
            p *= after / scratch.scales[end];
        } else {
            p *= scratch.backward[(end - 1) * labels + from];
        }
        if p.is_finite() { p.clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[inline]
fn add_scaled(sums: &mut [f32], by: f32, row: &[f32]) {
    for (s, r) in sums.iter_mut().zip(row) {
        *s += by * r;
    }
}

/// The first of the greatest.
fn argmax(values: &[i32]) -> usize {
    let top = values.iter().fold(i32::MIN, |a, &b| a.max(b));
    values.iter().position(|&v| v == top).unwrap_or(0)
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
            language: taire_text::Language::Es,
            vocabulary: Vec::new(),
            classes: vec!["Age".into(), "Date".into()],
            settings: 0,
            unit: 0.001,
            transitions: (0..lattice.transitions()).map(|_| draw(&mut state)).collect(),
            features,
        })
    }

    /// A token's own word is its feature at even places, the rest at odd ones.
    struct Line {
        cut: [bool; 2],
    }

    impl Sequence for Line {
        fn tokens(&self) -> usize {
            TOKENS
        }

        fn cut(&self) -> [bool; 2] {
            self.cut
        }

        fn word(&self, token: usize, view: usize) -> u64 {
            (token as u64 * 8 + view as u64 + 1) << 40
        }

        fn word_features(&self, token: usize, view: usize, out: &mut Vec<u64>) {
            out.extend((view == 0 && token.is_multiple_of(2)).then_some(token as u64));
        }

        fn rest(&self, token: usize, out: &mut Vec<u64>) {
            out.extend((!token.is_multiple_of(2)).then_some(token as u64));
        }
    }

    /// Every allowed labelling with its score, by plain enumeration.
    fn all_paths(model: &Crf, cut: [bool; 2]) -> Vec<(Vec<u8>, i32)> {
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
                score = score.zip(step).map(|(a, b)| a + b + i32::from(scores[path[t]]));
            }
            if let Some(mut score) = score {
                score += if cut[0] { model.transitions[path[0]] } else { 0 };
                score += if cut[1] { model.transitions[path[TOKENS - 1] * 3] } else { 0 };
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
            let cut = [seed % 2 == 1, seed % 3 == 1];
            let paths = all_paths(&model, cut);
            let (best, _) = paths.iter().max_by_key(|(_, score)| *score).unwrap();
            let labels = model.label(&Line { cut }, &mut scratch).to_vec();
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
