//! Trusted PHI (Córdoba §4.3.3, after Yang and Garibaldi): what is certain in a document, or in the patient's
//! other documents, is looked for again everywhere in it.
//!
//! Only strings of four characters or more come back, never the sex, an age or a date; a string that is also an
//! ordinary word comes back only in capitals; and a longer entity around it keeps its own label.

use std::collections::BTreeMap;

use taire_text::{Entity, Group, Kind, Label, Mention, Note, Role, Shape, Source, fold};

use crate::phrases::{Known, Match, Phrases};

/// How sure a detector that reads context must have been for its names to be trusted.
const CERTAIN: f32 = 0.9;
const CERTAIN_PATTERN: f32 = 0.95;
const MIN_CHARS: usize = 4;
/// A record keeps so many strings of so many bytes. More are a register, not a patient; the order in which they are
/// kept, names first, does not depend on the order of the documents.
const MOST_STRINGS: usize = 400;
const LONGEST: usize = 120;

/// What is certain of one patient, gathered over their documents. Holds folded strings only, and prints none.
#[derive(Clone, Default)]
pub struct TrustedRecord {
    strings: BTreeMap<(Group, String, Label), Trusted>,
}

#[derive(Clone, Copy)]
struct Trusted {
    role: Role,
    /// Seen as an ordinary word too: must come back capitalised.
    common: bool,
}

impl std::fmt::Debug for TrustedRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TrustedRecord({} strings)", self.strings.len())
    }
}

impl TrustedRecord {
    pub fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }

    /// The folded names of people.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.strings.keys().filter(|(group, ..)| *group == Group::Person).map(|(_, text, _)| text.as_str())
    }

    /// Adds what is certain among the entities of one document.
    pub fn add(&mut self, note: &Note, entities: &[Entity]) {
        for entity in entities.iter().filter(|e| is_trusted(e)) {
            let span = note.to_norm(entity.span);
            let text = span.of(note.norm());
            if text.chars().filter(|c| c.is_alphanumeric()).count() < MIN_CHARS {
                continue;
            }
            let first = note.token_at(span.start());
            let tokens = note.tokens[first..].iter().take_while(|t| t.start() < span.end());
            let common = tokens
                .filter(|t| t.kind == Kind::Word)
                .all(|t| t.facts.careful().is_some() || t.end() - t.start() < MIN_CHARS);
            self.insert(
                (entity.label.group(), fold(text), entity.label),
                Trusted { role: entity.role, common },
            );
        }
    }

    /// Adds what another record holds. Any order of adding and merging gives the same record.
    pub fn merge(&mut self, other: &TrustedRecord) {
        other.strings.iter().for_each(|(key, &trusted)| self.insert(key.clone(), trusted));
    }

    fn insert(&mut self, key: (Group, String, Label), trusted: Trusted) {
        if key.1.len() > LONGEST {
            return;
        }
        let slot = self.strings.entry(key).or_insert(trusted);
        // `Unknown` comes last among roles.
        slot.role = slot.role.min(trusted.role);
        slot.common |= trusted.common;
        if self.strings.len() > MOST_STRINGS {
            self.strings.pop_last();
        }
    }

    /// The record in few bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for ((_, text, label), trusted) in &self.strings {
            let head = [label.index(), trusted.role.index() << 1 | usize::from(trusted.common), text.len()];
            out.extend(head.map(|n| n as u8));
            out.extend_from_slice(text.as_bytes());
        }
        out
    }

    /// What [`TrustedRecord::pack`] packed.
    pub fn unpack(mut bytes: &[u8]) -> TrustedRecord {
        let mut record = TrustedRecord::default();
        while let [label, flags, length, rest @ ..] = bytes {
            let Some((text, rest)) = rest.split_at_checked(usize::from(*length)) else { break };
            let label = Label::ALL.get(usize::from(*label));
            let role = Role::ALL.get(usize::from(flags >> 1));
            if let (Some(&label), Some(&role), Ok(text)) = (label, role, std::str::from_utf8(text)) {
                let trusted = Trusted { role, common: flags & 1 == 1 };
                record.strings.insert((label.group(), text.to_owned(), label), trusted);
            }
            bytes = rest;
        }
        record
    }

    fn phrases(&self) -> Phrases {
        // Typing errors are for what a register says, not for what was itself found in a text.
        let mut phrases = Phrases::default();
        for ((_, text, label), trusted) in &self.strings {
            let known = Known { label: *label, role: trusted.role, title_case_only: trusted.common };
            match label.group() {
                Group::Person => phrases.add_name(text, known),
                Group::Contact | Group::Identifier => phrases.add_code(text, known),
                _ if *label == Label::PostalCode => phrases.add_code(text, known),
                _ => phrases.add_phrase(text, known),
            }
        }
        phrases.build();
        phrases
    }
}

