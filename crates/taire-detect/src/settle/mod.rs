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

use taire_text::{Entity, Language, Note};

/// Entities with their borders and labels corrected, still disjoint and sorted.
pub fn settle(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    if entities.is_empty() {
        return entities;
    }
    let entities = ends::settle(note, entities);
    if note.language != Language::Fr {
        return entities;
    }
    let mut entities = names::settle(note, mails::settle(note, entities));
    births::settle(note, &mut entities);
    entities
}
