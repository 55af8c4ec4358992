//! Fields of an envelope: a name given in a header keeps its exact borders and label, whatever the detectors found.

use taire_text::{Entity, Given, Mention, Note, Raw, Score, Source, SourceSet, Span};

/// Replaces the mentions inside the fields by one mention for each field.
pub(crate) fn insert_envelope_fields(note: &Note, mentions: &mut Vec<Mention>) {
    if note.given.is_empty() {
        return;
    }
    let zones = zones(&note.given);
    mentions.retain(|m| {
        let next = zones.partition_point(|zone| zone.end() <= m.span.start());
        zones.get(next).is_none_or(|zone| !zone.contains(m.span))
    });
    mentions.extend(note.given.iter().filter_map(mention));
}

/// Restores the fields among decided entities: exact borders, label and role; nothing else inside them.
pub(crate) fn restore_envelope_fields(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    if note.given.is_empty() {
        return entities;
    }
    let zones = zones(&note.given);
    let mut out = Vec::with_capacity(entities.len());
    for entity in entities {
        let mut from = entity.span.start();
        let first = zones.partition_point(|zone| zone.end() <= from);
        for zone in zones[first..].iter().take_while(|zone| zone.start() < entity.span.end()) {
            keep_piece(note, &entity, from, zone.start(), &mut out);
            from = zone.end();
        }
        keep_piece(note, &entity, from, entity.span.end(), &mut out);
    }
    out.extend(note.given.iter().filter_map(|given| {
        let mention = mention(given)?;
        let sources = SourceSet::from_iter([Source::Metadata]);
        let (span, label, role) = (given.span, given.label?, given.role);
        Some(Entity {
            span,
            label,
            role,
            score: Score::CERTAIN,
            sources,
            doubtful_value: false,
            mentions: vec![mention],
        })
    }));
    out.sort_by_key(|e| e.span);
    out
}

fn keep_piece(note: &Note, entity: &Entity, start: usize, end: usize, out: &mut Vec<Entity>) {
    if start >= end {
        return;
    }
    let whole = start == entity.span.start() && end == entity.span.end();
    let has_letter_or_digit = |text: &str| text.chars().any(char::is_alphanumeric);
    if whole || note.raw().get(start..end).is_some_and(has_letter_or_digit) {
        out.push(Entity { span: Span::new(start, end), ..entity.clone() });
    }
}

fn mention(given: &Given) -> Option<Mention> {
    let label = given.label?;
    Some(
        Mention::phi(given.span, label, 1.0, Source::Metadata, "a field of the envelope")
            .with_role(given.role),
    )
}

/// The stretches that fields and the words between them cover without a gap.
fn zones(given: &[Given]) -> Vec<Span<Raw>> {
    let mut zones: Vec<Span<Raw>> = Vec::new();
    for span in given.iter().map(|g| g.span) {
        match zones.last_mut() {
            Some(last) if last.end() >= span.start() => *last = last.union(span),
            _ => zones.push(span),
        }
    }
    zones
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Label, Role};

    fn entity(start: usize, end: usize, label: Label) -> Entity {
        Entity {
            span: Span::new(start, end),
            label,
            role: Role::Unknown,
            score: Score::CERTAIN,
            sources: SourceSet::default(),
            doubtful_value: false,
            mentions: Vec::new(),
        }
    }

    #[test]
    fn fields_keep_their_borders_and_words_around_them_are_no_finding() {
        let text = "Nom : PETIT Anne\nParis, le";
        let field = |start, end, label| Given { span: Span::new(start, end), label, role: Role::Patient };
        let given = vec![field(0, 6, None), field(6, 11, Some(Label::FamilyName)), field(11, 12, None)];
        let note = Note::builder("a", text).given(given).build().unwrap();
        let found = vec![entity(0, 16, Label::Street), entity(17, 22, Label::City)];
        let kept: Vec<_> =
            restore_envelope_fields(&note, found).into_iter().map(|e| (e.span.of(text), e.label)).collect();
        assert_eq!(kept, [("PETIT", Label::FamilyName), ("Anne", Label::Street), ("Paris", Label::City)]);
    }
}
