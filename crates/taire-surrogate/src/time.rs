//! Dates, ages and relative dates of one note, moved in one frame so that they still agree.
//!
//! A date is moved by the scope's calendar and printed in its own surface. An age is recomputed between the moved
//! birth date and the moved date it belongs to; from `old_age` on it is pooled, and so is the birth date, which
//! moves to the pooled age.

use std::ops::Range;

use jiff::ToSpan;
use jiff::civil::Date;
use taire_text::date::{self, Partial, Slot, Surface, lapse};
use taire_text::{Entity, Label, Language, Note, tokenise};

use crate::calendar::{Calendar, years_between};
use crate::key::{Purpose, Scope, Streams};
use crate::settings::{Dates, Settings};

/// The time of one note.
pub(crate) struct Frame<'a> {
    calendar: Calendar<'a>,
    /// The date of the document, in the original.
    reference: Option<Date>,
    birth: Option<Date>,
    old_age: i64,
    language: Language,
    pooled_birth: Option<Date>,
    dates: Vec<Written>,
    years_only: bool,
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
        let dates = read_dates(note, entities);
        let complete = |birth: bool| {
            dates.iter().filter(move |d| d.birth == birth && d.year_written).filter_map(|d| d.day)
        };
        let birth = note.known.birth_date.or_else(|| complete(true).next());
        let reference = note.date.or_else(|| complete(false).max());
        let old_age = i64::from(settings.old_age);
        let pooled_birth =
            birth.zip(reference).filter(|&(b, r)| years_between(b, r) >= old_age).and_then(|(_, r)| {
                let into_year = streams.draw(Purpose::BirthDay, scope, "").within(1, 360);
                let day = calendar.map(r)?;
                day.checked_sub(old_age.years()).and_then(|d| d.checked_sub(into_year.days())).ok()
            });
        Frame {
            calendar,
            reference,
            birth,
            old_age,
            language: note.language,
            pooled_birth,
            dates,
            years_only: settings.dates == Dates::Year,
        }
    }

    /// A date, or several in one entity, moved and printed in their own surface. `None` if any part cannot be read.
    pub(crate) fn date_text(&self, entity: usize, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len() + 8);
        let mut from = 0;
        let mut any = false;
        for written in self.dates.iter().filter(|d| d.entity == entity) {
            let day = written.day?;
            let new = if written.birth { self.map_birth(day) } else { self.map(day) }?;
            let printed = if self.years_only {
                // The birth year of the very old would tell their age.
                if written.birth && self.pooled_birth.is_some() {
                    return None;
                }
                day.year().to_string()
            } else {
                written.surface.print(new)
            };
            match &written.range {
                None => return Some(printed),
                Some(range) => {
                    out.push_str(&text[from..range.start]);
                    out.push_str(&printed);
                    from = range.end;
                }
            }
            any = true;
        }
        out.push_str(&text[from..]);
        let left = |t: &str| t.chars().any(|c| c.is_ascii_digit());
        let between = self.dates.iter().filter(|d| d.entity == entity).filter_map(|d| d.range.clone());
        let mut end = 0;
        for range in between {
            if left(&text[end..range.start]) {
                return None;
            }
            end = range.end;
        }
        (any && !left(&text[end..])).then_some(out)
    }

    /// The year of an entity's only date.
    pub(crate) fn year_text(&self, entity: usize) -> Option<String> {
        let mut dates = self.dates.iter().filter(|d| d.entity == entity);
        let year = dates.next()?.day?.year();
        dates.next().is_none().then(|| year.to_string())
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
        if self.years_only {
            return years;
        }
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
            let end = self.reference.filter(|_| !self.years_only)?;
            let start = end.checked_sub(unit.span(n)?).ok()?;
            let days = self.map(start)?.until(self.map(end)?).ok()?.get_days();
            Some((f64::from(days) / unit.days()).round() as i64)
        };
        moved().filter(|&m| m > 0 || n == 0).unwrap_or(n)
    }

    /// `74 ans` in the moved frame; `after` is the text that follows the entity, where the unit may stand.
    pub(crate) fn age_text(&self, text: &str, after: &str) -> Option<String> {
        if !text.chars().any(|c| c.is_ascii_digit()) {
            return self.spelt_age(text);
        }
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

    /// `soixante-quatorze ans`, `octogénaire`: an age in letters.
    fn spelt_age(&self, text: &str) -> Option<String> {
        let lapse = lapse::parse(text, self.language)?;
        if lapse.unit != lapse::Unit::Year {
            return Some(text.to_owned());
        }
        let (old, new) = (i64::from(lapse.value), self.age(i64::from(lapse.value)));
        if old >= self.old_age || new >= self.old_age {
            return Some(match self.language {
                Language::Fr => format!("{} ans ou plus", self.old_age),
                Language::Es => format!("{} años o más", self.old_age),
            });
        }
        Some(lapse.surface.print(u16::try_from(new).ok()?, lapse.minor.map(|(n, _)| n)))
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

/// One date inside an entity.
struct Written {
    entity: usize,
    /// Where in the entity's text; `None` when the surface prints the whole of it.
    range: Option<Range<usize>>,
    surface: Surface,
    /// The day it stands for, with what it lacks taken from its neighbours.
    day: Option<Date>,
    birth: bool,
    year_written: bool,
}

/// Reads the dates of all entities, then completes them from each other.
fn read_dates(note: &Note, entities: &[Entity]) -> Vec<Written> {
    let mut out = Vec::new();
    let mut slots = Vec::new();
    for (i, entity) in entities.iter().enumerate() {
        if !matches!(entity.label, Label::Date | Label::BirthDate) {
            continue;
        }
        let span = note.to_norm(entity.span);
        let text = span.of(note.norm());
        let birth = entity.label == Label::BirthDate;
        let mut add = |value: Partial, surface, range: Option<Range<usize>>| {
            let (start, end) = range
                .clone()
                .map_or((span.start(), span.end()), |r| (span.start() + r.start, span.start() + r.end));
            slots.push(Slot { value, start, end, birth });
            let year_written = value.year.is_some() && value.month.is_some();
            out.push(Written { entity: i, range, surface, day: None, birth, year_written });
        };
        if let Some((value, surface)) = date::parse(text, note.language) {
            add(value, surface, None);
            continue;
        }
        let mut found = Vec::new();
        date::find(text, &tokenise(text), note.language, &mut found);
        for one in found {
            add(one.value, one.surface, Some(one.span.range()));
        }
    }
    for (written, day) in out.iter_mut().zip(date::resolve(&slots, note.date)) {
        written.day = day;
    }
    // Nothing tells a year: any will do, the same for all.
    let missing: Vec<usize> = (0..out.len()).filter(|&i| out[i].day.is_none()).collect();
    if !missing.is_empty() {
        let alone: Vec<Slot> = missing.iter().map(|&i| slots[i]).collect();
        for (&i, day) in missing.iter().zip(date::resolve(&alone, Some(jiff::civil::date(2020, 7, 1)))) {
            out[i].day = day;
        }
    }
    out
}
