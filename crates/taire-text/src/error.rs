//! What can go wrong in this crate, said without quoting any document.

use std::fmt;

/// An error of the vocabulary: a name outside a closed set, or a text beyond a limit.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Error(message.into())
    }

    /// `unknown label `x`; known: a, b, c`. For names typed by a person in a policy or a command, never for
    /// text of a document.
    pub fn unknown<'a>(what: &str, given: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known: Vec<_> = known.collect();
        Error(format!("unknown {what} `{given}`; known: {}", known.join(", ")))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({})", self.0)
    }
}

impl std::error::Error for Error {}
