//! How a date was written, as a row of parts that can print another value in the same shape.
//!
//! One reading often leaves a choice open (`12` may be padded or not, `nov` may be one of several short styles):
//! a part keeps every choice that fits what was read, and printing takes the likeliest.

use std::fmt;

use jiff::civil::Date;
use taire_lang::{CalendarNames, NameRow, Vocabulary};

use super::letters;
use super::value::{Season, Third, Weekday};
use super::words::{self, ROMAN, Styles};
use crate::joint::{self, Follows};
use crate::{Language, fold_char, fold_hash};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Lower,
    Title,
    Upper,
}

impl Case {
    pub(super) fn of(word: &str) -> Case {
        let mut letters = word.chars().filter(|c| c.is_alphabetic());
        match (letters.next().map(char::is_uppercase), letters.next().map(char::is_uppercase)) {
            (Some(true), Some(true)) => Case::Upper,
            (Some(true), _) => Case::Title,
            _ => Case::Lower,
        }
    }
}

/// Zero padding of a number of one or two digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    One,
    Two,
    /// Written with two digits without a zero: nothing says whether a small number would be padded.
    Either,
}

/// A word out of a table of styles: bit `n` of `styles` is set when row `n` writes what was read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) styles: Styles,
    pub(super) case: Case,
    /// `None` when the word read has no accent to keep or to lose.
    pub(super) accents: Option<bool>,
}

impl Name {
    pub(super) fn new<const N: usize>(rows: &[NameRow<N>], index: usize, typed: &str) -> Name {
        let hash = fold_hash(typed);
        let mut styles = 0;
        let mut accents = None;
        for (i, row) in rows.iter().enumerate().filter(|(_, row)| row.is(index, hash)) {
            styles |= 1 << i;
            if !row.names[index].is_ascii() {
                accents = Some(!typed.is_ascii());
            }
        }
        Name { styles, case: Case::of(typed), accents }
    }

    fn print<const N: usize>(self, rows: &[NameRow<N>], language: Language, index: usize, out: &mut String) {
        let row = words::preferred(rows, self.styles, language);
        write_cased(&row.names[index], self.case, self.accents != Some(false), out);
    }

    fn fits(self, other: Name) -> bool {
        (self.styles & other.styles != 0 || self.styles == 0 || other.styles == 0)
            && self.case == other.case
            && (self.accents.is_none() || other.accents.is_none() || self.accents == other.accents)
    }
}

pub(super) fn write_cased(word: &str, case: Case, accents: bool, out: &mut String) {
    for (i, c) in word.chars().enumerate() {
        let c = if accents { c } else { fold_char(c).0[0] };
        match case {
            Case::Upper => out.extend(c.to_uppercase()),
            Case::Title if i == 0 => out.extend(c.to_uppercase()),
            _ => out.push(c),
        }
    }
}

/// A number in letters: joining variants that fit, case, accents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Spelt {
    variants: u8,
    case: Case,
    accents: Option<bool>,
}

impl Spelt {
    pub(super) fn new(value: u32, typed: &str, language: Language, day: bool) -> Spelt {
        let accented = !letters::spell(value, language, 0, day).is_ascii();
        Spelt {
            variants: letters::variants(value, typed, language, day),
            case: Case::of(typed),
            accents: accented.then_some(!typed.is_ascii()),
        }
    }

    fn print(self, value: u32, language: Language, day: bool, out: &mut String) {
        let variant = (0..letters::VARIANTS).find(|v| self.variants & (1 << v) != 0).unwrap_or(0);
        let word = letters::spell(value, language, variant, day);
        write_cased(&word, self.case, self.accents != Some(false), out);
    }
}

/// One part of a written date.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(Box<str>),
    Weekday(Name),
    /// `début`, `mi-`, `fin de`, with what joins it to the rest. Its own text is kept for its own third.
    Third {
        of_year: bool,
        third: Third,
        typed: Box<str>,
        case: Case,
    },
    Season(Name),
    /// Digits, with the number of blanks between them.
    Day {
        width: Width,
        gap: u8,
    },
    /// `1er`, `1º`: the mark stands on the first day only.
    FirstDay(Box<str>),
    SpeltDay(Spelt),
    Month {
        width: Width,
        gap: u8,
    },
    MonthName(Name),
    RomanMonth,
    Year {
        digits: u8,
        gap: u8,
    },
    SpeltYear(Spelt),
}

