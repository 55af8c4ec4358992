//! Annotated documents, and how gold and predicted ones are paired.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use taire_text::Role;

use crate::Error;

/// A labelled stretch, end exclusive, in the unit of its corpus.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag {
    pub start: usize,
    pub end: usize,
    pub label: String,
}

impl Tag {
    pub fn new(start: usize, end: usize, label: impl Into<String>) -> Tag {
        Tag { start, end, label: label.into() }
    }

    pub(crate) fn overlaps(&self, other: &Tag) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// What offsets count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Offsets {
    #[default]
    CodePoints,
    Bytes,
    Utf16,
}

/// One annotated document.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Doc {
    pub id: String,
    pub text: Option<String>,
    pub spans: Vec<Tag>,
}

impl fmt::Debug for Doc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Doc({}, {} spans)", self.id, self.spans.len())
    }
}

/// Documents by id.
#[derive(Clone, Default, Debug)]
pub struct Corpus {
    docs: BTreeMap<String, Doc>,
    /// Whose a span is, by document, start and end, where the file says so.
    roles: BTreeMap<(String, usize, usize), Role>,
}

impl Corpus {
    /// Fails when two documents share an id: their scores could not be separated.
    pub fn new(docs: impl IntoIterator<Item = Doc>) -> Result<Corpus, Error> {
        let mut corpus = Corpus::default();
        for doc in docs {
            if let Some(before) = corpus.docs.insert(doc.id.clone(), doc) {
                return Err(Error::input(format!(
                    "two documents have the id `{}`; ids must differ within a corpus",
                    before.id
                )));
            }
        }
        Ok(corpus)
    }

    pub fn len(&self) -> usize {
        self.docs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    pub fn docs(&self) -> impl Iterator<Item = &Doc> {
        self.docs.values()
    }

    pub(crate) fn set_role(&mut self, id: &str, start: usize, end: usize, role: Role) {
        self.roles.insert((id.to_owned(), start, end), role);
    }

    /// Whose the span is: from the file, else from a label written `FamilyName:Patient`.
    pub fn role(&self, id: &str, tag: &Tag) -> Role {
        let own = tag.label.split_once(':').and_then(|(_, role)| role.parse().ok());
        let read = || self.roles.get(&(id.to_owned(), tag.start, tag.end)).copied();
        own.or_else(read).unwrap_or(Role::Unknown)
    }

    pub fn get(&self, id: &str) -> Option<&Doc> {
        self.docs.get(id)
    }
}

/// A gold document beside what was predicted for it, offsets in code points when the text is known.
pub(crate) struct Pair<'a> {
    pub(crate) id: &'a str,
    pub(crate) text: Option<&'a str>,
    pub(crate) gold: Vec<Tag>,
    pub(crate) predicted: Vec<Tag>,
}

pub(crate) struct Pairs<'a> {
    pub(crate) pairs: Vec<Pair<'a>>,
    /// In gold, not in the prediction: all their spans count as missed.
    pub(crate) missing: Vec<String>,
    /// In the prediction, not in gold: reported, not scored.
    pub(crate) unexpected: Vec<String>,
}

pub(crate) fn pair<'a>(
    gold: &'a Corpus,
    predicted: &'a Corpus,
    offsets: Offsets,
) -> Result<Pairs<'a>, Error> {
    let mut pairs = Vec::with_capacity(gold.len());
    let mut missing = Vec::new();
    for doc in gold.docs() {
        let other = predicted.get(&doc.id);
        if other.is_none() {
            missing.push(doc.id.clone());
        }
        let texts = (doc.text.as_deref(), other.and_then(|o| o.text.as_deref()));
        if let (Some(a), Some(b)) = texts
            && a.trim_end() != b.trim_end()
        {
            return Err(Error::input(format!(
                "the texts of document `{}` differ between gold and prediction; offsets of two texts cannot be compared",
                doc.id
            )));
        }
        let text = texts.0.or(texts.1);
        pairs.push(Pair {
            id: &doc.id,
            text,
            gold: in_code_points(doc, text, offsets)?,
            predicted: other.map_or(Ok(Vec::new()), |o| in_code_points(o, text, offsets))?,
        });
    }
    let unexpected = predicted.docs().filter(|d| gold.get(&d.id).is_none()).map(|d| d.id.clone()).collect();
    Ok(Pairs { pairs, missing, unexpected })
}

/// The distinct spans of a document, sorted, checked against its text.
fn in_code_points(doc: &Doc, text: Option<&str>, offsets: Offsets) -> Result<Vec<Tag>, Error> {
    let table = text.map(|text| boundaries(text, offsets));
    let mut out = BTreeSet::new();
    for tag in &doc.spans {
        let refuse = |why: &str| {
            Err(Error::input(format!("span {}..{} of document `{}` {why}", tag.start, tag.end, doc.id)))
        };
        if tag.start >= tag.end {
            return refuse("is empty; a span must hold at least one character");
        }
        let Some(table) = &table else {
            out.insert(tag.clone());
            continue;
        };
        let (Ok(start), Ok(end)) = (table.binary_search(&tag.start), table.binary_search(&tag.end)) else {
            return refuse("does not lie on the characters of its text; check the unit of offsets");
        };
        out.insert(Tag::new(start, end, tag.label.clone()));
    }
    Ok(out.into_iter().collect())
}

/// Offset of each character, and of the end.
pub(crate) fn boundaries(text: &str, offsets: Offsets) -> Vec<usize> {
    let mut at = 0;
    let mut table = vec![0];
    table.extend(text.chars().map(|c| {
        at += match offsets {
            Offsets::CodePoints => 1,
            Offsets::Bytes => c.len_utf8(),
            Offsets::Utf16 => c.len_utf16(),
        };
        at
    }));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_counted_in_their_unit_and_checked() {
        let doc =
            Doc { id: "a".into(), text: Some("é😀Léa".into()), spans: vec![Tag::new(6, 10, "PRENOM")] };
        let at = |offsets, start, end| {
            let doc = Doc { spans: vec![Tag::new(start, end, "x")], ..doc.clone() };
            in_code_points(&doc, doc.text.as_deref(), offsets).map(|t| (t[0].start, t[0].end))
        };
        assert_eq!(at(Offsets::Bytes, 6, 10), Ok((2, 5)));
        assert_eq!(at(Offsets::CodePoints, 2, 5), Ok((2, 5)));
        assert_eq!(at(Offsets::Utf16, 3, 6), Ok((2, 5)));
        assert!(at(Offsets::Bytes, 1, 6).is_err() && at(Offsets::CodePoints, 2, 6).is_err());
        assert!(at(Offsets::CodePoints, 2, 2).is_err());
    }

    #[test]
    fn ids_must_differ_and_debug_shows_no_text() {
        let doc = Doc { id: "a".into(), text: Some("Durand".into()), spans: vec![] };
        assert!(Corpus::new([doc.clone(), doc.clone()]).is_err());
        assert!(!format!("{doc:?}").contains("Durand"));
    }
}
