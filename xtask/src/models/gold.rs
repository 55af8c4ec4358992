//! Gold documents as the pipeline would see them: annotated, with what the rules say before the model speaks.

use std::path::Path;

use taire_detect::{Detector, Patterns, Structure, words};
use taire_eval::{Corpus, Doc};
use taire_lexicon::Annotator;
use taire_models::{GoldDocument, GoldSpan};
use taire_text::scheme::{Scheme, read_gold};
use taire_text::{Label, Language, Note, Raw, Role, Span};

use crate::generate::{self, Generated, Request};

pub(super) struct Reader {
    language: Language,
    annotator: Annotator,
    /// In the order of the pipeline.
    detectors: Vec<Box<dyn Detector>>,
}

impl Reader {
    /// With the detectors that the models hear.
    pub(super) fn new(language: Language) -> Reader {
        let detectors: Vec<Box<dyn Detector>> = vec![Box::new(Structure), Box::new(Patterns::new())];
        let annotator = Annotator::new(language, move |word| words::keyword(language, word));
        Reader { language, annotator, detectors }
    }

    /// A folder of MEDDOCAN: labels are ours, borders are the corpus's, names stay whole.
    pub(super) fn meddocan(&self, folder: &Path) -> Result<Vec<GoldDocument>, String> {
        let corpus = Corpus::read(folder).map_err(|e| e.to_string())?;
        corpus.docs().map(|doc| self.of_meddocan(doc)).collect()
    }

    fn of_meddocan(&self, doc: &Doc) -> Result<GoldDocument, String> {
        let text = doc.text.as_deref().unwrap_or("");
        let places = Places::of(text);
        let mut spans = Vec::with_capacity(doc.spans.len());
        for tag in &doc.spans {
            let span = places.span(tag.start, tag.end).map_err(|e| format!("{}: {e}", doc.id))?;
            let class = class(text, span, &tag.label).map_err(|e| format!("{}: {e}", doc.id))?;
            spans.push(GoldSpan { span, class });
        }
        self.document(&doc.id, text, spans)
    }

    /// Generated documents.
    pub(super) fn generated(&self, request: &Request<'_>) -> Result<Vec<GoldDocument>, String> {
        generate::documents(request)?.iter().map(|document| self.of_generated(document)).collect()
    }

    fn of_generated(&self, document: &Generated) -> Result<GoldDocument, String> {
        let places = Places::of(&document.text);
        let mut spans: Vec<GoldSpan> = Vec::with_capacity(document.spans.len());
        for (start, end, class) in &document.spans {
            let span = places.span(*start, *end).map_err(|e| format!("{}: {e}", document.id))?;
            spans.push(GoldSpan { span, class: class.clone() });
        }
        spans.iter_mut().for_each(forget_whose_name);
        self.document(&document.id, &document.text, spans)
    }

    fn document(&self, id: &str, text: &str, spans: Vec<GoldSpan>) -> Result<GoldDocument, String> {
        let note = Note::builder(id, text).language(Some(self.language)).build();
        let mut notes = [note.map_err(|e| format!("{id}: {e}"))?];
        self.annotator.annotate(&mut notes[0]);
        let mut heard = [Vec::new()];
        for detector in &self.detectors {
            detector.detect(&notes, &mut heard).map_err(|e| format!("{id}: {e}"))?;
        }
        let ([note], [mentions]) = (notes, heard);
        Ok(GoldDocument { note, mentions, spans })
    }
}

/// Bytes of code points.
struct Places(Vec<usize>);

impl Places {
    fn of(text: &str) -> Places {
        Places(text.char_indices().map(|(i, _)| i).chain([text.len()]).collect())
    }

    fn span(&self, start: usize, end: usize) -> Result<Span<Raw>, String> {
        match (self.0.get(start), self.0.get(end)) {
            (Some(&start), Some(&end)) if start <= end => Ok(Span::new(start, end)),
            _ => Err("a span lies outside the text".into()),
        }
    }
}

/// Given and family names stay apart, whoever bears them: invented letters show too few ways of telling whose a
/// name is, and a doubt about that must not make a name doubtful.
fn forget_whose_name(span: &mut GoldSpan) {
    let label = span.class.split_once(':').map_or(&*span.class, |(label, _)| label);
    if matches!(label, "GivenName" | "FamilyName" | "Initials" | "Age" | "BirthDate") {
        span.class = label.to_owned();
    }
}

fn class(text: &str, span: Span<Raw>, label: &str) -> Result<String, String> {
    let read = read_gold(Scheme::Meddocan, text, &[(span, label)]).map_err(|e| e.to_string())?;
    let Some(first) = read.first() else { return Err(format!("a span of `{label}` is empty")) };
    let is_name = |label| matches!(label, Label::GivenName | Label::FamilyName | Label::Initials);
    let category = if is_name(first.label) { "Name" } else { first.label.name() };
    Ok(match first.role {
        Role::Unknown => category.to_owned(),
        role => format!("{category}:{role}"),
    })
}
