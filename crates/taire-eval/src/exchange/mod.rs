//! Annotated documents in the formats of other tools, both ways.
//!
//! | format | what a file holds |
//! |---|---|
//! | `jsonl` | `{"id", "text", "spans": [{"start", "end", "label", "role"?}]}`, code points |
//! | `brat` | `NAME.txt` and `NAME.ann`, code points; a folder with `annotation.conf` |
//! | `conll` | a token and its IOB2 label a line, a blank line between sentences, `-DOCSTART-` before each document |
//! | `doccano` | `{"id", "text", "label": [[start, end, label]]}`, code points |
//! | `label-studio` | tasks with one annotation each, offsets in UTF-16 as its browser counts, and `config.xml` |
//! | `prodigy` | `{"text", "meta", "tokens", "spans", "answer"}`, code points |
//! | `xmi` | a UIMA CAS a document (INCEpTION), offsets in UTF-16, and `TypeSystem.xml` |
//!
//! CoNLL keeps no blanks: what is read from it has one blank between tokens. CoNLL and Prodigy hold no spans that overlap;
//! a document that has some is an error, not written without them.

mod read;
mod write;
mod xmi;

use crate::{Doc, Error};

pub use read::Reading;
pub use write::{
    annotation_conf, brat, conll, doccano, jsonl, jsonl_spans, label_studio, label_studio_config, prodigy,
};
pub use xmi::{type_system, write_xmi};

/// A format that annotated documents are exchanged in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exchange {
    Jsonl,
    Brat,
    Conll,
    Doccano,
    LabelStudio,
    Prodigy,
    Xmi,
}

impl Exchange {
    pub const ALL: [Exchange; 7] = [
        Exchange::Jsonl,
        Exchange::Brat,
        Exchange::Conll,
        Exchange::Doccano,
        Exchange::LabelStudio,
        Exchange::Prodigy,
        Exchange::Xmi,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Exchange::Jsonl => "jsonl",
            Exchange::Brat => "brat",
            Exchange::Conll => "conll",
            Exchange::Doccano => "doccano",
            Exchange::LabelStudio => "label-studio",
            Exchange::Prodigy => "prodigy",
            Exchange::Xmi => "xmi",
        }
    }

    /// The ending of a file that holds all documents; `None` where each has files of its own.
    pub fn extension(self) -> Option<&'static str> {
        match self {
            Exchange::Jsonl | Exchange::Doccano | Exchange::Prodigy => Some("jsonl"),
            Exchange::Conll => Some("conll"),
            Exchange::LabelStudio => Some("json"),
            Exchange::Brat | Exchange::Xmi => None,
        }
    }

    /// A file that describes the labels, beside the documents.
    pub fn description(self, labels: &[&str]) -> Option<(&'static str, String)> {
        match self {
            Exchange::Brat => Some(("annotation.conf", annotation_conf(labels))),
            Exchange::LabelStudio => Some(("config.xml", label_studio_config(labels))),
            Exchange::Xmi => Some(("TypeSystem.xml", type_system())),
            _ => None,
        }
    }
}

/// A document whose spans lie in its text, sorted, with the bytes they stand in.
pub(crate) struct Placed<'d> {
    pub(crate) text: &'d str,
    /// Bytes, code points and label.
    pub(crate) spans: Vec<PlacedSpan<'d>>,
}

pub(crate) struct PlacedSpan<'d> {
    pub(crate) bytes: std::ops::Range<usize>,
    pub(crate) points: std::ops::Range<usize>,
    pub(crate) label: &'d str,
}

impl<'d> Placed<'d> {
    pub(crate) fn new(doc: &'d Doc) -> Result<Placed<'d>, Error> {
        let text = doc.text.as_deref().ok_or_else(|| {
            Error::input(format!("document `{}` has annotations and no text; they cannot be written", doc.id))
        })?;
        let mut at: Vec<usize> = text.char_indices().map(|(byte, _)| byte).collect();
        at.push(text.len());
        let mut spans = Vec::with_capacity(doc.spans.len());
        for tag in &doc.spans {
            let place = at.get(tag.start).zip(at.get(tag.end)).filter(|_| tag.start < tag.end);
            let (start, end) = place.ok_or_else(|| {
                let why = "does not lie in its text; check the unit of offsets";
                Error::input(format!("span {}..{} of document `{}` {why}", tag.start, tag.end, doc.id))
            })?;
            spans.push(PlacedSpan { bytes: *start..*end, points: tag.start..tag.end, label: &tag.label });
        }
        spans.sort_by_key(|span| (span.bytes.start, span.bytes.end));
        Ok(Placed { text, spans })
    }

    /// For formats that give each token one label.
    pub(crate) fn disjoint(self, doc: &Doc, format: Exchange) -> Result<Placed<'d>, Error> {
        match self.spans.windows(2).any(|pair| pair[1].bytes.start < pair[0].bytes.end) {
            false => Ok(self),
            true => Err(Error::input(format!(
                "document `{}` has spans that overlap, which {} cannot hold; settle them first",
                doc.id,
                format.name()
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
