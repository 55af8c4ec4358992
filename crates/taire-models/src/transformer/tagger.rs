//! An encoder with a head for labels on it: from the words of a note to the scores of their labels.
//!
//! A note longer than the encoder reads at once is read in windows that overlap; each word is taken from the window
//! in which it is furthest from a border.

use std::ops::Range;

use taire_encoder::math::{Packed, Side, add_rows, axpy, multiply};
use taire_encoder::{Batch, Dropout, Encoder, Tape, Tokeniser};
use taire_text::{Language, Note};

use super::chain::{Chain, Labels};
use super::clues::{CLUES, Words};
use crate::classes::Class;

/// Pieces a window holds at most, borders included.
pub(crate) const WINDOW: usize = 192;
/// Pieces that two windows share.
const OVERLAP: usize = 64;
/// Pieces that are run at once.
const BATCH: usize = 768;

/// The numbers of the head, in one flat vector: clue vectors, then label rows, biases, clue scores, transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeadShape {
    pub(crate) width: usize,
    pub(crate) labels: usize,
}

impl HeadShape {
    pub(crate) fn clues(self) -> Range<usize> {
        0..CLUES * self.width
    }

    pub(crate) fn rows(self) -> Range<usize> {
        let start = self.clues().end;
        start..start + self.labels * self.width
    }

    pub(crate) fn biases(self) -> Range<usize> {
        let start = self.rows().end;
        start..start + self.labels
    }

    pub(crate) fn clue_scores(self) -> Range<usize> {
        let start = self.biases().end;
        start..start + CLUES * self.labels
    }

    pub(crate) fn transitions(self) -> Range<usize> {
        let start = self.clue_scores().end;
        start..start + self.labels * self.labels
    }

    pub(crate) fn len(self) -> usize {
        self.transitions().end
    }
}

/// The head: its numbers, and what makes the encoder's output even.
#[derive(Clone)]
pub(crate) struct Head {
    pub(crate) shape: HeadShape,
    pub(crate) numbers: Vec<f32>,
    pub(crate) mean: Vec<f32>,
    pub(crate) inverse: Vec<f32>,
}

impl Head {
    pub(crate) fn packed(&self) -> Packed {
        let s = self.shape;
        Packed::new(&self.numbers[s.rows()], s.width, s.labels, s.width, Side::Columns)
    }

    pub(crate) fn chain(&self, labels: Labels) -> Chain {
        Chain::new(labels, &self.numbers[self.shape.transitions()])
    }

    /// Standardised rows for the words whose first pieces are given.
    pub(crate) fn gather(&self, output: &[f32], firsts: &[usize], out: &mut Vec<f32>) {
        let width = self.shape.width;
        out.clear();
        for &first in firsts {
            let row = &output[first * width..(first + 1) * width];
            let even = row.iter().zip(self.mean.iter().zip(&self.inverse));
            out.extend(even.map(|(x, (mean, inverse))| (x - mean) * inverse));
        }
    }

    /// The scores of labels for words `from..`, one row each.
    pub(crate) fn scores(
        &self,
        packed: &Packed,
        rows: &[f32],
        words: &Words,
        range: Range<usize>,
    ) -> Vec<f32> {
        let s = self.shape;
        let mut scores = vec![0.0; range.len() * s.labels];
        multiply(rows, s.width, range.len(), packed, &mut scores, s.labels, false);
        add_rows(&mut scores, &self.numbers[s.biases()]);
        let table = &self.numbers[s.clue_scores()];
        for (row, word) in scores.chunks_exact_mut(s.labels).zip(range) {
            for &clue in words.clues(word) {
                let at = usize::from(clue) * s.labels;
                axpy(1.0, &table[at..at + s.labels], row);
            }
        }
        scores
    }
}

/// The pieces of a note: for each word where its pieces begin.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    pub(crate) words: Words,
    pieces: Vec<u32>,
    starts: Vec<u32>,
}

/// One window, ready for the encoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Window {
    pub(crate) words: Range<usize>,
    pub(crate) pieces: Vec<u32>,
    /// The first piece of each word.
    pub(crate) firsts: Vec<usize>,
}

impl Cut {
    pub(crate) fn new(tokeniser: &Tokeniser, note: &Note, words: Words) -> Cut {
        let text = note.norm();
        let (mut pieces, mut starts) = (Vec::new(), Vec::with_capacity(words.len() + 1));
        let mut word = Vec::new();
        for &token in &words.tokens {
            let token = &note.tokens[token as usize];
            starts.push(pieces.len() as u32);
            word.clear();
            tokeniser.encode_word(token.of(text), token.glued, &mut word);
            // A word of very many pieces says enough with its first ones.
            word.truncate(LONGEST_WORD);
            pieces.extend_from_slice(&word);
        }
        starts.push(pieces.len() as u32);
        Cut { words, pieces, starts }
    }

    /// The words from `from` on that fit into so many pieces; one at least.
    pub(crate) fn fit(&self, from: usize, pieces: usize) -> usize {
        let limit = self.starts[from] as usize + pieces;
        let to = self.starts.partition_point(|&s| s as usize <= limit) - 1;
        to.max(from + 1).min(self.words.len())
    }

    /// The words before `to` that fit into so many pieces.
    fn fit_back(&self, to: usize, pieces: usize) -> usize {
        let limit = (self.starts[to] as usize).saturating_sub(pieces);
        self.starts.partition_point(|&s| (s as usize) < limit).min(to)
    }

