//! From gold documents to training arrays, from weights to a model, and exact matches on development documents.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashMap;
use taire_text::Language;

use super::{GoldDocument, Tally};
use crate::Error;
use crate::classes::Class;
use crate::crf::{Crf, Dataset, DecodedSpan, Feature, Lattice, ModelParts, Objective, Scratch, Sequence};
use crate::features::{Document, Entry, LineView, Reach, Settings, Vocabulary, constant};

/// Class names of the gold, sorted, each checked.
pub(crate) fn class_names(gold: &[GoldDocument]) -> Result<Vec<String>, Error> {
    let names: BTreeSet<&str> = gold.iter().flat_map(|d| &d.spans).map(|s| s.class.as_str()).collect();
    if names.is_empty() {
        return Err(Error::new("the gold documents hold no span; annotate some before training"));
    }
    if names.len() > 100 {
        return Err(Error::new(format!(
            "the gold holds {} classes; the limit is 100: join some",
            names.len()
        )));
    }
    names.into_iter().map(|name| name.parse::<Class>().map(|_| name.to_owned())).collect()
}

/// Gold of one document as disjoint, sorted token ranges with class numbers.
pub(crate) struct TokenGold {
    pub(crate) spans: Vec<(Range<usize>, usize)>,
    pub(crate) inexact: usize,
    pub(crate) dropped: usize,
}

pub(crate) fn gold_spans(document: &GoldDocument, classes: &[String]) -> TokenGold {
    let tokens = &document.note.tokens;
    let mut out = TokenGold { spans: Vec::new(), inexact: 0, dropped: 0 };
    let mut sorted: Vec<_> = document.spans.iter().collect();
    sorted.sort_by_key(|s| (s.span.start(), std::cmp::Reverse(s.span.end())));
    for gold in sorted {
        let span = document.note.to_norm(gold.span);
        let from = tokens.partition_point(|t| t.end() <= span.start());
        let to = tokens.partition_point(|t| t.start() < span.end());
        let free = out.spans.last().is_none_or(|(last, _)| last.end <= from);
        match classes.binary_search(&gold.class) {
            Ok(class) if from < to && free => {
                let exact = tokens[from].start() == span.start() && tokens[to - 1].end() == span.end();
                out.inexact += usize::from(!exact);
                out.spans.push((from..to, class));
            }
            _ => out.dropped += 1,
        }
    }
    out
}

pub(super) struct Corpus {
    pub(super) data: Dataset,
    /// Hash of each feature, by its number in the data.
    pub(super) hashes: Vec<u64>,
    pub(super) spans: usize,
    pub(super) inexact: usize,
    pub(super) dropped: usize,
}

impl Corpus {
    pub(super) fn read(
        gold: &[GoldDocument],
        classes: &[String],
        settings: Settings,
        vocabulary: &Vocabulary,
        min_count: u32,
    ) -> Result<Corpus, Error> {
        let counts = count_features(gold, settings, vocabulary, min_count);
        let mut corpus =
            Corpus { data: Dataset::default(), hashes: Vec::new(), spans: 0, inexact: 0, dropped: 0 };
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
        let mut document = Document::default();
        let mut labels: Vec<u8> = Vec::new();
        let mut active: Vec<u32> = Vec::new();
        let mut hashes: Vec<u64> = Vec::new();
        for g in gold {
            let token_gold = gold_spans(g, classes);
            corpus.spans += token_gold.spans.len();
            corpus.inexact += token_gold.inexact;
            corpus.dropped += token_gold.dropped;
            document.read(&g.note, &g.mentions, settings, vocabulary, Reach::Wide);
            label_tokens(&token_gold.spans, &document, classes.len(), g.note.tokens.len(), &mut labels);
            for line in &document.pieces {
                let view = LineView { document: &document, line };
                for (i, token) in line.tokens.clone().enumerate() {
                    active.clear();
                    view.all(i, &mut hashes);
                    for &hash in &hashes {
                        if min_count > 1 && counts.get(&hash).is_none_or(|&n| n < min_count) {
                            continue;
                        }
                        let next = numbers.len() as u32;
                        let number = *numbers.entry(hash).or_insert(next);
                        if number == next {
                            corpus.hashes.push(hash);
                        }
                        active.push(number);
                    }
                    corpus.data.push_token(&active, labels[token]);
                }
                corpus.data.end_sequence();
            }
        }
        if corpus.data.features() > u32::MAX as usize {
            return Err(Error::new(
                "the gold gives more than 4 billion features; train on fewer documents at a time",
            ));
        }
        Ok(corpus)
    }
}

/// Labels of all tokens. A span that crosses the end of a line begins again on the next.
fn label_tokens(
    spans: &[(Range<usize>, usize)],
    document: &Document,
    classes: usize,
    tokens: usize,
    labels: &mut Vec<u8>,
) {
    labels.clear();
    labels.resize(tokens, 0);
    for (range, class) in spans {
        for t in range.clone() {
            let begins = t == range.start || document.is_line_start(t);
            labels[t] = (1 + class + if begins { 0 } else { classes }) as u8;
        }
    }
}

fn count_features(
    gold: &[GoldDocument],
    settings: Settings,
    vocabulary: &Vocabulary,
    min_count: u32,
) -> FxHashMap<u64, u32> {
    let mut counts = FxHashMap::default();
    if min_count <= 1 {
        return counts;
    }
    let mut document = Document::default();
    let mut hashes = Vec::new();
    for g in gold {
        document.read(&g.note, &g.mentions, settings, vocabulary, Reach::Wide);
        for line in &document.pieces {
            let view = LineView { document: &document, line };
            for i in 0..line.tokens.len() {
                view.all(i, &mut hashes);
                hashes.iter().for_each(|&hash| *counts.entry(hash).or_default() += 1);
            }
        }
    }
    counts
}

