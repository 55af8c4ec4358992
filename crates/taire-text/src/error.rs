//! The error of the workspace: what kind it is, where it happened, and why. It never quotes a document.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who has to act on an error. Front ends derive the exit status or the HTTP status from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A command, a call or a request cannot work as it was given.
    Usage,
    /// A policy, or a file that it names, cannot be used.
    Policy,
    /// A file cannot be read as documents.
    Input,
    /// A document was read and is held back: it was not written.
    Refused,
    /// The system refused: an output that cannot be written, a full disk.
    Io,
    /// A fault of this program.
    Internal,
}

/// A place in a file that holds several documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// Line of a text file, from 1.
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

/// An option that a reason names. Each front end has its own name for it: `--text-column`, `` `text` ``.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Setting {
    /// The column or key that holds the text.
    TextColumn,
    /// The column or key that names the document.
    IdColumn,
    /// The column or key that names the patient.
    PatientColumn,
    /// The column or key that dates the document.
    DateColumn,
    /// The column or key that names the stay.
    VisitColumn,
    /// Columns or keys passed through unread.
    KeepColumns,
    /// Whether a run continues an unfinished one.
    Resume,
    /// Whether a run may write into a folder that holds other files.
    IntoExisting,
}

impl Setting {
    /// A name that belongs to no front end.
    pub fn neutral_name(self) -> &'static str {
        match self {
            Setting::TextColumn => "`text_column`",
            Setting::IdColumn => "`id_column`",
            Setting::PatientColumn => "`patient_column`",
            Setting::DateColumn => "`date_column`",
            Setting::VisitColumn => "`visit_column`",
            Setting::KeepColumns => "`keep_columns`",
            Setting::Resume => "`resume`",
            Setting::IntoExisting => "`into_existing`",
        }
    }
}

/// Why something cannot be done: the fact, then what to do. It names paths, lines, columns and keys; never content.
#[derive(Clone, PartialEq, Eq)]
pub struct Reason {
    text: String,
    /// An option, and the byte of `text` where its name goes.
    setting: Option<(usize, Setting)>,
}

impl Reason {
    /// A reason that names an option: the words before the name, the option, the words after it.
    pub fn naming(before: impl Into<String>, setting: Setting, after: &str) -> Self {
        let mut text = before.into();
        let at = text.len();
        text.push_str(after);
        Reason { text, setting: Some((at, setting)) }
    }

    /// The reason in a front end's words.
    pub fn in_words(&self, name: impl Fn(Setting) -> &'static str) -> String {
        match self.setting {
            Some((at, setting)) => format!("{}{}{}", &self.text[..at], name(setting), &self.text[at..]),
            None => self.text.clone(),
        }
    }

    /// The same with words in front of it.
    #[must_use]
    pub fn prefixed(mut self, words: &str) -> Self {
        self.text.insert_str(0, words);
        self.setting = self.setting.map(|(at, setting)| (at + words.len(), setting));
        self
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Reason { text, setting: None }
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Reason::from(text.to_owned())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(Setting::neutral_name))
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What went wrong: its kind, the file and the place in it, the reason, and the error it came from.
///
/// ```
/// use taire_text::{Error, ErrorKind};
/// let error = Error::policy("threshold 2 must be between 0 and 1").in_file("my.toml");
/// assert_eq!(error.kind(), ErrorKind::Policy);
/// assert_eq!(error.to_string(), "my.toml: threshold 2 must be between 0 and 1");
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    path: Option<PathBuf>,
    position: Option<Position>,
    reason: Reason,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

macro_rules! constructors {
    ($($name:ident, $kind:ident, $doc:literal;)+) => { $(
        #[doc = $doc]
        pub fn $name(reason: impl Into<Reason>) -> Self {
            Error::new(ErrorKind::$kind, reason)
        }
    )+ };
}

impl Error {
    /// An error of a kind.
    pub fn new(kind: ErrorKind, reason: impl Into<Reason>) -> Self {
        Error(Box::new(Inner { kind, path: None, position: None, reason: reason.into(), source: None }))
    }

    constructors! {
        usage, Usage, "A command, a call or a request that cannot work as it was given.";
        policy, Policy, "A policy, or a file that it names, that cannot be used.";
        input, Input, "A file that cannot be read as documents.";
        refused, Refused, "A document that is held back.";
        io, Io, "Something the system refused.";
        internal, Internal, "A fault of this program.";
    }

