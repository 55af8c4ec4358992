//! A trained model in memory: a hash table from features to short rows of whole-number weights.
//!
//! Weights are whole numbers of one unit, so sums are exact and decoding gives the same labels on every machine.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use taire_text::Language;

use super::data::Lattice;
use super::math::exp;
use crate::features::{Entry, Vocabulary};

/// Features are hashed to so many bits.
pub(crate) const HASH_BITS: u32 = 48;

/// What a model is made of, before it is laid out for decoding. Features are sorted by hash, rows by label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelParts {
    pub(crate) language: Language,
    /// Names of the classes; labels are `O`, every begin, every inside.
    pub(crate) classes: Vec<String>,
    /// Which mentions and templates the features were made with, for the extractor.
    pub(crate) settings: u32,
    /// Sorted by word.
    pub(crate) vocabulary: Vec<Entry>,
    /// The value of one unit of weight.
    pub(crate) unit: f32,
    /// By number of the transition in the lattice.
    pub(crate) transitions: Vec<i16>,
    pub(crate) features: Vec<Feature>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Feature {
    pub(crate) hash: u64,
    pub(crate) weights: Vec<(u8, i16)>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub(super) fingerprint: u32,
    pub(super) row: u32,
}

/// A linear-chain CRF ready to decode.
#[derive(Clone)]
pub struct Crf {
    pub(crate) lattice: Lattice,
    /// `[from][to]` for targets that may follow every label.
    pub(crate) transitions: Vec<i32>,
    /// Pairs for inside labels: from their begin, from themselves.
    pub(crate) inside: Vec<[i32; 2]>,
    /// `[b][a]`: the most that a transition out of `a` may gain over the same one out of `b`, to targets that may
    /// follow every label. A label that trails `b` by more can be forgotten.
    pub(crate) advantage: Vec<i32>,
    /// Exponentials of the transitions: `[from][to]`, then `[to][from]`, then the pairs.
    pub(crate) factors: Vec<f32>,
    pub(crate) factors_to: Vec<f32>,
    pub(crate) inside_factors: Vec<[f32; 2]>,
    /// `e^-k` by whole units of `k`; 0 at its end and beyond.
    pub(crate) falls: Vec<f32>,
    /// Labels, filled up so that sums go by eights.
    pub(crate) width: usize,
    language: Language,
    classes: Vec<String>,
    settings: u32,
    vocabulary: Vocabulary,
    /// Tells models of one process apart.
    pub(crate) number: u64,
    /// One bit for a known feature: most features of a token are unknown, and are dismissed without leaving the
    /// nearest cache.
    pub(super) filter: Vec<u64>,
    pub(super) filter_mask: usize,
    pub(super) slots: Vec<Slot>,
    pub(super) mask: usize,
    /// Rows in steps of four entries, filled up with weights of zero: weight in the high half, label above the
    /// lowest bit, which marks the last step.
    pub(super) rows: Vec<[u32; 4]>,
    /// Long rows, a weight for each label.
    pub(super) full_rows: Vec<i16>,
    features: usize,
}

/// A label whose score trails the best one by more, in log-odds, has no probability.
const LEAST: f32 = 20.0;

/// Marks a slot whose row is a full one.
pub(super) const FULL: u32 = 1 << 31;

/// Marks a slot that holds its only weight itself, below its label.
pub(super) const ONE: u32 = 1 << 30;

impl Crf {
    pub(crate) fn from_parts(parts: &ModelParts) -> Crf {
        let mut crf = Crf::frame(parts, parts.features.len());
        parts.features.iter().for_each(|feature| crf.add_feature(feature.hash, &feature.weights));
        crf
    }

