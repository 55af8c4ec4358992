//! Where text is split before pieces are looked for: at blanks, at marks, or as GPT-2 does.

use serde_json::Value;

use super::Char;
use crate::Error;

/// Where words begin: the sign SentencePiece writes for a blank.
const BLANK: char = '\u{2581}';

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Splitter {
    /// At blanks, which become a sign before each word.
    Metaspace { prefix: bool },
    /// At blanks and at every mark.
    Bert,
    /// As GPT-2 does: blanks stay with the word after them.
    Bytes { prefix: bool },
}

impl Splitter {
    pub(super) fn read(value: &Value) -> Result<Splitter, Error> {
        let kind = value["type"].as_str().unwrap_or("");
        match kind {
            "Metaspace" => {
                if value["replacement"].as_str().is_some_and(|r| r != "\u{2581}") {
                    return Err(Error::unsupported("a metaspace other than U+2581 is not read"));
                }
                let scheme = value["prepend_scheme"].as_str();
                Ok(Splitter::Metaspace {
                    prefix: match scheme {
                        Some(scheme) => scheme != "never",
                        None => value["add_prefix_space"].as_bool().unwrap_or(true),
                    },
                })
            }
            "BertPreTokenizer" => Ok(Splitter::Bert),
            "ByteLevel" => {
                Ok(Splitter::Bytes { prefix: value["add_prefix_space"].as_bool().unwrap_or(true) })
            }
            "Sequence" => {
                let all = value["pretokenizers"].as_array().map_or(&[][..], |v| v);
                match all {
                    [one] => Splitter::read(one),
                    [first, second]
                        if first["type"] == "WhitespaceSplit" && second["type"] == "Metaspace" =>
                    {
                        Splitter::read(second)
                    }
                    _ => Err(Error::unsupported("an unknown sequence of pre_tokenizers")),
                }
            }
            other => Err(Error::unsupported(format!(
                "unknown pre_tokenizer `{other}`; known: Metaspace, WhitespaceSplit with Metaspace, BertPreTokenizer, ByteLevel"
            ))),
        }
    }

    /// Hands each part to be cut to `put`.
    pub(super) fn split(self, chars: &[Char], mut put: impl FnMut(&[Char])) {
        match self {
            Splitter::Metaspace { prefix } => {
                let mut word = Vec::new();
                let words = chars.split(|c| c.value.is_whitespace()).filter(|w| !w.is_empty());
                for (i, part) in words.enumerate() {
                    word.clear();
                    if prefix || i > 0 {
                        word.push(Char { value: BLANK, ..part[0] });
                    }
                    word.extend_from_slice(part);
                    put(&word);
                }
            }
            Splitter::Bert => {
                let mut from = 0;
                for (i, c) in chars.iter().enumerate() {
                    let (blank, mark) = (c.value.is_whitespace(), is_mark(c.value));
                    if !blank && !mark {
                        continue;
                    }
                    if from < i {
                        put(&chars[from..i]);
                    }
                    if mark {
                        put(&chars[i..=i]);
                    }
                    from = i + 1;
                }
                if from < chars.len() {
                    put(&chars[from..]);
                }
            }
            Splitter::Bytes { prefix } => {
                let Some(first) = chars.first() else { return };
                if prefix && !first.value.is_whitespace() {
                    let mut with = vec![Char { value: ' ', start: first.start, end: first.start }];
                    with.extend_from_slice(chars);
                    split_bytes(&with, put);
                } else {
                    split_bytes(chars, put);
                }
            }
        }
    }

    /// One word of ours: a sign that it begins one only where it is not glued to the text before it.
    pub(super) fn split_word(self, chars: &[Char], glued: bool, mut put: impl FnMut(&[Char])) {
        match self {
            Splitter::Metaspace { .. } => {
                let mut word = Vec::with_capacity(chars.len() + 1);
                if !glued {
                    word.push(Char { value: BLANK, start: 0, end: 0 });
                }
                word.extend(chars.iter().filter(|c| !c.value.is_whitespace()));
                if !word.is_empty() {
                    put(&word);
                }
            }
            Splitter::Bert => self.split(chars, put),
            Splitter::Bytes { .. } => {
                let mut word = Vec::with_capacity(chars.len() + 1);
                if !glued {
                    word.push(Char { value: ' ', start: 0, end: 0 });
                }
                word.extend_from_slice(chars);
                split_bytes(&word, put);
            }
        }
    }
}

/// What BERT splits at: marks of ASCII, signs included, and of Unicode.
fn is_mark(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    matches!(c,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{2308}'..='\u{230b}'
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{ff01}'..='\u{ff0f}')
        && !matches!(c, '\u{2044}' | '\u{2052}')
}

/// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
fn split_bytes(chars: &[Char], mut put: impl FnMut(&[Char])) {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Letter,
        Number,
        Blank,
        Other,
    }
    let class = |c: &Char| match c.value {
        c if c.is_whitespace() => Class::Blank,
        c if c.is_numeric() => Class::Number,
        c if c.is_alphabetic() => Class::Letter,
        _ => Class::Other,
    };
    let mut at = 0;
    while at < chars.len() {
        let ends = ["s", "t", "re", "ve", "m", "ll", "d"];
        let ending = ends.iter().find(|end| {
            chars[at].value == '\''
                && chars[at + 1..].len() >= end.len()
                && chars[at + 1..].iter().zip(end.chars()).all(|(a, b)| a.value == b)
        });
        if let Some(ending) = ending {
            put(&chars[at..at + 1 + ending.len()]);
            at += 1 + ending.len();
            continue;
        }
        let mut end = at;
        if chars[at].value == ' ' && chars.get(at + 1).is_some_and(|c| class(c) != Class::Blank) {
            end += 1;
        }
        let kind = class(&chars[end]);
        while end < chars.len() && class(&chars[end]) == kind {
            end += 1;
        }
        // Of several blanks the last stays with the word after them.
        if kind == Class::Blank && end < chars.len() && end - at > 1 {
            end -= 1;
        }
        put(&chars[at..end]);
        at = end;
    }
}
