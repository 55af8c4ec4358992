//! Towns, by list and by what comes before them.

use taire_lexicon::Lexicon;
use taire_text::{Facts, Kind, Label, Language, Mention, Note, Shape, Source, Token, fold};

use crate::words::WordClass;

/// A town so large that its name alone means it, though some people bear it too.
fn is_large(word: &str, lexicon: &Lexicon, facts: Facts) -> bool {
    const LARGE: u32 = 50_000;
    facts.careful().is_none()
        && facts.given_tier() == 0
        && facts.family_tier() <= 5
        && lexicon.towns_named(&fold(word)).any(|town| town.population() >= LARGE)
}

/// A town whose name starts at token `at`, with the index of the token after it.
pub(crate) fn town(note: &Note, lexicon: &Lexicon, at: usize) -> Option<(Mention, usize)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let token = &tokens[at];
    if !token.facts.is_town() && !token.facts.starts_town() {
        return None;
    }
    let taken = lexicon.longest_town(text, tokens, at)?;
    let mut last = at + taken - 1;
    let before = at.checked_sub(1).map(|i| &tokens[i]).filter(|t| t.kind != Kind::Newline);
    let glued_mark = before.is_some_and(|t| matches!(t.of(text), "-" | "'") && token.glued);
    if glued_mark && before.is_some_and(|t| t.of(text) == "-") {
        return None;
    }
    let class = before.and_then(WordClass::of);
    let single = taken == 1;
    let ambiguous = single && (token.facts.careful().is_some() || token.facts.is_name());
    let after_code = before.is_some_and(|t| t.kind == Kind::Number && t.end() - t.start() == 5)
        || before.is_some_and(|t| matches!(t.of(text), "," | "-" | "(" | "."))
            && at >= 2
            && tokens[at - 2].kind == Kind::Number
            && tokens[at - 2].end() - tokens[at - 2].start() == 5;
    let date_line = tokens.get(last + 1).is_some_and(|t| t.of(text) == ",")
        && tokens.get(last + 2).is_some_and(|t| matches!(t.of(text), "le" | "a" | "el"))
        && tokens.get(last + 3).is_some_and(|t| t.kind == Kind::Number);
    let placed = match class {
        Some(WordClass::PlacePreposition | WordClass::PlaceVerb) => true,
        Some(WordClass::Particle) => at >= 2 && WordClass::of(&tokens[at - 2]) == Some(WordClass::PlaceVerb),
        _ => false,
    };
    let (score, why) = if after_code {
        (0.95, "town after a postal code")
    } else if date_line {
        (0.9, "town before the date of a letter")
    } else if placed
        && !(ambiguous && token.shape == Shape::Upper && taken == 1 && token.end() - token.start() <= 3)
    {
        (if ambiguous { 0.65 } else { 0.85 }, "town after a word of place")
    } else if !single {
        (0.75, "town of several words")
    } else if ambiguous && is_large(token.of(text), lexicon, token.facts) {
        (0.6, "name of a large town")
    } else if ambiguous || token.end() - token.start() < 4 {
        return None;
    } else {
        (0.6, "name of a town")
    };
    // "Lyon cedex 03"
    if tokens.get(last + 1).is_some_and(|t| t.of(text).eq_ignore_ascii_case("cedex")) {
        last += 1;
        last += usize::from(
            tokens.get(last + 1).is_some_and(|t| t.kind == Kind::Number && t.end() - t.start() <= 2),
        );
    }
    Some((Mention::phi(note.raw_of_tokens(at, last), Label::City, score, Source::Lexicon, why), last + 1))
}

/// `Bermont 90400`, `Dijon, 21000`: five digits right behind the town at token `at`, of one of its departments.
pub(crate) fn code_after(note: &Note, lexicon: &Lexicon, at: usize, next: usize) -> Option<Mention> {
    let (tokens, text) = (&note.tokens, note.norm());
    let apart = usize::from(tokens.get(next).is_some_and(|t| matches!(t.of(text), "," | "(" | "-")));
    let code = tokens.get(next + apart).filter(|t| t.kind == Kind::Number && t.end() - t.start() == 5)?;
    let runs_on = tokens.get(next + apart + 1).is_some_and(|t| {
        t.kind == Kind::Number
            || t.glued
                && matches!(t.of(text), "," | "." | "/" | "-" | "%")
                && tokens.get(next + apart + 2).is_some_and(|t| t.glued && t.kind == Kind::Number)
    });
    let (_, mut towns) = lexicon.town_at(text, tokens, at)?;
    let two = code.of(text).get(..2)?;
    let there = !runs_on && towns.any(|town| town.department() == two);
    let span = note.raw_of_tokens(next + apart, next + apart);
    there.then(|| Mention::phi(span, Label::PostalCode, 0.9, Source::Lexicon, "postal code behind its town"))
}

/// `45160 Olivet`, `90400 - Bermont`: five digits right before the town at token `at`, of one of its departments; or
/// `45 160 Olivet` with nothing in between.
pub(crate) fn code_before(note: &Note, lexicon: &Lexicon, at: usize) -> Option<Mention> {
    let (tokens, text) = (&note.tokens, note.norm());
    if let Some(first) = parted_code(note, at) {
        let span = note.raw_of_tokens(first, at - 1);
        return Some(Mention::phi(
            span,
            Label::PostalCode,
            0.85,
            Source::Lexicon,
            "postal code before a town",
        ));
    }
    let apart = usize::from(at >= 2 && matches!(tokens[at - 1].of(text), "," | "-"));
    let code = at.checked_sub(1 + apart)?;
    if tokens[code].kind != Kind::Number || tokens[code].end() - tokens[code].start() != 5 {
        return None;
    }
    let two = tokens[code].of(text).get(..2)?;
    let (_, mut towns) = lexicon.town_at(text, tokens, at)?;
    let alone = !tokens[code].glued || code == 0;
    (alone && towns.any(|town| town.department() == two)).then(|| {
        let span = note.raw_of_tokens(code, code);
        Mention::phi(span, Label::PostalCode, 0.9, Source::Lexicon, "postal code before its town")
    })
}

/// The first token of a French postal code in two parts, `45 160`, that ends right before token `at`.
fn parted_code(note: &Note, at: usize) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    let [before @ .., two, three] = tokens.get(..at)? else { return None };
    let number = |t: &Token, digits: usize| t.kind == Kind::Number && t.end() - t.start() == digits;
    let department = two.of(text).parse::<u8>().is_ok_and(|d| (1..=98).contains(&d));
    let alone =
        before.last().is_none_or(|t| t.kind != Kind::Number && (!two.glued || t.kind == Kind::Newline));
    let parted =
        number(two, 2) && number(three, 3) && three.start() == two.end() + 1 && !tokens.get(at)?.glued;
    (note.language == Language::Fr && parted && department && alone).then_some(at - 2)
}
