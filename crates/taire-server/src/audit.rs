//! The audit log: who asked for what, when, and how it ended. One JSON object a line, without any word, id or patient of a
//! document. A request whose line cannot be written is not answered.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::Error;

/// One line.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Entry {
    pub(crate) time: String,
    /// Also in the answer, as `x-request-id`.
    pub(crate) request: String,
    /// The name of the API key; `null` without one.
    pub(crate) caller: Option<String>,
    pub(crate) from: String,
    pub(crate) route: &'static str,
    /// For a batch: whether this is its begin or its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) batch: Option<&'static str>,
    pub(crate) status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<String>,
    pub(crate) documents: u64,
    pub(crate) refused: u64,
    pub(crate) spans: u64,
    /// Distinct names that this caller has sent with this patient since the service started; of a batch, the most of one
    /// patient. Somebody who tests names against a patient shows here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) names_of_patient: Option<u64>,
    pub(crate) bytes: u64,
    pub(crate) ms: u64,
}

#[derive(Debug)]
pub(crate) struct Audit {
    file: Option<Mutex<File>>,
}

impl Audit {
    /// Appends to a file of mode 0600, made if absent; without a path nothing is written.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else { return Ok(Audit { file: None }) };
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let file = options
            .open(path)
            .map_err(|e| Error::io(format!("cannot open audit log {}: {}", path.display(), e.kind())))?;
        Ok(Audit { file: Some(Mutex::new(file)) })
    }

    /// Writes a line in one piece. `false` if it could not be written.
    pub(crate) fn write(&self, entry: &Entry) -> bool {
        let Some(file) = &self.file else { return true };
        let Ok(mut line) = serde_json::to_vec(entry) else { return false };
        line.push(b'\n');
        let done = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line);
        if let Err(error) = &done {
            eprintln!("taire: the audit log cannot be written: {}", error.kind());
        }
        done.is_ok()
    }
}

pub(crate) fn now() -> String {
    let now = jiff::Timestamp::now();
    now.round(jiff::Unit::Millisecond).unwrap_or(now).to_string()
}
