//! Gold documents as the pipeline would see them, to train a model on.
//!
//! A model reads the rules' mentions: what they find in a gold document is part of what it learns from. [`GoldReader`] annotates
//! and runs them in the pipeline's order; [`gold_spans`] reads the labels of any scheme into the model's classes.

use taire_detect::{Detector, Lexical, Patterns, Structure, words};
use taire_lexicon::Annotator;
/// An error of training.
pub use taire_models::Error as ModelError;
pub use taire_models::{
    Clusters, CrfDetector, GoldDocument, GoldSpan, LabelSet, LessonOptions, Lessons, PackReport, Progress,
    StudentCorpus, StudentDocument, StudentOptions, StudentProgress, Tally, TrainOptions, TrainReport,
    TransformerOptions, TransformerProgress, TransformerReport, pack_model, train, train_student,
    train_transformer,
};
use taire_text::scheme::{Scheme, read_gold};
use taire_text::{Label, Language, Note, Raw, Role, Source, Span};

use crate::Error;

/// The detectors that [`GoldReader`] runs and whose mentions a model trained on its documents reads.
pub const RULE_SOURCES: [Source; 2] = [Source::Pattern, Source::Structure];

/// Makes gold documents of one language.
pub struct GoldReader {
    language: Language,
    annotator: Annotator,
    detectors: Vec<Box<dyn Detector>>,
}

impl std::fmt::Debug for GoldReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GoldReader").field("language", &self.language).finish_non_exhaustive()
    }
}

impl GoldReader {
    /// A reader of documents in this language.
    pub fn new(language: Language) -> GoldReader {
        GoldReader::with_detectors(language, vec![Box::new(Structure), Box::new(Patterns::new())])
    }

    /// With all rules that the student reads.
    pub fn for_student(language: Language) -> GoldReader {
        let detectors: Vec<Box<dyn Detector>> =
            vec![Box::new(Structure), Box::new(Patterns::new()), Box::new(Lexical)];
        GoldReader::with_detectors(language, detectors)
    }

    fn with_detectors(language: Language, detectors: Vec<Box<dyn Detector>>) -> GoldReader {
        let annotator = Annotator::new(language, move |word| words::keyword(language, word));
        GoldReader { language, annotator, detectors }
    }

    /// A document with its gold, annotated, and with what the rules say of it.
    pub fn document(&self, id: &str, text: &str, spans: Vec<GoldSpan>) -> Result<GoldDocument, Error> {
        let mut notes = [Note::builder(id, text).language(Some(self.language)).build()?];
        self.annotator.annotate(&mut notes[0]);
        let mut found = [Vec::new()];
        for detector in &self.detectors {
            detector.detect(&notes, &mut found)?;
        }
        let ([note], [mentions]) = (notes, found);
        Ok(GoldDocument { note, mentions, spans })
    }
}

/// Spans of a scheme as the classes of a model. Offsets count code points, as in JSONL and BRAT.
///
/// Where a scheme tags whole names they stay whole, with their role; elsewhere given and family names stay apart,
/// whoever bears them.
pub fn gold_spans(
    scheme: Scheme,
    text: &str,
    spans: &[(usize, usize, &str)],
) -> Result<Vec<GoldSpan>, Error> {
    let places: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
    let mut raw: Vec<(Span<Raw>, &str)> = Vec::with_capacity(spans.len());
    for &(start, end, label) in spans {
        match (places.get(start), places.get(end)) {
            (Some(&start), Some(&end)) if start < end => raw.push((Span::new(start, end), label)),
            _ => {
                return Err(Error::input(format!(
                    "a span of `{label}` from {start} to {end} lies outside a text of {} characters",
                    places.len() - 1
                )));
            }
        }
    }
    let is_name = |label| matches!(label, Label::GivenName | Label::FamilyName | Label::Initials);
    if !matches!(scheme, Scheme::Hipaa | Scheme::Meddocan | Scheme::Hnfc) {
        let read = read_gold(scheme, text, &raw)?;
        let span = |g: taire_text::scheme::GoldSpan| {
            let role = if is_name(g.label) { Role::Unknown } else { g.role };
            GoldSpan { span: g.span, class: class(g.label.name(), role) }
        };
        return Ok(read.into_iter().map(span).collect());
    }
    let mut out = Vec::with_capacity(raw.len());
    for (span, label) in raw {
        if let Some(first) = read_gold(scheme, text, &[(span, label)])?.first() {
            let category = if is_name(first.label) { "Name" } else { first.label.name() };
            out.push(GoldSpan { span, class: class(category, first.role) });
        }
    }
    Ok(out)
}

fn class(category: &str, role: Role) -> String {
    match role {
        Role::Unknown => category.to_owned(),
        role => format!("{category}:{role}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_stay_whole_and_offsets_count_characters() {
        let text = "Señora Ana Peña, née à Évreux";
        let read = |scheme, spans: &[(usize, usize, &str)]| {
            let spans = gold_spans(scheme, text, spans)?;
            Ok::<_, Error>(
                spans.into_iter().map(|s| (s.span.of(text).to_owned(), s.class)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            read(Scheme::Meddocan, &[(7, 15, "NOMBRE_SUJETO_ASISTENCIA")]).unwrap(),
            [("Ana Peña".to_owned(), "Name:Patient".to_owned())]
        );
        assert_eq!(
            read(Scheme::Eds, &[(7, 10, "PRENOM"), (11, 15, "NOM"), (23, 29, "VILLE")]).unwrap(),
            [("Ana", "GivenName"), ("Peña", "FamilyName"), ("Évreux", "City")]
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
        let message = read(Scheme::Taire, &[(7, 99, "City")]).unwrap_err().to_string();
        assert!(message.contains("outside a text of 29 characters"), "{message}");
        assert!(read(Scheme::Eds, &[(7, 10, "SIRNAME")]).unwrap_err().to_string().contains("NOM"));
    }
}
