//! Measuring: scores of predicted spans against gold, and what medicine is kept ([`retain`]).
//!
//! A [`Corpus`] is read from JSONL, BRAT or marked documents, whichever tool wrote it, and [`exchange`] reads and writes the
//! formats of annotation tools; [`evaluate`] compares two of them and gives
//! an [`Evaluation`], which prints as a table or serialises to the JSON of `taire evaluate`; [`mistakes`] lists
//! where they differ. Labels are compared by name, so any scheme can be measured.

mod bootstrap;
mod compare;
mod corpus;
mod error;
pub mod exchange;
mod groups;
mod inline_xml;
mod intervals;
mod meddocan;
mod mistakes;
mod read;
mod reliability;
pub mod retain;
mod scores;
mod table;
mod token_table;

pub use bootstrap::interval;
pub use compare::{Evaluation, Leak, Mean, Measure, Options, evaluate, require_common_label};
pub use corpus::{Corpus, Doc, Offsets, Tag};
pub use error::Error;
pub use groups::{Coverage, GroupBy, Tiers, Words, by_document, by_group, hidden_words};
pub use meddocan::Tracks;
pub use mistakes::{Mistake, MistakeKind, mistakes, print_mistakes};
pub use reliability::{Bin, bins, calibration_error};
pub use scores::{Counts, Interval, Scores};
pub use token_table::{PartsOf, TokenTable, token_tables};
