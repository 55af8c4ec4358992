//! An envelope as one text: its fields as labelled lines, then what it carries, each with a slot to put its new value in.
//!
//! A format adds words of its own ([`Sheet::say`]), fields whose meaning it knows ([`Sheet::field`]), free text
//! or documents inside ([`Sheet::free`]). One rewriting of the whole text then gives every slot
//! its new value, so that a person has one surrogate in the header and in the letter. [`Filled`] holds these values;
//! the format writes them in its own syntax.

use std::fmt;
use std::ops::Range;

use taire_text::{Given, Label, Role, Span, fold};

use crate::OutSpan;
use crate::splice::TELLING;

/// Names a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SlotId(usize);

#[derive(Default)]
pub(crate) struct Sheet {
    text: String,
    slots: Vec<Range<usize>>,
    given: Vec<Given>,
}

impl fmt::Debug for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sheet({} slots)", self.slots.len())
    }
}

impl Sheet {
    /// Words of the envelope itself; they identify nobody.
    pub(crate) fn say(&mut self, words: &str) {
        let start = self.text.len();
        self.text.push_str(words);
        self.give(start..self.text.len(), None, Role::Unknown);
    }

    /// A break between pieces of free text.
    pub(crate) fn brk(&mut self, c: char) {
        self.text.push(c);
    }

    /// A value whose meaning is known.
    pub(crate) fn field(&mut self, value: &str, label: Label, role: Role) -> SlotId {
        let lead = value.len() - value.trim_start().len();
        self.parts(value, &[(lead..lead + value.trim().len(), label)], role)
    }

    /// A value of several parts whose meanings are known, in their order; what is between them identifies nobody.
    pub(crate) fn parts(&mut self, value: &str, parts: &[(Range<usize>, Label)], role: Role) -> SlotId {
        let start = self.text.len();
        self.text.push_str(value);
        let mut from = start;
        for (at, label) in parts {
            self.give(from..start + at.start, None, role);
            self.give(start + at.start..start + at.end, Some(*label), role);
            from = start + at.end;
        }
        self.give(from..self.text.len(), None, role);
        self.slot(start)
    }

    /// Text that detectors must read.
    pub(crate) fn free(&mut self, value: &str) -> SlotId {
        let start = self.text.len();
        self.text.push_str(value);
        self.slot(start)
    }

    /// Whether the last character ends a line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    fn give(&mut self, at: Range<usize>, label: Option<Label>, role: Role) {
        if !at.is_empty() {
            self.given.push(Given { span: Span::new(at.start, at.end), label, role });
        }
    }

    fn slot(&mut self, start: usize) -> SlotId {
        self.slots.push(start..self.text.len());
        SlotId(self.slots.len() - 1)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn take_given(&mut self) -> Vec<Given> {
        std::mem::take(&mut self.given)
    }

    /// What every slot becomes when the whole text becomes `text`. `spans` tell what stands for what; outside of
    /// them the two must be the same.
    pub(crate) fn fill(&self, text: &str, spans: &[OutSpan]) -> Result<Filled, &'static str> {
        const DISAGREE: &str = "its new text does not agree with its envelope; it is not written";
        let mut edits: Vec<(Range<usize>, &str, &OutSpan)> = Vec::with_capacity(spans.len());
        let (mut was, mut now) = (0, 0);
        for span in spans {
            let kept = self.text.get(was..span.original.start).ok_or(DISAGREE)?;
            let start = span.start.checked_sub(span.put).ok_or(DISAGREE)?;
            if text.get(now..start) != Some(kept) {
                return Err(DISAGREE);
            }
            for (range, with) in span.edits(text).ok_or(DISAGREE)? {
                edits.extend(self.lines(range, with).into_iter().map(|(r, w)| (r, w, span)));
            }
            (was, now) = (span.original.end, span.end);
        }
        if self.text.get(was..).is_none() || self.text.get(was..) != text.get(now..) {
            return Err(DISAGREE);
        }
        let mut values = Vec::with_capacity(self.slots.len());
        // The edit that runs over the end of a slot was written into that slot.
        let mut written = 0;
        for slot in &self.slots {
            let first = edits.partition_point(|(range, _, _)| range.end <= slot.start);
            let mut new = Value { changed: false, ..Value::default() };
            let mut from = slot.start;
            for (i, (range, with, span)) in edits.iter().enumerate().skip(first) {
                if range.start >= slot.end {
                    break;
                }
                let part = range.start.max(slot.start)..range.end.min(slot.end);
                let with = if i + 1 > written { with } else { &"" };
                written = i + 1;
                new.text.push_str(self.text.get(from..part.start).ok_or(DISAGREE)?);
                let start = new.text.len();
                new.text.push_str(with);
                new.spans.push(OutSpan {
                    start,
                    end: new.text.len(),
                    original: part.start - slot.start..part.end - slot.start,
                    took: 0,
                    put: 0,
                    ..(*span).clone()
                });
                new.changed = true;
                from = part.end;
            }
            new.text.push_str(self.text.get(from..slot.end).ok_or(DISAGREE)?);
            values.push(new);
        }
        let mut words: Vec<String> = Vec::new();
        for (range, _, _) in &edits {
            let folded = fold(self.text.get(range.clone()).unwrap_or_default());
            words.extend(folded.split(|c: char| !c.is_alphanumeric()).filter(|w| tells(w)).map(Into::into));
        }
        words.sort_unstable();
        words.dedup();
        Ok(Filled { values, words })
    }

    /// A replacement over several lines goes line by line when it has as many as what it replaces.
    fn lines<'t>(&self, range: Range<usize>, with: &'t str) -> Vec<(Range<usize>, &'t str)> {
        let was = self.text.get(range.clone()).unwrap_or_default();
        let count = was.matches('\n').count();
        if count == 0 || with.matches('\n').count() != count {
            return vec![(range, with)];
        }
        let mut at = range.start;
        let pairs = was.split('\n').zip(with.split('\n')).map(|(was, with)| {
            let line = at..at + was.len();
            at = line.end + 1;
            (line, with)
        });
        pairs.filter(|(line, _)| !line.is_empty()).collect()
    }
}

