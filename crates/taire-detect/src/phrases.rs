//! Known strings, looked for everywhere in a note: the engine of the metadata detector and of the second pass.
//!
//! Two kinds. A *phrase* is a run of words (names, towns, streets) compared without case and accents, with space,
//! hyphen and apostrophe alike; a phrase of one word of six letters or more may differ by one typing error. A
//! *code* is a run of letters and digits (numbers, e-mail addresses) compared with its separators removed.

use taire_text::{Kind, Label, Note, Role, Token, fold_char, tokenise};

use crate::folded::{PARTICLES, token_hash, word_hash};

/// The shortest word that may differ by one typing error, in letters.
const TYPO_FROM: usize = 6;
/// The shortest code whose characters may be grouped in another way than known.
const REGROUP_FROM: usize = 6;
/// The shortest code that may go on after a line end.
const BREAK_FROM: usize = 7;

/// What is known of a phrase or code.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Known {
    pub(crate) label: Label,
    pub(crate) role: Role,
    /// The case in which it was seen, when it must come back in the same one.
    pub(crate) title_case_only: bool,
}

impl Known {
    pub(crate) fn new(label: Label, role: Role) -> Self {
        Known { label, role, title_case_only: false }
    }
}

struct Phrase {
    words: Vec<u64>,
    known: Known,
    /// The folded letters, kept when the phrase is one word that tolerates an error.
    letters: Vec<char>,
}

struct Code {
    bytes: Vec<u8>,
    known: Known,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Match {
    Exact,
    Typo,
    Code,
}

/// A known string found at tokens `first..=last`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) known: Known,
    pub(crate) how: Match,
}

/// The strings of one person, record or document.
#[derive(Default)]
pub(crate) struct Phrases {
    phrases: Vec<Phrase>,
    codes: Vec<Code>,
    /// Phrases by the hash of their first word; of one word, the longest phrase first.
    by_first: Vec<(u64, u32)>,
    /// A first look that most words fail: a bit for each hash.
    first_words: [u64; 16],
    /// The ASCII characters that codes begin with.
    code_starts: u128,
    /// Codes, the longest first.
    code_order: Vec<u32>,
    /// One typing error is forgiven.
    tolerant: bool,
    /// By length in letters: the one-word phrases that tolerate an error.
    typos: Vec<Vec<u32>>,
}

fn canonical(hash: u64) -> u64 {
    use std::sync::LazyLock;
    static SAINTS: LazyLock<[(u64, u64); 3]> = LazyLock::new(|| {
        [("st", "saint"), ("ste", "sainte"), ("av", "avenue")].map(|(a, b)| (word_hash(a), word_hash(b)))
    });
    SAINTS.iter().find(|s| s.0 == hash).map_or(hash, |s| s.1)
}

/// The word and the bit of a hash among the first words.
fn bit(hash: u64) -> (usize, u64) {
    ((hash & 15) as usize, 1 << (hash >> 4 & 63))
}

impl Phrases {
    /// Strings of which a word may differ by one typing error.
    pub(crate) fn tolerant() -> Self {
        Phrases { tolerant: true, ..Phrases::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.codes.is_empty()
    }

    /// A run of words, found only as a whole.
    pub(crate) fn add_phrase(&mut self, text: &str, known: Known) {
        let tokens = tokenise(text);
        let is_part = |t: &&Token| matches!(t.kind, Kind::Word | Kind::Number);
        let words: Vec<u64> =
            tokens.iter().filter(is_part).map(|t| canonical(word_hash(t.of(text)))).collect();
        if words.is_empty() || self.phrases.iter().any(|p| p.words == words && p.known.label == known.label) {
            return;
        }
        let mut letters = Vec::new();
        if self.tolerant
            && words.len() == 1
            && let Some(word) = tokens.iter().find(is_part).filter(|t| t.kind == Kind::Word)
        {
            fold_letters(word.of(text), &mut letters);
            if letters.len() < TYPO_FROM {
                letters.clear();
            }
        }
        self.phrases.push(Phrase { words, known, letters });
    }

    /// A name: as a whole, written as one word, and each of its significant parts.
    pub(crate) fn add_name(&mut self, text: &str, known: Known) {
        self.add_phrase(text, known);
        let tokens = tokenise(text);
        let words: Vec<&str> = tokens.iter().filter(|t| t.kind == Kind::Word).map(|t| t.of(text)).collect();
        if words.len() < 2 {
            return;
        }
        self.add_phrase(&words.concat(), known);
        for word in words {
            if word.chars().count() >= 3 && !PARTICLES.has(word_hash(word)) {
                self.add_phrase(word, known);
            }
        }
    }

    /// A number or address, whatever its separators.
    pub(crate) fn add_code(&mut self, text: &str, known: Known) {
        let bytes: Vec<u8> =
            text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase()).collect();
        let enough = bytes.len() >= 4 && (bytes.iter().any(u8::is_ascii_digit) || text.contains('@'));
        if enough && !self.codes.iter().any(|c| c.bytes == bytes) {
            self.codes.push(Code { bytes, known });
        }
    }

