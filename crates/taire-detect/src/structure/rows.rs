//! Initials of whoever wrote a row: `06/01/20 GH  TA 14/8`, `08:40 SE : oui`.
//!
//! One such line proves nothing. Several lines that begin with a date or a time and go on with two or three capitals in
//! the same way are a log, and the capitals are people.

use std::sync::LazyLock;

use taire_text::{Kind, Label, Mention, Note, Shape, Source};

use crate::folded::{WordSet, token_hash};

/// Rows that make a log.
const FEWEST: usize = 3;

/// Measures and acts that rows begin with too.
static MEASURES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "ta pa fc fr sat tc gly dx hgt eva bu pas pad pam pvc diu ecg rx tdm irm eco rcp psa crp nfs tp inr hb gb vs \
         mg ml ui kg cm cp amp inj iv im sc po ide as ash has mk sf med enf due mir aux adm fis psi ts kin psy dr dra sec \
         int ext urg pt",
    ])
});

/// Adds the initials at the head of the rows of a log.
pub(super) fn row_initials(note: &Note, out: &mut Vec<Mention>) {
    let mut rows = Vec::new();
    let mut first = 0;
    for at in 0..=note.tokens.len() {
        if note.tokens.get(at).is_none_or(|t| t.kind == Kind::Newline) {
            rows.extend(initials_of_row(note, first, at));
            first = at + 1;
        }
    }
    if rows.len() < FEWEST {
        return;
    }
    for at in rows {
        let span = note.raw_of_tokens(at, at);
        let why = "initials at the head of the rows of a log";
        out.push(Mention::phi(span, Label::Initials, 0.8, Source::Structure, why));
    }
}

/// The token with the initials of one row.
fn initials_of_row(note: &Note, first: usize, end: usize) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    let at = after_stamp(note, first, end)?;
    let token = tokens.get(at).filter(|_| at < end)?;
    let letters = token.end() - token.start();
    let code = token.shape == Shape::Upper && (2..=3).contains(&letters) && !token.glued;
    let medical = token.facts.is_medical() || token.facts.is_drug();
    if !code || medical || MEASURES.has(token_hash(token, text)) {
        return None;
    }
    let next = tokens.get(at + 1).filter(|_| at + 1 < end)?;
    let column = next.start() - token.end() > 1 && token.facts.word_class() == 0;
    (next.of(text) == ":" || column).then_some(at)
}

/// The token behind the dates and times that a row begins with.
fn after_stamp(note: &Note, first: usize, end: usize) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    let mut at = first;
    let mut marks = 0;
    while at < end && at < first + 14 {
        let token = &tokens[at];
        let word = token.of(text);
        match token.kind {
            Kind::Number => {}
            Kind::Mark if at > first && token.glued && matches!(word, "/" | ":" | "." | "-") => marks += 1,
            Kind::Mark if matches!(word, "-" | "|" | "(" | ")" | ",") => {}
            Kind::Word if token.glued && matches!(word, "h" | "H") => marks += 1,
            _ => break,
        }
        at += 1;
    }
    (marks > 0 && tokens.get(first)?.kind == Kind::Number).then_some(at)
}
