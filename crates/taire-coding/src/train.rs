//! Training: the bag of words first, then networks that learn what the bag leaves open.
//!
//! A network that takes its share of the bag would find nothing left to learn on the documents the bag was fitted to.
//! So the bag's scores of training documents come from bags fitted without them (five folds), as they will be for new
//! documents. Early stop, and the threshold, by micro F1 on the development cases.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use taire_text::Language;

use taire_text::SplitMix64;

use crate::Error;
use crate::adam::Adam;
use crate::bag::{Bag, BagOptions, Features, Row};
use crate::cases::{Case, Grain, Labels};
use crate::coder::{About, Coder, Deep, Member, Reader, best_threshold, standardise};
use crate::icd::Table;
use crate::net::{Drop, Input, Net, Pooling, Shape, Tape};
use crate::threads;
use crate::tokens::{self, FrozenEncoder, SEGMENT, gather, scatter, segments};
use crate::vectors;
use crate::words::{Vocabulary, Words};

/// What is trained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Words counted, and nothing else.
    Bag,
    /// Vectors of words, pooled for the labels.
    Net { pooling: Pooling, first_only: bool },
}

/// How a coder is trained.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    pub grain: Grain,
    pub method: Method,
    pub language: Language,
    /// The folder of a transformer whose vectors are read; else a table of words of the coder's own.
    pub encoder: Option<PathBuf>,
    /// A network also takes its share of the bag of words.
    pub with_bag: bool,
    pub bag: BagOptions,
    pub width: usize,
    pub epochs: usize,
    /// Epochs without a better F1 after which training stops.
    pub patience: usize,
    /// Documents of a step, at most; fewer where there are few documents, so that there are steps enough.
    pub batch: usize,
    pub rate: f32,
    pub dropout: f32,
    pub decay: f32,
    /// Networks whose scores are averaged.
    pub members: usize,
    pub seed: u64,
    pub threads: usize,
    /// Slopes of labels under it are left out of a step.
    pub least_slope: f32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            grain: Grain::FAMILIES,
            method: Method::Net { pooling: Pooling::Laat, first_only: false },
            language: Language::Fr,
            encoder: None,
            with_bag: false,
            bag: BagOptions::default(),
            width: 64,
            epochs: 10,
            patience: 3,
            batch: 16,
            rate: 3e-3,
            dropout: 0.3,
            decay: 0.0,
            members: 1,
            seed: 1,
            threads: 1,
            least_slope: 1e-3,
        }
    }
}

/// Where training is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub member: usize,
    pub members: usize,
    pub epoch: usize,
    pub epochs: usize,
    pub loss: f32,
    pub dev_f1: f64,
    /// At most.
    pub left: Duration,
}

/// The scale of queries, and of outputs, that start from the labels' texts.
const QUERY: f32 = 8.0;
const OUTPUT: f32 = 3.0;
/// Parts the bag is fitted without, one at a time.
const FOLDS: usize = 5;
/// Gradients are summed in so many parts, whatever the number of threads.
const LANES: usize = 4;
/// Steps of an epoch, at least, where there are as many documents.
const STEPS: usize = 50;
/// A word or stem must occur so often to have a vector.
const LEAST: usize = 2;

/// Cases with everything that is computed of them once.
struct Prepared<'a> {
    case: &'a Case,
    words: Words,
    row: Row,
    truth: Vec<usize>,
    pairs: Vec<[u32; 2]>,
    fixed: Vec<f32>,
    bag: Vec<f32>,
}

