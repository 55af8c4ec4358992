//! From what was written to days of the calendar. Missing parts come from the date's coordinate ("du 3 au 5 mai"), from
//! a story that goes on ("opéré le 3/04/2012, sorti le 7/04"), then from the letter's own date.
//!
//! The letter's date is that of its metadata, else the one of its date line. A date without year lies on it or before
//! it, unless the words around it speak of what is to come; its week day, where it has one, must be right.

use jiff::civil::Date;

use super::sense::{Sense, letter_slot, sense, sentence_before};
use super::value::{Season, Third, Weekday};
use super::{Partial, Precision};

/// A date of a document, with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub value: Partial,
    /// Byte offsets in the text.
    pub start: usize,
    pub end: usize,
    /// A birth date: it lies in the past and lends nothing to its neighbours.
    pub birth: bool,
}

/// Dates this near are coordinates: `du 3 au 5 mai`, `entre mai et juillet 2005`.
const JOINED: usize = 16;
/// A story goes on no farther than this.
const NEAR: usize = 400;

/// The day everything is told from.
#[derive(Clone, Copy)]
struct Letter {
    day: Date,
    /// Metadata or a date line told it; else it is the last date of the text.
    sure: bool,
}

/// The date of a letter by its own words: its date line, or a key as `Date :`. `None` without one.
pub fn letter_date(text: &str, slots: &[Slot]) -> Option<Date> {
    let value = slots.get(letter_slot(text, slots)?)?.value;
    let reference =
        slots.iter().filter(|s| !s.value.two_digit_year && !s.birth).filter_map(|s| s.value.year).max();
    day_of(with_century(value, reference, false))
}

/// The last whole date of a text that is not one to come.
fn last_date(text: &str, slots: &[Slot], values: &[Partial]) -> Option<Date> {
    let whole = |v: &Partial| v.day.is_some() && v.month.is_some() && v.year.is_some();
    let days = slots.iter().zip(values).filter(|(s, v)| !s.birth && whole(v));
    let past = days.clone().filter(|(s, _)| !matches!(sense(text, s), Sense::Future | Sense::Appointment));
    past.filter_map(|(_, v)| day_of(*v)).max().or_else(|| days.filter_map(|(_, v)| day_of(*v)).min())
}

/// Completes the dates of one text, given in order. `None` where no year can be told.
pub fn resolve(text: &str, slots: &[Slot], document: Option<Date>) -> Vec<Option<Date>> {
    let told = document.or_else(|| letter_date(text, slots));
    let reference = told.map(|d| d.year()).or_else(|| {
        slots.iter().filter(|s| !s.value.two_digit_year && !s.birth).filter_map(|s| s.value.year).max()
    });
    let mut values: Vec<Partial> =
        slots.iter().map(|slot| with_century(slot.value, reference, slot.birth)).collect();
    let letter = match told {
        Some(day) => Some(Letter { day, sure: true }),
        None => last_date(text, slots, &values).map(|day| Letter { day, sure: false }),
    };
    let written = values.clone();
    for i in (0..slots.len()).rev() {
        let after = values.get(i + 1).copied().filter(|_| joined(text, &slots[i], &slots[i + 1]));
        if let Some(after) = after {
            values[i] = filled(values[i], after, true);
        }
    }
    for i in 1..slots.len() {
        if joined(text, &slots[i - 1], &slots[i]) {
            values[i] = filled(values[i], values[i - 1], false);
        }
    }
    let lenders = year_lenders(slots, &written);
    let mut out: Vec<Option<Date>> = Vec::with_capacity(slots.len());
    // The last date that tells where the story stands: its year was written, or taken from one that was.
    let mut story: Option<usize> = None;
    for (i, slot) in slots.iter().enumerate() {
        let value = values[i];
        let mut solid = value.year.is_some();
        let day = if solid && (value.month.is_some() || value.day.is_none()) {
            day_of(value)
        } else {
            let way = sense(text, slot);
            let before =
                story.filter(|&j| gap(&slots[j], slot) <= NEAR && !blank_line(text, &slots[j], slot));
            let told = before.and_then(|j| {
                let same = same_sentence(text, &slots[j], slot);
                out[j].and_then(|anchor| continued(value, anchor, same, letter, way))
            });
            let told = told.or_else(|| {
                let next = slots.get(i + 1).filter(|next| !next.birth && same_sentence(text, slot, next))?;
                let whole = written[i + 1].year.is_some() && written[i + 1].month.is_some();
                let anchor = day_of(written[i + 1]).filter(|_| whole && gap(slot, next) <= NEAR)?;
                prepared(value, anchor)
            });
            solid = told.is_some();
            told.or_else(|| letter.and_then(|letter| by_letter(value, letter, way)))
                .or_else(|| by_any_year(value, &written, lenders.get(i).copied().flatten()))
        };
        if solid && !slot.birth && day.is_some() && value.precision() != Precision::Year {
            story = Some(i);
        }
        out.push(day);
    }
    out
}

