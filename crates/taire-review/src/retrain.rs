//! Trains a model on accepted documents and measures what it changes on accepted documents that it did not learn from.
//!
//! Documents are split by a hash of their names: most for training, some to choose the best iteration, some held out.
//! Only the last are measured: the present policy and the same policy with the new model search them, and both are compared
//! with what reviewers accepted. The new model is written beside the state and used by nobody until a policy names it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use taire::batch::stable_hash;
use taire::training::{GoldReader, RULE_SOURCES, TrainOptions, gold_spans, train};
use taire::{Pipeline, Policy, Records};
use taire_formats::{AtomicFile, Offsets, from_bytes};
use taire_text::scheme::Scheme;
use taire_text::{Language, Note};

use crate::Error;
use crate::agreement::Agreement;
use crate::app::{App, lock};
use crate::findings::StoredFindings;
use crate::gold::{Gold, GoldDoc};
use crate::problem::Problem;

/// Fewer accepted documents cannot be split in three.
pub(crate) const FEWEST: usize = 10;
/// One in so many documents is held out, and as many are used to choose the best iteration.
const SHARE: usize = 5;

/// Where the training is.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub(crate) enum Training {
    #[default]
    Idle,
    Running {
        language: Language,
        iteration: usize,
        of: usize,
    },
    /// Both models search what was set aside.
    Measuring {
        language: Language,
    },
    Done(Box<Comparison>),
    Failed {
        code: &'static str,
        why: String,
    },
}

/// What the new model changes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) language: Language,
    pub(crate) model: PathBuf,
    pub(crate) learned: usize,
    pub(crate) chosen_by: usize,
    pub(crate) held_out: usize,
    pub(crate) before: Figures,
    pub(crate) after: Figures,
}

/// Against what reviewers accepted.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Figures {
    precision: f64,
    recall: f64,
    f1: f64,
    /// Identifying words that stay in the text.
    bare: usize,
    /// All identifying words.
    words: usize,
}

impl From<&Agreement> for Figures {
    fn from(a: &Agreement) -> Figures {
        let (precision, recall, f1) = (a.spans.of_b(), a.spans.of_a(), a.spans.f1());
        Figures { precision, recall, f1, bare: a.bare, words: a.tokens.a }
    }
}

/// The model of a language, beside the state of the review.
pub(crate) fn model_path(state: &Path, language: Language) -> PathBuf {
    let mut name = state.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{language}.crf"));
    state.with_file_name(name)
}

/// Begins, unless one is under way.
pub(crate) fn start(app: &Arc<App>, language: Language) -> Result<(), Problem> {
    {
        let mut training = lock(&app.training);
        if matches!(*training, Training::Running { .. } | Training::Measuring { .. }) {
            return Err(Problem::busy("training", "a model is being trained already"));
        }
        *training = Training::Running { language, iteration: 0, of: 0 };
    }
    let app = app.clone();
    std::thread::spawn(move || {
        let work = std::panic::AssertUnwindSafe(|| run(&app, language));
        let done = std::panic::catch_unwind(work)
            .unwrap_or_else(|_| Err(("fault", Error::internal("an internal fault stopped the training"))));
        *lock(&app.training) = match done {
            Ok(comparison) => Training::Done(Box::new(comparison)),
            Err((code, why)) => Training::Failed { code, why: why.to_string() },
        };
    });
    Ok(())
}

