//! The penalised negative log-likelihood of a linear chain and its gradient.
//!
//! Forward–backward is scaled: every token's scores lose their maximum before the exponential, every forward vector
//! sums to 1. The data are cut into a fixed number of shards whatever the number of threads, and shards are added in
//! order, so the result is the same bit for bit on one core or many.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::data::{Dataset, Lattice};
use super::math::{exp, ln};

const SHARDS: usize = 4;
/// Probabilities below this share change nothing that a double can hold.
const NEGLIGIBLE: f64 = 1e-20;
const NO_PARAMETER: u32 = u32::MAX;

/// Which parameters exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameters {
    /// Those of feature–label pairs and transitions seen in the data, as CRFsuite does by default.
    Observed,
    /// Seen feature–label pairs, and every transition the lattice allows.
    AllTransitions,
}

/// The function to minimise: `-log p(labels | features) + l2·|w|²`. The L1 part belongs to the optimiser.
#[derive(Debug)]
pub struct Objective<'a> {
    data: &'a Dataset,
    lattice: Lattice,
    row_starts: Vec<u32>,
    row_labels: Vec<u8>,
    transition_parameters: Vec<u32>,
    parameters: usize,
    observed: Vec<f64>,
    l2: f64,
    threads: usize,
    shards: Vec<Mutex<Shard>>,
}

#[derive(Debug)]
struct Shard {
    sequences: Range<usize>,
    log_norm: f64,
    gradient: Vec<f64>,
    expected: Vec<f64>,
    trellis: Trellis,
}

#[derive(Debug, Default)]
struct Trellis {
    potentials: Vec<f64>,
    forward: Vec<f64>,
    scales: Vec<f64>,
    backward: Vec<f64>,
    message: Vec<f64>,
}

/// Exponentials of the transition weights, laid out for both directions.
struct Transitions {
    /// `[from][to]` for dense targets.
    forward: Vec<f64>,
    /// `[to][from]` for dense targets.
    backward: Vec<f64>,
    /// Pairs for the other targets.
    inside: Vec<[f64; 2]>,
}

