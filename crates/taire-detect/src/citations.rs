//! Lists of references: the authors of a paper identify no patient and no caregiver.
//!
//! At least three authors in a row ("Tanguy H, Estrade EH, Amalric S" or "R. BASTIDE, H. DOMERGUE, S. GIBELIN"), and near
//! them what only a reference has: a year before a volume, "et al.", PubMed, doi, a publisher. A list of caregivers
//! has none of these and stays hidden. In a text that numbers its references, the name right before such a number
//! ("Estrade [12, 13]") is an author too.

use std::sync::LazyLock;

use taire_text::{Kind, Mention, Note, Shape, Source, Token};

use crate::MAX_TOKENS;
use crate::folded::{WordSet, word_hash};

/// Higher than any detector's score: the form of a citation has no other use.
const SURE: f32 = 1.0;
/// Less sure than a known identity.
const LIKELY: f32 = 0.9;
/// How many tokens before and after the authors the evidence may be.
const BEFORE: usize = 40;
const AFTER: usize = 160;
/// How many numbers of references a text has that cites in this way.
const BRACKETS: usize = 3;
/// The most words of a journal's name.
const JOURNAL: usize = 8;

static EVIDENCE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&["pubmed scholar doi pmid pmc verlag elsevier springer medline isbn issn"])
});

/// Declares authors of references clear.
pub(crate) fn citations(note: &Note, out: &mut Vec<Mention>) {
    let (tokens, text) = (&note.tokens, note.norm());
    let mut evidence: Option<Vec<usize>> = None;
    let mut brackets = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        match tokens[i].kind {
            Kind::Word if tokens[i].is_capitalised() => {}
            Kind::Mark => {
                match text.as_bytes()[tokens[i].start()] {
                    b'[' if is_reference(tokens, text, i) => brackets.push(i),
                    b';' => {
                        let journal = journal(tokens, text, i).map(|(a, b)| note.raw_of_tokens(a, b));
                        let why = "a journal in a reference";
                        out.extend(journal.map(|span| Mention::clear(span, SURE, Source::Lexicon, why)));
                    }
                    _ => {}
                }
                i += 1;
                continue;
            }
            _ => {
                i += 1;
                continue;
            }
        }
        if text_at(tokens, text, i) == "Google" && text_at(tokens, text, i + 1) == "Scholar" {
            let span = note.raw_of_tokens(i, i + 1);
            out.push(Mention::clear(span, SURE, Source::Lexicon, "a search engine for papers"));
            i += 2;
            continue;
        }
        let (authors, end) = author_list(tokens, text, i);
        if authors < 3 {
            i += 1;
            continue;
        }
        let evidence = evidence.get_or_insert_with(|| marks(tokens, text));
        let from = evidence.partition_point(|&at| at + BEFORE < i);
        if evidence.get(from).is_some_and(|&at| at <= end + AFTER) {
            let span = note.raw_of_tokens(i, end);
            out.push(Mention::clear(span, SURE, Source::Lexicon, "authors of a reference"));
        }
        i = end + 1;
    }
    if brackets.len() < BRACKETS {
        return;
    }
    for at in brackets {
        let names = tokens[..at].iter().rev().take(3).take_while(|t| t.shape == Shape::Title).count();
        // Who has a given name may be somebody of the letter.
        let given = tokens[at - names..at].iter().any(|t| t.facts.given_tier() >= 4);
        if names > 0 && !given {
            let span = note.raw_of_tokens(at - names, at - 1);
            out.push(Mention::clear(
                span,
                LIKELY,
                Source::Lexicon,
                "an author before the number of a reference",
            ));
        }
    }
}

/// `[16, 17]`, `[3-5]`: numbers of references in the bracket at `at`.
fn is_reference(tokens: &[Token], text: &str, at: usize) -> bool {
    if tokens.get(at + 1).is_none_or(|t| t.kind != Kind::Number) {
        return false;
    }
    let inside = tokens[at + 1..].iter().take(12);
    let plain =
        |t: &&Token| t.kind == Kind::Number && t.of(text).len() <= 3 || matches!(t.of(text), "," | "-" | "–");
    let count = inside.take_while(plain).count();
    text_at(tokens, text, at + 1 + count) == "]"
}

fn text_at<'a>(tokens: &[Token], text: &'a str, at: usize) -> &'a str {
    tokens.get(at).map_or("", |t| t.of(text))
}

