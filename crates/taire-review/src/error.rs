//! What keeps the page from starting or an export from being written, said without quoting a document.

use std::fmt;

use taire_text::{ErrorKind, Reason};

/// An error of the reviewer's settings or files: the fact, then what to do.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(taire_text::Error);

impl Error {
    pub(crate) fn new(reason: impl Into<Reason>) -> Self {
        Error(taire_text::Error::usage(reason))
    }

    pub(crate) fn internal(reason: impl Into<Reason>) -> Self {
        Error(taire_text::Error::internal(reason))
    }

    /// Who has to act on it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// The kind of a database error; its own text may quote values.
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let (kind, why) = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => (ErrorKind::Io, "the disk is full"),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                (ErrorKind::Io, "permission denied")
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                (ErrorKind::Io, "another program holds it; wait until that ends")
            }
            Some(ErrorCode::NotADatabase) => (ErrorKind::Usage, "it is no state of a review"),
            Some(ErrorCode::DatabaseCorrupt) => (ErrorKind::Usage, "the file is damaged"),
            Some(ErrorCode::SystemIoFailure) => (ErrorKind::Io, "the disk failed or is full"),
            _ => (ErrorKind::Usage, "the database refused"),
        };
        Error(taire_text::Error::new(kind, format!("the state of the review cannot be used: {why}")))
    }
}

impl From<serde_json::Error> for Error {
    fn from(_: serde_json::Error) -> Self {
        Error::new("the state of the review holds something this version cannot read")
    }
}

impl From<taire_text::Error> for Error {
    fn from(error: taire_text::Error) -> Self {
        Error(error)
    }
}

impl From<Error> for taire_text::Error {
    fn from(error: Error) -> Self {
        error.0
    }
}
