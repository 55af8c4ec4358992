//! Lessons for a trainer outside this program, and its result read back as a model of ours.
//!
//! A lesson file is `taire-lessons 1`, a line of JSON ([`About`]), then every window as little-endian numbers: how many pieces, words
//! and clues it has (16 bits each), its pieces (32), the first piece of each word (16), the label of each word (8), where
//! the clues of each word end (16), the clues (16).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use taire_encoder::{Encoder, ModelFiles, Tokeniser, read_folder};
use taire_text::Language;

use super::chain::Labels;
use super::clues::{CLUES, Words};
use super::file::{Parts, write_model};
use super::judge::Judge;
use super::tagger::{Head, HeadShape, Tagger, WINDOW, Window};
use super::windows::{Sample, WindowPlan};
use crate::Error;
use crate::error::{encoder_error, file_error};
use crate::train::{GoldDocument, Tally, class_names, gold_spans};

const FORMAT: &[u8] = b"taire-lessons 1\n";

#[derive(Serialize)]
struct About<'a> {
    classes: &'a [String],
    labels: usize,
    clues: usize,
    windows: usize,
}

/// How documents become windows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LessonOptions {
    pub seed: u64,
    pub epoch: usize,
    /// Of windows without a span, the share that is written.
    pub negative_rate: f32,
}

/// Writes lesson files for one encoder and one set of classes.
pub struct Lessons {
    tokeniser: Tokeniser,
    classes: Vec<String>,
    room: usize,
}

impl std::fmt::Debug for Lessons {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lessons").field("classes", &self.classes).finish_non_exhaustive()
    }
}

impl Lessons {
    /// For the encoder in a folder and the classes of some gold documents.
    pub fn new(encoder: &Path, gold: &[GoldDocument]) -> Result<Lessons, Error> {
        let (weights, tokeniser) = read_folder(encoder).map_err(encoder_error)?;
        let room = WINDOW.min(weights.shape.longest()) - 2;
        Ok(Lessons { tokeniser, classes: class_names(gold)?, room })
    }

    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Writes the windows of an epoch over these documents; returns how many there are.
    pub fn write(&self, gold: &[GoldDocument], options: LessonOptions, path: &Path) -> Result<usize, Error> {
        let LessonOptions { seed, epoch, negative_rate } = options;
        let samples: Vec<Sample> =
            gold.iter().map(|d| Sample::new(&self.tokeniser, d, &self.classes)).collect();
        let labels = Labels { classes: self.classes.len() };
        let plan = WindowPlan { room: self.room, labels, negative_rate, seed };
        let windows = plan.epoch(&samples, epoch);
        let failed = |e| file_error(path, e);
        let mut out = BufWriter::new(File::create(path).map_err(failed)?);
        let about =
            About { classes: &self.classes, labels: labels.count(), clues: CLUES, windows: windows.len() };
        let about = serde_json::to_string(&about).map_err(|e| Error::new(e.to_string()))?;
        out.write_all(FORMAT).map_err(failed)?;
        writeln!(out, "{about}").map_err(failed)?;
        for place in &windows {
            let sample = &samples[place.sample];
            let window = sample.cut.window(place.from..place.to, self.tokeniser.borders());
            let words = if place.without_rules { &sample.without_rules } else { &sample.cut.words };
            write_window(&mut out, &window, words, &sample.labels[place.from..place.to]).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        Ok(windows.len())
    }
}

fn write_window(
    out: &mut impl Write,
    window: &Window,
    words: &Words,
    labels: &[usize],
) -> std::io::Result<()> {
    let clues: Vec<&[u16]> = window.words.clone().map(|word| words.clues(word)).collect();
    let count: usize = clues.iter().map(|c| c.len()).sum();
    for size in [window.pieces.len(), window.firsts.len(), count] {
        out.write_all(&(size as u16).to_le_bytes())?;
    }
    for piece in &window.pieces {
        out.write_all(&piece.to_le_bytes())?;
    }
    for &first in &window.firsts {
        out.write_all(&(first as u16).to_le_bytes())?;
    }
    for &label in labels {
        out.write_all(&[label as u8])?;
    }
    let mut end = 0u16;
    for clues in &clues {
        end += clues.len() as u16;
        out.write_all(&end.to_le_bytes())?;
    }
    for clue in clues.into_iter().flatten() {
        out.write_all(&clue.to_le_bytes())?;
    }
    Ok(())
}

/// What became of a model when it was packed.
#[derive(Debug, Clone, PartialEq)]
pub struct PackReport {
    pub temperature: f32,
    /// Exact matches on the development documents, before numbers were made small.
    pub dev: Tally,
}

/// Makes a model of a trained encoder (`config.json`, `tokenizer.json`, `model.safetensors`) and its head
/// (`head.safetensors`) in one folder. The development documents choose the temperature.
pub fn pack_model(
    trained: &Path,
    languages: &[Language],
    classes: &[String],
    dev: &[GoldDocument],
    output: &Path,
) -> Result<PackReport, Error> {
    let (weights, tokeniser) = read_folder(trained).map_err(encoder_error)?;
    let path = trained.join("tokenizer.json");
    let tokeniser_text = std::fs::read_to_string(&path).map_err(|e| file_error(&path, e))?;
    let shape = HeadShape { width: weights.shape.width, labels: Labels { classes: classes.len() }.count() };
    let head = read_head(trained, shape)?;
    let parsed = classes.iter().map(|c| c.parse()).collect::<Result<_, Error>>()?;
    let encoder = Encoder::new(weights.clone());
    let mut tagger =
        Tagger { languages: languages.to_vec(), classes: parsed, encoder, tokeniser, head, temperature: 1.0 };
    let gold: Vec<_> = dev.iter().map(|document| gold_spans(document, classes).spans).collect();
    let some: Vec<usize> = (0..dev.len()).step_by(3).collect();
    let judge = Judge { tagger: &tagger, threads: 1 };
    let temperature = judge.temperature(dev, &gold, &some);
    let (tally, _) = judge.tally(dev, &gold, &some);
    tagger.temperature = temperature;
    let head = &tagger.head;
    write_model(
        output,
        &Parts { languages, classes, weights: &weights, head, temperature, tokeniser: &tokeniser_text },
    )?;
    Ok(PackReport { temperature, dev: tally })
}

fn read_head(trained: &Path, shape: HeadShape) -> Result<Head, Error> {
    let mut tensors = ModelFiles::Folder(trained).tensors("head.safetensors").map_err(encoder_error)?;
    let mut read = |name: &str, size: &[usize]| tensors.read(name, size).map_err(encoder_error);
    let mut numbers = read("clues", &[CLUES, shape.width])?;
    numbers.append(&mut read("rows", &[shape.labels, shape.width])?);
    numbers.append(&mut read("biases", &[shape.labels])?);
    numbers.append(&mut read("clue_scores", &[CLUES, shape.labels])?);
    numbers.append(&mut read("transitions", &[shape.labels, shape.labels])?);
    Ok(Head {
        shape,
        numbers,
        mean: read("mean", &[shape.width])?,
        inverse: read("inverse", &[shape.width])?,
    })
}
