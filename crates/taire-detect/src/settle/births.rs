//! Which date is the birth date, when no word says so.
//!
//! A social security number holds the year and month of birth: the date beside it with that year is the birth date,
//! and a date beside it that only a model took for one is not. Without such a number, an old date right after a
//! person's name, or right after a number, is the birth date if the document has none.

use taire_text::{Entity, Label, Mention, Note, Source};

/// How far from the number, in bytes, a date is still beside it.
const BESIDE: usize = 120;
/// Years between a birth and the latest date of a document that make an unannounced birth date believable.
const GROWN: i32 = 15;

/// Year and month of a date as written, with the century guessed.
#[derive(Clone, Copy, PartialEq)]
struct Written {
    year: i32,
    month: Option<u32>,
}

pub(super) fn settle(note: &Note, entities: &mut [Entity]) {
    let is_date = |e: &Entity| matches!(e.label, Label::Date | Label::BirthDate);
    let dates: Vec<(usize, Written)> = (0..entities.len())
        .filter(|&i| is_date(&entities[i]))
        .filter_map(|i| Some((i, written(entities[i].span.of(note.raw()))?)))
        .collect();
    if dates.is_empty() {
        return;
    }
    let numbers: Vec<usize> =
        (0..entities.len()).filter(|&i| entities[i].label == Label::SocialSecurity).collect();
    for number in numbers {
        by_number(note, entities, &dates, number);
    }
    by_place(note, entities, &dates);
}

fn by_number(note: &Note, entities: &mut [Entity], dates: &[(usize, Written)], number: usize) {
    let Some((year, month)) = born(entities[number].span.of(note.raw())) else { return };
    let at = entities[number].span;
    let distance = |e: &Entity| {
        let (from, to) =
            if e.span.end() <= at.start() { (e.span.end(), at.start()) } else { (at.end(), e.span.start()) };
        to.saturating_sub(from)
    };
    let agrees = |w: &Written| w.year.rem_euclid(100) == year;
    let from = dates.partition_point(|(i, _)| entities[*i].span.end() + BESIDE < at.start());
    let until = dates.partition_point(|(i, _)| entities[*i].span.start() <= at.end() + BESIDE);
    let dates = &dates[from.min(until)..until];
    let beside = || dates.iter().filter(|(i, _)| distance(&entities[*i]) <= BESIDE);
    if beside().any(|(i, w)| entities[*i].label == Label::BirthDate && agrees(w)) {
        // Found by others too; what follows only takes back wrong ones.
    } else if let Some(&(found, _)) = beside()
        .filter(|(_, w)| agrees(w))
        .min_by_key(|(i, w)| (w.month != Some(month), distance(&entities[*i]), *i))
    {
        relabel(
            &mut entities[found],
            Label::BirthDate,
            "year of birth told by the social security number beside it",
        );
    } else {
        return;
    }
    let wrong: Vec<usize> = dates
        .iter()
        .filter(|(i, w)| {
            let e = &entities[*i];
            e.label == Label::BirthDate && distance(e) <= BESIDE && !agrees(w) && only_guessed(e)
        })
        .map(|(i, _)| *i)
        .collect();
    for i in wrong {
        relabel(
            &mut entities[i],
            Label::Date,
            "not the year of birth of the social security number beside it",
        );
    }
}

/// Nothing but a model calls it a birth date.
fn only_guessed(entity: &Entity) -> bool {
    entity.mentions.iter().filter(|v| v.label() == Some(Label::BirthDate)).all(|v| v.source.is_learned())
}

