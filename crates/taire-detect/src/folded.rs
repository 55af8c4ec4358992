//! Words as detectors compare them: a hash of the folded form, and small sets of such words.
//!
//! Hashing a token allocates nothing, so that tables of keys, names and stop words can be looked up for every
//! token of a note.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use taire_lang::{Vocabulary, WordRole};
use taire_text::{Kind, Note, Role, Token};

pub(crate) use taire_text::fold_hash as word_hash;

/// The hash of a token, as the annotator left it.
#[inline]
pub(crate) fn token_hash(token: &Token, norm: &str) -> u64 {
    if token.hash != 0 { token.hash } else { word_hash(token.of(norm)) }
}

/// A set of folded words.
pub(crate) struct WordSet(FxHashSet<u64>);

impl WordSet {
    pub(crate) fn new(words: &[&str]) -> Self {
        WordSet(words.iter().flat_map(|w| w.split_whitespace()).map(word_hash).collect())
    }

    /// The words of all languages that have a role.
    pub(crate) fn with_role(role: WordRole) -> Self {
        WordSet(Vocabulary::any().words_with(role).map(word_hash).collect())
    }

    /// The words of all languages that are part of a number in letters.
    pub(crate) fn of_numbers() -> Self {
        let words = Vocabulary::any().words().filter(|(_, word)| word.number.is_some());
        WordSet(words.map(|(form, _)| word_hash(form)).collect())
    }

    pub(crate) fn has(&self, hash: u64) -> bool {
        self.0.contains(&hash)
    }

    pub(crate) fn hashes(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }
}

/// A first look that most words fail: one bit per hash, 64 K bits.
pub(crate) struct Filter(Box<[u64; 1024]>);

impl Filter {
    pub(crate) fn new(hashes: impl Iterator<Item = u64>) -> Self {
        let mut filter = Filter(Box::new([0; 1024]));
        hashes.for_each(|hash| filter.add(hash));
        filter
    }

    pub(crate) fn add(&mut self, hash: u64) {
        self.0[(hash & 1023) as usize] |= 1 << (hash >> 10 & 63);
    }

    #[inline]
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        self.0[(hash & 1023) as usize] & (1 << (hash >> 10 & 63)) != 0
    }
}

/// Words inside a name that are not a part by themselves.
pub(crate) static PARTICLES: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::KeptParticle));

/// A title before a name.
#[derive(Clone, Copy)]
pub(crate) struct Title {
    /// Whose name follows.
    pub(crate) role: Role,
    /// May also be a single capital or an ordinary word: what follows must look like a name on its own.
    pub(crate) loose: bool,
}

static TITLES: LazyLock<FxHashMap<u64, Title>> = LazyLock::new(|| {
    let vocabulary = Vocabulary::any();
    let titles = vocabulary.words().filter_map(|(form, word)| {
        let strict = word.roles.has(WordRole::TitleAnywhere);
        let caregiver = word.roles.has(WordRole::CaregiverTitle);
        let role = if caregiver { Role::Caregiver } else { Role::Unknown };
        (strict || word.roles.has(WordRole::TitleLoose))
            .then(|| (word_hash(form), Title { role, loose: !strict }))
    });
    titles.collect()
});

pub(crate) fn title_hashes() -> impl Iterator<Item = u64> {
    TITLES.keys().copied()
}

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
        .then(|| title(token_hash(before, note.norm())))
        .flatten()
}
