//! Case, accents, cutting into words, and how a word must begin to agree with the one before it.

use taire_text::{Language, fold};

use crate::noise;

/// How a word is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    Upper,
    Lower,
    Mixed,
}

pub(super) fn case_of(text: &str) -> Case {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    if !letters().any(char::is_uppercase) {
        Case::Lower
    } else if letters().count() > 1 && !letters().any(char::is_lowercase) {
        Case::Upper
    } else {
        Case::Mixed
    }
}

pub(super) fn without_accents(text: &str) -> String {
    text.chars().map(noise::without_accents).collect()
}

/// `new` in the case of `model`; capitals without accents stay without.
pub(super) fn cased_like(new: &str, model: &str) -> String {
    match case_of(model) {
        Case::Upper if model.is_ascii() => without_accents(new).to_uppercase(),
        Case::Upper => new.to_uppercase(),
        Case::Lower if model.chars().any(char::is_alphabetic) => new.to_lowercase(),
        _ => new.to_owned(),
    }
}

/// A stretch of a text: a word (letters and digits) or what lies between two words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    pub(super) is_word: bool,
}

pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != is_word).unwrap_or(rest.len());
        out.push(Piece { text: &rest[..end], is_word });
        rest = &rest[end..];
    }
    out
}

pub(super) fn first_word(text: &str) -> String {
    pieces(text).iter().find(|p| p.is_word).map(|p| fold(p.text)).unwrap_or_default()
}

/// How a value must begin to agree with the word before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Onset {
    Any,
    Vowel,
    Consonant,
    /// Spanish `e` comes before it.
    ISound,
    /// Spanish `y` comes before it.
    NotISound,
}

impl Onset {
    pub(super) fn admits(self, value: &str) -> bool {
        let first = value.chars().next().map(|c| fold(&c.to_string())).unwrap_or_default();
        let i_sound = first == "i" || fold(value).starts_with("hi");
        match self {
            Onset::Any => true,
            Onset::Vowel => matches!(first.as_str(), "a" | "e" | "i" | "o" | "u" | "oe" | "ae"),
            // `h` is left out on both sides: whether it is mute is unknown.
            Onset::Consonant => {
                !matches!(first.as_str(), "a" | "e" | "i" | "o" | "u" | "h" | "oe" | "ae" | "")
            }
            Onset::ISound => i_sound,
            Onset::NotISound => !i_sound,
        }
    }
}

/// The last word of the text before, folded, if only blanks follow it.
pub(super) fn word_before(before: &str) -> String {
    let trimmed = before.trim_end_matches([' ', '\u{a0}', '\n']);
    let start = trimmed
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(0, |i| i + trimmed[i..].chars().next().map_or(1, char::len_utf8));
    fold(&trimmed[start..])
}

pub(super) fn onset(before: &str, language: Language) -> Onset {
    if let Some(head) = before.strip_suffix(['\'', '’']) {
        let word = word_before(head);
        let elided =
            matches!(word.as_str(), "d" | "l" | "qu" | "n" | "s" | "j" | "m" | "c" | "jusqu" | "lorsqu");
        return if elided && !head.ends_with(' ') { Onset::Vowel } else { Onset::Any };
    }
    if !before.ends_with([' ', '\u{a0}', '\n']) {
        return Onset::Any;
    }
    match (language, word_before(before).as_str()) {
        (Language::Fr, "de" | "que" | "le" | "la" | "jusque" | "ce" | "ne") => Onset::Consonant,
        (Language::Es, "e") => Onset::ISound,
        (Language::Es, "y") => Onset::NotISound,
        _ => Onset::Any,
    }
}
