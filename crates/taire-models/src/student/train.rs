//! Training the student.
//!
//! A batch is two shards whose gradients are summed in order, so the result does not depend on the number of threads.
//! The state is saved after every epoch.

use std::path::Path;
use std::time::Instant;

use taire_encoder::math::Packed;
use taire_text::Label;

use super::backward::{Dropout, Gradients, Learner, Lesson, turned_weights};
use super::decode::{ROLES, labels};
use super::features::{Alphabet, Buckets, Reader, WordRows};
use super::file::to_bytes;
use super::gold::{Sample, StudentDocument, vocabulary};
use super::net::{NetShape, Network};
use super::optimiser::{Optimiser, Pace};
use super::state::{resume, save};
use crate::Error;

/// Where the documents of each epoch come from. The same epoch must give the same documents.
pub trait StudentCorpus {
    fn epoch(&mut self, epoch: usize) -> Result<Vec<StudentDocument>, Error>;

    /// The documents whose words make the vocabulary: as they are, without invented variants.
    fn originals(&mut self) -> Result<Vec<StudentDocument>, Error> {
        self.epoch(0)
    }

    /// What is known beforehand of each word, so many numbers for each; nothing by default.
    fn word_vectors(&mut self, words: &[&str], width: usize) -> Result<Vec<f32>, Error> {
        Ok(vec![0.0; words.len() * width])
    }
}

/// How to train. The defaults are those of the shipped model.
#[derive(Clone, PartialEq, Debug)]
pub struct StudentOptions {
    pub seed: u64,
    pub epochs: usize,
    pub width: usize,
    pub dilations: Vec<usize>,
    /// Words with a row of their own, at most.
    pub word_rows: u32,
    /// Rows for hashed numbers and marks, first words of lines, affixes, shapes, runs of three letters, and what is written
    /// without a space.
    pub mark_rows: u32,
    pub head_rows: u32,
    pub affix_rows: u32,
    pub shape_rows: u32,
    pub trigram_rows: u32,
    pub chunk_rows: u32,
    pub rate: f32,
    pub decay: f32,
    pub clip: f32,
    pub dropout: f32,
    pub word_dropout: f32,
    /// Share of documents read without the mentions of the rules.
    pub rule_dropout: f32,
    /// Words of a batch.
    pub batch: usize,
    /// Share of all steps in which the rate rises.
    pub warm_up: f32,
    /// Share of an epoch over which numbers are averaged; what is measured and kept are the averages.
    pub average: f32,
    /// Subtracted from the score of outside when spans are read.
    pub outside_bias: f32,
    pub threads: usize,
}

impl Default for StudentOptions {
    fn default() -> Self {
        StudentOptions {
            seed: 1,
            epochs: 20,
            width: 128,
            dilations: vec![1, 2, 4, 8, 1, 2, 4],
            word_rows: 48_000,
            mark_rows: 1 << 10,
            head_rows: 1 << 12,
            affix_rows: 1 << 13,
            shape_rows: 1 << 9,
            trigram_rows: 1 << 13,
            chunk_rows: 1 << 11,
            rate: 2e-3,
            decay: 0.01,
            clip: 1.0,
            dropout: 0.1,
            word_dropout: 0.15,
            rule_dropout: 0.2,
            batch: 2500,
            warm_up: 0.05,
            average: 0.7,
            outside_bias: 0.0,
            threads: 1,
        }
    }
}

/// Values the model of an epoch, given its number from 1 and its file.
pub type StudentJudge<'a> = &'a mut dyn FnMut(usize, &[u8]) -> Result<f32, Error>;

/// Said after every epoch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StudentProgress {
    pub epoch: usize,
    pub epochs: usize,
    /// The mean loss of a word.
    pub loss: f64,
    pub words: usize,
    pub seconds: f64,
    /// What the judge made of the model.
    pub value: f32,
    pub is_best: bool,
}

