//! Known words that are split or run together in the text: broken over a line (`Qué-⏎méneur`), letter-spaced
//! (`Q U É M É N E U R`), glued to a neighbour (`QUÉMÉNEURThéodule`).
//!
//! [`crate::phrases`] finds them where they are written as they are known; only split or glued words are found here.

use taire_text::{Kind, Norm, Note, Shape, Span, Token, fold_char};

use crate::folded::{PARTICLES, word_hash};
use crate::phrases::Known;

/// The shortest known word looked for in pieces or inside a longer one, in letters.
const SHORTEST: usize = 5;
/// From here on a known word may be glued to anything, in a word that no lexicon has.
const UNMISTAKABLE: usize = 7;
/// The shortest known word that a known word may be glued to.
const COMPANION: usize = 3;

struct Word {
    /// Folded letters and digits.
    letters: Vec<char>,
    /// Where a part of it ends, so that a blank or a mark is allowed there.
    ends: Vec<usize>,
    known: Known,
    /// One word without blanks: may be glued to others.
    whole: bool,
}

/// The words of one person or record.
#[derive(Default)]
pub(crate) struct BrokenNameMatcher {
    /// The longest first.
    words: Vec<Word>,
    firsts: Letters,
    lasts: Letters,
}

/// A set of letters; those beyond `a`–`z` share one place.
#[derive(Default, Clone, Copy)]
struct Letters(u32);

impl Letters {
    fn bit(c: char) -> u32 {
        if c.is_ascii_lowercase() { 1 << (c as u8 - b'a') } else { 1 << 26 }
    }

    fn add(&mut self, c: char) {
        self.0 |= Self::bit(c);
    }

    fn has(self, c: char) -> bool {
        self.0 & Self::bit(c) != 0
    }
}

/// One letter of the text: folded, and where it starts and ends.
#[derive(Clone, Copy)]
struct Letter {
    folded: char,
    start: usize,
    end: usize,
    upper: bool,
}