/// The shape of a written date. It holds the separators as typed and no value.
#[derive(Clone, PartialEq, Eq)]
pub struct Surface {
    pub(super) language: Language,
    pub(super) parts: Vec<Part>,
}

impl Surface {
    /// Writes another date in the same shape; a week day, a season or a third follows the new value.
    pub fn print(&self, value: Date) -> String {
        let mut out = String::with_capacity(24);
        let mut word = String::new();
        let mut whole_month = false;
        let (day, month, year) = (value.day() as u8, value.month() as u8, value.year());
        let (language, calendar) = (self.language, CalendarNames::get());
        for (i, part) in self.parts.iter().enumerate() {
            match part {
                // Only what is shortened has a dot: `oct. 2015`, `juin 2015`. The dots of `12.août.2004` separate.
                Part::Text(text) if whole_month && self.after_month(i) => {
                    let shortened = text.strip_prefix('.').filter(|rest| rest.starts_with(' '));
                    out.push_str(shortened.unwrap_or(text));
                }
                Part::Text(text) => out.push_str(text),
                Part::Weekday(name) => {
                    let index = Weekday::of(value) as usize;
                    name.print(calendar.weekdays(), language, index, &mut out);
                }
                Part::Season(name) => {
                    word.clear();
                    name.print(calendar.seasons(), language, Season::of_month(month) as usize, &mut word);
                    joint::push(&mut out, &word, Follows::Season, language);
                }
                Part::Third { of_year, third, typed, case } => {
                    let now = if *of_year { Third::of_month(month) } else { Third::of_day(day) };
                    if now == *third {
                        out.push_str(typed);
                    } else {
                        write_cased(third_word(now, language), *case, true, &mut out);
                    }
                }
                Part::Day { width, gap } => {
                    let width = self.width(*width);
                    digits(u32::from(day), width, *gap, &mut out);
                    if let (1, 1, Some(case)) = (day, width, self.first_day_case(i)) {
                        write_cased("er", case, true, &mut out);
                    }
                }
                Part::FirstDay(mark) => {
                    digits(u32::from(day), 1, 0, &mut out);
                    if day == 1 {
                        out.push_str(mark);
                    }
                }
                Part::SpeltDay(spelt) => spelt.print(u32::from(day), language, true, &mut out),
                Part::Month { width, gap } => digits(u32::from(month), self.width(*width), *gap, &mut out),
                Part::MonthName(name) => {
                    word.clear();
                    name.print(calendar.months(), language, month as usize - 1, &mut word);
                    whole_month = language == Language::Fr && is_whole(&word);
                    joint::push(&mut out, &word, Follows::Other, language);
                }
                Part::RomanMonth => out.push_str(ROMAN[month as usize - 1]),
                Part::Year { digits: 2, gap } => digits(year.rem_euclid(100) as u32, 2, *gap, &mut out),
                Part::Year { gap, .. } => digits(u32::from(year.unsigned_abs()), 4, *gap, &mut out),
                Part::SpeltYear(spelt) => {
                    spelt.print(u32::from(year.unsigned_abs()), language, false, &mut out)
                }
            }
        }
        out
    }

    /// The part before is a month by its name.
    fn after_month(&self, i: usize) -> bool {
        matches!(i.checked_sub(1).and_then(|b| self.parts.get(b)), Some(Part::MonthName(_)))
    }

    /// French writes `1er` before a month's name; how, when that is the case here.
    fn first_day_case(&self, i: usize) -> Option<Case> {
        match (self.language, self.parts.get(i + 1), self.parts.get(i + 2)) {
            (Language::Fr, Some(Part::Text(blank)), Some(Part::MonthName(name)))
                if blank.trim().is_empty() =>
            {
                Some(if name.case == Case::Upper { Case::Upper } else { Case::Lower })
            }
            _ => None,
        }
    }

    /// A shortened month ends the shape, so that a dot behind it may be its own, and the new one is not shortened.
    pub fn loses_its_dot(&self, new: &str) -> bool {
        let shortened = matches!(self.parts.last(), Some(Part::MonthName(name)) if name.styles & words::full_months() == 0);
        let last = new.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        shortened && self.language == Language::Fr && is_whole(last)
    }

