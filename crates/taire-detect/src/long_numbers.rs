//! Runs of more than five digits that nothing protects (Bigeard §3.2.4), and the boxes and doors of an address.
//!
//! She lost every platelet count to this rule; here what the guard clears, and a number with a unit, stay.

use std::sync::LazyLock;

use taire_text::{Entity, Kind, Label, Mention, Note, Source, Verdict};

use crate::folded::{WordSet, token_hash};

/// Digits of a run that is no identifier, at most.
const MOST_PLAIN: usize = 5;

/// Words before the number of a post box.
static BOXES: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&["bp cidex tsa"]));
/// Words before the number or letter of a flat.
static FLATS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&["apt appt appartement"]));
/// Words before the number or letter of a building, in an address only.
static BUILDINGS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&["bat batiment escalier porte"]));

/// Adds what is free of entities and of mentions that clear it.
pub fn long_numbers(note: &Note, entities: &[Entity], out: &mut Vec<Mention>) {
    let cleared: Vec<_> = out.iter().filter(|m| m.verdict == Verdict::Clear).map(|m| m.span).collect();
    let free =
        |span| !entities.iter().any(|e| e.span.overlaps(span)) && !cleared.iter().any(|c| c.overlaps(span));
    let mut at = 0;
    while at < note.tokens.len() {
        if let Some((last, label, why)) = address_part(note, at) {
            let span = note.raw_of_tokens(at, last);
            if free(span) {
                out.push(Mention::phi(span, label, 0.7, Source::Pattern, why));
            }
            at = last + 1;
            continue;
        }
        if note.tokens[at].kind != Kind::Number {
            at += 1;
            continue;
        }
        let (last, digits) = run_of_digits(note, at);
        let span = note.raw_of_tokens(at, last);
        if digits > MOST_PLAIN && !is_measured(note, at, last) && free(span) {
            let why = "a run of more than five digits that nothing protects";
            out.push(Mention::phi(span, Label::OtherId, 0.6, Source::Pattern, why));
        }
        at = last + 1;
    }
}

/// Numbers joined by one glued mark: `0253.625`, `12-34-56`. The last token and the number of digits.
fn run_of_digits(note: &Note, first: usize) -> (usize, usize) {
    let (tokens, text) = (&note.tokens, note.norm());
    let (mut last, mut digits) = (first, tokens[first].of(text).len());
    while let (Some(mark), Some(next)) = (tokens.get(last + 1), tokens.get(last + 2)) {
        let joins = mark.glued && mark.kind == Kind::Mark && matches!(mark.of(text), "." | "-" | "/");
        if !(joins && next.glued && next.kind == Kind::Number) {
            break;
        }
        last += 2;
        digits += next.of(text).len();
    }
    (last, digits)
}

/// A unit, a percent sign, an operator: a value, not a number of somebody.
fn is_measured(note: &Note, first: usize, last: usize) -> bool {
    let text = note.norm();
    let word = |at: usize| note.tokens.get(at).map_or("", |t| t.of(text));
    let before = first.checked_sub(1).map_or("", word);
    let after = note.tokens.get(last + 1);
    let unit = after.is_some_and(|t| t.kind == Kind::Word && (t.glued || t.of(text).chars().count() <= 4));
    unit || matches!(word(last + 1), "%" | "/" | "°" | "," | "µ" | "€")
        || matches!(before, "<" | ">" | "=" | "±" | ",")
}

/// `BP 18`, `apt 12`, and in an address `bâtiment B`: the last token, and why.
fn address_part(note: &Note, at: usize) -> Option<(usize, Label, &'static str)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let hash = token_hash(tokens.get(at).filter(|t| t.kind == Kind::Word)?, text);
    let dot = usize::from(tokens.get(at + 1).is_some_and(|t| t.glued && t.of(text) == "."));
    let value = tokens.get(at + 1 + dot)?;
    let digits = if value.kind == Kind::Number { value.of(text).len() } else { 0 };
    // `BP 120/80` is no box.
    let digit_after = tokens.get(at + 3 + dot).is_some_and(|t| t.glued && t.kind == Kind::Number);
    let ends = tokens
        .get(at + 2 + dot)
        .is_none_or(|t| !(t.glued && (matches!(t.of(text), "/" | "%") || t.of(text) == "," && digit_after)));
    let letter = value.kind == Kind::Word && value.of(text).chars().count() == 1 && value.is_capitalised();
    let found = if BOXES.has(hash) {
        (1..=6).contains(&digits)
    } else if FLATS.has(hash) {
        (1..=4).contains(&digits) || letter
    } else {
        BUILDINGS.has(hash) && ((1..=3).contains(&digits) || letter) && in_address(note, at)
    };
    (found && ends).then_some((at + 1 + dot, Label::Street, "a box, a flat or a building of an address"))
}

/// The line has a flat or a number of five digits too.
fn in_address(note: &Note, at: usize) -> bool {
    let text = note.norm();
    let start = note.tokens[..at].iter().rposition(|t| t.kind == Kind::Newline).map_or(0, |i| i + 1);
    let line = note.tokens[start..].iter().take_while(|t| t.kind != Kind::Newline);
    line.take(60).any(|t| {
        t.kind == Kind::Number && t.of(text).len() == 5
            || t.kind == Kind::Word && FLATS.has(token_hash(t, text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let note = Note::builder("a", text).build().unwrap();
        let mut out = Vec::new();
        long_numbers(&note, &[], &mut out);
        out.iter().map(|m| m.span.of(text)).collect()
    }

    #[test]
    fn bigeards_numbers_and_addresses() {
        assert_eq!(found("NI/NN SPD / 0253.625"), ["0253.625"]);
        assert_eq!(found("cidex 008419"), ["cidex 008419"]);
        assert_eq!(found("BP 18 33049 Bordeaux, apt 12, bâtiment B"), ["BP 18", "apt 12", "bâtiment B"]);
        assert!(found("Plaquettes 250000 /mm3, BP 120/80, 1200000 UI, bâtiment B").is_empty());
    }
}
