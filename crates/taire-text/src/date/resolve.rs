//! From what was written to days of the calendar: missing parts come from the date's coordinate, from its
//! neighbours, then from the date of the document.

use jiff::civil::Date;

use super::Partial;
use super::value::{Season, Third};

/// A date of a document, with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub value: Partial,
    /// Byte offsets, in any one text, the same for all slots.
    pub start: usize,
    pub end: usize,
    /// A birth date: it lies in the past and lends nothing to its neighbours.
    pub birth: bool,
}

/// Dates this near are coordinates: `du 3 au 5 mai`, `entre mai et juillet 2005`.
const JOINED: usize = 16;
/// Farther than this, the document's date says more than a neighbour.
const NEAR: usize = 400;

/// Completes the dates of one document, given in order. `None` where no year can be told.
pub fn resolve(slots: &[Slot], document: Option<Date>) -> Vec<Option<Date>> {
    let reference = document.map(|d| d.year()).or_else(|| {
        slots.iter().filter(|s| !s.value.two_digit_year && !s.birth).filter_map(|s| s.value.year).max()
    });
    let mut values: Vec<Partial> = slots.iter().map(|s| s.value).collect();
    for (value, slot) in values.iter_mut().zip(slots) {
        if let (true, Some(year)) = (value.two_digit_year, value.year) {
            value.year = Some(century(year, reference, slot.birth));
            value.two_digit_year = false;
        }
    }
    let written = values.clone();
    for i in (0..slots.len()).rev() {
        let after = values.get(i + 1).copied().filter(|_| gap(&slots[i], &slots[i + 1]) <= JOINED);
        if let Some(after) = after {
            values[i] = filled(values[i], after, true);
        }
    }
    for i in 1..slots.len() {
        if gap(&slots[i - 1], &slots[i]) <= JOINED {
            values[i] = filled(values[i], values[i - 1], false);
        }
    }
    (0..slots.len())
        .map(|i| {
            let mut value = values[i];
            if value.month.is_none() && value.day.is_some() {
                let near = neighbour(slots, &written, i, NEAR, |v| v.month.is_some());
                let near = near.map(|j| (written[j].month, written[j].year));
                let (month, year) = near.or(document.map(|d| (Some(d.month() as u8), Some(d.year()))))?;
                value.month = month;
                value.year = value.year.or(year);
            }
            if value.year.is_none() {
                let reach = if document.is_some() { NEAR } else { usize::MAX };
                value.year = match neighbour(slots, &written, i, reach, |v| v.year.is_some()) {
                    Some(j) => written[j].year,
                    None => Some(nearest_year(value, document?)),
                };
            }
            day_of(value)
        })
        .collect()
}

fn gap(before: &Slot, after: &Slot) -> usize {
    after.start.saturating_sub(before.end)
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
    if value.year.is_none() && value.month.is_some() {
        value.year = from.year.map(|year| match (value.month, from.month) {
            (Some(month), Some(other)) if follows && month > other => year - 1,
            (Some(month), Some(other)) if !follows && month < other => year + 1,
            _ => year,
        });
    }
    value
}

/// The nearest date before, else after, that has what is wanted.
fn neighbour(
    slots: &[Slot],
    values: &[Partial],
    i: usize,
    reach: usize,
    has: impl Fn(&Partial) -> bool,
) -> Option<usize> {
    let fits = |j: &usize| !slots[*j].birth && has(&values[*j]);
    let before = (0..i).rev().find(&fits).filter(|&j| gap(&slots[j], &slots[i]) <= reach);
    before.or_else(|| (i + 1..slots.len()).find(&fits).filter(|&j| gap(&slots[i], &slots[j]) <= reach))
}

/// The year that brings a day without year nearest to the document's date.
fn nearest_year(value: Partial, document: Date) -> i16 {
    let year = document.year();
    let distance = |y: i16| {
        day_of(Partial { year: Some(y), ..value })
            .map_or(i64::MAX, |d| (d.duration_since(document).as_hours() / 24).abs())
    };
    [year, year - 1, year + 1].into_iter().min_by_key(|&y| distance(y)).unwrap_or(year)
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
