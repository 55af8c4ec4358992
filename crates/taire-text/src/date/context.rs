//! What the words around a number of years, months or days say it is: an age, or how far an event lies.

use taire_lang::{Vocabulary, WordRole};

use super::lapse::{LapseKind, Unit};
use super::scan::Scan;
use super::words::Folded;
use crate::{Kind, Language, fold_hash};

/// What a word says of the number behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Person,
    Aged,
    Ago,
    Since,
    In,
    During,
    Of,
    At,
    Has,
    Article,
    About,
    Other,
}

fn word(hash: u64) -> Word {
    const WORDS: [(WordRole, Word); 11] = [
        (WordRole::Of, Word::Of),
        (WordRole::DateArticle, Word::Article),
        (WordRole::Person, Word::Person),
        (WordRole::During, Word::During),
        (WordRole::About, Word::About),
        (WordRole::At, Word::At),
        (WordRole::Aged, Word::Aged),
        (WordRole::Ago, Word::Ago),
        (WordRole::Since, Word::Since),
        (WordRole::InTime, Word::In),
        (WordRole::Has, Word::Has),
    ];
    let roles = Vocabulary::any().roles(hash);
    WORDS.into_iter().find(|&(role, _)| roles.has(role)).map_or(Word::Other, |(_, word)| word)
}

/// What a number of units is, from what its first token a cue may begin, and how sure that is.
pub(super) struct Reading {
    pub(super) kind: LapseKind,
    pub(super) from: usize,
    pub(super) confidence: f32,
}

