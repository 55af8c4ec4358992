//! What is done to text before it is split: composed forms, case, accents, and SentencePiece's own tables.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

use super::Char;
use crate::Error;

#[derive(Clone)]
pub(super) struct Normaliser(Vec<Step>);

#[derive(Clone)]
enum Step {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    Lower,
    StripAccents,
    /// Control characters out, blanks alike, Chinese characters apart.
    Clean {
        chinese: bool,
    },
    /// A string for a string; of patterns only runs of blanks are known.
    Replace(String, String),
    Blanks(String),
    Map(Charsmap),
}

impl Normaliser {
    pub(super) fn read(value: &Value) -> Result<Normaliser, Error> {
        let mut steps = Vec::new();
        read(value, &mut steps)?;
        Ok(Normaliser(steps))
    }

    pub(super) fn apply(&self, text: &str) -> Vec<Char> {
        let whole = |(start, value): (usize, char)| Char { value, start, end: start + value.len_utf8() };
        let mut chars: Vec<Char> = text.char_indices().map(whole).collect();
        for step in &self.0 {
            chars = step.apply(chars);
        }
        chars
    }
}

fn read(value: &Value, steps: &mut Vec<Step>) -> Result<(), Error> {
    let Some(kind) = value["type"].as_str() else { return Ok(()) };
    match kind {
        "Sequence" => {
            for part in value["normalizers"].as_array().into_iter().flatten() {
                read(part, steps)?;
            }
        }
        "NFC" => steps.push(Step::Nfc),
        "NFD" => steps.push(Step::Nfd),
        "NFKC" => steps.push(Step::Nfkc),
        "NFKD" => steps.push(Step::Nfkd),
        "Lowercase" => steps.push(Step::Lower),
        "StripAccents" => steps.push(Step::StripAccents),
        "Strip" => {}
        "Replace" => {
            let content = value["content"].as_str().unwrap_or("").to_owned();
            match (value["pattern"]["String"].as_str(), value["pattern"]["Regex"].as_str()) {
                (Some(from), _) => steps.push(Step::Replace(from.to_owned(), content)),
                (_, Some(" {2,}")) => steps.push(Step::Blanks(content)),
                _ => return Err(Error::unsupported("a normalizer replaces by a pattern that is not known")),
            }
        }
        "BertNormalizer" => {
            let on = |key: &str| value[key].as_bool();
            let lower = on("lowercase").unwrap_or(true);
            if on("clean_text").unwrap_or(true) {
                steps.push(Step::Clean { chinese: on("handle_chinese_chars").unwrap_or(true) });
            }
            if on("strip_accents").unwrap_or(lower) {
                steps.extend([Step::Nfd, Step::StripAccents]);
            }
            if lower {
                steps.push(Step::Lower);
            }
        }
        "Precompiled" => {
            let data = value["precompiled_charsmap"].as_str().unwrap_or("");
            steps.push(Step::Map(Charsmap::read(data)?));
        }
        other => {
            return Err(Error::unsupported(format!(
                "unknown normalizer `{other}`; known: NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, \
                 BertNormalizer, Precompiled, Sequence"
            )));
        }
    }
    Ok(())
}

impl Step {
    fn apply(&self, chars: Vec<Char>) -> Vec<Char> {
        match self {
            Step::Nfc => clusters(&chars, |s, out| out.extend(s.nfc())),
            Step::Nfd => clusters(&chars, |s, out| out.extend(s.nfd())),
            Step::Nfkc => clusters(&chars, |s, out| out.extend(s.nfkc())),
            Step::Nfkd => clusters(&chars, |s, out| out.extend(s.nfkd())),
            Step::Lower => {
                let lower = |c: Char| c.value.to_lowercase().map(move |value| Char { value, ..c });
                chars.into_iter().flat_map(lower).collect()
            }
            Step::StripAccents => chars.into_iter().filter(|c| !is_combining_mark(c.value)).collect(),
            Step::Clean { chinese } => {
                let mut out = Vec::with_capacity(chars.len());
                for c in chars {
                    let blank = Char { value: ' ', ..c };
                    match c.value {
                        '\0' | '\u{fffd}' => {}
                        value if value.is_whitespace() => out.push(blank),
                        value if value.is_control() => {}
                        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' if *chinese => {
                            out.extend([blank, c, blank]);
                        }
                        _ => out.push(c),
                    }
                }
                out
            }
            Step::Replace(from, to) => replace(&chars, from, to),
            Step::Blanks(to) => {
                let mut out: Vec<Char> = Vec::with_capacity(chars.len());
                let mut at = 0;
                while at < chars.len() {
                    let run = chars[at..].iter().take_while(|c| c.value == ' ').count();
                    if run < 2 {
                        out.push(chars[at]);
                        at += 1;
                        continue;
                    }
                    let (start, end) = (chars[at].start, chars[at + run - 1].end);
                    out.extend(to.chars().map(|value| Char { value, start, end }));
                    at += run;
                }
                out
            }
            Step::Map(map) => clusters(&chars, |s, out| map.apply(s, out)),
        }
    }
}

