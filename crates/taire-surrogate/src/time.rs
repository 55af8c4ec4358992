//! Dates, ages and relative dates of one note, moved in one frame so that they still agree.
//!
//! A date is moved by the scope's calendar and printed in its own surface. An age is recomputed between the moved
//! birth date and the moved date it belongs to; from `old_age` on it is pooled, and so is the birth date, which
//! moves to the pooled age.

use jiff::ToSpan;
use jiff::civil::Date;
use taire_text::{Entity, Label, Language, Note};

use crate::calendar::{Calendar, years_between};
use crate::key::{Purpose, Scope, Streams};
use crate::settings::Settings;

/// The time of one note.
pub(crate) struct Frame<'a> {
    calendar: Calendar<'a>,
    /// The date of the document, in the original.
    reference: Option<Date>,
    birth: Option<Date>,
    old_age: i64,
    language: Language,
    pooled_birth: Option<Date>,
}

/// The unit of a number in an age or a duration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    fn of(word: &str) -> Option<Unit> {
        let word = taire_text::fold(word);
        Some(match word.as_str() {
            "j" | "jr" | "jrs" | "jour" | "jours" | "dia" | "dias" | "d" => Unit::Day,
            "sem" | "semaine" | "semaines" | "semana" | "semanas" => Unit::Week,
            "mois" | "mes" | "meses" => Unit::Month,
            "a" | "an" | "ans" | "annee" | "annees" | "ano" | "anos" => Unit::Year,
            _ => return None,
        })
    }

    fn span(self, n: i64) -> Option<jiff::Span> {
        match self {
            Unit::Day => jiff::Span::new().try_days(n),
            Unit::Week => jiff::Span::new().try_weeks(n),
            Unit::Month => jiff::Span::new().try_months(n),
            Unit::Year => jiff::Span::new().try_years(n),
        }
        .ok()
    }

    fn days(self) -> f64 {
        match self {
            Unit::Day => 1.0,
            Unit::Week => 7.0,
            Unit::Month => 30.436_875,
            Unit::Year => 365.2425,
        }
    }
}

