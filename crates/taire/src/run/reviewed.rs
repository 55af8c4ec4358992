//! Spans that people have settled: final for their documents, which are not searched again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use taire_formats::{Document, FinalSpan, Offsets, to_bytes};
use taire_text::{Label, Role};

use super::feed::{Event, Reading};
use crate::Error;

/// One reviewed document. Offsets count code points, as gold does.
#[derive(Clone, Default)]
pub struct ReviewedDocument {
    /// The text that was reviewed, where the gold holds it.
    pub text: Option<String>,
    /// What was settled: start, end, label, role.
    pub spans: Vec<(usize, usize, Label, Role)>,
}

impl std::fmt::Debug for ReviewedDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReviewedDocument({} spans)", self.spans.len())
    }
}

/// Reviewed documents by their id.
#[derive(Clone, Debug)]
pub struct ReviewedSpans {
    path: PathBuf,
    documents: BTreeMap<String, ReviewedDocument>,
    unsettled: BTreeSet<String>,
}

/// Why a document is not among those to write.
const NOT_ACCEPTED: &str = "not accepted in the review";
const UNSETTLED: &str = "two reviewers see it differently, and nobody has settled it";

impl ReviewedSpans {
    /// What was read from `path`, which names it in errors and is part of the fingerprint.
    pub fn new(path: impl Into<PathBuf>, documents: BTreeMap<String, ReviewedDocument>) -> Self {
        ReviewedSpans { path: path.into(), documents, unsettled: BTreeSet::new() }
    }

    /// The same with documents that reviewers accepted with different spans: none of these is final.
    #[must_use]
    pub fn with_unsettled(self, ids: impl IntoIterator<Item = String>) -> Self {
        ReviewedSpans { unsettled: ids.into_iter().collect(), ..self }
    }

    /// The reviewed documents by their id.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &ReviewedDocument)> {
        self.documents.iter().map(|(id, document)| (id.as_str(), document))
    }

    /// How many documents reviewers accepted with different spans.
    pub fn unsettled(&self) -> usize {
        self.unsettled.len()
    }

    /// Why a document without final spans has none.
    pub(super) fn why_not_accepted(&self, id: &str) -> &'static str {
        if self.unsettled.contains(id) { UNSETTLED } else { NOT_ACCEPTED }
    }

    /// Where it was read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many documents were reviewed.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Gives a document its settled spans, if it has some. A span outside it, or a text that differs, is an error that
    /// says where.
    pub fn attach(&self, document: &mut Document) -> Result<bool, Error> {
        let id = document.id.as_str();
        let by_stem = || self.documents.get(id.strip_suffix(".txt")?);
        let Some(reviewed) = self.documents.get(id).or_else(by_stem) else { return Ok(false) };
        let spans = reviewed.spans_of(&document.text).map_err(|why| {
            Error::input(format!("document {id}: {why}; nothing was written")).in_file(&self.path)
        })?;
        document.final_spans = Some(spans);
        Ok(true)
    }

    /// Reads all inputs before anything is written, and tells how many reviewed documents are not among them.
    pub(super) fn check(&self, reading: &Reading<'_>) -> Result<usize, Error> {
        let mut found = 0;
        for step in reading.feed() {
            if let Event::Document(mut document) = step.event {
                found += usize::from(self.attach(&mut document)?);
            }
        }
        Ok(self.len().saturating_sub(found))
    }
}

impl ReviewedDocument {
    /// The spans in bytes of the document's text.
    fn spans_of(&self, text: &str) -> Result<Vec<FinalSpan>, String> {
        if let Some(reviewed) = self.text.as_deref().filter(|reviewed| *reviewed != text) {
            let same = reviewed.chars().zip(text.chars()).take_while(|(a, b)| a == b).count();
            return Err(format!(
                "its text is not the one that was reviewed; they differ from character {same} on"
            ));
        }
        let places: Vec<usize> = self.spans.iter().flat_map(|&(start, end, ..)| [start, end]).collect();
        let bytes = to_bytes(text, Offsets::CodePoints, &places);
        let length = text.chars().count();
        let mut out = Vec::with_capacity(self.spans.len());
        for (&(start, end, label, role), place) in self.spans.iter().zip(bytes.chunks(2)) {
            match *place {
                [Some(from), Some(to)] if from < to => out.push(FinalSpan { range: from..to, label, role }),
                _ => {
                    return Err(format!(
                        "the reviewed {label} from character {start} to {end} is empty or lies outside its {length} characters"
                    ));
                }
            }
        }
        out.sort_by_key(|span| (span.range.start, span.range.end));
        if let Some(pair) = out.windows(2).find(|pair| pair[1].range.start < pair[0].range.end) {
            let at = text[..pair[1].range.start].chars().count();
            return Err(format!("two reviewed spans overlap at character {at}"));
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attach(text: Option<&str>, spans: &[(usize, usize)]) -> Result<Vec<FinalSpan>, String> {
        let spans = spans.iter().map(|&(start, end)| (start, end, Label::City, Role::Unknown)).collect();
        let documents =
            BTreeMap::from([("a".to_owned(), ReviewedDocument { text: text.map(Into::into), spans })]);
        let mut document = Document::new("a", "né à Évreux");
        ReviewedSpans::new("gold.jsonl", documents).attach(&mut document).map_err(|e| e.to_string())?;
        Ok(document.final_spans.unwrap())
    }

    #[test]
    fn reviewed_spans_outside_their_document_say_which_and_where() {
        assert_eq!(attach(None, &[(5, 11)]).unwrap()[0].range, 7..14);
        for (text, spans, says) in [
            (None, &[(5, 12)][..], "document a: the reviewed City from character 5 to 12"),
            (None, &[(5, 5)], "is empty"),
            (None, &[(5, 8), (7, 11)], "overlap at character 7"),
            (Some("né à Evreux"), &[(5, 11)], "differ from character 5 on"),
        ] {
            let message = attach(text, spans).unwrap_err();
            assert!(message.contains(says) && !message.contains("vreux"), "{message}");
        }
    }
}
