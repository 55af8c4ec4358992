//! What can go wrong with a vault, said without quoting what it holds.

use std::fmt;

/// An error of this crate: the fact, then what to do.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Error(message.into())
    }

    /// The kind of a database error; its own text may quote values.
    pub(crate) fn database(doing: &str, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let why = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => "the disk is full",
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                "permission denied"
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "another run holds it; wait until that run ends"
            }
            Some(ErrorCode::NotADatabase) => "it is not a vault",
            Some(ErrorCode::DatabaseCorrupt) => "the file is damaged",
            Some(ErrorCode::SystemIoFailure) => "the disk failed or is full",
            _ => "the database refused",
        };
        Error(format!("cannot {doing} the vault: {why}"))
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
