//! Last corrections of disjoint entities, after fusion: where a name begins and ends, which of its parts is the family
//! name, and which of several dates is the birth date.
//!
//! A detector sees its own evidence only; here all of it is at hand. Every correction leaves a mention that says why.
//! All but the ends of names and their particles are French only: they are about French order, French keys and the
//! French number.

mod births;
mod devices;
mod ends;
mod mails;
mod names;

use std::sync::LazyLock;

use taire_text::{Entity, Kind, Label, Language, Note, Source};

use crate::folded::{WordSet, word_hash};

/// Entities with their borders and labels corrected, still disjoint and sorted.
pub fn settle(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    if entities.is_empty() {
        return entities;
    }
    let entities = names::join_particles(note, ends::settle(note, entities));
    let entities = names::begin_with_particles(note, ends::settle_particles(note, entities));
    let mut entities = devices::without_brands(note, entities);
    entities.retain(|entity| !is_placeholder(note, entity) && !is_heading(note, entity));
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
    let certain = entity.sources.contains(Source::Metadata) || entity.sources.contains(Source::Reviewer);
    let mut digits = text.iter().filter(|b| b.is_ascii_digit());
    let Some(first) = digits.next() else { return false };
    let plain = |b: &u8| b == first || matches!(b, b' ' | b'.' | b'-' | b'/' | b'\t' | b'\n' | b'\r');
    !certain && digits.count() + 1 >= FEWEST && text.iter().all(plain)
}

/// `Nombre`, `Apellidos`: the head of a column or of a line, and no name.
fn is_heading(note: &Note, entity: &Entity) -> bool {
    static HEADS: LazyLock<WordSet> = LazyLock::new(|| {
        WordSet::new(&[
            "nombre nombres apellido apellidos edad sexo fecha domicilio telefono direccion localidad provincia",
        ])
    });
    if note.language != Language::Es || !matches!(entity.label, Label::GivenName | Label::FamilyName) {
        return false;
    }
    let norm = note.to_norm(entity.span);
    let certain = entity.sources.contains(Source::Metadata) || entity.sources.contains(Source::Reviewer);
    let tokens = &note.tokens[note.token_at(norm.start())..note.token_at(norm.end())];
    let mut words = tokens.iter().filter(|t| t.kind == Kind::Word);
    !certain && words.all(|t| HEADS.has(word_hash(t.of(note.norm()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FusionRule, fuse};
    use taire_text::{Mention, Span};

    fn left(text: &str, name: &str) -> usize {
        let note = Note::builder("a", text).language(Some(Language::Es)).build().unwrap();
        let at = text.find(name).unwrap();
        let span = Span::new(at, at + name.len());
        let said = Mention::phi(span, Label::FamilyName, 0.6, Source::Crf, "test");
        settle(&note, fuse(text, &[said], &FusionRule::default())).len()
    }

    #[test]
    fn heads_of_columns_are_no_names() {
        assert_eq!(left("Nombre\tApellidos\tEdad", "Apellidos\tEdad"), 0);
        assert_eq!(left("Nombre\nApellidos", "Nombre"), 0);
        assert_eq!(left("Apellidos\nEdad Tovar", "Edad Tovar"), 1);
    }

    #[test]
    fn particles_begin_the_family_name_behind_them() {
        for (source, wanted) in [
            (
                "[Karim](GivenName) [ben](FamilyName) [Youssef](GivenName)",
                "[Karim](GivenName) [ben Youssef](FamilyName)",
            ),
            ("[Karim ibn](GivenName) [Windeck](FamilyName)", "[Karim](GivenName) [ibn Windeck](FamilyName)"),
            ("[María del](GivenName) [Carmen](GivenName)", "[María del](GivenName) [Carmen](GivenName)"),
            ("la fille [de](FamilyName) [Marie](GivenName)", "la fille de [Marie](GivenName)"),
            (
                "[Jean-Louis](GivenName) de [Chabreloche](FamilyName)",
                "[Jean-Louis](GivenName) [de Chabreloche](FamilyName)",
            ),
            ("mme de la [Torre](FamilyName)", "mme [de la Torre](FamilyName)"),
            ("la cama de [Torre](FamilyName)", "la cama de [Torre](FamilyName)"),
            ("lote [Xience Sierra 4471233](DeviceId)", "lote Xience Sierra [4471233](DeviceId)"),
            ("lote [SG 10804](DeviceId)", "lote [SG 10804](DeviceId)"),
        ] {
            let marked = taire_text::marked::parse(source);
            let note = Note::builder("a", &marked.text).language(Some(Language::Es)).build().unwrap();
            let said = marked.spans.iter().map(|(range, label)| {
                let span = Span::new(range.start, range.end);
                Mention::phi(span, label.parse().unwrap(), 0.6, Source::Crf, "test")
            });
            let said: Vec<Mention> = said.collect();
            let entities = settle(&note, fuse(&marked.text, &said, &FusionRule::default()));
            let got: Vec<_> = entities.iter().map(|e| (e.span.range(), e.label.name().to_owned())).collect();
            assert_eq!(got, taire_text::marked::parse(wanted).spans, "{source}");
        }
    }
}
