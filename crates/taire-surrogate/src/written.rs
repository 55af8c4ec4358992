//! The dates of one note as they are written, each with the day it stands for.

use std::ops::Range;

use jiff::civil::{Date, date};
use taire_text::date::{self, Partial, Slot, Surface};
use taire_text::{Entity, Label, Note, tokenise};

/// Where nothing tells a year any will do, the same for all.
pub(crate) const ANY_DAY: Date = date(2020, 7, 1);

/// One date inside an entity.
pub(crate) struct Written {
    pub(crate) entity: usize,
    /// Where in the entity's text; `None` when the surface prints the whole of it.
    pub(crate) range: Option<Range<usize>>,
    pub(crate) surface: Surface,
    /// The day it stands for, with what it lacks taken from its neighbours.
    pub(crate) day: Option<Date>,
    pub(crate) birth: bool,
    pub(crate) year_written: bool,
    /// Nothing in the document tells its year.
    pub(crate) year_unknown: bool,
}

/// The dates of one entity among those of a note, which are in the order of the entities.
pub(crate) fn dates_of(dates: &[Written], entity: usize) -> &[Written] {
    let from = dates.partition_point(|d| d.entity < entity);
    let until = dates.partition_point(|d| d.entity <= entity);
    &dates[from..until]
}

/// Reads the dates of all entities, then completes them from each other. Also the date of the letter by its own words.
pub(crate) fn read_dates(note: &Note, entities: &[Entity]) -> (Vec<Written>, Option<Date>) {
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
            out.push(Written {
                entity: i,
                range,
                surface,
                day: None,
                birth,
                year_written,
                year_unknown: false,
            });
        };
        if let Some((value, surface)) = date::parse(text, note.language) {
            add(value, surface, None);
            continue;
        }
        if let Some(parts) = date::parse_range(text, note.language) {
            parts.into_iter().for_each(|(range, value, surface)| add(value, surface, Some(range)));
            continue;
        }
        let mut found = Vec::new();
        date::find(text, &tokenise(text), note.language, &mut found);
        for one in found {
            add(one.value, one.surface, Some(one.span.range()));
        }
    }
    for (written, day) in out.iter_mut().zip(date::resolve(note.norm(), &slots, note.date)) {
        written.day = day;
    }
    // Nothing tells a year: any will do, the same for all.
    let missing: Vec<usize> = (0..out.len()).filter(|&i| out[i].day.is_none()).collect();
    if !missing.is_empty() {
        let alone: Vec<Slot> = missing.iter().map(|&i| slots[i]).collect();
        for (&i, day) in missing.iter().zip(date::resolve(note.norm(), &alone, Some(ANY_DAY))) {
            out[i].day = day;
            out[i].year_unknown = true;
        }
    }
    let letter = date::letter_date(note.norm(), &slots);
    (out, letter)
}