/// A character with the marks that combine with it is changed as one, and its bytes stay together.
fn clusters(chars: &[Char], change: impl Fn(&str, &mut String)) -> Vec<Char> {
    let mut out = Vec::with_capacity(chars.len());
    let (mut text, mut changed) = (String::new(), String::new());
    let mut at = 0;
    while at < chars.len() {
        let mut end = at + 1;
        while end < chars.len() && canonical_combining_class(chars[end].value) != 0 {
            end += 1;
        }
        text.clear();
        text.extend(chars[at..end].iter().map(|c| c.value));
        if text.is_ascii() && !text.as_bytes()[0].is_ascii_control() {
            out.push(chars[at]);
        } else {
            changed.clear();
            change(&text, &mut changed);
            let (start, stop) = (chars[at].start, chars[end - 1].end);
            out.extend(changed.chars().map(|value| Char { value, start, end: stop }));
        }
        at = end;
    }
    out
}

fn replace(chars: &[Char], from: &str, to: &str) -> Vec<Char> {
    let from: Vec<char> = from.chars().collect();
    let mut out = Vec::with_capacity(chars.len());
    let mut at = 0;
    while at < chars.len() {
        let here = !from.is_empty()
            && chars.len() - at >= from.len()
            && chars[at..].iter().zip(&from).all(|(a, b)| a.value == *b);
        if here {
            let (start, end) = (chars[at].start, chars[at + from.len() - 1].end);
            out.extend(to.chars().map(|value| Char { value, start, end }));
            at += from.len();
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// SentencePiece's table: a double-array trie from strings to what replaces them.
#[derive(Clone)]
struct Charsmap {
    trie: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    fn read(base64: &str) -> Result<Charsmap, Error> {
        let wrong = || Error::damaged("its precompiled_charsmap does not read");
        let bytes = decode(base64).ok_or_else(wrong)?;
        let (size, rest) = bytes.split_first_chunk::<4>().ok_or_else(wrong)?;
        let size = u32::from_le_bytes(*size) as usize;
        if size > rest.len() || !size.is_multiple_of(4) {
            return Err(wrong());
        }
        let trie = rest[..size].as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        Ok(Charsmap { trie, replacements: rest[size..].to_vec() })
    }

    /// The whole cluster if it is in the table, else character by character.
    fn apply(&self, text: &str, out: &mut String) {
        if text.len() < 6
            && let Some(changed) = self.find(text)
        {
            return out.push_str(changed);
        }
        let mut bytes = [0; 4];
        for c in text.chars() {
            match self.find(c.encode_utf8(&mut bytes)) {
                Some(changed) => out.push_str(changed),
                None => out.push(c),
            }
        }
    }

    /// What the shortest beginning of the text that the table knows becomes.
    fn find(&self, text: &str) -> Option<&str> {
        let offset = |unit: u32| ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize;
        let mut at = offset(*self.trie.first()?);
        for b in text.bytes().take_while(|&b| b != 0) {
            at ^= usize::from(b);
            let unit = *self.trie.get(at)?;
            if unit & (1 << 31 | 0xff) != u32::from(b) {
                return None;
            }
            at ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let from = (*self.trie.get(at)? & !(1 << 31)) as usize;
                let rest = self.replacements.get(from..)?;
                let end = rest.iter().position(|&b| b == 0).unwrap_or(rest.len());
                return std::str::from_utf8(&rest[..end]).ok();
            }
        }
        None
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0u32, 0);
    for b in text.bytes().filter(|&b| b != b'=') {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    Some(out)
}
