//! What can go wrong: a file, a span, a model.

use std::fmt;
use std::path::Path;

/// A failure and where it happened.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }

    pub(crate) fn at(path: &Path, e: impl fmt::Display) -> Error {
        Error(format!("{}: {e}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Error {
        Error(message)
    }
}

macro_rules! from {
    ($($error:ty),+) => {
        $(impl From<$error> for Error {
            fn from(e: $error) -> Error {
                Error(e.to_string())
            }
        })+
    };
}

from!(taire::Error, taire_corpus::Error, taire_text::PolicyError);
