//! Tokens: runs of letters, runs of digits, single other characters, line ends.
//!
//! Letters and digits split where they meet (`dec1993`, `05nov`, `T3N0`), words split at hyphens and
//! apostrophes; [`Token::glued`] marks what was glued. Detectors and models read the same tokens.

use crate::{Facts, Norm, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Word,
    Number,
    /// One character that is neither letter nor digit nor space.
    Mark,
    Newline,
}

/// The case of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Not a word.
    None,
    /// `patient`
    Lower,
    /// `Patient`
    Title,
    /// `PATIENT`, two letters or more
    Upper,
    /// `P`
    Single,
    /// `McDonald`, `pATIENT`
    Mixed,
}

/// Whether a token may begin a date, an age or a duration, as numbers, `mars`, `ans`, `edad` do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Calendar {
    /// A word that nobody looked at.
    Unread,
    No,
    Yes,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Token {
    start: u32,
    end: u32,
    pub kind: Kind,
    pub shape: Shape,
    /// No space between the token before and this one.
    pub glued: bool,
    /// What the lexicons know of the word; filled in by `taire-lexicon`.
    pub facts: Facts,
    /// [`fold_hash`](crate::fold_hash) of the word, filled in with the facts; zero before.
    pub hash: u64,
    pub calendar: Calendar,
}

impl Token {
    #[inline]
    pub fn start(&self) -> usize {
        self.start as usize
    }

    #[inline]
    pub fn end(&self) -> usize {
        self.end as usize
    }

    #[inline]
    pub fn span(&self) -> Span<Norm> {
        Span::new(self.start(), self.end())
    }

    #[inline]
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start()..self.end()]
    }

    #[inline]
    pub fn is_capitalised(&self) -> bool {
        matches!(self.shape, Shape::Title | Shape::Upper | Shape::Single | Shape::Mixed)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Space,
    Newline,
    Mark,
}

/// The class of a character that is not ASCII.
fn class(c: char) -> Class {
    match c {
        c if c.is_uppercase() => Class::Upper,
        'º' | 'ª' => Class::Mark,
        c if c.is_alphabetic() => Class::Lower,
        c if c.is_whitespace() => Class::Space,
        // A combining mark that composed with nothing belongs to the word before it.
        '\u{300}'..='\u{36f}' => Class::Lower,
        _ => Class::Mark,
    }
}

/// The class of each ASCII byte; the others are read as characters.
const ASCII: [Class; 128] = {
    let mut table = [Class::Mark; 128];
    let mut b = 0u8;
    while b < 128 {
        table[b as usize] = match b {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'\n' => Class::Newline,
            _ if b.is_ascii_whitespace() || b.is_ascii_control() => Class::Space,
            _ => Class::Mark,
        };
        b += 1;
    }
    table
};

/// The class of the character at `at`, and its length.
#[inline(always)]
fn class_at(text: &str, at: usize) -> (Class, usize) {
    let bytes = text.as_bytes();
    if let Some(&class) = ASCII.get(usize::from(bytes[at])) {
        return (class, 1);
    }
    match (bytes[at], bytes.get(at + 1)) {
        // The letters of Latin-1, which are neither × nor ÷.
        (0xc3, Some(0x80..=0x96 | 0x98..=0x9e)) => (Class::Upper, 2),
        (0xc3, Some(0x9f..=0xb6 | 0xb8..=0xbf)) => (Class::Lower, 2),
        _ => text[at..].chars().next().map_or((Class::Space, 1), |c| (class(c), c.len_utf8())),
    }
}

#[inline]
fn token(start: usize, end: usize, kind: Kind, shape: Shape, glued: bool) -> Token {
    let calendar = match kind {
        Kind::Word => Calendar::Unread,
        Kind::Number => Calendar::Yes,
        Kind::Mark | Kind::Newline => Calendar::No,
    };
    let (start, end) = (start as u32, end as u32);
    Token { start, end, kind, shape, glued, facts: Facts::default(), hash: 0, calendar }
}