    /// Prepares the look-up; to be called once after the last string.
    pub(crate) fn build(&mut self) {
        for (i, phrase) in self.phrases.iter().enumerate() {
            let first = phrase.words[0];
            let (word, bit) = bit(first);
            self.first_words[word] |= bit;
            self.by_first.push((first, i as u32));
            if !phrase.letters.is_empty() {
                let length = phrase.letters.len();
                if self.typos.len() <= length {
                    self.typos.resize_with(length + 1, Vec::new);
                }
                self.typos[length].push(i as u32);
            }
        }
        let phrases = &self.phrases;
        self.by_first
            .sort_unstable_by_key(|&(hash, i)| (hash, std::cmp::Reverse(phrases[i as usize].words.len()), i));
        self.code_starts = self.codes.iter().fold(0, |starts, code| starts | 1 << code.bytes[0]);
        self.code_order = (0..self.codes.len() as u32).collect();
        let codes = &self.codes;
        self.code_order.sort_by_key(|&i| (std::cmp::Reverse(codes[i as usize].bytes.len()), i));
    }

    /// Calls `found` for each occurrence, left to right; the longest phrase at a place wins.
    pub(crate) fn search(&self, note: &Note, mut found: impl FnMut(Hit)) {
        let text = note.norm();
        let mut letters = Vec::new();
        let mut i = 0;
        while i < note.tokens.len() {
            let token = &note.tokens[i];
            if !matches!(token.kind, Kind::Word | Kind::Number) {
                i += 1;
                continue;
            }
            let hit = self
                .code_at(note, i)
                .or_else(|| self.phrase_at(note, i))
                .or_else(|| self.typo_at(text, token, i, &mut letters));
            match hit {
                Some(hit) => {
                    found(hit);
                    i = hit.last + 1;
                }
                None => i += 1,
            }
        }
    }

    fn phrase_at(&self, note: &Note, first: usize) -> Option<Hit> {
        let hash = canonical(token_hash(&note.tokens[first], note.norm()));
        let (word, bit) = bit(hash);
        if self.first_words[word] & bit == 0 {
            return None;
        }
        let from = self.by_first.partition_point(|&(h, _)| h < hash);
        self.by_first[from..].iter().take_while(|&&(h, _)| h == hash).find_map(|&(_, p)| {
            let phrase = &self.phrases[p as usize];
            let last = follow(note, first, &phrase.words[1..])?;
            Some(Hit { first, last, known: phrase.known, how: Match::Exact })
        })
    }

    fn typo_at(&self, text: &str, token: &Token, at: usize, letters: &mut Vec<char>) -> Option<Hit> {
        let bytes = token.end() - token.start();
        if token.kind != Kind::Word || bytes + 1 < TYPO_FROM || self.typos.is_empty() {
            return None;
        }
        letters.clear();
        fold_letters(token.of(text), letters);
        let near = letters.len().saturating_sub(1)..=letters.len() + 1;
        let (first, last) = (letters.first()?, letters.last()?);
        near.filter_map(|n| self.typos.get(n)).flatten().find_map(|&p| {
            let phrase = &self.phrases[p as usize];
            let known = &phrase.letters;
            let close = known.first() == Some(first) || known.last() == Some(last);
            (close && one_error(known, letters)).then_some(Hit {
                first: at,
                last: at,
                known: phrase.known,
                how: Match::Typo,
            })
        })
    }

    fn code_at(&self, note: &Note, first: usize) -> Option<Hit> {
        let text = note.norm().as_bytes();
        let start = note.tokens[first].start();
        let begin = text[start].to_ascii_lowercase();
        if !begin.is_ascii() || self.code_starts & 1 << begin == 0 {
            return None;
        }
        if start > 0 && text[start].is_ascii_digit() && text[start - 1].is_ascii_digit() {
            return None;
        }
        self.code_order.iter().find_map(|&c| {
            let code = &self.codes[c as usize];
            if code.bytes[0] != begin {
                return None;
            }
            let end = code_end(text, start, &code.bytes)?;
            let last = note.token_at(end).checked_sub(1)?;
            Some(Hit { first, last, known: code.known, how: Match::Code })
        })
    }
}

fn fold_letters(word: &str, out: &mut Vec<char>) {
    for c in word.chars() {
        let (folded, n) = fold_char(c);
        out.extend_from_slice(&folded[..n]);
    }
}

