//! What goes wrong with files of encoders.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why the files of an encoder cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused to read or write a file.
    Io,
    /// The files are sound, but of a kind that this crate does not read.
    Unsupported,
    /// Something is missing, damaged, or does not belong with the rest.
    Damaged,
}

/// What kind it is, the folder and the file, the reason. Never text of a document.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    folder: Option<PathBuf>,
    file: Option<PathBuf>,
    reason: String,
    source: Option<Arc<io::Error>>,
}

impl Error {
    fn new(kind: ErrorKind, reason: impl Into<String>) -> Error {
        Error { kind, folder: None, file: None, reason: reason.into(), source: None }
    }

    pub(crate) fn damaged(reason: impl Into<String>) -> Error {
        Error::new(ErrorKind::Damaged, reason)
    }

    pub(crate) fn unsupported(reason: impl Into<String>) -> Error {
        Error::new(ErrorKind::Unsupported, reason)
    }

    pub(crate) fn io(reason: impl Into<String>, source: io::Error) -> Error {
        Error { source: Some(Arc::new(source)), ..Error::new(ErrorKind::Io, reason) }
    }

    pub(crate) fn in_folder(self, folder: &Path) -> Error {
        Error { folder: Some(folder.to_owned()), ..self }
    }

    pub(crate) fn in_file(self, file: impl AsRef<Path>) -> Error {
        Error { file: Some(file.as_ref().to_owned()), ..self }
    }

    /// Why the files cannot be used.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The folder of the encoder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file in it.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(folder) = &self.folder {
            write!(f, "encoder {}: ", folder.display())?;
        }
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        f.write_str(&self.reason)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}, {self})", self.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