/// How many ASCII letters in lower case come first, eight at a time: the length of a word cannot be predicted, so no
/// branch hangs on each letter.
#[inline]
fn lower_run(bytes: &[u8]) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const BEFORE_A: u64 = 0x6161_6161_6161_6161;
    const AFTER_Z: u64 = 0x7b7b_7b7b_7b7b_7b7b;
    let mut length = 0;
    while let Some(eight) = bytes[length..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        // The high bit of each byte says whether its other bits reach the bound; it is lent, so no byte borrows.
        let (from_a, past_z) = ((word | HIGH) - BEFORE_A, (word | HIGH) - AFTER_Z);
        let others = !(from_a & !past_z & !word) & HIGH;
        if others != 0 {
            return length + others.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + bytes[length..].iter().take_while(|b| b.is_ascii_lowercase()).count()
}

/// Cuts the normalised text into tokens, in order.
pub fn tokenise(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 5 + 4);
    let bytes = text.as_bytes();
    let mut glued = false;
    let mut start = 0;
    while start < bytes.len() {
        if bytes[start] == b' ' {
            glued = false;
            start += 1;
            continue;
        }
        // Most tokens: a word in plain lower case.
        if bytes[start].is_ascii_lowercase() {
            let end = start + lower_run(&bytes[start..]);
            if bytes.get(end).is_none_or(|b| b.is_ascii() && !b.is_ascii_alphabetic()) {
                tokens.push(token(start, end, Kind::Word, Shape::Lower, glued));
                glued = true;
                start = end;
                continue;
            }
        }
        let (first, length) = class_at(text, start);
        let mut end = start + length;
        let (kind, shape) = match first {
            Class::Space => {
                glued = false;
                start = end;
                continue;
            }
            Class::Newline => (Kind::Newline, Shape::None),
            Class::Mark => (Kind::Mark, Shape::None),
            Class::Digit => {
                end += bytes[end..].iter().take_while(|b| b.is_ascii_digit()).count();
                (Kind::Number, Shape::None)
            }
            Class::Lower | Class::Upper => {
                let mut upper = u32::from(first == Class::Upper);
                let mut letters = 1;
                loop {
                    let plain = lower_run(&bytes[end..]);
                    letters += plain as u32;
                    end += plain;
                    if end == bytes.len() {
                        break;
                    }
                    let (class, length) = class_at(text, end);
                    match class {
                        Class::Upper => upper += 1,
                        Class::Lower => {}
                        _ => break,
                    }
                    letters += 1;
                    end += length;
                }
                let shape = match (first == Class::Upper, upper, letters - upper) {
                    (_, 0, _) => Shape::Lower,
                    (true, 1, 0) => Shape::Single,
                    (true, 1, _) => Shape::Title,
                    (true, _, 0) => Shape::Upper,
                    _ => Shape::Mixed,
                };
                (Kind::Word, shape)
            }
        };
        tokens.push(token(start, end, kind, shape, glued));
        glued = kind != Kind::Newline;
        start = end;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_lower_case_end_at_anything_else() {
        for b in 0..=255u8 {
            for at in 0..18 {
                let mut bytes = *b"abcdefghijklmnopqz";
                bytes[at] = b;
                let length = bytes.iter().take_while(|b| b.is_ascii_lowercase()).count();
                assert_eq!(lower_run(&bytes), length, "{b} at {at}");
            }
        }
    }

    #[test]
    fn words_digits_and_marks_split_where_they_meet() {
        let text = "L'Hôpital, dec1993\n J.-P. MÜLLER McAdam é";
        let got: Vec<_> = tokenise(text).iter().map(|t| (t.of(text), t.shape, t.glued)).collect();
        use Shape::*;
        assert_eq!(
            got,
            [
                ("L", Single, false),
                ("'", None, true),
                ("Hôpital", Title, true),
                (",", None, true),
                ("dec", Lower, false),
                ("1993", None, true),
                ("\n", None, true),
                ("J", Single, false),
                (".", None, true),
                ("-", None, true),
                ("P", Single, true),
                (".", None, true),
                ("MÜLLER", Upper, false),
                ("McAdam", Mixed, false),
                ("é", Lower, false),
            ]
        );
    }
}
