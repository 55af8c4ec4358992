//! How far a run is, written down so that a run that was stopped or killed can be continued.
//!
//! The outputs keep the order of the inputs, so a position in the inputs, a length of the output and the counts so far
//! are enough. The journal lies in the [`Stage`] with what is being written, and is replaced whole every few seconds: what
//! came after it is done again, into the same bytes.

use serde::{Deserialize, Serialize};
use taire_formats::{Reason, Setting, Stage};

use super::{Fingerprint, InputPosition, PrivateMarks};
use crate::{Error, Report};

/// What a run can be continued from.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// How far the inputs are read.
    pub position: InputPosition,
    /// How much of an unfinished output belongs to it.
    pub mark: Option<u64>,
    /// Documents written to that output from the input being read.
    pub rows: u64,
    /// How much of the private files belongs to it.
    pub private: PrivateMarks,
    /// The counts so far.
    pub report: Report,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    version: String,
    fingerprint: Fingerprint,
    checkpoint: Checkpoint,
}

/// The journal of one run.
#[derive(Debug)]
pub struct Journal {
    stage: Stage,
    fingerprint: Fingerprint,
}

/// The error of an unfinished run that cannot be continued.
fn cannot_continue(why: &str) -> Error {
    Error::usage(Reason::naming(format!("{why}, or leave out "), Setting::Resume, " to start over"))
}

impl Journal {
    /// A run is continued only by one with the same fingerprint.
    pub fn new(stage: Stage, fingerprint: Fingerprint) -> Self {
        Journal { stage, fingerprint }
    }

    /// Where an unfinished run with the same fingerprint is, if there is one.
    pub fn resume(&self) -> Result<Option<Checkpoint>, Error> {
        let Some(entry) = self.stage.note()? else { return Ok(None) };
        let entry: Entry = serde_json::from_str(&entry).map_err(|_| {
            cannot_continue(
                "the journal of the unfinished run cannot be read; continue with the version that began it",
            )
        })?;
        if entry.version != env!("CARGO_PKG_VERSION") {
            return Err(cannot_continue(&format!(
                "the unfinished run was started by version {}; continue with that one",
                entry.version
            )));
        }
        let changed = self.fingerprint.differences(&entry.fingerprint);
        if !changed.is_empty() {
            return Err(cannot_continue(&format!(
                "options changed since this run started: {}; give the same ones",
                changed.join(", ")
            )));
        }
        Ok(Some(entry.checkpoint))
    }

    /// Replaces what was saved before.
    pub fn save(&self, checkpoint: Checkpoint) -> Result<(), Error> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let entry = Entry { version, fingerprint: self.fingerprint.clone(), checkpoint };
        let entry = serde_json::to_string(&entry)
            .map_err(|_| Error::internal("the progress of this run cannot be written down"))?;
        self.stage.set_note(&entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_continued_only_with_the_same_fingerprint() {
        let dir = tempfile::tempdir().unwrap();
        let stage = Stage::open(&dir.path().join("s")).unwrap();
        let fingerprint = |key: &str| {
            let mut fingerprint = Fingerprint::default();
            fingerprint.add("key", key);
            fingerprint
        };
        let journal = Journal::new(stage.clone(), fingerprint("1"));
        assert_eq!(journal.resume().unwrap(), None);
        let mut report = Report::new("deid", std::iter::once("fr".to_owned()));
        report.losses.entry("ε".into()).or_default().entry("all".into()).or_default().max = f64::INFINITY;
        let position = InputPosition { input: 2, items: 7 };
        let checkpoint =
            Checkpoint { position, mark: Some(99), rows: 3, private: PrivateMarks::default(), report };
        journal.save(checkpoint.clone()).unwrap();
        assert_eq!(journal.resume().unwrap(), Some(checkpoint));
        let other = Journal::new(stage, fingerprint("2")).resume().unwrap_err().to_string();
        assert!(other.starts_with("options changed since this run started: key;"), "{other}");
    }
}
