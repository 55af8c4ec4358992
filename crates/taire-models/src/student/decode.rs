//! From scores to spans: the best labelling in which an inside follows its own begin or inside.
//!
//! Labels are outside, every begin, every inside. Without scores of transitions the search costs one look at each
//! score: outside and begin follow the best label before, an inside the better of two.

use std::ops::Range;

use taire_encoder::math::softmax_rows;

/// A span of words that was found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Segment {
    pub(crate) words: Range<usize>,
    pub(crate) class: usize,
    /// The mean probability that its words are not outside.
    pub(crate) probability: f32,
    /// The mean scores of roles.
    pub(crate) roles: [f32; ROLES],
}

pub(crate) const ROLES: usize = 4;

/// Labels of so many classes.
pub(crate) fn labels(classes: usize) -> usize {
    1 + 2 * classes
}

/// The search over one document, fed with rows of scores in order.
#[derive(Default, Debug)]
pub(crate) struct Decoder {
    classes: usize,
    /// Subtracted from the score of outside.
    outside_bias: f32,
    /// The best score of each label at the last word.
    best: Vec<f32>,
    /// For each word, the best label of the word before.
    before: Vec<u8>,
    /// For each word and class, whether its inside follows an inside.
    goes_on: Vec<u64>,
    /// The probability that each word is not outside.
    covered: Vec<f32>,
    roles: Vec<[f32; ROLES]>,
    chances: Vec<f32>,
}

impl Decoder {
    pub(crate) fn start(&mut self, classes: usize, outside_bias: f32) {
        (self.classes, self.outside_bias) = (classes, outside_bias);
        self.best.clear();
        self.best.resize(labels(classes), f32::NEG_INFINITY);
        self.best[0] = 0.0;
        self.before.clear();
        self.goes_on.clear();
        self.covered.clear();
        self.roles.clear();
    }

    /// Takes the scores of more words: labels, then roles.
    pub(crate) fn push(&mut self, scores: &[f32]) {
        let labels = labels(self.classes);
        self.chances.clear();
        for row in scores.chunks_exact(labels + ROLES) {
            self.step(&row[..labels]);
            self.chances.extend_from_slice(&row[..labels]);
            let mut roles = [0.0; ROLES];
            roles.copy_from_slice(&row[labels..]);
            self.roles.push(roles);
        }
        softmax_rows(&mut self.chances, labels, 1.0);
        self.covered.extend(self.chances.chunks_exact(labels).map(|row| 1.0 - row[0]));
    }

    fn step(&mut self, scores: &[f32]) {
        let classes = self.classes;
        let (mut top, mut from) = (f32::NEG_INFINITY, 0);
        for (label, &score) in self.best.iter().enumerate() {
            if score > top {
                (top, from) = (score, label);
            }
        }
        let mut bits = 0u64;
        let (begins, insides) = self.best[1..].split_at_mut(classes);
        for c in 0..classes {
            let inside = insides[c] > begins[c];
            bits |= u64::from(inside) << c;
            let before = if inside { insides[c] } else { begins[c] };
            insides[c] = before - top + scores[1 + classes + c];
            begins[c] = scores[1 + c];
        }
        self.best[0] = scores[0] - self.outside_bias;
        self.before.push(from as u8);
        self.goes_on.push(bits);
    }

    /// The spans of the best labelling, in order.
    pub(crate) fn finish(&self, out: &mut Vec<Segment>) {
        out.clear();
        let top = |a: &usize, b: &usize| self.best[*a].total_cmp(&self.best[*b]).then(b.cmp(a));
        let Some(mut label) = (0..self.best.len()).max_by(top) else { return };
        let classes = self.classes;
        let mut end = None;
        for word in (0..self.before.len()).rev() {
            if label == 0 {
                label = usize::from(self.before[word]);
                continue;
            }
            let last = *end.get_or_insert(word + 1);
            if label <= classes {
                out.push(self.segment(word..last, label - 1));
                end = None;
                label = usize::from(self.before[word]);
            } else if self.goes_on[word] >> (label - 1 - classes) & 1 == 0 {
                label -= classes;
            }
        }
        out.reverse();
    }

    /// The probability of each word that it is not outside.
    pub(crate) fn covered(&self) -> &[f32] {
        &self.covered
    }

    /// The largest probability that one of these words is not outside.
    pub(crate) fn most_covered(&self, words: Range<usize>) -> f32 {
        self.covered[words].iter().fold(0.0, |a, &b| a.max(b))
    }

    fn segment(&self, words: Range<usize>, class: usize) -> Segment {
        let count = words.len() as f32;
        let probability = self.covered[words.clone()].iter().sum::<f32>() / count;
        let mut roles = [0.0; ROLES];
        for row in &self.roles[words.clone()] {
            roles.iter_mut().zip(row).for_each(|(sum, r)| *sum += r / count);
        }
        Segment { words, class, probability, roles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_allowed_labelling_of_all_is_found() {
        const CLASSES: usize = 2;
        let labels = labels(CLASSES);
        for seed in 0..40 {
            let score = |i: usize| ((i * 37 + seed * 101) as f32 * 0.7).sin() * 3.0;
            let words = 4;
            let rows: Vec<Vec<f32>> =
                (0..words).map(|w| (0..labels + ROLES).map(|l| score(w * 9 + l)).collect()).collect();
            let mut best = (f32::NEG_INFINITY, Vec::new());
            for code in 0..labels.pow(words as u32) {
                let path: Vec<usize> = (0..words).map(|w| code / labels.pow(w as u32) % labels).collect();
                let allowed = |w: usize| {
                    path[w] <= CLASSES
                        || w > 0 && (path[w - 1] == path[w] || path[w - 1] + CLASSES == path[w])
                };
                let total: f32 = (0..words).map(|w| rows[w][path[w]]).sum();
                if (0..words).all(allowed) && total > best.0 {
                    best = (total, path);
                }
            }
            let mut decoder = Decoder::default();
            decoder.start(CLASSES, 0.0);
            rows.iter().for_each(|row| decoder.push(row));
            let mut found = Vec::new();
            decoder.finish(&mut found);
            let mut path = vec![0; words];
            for segment in &found {
                segment.words.clone().for_each(|w| path[w] = 1 + CLASSES + segment.class);
                path[segment.words.start] = 1 + segment.class;
            }
            assert_eq!(path, best.1, "seed {seed}");
        }
    }
}
