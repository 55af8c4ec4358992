//! Codes of ICD-10 (`I21.9`), CCAM (`HHFA001`) and ATC (`N02BE01`), as tokens.

use taire_text::{Kind, Shape, Token, fold_into};

/// How far back a word that announces a code may be.
const REACH: usize = 5;

const ANNOUNCE: &[&str] = &[
    "cim",
    "cie",
    "icd",
    "code",
    "codes",
    "codage",
    "codigo",
    "codigos",
    "dp",
    "das",
    "ccam",
    "atc",
    "principal",
];

/// Tokens of the code that starts at `at`.
pub(super) fn code(norm: &str, tokens: &[Token], at: usize, folded: &mut String) -> Option<usize> {
    let first = tokens.get(at).filter(|t| t.kind == Kind::Word && !t.shape.eq(&Shape::Lower))?;
    let number = |i: usize| {
        tokens.get(i).filter(|t| t.kind == Kind::Number && t.glued).map_or(0, |t| t.end() - t.start())
    };
    let letters = |i: usize, n: usize| {
        tokens.get(i).is_some_and(|t| {
            t.kind == Kind::Word
                && t.of(norm).len() == n
                && t.of(norm).bytes().all(|b| b.is_ascii_uppercase())
        })
    };
    let ends =
        |i: usize| !tokens.get(i).is_some_and(|t| t.glued && matches!(t.kind, Kind::Word | Kind::Number));
    if letters(at, 4) && number(at + 1) == 3 && ends(at + 2) {
        return Some(2);
    }
    if first.glued || !letters(at, 1) {
        return None;
    }
    let glued = |i: usize| tokens.get(i).is_some_and(|t| t.glued);
    if number(at + 1) == 2 && letters(at + 2, 2) && glued(at + 2) && number(at + 3) == 2 && ends(at + 4) {
        return Some(4);
    }
    let dotted = number(at + 1) == 2
        && tokens.get(at + 2).is_some_and(|t| t.glued && t.of(norm) == ".")
        && matches!(number(at + 3), 1 | 2)
        && ends(at + 4);
    if dotted {
        return Some(4);
    }
    let mut announced = |i: usize| {
        folded.clear();
        fold_into(tokens[i].of(norm), folded);
        ANNOUNCE.contains(&folded.as_str())
    };
    let plain = matches!(number(at + 1), 2..=4) && ends(at + 2);
    (plain && (at.saturating_sub(REACH)..at).rev().any(&mut announced)).then_some(2)
}