impl<'a> Objective<'a> {
    pub fn new(
        data: &'a Dataset,
        lattice: Lattice,
        parameters: Parameters,
        l2: f64,
        threads: usize,
    ) -> Objective<'a> {
        let labels = lattice.labels();
        let (row_starts, row_labels) = observed_rows(data, labels);
        let states = row_labels.len();
        let mut seen = vec![parameters == Parameters::AllTransitions; lattice.transitions()];
        for s in 0..data.sequences() {
            for t in data.sequence(s).skip(1) {
                if let Some(i) = lattice.transition(data.label(t - 1), data.label(t)) {
                    seen[i] = true;
                }
            }
        }
        let mut next = states as u32;
        let transition_parameters: Vec<u32> = seen
            .into_iter()
            .map(|seen| {
                let this = if seen { next } else { NO_PARAMETER };
                next += u32::from(seen);
                this
            })
            .collect();
        let parameters = next as usize;
        let mut objective = Objective {
            data,
            lattice,
            row_starts,
            row_labels,
            transition_parameters,
            parameters,
            observed: Vec::new(),
            l2,
            threads: threads.max(1),
            shards: shards(data, parameters, lattice),
        };
        objective.observed = objective.count();
        objective
    }

    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Parameters of a feature.
    pub(crate) fn row(&self, feature: usize) -> Range<usize> {
        self.row_starts[feature] as usize..self.row_starts[feature + 1] as usize
    }

    /// Label of each parameter that belongs to a feature.
    pub(crate) fn row_labels(&self) -> &[u8] {
        &self.row_labels
    }

    /// Parameter index of a transition, by its number in the lattice.
    pub(crate) fn transition_parameter(&self, transition: usize) -> Option<usize> {
        Some(self.transition_parameters[transition]).filter(|&p| p != NO_PARAMETER).map(|p| p as usize)
    }

    fn count(&self) -> Vec<f64> {
        let mut observed = vec![0.0; self.parameters];
        for s in 0..self.data.sequences() {
            for t in self.data.sequence(s) {
                let label = self.data.label(t);
                for &f in self.data.token_features(t) {
                    let row = self.row(f as usize);
                    if let Ok(i) = self.row_labels[row.clone()].binary_search(&(label as u8)) {
                        observed[row.start + i] += 1.0;
                    }
                }
            }
            for t in self.data.sequence(s).skip(1) {
                let number = self.lattice.transition(self.data.label(t - 1), self.data.label(t));
                if let Some(p) = number.and_then(|n| self.transition_parameter(n)) {
                    observed[p] += 1.0;
                }
            }
        }
        observed
    }

    /// The value at `weights`; `gradient` receives the slope there.
    pub fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let transitions = self.transitions(weights);
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(shard) = self.shards.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut shard = shard.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                self.run_shard(&mut shard, weights, &transitions);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(work);
            }
            work();
        });
        let mut value = 0.0;
        for ((g, &w), &o) in gradient.iter_mut().zip(weights).zip(&self.observed) {
            value += self.l2 * w * w - w * o;
            *g = 2.0 * self.l2 * w - o;
        }
        for shard in &mut self.shards {
            let shard = shard.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
            value += shard.log_norm;
            for (g, s) in gradient.iter_mut().zip(&shard.gradient) {
                *g += s;
            }
            for (i, expected) in shard.expected.iter().enumerate() {
                let p = self.transition_parameters[i];
                if p != NO_PARAMETER {
                    gradient[p as usize] += expected;
                }
            }
        }
        value
    }

    fn transitions(&self, weights: &[f64]) -> Transitions {
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        let value = |i: usize| match self.transition_parameters[i] {
            NO_PARAMETER => 1.0,
            p => exp(weights[p as usize]),
        };
        let forward: Vec<f64> = (0..labels * dense).map(value).collect();
        let mut backward = vec![0.0; labels * dense];
        for from in 0..labels {
            for to in 0..dense {
                backward[to * labels + from] = forward[from * dense + to];
            }
        }
        let inside = (0..labels - dense)
            .map(|k| [value(labels * dense + 2 * k), value(labels * dense + 2 * k + 1)])
            .collect();
        Transitions { forward, backward, inside }
    }

    fn run_shard(&self, shard: &mut Shard, weights: &[f64], transitions: &Transitions) {
        shard.log_norm = 0.0;
        shard.gradient.fill(0.0);
        shard.expected.fill(0.0);
        for s in shard.sequences.clone() {
            self.run_sequence(self.data.sequence(s), shard, weights, transitions);
        }
        // The expected counts were summed without their constant factor.
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        for (e, m) in shard.expected.iter_mut().zip(&transitions.forward) {
            *e *= m;
        }
        for (k, pair) in transitions.inside.iter().enumerate() {
            shard.expected[labels * dense + 2 * k] *= pair[0];
            shard.expected[labels * dense + 2 * k + 1] *= pair[1];
        }
    }

    fn run_sequence(
        &self,
        tokens: Range<usize>,
        shard: &mut Shard,
        weights: &[f64],
        transitions: &Transitions,
    ) {
        let (labels, dense) = (self.lattice.labels(), self.lattice.dense());
        let length = tokens.len();
        let t = &mut shard.trellis;
        t.potentials.resize(length * labels, 0.0);
        t.forward.resize(length * labels, 0.0);
        t.scales.resize(length, 0.0);
        // As long as a label's number can be, so that no look-up needs a check.
        let mut scores = [0.0; 256];
        let mut log_norm = 0.0;
        for (i, token) in tokens.clone().enumerate() {
            scores[..labels].fill(0.0);
            for &f in self.data.token_features(token) {
                let row = self.row(f as usize);
                for (&label, &w) in self.row_labels[row.clone()].iter().zip(&weights[row]) {
                    scores[usize::from(label)] += w;
                }
            }
            let top = scores[..labels].iter().fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a });
            log_norm += top;
            let potentials = &mut t.potentials[i * labels..(i + 1) * labels];
            for (p, &s) in potentials.iter_mut().zip(&scores) {
                *p = exp(s - top);
            }
            let (before, rest) = t.forward.split_at_mut(i * labels);
            let now = &mut rest[..labels];
            if i == 0 {
                now[..dense].copy_from_slice(&potentials[..dense]);
                now[dense..].fill(0.0);
            } else {
                let last = &before[(i - 1) * labels..];
                now.fill(0.0);
                for (from, &a) in last.iter().enumerate().filter(|&(_, &a)| a > NEGLIGIBLE) {
                    let row = &transitions.forward[from * dense..(from + 1) * dense];
                    for (n, m) in now[..dense].iter_mut().zip(row) {
                        *n += a * m;
                    }
                }
                for (k, pair) in transitions.inside.iter().enumerate() {
                    let [begin, inside] = self.lattice.inside_predecessors(dense + k);
                    now[dense + k] = last[begin] * pair[0] + last[inside] * pair[1];
                }
                for (n, p) in now.iter_mut().zip(potentials.iter()) {
                    *n *= p;
                }
            }
            let sum: f64 = now.iter().sum();
            t.scales[i] = sum;
            log_norm += ln(sum);
            let inverse = 1.0 / sum;
            now.iter_mut().for_each(|n| *n *= inverse);
        }
        shard.log_norm += log_norm;

        t.backward.clear();
        t.backward.resize(labels, 1.0);
        t.message.resize(labels, 0.0);
        for (i, token) in tokens.enumerate().rev() {
            let now = &t.forward[i * labels..(i + 1) * labels];
            for ((s, &a), &b) in scores.iter_mut().zip(now).zip(&t.backward) {
                *s = a * b;
            }
            for &f in self.data.token_features(token) {
                let row = self.row(f as usize);
                for (&label, g) in self.row_labels[row.clone()].iter().zip(&mut shard.gradient[row]) {
                    *g += scores[usize::from(label)];
                }
            }
            if i == 0 {
                break;
            }
            let potentials = &t.potentials[i * labels..(i + 1) * labels];
            let inverse = 1.0 / t.scales[i];
            let mut top = 0.0;
            for ((v, &p), &b) in t.message.iter_mut().zip(potentials).zip(&t.backward) {
                *v = p * b * inverse;
                top = if *v > top { *v } else { top };
            }
            let last = &t.forward[(i - 1) * labels..i * labels];
            for (from, &a) in last.iter().enumerate().filter(|&(_, &a)| a > NEGLIGIBLE) {
                let row = &mut shard.expected[from * dense..(from + 1) * dense];
                for (e, v) in row.iter_mut().zip(&t.message[..dense]) {
                    *e += a * v;
                }
            }
            t.backward.fill(0.0);
            let floor = top * NEGLIGIBLE;
            for (to, &v) in t.message[..dense].iter().enumerate().filter(|&(_, &v)| v > floor) {
                let row = &transitions.backward[to * labels..(to + 1) * labels];
                for (b, m) in t.backward.iter_mut().zip(row) {
                    *b += v * m;
                }
            }
            for (k, pair) in transitions.inside.iter().enumerate() {
                let [begin, inside] = self.lattice.inside_predecessors(dense + k);
                let v = t.message[dense + k];
                shard.expected[labels * dense + 2 * k] += last[begin] * v;
                shard.expected[labels * dense + 2 * k + 1] += last[inside] * v;
                t.backward[begin] += pair[0] * v;
                t.backward[inside] += pair[1] * v;
            }
        }
    }
}

