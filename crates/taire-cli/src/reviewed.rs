//! `--reviewed`: spans that people have settled, from the state of a review or from gold.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use taire::Error;
use taire::run::{ReviewedDocument, ReviewedSpans};
use taire_eval::Corpus;
use taire_text::Label;

/// What was read, and what a person should know of it.
pub(crate) struct Reviewed {
    pub(crate) spans: ReviewedSpans,
    pub(crate) remark: Option<String>,
}

pub(crate) fn read(path: &Path) -> Result<Reviewed, Error> {
    match is_review_state(path)? {
        true => read_state(path),
        false => Ok(Reviewed { spans: ReviewedSpans::new(path, read_gold(path)?), remark: None }),
    }
}

/// By its first bytes, whatever its name.
fn is_review_state(path: &Path) -> Result<bool, Error> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    if path.is_dir() {
        return Ok(false);
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut first));
    read.map_err(|e| Error::usage(format!("--reviewed: cannot be read: {}", e.kind())).in_file(path))?;
    Ok(first == MAGIC)
}

fn read_state(path: &Path) -> Result<Reviewed, Error> {
    let accepted = taire_review::accepted(path).map_err(|e| Error::input(e.to_string()))?;
    let unsettled = accepted.unsettled.len();
    let remark = (unsettled > 0).then(|| {
        format!(
            "{} not taken as accepted, because two reviewers see them differently: settle them first",
            taire_text::counted(unsettled, "document is", "documents are")
        )
    });
    Ok(Reviewed { spans: accepted.into_reviewed_spans(path), remark })
}

fn read_gold(path: &Path) -> Result<BTreeMap<String, ReviewedDocument>, Error> {
    let corpus = Corpus::read(path)?;
    let mut documents = BTreeMap::new();
    for document in corpus.docs() {
        let mut spans = Vec::with_capacity(document.spans.len());
        for tag in &document.spans {
            let name = tag.label.split(':').next().unwrap_or(&tag.label);
            let label: Label = name.parse().map_err(|_| {
                Error::input(format!(
                    "document {}: the label of the span from {} to {} is not one of Taire's: they are listed in the \
                     book; annotate with `taire review`, or write gold under them",
                    document.id, tag.start, tag.end
                ))
                .in_file(path)
            })?;
            spans.push((tag.start, tag.end, label, corpus.role(&document.id, tag)));
        }
        documents.insert(document.id.clone(), ReviewedDocument { text: document.text.clone(), spans });
    }
    Ok(documents)
}