    /// `unknown label `x`; known: a, b, c`. For names typed by a person in a policy or a command, never for
    /// text of a document.
    pub fn unknown<'a>(what: &str, given: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known: Vec<_> = known.collect();
        Error::usage(format!("unknown {what} `{given}`; known: {}", known.join(", ")))
    }

    /// The same error, in this file.
    #[must_use]
    pub fn in_file(mut self, path: impl AsRef<Path>) -> Self {
        self.0.path = Some(path.as_ref().to_owned());
        self
    }

    /// The same error, at this place of its file.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.0.position = Some(position);
        self
    }

    /// The same error, with the one it came from. That one's text is not part of the message.
    #[must_use]
    pub fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// The same error, with words in front of its reason.
    #[must_use]
    pub fn prefixed(mut self, words: &str) -> Self {
        let reason = std::mem::replace(&mut self.0.reason, Reason::from(String::new()));
        self.0.reason = reason.prefixed(words);
        self
    }

    /// The same error as one of another kind.
    #[must_use]
    pub fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Who has to act on it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file it happened in.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The place in the file.
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }

    /// Why, without the place.
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// Place and reason, in a front end's words.
    pub fn in_words(&self, name: impl Fn(Setting) -> &'static str) -> String {
        let mut out = String::new();
        if let Some(path) = self.path() {
            out += &format!("{}: ", path.display());
        }
        if let Some(position) = self.0.position {
            out += &format!("{position}: ");
        }
        out + &self.0.reason.in_words(name)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(Setting::neutral_name))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}, {self})", self.0.kind)
    }
}

/// An [`Error`] of something that a policy sets up: a detector, a model, a rewriter. Its kind is [`ErrorKind::Policy`]
/// unless it wraps an error of another kind.
///
/// ```
/// use taire_text::{Error, ErrorKind, PolicyError};
/// assert_eq!(PolicyError::new("no such model").kind(), ErrorKind::Policy);
/// let full = PolicyError::wrap(Error::io("the disk is full").in_file("my.model"));
/// assert_eq!(Error::from(full).kind(), ErrorKind::Io);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PolicyError(Error);

impl PolicyError {
    /// An error of kind [`ErrorKind::Policy`].
    pub fn new(reason: impl Into<Reason>) -> Self {
        PolicyError(Error::policy(reason))
    }

    /// An error that keeps its kind, place and source.
    pub fn wrap(error: Error) -> Self {
        PolicyError(error)
    }

    /// Who has to act on it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }
}

impl From<PolicyError> for Error {
    fn from(error: PolicyError) -> Self {
        error.0
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for PolicyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl From<taire_lang::UnknownLanguage> for Error {
    fn from(error: taire_lang::UnknownLanguage) -> Self {
        Error::usage(error.to_string())
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let key = |e: &Inner| (e.kind, e.path.clone(), e.position, e.reason.clone());
        key(&self.0) == key(&other.0)
    }
}

impl Eq for Error {}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}

/// The kind of a system error in plain words: the system's own text may quote what it read.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error::io(io_reason(&error)).caused_by(error.kind_only())
    }
}

/// Drops the text of a system error, which may quote content.
trait KindOnly {
    fn kind_only(&self) -> std::io::Error;
}

impl KindOnly for std::io::Error {
    fn kind_only(&self) -> std::io::Error {
        std::io::Error::from(self.kind())
    }
}

/// Why the system refused, in plain words.
pub fn io_reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "it does not exist".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::StorageFull => "the disk is full".into(),
        ErrorKind::UnexpectedEof => "it ends too early".into(),
        ErrorKind::FileTooLarge if error.raw_os_error().is_none() => {
            "it unpacks to far more than such files do".into()
        }
        ErrorKind::InvalidData | ErrorKind::InvalidInput if error.raw_os_error().is_none() => {
            "it is damaged".into()
        }
        kind => match error.raw_os_error() {
            Some(code) => format!("{kind} (system error {code})"),
            None => kind.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_ends_choose_the_names_of_options() {
        let reason = Reason::naming("no text column; name it with ", Setting::TextColumn, ".");
        let error = Error::usage(reason.clone().prefixed("a: ")).in_file("t.csv").at(Position::Line(1));
        assert_eq!(error.to_string(), "t.csv: line 1: a: no text column; name it with `text_column`.");
        assert_eq!(reason.in_words(|_| "--text-column"), "no text column; name it with --text-column.");
    }
}