/// For each feature, the labels it was seen with, in order.
fn observed_rows(data: &Dataset, labels: usize) -> (Vec<u32>, Vec<u8>) {
    let words = labels.div_ceil(64);
    let mut seen = vec![0u64; data.feature_count() * words];
    for t in 0..data.tokens() {
        let label = data.label(t);
        for &f in data.token_features(t) {
            seen[f as usize * words + label / 64] |= 1 << (label % 64);
        }
    }
    let mut starts = Vec::with_capacity(data.feature_count() + 1);
    let mut row_labels = Vec::new();
    starts.push(0);
    for row in seen.chunks_exact(words.max(1)) {
        row_labels.extend((0..labels).filter(|l| row[l / 64] & (1 << (l % 64)) != 0).map(|l| l as u8));
        starts.push(row_labels.len() as u32);
    }
    (starts, row_labels)
}

fn shards(data: &Dataset, parameters: usize, lattice: Lattice) -> Vec<Mutex<Shard>> {
    let mut shards = Vec::with_capacity(SHARDS);
    let mut from = 0;
    for i in 1..=SHARDS {
        let goal = data.tokens() * i / SHARDS;
        let mut to = from;
        while to < data.sequences() && data.sequence(to).end <= goal {
            to += 1;
        }
        shards.push(Mutex::new(Shard {
            sequences: from..to,
            log_norm: 0.0,
            gradient: vec![0.0; parameters],
            expected: vec![0.0; lattice.transitions()],
            trellis: Trellis::default(),
        }));
        from = to;
    }
    shards
}
