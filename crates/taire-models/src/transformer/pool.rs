//! Two models that decide together: the scores of labels by the transformer and the logarithms of their probabilities by
//! a CRF, weighed and added. One labelling is then the best for both.
//!
//! A span that one model doubts and the other is sure of is found; a span that only one of them proposes is not. Two
//! separate sources would add up the mistakes of both.

use taire_text::{Mention, Note, Source};

use super::chain::Chain;
use super::clues::Words;
use super::tagger::Tagger;
use crate::CrfDetector;
use crate::classes::Class;
use crate::detector::push_mentions;

/// No label is less likely than this by the CRF: it too may be wrong. Where it is sure of a class that the transformer
/// does not know, all others are that unlikely, and the transformer decides among them.
const LEAST: f32 = 1e-4;

/// The CRF's probability from which its span counts though the transformer finds nothing.
const SURE: f32 = 0.9;

pub(crate) struct Pool {
    crf: CrfDetector,
    share: f32,
    /// For each label of the transformer, that of the CRF. A class that the CRF does not know is outside to it.
    labels: Vec<usize>,
}

impl Pool {
    pub(crate) fn new(crf: CrfDetector, share: f32, classes: &[Class]) -> Pool {
        let theirs = crf.classes();
        let places: Vec<_> = classes.iter().map(|class| theirs.iter().position(|c| c == class)).collect();
        let begins = places.iter().map(|place| place.map_or(0, |p| 1 + p));
        let insides = places.iter().map(|place| place.map_or(0, |p| 1 + theirs.len() + p));
        let labels = [0].into_iter().chain(begins).chain(insides).collect();
        Pool { crf, share, labels }
    }

    /// What the CRF finds of classes that the transformer does not know, which it decides alone, and what it is sure of
    /// where both together found nothing: a missed name is worse than a hidden word.
    pub(crate) fn rest(&self, tagger: &Tagger, note: &Note, mentions: &[Mention], out: &mut Vec<Mention>) {
        let found: Vec<_> = out.iter().map(|mention| mention.span).collect();
        self.crf.each(note, mentions, |first, last, class, p| {
            let span = note.raw_of_tokens(first, last);
            let passed_over = || !found.iter().any(|f| f.start() < span.end() && span.start() < f.end());
            if !tagger.classes.contains(&class) || p >= SURE && passed_over() {
                push_mentions(note, (first, last), class, p, Source::Crf, out);
            }
        });
    }

    /// The transformer's chain with its part of the weight.
    pub(crate) fn chain(&self, tagger: &Tagger) -> Chain {
        tagger.chain_by(1.0 - self.share)
    }

    /// Adds what the CRF says; of words that it does not read it says nothing.
    pub(crate) fn join(&self, note: &Note, mentions: &[Mention], words: &Words, scores: &mut [f32]) {
        scores.iter_mut().for_each(|s| *s *= 1.0 - self.share);
        let mut word = 0;
        self.crf.marginals(note, mentions, |token, row| {
            while words.tokens.get(word).is_some_and(|&t| (t as usize) < token) {
                word += 1;
            }
            if words.tokens.get(word).is_none_or(|&t| t as usize != token) {
                return;
            }
            let scores = scores[word * self.labels.len()..].iter_mut();
            for (score, &label) in scores.zip(&self.labels) {
                *score += self.share * row[label].max(LEAST).ln();
            }
        });
    }
}
