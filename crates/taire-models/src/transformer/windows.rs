//! The windows that a training run reads: gold documents, cut, with the label of each word.

use taire_encoder::Tokeniser;

use super::chain::Labels;
use super::clues::Words;
use super::judge::labelling;
use super::tagger::Cut;
use crate::train::{GoldDocument, gold_spans};

/// The share of windows that are read without the rules' mentions, so that the model does not depend on them.
const RULE_DROPOUT: f32 = 0.15;

/// A gold document, cut, with the label of each word.
pub(crate) struct Sample {
    pub(crate) cut: Cut,
    /// The same words without the mentions of the rules.
    pub(crate) without_rules: Words,
    pub(crate) labels: Vec<usize>,
    /// Spans whose edges lie inside a token, and spans that no token holds.
    pub(crate) inexact: usize,
    pub(crate) dropped: usize,
    pub(crate) spans: usize,
}

impl Sample {
    pub(crate) fn new(tokeniser: &Tokeniser, document: &GoldDocument, classes: &[String]) -> Sample {
        let gold = gold_spans(document, classes);
        let words = Words::read(&document.note, &document.mentions);
        let all = 0..words.len();
        Sample {
            labels: labelling(Labels { classes: classes.len() }, &words, &gold.spans),
            without_rules: Words::read(&document.note, &[]),
            cut: Cut::new(tokeniser, &document.note, words, &[all]),
            inexact: gold.inexact,
            dropped: gold.dropped,
            spans: gold.spans.len(),
        }
    }
}

/// A window of a sample.
#[derive(Clone, Copy)]
pub(crate) struct TrainingWindow {
    pub(crate) sample: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) without_rules: bool,
}

/// How an epoch is cut into windows.
#[derive(Clone, Copy)]
pub(crate) struct WindowPlan {
    /// Pieces a window holds at most, borders not included.
    pub(crate) room: usize,
    pub(crate) labels: Labels,
    /// Of windows without a span, the share that is read.
    pub(crate) negative_rate: f32,
    pub(crate) seed: u64,
}

impl WindowPlan {
    /// The windows of an epoch, in the order they are read.
    pub(crate) fn epoch(&self, samples: &[Sample], epoch: usize) -> Vec<TrainingWindow> {
        let mut dice = Dice::new(self.seed, epoch);
        let (room, labels) = (self.room, self.labels);
        let mut out = Vec::new();
        for (sample, s) in samples.iter().enumerate() {
            let mut from = 0;
            let mut first = room / 3 + dice.below(room - room / 3);
            while from < s.labels.len() {
                let to = labels.before_a_span(&s.labels, from, s.cut.fit(from, first));
                let empty = s.labels[from..to].iter().all(|&l| l == 0);
                // A span longer than a window has no beginning in the next one: there it cannot be learned.
                let begins = labels.may_follow(None, s.labels[from]);
                if begins && (!empty || dice.chance(self.negative_rate)) {
                    out.push(TrainingWindow { sample, from, to, without_rules: dice.chance(RULE_DROPOUT) });
                }
                (from, first) = (to, room);
            }
        }
        for i in (1..out.len()).rev() {
            out.swap(i, dice.below(i + 1));
        }
        out
    }
}

/// A small generator, so that each epoch can be drawn again.
struct Dice(u64);

impl Dice {
    fn new(seed: u64, epoch: usize) -> Dice {
        Dice((seed << 20 ^ epoch as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }

    fn chance(&mut self, share: f32) -> bool {
        (self.below(1 << 20) as f32) < share * (1 << 20) as f32
    }
}