    /// A model of everything but the features, with room for so many.
    pub(super) fn frame(parts: &ModelParts, features: usize) -> Crf {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let lattice = Lattice::bio(parts.classes.len());
        let (labels, dense) = (lattice.labels(), lattice.dense());
        let transitions: Vec<i32> = parts.transitions[..labels * dense].iter().map(|&w| w.into()).collect();
        let inside: Vec<[i32; 2]> = parts.transitions[labels * dense..]
            .chunks_exact(2)
            .map(|pair| [pair[0].into(), pair[1].into()])
            .collect();
        let mut advantage = vec![0; labels * labels];
        for a in 0..labels {
            for b in 0..labels {
                advantage[b * labels + a] = (0..dense)
                    .map(|to| transitions[a * dense + to] - transitions[b * dense + to])
                    .max()
                    .unwrap_or(0);
            }
        }
        let factor = |w: i32| exp(f64::from(w) * f64::from(parts.unit)) as f32;
        let mut factors_to = vec![0.0; labels * dense];
        for from in 0..labels {
            for to in 0..dense {
                factors_to[to * labels + from] = factor(transitions[from * dense + to]);
            }
        }
        let steps = (LEAST / parts.unit).clamp(1.0, 1e5) as i32;
        let capacity = (features * 4 / 3 + 16).next_power_of_two();
        let filter_bits = (features * 8).next_power_of_two().max(1 << 12);
        Crf {
            lattice,
            advantage,
            factors: transitions.iter().map(|&w| factor(w)).collect(),
            factors_to,
            inside_factors: inside.iter().map(|pair| pair.map(factor)).collect(),
            falls: (0..steps).map(|k| factor(-k)).chain([0.0]).collect(),
            width: labels.next_multiple_of(8),
            language: parts.language,
            vocabulary: Vocabulary::new(&parts.vocabulary),
            transitions,
            inside,
            classes: parts.classes.clone(),
            settings: parts.settings,
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            filter: vec![0; filter_bits / 64],
            filter_mask: filter_bits - 1,
            slots: vec![Slot::default(); capacity],
            mask: capacity - 1,
            rows: Vec::new(),
            full_rows: Vec::new(),
            features: 0,
        }
    }

    /// Adds a feature that is not yet there; there are never more than the frame was made for.
    pub(super) fn add_feature(&mut self, hash: u64, weights: &[(u8, i16)]) {
        self.features += 1;
        if weights.is_empty() {
            return;
        }
        let bit = (hash >> FILTER_SHIFT) as usize & self.filter_mask;
        self.filter[bit / 64] |= 1 << (bit % 64);
        let (fingerprint, mut at) = place(hash, self.mask);
        while self.slots[at].fingerprint != 0 {
            at = (at + 1) & self.mask;
        }
        let row = if let &[(label, weight)] = weights {
            ONE | u32::from(label) << 16 | u32::from(weight as u16)
        } else if weights.len() * 4 > self.lattice.labels() {
            let from = self.full_rows.len();
            self.full_rows.resize(from + self.width, 0);
            for &(label, weight) in weights {
                self.full_rows[from + usize::from(label)] = weight;
            }
            from as u32 | FULL
        } else {
            let from = self.rows.len();
            for step in weights.chunks(4) {
                self.rows.push(std::array::from_fn(|i| {
                    // Nothing is added to different labels, so that no sum waits for another.
                    let (label, weight) = step.get(i).copied().unwrap_or((i as u8, 0));
                    u32::from(weight as u16) << 16 | u32::from(label) << 1
                }));
            }
            if let Some(last) = self.rows.last_mut() {
                last[3] |= 1;
            }
            from as u32
        };
        self.slots[at] = Slot { fingerprint, row };
    }

    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The language the model was trained for.
    pub fn language(&self) -> Language {
        self.language
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    pub(crate) fn settings(&self) -> u32 {
        self.settings
    }

    /// Features with a weight that is not zero.
    pub fn features(&self) -> usize {
        self.features
    }
}

/// Scores of all labels; as long as a label's number can be, so that no look-up needs a check.
pub(crate) type Scores = [i16; 256];

/// Adds one row to another.
#[inline]
pub(crate) fn add(scores: &mut [i16], row: &[i16]) {
    for (score, weight) in scores.iter_mut().zip(row) {
        *score = score.saturating_add(*weight);
    }
}

/// The filter looks at other bits than the first slot does.
pub(super) const FILTER_SHIFT: u32 = 13;

/// Fingerprint (never 0) and first slot of a hash.
#[inline]
pub(super) fn place(hash: u64, mask: usize) -> (u32, usize) {
    (((hash >> 16) as u32).max(1), hash as usize & mask)
}

impl fmt::Debug for Crf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crf")
            .field("classes", &self.classes)
            .field("features", &self.features)
            .finish_non_exhaustive()
    }
}