impl BrokenNameMatcher {
    pub(crate) fn add(&mut self, text: &str, known: Known) {
        let (mut letters, mut ends) = (Vec::new(), Vec::new());
        for part in text.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty()) {
            for c in part.chars() {
                let (folded, n) = fold_char(c);
                letters.extend_from_slice(&folded[..n]);
            }
            ends.push(letters.len());
        }
        ends.pop();
        let twin = |w: &Word| w.letters == letters && w.ends == ends;
        if letters.len() < COMPANION || self.words.iter().any(twin) {
            return;
        }
        let whole = ends.is_empty() && letters.iter().all(|c| c.is_alphabetic());
        self.words.push(Word { letters, ends, known, whole });
    }

    /// A name: as a whole, written as one word, and each of its parts but particles.
    pub(crate) fn add_name(&mut self, text: &str, known: Known) {
        self.add(text, known);
        let parts = || text.split(|c: char| !c.is_alphabetic()).filter(|p| !p.is_empty());
        if parts().nth(1).is_some() {
            self.add(&parts().collect::<String>(), known);
            parts().filter(|p| !PARTICLES.has(word_hash(p))).for_each(|p| self.add(p, known));
        }
    }

    /// Prepares the look-up; to be called once after the last word.
    pub(crate) fn build(&mut self) {
        self.words.sort_by_key(|w| std::cmp::Reverse(w.letters.len()));
        for word in self.words.iter().filter(|w| w.letters.len() >= SHORTEST) {
            self.firsts.add(word.letters[0]);
            self.lasts.add(word.letters[word.letters.len() - 1]);
        }
    }

    /// Calls `found` with each known word that is split or glued, and a reason.
    pub(crate) fn search(&self, note: &Note, mut found: impl FnMut(Span<Norm>, Known, &'static str)) {
        if self.firsts.0 == 0 {
            return;
        }
        let text = note.norm();
        let annotated = note.tokens.iter().any(|t| t.facts.bits() != 0);
        let mut letters = Vec::new();
        for (i, token) in note.tokens.iter().enumerate() {
            if !matches!(token.kind, Kind::Word | Kind::Number) {
                continue;
            }
            let Some(first) = folded(text[token.start()..].chars().next()) else { continue };
            if self.firsts.has(first) {
                let long = || self.words.iter().filter(|w| w.letters.len() >= SHORTEST);
                if let Some((end, word)) =
                    long().filter(|w| w.letters[0] == first).find_map(|w| Some((broken(note, i, w)?, w)))
                {
                    found(Span::new(token.start(), end), word.known, "known string, broken over a line");
                }
                if is_letter(token, text)
                    && note.tokens.get(i + 1).is_some_and(|t| is_letter(t, text) || t.of(text) == ".")
                    && let Some((end, word)) = long().find_map(|w| Some((spaced(note, i, w)?, w)))
                {
                    found(Span::new(token.start(), end), word.known, "known string, letter by letter");
                }
            }
            let odd = token.shape == Shape::Mixed || annotated && token.facts.bits() == 0;
            if token.kind == Kind::Word && odd && token.end() - token.start() > SHORTEST {
                let last = folded(token.of(text).chars().next_back());
                if self.firsts.has(first) || last.is_some_and(|c| self.lasts.has(c)) {
                    read(token, text, &mut letters);
                    self.glued(&letters, annotated && token.facts.bits() == 0, &mut found);
                }
            }
        }
    }

    /// Takes known words off either end for as long as there are any.
    fn glued(
        &self,
        letters: &[Letter],
        strange: bool,
        found: &mut impl FnMut(Span<Norm>, Known, &'static str),
    ) {
        let mut rest = letters;
        let mut taken = false;
        while !rest.is_empty() {
            let fits = |w: &&Word| {
                w.whole
                    && (w.letters.len() >= SHORTEST || taken && w.letters.len() == rest.len())
                    && w.letters.len() <= rest.len()
                    && (taken || w.letters.len() < rest.len())
            };
            let cut = self.words.iter().filter(fits).find_map(|word| {
                let n = word.letters.len();
                let (start, end) = (n, rest.len() - n);
                if same(&rest[..start], &word.letters) && self.parts(rest, start, word, strange) {
                    Some((&rest[..start], &rest[start..], word))
                } else if same(&rest[end..], &word.letters) && self.parts(rest, end, word, strange) {
                    Some((&rest[end..], &rest[..end], word))
                } else {
                    None
                }
            });
            let Some((part, left, word)) = cut else { break };
            if let (Some(first), Some(last)) = (part.first(), part.last()) {
                found(Span::new(first.start, last.end), word.known, "known string, glued to a word");
            }
            rest = left;
            taken = true;
        }
    }

    /// Whether a run of letters may be cut at `at`, next to a known word.
    fn parts(&self, letters: &[Letter], at: usize, word: &Word, strange: bool) -> bool {
        if at == 0 || at == letters.len() || strange && word.letters.len() >= UNMISTAKABLE {
            return true;
        }
        let (before, after) = (letters[at - 1], letters[at]);
        let title = after.upper && letters.get(at + 1).is_some_and(|l| !l.upper);
        let other = if word.letters.len() == at { &letters[at..] } else { &letters[..at] };
        before.upper != after.upper && (after.upper || at > 1)
            || title
            || self.words.iter().any(|w| w.whole && same(other, &w.letters))
    }
}

fn same(letters: &[Letter], word: &[char]) -> bool {
    letters.len() == word.len() && letters.iter().zip(word).all(|(l, &c)| l.folded == c)
}

fn folded(c: Option<char>) -> Option<char> {
    c.map(|c| fold_char(c).0[0])
}

fn is_letter(token: &Token, text: &str) -> bool {
    token.kind == Kind::Word && token.of(text).chars().nth(1).is_none()
}

fn read(token: &Token, text: &str, out: &mut Vec<Letter>) {
    out.clear();
    for (at, c) in token.of(text).char_indices() {
        let (start, upper) = (token.start() + at, c.is_uppercase());
        let (letters, n) = fold_char(c);
        let letter = |&folded| Letter { folded, start, end: start + c.len_utf8(), upper };
        out.extend(letters[..n].iter().map(letter));
    }
}

/// Where a word that starts at this token ends, if a line ends inside one of its parts after a hyphen.
fn broken(note: &Note, first: usize, word: &Word) -> Option<usize> {
    let text = note.norm();
    let mut at = note.tokens[first].start();
    let (mut used, mut lines, mut split) = (0, 0, false);
    while used < word.letters.len() {
        let c = text[at..].chars().next()?;
        if c.is_alphanumeric() {
            let (letters, n) = fold_char(c);
            if word.letters.get(used..used + n)? != &letters[..n] {
                return None;
            }
            used += n;
            at += c.len_utf8();
            continue;
        }
        let gap = text[at..].len() - text[at..].trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let between = &text[at..at + gap];
        let hyphen = between.starts_with('-') || is_soft(note, at, gap);
        let between = between.strip_prefix('-').unwrap_or(between);
        let ends = word.ends.contains(&used);
        let line_end =
            between.bytes().filter(|&b| b == b'\n').count() == 1 && between.trim().is_empty() && hyphen;
        let joint = ends && gap <= 2 && between.bytes().all(|b| b" '.,".contains(&b));
        if !(line_end && lines == 0 || joint) {
            return None;
        }
        lines += usize::from(line_end);
        split |= line_end && !ends;
        at += gap;
    }
    (split && !text[at..].starts_with(char::is_alphanumeric)).then_some(at)
}

/// A soft hyphen, which the normalised view drops, where the line ends.
fn is_soft(note: &Note, at: usize, gap: usize) -> bool {
    let before = note.norm()[..at].chars().next_back().map_or(0, char::len_utf8);
    note.to_raw(Span::new(at - before, at + gap)).of(note.raw()).contains('\u{ad}')
}

/// Where a word that starts at this token ends, if each letter of it is alone.
fn spaced(note: &Note, first: usize, word: &Word) -> Option<usize> {
    let text = note.norm();
    let mut at = first;
    for (used, &letter) in word.letters.iter().enumerate() {
        if used > 0 {
            let from = note.tokens[at].end();
            at += 1;
            while note.tokens.get(at).is_some_and(|t| matches!(t.of(text), "." | "-")) {
                at += 1;
            }
            let gap = &text[from..note.tokens.get(at)?.start()];
            let longest = if word.ends.contains(&used) { 4 } else { 2 };
            if gap.len() > longest || !gap.bytes().all(|b| b" .-".contains(&b)) {
                return None;
            }
        }
        let token = &note.tokens[at];
        if !is_letter(token, text) || folded(token.of(text).chars().next()) != Some(letter) {
            return None;
        }
    }
    Some(note.tokens[at].end())
}
