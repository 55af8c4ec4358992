//! What keeps the page from starting or an export from being written, said without quoting a document.

use std::fmt;

/// An error of the reviewer's settings or files: the fact, then what to do.
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

/// The kind of a database error; its own text may quote values.
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let why = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => "the disk is full",
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                "permission denied"
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "another program holds it; wait until that ends"
            }
            Some(ErrorCode::NotADatabase) => "it is no state of a review",
            Some(ErrorCode::DatabaseCorrupt) => "the file is damaged",
            Some(ErrorCode::SystemIoFailure) => "the disk failed or is full",
            _ => "the database refused",
        };
        Error(format!("the state of the review cannot be used: {why}"))
    }
}

impl From<serde_json::Error> for Error {
    fn from(_: serde_json::Error) -> Self {
        Error::new("the state of the review holds something this version cannot read")
    }
}

macro_rules! tell {
    ($($from:ty),+) => { $(
        impl From<$from> for Error {
            fn from(error: $from) -> Self {
                Error(error.to_string())
            }
        }
    )+ };
}
tell!(taire::Error, taire_server::Error, taire_formats::Error, taire_text::Error);
