//! Words that tell what their neighbours are: titles, kinship, facility heads, eponym heads.
//!
//! The words are those of `taire-lang`. The annotator writes the class of each into the token's facts, so that detectors
//! test a byte instead of comparing strings.

use std::sync::LazyLock;

use taire_lang::{Vocabulary, WordRole};
use taire_text::{Facts, Gender, Language, Note, Shape, Token, fold_hash};

use crate::folded::{WordSet, word_hash};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What a word says of the words beside it: the roles of `taire-lang` that are written into a token.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum WordClass { $($(#[$doc])* $name),+ }

        impl WordClass {
            const ALL: &'static [WordClass] = &[$(WordClass::$name),+];
        }
    };
}

classes! {
    /// Madame, Sra.: a woman's name follows.
    TitleFemale,
    /// Monsieur, Sr.: a man's name follows.
    TitleMale,
    /// Docteur, Professeur, Dr: a caregiver's name follows.
    TitleCaregiver,
    /// Doctora, infirmière: a woman who cares.
    TitleCaregiverFemale,
    /// interne, chirurgien, patient: a name may follow.
    RoleWord,
    /// patient, enfant: the patient's name may follow.
    PatientWord,
    /// père, épouse, hijo.
    Kinship,
    /// femme, homme, varón, mujer.
    SexWord,
    /// de, le, van, del: inside names.
    Particle,
    /// hôpital, clinique, CHU.
    HospitalHead,
    /// cabinet, EHPAD, ambulatorio.
    HealthCentreHead,
    /// centre, maison, centro: a facility if the next word says which.
    CentreHead,
    /// université, société, colegio.
    InstitutionHead,
    /// maladie, syndrome, score: an eponym follows.
    EponymHead,
    /// habite, domicilié, natural: a town follows.
    PlaceVerb,
    /// à, en, vers: a place may follow.
    PlacePreposition,
    /// né, née, nacido: a birth date or place follows.
    Born,
    /// raza, nacionalidad, profesión: a detail of the person follows.
    DetailHead,
    /// soltera, homosexual: a detail by itself.
    DetailWord,
}

impl WordClass {
    /// The class written into a token's facts.
    pub fn of(token: &Token) -> Option<WordClass> {
        Self::from_facts(token.facts)
    }

    pub(crate) fn from_facts(facts: Facts) -> Option<WordClass> {
        (facts.keyword() as usize).checked_sub(1).and_then(|i| Self::ALL.get(i).copied())
    }

    pub fn is_title(self) -> bool {
        use WordClass::*;
        matches!(self, TitleFemale | TitleMale | TitleCaregiver | TitleCaregiverFemale)
    }

    pub fn is_facility(self) -> bool {
        use WordClass::*;
        matches!(self, HospitalHead | HealthCentreHead | CentreHead | InstitutionHead)
    }

    /// The sex a title tells.
    pub fn gender(self) -> Option<Gender> {
        match self {
            WordClass::TitleFemale | WordClass::TitleCaregiverFemale => Some(Gender::Female),
            WordClass::TitleMale => Some(Gender::Male),
            _ => None,
        }
    }
}

/// The keyword class of a folded word, 0 for none: what the annotator writes into `Facts`.
pub fn keyword(language: Language, folded: &str) -> u8 {
    Vocabulary::of(language).class(fold_hash(folded))
}

/// Whether a word after "Monsieur le" is an office and no name: Président, Directrice, Maire.
pub(crate) fn is_office(word: &str) -> bool {
    Vocabulary::any().has(word, WordRole::Office)
}

/// A capitalised word that medicine uses and no letter means as a person, unless a title or a key says so: its last
/// token and the reason.
pub(crate) fn medical_name(note: &Note, at: usize) -> Option<(usize, &'static str)> {
    static NAMES: LazyLock<WordSet> = LazyLock::new(|| {
        WordSet::new(&[
            // Acronyms of tests, scales and bodies.
            "elisa anca oms ecog asa nyha iga pcr smur samu gauge hla",
            // Markers, parasites, instruments, histology.
            "melan loa antoni mayfield arabin redon foley veress desjardins",
        ])
    });
    let (tokens, text) = (&note.tokens, note.norm());
    let token = tokens.get(at)?;
    if tokens.get(at + 1).is_some_and(|t| matches!(t.of(text), "®" | "™" | "©")) {
        return Some((at, "a brand, by its sign"));
    }
    // "Histidine Rich Protein", "Hamilton Rating Scale": English puts the head last.
    static HEADS: LazyLock<WordSet> =
        LazyLock::new(|| WordSet::new(&["protein scale inventory disease disorder survey trial study"]));
    let titles = tokens[at..].iter().take(4).take_while(|t| t.shape == Shape::Title).count();
    let given = tokens[at..at + titles].iter().any(|t| t.facts.given_tier() >= 4);
    if let Some(head) = (1..titles).filter(|_| !given).find(|k| HEADS.has(word_hash(tokens[at + k].of(text))))
    {
        return Some((at + head, "an English term, by its head"));
    }
    if !NAMES.has(word_hash(token.of(text))) || token.facts.given_tier() >= 5 {
        return None;
    }
    // "Melan A", "Loa loa"
    let letter = tokens.get(at + 1).is_some_and(|t| {
        !t.glued && (t.shape == Shape::Single || t.of(text).eq_ignore_ascii_case(token.of(text)))
    });
    Some((at + usize::from(letter), "a name that medicine uses"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_the_first_roles_of_the_vocabulary_in_its_order() {
        assert_eq!(WordClass::ALL.len(), WordRole::CLASSES);
        for (class, role) in WordClass::ALL.iter().zip(WordRole::ALL) {
            assert_eq!(format!("{class:?}"), format!("{role:?}"));
        }
        let class = |l, w| WordClass::from_facts(Facts::default().with_keyword(keyword(l, w)));
        assert_eq!(class(Language::Fr, "mme"), Some(WordClass::TitleFemale));
        assert_eq!(class(Language::Es, "varon"), Some(WordClass::SexWord));
        assert_eq!(class(Language::Fr, "plaquettes"), None);
    }
}
