//! Gold documents as the pipeline would see them: annotated, with what the rules find before the model runs.

use std::collections::BTreeSet;
use std::path::Path;

use taire::training::{GoldDocument, GoldReader, GoldSpan, gold_spans};
use taire_eval::{Corpus, Doc};
use taire_text::scheme::Scheme;
use taire_text::{Language, Raw, Span};

use taire_corpus::generate::{self, Generated, Request};

pub(super) struct Reader(GoldReader);

impl Reader {
    pub(super) fn new(language: Language) -> Reader {
        Reader(GoldReader::new(language))
    }

    /// A folder of MEDDOCAN: labels are ours, borders are the corpus's, names stay whole.
    pub(super) fn meddocan(&self, folder: &Path) -> Result<Vec<GoldDocument>, String> {
        let corpus = Corpus::read(folder).map_err(|e| e.to_string())?;
        let document = |doc: &Doc| {
            let text = doc.text.as_deref().unwrap_or("");
            let tags: Vec<_> = doc.spans.iter().map(|t| (t.start, t.end, t.label.as_str())).collect();
            let spans = gold_spans(Scheme::Meddocan, text, &tags).map_err(|e| format!("{}: {e}", doc.id))?;
            self.0.document(&doc.id, text, spans).map_err(|e| format!("{}: {e}", doc.id))
        };
        corpus.docs().map(document).collect()
    }

    /// Generated documents.
    pub(super) fn generated(&self, request: &Request<'_>) -> Result<Vec<GoldDocument>, String> {
        generate::documents(request)?.iter().map(|document| self.of_generated(document)).collect()
    }

    fn of_generated(&self, document: &Generated) -> Result<GoldDocument, String> {
        let offsets = ByteOffsets::of_code_points(&document.text);
        let mut spans = Vec::with_capacity(document.spans.len());
        for (start, end, class) in &document.spans {
            let span = offsets.span(*start, *end).map_err(|e| format!("{}: {e}", document.id))?;
            spans.push(GoldSpan { span, class: class.clone() });
        }
        self.0.document(&document.id, &document.text, spans).map_err(|e| format!("{}: {e}", document.id))
    }
}

/// The byte offset of each code point of a text.
struct ByteOffsets(Vec<usize>);

impl ByteOffsets {
    fn of_code_points(text: &str) -> ByteOffsets {
        ByteOffsets(text.char_indices().map(|(i, _)| i).chain([text.len()]).collect())
    }

    fn span(&self, start: usize, end: usize) -> Result<Span<Raw>, String> {
        match (self.0.get(start), self.0.get(end)) {
            (Some(&start), Some(&end)) if start <= end => Ok(Span::new(start, end)),
            _ => Err("a span lies outside the text".into()),
        }
    }
}

const NAMES: [&str; 3] = ["GivenName", "FamilyName", "Initials"];

fn parts(class: &str) -> (&str, &str) {
    class.split_once(':').unwrap_or((class, "Unknown"))
}

/// Given and family names stay apart, whoever bears them: invented letters show too few ways of telling whose a
/// name is, and a doubt about that must not make a name doubtful.
pub(super) fn forget_whose(document: &mut GoldDocument) {
    for span in &mut document.spans {
        let (label, _) = parts(&span.class);
        if NAMES.contains(&label) || matches!(label, "Age" | "BirthDate") {
            span.class = label.to_owned();
        }
    }
}

/// Invented gold as MEDDOCAN has it: names whole, and its classes where it has one for the label.
pub(super) fn as_meddocan(document: &mut GoldDocument, classes: &BTreeSet<String>) {
    let text = document.note.raw();
    let mut spans: Vec<GoldSpan> = Vec::with_capacity(document.spans.len());
    for span in &document.spans {
        let (label, role) = parts(&span.class);
        let class = match (label, role) {
            (name, "Patient" | "Caregiver") if NAMES.contains(&name) => format!("Name:{role}"),
            (name, _) if NAMES.contains(&name) => "Name".to_owned(),
            ("BirthDate" | "RelativeDate", _) => "Date".to_owned(),
            ("Region", _) => "City".to_owned(),
            (label, _) => classes.iter().find(|c| parts(c).0 == label).cloned().unwrap_or(label.to_owned()),
        };
        let joins = |last: &&mut GoldSpan| {
            let between = text.get(last.span.end()..span.span.start()).unwrap_or("?");
            let near = matches!(between, " " | ", " | " - " | "-" | ". ");
            near && class.starts_with("Name") && last.class == class
        };
        match spans.last_mut().filter(joins) {
            Some(last) => last.span = Span::new(last.span.start(), span.span.end()),
            None => spans.push(GoldSpan { span: span.span, class }),
        }
    }
    document.spans = spans;
}
