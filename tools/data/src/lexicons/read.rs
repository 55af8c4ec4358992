//! Reads the odd formats the packages use: Python sequences, compressed word lists, tagged dictionaries.

use super::Result;
use super::fetch::{self, Lists, Package};

/// Quoted strings of `name = ( ... )` or `[...]` in a Python source.
pub(crate) fn python_strings(source: &str, name: &str) -> Vec<String> {
    let mut inside = false;
    let mut out = Vec::new();
    for line in source.lines() {
        if !inside {
            let head = line.trim_start();
            inside = head.starts_with(name)
                && head[name.len()..].starts_with([' ', ':'])
                && (line.trim_end().ends_with(['(', '[']));
            continue;
        }
        if matches!(line.trim(), ")" | "]") && line.starts_with("    ") && !line.starts_with("     ") {
            inside = false;
            continue;
        }
        if let Some(start) = line.find('"') {
            let rest = &line[start + 1..];
            if let Some(end) = rest.find('"') {
                out.push(rest[..end].to_owned());
            }
        }
    }
    out
}

pub(crate) fn faker(lists: &Lists, provider: &str, name: &str) -> Result<Vec<String>> {
    let source = lists.text(fetch::FAKER, &format!("faker/providers/{provider}/__init__.py"))?;
    let found = python_strings(&source, name);
    if found.is_empty() { Err(format!("no {name} in faker's {provider}")) } else { Ok(found) }
}

/// A word list of zxcvbn-ts: each entry is a capital that counts the letters shared with the one before.
pub(crate) fn shared_prefixes(lists: &Lists, package: &Package, list: &str) -> Result<Vec<String>> {
    let source = lists.text(package, &format!("dist/{list}.json.mjs"))?;
    let body = source
        .split_once("decompress(\"")
        .and_then(|(_, rest)| rest.split_once("\")"))
        .ok_or_else(|| format!("{list} of {} has another shape", package.name))?
        .0;
    let mut words: Vec<String> = Vec::new();
    let mut word: Vec<char> = Vec::new();
    for c in body.chars() {
        if c.is_ascii_uppercase() {
            if !word.is_empty() {
                words.push(word.iter().collect());
            }
            word.truncate(usize::from(c as u8 - b'A'));
        } else {
            word.push(c);
        }
    }
    words.push(word.iter().collect());
    Ok(words)
}

pub(crate) fn string_array(lists: &Lists, package: &Package, file: &str) -> Result<Vec<String>> {
    let value = lists.json(package, file)?;
    let array = value.as_array().ok_or_else(|| format!("{file} is not an array"))?;
    Ok(array.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect())
}

/// One lemma of the French dictionary with its tags (`nom`, `prn`, `patr`, ...).
pub(crate) struct Lemma {
    pub(crate) form: String,
    pub(crate) tags: Vec<String>,
}

impl Lemma {
    pub(crate) fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|t| t == tag)
    }

    /// A given name, a family name or another proper noun.
    pub(crate) fn is_proper(&self) -> bool {
        ["prn", "patr", "npr"].iter().any(|t| self.has(t)) || self.form.starts_with(char::is_uppercase)
    }
}

pub(crate) fn hunspell(lists: &Lists) -> Result<Vec<Lemma>> {
    let text = lists.text(fetch::FR_HUNSPELL, "usr/share/hunspell/fr.dic")?;
    let mut lemmas = Vec::new();
    for line in text.lines().skip(1) {
        let mut fields = line.split_whitespace();
        let Some(head) = fields.next() else { continue };
        let form = head.split('/').next().unwrap_or(head).to_owned();
        let tags = fields.filter_map(|f| f.strip_prefix("po:")).map(str::to_owned).collect();
        lemmas.push(Lemma { form, tags });
    }
    Ok(lemmas)
}

/// Rows of a separated table, first row left out.
pub(crate) fn rows(text: &str, separator: u8) -> Result<Vec<Vec<String>>> {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    reader
        .records()
        .map(|record| record.map(|r| r.iter().map(str::to_owned).collect()).map_err(|e| e.to_string()))
        .collect()
}

/// Codes and labels of the French ICD-10.
pub(crate) fn icd10(lists: &Lists) -> Result<Vec<(String, String)>> {
    let text = lists.compressed(fetch::EDSNLP, "edsnlp/resources/cim10.csv.gz")?;
    let pair = |mut row: Vec<String>| Some((row.first()?.clone(), row.pop()?));
    Ok(rows(&text, b',')?.into_iter().filter_map(pair).collect())
}

pub(crate) fn drugs(lists: &Lists) -> Result<Vec<String>> {
    let value = lists.json(fetch::EDSNLP, "edsnlp/resources/drugs.json")?;
    let classes = value.as_object().ok_or("drugs.json is not an object")?;
    Ok(classes
        .values()
        .filter_map(|names| names.as_array())
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect())
}