/// Trains a coder on some cases; others decide when to stop. `unlabelled` are texts that vectors may learn from, `table`
/// the texts of the labels.
pub fn train(
    cases: &[&Case],
    dev: &[&Case],
    unlabelled: &[String],
    table: Option<&Table>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Coder, Error> {
    let labels = Labels::of(cases, options.grain);
    if cases.is_empty() || dev.is_empty() || labels.is_empty() {
        return Err(Error::usage(format!(
            "{} cases to learn from and {} to look at, with {} labels, are too few",
            cases.len(),
            dev.len(),
            labels.len()
        )));
    }
    let mut parts = [cases, dev].map(|part| {
        threads::map(options.threads, part.len(), |i| Prepared {
            case: part[i],
            words: Words::read(&part[i].text),
            row: Row::new(),
            truth: labels.numbers_of(part[i]),
            pairs: Vec::new(),
            fixed: Vec::new(),
            bag: Vec::new(),
        })
    });
    let uses_bag = options.with_bag || options.method == Method::Bag;
    let (mut features, mut bag) = (Features::default(), None);
    if uses_bag {
        let words: Vec<&Words> = parts[0].iter().map(|p| &p.words).collect();
        features = Features::of(&words, options.bag.pairs);
        for part in &mut parts {
            let rows = threads::map(options.threads, part.len(), |i| features.row(&part[i].words));
            part.iter_mut().zip(rows).for_each(|(p, row)| p.row = row);
        }
        bag = Some(fit_bags(&mut parts, features.len(), labels.len(), options));
    }
    let about = About {
        method: name(options),
        language: options.language,
        documents: cases.len(),
        dev_f1: 0.0,
        seed: options.seed,
    };
    let mut coder = Coder { about, labels, features, bag, deep: None, threshold: 0.0 };
    let mut logits: Vec<Vec<f32>> = parts[1].iter().map(|p| p.bag.clone()).collect();
    if let Method::Net { pooling, first_only } = options.method {
        let started = start(&mut parts, unlabelled, table, &coder.labels, first_only, options)?;
        logits.iter_mut().for_each(|l| *l = vec![0.0; coder.labels.len()]);
        let mut members = Vec::new();
        for number in 0..options.members.max(1) {
            let (member, of_dev) = learn(&parts, &started, pooling, &coder.labels, number, options, progress);
            for (sum, new) in logits.iter_mut().zip(&of_dev) {
                sum.iter_mut().zip(new).for_each(|(s, z)| *s += z / options.members.max(1) as f32);
            }
            members.push(member);
        }
        coder.deep = Some(Deep { reader: started.reader, members, first_only });
    }
    let (truth, missed) = truth(&parts[1], &coder.labels);
    let (threshold, f1) = best_threshold(&logits, &truth, missed);
    if !threshold.is_finite() {
        return Err(Error::usage("training did not converge: the scores are no numbers; try a lower rate"));
    }
    (coder.threshold, coder.about.dev_f1) = (threshold, f1);
    Ok(coder)
}

fn name(options: &Options) -> String {
    let Method::Net { pooling, first_only } = options.method else { return "bag of words".into() };
    let mut out = match pooling {
        Pooling::Laat => "label attention",
        Pooling::Mean => "mean pooling",
        Pooling::Max => "max pooling",
    }
    .to_owned();
    if first_only {
        out += &format!(", first {SEGMENT} words");
    }
    out += if options.encoder.is_some() { ", vectors of a transformer" } else { ", own word vectors" };
    if options.with_bag {
        out += ", with a bag of words";
    }
    out
}

/// True labels that the coder knows, by document, and how many it does not.
fn truth<'a>(part: &'a [Prepared<'_>], labels: &Labels) -> (Vec<&'a [usize]>, usize) {
    let truth: Vec<&[usize]> = part.iter().map(|p| p.truth.as_slice()).collect();
    let missed = part.iter().map(|p| labels.names_of(p.case).len() - p.truth.len()).sum();
    (truth, missed)
}

/// The bag of all training cases; each of them is scored by one that was fitted without it.
fn fit_bags(parts: &mut [Vec<Prepared<'_>>; 2], features: usize, labels: usize, options: &Options) -> Bag {
    let [train, dev] = parts;
    let fit = |keep: &dyn Fn(usize) -> bool| {
        let chosen: Vec<&Prepared<'_>> =
            train.iter().enumerate().filter(|(i, _)| keep(*i)).map(|(_, p)| p).collect();
        let rows: Vec<&Row> = chosen.iter().map(|p| &p.row).collect();
        let truth: Vec<&[usize]> = chosen.iter().map(|p| p.truth.as_slice()).collect();
        Bag::learn(&rows, &truth, features, labels, &options.bag, options.threads)
    };
    let bag = fit(&|_| true);
    dev.iter_mut().for_each(|p| p.bag = bag.scores(&p.row));
    if options.method != Method::Bag {
        let folds = FOLDS.min(train.len());
        let scores: Vec<Vec<Vec<f32>>> = (0..folds)
            .map(|fold| {
                let without = if folds < 2 { fit(&|_| true) } else { fit(&|i| i % folds != fold) };
                train.iter().skip(fold).step_by(folds).map(|p| without.scores(&p.row)).collect()
            })
            .collect();
        for (fold, scores) in scores.into_iter().enumerate() {
            train.iter_mut().skip(fold).step_by(folds).zip(scores).for_each(|(p, s)| p.bag = s);
        }
    }
    bag
}

/// What all members start from.
struct Start {
    reader: Reader,
    table: Vec<f32>,
    input: usize,
    /// One vector a label, of the input's width; zero where the tables say nothing.
    texts: Vec<f32>,
}

fn start(
    parts: &mut [Vec<Prepared<'_>>; 2],
    unlabelled: &[String],
    table: Option<&Table>,
    labels: &Labels,
    first_only: bool,
    options: &Options,
) -> Result<Start, Error> {
    let limit = if first_only { SEGMENT } else { usize::MAX };
    let texts = label_words(labels, table);
    if let Some(folder) = &options.encoder {
        let encoder = FrozenEncoder::read(folder)?;
        for part in parts.iter_mut() {
            let vectors = threads::map(options.threads, part.len(), |i| {
                encoder.vectors(&part[i].case.text, &part[i].words, limit)
            });
            part.iter_mut().zip(vectors).for_each(|(p, v)| p.fixed = v);
        }
        let input = encoder.width();
        let (mean, spread) = moments(&parts[0], input);
        for prepared in parts.iter_mut().flatten() {
            standardise(&mut prepared.fixed, &mean, &spread);
        }
        let rows = threads::map(options.threads, texts.len(), |l| {
            let mut sum = vec![0.0; input];
            for (word, weight) in &texts[l] {
                let words = Words::read(word);
                let mut vectors = encoder.vectors(word, &words, 8);
                standardise(&mut vectors, &mean, &spread);
                vectors.chunks_exact(input).for_each(|v| taire_encoder::math::axpy(*weight, v, &mut sum));
            }
            vectors::unit(&mut sum);
            sum
        });
        // Vectors are of length one, as those of the own table are.
        let scale = 1.0 / (input as f32).sqrt();
        parts.iter_mut().flatten().for_each(|p| p.fixed.iter_mut().for_each(|x| *x *= scale));
        let spread = spread.into_iter().map(|s| s / scale).collect();
        let reader = Reader::Frozen { encoder: Box::new(encoder), mean, spread };
        return Ok(Start { reader, table: Vec::new(), input, texts: rows.concat() });
    }
    let more = threads::map(options.threads, unlabelled.len(), |i| Words::read(&unlabelled[i]));
    let known = || parts[0].iter().map(|p| &p.words).chain(&more);
    let vocabulary = Vocabulary::of(known(), LEAST);
    let documents: Vec<Vec<u32>> =
        known().map(|w| w.iter().map(|word| vocabulary.word(word)).collect()).collect();
    let width = options.width;
    let mut table = vectors::learn(&documents, vocabulary.words + 1, width, options.threads);
    table.resize(vocabulary.rows() * width, 0.0);
    for words in known() {
        for word in words.iter() {
            let [from, to] = vocabulary.pair(word);
            if from != 0 && to != 0 {
                let row = table[from as usize * width..][..width].to_vec();
                taire_encoder::math::axpy(1.0, &row, &mut table[to as usize * width..][..width]);
            }
        }
    }
    table[(vocabulary.words + 1) * width..].chunks_exact_mut(width).for_each(vectors::unit);
    for prepared in parts.iter_mut().flatten() {
        prepared.pairs = tokens::pairs(&vocabulary, &prepared.words, limit);
    }
    let rows = texts.iter().flat_map(|words| {
        let mut sum = vec![0.0; width];
        let mut line = Vec::new();
        for (word, weight) in words {
            gather(&[vocabulary.pair(word)], &table, width, &mut line);
            taire_encoder::math::axpy(*weight, &line, &mut sum);
        }
        vectors::unit(&mut sum);
        sum
    });
    let texts = rows.collect();
    Ok(Start { reader: Reader::Own(vocabulary), table, input: width, texts })
}

fn moments(part: &[Prepared<'_>], input: usize) -> (Vec<f32>, Vec<f32>) {
    let mut sums = vec![[0.0f64; 2]; input];
    let mut count = 0.0f64;
    for line in part.iter().flat_map(|p| p.fixed.chunks_exact(input)) {
        count += 1.0;
        for (sum, &x) in sums.iter_mut().zip(line) {
            sum[0] += f64::from(x);
            sum[1] += f64::from(x).powi(2);
        }
    }
    let mean: Vec<f64> = sums.iter().map(|s| s[0] / count.max(1.0)).collect();
    let spread = sums.iter().zip(&mean).map(|(s, m)| (s[1] / count.max(1.0) - m * m).max(1e-8).sqrt() as f32);
    (mean.iter().map(|&m| m as f32).collect(), spread.collect())
}

/// The words of each label's texts with their weights: rare among labels is heavy, and the label's own text counts as much as
/// all those below it.
fn label_words(labels: &Labels, table: Option<&Table>) -> Vec<Vec<(String, f32)>> {
    let Some(table) = table else { return vec![Vec::new(); labels.len()] };
    let texts: Vec<Vec<FxHashMap<String, f32>>> = labels
        .names
        .iter()
        .map(|name| {
            let count = |text: &&str| {
                let mut counts = FxHashMap::default();
                Words::read(text).iter().for_each(|w| *counts.entry(w.to_owned()).or_default() += 1.0f32);
                counts
            };
            table.texts(name).iter().map(count).collect()
        })
        .collect();
    let mut spread: FxHashMap<String, f32> = FxHashMap::default();
    for label in &texts {
        let words: FxHashSet<&String> = label.iter().flat_map(|t| t.keys()).collect();
        words.into_iter().for_each(|w| *spread.entry(w.clone()).or_default() += 1.0);
    }
    let whole = labels.len() as f32;
    texts
        .iter()
        .map(|label| {
            let mut weights: FxHashMap<&str, f32> = FxHashMap::default();
            for (i, text) in label.iter().enumerate() {
                let share = if i == 0 { 1.0 } else { 1.0 / (label.len() - 1) as f32 };
                for (word, count) in text {
                    *weights.entry(word).or_default() += share * count * (whole / spread[word]).ln().max(0.0);
                }
            }
            let mut out: Vec<(String, f32)> =
                weights.into_iter().filter(|(_, w)| *w > 0.0).map(|(word, w)| (word.to_owned(), w)).collect();
            out.sort_by(|a, b| a.0.cmp(&b.0));
            out
        })
        .collect()
}

/// The first numbers of a network.
fn first(
    shape: Shape,
    texts: &[f32],
    positive: &[usize],
    documents: usize,
    with_bag: bool,
    dice: &mut SplitMix64,
) -> Vec<f32> {
    let Shape { input, width, labels, .. } = shape;
    let mut numbers = vec![0.0f32; shape.numbers()];
    let mut fill =
        |numbers: &mut [f32], scale: f32| numbers.iter_mut().for_each(|x| *x = scale * dice.symmetric());
    fill(&mut numbers[shape.context()], 0.5 / (3.0 * input as f32).sqrt());
    fill(&mut numbers[shape.queries()], 0.5 / (width as f32).sqrt());
    fill(&mut numbers[shape.outputs()], 0.1 / (width as f32).sqrt());
    let project = shape.project();
    if input == width {
        (0..width).for_each(|i| numbers[project.start + i * width + i] = 1.0);
    } else {
        fill(&mut numbers[project.clone()], (3.0 / width as f32).sqrt());
    }
    let attend = shape.attend();
    (0..width).for_each(|i| numbers[attend.start + i * width + i] = 1.0);
    for l in 0..labels {
        let text = &texts[l * input..][..input];
        let known = text.iter().any(|&x| x != 0.0);
        let mut line = vec![0.0; width];
        for (i, &x) in text.iter().enumerate() {
            let row = numbers[project.start + i * width..][..width].to_vec();
            taire_encoder::math::axpy(x, &row, &mut line);
        }
        for (part, scale) in [(shape.queries(), QUERY), (shape.outputs(), OUTPUT)] {
            taire_encoder::math::axpy(scale, &line, &mut numbers[part][l * width..][..width]);
        }
        let prior = (positive[l] as f32 + 0.5) / (documents as f32 + 1.0);
        numbers[shape.bias()][l] = match (with_bag, known) {
            (true, true) => -0.5 * OUTPUT,
            (true, false) => 0.0,
            (false, true) => (prior / (1.0 - prior)).ln() - 0.5 * OUTPUT,
            (false, false) => (prior / (1.0 - prior)).ln(),
        };
    }
    numbers[shape.bag()] = f32::from(u8::from(with_bag));
    numbers
}

/// What one lane of a batch found.
struct BatchGradient {
    gradient: Vec<f32>,
    of_vectors: Vec<(usize, Vec<f32>)>,
    loss: f64,
}

fn learn(
    parts: &[Vec<Prepared<'_>>; 2],
    start: &Start,
    pooling: Pooling,
    labels: &Labels,
    number: usize,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> (Member, Vec<Vec<f32>>) {
    let [train, dev] = parts;
    let shape = Shape { input: start.input, width: options.width, labels: labels.len(), pooling };
    let mut dice = SplitMix64::new(options.seed.wrapping_mul(1000).wrapping_add(number as u64));
    let mut positive = vec![0usize; labels.len()];
    train.iter().flat_map(|p| &p.truth).for_each(|&l| positive[l] += 1);
    let numbers = first(shape, &start.texts, &positive, train.len(), options.with_bag, &mut dice);
    let mut member = Member { table: start.table.clone(), net: Net::new(shape, numbers) };
    let (mut adam, mut table_adam) = (Adam::new(shape.numbers()), Adam::new(member.table.len()));
    let mut of_table = vec![0.0f32; member.table.len()];
    let (dev_truth, missed) = truth(dev, labels);
    let (mut best, mut since) = ((-1.0f64, None), 0);
    let began = Instant::now();
    let size = (train.len() / STEPS).clamp(1, options.batch.max(1));
    let steps = options.epochs * train.len().div_ceil(size);
    let mut step = 0;
    for epoch in 1..=options.epochs {
        let mut order: Vec<usize> = (0..train.len()).collect();
        dice.shuffle(&mut order);
        let mut loss = 0.0;
        for batch in order.chunks(size) {
            let seed = dice.next_u64() as u32;
            let found = threads::map(options.threads, LANES.min(batch.len()), |lane| {
                lane_of(&member, train, batch, lane, seed, options)
            });
            let rate = options.rate * (1.0 - step as f32 / steps as f32);
            step += 1;
            let mut gradient = vec![0.0f32; shape.numbers()];
            for lane in &found {
                taire_encoder::math::axpy(1.0 / batch.len() as f32, &lane.gradient, &mut gradient);
                loss += lane.loss;
            }
            adam.begin(rate);
            adam.apply(0, &mut member.net.numbers, &gradient, options.decay);
            member.net.pack(true);
            if !member.table.is_empty() {
                move_table(
                    &mut member.table,
                    &mut table_adam,
                    &mut of_table,
                    train,
                    &found,
                    shape.input,
                    batch.len(),
                    rate,
                );
            }
        }
        let logits = dev_logits(&member, dev, options.threads);
        let (_, f1) = best_threshold(&logits, &dev_truth, missed);
        let spent = began.elapsed().div_f64(epoch as f64);
        let members = options.members.max(1);
        let to_do = (options.epochs - epoch) + (members - 1 - number) * options.epochs;
        progress(Progress {
            member: number + 1,
            members,
            epoch,
            epochs: options.epochs,
            loss: (loss / train.len() as f64) as f32,
            dev_f1: f1,
            left: spent.mul_f64(to_do as f64),
        });
        if f1 > best.0 {
            best = (f1, Some((member.net.numbers.clone(), member.table.clone(), logits)));
            since = 0;
        } else {
            since += 1;
            if since >= options.patience {
                break;
            }
        }
    }
    let Some((numbers, table, logits)) = best.1 else {
        let logits = dev_logits(&member, dev, options.threads);
        return (member, logits);
    };
    (Member { table, net: Net::new(shape, numbers) }, logits)
}

fn vectors_of<'a>(member: &Member, prepared: &'a Prepared<'_>, own: &'a mut Vec<f32>) -> &'a [f32] {
    if member.table.is_empty() {
        return &prepared.fixed;
    }
    gather(&prepared.pairs, &member.table, member.net.shape.input, own);
    own
}

fn lane_of(
    member: &Member,
    train: &[Prepared<'_>],
    batch: &[usize],
    lane: usize,
    seed: u32,
    options: &Options,
) -> BatchGradient {
    let mut found =
        BatchGradient { gradient: vec![0.0; member.net.shape.numbers()], of_vectors: Vec::new(), loss: 0.0 };
    let mut tape = Tape::default();
    let (mut own, mut slopes) = (Vec::new(), Vec::new());
    for (place, &i) in batch.iter().enumerate().skip(lane).step_by(LANES) {
        let prepared = &train[i];
        let vectors = vectors_of(member, prepared, &mut own);
        let segments = segments(vectors.len() / member.net.shape.input);
        let input = Input { vectors, segments: &segments, bag: &prepared.bag };
        let dropped = Drop { share: options.dropout, seed: seed ^ (place as u32).wrapping_mul(0x9e37_79b9) };
        member.net.run(input, dropped, &mut tape);
        slopes.clear();
        for (l, &z) in tape.logits.iter().enumerate() {
            let y = f32::from(u8::from(prepared.truth.binary_search(&l).is_ok()));
            slopes.push(1.0 / (1.0 + (-z).exp()) - y);
            found.loss += f64::from(z.max(0.0) - z * y + (-z.abs()).exp().ln_1p());
        }
        let mut of_vectors = Vec::new();
        member.net.back(
            input,
            dropped,
            &mut tape,
            &slopes,
            options.least_slope,
            &mut found.gradient,
            &mut of_vectors,
        );
        found.of_vectors.push((i, of_vectors));
    }
    found
}

/// Moves the rows of the table that the batch touched.
#[allow(clippy::too_many_arguments)]
fn move_table(
    table: &mut [f32],
    adam: &mut Adam,
    gradient: &mut [f32],
    train: &[Prepared<'_>],
    found: &[BatchGradient],
    width: usize,
    batch: usize,
    rate: f32,
) {
    let mut touched = Vec::new();
    for (i, slopes) in found.iter().flat_map(|f| &f.of_vectors) {
        scatter(&train[*i].pairs, slopes, width, |row, share, slope| {
            touched.push(row);
            taire_encoder::math::axpy(
                share / batch as f32,
                slope,
                &mut gradient[row as usize * width..][..width],
            );
        });
    }
    touched.sort_unstable();
    touched.dedup();
    adam.begin(rate);
    for row in touched {
        let at = row as usize * width;
        adam.apply(at, &mut table[at..][..width], &gradient[at..][..width], 0.0);
        gradient[at..][..width].fill(0.0);
    }
}

fn dev_logits(member: &Member, dev: &[Prepared<'_>], threads: usize) -> Vec<Vec<f32>> {
    threads::map(threads, dev.len(), |i| {
        let (mut tape, mut own) = (Tape::default(), Vec::new());
        let vectors = vectors_of(member, &dev[i], &mut own);
        let segments = segments(vectors.len() / member.net.shape.input);
        member.net.run(Input { vectors, segments: &segments, bag: &dev[i].bag }, Drop::NONE, &mut tape);
        tape.logits
    })
}