/// The last token of a run that has these words, with at most two marks or one line end between two of them.
fn follow(note: &Note, first: usize, words: &[u64]) -> Option<usize> {
    let text = note.norm();
    let mut at = first;
    for &word in words {
        let mut gap = 0;
        loop {
            at += 1;
            let token = note.tokens.get(at)?;
            match token.kind {
                Kind::Word | Kind::Number => break,
                Kind::Mark if gap < 2 && "-'.,/&".contains(token.of(text)) => gap += 1,
                Kind::Newline if gap == 0 || gap == 1 && note.tokens[at - 1].of(text) == "-" => gap += 2,
                _ => return None,
            }
        }
        if canonical(token_hash(&note.tokens[at], text)) != word {
            return None;
        }
    }
    Some(at)
}

/// Where a code that starts at `start` ends, if the text there is this code with other separators.
fn code_end(text: &[u8], start: usize, code: &[u8]) -> Option<usize> {
    let mut at = start;
    let mut gap = 0;
    let mut used = 0;
    let mut broken = code.len() < BREAK_FROM;
    while used < code.len() {
        let b = *text.get(at)?;
        if b.is_ascii_alphanumeric() {
            if b.to_ascii_lowercase() != code[used] {
                return None;
            }
            used += 1;
            gap = 0;
        } else {
            gap += 1;
            if b == b'\n' && !broken {
                broken = true;
                gap = 1;
            } else if b == b'\r' && text.get(at + 1) == Some(&b'\n') {
                gap -= 1;
            } else if gap > 3 || !b" .-/()_,@|'".contains(&b) || code.len() < REGROUP_FROM {
                return None;
            }
        }
        at += 1;
    }
    let last = code[code.len() - 1];
    let next = text.get(at).copied().unwrap_or(b' ');
    let goes_on = if last.is_ascii_digit() { next.is_ascii_digit() } else { next.is_ascii_alphabetic() };
    let decimal = code.len() < REGROUP_FROM
        && (matches!(next, b'.' | b',') && text.get(at + 1).is_some_and(u8::is_ascii_digit)
            || start > 1 && matches!(text[start - 1], b'.' | b',') && text[start - 2].is_ascii_digit());
    (!goes_on && !decimal).then_some(at)
}

/// One letter inserted, left out, replaced, or two neighbours swapped.
fn one_error(a: &[char], b: &[char]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    if same == short.len() {
        return long.len() > short.len();
    }
    if long.len() > short.len() {
        return short[same..] == long[same + 1..];
    }
    short[same + 1..] == long[same + 1..]
        || same + 1 < short.len()
            && short[same] == long[same + 1]
            && short[same + 1] == long[same]
            && short[same + 2..] == long[same + 2..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrases: &mut Phrases, text: &str) -> Vec<(String, Match)> {
        phrases.build();
        let note = Note::builder("a", text).build().unwrap();
        let mut out = Vec::new();
        phrases.search(&note, |h| {
            out.push((note.raw_of_tokens(h.first, h.last).of(note.raw()).to_owned(), h.how))
        });
        out
    }

    #[test]
    fn one_error_and_no_more() {
        let letters = |s: &str| s.chars().collect::<Vec<_>>();
        for (a, b, near) in [
            ("lefebvre", "lefevre", true),
            ("lefebvre", "lefebvrre", true),
            ("lefebvre", "lefbevre", true),
            ("lefebvre", "lefabvre", true),
            ("lefebvre", "lefever", false),
            ("lefebvre", "lefebvre", false),
            ("martin", "mertan", false),
        ] {
            assert_eq!(one_error(&letters(a), &letters(b)), near, "{a} {b}");
            assert_eq!(one_error(&letters(b), &letters(a)), near, "{b} {a}");
        }
    }

    #[test]
    fn names_as_wholes_parts_and_glued() {
        let mut phrases = Phrases::tolerant();
        phrases.add_name("Le Gall-Durand", Known::new(Label::FamilyName, Role::Patient));
        let got = found(&mut phrases, "LE GALL DURAND, Mme Le-Gall Durand; legalldurand; M. DURAND; le mur");
        let got: Vec<_> = got.iter().map(|g| g.0.as_str()).collect();
        assert_eq!(got, ["LE GALL DURAND", "Le-Gall Durand", "legalldurand", "DURAND"]);
    }

    #[test]
    fn codes_in_any_grouping() {
        let mut phrases = Phrases::tolerant();
        phrases.add_code("0612345678", Known::new(Label::Phone, Role::Patient));
        phrases.add_code("12345", Known::new(Label::PatientId, Role::Patient));
        let got =
            found(&mut phrases, "06.12.34.56.78 / 0 6 1 2 3 4 5 6 7 8 / 06123456789, 12 345, 12345, 12345,7");
        let got: Vec<_> = got.iter().map(|g| g.0.as_str()).collect();
        assert_eq!(got, ["06.12.34.56.78", "0 6 1 2 3 4 5 6 7 8", "12345"]);
    }
}
