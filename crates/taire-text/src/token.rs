//! Tokens: runs of letters, runs of digits, single other characters, line ends.
//!
//! Letters and digits split where they meet (`dec1993`, `05nov`, `T3N0`), words split at hyphens and
//! apostrophes; what was glued is told by [`Token::glued`]. Detectors and models read the same tokens.

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
}

impl Token {
    pub fn start(&self) -> usize {
        self.start as usize
    }

    pub fn end(&self) -> usize {
        self.end as usize
    }

    pub fn span(&self) -> Span<Norm> {
        Span::new(self.start(), self.end())
    }

    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start()..self.end()]
    }

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

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '\n' => Class::Newline,
        c if c.is_ascii() => {
            if c.is_ascii_whitespace() || c.is_ascii_control() {
                Class::Space
            } else {
                Class::Mark
            }
        }
        c if c.is_uppercase() => Class::Upper,
        'º' | 'ª' => Class::Mark,
        c if c.is_alphabetic() => Class::Lower,
        c if c.is_whitespace() => Class::Space,
        // A combining mark that composed with nothing belongs to the word it stands on.
        '\u{300}'..='\u{36f}' => Class::Lower,
        _ => Class::Mark,
    }
}

/// Cuts the normalised text into tokens, in order.
pub fn tokenise(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 5 + 4);
    let mut chars = text.char_indices().peekable();
    let mut glued = false;
    while let Some((start, c)) = chars.next() {
        let first = class(c);
        let mut end = start + c.len_utf8();
        let (kind, shape) = match first {
            Class::Space => {
                glued = false;
                continue;
            }
            Class::Newline => (Kind::Newline, Shape::None),
            Class::Mark => (Kind::Mark, Shape::None),
            Class::Digit => {
                while let Some(&(i, c)) = chars.peek() {
                    if !c.is_ascii_digit() {
                        break;
                    }
                    end = i + 1;
                    chars.next();
                }
                (Kind::Number, Shape::None)
            }
            Class::Lower | Class::Upper => {
                let (mut upper, mut lower) =
                    (u32::from(first == Class::Upper), u32::from(first == Class::Lower));
                while let Some(&(i, c)) = chars.peek() {
                    match class(c) {
                        Class::Upper => upper += 1,
                        Class::Lower => lower += 1,
                        _ => break,
                    }
                    end = i + c.len_utf8();
                    chars.next();
                }
                let shape = match (first == Class::Upper, upper, lower) {
                    (_, 0, _) => Shape::Lower,
                    (true, 1, 0) => Shape::Single,
                    (true, 1, _) => Shape::Title,
                    (true, _, 0) => Shape::Upper,
                    _ => Shape::Mixed,
                };
                (Kind::Word, shape)
            }
        };
        tokens.push(Token {
            start: start as u32,
            end: end as u32,
            kind,
            shape,
            glued,
            facts: Facts::default(),
        });
        glued = kind != Kind::Newline;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

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
