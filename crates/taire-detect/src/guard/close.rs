//! Identifiers close over what is glued to them, so that no tail stays readable: `12.531.909-2`, a UUID, the time of an
//! ISO date.

use taire_text::{Entity, Group, Label, Span};

use super::Guard;

/// Longer runs are no identifier of a person.
const LONGEST: usize = 80;

impl Guard<'_> {
    pub(super) fn close(&self, entities: &mut [Entity]) {
        let raw = self.note.raw();
        for i in 0..entities.len() {
            let floor = i.checked_sub(1).map_or(0, |p| entities[p].span.end());
            let ceiling = entities.get(i + 1).map_or(raw.len(), |n| n.span.start());
            let entity = &mut entities[i];
            let span = entity.span;
            let digits = span.of(raw).bytes().filter(u8::is_ascii_digit).count();
            let (start, end) = match entity.label {
                Label::Date | Label::BirthDate => {
                    let after = &raw[span.end()..ceiling];
                    let tail = if ends_in_time(span.of(raw)) { time_tail(after) } else { iso_time(after) };
                    (span.start(), span.end() + tail)
                }
                Label::RelativeDate if span.of(raw).ends_with(|c: char| c.is_ascii_digit()) => {
                    (span.start(), span.end() + self.unit_of_time(&raw[span.end()..ceiling]))
                }
                label if (label.group() == Group::Identifier || label == Label::Phone) && digits >= 3 => {
                    let lead =
                        if label == Label::Phone { 0 } else { glued_before(&raw[floor..span.start()]) };
                    (span.start() - lead, span.end() + glued_after(&raw[span.end()..ceiling]))
                }
                _ => continue,
            };
            // What a certain value holds is not part of an identifier.
            let overlaps = |s: Span<taire_text::Raw>| {
                let next = self.values.partition_point(|v| v.span.end() <= s.start());
                self.values.get(next).is_some_and(|v| v.span.overlaps(s))
            };
            let sound = |from: usize, to: usize| from < to && !overlaps(Span::new(from, to));
            let start = if sound(start, span.start()) { start } else { span.start() };
            let end = if sound(span.end(), end) { end } else { span.end() };
            if end - start <= LONGEST {
                entity.span = Span::new(start, end);
            }
        }
    }
}

/// `T10:12:33Z`, `T10:12:33.123+01:00` right after a date.
fn iso_time(after: &str) -> usize {
    let bytes = after.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    if bytes.first() == Some(&b'T') && digit(1) && digit(2) { 1 + time_tail(&after[1..]) } else { 0 }
}

/// The rest of a time, without the full stop of a sentence.
fn time_tail(after: &str) -> usize {
    let part = |b: &u8| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'+' | b'-' | b'Z');
    let length = after.bytes().take_while(|b| part(b)).count();
    after[..length].trim_end_matches(['.', ':', '-', '+']).len()
}

/// Whether a date was cut inside its time: `2020-05-03T10`.
fn ends_in_time(date: &str) -> bool {
    date.rsplit_once('T').is_some_and(|(day, time)| {
        day.ends_with(|c: char| c.is_ascii_digit()) && time.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// How much of the text after an identifier is glued to it and belongs to it: parts with a digit, a control letter.
fn glued_after(after: &str) -> usize {
    let bytes = after.as_bytes();
    let mut end = 0;
    loop {
        let joint = usize::from(matches!(bytes.get(end), Some(b'-' | b'.' | b'/' | b'_')));
        let part =
            bytes[(end + joint).min(bytes.len())..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let text = &after[end + joint.min(after.len() - end)..end + joint + part];
        if part == 0
            || !is_part(text, joint > 0)
            || after[end + joint + part..].starts_with(|c: char| c.is_alphabetic())
        {
            return end;
        }
        end += joint + part;
    }
}

/// The same before an identifier, read backwards.
fn glued_before(before: &str) -> usize {
    let bytes = before.as_bytes();
    let mut length = 0;
    loop {
        let rest = &bytes[..bytes.len() - length];
        let joint =
            usize::from(matches!(rest.last(), Some(b'-' | b'.' | b'/' | b'_')) && length + 1 < bytes.len());
        let part = rest[..rest.len() - joint].iter().rev().take_while(|b| b.is_ascii_alphanumeric()).count();
        let from = rest.len() - joint - part;
        let text = &before[from..from + part];
        let hangs = text.bytes().any(|b| b.is_ascii_digit()) && is_part(text, joint > 0);
        if part == 0 || !hangs || before[..from].ends_with(|c: char| c.is_alphabetic()) {
            return length;
        }
        length += joint + part;
    }
}

fn is_part(text: &str, joined: bool) -> bool {
    let digit = text.bytes().any(|b| b.is_ascii_digit());
    let letter = text.len() == 1 && text.bytes().all(|b| b.is_ascii_uppercase());
    let hexadecimal =
        text.len() >= 4 && joined && text.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase());
    digit || letter || hexadecimal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_measured() {
        assert_eq!(glued_after("-2 suite"), 2);
        assert_eq!(glued_after("-2."), 2);
        assert_eq!(glued_after("e8400-e29b-41d4-a716-446655440000, "), 33);
        assert_eq!(glued_after("Z du"), 1);
        assert_eq!(glued_after("/Dr Martin"), 0);
        assert_eq!(glued_after(". Suite"), 0);
        assert_eq!(glued_before("n° 550e8400-"), 9);
        assert_eq!(glued_before("IPP-"), 0);
        assert_eq!(iso_time("T10:12:33.123+01:00\""), 19);
        assert_eq!(time_tail(":12:33Z."), 7);
        assert!(ends_in_time("2020-05-03T10") && !ends_in_time("2020-05-03") && !ends_in_time("le T10"));
        assert_eq!(iso_time("T3"), 0);
        assert_eq!(iso_time(" à 10:12"), 0);
    }
}
