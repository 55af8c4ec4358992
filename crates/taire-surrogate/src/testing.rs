//! Marked text turned into notes and entities, for the tests of this crate.

use std::sync::Arc;

use taire_text::{
    Entity, KnownIdentity, Label, Language, Note, PatientId, Role, Score, SourceSet, Span, marked,
};

pub(crate) fn entities(source: &str) -> (String, Vec<Entity>) {
    let marked = marked::parse(source);
    let entities = marked
        .spans
        .iter()
        .map(|(range, name)| {
            let (label, role) = name.split_once(':').unwrap_or((name, "Unknown"));
            Entity {
                span: Span::new(range.start, range.end),
                label: label.parse::<Label>().unwrap(),
                role: role.parse::<Role>().unwrap(),
                score: Score::CERTAIN,
                sources: SourceSet::default(),
                doubtful_value: false,
                mentions: Vec::new(),
            }
        })
        .collect();
    (marked.text, entities)
}

pub(crate) fn note(text: &str, language: Language, known: Arc<KnownIdentity>) -> Note {
    Note::builder("note", text)
        .patient(PatientId::parse("p"))
        .language(Some(language))
        .known(Some(known))
        .build()
        .unwrap()
}
