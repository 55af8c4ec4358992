//! Where a name ends, in either language: a verb in small letters behind capitals, the word for a nurse or a relative
//! at the head of the next column, and the key of the number or mail that follows ran into it and are given back. Only
//! words that a list knows are: what no list knows may be a name.

use std::sync::LazyLock;

use taire_text::{Entity, Kind, Label, Note, Raw, Shape, Source, Span, Token};

use crate::folded::{PARTICLES, WordSet, title, token_hash, word_hash};
use crate::words::WordClass;

/// Keys of a number.
static KEYS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "busca buscapersonas tel tfno tlf tlfno telf telefono telephone movil portable fax ext extension poste dect bip",
        "nhc nuhsa nass nuss dni nie cip ipp nda nip rpps adeli finess",
    ])
});

pub(super) fn settle(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    let mut entities: Vec<Entity> = entities.into_iter().filter_map(|e| without_tail(note, e)).collect();
    for i in 0..entities.len() {
        let limit = entities.get(i + 1).map_or(note.raw().len(), |next| next.span.start());
        let whole = with_points(note, &entities[i]).or_else(|| over_line_end(note, &entities[i]));
        if let Some(span) = whole.filter(|span| span.end() <= limit) {
            entities[i].span = span;
        }
    }
    entities
}