impl<'a> Frame<'a> {
    pub(crate) fn new(
        streams: &'a Streams,
        scope: Scope<'a>,
        settings: &Settings,
        note: &Note,
        entities: &[Entity],
    ) -> Frame<'a> {
        let calendar = Calendar::new(streams, scope, settings.dates);
        let dated = |label| {
            entities
                .iter()
                .filter(move |e| e.label == label)
                .filter_map(|e| full_date(note, e))
                .collect::<Vec<_>>()
        };
        let birth = note.known.birth_date.or_else(|| dated(Label::BirthDate).first().copied());
        let reference = note.date.or_else(|| dated(Label::Date).into_iter().max());
        let old_age = i64::from(settings.old_age);
        let pooled_birth =
            birth.zip(reference).filter(|&(b, r)| years_between(b, r) >= old_age).and_then(|(_, r)| {
                let into_year = streams.draw(Purpose::BirthDay, scope, "").within(1, 360);
                let day = calendar.map(r)?;
                day.checked_sub(old_age.years()).and_then(|d| d.checked_sub(into_year.days())).ok()
            });
        Frame { calendar, reference, birth, old_age, language: note.language, pooled_birth }
    }

    pub(crate) fn birth(&self) -> Option<Date> {
        self.birth
    }

    pub(crate) fn reference(&self) -> Option<Date> {
        self.reference
    }

    pub(crate) fn map(&self, day: Date) -> Option<Date> {
        self.calendar.map(day)
    }

    /// The moved birth date, pooled for the very old.
    pub(crate) fn map_birth(&self, day: Date) -> Option<Date> {
        match self.pooled_birth {
            Some(pooled) if self.birth == Some(day) => Some(pooled),
            _ => self.map(day),
        }
    }

    /// The age of somebody `years` old, when both ends have moved.
    fn age(&self, years: i64) -> i64 {
        let moved = |from: Date, to: Date| Some(years_between(self.map(from)?, self.map(to)?));
        let half = |d: Date| d.checked_add(182.days()).ok();
        let new = match (self.birth, self.reference) {
            (Some(b), Some(r)) if years_between(b, r) == years => moved(b, r),
            (Some(b), _) => b.checked_add(years.years()).ok().and_then(half).and_then(|then| moved(b, then)),
            (None, Some(r)) => r
                .checked_sub(years.years())
                .and_then(|d| d.checked_sub(182.days()))
                .ok()
                .and_then(|b| moved(b, r)),
            (None, None) => None,
        };
        new.filter(|&n| n >= 0).unwrap_or(years)
    }

    /// A duration that ends (or begins) at the document's date.
    fn duration(&self, n: i64, unit: Unit) -> i64 {
        let moved = || {
            let end = self.reference?;
            let start = end.checked_sub(unit.span(n)?).ok()?;
            let days = self.map(start)?.until(self.map(end)?).ok()?.get_days();
            Some((f64::from(days) / unit.days()).round() as i64)
        };
        moved().filter(|&m| m > 0 || n == 0).unwrap_or(n)
    }

    /// `74 ans` in the moved frame; `after` is the text that follows the entity, where the unit may stand.
    pub(crate) fn age_text(&self, text: &str, after: &str) -> Option<String> {
        let mut pooled = false;
        let new = self.numbers(text, after, |n, unit| match unit {
            None | Some(Unit::Year) => {
                let age = self.age(n);
                if n >= self.old_age || age >= self.old_age {
                    pooled = true;
                    self.old_age
                } else {
                    age
                }
            }
            // Months and days of the very young say no more than the dates around them.
            Some(_) => n,
        })?;
        Some(match pooled {
            false => new,
            true if text.trim_end().ends_with(|c: char| c.is_ascii_digit()) => format!("{}+", new.trim_end()),
            true => match self.language {
                Language::Fr => format!("{new} ou plus"),
                Language::Es => format!("{new} o más"),
            },
        })
    }

    /// `il y a 15 ans` in the moved frame. Words without a number ("hier") hold in any frame.
    pub(crate) fn relative_text(&self, text: &str, after: &str) -> Option<String> {
        if !text.chars().any(|c| c.is_ascii_digit()) {
            return Some(text.to_owned());
        }
        self.numbers(text, after, |n, unit| match unit {
            Some(Unit::Year) if n >= self.old_age => self.old_age,
            Some(unit) => self.duration(n, unit),
            None if (1850..=2150).contains(&n) => {
                let middle = jiff::civil::Date::new(n as i16, 7, 1).ok().and_then(|d| self.map(d));
                middle.map_or(0, |d| i64::from(d.year()))
            }
            None => n,
        })
    }

    /// Rewrites each run of digits with its unit, the next word. `None` without digits or with too many.
    fn numbers(
        &self,
        text: &str,
        after: &str,
        mut change: impl FnMut(i64, Option<Unit>) -> i64,
    ) -> Option<String> {
        let mut out = String::with_capacity(text.len() + 8);
        let mut rest = text;
        let mut any = false;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            out.push_str(&rest[..start]);
            let end = rest[start..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| start + n);
            let n: i64 = rest[start..end].parse().ok().filter(|n| *n < 10_000)?;
            rest = &rest[end..];
            let unit =
                first_unit(rest).or_else(|| if rest.trim().is_empty() { first_unit(after) } else { None });
            // `70-75 ans`, `entre 70 et 75 ans`: the unit of the last number is everybody's.
            let unit = unit.or_else(|| rest.split(|c: char| !c.is_alphabetic()).find_map(Unit::of));
            out.push_str(&change(n, unit).to_string());
            any = true;
        }
        out.push_str(rest);
        any.then_some(out)
    }
}

fn first_unit(text: &str) -> Option<Unit> {
    let text = text.trim_start_matches([' ', '\u{a0}']);
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    Unit::of(&text[..end])
}

fn full_date(_note: &Note, _entity: &Entity) -> Option<Date> {
    None
}
