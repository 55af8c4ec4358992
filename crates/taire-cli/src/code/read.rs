//! Documents with their codes.

use std::path::{Path, PathBuf};

use taire::Error;
use taire::run::read_all;
use taire_coding::CodedDocuments;
use taire_formats::{Document, ReadOptions};

use super::args::CasesArgs;
use crate::{Outcome, print_refusal};

/// Documents joined with their codes, and how many could not be read.
pub(super) struct CasesRead {
    pub(super) coded: CodedDocuments,
    refused: usize,
}

impl CasesRead {
    pub(super) fn outcome(&self) -> Outcome {
        if self.refused > 0 { Outcome::SomeRefused } else { Outcome::Done }
    }
}

pub(super) fn text(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path)
        .map_err(|e| Error::usage(format!("cannot be read: {}", e.kind())).in_file(path))
}

/// All documents of files and folders, and how many were refused.
pub(super) fn documents(paths: &[PathBuf]) -> Result<(Vec<Document>, usize), Error> {
    let (documents, refused) = read_all(paths, &ReadOptions::default());
    refused.iter().for_each(print_refusal);
    match documents.is_empty() {
        true => Err(Error::usage("no document can be read; give files or folders of documents")),
        false => Ok((documents, refused.len())),
    }
}

pub(super) fn cases(args: &CasesArgs) -> Result<CasesRead, Error> {
    let (all, refused) = documents(&args.documents)?;
    let coded = CodedDocuments::join(all, &args.codes)?;
    for (count, what) in [
        (coded.without_codes, "documents have no codes and are left out"),
        (coded.codes_without_document, "documents of the codes were not found"),
    ] {
        if count > 0 {
            eprintln!("taire: {count} {what}");
        }
    }
    Ok(CasesRead { coded, refused })
}
