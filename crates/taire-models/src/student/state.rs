//! The state of a training run after an epoch, so that one that was killed goes on with the same result.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use taire_encoder::safetensors::{Named, Tensors, write};

use crate::Error;

/// How far a run has come.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Reached {
    pub(crate) epochs: usize,
    pub(crate) steps: usize,
    pub(crate) best_epoch: usize,
    pub(crate) best: f32,
}

fn failed(file: &Path, e: impl std::fmt::Display) -> Error {
    Error::new(format!("{}: {e}", file.display()))
}

/// Writes beside and renames, so that a kill leaves the old state or the new one.
pub(crate) fn save(
    file: &Path,
    options: &str,
    numbers: &mut [(&'static str, &mut Vec<f32>)],
    reached: Reached,
) -> Result<(), Error> {
    let Reached { epochs, steps, best_epoch, best } = reached;
    let progress = [epochs as f32, steps as f32, best_epoch as f32, best];
    let named = |name: &str, values| {
        let values: &[f32] = values;
        Named { name: name.to_owned(), shape: vec![values.len()], values, small: false }
    };
    let parts: Vec<Named<'_>> = numbers
        .iter()
        .map(|(name, values)| named(name, values.as_slice()))
        .chain([named("progress", &progress)])
        .collect();
    fs::write(file.with_extension("options"), options).map_err(|e| failed(file, e))?;
    let beside = file.with_extension("part");
    let mut out = BufWriter::new(File::create(&beside).map_err(|e| failed(file, e))?);
    write(&mut out, &parts).and_then(|()| out.flush()).map_err(|e| failed(file, e))?;
    fs::rename(&beside, file).map_err(|e| failed(file, e))
}

/// Goes on from a state, if there is one; one with other options is refused.
pub(crate) fn resume(
    file: &Path,
    options: &str,
    numbers: &mut [(&'static str, &mut Vec<f32>)],
) -> Result<Reached, Error> {
    if !file.exists() {
        return Ok(Reached::default());
    }
    let saved = fs::read_to_string(file.with_extension("options")).map_err(|e| failed(file, e))?;
    if saved != options {
        return Err(failed(
            file,
            "options changed since this run started; remove it or choose another output",
        ));
    }
    let mut tensors = Tensors::open(file).map_err(|e| failed(file, e))?;
    for (name, values) in numbers {
        **values = tensors.read(name, &[values.len()]).map_err(|e| failed(file, e))?;
    }
    let progress = tensors.read("progress", &[4]).map_err(|e| failed(file, e))?;
    Ok(Reached {
        epochs: progress[0] as usize,
        steps: progress[1] as usize,
        best_epoch: progress[2] as usize,
        best: progress[3],
    })
}
