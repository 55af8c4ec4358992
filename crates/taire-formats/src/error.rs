//! Errors and refusals of documents: where it happened and what to do, never what the document says.

use std::fmt;
use std::io;
use std::path::Path;

pub(crate) use taire_text::io_reason as reason;
pub use taire_text::{Error, ErrorKind, Position, Reason, Setting};

/// A file that cannot be read as documents.
pub(crate) fn input_error(path: &Path, why: impl Into<Reason>) -> Error {
    Error::input(why).in_file(path)
}

/// A file that cannot be used as it was given.
pub(crate) fn usage_error(path: &Path, why: impl Into<Reason>) -> Error {
    Error::usage(why).in_file(path)
}

/// An output that cannot be written.
pub(crate) fn output_error(path: &Path, doing: &str, error: &io::Error) -> Error {
    Error::io(format!("cannot {doing}: {}", reason(error))).in_file(path)
}

/// A document, a file, a line or a row that is not written, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The id of the document, or the path of the file where no document could be read.
    pub document: String,
    /// The place in the file.
    pub place: Option<Position>,
    pub reason: Reason,
    /// Reading stopped here: what follows in this file was not read.
    pub rest_lost: bool,
}

impl Refusal {
    /// A document that was read and is not written.
    pub fn of_document(id: impl Into<String>, reason: impl Into<Reason>) -> Self {
        Refusal { document: id.into(), place: None, reason: reason.into(), rest_lost: false }
    }

    pub(crate) fn new(path: &Path, place: Option<Position>, reason: impl Into<Reason>) -> Self {
        Refusal { place, ..Refusal::of_document(path.display().to_string(), reason) }
    }

    pub(crate) fn stopped(path: &Path, place: Option<Position>, error: &io::Error) -> Self {
        let why = format!("reading stopped here: {}; what follows was not read", reason(error));
        Refusal { rest_lost: true, ..Refusal::new(path, place, why) }
    }

    /// Place and reason, in a front end's words.
    pub fn why(&self, name: impl Fn(Setting) -> &'static str) -> String {
        let reason = self.reason.in_words(name);
        match self.place {
            Some(place) => format!("{place}: {reason}"),
            None => reason,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.document, self.why(Setting::neutral_name))
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let path = error.path().map(|path| path.display().to_string()).unwrap_or_default();
        Refusal { place: error.position(), ..Refusal::of_document(path, error.reason().clone()) }
    }
}
