//! The open corpus of invented clinical documents (`corpus/` of the repository) and what is made from it.
//!
//! - [`OpenCorpus`] reads `corpus/{fr,es}/FOLDER/NN.md`, `corpus/untouched/{fr,es}/FOLDER/NN.md` and `splits.toml`; a
//!   [`MarkedDocument`] is one document with its spans in bytes.
//! - [`Refiller`] puts new identities into the spans of a document; [`noise`] spoils a text as typing, scanning and
//!   software do. Both are for training text only, depend on their seed alone and carry every span exactly.
//! - [`check`] is what must hold of the corpus; it runs as a test of this crate.
//! - [`export()`] writes the corpus for other tools; [`statistics`] are those of its card.
//! - [`generate`] writes documents from templates; [`hospital`] invents a hospital of many patients.
//!
//! ```
//! use taire_corpus::{MarkedDocument, NoiseKind, Refiller, noise};
//! use taire_text::Language;
//!
//! let source = "<!-- kind: note -->\nMme [Odette](GivenName) [LE GALL](FamilyName), née le [02.11.1931](BirthDate).";
//! let letter = MarkedDocument::parse("fr/x/01", Language::Fr, source)?;
//! let refiller = Refiller::new(Language::Fr);
//! let other = refiller.refill(&letter, 7);
//! assert_eq!(other.gaps(), letter.gaps()); // only the spans changed
//! let spoilt = noise::apply(&other, NoiseKind::LowerCase, 7);
//! assert!(spoilt.text.starts_with("mme "));
//! // A mix of noise, as in real files: most documents get little or none.
//! let mixed = noise::mixed(&other, 7);
//! assert_eq!(mixed.spans.len(), letter.spans.len());
//! # Ok::<(), taire_corpus::Error>(())
//! ```

mod agreement;
mod cells;
mod check;
mod corpus;
mod document;
mod error;
mod export;
pub mod generate;
pub mod hospital;
mod kinds;
pub mod noise;
mod refill;
mod rng;
mod stats;

pub use agreement::{Agreement, agreement, agreement_table};
pub use check::{Finding, Problem, check, check_counts};
pub use corpus::{LANGUAGES, OpenCorpus, Split, Splits, read_folder, shipped_root};
pub use document::{Header, MarkedDocument, MarkedSpan};
pub use error::Error;
pub use export::{ExportFormat, export};
pub use kinds::DocumentKind;
pub use noise::NoiseKind;
pub use refill::{RefillOptions, Refiller};
pub use rng::Rng;
pub use stats::{statistics, with_statistics};
