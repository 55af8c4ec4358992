//! Dates, ages and relative dates of one note, moved in one frame so that they still agree.
//!
//! A date is moved by the scope's calendar and printed in its own surface. An age is recomputed between the moved
//! birth date and the moved date it belongs to; from `old_age` on it is pooled, and so is the birth date, which
//! moves to the pooled age, with everything that would lie before it (`old_age`). Under `ldp` and `metric` the same numbers are
//! looked up in the document's sequence instead, and what is not in it has no surrogate. An age that the birth date tells, in
//! whatever unit, is counted from the released birth date.

use jiff::ToSpan;
use jiff::civil::Date;
use taire_privacy::Unit as Count;
use taire_text::date::{Precision, lapse};
use taire_text::{Entity, Label, Language, Note};

use crate::account::Account;
use crate::actions::DateWidth;
use crate::calendar::{Calendar, number, years_between};
use crate::counts::{Unit, elapsed, numbers, ratio};
use crate::key::{Purpose, Scope, Streams};
use crate::old_age::BirthEvidence;
use crate::sequence::{Drawing, Element, Place, Sequence, Track};
use crate::settings::{Dates, Settings};
use crate::wider;
use crate::written::{ANY_DAY, Written, dates_of, read_dates};

/// Which documents share what of their time.
#[derive(Clone, Copy)]
pub(crate) struct FrameScopes<'a> {
    /// The calendar.
    pub(crate) calendar: Scope<'a>,
    /// The sequence of `ldp` and `metric`.
    pub(crate) document: Scope<'a>,
    /// Under these, the patient whose birth date is drawn once.
    pub(crate) person: Option<Scope<'a>>,
}

/// What the time of a note is moved by.
pub(crate) struct FrameContext<'a> {
    pub(crate) streams: &'a Streams,
    pub(crate) scopes: FrameScopes<'a>,
    pub(crate) settings: &'a Settings,
    pub(crate) account: &'a Account,
}

/// The time of one note.
pub(crate) struct Frame {
    calendar: Calendar,
    /// The date of the document, in the original.
    reference: Option<Date>,
    birth: Option<Date>,
    old_age: i64,
    language: Language,
    /// The birth date of everybody of `old_age` or more.
    pooled_birth: Option<Date>,
    /// Whether the patient is.
    old: bool,
    evidence: BirthEvidence,
    dates: Vec<Written>,
    method: Dates,
    /// Dates do not move, so ages and durations stay true.
    stays: bool,
    /// Under `ldp` and `metric`; empty when the budget refused it.
    sequence: Option<Sequence>,
    refused: bool,
    /// Where a birth date goes that the document does not hold.
    stray_birth: i64,
}

