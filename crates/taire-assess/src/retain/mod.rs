//! What medical content is kept in documents that were de-identified.
//!
//! Both corpora are read, documents are matched by their ids, and their medical terms are counted as `taire-eval` does.
//! What was lost is listed for a person in a file of its own: a lost term may be an eponym that was also somebody's name.

mod print;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use taire::batch::ordered;
use taire::run::{Event, Reading};
use taire::{Crosswalk, Error, Refusal};
use taire_eval::retain::{Category, Retention, Tally, Terms, terms};
use taire_formats::{AtomicFile, Document, ReadOptions, discover};
use taire_text::Language;

use crate::json::to_json;
use crate::page::save_files;
use crate::risk::REPORTS;

/// How [`measure_retention`] reads the documents.
#[derive(Clone, Debug)]
pub struct RetainOptions {
    /// The language of all documents; by default each in its own.
    pub language: Option<Language>,
    /// Files and folders that hold no documents, though they are inside a corpus.
    pub exclude: Vec<PathBuf>,
    /// Threads.
    pub jobs: usize,
}

impl Default for RetainOptions {
    fn default() -> Self {
        RetainOptions { language: None, exclude: Vec::new(), jobs: 1 }
    }
}

/// Medical content before and after.
#[derive(Debug, Serialize)]
pub struct RetentionReport {
    command: &'static str,
    version: &'static str,
    /// Documents found in both corpora.
    pub documents: usize,
    /// Documents of the original that the release does not hold.
    pub not_released: usize,
    /// Documents that could not be read.
    pub refused: usize,
    /// Terms by category.
    pub categories: Retention,
    /// All categories together.
    pub all: Tally,
    /// The terms that are gone. Left out of the JSON: one of them may be a name.
    #[serde(skip)]
    pub lost: LostTerms,
}

/// Terms that are gone from documents, and how often: by document, category and term.
#[derive(Default)]
pub struct LostTerms(BTreeMap<(String, Category, String), usize>);

impl LostTerms {
    /// How many different losses there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One line for each term that a document lost. It may hold names: keep it with the originals.
    pub fn to_csv(&self) -> String {
        print::list(&self.0)
    }
}

/// Shows their number only.
impl std::fmt::Debug for LostTerms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LostTerms({})", self.len())
    }
}

impl RetentionReport {
    /// The report as Markdown, without the terms that were lost.
    pub fn to_markdown(&self) -> String {
        print::markdown(self)
    }

    /// The counts as JSON, with a line end.
    pub fn to_json(&self) -> Result<String, Error> {
        to_json(self)
    }

    /// Writes `retain.md`, `retain.json` and, readable by its owner alone, `retain-lost.csv`.
    pub fn save(&self, folder: &Path) -> Result<(), Error> {
        save_files(folder, &[("retain.md", &self.to_markdown()), ("retain.json", &self.to_json()?)])?;
        let mut file = AtomicFile::create_private(&folder.join("retain-lost.csv"))?;
        file.write_all(self.lost.to_csv().as_bytes())?;
        file.finish()
    }

    /// Whether less than this share of some category was kept.
    pub fn is_below(&self, least: f32) -> bool {
        Category::ALL
            .iter()
            .any(|&c| self.categories.tally_of(c).share().is_some_and(|s| s < f64::from(least)))
    }
}

/// Compares de-identified documents with their originals: which medical terms are still there. Documents that cannot be
/// read are counted and given to `on_refusal`.
pub fn measure_retention(
    original: &Path,
    deidentified: &Path,
    options: &RetainOptions,
    on_refusal: &mut dyn FnMut(&Refusal),
) -> Result<RetentionReport, Error> {
    let mut originals = BTreeMap::new();
    let mut seen = BTreeMap::new();
    let read = |document: Document| {
        let note = document.into_note(options.language).ok()?;
        Some((note.language, terms(&note), note.id))
    };
    let mut refused = read_corpus(original, options, on_refusal, read, |(language, terms, id)| {
        originals.insert(numbered(&mut seen, id), (language, terms));
    })?;
    let mut retention = Retention::default();
    let (mut lost, mut seen, mut documents) = (LostTerms::default(), BTreeMap::new(), 0);
    // What was masked must not change the language that a document is read in.
    let languages: BTreeMap<&str, Language> =
        originals.iter().map(|((id, _), (language, _))| (id.as_str(), *language)).collect();
    let crosswalk = Crosswalk::beside(deidentified)?;
    let read = |mut document: Document| {
        document.id = crosswalk.original_id(document.id);
        let language = languages.get(document.id.as_str()).copied();
        let note = document.into_note(language).ok()?;
        Some((terms(&note), note.id))
    };
    refused += read_corpus(deidentified, options, on_refusal, read, |(after, id): (Terms, String)| {
        let Some((_, before)) = originals.get(&numbered(&mut seen, id.clone())) else { return };
        documents += 1;
        retention.add(before, &after, |category, term| {
            *lost.0.entry((id.clone(), category, term.to_owned())).or_default() += 1;
        });
    })?;
    if documents == 0 {
        return Err(Error::usage(
            "no document of the original has its id in the de-identified corpus; give the folder that `taire deid -o` wrote",
        ));
    }
    Ok(RetentionReport {
        command: "retain",
        version: env!("CARGO_PKG_VERSION"),
        documents,
        not_released: originals.len() - documents,
        refused,
        categories: retention,
        all: retention.all(),
        lost,
    })
}

/// An id with its number among documents of that id.
fn numbered(seen: &mut BTreeMap<String, usize>, id: String) -> (String, usize) {
    let n = seen.entry(id.clone()).or_default();
    *n += 1;
    (id, *n)
}

/// Reads every document of a file or folder; returns how many could not be read.
fn read_corpus<T: Send>(
    path: &Path,
    retain: &RetainOptions,
    on_refusal: &mut dyn FnMut(&Refusal),
    read: impl Fn(Document) -> Option<T> + Sync,
    mut each: impl FnMut(T),
) -> Result<usize, Error> {
    let mut options = ReadOptions::default();
    options.exclude.extend(REPORTS.iter().map(|report| path.join(report)));
    options.exclude.extend(retain.exclude.iter().cloned());
    let discovery = discover(&[PathBuf::from(path)], &options);
    let mut refused = 0;
    let mut refuse = |refusal: &Refusal| {
        on_refusal(refusal);
        refused += 1;
    };
    discovery.refused.iter().for_each(&mut refuse);
    let mut all = 0;
    ordered(
        retain.jobs,
        Reading::new(&discovery.inputs, &options).feed(),
        |step| match step.event {
            Event::Document(document) => {
                let id = document.id.clone();
                read(*document).map(Some).ok_or_else(|| Refusal::of_document(id, "it cannot be read"))
            }
            Event::Refused(refusal) => Err(refusal),
            Event::Open(..) | Event::Close(_) => Ok(None),
        },
        |seen| -> Result<(), Error> {
            match seen {
                Ok(Some(found)) => {
                    all += 1;
                    each(found);
                }
                Ok(None) => {}
                Err(why) => refuse(&why),
            }
            Ok(())
        },
    )?;
    if all == 0 {
        return Err(Error::usage(format!("{}: there is no document that can be read", path.display())));
    }
    Ok(refused)
}
