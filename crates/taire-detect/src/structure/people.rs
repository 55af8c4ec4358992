//! People announced by a key or a title: lists of them, their titles, whose they are.

use std::sync::LazyLock;

use taire_text::{Kind, Language, Role, Shape};

use super::Reader;
use super::keys::{Key, Value};
use super::person::{Hint, Person};
use crate::folded::{PARTICLES, Title, WordSet, title};
use crate::words::is_office;

/// How far the key itself proves that a name follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    Key,
    Line,
    Weak,
}

/// What a key says of the people after it.
pub(super) struct Announced {
    pub(super) hint: Hint,
    pub(super) key: Key,
    pub(super) proof: Proof,
    /// The whole line is in capitals, so that capitals prove nothing.
    pub(super) shouting: bool,
}

impl Reader<'_> {
    pub(super) fn read_people(
        &mut self,
        at: usize,
        end: usize,
        announced: &Announced,
        person: &mut Person,
    ) -> usize {
        let &Announced { hint, key, proof, shouting } = announced;
        let mut at = at;
        let mut next = at;
        for n in 0..12 {
            let (start, titled) = self.skip_articles_and_titles(at, end);
            self.read_person(start, end, proof == Proof::Key, hint, person);
            if person.units.is_empty() {
                break;
            }
            let good = proof == Proof::Key
                || person.is_plausible(self, titled.is_some(), shouting)
                || proof == Proof::Line && hint == Hint::Family;
            if !good {
                break;
            }
            let role = match (key.role, titled.map(|t| t.role)) {
                (Role::Patient, Some(Role::Caregiver)) if hint == Hint::Any => Role::Caregiver,
                (role, _) => role,
            };
            let score = match (proof, titled.is_some()) {
                (Proof::Key, _) => 0.98,
                (Proof::Line, true) => 0.97,
                (Proof::Line, false) => 0.93,
                (Proof::Weak, true) => 0.93,
                (Proof::Weak, false) => 0.85,
            };
            self.emit_person(person, hint, role, score);
            next = person.next;
            if key.value != Value::People || n == 11 {
                break;
            }
            match self.skip_list_mark(next, end) {
                Some(after) => at = after,
                None => break,
            }
        }
        next
    }

    fn skip_articles_and_titles(&self, at: usize, end: usize) -> (usize, Option<Title>) {
        let mut i = at;
        while i < end
            && i < at + 3
            && self.kind(i) == Kind::Word
            && matches!(
                self.text(i),
                "le" | "la" | "Le" | "La" | "au" | "du" | "el" | "al" | "par" | "por" | "M" | "l"
            )
            && title(self.hash(i + 1 + usize::from(self.is_mark(i + 1, ".")))).is_some_and(|t| !t.loose)
        {
            i += 1 + usize::from(self.is_mark(i + 1, "."));
        }
        self.skip_titles(i, end)
    }

    /// A comma, slash or "et" between people; what follows is read as another one.
    fn skip_list_mark(&self, at: usize, end: usize) -> Option<usize> {
        let mut i = at;
        // `(PU-PH)`, `(CCA)` after a name.
        if self.is_mark(i, "(") {
            i = (i..end.min(i + 8)).find(|&i| self.is_mark(i, ")"))? + 1;
        }
        if i >= end {
            return None;
        }
        let mark = matches!(self.text(i), "," | ";" | "/" | "&" | "-" | "+" | "et" | "y" | "e" | "ET" | "Y");
        mark.then_some(i + 1).filter(|&i| i < end)
    }

    fn emit_person(&mut self, person: &Person, hint: Hint, role: Role, score: f32) {
        let labels = person.labels(self.note.language, hint);
        let mut i = 0;
        while i < labels.len() {
            let mut j = i;
            while j + 1 < labels.len()
                && labels[j + 1] == labels[i]
                && !self.is_mark(person.units[j].last + 1, ",")
            {
                j += 1;
            }
            self.emit(person.units[i].first, person.units[j].last, labels[i], role, score);
            i = j + 1;
        }
    }

    /// A loose title counts as it is written in the language of the note.
    pub(super) fn is_title(&self, at: usize, hash: u64) -> bool {
        title(hash).is_some_and(|found| !found.loose || self.is_own_title(at))
    }

    fn is_own_title(&self, at: usize) -> bool {
        match self.note.language {
            Language::Fr => {
                matches!(self.text(at), "M" | "MM" | "Me" | "Interne" | "INTERNE" | "Externe" | "EXTERNE")
            }
            Language::Es => self.text(at) == "D" && self.is_mark(at + 1, "."),
        }
    }

    /// A name after a title, anywhere in the text.
    pub(super) fn read_titled(&mut self, at: usize, person: &mut Person) -> usize {
        let note = self.note;
        let token = &note.tokens[at];
        let Some(found) = title(self.hash(at)) else { return at };
        if found.loose && self.is_initial_of_name(at) {
            return at;
        }
        if token.glued
            && at > 0
            && matches!(self.text(at - 1), "-" | "'" | "/" | "." | "@" | "_")
            && !self.is_mark(at - 1, "/")
        {
            return at;
        }
        if self.inside_way_or_facility(at) {
            return at;
        }
        let end = self.line_end(at);
        let (start, titled) = self.skip_titles(at, end);
        if titled.is_none() || start >= end || !(self.is_name_like(start) || PARTICLES.has(self.hash(start)))
        {
            return at;
        }
        if matches!(self.text(start), "le" | "la" | "Le" | "La")
            && note.tokens.get(start + 1).is_some_and(|t| is_office(t.of(note.norm())))
        {
            return at;
        }
        if !token.is_capitalised()
            && note.tokens[start].shape == Shape::Single
            && !self.is_mark(start + 1, ".")
        {
            return at;
        }
        self.read_person(start, end, false, Hint::Any, person);
        let full = person.units.iter().filter(|u| !u.initial).count();
        if person.units.is_empty()
            || found.loose && full == 0
            || found.loose && self.note.language == Language::Es && full < 2
        {
            return at;
        }
        let role = titled.map_or(Role::Unknown, |t| t.role);
        let score = if full == 0 {
            0.7
        } else if self.starts_line(at) {
            0.95
        } else {
            0.92
        };
        self.emit_person(person, Hint::Any, role, score);
        person.next
    }

    /// The `M` of "DURAND M." is an initial, not a title.
    fn is_initial_of_name(&self, at: usize) -> bool {
        at > 0
            && self.kind(at - 1) == Kind::Word
            && self.note.tokens[at - 1].shape == Shape::Upper
            && !self.is_column(at)
            && self.is_mark(at + 1, ".")
            && !self.is_name_like(at + 2)
    }

    /// "rue du Docteur Roux", "Hospital Dr. Negrín": the title belongs to the place.
    fn inside_way_or_facility(&self, at: usize) -> bool {
        (at.saturating_sub(4)..at)
            .rev()
            .take_while(|&i| {
                matches!(self.kind(i), Kind::Word | Kind::Mark)
                    && !self.is_mark(i, ".")
                    && !self.is_mark(i, ":")
                    && !self.is_mark(i, ",")
            })
            .any(|i| {
                self.kind(i) == Kind::Word
                    && (self.is_way(i) && !matches!(self.text(i), "p" | "c" | "P" | "C")
                        || self.is_facility(i)
                            && self.note.tokens[i].is_capitalised()
                            && i + 4 > at
                            && !self.is_service(i))
            })
    }

    fn is_service(&self, at: usize) -> bool {
        static SERVICES: LazyLock<WordSet> = LazyLock::new(|| {
            WordSet::new(&["service servicio unidad unite departamento departement centre centro"])
        });
        SERVICES.has(self.hash(at))
    }
}
