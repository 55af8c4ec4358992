//! Documents with their codes.

use std::path::{Path, PathBuf};

use taire_coding::{Case, read_codes};
use taire_formats::{Document, ReadOptions, discover};

use super::args::CasesArgs;
use crate::feed::{Event, Feed};
use crate::{Outcome, Usage};

/// Documents joined with their codes.
pub(super) struct Read {
    pub(super) documents: Vec<Document>,
    /// One for each of the documents.
    pub(super) cases: Vec<Case>,
    pub(super) without_codes: usize,
    pub(super) codes_without_document: usize,
    refused: usize,
}

impl Read {
    pub(super) fn outcome(&self) -> Outcome {
        if self.refused > 0 { Outcome::SomeRefused } else { Outcome::Done }
    }
}

pub(super) fn text(path: &Path) -> Result<String, Usage> {
    std::fs::read_to_string(path)
        .map_err(|e| Usage(format!("{}: cannot be read: {}", path.display(), e.kind())))
}

/// All documents of files and folders, and how many were refused.
pub(super) fn documents(paths: &[PathBuf]) -> Result<(Vec<Document>, usize), Usage> {
    let options = ReadOptions::default();
    let discovery = discover(paths, &options);
    let mut refused = 0;
    let mut refuse = |why: &dyn std::fmt::Display| {
        eprintln!("taire: refused {why}");
        refused += 1;
    };
    discovery.refused.iter().for_each(|refusal| refuse(refusal));
    let mut out = Vec::new();
    for step in Feed::new(&discovery.inputs, &options) {
        match step.event {
            Event::Document(document) => out.push(*document),
            Event::Refused(refusal) => refuse(&refusal),
            Event::Open(..) | Event::Close(_) => {}
        }
    }
    match out.is_empty() {
        true => Err(Usage("no document can be read; give files or folders of documents".into())),
        false => Ok((out, refused)),
    }
}

/// The last part of an id that is a path.
pub(super) fn short(id: &str) -> &str {
    id.rsplit(['/', '\\']).next().unwrap_or(id)
}

pub(super) fn cases(args: &CasesArgs) -> Result<Read, Usage> {
    let codes =
        read_codes(&text(&args.codes)?).map_err(|e| Usage(format!("{}: {e}", args.codes.display())))?;
    let (all, refused) = documents(&args.documents)?;
    let mut read = Read {
        documents: Vec::new(),
        cases: Vec::new(),
        without_codes: 0,
        codes_without_document: codes.len(),
        refused,
    };
    let mut seen = std::collections::BTreeSet::new();
    for document in all {
        let Some(codes) = codes.get(&document.id).or_else(|| codes.get(short(&document.id))) else {
            read.without_codes += 1;
            continue;
        };
        if !seen.insert(document.id.clone()) {
            return Err(Usage(format!(
                "two documents have the id {}; codes cannot be joined with them",
                document.id
            )));
        }
        read.codes_without_document = read.codes_without_document.saturating_sub(1);
        read.cases.push(Case {
            id: document.id.clone(),
            text: document.text.clone(),
            codes: codes.iter().cloned().collect(),
        });
        read.documents.push(document);
    }
    if read.cases.is_empty() {
        return Err(Usage(format!(
            "no document has its id in {}; its first column names documents by their file name without extension, or by \
             their id",
            args.codes.display()
        )));
    }
    for (count, what) in [
        (read.without_codes, "documents have no codes and are left out"),
        (read.codes_without_document, "documents of the codes were not found"),
    ] {
        if count > 0 {
            eprintln!("taire: {count} {what}");
        }
    }
    Ok(read)
}
