//! Mail addresses end where their pattern says: a name or a number that a detector ran into them is its own entity.

use taire_text::{Entity, Label, Mention, Note, Source, Span};

const SURE: f32 = 0.95;

pub(super) fn settle(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    let mut out = Vec::with_capacity(entities.len());
    for entity in entities {
        let ends = entity.mentions.iter().find(|v| {
            v.source == Source::Pattern
                && v.label() == Some(Label::Email)
                && v.score.get() >= SURE
                && v.span.start() == entity.span.start()
                && v.span.end() < entity.span.end()
        });
        let Some(end) = ends.map(|v| v.span.end()).filter(|_| entity.label == Label::Email) else {
            out.push(entity);
            continue;
        };
        let rest = &note.raw()[end..entity.span.end()];
        let Some(start) = rest.find(char::is_alphanumeric).map(|n| end + n) else {
            out.push(entity);
            continue;
        };
        let span = Span::new(start, entity.span.end());
        let digits = rest.chars().filter(char::is_ascii_digit).count();
        let label = match digits {
            0 => Label::FamilyName,
            13 | 15 => Label::SocialSecurity,
            _ => Label::OtherId,
        };
        let why = "glued to the end of a mail address";
        let mut tail = Entity { span, label, ..entity.clone() };
        tail.mentions = vec![Mention::phi(span, label, SURE, Source::Pattern, why)];
        out.push(Entity { span: Span::new(entity.span.start(), end), ..entity });
        out.push(tail);
    }
    out
}
