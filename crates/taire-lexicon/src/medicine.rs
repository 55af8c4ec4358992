//! Terms of medicine: diseases with their ICD-10 family, acts, drugs of several words, and what laboratories measure.
//!
//! Terms are kept in a simple form, the same for lists and documents: folded, without articles and prepositions, without
//! the marks of the plural. So "fractures du col du fémur" is found as "fracture de col de fémur" is.

use fst::raw::Fst;
use taire_text::{Kind, Language, Token, fold_char, fold_into, tokenise};

use crate::phrases::{Bytes, Walk};

/// No term takes more tokens.
const MAX_TOKENS: usize = 24;
const LONGEST_WORD: usize = 64;

/// What a term is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TermKind {
    Disease,
    Act,
    Drug,
    /// Something that is measured.
    Analyte,
}

impl TermKind {
    pub const ALL: [TermKind; 4] = [TermKind::Disease, TermKind::Act, TermKind::Drug, TermKind::Analyte];
}

/// An ICD-10 category of three characters, such as `J18`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family([u8; 3]);

impl Family {
    /// The family of a code, whatever follows its first three characters.
    pub fn of(code: &str) -> Option<Family> {
        let [letter, tens, ones, ..] = *code.as_bytes() else { return None };
        let sound = letter.is_ascii_uppercase() && tens.is_ascii_digit() && ones.is_ascii_digit();
        sound.then_some(Family([letter, tens, ones]))
    }

    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl std::fmt::Debug for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

/// A term of the lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    pub kind: TermKind,
    /// Of a disease.
    pub family: Option<Family>,
}

impl Term {
    /// As the lists hold it: the kind in the lowest byte, the family above.
    pub fn value(self) -> u64 {
        let kind = TermKind::ALL.iter().position(|&k| k == self.kind).unwrap_or_default() as u64;
        self.family.map_or(0, |f| f.0.iter().fold(0, |v, &b| v << 8 | u64::from(b))) << 8 | kind
    }

    pub(crate) fn from_value(value: u64) -> Term {
        let kind = TermKind::ALL[(value as usize & 0xff).min(TermKind::ALL.len() - 1)];
        let family = [(value >> 24) as u8, (value >> 16) as u8, (value >> 8) as u8];
        Term { kind, family: (family[0] != 0).then_some(Family(family)) }
    }
}

/// The simple form of a term.
pub fn term_key(term: &str, language: Language) -> String {
    let term = term.replace(['\u{2019}', '\u{2bc}'], "'");
    let mut out = String::new();
    let mut folded = String::new();
    for token in tokenise(&term).iter().filter(|t| matches!(t.kind, Kind::Word | Kind::Number)) {
        let word = token.of(&term);
        if is_small(word) {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        folded.clear();
        fold_into(word, &mut folded);
        out.push_str(&folded[..stem(folded.as_bytes(), language)]);
    }
    out
}

/// The longest term that starts at token `at`: tokens taken, and what it is.
pub(crate) fn longest(
    fst: &Fst<Bytes>,
    language: Language,
    norm: &str,
    tokens: &[Token],
    at: usize,
) -> Option<(usize, Term)> {
    let mut walk = Walk::new(fst);
    let mut best = None;
    let mut words = 0;
    for (i, token) in tokens.get(at..)?.iter().take(MAX_TOKENS).enumerate() {
        match token.kind {
            Kind::Word | Kind::Number => {
                let word = token.of(norm);
                if is_small(word) {
                    if words == 0 {
                        return None;
                    }
                    continue;
                }
                if words > 0 && walk.byte(b' ').is_none() || step(&mut walk, word, language).is_none() {
                    return best;
                }
                words += 1;
                if let Some(value) = walk.value() {
                    best = Some((i + 1, Term::from_value(value)));
                }
            }
            Kind::Mark if words > 0 && matches!(token.of(norm), "-" | "'" | "/" | "+") => {}
            Kind::Mark | Kind::Newline => return best,
        }
    }
    best
}

fn step(walk: &mut Walk<'_>, word: &str, language: Language) -> Option<()> {
    let mut folded = [0; LONGEST_WORD];
    let mut length = 0;
    for c in word.chars() {
        let (letters, n) = fold_char(c);
        for letter in &letters[..n] {
            let room = folded.get_mut(length..length + letter.len_utf8())?;
            length += letter.encode_utf8(room).len();
        }
    }
    let word = folded.get(..length)?;
    word[..stem(word, language)].iter().try_for_each(|&byte| walk.byte(byte))
}

/// How many bytes of a folded word are left without its plural.
fn stem(word: &[u8], language: Language) -> usize {
    let length = word.len();
    match (language, word) {
        (_, [.., _, _, b's' | b'x']) if length < 4 => length,
        (Language::Es, [.., b'l' | b'n' | b'r' | b'd', b'e', b's']) if length > 5 => length - 2,
        (_, [.., b's']) | (Language::Fr, [.., b'x']) if length > 3 => length - 1,
        _ => length,
    }
}

/// Words that terms are written with or without. A capital A is none: "hépatite A".
fn is_small(word: &str) -> bool {
    if word.len() > 4 || word == "A" {
        return false;
    }
    const SMALL: &[&str] = &[
        "de", "du", "des", "d", "la", "le", "les", "l", "a", "à", "au", "aux", "en", "un", "une", "del",
        "el", "los", "las", "al", "una", "por", "par",
    ];
    SMALL.iter().any(|small| small.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plural_articles_case_and_accents_do_not_count() {
        let key = |text| term_key(text, Language::Fr);
        assert_eq!(key("Fractures du col de l’Humérus"), "fracture col humeru");
        assert_eq!(key("fracture col d'humerus"), "fracture col humeru");
        assert_eq!(key("Hépatite A aiguë"), "hepatite a aigue");
        assert_eq!(key("os"), "os");
        assert_eq!(term_key("Lesiones renales", Language::Es), term_key("lesión renal", Language::Es));
    }

    #[test]
    fn a_term_comes_back_from_its_value() {
        for kind in TermKind::ALL {
            for family in [None, Family::of("J18")] {
                let term = Term { kind, family };
                assert_eq!(Term::from_value(term.value()), term);
            }
        }
        assert_eq!(Family::of("J189").map(|f| f.code().to_owned()).as_deref(), Some("J18"));
        assert_eq!((Family::of("18"), Family::of("J1")), (None, None));
    }
}
