//! Whether a note speaks of somebody very old, from all that it tells: a birth date or year, an age, a social security
//! number, "à l'âge de 7 ans en 1929". The ages of the very old are pooled, and one piece that is not would undo the rest.

use std::collections::BTreeMap;

use jiff::civil::Date;
use taire_text::date::Precision;
use taire_text::{Entity, Label, Note, fold};

use crate::counts::{Unit, numbers};
use crate::national::Nir;
use crate::numbers::compact;
use crate::written::{Written, dates_of};

/// What a note tells of the year its patient was born in, where it holds no whole birth date.
pub(crate) struct BirthEvidence {
    /// Years of birth, one for each piece of evidence.
    years: Vec<i64>,
    /// The day that an age belongs to, by the entity of the age.
    tied: BTreeMap<usize, Date>,
}

impl BirthEvidence {
    pub(crate) fn read(
        note: &Note,
        entities: &[Entity],
        dates: &[Written],
        reference: Option<Date>,
    ) -> BirthEvidence {
        let mut evidence = BirthEvidence { years: Vec::new(), tied: BTreeMap::new() };
        for written in dates.iter().filter(|d| d.birth && d.surface.precision() == Precision::Year) {
            evidence.years.extend(written.day.map(|day| i64::from(day.year())));
        }
        for (i, entity) in entities.iter().enumerate() {
            let text = note.to_norm(entity.span).of(note.norm());
            match entity.label {
                Label::Age => {
                    let day = date_beside(note, entities, dates, i);
                    evidence.tied.extend(day.map(|day| (i, day)));
                    let year = day.or(reference).map(|d| i64::from(d.year()));
                    evidence.years.extend(year.zip(age_in_years(note, entity, text)).map(|(y, age)| y - age));
                }
                Label::SocialSecurity => {
                    let born = Nir::of(&compact(text)).map(|nir| i64::from(nir.born().0));
                    evidence.years.extend(born.zip(reference).and_then(|(year, r)| only_century(year, r)));
                }
                _ => {}
            }
        }
        evidence
    }

    /// Whether somebody born in one of the years is of an age at a day.
    pub(crate) fn reaches(&self, age: i64, day: Date) -> bool {
        self.years.iter().any(|year| i64::from(day.year()) - year >= age)
    }

    /// The day an age belongs to, where the text says so.
    pub(crate) fn day_of_age(&self, entity: usize) -> Option<Date> {
        self.tied.get(&entity).copied()
    }
}

/// The date right behind an age, with a small word between: `7 ans en 1929`.
fn date_beside(note: &Note, entities: &[Entity], dates: &[Written], age: usize) -> Option<Date> {
    let next = entities.get(age + 1).filter(|e| e.label == Label::Date)?;
    let gap = note.norm().get(note.to_norm(entities[age].span).end()..note.to_norm(next.span).start())?;
    let words: String = fold(gap).chars().filter(|c| c.is_alphanumeric()).collect();
    let small =
        matches!(words.as_str(), "" | "en" | "le" | "el" | "in" | "ans" | "ansen" | "anos" | "anosen");
    dates_of(dates, age + 1).first().filter(|_| small)?.day
}

fn age_in_years(note: &Note, entity: &Entity, text: &str) -> Option<i64> {
    let after = &note.norm()[note.to_norm(entity.span).end()..];
    let mut age = None;
    numbers(text, after, |n, unit| {
        if matches!(unit, None | Some(Unit::Year)) {
            age = age.max(Some(n));
        }
        Some(n)
    })?;
    age.filter(|&n| n < 130)
}

/// The year of birth that two digits tell: none where both centuries lie before the day.
fn only_century(two_digits: i64, day: Date) -> Option<i64> {
    let this = i64::from(day.year()) / 100 * 100 + two_digits;
    (this > i64::from(day.year())).then_some(this - 100)
}