/// Trains a model of these labels. `judge` values the model of each epoch, larger is better; the best is returned and,
/// while training goes on, kept in `output`. The state lies beside it.
pub fn train_student(
    corpus: &mut dyn StudentCorpus,
    classes: &[Label],
    options: &StudentOptions,
    output: &Path,
    (judge, progress): (StudentJudge<'_>, &mut dyn FnMut(StudentProgress)),
) -> Result<Vec<u8>, Error> {
    let words = vocabulary(&corpus.originals()?, options.word_rows as usize)?;
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let vectors = corpus.word_vectors(&texts, options.width)?;
    let word_rows = WordRows::new(words.iter().map(|word| word.hash).collect());
    let shape = NetShape {
        buckets: Buckets {
            words: word_rows.count(),
            marks: options.mark_rows,
            heads: options.head_rows,
            affixes: options.affix_rows,
            shapes: options.shape_rows,
            trigrams: options.trigram_rows,
            chunks: options.chunk_rows,
        },
        width: options.width,
        dilations: options.dilations.clone(),
        outputs: labels(classes.len()) + ROLES,
    };
    let mut run = Run::new(shape, options, &vectors)?;
    let state = output.with_extension("state");
    let print = format!("{:?} {classes:?}", StudentOptions { threads: 0, ..options.clone() });
    let mut reached = resume(&state, &print, &mut run.numbers())?;
    run.network.repack();
    let write = |bytes: &[u8]| {
        std::fs::write(output, bytes).map_err(|e| Error::new(format!("{}: {e}", output.display())))
    };
    let mut reader = Reader::default();
    for epoch in reached.epochs..options.epochs {
        let clock = Instant::now();
        let documents = corpus.epoch(epoch)?;
        let alphabet = Alphabet { buckets: run.network.shape.buckets, words: &word_rows };
        let samples = documents
            .iter()
            .map(|document| Sample::new(document, classes, alphabet, &mut reader))
            .collect::<Result<Vec<_>, Error>>()?;
        drop(documents);
        let words: usize = samples.iter().map(|s| s.labels.len()).sum();
        let loss = run.epoch(&samples, epoch, &mut reached.steps)?;
        let bytes = to_bytes(classes, options.outside_bias, &word_rows, &run.averaged())?;
        let seconds = clock.elapsed().as_secs_f64();
        let value = judge(epoch + 1, &bytes)?;
        let is_best = reached.best_epoch == 0 || value >= reached.best;
        reached.epochs = epoch + 1;
        if is_best {
            (reached.best, reached.best_epoch) = (value, epoch + 1);
            write(&bytes)?;
        }
        save(&state, &print, &mut run.numbers(), reached)?;
        let epochs = options.epochs;
        progress(StudentProgress { epoch: epoch + 1, epochs, loss, words, seconds, value, is_best });
    }
    std::fs::read(output).map_err(|e| Error::new(format!("{}: {e}", output.display())))
}

struct Run<'a> {
    options: &'a StudentOptions,
    network: Network,
    turned: Vec<Packed>,
    optimiser: Optimiser,
    averages: Averages,
    gradients: [Gradients; 2],
    learners: [Learner; 2],
}

/// Steps between two looks at the numbers for their averages.
const LOOK: usize = 8;

/// Moving averages of all numbers.
#[derive(Clone, Default)]
pub(crate) struct Averages {
    pub(crate) dense: Vec<f32>,
    pub(crate) table: Vec<f32>,
}

impl Averages {
    fn look(&mut self, network: &Network, share: f32) {
        let pairs = [(&mut self.dense, &network.dense), (&mut self.table, &network.table)];
        for (averages, numbers) in pairs {
            averages.iter_mut().zip(numbers).for_each(|(a, x)| *a += share * (x - *a));
        }
    }
}

/// A small generator of pseudo-random numbers (xorshift*).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64, stream: u64) -> Dice {
        let mut dice = Dice((seed << 20 ^ stream).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            dice.next();
        }
        dice
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit.max(1)
    }

    /// From 0 to 1.
    fn share(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 24) as f32
    }
}

const FIRST_ROWS: f32 = 0.05;

