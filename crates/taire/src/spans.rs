//! Spans as they are written beside a text: those of the new text, or those found in the original.

use std::borrow::Cow;

use taire_formats::OutSpan;
use taire_text::Entity;
use taire_text::scheme::{self, Scheme};

use crate::Deidentified;

impl Deidentified {
    /// What was written, in bytes of the new text.
    pub fn written_spans(&self) -> Vec<OutSpan> {
        let spans = self.written.iter().map(|written| {
            let entity = &self.entities[written.entity];
            OutSpan {
                start: written.range.start,
                end: written.range.end,
                original: written.original.clone(),
                took: written.took,
                put: written.put,
                label: Cow::Borrowed(entity.label.name()),
                role: Some(entity.role),
                score: entity.score.get(),
                sources: entity.sources,
            }
        });
        spans.collect()
    }
}

/// What was found, by the names and borders of a label scheme, in bytes of the original.
pub fn found_spans(scheme: Scheme, text: &str, entities: &[Entity]) -> Vec<OutSpan> {
    let spans = scheme::project(scheme, text, entities).into_iter().map(|s| OutSpan {
        start: s.span.start(),
        end: s.span.end(),
        original: s.span.start()..s.span.end(),
        took: 0,
        put: 0,
        label: Cow::Borrowed(s.label),
        role: Some(s.role),
        score: s.score.get(),
        sources: s.sources,
    });
    spans.collect()
}
