//! Sums of single words' weights, remembered from line to line.
//!
//! A word comes back again and again, and what it says of itself and of its neighbours is the same each time. Sums
//! that are zero, as most are for neighbours, take no room and are not added. A full memory forgets everything; it
//! never changes a result.

use super::model::{Crf, Scores};

/// From how many places a word is seen.
pub(crate) const VIEWS: usize = 9;

/// Places for words; half of them are filled at most.
const PLACES: usize = 1 << 15;

/// Sums that are kept.
const KEPT: usize = 1 << 14;

/// What is known of a word seen from one place.
const UNKNOWN: u16 = 0;
const ZERO: u16 = 1;

#[derive(Debug, Clone, Copy, Default)]
struct Word {
    /// 0 where there is none.
    word: u64,
    /// By view: not known, zero, or where its sums are.
    views: [u16; VIEWS],
}

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The model the sums belong to.
    owner: u64,
    words: Vec<Word>,
    filled: usize,
    sums: Vec<i16>,
}

impl Memory {
    /// Forgets what belongs to another model.
    pub(super) fn serve(&mut self, model: &Crf) {
        if self.owner != model.number {
            self.owner = model.number;
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.words.clear();
        self.words.resize(PLACES, Word::default());
        self.filled = 0;
        self.sums.clear();
    }

    /// Where a word is, or will be. What was found earlier stays where it was until the next call.
    #[inline]
    pub(super) fn place(&mut self, word: u64) -> usize {
        let word = word.max(1);
        let mut at = (word >> 40) as usize % PLACES;
        loop {
            match self.words[at].word {
                there if there == word => return at,
                0 => break,
                _ => at = (at + 1) % PLACES,
            }
        }
        if self.filled >= PLACES / 2 {
            self.forget();
            at = (word >> 40) as usize % PLACES;
        }
        self.filled += 1;
        self.words[at].word = word;
        at
    }

    /// The sums of a word seen from somewhere, none if they are zero; `fill` makes them if they are not known.
    #[inline]
    pub(super) fn sums(
        &mut self,
        word: u64,
        view: usize,
        width: usize,
        fill: impl FnOnce(&mut Scores),
    ) -> Option<&[i16]> {
        let mut place = self.place(word);
        let mut row = self.words[place].views[view];
        if row == UNKNOWN {
            let mut scores = [0; 256];
            fill(&mut scores);
            let new = &scores[..width];
            if new.iter().all(|&s| s == 0) {
                row = ZERO;
            } else {
                if self.sums.len() >= KEPT * width {
                    self.forget();
                    place = self.place(word);
                }
                row = ZERO + 1 + (self.sums.len() / width) as u16;
                self.sums.extend_from_slice(new);
            }
            self.words[place].views[view] = row;
        }
        let at = usize::from(row).checked_sub(usize::from(ZERO) + 1)?;
        Some(&self.sums[at * width..][..width])
    }
}
