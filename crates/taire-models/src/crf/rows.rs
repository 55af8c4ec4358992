//! From features to the rows of their weights, many at a time.
//!
//! A model is larger than the nearest caches, so every look-up waits for memory. Looked up one after the other, they
//! wait one after the other; here each step goes over the features of a whole line without a branch that depends on
//! what was read, so that the waits overlap.

use super::model::{Crf, FILTER_SHIFT, FULL, ONE, Slot, add, place};

/// The rows of a sequence of tokens.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Features that pass the filter.
    hashes: Vec<u64>,
    /// Where the features of each token end; after [`Rows::find`], its rows.
    ends: Vec<u32>,
    slots: Vec<Slot>,
    rows: Vec<Row>,
}

/// A row with its first entries.
#[derive(Clone, Copy, Debug)]
struct Row {
    at: u32,
    first: [u32; 4],
}

impl Rows {
    pub(super) fn clear(&mut self) {
        self.hashes.clear();
        self.ends.clear();
    }

    /// Takes in the features of one more token, without those that surely have no weight.
    pub(super) fn keep(&mut self, model: &Crf, features: &[u64]) {
        let from = self.hashes.len();
        self.hashes.resize(from + features.len(), 0);
        let room = &mut self.hashes[from..];
        // Which features pass the filter cannot be predicted, so no branch depends on it.
        let mut count = 0;
        for &hash in features {
            let bit = (hash >> FILTER_SHIFT) as usize & model.filter_mask;
            room[count] = hash;
            count += (model.filter[bit / 64] >> (bit % 64) & 1) as usize;
        }
        self.hashes.truncate(from + count);
        self.ends.push(self.hashes.len() as u32);
    }

    /// Looks up all that was taken in.
    pub(super) fn find(&mut self, model: &Crf) {
        let Rows { hashes, ends, slots, rows } = self;
        slots.clear();
        slots.extend(hashes.iter().map(|&hash| model.slots[hash as usize & model.mask]));
        rows.clear();
        let mut from = 0;
        for end in ends {
            for k in from..*end as usize {
                let (fingerprint, mut at) = place(hashes[k], model.mask);
                let mut slot = slots[k];
                while slot.fingerprint != fingerprint && slot.fingerprint != 0 {
                    at = (at + 1) & model.mask;
                    slot = model.slots[at];
                }
                if slot.fingerprint != 0 {
                    rows.push(Row { at: slot.row, first: [0; 4] });
                }
            }
            from = *end as usize;
            *end = rows.len() as u32;
        }
        for row in rows {
            if row.at & (FULL | ONE) == 0 {
                row.first = model.rows[row.at as usize];
            }
        }
    }
}

impl Crf {
    /// Adds a token's rows to the scores of all labels.
    pub(super) fn add_rows(&self, rows: &Rows, token: usize, scores: &mut [i16]) {
        let from = token.checked_sub(1).map_or(0, |t| rows.ends[t] as usize);
        for row in &rows.rows[from..rows.ends[token] as usize] {
            if row.at & ONE != 0 {
                let score = &mut scores[(row.at >> 16 & 0xff) as usize];
                *score = score.saturating_add(row.at as i16);
                continue;
            }
            if row.at & FULL != 0 {
                add(scores, &self.full_rows[(row.at & !FULL) as usize..][..self.width]);
                continue;
            }
            let mut step = row.first;
            let mut at = row.at as usize;
            loop {
                for entry in step {
                    let score = &mut scores[usize::from((entry >> 1) as u8)];
                    *score = score.saturating_add((entry as i32 >> 16) as i16);
                }
                if step[3] & 1 == 1 {
                    break;
                }
                at += 1;
                step = self.rows[at];
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn add(&self, hash: u64, scores: &mut super::model::Scores) {
        let mut rows = Rows::default();
        rows.keep(self, &[hash]);
        rows.find(self);
        self.add_rows(&rows, 0, scores);
    }
}
