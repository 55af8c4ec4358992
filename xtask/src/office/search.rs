//! Searching a file for an identity as somebody would who wants to find it.

use std::io::{Cursor, Read};

use taire_text::fold;

/// What must be nowhere: words of names and places, and numbers as their digits.
pub(super) struct Secrets {
    words: Vec<String>,
    numbers: Vec<String>,
}

impl Secrets {
    pub(super) fn of(identity: &str) -> Result<Secrets, String> {
        let identity: serde_json::Value = serde_json::from_str(identity).map_err(|e| e.to_string())?;
        let mut secrets = Secrets { words: Vec::new(), numbers: Vec::new() };
        secrets.collect("", &identity);
        Ok(secrets)
    }

    fn collect(&mut self, key: &str, value: &serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                map.iter().for_each(|(k, v)| self.collect(if key == "ids" { key } else { k }, v))
            }
            serde_json::Value::Array(items) => items.iter().for_each(|v| self.collect(key, v)),
            serde_json::Value::String(text) => match key {
                "family_name" | "given_names" | "birth_place" | "city" => {
                    self.words.extend(letters(text).split(' ').filter(|w| w.len() > 3).map(str::to_owned))
                }
                "street" | "emails" => self.words.push(letters(text).trim().to_owned()),
                "birth_date" => {
                    let mut parts: Vec<&str> = text.split('-').collect();
                    self.numbers.push(parts.concat());
                    parts.reverse();
                    self.numbers.push(parts.concat());
                }
                "ids" | "phones" | "postal_code" => self.numbers.push(digits(text)),
                _ => {}
            },
            _ => {}
        }
    }

    /// Which of them are in some part of a file, by their index in the list.
    pub(super) fn found(&self, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for (part, bytes) in parts(bytes) {
            for (how, text) in views(&bytes).into_iter().chain([("its name", part.clone())]) {
                let (words, numbers) = (letters(&text), digits(&text));
                for (i, word) in self.words.iter().enumerate() {
                    if words.contains(word.as_str()) {
                        found.push(format!("word {i} in `{part}` ({how})"));
                    }
                }
                for (i, number) in self.numbers.iter().enumerate() {
                    let is_there = match number.len() {
                        8.. => numbers.contains(number.as_str()),
                        _ => text.split(|c: char| !c.is_ascii_digit()).any(|run| run == number),
                    };
                    if is_there {
                        found.push(format!("number {i} in `{part}` ({how})"));
                    }
                }
            }
        }
        found
    }
}

/// The parts of a container, unpacked, or the file itself.
pub(super) fn parts(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes)) else {
        return vec![(String::new(), bytes.to_vec())];
    };
    let mut parts = Vec::new();
    for i in 0..archive.len() {
        let Ok(mut part) = archive.by_index(i) else { continue };
        let name = part.name().map(|n| n.into_owned()).unwrap_or_default();
        let mut content = Vec::new();
        if part.read_to_end(&mut content).is_ok() {
            parts.push((name, content));
        }
    }
    parts
}

/// The text of every part, one after the other, without markup and with escapes undone.
pub(super) fn text(bytes: &[u8]) -> String {
    parts(bytes)
        .iter()
        .map(|(_, part)| without_escapes(&without_markup(&String::from_utf8_lossy(part))))
        .collect()
}

/// The encodings of a text in bytes.
fn views(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let plain = String::from_utf8_lossy(bytes).into_owned();
    let narrow: String = bytes.iter().map(|b| *b as char).collect();
    let wide = |bytes: &[u8]| {
        let units: Vec<u16> =
            bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let shown = without_markup(&plain);
    vec![
        ("escapes undone", without_escapes(&plain)),
        ("without markup, escapes undone", without_escapes(&shown)),
        ("without markup", shown),
        ("Latin-1", narrow),
        ("UTF-16", wide(bytes)),
        ("UTF-16 shifted", wide(bytes.get(1..).unwrap_or_default())),
        ("UTF-8", plain),
    ]
}

fn without_markup(text: &str) -> String {
    let mut inside = false;
    text.chars()
        .filter(|&c| {
            let keep = !inside && c != '<';
            inside = (inside || c == '<') && c != '>';
            keep
        })
        .collect()
}

/// Undoes `\'c8` and `\u200?` of RTF and `&#200;` of XML; control words and braces of RTF go.
fn without_escapes(text: &str) -> String {
    let Ok(escapes) = regex::Regex::new(
        r"\\'([0-9a-f]{2})|\\u(-?\d+) ?(?:\\'[0-9a-f]{2}|\?)*|&#x([0-9A-Fa-f]+);|&#(\d+);|&([A-Z]?[a-z])[a-z]*;|[{}]|\\[a-z]+-?\d* ?",
    ) else {
        return text.to_owned();
    };
    let letter = |code: Option<u32>| code.and_then(char::from_u32).map(String::from).unwrap_or_default();
    let undone = escapes.replace_all(text, |found: &regex::Captures<'_>| {
        let group = |i: usize| found.get(i).map(|m| m.as_str());
        match (group(1), group(2), group(3), group(4), group(5)) {
            (Some(hex), ..) | (_, _, Some(hex), ..) => letter(u32::from_str_radix(hex, 16).ok()),
            (_, Some(number), ..) => letter(number.parse::<i32>().ok().map(|n| (n & 0xFFFF) as u32)),
            (_, _, _, Some(number), _) => letter(number.parse().ok()),
            // `&egrave;` folds to its letter.
            (.., Some(name)) => name.to_owned(),
            _ => String::new(),
        }
    });
    undone.into_owned()
}

/// Folded, with one blank for all that is no letter or digit.
fn letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in fold(text).chars() {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_found_however_it_is_written() {
        let secrets = Secrets::of(
            r#"{"family_name": "Guézennec", "phones": ["06 38 52 77 14"], "birth_date": "1947-08-17"}"#,
        )
        .unwrap();
        let wide: Vec<u8> = "x Guézennec".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [
            "Mme GUÉZENNEC".as_bytes(),
            b"{\\rtf1 Gu\\'e9z{\\b enn}ec}",
            b"Gu\\u233?zennec",
            b"Gu\\u233\\'e9zennec",
            b"<b>Gu&eacute;ze</b>nnec",
            b"Gu&#233;zennec",
            b"Gu\xE9zennec",
            &wide,
            &wide[1..],
            b"0638.52.77/14",
            b"19470817",
        ] {
            assert!(!secrets.found(bytes).is_empty(), "{bytes:?}");
        }
        assert!(secrets.found(b"Mme Guzet, 06 38 52 77 15, 1947").is_empty());
    }
}
