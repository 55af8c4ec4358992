//! Sums of single words' weights, remembered from line to line.
//!
//! A word comes back again and again, and what it says of itself and of its neighbours is the same each time. The
//! memory is a plain table that forgets by overwriting; it never changes a result.

use super::model::Crf;

/// From how many places a word is seen.
pub(crate) const VIEWS: usize = 9;

/// Words that are remembered.
const REMEMBERED: usize = 2048;

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The model the sums belong to.
    owner: u64,
    words: Vec<u64>,
    /// Which views of the word were summed already, one bit each.
    done: Vec<u16>,
    sums: Vec<i16>,
}

impl Memory {
    /// Forgets what belongs to another model.
    pub(super) fn serve(&mut self, model: &Crf) {
        if self.owner == model.number {
            return;
        }
        self.owner = model.number;
        self.words.clear();
        self.words.resize(REMEMBERED, 0);
        self.done.clear();
        self.done.resize(REMEMBERED, 0);
        self.sums.clear();
        self.sums.resize(REMEMBERED * VIEWS * model.width, 0);
    }

    /// The sums of a word seen from somewhere; `fill` makes them if they are not known.
    #[inline]
    pub(super) fn sums(
        &mut self,
        word: u64,
        view: usize,
        width: usize,
        fill: impl FnOnce(&mut [i16]),
    ) -> &[i16] {
        let slot = (word >> 40) as usize % REMEMBERED;
        if self.words[slot] != word {
            self.words[slot] = word;
            self.done[slot] = 0;
        }
        let sums = &mut self.sums[(slot * VIEWS + view) * width..][..width];
        if self.done[slot] & 1 << view == 0 {
            self.done[slot] |= 1 << view;
            sums.fill(0);
            fill(sums);
        }
        sums
    }
}
