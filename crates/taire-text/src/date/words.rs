//! The words of the calendar, asked of the vocabularies of all languages, and a word folded on the stack.

use std::sync::LazyLock;

use taire_lang::{CalendarNames, CalendarWord, NameRow, Vocabulary, WordRole, WordRoles};

use super::value::{Season, Third, Weekday};
use crate::{Language, fold_char, fold_hash};

/// A set of rows of names, a bit each, in the order of the calendar's rows.
pub(super) type Styles = u32;

/// The rows that are written in full.
pub(super) fn full_months() -> Styles {
    static FULL: LazyLock<Styles> =
        LazyLock::new(|| styles_where(CalendarNames::get().months(), |row| row.full));
    *FULL
}

/// The rows of a language.
pub(super) fn own_months(language: Language) -> Styles {
    styles_where(CalendarNames::get().months(), |row| row.language == Some(language))
}

/// The row a language writes in full.
pub(super) fn full_month_style(language: Language) -> Styles {
    styles_where(CalendarNames::get().months(), |row| row.full && row.language == Some(language))
}

fn styles_where<const N: usize>(rows: &[NameRow<N>], is: impl Fn(&NameRow<N>) -> bool) -> Styles {
    rows.iter().enumerate().filter(|(_, row)| is(row)).fold(0, |set, (i, _)| set | 1 << i)
}

/// Which row to print by, when several fit what was read: those of the language, those of none, those of others.
pub(super) fn preferred<const N: usize>(
    rows: &[NameRow<N>],
    styles: Styles,
    language: Language,
) -> &NameRow<N> {
    let rank = |row: &NameRow<N>| match row.language {
        Some(own) if own == language => 0,
        None => 1,
        Some(_) => 2,
    };
    let fits = |i: usize| styles == 0 || styles & 1 << i != 0;
    let best = (0..rows.len()).filter(|&i| fits(i)).min_by_key(|&i| rank(&rows[i]));
    &rows[best.unwrap_or(0)]
}

pub(super) const ROMAN: [&str; 12] =
    ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// A word folded on the stack: lower case, no accents, ASCII, at most 16 letters.
pub(super) struct Folded {
    bytes: [u8; 16],
    len: u8,
}

impl Folded {
    pub(super) fn new(word: &str) -> Option<Folded> {
        if word.len() > 20 {
            return None;
        }
        let mut folded = Folded { bytes: [0; 16], len: 0 };
        if word.len() <= 16 && word.is_ascii() {
            folded.len = word.len() as u8;
            folded.bytes[..word.len()].copy_from_slice(word.as_bytes());
            folded.bytes.make_ascii_lowercase();
            return Some(folded);
        }
        for c in word.chars() {
            let (chars, n) = fold_char(c);
            for c in &chars[..n] {
                if !c.is_ascii() || folded.len == 16 {
                    return None;
                }
                folded.bytes[folded.len as usize] = *c as u8;
                folded.len += 1;
            }
        }
        Some(folded)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len as usize]
    }

    pub(super) fn hash(&self) -> u64 {
        hash(self.bytes())
    }

    pub(super) fn singular_hash(&self) -> u64 {
        hash(self.singular())
    }

    /// The word without one plural `s`.
    fn singular(&self) -> &[u8] {
        let bytes = self.bytes();
        match bytes {
            [head @ .., b's'] if head.len() > 2 => head,
            _ => bytes,
        }
    }
}

fn hash(folded: &[u8]) -> u64 {
    std::str::from_utf8(folded).map_or(0, fold_hash)
}

/// Words by which a date may begin to be recognised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    Month(u8),
    Season(Season),
    Thousand,
    Roman(u8),
}

pub(super) fn trigger(word: &str) -> Option<Trigger> {
    let hash = fold_hash(word);
    let CalendarWord { month, season, .. } = CalendarNames::get().word(hash);
    if let Some(month) = month {
        return Some(Trigger::Month(month));
    }
    if let Some(season) = season {
        return Some(Trigger::Season(Season::from_index(season)));
    }
    if Vocabulary::any().roles(hash).has(WordRole::Thousand) {
        return Some(Trigger::Thousand);
    }
    roman(word).map(Trigger::Roman)
}

fn roman(word: &str) -> Option<u8> {
    if word.len() > 4 || !word.bytes().all(|b| matches!(b, b'I' | b'V' | b'X')) {
        return None;
    }
    ROMAN.iter().position(|&r| r == word).map(|i| i as u8 + 1)
}

/// Whether a word is the name of a month, in full or short.
pub(super) fn is_month(word: &str) -> bool {
    CalendarNames::get().word(fold_hash(word)).month.is_some()
}

/// Letters typed for digits: `O`, `l`.
pub(super) fn is_noise(word: &str) -> bool {
    word.len() <= 3 && word.bytes().all(|b| matches!(b, b'O' | b'o' | b'l' | b'I'))
}

