//! `cargo corpus check`: what must hold of every document, and of all of them together.
//!
//! - [`edges`]: a span holds the identifying words only: no title, key, article, blank or trailing mark.
//! - [`repeats`]: a value that is marked once is marked wherever it occurs.
//! - [`unmarked`]: nothing outside the marks looks like a telephone number, a mail address, a date.
//! - [`duplicates`]: no two documents are near copies.
//! - here: splits, untouched documents, coverage by kind and label.
//!
//! A word that is an ordinary word where it is not marked is named in `corpus/allow.toml`; an entry that allows nothing
//! any more is an error too, so that the list stays true.

mod duplicates;
mod edges;
mod repeats;
mod unmarked;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;

use taire_text::{Label, Language};

use crate::{DocumentKind, Error, LANGUAGES, MarkedDocument, OpenCorpus, Split};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Problem {
    BrokenMark,
    Edge,
    Repeat,
    Unmarked,
    NearDuplicate,
    MarkInUntouched,
    Split,
    Coverage,
    Count,
    StaleAllowance,
}

impl Problem {
    fn name(self) -> &'static str {
        match self {
            Problem::BrokenMark => "broken mark",
            Problem::Edge => "edge of a span",
            Problem::Repeat => "also unmarked",
            Problem::Unmarked => "looks identifying, not marked",
            Problem::NearDuplicate => "near duplicate",
            Problem::MarkInUntouched => "mark in an untouched document",
            Problem::Split => "split",
            Problem::Coverage => "coverage",
            Problem::Count => "too few documents",
            Problem::StaleAllowance => "allows nothing",
        }
    }
}

/// One thing that is wrong, and where. The documents are invented: their text may be shown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    pub place: String,
    pub problem: Problem,
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.problem.name(), self.detail)
    }
}

impl Finding {
    fn new(place: &str, problem: Problem, detail: impl Into<String>) -> Finding {
        Finding { place: place.to_owned(), problem, detail: detail.into() }
    }
}

/// Words that may be unmarked in a document, by its id.
#[derive(Default, Debug)]
struct Allowances {
    words: BTreeMap<String, Vec<String>>,
    used: BTreeSet<(String, String)>,
}

impl Allowances {
    fn read(corpus: &OpenCorpus) -> Result<Allowances, Error> {
        let path = corpus.root.join("allow.toml");
        if !path.exists() {
            return Ok(Allowances::default());
        }
        let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
        let words =
            toml::from_str(&text).map_err(|e| Error::new(format!("{}: {}", path.display(), e.message())))?;
        Ok(Allowances { words, used: BTreeSet::new() })
    }

    /// Whether a text may be unmarked in a document; remembers that it was asked for.
    fn allows(&mut self, document: &str, text: &str) -> bool {
        let allowed = self.words.get(document).is_some_and(|words| words.iter().any(|w| w == text));
        if allowed {
            self.used.insert((document.to_owned(), text.to_owned()));
        }
        allowed
    }

    fn stale(&self) -> Vec<Finding> {
        let all =
            self.words.iter().flat_map(|(id, words)| words.iter().map(move |w| (id.clone(), w.clone())));
        all.filter(|entry| !self.used.contains(entry))
            .map(|(id, word)| Finding::new(&id, Problem::StaleAllowance, format!("`{word}` in allow.toml")))
            .collect()
    }
}

/// Everything that is wrong with the corpus, in order.
pub fn check(corpus: &OpenCorpus) -> Result<Vec<Finding>, Error> {
    let mut allowances = Allowances::read(corpus)?;
    let mut findings = Vec::new();
    for document in &corpus.documents {
        check_document(document, &mut allowances, &mut findings);
    }
    for document in &corpus.untouched {
        if !document.spans.is_empty() {
            let detail = format!("{} marks", document.spans.len());
            findings.push(Finding::new(&document.id, Problem::MarkInUntouched, detail));
        }
        broken_marks(document, &mut findings);
        unmarked::check(document, &mut allowances, &mut findings);
    }
    duplicates::check(corpus.documents.iter().chain(&corpus.untouched), &mut findings);
    check_splits(corpus, &mut findings);
    check_coverage(corpus, &mut findings);
    findings.extend(allowances.stale());
    findings.sort();
    findings.dedup();
    Ok(findings)
}

fn check_document(document: &MarkedDocument, allowances: &mut Allowances, findings: &mut Vec<Finding>) {
    broken_marks(document, findings);
    edges::check(document, allowances, findings);
    repeats::check(document, allowances, findings);
    unmarked::check(document, allowances, findings);
}

