//! Training: the encoder and its head from gold documents.
//!
//! AdamW with a rate that rises and then falls in a line, gradients clipped, a share of numbers dropped, the head
//! faster than the encoder, embeddings as they are. The development documents are never learned from: they choose
//! the epoch that is kept and the temperature. A run that was killed goes on from its last state.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use taire_encoder::{Backward, Encoder, Weights, read_folder};

use super::adam::{Adam, add, clip};
use super::chain::Labels;
use super::file::{Parts, write_model};
use super::judge::Judge;
use super::learn::{Gradients, Lesson, Shard};
use super::state::State;
use super::tagger::{Head, HeadShape, Tagger};
use super::windows::{Sample, TrainingWindow, WindowPlan};
use crate::Error;
use crate::error::{encoder_error, file_error};
use crate::train::{
    GoldDocument, Tally, class_names, gold_spans, languages_of, write_changed_spans, write_tallies,
};

/// How to train.
#[derive(Debug, Clone, PartialEq)]
pub struct TransformerOptions {
    pub epochs: usize,
    /// Windows of a step.
    pub batch: usize,
    pub encoder_rate: f32,
    pub head_rate: f32,
    pub dropout: f32,
    /// The share of all steps in which the rate rises.
    pub warm_up: f32,
    pub clip: f32,
    pub decay: f32,
    /// Stop when the development score has not improved for so many epochs.
    pub patience: usize,
    /// Layers of the encoder that are kept; all where none is given.
    pub layers: Option<usize>,
    /// Of windows without a span, the share that is read in each epoch.
    pub negative_rate: f32,
    /// Development documents looked at after each epoch; all are at the end.
    pub dev_sample: usize,
    pub seed: u64,
    pub threads: usize,
}

impl Default for TransformerOptions {
    fn default() -> Self {
        TransformerOptions {
            epochs: 8,
            batch: 8,
            encoder_rate: 2e-4,
            head_rate: 2e-3,
            dropout: 0.1,
            warm_up: 0.08,
            clip: 1.0,
            decay: 0.01,
            patience: 3,
            layers: None,
            negative_rate: 0.3,
            dev_sample: 60,
            seed: 1,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        }
    }
}

/// Said after every step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransformerProgress {
    pub step: usize,
    pub steps: usize,
    pub epoch: usize,
    /// Loss a word, averaged over the last steps.
    pub loss: f64,
    pub left: Duration,
    /// Strict F1 on some development documents, at the end of an epoch.
    pub dev_f1: Option<f64>,
}

/// What a training run did.
#[derive(Debug, Clone, PartialEq)]
pub struct TransformerReport {
    pub documents: usize,
    pub words: usize,
    pub spans: usize,
    pub spans_inside_tokens: usize,
    pub spans_dropped: usize,
    pub steps: usize,
    pub best_epoch: usize,
    pub temperature: f32,
    pub dev: Option<Tally>,
    pub dev_by_class: BTreeMap<String, Tally>,
}

impl fmt::Display for TransformerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} documents, {} words, {} spans", self.documents, self.words, self.spans)?;
        write_changed_spans(f, self.spans_inside_tokens, self.spans_dropped)?;
        writeln!(
            f,
            "{} steps; kept epoch {}, temperature {:.2}",
            self.steps, self.best_epoch, self.temperature
        )?;
        let Some(dev) = &self.dev else { return Ok(()) };
        write_tallies(f, &self.dev_by_class, dev)
    }
}

