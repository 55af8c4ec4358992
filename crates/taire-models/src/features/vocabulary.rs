//! What a model knows of single words beyond its weights: their clusters, and which lower-case words may identify.
//!
//! Words are known by 48 bits of the hash of their folded form, so a model holds no text. A lower-case word that
//! is listed here and is not loud is ordinary: it was seen often enough, and hardly ever inside anything to be found.

use rustc_hash::FxHashMap;

use super::hash::finish;

/// One word of the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// `finish` of the folded word's hash.
    pub(crate) word: u64,
    /// 0 for none.
    pub(crate) cluster: u16,
    /// Often inside what is to be found, though in lower case.
    pub(crate) loud: bool,
}

/// A word as the vocabulary has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordEntry {
    pub(crate) listed: bool,
    pub(crate) cluster: u16,
    pub(crate) loud: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    table: FxHashMap<u64, (u16, bool)>,
}

impl Vocabulary {
    pub(crate) fn new(entries: &[Entry]) -> Vocabulary {
        Vocabulary { table: entries.iter().map(|e| (e.word, (e.cluster, e.loud))).collect() }
    }

    /// The entry of a word, by the hash of its folded form.
    #[inline]
    pub(crate) fn entry_of(&self, word: u64) -> WordEntry {
        match self.table.get(&finish(word)) {
            Some(&(cluster, loud)) => WordEntry { listed: true, cluster, loud },
            None => WordEntry::default(),
        }
    }
}
