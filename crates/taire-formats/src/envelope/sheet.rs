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
use crate::text_edit::{TextEdit, edits_by_place, text_edits};

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

    /// The same, of a text about which something is known already.
    pub(crate) fn free_with(&mut self, value: &str, given: &[Given]) -> SlotId {
        let start = self.text.len();
        let moved = |at: &Given| Span::new(start + at.span.start(), start + at.span.end());
        self.given.extend(given.iter().map(|at| Given { span: moved(at), ..*at }));
        self.free(value)
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
        let edits = text_edits(&self.text, text, spans).map_err(|_| DISAGREE)?;
        let edits: Vec<TextEdit<'_>> = edits
            .into_iter()
            .flat_map(|edit| edit.split_at(&self.text, &['\n']))
            .filter(|edit| !edit.range.is_empty())
            .collect();
        let mut by_slot = edits_by_place(&edits, &self.slots);
        let mut values = Vec::with_capacity(self.slots.len());
        for (index, slot) in self.slots.iter().enumerate() {
            let mut new = Value::default();
            let mut from = slot.start;
            for TextEdit { range, with, span } in by_slot.remove(&index).unwrap_or_default() {
                new.text.push_str(self.text.get(from..range.start).ok_or(DISAGREE)?);
                let start = new.text.len();
                new.text.push_str(with);
                new.spans.push(OutSpan {
                    start,
                    end: new.text.len(),
                    original: range.start - slot.start..range.end - slot.start,
                    took: 0,
                    put: 0,
                    ..spans[span].clone()
                });
                new.changed = true;
                from = range.end;
            }
            new.text.push_str(self.text.get(from..slot.end).ok_or(DISAGREE)?);
            values.push(new);
        }
        let mut words: Vec<String> = Vec::new();
        for edit in &edits {
            let folded = fold(self.text.get(edit.range.clone()).unwrap_or_default());
            words.extend(folded.split(|c: char| !c.is_alphanumeric()).filter(|w| tells(w)).map(Into::into));
        }
        words.sort_unstable();
        words.dedup();
        Ok(Filled { values, words })
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
mod tests {
    use super::*;
    use crate::text_edit::tests::replace_all;

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
        let (new, spans) =
            replace_all(&text, &[("DUPONT", "PETIT"), ("Dupont", "Petit"), ("va\nbien", "ok")]);
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