    pub(crate) fn window(&self, words: Range<usize>, borders: [u32; 2]) -> Window {
        let from = self.starts[words.start] as usize;
        let mut pieces = vec![borders[0]];
        pieces.extend_from_slice(&self.pieces[from..self.starts[words.end] as usize]);
        pieces.push(borders[1]);
        let firsts = words.clone().map(|w| self.starts[w] as usize - from + 1).collect();
        Window { words, pieces, firsts }
    }

    /// Windows that cover the note, and for each the words that are taken from it.
    fn windows(&self, borders: [u32; 2], room: usize) -> Vec<(Window, Range<usize>)> {
        let side = (OVERLAP / 2).min(room / 6);
        let (mut out, mut from, mut taken) = (Vec::<(Window, Range<usize>)>::new(), 0, 0);
        while taken < self.words.len() {
            let to = self.fit(from, room);
            let end = match to == self.words.len() {
                true => to,
                false => self.fit_back(to, side).max(taken + 1),
            };
            out.push((self.window(from..to, borders), taken..end));
            taken = end;
            from = self.fit_back(end, side).max(from + 1).min(taken);
        }
        out
    }
}

/// Pieces of one word that are read at most.
const LONGEST_WORD: usize = 16;

/// An encoder with its head.
pub(crate) struct Tagger {
    pub(crate) languages: Vec<Language>,
    pub(crate) classes: Vec<Class>,
    pub(crate) encoder: Encoder,
    pub(crate) tokeniser: Tokeniser,
    pub(crate) head: Head,
    /// What scores are divided by, so that probabilities are as often right as they say.
    pub(crate) temperature: f32,
}

impl Tagger {
    pub(crate) fn labels(&self) -> Labels {
        Labels { classes: self.classes.len() }
    }

    pub(crate) fn room(&self) -> usize {
        WINDOW.min(self.encoder.shape().longest()) - 2
    }

    /// The scores of labels for all words of a note.
    pub(crate) fn scores(&self, cut: &Cut) -> Vec<f32> {
        let windows = cut.windows(self.tokeniser.borders(), self.room());
        let packed = self.head.packed();
        let labels = self.head.shape.labels;
        let mut out = Vec::with_capacity(cut.words.len() * labels);
        let mut tape = Tape::default();
        let (mut pieces, mut sequences, mut extra, mut rows) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut next = 0;
        while next < windows.len() {
            let first = next;
            pieces.clear();
            sequences.clear();
            extra.clear();
            while next < windows.len() && (next == first || pieces.len() + WINDOW <= BATCH) {
                let window = &windows[next].0;
                sequences.push(pieces.len()..pieces.len() + window.pieces.len());
                pieces.extend_from_slice(&window.pieces);
                clue_rows(&self.head, &cut.words, window, &mut extra);
                next += 1;
            }
            let batch = Batch { pieces: &pieces, sequences: &sequences, extra: &extra };
            self.encoder.run(batch, Dropout::NONE, false, &mut tape);
            for ((window, taken), sequence) in windows[first..next].iter().zip(&sequences) {
                let skip = taken.start - window.words.start;
                let firsts: Vec<usize> =
                    window.firsts[skip..skip + taken.len()].iter().map(|f| f + sequence.start).collect();
                self.head.gather(&tape.output, &firsts, &mut rows);
                out.append(&mut self.head.scores(&packed, &rows, &cut.words, taken.clone()));
            }
        }
        if self.temperature != 1.0 {
            out.iter_mut().for_each(|s| *s /= self.temperature);
        }
        out
    }

    /// The chain, its transitions cooled as the scores are.
    pub(crate) fn chain(&self) -> Chain {
        self.chain_by(1.0)
    }

    /// The same with its transitions weighed.
    pub(crate) fn chain_by(&self, weight: f32) -> Chain {
        let transitions = &self.head.numbers[self.head.shape.transitions()];
        let cooled: Vec<f32> = transitions.iter().map(|t| weight * t / self.temperature).collect();
        Chain::new(self.labels(), &cooled)
    }
}

/// One row for each piece of a window: the sum of the clues' vectors at the first piece of each word.
pub(crate) fn clue_rows(head: &Head, words: &Words, window: &Window, out: &mut Vec<f32>) {
    let width = head.shape.width;
    let from = out.len();
    out.resize(from + window.pieces.len() * width, 0.0);
    for (word, first) in window.words.clone().zip(&window.firsts) {
        let row = &mut out[from + first * width..][..width];
        for &clue in words.clues(word) {
            axpy(1.0, &head.numbers[usize::from(clue) * width..][..width], row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_overlap_and_every_word_is_taken_once() {
        let words = Words::default();
        let sizes: Vec<usize> = (0..500).map(|i| 1 + i * 7 % 5).collect();
        let mut starts = vec![0u32];
        sizes.iter().for_each(|s| starts.push(starts[starts.len() - 1] + *s as u32));
        let mut cut = Cut { words, pieces: vec![5; starts[500] as usize], starts };
        cut.words.tokens = (0..500).collect();
        for (room, context) in [(190, 27), (94, 10), (30, 1)] {
            check(&cut, room, context);
        }
    }

    fn check(cut: &Cut, room: usize, least: u32) {
        let windows = cut.windows([0, 2], room);
        let mut taken = 0;
        for (i, (window, range)) in windows.iter().enumerate() {
            assert!(window.pieces.len() <= room + 2);
            assert_eq!(range.start, taken);
            taken = range.end;
            assert!(window.words.start <= range.start && range.end <= window.words.end);
            let context = |a: usize, b: usize| cut.starts[b] - cut.starts[a];
            assert!(i == 0 || context(window.words.start, range.start) >= least, "{i}");
            assert!(range.end == 500 || context(range.end, window.words.end) >= least, "{i}");
        }
        assert_eq!(taken, 500);
    }
}
