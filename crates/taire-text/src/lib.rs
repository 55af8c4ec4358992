//! The vocabulary of Taire, shared by every other crate.
//!
//! A document is a [`Note`]: its raw text, a normalised view with the way back ([`OffsetMap`]), tokens, and
//! what is already known about the patient. Detectors say what they saw as [`Mention`]s; fusing them gives
//! disjoint [`Entity`]s. Text that may identify somebody travels as [`Phi`], which prints its length only.

mod entity;
mod error;
mod facts;
mod fold;
mod known;
mod label;
mod language;
mod normalise;
mod note;
mod phi;
mod span;
mod token;

pub mod date;
pub mod joint;
pub mod marked;
pub mod scheme;

pub use entity::{Entity, Mention, Score, Source, SourceSet, Verdict, Why};
pub use error::Error;
pub use facts::{Careful, Facts, Gender};
pub use fold::{fold, fold_char, fold_hash, fold_into};
pub use known::{Address, Identity, KnownIdentity, Sex};
pub use label::{Group, Label, Role};
pub use language::Language;
pub use normalise::{Normalised, OffsetMap, normalise};
pub use note::{Given, Note, NoteBuilder};
pub use phi::Phi;
pub use span::{Norm, Raw, Side, Span};
pub use token::{Calendar, Kind, Shape, Token, tokenise};
