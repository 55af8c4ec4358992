//! The date that starts at a token, in the shapes headers use: numeric, eight digits, with the month in letters,
//! or digits typed one by one. Dates in running text are the business of the date detector.

use taire_lang::CalendarNames;
use taire_text::{Kind, Note};

use crate::folded::token_hash;

/// A date found at some token: its last token and its parts, the year as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlainDate {
    pub(crate) last: usize,
    #[cfg(test)]
    parts: (u16, u8, u8),
}

pub(crate) fn date_at(note: &Note, first: usize) -> Option<PlainDate> {
    let token = note.tokens.get(first)?;
    if token.kind != Kind::Number {
        return None;
    }
    spaced(note, first).or_else(|| glued(note, first)).or_else(|| parts(note, first))
}

fn number(note: &Note, at: usize) -> Option<(u16, usize)> {
    let token = note.tokens.get(at).filter(|t| t.kind == Kind::Number)?;
    let digits = token.of(note.norm());
    Some((digits.parse().ok()?, digits.len()))
}

fn checked(last: usize, year: u16, month: u8, day: u8, year_digits: usize) -> Option<PlainDate> {
    let plausible = match year_digits {
        2 => true,
        4 => (1850..=2150).contains(&year),
        _ => false,
    };
    (plausible && (1..=12).contains(&month) && (1..=31).contains(&day)).then_some(PlainDate {
        last,
        #[cfg(test)]
        parts: (year, month, day),
    })
}

/// `1 2 0 6 1 9 8 1`, also with a full stop, slash or hyphen between parts.
fn spaced(note: &Note, first: usize) -> Option<PlainDate> {
    let mut digits = [0u16; 8];
    let (mut n, mut at) = (0, first);
    while n < 8 {
        let token = note.tokens.get(at)?;
        match token.kind {
            Kind::Number if token.end() - token.start() == 1 => {
                digits[n] = number(note, at)?.0;
                n += 1;
            }
            Kind::Mark if n > 0 && "./-".contains(token.of(note.norm())) => {}
            _ => return None,
        }
        at += 1;
    }
    if number(note, at).is_some_and(|(_, len)| len == 1) {
        return None;
    }
    let d = &digits;
    let year = d[4] * 1000 + d[5] * 100 + d[6] * 10 + d[7];
    checked(at - 1, year, (d[2] * 10 + d[3]) as u8, (d[0] * 10 + d[1]) as u8, 4)
}

/// `12061981` or `19810612`.
fn glued(note: &Note, first: usize) -> Option<PlainDate> {
    let digits = note.tokens[first].of(note.norm());
    if digits.len() != 8 {
        return None;
    }
    let part = |from: usize, to: usize| digits[from..to].parse::<u16>().ok();
    checked(first, part(4, 8)?, part(2, 4)? as u8, part(0, 2)? as u8, 4)
        .or_else(|| checked(first, part(0, 4)?, part(4, 6)? as u8, part(6, 8)? as u8, 4))
}

/// Day, month and year, or year, month and day, with something between.
fn parts(note: &Note, first: usize) -> Option<PlainDate> {
    let text = note.norm();
    let (a, a_len) = number(note, first)?;
    let mut at = first + 1;
    let ordinal = note.tokens.get(at)?;
    if ordinal.kind == Kind::Word && ordinal.glued && matches!(ordinal.of(text), "er" | "ER" | "e") {
        at += 1;
    }
    let at_month = skip_between(note, at);
    let token = note.tokens.get(at_month)?;
    if token.kind == Kind::Word {
        let month = CalendarNames::get().word(token_hash(token, text)).month?;
        let mut at = at_month + 1;
        if note.tokens.get(at).is_some_and(|t| t.of(text) == ".") {
            at += 1;
        }
        let at = skip_between(note, at);
        let (year, len) = number(note, at)?;
        return (a_len <= 2).then(|| checked(at, year, month, a as u8, len)).flatten();
    }
    let (b, b_len) = number(note, at_month)?;
    let at_last = skip_between(note, at_month + 1);
    let (c, c_len) = number(note, at_last)?;
    if at_month == at && at_last == at_month + 1 && !(a_len == 2 && b_len == 2 && c_len == 4) {
        return None;
    }
    if a_len > 4 || b_len > 2 || c_len > 4 {
        return None;
    }
    if a_len == 4 {
        return (c_len <= 2).then(|| checked(at_last, a, b as u8, c as u8, 4)).flatten();
    }
    if a_len > 2 {
        return None;
    }
    checked(at_last, c, b as u8, a as u8, c_len)
}

fn skip_between(note: &Note, mut at: usize) -> usize {
    let text = note.norm();
    for _ in 0..2 {
        match note.tokens.get(at) {
            Some(t) if t.kind == Kind::Mark && "/.-|,".contains(t.of(text)) => at += 1,
            Some(t) if t.kind == Kind::Word && matches!(t.of(text), "de" | "del" | "DE" | "DEL") => at += 1,
            _ => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_shapes() {
        for (text, want) in [
            ("03/05/1950.", Some((1950, 5, 3))),
            ("3.5.50", Some((50, 5, 3))),
            ("1950-05-03 10:00", Some((1950, 5, 3))),
            ("03051950", Some((1950, 5, 3))),
            ("0 3 0 5 1 9 5 0", Some((1950, 5, 3))),
            ("1er août 1950", Some((1950, 8, 1))),
            ("3 de mayo de 1950", Some((1950, 5, 3))),
            ("03 05 1950", Some((1950, 5, 3))),
            ("120/80", None),
            ("1 2 3 4", None),
            ("32/05/1950", None),
        ] {
            let note = Note::builder("a", text).build().unwrap();
            let got = date_at(&note, 0).map(|d| d.parts);
            assert_eq!(got, want, "{text}");
        }
    }
}
