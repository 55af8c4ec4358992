//! Numbers of devices: a brand or a model between `lot` and its number is medicine and stays.

use taire_text::{Entity, Group, Kind, Note, Shape, Source};

/// Fewer letters open a number: `SG 10804`.
const BRAND: usize = 4;
/// A number that stands by itself behind a brand has as many digits.
const DIGITS: usize = 4;

/// Identifiers without the words that stand before their number: `Xience Sierra 4471233` is `4471233`.
pub(super) fn without_brands(note: &Note, mut entities: Vec<Entity>) -> Vec<Entity> {
    for entity in &mut entities {
        let certain = entity.sources.contains(Source::Metadata) || entity.sources.contains(Source::Reviewer);
        if certain || entity.label.group() != Group::Identifier {
            continue;
        }
        let norm = note.to_norm(entity.span);
        let (first, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
        let is_brand = |i: usize| {
            let token = &note.tokens[i];
            token.kind == Kind::Word
                && matches!(token.shape, Shape::Title | Shape::Lower)
                && token.end() - token.start() >= BRAND
                && note.tokens.get(i + 1).is_some_and(|next| !next.glued)
        };
        let begin = first + (first..end).take_while(|&i| is_brand(i)).count();
        if begin == first || begin >= end {
            continue;
        }
        let rest = note.raw_of_tokens(begin, end - 1);
        let digits = rest.of(note.raw()).bytes().filter(u8::is_ascii_digit).count();
        if digits >= DIGITS {
            entity.span = rest;
        }
    }
    entities
}