/// Where something is found that only a reference has.
fn marks(tokens: &[Token], text: &str) -> Vec<usize> {
    let mut marks = Vec::new();
    for i in 0..tokens.len() {
        let word = tokens[i].of(text);
        let found = match tokens[i].kind {
            Kind::Word => {
                EVIDENCE.has(word_hash(word))
                    || word == "al" && text_at(tokens, text, i.wrapping_sub(1)) == "et"
            }
            // "2012 Jan 3;88(2):113", "2013;12(4):207"
            Kind::Mark if word == ";" => year_before_volume(tokens, text, i).is_some(),
            _ => false,
        };
        if found {
            marks.push(i);
        }
    }
    marks
}

/// The year of a reference whose volume follows the semicolon at `at`.
fn year_before_volume(tokens: &[Token], text: &str, at: usize) -> Option<usize> {
    let volume = tokens.get(at + 1).is_some_and(|t| t.kind == Kind::Number)
        && matches!(text_at(tokens, text, at + 2), "(" | ":" | "Suppl");
    (at.saturating_sub(3)..at).find(|k| volume && is_year(tokens[*k].of(text)))
}

/// The journal before a year and a volume: the words between two full stops, "diabetes. Res Clin Pract. 2012;96(1):29".
fn journal(tokens: &[Token], text: &str, at: usize) -> Option<(usize, usize)> {
    let stop =
        year_before_volume(tokens, text, at)?.checked_sub(1).filter(|k| text_at(tokens, text, *k) == ".")?;
    let words = tokens[..stop].iter().rev().take(JOURNAL).take_while(|t| t.kind == Kind::Word).count();
    (words > 0).then(|| (stop - words, stop - 1))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20"))
}

/// Authors one after another from `at`: how many, and the last token.
fn author_list(tokens: &[Token], text: &str, at: usize) -> (usize, usize) {
    let (mut n, mut last, mut i) = (0, at, at);
    while let Some(end) = author(tokens, text, i) {
        n += 1;
        last = end;
        let mut next = end + 1;
        while matches!(text_at(tokens, text, next), "," | "et" | "and" | "&" | "a")
            || is_line_end(tokens, next)
        {
            next += 1;
        }
        if next == end + 1 {
            break;
        }
        i = next;
    }
    (n, last)
}

fn is_line_end(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| t.kind == Kind::Newline)
        && tokens.get(at + 1).is_some_and(|t| t.kind != Kind::Newline)
}

/// `Tanguy H`, `Van Reeth-Castel R`, `Morin M.`, `R. BASTIDE`, `A.K. DOMERGUE`: the last token of one author.
fn author(tokens: &[Token], text: &str, at: usize) -> Option<usize> {
    let first = tokens.get(at).filter(|t| t.kind == Kind::Word && t.is_capitalised())?;
    if first.shape == Shape::Single {
        let mut i = at;
        while tokens.get(i).is_some_and(|t| t.shape == Shape::Single && i - at < MAX_TOKENS) {
            i += 1;
            if text_at(tokens, text, i) != "." {
                return None;
            }
            i += 1;
            i += usize::from(text_at(tokens, text, i) == "-");
        }
        return surname(tokens, text, i);
    }
    let last = surname(tokens, text, at)?;
    let initials = |t: &Token| {
        !t.glued
            && t.kind == Kind::Word
            && matches!(t.shape, Shape::Single | Shape::Upper)
            && t.end() - t.start() <= 3
    };
    if !tokens.get(last + 1).is_some_and(initials) {
        return None;
    }
    let dotted = usize::from(text_at(tokens, text, last + 2) == ".");
    Some(last + 1 + dotted)
}

fn surname(tokens: &[Token], text: &str, at: usize) -> Option<usize> {
    let is_name = |t: &&Token| t.kind == Kind::Word && t.is_capitalised() && t.shape != Shape::Single;
    tokens.get(at).filter(is_name)?;
    let mut last = at;
    for _ in 0..3 {
        let joined = matches!(text_at(tokens, text, last + 1), "-" | "'");
        let next = last + 1 + usize::from(joined) + usize::from(joined && is_line_end(tokens, last + 2));
        let goes_on = tokens.get(next).filter(is_name).is_some_and(|t| joined || t.shape == Shape::Title);
        if !goes_on {
            break;
        }
        last = next;
    }
    Some(last)
}
