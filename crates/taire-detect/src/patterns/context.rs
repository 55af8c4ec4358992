//! Looking back from a number for the keyword that names it.

use taire_text::{Kind as TokenKind, Token, fold_into};

use super::keywords::{KeywordKind, Keywords, Strength};
use crate::MAX_TOKENS;

/// A keyword found before a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Context {
    pub(super) kind: KeywordKind,
    pub(super) strength: Strength,
    /// Ordinary words between keyword and number.
    pub(super) gap: usize,
    /// A colon or "n°" is next to the keyword.
    pub(super) mark: bool,
}

impl Context {
    /// Whether the keyword fits a number of so many digits.
    pub(super) fn names(&self, digits: usize) -> bool {
        match self.strength {
            Strength::Strong => self.gap <= 2,
            Strength::Near => self.gap == 0 || (self.gap <= 2 && self.mark),
            Strength::Weak => self.gap == 0 && (self.mark || digits >= 6),
            Strength::Marked => self.gap == 0 && self.mark,
        }
    }
}

/// How far back a keyword is looked for, in tokens.
const REACH: usize = 14;
const MAX_GAP: usize = 3;

/// Reads words backwards on a line, in folded form, without allocating for each.
pub(super) struct LookBack<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) keys: &'a Keywords,
}

impl LookBack<'_> {
    /// The folded word that ends at token `i`, dotted or slashed capitals ("I.P.P.", "S/N") as one; returns its first token.
    fn word(&self, i: usize, out: &mut String) -> usize {
        out.clear();
        let single = |j: usize| {
            let t = &self.tokens[j];
            t.kind == TokenKind::Word && t.end() - t.start() == 1
        };
        let mut first = i;
        if single(i) {
            while first >= 2
                && i - first < MAX_TOKENS
                && self.tokens[first].glued
                && matches!(self.tokens[first - 1].of(self.text), "." | "/")
                && self.tokens[first - 1].glued
                && single(first - 2)
            {
                first -= 2;
            }
        }
        if first == i {
            fold_into(self.tokens[i].of(self.text), out);
        } else {
            for j in (first..=i).step_by(2) {
                fold_into(self.tokens[j].of(self.text), out);
            }
        }
        first
    }

    /// The closest keyword before token `at`, with what is between.
    pub(super) fn before(&self, at: usize, word: &mut String, other: &mut String) -> Option<Context> {
        let (mut gap, mut mark, mut lines) = (0, false, 0);
        let floor = at.saturating_sub(REACH);
        let mut i = at;
        while i > floor {
            i -= 1;
            let token = &self.tokens[i];
            match token.kind {
                TokenKind::Newline => {
                    // The key may be alone at the end of the line above.
                    if i + 1 != at || lines > 0 {
                        return None;
                    }
                    lines += 1;
                }
                TokenKind::Number => return None,
                TokenKind::Mark => match token.of(self.text) {
                    ":" | "°" | "º" | "#" | "=" => mark = true,
                    "." | "," | ";" | "|" | ")" if gap > 0 => return None,
                    "." | "," | "'" | "(" | ")" | "-" | "/" | "|" | "+" | "<" | ">" | "~" | "\"" | "["
                    | "*" | "\\" | "]" => {}
                    _ => return None,
                },
                TokenKind::Word => {
                    let first = self.word(i, word);
                    for phrase in self.keys.ending_with(word) {
                        if let Some(start) = self.phrase(first, &phrase.before, other) {
                            if lines > 0
                                && (gap > 0
                                    || matches!(phrase.kind, KeywordKind::Measure | KeywordKind::Postal))
                            {
                                return None;
                            }
                            mark |= self.number_word_before(start, other);
                            // "Fax secrétariat": the word before says which line it is.
                            let fax = phrase.kind == KeywordKind::Phone
                                && self.is_fax(start.wrapping_sub(1), other);
                            let kind = if fax { KeywordKind::Fax } else { phrase.kind };
                            return Some(Context { kind, strength: phrase.strength, gap, mark });
                        }
                    }
                    match self.keys.connector(word) {
                        Some(number) => mark |= number,
                        None => {
                            gap += 1;
                            if gap > MAX_GAP {
                                return None;
                            }
                        }
                    }
                    i = first;
                }
            }
        }
        None
    }

    /// Whether the words before token `first` are these, nearest first; returns the first token of the phrase.
    fn phrase(&self, first: usize, before: &[&str], word: &mut String) -> Option<usize> {
        let mut i = first;
        for &wanted in before {
            loop {
                i = i.checked_sub(1)?;
                match self.tokens[i].kind {
                    TokenKind::Mark
                        if matches!(
                            self.tokens[i].of(self.text),
                            "." | "°" | "º" | "ª" | "'" | "-" | "/" | "("
                        ) => {}
                    TokenKind::Word => {
                        i = self.word(i, word);
                        if word == wanted || (wanted == "num" && self.keys.connector(word) == Some(true)) {
                            break;
                        }
                        self.keys.connector(word)?;
                    }
                    _ => return None,
                }
            }
        }
        Some(i)
    }

    fn is_fax(&self, i: usize, word: &mut String) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Word) && {
            self.word(i, word);
            self.keys.ending_with(word).first().is_some_and(|p| p.kind == KeywordKind::Fax)
        }
    }

    fn number_word_before(&self, first: usize, word: &mut String) -> bool {
        let mut i = first;
        for _ in 0..4 {
            let Some(before) = i.checked_sub(1) else { return false };
            i = before;
            match self.tokens[i].kind {
                TokenKind::Mark => match self.tokens[i].of(self.text) {
                    "°" | "º" => return true,
                    "." | "'" => {}
                    _ => return false,
                },
                TokenKind::Word => {
                    i = self.word(i, word);
                    match self.keys.connector(word) {
                        Some(true) => return true,
                        Some(false) => {}
                        None => return false,
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the fax keyword of a number is next to a telephone keyword ("Tel. y Fax:", "Tél/Fax").
    pub(super) fn shared_with_phone(&self, at: usize, word: &mut String) -> bool {
        let mut seen_fax = false;
        let floor = at.saturating_sub(10);
        let mut i = at;
        while i > floor {
            i -= 1;
            match self.tokens[i].kind {
                TokenKind::Mark => {}
                TokenKind::Word => {
                    i = self.word(i, word);
                    match self.keys.ending_with(word).first().map(|p| p.kind) {
                        Some(KeywordKind::Fax) => seen_fax = true,
                        Some(KeywordKind::Phone) => return seen_fax,
                        _ if seen_fax && matches!(word.as_str(), "y" | "et" | "e" | "ou" | "o" | "and") => {}
                        _ if seen_fax => return false,
                        _ => {}
                    }
                }
                _ => return false,
            }
        }
        false
    }
}
