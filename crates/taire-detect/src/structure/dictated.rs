//! Contacts as they are dictated: `zéro cinq cinquante-trois zéro neuf quarante-quatre douze`,
//! `inocencio punto ramallo arroba notarios punto es`.

use std::sync::LazyLock;

use taire_lang::WordRole;
use taire_text::{Kind, Label, Mention, Note, Source};

use crate::folded::{WordSet, token_hash};

static ZEROS: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::SpokenZero));
static AT_SIGNS: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::SpokenAt));
static POINTS: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::SpokenPoint));
static NUMBERS: LazyLock<WordSet> = LazyLock::new(WordSet::of_numbers);

/// Words of a number in letters that a telephone has at least, and at most.
const FEWEST: usize = 5;
const MOST: usize = 30;
/// Words on one side of an at sign, at most.
const REACH: usize = 8;

pub(super) fn dictated(note: &Note, out: &mut Vec<Mention>) {
    let mut at = 0;
    while at < note.tokens.len() {
        let token = &note.tokens[at];
        let found = match token.kind {
            Kind::Word => {
                let hash = token_hash(token, note.norm());
                if ZEROS.has(hash) {
                    phone_at(note, at).map(|last| (at, last, Label::Phone))
                } else if AT_SIGNS.has(hash) {
                    mail_around(note, at).map(|(first, last)| (first, last, Label::Email))
                } else {
                    None
                }
            }
            _ => None,
        };
        let Some((first, last, label)) = found else {
            at += 1;
            continue;
        };
        let why = "dictated in words";
        out.push(Mention::phi(note.raw_of_tokens(first, last), label, 0.85, Source::Structure, why));
        at = last + 1;
    }
}

/// The last token of a run of numbers in letters.
fn phone_at(note: &Note, first: usize) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    let (mut words, mut last) = (0, first);
    for (at, token) in tokens.iter().enumerate().skip(first).take(MOST) {
        match token.kind {
            Kind::Word => {
                let hash = token_hash(token, text);
                if !ZEROS.has(hash) && !NUMBERS.has(hash) {
                    break;
                }
                words += 1;
                last = at;
            }
            Kind::Mark if token.of(text) == "-" && token.glued => {}
            _ => break,
        }
    }
    // `à zéro`, `zéro virgule cinq`: a telephone has many words, and does not end in a conjunction.
    (words >= FEWEST).then_some(last)
}

/// First and last token of the words around an at sign that points join.
fn mail_around(note: &Note, at: usize) -> Option<(usize, usize)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let is_word = |i: usize| tokens.get(i).is_some_and(|t| matches!(t.kind, Kind::Word | Kind::Number));
    let is_point =
        |i: usize| tokens.get(i).is_some_and(|t| t.kind == Kind::Word && POINTS.has(token_hash(t, text)));
    let mut first = at.checked_sub(1).filter(|&i| is_word(i))?;
    while first >= 2 && at - first < REACH && is_point(first - 1) && is_word(first - 2) {
        first -= 2;
    }
    let mut last = at + 1;
    if !is_word(last) {
        return None;
    }
    while last - at < REACH && is_point(last + 1) && is_word(last + 2) {
        last += 2;
    }
    Some((first, last))
}
