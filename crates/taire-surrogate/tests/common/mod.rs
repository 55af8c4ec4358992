//! Marked text turned into entities, and a rewriter with a key of one repeated byte.

#![allow(dead_code)] // each test file uses its part

use std::ops::Range;

use taire_surrogate::{Rewriter, SecretKey};
use taire_text::{Entity, Role, Score, SourceSet, Span, marked};

/// The text of a marked source and its entities; `[Morel](FamilyName:Caregiver)` gives a role.
pub(crate) fn marked_entities(source: &str) -> (String, Vec<Entity>) {
    let marked = marked::parse(source);
    let entity = |(range, name): &(Range<usize>, String)| {
        let (label, role) = name.split_once(':').unwrap_or((name, "Unknown"));
        Entity {
            span: Span::new(range.start, range.end),
            label: label.parse().unwrap(),
            role: role.parse::<Role>().unwrap(),
            score: Score::CERTAIN,
            sources: SourceSet::default(),
            doubtful_value: false,
            mentions: Vec::new(),
        }
    };
    let entities = marked.spans.iter().map(entity).collect();
    (marked.text, entities)
}

pub(crate) fn rewriter(seed: u8, settings: &str) -> Rewriter {
    Rewriter::new(SecretKey::from_bytes(&[seed; 32]).unwrap(), toml::from_str(settings).unwrap()).unwrap()
}
