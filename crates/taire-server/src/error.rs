//! What keeps the service from starting, or a key file from being used.

use std::fmt;

/// An error of the operator's settings or files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Error(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<taire::Error> for Error {
    fn from(e: taire::Error) -> Self {
        Error(e.to_string())
    }
}
