//! What is settled beside the detectors: spans that are final, text that may stay, entities that came out as they were.

use taire_detect::AllowedSpans;
use taire_formats::FinalSpan;
use taire_text::{Entity, Mention, Note, Score, Source, SourceSet, Span};

use crate::{Error, Written};

/// Final spans as entities; they must lie in the text, hold something and not overlap.
pub(crate) fn settled_entities(note: &Note, spans: &[FinalSpan]) -> Result<Vec<Entity>, Error> {
    let mut spans: Vec<&FinalSpan> = spans.iter().collect();
    spans.sort_by_key(|span| (span.range.start, span.range.end));
    let mut entities: Vec<Entity> = Vec::with_capacity(spans.len());
    for FinalSpan { range, label, role } in spans {
        let floor = entities.last().map_or(0, |e| e.span.end());
        if range.start < floor || range.is_empty() || note.raw().get(range.clone()).is_none() {
            return Err(Error::input(format!(
                "the final {label} at bytes {} to {} is empty, overlaps another, or does not lie on characters of the text",
                range.start, range.end
            )));
        }
        let span = Span::new(range.start, range.end);
        let mention =
            Mention::phi(span, *label, 1.0, Source::Reviewer, "settled beforehand").with_role(*role);
        entities.push(Entity {
            span,
            label: *label,
            role: *role,
            score: Score::CERTAIN,
            sources: SourceSet::from_iter([Source::Reviewer]),
            doubtful_value: false,
            mentions: vec![mention],
        });
    }
    Ok(entities)
}

/// The entities that can still be read in the new text.
pub(crate) fn kept_entities(note: &Note, entities: &[Entity], written: &[Written], text: &str) -> Vec<usize> {
    let mut changed = vec![false; entities.len()];
    for w in written {
        let original = entities.get(w.entity).map(|e| e.span.of(note.raw()));
        if original.is_some() && original != text.get(w.range.clone()) {
            changed[w.entity] = true;
        }
    }
    (0..entities.len()).filter(|&i| !changed[i]).collect()
}

/// Drops mentions, from one on, of text that may stay. What is known of the patient, and the policy's deny-lists, outweigh it.
pub(crate) fn drop_allowed(allowed: &AllowedSpans<'_>, mentions: &mut Vec<Mention>, from: usize) {
    if allowed.is_empty() {
        return;
    }
    let mut index = 0;
    mentions.retain(|m| {
        index += 1;
        let certain = matches!(m.source, Source::Metadata | Source::Reviewer);
        index <= from || certain || m.label().is_none_or(|label| !allowed.hold(m.span, label))
    });
}