/// Whether a word says enough to give somebody away outside its sentence.
fn tells(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == word.len() { digits >= 6 } else { word.len() >= 4 }
}

/// The new value of a slot.
#[derive(Clone, Default)]
pub(crate) struct Value {
    pub(crate) text: String,
    /// In bytes of the slot.
    pub(crate) spans: Vec<OutSpan>,
    pub(crate) changed: bool,
}

/// All new values of a sheet.
pub(crate) struct Filled {
    values: Vec<Value>,
    words: Vec<String>,
}

impl Filled {
    pub(crate) fn value(&self, slot: SlotId) -> &Value {
        &self.values[slot.0]
    }

    /// Whether a value that is not in the text holds a word that was found to identify somebody; a long one also inside
    /// another.
    pub(crate) fn gives_away(&self, value: &str) -> bool {
        let folded = fold(value);
        let known = |w: &str| self.words.binary_search_by(|x| x.as_str().cmp(w)).is_ok();
        let mut inside = folded.split(|c: char| !c.is_alphanumeric());
        inside.any(|word| {
            let letters = word.trim_matches(|c: char| c.is_ascii_digit());
            let digits = word.trim_matches(|c: char| c.is_alphabetic());
            let holds = |x: &String| x.len() >= TELLING && word.contains(x.as_str());
            known(word) || known(letters) || known(digits) || self.words.iter().any(holds)
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use taire_text::SourceSet;

    /// Replaces every occurrence of each of `swaps`.
    pub(crate) fn swap(text: &str, swaps: &[(&str, &str)]) -> (String, Vec<OutSpan>) {
        let (mut new, mut spans, mut at) = (String::new(), Vec::new(), 0);
        while at < text.len() {
            let hit = swaps.iter().find(|(was, _)| text[at..].starts_with(was));
            let Some((was, with)) = hit else {
                let c = text[at..].chars().next().unwrap();
                new.push(c);
                at += c.len_utf8();
                continue;
            };
            let start = new.len();
            new.push_str(with);
            spans.push(OutSpan {
                start,
                end: new.len(),
                original: at..at + was.len(),
                took: 0,
                put: 0,
                label: "X".into(),
                role: None,
                score: 1.0,
                sources: SourceSet::default(),
            });
            at += was.len();
        }
        (new, spans)
    }

    #[test]
    fn slots_get_their_part_and_the_words_between_are_given() {
        let mut sheet = Sheet::default();
        sheet.say("Nom : ");
        let name = sheet.field(" DUPONT ", Label::FamilyName, Role::Patient);
        sheet.say("\n");
        let first = sheet.free("Mme Dup");
        let second = sheet.free("ont va");
        sheet.brk('\n');
        let third = sheet.free("bien");
        let text = sheet.text().to_owned();
        assert_eq!(text, "Nom :  DUPONT \nMme Dupont va\nbien");
        let named: Vec<_> =
            sheet.given.iter().filter(|g| g.label.is_some()).map(|g| g.span.of(&text)).collect();
        assert_eq!(named, ["DUPONT"]);
        let (new, spans) = swap(&text, &[("DUPONT", "PETIT"), ("Dupont", "Petit"), ("va\nbien", "ok")]);
        let filled = sheet.fill(&new, &spans).unwrap();
        let value = |slot| filled.value(slot).text.as_str();
        assert_eq!(
            (value(name), value(first), value(second), value(third)),
            (" PETIT ", "Mme Petit", " ok", "")
        );
        assert!(
            filled.gives_away("id-dupont2") && filled.gives_away("XDUPONTX") && !filled.gives_away("LOINC")
        );
        assert!(sheet.fill(&new.replace("Nom", "Non"), &spans).is_err());
    }
}
