//! Words as detectors compare them: a hash of the folded form, and small sets of such words.
//!
//! Hashing a token allocates nothing, so that tables of keys, names and stop words can be looked up for every
//! token of a note.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use taire_text::{Kind, Note, Role, fold_char};

/// The folded form of a word, as a hash. `°` and `º` compare alike.
pub(crate) fn word_hash(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut byte = |b: u8| hash = (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
    for &b in text.as_bytes() {
        if !b.is_ascii() {
            return slow_hash(text);
        }
        byte(b.to_ascii_lowercase());
    }
    finish(hash)
}

fn slow_hash(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for c in text.chars() {
        let (folded, n) = fold_char(if c == '°' { 'º' } else { c });
        for c in &folded[..n] {
            let mut buffer = [0; 4];
            for &b in c.encode_utf8(&mut buffer).as_bytes() {
                hash = (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    finish(hash)
}

/// Spreads the high bits down, because tables and filters index by the low ones.
fn finish(hash: u64) -> u64 {
    hash ^ (hash >> 29)
}

/// A set of folded words.
pub(crate) struct WordSet(FxHashSet<u64>);

impl WordSet {
    pub(crate) fn new(words: &[&str]) -> Self {
        WordSet(words.iter().flat_map(|w| w.split_whitespace()).map(word_hash).collect())
    }

    pub(crate) fn has(&self, hash: u64) -> bool {
        self.0.contains(&hash)
    }
}

/// Words inside a name that are not a part by themselves.
pub(crate) static PARTICLES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&["de du des le la les d l van von der den del los las y e da do dos di ter ten i"])
});

/// A title before a name.
#[derive(Clone, Copy)]
pub(crate) struct Title {
    /// Whose name follows.
    pub(crate) role: Role,
    /// May also be a single capital or an ordinary word: what follows must look like a name on its own.
    pub(crate) loose: bool,
}

static TITLES: LazyLock<FxHashMap<u64, Title>> = LazyLock::new(|| {
    use Role::{Caregiver, Unknown};
    let table: &[(&str, Role, bool)] = &[
        ("dr docteur pr prof professeur drs prs docteurs", Caregiver, false),
        ("dra doctora profesora doctoras dras doctor profesor", Caregiver, false),
        ("mme mmes mlle mlles madame mademoiselle mesdames mr monsieur messieurs", Unknown, false),
        ("sra sras srta dna sr sres don senor senora senorita dona", Unknown, false),
        ("m mm d me maitre", Unknown, true),
    ];
    table
        .iter()
        .flat_map(|&(words, role, loose)| {
            words.split(' ').map(move |w| (word_hash(w), Title { role, loose }))
        })
        .collect()
});

pub(crate) fn title(hash: u64) -> Option<Title> {
    TITLES.get(&hash).copied()
}

/// The title that ends right before a token, with or without its full stop.
pub(crate) fn title_before(note: &Note, token: usize) -> Option<Title> {
    let mut i = token.checked_sub(1)?;
    if note.tokens[i].kind == Kind::Mark && note.tokens[i].of(note.norm()) == "." {
        i = i.checked_sub(1)?;
    }
    let before = &note.tokens[i];
    (before.kind == Kind::Word && before.is_capitalised())
        .then(|| title(word_hash(before.of(note.norm()))))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_do_not_change_the_hash() {
        assert_eq!(word_hash("Éloïse"), word_hash("ELOISE"));
        assert_eq!(word_hash("°"), word_hash("º"));
        assert_ne!(word_hash("elo"), word_hash("eloi"));
    }
}
