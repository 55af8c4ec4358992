//! What can go wrong with documents: where it happened and what to do, never what the document says.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Whose turn it is to act on an [`Error`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The command or its options cannot work as given.
    Usage,
    /// A file cannot be read as documents.
    Input,
    /// An output cannot be written.
    Output,
}

/// A place in a file that holds several documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    Line(u64),
    /// Item of a JSON array, from 1.
    Item(u64),
    /// Row of a table by columns, from 1.
    Row(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Line(n) => write!(f, "line {n}"),
            Position::Item(n) => write!(f, "item {n}"),
            Position::Row(n) => write!(f, "row {n}"),
        }
    }
}

/// An error of this crate. It names paths, lines, columns and keys; never content.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    position: Option<Position>,
    why: String,
}

impl Error {
    pub(crate) fn usage(why: impl Into<String>) -> Self {
        Error { kind: ErrorKind::Usage, path: None, position: None, why: why.into() }
    }

    pub(crate) fn input(path: &Path, why: impl Into<String>) -> Self {
        Error { kind: ErrorKind::Input, path: Some(path.into()), position: None, why: why.into() }
    }

    /// A document that was read and cannot be written.
    pub(crate) fn refused(why: &str) -> Self {
        Error { kind: ErrorKind::Input, path: None, position: None, why: why.into() }
    }

    pub(crate) fn usage_at(path: &Path, why: impl Into<String>) -> Self {
        Error { kind: ErrorKind::Usage, path: Some(path.into()), position: None, why: why.into() }
    }

    pub(crate) fn output(path: &Path, doing: &str, error: &io::Error) -> Self {
        Error {
            kind: ErrorKind::Output,
            path: Some(path.into()),
            position: None,
            why: format!("cannot {doing}: {}", reason(error)),
        }
    }

    pub(crate) fn at(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        f.write_str(&self.why)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}, {self})", self.kind)
    }
}

impl std::error::Error for Error {}

/// A file, a line or a row that is not treated, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub path: PathBuf,
    pub position: Option<Position>,
    pub why: String,
    /// Reading stopped here: what follows in this file was not read.
    pub rest_lost: bool,
}

impl Refusal {
    pub(crate) fn new(path: &Path, position: Option<Position>, why: impl Into<String>) -> Self {
        Refusal { path: path.into(), position, why: why.into(), rest_lost: false }
    }

    pub(crate) fn stopped(path: &Path, position: Option<Position>, error: &io::Error) -> Self {
        let why = format!("reading stopped here: {}; what follows was not read", reason(error));
        Refusal { path: path.into(), position, why, rest_lost: true }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        f.write_str(&self.why)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal {
            path: error.path.unwrap_or_default(),
            position: error.position,
            why: error.why,
            rest_lost: false,
        }
    }
}

/// The kind of an input/output error in plain words: the system's own text may quote what it read.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::UnexpectedEof => "it ends too early".into(),
        io::ErrorKind::FileTooLarge if error.raw_os_error().is_none() => {
            "it unpacks to far more than such files do".into()
        }
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput if error.raw_os_error().is_none() => {
            "it is damaged".into()
        }
        kind => match error.raw_os_error() {
            Some(code) => format!("{kind} (system error {code})"),
            None => kind.to_string(),
        },
    }
}