/// Trains a model from the encoder in a folder and writes it into another. `state` is the file a killed run goes on
/// from; it is removed at the end.
pub fn train_transformer(
    encoder: &Path,
    gold: &[GoldDocument],
    dev: &[GoldDocument],
    options: &TransformerOptions,
    output: &Path,
    progress: &mut dyn FnMut(TransformerProgress),
) -> Result<TransformerReport, Error> {
    let classes = class_names(gold)?;
    let languages = languages_of(gold);
    let (mut weights, tokeniser) = read_folder(encoder).map_err(encoder_error)?;
    let path = encoder.join("tokenizer.json");
    let tokeniser_text = std::fs::read_to_string(&path).map_err(|e| file_error(&path, e))?;
    weights.keep_layers(options.layers.unwrap_or(usize::MAX));
    let labels = Labels { classes: classes.len() };
    let shape = HeadShape { width: weights.shape.width, labels: labels.count() };
    let head = Head {
        shape,
        numbers: vec![0.0; shape.len()],
        mean: vec![0.0; shape.width],
        inverse: vec![1.0; shape.width],
    };
    let mut report = TransformerReport {
        documents: gold.len(),
        words: 0,
        spans: 0,
        spans_inside_tokens: 0,
        spans_dropped: 0,
        steps: 0,
        best_epoch: 0,
        temperature: 1.0,
        dev: None,
        dev_by_class: BTreeMap::new(),
    };
    let mut samples = Vec::with_capacity(gold.len());
    for document in gold {
        let sample = Sample::new(&tokeniser, document, &classes);
        report.spans += sample.spans;
        report.spans_inside_tokens += sample.inexact;
        report.spans_dropped += sample.dropped;
        report.words += sample.labels.len();
        samples.push(sample);
    }
    let parsed = classes.iter().map(|c| c.parse()).collect::<Result<_, Error>>()?;
    let flat = weights.flat.clone();
    let encoder = Encoder::new(weights.clone());
    let tagger =
        Tagger { languages: languages.clone(), classes: parsed, encoder, tokeniser, head, temperature: 1.0 };
    let mut run = Run {
        options,
        samples,
        tagger,
        flat,
        back: Backward::new(&weights.shape, &weights.flat),
        weights,
        adam: [Adam::default(), Adam::default()],
    };
    let file = output.join("training.state");
    std::fs::create_dir_all(output).map_err(|e| file_error(output, e))?;
    let print =
        format!("{:?} {classes:?} {}", TransformerOptions { threads: 0, ..options.clone() }, report.words);
    let mut state = run.begin(&file, print)?;
    let epochs: Vec<Vec<TrainingWindow>> = (0..options.epochs).map(|epoch| run.places(epoch)).collect();
    let in_epoch = |epoch: usize| epochs[epoch].len().div_ceil(options.batch.max(1));
    let steps: usize = (0..options.epochs).map(in_epoch).sum();
    let dev_gold: Vec<_> = dev.iter().map(|document| gold_spans(document, &classes).spans).collect();
    let some: Vec<usize> = (0..dev.len())
        .step_by((dev.len() / options.dev_sample.max(1)).max(1))
        .take(options.dev_sample)
        .collect();
    let clock = Instant::now();
    let started = state.step;
    let mut loss = 0.0;
    let mut saved = Instant::now();
    for (epoch, places) in epochs.iter().enumerate() {
        let before: usize = (0..epoch).map(in_epoch).sum();
        for (i, batch) in places.chunks(options.batch.max(1)).enumerate() {
            if before + i < state.step {
                continue;
            }
            let now = run.step(before + i, steps, batch);
            if !now.is_finite() {
                return Err(Error::new("the loss is no number any more; train with a smaller rate"));
            }
            loss = if before + i == started { now } else { 0.95 * loss + 0.05 * now };
            state.step = before + i + 1;
            let share = (steps - state.step) as f64 / (state.step - started) as f64;
            progress(TransformerProgress {
                step: state.step,
                steps,
                epoch: epoch + 1,
                loss,
                left: clock.elapsed().mul_f64(share),
                dev_f1: None,
            });
            if saved.elapsed() > Duration::from_secs(300) {
                run.save(&file, &mut state)?;
                saved = Instant::now();
            }
        }
        if state.epochs > epoch {
            continue;
        }
        state.epochs = epoch + 1;
        let f1 = match dev.is_empty() {
            true => epoch as f64,
            false => run.judge().tally(dev, &dev_gold, &some).0.f1(),
        };
        progress(TransformerProgress {
            step: state.step,
            steps,
            epoch: epoch + 1,
            loss,
            left: clock.elapsed().mul_f64((steps - state.step) as f64 / (state.step - started).max(1) as f64),
            dev_f1: (!dev.is_empty()).then_some(f1),
        });
        if state.best_epoch == 0 || f1 > state.best_f1 {
            (state.best_f1, state.best_epoch) = (f1, epoch + 1);
            state.best = Some([run.flat.clone(), run.tagger.head.numbers.clone()]);
            run.write(output, &languages, &classes, &tokeniser_text)?;
        }
        run.save(&file, &mut state)?;
        saved = Instant::now();
        if epoch + 1 - state.best_epoch >= options.patience {
            break;
        }
    }
    if let Some([flat, numbers]) = state.best.take() {
        run.flat = flat;
        run.tagger.head.numbers = numbers;
        run.tagger.encoder.update(&run.flat);
    }
    run.tagger.temperature = run.judge().temperature(dev, &dev_gold, &some);
    run.write(output, &languages, &classes, &tokeniser_text)?;
    report.steps = state.step;
    report.best_epoch = state.best_epoch;
    report.temperature = run.tagger.temperature;
    if !dev.is_empty() {
        let all: Vec<usize> = (0..dev.len()).collect();
        let (tally, by_class) = run.judge().tally(dev, &dev_gold, &all);
        report.dev = Some(tally);
        report.dev_by_class = classes.iter().cloned().zip(by_class).collect();
    }
    let _ = std::fs::remove_file(&file);
    Ok(report)
}

