//! What several rows of a list have in common: initials of whoever wrote them (`06/01/20 GH  TA 14/8`, `08:40 SE : oui`), and
//! codes of the people they are about (`CY84-02 | Moustapha Sarr`, `1171 | 22 déc. | VUILLEMIN`).
//!
//! One such line proves nothing. Several lines that begin with a date or a time and go on with two or three capitals in
//! the same way are a log, and the capitals are people; several that begin with codes of one form before a name are a
//! register, and the codes are those of its entries.

use std::sync::LazyLock;

use taire_lang::WordRole;
use taire_text::{Kind, Label, Mention, Note, Shape, Source, Token};

use crate::folded::{WordSet, token_hash};

/// Rows that make a log.
const FEWEST: usize = 3;

/// Measures and acts that rows begin with too.
static MEASURES: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::RowMeasure));

/// Adds the initials at the head of the rows of a log.
pub(super) fn row_initials(note: &Note, out: &mut Vec<Mention>) {
    let rows: Vec<usize> = lines(note).filter_map(|(first, end)| initials_of_row(note, first, end)).collect();
    if rows.len() < FEWEST {
        return;
    }
    for at in rows {
        let span = note.raw_of_tokens(at, at);
        let why = "initials at the head of the rows of a log";
        out.push(Mention::phi(span, Label::Initials, 0.8, Source::Structure, why));
    }
}

/// Tokens of each line, first and one past the last.
fn lines(note: &Note) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut first = 0;
    (0..=note.tokens.len()).filter_map(move |at| {
        let ends = note.tokens.get(at).is_none_or(|t| t.kind == Kind::Newline);
        ends.then(|| (std::mem::replace(&mut first, at + 1), at))
    })
}

/// Tokens of a code, and tokens behind it among which a name must be.
const LONGEST_CODE: usize = 8;
const ROW_HEAD: usize = 14;

/// Adds the codes at the head of the rows of a register.
pub(super) fn row_codes(note: &Note, out: &mut Vec<Mention>) {
    let mut rows: Vec<(String, usize, usize)> =
        lines(note).filter_map(|(first, end)| code_of_row(note, first, end)).collect();
    rows.sort();
    for same in rows.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() >= FEWEST) {
        for (_, first, last) in same {
            let span = note.raw_of_tokens(*first, *last);
            let why = "code at the head of the rows of a register";
            out.push(Mention::phi(span, Label::OtherId, 0.7, Source::Structure, why));
        }
    }
}

/// The form of the code that a row about a person begins with (`AA99-99`), and its first and last token.
fn code_of_row(note: &Note, first: usize, end: usize) -> Option<(String, usize, usize)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let mut last = first;
    while last + 1 < end
        && last - first < LONGEST_CODE
        && tokens[last + 1].glued
        && is_code_part(&tokens[last + 1], text)
    {
        last += 1;
    }
    if !tokens.get(first).filter(|_| first < end)?.is_part_of_code() || !tokens[last].is_part_of_code() {
        return None;
    }
    let code = &text[tokens[first].start()..tokens[last].end()];
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    let letters = code.bytes().filter(u8::is_ascii_uppercase).count();
    let is_year = code.len() == 4 && (code.starts_with("19") || code.starts_with("20"));
    // Dates and times have their own marks; `1. 2. 3.` and `J1 J2` count.
    let long = digits >= 4 || digits >= 3 && letters == 0 || digits >= 2 && letters >= 2;
    if !long || is_year || code.contains(['/', '.', ':', ',']) {
        return None;
    }
    let head = &tokens[last + 1..end.min(last + 1 + ROW_HEAD)];
    let named = head.iter().any(|t| {
        let listed = t.facts.given_tier() >= 3 || t.facts.family_tier() >= 3;
        t.kind == Kind::Word
            && t.is_capitalised()
            && t.end() - t.start() >= 3
            && listed
            && t.facts.careful().is_none()
    });
    let unit = head.first().is_some_and(|t| t.kind == Kind::Word && t.shape == Shape::Lower);
    let form = code.chars().map(|c| {
        if c.is_ascii_digit() {
            '9'
        } else if c.is_alphabetic() {
            'A'
        } else {
            c
        }
    });
    (named && !unit).then(|| (form.collect(), first, last))
}

fn is_code_part(token: &Token, text: &str) -> bool {
    token.is_part_of_code() || matches!(token.of(text), "-" | "_" | "/" | "." | ":" | ",")
}

trait CodePart {
    /// A number, or one to four capitals.
    fn is_part_of_code(&self) -> bool;
}

impl CodePart for Token {
    fn is_part_of_code(&self) -> bool {
        let capitals = matches!(self.shape, Shape::Upper | Shape::Single) && self.end() - self.start() <= 4;
        self.kind == Kind::Number || self.kind == Kind::Word && capitals
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