    /// The shape begins with the name of a season.
    pub fn begins_with_season(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Season(_)))
    }

    /// How wide a number is, when the parts around it tell.
    fn width(&self, width: Width) -> usize {
        let named = self.parts.iter().any(|p| matches!(p, Part::MonthName(_) | Part::RomanMonth));
        let seen = |wanted: Width| {
            self.parts
                .iter()
                .any(|p| matches!(p, Part::Day { width, .. } | Part::Month { width, .. } if *width == wanted))
        };
        match width {
            Width::One => 1,
            Width::Two => 2,
            Width::Either if seen(Width::One) => 1,
            Width::Either if seen(Width::Two) || !named => 2,
            Width::Either => 1,
        }
    }

    /// The finest part this shape can show.
    pub fn precision(&self) -> super::Precision {
        let has = |f: fn(&Part) -> bool| self.parts.iter().any(f);
        if has(|p| matches!(p, Part::Day { .. } | Part::FirstDay(_) | Part::SpeltDay(_))) {
            super::Precision::Day
        } else if has(|p| {
            matches!(p, Part::Month { .. } | Part::MonthName(_) | Part::RomanMonth | Part::Season(_))
        }) {
            super::Precision::Month
        } else {
            super::Precision::Year
        }
    }

    /// Whether two shapes may be the same, given what each reading left open.
    pub fn fits(&self, other: &Surface) -> bool {
        self.language == other.language
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(a, b)| part_fits(a, b))
    }
}

fn part_fits(a: &Part, b: &Part) -> bool {
    let widths = |a: Width, b: Width| a == b || a == Width::Either || b == Width::Either;
    match (a, b) {
        (Part::Weekday(a), Part::Weekday(b))
        | (Part::Season(a), Part::Season(b))
        | (Part::MonthName(a), Part::MonthName(b)) => a.fits(*b),
        (Part::Third { of_year: a, .. }, Part::Third { of_year: b, .. }) => a == b,
        (Part::Day { width: a, gap: g }, Part::Day { width: b, gap: h })
        | (Part::Month { width: a, gap: g }, Part::Month { width: b, gap: h }) => g == h && widths(*a, *b),
        (Part::FirstDay(_), Part::Day { .. } | Part::FirstDay(_)) | (Part::Day { .. }, Part::FirstDay(_)) => {
            true
        }
        (Part::SpeltDay(a), Part::SpeltDay(b)) | (Part::SpeltYear(a), Part::SpeltYear(b)) => {
            a.case == b.case && (a.variants & b.variants != 0 || a.variants == 0 || b.variants == 0)
        }
        // The dot of a shortened month comes and goes.
        (Part::Text(a), Part::Text(b)) => a.trim_start_matches('.') == b.trim_start_matches('.'),
        _ => a == b,
    }
}

/// A French month that is not shortened: `juin`, `mars`.
fn is_whole(month: &str) -> bool {
    let hash = fold_hash(month);
    let full = CalendarNames::get().full_months(Language::Fr);
    full.is_some_and(|row| (0..12).any(|month| row.is(month, hash)))
}

fn third_word(third: Third, language: Language) -> &'static str {
    &Vocabulary::of(language).thirds()[third as usize]
}

fn digits(value: u32, width: usize, gap: u8, out: &mut String) {
    let text = format!("{value:0width$}");
    for (i, c) in text.chars().enumerate() {
        if i > 0 {
            out.extend(std::iter::repeat_n(' ', gap as usize));
        }
        out.push(c);
    }
}

/// Shows the kind of each part, not the words between them.
impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Surface(")?;
        for part in &self.parts {
            f.write_str(match part {
                Part::Text(text) if text.len() == 1 => text,
                Part::Text(_) => " … ",
                Part::Weekday(_) => "weekday",
                Part::Third { .. } => "third",
                Part::Season(_) => "season",
                Part::Day { .. } | Part::FirstDay(_) => "d",
                Part::SpeltDay(_) => "day",
                Part::Month { .. } => "m",
                Part::MonthName(_) => "month",
                Part::RomanMonth => "M",
                Part::Year { digits: 2, .. } => "yy",
                Part::Year { .. } => "yyyy",
                Part::SpeltYear(_) => "year",
            })?;
        }
        f.write_str(")")
    }
}
