//! The languages Taire reads, and telling them apart.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{WordRole, vocabulary};

/// A language Taire has lexicons, patterns and policies for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Fr,
    Es,
}

/// A name that is no language's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownLanguage {
    pub given: String,
}

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Language::ALL.iter().map(|l| l.key()).collect();
        write!(f, "unknown language `{}`; known: {}", self.given, known.join(", "))
    }
}

impl std::error::Error for UnknownLanguage {}

/// What letters of one language weigh, in function words.
const LETTERS: u32 = 2;

/// How many languages there are.
const COUNT: usize = Language::ALL.len();

/// The language of a function word, as an index into [`Language::ALL`].
static VOTES: LazyLock<FxHashMap<u64, usize>> = LazyLock::new(|| {
    let words = vocabulary::files().filter_map(|(language, file)| Some((language? as usize, &file.words)));
    let votes = words.flat_map(|(language, words)| {
        words.iter().filter(|w| w.roles.has(WordRole::FunctionWord)).map(move |w| (w.hash, language))
    });
    votes.collect()
});

impl Language {
    pub const ALL: &'static [Language] = &[Language::Fr, Language::Es];

    pub fn key(self) -> &'static str {
        match self {
            Language::Fr => "fr",
            Language::Es => "es",
        }
    }

    /// The text of its data file.
    pub(crate) fn data(self) -> &'static str {
        match self {
            Language::Fr => include_str!("../data/fr.tsv"),
            Language::Es => include_str!("../data/es.tsv"),
        }
    }

    /// The likeliest language of a text, by its function words and its letters. A tie is the first of [`Language::ALL`].
    ///
    /// `words` are hashes of the words of the text, as [`fold_hash`](crate::fold_hash) gives them.
    pub fn guess(text: &str, words: impl Iterator<Item = u64>) -> Language {
        let mut votes = [0u32; COUNT];
        for hash in words.take(2_000) {
            if let Some(&language) = VOTES.get(&hash) {
                votes[language] += 1;
            }
        }
        let best = votes.iter().max().copied().unwrap_or(0);
        // Letters of one language decide where words do not.
        if votes.iter().filter(|&&v| v + LETTERS >= best).count() > 1 {
            for (language, file) in vocabulary::files().filter_map(|(language, file)| Some((language?, file)))
            {
                votes[language as usize] += LETTERS * u32::from(text.contains(&file.letters[..]));
            }
        }
        let first = |a: &Language, b: &Language| votes[*a as usize].cmp(&votes[*b as usize]).then(b.cmp(a));
        Language::ALL.iter().copied().max_by(first).unwrap_or(Language::Fr)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;
    fn from_str(s: &str) -> Result<Self, UnknownLanguage> {
        let found = Language::ALL.iter().copied().find(|l| l.key() == s);
        found.ok_or_else(|| UnknownLanguage { given: s.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold_hash;

    #[test]
    fn a_letter_tells_its_language() {
        for (text, language) in [
            ("Compte rendu d'hospitalisation de Mme Rose MARTIN, née le 3 mai 1950", Language::Fr),
            ("Varón de 53 años que ingresa en el servicio de urgencias", Language::Es),
            ("NOMBRE: PEDRO APELLIDOS: DE MIGUEL", Language::Es),
            ("M DURAND Charles 04-55-71-40-26", Language::Fr),
            ("", Language::Fr),
        ] {
            let words = text.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()).map(fold_hash);
            assert_eq!(Language::guess(text, words), language);
        }
    }

    #[test]
    fn a_function_word_speaks_for_one_language() {
        let files = || vocabulary::files().map(|(_, file)| &file.words);
        let speaking = files().flatten().filter(|w| w.roles.has(WordRole::FunctionWord)).count();
        assert_eq!(VOTES.len(), speaking);
    }
}