/// A code for the page, and the error.
type TrainingError = (&'static str, Error);

fn fault<E: Into<Error>>(error: E) -> TrainingError {
    ("fault", error.into())
}

fn run(app: &App, language: Language) -> Result<Comparison, TrainingError> {
    let policy = match &app.config.policy {
        Some(policy) => Policy::load(policy),
        None => Policy::shipped(language.key()),
    };
    let mut policy = policy.map_err(fault)?;
    policy.add_allow_lists(&app.config.words).map_err(fault)?;
    let student = policy.detect.sources.iter().position(|s| s.0 == taire_text::Source::Student);
    if let Some(at) = student
        && !policy.detect.sources.iter().any(|s| s.0 == taire_text::Source::Crf)
    {
        // The page trains a CRF; beside the student it is read as in policies that name both.
        let mut crf = policy.detect.sources[at];
        crf.0 = taire_text::Source::Crf;
        policy.detect.sources.insert(at, crf);
    }
    if !policy.detect.sources.iter().any(|s| s.0 == taire_text::Source::Crf) {
        return Err((
            "no_crf",
            Error::new(format!("policy `{}` asks no model, so there is none to train", policy.name)),
        ));
    }
    let gold = Gold::of(&app.store).map_err(fault)?;
    let gold: Vec<GoldDoc> = gold.documents.into_iter().filter(|d| d.language == Some(language)).collect();
    if gold.len() < FEWEST {
        let why = format!("{} accepted documents are too few to learn from; {FEWEST} are needed", gold.len());
        return Err(("too_few", Error::new(why)));
    }
    let parts = split(gold);
    let reader = GoldReader::new(language);
    let read = |documents: &[GoldDoc]| -> Result<Vec<_>, TrainingError> {
        let one = |d: &GoldDoc| -> Result<_, taire::Error> {
            let bytes: Vec<usize> = d.marks.iter().flat_map(|m| [m.start, m.end]).collect();
            let points = from_bytes(&d.text, Offsets::CodePoints, &bytes);
            let spans: Vec<_> = d
                .marks
                .iter()
                .zip(points.chunks_exact(2))
                .map(|(m, p)| (p[0], p[1], m.label.name()))
                .collect();
            reader.document(&d.name, &d.text, gold_spans(Scheme::Taire, &d.text, &spans)?)
        };
        documents.iter().map(one).collect::<Result<_, _>>().map_err(fault)
    };
    let options = TrainOptions {
        sources: RULE_SOURCES.to_vec(),
        threads: app.config.jobs.max(1),
        ..TrainOptions::default()
    };
    let (bytes, _) = train(&read(&parts.train)?, &read(&parts.dev)?, &options, &mut |p| {
        *lock(&app.training) = Training::Running { language, iteration: p.iteration, of: p.max_iterations };
    })
    .map_err(|e| fault(Error::from(taire::Error::from(e))))?;
    let model = model_path(&app.config.state, language);
    let save = || -> Result<(), taire_formats::Error> {
        let mut file = AtomicFile::create_private(&model)?;
        file.write_all(&bytes)?;
        file.finish()
    };
    save().map_err(fault)?;
    *lock(&app.training) = Training::Measuring { language };
    let before = measure(&policy, language, &parts.held_out)?;
    policy.detect.model = Some(model.clone());
    let after = measure(&policy, language, &parts.held_out)?;
    Ok(Comparison {
        language,
        model,
        learned: parts.train.len(),
        chosen_by: parts.dev.len(),
        held_out: parts.held_out.len(),
        before,
        after,
    })
}

struct Parts {
    train: Vec<GoldDoc>,
    dev: Vec<GoldDoc>,
    held_out: Vec<GoldDoc>,
}

/// Splits by the names alone, so that a document stays in its part when others are added.
fn split(mut gold: Vec<GoldDoc>) -> Parts {
    gold.sort_by_cached_key(|d| (stable_hash([d.name.as_bytes()].into_iter()), d.name.clone()));
    let share = (gold.len() / SHARE).max(1);
    let held_out = gold.split_off(gold.len() - share);
    let dev = gold.split_off(gold.len() - share);
    Parts { train: gold, dev, held_out }
}

fn measure(policy: &Policy, language: Language, documents: &[GoldDoc]) -> Result<Figures, TrainingError> {
    let pipeline = Pipeline::from_policy(policy, language, None).map_err(fault)?;
    let mut all = Agreement::default();
    for document in documents {
        let builder = Note::builder(document.name.clone(), document.text.clone()).language(Some(language));
        let mut notes = [builder.build().map_err(fault)?];
        let found = pipeline.find(&mut notes, &Records::default()).map_err(fault)?;
        let found = found.first().map(StoredFindings::of).unwrap_or_default();
        all.add(&document.text, &document.marks, &found.marks());
    }
    Ok(Figures::from(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_apart_and_do_not_hang_on_the_order() {
        let doc = |i: usize| GoldDoc {
            name: format!("d{i}"),
            text: String::new(),
            language: None,
            marks: Vec::new(),
            found: StoredFindings::default(),
        };
        let names = |part: &[GoldDoc]| part.iter().map(|d| d.name.clone()).collect::<Vec<_>>();
        let a = split((0..23).map(doc).collect());
        let b = split((0..23).rev().map(doc).collect());
        assert_eq!((a.train.len(), a.dev.len(), a.held_out.len()), (15, 4, 4));
        assert_eq!((names(&a.train), names(&a.held_out)), (names(&b.train), names(&b.held_out)));
    }
}