/// `](` that is left in the text: a mark that was not closed or not opened.
fn broken_marks(document: &MarkedDocument, findings: &mut Vec<Finding>) {
    for (at, _) in document.text.match_indices("](") {
        findings.push(Finding::new(&document.id, Problem::BrokenMark, around(&document.text, at, at + 2)));
    }
}

/// A place of a text with its context, on one line.
fn around(text: &str, start: usize, end: usize) -> String {
    let from = text[..start].char_indices().rev().nth(24).map_or(0, |(i, _)| i);
    let to = text[end..].char_indices().nth(24).map_or(text.len(), |(i, _)| end + i);
    text[from..to].replace('\n', "⏎")
}

fn check_splits(corpus: &OpenCorpus, findings: &mut Vec<Finding>) {
    for language in LANGUAGES {
        let key = language.key();
        let splits = &corpus.splits;
        for (documents, listed, place) in [
            (&corpus.documents, splits.of_language(language), key.to_owned()),
            (&corpus.untouched, splits.of_untouched(language), format!("untouched/{key}")),
        ] {
            let folders: BTreeSet<&str> =
                documents.iter().filter(|d| d.language == language).map(|d| &*d.folder).collect();
            for folder in folders.iter().filter(|f| !listed.contains_key(**f)) {
                findings.push(Finding::new(
                    &format!("{place}/{folder}"),
                    Problem::Split,
                    "no split in splits.toml",
                ));
            }
            for folder in listed.keys().filter(|f| !folders.contains(f.as_str())) {
                let detail = "in splits.toml, but there is no such folder";
                findings.push(Finding::new(&format!("{place}/{folder}"), Problem::Split, detail));
            }
        }
    }
}

/// The fewest spans of each label, and documents of each kind, in each language.
const LEAST_SPANS: usize = 5;
const LEAST_OF_KIND: usize = 3;
/// The share of documents whose header tells no kind, in percent.
const MOST_OTHER: usize = 5;

fn check_coverage(corpus: &OpenCorpus, findings: &mut Vec<Finding>) {
    for language in LANGUAGES {
        let documents: Vec<_> = corpus.documents.iter().filter(|d| d.language == language).collect();
        let mut labels: BTreeMap<Label, usize> = BTreeMap::new();
        let mut kinds: BTreeMap<DocumentKind, usize> = BTreeMap::new();
        for document in &documents {
            *kinds.entry(document.kind()).or_default() += 1;
            for span in &document.spans {
                *labels.entry(span.label).or_default() += 1;
            }
        }
        let mut report = |what: String| findings.push(Finding::new(language.key(), Problem::Coverage, what));
        for &label in Label::ALL {
            // ANNOTATION: kinship is not marked, sex only in Spanish forms.
            let not_marked = label == Label::Kinship || (label == Label::Sex && language == Language::Fr);
            let n = labels.get(&label).copied().unwrap_or(0);
            if not_marked && n > 0 {
                report(format!("{n} spans of {label}, which is not marked in this language"));
            } else if !not_marked && n < LEAST_SPANS {
                report(format!("{n} spans of {label}, at least {LEAST_SPANS} are wanted"));
            }
        }
        for &kind in DocumentKind::ALL {
            let n = kinds.get(&kind).copied().unwrap_or(0);
            if kind == DocumentKind::Other && n * 100 > documents.len() * MOST_OTHER {
                report(format!("{n} documents whose header tells no kind"));
            } else if kind != DocumentKind::Other && n < LEAST_OF_KIND {
                report(format!("{n} documents of kind `{kind}`, at least {LEAST_OF_KIND} are wanted"));
            }
        }
    }
}

/// The counts a whole corpus must have; asked for by `check --complete`.
pub fn check_counts(corpus: &OpenCorpus) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (language, all, held_out, untouched) in [(Language::Fr, 1000, 120, 100), (Language::Es, 600, 80, 80)]
    {
        let written = corpus.documents.iter().filter(|d| d.language == language).count();
        let of = |split| corpus.split(language, split).count();
        for (what, n, least) in [
            ("documents", written, all),
            ("documents of dev", of(Split::Dev), held_out),
            ("documents of test", of(Split::Test), held_out),
            ("untouched documents", corpus.untouched(language).count(), untouched),
        ] {
            if n < least {
                let detail = format!("{n} {what}, at least {least} are wanted");
                findings.push(Finding::new(language.key(), Problem::Count, detail));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