/// `México D` of "México D.F.", `EE.UU` of "EE.UU.": the points of an abbreviation belong to the place.
fn with_points(note: &Note, entity: &Entity) -> Option<Span<Raw>> {
    if !matches!(entity.label, Label::City | Label::Region | Label::Country) {
        return None;
    }
    let (tokens, text) = (&note.tokens, note.norm());
    let norm = note.to_norm(entity.span);
    let (first, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
    let letters = |i: usize| {
        tokens.get(i).is_some_and(|t| {
            matches!(t.shape, Shape::Single | Shape::Upper)
                && t.end() - t.start() <= 2
                && t.kind == Kind::Word
        })
    };
    let point = |i: usize| tokens.get(i).is_some_and(|t| t.glued && t.of(text) == ".");
    if end == first || !letters(end - 1) || !point(end) {
        return None;
    }
    let mut last = end;
    while tokens.get(last + 1).is_some_and(|t| t.glued) && letters(last + 1) && point(last + 2) {
        last += 2;
    }
    let begun = end >= first + 3 && point(end - 2) && letters(end - 3);
    (begun || last > end).then(|| note.raw_of_tokens(first, last))
}

/// Names that are particles alone, once particles have joined the names behind them.
pub(super) fn settle_particles(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    let mut entities: Vec<Entity> = entities.into_iter().filter_map(|e| beyond_particles(note, e)).collect();
    // What grew over its neighbour takes its place.
    entities.dedup_by(|later, earlier| earlier.span.overlaps(later.span));
    entities
}

/// `de` alone is no name: behind a title the word after it is (`mme de vos`), elsewhere it is a preposition.
fn beyond_particles(note: &Note, mut entity: Entity) -> Option<Entity> {
    let certain = entity.sources.contains(Source::Reviewer) || entity.sources.contains(Source::Metadata);
    if certain || !matches!(entity.label, Label::GivenName | Label::FamilyName) {
        return Some(entity);
    }
    let (tokens, text) = (&note.tokens, note.norm());
    let norm = note.to_norm(entity.span);
    let (first, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
    let is_particle =
        |t: &Token| t.kind == Kind::Word && t.shape == Shape::Lower && PARTICLES.has(token_hash(t, text));
    if first >= end || !tokens[first..end].iter().all(is_particle) {
        return Some(entity);
    }
    let before = tokens[..first].iter().rev().find(|t| t.of(text) != ".");
    let titled = before.is_some_and(|t| t.kind == Kind::Word && title(token_hash(t, text)).is_some());
    let next = tokens.get(end).filter(|t| titled && t.kind == Kind::Word && t.facts.word_class() < 3)?;
    let medical = next.facts.is_medical() || next.facts.is_drug();
    (!medical).then(|| {
        entity.span = note.raw_of_tokens(first, end);
        entity
    })
}

/// `Carpen-` of a name that is broken over a line: its rest stands at the head of the next one.
fn over_line_end(note: &Note, entity: &Entity) -> Option<Span<Raw>> {
    if !matches!(entity.label, Label::GivenName | Label::FamilyName | Label::City) {
        return None;
    }
    let (tokens, text) = (&note.tokens, note.norm());
    let norm = note.to_norm(entity.span);
    let (first, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
    // The hyphen may be part of the name already.
    let hyphen = if end > first && tokens[end - 1].of(text) == "-" { end - 1 } else { end };
    let is_broken = tokens.get(hyphen).is_some_and(|t| t.glued && t.of(text) == "-")
        && tokens.get(hyphen + 1).is_some_and(|t| t.kind == Kind::Newline);
    let rest = tokens.get(hyphen + 2).filter(|t| is_broken && t.kind == Kind::Word)?;
    let before = tokens.get(hyphen.checked_sub(1)?).filter(|t| t.kind == Kind::Word)?;
    // `Marie-` before `Paule` and `Carpen-` before `tier`, but no sentence of its own.
    let fits = match rest.shape {
        Shape::Lower => rest.facts.word_class() < 3,
        Shape::Upper | Shape::Single => before.shape == Shape::Upper,
        Shape::Title => before.shape == Shape::Title,
        _ => false,
    };
    fits.then(|| note.raw_of_tokens(first, hyphen + 2))
}

fn without_tail(note: &Note, mut entity: Entity) -> Option<Entity> {
    let is_name = matches!(entity.label, Label::GivenName | Label::FamilyName | Label::Initials);
    let sure = |s: Source| entity.mentions.iter().any(|v| v.source == s && v.span.end() >= entity.span.end());
    if !is_name || sure(Source::Reviewer) || sure(Source::Metadata) {
        return Some(entity);
    }
    let norm = note.to_norm(entity.span);
    let (first, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
    let words: Vec<usize> = (first..end).filter(|&i| note.tokens[i].kind == Kind::Word).collect();
    if let [letter] = words[..]
        && matches!(note.tokens[letter].of(note.norm()), "E" | "e")
        && is_mail_key(note, letter)
    {
        return None;
    }
    // "MartínezNº Col": the key has lost its space.
    let key = note.tokens.get(end).is_some_and(|t| t.glued && matches!(t.of(note.norm()), "º" | "°"));
    let whole = end > first && note.tokens[end - 1].end() == norm.end();
    if key
        && whole
        && has_lost_n(note.tokens[end - 1].of(note.norm()))
        && entity.span.of(note.raw()).ends_with('N')
    {
        entity.span = Span::new(entity.span.start(), entity.span.end() - 1);
        return Some(entity);
    }
    let kept = words.iter().rposition(|&i| !is_tail(note, i, i == first)).map_or(0, |at| at + 1);
    let by_model_alone = entity.sources.iter().all(Source::is_learned);
    if kept == words.len() || kept == 0 && !by_model_alone {
        return Some(entity);
    }
    let mut last = *words.get(kept.checked_sub(1)?)?;
    if note.tokens.get(last + 1).is_some_and(|t| t.glued && t.of(note.norm()) == "." && last + 1 < end) {
        last += 1;
    }
    entity.span = note.raw_of_tokens(first, last);
    Some(entity)
}

fn is_tail(note: &Note, at: usize, alone: bool) -> bool {
    let (token, text) = (&note.tokens[at], note.norm());
    let rare = token.facts.family_tier() < 3 && token.facts.given_tier() < 3;
    let next = note.tokens[at + 1..].iter().find(|t| t.kind != Kind::Mark);
    if KEYS.has(word_hash(token.of(text))) && next.is_some_and(|t| t.kind == Kind::Number) {
        return true;
    }
    if alone {
        return false;
    }
    // "Rosalba Quijada E-mail: …"
    if matches!(token.of(text), "E" | "e") && is_mail_key(note, at) {
        return true;
    }
    if !rare {
        return false;
    }
    let before = &note.tokens[at - 1];
    let class = WordClass::of(token);
    let capitals = matches!(note.tokens[..at].iter().rev().find(|t| t.kind == Kind::Word), Some(t) if t.shape == Shape::Upper);
    match class {
        Some(WordClass::Particle) => false,
        Some(c) if c.is_title() || matches!(c, WordClass::RoleWord | WordClass::Kinship) => {
            token.shape != Shape::Single && !token.glued
        }
        _ => {
            let ordinary = token.facts.word_class() > 0 && token.facts.given_tier() == 0;
            ordinary && capitals && token.shape == Shape::Lower && before.kind == Kind::Word
        }
    }
}

/// A word in small letters with the N of "Nº" at its end.
fn has_lost_n(word: &str) -> bool {
    word.strip_suffix('N').is_some_and(|name| name.len() > 1 && name.ends_with(char::is_lowercase))
}

/// "E-mail", "E mail", "Email" torn apart: the letter before it is part of the key.
fn is_mail_key(note: &Note, at: usize) -> bool {
    let word = |i: usize| note.tokens.get(i).map_or("", |t| t.of(note.norm()));
    let next = if matches!(word(at + 1), "-" | "." | "–") { at + 2 } else { at + 1 };
    matches!(word(next), "mail" | "Mail" | "MAIL" | "mails")
}

#[cfg(test)]
mod tests {
    use taire_lexicon::Annotator;
    use taire_text::{Language, Mention, Score, SourceSet};

    use super::*;

    fn settled(text: &str, marked: &str) -> Option<String> {
        labelled(text, marked, Label::FamilyName)
    }

    fn labelled(text: &str, marked: &str, label: Label) -> Option<String> {
        let start = text.find(marked).unwrap();
        let span = Span::<Raw>::new(start, start + marked.len());
        let mention = Mention::phi(span, label, 0.8, Source::Crf, "a model");
        let entity = Entity {
            span,
            label,
            role: mention.role,
            score: Score::new(0.8),
            sources: SourceSet::from_iter([Source::Crf]),
            doubtful_value: false,
            mentions: vec![mention],
        };
        let mut note = Note::builder("n", text).language(Some(Language::Es)).build().unwrap();
        Annotator::new(Language::Es, |word| crate::words::keyword(Language::Es, word)).annotate(&mut note);
        let entities = settle_particles(&note, super::settle(&note, vec![entity]));
        entities.into_iter().next_back().map(|e| e.span.of(text).to_owned())
    }

    #[test]
    fn points_of_an_abbreviation_belong_to_the_place() {
        for (text, marked, expected) in [
            ("vive en México D.F. desde 2010", "México D", "México D.F."),
            ("(Irvine, EE.UU.), datos", "EE.UU", "EE.UU."),
            ("llega de U.S.A.", "U", "U.S.A."),
            ("vive en Vitoria. Acude", "Vitoria", "Vitoria"),
            ("vive en LA. Acude", "LA", "LA"),
        ] {
            assert_eq!(labelled(text, marked, Label::City).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_particle_alone_is_no_name() {
        assert_eq!(settled("lit 3 : sra. de vos, 98 años", "de").as_deref(), Some("de vos"));
        assert_eq!(settled("la enfermera Muriel de Vigo", "de"), None);
    }

    #[test]
    fn a_name_goes_on_behind_a_line_end() {
        assert_eq!(settled("Sra. Carpen-\ntier, vista", "Carpen").as_deref(), Some("Carpen-\ntier"));
        assert_eq!(settled("Sra. QUIJA-\nDA, vista", "QUIJA-").as_deref(), Some("QUIJA-\nDA"));
        assert_eq!(settled("Sra. Quijada -\nvista", "Quijada").as_deref(), Some("Quijada"));
    }

    #[test]
    fn what_ran_into_a_name_is_given_back() {
        assert_eq!(settled("ROSALBA QUIJADA autoriza.", "QUIJADA autoriza").as_deref(), Some("QUIJADA"));
        assert_eq!(settled("DR. QUIJADA   ENF. PILAR M.", "QUIJADA   ENF.").as_deref(), Some("QUIJADA"));
        assert_eq!(settled("(DRA. QUIJADA, BUSCA 2214)", "BUSCA"), None);
        let unlisted = settled("QUIJADA maelzann acude sola", "QUIJADA maelzann");
        assert_eq!(unlisted.as_deref(), Some("QUIJADA maelzann"));
        assert_eq!(
            settled("Sra. Quijada de la Rosa", "Quijada de la Rosa").as_deref(),
            Some("Quijada de la Rosa")
        );
        assert_eq!(settled("Iker QuijadaNº Col: 28", "QuijadaN").as_deref(), Some("Quijada"));
        assert_eq!(settled("Iker QUIJADAN º", "QUIJADAN").as_deref(), Some("QUIJADAN"));
        let mail = settled("Rosalba Quijada E-mail: nadie@x.es", "Quijada E");
        assert_eq!(mail.as_deref(), Some("Quijada"));
        assert_eq!(settled("Rosalba Quijada E-mail: nadie@x.es", "E"), None);
        assert_eq!(settled("Quijada E. Mairena", "Quijada E.").as_deref(), Some("Quijada E."));
        assert_eq!(settled("Sr. Quijada Madre", "Quijada").as_deref(), Some("Quijada"));
    }
}
