//! The documents that are timed: generated letters and notes of more than a few lines, the same for the same seed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use taire_text::Language;

use crate::generate::{Request, documents};

/// Snippets of a line or two are left out: a hospital's documents are pages.
const SHORTEST: usize = 1_000;
const AT_A_TIME: u64 = 4_000;

pub(super) struct Corpus {
    pub(super) language: Language,
    pub(super) path: PathBuf,
    pub(super) documents: usize,
    /// Of text, without what JSON adds.
    pub(super) bytes: usize,
    /// Identifying spans.
    pub(super) spans: usize,
}

impl Corpus {
    /// Writes documents until they hold `bytes` of text.
    pub(super) fn make(language: Language, bytes: usize, seed: u64, folder: &Path) -> Result<Corpus, String> {
        let path = folder.join(format!("{language}.jsonl"));
        let fail = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut out = BufWriter::new(File::create(&path).map_err(fail)?);
        let mut corpus = Corpus { language, path: path.clone(), documents: 0, bytes: 0, spans: 0 };
        for seed in seed.. {
            let request = Request { language, held_out: false, documents: AT_A_TIME, seed, prose: None };
            let before = corpus.documents;
            for document in documents(&request)? {
                if document.text.len() < SHORTEST {
                    continue;
                }
                let line = serde_json::json!({ "id": document.id, "text": document.text });
                writeln!(out, "{line}").map_err(fail)?;
                corpus.documents += 1;
                corpus.bytes += document.text.len();
                corpus.spans += document.spans.len();
                if corpus.bytes >= bytes {
                    out.flush().map_err(fail)?;
                    return Ok(corpus);
                }
            }
            if corpus.documents == before {
                return Err(format!("the generator gives no document of {SHORTEST} bytes for `{language}`"));
            }
        }
        Err("the seeds are spent".into())
    }
}
