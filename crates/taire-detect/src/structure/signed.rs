//! Who typed, read, checked or printed a document, by initials or login: `Saisie : mlb`, `Revisado por ACB`,
//! `imprimé par nadia.s`, `identifiant dherisson72`.

use std::sync::LazyLock;

use taire_lang::WordRole;
use taire_text::{Kind, Label, Mention, Note, Shape, Source};

use crate::folded::{WordSet, token_hash};

/// What somebody did to a document. `par` or `por` follows, or a colon.
static DONE: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::SignedKey));

static BY: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::SignedBy));

/// Words before the name of an account.
static ACCOUNTS: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::AccountKey));

/// Tokens of a login, at most.
const LONGEST: usize = 12;

pub(super) fn signed(note: &Note, out: &mut Vec<Mention>) {
    for (at, token) in note.tokens.iter().enumerate().filter(|(_, t)| t.kind == Kind::Word) {
        let hash = token_hash(token, note.norm());
        let (done, account) = (DONE.has(hash), ACCOUNTS.has(hash));
        if !done && !account {
            continue;
        }
        let Some((value, marked)) = value_after(note, at + 1) else { continue };
        if let Some(last) = login_at(note, value, marked) {
            let why = "name of an account after its key";
            out.push(Mention::phi(
                note.raw_of_tokens(value, last),
                Label::OtherId,
                0.8,
                Source::Structure,
                why,
            ));
        } else if done
            && marked
            && let Some(last) = initials_at(note, value)
        {
            let why = "initials of who wrote, read or printed it";
            out.push(Mention::phi(
                note.raw_of_tokens(value, last),
                Label::Initials,
                0.8,
                Source::Structure,
                why,
            ));
        }
    }
}

/// The token behind a key with its `(e)`, colon, `par` or number (`lecteur 1 :`), and whether one of them was there.
fn value_after(note: &Note, mut at: usize) -> Option<(usize, bool)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let mut marked = false;
    for _ in 0..6 {
        let token = tokens.get(at)?;
        match token.kind {
            Kind::Mark if matches!(token.of(text), ":" | "=") => marked = true,
            Kind::Mark if matches!(token.of(text), "." | "(" | ")" | "-") => {}
            Kind::Word if BY.has(token_hash(token, text)) => marked = true,
            Kind::Word if token.glued && matches!(token.of(text), "e" | "a") => {}
            Kind::Number if token.end() - token.start() == 1 => {}
            Kind::Word => return Some((at, marked)),
            _ => return None,
        }
        at += 1;
    }
    None
}

/// The last token of a login: small letters that no list knows with digits, points or underscores glued to them.
fn login_at(note: &Note, first: usize, marked: bool) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    let mut last = first;
    while last - first < LONGEST
        && let Some(next) = tokens.get(last + 1).filter(|t| t.glued)
    {
        let joins = match next.kind {
            Kind::Word | Kind::Number => true,
            Kind::Mark => {
                matches!(next.of(text), "." | "_" | "-")
                    && tokens.get(last + 2).is_some_and(|t| t.glued && t.kind != Kind::Mark)
            }
            Kind::Newline => false,
        };
        if !joins {
            break;
        }
        last += 1;
    }
    let login = &text[tokens[first].start()..tokens[last].end()];
    let small = login
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'));
    let digit = login.bytes().any(|b| b.is_ascii_digit());
    let joined = login.contains(['.', '_']);
    // `lecteur : m.b` is for initials.
    let long = login.bytes().filter(u8::is_ascii_alphabetic).count() >= 4;
    (small && long && (digit || joined) && (marked || digit)).then_some(last)
}

/// The last token of two to four capitals, or of two or three small letters, that stand by themselves.
fn initials_at(note: &Note, first: usize) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    let token = tokens.get(first)?;
    let count = token.of(text).chars().count();
    let shaped = match token.shape {
        Shape::Upper => (2..=4).contains(&count),
        Shape::Lower => (2..=3).contains(&count),
        _ => false,
    };
    let known = token.facts.is_medical()
        || token.facts.is_drug()
        || token.facts.word_class() > 0
        || token.facts.keyword() > 0;
    let ends = tokens.get(first + 1).is_none_or(|t| match t.kind {
        Kind::Newline => true,
        Kind::Mark => matches!(t.of(text), "," | ";" | ")" | "." | "/" | "·" | "-" | "|"),
        _ => t.start() - token.end() > 1,
    });
    (shaped && !known && ends).then_some(first)
}
