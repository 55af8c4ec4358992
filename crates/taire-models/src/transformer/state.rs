//! The state of a training run, so that one that was killed goes on where it was.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use taire_encoder::safetensors::{Named, Tensors, write};

use super::adam::Adam;
use crate::Error;
use crate::error::file_error;

/// How far a run has come. The numbers are those of the encoder and the head, and the head's mean and deviation.
pub(crate) struct State {
    print: String,
    pub(crate) step: usize,
    pub(crate) epochs: usize,
    pub(crate) best_f1: f64,
    pub(crate) best_epoch: usize,
    pub(crate) best: Option<[Vec<f32>; 2]>,
    pub(crate) numbers: [Vec<f32>; 4],
    pub(crate) adam: [Adam; 2],
}

#[derive(Serialize, Deserialize)]
struct About {
    /// The options and the gold, to recognise another run's.
    print: String,
    step: usize,
    epochs: usize,
    best_f1: f64,
    best_epoch: usize,
}

const NUMBERS: [&str; 4] = ["encoder", "head", "mean", "inverse"];
const BEST: [&str; 2] = ["best.encoder", "best.head"];
const ADAM: [[&str; 2]; 2] =
    [["adam.encoder.mean", "adam.encoder.square"], ["adam.head.mean", "adam.head.square"]];

impl State {
    pub(crate) fn new(print: String) -> State {
        State {
            print,
            step: 0,
            epochs: 0,
            best_f1: 0.0,
            best_epoch: 0,
            best: None,
            numbers: Default::default(),
            adam: Default::default(),
        }
    }

    /// The state in a file, if there is one; another run's is refused.
    pub(crate) fn read(
        file: &Path,
        print: &str,
        encoder: usize,
        head: usize,
    ) -> Result<Option<State>, Error> {
        let broken = |e: &dyn std::fmt::Display| Error::new(format!("{}: {e}", file.display()));
        if !file.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(file.with_extension("json")).map_err(|e| broken(&e))?;
        let about: About = serde_json::from_str(&text).map_err(|e| broken(&e))?;
        if about.print != print {
            return Err(broken(
                &"it is the state of a run with other options or other gold; remove it, or choose another output",
            ));
        }
        let mut tensors = Tensors::open(file).map_err(|e| broken(&e))?;
        let mut read = |name: &str| {
            let count = tensors.shape(name).and_then(|s| s.first().copied()).unwrap_or(0);
            tensors.read(name, &[count]).map_err(|e| broken(&e))
        };
        let numbers = [read(NUMBERS[0])?, read(NUMBERS[1])?, read(NUMBERS[2])?, read(NUMBERS[3])?];
        let mut adam: [Adam; 2] = Default::default();
        for (adam, names) in adam.iter_mut().zip(ADAM) {
            *adam = Adam { mean: read(names[0])?, square: read(names[1])? };
        }
        if numbers[0].len() != encoder
            || numbers[1].len() != head
            || adam[0].mean.len() != encoder
            || adam[1].square.len() != head
        {
            return Err(broken(&"it does not fit this encoder; remove it"));
        }
        let best = match about.best_epoch {
            0 => None,
            _ => Some([read(BEST[0])?, read(BEST[1])?]),
        };
        let About { step, epochs, best_f1, best_epoch, print } = about;
        Ok(Some(State { print, step, epochs, best_f1, best_epoch, best, numbers, adam }))
    }

    /// Writes beside and renames, so that a kill leaves the old state or the new one.
    pub(crate) fn write(&self, file: &Path, numbers: [&Vec<f32>; 4], adam: &[Adam; 2]) -> Result<(), Error> {
        let failed = |e: std::io::Error| file_error(file, e);
        let named = |name: &str, values| {
            let values: &[f32] = values;
            Named { name: name.into(), shape: vec![values.len()], values, small: false }
        };
        let mut tensors: Vec<Named<'_>> =
            NUMBERS.iter().zip(numbers).map(|(name, values)| named(name, values.as_slice())).collect();
        for (adam, names) in adam.iter().zip(ADAM) {
            tensors.push(named(names[0], &adam.mean));
            tensors.push(named(names[1], &adam.square));
        }
        for (name, values) in BEST.iter().zip(self.best.iter().flatten()) {
            tensors.push(named(name, values));
        }
        let beside = file.with_extension("part");
        let mut out = BufWriter::new(File::create(&beside).map_err(failed)?);
        write(&mut out, &tensors).and_then(|()| out.flush()).map_err(failed)?;
        let about = About {
            print: self.print.clone(),
            step: self.step,
            epochs: self.epochs,
            best_f1: self.best_f1,
            best_epoch: self.best_epoch,
        };
        let about = serde_json::to_string(&about).map_err(|e| Error::new(e.to_string()))?;
        fs::write(file.with_extension("json"), about).map_err(failed)?;
        fs::rename(&beside, file).map_err(failed)
    }
}