struct Run<'a> {
    options: &'a TransformerOptions,
    samples: Vec<Sample>,
    tagger: Tagger,
    /// The encoder's numbers as they are now.
    flat: Vec<f32>,
    back: Backward,
    /// Embeddings, and the numbers as they were.
    weights: Weights,
    /// Of the encoder, of the head.
    adam: [Adam; 2],
}

impl Run<'_> {
    fn judge(&self) -> Judge<'_> {
        Judge { tagger: &self.tagger, threads: self.options.threads.max(1) }
    }

    /// Starts anew, or where the state says.
    fn begin(&mut self, file: &Path, print: String) -> Result<State, Error> {
        self.adam = [Adam::new(self.flat.len()), Adam::new(self.tagger.head.numbers.len())];
        if let Some(mut state) = State::read(file, &print, self.flat.len(), self.tagger.head.numbers.len())? {
            let [flat, head, mean, inverse] = &mut state.numbers;
            self.flat = std::mem::take(flat);
            self.tagger.head.numbers = std::mem::take(head);
            self.tagger.head.mean = std::mem::take(mean);
            self.tagger.head.inverse = std::mem::take(inverse);
            self.adam = std::mem::take(&mut state.adam);
            self.tagger.encoder.update(&self.flat);
            self.back.update(&self.weights.shape, &self.flat);
            return Ok(state);
        }
        self.standardise();
        Ok(State::new(print))
    }

    fn save(&self, file: &Path, state: &mut State) -> Result<(), Error> {
        let head = &self.tagger.head;
        state.write(file, [&self.flat, &head.numbers, &head.mean, &head.inverse], &self.adam)
    }

    /// Measures mean and deviation of the untrained encoder's output over some windows.
    fn standardise(&mut self) {
        let places = self.places(0);
        let width = self.tagger.head.shape.width;
        let (mut sums, mut squares, mut count) = (vec![0.0f64; width], vec![0.0f64; width], 0.0);
        let mut shard = Shard::default();
        for batch in places.chunks(4).take(12) {
            shard.run(&self.tagger, &self.lessons(batch), None);
            for row in shard.rows.chunks_exact(width) {
                for (j, &x) in row.iter().enumerate() {
                    sums[j] += f64::from(x);
                    squares[j] += f64::from(x).powi(2);
                }
                count += 1.0;
            }
        }
        let head = &mut self.tagger.head;
        for j in 0..width {
            let mean = sums[j] / count;
            head.mean[j] = mean as f32;
            head.inverse[j] = (1.0 / (squares[j] / count - mean * mean).max(1e-6).sqrt()) as f32;
        }
    }

    /// The windows of an epoch, in the order they are read.
    fn places(&self, epoch: usize) -> Vec<TrainingWindow> {
        let plan = WindowPlan {
            room: self.tagger.room(),
            labels: self.tagger.labels(),
            negative_rate: self.options.negative_rate,
            seed: self.options.seed,
        };
        plan.epoch(&self.samples, epoch)
    }

    fn lessons(&self, places: &[TrainingWindow]) -> Vec<Lesson<'_>> {
        let borders = self.tagger.tokeniser.borders();
        let lesson = |place: &TrainingWindow| {
            let sample = &self.samples[place.sample];
            Lesson {
                window: sample.cut.window(place.from..place.to, borders),
                words: if place.without_rules { &sample.without_rules } else { &sample.cut.words },
                gold: &sample.labels[place.from..place.to],
            }
        };
        places.iter().map(lesson).collect()
    }

    /// One step; returns the loss a word.
    fn step(&mut self, step: usize, steps: usize, batch: &[TrainingWindow]) -> f64 {
        let lessons = self.lessons(batch);
        let words: usize = lessons.iter().map(|l| l.gold.len()).sum();
        let threads = self.options.threads.clamp(1, lessons.len().max(1));
        let seed = (self.options.seed as u32).wrapping_mul(0x85eb_ca6b) ^ (step as u32).wrapping_mul(64);
        let (this, lessons) = (&*self, &lessons);
        let work = |shard: usize| {
            let mine: Vec<_> = lessons.iter().skip(shard).step_by(threads).cloned().collect();
            let mut gradients = Gradients::new(this.flat.len(), this.tagger.head.numbers.len());
            let how = (this.options.dropout, seed.wrapping_add(shard as u32), &this.back, words as f32);
            Shard::default().run(&this.tagger, &mine, Some((how, &mut gradients)));
            gradients
        };
        let mut all = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|shard| scope.spawn(move || work(shard))).collect();
            let mut all = work(0);
            for other in others {
                match other.join() {
                    Ok(gradients) => {
                        add(&mut all.encoder, &gradients.encoder);
                        add(&mut all.head, &gradients.head);
                        all.loss += gradients.loss;
                    }
                    Err(_) => all.loss = f64::NAN,
                }
            }
            all
        });
        clip(&mut [&mut all.encoder, &mut all.head], self.options.clip);
        let rise = (self.options.warm_up * steps as f32).max(1.0);
        let at = step as f32 + 1.0;
        let rate =
            (at / rise).min((steps as f32 - step as f32) / (steps as f32 - rise).max(1.0)).clamp(0.0, 1.0);
        let Run { options, adam, flat, tagger, .. } = self;
        let [encoder, head] = adam;
        let decay = options.decay;
        encoder.step(flat, &all.encoder, step + 1, options.encoder_rate * rate, decay, |_| true);
        let rows = tagger.head.shape.rows();
        let decays = |i: usize| rows.contains(&i);
        let rate = options.head_rate * rate;
        head.step(&mut tagger.head.numbers, &all.head, step + 1, rate, decay, decays);
        tagger.encoder.update(flat);
        self.back.update(&self.weights.shape, &self.flat);
        all.loss / words.max(1) as f64
    }

    fn write(
        &self,
        output: &Path,
        languages: &[taire_text::Language],
        classes: &[String],
        tokeniser: &str,
    ) -> Result<(), Error> {
        let weights = Weights { flat: self.flat.clone(), ..self.weights.clone() };
        let (head, temperature) = (&self.tagger.head, self.tagger.temperature);
        write_model(output, &Parts { languages, classes, weights: &weights, head, temperature, tokeniser })
    }
}
