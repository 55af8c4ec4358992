//! The languages Taire reads, and telling them apart.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::{Error, Kind, Token, fold_hash};

/// A language Taire has lexicons, patterns and policies for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Fr,
    Es,
}

/// Function words of one language that are not words of the other, folded.
const FRENCH: &[&str] = &[
    "le",
    "les",
    "des",
    "du",
    "et",
    "est",
    "une",
    "dans",
    "pour",
    "avec",
    "sur",
    "au",
    "aux",
    "ce",
    "cette",
    "par",
    "qui",
    "pas",
    "ne",
    "il",
    "elle",
    "nous",
    "vous",
    "mme",
    "monsieur",
    "madame",
    "docteur",
    "ans",
    "patiente",
    "je",
    "sous",
    "chez",
    "dr",
    "service",
    "examen",
    "naissance",
    "adresse",
    "rue",
];
const SPANISH: &[&str] = &[
    "el",
    "los",
    "las",
    "del",
    "y",
    "una",
    "con",
    "por",
    "para",
    "que",
    "en",
    "al",
    "se",
    "su",
    "como",
    "lo",
    "anos",
    "paciente",
    "sin",
    "fue",
    "dia",
    "dona",
    "don",
    "dra",
    "sr",
    "sra",
    "informe",
    "fecha",
    "nombre",
    "apellidos",
    "domicilio",
    "calle",
    "edad",
    "sexo",
    "hospital",
    "medico",
];

/// What letters of one language weigh, in function words.
const LETTERS: u32 = 2;

static VOTES: LazyLock<FxHashMap<u64, Language>> = LazyLock::new(|| {
    let of = |words: &'static [&str], language| words.iter().map(move |w| (fold_hash(w), language));
    of(FRENCH, Language::Fr).chain(of(SPANISH, Language::Es)).collect()
});

impl Language {
    pub const ALL: &'static [Language] = &[Language::Fr, Language::Es];

    pub fn key(self) -> &'static str {
        match self {
            Language::Fr => "fr",
            Language::Es => "es",
        }
    }

    /// The likelier language of a text, by its function words. A tie is French.
    pub fn guess(text: &str, tokens: &[Token]) -> Language {
        let (mut fr, mut es) = (0u32, 0u32);
        for token in tokens.iter().filter(|t| t.kind == Kind::Word).take(2_000) {
            match VOTES.get(&fold_hash(token.of(text))) {
                Some(Language::Fr) => fr += 1,
                Some(Language::Es) => es += 1,
                None => {}
            }
        }
        // Letters of one language decide where words do not.
        if es > fr + LETTERS || es + LETTERS <= fr {
            return if es > fr { Language::Es } else { Language::Fr };
        }
        let (has_ene, has_fr) =
            (text.contains(['ñ', '¿', '¡', 'º']), text.contains(['ç', 'è', 'ê', 'à', 'œ']));
        let (es, fr) = (es + LETTERS * u32::from(has_ene), fr + LETTERS * u32::from(has_fr));
        if es > fr { Language::Es } else { Language::Fr }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl FromStr for Language {
    type Err = Error;
    fn from_str(s: &str) -> Result<Self, Error> {
        Language::ALL
            .iter()
            .copied()
            .find(|l| l.key() == s)
            .ok_or_else(|| Error::unknown("language", s, Language::ALL.iter().map(|l| l.key())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenise;

    #[test]
    fn a_letter_tells_its_language() {
        for (text, language) in [
            ("Compte rendu d'hospitalisation de Mme Rose MARTIN, née le 3 mai 1950", Language::Fr),
            ("Varón de 53 años que ingresa en el servicio de urgencias", Language::Es),
            ("NOMBRE: PEDRO APELLIDOS: DE MIGUEL", Language::Es),
            ("M DURAND Charles 04-55-71-40-26", Language::Fr),
        ] {
            assert_eq!(Language::guess(text, &tokenise(text)), language);
        }
    }
}
