//! Training a CRF from gold documents.
//!
//! Features come from the same extractor that decoding uses. The development documents are never learned from: they
//! choose the iteration that is kept.

mod clusters;
mod corpus;
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use taire_text::{Language, Mention, Note, Raw, Source, Span};

use crate::Error;
use crate::crf::{Crf, Descent, Ending, Lattice, Objective, Parameters, minimise};
use crate::features::{Settings, Vocabulary};
pub use clusters::Clusters;
use corpus::{Corpus, Frame, Layout, choose_outside_bias, tally};
pub(crate) use corpus::{class_names, gold_spans};

/// A document with its gold: what to find in it.
#[derive(Debug, Clone)]
pub struct GoldDocument {
    /// With the lexicons' facts on its tokens, as the detector will see it.
    pub note: Note,
    /// What other detectors say of it; only the sources named in the options are used.
    pub mentions: Vec<Mention>,
    pub spans: Vec<GoldSpan>,
}

/// One gold span: bytes of the raw text and the name of a [`Class`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldSpan {
    pub span: Span<Raw>,
    pub class: String,
}

/// How to train. The defaults are those of the shipped models.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainOptions {
    pub l1: f64,
    pub l2: f64,
    pub max_iterations: usize,
    /// Stop when the development score has not improved for so many checks.
    pub patience: usize,
    /// Iterations between two looks at the development documents.
    pub check_every: usize,
    /// Features seen in fewer tokens are not kept.
    pub min_count: u32,
    /// Detectors whose mentions become features.
    pub sources: Vec<Source>,
    /// Clusters of words; none by default.
    pub clusters: Clusters,
    pub threads: usize,
}

impl Default for TrainOptions {
    fn default() -> Self {
        TrainOptions {
            l1: 0.06,
            l2: 0.4,
            max_iterations: 100,
            patience: 4,
            check_every: 10,
            min_count: 2,
            sources: Vec::new(),
            clusters: Clusters::default(),
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        }
    }
}

/// Said after every iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    pub iteration: usize,
    pub max_iterations: usize,
    pub value: f64,
    /// Strict F1 on the development documents, at iterations that look at them.
    pub dev_f1: Option<f64>,
}

/// Exact matches of class and borders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub right: usize,
    pub found: usize,
    pub gold: usize,
}

impl Tally {
    pub fn precision(self) -> f64 {
        self.right as f64 / self.found.max(1) as f64
    }

    pub fn recall(self) -> f64 {
        self.right as f64 / self.gold.max(1) as f64
    }

    pub fn f1(self) -> f64 {
        2.0 * self.right as f64 / (self.found + self.gold).max(1) as f64
    }

    /// All classes together.
    pub(crate) fn sum(by_class: &[Tally]) -> Tally {
        by_class.iter().fold(Tally::default(), |a, b| Tally {
            right: a.right + b.right,
            found: a.found + b.found,
            gold: a.gold + b.gold,
        })
    }

    /// Counts the gold spans (tokens and class) of a document; those among the spans found are right.
    pub(crate) fn count_gold(
        by_class: &mut [Tally],
        gold: &[(Range<usize>, usize)],
        found: &BTreeSet<(usize, usize, usize)>,
    ) {
        for (range, class) in gold {
            by_class[*class].gold += 1;
            by_class[*class].right += usize::from(found.contains(&(range.start, range.end, *class)));
        }
    }
}

/// What a training run did.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainReport {
    pub documents: usize,
    pub tokens: usize,
    pub spans: usize,
    /// Gold spans whose borders fall inside a token; the token's borders are learned instead.
    pub spans_inside_tokens: usize,
    /// Gold spans dropped because another covers their tokens, or none does.
    pub spans_dropped: usize,
    pub parameters: usize,
    pub kept_features: usize,
    pub kept_weights: usize,
    pub iterations: usize,
    pub best_iteration: usize,
    pub value: f64,
    /// What the label "outside" lost, in log-odds a token, because the development documents scored better so.
    pub outside_bias: f64,
    pub ending: &'static str,
    pub dev: Option<Tally>,
    pub dev_by_class: BTreeMap<String, Tally>,
}

/// A line on gold spans that could not be learned as they are, if there are some.
pub(crate) fn write_changed_spans(
    f: &mut fmt::Formatter<'_>,
    inside_tokens: usize,
    dropped: usize,
) -> fmt::Result {
    match inside_tokens + dropped {
        0 => Ok(()),
        _ => writeln!(f, "{inside_tokens} spans end inside a token and were widened, {dropped} were dropped"),
    }
}

impl fmt::Display for TrainReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} documents, {} tokens, {} spans", self.documents, self.tokens, self.spans)?;
        write_changed_spans(f, self.spans_inside_tokens, self.spans_dropped)?;
        writeln!(
            f,
            "stopped after {} iterations ({}), value {:.2}; kept iteration {}",
            self.iterations, self.ending, self.value, self.best_iteration
        )?;
        writeln!(
            f,
            "{} of {} weights kept, on {} features; outside lowered by {}",
            self.kept_weights, self.parameters, self.kept_features, self.outside_bias
        )?;
        let Some(dev) = &self.dev else { return Ok(()) };
        write_tallies(f, &self.dev_by_class, dev)
    }
}

