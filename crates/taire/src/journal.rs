//! How far a run is, written down so that a run that was stopped or killed can go on.
//!
//! The outputs keep the order of the inputs, so a place in the input, a length of the output and the counts so far say
//! all. The note lies in the [`Stage`] with what is being written, and is replaced whole every few seconds: what
//! came after it is done again, into the same bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taire_formats::Stage;

use crate::{Error, Report};

/// A place in the inputs: so many items of this input are done, and all inputs before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    pub input: usize,
    pub items: u64,
}

/// What a run can go on from.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    pub place: Place,
    /// How much of an unfinished output belongs to it.
    pub mark: Option<u64>,
    pub report: Report,
}

#[derive(Serialize, Deserialize)]
struct Note {
    version: String,
    asked: BTreeMap<String, String>,
    checkpoint: Checkpoint,
}

/// The note of one run.
#[derive(Debug)]
pub struct Journal {
    stage: Stage,
    asked: BTreeMap<String, String>,
}

impl Journal {
    /// `asked` says what was asked for, piece by piece: a run only goes on with what another began if all is the same.
    pub fn new(stage: Stage, asked: BTreeMap<String, String>) -> Self {
        Journal { stage, asked }
    }

    /// Where an unfinished run of the same kind is, if there is one.
    pub fn resume(&self) -> Result<Option<Checkpoint>, Error> {
        let Some(note) = self.stage.note().map_err(|e| Error::new(e.to_string()))? else { return Ok(None) };
        let again = "leave out --resume to start over";
        let note: Note = serde_json::from_str(&note)
            .map_err(|_| Error::new(format!("the note of the unfinished run cannot be read; {again}")))?;
        if note.version != env!("CARGO_PKG_VERSION") {
            return Err(Error::new(format!(
                "the unfinished run was begun by version {}; go on with that one, or {again}",
                note.version
            )));
        }
        let names: Vec<&str> = self
            .asked
            .iter()
            .filter(|(name, value)| note.asked.get(*name) != Some(value))
            .map(|(name, _)| name.as_str())
            .collect();
        if !names.is_empty() || note.asked.len() != self.asked.len() {
            return Err(Error::new(format!(
                "the unfinished run was begun otherwise ({} differ); give the same command, or {again}",
                names.join(", ")
            )));
        }
        Ok(Some(note.checkpoint))
    }

    pub fn save(&self, checkpoint: Checkpoint) -> Result<(), Error> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let note = Note { version, asked: self.asked.clone(), checkpoint };
        let note = serde_json::to_string(&note)
            .map_err(|_| Error::new("the progress of this run cannot be written down"))?;
        self.stage.set_note(&note).map_err(|e| Error::new(e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_only_with_its_own_kind() {
        let dir = tempfile::tempdir().unwrap();
        let stage = Stage::open(&dir.path().join("s")).unwrap();
        let asked = |key: &str| BTreeMap::from([("key".to_owned(), key.to_owned())]);
        let journal = Journal::new(stage.clone(), asked("1"));
        assert_eq!(journal.resume().unwrap(), None);
        let mut report = Report::new("deid", std::iter::once("fr".to_owned()));
        report.losses.entry("ε".into()).or_default().entry("all".into()).or_default().max = f64::INFINITY;
        let checkpoint = Checkpoint { place: Place { input: 2, items: 7 }, mark: Some(99), report };
        journal.save(checkpoint.clone()).unwrap();
        assert_eq!(journal.resume().unwrap(), Some(checkpoint));
        let other = Journal::new(stage, asked("2")).resume().unwrap_err().to_string();
        assert!(other.contains("key differ"), "{other}");
    }
}