/// An old date right after a person's name or number.
fn by_place(note: &Note, entities: &mut [Entity], dates: &[(usize, Written)]) {
    let Some(latest) = dates.iter().map(|(_, w)| w.year).max() else { return };
    let rows: Vec<usize> = dates
        .iter()
        .filter(|(i, w)| {
            let Some(before) = i.checked_sub(1).map(|b| &entities[b]) else { return false };
            let gap = &note.raw()[before.span.end()..entities[*i].span.start()];
            let near = gap.len() <= 6
                && gap.chars().all(|c| c.is_whitespace() || matches!(c, '.' | ',' | '(' | '|'))
                || matches!(gap.trim(), "le" | "(le" | ", le");
            let after = matches!(
                before.label,
                Label::FamilyName | Label::GivenName | Label::Initials | Label::SocialSecurity
            );
            entities[*i].label == Label::Date
                && w.month.is_some()
                && near
                && after
                && w.year + GROWN <= latest
        })
        .map(|(i, _)| *i)
        .collect();
    let has_birth = entities.iter().any(|e| e.label == Label::BirthDate);
    for i in rows {
        let after_number = entities[i - 1].label == Label::SocialSecurity;
        if after_number || !has_birth {
            relabel(
                &mut entities[i],
                Label::BirthDate,
                "old date right after a name or a social security number",
            );
        }
    }
}

fn relabel(entity: &mut Entity, label: Label, why: &'static str) {
    if entity.label == label {
        return;
    }
    entity.label = label;
    let mention =
        Mention::phi(entity.span, label, entity.score.get(), Source::Pattern, why).with_role(entity.role);
    entity.sources.insert(Source::Pattern);
    entity.mentions.push(mention);
}

/// Year and month in a social security number.
fn born(text: &str) -> Option<(i32, u32)> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(10)).map(|d| d as u8).collect();
    let shaped = (12..=15).contains(&digits.len()) && matches!(digits[0], 1 | 2 | 3 | 4 | 7 | 8);
    let pair = |i: usize| u32::from(digits[i]) * 10 + u32::from(digits[i + 1]);
    shaped.then(|| (pair(1) as i32, pair(3)))
}

/// Reads the year, and the month if it is in figures: `3/5/72`, `2 1 0 8 1 9 7 2`, `12 mai 1950`.
fn written(text: &str) -> Option<Written> {
    let mut groups: Vec<(usize, u32)> = Vec::new();
    let mut in_group = false;
    let mut letters = false;
    for c in text.chars() {
        match c.to_digit(10) {
            Some(d) if in_group => {
                let last = groups.last_mut()?;
                *last = (last.0 + 1, last.1.checked_mul(10)?.checked_add(d)?);
            }
            Some(d) => {
                groups.push((1, d));
                in_group = true;
            }
            None => {
                in_group = false;
                letters |= c.is_alphabetic();
            }
        }
    }
    let value = |slice: &[(usize, u32)]| slice.iter().fold(0, |sum, g| sum * 10 + g.1);
    let boxed = matches!(groups.len(), 7 | 8) && groups.iter().all(|g| g.0 == 1);
    if boxed {
        let n = groups.len();
        return Some(Written {
            year: value(&groups[n - 4..]) as i32,
            month: Some(value(&groups[n - 6..n - 4])),
        });
    }
    if let [(8, whole)] = groups[..] {
        return Some(Written { year: (whole % 10_000) as i32, month: Some(whole / 10_000 % 100) });
    }
    let &(len, last) = groups.last()?;
    let year = match len {
        4 => last as i32,
        2 if groups.len() == 3 || letters && groups.len() == 2 => century(last),
        _ => return None,
    };
    let month = (groups.len() == 3).then(|| groups[1].1).or(letters.then_some(0));
    Some(Written { year, month })
}

fn century(short: u32) -> i32 {
    if short <= 32 { 2000 + short as i32 } else { 1900 + short as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_read_in_every_shape() {
        let year = |s: &str| written(s).map(|w| (w.year, w.month));
        assert_eq!(year("21/08/72"), Some((1972, Some(8))));
        assert_eq!(year("2 1 0 8 1 9 7 2"), Some((1972, Some(8))));
        assert_eq!(year("21081972"), Some((1972, Some(8))));
        assert_eq!(year("04-01-2013"), Some((2013, Some(1))));
        assert_eq!(year("12 mai 1950"), Some((1950, Some(0))));
        assert_eq!(year("1950"), Some((1950, None)));
        assert_eq!(year("12/05"), None);
        assert_eq!(year("99999999999999999999"), None);
        assert_eq!(born("2 72 08 59 114 226"), Some((72, 8)));
        assert_eq!(born("12 34"), None);
    }
}