fn gap(before: &Slot, after: &Slot) -> usize {
    after.start.saturating_sub(before.end)
}

fn joined(text: &str, before: &Slot, after: &Slot) -> bool {
    gap(before, after) <= JOINED && same_sentence(text, before, after)
}

fn between<'t>(text: &'t str, before: &Slot, after: &Slot) -> &'t str {
    text.get(before.end..after.start).unwrap_or_default()
}

fn blank_line(text: &str, before: &Slot, after: &Slot) -> bool {
    between(text, before, after).contains("\n\n")
}

fn same_sentence(text: &str, before: &Slot, after: &Slot) -> bool {
    let to = text.get(before.start..after.start).unwrap_or_default();
    sentence_before(to, to.len()).len() >= gap(before, after)
}

fn with_century(mut value: Partial, reference: Option<i16>, birth: bool) -> Partial {
    if let (true, Some(year)) = (value.two_digit_year, value.year) {
        value.year = Some(century(year, reference, birth));
        value.two_digit_year = false;
    }
    value
}

/// A two-digit year lies in the ninety years before the reference, or in the ten after it; a birth year is not
/// after it.
fn century(year: i16, reference: Option<i16>, birth: bool) -> i16 {
    let reference = reference.unwrap_or(2030);
    let latest = if birth { reference } else { reference.saturating_add(10) };
    latest - (latest - year).rem_euclid(100)
}

/// Takes what `value` lacks from its coordinate, which `follows` it or comes before it.
fn filled(mut value: Partial, from: Partial, follows: bool) -> Partial {
    if value.month.is_none() && value.season.is_none() && value.day.is_some() {
        value.month = from.month;
        // "du 28 au 3 mai": the day before belongs to the month before.
        if let (true, Some(day), Some(other), Some(month)) = (follows, value.day, from.day, from.month)
            && day > other
        {
            value.month = Some(if month == 1 { 12 } else { month - 1 });
        }
    }
    // "HTA depuis 2003, vu le 10/12": a year alone lends nothing to what comes behind it.
    if value.year.is_none() && value.month.is_some() && (follows || from.month.is_some()) {
        value.year = from.year.map(|year| match (value.month, from.month) {
            (Some(month), Some(other)) if follows && month > other => year - 1,
            (Some(month), Some(other)) if !follows && month < other => year + 1,
            _ => year,
        });
    }
    value
}

/// The days a date without year may stand for, around another day, earliest first.
fn candidates(value: Partial, around: Date, years: i16) -> Vec<Date> {
    let centre = around.year();
    let mut out = Vec::new();
    for year in centre.saturating_sub(years)..=centre.saturating_add(years) {
        let months = match (value.month, value.day) {
            (None, Some(_)) if value.season.is_none() => 1..=12,
            (month, _) => month.unwrap_or(0)..=month.unwrap_or(0),
        };
        for month in months {
            let month = value.month.or((month > 0).then_some(month));
            // The 29th of February, the 31st of a month: only where there is one.
            let exists = |day: u8| {
                month.is_none_or(|m| {
                    Date::new(year, m as i8, 1).is_ok_and(|first| day as i8 <= first.days_in_month())
                })
            };
            // A day that no year has is read as the last of its month.
            let never = matches!(
                (value.day, value.month),
                (Some(30 | 31), Some(2)) | (Some(31), Some(4 | 6 | 9 | 11))
            );
            if never || value.day.is_none_or(exists) {
                out.extend(day_of(Partial { year: Some(year), month, ..value }));
            }
        }
    }
    out
}

fn right_weekday(value: Partial, day: Date) -> bool {
    value.weekday.is_none_or(|w| w == Weekday::of(day))
}

fn days_from(from: Date, to: Date) -> i64 {
    to.duration_since(from).as_hours() / 24
}

