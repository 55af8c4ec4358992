//! Surrogates of name words and of initials (after Bigeard §3.3.1).
//!
//! A word is replaced in two steps: its first letter by a permutation drawn from the key, then the word by one of
//! the pool's names that begin with the new letter. So `Dupont` → `Martin` and `D.` → `M.` agree without any
//! table. There is a permutation per kind (family, female, male). Letters that begin few names would betray
//! themselves, so they all go to one letter, and no name is ever drawn from them. A letter may map to itself: a
//! permutation without fixed points, drawn for each patient, would show the letter of a name that is in every record as
//! the one that never appears. A whole name never becomes itself.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

use taire_text::{Gender, Language, fold};

use crate::key::{Draw, Purpose, Scope, Streams};
use crate::pools::{LetterPool, Pools};

/// The kinds of name words that have letters of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum NameKind {
    Family,
    Given(Gender),
}

impl NameKind {
    fn index(self) -> usize {
        match self {
            NameKind::Family => 0,
            NameKind::Given(Gender::Female) => 1,
            NameKind::Given(Gender::Male) => 2,
        }
    }

    fn purposes(self) -> (Purpose, Purpose) {
        match self {
            NameKind::Family => (Purpose::FamilyLetters, Purpose::FamilyName),
            NameKind::Given(Gender::Female) => (Purpose::FemaleLetters, Purpose::FemaleName),
            NameKind::Given(Gender::Male) => (Purpose::MaleLetters, Purpose::MaleName),
        }
    }
}

/// The sex supposed of a given name of which nothing is known: by its first letter, so that the whole name and
/// its initial agree (Bigeard).
pub(crate) fn gender_by_letter(letter: char) -> Gender {
    if letter.to_ascii_lowercase() <= 'm' { Gender::Female } else { Gender::Male }
}

/// The names of one scope.
pub(crate) struct Names<'a> {
    streams: &'a Streams,
    scope: Scope<'a>,
    pools: &'static Pools,
    /// By kind, drawn when a name of the kind is first met.
    letters: [OnceCell<[u8; 26]>; 3],
    /// Folded names of the known identity, the note and the record, which no surrogate may equal.
    avoid: Arc<HashSet<String>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(
        streams: &'a Streams,
        scope: Scope<'a>,
        language: Language,
        avoid: Arc<HashSet<String>>,
    ) -> Names<'a> {
        let pools = Pools::of(language);
        Names { streams, scope, pools, letters: Default::default(), avoid }
    }

    /// Whether a folded word is a name of the known identity, the note or the record.
    pub(crate) fn is_written(&self, folded: &str) -> bool {
        self.avoid.contains(folded)
    }

    /// The letter an initial becomes, in lower case; `None` when the pool is empty.
    pub(crate) fn initial(&self, letter: char, kind: NameKind) -> Option<char> {
        let (folded, _) = taire_text::fold_char(letter);
        let map = self.letters[kind.index()].get_or_init(|| {
            letter_map(&mut self.streams.draw(kind.purposes().0, self.scope, ""), self.pools.of_kind(kind))
        });
        // Letters outside a to z are as rare as any.
        let slot = if folded[0].is_ascii_lowercase() { folded[0] as u8 - b'a' } else { b'x' - b'a' };
        match map[usize::from(slot)] {
            0 => None,
            to => Some(char::from(to)),
        }
    }

    /// The name a folded word becomes, as the pool writes it.
    pub(crate) fn word(&self, folded: &str, kind: NameKind) -> Option<&'static str> {
        let to = self.initial(folded.chars().next()?, kind)?;
        let pool = self.pools.of_kind(kind).starting(to);
        let mut draw = self.streams.draw(kind.purposes().1, self.scope, folded);
        for _ in 0..64 {
            let name = *draw.pick(pool)?;
            let drawn = fold(name);
            if drawn != folded && !self.avoid.contains(&drawn) {
                return Some(name);
            }
        }
        None
    }
}

/// Any permutation of the common letters, all as likely; rare letters all go where one common letter goes.
fn letter_map(draw: &mut Draw, pool: &LetterPool) -> [u8; 26] {
    let common = pool.common();
    let mut map = [0u8; 26];
    let Some(&shared) = draw.pick(common) else { return map };
    map.fill(shared);
    for (from, to) in common.iter().zip(draw.shuffled(common)) {
        map[usize::from(from - b'a')] = to;
    }
    map
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::key::test_streams;

    const KINDS: [NameKind; 3] =
        [NameKind::Family, NameKind::Given(Gender::Female), NameKind::Given(Gender::Male)];

    #[test]
    fn words_and_initials_agree_and_no_word_stays() {
        for seed in 0..30 {
            let streams = test_streams(seed);
            for language in [Language::Fr, Language::Es] {
                let names = Names::new(&streams, Scope::Patient("p"), language, Arc::default());
                for kind in KINDS {
                    for word in ["dupont", "jean", "xavier", "zoe", "marie", "kevin", "wanda", "ysabel"] {
                        let name = fold(names.word(word, kind).unwrap());
                        let letter = names.initial(word.chars().next().unwrap(), kind).unwrap();
                        assert!(name.starts_with(letter), "{word} {kind:?} {name} {letter}");
                        assert_ne!(name, word);
                    }
                }
            }
        }
    }

    #[test]
    fn rare_letters_share_one_letter() {
        let streams = test_streams(9);
        let names = Names::new(&streams, Scope::Corpus, Language::Fr, Arc::default());
        let to = |c| names.initial(c, NameKind::Family);
        assert_eq!(to('x'), to('Ж'));
        let common: BTreeSet<_> = "bcdlmpr".chars().map(to).collect();
        assert_eq!(common.len(), 7);
    }

    #[test]
    fn known_names_do_not_come_out() {
        let streams = test_streams(9);
        let free = Names::new(&streams, Scope::Corpus, Language::Fr, Arc::default());
        let first = fold(free.word("dupont", NameKind::Family).unwrap());
        let names =
            Names::new(&streams, Scope::Corpus, Language::Fr, Arc::new(HashSet::from([first.clone()])));
        let second = fold(names.word("dupont", NameKind::Family).unwrap());
        assert_ne!(second, first);
        assert_eq!(second.chars().next(), first.chars().next());
    }
}
