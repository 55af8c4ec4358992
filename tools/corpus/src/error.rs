//! What can go wrong when the corpus is read or written.

use std::fmt;
use std::path::Path;

/// A file that cannot be read, or that does not say what it should.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }

    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Error {
        Error(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<String> for Error {
    fn from(message: String) -> Error {
        Error(message)
    }
}

impl From<Error> for String {
    fn from(error: Error) -> String {
        error.0
    }
}