/// One line for each class, and one for all.
pub(crate) fn write_tallies(
    f: &mut fmt::Formatter<'_>,
    by_class: &BTreeMap<String, Tally>,
    all: &Tally,
) -> fmt::Result {
    let rows = by_class.iter().map(|(name, tally)| (name.as_str(), tally));
    for (name, t) in rows.chain([("all", all)]) {
        writeln!(
            f,
            "{name:24} precision {:.4}  recall {:.4}  F1 {:.4}  of {}",
            t.precision(),
            t.recall(),
            t.f1(),
            t.gold
        )?;
    }
    Ok(())
}

/// The languages of some documents, each once.
pub(crate) fn languages_of(documents: &[GoldDocument]) -> Vec<Language> {
    let mut out: Vec<Language> = documents.iter().map(|d| d.note.language).collect();
    out.sort_unstable_by_key(|l| l.key());
    out.dedup();
    out
}

pub(crate) fn one_language<'g>(
    mut documents: impl Iterator<Item = &'g GoldDocument>,
) -> Result<Language, Error> {
    let first = documents.next().ok_or_else(|| Error::new("there are no gold documents"))?.note.language;
    match documents.all(|d| d.note.language == first) {
        true => Ok(first),
        false => Err(Error::new("the gold documents are of several languages; a model reads one")),
    }
}

/// Trains a model. Returns its file and a report.
pub fn train(
    gold: &[GoldDocument],
    dev: &[GoldDocument],
    options: &TrainOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Vec<u8>, TrainReport), Error> {
    let classes = class_names(gold)?;
    let settings = Settings::using(options.sources.iter().copied());
    let language = one_language(gold.iter().chain(dev))?;
    let words = vocabulary::vocabulary(gold, &classes, &options.clusters, settings);
    let corpus = Corpus::read(gold, &classes, settings, &Vocabulary::new(&words), options.min_count)?;
    let frame = Frame { language, classes: classes.clone(), settings, vocabulary: words };
    let lattice = Lattice::bio(classes.len());
    let mut objective =
        Objective::new(&corpus.data, lattice, Parameters::AllTransitions, options.l2, options.threads);
    let layout = Layout::of(&objective, &corpus.hashes, lattice);
    let dev_gold: Vec<_> = dev.iter().map(|document| gold_spans(document, &classes).spans).collect();
    let descent = Descent { l1: options.l1, max_iterations: options.max_iterations, ..Descent::default() };
    let mut best: Option<(f64, usize, Vec<f64>)> = None;
    let mut checks_without = 0;
    let mut iterations = 0;
    let examine = |weights: &[f64]| {
        let model = Crf::from_parts(&layout.parts(weights, &frame));
        tally(&model, dev, &dev_gold).0
    };
    let (weights, value, ending) = minimise(&mut objective, &descent, |step| {
        iterations = step.iteration;
        let look = !dev.is_empty() && step.iteration % options.check_every.max(1) == 0;
        let dev_f1 = look.then(|| examine(step.weights).f1());
        progress(Progress {
            iteration: step.iteration,
            max_iterations: options.max_iterations,
            value: step.value,
            dev_f1,
        });
        let Some(f1) = dev_f1 else { return true };
        if best.as_ref().is_none_or(|(top, ..)| f1 > *top) {
            best = Some((f1, step.iteration, step.weights.to_vec()));
            checks_without = 0;
        } else {
            checks_without += 1;
        }
        checks_without < options.patience
    });
    let (best_iteration, weights) = match best {
        Some((_, iteration, weights)) => (iteration, weights),
        None => (iterations, weights),
    };
    let mut parts = layout.parts(&weights, &frame);
    let outside_bias = choose_outside_bias(&mut parts, dev, &dev_gold);
    let mut report = TrainReport {
        documents: gold.len(),
        tokens: corpus.data.tokens(),
        spans: corpus.spans,
        spans_inside_tokens: corpus.inexact,
        spans_dropped: corpus.dropped,
        parameters: objective.parameters(),
        kept_features: parts.features.len(),
        kept_weights: parts.features.iter().map(|f| f.weights.len()).sum(),
        iterations,
        best_iteration,
        value,
        outside_bias,
        ending: match ending {
            Ending::Converged => "converged",
            Ending::Stalled => "no further descent",
            Ending::Limit => "iteration limit",
            Ending::Asked => "no further gain on the development documents",
        },
        dev: None,
        dev_by_class: BTreeMap::new(),
    };
    if !dev.is_empty() {
        let (all, by_class) = tally(&Crf::from_parts(&parts), dev, &dev_gold);
        report.dev = Some(all);
        report.dev_by_class = classes.iter().cloned().zip(by_class).collect();
    }
    Ok((parts.to_bytes(), report))
}
