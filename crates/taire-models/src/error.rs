//! The error of models and their training: see [`taire_text::PolicyError`].

use std::io;
use std::path::Path;

pub use taire_text::PolicyError as Error;

/// An encoder that cannot be used.
pub(crate) fn encoder_error(error: taire_encoder::Error) -> Error {
    let kind = match error.kind() {
        taire_encoder::ErrorKind::Io => taire_text::ErrorKind::Io,
        _ => taire_text::ErrorKind::Policy,
    };
    Error::wrap(taire_text::Error::new(kind, error.to_string()).caused_by(error))
}

/// A file of a model or of its training that cannot be read or written.
pub(crate) fn file_error(path: &Path, error: io::Error) -> Error {
    Error::wrap(taire_text::Error::io(error.to_string()).in_file(path).caused_by(error))
}
