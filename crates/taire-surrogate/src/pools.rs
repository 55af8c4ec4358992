//! The names surrogates are drawn from, by first letter.

use std::sync::OnceLock;

use taire_lexicon::Lexicon;
use taire_text::{Facts, Gender, Language, fold_char};

use crate::names::NameKind;

/// Names of one kind, by first letter.
pub(crate) struct LetterPool {
    by_letter: [Vec<&'static str>; 26],
    common: Vec<u8>,
}

/// Only the most frequent names are drawn, so that an unusual name never becomes another unusual one.
const FAMILY_NAMES: usize = 2000;
const GIVEN_NAMES: usize = 400;

/// A letter is common when it begins at least this share of the names, in thousandths.
const COMMON_SHARE: usize = 20;

impl LetterPool {
    fn new(names: &[&'static str], most: usize) -> LetterPool {
        let mut by_letter: [Vec<&'static str>; 26] = Default::default();
        for name in names.iter().take(most.min(names.len() / 2)) {
            let first = name.chars().next().map_or('\0', |c| fold_char(c).0[0]);
            if first.is_ascii_lowercase() && name.chars().all(char::is_alphabetic) {
                by_letter[usize::from(first as u8 - b'a')].push(name);
            }
        }
        let total: usize = by_letter.iter().map(Vec::len).sum();
        let floor = (total * COMMON_SHARE / 1000).max(2);
        let common = (b'a'..=b'z').filter(|l| by_letter[usize::from(l - b'a')].len() >= floor).collect();
        LetterPool { by_letter, common }
    }

    pub(crate) fn common(&self) -> &[u8] {
        &self.common
    }

    /// Names that begin with a letter from a to z.
    pub(crate) fn starting(&self, letter: char) -> &[&'static str] {
        if letter.is_ascii_lowercase() { &self.by_letter[usize::from(letter as u8 - b'a')] } else { &[] }
    }
}

/// The names of one language.
pub(crate) struct Pools {
    family: LetterPool,
    female: LetterPool,
    male: LetterPool,
}

impl Pools {
    pub(crate) fn of(language: Language) -> &'static Pools {
        static FRENCH: OnceLock<Pools> = OnceLock::new();
        static SPANISH: OnceLock<Pools> = OnceLock::new();
        let cell = match language {
            Language::Fr => &FRENCH,
            Language::Es => &SPANISH,
        };
        cell.get_or_init(|| {
            let pools = Lexicon::of(language).pools();
            Pools {
                family: LetterPool::new(pools.family(), FAMILY_NAMES),
                female: LetterPool::new(pools.given(Gender::Female), GIVEN_NAMES),
                male: LetterPool::new(pools.given(Gender::Male), GIVEN_NAMES),
            }
        })
    }

    pub(crate) fn of_kind(&self, kind: NameKind) -> &LetterPool {
        match kind {
            NameKind::Family => &self.family,
            NameKind::Given(Gender::Female) => &self.female,
            NameKind::Given(Gender::Male) => &self.male,
        }
    }
}

/// What the lexicons know of a folded word.
pub(crate) fn facts(language: Language, folded: &str) -> Facts {
    Lexicon::of(language).facts(folded)
}
