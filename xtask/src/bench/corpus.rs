//! The documents that are timed, the same for the same seed. The generator writes short ones; a hospital's have pages,
//! so each is a run of generated documents one after the other.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use taire_text::Language;

use crate::generate::{Request, documents};

/// A document is full at this length.
const LENGTH: usize = 2_500;
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
            let mut text = String::with_capacity(2 * LENGTH);
            for document in documents(&request)? {
                corpus.spans += document.spans.len();
                text.push_str(&document.text);
                if text.len() < LENGTH {
                    text.push_str("\n\n");
                    continue;
                }
                let line = serde_json::json!({ "id": document.id, "text": text });
                writeln!(out, "{line}").map_err(fail)?;
                corpus.documents += 1;
                corpus.bytes += text.len();
                text.clear();
                if corpus.bytes >= bytes {
                    out.flush().map_err(fail)?;
                    return Ok(corpus);
                }
            }
        }
        Err("the seeds are spent".into())
    }
}