/// The day a story that stands at `anchor` goes on to: soon after it, or shortly before it.
fn continued(value: Partial, anchor: Date, same: bool, letter: Option<Letter>, way: Sense) -> Option<Date> {
    if matches!(way, Sense::Future | Sense::Appointment) && letter.is_some_and(|l| l.sure) {
        return None;
    }
    let (back, ahead) = if same { (-90, 275) } else { (-15, 120) };
    let mut fitting = candidates(value, anchor, 1);
    fitting.retain(|&day| {
        let after = days_from(anchor, day);
        (back..=ahead).contains(&after)
            && right_weekday(value, day)
            && letter.is_none_or(|l| !l.sure || day <= l.day)
    });
    fitting.into_iter().min_by_key(|&day| {
        let after = days_from(anchor, day);
        if after >= 0 { after } else { 3 * -after }
    })
}

/// The day just before a date of the same sentence.
fn prepared(value: Partial, anchor: Date) -> Option<Date> {
    let fits = |day: &Date| (-275..=31).contains(&days_from(anchor, *day)) && right_weekday(value, *day);
    let mut fitting = candidates(value, anchor, 1);
    fitting.retain(fits);
    fitting.into_iter().min_by_key(|&day| days_from(anchor, day).abs())
}

/// The day by the letter's date and the words around.
fn by_letter(value: Partial, letter: Letter, way: Sense) -> Option<Date> {
    let years = if (value.month, value.day) == (Some(2), Some(29)) { 8 } else { 2 };
    let all = candidates(value, letter.day, years);
    // A month is on time if it is the letter's own.
    let late = |day: Date| match value.day {
        Some(_) => day > letter.day,
        None => (day.year(), day.month()) > (letter.day.year(), letter.day.month()),
    };
    let mut past: Vec<Date> = all.iter().copied().filter(|&d| !late(d)).collect();
    past.reverse();
    let future: Vec<Date> = all.iter().copied().filter(|&d| d > letter.day || late(d)).collect();
    let nearest = || all.iter().copied().min_by_key(|&d| days_from(letter.day, d).abs());
    let first = match way {
        Sense::Past => past.first().copied(),
        Sense::Future => future.first().copied(),
        Sense::Appointment => nearest(),
        Sense::Unknown if letter.sure => past.first().copied(),
        Sense::Unknown => nearest(),
    }?;
    if right_weekday(value, first) {
        return Some(first);
    }
    // The week day tells another year or month: the next ones of the same side, then the other side's first.
    let (own, other) = if late(first) { (&future, &past) } else { (&past, &future) };
    let reach = if value.month.is_none() { 12 } else { 2 };
    let others = own.iter().take(reach).chain(other.first());
    Some(others.copied().find(|&d| right_weekday(value, d)).unwrap_or(first))
}

/// For each slot the nearest one before it that has a year, else the first behind it.
fn year_lenders(slots: &[Slot], written: &[Partial]) -> Vec<Option<usize>> {
    let fits = |j: usize| !slots[j].birth && written[j].year.is_some();
    let mut lenders: Vec<Option<usize>> = Vec::with_capacity(slots.len());
    let mut before = None;
    for j in 0..slots.len() {
        lenders.push(before);
        before = if fits(j) { Some(j) } else { before };
    }
    let mut behind = None;
    for j in (0..slots.len()).rev() {
        lenders[j] = lenders[j].or(behind);
        behind = if fits(j) { Some(j) } else { behind };
    }
    lenders
}

/// Without a letter's date any year of the text must do.
fn by_any_year(value: Partial, written: &[Partial], lender: Option<usize>) -> Option<Date> {
    let lent = written[lender?];
    let year = value.year.or(lent.year);
    let month = value.month.or(lent.month.filter(|_| value.day.is_some() && value.season.is_none()));
    day_of(Partial { year, month, ..value })
}

/// The day that stands for a date with a year: the written one (or the last of its month), else the middle.
fn day_of(value: Partial) -> Option<Date> {
    let year = value.year?;
    let month = value.month.or(value.season.map(Season::middle_month)).unwrap_or(match value.third {
        Some(Third::Start) => 1,
        Some(Third::End) => 12,
        Some(Third::Middle) | None => 7,
    });
    let first = Date::new(year, month as i8, 1).ok()?;
    let of_month = value.third.filter(|_| value.month.is_some());
    let day = value.day.unwrap_or(match of_month {
        Some(Third::Start) => 1,
        Some(Third::End) => 28,
        Some(Third::Middle) | None => 15,
    });
    Date::new(year, month as i8, (day as i8).min(first.days_in_month())).ok()
}