impl<'a> Run<'a> {
    /// A network to begin with. A word begins with what is known of it.
    fn new(shape: NetShape, options: &'a StudentOptions, words: &[f32]) -> Result<Run<'a>, Error> {
        let mut dice = Dice::new(options.seed, u64::from(u32::MAX));
        let mut draw = |size: f32| (dice.share() * 2.0 - 1.0) * size;
        let mut table: Vec<f32> = (0..shape.table()).map(|_| draw(FIRST_ROWS)).collect();
        let (unknown, known) = table[..shape.buckets.words as usize * shape.width].split_at_mut(shape.width);
        unknown.fill(0.0);
        if known.len() != words.len() {
            return Err(Error::new("the vectors of words do not fit the vocabulary"));
        }
        known.copy_from_slice(words);
        let mut dense = vec![0.0; shape.dense()];
        for i in 0..=shape.dilations.len() {
            let (place, inputs) = match i < shape.dilations.len() {
                true => (shape.layer(i), 3 * shape.width),
                false => (shape.head(), shape.width),
            };
            dense[place.scale].fill(1.0);
            let size = (3.0 / inputs as f32).sqrt();
            dense[place.weights].iter_mut().for_each(|w| *w = draw(size));
        }
        let (count, size, rows) = (shape.dense(), shape.table(), shape.buckets.rows());
        let network = Network::new(shape, table, dense);
        Ok(Run {
            options,
            averages: Averages { dense: network.dense.clone(), table: network.table.clone() },
            network,
            turned: Vec::new(),
            optimiser: Optimiser::new(count, size, rows),
            gradients: [Gradients::new(count, size, rows), Gradients::new(count, size, rows)],
            learners: Default::default(),
        })
    }

    /// All that changes while learning, by name.
    fn numbers(&mut self) -> [(&'static str, &mut Vec<f32>); 9] {
        let Run { network, optimiser, averages, .. } = self;
        [
            ("dense", &mut network.dense),
            ("table", &mut network.table),
            ("dense.mean", &mut optimiser.dense.mean),
            ("dense.square", &mut optimiser.dense.square),
            ("table.mean", &mut optimiser.table.mean),
            ("table.square", &mut optimiser.table.square),
            ("table.steps", &mut optimiser.steps),
            ("dense.average", &mut averages.dense),
            ("table.average", &mut averages.table),
        ]
    }

    /// One pass over the samples; returns the mean loss of a word.
    fn epoch(&mut self, samples: &[Sample], epoch: usize, steps: &mut usize) -> Result<f64, Error> {
        let options = self.options;
        let mut dice = Dice::new(options.seed, epoch as u64);
        let mut order: Vec<usize> = (0..samples.len()).filter(|&i| !samples[i].labels.is_empty()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, dice.below(i + 1));
        }
        let words: usize = samples.iter().map(|s| s.labels.len()).sum();
        let horizon = options.average * words as f32 / options.batch as f32;
        let share = (LOOK as f32 / horizon.max(1e-3)).min(1.0);
        let (mut loss, mut done, mut at) = (0.0, 0, 0);
        while at < order.len() {
            let mut shards: [Vec<Lesson<'_>>; 2] = Default::default();
            let mut sizes = [0; 2];
            while at < order.len() && sizes[0] + sizes[1] < options.batch {
                let sample = &samples[order[at]];
                let shard = usize::from(sizes[1] < sizes[0]);
                let with_rules = dice.share() >= options.rule_dropout;
                shards[shard].push(Lesson { sample, with_rules, seed: dice.next() });
                sizes[shard] += sample.labels.len();
                at += 1;
            }
            done += sizes[0] + sizes[1];
            let progress = (epoch as f32 + done as f32 / words as f32) / options.epochs as f32;
            *steps += 1;
            let now = self.step(&shards, sizes[0] + sizes[1], progress, *steps);
            if !now.is_finite() {
                return Err(Error::new("the loss is no number any more; train with a smaller rate"));
            }
            loss += now;
            if steps.is_multiple_of(LOOK) {
                self.averages.look(&self.network, share);
            }
        }
        Ok(loss / words.max(1) as f64)
    }

    fn step(&mut self, shards: &[Vec<Lesson<'_>>; 2], words: usize, progress: f32, step: usize) -> f64 {
        let Run { options, network, turned, optimiser, gradients, learners, .. } = self;
        turned_weights(network, turned);
        let dropout = Dropout { hidden: options.dropout, word: options.word_dropout };
        let (net, turned) = (&*network, &*turned);
        let work = |lessons: &[Lesson<'_>], learner: &mut Learner, gradients: &mut Gradients| {
            for &lesson in lessons {
                learner.learn(net, turned, lesson, (dropout, words as f32), gradients);
            }
        };
        let ([first, second], [a, b]) = (&mut *gradients, learners);
        if options.threads > 1 {
            std::thread::scope(|scope| {
                scope.spawn(|| work(&shards[1], b, second));
                work(&shards[0], a, first);
            });
        } else {
            work(&shards[0], a, first);
            work(&shards[1], b, second);
        }
        let loss = gradients[0].loss + gradients[1].loss;
        let rate = match progress < options.warm_up {
            true => progress / options.warm_up,
            false => (1.0 - progress) / (1.0 - options.warm_up),
        };
        let rate = options.rate * rate.clamp(0.02, 1.0);
        let pace = Pace { step, rate, decay: options.decay, clip: options.clip };
        optimiser.step(network, gradients, pace);
        network.repack();
        loss
    }

    /// The averaged network, with zeros in the hashed rows that no document touched.
    fn averaged(&self) -> Network {
        let Averages { dense, table } = self.averages.clone();
        let mut network = Network::new(self.network.shape.clone(), table, dense);
        let rows = network.table.chunks_exact_mut(network.shape.width);
        let words = network.shape.buckets.words as usize;
        rows.zip(&self.optimiser.steps)
            .skip(words)
            .filter(|(_, steps)| **steps == 0.0)
            .for_each(|(row, _)| row.fill(0.0));
        network
    }
}