impl Frame {
    pub(crate) fn new(context: &FrameContext<'_>, note: &Note, entities: &[Entity]) -> Frame {
        let &FrameContext { streams, scopes, settings, account } = context;
        let scope = scopes.calendar;
        let calendar = Calendar::new(streams, scope, settings.dates);
        let (dates, letter) = read_dates(note, entities);
        let complete = |birth: bool| {
            dates.iter().filter(move |d| d.birth == birth && d.year_written).filter_map(|d| d.day)
        };
        let birth = note.known.birth_date.or_else(|| complete(true).next());
        let reference = note.date.or(letter).or_else(|| complete(false).max());
        // A sequence needs a day to count from; without any, all are the same.
        let any_day = settings.dates.by_document().then_some(ANY_DAY);
        let reference = reference.or(any_day);
        let old_age = i64::from(settings.old_age);
        let pooled_birth = reference.and_then(|r| {
            let into_year = streams.draw(Purpose::BirthDay, scope, "").within(1, 360);
            let day = calendar.map(r)?;
            day.checked_sub(old_age.years()).and_then(|d| d.checked_sub(into_year.days())).ok()
        });
        let old = |b: Date, r: Date| years_between(b, r) >= old_age;
        let evidence = BirthEvidence::read(note, entities, &dates, reference);
        let mut frame = Frame {
            calendar,
            reference,
            birth,
            old_age,
            language: note.language,
            pooled_birth,
            old: false,
            evidence,
            dates,
            method: settings.dates,
            stays: settings.dates_stay(),
            sequence: None,
            refused: false,
            stray_birth: 0,
        };
        if settings.dates.by_document() {
            frame.stray_birth = streams.draw(Purpose::BirthDay, scope, "stray").within(20 * 365, 80 * 365);
            let elements = frame.elements(note, entities);
            let birth = frame.birth.and_then(|day| frame.place_of_date(day, Precision::Day, true));
            let drawn = reference.and_then(|reference| {
                let FrameScopes { document, person, .. } = scopes;
                let drawing = Drawing { streams, document, person, dates: settings.dates, reference, birth };
                drawing.sequence(&elements)
            });
            let drawn = drawn.unwrap_or_default();
            frame.refused = !account.spend(drawn.releases());
            frame.sequence = Some(if frame.refused { Sequence::default() } else { drawn });
        }
        // Under a sequence the released age decides: the true one would tell more than was paid for.
        frame.old = match (&frame.sequence, birth) {
            (Some(_), _) => {
                let ends = birth
                    .and_then(|b| frame.released_birth(b))
                    .zip(reference.and_then(|r| frame.calendar.map(r)));
                ends.is_some_and(|(b, r)| old(b, r))
            }
            (None, Some(b)) => reference.is_some_and(|r| old(b, r)),
            (None, None) => reference.is_some_and(|r| frame.evidence.reaches(old_age, r)),
        };
        // Even a pooled date does not keep its value.
        if frame.sequence.is_none() && birth.is_some() && birth == frame.pooled_birth {
            frame.pooled_birth = birth.and_then(|day| day.yesterday().ok());
        }
        frame
    }

    /// Whether the patient is of the age from which ages are pooled.
    pub(crate) fn is_patient_old(&self) -> bool {
        self.old
    }

    /// Whether somebody born that day is. A year alone counts as reached when it may have been.
    fn is_old_birth(&self, day: Date) -> bool {
        let Some(reference) = self.reference.filter(|_| self.sequence.is_none()) else {
            return self.old && self.birth == Some(day);
        };
        let by_year = i64::from(reference.year()) - i64::from(day.year()) >= self.old_age;
        years_between(day, reference) >= self.old_age || (self.old && self.birth != Some(day) && by_year)
    }

    /// A released day of birth, pooled where it would tell an age from `old_age` on.
    fn pool_released_birth(&self, day: Date) -> Date {
        let to = self.reference.and_then(|r| self.calendar.map(r));
        let old = to.is_some_and(|to| years_between(day, to) >= self.old_age);
        self.pooled_birth.filter(|_| old).unwrap_or(day)
    }

    /// Nothing happens before a birth that was pooled.
    fn after_birth(&self, day: Date) -> Date {
        self.pooled_birth.filter(|_| self.old).map_or(day, |birth| day.max(birth))
    }

