//! Documents joined with their codes.

use std::collections::BTreeSet;
use std::path::Path;

use taire::Document;

use crate::Error;
use crate::cases::{Case, read_codes};

/// Documents and the codes that they were given.
#[derive(Debug, Default)]
pub struct CodedDocuments {
    /// The documents that have codes.
    pub documents: Vec<Document>,
    /// The case of each of them, in the same order.
    pub cases: Vec<Case>,
    /// Documents without codes, which are left out.
    pub without_codes: usize,
    /// Documents of the code file that were not among those given.
    pub codes_without_document: usize,
}

impl CodedDocuments {
    /// Joins documents with the codes of a file, by their id or the last part of it (see [`read_codes`]).
    pub fn join(documents: Vec<Document>, codes: &Path) -> Result<CodedDocuments, Error> {
        let text = std::fs::read_to_string(codes)
            .map_err(|e| Error::usage(format!("cannot be read: {}", e.kind())).in_file(codes))?;
        let table = read_codes(&text).map_err(|e| e.in_file(codes))?;
        let mut out = CodedDocuments { codes_without_document: table.len(), ..CodedDocuments::default() };
        let mut seen = BTreeSet::new();
        for document in documents {
            let Some(codes) = table.get(&document.id).or_else(|| table.get(short_id(&document.id))) else {
                out.without_codes += 1;
                continue;
            };
            if !seen.insert(document.id.clone()) {
                return Err(Error::usage(format!(
                    "two documents have the id {}; codes cannot be joined with them",
                    document.id
                )));
            }
            out.codes_without_document = out.codes_without_document.saturating_sub(1);
            out.cases.push(Case {
                id: document.id.clone(),
                text: document.text.clone(),
                codes: codes.iter().cloned().collect(),
            });
            out.documents.push(document);
        }
        if out.cases.is_empty() {
            return Err(Error::usage(format!(
                "no document has its id in {}; its first column names documents by their file name without extension, or by \
                 their id",
                codes.display()
            )));
        }
        Ok(out)
    }
}

/// The last part of an id that is a path.
pub fn short_id(id: &str) -> &str {
    id.rsplit(['/', '\\']).next().unwrap_or(id)
}