impl Scan<'_> {
    fn word_at(&self, i: usize) -> Word {
        match self.kind(i) {
            Some(Kind::Word) => word(fold_hash(self.str(i))),
            _ => Word::Other,
        }
    }

    pub(super) fn read_context(&self, first: usize, last: usize, unit: Unit) -> Reading {
        let reading = |kind, from, confidence| Reading { kind, from, confidence };
        if let Some(kind) = self.said_behind(last) {
            let confidence = if kind == LapseKind::Age { 0.97 } else { 0.85 };
            return reading(kind, first, confidence);
        }
        let years = unit == Unit::Year;
        let mut i = first;
        let mut article = false;
        for _ in 0..6 {
            let Some(before) = i.checked_sub(1) else { break };
            i = before;
            if self.kind(i) == Some(Kind::Mark) && matches!(self.mark(i), b'\'' | b':') {
                continue;
            }
            let earlier = |back: usize| i.checked_sub(back).map_or(Word::Other, |k| self.word_at(k));
            match self.word_at(i) {
                Word::About => {}
                Word::Article => article = true,
                Word::Of if self.word_at(i.wrapping_sub(1)) == Word::About => {}
                Word::Ago if earlier(1) == Word::Since => return reading(LapseKind::Since, i - 1, 0.95),
                Word::Ago => return reading(LapseKind::Ago, i, 0.95),
                Word::Since if article && self.language == Language::Es => {
                    let kind = if years { LapseKind::Age } else { LapseKind::Since };
                    return reading(kind, i, 0.6);
                }
                Word::Since => return reading(LapseKind::Since, i, 0.95),
                Word::In => return reading(LapseKind::In, i, 0.9),
                Word::Aged => return reading(LapseKind::Age, first, 0.98),
                Word::Has if years => return reading(LapseKind::Age, first, 0.85),
                Word::At if self.language == Language::Fr && self.there_is(i).is_some() => {
                    return reading(LapseKind::Ago, self.there_is(i).unwrap_or(i), 0.95);
                }
                Word::At if years && self.is_follow_up(i.wrapping_sub(1)) => break,
                Word::At if years => return reading(LapseKind::Age, first, 0.7),
                Word::At => break,
                Word::Of if earlier(1) == Word::In => return reading(LapseKind::In, i - 1, 0.9),
                Word::Of if earlier(1) == Word::Aged => return reading(LapseKind::Age, first, 0.98),
                Word::Of => return self.of_whom(i, first, years),
                Word::Person => return reading(LapseKind::Age, first, 0.9),
                Word::During => return reading(LapseKind::Duration, first, 0.9),
                Word::Has => break,
                Word::Other => {
                    let mark = self.mark(i);
                    if mark == b',' && earlier(1) == Word::Person {
                        return reading(LapseKind::Age, first, 0.9);
                    }
                    let apart =
                        matches!(mark, b',' | b'(' | b'-' | b';') || self.kind(i) == Some(Kind::Newline);
                    let initial = mark == b'.' && i > 0 && self.tokens[i - 1].shape == crate::Shape::Single;
                    let named = self.tokens[i].is_capitalised() || initial;
                    if self.is_follow_up(i) || mark == b',' && self.ends_schedule(i) {
                        break;
                    }
                    if years && !article && (apart || named) {
                        return reading(LapseKind::Age, first, 0.55);
                    }
                    break;
                }
            }
        }
        if i == 0 && years && first == 0 {
            return reading(LapseKind::Age, first, 0.5);
        }
        reading(LapseKind::Duration, first, 0.5)
    }

    /// "Contrôle à 3 ans", "22 % à 5 ans", "puis à 3 ans": when something is due or was counted, not how old somebody is.
    fn is_follow_up(&self, i: usize) -> bool {
        const WORDS: [&[u8]; 14] = [
            b"controle",
            b"control",
            b"suivi",
            b"surveillance",
            b"seguimiento",
            b"revision",
            b"puis",
            b"luego",
            b"survie",
            b"supervivencia",
            b"recidive",
            b"rappel",
            b"recuerdo",
            b"coloscopie",
        ];
        self.mark(i) == b'%'
            || self.kind(i) == Some(Kind::Word)
                && Folded::new(self.str(i)).is_some_and(|f| WORDS.contains(&f.bytes()))
    }

    /// "1-0-0, 5 ans": how long a dose is taken.
    fn ends_schedule(&self, comma: usize) -> bool {
        let Some(first) = comma.checked_sub(5) else { return false };
        let digit = |i: usize| self.kind(i) == Some(Kind::Number) && self.len(i) == 1;
        let dash = |i: usize| self.mark(i) == b'-';
        digit(first) && dash(first + 1) && digit(first + 2) && dash(first + 3) && digit(first + 4)
    }

    /// The first token of `il y a`, given its last.
    fn there_is(&self, a: usize) -> Option<usize> {
        let y = if self.mark(a.checked_sub(1)?) == b'\'' { a.checked_sub(2)? } else { a - 1 };
        if !self.is_word(y, &["y"]) {
            return None;
        }
        let il = y.checked_sub(1).filter(|&il| self.is_word(il, &["il"]));
        Some(il.unwrap_or(y))
    }

    /// `de 74 ans`: an age behind a person, even over a comma or an adjective.
    fn of_whom(&self, of: usize, first: usize, years: bool) -> Reading {
        let mut i = of;
        for step in 0..4 {
            let Some(before) = i.checked_sub(1) else { break };
            i = before;
            match self.word_at(i) {
                Word::Person if !years && self.is_word(i, &["gestante"]) => break,
                Word::Aged => return Reading { kind: LapseKind::Age, from: first, confidence: 0.9 },
                Word::Person => {
                    return Reading {
                        kind: LapseKind::Age,
                        from: first,
                        confidence: 0.95 - 0.05 * step as f32,
                    };
                }
                Word::During => break,
                Word::Other if self.mark(i) == b',' => {}
                Word::Other if self.kind(i) == Some(Kind::Word) && step < 2 && years => {}
                _ => break,
            }
        }
        Reading { kind: LapseKind::Duration, from: first, confidence: 0.6 }
    }

    /// `de edad`, `d'âge`, `plus tard`, `antes`.
    fn said_behind(&self, last: usize) -> Option<LapseKind> {
        let next = last + 1;
        if self.is_word(next, &["de", "d"]) {
            let at = if self.mark(next + 1) == b'\'' { next + 2 } else { next + 1 };
            if self.is_word(at, &["edad", "vida", "age", "vie"]) {
                return Some(LapseKind::Age);
            }
            if self.word_at(at) == Word::During || self.is_word(at, &["la", "su", "los", "las"]) {
                return Some(LapseKind::Duration);
            }
            return None;
        }
        if self.is_word(next, &["atras", "antes", "avant", "previos"]) {
            return Some(LapseKind::Ago);
        }
        let later = self.is_word(next, &["despues", "apres", "mas", "plus", "tras", "del"]);
        later.then_some(LapseKind::Duration)
    }
}
