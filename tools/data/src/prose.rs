//! Other documents to learn from: MEDDOCAN, and published cases without identities.

use std::fs;
use std::path::{Path, PathBuf};

use taire::training::{GoldReader, GoldSpan, LabelSet, StudentDocument, gold_spans};
use taire_corpus::generate::{self, Request};
use taire_eval::Corpus;
use taire_text::scheme::Scheme;
use taire_text::{Label, Language, Span};

use crate::error::Error;

/// Labels of our letters that MEDDOCAN does not annotate.
fn not_in_meddocan() -> LabelSet {
    [Label::RelativeDate, Label::OtherDetail, Label::Initials].into_iter().collect()
}

/// A folder of MEDDOCAN, if it is there.
pub(crate) fn meddocan(folder: &Path) -> Result<Vec<StudentDocument>, Error> {
    let reader = GoldReader::for_student(Language::Es);
    let corpus = Corpus::read(folder)?;
    let mut out = Vec::with_capacity(corpus.len());
    for doc in corpus.docs() {
        let text = doc.text.as_deref().unwrap_or_default();
        let tags: Vec<_> = doc.spans.iter().map(|t| (t.start, t.end, t.label.as_str())).collect();
        let spans = gold_spans(Scheme::Meddocan, text, &tags)?;
        let gold = reader.document(&doc.id, text, spans)?;
        out.push(StudentDocument { gold, unmarked: not_in_meddocan(), unannotated: false });
    }
    Ok(out)
}

/// Documents from templates: short snippets and forms that letters do not show. Sex and kinship are left unmarked, as in letters.
pub(crate) fn templates(
    language: Language,
    documents: u64,
    seed: u64,
) -> Result<Vec<StudentDocument>, Error> {
    let reader = GoldReader::for_student(language);
    let request = Request { language, held_out: false, documents, seed, prose: None };
    let mut out = Vec::new();
    for document in generate::documents(&request)? {
        let byte_offsets: Vec<usize> =
            document.text.char_indices().map(|(i, _)| i).chain([document.text.len()]).collect();
        let mut spans = Vec::with_capacity(document.spans.len());
        for (start, end, class) in document.spans {
            let outside = || Error::new(format!("{}: a span lies outside the text", document.id));
            let (start, end) = byte_offsets.get(start).zip(byte_offsets.get(end)).ok_or_else(outside)?;
            if !class.starts_with("Sex") && !class.starts_with("Kinship") {
                spans.push(GoldSpan { span: Span::new(*start, *end), class });
            }
        }
        let gold = reader.document(&document.id, &document.text, spans)?;
        let unmarked = [Label::Sex, Label::Kinship].into_iter().collect();
        out.push(StudentDocument { gold, unmarked, unannotated: false });
    }
    Ok(out)
}

/// The published cases that training may see: every fourth French one is kept to measure on.
pub(crate) fn cases(corpora: &Path) -> Result<Vec<(Language, String)>, Error> {
    let mut out = Vec::new();
    let path = corpora.join("e3c-fr/cases.jsonl");
    let text = fs::read_to_string(&path).map_err(|e| Error::at(&path, e))?;
    for (_, line) in text.lines().enumerate().filter(|(i, _)| i % 4 != 3) {
        let value: serde_json::Value = serde_json::from_str(line).map_err(|e| Error::at(&path, e))?;
        out.push((Language::Fr, value["text"].as_str().unwrap_or_default().to_owned()));
    }
    let folder = corpora.join("codiesp/background");
    let entries = fs::read_dir(&folder).map_err(|e| Error::at(&folder, e))?;
    let mut files: Vec<PathBuf> =
        entries.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>().map_err(|e| Error::at(&folder, e))?;
    files.sort();
    // Every fourth is kept to measure on here too.
    for (_, file) in files.iter().enumerate().filter(|(i, _)| i % 4 != 3) {
        out.push((Language::Es, fs::read_to_string(file).map_err(|e| Error::at(file, e))?));
    }
    Ok(out)
}