    /// Whether the budget refused the document's sequence.
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }

    fn years_only(&self) -> bool {
        self.method == Dates::Year
    }

    /// Everything of the document that its sequence must hold.
    fn elements(&self, note: &Note, entities: &[Entity]) -> Vec<Element> {
        let mut out = Vec::new();
        let mut add = |place: Option<Place>, label: Label| {
            out.extend(place.map(|place| Element { place, label }));
        };
        for written in &self.dates {
            let label = if written.birth { Label::BirthDate } else { Label::Date };
            let precision = written.surface.precision();
            add(written.day.and_then(|d| self.place_of_date(d, precision, written.birth)), label);
        }
        let counts_from_birth = |e: &Entity| matches!(e.label, Label::Age | Label::SocialSecurity);
        if let Some(birth) = self.birth.filter(|_| entities.iter().any(counts_from_birth)) {
            add(self.place_of_date(birth, Precision::Day, true), Label::BirthDate);
        }
        for entity in entities.iter().filter(|e| matches!(e.label, Label::Age | Label::RelativeDate)) {
            let span = note.to_norm(entity.span);
            let (text, after) = (span.of(note.norm()), &note.norm()[span.end()..]);
            let written = lapses(text, after, note.language);
            if entity.label == Label::Age {
                let ages: Vec<_> = written.iter().map(|(n, unit)| (*n, unit.unwrap_or(Unit::Year))).collect();
                match whole_age(&ages) {
                    Some((n, unit)) => add(self.place_of_age(n, unit), entity.label),
                    None => ages.iter().for_each(|&(n, unit)| add(self.place_of_age(n, unit), entity.label)),
                }
                continue;
            }
            for (n, unit) in written {
                let place = unit.map_or_else(|| self.place_of_year(n), |unit| self.place_of_lapse(n, unit));
                add(place, entity.label);
            }
        }
        out
    }

    /// How far back a day is: `metric` counts it in the unit it was written in.
    fn distance(&self, day: Date, precision: Precision) -> Option<(Count, i64)> {
        let from = self.reference?;
        let years = i64::from(from.year()) - i64::from(day.year());
        Some(match (self.method, precision) {
            (Dates::Metric { .. }, Precision::Month) => {
                (Count::Month, 12 * years + i64::from(from.month()) - i64::from(day.month()))
            }
            (Dates::Metric { .. }, Precision::Year) => (Count::Year, years),
            _ => (Count::Day, number(from) - number(day)),
        })
    }

    /// Where a date is in the sequence. What tells the patient's birth, however exactly, is the birth date.
    fn place_of_date(&self, day: Date, precision: Precision, birth: bool) -> Option<Place> {
        let own = self.birth.filter(|own| {
            let agrees = match precision {
                Precision::Year => own.year() == day.year(),
                Precision::Month => (own.year(), own.month()) == (day.year(), day.month()),
                _ => *own == day,
            };
            // The document's own date stays so, whoever was born on it.
            (*own == day && self.reference != Some(day)) || (birth && agrees)
        });
        let (unit, back) = match own {
            Some(own) => self.distance(own, Precision::Day)?,
            None => self.distance(day, precision)?,
        };
        let track = if birth || own.is_some() { Track::Life(unit) } else { Track::Event(unit) };
        Some((track, back))
    }

    fn place_of_lapse(&self, n: i64, unit: Unit) -> Option<Place> {
        if matches!(self.method, Dates::Metric { .. }) {
            return Some((Track::Event(unit.count()), n));
        }
        let day = self.reference?.checked_sub(unit.span(n)?).ok()?;
        let (unit, back) = self.distance(day, Precision::Day)?;
        Some((Track::Event(unit), back))
    }

    /// An age that the birth date tells needs nothing more than the birth date.
    fn place_of_age(&self, n: i64, unit: Unit) -> Option<Place> {
        match (self.method, self.birth.filter(|_| self.is_told(n, unit))) {
            (_, Some(birth)) => self.place_of_date(birth, Precision::Day, true),
            (Dates::Metric { .. }, None) => Some((Track::Life(unit.count()), n)),
            // The middle of the time in which somebody is of that age.
            _ => Some((Track::Life(Count::Day), ((n as f64 + 0.5) * unit.days()) as i64)),
        }
    }

    fn place_of_year(&self, n: i64) -> Option<Place> {
        let year = i16::try_from(n).ok().filter(|y| (1850..=2150).contains(y))?;
        self.place_of_date(Date::new(year, 7, 1).ok()?, Precision::Year, false)
    }

    /// Whether an age is the one that the birth date gives on the document's date. Letters give it as of the stay, or rounded:
    /// one off is the same age, but in small numbers, where it may be another time.
    fn is_told(&self, n: i64, unit: Unit) -> bool {
        let slack = i64::from(n >= 12 && matches!(unit, Unit::Year | Unit::Month));
        self.birth.zip(self.reference).is_some_and(|(b, r)| (elapsed(b, r, unit) - n).abs() <= slack)
    }

    /// What the sequence made of an element.
    fn moved(&self, place: Place) -> Option<i64> {
        self.sequence.as_ref()?.get(place)
    }

    /// The day an element of the sequence is now.
    fn day_of(&self, place: Place) -> Option<Date> {
        let to = self.calendar.map(self.reference?)?;
        let new = self.moved(place)?;
        let day = match place.0.unit() {
            Count::Year => Date::new(i16::try_from(i64::from(to.year()) - new).ok()?, 7, 1),
            Count::Month => to.checked_sub(jiff::Span::new().try_months(new).ok()?),
            _ => to.checked_sub(jiff::Span::new().try_days(new).ok()?),
        };
        match place.0 {
            Track::Life(_) => day.ok(),
            Track::Event(_) => day.ok().map(|day| self.after_birth(day)),
        }
    }

    /// The patient's birth by the sequence, before it is pooled.
    fn released_birth(&self, birth: Date) -> Option<Date> {
        self.day_of(self.place_of_date(birth, Precision::Day, true)?)
    }

    /// Ages by the sequence alone; never a number as it was written.
    fn released_ages(&self, ages: &[(i64, Unit)]) -> Option<Vec<i64>> {
        let Some((whole, fine)) = whole_age(ages) else {
            return ages.iter().map(|&(n, unit)| self.released_age(n, unit)).collect();
        };
        let coarse = ages[0].1;
        if let Some(birth) = self.birth.filter(|_| self.is_told(whole, fine)) {
            let (from, to) = (self.map_birth(birth)?, self.calendar.map(self.reference?)?);
            let major = elapsed(from, to, coarse).max(0);
            let rest = from.checked_add(coarse.span(major)?).ok()?;
            return Some(vec![major, elapsed(rest, to, fine).max(0)]);
        }
        let (whole, ratio) = (self.released_age(whole, fine)?, ratio(coarse, fine)?);
        Some(vec![whole / ratio, whole % ratio])
    }

    fn released_age(&self, n: i64, unit: Unit) -> Option<i64> {
        if let Some(birth) = self.birth.filter(|_| self.is_told(n, unit)) {
            let to = self.calendar.map(self.reference?)?;
            return Some(elapsed(self.map_birth(birth)?, to, unit).max(0));
        }
        let place = self.place_of_age(n, unit)?;
        let new = self.moved(place)?.max(0);
        let counted = place.0.unit() == unit.count();
        Some(if counted { new } else { (new as f64 / unit.days()).floor() as i64 })
    }

    fn released_lapse(&self, n: i64, unit: Unit) -> Option<i64> {
        let place = self.place_of_lapse(n, unit)?;
        let new = self.moved(place)?.max(0);
        if place.0.unit() == unit.count() {
            return Some(new.max(1));
        }
        let rounded = (new as f64 / unit.days()).round() as i64;
        let limit = self.sequence.as_ref()?.limit(place);
        let most = limit.map_or(i64::MAX, |limit| (limit as f64 / unit.days()).floor() as i64);
        Some(rounded.min(most).max(1))
    }

    /// Whether an entity holds a date that was read.
    pub(crate) fn reads(&self, entity: usize) -> bool {
        !self.dates_of(entity).is_empty()
    }

    /// The dates of one entity; all of them are in the order of the entities.
    fn dates_of(&self, entity: usize) -> &[Written] {
        dates_of(&self.dates, entity)
    }

    /// A date, or several in one entity, moved and printed in their own surface. `None` if any part cannot be read.
    pub(crate) fn date_text(&self, entity: usize, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len() + 8);
        let mut from = 0;
        let mut any = false;
        for written in self.dates_of(entity) {
            let day = written.day?;
            let precision = written.surface.precision();
            let new = match &self.sequence {
                Some(_) if self.birth != Some(day) || !self.old => {
                    let new = self.day_of(self.place_of_date(day, precision, written.birth)?)?;
                    Some(if written.birth { self.pool_released_birth(new) } else { new })
                }
                _ if written.birth => self.map_birth(day),
                _ => self.map(day),
            }?;
            let printed = if self.years_only() {
                // The birth year of the very old would tell their age, and so would their school years.
                let early = self.reference.is_some_and(|r| i64::from(r.year() - day.year()) >= self.old_age);
                if (written.birth && self.is_old_birth(day)) || (self.old && early) {
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
        let between = self.dates_of(entity).iter().filter_map(|d| d.range.clone());
        let mut end = 0;
        for range in between {
            if left(&text[end..range.start]) {
                return None;
            }
            end = range.end;
        }
        (any && !left(&text[end..])).then_some(out)
    }

    /// Whether an entity begins with the name of a season, which its article must agree with.
    pub(crate) fn begins_with_season(&self, entity: usize) -> bool {
        self.dates_of(entity).first().is_some_and(|d| d.surface.begins_with_season())
    }

    /// Whether the dot behind an entity was a shortened month's that is not shortened any more.
    pub(crate) fn loses_its_dot(&self, entity: usize, new: &str) -> bool {
        self.dates_of(entity).last().is_some_and(|d| d.surface.loses_its_dot(new))
    }

    /// What `generalise` leaves of an entity's only date; `None` where no year is known.
    pub(crate) fn wider_date(&self, entity: usize, width: DateWidth) -> Option<String> {
        let mut dates = self.dates_of(entity).iter();
        let written = dates.next().filter(|d| !d.year_unknown)?;
        let day = written.day.filter(|_| dates.next().is_none())?;
        if written.birth
            && self.is_old_birth(day)
            && let Some(last) = self.last_pooled_year()
        {
            return Some(wider::year_or_before(last, self.language));
        }
        match (width, written.surface.precision()) {
            (DateWidth::Month, Precision::Day | Precision::Month) => wider::month(day, self.language),
            _ => Some(day.year().to_string()),
        }
    }

    /// Where the patient is so old that the year of birth would tell the age: the last year that is pooled.
    fn last_pooled_year(&self) -> Option<i64> {
        let reference = self.reference.filter(|_| self.pooled_birth.is_some())?;
        Some(i64::from(reference.year()) - self.old_age)
    }

    /// The band of an age, in years whatever its unit; `after` is the text that follows the entity.
    pub(crate) fn wider_age(&self, text: &str, after: &str, band: u16) -> Option<String> {
        let mut days = None;
        if text.bytes().any(|b| b.is_ascii_digit()) {
            numbers(text, after, |n, unit| {
                days.get_or_insert(n as f64 * unit.unwrap_or(Unit::Year).days());
                Some(n)
            })?;
        } else {
            let lapse = lapse::parse(text, self.language)?;
            days = Some(f64::from(lapse.value) * Unit::of_lapse(lapse.unit).days());
        }
        // A whole number of years is not rounded below itself.
        let years = (days? / Unit::Year.days() + 1e-6).floor() as i64;
        let unit_follows = !text.chars().any(char::is_alphabetic);
        wider::age(years, i64::from(band), self.old_age, unit_follows, self.language)
    }

    pub(crate) fn birth(&self) -> Option<Date> {
        self.birth
    }

    pub(crate) fn reference(&self) -> Option<Date> {
        self.reference
    }

    pub(crate) fn map(&self, day: Date) -> Option<Date> {
        match self.sequence {
            Some(_) => self.day_of(self.place_of_date(day, Precision::Day, false)?),
            None => self.calendar.map(day).map(|new| self.after_birth(new)),
        }
    }

    /// The moved birth date, pooled for the very old.
    pub(crate) fn map_birth(&self, day: Date) -> Option<Date> {
        match self.pooled_birth {
            Some(pooled) if self.is_old_birth(day) => Some(pooled),
            _ if self.sequence.is_some() && self.birth != Some(day) => {
                let to = self.calendar.map(self.reference?)?;
                to.checked_sub(jiff::Span::new().try_days(self.stray_birth).ok()?).ok()
            }
            _ if self.sequence.is_some() => self.released_birth(day),
            _ => self.map(day),
        }
    }

    /// The age of somebody `years` old, when both ends have moved by the calendar.
    fn age(&self, years: i64) -> Option<i64> {
        if self.stays {
            return Some(years);
        }
        // By the calendar alone: an age at some unknown time tells no birth.
        let moved =
            |from: Date, to: Date| Some(years_between(self.calendar.map(from)?, self.calendar.map(to)?));
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
        Some(new.filter(|&n| n >= 0).unwrap_or(years))
    }

    /// A duration that ends (or begins) at the document's date.
    fn duration(&self, n: i64, unit: Unit) -> Option<i64> {
        if self.sequence.is_some() {
            return self.released_lapse(n, unit);
        }
        let moved = || {
            let end = self.reference.filter(|_| !self.stays)?;
            let start = end.checked_sub(unit.span(n)?).ok()?;
            let days = self.map(start)?.until(self.map(end)?).ok()?.get_days();
            Some((f64::from(days) / unit.days()).round() as i64)
        };
        Some(moved().filter(|&m| m > 0 || n == 0).unwrap_or(n))
    }

    /// `74 ans` in the moved frame; `after` is the text that follows the entity, where the unit may stand.
    pub(crate) fn age_text(&self, entity: usize, text: &str, after: &str) -> Option<String> {
        if let Some(day) = self.evidence.day_of_age(entity).filter(|_| self.old && self.sequence.is_none()) {
            return self.age_on_day(day, text, after);
        }
        if !text.chars().any(|c| c.is_ascii_digit()) {
            return self.spelt_age(text);
        }
        let mut pooled = false;
        let mut released = match self.sequence {
            Some(_) => {
                let ages = lapses(text, after, self.language);
                let ages: Vec<_> =
                    ages.into_iter().map(|(n, unit)| (n, unit.unwrap_or(Unit::Year))).collect();
                Some(self.released_ages(&ages)?.into_iter())
            }
            None => None,
        };
        let new = numbers(text, after, |n, unit| {
            let years = matches!(unit, None | Some(Unit::Year));
            let age = match (&mut released, unit) {
                (Some(released), _) => released.next()?,
                (None, Some(unit)) if !years => self.young(n, unit)?,
                (None, _) => self.age(n)?,
            };
            if years && self.is_old(n, age) {
                pooled = true;
                return Some(self.old_age);
            }
            Some(age)
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

    /// `7 ans` of `7 ans en 1929` for the very old: date and age together would tell the birth, so the age is counted from the
    /// pooled one. `None` where it had not been born.
    fn age_on_day(&self, day: Date, text: &str, after: &str) -> Option<String> {
        if self.years_only() {
            return None;
        }
        let new = years_between(self.pooled_birth?, self.calendar.map(day)?);
        let pooled = |_, unit| (matches!(unit, None | Some(Unit::Year)) && new >= 0).then_some(new);
        match numbers(text, after, pooled) {
            Some(age) if new < self.old_age => Some(age),
            _ => None,
        }
    }

    /// The age of a small child in months, weeks or days, if it is the one at the document's date.
    fn young(&self, n: i64, unit: Unit) -> Option<i64> {
        let ends = self.birth.zip(self.reference).filter(|_| !self.stays);
        let told = ends.filter(|&(b, r)| elapsed(b, r, unit) == n);
        let moved = told.and_then(|(b, r)| Some(elapsed(self.map_birth(b)?, self.map(r)?, unit)));
        Some(moved.unwrap_or(n).max(0))
    }

    /// Whether an age is pooled. What a mechanism released is judged by itself alone.
    fn is_old(&self, written: i64, new: i64) -> bool {
        new >= self.old_age || (self.sequence.is_none() && written >= self.old_age)
    }

    /// `soixante-quatorze ans`, `octogénaire`: an age in letters.
    fn spelt_age(&self, text: &str) -> Option<String> {
        let lapse = lapse::parse(text, self.language)?;
        let (old, unit) = (i64::from(lapse.value), Unit::of_lapse(lapse.unit));
        let minor = lapse.minor.map(|(n, unit)| (i64::from(n), Unit::of_lapse(unit)));
        let (new, new_minor) = match (&self.sequence, unit) {
            (Some(_), _) => {
                let ages: Vec<_> = std::iter::once((old, unit)).chain(minor).collect();
                let new = self.released_ages(&ages)?;
                (*new.first()?, new.get(1).copied())
            }
            (None, Unit::Year) => (self.age(old)?, minor.map(|m| m.0)),
            (None, _) if minor.is_some() => return self.spelt_lapse(&lapse),
            (None, _) => (self.young(old, unit)?, None),
        };
        if unit == Unit::Year && self.is_old(old, new) {
            return Some(match self.language {
                Language::Fr => format!("{} ans ou plus", self.old_age),
                Language::Es => format!("{} años o más", self.old_age),
            });
        }
        let new_minor = new_minor.and_then(|n| u16::try_from(n).ok());
        Some(lapse.surface.print(u16::try_from(new).ok()?, new_minor))
    }

    /// A distance in letters, as the frame has it.
    fn spelt_lapse(&self, lapse: &lapse::Lapse) -> Option<String> {
        let moved = |n: u16, unit| u16::try_from(self.duration(i64::from(n), Unit::of_lapse(unit))?).ok();
        let minor = match lapse.minor {
            Some((n, unit)) => Some(moved(n, unit)?),
            None => None,
        };
        Some(lapse.surface.print(moved(lapse.value, lapse.unit)?, minor))
    }

    /// `il y a 15 ans` in the moved frame. Words without a number ("hier") hold in any frame.
    pub(crate) fn relative_text(&self, text: &str, after: &str) -> Option<String> {
        if !text.chars().any(|c| c.is_ascii_digit()) {
            let lapse = lapse::parse(text, self.language);
            return lapse.map_or_else(|| Some(text.to_owned()), |lapse| self.spelt_lapse(&lapse));
        }
        numbers(text, after, |n, unit| match unit {
            Some(Unit::Year) if n >= self.old_age && self.sequence.is_none() => Some(self.old_age),
            Some(unit) => self.duration(n, unit),
            None if self.sequence.is_some() => {
                self.day_of(self.place_of_year(n)?).map(|d| i64::from(d.year()))
            }
            None if (1850..=2150).contains(&n) => {
                let middle = jiff::civil::Date::new(n as i16, 7, 1).ok().and_then(|d| self.map(d));
                Some(middle.map_or(0, |d| i64::from(d.year())))
            }
            None => Some(n),
        })
    }
}

/// The numbers of an age or a distance in time with their units, in digits or in letters.
fn lapses(text: &str, after: &str, language: Language) -> Vec<(i64, Option<Unit>)> {
    let mut out = Vec::new();
    if text.bytes().any(|b| b.is_ascii_digit()) {
        numbers(text, after, |n, unit| {
            out.push((n, unit));
            Some(n)
        });
    } else if let Some(lapse) = lapse::parse(text, language) {
        out.push((i64::from(lapse.value), Some(Unit::of_lapse(lapse.unit))));
        out.extend(lapse.minor.map(|(n, unit)| (i64::from(n), Some(Unit::of_lapse(unit)))));
    }
    out
}

/// `3 ans et 2 mois` is one age, of 38 months; `70 à 75 ans` is two.
fn whole_age(ages: &[(i64, Unit)]) -> Option<(i64, Unit)> {
    let &[(major, coarse), (minor, fine)] = ages else { return None };
    let ratio = ratio(coarse, fine).filter(|ratio| minor < *ratio)?;
    Some((major * ratio + minor, fine))
}