/// The heaviest weight is at most so many units, so that sums of many stay far from the end of 16 bits.
const TOP_WEIGHT: f64 = 3_000.0;
/// No unit is finer: what a smaller weight says is noise.
const FINEST: f32 = 1.0 / 512.0;

/// What a model has besides weights.
pub(super) struct Frame {
    pub(super) language: Language,
    pub(super) classes: Vec<String>,
    pub(super) settings: Settings,
    pub(super) vocabulary: Vec<Entry>,
}

/// Where the weights of features and transitions are in the parameters, without borrowing the objective.
pub(super) struct Layout {
    /// Hash and parameters (label, index) of each feature, sorted by hash.
    features: Vec<(u64, Range<usize>)>,
    labels: Vec<u8>,
    transitions: Vec<Option<usize>>,
}

impl Layout {
    pub(super) fn of(objective: &Objective<'_>, hashes: &[u64], lattice: Lattice) -> Layout {
        let mut features: Vec<_> =
            hashes.iter().enumerate().map(|(f, &hash)| (hash, objective.row(f))).collect();
        features.sort_unstable_by_key(|f| f.0);
        let transitions = (0..lattice.transitions()).map(|t| objective.transition_parameter(t)).collect();
        Layout { features, labels: objective.row_labels().to_vec(), transitions }
    }

    /// Weights as whole numbers of one unit, those that round to zero left out.
    pub(super) fn parts(&self, weights: &[f64], frame: &Frame) -> ModelParts {
        let top = weights.iter().fold(1e-9, |a: f64, w| a.max(w.abs()));
        let unit = ((top / TOP_WEIGHT) as f32).max(FINEST);
        let whole = |w: f64| (w / f64::from(unit)).round() as i16;
        let transitions = self.transitions.iter().map(|t| t.map_or(0, |p| whole(weights[p]))).collect();
        let features = self
            .features
            .iter()
            .filter_map(|(hash, range)| {
                let weights: Vec<(u8, i16)> = range
                    .clone()
                    .map(|p| (self.labels[p], whole(weights[p])))
                    .filter(|&(_, w)| w != 0)
                    .collect();
                (!weights.is_empty()).then_some(Feature { hash: *hash, weights })
            })
            .collect();
        ModelParts {
            language: frame.language,
            classes: frame.classes.clone(),
            settings: frame.settings.bits(),
            vocabulary: frame.vocabulary.clone(),
            unit,
            transitions,
            features,
        }
    }
}

/// Lowers the label "outside" as far as the development score rises: a miss costs more than a lost word, and
/// likelihood alone is shy of rare classes.
pub(super) fn choose_outside_bias(
    parts: &mut ModelParts,
    dev: &[GoldDocument],
    gold: &[Vec<(Range<usize>, usize)>],
) -> f64 {
    let constant = constant();
    let at = match parts.features.binary_search_by_key(&constant, |f| f.hash) {
        Ok(at) => at,
        Err(at) => {
            parts.features.insert(at, Feature { hash: constant, weights: Vec::new() });
            at
        }
    };
    let outside = |weights: &[(u8, i16)]| weights.first().filter(|w| w.0 == 0).map_or(0, |w| w.1);
    let (trained, unit) = (parts.features[at].weights.clone(), parts.unit);
    let lowered = |by: f64| {
        let weight = (f64::from(outside(&trained)) - by / f64::from(unit)).round();
        let rest = trained.iter().copied().filter(|w| w.0 != 0);
        [(0, weight.clamp(-32_768.0, 32_767.0) as i16)].into_iter().chain(rest).collect::<Vec<_>>()
    };
    let mut best = (0.0, -1.0);
    if !dev.is_empty() {
        for by in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5] {
            parts.features[at].weights = lowered(by);
            let f1 = tally(&Crf::from_parts(parts), dev, gold).0.f1();
            if f1 > best.1 {
                best = (by, f1);
            }
        }
    }
    parts.features[at].weights = lowered(best.0);
    best.0
}

/// Exact matches over all classes, and for each class.
pub(super) fn tally(
    model: &Crf,
    documents: &[GoldDocument],
    gold: &[Vec<(Range<usize>, usize)>],
) -> (Tally, Vec<Tally>) {
    let (settings, vocabulary) = (Settings::from_bits(model.settings()), model.vocabulary());
    let mut document = Document::default();
    let mut scratch = Scratch::default();
    let mut line_found: Vec<DecodedSpan> = Vec::new();
    let mut by_class = vec![Tally::default(); model.classes().len()];
    for (g, gold) in documents.iter().zip(gold) {
        let mut found = BTreeSet::new();
        document.read(&g.note, &g.mentions, settings, vocabulary, Reach::Wide);
        for line in &document.pieces {
            model.label(&LineView { document: &document, line }, &mut scratch);
            model.segments(&scratch, &mut line_found);
            for span in &line_found {
                let from = line.tokens.start;
                found.insert((from + span.tokens.start, from + span.tokens.end, span.class));
                by_class[span.class].found += 1;
            }
        }
        Tally::count_gold(&mut by_class, gold, &found);
    }
    (Tally::sum(&by_class), by_class)
}