/// The month whose full name in this language is one edit away from a word of five letters or more.
pub(super) fn misspelt_month(word: &str, language: Language) -> Option<u8> {
    let names = LONG_MONTHS.names.iter().find(|(l, _)| *l == language)?;
    let folded = may_be_month(word)?;
    (1..=12).find(|&m| near(names.1[m as usize - 1].as_bytes(), folded.bytes()))
}

/// The same in any language.
pub(super) fn is_misspelt_month(word: &str) -> bool {
    may_be_month(word).is_some_and(|folded| {
        let mut names = LONG_MONTHS.names.iter().flat_map(|(_, names)| names);
        names.any(|name| near(name.as_bytes(), folded.bytes()))
    })
}

fn may_be_month(word: &str) -> Option<Folded> {
    if word.len() < 5 {
        return None;
    }
    Folded::new(word).filter(|f| {
        let word = f.bytes();
        let LongMonths { initials, lengths, .. } = &*LONG_MONTHS;
        (5..=11).contains(&word.len())
            && word[..2].iter().any(|&b| initials & 1 << letter(b) != 0)
            && (lengths[0][letter(word[0])] | lengths[1][letter(word[word.len() - 1])]) >> (word.len() - 1)
                & 0b111
                != 0
    })
}

/// Folded names of the months that are long enough to be known by all letters but one.
struct LongMonths {
    /// Empty for the others.
    names: Vec<(Language, [String; 12])>,
    /// Their lengths, a bit each, by the first letter and by the last.
    lengths: [[u32; 32]; 2],
    /// How months begin, a bit a letter.
    initials: u32,
}

static LONG_MONTHS: LazyLock<LongMonths> = LazyLock::new(|| {
    let mut long = LongMonths { names: Vec::new(), lengths: [[0; 32]; 2], initials: 0 };
    for row in CalendarNames::get().months().iter().filter(|row| row.full) {
        let Some(language) = row.language else { continue };
        let names = std::array::from_fn(|m| match &row.names[m] {
            name if name.len() >= 5 => crate::fold(name),
            _ => String::new(),
        });
        for name in row.names.iter().map(|name| crate::fold(name)) {
            long.initials |= 1 << letter(name.as_bytes()[0]);
        }
        for name in names.iter().map(String::as_bytes).filter(|name| !name.is_empty()) {
            long.lengths[0][letter(name[0])] |= 1 << name.len();
            long.lengths[1][letter(name[name.len() - 1])] |= 1 << name.len();
        }
        long.names.push((language, names));
    }
    long
});

fn letter(b: u8) -> usize {
    (b & 31) as usize
}

/// One edit away. It leaves the first letter or the last as it was.
fn near(name: &[u8], word: &[u8]) -> bool {
    name.len().abs_diff(word.len()) <= 1
        && (name.first() == word.first() || name.last() == word.last())
        && one_edit(name, word)
}

/// Whether two words differ by one letter added, lost, changed, or by two neighbours swapped.
fn one_edit(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let same = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    match long.len() - short.len() {
        0 if same == short.len() => false,
        0 => {
            short[same + 1..] == long[same + 1..]
                || (same + 1 < short.len()
                    && short[same] == long[same + 1]
                    && short[same + 1] == long[same]
                    && short[same + 2..] == long[same + 2..])
        }
        1 => short[same..] == long[same + 1..],
        _ => false,
    }
}

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    CalendarNames::get().word(fold_hash(word)).weekday.map(|index| Weekday::from_index(index.into()))
}

fn roles(word: &str) -> WordRoles {
    Vocabulary::any().roles(fold_hash(word))
}

pub(super) fn third(word: &str) -> Option<Third> {
    let roles = roles(word);
    let thirds = [
        (WordRole::ThirdStart, Third::Start),
        (WordRole::ThirdMiddle, Third::Middle),
        (WordRole::ThirdEnd, Third::End),
    ];
    thirds.into_iter().find(|&(role, _)| roles.has(role)).map(|(_, third)| third)
}

/// What the word before a number says about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cue {
    None,
    /// May stand before a month or a year: `en`, `depuis`, `desde`, `avant`.
    Period,
    /// Names a year: `année`, `año`.
    Year,
    /// May stand before a day: `le`, `du`, `el`, `né`.
    Day,
}

pub(super) fn cue(word: &str) -> Cue {
    let roles = roles(word);
    let cues =
        [(WordRole::CueDay, Cue::Day), (WordRole::CueYear, Cue::Year), (WordRole::CuePeriod, Cue::Period)];
    cues.into_iter().find(|&(role, _)| roles.has(role)).map_or(Cue::None, |(_, cue)| cue)
}

/// Words after which a date is that of a text of law.
pub(super) fn is_law(word: &str) -> bool {
    roles(word).has(WordRole::Law)
}

/// Words after which a date is part of the name of a street or a building.
pub(super) fn is_place(word: &str) -> bool {
    roles(word).has(WordRole::DatePlace)
}

/// Units and measures: a number before one is no part of a date.
pub(super) fn is_unit(word: &str) -> bool {
    Folded::new(word).is_some_and(|f| Vocabulary::any().roles(f.singular_hash()).has(WordRole::Unit))
}
