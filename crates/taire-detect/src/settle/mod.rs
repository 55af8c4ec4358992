//! Last corrections, once every voice was heard and disjoint entities stand: where a name begins and ends, which of
//! its parts is the family name, and which of several dates is the birth date.
//!
//! A detector sees its own evidence only; here the whole of it lies side by side. Every correction leaves a voice
//! that says why. All but the ends of names are French only: they are about French order, French keys and the French
//! number.

mod births;
mod ends;
mod mails;
mod names;

use taire_text::{Entity, Language, Note, Source};

/// Entities with their borders and labels corrected, still disjoint and sorted.
pub fn settle(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    if entities.is_empty() {
        return entities;
    }
    let mut entities = ends::settle(note, entities);
    entities.retain(|entity| !is_placeholder(note, entity));
    if note.language != Language::Fr {
        return entities;
    }
    let mut entities = names::settle(note, mails::settle(note, entities));
    births::settle(note, &mut entities);
    entities
}

/// `00 00 00 00 00`, `1111111111111`: one digit over and over, which fills a form and identifies nobody.
fn is_placeholder(note: &Note, entity: &Entity) -> bool {
    const FEWEST: usize = 8;
    let text = entity.span.of(note.raw()).as_bytes();
    let told = entity.sources.contains(Source::Metadata) || entity.sources.contains(Source::Reviewer);
    let mut digits = text.iter().filter(|b| b.is_ascii_digit());
    let Some(first) = digits.next() else { return false };
    let plain = |b: &u8| b == first || matches!(b, b' ' | b'.' | b'-' | b'/' | b'\t' | b'\n' | b'\r');
    !told && digits.count() + 1 >= FEWEST && text.iter().all(plain)
}
