//! An encoder with a head for labels on it: from the words of a note to the scores of their labels.
//!
//! What is longer than the encoder reads at once is read in windows that overlap, so that no word is taken from near the
//! border of its window.

use std::ops::Range;

use taire_encoder::math::{Packed, Side, add_rows, axpy, multiply};
use taire_encoder::{Batch, Encoder, Tape, Tokeniser};
use taire_text::{Language, Note};

use super::chain::{Chain, Labels};
use super::clues::{CLUES, Words};
use crate::classes::Class;

/// Pieces a window holds at most, borders included.
pub(crate) const WINDOW: usize = 192;
/// Pieces that are read on either side of what is taken from a window.
const CONTEXT: usize = 32;
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

    /// Standardised rows of the encoder's output.
    pub(crate) fn gather(&self, output: &[f32], rows: impl IntoIterator<Item = usize>, out: &mut Vec<f32>) {
        let width = self.shape.width;
        out.clear();
        for first in rows {
            let row = &output[first * width..(first + 1) * width];
            let even = row.iter().zip(self.mean.iter().zip(&self.inverse));
            out.extend(even.map(|(x, (mean, inverse))| (x - mean) * inverse));
        }
    }

    /// The scores of labels for some words, one row each; `rows` has their vectors.
    pub(crate) fn scores(
        &self,
        packed: &Packed,
        rows: &[f32],
        words: &Words,
        which: impl Iterator<Item = usize>,
    ) -> Vec<f32> {
        let s = self.shape;
        let count = rows.len() / s.width;
        let mut scores = vec![0.0; count * s.labels];
        multiply(rows, s.width, count, packed, &mut scores, s.labels, false);
        add_rows(&mut scores, &self.numbers[s.biases()]);
        let table = &self.numbers[s.clue_scores()];
        for (row, word) in scores.chunks_exact_mut(s.labels).zip(which) {
            for &clue in words.clues(word) {
                let at = usize::from(clue) * s.labels;
                axpy(1.0, &table[at..at + s.labels], row);
            }
        }
        scores
    }
}

/// The pieces of a note: for each word where its pieces begin. Words that are not read have none.
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
    /// Cuts the words of some ranges, which are in order, and as many around them as may be read with them.
    pub(crate) fn new(tokeniser: &Tokeniser, note: &Note, words: Words, ranges: &[Range<usize>]) -> Cut {
        let text = note.norm();
        let (mut pieces, mut starts) = (Vec::new(), Vec::with_capacity(words.len() + 1));
        let mut word = Vec::new();
        // No word is without a piece, so these hold the context of a range, and one piece more.
        let mut near =
            ranges.iter().map(|r| r.start.saturating_sub(CONTEXT + 1)..r.end + CONTEXT + 1).peekable();
        for (i, &token) in words.tokens.iter().enumerate() {
            let token = &note.tokens[token as usize];
            starts.push(pieces.len() as u32);
            while near.next_if(|range| range.end <= i).is_some() {}
            if near.peek().is_none_or(|range| i < range.start) {
                continue;
            }
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

    /// Windows for some ranges of words, which are in order, and for each the words that are taken from it.
    fn windows(
        &self,
        ranges: &[Range<usize>],
        borders: [u32; 2],
        room: usize,
    ) -> Vec<(Window, Range<usize>)> {
        let side = CONTEXT.min(room / 6);
        let mut out = Vec::new();
        for range in ranges {
            let last = match range.end < self.words.len() {
                true => self.fit(range.end, side),
                false => range.end,
            };
            let (mut from, mut taken) = (self.fit_back(range.start, side), range.start);
            while taken < range.end {
                let to = self.fit(from, room).min(last);
                let end = match to == last {
                    true => range.end,
                    false => self.fit_back(to, side).clamp(taken + 1, range.end),
                };
                out.push((self.window(from..to.max(end), borders), taken..end));
                taken = end;
                from = self.fit_back(end, side).max(from + 1).min(taken);
            }
        }
        out
    }
}

/// Pieces of one word that are read at most.
const LONGEST_WORD: usize = 16;

/// Memory of [`Tagger::scores`], to be used again.
#[derive(Default)]
pub(crate) struct Buffers {
    tape: Tape,
    pieces: Vec<u32>,
    sequences: Vec<Range<usize>>,
    extra: Vec<f32>,
    wanted: Vec<usize>,
    rows: Vec<f32>,
}

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

    /// Windows for some ranges of words, which are in order, and for each the words that are taken from it.
    pub(crate) fn windows(&self, cut: &Cut, ranges: &[Range<usize>]) -> Vec<(Window, Range<usize>)> {
        cut.windows(ranges, self.tokeniser.borders(), self.room())
    }

    /// The scores of labels for the words that are taken from windows, one row a word; fewer once `is_cancelled`.
    pub(crate) fn scores(
        &self,
        cut: &Cut,
        windows: &[(Window, Range<usize>)],
        buffers: &mut Buffers,
        is_cancelled: impl Fn() -> bool,
    ) -> Vec<f32> {
        let packed = self.head.packed();
        let count: usize = windows.iter().map(|(_, taken)| taken.len()).sum();
        let mut out = Vec::with_capacity(count * self.head.shape.labels);
        let Buffers { tape, pieces, sequences, extra, wanted, rows } = buffers;
        let mut next = 0;
        while next < windows.len() && !is_cancelled() {
            let first = next;
            pieces.clear();
            sequences.clear();
            extra.clear();
            wanted.clear();
            while let Some((window, taken)) = windows.get(next)
                && (next == first || pieces.len() + window.pieces.len() <= BATCH)
            {
                let skip = taken.start - window.words.start;
                wanted.extend(window.firsts[skip..skip + taken.len()].iter().map(|f| f + pieces.len()));
                sequences.push(pieces.len()..pieces.len() + window.pieces.len());
                pieces.extend_from_slice(&window.pieces);
                clue_rows(&self.head, &cut.words, window, extra);
                next += 1;
            }
            let batch = Batch { pieces, sequences, extra };
            self.encoder.run_for(batch, wanted, tape);
            self.head.gather(&tape.output, 0..wanted.len(), rows);
            let words = windows[first..next].iter().flat_map(|(_, taken)| taken.clone());
            out.append(&mut self.head.scores(&packed, rows, &cut.words, words));
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
            check(&cut, std::slice::from_ref(&(0..500)), room, context);
            check(&cut, &[0..1, 40..200, 201..202, 480..500], room, context);
            check(&cut, std::slice::from_ref(&(7..300)), room, context);
        }
        assert!(cut.windows(&[], [0, 2], 190).is_empty());
    }

    fn check(cut: &Cut, ranges: &[Range<usize>], room: usize, least: u32) {
        let mut taken = Vec::new();
        for (i, (window, range)) in cut.windows(ranges, [0, 2], room).iter().enumerate() {
            assert!(window.pieces.len() <= room + 2);
            taken.extend(range.clone());
            assert!(window.words.start <= range.start && range.end <= window.words.end);
            let context = |a: usize, b: usize| cut.starts[b] - cut.starts[a];
            assert!(window.words.start == 0 || context(window.words.start, range.start) >= least, "{i}");
            assert!(window.words.end == 500 || context(range.end, window.words.end) >= least, "{i}");
        }
        assert_eq!(taken, ranges.iter().cloned().flatten().collect::<Vec<_>>());
    }
}
