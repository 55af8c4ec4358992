//! What was accepted, as files: JSONL and BRAT to train on and to measure with, and a list of judged words.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::Path;

use taire::run::{ReviewedDocument, ReviewedSpans};
use taire_formats::{
    AtomicFile, FileNames, FinalSpan, Offsets, OutSpan, annotation_line, from_bytes, push_brat,
};
use taire_text::{Language, Source, SourceSet};
use zip::write::SimpleFileOptions;

use crate::findings::StoredFindings;
use crate::mark::Mark;
use crate::store::Store;
use crate::{Error, words};

/// One accepted document.
pub(crate) struct GoldDoc {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) language: Option<Language>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) found: StoredFindings,
}

/// All that is accepted, and the names of documents two reviewers still see differently.
pub(crate) struct Gold {
    pub(crate) documents: Vec<GoldDoc>,
    pub(crate) unsettled: Vec<String>,
}

/// What an export wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    pub documents: usize,
    /// Documents that two reviewers see differently, left out until it is settled.
    pub unsettled: Vec<String>,
    pub words: usize,
}

/// What reviewers accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Documents with settled spans.
    pub documents: Vec<AcceptedDocument>,
    /// Names of documents that two reviewers see differently.
    pub unsettled: Vec<String>,
}

/// One document that was accepted.
#[derive(Clone, PartialEq, Eq)]
pub struct AcceptedDocument {
    /// Its id.
    pub name: String,
    /// The text that was reviewed.
    pub text: String,
    /// What was settled, in bytes of the text.
    pub spans: Vec<FinalSpan>,
}

impl std::fmt::Debug for AcceptedDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AcceptedDocument({} spans)", self.spans.len())
    }
}

impl Accepted {
    /// As final spans of a run; `state` names their file in errors.
    pub fn into_reviewed_spans(self, state: &Path) -> ReviewedSpans {
        let documents: BTreeMap<_, _> =
            self.documents.into_iter().map(AcceptedDocument::into_reviewed).collect();
        ReviewedSpans::new(state, documents).with_unsettled(self.unsettled)
    }
}

impl AcceptedDocument {
    /// Its name, and its spans in code points.
    fn into_reviewed(self) -> (String, ReviewedDocument) {
        let places: Vec<usize> =
            self.spans.iter().flat_map(|span| [span.range.start, span.range.end]).collect();
        let points = from_bytes(&self.text, Offsets::CodePoints, &places);
        let spans = self.spans.iter().zip(points.chunks_exact(2));
        let spans = spans.map(|(span, at)| (at[0], at[1], span.label, span.role)).collect();
        (self.name, ReviewedDocument { text: Some(self.text), spans })
    }
}

impl Gold {
    pub(crate) fn into_accepted(self) -> Accepted {
        let span = |m: &Mark| FinalSpan { range: m.range(), label: m.label, role: m.role };
        let document = |d: GoldDoc| AcceptedDocument {
            spans: d.marks.iter().map(span).collect(),
            name: d.name,
            text: d.text,
        };
        Accepted { documents: self.documents.into_iter().map(document).collect(), unsettled: self.unsettled }
    }

    pub(crate) fn of(store: &Store) -> Result<Gold, Error> {
        let mut gold = Gold { documents: Vec::new(), unsettled: Vec::new() };
        store.verdicts(|verdict| {
            match verdict.gold().map(<[Mark]>::to_vec) {
                None => gold.unsettled.push(verdict.name),
                Some(marks) => gold.documents.push(GoldDoc {
                    name: verdict.name,
                    text: verdict.text,
                    language: verdict.language,
                    marks,
                    found: verdict.found,
                }),
            }
            Ok(())
        })?;
        Ok(gold)
    }

    /// One line a document, offsets in code points, as `taire detect` writes.
    pub(crate) fn jsonl(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for document in &self.documents {
            annotation_line(&mut out, &document.name, &document.text, &document.spans(), Offsets::CodePoints);
            out.push(b'\n');
        }
        out
    }

    /// A text and its annotations for each document, by file name.
    fn brat(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let mut names = FileNames::default();
        self.documents.iter().flat_map(move |document| {
            let name = names.free(&document.name);
            let mut ann = Vec::new();
            push_brat(&mut ann, &document.text, &document.spans());
            [(format!("{name}.txt"), document.text.clone().into_bytes()), (format!("{name}.ann"), ann)]
        })
    }

    pub(crate) fn brat_zip(&self) -> Result<Vec<u8>, Error> {
        let fail = |_| Error::new("the archive cannot be made; there is too much to put in it");
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in self.brat() {
            zip.start_file(name, SimpleFileOptions::default().unix_permissions(0o600)).map_err(fail)?;
            zip.write_all(&bytes).map_err(|_| Error::new("the archive cannot be written"))?;
        }
        Ok(zip.finish().map_err(fail)?.into_inner())
    }

    /// Writes `gold.jsonl`, `brat/` and `words.tsv` into a folder, for its owner alone.
    pub(crate) fn write(&self, folder: &Path, store: &Store) -> Result<Exported, Error> {
        let put = |name: &Path, bytes: &[u8]| -> Result<(), Error> {
            let mut file = AtomicFile::create_private(&folder.join(name))?;
            file.write_all(bytes)?;
            Ok(file.finish()?)
        };
        put(Path::new("gold.jsonl"), &self.jsonl())?;
        for (name, bytes) in self.brat() {
            put(&Path::new("brat").join(name), &bytes)?;
        }
        let list = words::list(self, &store.judged()?);
        put(Path::new("words.tsv"), list.to_tsv().as_bytes())?;
        Ok(Exported {
            documents: self.documents.len(),
            unsettled: self.unsettled.clone(),
            words: list.entries.len(),
        })
    }
}

impl GoldDoc {
    fn spans(&self) -> Vec<OutSpan> {
        let span = |m: &Mark| OutSpan {
            start: m.start,
            end: m.end,
            original: m.range(),
            took: 0,
            put: 0,
            label: Cow::Borrowed(m.label.name()),
            role: Some(m.role),
            score: 1.0,
            sources: SourceSet::from_iter([Source::Reviewer]),
        };
        self.marks.iter().map(span).collect()
    }
}
