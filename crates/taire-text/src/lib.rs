//! The vocabulary of Taire, shared by every other crate.
//!
//! A document is a [`Note`]: its raw text, a normalised view with its map to raw offsets ([`OffsetMap`]), tokens, and
//! what is already known about the patient. Detectors return [`Mention`]s; fusing them gives
//! disjoint [`Entity`]s. Text that may identify somebody travels as [`Phi`], which prints its length only.

mod entity;
mod error;
mod facts;
mod known;
mod label;
mod normalise;
mod note;
mod patient;
mod phi;
mod random;
mod reference;
mod scanned;
mod span;
mod tier;
mod token;

mod cancel;
mod counted;
pub mod date;
pub mod joint;
pub mod marked;
pub mod scheme;

pub use cancel::CancelFlag;
pub use counted::counted;
pub use entity::{Entity, Mention, Score, Source, SourceSet, Verdict, Why};
pub use error::{Error, ErrorKind, PolicyError, Position, Reason, Setting, io_reason};
pub use facts::{Careful, Facts};
pub use known::{Address, Identity, KnownIdentity, Sex};
pub use label::{Group, Label, Role};
pub use normalise::{Normalised, OffsetMap, normalise};
pub use note::{Given, Note, NoteBuilder};
pub use patient::{PatientId, is_placeholder};
pub use phi::Phi;
pub use random::SplitMix64;
pub use reference::unescape_html;
pub use span::{Norm, Raw, Side, Span};
pub use taire_lang::{Gender, Language, UnknownLanguage, fold, fold_char, fold_hash, fold_into};
pub use tier::Tier;
pub use token::{Calendar, Kind, Shape, Token, tokenise};
