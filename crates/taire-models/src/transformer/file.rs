//! A trained model as a folder: the encoder in its published format, `tagger.json`, `tagger.safetensors`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use taire_encoder::safetensors::{Named, write};
use taire_encoder::{Encoder, ModelFiles, Weights, read_encoder, read_folder, write_folder};
use taire_text::Language;

use super::clues::CLUES;
use super::tagger::{Head, HeadShape, Tagger};
use crate::Error;
use crate::classes::Class;
use crate::crf::checksum;
use crate::error::encoder_error;

const FORMAT: &str = "taire-tagger 2";
/// The other files of the folder, which belong together.
const FILES: [&str; 4] = ["config.json", "tokenizer.json", "model.safetensors", "tagger.safetensors"];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    format: String,
    /// The languages it reads, `fr` or `fr+es`.
    language: String,
    classes: Vec<String>,
    /// Clues that the head was trained with.
    clues: usize,
    temperature: f32,
    /// A checksum of each of the other files.
    files: BTreeMap<String, String>,
}

/// The checksums of the files as they lie there.
fn checksums(files: &ModelFiles<'_>) -> std::io::Result<BTreeMap<String, String>> {
    let sum = |name: &str| Ok((name.to_owned(), format!("{:016x}", checksum(&files.bytes(name)?))));
    FILES.iter().map(|name| sum(name)).collect()
}

/// What a model is made of, to be written.
pub(crate) struct Parts<'a> {
    pub(crate) languages: &'a [Language],
    pub(crate) classes: &'a [String],
    pub(crate) weights: &'a Weights,
    pub(crate) head: &'a Head,
    pub(crate) temperature: f32,
    /// The text of the encoder's `tokenizer.json`.
    pub(crate) tokeniser: &'a str,
}

pub(crate) fn write_model(folder: &Path, parts: &Parts<'_>) -> Result<(), Error> {
    let failed = |e: std::io::Error| {
        Error::wrap(taire_text::Error::io(format!("model {}: {e}", folder.display())).caused_by(e))
    };
    write_folder(folder, parts.weights, parts.tokeniser, true).map_err(encoder_error)?;
    let s = parts.head.shape;
    let numbers = &parts.head.numbers;
    let named =
        |name: &str, shape: Vec<usize>, values| Named { name: name.into(), shape, values, small: false };
    let tensors = [
        named("clues", vec![CLUES, s.width], &numbers[s.clues()]),
        named("rows", vec![s.labels, s.width], &numbers[s.rows()]),
        named("biases", vec![s.labels], &numbers[s.biases()]),
        named("clue_scores", vec![CLUES, s.labels], &numbers[s.clue_scores()]),
        named("transitions", vec![s.labels, s.labels], &numbers[s.transitions()]),
        named("mean", vec![s.width], &parts.head.mean),
        named("inverse", vec![s.width], &parts.head.inverse),
    ];
    let file = File::create(folder.join("tagger.safetensors")).map_err(failed)?;
    let mut out = BufWriter::new(file);
    write(&mut out, &tensors).and_then(|()| out.flush()).map_err(failed)?;
    let about = About {
        format: FORMAT.into(),
        language: parts.languages.iter().map(|l| l.key()).collect::<Vec<_>>().join("+"),
        classes: parts.classes.to_vec(),
        clues: CLUES,
        temperature: parts.temperature,
        files: checksums(&ModelFiles::Folder(folder)).map_err(failed)?,
    };
    let about = serde_json::to_string_pretty(&about).map_err(|e| Error::new(e.to_string()))?;
    fs::write(folder.join("tagger.json"), about + "\n").map_err(failed)
}

/// Reads a model for detection.
pub(crate) fn read_model(files: &ModelFiles<'_>) -> Result<Tagger, Error> {
    let named = match files {
        ModelFiles::Folder(folder) => folder.display().to_string(),
        ModelFiles::Embedded(_) => "of this program".to_owned(),
    };
    let broken = |e: &dyn std::fmt::Display| Error::new(format!("model {named}: {e}"));
    let text = files.text("tagger.json").map_err(|e| {
        broken(&format!("tagger.json cannot be read: {e}; `taire train transformer` makes such a folder"))
    })?;
    let about: About =
        serde_json::from_str(&text).map_err(|e| broken(&format!("tagger.json does not read: {e}")))?;
    if about.format != FORMAT || about.clues != CLUES {
        return Err(broken(&"it was trained by another version of this program; train it again"));
    }
    if !(about.temperature.is_finite() && about.temperature > 0.01) {
        return Err(broken(&"tagger.json has a temperature that is none"));
    }
    let languages = about.language.split('+').map(|l| l.parse::<Language>().map_err(|e| broken(&e)));
    let languages = languages.collect::<Result<Vec<_>, _>>()?;
    let classes = about.classes.iter().map(|c| c.parse()).collect::<Result<Vec<Class>, Error>>()?;
    let (weights, tokeniser) = match files {
        ModelFiles::Folder(folder) => read_folder(folder),
        ModelFiles::Embedded(_) => read_encoder(files),
    }
    .map_err(encoder_error)?;
    let shape = HeadShape { width: weights.shape.width, labels: 1 + 2 * classes.len() };
    let mut tensors = files.tensors("tagger.safetensors").map_err(|e| broken(&e))?;
    let mut read = |name: &str, dimensions: &[usize]| tensors.read(name, dimensions).map_err(|e| broken(&e));
    let mut numbers = read("clues", &[CLUES, shape.width])?;
    numbers.append(&mut read("rows", &[shape.labels, shape.width])?);
    numbers.append(&mut read("biases", &[shape.labels])?);
    numbers.append(&mut read("clue_scores", &[CLUES, shape.labels])?);
    numbers.append(&mut read("transitions", &[shape.labels, shape.labels])?);
    let (mean, inverse) = (read("mean", &[shape.width])?, read("inverse", &[shape.width])?);
    let head = Head { shape, numbers, mean, inverse };
    // Last, since the checks above describe what is wrong inside a file in plainer words.
    for (name, sum) in checksums(files).map_err(|e| broken(&e))? {
        if about.files.get(&name) != Some(&sum) {
            return Err(broken(&format!(
                "{name} is not the file that was written with this model; copy the folder as a whole, or train again"
            )));
        }
    }
    let encoder = Encoder::quantised(weights);
    Ok(Tagger { languages, classes, encoder, tokeniser, head, temperature: about.temperature })
}
