//! What can go wrong with a vault, without quoting what it holds: see [`taire_text::Error`].

use rusqlite::ErrorCode;
pub use taire_text::Error;
use taire_text::ErrorKind;

/// The kind of a database error; its own text may quote values.
pub(crate) fn database_error(doing: &str, error: &rusqlite::Error) -> Error {
    let (kind, why) = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => (ErrorKind::Io, "the disk is full"),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            (ErrorKind::Io, "permission denied")
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (ErrorKind::Io, "another run holds it; wait until that run ends")
        }
        Some(ErrorCode::NotADatabase) => (ErrorKind::Usage, "it is not a vault"),
        Some(ErrorCode::DatabaseCorrupt) => (ErrorKind::Usage, "the file is damaged"),
        Some(ErrorCode::SystemIoFailure) => (ErrorKind::Io, "the disk failed or is full"),
        _ => (ErrorKind::Usage, "the database refused"),
    };
    Error::new(kind, format!("cannot {doing} the vault: {why}"))
}
