//! What a policy found, against the annotations that came with the corpus.

use std::collections::BTreeSet;

use serde::Serialize;
use taire::Error;
use taire_eval::{Bin, Corpus, Doc, Evaluation, Offsets, Options, Tag, bins, calibration_error, evaluate};
use taire_formats::{Document, GoldSpan};
use taire_text::Entity;
use taire_text::scheme::{Scheme, project};

/// The annotations of the corpus.
pub(super) struct Gold {
    corpus: Corpus,
    /// The scheme that has all its labels, if one has.
    pub(super) scheme: Option<Scheme>,
    pub(super) spans: usize,
}

impl Gold {
    /// The annotations of these documents; `None` where no document is annotated.
    pub(super) fn read(documents: &[Document]) -> Result<Option<Gold>, Error> {
        let spans = documents.iter().map(|d| d.gold.len()).sum();
        if spans == 0 {
            return Ok(None);
        }
        let labels: BTreeSet<&str> =
            documents.iter().flat_map(|d| &d.gold).map(|g| g.label.as_str()).collect();
        let has_all_labels = |scheme: &&Scheme| labels.iter().all(|l| scheme.from_scheme(l).is_some());
        let scheme = Scheme::ALL.iter().find(has_all_labels).copied();
        let doc = |d: &Document| Doc {
            id: d.id.clone(),
            text: Some(d.text.clone()),
            spans: d.gold.iter().map(|g| Tag::new(g.start, g.end, g.label.clone())).collect(),
        };
        Ok(Some(Gold { corpus: Corpus::new(documents.iter().map(doc))?, scheme, spans }))
    }

    pub(super) fn score(
        &self,
        found: &[(&Document, &[Entity])],
        seed: u64,
    ) -> Result<DetectionScores, Error> {
        let options = Options { offsets: Offsets::Bytes, resamples: 1000, seed };
        let predicted = |tags: &dyn Fn(&Document, &[Entity]) -> Vec<Tag>| -> Result<Evaluation, Error> {
            let docs = found.iter().map(|(d, e)| Doc { id: d.id.clone(), text: None, spans: tags(d, e) });
            evaluate(&self.corpus, &Corpus::new(docs)?, &options)
        };
        let any = |_: &Document, entities: &[Entity]| {
            entities.iter().map(|e| Tag::new(e.span.start(), e.span.end(), e.label.name())).collect()
        };
        let leak = predicted(&any)?.leak;
        let strict_f1 = match self.scheme {
            Some(scheme) => {
                let projected = |d: &Document, entities: &[Entity]| {
                    let spans = project(scheme, &d.text, entities).into_iter();
                    spans.map(|s| Tag::new(s.span.start(), s.span.end(), s.label)).collect()
                };
                Some(predicted(&projected)?.strict.micro.f1)
            }
            None => None,
        };
        let cases = found.iter().flat_map(|(d, entities)| entities.iter().map(|e| judge(d, e)));
        let reliability = bins(cases);
        let share = |missed: u64, all: u64| 1.0 - missed as f64 / all.max(1) as f64;
        Ok(DetectionScores {
            characters_covered: share(leak.chars_missed, leak.chars),
            identifiers_covered: share(leak.spans_missed, leak.spans),
            documents_clean: leak.documents_clean_rate,
            documents_clean_interval: leak.documents_clean_interval.map(|i| [i.0, i.1]),
            strict_f1,
            calibration_error: calibration_error(&reliability),
            reliability,
        })
    }
}

/// A span is right when most of its letters and digits are in what was annotated, whatever the label.
fn judge(document: &Document, entity: &Entity) -> (f64, bool) {
    let inside = |at: usize| document.gold.iter().any(|g: &GoldSpan| g.start <= at && at < g.end);
    let (mut right, mut all) = (0usize, 0usize);
    for (at, _) in entity.span.of(&document.text).char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        all += 1;
        right += usize::from(inside(entity.span.start() + at));
    }
    (f64::from(entity.score.get()), 2 * right > all)
}

/// How well a policy finds what was annotated.
#[derive(Debug, Serialize)]
pub struct DetectionScores {
    /// Share of annotated letters and digits that are covered, whatever the label.
    pub characters_covered: f64,
    /// Share of annotated identifiers that are wholly covered, whatever the label.
    pub identifiers_covered: f64,
    /// Share of documents in which nothing was missed.
    pub documents_clean: f64,
    /// Its 95 % interval.
    pub documents_clean_interval: Option<[f64; 2]>,
    /// Strict micro F1, where a scheme has all the labels.
    pub strict_f1: Option<f64>,
    /// Expected calibration error of the scores.
    pub calibration_error: f64,
    /// Mean score against the share that was right.
    pub reliability: Vec<Bin>,
}