fn is_trusted(entity: &Entity) -> bool {
    use Label::*;
    let comes_back = !matches!(
        entity.label,
        Sex | Kinship
            | Profession
            | OtherDetail
            | Age
            | Date
            | BirthDate
            | RelativeDate
            | Initials
            | Country
            | Region
    );
    let certain = entity.sources.contains(Source::Metadata)
        || entity.sources.contains(Source::Structure) && entity.score.get() >= 0.8
        || entity.sources.contains(Source::Reviewer)
        || entity.sources.contains(Source::Pattern) && entity.score.get() >= CERTAIN_PATTERN
        || entity.label.group() == Group::Person && entity.score.get() >= CERTAIN;
    comes_back && certain
}

/// Adds mentions of what is certain in this document and in `others`, where no entity covers it yet.
pub fn second_pass(note: &Note, entities: &[Entity], others: &TrustedRecord, out: &mut Vec<Mention>) {
    let mut record = others.clone();
    record.add(note, entities);
    let phrases = record.phrases();
    if phrases.is_empty() {
        return;
    }
    phrases.search(note, |hit| {
        let span = note.raw_of_tokens(hit.first, hit.last);
        let next = entities.partition_point(|e| e.span.end() <= span.start());
        if entities.get(next).is_some_and(|e| e.span.contains(span)) {
            return;
        }
        let words = || note.tokens[hit.first..=hit.last].iter().filter(|t| t.kind == Kind::Word);
        if hit.how == Match::Exact {
            let letters: usize = words().map(|t| t.of(note.norm()).chars().count()).sum();
            let digits = note.tokens[hit.first..=hit.last].iter().any(|t| t.kind == Kind::Number);
            if letters < MIN_CHARS && !digits || !words().any(|t| t.is_capitalised()) {
                return;
            }
            let ordinary = hit.known.title_case_only || words().all(|t| t.facts.careful().is_some());
            if ordinary && !words().all(|t| stands_as_name(note, t.shape, hit.first)) {
                return;
            }
        }
        let score = if hit.last > hit.first || hit.how == Match::Code { 0.95 } else { 0.9 };
        out.push(
            Mention::phi(span, hit.known.label, score, Source::Trusted, "certain elsewhere in this record")
                .with_role(hit.known.role),
        );
    });
}

/// A word that is also ordinary counts when it is all capitals, or has a capital that no sentence start gave it.
fn stands_as_name(note: &Note, shape: Shape, at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| note.tokens[i]);
    match shape {
        Shape::Upper => before.is_none_or(|t| t.shape != Shape::Upper),
        Shape::Title | Shape::Mixed | Shape::Single => before.is_some_and(|t| t.kind == Kind::Word),
        Shape::Lower | Shape::None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Facts, Score, SourceSet};

    fn entity(note: &Note, text: &str, label: Label, source: Source) -> Entity {
        let start = note.raw().find(text).unwrap();
        Entity {
            span: taire_text::Span::new(start, start + text.len()),
            label,
            role: Role::Patient,
            score: Score::new(0.97),
            sources: SourceSet::from_iter([source]),
            doubtful_value: false,
            mentions: Vec::new(),
        }
    }

    fn again(note: &Note, entities: &[Entity], others: &TrustedRecord) -> Vec<(String, Label)> {
        let mut out = Vec::new();
        second_pass(note, entities, others, &mut out);
        out.iter().map(|m| (m.span.of(note.raw()).to_owned(), m.label().unwrap())).collect()
    }

    #[test]
    fn found_again_unless_a_longer_entity_holds_it() {
        let note = Note::builder(
            "a",
            "Nombre: Juan Carlos Rey. Sexo: M. Visto REY y Juan  Carlos en Hospital Rey Juan Carlos. NHC 12-345-6; 123456. M juan carlos",
        )
        .build()
        .unwrap();
        let entities = [
            entity(&note, "Juan Carlos", Label::GivenName, Source::Structure),
            entity(&note, "Sexo: M".trim_start_matches("Sexo: "), Label::Sex, Source::Structure),
            entity(&note, "Hospital Rey Juan Carlos", Label::Hospital, Source::Lexicon),
            entity(&note, "12-345-6", Label::PatientId, Source::Pattern),
        ];
        assert_eq!(
            again(&note, &entities, &TrustedRecord::default()),
            [("Juan  Carlos".into(), Label::GivenName), ("123456".into(), Label::PatientId),]
        );
    }

    #[test]
    fn other_documents_count_and_words_need_capitals() {
        let first = Note::builder("a", "Nom : PETIT").build().unwrap();
        let mut record = TrustedRecord::default();
        record.add(&first, &[entity(&first, "PETIT", Label::FamilyName, Source::Metadata)]);
        let mut note =
            Note::builder("b", "un petit foyer. Petit foyer. Vu par PETIT et pour Petit").build().unwrap();
        for token in &mut note.tokens {
            token.facts = Facts::default().with_word_class(2);
        }
        assert_eq!(
            again(&note, &[], &record),
            [("PETIT".into(), Label::FamilyName), ("Petit".into(), Label::FamilyName)]
        );
        assert_eq!(format!("{record:?}"), "TrustedRecord(1 strings)");
    }
}
