//! The documents that are timed. Generated notes are the same for the same seed; published ones are read where
//! they lie, if they do.
//!
//! A hospital's notes name their people at the head, at the foot and here and there, and tell a story between. So a
//! generated note is made of generated documents, which are dense with identifiers, with a passage of prose between
//! two: three letters to one long report.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use taire_text::Language;

use super::prose::Prose;
use taire_corpus::Rng;
use taire_corpus::generate::{Request, documents};

/// Lengths in bytes, from and to.
const LETTER: (usize, usize) = (1_500, 4_000);
const REPORT: (usize, usize) = (6_000, 12_000);
/// Of prose between two dense parts.
const PASSAGE: usize = 1_000;
const AT_A_TIME: u64 = 4_000;

pub(super) struct Corpus {
    pub(super) language: Language,
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) documents: usize,
    /// Of text, without what JSON adds.
    pub(super) bytes: usize,
    /// Identifying spans, where they are marked.
    pub(super) spans: Option<usize>,
}

impl Corpus {
    /// Writes notes until they hold `bytes` of text.
    pub(super) fn generated(
        language: Language,
        bytes: usize,
        seed: u64,
        folder: &Path,
    ) -> Result<Corpus, String> {
        let mut notes = Notes::create(folder.join(format!("{language}.jsonl")))?;
        let prose = Prose::of(language);
        let mut spans = 0;
        for seed in seed.. {
            let request = Request { language, held_out: false, documents: AT_A_TIME, seed, prose: None };
            let mut dense = documents(&request)?.into_iter();
            let mut rng = Rng::of_document(seed, 0);
            while let Some(head) = dense.next() {
                let (from, to) = if rng.below(4) == 0 { REPORT } else { LETTER };
                let length = from + rng.below(to - from);
                spans += head.spans.len();
                let mut text = head.text;
                let mut passage = text.len() + PASSAGE;
                while text.len() < length {
                    let mut gap = "\n\n";
                    while text.len() < passage {
                        text.push_str(gap);
                        prose.sentence(&mut rng, &mut text);
                        gap = if rng.below(6) == 0 { "\n\n" } else { " " };
                    }
                    let Some(next) = dense.next() else { break };
                    spans += next.spans.len();
                    text.push_str("\n\n");
                    text.push_str(&next.text);
                    passage = text.len() + PASSAGE;
                }
                notes.put(&head.id, &text)?;
                if notes.bytes >= bytes {
                    return notes.finish(language, "generated notes", Some(spans));
                }
            }
        }
        Err("the seeds are spent".into())
    }

    /// The published cases of a language, if they are there, over and over until they are so many bytes.
    pub(super) fn published(
        language: Language,
        corpora: &Path,
        bytes: usize,
        folder: &Path,
    ) -> Result<Option<Corpus>, String> {
        let fail = |path: &Path, e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let mut cases: Vec<(String, String)> = Vec::new();
        let mut spans = None;
        let name = match language {
            Language::Fr => {
                let path = corpora.join("e3c-fr/cases.jsonl");
                if !path.is_file() {
                    return Ok(None);
                }
                for line in std::fs::read_to_string(&path).map_err(|e| fail(&path, &e))?.lines() {
                    let row: serde_json::Value = serde_json::from_str(line).map_err(|e| fail(&path, &e))?;
                    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
                    cases.push((text("id"), text("text")));
                }
                "case reports (E3C)"
            }
            Language::Es => {
                let path = corpora.join("meddocan/dev");
                if !path.is_dir() {
                    return Ok(None);
                }
                let mut files = Vec::new();
                for entry in std::fs::read_dir(&path).map_err(|e| fail(&path, &e))? {
                    files.push(entry.map_err(|e| fail(&path, &e))?.path());
                }
                files.sort();
                let mut marked = 0;
                for file in files {
                    let read = || std::fs::read_to_string(&file).map_err(|e| fail(&file, &e));
                    match file.extension().and_then(|e| e.to_str()) {
                        Some("txt") => {
                            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                            cases.push((stem.into_owned(), read()?));
                        }
                        Some("ann") => marked += read()?.lines().filter(|l| l.starts_with('T')).count(),
                        _ => {}
                    }
                }
                spans = Some(marked);
                "cases with headers (MEDDOCAN)"
            }
        };
        let mut notes = Notes::create(folder.join(format!("{language}-published.jsonl")))?;
        let mut times = 0;
        while notes.bytes < bytes && !cases.is_empty() {
            times += 1;
            for (id, text) in &cases {
                notes.put(&format!("{id}-{times}"), text)?;
            }
        }
        let name = format!("{name}, {times} times over");
        notes.finish(language, &name, spans.map(|s| s * times)).map(Some)
    }
}

/// A JSONL file being written.
struct Notes {
    path: PathBuf,
    out: BufWriter<File>,
    documents: usize,
    bytes: usize,
}

impl Notes {
    fn create(path: PathBuf) -> Result<Notes, String> {
        let file = File::create(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Notes { path, out: BufWriter::new(file), documents: 0, bytes: 0 })
    }

    fn put(&mut self, id: &str, text: &str) -> Result<(), String> {
        let line = serde_json::json!({ "id": id, "text": text });
        self.documents += 1;
        self.bytes += text.len();
        writeln!(self.out, "{line}").map_err(|e| format!("{}: {e}", self.path.display()))
    }

    fn finish(mut self, language: Language, name: &str, spans: Option<usize>) -> Result<Corpus, String> {
        self.out.flush().map_err(|e| format!("{}: {e}", self.path.display()))?;
        let Notes { path, documents, bytes, .. } = self;
        Ok(Corpus { language, name: name.to_owned(), path, documents, bytes, spans })
    }
}
